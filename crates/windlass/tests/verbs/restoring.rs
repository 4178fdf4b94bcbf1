//! `restore`.

use std::fs;

use rustix::process::Signal;
use windlass_testkit::environment::TestEnv;

use super::{PATIENCE, ask, document, finished, start, told, windlass};

#[test]
fn files_come_back_and_the_way_back_is_printed() {
    let env = TestEnv::with_git();
    env.write("work.txt", "mine\n");
    let run = finished(&env, "Work", 3);
    env.write("work.txt", "changed since\n");
    env.write("untracked.txt", "made since\n");

    let said = told(&env, &["restore", &run, "1"]);
    assert!(said.contains(&format!("as they were after iteration 1 of run {run}")), "{said}");
    assert!(said.contains("1 written, 3 removed"), "{said}");
    assert!(said.contains("\n  written  work.txt\n"), "{said}");
    assert!(said.contains("\n  removed  new-2.txt, new-3.txt, untracked.txt\n"), "{said}");
    assert_eq!(env.read("work.txt"), "call 1\n");
    assert!(env.project().join("new-1.txt").exists() && !env.project().join("new-2.txt").exists());

    // The printed command brings back what was there.
    let undo = said.lines().find_map(|line| line.trim().strip_prefix("undo")).unwrap().trim();
    assert_eq!(undo, format!("windlass restore {run} before-restore-1"));
    let words: Vec<&str> = undo.split(' ').skip(1).collect();
    told(&env, &words);
    assert_eq!(env.read("work.txt"), "changed since\n");
    assert_eq!(env.read("untracked.txt"), "made since\n");

    told(&env, &["restore", &run[..6], "1", "--before"]);
    assert_eq!(env.read("work.txt"), "mine\n");
    assert!(!env.project().join("new-1.txt").exists());
    told(&env, &["restore", &run, "2-1-after"]);
    assert_eq!(env.read("work.txt"), "call 2\n");
    let again = told(&env, &["restore", &run, "2"]);
    assert!(again.contains("nothing to do") && !again.contains("undo"), "{again}");
}

#[test]
fn what_cannot_be_restored_is_refused_in_one_sentence() {
    let env = TestEnv::with_git();
    let run = finished(&env, "Work", 1);
    let refused = |arguments: &[&str], sentence: &str, hint: &str| {
        let outcome = ask(&env, arguments);
        assert_eq!(outcome.code, Some(2), "{arguments:?}");
        let text = outcome.stderr_text();
        assert!(
            text.starts_with(&format!("error: {sentence}")) && text.contains(hint),
            "{arguments:?}: {text}"
        );
        assert_eq!(env.read("work.txt"), "call 1\n");
    };
    refused(
        &["restore", &run, "7"],
        "there is no snapshot after iteration 7",
        "Kept are: 1-1-before, 1-1-after",
    );
    refused(&["restore", &run, "before-restore-1"], "there is no snapshot before-restore-1", "Kept are: ");
    refused(
        &["restore", &run, "1-1-after", "--before"],
        "`--before` goes with the number of an iteration",
        "",
    );
    refused(&["restore", "r-zzzzzzzzz", "1"], "no run here begins with", "windlass runs");
    refused(&["restore", &run, "0"], "ITERATION cannot be `0`", "counted from 1");
    let elsewhere = env.root().join("home");
    let elsewhere = elsewhere.to_str().unwrap();
    let project = env.project().canonicalize().unwrap();
    let command = format!("windlass -C {} restore {run} 1 --before", project.display());
    refused(&["-C", elsewhere, "restore", &run, "1", "--before"], &format!("run {run} works in"), &command);
    assert!(ask(&env, &["restore", &run, "1"]).stdout_text().contains("nothing to do"));
}

