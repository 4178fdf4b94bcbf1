//! Runs of workspaces, with the scripted agent.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;
use windlass_core::fact::Fact;
use windlass_core::values::{StopReason, Verdict};
use windlass_testkit::{Outcome, Running, TestEnv};

use super::night::{CLEARED, Night, PATIENCE, calls, every_call, expect_end};

const WORK: &str = "{ bash = 'echo x >> work' }";

/// A place with a workspace `api` and a script.
fn night(script: &str) -> Night {
    let env = TestEnv::with_git();
    env.write(".windlass/workspaces/api/INSTRUCTIONS.md", "# Port it\n\nAll of it.\n");
    Night::within(env, script)
}

fn status(json: &str) -> String {
    format!("{{ write = {{ path = '{{{{env:WINDLASS_WORKSPACE}}}}/.status.json', text = '{json}' }} }}")
}

fn run_of(night: &Night, name: &[&str], flags: &[&str]) -> std::process::Command {
    let mut command = night.windlass(&[&["run"], name, &["--no-delay"]].concat());
    command.arg(format!("--mock={}", night.env.root().join("script.toml").display())).args(flags);
    command
}

fn run(night: &Night, flags: &[&str]) -> Outcome {
    night.env.run(&mut run_of(night, &["api"], flags), PATIENCE)
}

fn metadata(night: &Night) -> Value {
    serde_json::from_str(&night.env.read(".windlass/workspaces/api/.metadata.json")).unwrap()
}

