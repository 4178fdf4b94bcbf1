//! `report`.

use std::process::Command;

use windlass_core::values::Cost;
use windlass_engine::store::{RunSummary, journal};
use windlass_testkit::environment::TestEnv;
use windlass_ui::RunState;
use windlass_ui::model::Course;

use super::kept::journals;
use super::{PATIENCE, ask, document, finished, go, start, told, windlass};

/// The rows before the tables.
fn answers(text: &str) -> Vec<&str> {
    text.lines().take_while(|line| !line.is_empty()).collect()
}

/// The commands that a report prints, as they are typed; those of windlass are this program's.
fn commands(markdown: &str) -> Vec<String> {
    let lines: Vec<&str> = markdown.lines().map(str::trim).collect();
    let typed = lines.windows(2).filter(|pair| pair[0] == "~~~sh");
    typed
        .map(|pair| pair[1].replacen("windlass ", &format!("'{}' ", env!("CARGO_BIN_EXE_windlass")), 1))
        .collect()
}

/// Has a shell type them, far from the project.
fn type_all(env: &TestEnv, commands: &[String]) {
    for command in commands {
        let mut shell: Command = env.command("sh");
        shell.args(["-c", command]);
        env.run(&mut shell, PATIENCE).expect_success(command);
    }
}

#[test]
fn a_run_is_reported_and_its_commands_work_as_typed() {
    let env = TestEnv::with_git();
    env.write("work.txt", "mine\n");
    let run = finished(&env, "Work | on `it`", 2);
    let text = told(&env, &["report"]);
    assert!(text.starts_with(&format!("{run}: Work | on `it`\n")), "{text}");
    assert!(answers(&text).len() <= 24, "{text}");
    assert!(text.contains("max_iterations: The iterations are used up"), "{text}");
    assert!(text.contains("not committed in "), "{text}");
    assert!(text.contains(&format!("windlass resume {run} --max-iterations 4")), "{text}");

    let json = document(&env, &["report", &run, "--json"]);
    assert_eq!((&json["runs"][0]["run"], &json["runs"][0]["cost_usd"]), (&run.as_str().into(), &0.04.into()));
    assert_eq!(json["runs"][0]["rounds"].as_array().map(Vec::len), Some(2), "{json}");
    assert_eq!(document(&env, &["status", "--json"])["cost_usd"], json["runs"][0]["cost_usd"]);

    let markdown = told(&env, &["report", "--markdown"]);
    let typed = commands(&markdown);
    let (resumed, others): (Vec<String>, Vec<String>) =
        typed.into_iter().partition(|command| command.contains(" resume "));
    assert_eq!((resumed.len(), others.len()), (1, 2), "{markdown}");
    type_all(&env, &others);
    assert_eq!(env.git(&["log", "-1", "--format=%s"]), "Work | on `it`");
    assert_eq!(env.git(&["status", "--porcelain"]), "");
}

#[test]
fn files_that_git_would_not_merge_over_are_named() {
    let env = TestEnv::with_git();
    let before = env.git(&["rev-parse", "HEAD"]);
    ask(&env, &["run", "-p", "Work", "--mock", "-m", "1", "--no-delay", "--commit", "runner"])
        .expect_code(10, "run");
    env.git(&["branch", "kept"]);
    env.git(&["reset", "--quiet", "--hard", before.trim()]);
    let files = env.git(&["show", "--format=", "--name-only", "kept"]);
    let work = files.trim();
    env.write(work, "mine\n");
    env.write("other.txt", "in nobody's way\n");
    let text = || told(&env, &["report", "--markdown"]);
    let merges = |text: &str| commands(text).into_iter().find(|command| command.contains(" merge ")).unwrap();
    let blocked = text();
    assert!(
        blocked.contains(&format!("first commit or stash what is in its way there: {work}")),
        "{blocked}"
    );
    std::fs::remove_file(env.project().join(work)).unwrap();
    let free = text();
    assert!(!free.contains("in its way"), "{free}");
    type_all(&env, &[merges(&free)]);
    assert_eq!(env.git(&["rev-parse", "HEAD"]), env.git(&["rev-parse", "kept"]));
    // Where git makes a commit of its own, nothing may be staged.
    env.git(&["reset", "--quiet", "--hard", before.trim()]);
    env.git(&["add", "other.txt"]);
    assert!(!text().contains("in its way"), "{}", text());
    env.git(&["reset", "--quiet"]);
    env.git(&["commit", "--quiet", "--allow-empty", "-m", "meanwhile"]);
    env.git(&["add", "other.txt"]);
    assert!(text().contains("in its way there: other.txt"), "{}", text());
}

