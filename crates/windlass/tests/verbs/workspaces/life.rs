//! From the first run of a workspace to its end.

use std::fs;

use rustix::process::Signal;
use windlass_testkit::environment::TestEnv;

use super::super::{PATIENCE, ask, document, go, told};
use super::{folder, metadata, refused, run_workspace, start_workspace};

fn with_workspace(name: &str) -> TestEnv {
    let env = TestEnv::with_git();
    told(&env, &["init", name]);
    env.write(folder(&env, name).join("INSTRUCTIONS.md"), "Count to four.\n");
    env
}

// rows: 9, 126
// Seed defect D1, commands/run.ts:633: the execution count had each run's iterations twice.
#[test]
fn a_workspace_is_listed_and_shown_with_what_its_runs_did() {
    let env = with_workspace("count");
    assert!(told(&env, &["show", "count"]).contains("windlass run count"));
    run_workspace(&env, "count", &[]).expect_success("run");
    told(&env, &["init", "other", "--mode", "iterative"]);
    let listed = document(&env, &["list", "--json"]);
    let rows = listed["workspaces"].as_array().unwrap();
    let states: Vec<_> = rows.iter().map(|row| (&row["name"], &row["state"])).collect();
    assert_eq!(states, [(&"count".into(), &"completed".into()), (&"other".into(), &"in_progress".into())]);
    let iterations = rows[0]["execution_iterations"].as_u64().unwrap();
    let runs = document(&env, &["runs", "--json"]);
    assert_eq!(runs["runs"][0]["iterations"].as_u64().unwrap(), iterations);
    assert_eq!(metadata(&env, "count")["executionIterations"], iterations);
    assert_eq!(metadata(&env, "count")["totalIterations"], iterations);
    let table = told(&env, &["ls", "--status", "completed"]);
    assert!(table.contains("count") && !table.contains("other"), "{table}");
    let text = told(&env, &["show", "count"]);
    assert!(text.starts_with("count completed · loop\n") && text.contains("windlass verify count"), "{text}");
    assert!(text.contains("complete"), "{text}");
}

// rows: 126
#[test]
fn a_live_run_is_seen_and_nothing_is_taken_from_under_it() {
    let env = with_workspace("count");
    let (running, run) = start_workspace(&env, "count");
    let row = document(&env, &["list", "--json"])["workspaces"][0].clone();
    assert_eq!((&row["state"], &row["run"]), (&"running".into(), &run.as_str().into()));
    assert!(told(&env, &["list", "--status", "running"]).contains("count"));
    assert!(told(&env, &["show", "count"]).contains(&format!("windlass stop {run}")));
    for arguments in
        [&["reset", "count", "-y"][..], &["clean", "count", "-f"], &["clean", "count", "-f", "--no-archive"]]
    {
        let outcome = ask(&env, arguments);
        outcome.expect_code(25, &format!("{arguments:?}"));
        assert!(outcome.stderr_text().contains("works on workspace `count`"), "{}", outcome.stderr_text());
    }
    running.signal(Signal::KILL);
    let _ = running.wait(PATIENCE);
    let row = document(&env, &["list", "--json"])["workspaces"][0].clone();
    assert_eq!((&row["state"], &row["status"]), (&"interrupted".into(), &"in_progress".into()));
    assert!(told(&env, &["show", "count"]).contains(&format!("windlass resume {run}")));
    // What a killed run did is counted when it has ended, and once.
    go(&env);
    let resumed = ask(&env, &["resume", &run, "--json", "-m", "2"]);
    let last = resumed.json_lines().pop().unwrap();
    assert_eq!(last["type"], "run_finished", "{}", resumed.stderr_text());
    assert_eq!(metadata(&env, "count")["executionIterations"], last["iterations"]);
}

#[test]
fn a_run_that_was_stopped_goes_on_and_is_not_begun_anew() {
    let env = with_workspace("count");
    let (running, run) = start_workspace(&env, "count");
    told(&env, &["stop"]);
    go(&env);
    running.wait(PATIENCE).expect_code(16, "run");
    for looking in [&["show", "count"][..], &["status"]] {
        assert!(told(&env, looking).contains(&format!("next        windlass resume {run}\n")), "{looking:?}");
    }
    told(&env, &["verify", "count", "--mock", "--quiet"]);
    assert!(told(&env, &["show", "count"]).contains(&format!("next        windlass resume {run}\n")));
}

// rows: 126
#[test]
fn a_reset_begins_anew_and_loses_nothing() {
    let env = with_workspace("count");
    run_workspace(&env, "count", &[]).expect_success("run");
    let before = env.read(folder(&env, "count").join(".metadata.json"));
    let status = env.read(folder(&env, "count").join(".status.json"));
    let sentence = refused(&env, &["reset", "count"]);
    assert!(
        sentence.contains("no terminal to ask on") && sentence.contains("windlass reset count --yes"),
        "{sentence}"
    );
    assert_eq!(env.read(folder(&env, "count").join(".metadata.json")), before);
    let text = told(&env, &["reset", "count", "-y"]);
    let kept = |of: &str| {
        let word = text.split_whitespace().find(|word| word.starts_with(of));
        env.read(folder(&env, "count").join(word.unwrap_or_else(|| panic!("{of}: {text}"))))
    };
    assert_eq!((kept(".metadata.json."), kept(".status.json.")), (before, status));
    let row = document(&env, &["list", "--json"])["workspaces"][0].clone();
    assert_eq!((&row["execution_iterations"], &row["state"]), (&0.into(), &"in_progress".into()));
    assert_eq!(env.read(folder(&env, "count").join("INSTRUCTIONS.md")), "Count to four.\n");
}