// rows: 2, 9
#[test]
fn the_only_workspace_needs_no_name_and_of_several_each_is_named() {
    let script = every_call(&status(r#"{"complete":true}"#));
    let night = night(&script);
    expect_end(&night.env.run(&mut run_of(&night, &[], &[]), PATIENCE), 0, "complete");

    night.env.write(".windlass/workspaces/web/INSTRUCTIONS.md", "Port the rest.\n");
    let outcome = night.env.run(&mut run_of(&night, &[], &[]), PATIENCE);
    outcome.expect_code(2, "which of them");
    let said = outcome.stderr_text();
    assert!(said.contains("windlass run api") && said.contains("windlass run web"), "{said}");

    let outcome = night.env.run(&mut run_of(&night, &["wbe"], &[]), PATIENCE);
    outcome.expect_code(2, "no such workspace");
    assert!(outcome.stderr_text().contains("did you mean `web`?"), "{}", outcome.stderr_text());
}

#[test]
fn a_workspace_without_instructions_says_what_to_do() {
    let night = Night::within(TestEnv::with_git(), &every_call(WORK));
    night.env.write(".windlass/workspaces/api/TODO.md", "- [ ] it\n");
    let outcome = run(&night, &[]);
    outcome.expect_code(2, "the seed's code for missing instructions");
    let said = outcome.stderr_text();
    assert!(said.contains("Instructions not found. Run setup first: windlass setup api"), "{said}");
    assert!(night.folders().is_empty(), "no run was begun");
    let outcome = night.env.run(&mut run_of(&night, &["api", "--exit-codes", "detailed"], &[]), PATIENCE);
    outcome.expect_code(2, "a code of its own");
}

#[test]
fn a_run_from_below_works_in_the_project() {
    let night = night(&every_call(&format!("{WORK}, {}", status(r#"{"complete":true}"#))));
    night.env.write("src/deep/file", "");
    let mut command = night.windlass(&["-C", "src/deep", "run", "api", "--no-delay"]);
    command.arg(format!("--mock={}", night.env.root().join("script.toml").display()));
    expect_end(&night.env.run(&mut command, PATIENCE), 0, "complete");
    assert_eq!(night.env.read("work"), "x\n", "in the project's folder, not below it");
}

// rows: 53, 123
#[test]
fn the_workspaces_own_options_hold_and_flags_win() {
    let work = every_call(&format!("{WORK}, {}", status(r#"{"complete":false}"#)));
    let night = night(&work);
    night.env.write(".windlass/config.toml", "[limits]\nmax_iterations = 4\nstagnation_threshold = 0\n");
    night.env.write(".windlass/workspaces/api/config.toml", "[limits]\nmax_iterations = 2\n");
    expect_end(&run(&night, &[]), 10, "max_iterations");
    assert_eq!(night.verdicts().len(), 2);
    assert_eq!(metadata(&night)["totalIterations"], 2);
    expect_end(&run(&night, &["-m", "1", "--fresh"]), 10, "max_iterations");
    assert_eq!(metadata(&night)["totalIterations"], 3, "each run is counted once");
}

// rows: 12, 13, 14
#[test]
fn the_projects_own_prompts_replace_ours() {
    let night = night(&every_call(WORK));
    night.env.write(".windlass/prompts/loop.md", "Round {{iteration}} in {{workspacePath}}.\n");
    night.env.write(".windlass/prompts/loop.system.md", "Be brief in {{projectRoot}}.\n");
    expect_end(&run(&night, &["-m", "1"]), 10, "max_iterations");
    let prompt = night.prompt(1);
    let project = night.env.project().canonicalize().unwrap();
    assert!(
        prompt.starts_with(&format!("Round 1 in {}/.windlass/workspaces/api.\n", project.display())),
        "{prompt}"
    );
    assert!(prompt.contains("## Instructions\n\n# Port it\n\nAll of it."), "{prompt}");
    let system = std::fs::read_to_string(night.folder().join("iterations/0001/1-work/system.md")).unwrap();
    assert!(system.contains(&format!("Be brief in {}.", project.display())), "{system}");
}

// rows: 13
#[test]
fn what_cannot_be_a_prompt_is_said_at_once() {
    let night = night(&every_call(WORK));
    let path = night.env.write(".windlass/prompts/loop.md", "x".repeat(2 * 1024 * 1024));
    let refused = |what: &str| {
        let outcome = run(&night, &[]);
        outcome.expect_code(2, what);
        assert!(outcome.stderr_text().contains(what), "{}", outcome.stderr_text());
        std::fs::remove_file(&path).unwrap();
    };
    refused("is longer than 1 MiB");
    night.env.write(".windlass/prompts/loop.md", b"caf\xe9");
    refused("is not UTF-8 text");
    night.env.write(".windlass/prompts/loop.md", " \r\n");
    refused("is empty");
    // Nobody will ever write into it.
    night.env.run(night.env.command("mkfifo").arg(&path), PATIENCE).expect_success("mkfifo");
    refused("it is not a file");
}

// Seed defect D1, core/metadata.ts:76: two runs at once lost each other's changes.
#[test]
fn two_runs_on_one_workspace_are_one_too_many() {
    let night = night(&every_call("{ sleep = '20s' }"));
    let first = Running::start(&mut run_of(&night, &["api"], &[]));
    night.wait_for_fact("a call", |fact| matches!(fact, Fact::CallSpawned(_)));
    let second = run(&night, &["--fresh"]);
    second.expect_code(25, "the directory is taken");
    assert!(second.stderr_text().contains(&format!("process {}", first.id())), "{}", second.stderr_text());
    first.signal(Signal::TERM);
    first.wait(PATIENCE).expect_code(143, "asked to end");
    night.env.assert_no_processes(CLEARED);
}

// rows: 46
#[test]
fn yesterdays_complete_is_told_and_not_believed() {
    let night = night(&every_call(WORK));
    night.env.write(".windlass/workspaces/api/.status.json", r#"{"complete":true}"#);
    let outcome = run(&night, &["-m", "1"]);
    expect_end(&outcome, 10, "max_iterations");
    assert!(night.prompt(1).contains("is from before this run"), "{}", night.prompt(1));
    let trusting = run(&night, &["--fresh", "--trust-existing-status"]);
    expect_end(&trusting, 0, "nothing_to_do");
    assert!(!trusting.stdout_text().contains("--until"), "no such command was given");
}

// rows: 46
#[test]
fn a_workspace_that_a_run_has_completed_costs_nothing_when_it_is_run_again() {
    let night = night(&every_call(&format!("{WORK}, {}", status(r#"{"complete":true}"#))));
    expect_end(&run(&night, &[]), 0, "complete");
    let again = run(&night, &[]);
    expect_end(&again, 0, "nothing_to_do");
    assert!(again.stderr_text().contains("windlass run api --fresh"), "{}", again.stderr_text());
    assert_eq!(night.env.read("work").lines().count(), 1, "nobody was called");
    night.env.write(".windlass/workspaces/api/INSTRUCTIONS.md", "# Port it\n\nAnd more.\n");
    expect_end(&run(&night, &["-m", "1"]), 10, "max_iterations");
    assert_eq!(night.env.read("work").lines().count(), 2);
}

// Seed defect D1, core/status-manager.ts:18: a broken file counted as not complete, in silence.
#[test]
fn a_broken_status_file_is_named_in_the_next_prompt() {
    let broken = status(r#"{"complete": tr"#);
    let night = night(&calls(&[&format!("{WORK}, {broken}"), &status(r#"{"complete":true}"#)]));
    expect_end(&run(&night, &[]), 0, "complete");
    assert!(night.prompt(2).contains("cannot be used: it is not JSON"), "{}", night.prompt(2));
}

// rows: 47
#[test]
fn boxes_stand_in_for_a_missing_status_file_only_when_asked() {
    let todo = "{ write = { path = '{{env:WINDLASS_WORKSPACE}}/TODO.md', text = '- [x] all' } }";
    let script = every_call(&format!("{WORK}, {todo}"));
    expect_end(&run(&night(&script), &["-m", "1"]), 10, "max_iterations");
    expect_end(&run(&night(&script), &["--todo-fallback"]), 0, "complete");
}

// attack(claims): where the boxes of `TODO.md` stand in for a status file, the agent deletes an open box, comments it out, or
//   deletes one of two that say the same; or the whole file
// holds: what is gone is not a done box: it is named, and a person decides; without the file nothing is claimed. What is ticked is
//   complete, and that only claims say so is said
#[test]
fn boxes_of_a_workspace_that_vanish_are_no_done_boxes() {
    let with_todo = |before: &str, after: &str| {
        let todo = "{{env:WINDLASS_WORKSPACE}}/TODO.md";
        let wrote = if after.is_empty() {
            format!("{{ bash = 'rm -f \"{todo}\"' }}")
                .replace("{{env:WINDLASS_WORKSPACE}}", "$WINDLASS_WORKSPACE")
        } else {
            format!("{{ write = {{ path = '{todo}', text = \"\"\"{after}\"\"\" }} }}")
        };
        let night = night(&every_call(&format!("{WORK}, {wrote}")));
        night.env.write(".windlass/workspaces/api/TODO.md", before);
        night
    };
    let two = "- [ ] Write the parser\n- [ ] Write the manual\n";
    for (before, after) in [
        (two, "- [x] Write the parser\n"),
        (two, "- [x] Write the parser\n<!--\n- [ ] Write the manual\n-->\n"),
        ("- [ ] Test it\n- [ ] Test it\n", "- [x] Test it\n"),
    ] {
        let outcome = run(&with_todo(before, after), &["--todo-fallback", "-m", "4"]);
        expect_end(&outcome, 24, "needs_human");
        let said = outcome.stdout_text() + &outcome.stderr_text();
        assert!(said.contains("TODO.md") && said.contains("is gone"), "{after}: {said}");
    }
    let gone = run(&with_todo(two, ""), &["--todo-fallback", "-m", "2"]);
    expect_end(&gone, 10, "max_iterations");
    let ticked = "- [x] Write the parser\n- [x] Write the manual\n";
    let outcome = run(&with_todo(two, ticked), &["--todo-fallback"]);
    expect_end(&outcome, 0, "complete");
    assert!(outcome.stdout_text().contains("complete (claimed; no gate)"), "{}", outcome.stdout_text());
}

#[test]
fn killed_and_resumed_it_is_counted_once() {
    let steps = format!("{WORK}, {}", status(r#"{"complete":true}"#));
    let night = night(&calls(&["{ sleep = '30s' }", &steps]));
    let first = Running::start(&mut run_of(&night, &["api"], &[]));
    night.wait_for_fact("a call", |fact| matches!(fact, Fact::CallSpawned(_)));
    first.signal(Signal::KILL);
    let _ = first.wait(PATIENCE);
    night.env.assert_no_processes(CLEARED + Duration::from_secs(1));
    expect_end(&night.resume(&[]), 0, "complete");
    assert_eq!(night.verdicts(), [Verdict::ClaimAccepted]);
    assert_eq!(night.ended(), StopReason::Complete);
    assert_eq!(metadata(&night)["executionIterations"], 1);
    assert!(night.facts().iter().any(|fact| matches!(fact, Fact::RunResumed { .. })));
}

#[test]
fn flags_of_goals_and_of_workspaces_are_told_apart() {
    let night = night(&every_call(WORK));
    for (arguments, words) in [
        (&["run", "-p", "a", "--todo-fallback"][..], "belongs to workspaces"),
        (&["run", "-p", "a", "--mode", "loop"], "works on a workspace"),
        (&["run", "api", "--notes-file", "N.md"], "belongs to goals"),
        (&["run", "api", "--completion-signal", "X"], "belongs to goals"),
    ] {
        let outcome = night.env.run(&mut night.windlass(arguments), PATIENCE);
        outcome.expect_code(2, words);
        let said = outcome.stderr_text().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}