#[test]
fn nothing_is_restored_below_a_live_run() {
    let env = TestEnv::with_git();
    let before = finished(&env, "Before", 1);
    let (running, live) = start(&env, "Patience", &[]);
    for run in [&before, &live] {
        let outcome = ask(&env, &["restore", run, "1", "--before"]);
        assert_eq!(outcome.code, Some(25));
        assert!(
            outcome.stderr_text().starts_with(&format!("error: run {live} (process ")),
            "{}",
            outcome.stderr_text()
        );
    }
    assert_eq!(env.read("work.txt"), "call 1\n");
    running.signal(Signal::KILL);
    let _ = running.wait(PATIENCE);
    // A folder of the same tree is a working directory of its own, but not a tree of its own.
    fs::create_dir(env.project().join("below")).unwrap();
    let (running, below) = start_below(&env);
    let outcome = ask(&env, &["restore", &before, "1", "--before"]);
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr_text().starts_with(&format!("error: run {below} works in ")),
        "{}",
        outcome.stderr_text()
    );
    drop(running);
}

#[test]
fn where_only_the_runs_own_directory_takes_a_command_that_is_printed_with_it() {
    let env = TestEnv::with_git();
    let run = |more: &[&str]| {
        let begin = ["run", "-p", "Look", "--mock", "--no-delay", "-m", "1", "--allow-dirty"];
        let outcome = ask(&env, &[&begin, more].concat());
        outcome.expect_code(10, "run");
        (newest(&env), outcome.stdout_text() + &outcome.stderr_text())
    };
    let (in_worktree, ending) = run(&["--worktree", "api"]);
    let root = env.root().canonicalize().unwrap();
    let restore = format!("windlass -C {}/project-worktrees/api restore {in_worktree} 1", root.display());
    let status = told(&env, &["status", &in_worktree]);
    for text in [&ending, &status, &told(&env, &["logs", &in_worktree])] {
        assert!(text.contains(&restore), "{text}");
    }
    told(&env, &restore.split(' ').skip(1).collect::<Vec<_>>());
    // What was typed beside the name is typed again.
    fs::create_dir(env.project().join("below")).unwrap();
    let (here, ending) = run(&[]);
    assert!(ending.contains(&format!("windlass restore {here} 1")), "{ending}");
    let below = env.project().join("below");
    let refused =
        ask(&env, &["-C", below.to_str().unwrap(), "resume", "--max-iterations", "4", "--no-delay"]);
    refused.expect_code(2, "resume in a folder");
    let resume =
        format!("windlass -C {}/project resume {here} --no-delay --max-iterations 4\n", root.display());
    assert!(refused.stderr_text().contains(&resume), "{}", refused.stderr_text());
    ask(&env, &resume.split_whitespace().skip(1).collect::<Vec<_>>()).expect_code(10, "as printed");
}

/// The name of the newest run.
fn newest(env: &TestEnv) -> String {
    document(env, &["runs", "--json"])["runs"][0]["run"].as_str().unwrap().to_owned()
}

fn start_below(env: &TestEnv) -> (windlass_testkit::environment::Running, String) {
    let below = env.project().join("below");
    start(env, "Below", &["-C", below.to_str().unwrap()])
}

#[test]
fn a_repository_comes_back_even_when_git_is_gone() {
    let env = TestEnv::with_git();
    env.git(&["branch", "feature"]);
    let run = finished(&env, "Work", 1);
    let (head, feature) = (env.git(&["rev-parse", "HEAD"]), env.git(&["rev-parse", "feature"]));
    env.git(&["branch", "-D", "feature"]);
    let said = told(&env, &["restore", &run, "1", "--repository"]);
    assert!(said.contains("branches, tags, HEAD, index, settings and hooks are put back"), "{said}");
    assert_eq!(env.git(&["rev-parse", "feature"]), feature);

    fs::remove_dir_all(env.project().join(".git")).unwrap();
    env.write("work.txt", "changed since\n");
    let refused = ask(&env, &["restore", &run, "1"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr_text().contains("add --repository"), "{}", refused.stderr_text());
    let said = told(&env, &["restore", &run, "1", "--repository"]);
    assert!(said.contains(&format!("windlass restore {run} before-restore-2 --repository")), "{said}");
    assert_eq!(env.read("work.txt"), "call 1\n");
    assert_eq!(env.git(&["rev-parse", "HEAD"]), head);
    env.git(&["fsck", "--strict"]);
    assert!(told(&env, &["runs"]).contains(&run));
}

#[test]
fn without_git_there_is_nothing_to_restore_and_it_is_said() {
    let env = TestEnv::new();
    let run = finished(&env, "Work", 1);
    let refused = env.run(&mut windlass(&env, &["restore", &run, "1"]), PATIENCE);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr_text().contains("it did not work in a git repository"),
        "{}",
        refused.stderr_text()
    );
}

