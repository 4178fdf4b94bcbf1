//! `runs` and `status`.

use rustix::process::Signal;
use windlass_testkit::environment::TestEnv;

use super::{PATIENCE, ask, document, finished, go, start, told};

// rows: 117, 118, 122
#[test]
fn every_run_is_listed_with_how_it_stands() {
    let env = TestEnv::with_git();
    assert_eq!(told(&env, &["runs"]), "no runs yet: `windlass run -p \"what is to be done\"` starts one\n");
    let ended = finished(&env, "First job", 2);
    let (killed, interrupted) = start(&env, "Second job", &[]);
    killed.signal(Signal::KILL);
    assert_eq!(killed.wait(PATIENCE).signal, Some(9));
    let (running, live) = start(&env, "Third job", &[]);

    let table = told(&env, &["runs"]);
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    let states: Vec<(&str, &str)> = rows[1..].iter().map(|row| (row[0], row[row.len() - 3])).collect();
    assert_eq!(
        states,
        [(&*ended, "max_iterations"), (&*interrupted, "interrupted"), (&*live, "running")],
        "{table}"
    );
    // What a killed agent had spent is not known; what is set aside for a live one is not spent.
    assert!(rows[2].contains(&"~$0.50") || rows[2].contains(&"≈$0.50"), "{table}");
    assert!(rows[3].contains(&"$0.0000") || rows[3].contains(&"$0.00"), "{table}");

    let listed = document(&env, &["runs", "--json"]);
    let states: Vec<_> = listed["runs"].as_array().unwrap().iter().map(|run| &run["state"]).collect();
    assert_eq!(states, ["running", "interrupted", "max_iterations"]);
    assert_eq!(listed["runs"][2]["cost_usd"], 0.04);
    go(&env);
    drop(running);
}

// rows: 117, 118, 122
#[test]
fn one_run_is_shown_by_default_the_live_or_newest_one() {
    let env = TestEnv::with_git();
    let nothing = ask(&env, &["status"]);
    assert_eq!((nothing.code, nothing.stdout_text().as_str()), (Some(2), ""));
    assert!(nothing.stderr_text().starts_with("error: there has been no run here yet\n"));

    let ended = finished(&env, "First job", 2);
    let (running, live) = start(&env, "Second job", &[]);
    let status = document(&env, &["status", "--json"]);
    assert_eq!((&status["run"], &status["state"]), (&live.as_str().into(), &"running".into()));
    assert_eq!((&status["iteration"], &status["iterations"]), (&1.into(), &0.into()));
    let text = told(&env, &["status"]);
    assert!(text.starts_with(&format!("{live} running  Second job\n")), "{text}");
    assert!(text.contains(&format!("windlass stop {live}\n")), "{text}");

    running.signal(Signal::KILL);
    let _ = running.wait(PATIENCE);
    let status = document(&env, &["status", "--json"]);
    assert_eq!((&status["state"], &status["cost_usd"]), (&"interrupted".into(), &0.5.into()));
    assert_eq!(status["estimated"], true);
    assert!(told(&env, &["status"]).contains(&format!("windlass resume {live}\n")));

    // A beginning of a name is enough, and the `r-` may be left out.
    let status = document(&env, &["status", &ended[2..8], "--json"]);
    assert_eq!((&status["run"], &status["state"]), (&ended.as_str().into(), &"max_iterations".into()));
    assert_eq!((&status["cost_usd"], &status["restorable"]), (&0.04.into(), &2.into()));
    let unknown = ask(&env, &["status", "r-zzzzzzzzz"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr_text());
}

#[test]
fn looking_changes_nothing() {
    let env = TestEnv::with_git();
    for arguments in [&["runs"][..], &["status"], &["logs"], &["stop"], &["doctor"]] {
        let _ = ask(&env, arguments);
        assert!(!env.state().exists(), "{arguments:?}");
    }
}

#[test]
fn a_damaged_run_hides_no_other() {
    let env = TestEnv::with_git();
    let (good, bad) = (finished(&env, "Good", 1), finished(&env, "Bad", 1));
    let project = std::fs::read_dir(env.state().join("projects")).unwrap().next().unwrap().unwrap().path();
    std::fs::remove_file(project.join("runs/index.jsonl")).unwrap();
    std::fs::write(project.join("runs").join(&bad).join("journal.jsonl"), "{}\n{}\n").unwrap();
    let outcome = ask(&env, &["runs"]);
    assert_eq!(outcome.code, Some(0));
    assert!(outcome.stdout_text().contains(&good) && !outcome.stdout_text().contains(&bad));
    assert!(
        outcome.stderr_text().starts_with(&format!("warning: run {bad} is left out: ")),
        "{}",
        outcome.stderr_text()
    );
}
