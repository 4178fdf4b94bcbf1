//! What the runner's commit holds is what was judged, and nothing that was to be left out of it: whatever hooks, submodules and
//! settings of the repository make of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_testkit::TestEnv;

use super::committing::hook;
use super::night::{Night, calls, every_call, expect_end};
use super::pull_requests::said;
use super::tasks;

const DONE: &str = r#"{ result = { text = "Done.\n\nWINDLASS_JOB_COMPLETE" } }"#;

/// A night whose every call does this and says that all is done.
fn night(work: &str) -> Night {
    Night::with_git(&every_call(&format!("{{ bash = '{work}' }}, {DONE}")))
}

fn committing(night: &Night, gate: &str) -> windlass_testkit::Outcome {
    night.run(&["--commit", "runner", "--completion-threshold", "1", "--allow-dirty", "--gate", gate])
}

/// How often an agent was called.
fn called(night: &Night) -> usize {
    night.calls().len()
}

/// What each commit was refused for.
fn refusals(night: &Night) -> Vec<String> {
    let refusal = |fact: Fact| match fact {
        Fact::Committed(report::Committed { refused, .. }) => refused,
        _ => None,
    };
    night.facts().into_iter().filter_map(refusal).collect()
}

// attack(git): a person's pre-commit hook runs `git add -A`, while a secret lies there and the person has uncommitted work
// holds: that commit is not kept, branch, index and files are as they were, hook and files are named, and one call is paid for
#[test]
fn what_a_hook_adds_that_was_left_out_is_in_no_commit() {
    let night = night("echo K=1 > .env; echo 1 > out.txt");
    night.env.write("a.txt", "committed\n");
    night.env.write("staged", "committed\n");
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "-m", "files"]);
    hook(&night, "pre-commit", "test -e ../mended || git add -A");
    night.env.write("a.txt", "mine\n");
    night.env.write("staged", "mine\n");
    night.env.git(&["add", "staged"]);
    let (head, log) = (night.env.git(&["rev-parse", "HEAD"]), night.env.git(&["log", "--format=%s"]));
    let outcome = committing(&night, "test -f out.txt");
    outcome.expect_code(24, &said(&outcome));
    assert_eq!(called(&night), 1, "{}", said(&outcome));
    assert_eq!((night.env.git(&["rev-parse", "HEAD"]), night.env.git(&["log", "--format=%s"])), (head, log));
    let status = night.env.git(&["status", "--porcelain"]);
    assert_eq!(status, " M a.txt\nM  staged\n?? .env\n?? out.txt");
    let why = refusals(&night).remove(0);
    for named in
        [".git/hooks/pre-commit", ".env (its name is that of a secret)", "a.txt (it was uncommitted before)"]
    {
        assert!(why.contains(named), "{why}");
    }
    assert!(said(&outcome).contains("The commit was taken back"), "{}", said(&outcome));
    // Once the hook is mended, the same run commits what is its own.
    night.env.write("../mended", "");
    expect_end(&night.resume(&[]), 0, "complete");
    assert_eq!(night.env.git(&["show", "--format=", "--name-only", "HEAD"]), "out.txt");
}

#[test]
fn what_a_hook_adds_in_a_lane_or_between_tasks_is_in_no_commit_either() {
    for flags in [&["-j", "2"][..], &[]] {
        let script = tasks::HONEST.replace("steps = [\n", "steps = [\n  { bash = \"echo K=1 > .env\" },\n");
        let night = tasks::night(&[(1, &[]), (2, &[])], &script);
        hook(&night, "pre-commit", "git add -A");
        let outcome = tasks::run(&night, flags);
        outcome.expect_code(24, &said(&outcome));
        assert!(!night.env.git(&["log", "--all", "--name-only", "--format="]).contains(".env"), "{flags:?}");
        let refused = refusals(&night);
        assert!(refused.iter().all(|why| why.contains(".env") && why.contains("pre-commit")), "{refused:?}");
        assert!(!refused.is_empty() && called(&night) <= 2, "{flags:?}: {refused:?}");
    }
}