/// A linked working tree beside the project, of a new branch.
fn another_tree(env: &TestEnv, branch: &str) -> String {
    let tree = env.root().canonicalize().unwrap().join("wt");
    let tree = tree.to_str().unwrap().to_owned();
    env.git(&["worktree", "add", "--quiet", &tree, "-b", branch]);
    tree
}

#[test]
fn branches_that_have_gone_on_and_those_of_other_working_trees_stay_and_what_moves_is_named() {
    let env = TestEnv::with_git();
    env.git(&["commit", "--quiet", "--allow-empty", "-m", "Second"]);
    env.git(&["branch", "feature"]);
    env.git(&["branch", "aside"]);
    env.git(&["tag", "v1"]);
    let tree = another_tree(&env, "other");
    let commit = |name: &str| env.git(&["rev-parse", name]);
    let short = |name: &str| commit(name).chars().take(9).collect::<String>();
    let before = commit("main");
    let run = finished(&env, "Work", 1);
    for (arguments, branch) in [(["-C", env.project().to_str().unwrap()], "main"), (["-C", &tree], "other")] {
        let commits = ["commit", "--quiet", "--allow-empty", "-m", branch];
        env.git(&[&arguments[..], &commits].concat());
    }
    env.git(&["branch", "-f", "feature", "main"]);
    env.git(&["branch", "-f", "aside", "main~2"]);
    env.git(&["tag", "-d", "v1"]);
    let (feature, other, old) = (commit("feature"), commit("other"), short(&before));
    let expected = format!(
        "\n  moved    aside {} -> {old}, main {} -> {old}, v1 (gone) -> {old}\n",
        short("aside"),
        short("main")
    );
    let stays = format!("other stays at {} (it was at {old}): {tree} has it checked out", short("other"));

    let said = told(&env, &["restore", &run, "1", "--before", "--repository"]);
    assert!(said.contains(&expected), "{expected}{said}");
    let on_one_line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(on_one_line.contains(&stays), "{stays}\n{said}");
    assert!(said.contains("gone on since, and not moved: feature\n"), "{said}");
    for name in ["main", "aside", "v1"] {
        assert_eq!(commit(name), before, "{name}");
    }
    assert_eq!((commit("feature"), commit("other")), (feature, other.clone()));

    // A person who took back a commit there did so, whatever it was before.
    env.git(&["-C", &tree, "reset", "--quiet", "--hard", "HEAD~2"]);
    let other = commit("other");
    told(&env, &["restore", &run, "1", "--before", "--repository"]);
    assert_eq!(commit("other"), other);
    // Where it has none, it comes back.
    env.git(&["update-ref", "-d", "refs/heads/other"]);
    told(&env, &["restore", &run, "1", "--before", "--repository"]);
    assert_eq!(commit("other"), before);
}

#[test]
fn no_repository_is_put_back_under_a_live_run_in_another_working_tree() {
    let env = TestEnv::with_git();
    let tree = another_tree(&env, "other");
    let before = finished(&env, "Before", 1);
    let (running, live) = start(&env, "Patience", &["-C", &tree]);
    let outcome = ask(&env, &["restore", &before, "1", "--before", "--repository"]);
    outcome.expect_code(2, "restore");
    let said = outcome.stderr_text();
    let expected = format!("error: run {live} works in {tree}, whose branches would be put back as well");
    assert!(said.starts_with(&expected), "{said}");
    assert!(said.contains(&format!("windlass stop {live}")), "{said}");
    // Its files are others.
    told(&env, &["restore", &before, "1", "--before"]);
    drop(running);
}