#[test]
fn what_a_worktree_holds_is_merged_by_the_command_that_is_printed() {
    let env = TestEnv::with_git();
    let run =
        ["run", "-p", "Work", "--mock", "-m", "1", "--no-delay", "--worktree", "night", "--commit", "runner"];
    ask(&env, &run).expect_code(10, "run in a worktree");
    let before = env.git(&["rev-parse", "HEAD"]);
    let markdown = told(&env, &["report", "--last-night", "--markdown"]);
    let merge: Vec<String> =
        commands(&markdown).into_iter().filter(|command| command.contains(" merge ")).collect();
    assert_eq!(merge.len(), 1, "{markdown}");
    assert!(markdown.contains("merges without a conflict"), "{markdown}");
    type_all(&env, &merge);
    assert_ne!(env.git(&["rev-parse", "HEAD"]), before);
    let again = told(&env, &["report", "--last-night"]);
    assert!(again.contains("merged into ") && again.contains(" already"), "{again}");
}

#[test]
fn last_night_holds_every_run_of_this_machine_that_was_live() {
    let env = TestEnv::with_git();
    let ended = finished(&env, "First job", 1);
    let (running, live) = start(&env, "Second job", &[]);
    let empty = env.root().join("elsewhere");
    std::fs::create_dir(&empty).unwrap();
    let text = told(&env, &["-C", empty.to_str().unwrap(), "report", "--last-night"]);
    assert!(text.starts_with("2 runs since "), "{text}");
    assert!(text.contains(&ended) && text.contains(&format!("{live} running")), "{text}");
    // From elsewhere a command needs its place.
    let place = env.project().canonicalize().unwrap();
    assert!(text.contains(&format!("windlass -C {} resume {ended}", place.display())), "{text}");
    go(&env);
    drop(running);
    let nothing = ask(&env, &["-C", empty.to_str().unwrap(), "report"]);
    nothing.expect_code(2, "nothing to report");
    assert!(nothing.stderr_text().contains("there has been no run here yet"), "{}", nothing.stderr_text());
}

#[test]
fn a_journal_that_cannot_be_read_is_named_and_hides_no_other() {
    let env = TestEnv::with_git();
    let (good, bad) = (finished(&env, "Good", 1), finished(&env, "Bad", 1));
    let projects = std::fs::read_dir(env.state().join("projects")).unwrap();
    let runs = projects.map(|project| project.unwrap().path()).next().unwrap().join("runs");
    let path = runs.join(&bad).join("journal.jsonl");
    let journal = std::fs::read_to_string(&path).unwrap();
    // Of a later version.
    std::fs::write(&path, journal.replacen("\"windlass_journal\":1", "\"windlass_journal\":99", 1)).unwrap();
    let text = told(&env, &["report", "--last-night"]);
    assert!(text.contains(&good) && text.contains(&format!("run {bad} is left out: ")), "{text}");
    ask(&env, &["report", &bad]).expect_code(1, "a journal of a later version");
    // Cut off in the middle of a line, it is reported as far as it goes; and what was recorded may be gone.
    let half = journal.len() * 2 / 3;
    std::fs::write(&path, &journal[..half]).unwrap();
    std::fs::remove_dir_all(runs.join(&bad).join("iterations")).unwrap();
    assert!(told(&env, &["report", &bad]).contains("interrupted"));
    let mut outside = windlass(&env, &["report", &bad, "--json", "--markdown"]);
    env.run(&mut outside, PATIENCE).expect_code(2, "one form at a time");
}