// attack(money): a `commit-msg` hook refuses the form of the runner's subjects, which no agent words
// holds: one call is paid for, the run ends as `needs_human` and names the setting
#[test]
fn a_hook_that_refuses_the_subject_ends_the_run_at_once() {
    let night = night("echo x >> out.txt");
    let refuses = "head -1 \"$1\" | grep -q '^chore: ' || { echo 'subject: type may not be empty'; exit 1; }";
    hook(&night, "commit-msg", refuses);
    let outcome = committing(&night, "test -f out.txt");
    outcome.expect_code(24, &said(&outcome));
    assert_eq!(called(&night), 1, "{}", said(&outcome));
    let why = refusals(&night).remove(0);
    for named in ["commit-msg", "type may not be empty", "windlass config set commit.message conventional"] {
        assert!(why.contains(named), "{why}");
    }
    let night = night.set("WINDLASS_COMMIT__MESSAGE", "conventional");
    expect_end(&night.resume(&[]), 0, "complete");
}

/// A repository that may be a submodule of another.
fn library(env: &TestEnv) -> String {
    let library = env.root().join("library");
    let path = library.display().to_string();
    env.git(&["init", "--quiet", "--initial-branch=main", &path]);
    fs::write(library.join("a"), "a\n").unwrap();
    env.git(&["-C", &path, "add", "a"]);
    env.git(&["-C", &path, "commit", "--quiet", "-m", "library"]);
    path
}

const SUBMODULE: &str = "git -c protocol.file.allow=always submodule --quiet";

fn in_a_clone(night: &Night, gate: &str) {
    let clone = night.env.root().join("clone").display().to_string();
    let allowed = ["-c", "protocol.file.allow=always"];
    let words = ["clone", "--quiet", "--recurse-submodules", ".", &clone];
    night.env.git(&[&allowed[..], &words].concat());
    let mut shell = night.env.command("sh");
    let there = shell.args(["-c", gate]).current_dir(&clone).status().unwrap();
    assert!(there.success(), "{gate}");
}

// attack(claims): an agent adds a submodule, or moves one, and the gates need what is in it
// holds: the commit has the submodule's commit with `.gitmodules`, and the gates pass in a clone
#[test]
fn a_submodule_that_an_agent_adds_or_moves_is_in_the_commit() {
    let env = TestEnv::with_git();
    let library = library(&env);
    let script = every_call(&format!("{{ bash = '{SUBMODULE} add {library} lib' }}, {DONE}"));
    let night = Night::within(env, &script);
    expect_end(&committing(&night, "test -f lib/a"), 0, "complete");
    assert_eq!(night.env.git(&["status", "--porcelain"]), "");
    in_a_clone(&night, "test -f lib/a");
    let script = every_call(&format!("{{ bash = 'git mv lib libs' }}, {DONE}"));
    fs::write(&night.script, script).unwrap();
    expect_end(
        &night.env.run(&mut night.command_for("Move it", &MOVES), super::night::PATIENCE),
        0,
        "complete",
    );
    assert_eq!(night.env.git(&["status", "--porcelain"]), "");
    assert_eq!(
        night.env.git(&["ls-tree", "--format=%(objectmode) %(path)", "HEAD", "lib", "libs"]),
        "160000 libs"
    );
}

const MOVES: [&str; 6] = ["--commit", "runner", "--completion-threshold", "1", "--gate", "test -f libs/a"];

// attack(git): an agent empties a submodule's folder with `git submodule deinit`
// holds: for git that is no change, and the commit keeps the submodule
#[test]
fn a_submodule_whose_folder_is_emptied_stays_in_the_commit() {
    let env = TestEnv::with_git();
    let library = library(&env);
    env.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &library, "lib"]);
    env.git(&["commit", "--quiet", "-m", "a submodule"]);
    let script =
        every_call(&format!("{{ bash = 'git submodule --quiet deinit -f lib; echo 1 > out.txt' }}, {DONE}"));
    let night = Night::within(env, &script);
    expect_end(&committing(&night, "test -f out.txt"), 0, "complete");
    assert_eq!(night.env.git(&["show", "--format=", "--name-only", "HEAD"]), "out.txt");
    assert_eq!(night.env.git(&["status", "--porcelain"]), "");
}