// rows: 75, 126
#[test]
fn after_a_reset_what_is_advised_is_not_refused_for_a_run_that_could_go_on() {
    let env = with_workspace("count");
    let (running, run) = start_workspace(&env, "count");
    running.signal(Signal::KILL);
    let _ = running.wait(PATIENCE);
    let text = told(&env, &["reset", "count", "-y"]);
    assert!(text.contains("next  windlass run count --fresh\n"), "{text}");
    assert!(text.contains(&format!("windlass resume {run}  ")), "{text}");
    go(&env);
    told(&env, &["run", "count", "--fresh", "--mock", "--no-delay", "-m", "1"]);
}

// rows: 126, 128
// Seed defect D1, commands/clean.ts:42: without -f it said so and exited with 0.
#[test]
fn a_workspace_is_deleted_only_when_it_was_said_and_its_archive_is_there() {
    let env = with_workspace("count");
    let sentence = refused(&env, &["clean", "count"]);
    assert!(sentence.contains("windlass clean count --yes"), "{sentence}");
    assert!(folder(&env, "count").is_dir());
    told(&env, &["run", "count", "--mock", "--no-delay", "-m", "1"]);
    let next = || document(&env, &["status", "--json"])["next"].to_string();
    assert!(next().contains("windlass run count"), "{}", next());
    let text = told(&env, &["clean", "count", "-f"]);
    // What names the workspace would fail now.
    assert!(!next().contains("count") && !next().contains("resume"), "{}", next());
    assert!(next().contains("windlass logs r-") && next().contains("windlass restore r-"), "{}", next());
    let archive = text.lines().find_map(|line| line.trim().strip_prefix("archive  ")).unwrap();
    assert!(
        fs::metadata(env.project().join(archive)).unwrap().len() > 0 && archive.ends_with(".tar.gz"),
        "{text}"
    );
    assert!(!folder(&env, "count").exists());
    assert!(refused(&env, &["show", "count"]).contains("there is no workspace `count`"));

    told(&env, &["init", "gone"]);
    let text = told(&env, &["clean", "gone", "-y", "--no-archive"]);
    assert!(text.contains("workspace gone is deleted") && !folder(&env, "gone").exists(), "{text}");
}

// rows: 75, 128
#[test]
fn a_run_whose_workspace_was_deleted_is_not_resumed_without_it() {
    let env = with_workspace("count");
    let (running, run) = start_workspace(&env, "count");
    running.signal(Signal::KILL);
    let _ = running.wait(PATIENCE);
    let archived = told(&env, &["clean", "count", "-y"]);
    let archive = archived.lines().find_map(|line| line.trim().strip_prefix("undo     windlass ")).unwrap();
    go(&env);
    let refused = ask(&env, &["resume", &run, "--no-delay"]);
    refused.expect_code(2, "no workspace");
    let sentence = refused.stderr_text();
    assert!(sentence.contains("there is no workspace `count` any more at"), "{sentence}");
    assert!(sentence.contains(&format!("windlass {archive}")), "{sentence}");
    told(&env, &archive.split(' ').collect::<Vec<_>>());
    ask(&env, &["resume", &run, "--no-delay", "-m", "1"]).expect_code(10, "it is there again");
}

#[test]
fn no_archive_no_deletion() {
    let env = with_workspace("count");
    // A file where the folder of archives should be.
    env.write(".windlass/archive", "");
    let outcome = ask(&env, &["clean", "count", "-f"]);
    assert_ne!(outcome.code, Some(0));
    assert!(outcome.stderr_text().contains("Nothing was deleted."), "{}", outcome.stderr_text());
    assert_eq!(env.read(folder(&env, "count").join("INSTRUCTIONS.md")), "Count to four.\n");
}

// rows: 126
#[test]
fn a_deleted_workspaces_name_begins_a_new_history() {
    let env = with_workspace("count");
    run_workspace(&env, "count", &[]).expect_success("run");
    told(&env, &["clean", "count", "-f", "--no-archive"]);
    let made = ask(&env, &["init", "count", "--mode", "iterative"]);
    made.expect_success("init");
    assert_eq!(made.stderr_text(), "", "nothing is missing from what is made anew");
    let row = document(&env, &["list", "--json"])["workspaces"][0].clone();
    assert_eq!((&row["state"], &row["mode"]), (&"in_progress".into(), &"iterative".into()));
    assert_eq!((row["total_iterations"].as_u64(), row["last_run"].is_null()), (Some(0), true));
    env.write(folder(&env, "count").join("INSTRUCTIONS.md"), "Count to four.\n");
    run_workspace(&env, "count", &[]).expect_success("run");
    let runs = document(&env, &["runs", "--json"]);
    let newest = runs["runs"][0]["iterations"].as_u64().unwrap();
    assert_eq!(metadata(&env, "count")["executionIterations"], newest, "only what was done since");
}