#[test]
fn a_printed_command_names_the_paths_that_were_typed_elsewhere() {
    let env = TestEnv::with_git();
    env.write("work.txt", "mine\n");
    env.write("src/work.txt", "deeper\n");
    let run = finished(&env, "Work", 1);
    for file in ["work.txt", "src/work.txt"] {
        env.write(file, "changed since\n");
    }
    let project = env.project().canonicalize().unwrap();
    let below = project.join("src");
    let refused =
        ask(&env, &["-C", below.to_str().unwrap(), "restore", &run, "1", "--before", "--", "work.txt"]);
    refused.expect_code(2, "in another directory");
    let expected = format!("windlass -C {} restore {run} 1 --before -- src/work.txt", project.display());
    assert!(refused.stderr_text().contains(&expected), "{expected}\n{}", refused.stderr_text());
    told(&env, &expected.split(' ').skip(1).collect::<Vec<_>>());
    assert_eq!(
        (env.read("src/work.txt"), env.read("work.txt")),
        ("deeper\n".to_owned(), "changed since\n".to_owned())
    );

    // A shell knows a directory by the link that led there.
    let link = env.root().join("link");
    std::os::unix::fs::symlink(&project, &link).unwrap();
    let file = link.join("work.txt");
    told(&env, &["restore", &run, "1", "--before", "--", file.to_str().unwrap()]);
    assert_eq!(env.read("work.txt"), "mine\n");
}

#[test]
fn a_file_in_place_of_a_folder_makes_way_for_what_was_in_that() {
    let env = TestEnv::with_git();
    env.write("src/lib.rs", "one\n");
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "-m", "Second"]);
    let run = finished(&env, "Work", 1);
    fs::remove_dir_all(env.project().join("src")).unwrap();
    env.write("src", "a file\n");
    env.write("work.txt", "changed since\n");
    let said = told(&env, &["restore", &run, "1", "--", "src/lib.rs"]);
    assert!(said.contains("1 written, 1 removed") && said.contains("\n  removed  src\n"), "{said}");
    assert_eq!(
        (env.read("src/lib.rs"), env.read("work.txt")),
        ("one\n".to_owned(), "changed since\n".to_owned())
    );
    told(&env, &["restore", &run, "before-restore-1"]);
    assert_eq!(env.read("src"), "a file\n");
}

#[test]
fn what_cannot_be_put_back_is_an_error() {
    let env = TestEnv::with_git();
    env.write(".gitignore", "kept/\n");
    let run = finished(&env, "Work", 1);
    fs::remove_file(env.project().join("work.txt")).unwrap();
    // No snapshot holds what git ignores.
    env.write("work.txt/kept/in", "in the way\n");
    let outcome = ask(&env, &["restore", &run, "1"]);
    outcome.expect_code(1, "restore");
    let said = outcome.stdout_text();
    assert!(
        said.contains("not all files are as they were") && said.contains("1 path could not be"),
        "{said}"
    );
}

#[test]
fn a_snapshot_without_a_repository_names_the_newest_that_has_one() {
    let env = TestEnv::with_git();
    let script = "[[call]]\nsteps = [ { bash = \"echo x > work.txt; rm -rf .git\" }, { result = { text = \"x\", cost = 0.1 } } ]\n";
    let script = env.write(env.root().join("gone.toml"), script);
    let mock = format!("--mock={}", script.display());
    let outcome = ask(&env, &["run", "-p", "Work", &mock, "--no-delay", "-m", "1", "--json"]);
    let run = outcome.json_lines()[0]["run"].as_str().unwrap().to_owned();
    for flags in [&["--repository"][..], &[]] {
        let refused = ask(&env, &[&["restore", &run, "1"], flags].concat());
        refused.expect_code(2, "restore");
        let said = refused.stderr_text();
        let command = format!("windlass restore {run} 1-1-before --repository");
        assert!(said.contains(&command) && !said.contains("add --repository"), "{said}");
        assert_eq!(said.contains("1-1-after holds no repository"), !flags.is_empty(), "{said}");
    }
    told(&env, &["restore", &run, "1-1-before", "--repository"]);
    env.git(&["fsck", "--strict"]);
    assert!(!env.project().join("work.txt").exists());
}