#[test]
fn the_figures_of_kept_runs_are_the_same_wherever_they_are_shown() {
    for (name, path) in journals() {
        let entries = journal::read(&path).unwrap();
        let seen =
            Course::of(&entries).seen((RunState::Interrupted, None), None, jiff::Timestamp::UNIX_EPOCH);
        let listed = RunSummary::of(&entries).unwrap();
        let figures = |cost, tokens, iterations| (cost, tokens, iterations);
        let shown = &seen.status;
        assert_eq!(
            figures(shown.cost, shown.tokens, shown.iterations),
            figures(listed.cost, listed.tokens, listed.iterations),
            "{name}"
        );
        let rounds: Cost = seen.rounds.iter().map(|round| round.cost).sum();
        assert!(rounds <= shown.cost, "{name}: {rounds} in iterations, {} in all", shown.cost);
        let calls: Cost = seen.rounds.iter().flat_map(|round| &round.calls).map(|call| call.cost).sum();
        assert_eq!(calls, rounds, "{name}");
        assert!(seen.wasted.total() <= rounds, "{name}");
    }
}

#[test]
fn a_report_is_one_html_file_with_charts_and_changes() {
    let env = TestEnv::with_git();
    let key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789-ABCDEFGH";
    let run = finished(&env, &format!("Work <b>on</b> it with {key}"), 2);
    let file = env.root().join("night.html");
    told(&env, &["report", "--html", &file.to_string_lossy()]);
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(told(&env, &["report", &run, "--html", "-"]).starts_with("<!DOCTYPE html>"), "it can be printed");
    assert!(page.starts_with("<!DOCTYPE html>") && page.len() < 300_000, "{}", page.len());
    assert!(page.contains("Work &lt;b&gt;on&lt;/b&gt; it with [redacted]"), "{page}");
    assert!(!page.contains(key) && !page.contains("<script"));
    for part in ["<h2>What happened?</h2>", "Cost per iteration", "Changes of iteration 1", "viewBox", &run] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // What an iteration changed is counted once and told in every form.
    let json = document(&env, &["report", "--json"]);
    let lines = &json["runs"][0]["rounds"][0]["lines"];
    let (added, removed) = (lines["added"].as_u64().unwrap(), lines["removed"].as_u64().unwrap());
    assert!(added > 0, "{json}");
    for form in [&["report"][..], &["report", "--markdown"], &["report", "--html", "-"]] {
        assert!(told(&env, form).contains(&format!("+{added} -{removed}")), "{form:?}");
    }
}

#[test]
fn where_there_is_no_browser_a_report_says_so() {
    let env = TestEnv::with_git();
    finished(&env, "Work", 1);
    // git alone is there.
    let programs = env.root().join("programs");
    std::fs::create_dir(&programs).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let git =
        std::env::split_paths(&path).map(|folder| folder.join("git")).find(|git| git.is_file()).unwrap();
    std::os::unix::fs::symlink(git, programs.join("git")).unwrap();
    let mut command = windlass(&env, &["report", "--open"]);
    command.env_remove("BROWSER").env("PATH", &programs);
    let said = env.run(&mut command, PATIENCE);
    said.expect_code(1, "report --open");
    assert!(said.stderr_text().contains("there is no browser here"), "{}", said.stderr_text());
}

#[test]
fn a_report_is_shown_by_the_browser_that_is_named() {
    let env = TestEnv::with_git();
    finished(&env, "Work", 1);
    let browser = env.write(env.root().join("browser"), "#!/bin/sh\nhead -c 15 \"$1\" > \"$HOME/shown\"\n");
    std::fs::set_permissions(&browser, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = windlass(&env, &["report", "--open"]);
    command.env("BROWSER", &browser).env("TMPDIR", env.root());
    env.run(&mut command, PATIENCE).expect_success("report --open");
    assert_eq!(env.read(env.home().join("shown")), "<!DOCTYPE html>");
}