// attack(claims): `core.fileMode` is off, an agent makes files executable, and the gates need that
// holds: the commit has them executable, so that the gates pass in a clone
#[test]
fn what_is_made_executable_is_committed_so_where_git_does_not_look_at_modes() {
    let night = night("chmod +x run.sh; cp run.sh new.sh; chmod 755 new.sh");
    night.env.write("run.sh", "#!/bin/sh\n");
    fs::set_permissions(night.env.project().join("run.sh"), fs::Permissions::from_mode(0o644)).unwrap();
    night.env.git(&["add", "run.sh"]);
    night.env.git(&["commit", "--quiet", "-m", "a script"]);
    night.env.git(&["config", "core.fileMode", "false"]);
    expect_end(&committing(&night, "test -x run.sh && test -x new.sh"), 0, "complete");
    assert_eq!(
        night.env.git(&["ls-tree", "--format=%(objectmode)", "HEAD", "run.sh", "new.sh"]),
        "100755\n100755"
    );
    in_a_clone(&night, "test -x run.sh && test -x new.sh");
}

// attack(git): a run is begun by an alias of git's in a linked worktree, which says in variables where its git works
// holds: agents, gates and hooks work where they are called, as the runner does, and it is said what they do not get
#[test]
fn what_sends_git_elsewhere_is_given_to_nothing_that_a_run_starts() {
    let night = tasks::night(&[(1, &[])], &tasks::HONEST.replace(
        "steps = [\n",
        "steps = [\n  { bash = \"env | grep ^GIT_DIR >> $HOME/seen; git rev-parse --absolute-git-dir >> $HOME/seen\" },\n",
    ));
    let elsewhere = night.env.root().join("elsewhere").display().to_string();
    night.env.git(&["init", "--quiet", &elsewhere]);
    let other = format!("{elsewhere}/.git");
    let gate = "env | grep ^GIT_WORK_TREE >> $HOME/seen; git rev-parse --absolute-git-dir >> $HOME/seen";
    let mut command = tasks::command(&night, &["-j", "2", "--gate", gate]);
    command
        .env("GIT_DIR", &other)
        .env("GIT_WORK_TREE", &elsewhere)
        .env("GIT_AUTHOR_DATE", "2001-01-01T00:00:00Z");
    let outcome = night.env.run(&mut command, super::night::PATIENCE);
    outcome.expect_code(0, &said(&outcome));
    let seen = fs::read_to_string(night.env.home().join("seen")).unwrap();
    assert!(!seen.contains(&other) && !seen.contains("GIT_"), "{seen}");
    assert!(!night.env.git(&["log", "-1", "--format=%ad"]).contains("2001"));
    let told: Vec<String> = night.notices();
    let told: Vec<&String> =
        told.iter().filter(|text| text.contains("left out of the environment")).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told.iter().all(|text| text.contains("GIT_AUTHOR_DATE, GIT_DIR, GIT_WORK_TREE")), "{told:?}");
}

#[test]
fn a_name_that_git_cannot_use_is_said_to_be_the_environments() {
    let night = Night::with_git(&calls(&["{ bash = 'echo x > work' }"])).set("GIT_AUTHOR_NAME", "");
    let outcome = night.run(&["--commit", "runner"]);
    outcome.expect_code(2, "a name that is none");
    assert!(said(&outcome).contains("unset GIT_AUTHOR_NAME"), "{}", said(&outcome));
    assert!(!said(&outcome).contains("git config"), "{}", said(&outcome));
}

/// A person has called the repository of another user safe: git works in it, and so does a run in a worktree of it.
#[test]
fn a_worktree_is_made_in_a_repository_that_a_person_calls_safe() {
    let night = Night::with_git(&calls(&["{ say = 'nothing' }"]));
    let given_away = [night.env.project().join(".git"), night.env.project().to_owned()]
        .iter()
        .all(|path| std::os::unix::fs::chown(path, Some(12_345), None).is_ok());
    if !given_away {
        // Only root can give a file away.
        return;
    }
    let flags = ["--worktree", "port", "-m", "1"];
    let refused = night.run(&flags);
    refused.expect_code(1, "another user's");
    let project = night.env.project().canonicalize().unwrap().display().to_string();
    assert!(said(&refused).contains(&format!("safe.directory {project}")), "{}", said(&refused));
    night.env.git(&["config", "--global", "--add", "safe.directory", &project]);
    expect_end(&night.run(&flags), 10, "max_iterations");
    let mut clean = night.windlass(&["worktree", "clean", "port"]);
    night.env.run(&mut clean, super::night::PATIENCE).expect_success("it is taken away");
}