// attack(endings): an agent deletes `.git` of a repository that windlass has made worktrees of
// holds: what is put back has them as they were, and windlass knows them as its own
#[test]
fn worktrees_are_known_again_after_their_repository_is_put_back() {
    let env = TestEnv::with_git();
    let script = env
        .write(env.root().join("idle.toml"), "[[call]]\nsteps = [ { result = { text = \"Looked.\" } } ]\n");
    let mock = format!("--mock={}", script.display());
    ask(&env, &["run", "-p", "Look", &mock, "--no-delay", "-m", "1", "--worktree", "port"])
        .expect_code(10, "run");
    let run = finished(&env, "Work", 1);
    let listed = || told(&env, &["worktree", "list"]);
    let before = listed();
    assert!(before.contains("port"), "{before}");
    fs::remove_dir_all(env.project().join(".git")).unwrap();
    told(&env, &["restore", &run, "1", "--before", "--repository"]);
    assert_eq!(listed(), before);
    ask(&env, &["worktree", "clean", "port"]).expect_code(0, "clean");
    assert!(!listed().contains("port"), "{}", listed());
}

// attack(endings): an agent deletes `.git` where references are kept in tables, and there are other working trees
// holds: those are put back as well, with what they have checked out
#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn other_working_trees_have_their_tables_again() {
    let env = TestEnv::new();
    let init = ["init", "--quiet", "--initial-branch=main", "--ref-format=reftable"];
    let made = env.run(env.command("git").args(init).current_dir(env.project()), PATIENCE);
    if made.code != Some(0) {
        eprintln!("skipped, because this git has no reftable: {}", made.stderr_text());
        return;
    }
    env.git(&["commit", "--quiet", "--allow-empty", "-m", "First"]);
    let tree = another_tree(&env, "other");
    let run = finished(&env, "Work", 1);
    let head = || env.git(&["-C", &tree, "symbolic-ref", "HEAD"]);
    let before = head();
    fs::remove_dir_all(env.project().join(".git")).unwrap();
    told(&env, &["restore", &run, "1", "--before", "--repository"]);
    assert_eq!((head(), before.as_str()), (before.clone(), "refs/heads/other"));
    assert_eq!(env.git(&["-C", &tree, "status", "--porcelain"]), "");
}

#[test]
fn commits_that_no_branch_has_any_more_are_named_with_the_command_that_keeps_them() {
    let env = TestEnv::with_git();
    let script = env.write(
        env.root().join("work.toml"),
        "[[call]]\nsteps = [ { write = { path = \"work\", text = \"{{call}}\" } }, { result = { text = \"Done.\" } } ]\n",
    );
    let mock = format!("--mock={}", script.display());
    let arguments = ["run", "-p", "Work", &mock, "--no-delay", "-m", "2", "--commit", "runner", "--json"];
    let lines = ask(&env, &arguments).json_lines();
    let run = lines[0]["run"].as_str().unwrap();
    let newest = env.git(&["rev-parse", "HEAD"]);
    let short = env.git(&["rev-parse", "--short", "HEAD"]);
    // The snapshot after an iteration is of before its commit.
    let said = told(&env, &["restore", run, "2", "--repository"]);
    let one_line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = format!("no branch has any more what was committed since: {short} Windlass iteration 2");
    assert!(one_line.contains(&expected), "{said}");
    assert!(!one_line.contains("Windlass iteration 1"), "{said}");
    let keep = format!("git branch kept {short}");
    assert!(one_line.contains(&keep), "{said}");
    env.git(&["branch", "kept", &short]);
    assert_eq!(env.git(&["rev-parse", "kept"]), newest);
    let said = told(&env, &["restore", run, "2", "--repository"]);
    assert!(!said.contains("no branch has"), "{said}");
}
