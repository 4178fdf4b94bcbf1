//! `runs` and `status`.

use rustix::process::Signal;
use serde_json::Value;
use windlass_testkit::environment::TestEnv;

use super::{PATIENCE, ask, document, finished, go, start, told, windlass};

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
    // Nor can one go on, and what would refuse as well is not advised.
    let resumed = ask(&env, &["resume"]);
    assert_eq!((resumed.code, resumed.stderr_text()), (Some(2), nothing.stderr_text()));

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

// rows: 118
// Seed defect D2, src/state.rs:78: what was written of a run was never read again, and not written in one step.
#[test]
fn all_that_the_seeds_state_file_held_is_in_the_status() {
    let env = TestEnv::with_git();
    let before = env.git(&["rev-parse", "HEAD"]);
    let commit = |name: &str| format!("git commit -q --allow-empty -m {name}");
    let script = format!(
        r#"
[[call]]
steps = [ {{ bash = "{} && {}" }}, {{ result = {{ text = "Two.", cost = 0.01 }} }} ]
[[call]]
steps = [ {{ bash = "{}" }}, {{ exit = 7 }} ]
"#,
        commit("one"),
        commit("two"),
        commit("three")
    );
    let script = env.write(env.root().join("commits.toml"), &script);
    let mock = format!("--mock={}", script.display());
    ask(&env, &["run", "-p", "Commit", &mock, "--no-delay", "-m", "2"]);
    let status = document(&env, &["status", "--json"]);
    assert_eq!((&status["iteration"], &status["mode"]), (&2.into(), &"goal".into()), "{status}");
    assert_eq!((&status["last_exit_code"], &status["last_signal"]), (&7.into(), &Value::Null), "{status}");
    assert_eq!((&status["commits_made"], &status["commits"]), (&3.into(), &0.into()), "{status}");
    assert_eq!(status["first_head"], before);
    assert_eq!(status["head"], env.git(&["rev-parse", "HEAD"]));
    assert_eq!((&status["finish_type"], &status["task"]), (&"max_iterations".into(), &Value::Null));
    assert!(status["started"].is_string() && status["duration_ms"].as_u64() > Some(0), "{status}");
    let text = told(&env, &["status"]);
    assert!(text.contains("\n  iteration   2 of 2 in goal mode\n"), "{text}");
    assert!(
        text.contains("\n  commits     3 (HEAD was ") && text.contains("\n  agent       exited with 7\n"),
        "{text}"
    );

    // Where git does not have the commits any more, HEAD's moves are what is left.
    std::fs::remove_dir_all(env.project().join(".git")).unwrap();
    env.git(&["init", "-q"]);
    let status = document(&env, &["status", "--json"]);
    assert_eq!((&status["commits_made"], &status["iteration"]), (&2.into(), &2.into()), "{status}");
}

#[test]
fn printed_commands_can_be_typed_where_windlass_was_called() {
    let env = TestEnv::with_git();
    let run = finished(&env, "A job", 1);
    let inside = env.project().join("in here");
    std::fs::create_dir(&inside).unwrap();
    let status = told(&env, &["-C", "in here/..", "status"]);
    assert!(status.contains(&format!("windlass -C 'in here/..' restore {run} 1\n")), "{status}");
    let elsewhere = ask(&env, &["-C", "in here", "status"]);
    assert!(
        elsewhere.stderr_text().contains("there is none in this folder: run "),
        "{}",
        elsewhere.stderr_text()
    );
    // Files are put back where the run works, wherever that is typed.
    let there = format!("windlass -C {} restore {run} 1\n", env.project().display());
    assert!(elsewhere.stdout_text().contains(&there), "{}", elsewhere.stdout_text());
    let nothing = ask(&env, &["-C", "in here", "stop"]).stderr_text();
    assert!(nothing.contains("windlass -C 'in here' runs\n"), "{nothing}");
    assert!(told(&env, &["status"]).contains(&format!("windlass restore {run} 1\n")));
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

#[test]
fn a_run_of_another_place_is_told_with_the_way_there_and_one_of_a_lost_place_with_its_way_back() {
    let env = TestEnv::with_git();
    let run = finished(&env, "Work", 1);
    let project = env.project().canonicalize().unwrap();
    let project = project.to_str().unwrap();
    let elsewhere = env.root().join("home");
    let elsewhere = elsewhere.to_str().unwrap();
    for verb in ["status", "logs", "report", "diff", "resume"] {
        let outcome = ask(&env, &["-C", elsewhere, verb, &run[..8]]);
        assert_eq!(outcome.code, Some(2), "{verb}");
        let text = outcome.stderr_text();
        assert!(text.contains("no run here begins with"), "{verb}: {text}");
        let way = format!("{run} works in another project; there it is known: windlass -C {project} ");
        assert!(text.contains(&way), "{verb}: {text}");
    }
    std::fs::remove_dir_all(project).unwrap();
    let mut command = windlass(&env, &["-C", project, "restore", &run, "1"]);
    let outcome = env.run(command.current_dir(elsewhere), PATIENCE);
    assert_eq!(outcome.code, Some(2));
    let text = outcome.stderr_text();
    assert!(text.contains(&format!("found again once it exists: mkdir -p {project}")), "{text}");
    std::fs::create_dir_all(project).unwrap();
    assert!(told(&env, &["runs"]).contains(&run));
    told(&env, &["restore", &run, "1", "--repository"]);
    assert_eq!(env.read("work.txt"), "call 1\n");
}

#[test]
fn where_there_is_no_place_for_its_files_one_sentence_says_so() {
    let env = TestEnv::with_git();
    for verb in ["status", "runs", "logs"] {
        let mut command = windlass(&env, &[verb]);
        for name in ["HOME", "WINDLASS_STATE_DIR", "XDG_STATE_HOME"] {
            command.env_remove(name);
        }
        let outcome = env.run(&mut command, PATIENCE);
        outcome.expect_code(2, verb);
        let said = outcome.stderr_text();
        assert_eq!(said.matches("HOME is not set to an absolute path").count(), 1, "{verb}: {said}");
    }
}
