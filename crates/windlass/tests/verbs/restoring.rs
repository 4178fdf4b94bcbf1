//! `restore`.

use std::fs;

use rustix::process::Signal;
use windlass_testkit::environment::TestEnv;

use super::{PATIENCE, ask, finished, start, told, windlass};

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
