//! Pipelines with the scripted agent: from a goal to executed tasks, with trouble on the way.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{Cost, StopReason};
use windlass_engine::store::journal;
use windlass_testkit::{Outcome, TestEnv};

use super::night::{Night, PATIENCE, calls, every_call};

pub const GOAL: &str = "Keep a list of what is to be done";

/// Writes what it is asked for.
const DRAFT: &str = r#""draft_document""#;

pub fn repository() -> TestEnv {
    let env = TestEnv::with_git();
    env.write("src/main.rs", "fn main() {}\n");
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "A beginning"]);
    env
}

pub fn night(script: &str) -> Night {
    Night::within(repository(), script)
}

pub fn command(night: &Night, arguments: &[&str]) -> Command {
    let mut command = night.windlass(&["pipeline", "--no-delay"]);
    command.arg(format!("--mock={}", night.script.display())).args(arguments);
    command
}

pub fn pipeline(night: &Night, arguments: &[&str]) -> Outcome {
    night.env.run(&mut command(night, arguments), PATIENCE)
}

/// The only pipeline, as `pipeline show --json` has it.
pub fn shown(night: &Night) -> Value {
    let listed = night.env.run(&mut night.windlass(&["pipeline", "list", "--json"]), PATIENCE);
    let listed: Value = serde_json::from_str(&listed.stdout_text()).unwrap();
    assert_eq!(listed["pipelines"].as_array().unwrap().len(), 1, "{listed}");
    listed["pipelines"][0].clone()
}

pub fn id(night: &Night) -> String {
    shown(night)["id"].as_str().unwrap().to_owned()
}

fn states(night: &Night) -> Vec<String> {
    let shown = shown(night);
    shown["phases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|phase| phase["state"].as_str().unwrap().to_owned())
        .collect()
}

fn file(night: &Night, name: &str) -> String {
    format!(".windlass/pipelines/{}/{name}", id(night))
}

/// How each run ended, oldest first.
pub fn endings(night: &Night) -> Vec<Option<StopReason>> {
    let mut runs: Vec<_> =
        night.folders().iter().map(|folder| journal::read(&folder.join("journal.jsonl")).unwrap()).collect();
    // One that was killed at its first word is none.
    runs.retain(|entries| !entries.is_empty());
    runs.sort_by_key(|entries| entries[0].at.wall);
    let ended = |fact: &Fact| match fact {
        Fact::RunFinished { stop_reason, .. } => Some(*stop_reason),
        _ => None,
    };
    runs.iter().map(|entries| entries.iter().rev().find_map(|entry| ended(&entry.fact))).collect()
}

pub fn all_facts(night: &Night) -> Vec<Fact> {
    let entries =
        night.folders().into_iter().flat_map(|folder| journal::read(&folder.join("journal.jsonl")).unwrap());
    entries.map(|entry| entry.fact).collect()
}

pub fn expect(outcome: &Outcome, code: i32, said: &str) {
    let all = outcome.stdout_text() + &outcome.stderr_text();
    assert_eq!(outcome.code, Some(code), "{all}");
    assert!(all.contains(said), "{said}: {all}");
}

// rows: 97
// Seed defect D4, cli/root.go:436: planning ended with "not yet implemented".
#[test]
fn a_goal_is_planned_in_three_runs_and_then_worked_off() {
    let night = night(&calls(&[DRAFT]));
    let outcome = pipeline(&night, &[GOAL, "--max-cost", "5"]);
    expect(&outcome, 0, "windlass pipeline --resume keep-a-list-of-what-is-to-be");
    assert_eq!(states(&night), ["valid", "valid", "valid"]);
    assert_eq!(endings(&night), [Some(StopReason::Complete); 3]);
    assert_eq!(night.env.read(file(&night, "goal.md")), GOAL);
    assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "2", "nothing is committed by planning");
    assert_eq!(shown(&night)["tasks"]["total"], 2);

    let mut run = night.windlass(&["pipeline", "--no-delay", "--mock", "--run", "--resume", &id(&night)]);
    expect(&night.env.run(&mut run, PATIENCE), 0, "2/2 done");
    assert_eq!(endings(&night).len(), 4, "no phase is paid for twice");
    assert!(night.env.read("windlass-mock/T002.md").contains("T002"));
    let tasks = night.env.read(file(&night, "tasks.md"));
    assert_eq!(tasks.matches("**Status**: done").count(), 2, "{tasks}");
    night.assert_clean();
}

// rows: 97
// Seed defect D4, planner/runner.go:93: what could not be read was lost, and paid for again.
#[test]
fn what_is_wrong_is_told_with_its_line_and_mended_in_the_same_run() {
    let bad = r##"{ write = { path = "{{document}}", text = "# PRD\n\n## Goals\n- TODO\n" } }"##;
    let night = night(&calls(&[bad, DRAFT]));
    expect(&pipeline(&night, &[GOAL]), 0, " --run");
    let prompts: Vec<String> = night
        .folders()
        .iter()
        .filter_map(|folder| fs::read_to_string(folder.join("iterations/0002/1-plan/prompt.md")).ok())
        .collect();
    // Each run begins with the bad one.
    assert_eq!(prompts.len(), 3);
    assert!(
        prompts.iter().any(|prompt| prompt.contains("prd.md:4: `TODO` stands for something")),
        "{prompts:?}"
    );
}

// rows: 97
#[test]
fn what_is_empty_or_invented_is_told_and_is_no_document() {
    let empty = r#"{ write = { path = "{{document}}", text = "" } }"#;
    let invented = r##"{ write = { path = "{{document}}", text = "# What you want\n\n## Components\n\n### Payments\nFor R99.\n- Files: `/etc/passwd`\n- Requirements: R1, R2, R99\n\n## File structure\n- `/etc`\n\n## Technical decisions\n- None were asked for.\n" } }"##;
    let night = night(&calls(&[empty, invented, DRAFT]));
    expect(&pipeline(&night, &[GOAL]), 0, " --run");
    assert_eq!(
        (states(&night), endings(&night)),
        (vec!["valid".to_owned(); 3], vec![Some(StopReason::Complete); 3])
    );
    let told = |iteration: u32| -> Vec<String> {
        let prompt = format!("iterations/{iteration:04}/1-plan/prompt.md");
        let read = |folder: &std::path::PathBuf| fs::read_to_string(folder.join(&prompt)).unwrap();
        night.folders().iter().map(read).collect()
    };
    assert!(told(2).iter().all(|prompt| prompt.contains(" is empty")), "{:?}", told(2));
    let invented = told(3);
    for piece in ["R99", "/etc/passwd", "prd.md has no goals", "tasks.md has no task"] {
        let says = invented.iter().any(|prompt| prompt.contains(piece));
        assert!(says, "{piece}: {}", invented.join("\n=====\n"));
    }
}

// rows: 76, 97
#[test]
fn a_phase_that_writes_nothing_ends_with_the_limit_and_goes_on_later() {
    let night = night(&calls(&[r#"{ say = "I know nothing." }"#]));
    expect(&pipeline(&night, &[GOAL, "-m", "2"]), 10, "windlass pipeline --resume keep-a-list");
    assert_eq!(states(&night), ["missing", "missing", "missing"]);
    let mut go_on = night.windlass(&["pipeline", "--no-delay", "--mock", "--resume", "keep"]);
    expect(&night.env.run(&mut go_on, PATIENCE), 0, " --run");
    assert_eq!(states(&night), ["valid", "valid", "valid"]);
}

// rows: 97
// Seed defect D4, planner phases: planning ran with full permissions, and nothing prevented code edits.
#[test]
fn what_an_agent_changes_beyond_its_document_is_undone() {
    let strays = r#"{ write = { path = "src/main.rs", text = "broken" } },
        { bash = "echo changed > $(ls -d .windlass/pipelines/*)/goal.md; echo early > $(ls -d .windlass/pipelines/*)/tasks.md" },
        "draft_document""#;
    let night = night(&calls(&[strays]));
    pipeline(&night, &[GOAL, "-m", "1"]);
    assert_eq!(night.env.read("src/main.rs"), "fn main() {}\n");
    assert_eq!(night.env.read(file(&night, "goal.md")), GOAL);
    let refused = all_facts(&night).into_iter().find_map(|fact| match fact {
        Fact::ForbiddenChangesReverted(report::ForbiddenChangesReverted { files, .. }) => Some(files),
        _ => None,
    });
    let refused = refused.unwrap();
    assert!(
        refused.iter().any(|file| file.ends_with("/goal.md"))
            && refused.iter().any(|file| file == "src/main.rs")
    );
}

// rows: 97
#[test]
fn the_budget_is_the_whole_pipelines() {
    let night = night(&calls(&[r#""draft_document", { result = { text = "There.", cost = 0.40 } }"#]));
    expect(&pipeline(&night, &[GOAL, "--max-cost", "0.75"]), 11, "max_cost");
    assert_eq!(states(&night)[..2], ["valid", "valid"]);
    let spent: f64 = shown(&night)["cost_usd"].as_f64().unwrap();
    assert!(spent < 1.3, "{spent}");
    let before = night.folders().len();
    expect(&pipeline(&night, &["--resume", "keep", "--max-cost", "0.75"]), 11, "max_cost");
    let again = pipeline(&night, &["--resume", "keep", "--max-cost", "5"]);
    expect(&again, 0, " --run");
    assert!(night.folders().len() <= before + 2);
}

// rows: 97
// Seed defect D4, planner/persistence.go:133: any bad id mapped to one shared file.
#[test]
fn an_unknown_pipeline_is_refused_with_those_that_exist() {
    let night = night(&calls(&[DRAFT]));
    let outcome = pipeline(&night, &["--resume", "../../etc"]);
    expect(&outcome, 2, "there is no pipeline `../../etc`");
    pipeline(&night, &[GOAL]);
    let outcome = pipeline(&night, &["--resume", "nothing"]);
    expect(&outcome, 2, &format!("There are: {}", id(&night)));
    let outcome = pipeline(&night, &["--resume", &id(&night), "--redo-from", "build"]);
    expect(&outcome, 2, "there is no phase `build`: prd, architecture, tasks");
    let outcome = pipeline(&night, &[]);
    expect(&outcome, 2, "there is no goal");
    let outcome = pipeline(&night, &[" "]);
    expect(&outcome, 2, "the goal is empty");
}

// rows: 97
#[test]
fn after_an_edit_the_later_phases_are_stale_and_redone_only_where_that_is_said() {
    let night = night(&calls(&[DRAFT]));
    pipeline(&night, &[GOAL]);
    let prd = file(&night, "prd.md");
    let edited =
        night.env.read(&prd).replace("The first file is there.", "The first file is there, at once.");
    night.env.write(&prd, edited);
    assert_eq!(states(&night), ["valid", "stale", "stale"]);
    let outcome = pipeline(&night, &["--resume", "keep"]);
    expect(&outcome, 0, "prd.md changed; it stays as it is: windlass pipeline --resume");
    assert_eq!(endings(&night).len(), 3);
    expect(&pipeline(&night, &["--resume", "keep", "--run"]), 2, "Work through the tasks as they are");
    expect(&pipeline(&night, &["--resume", "keep", "--redo-from", "architecture"]), 0, " --run");
    assert_eq!((states(&night), endings(&night).len()), (vec!["valid".to_owned(); 3], 5));
    let validated = night.env.run(&mut night.windlass(&["pipeline", "validate", "keep"]), PATIENCE);
    assert_eq!(validated.code, Some(0));
    night.env.write(&prd, "");
    let validated = night.env.run(&mut night.windlass(&["pipeline", "validate", "keep"]), PATIENCE);
    expect(&validated, 23, "prd.md is empty");
}

// rows: 76, 97
// Seed defect D4, planner/runner.go:199: a cancelled plan could not be resumed.
#[test]
fn it_is_killed_in_each_phase_and_goes_on() {
    const DOCUMENTS: [&str; 3] = ["prd.md", "architecture.md", "tasks.md"];
    let writes = [1, 5, 8, 10];
    for (phase, write) in (0..3).flat_map(|phase| writes.map(|write| (phase, write))) {
        let night = night(&calls(&[r#""draft_document", { result = { text = "There.", cost = 0.10 } }"#]));
        expect(&pipeline(&night, &[GOAL]), 0, " --run");
        for name in &DOCUMENTS[phase..] {
            fs::remove_file(night.env.project().join(file(&night, name))).unwrap();
        }
        let mut killed = command(&night, &["--resume", "keep"]);
        killed.env("WINDLASS_TEST_FAULT", format!("kill-after-write={write}"));
        assert_eq!(night.env.run(&mut killed, PATIENCE).signal, Some(9), "{phase}, {write}");
        expect(&pipeline(&night, &["--resume", "keep"]), 0, " --run");
        assert_eq!(states(&night), ["valid"; 3], "{phase}, {write}");
        assert_eq!(
            endings(&night),
            vec![Some(StopReason::Complete); 6 - phase],
            "{phase}, {write}: a run goes on, and is not begun anew"
        );
    }
}

// rows: 97
#[test]
fn a_dry_run_touches_nothing() {
    let night = night(&calls(&[DRAFT]));
    let before = night.env.git(&["status", "--porcelain", "--ignored"]);
    expect(
        &pipeline(&night, &[GOAL, "--dry-run"]),
        0,
        "Write the document, `.windlass/pipelines/keep-a-list",
    );
    assert_eq!(night.env.git(&["status", "--porcelain", "--ignored"]), before);
    assert!(night.folders().is_empty() && !night.env.project().join(".windlass").exists());
}

// attack(money): a pipeline with a budget is stopped, goes on without a word about money, and goes on again once it is used up
// holds: the budget stays the pipeline's; nothing more is paid for until a higher one is said, also to work through the tasks
#[test]
fn a_budget_is_kept_with_its_pipeline() {
    let dear = r#""draft_document", { result = { text = "Written.", cost = 0.4 } }"#;
    let night = night(&calls(&[dear]));
    expect(&pipeline(&night, &[GOAL, "--max-cost", "0.6", "--max-tokens", "1000000"]), 11, "max_cost");
    let begun = endings(&night).len();
    let limits = || {
        let started = |fact| match fact {
            Fact::RunStarted { plan } => Some((plan.limits.cost, plan.limits.tokens)),
            _ => None,
        };
        all_facts(&night).into_iter().filter_map(started).collect::<Vec<_>>()
    };
    let id = id(&night);
    for more in [&["--resume", &id][..], &["--resume", &id, "--run"]] {
        expect(&pipeline(&night, more), 2, "is at its limit: $");
    }
    assert_eq!(endings(&night).len(), begun, "nothing has begun");
    expect(&pipeline(&night, &["--resume", &id, "--max-cost", "5", "-m", "3"]), 0, " --run");
    let before = limits().len();
    expect(&pipeline(&night, &["--resume", &id, "--redo-from", "tasks"]), 0, " --run");
    let kept: Vec<_> =
        limits().into_iter().filter(|(cost, _)| *cost == Some(Cost::from_dollars(5.0))).collect();
    assert_eq!(limits().len(), before + 1);
    assert!(
        kept.len() > 1 && kept.iter().all(|(_, tokens)| tokens.is_some_and(|most| most < 1_000_000)),
        "{kept:?}"
    );
}

// rows: 97
// What a run has parked stays parked in it: the pipeline goes on with a new one, within its budget, and says so.
#[test]
fn a_pipeline_whose_tasks_are_parked_goes_on_with_a_new_run() {
    let night = night(&calls(&[DRAFT]));
    expect(&pipeline(&night, &[GOAL, "--max-cost", "5"]), 0, " --run");
    let again = format!("windlass pipeline --resume {} --run", id(&night));
    let failing = night.env.write(
        night.env.root().join("failing.toml"),
        every_call("{ result = { text = 'It cannot be done.', is_error = true } }"),
    );
    let resume = |script: &Path| {
        let mut command = night.windlass(&["pipeline", "--no-delay", "--run", "--resume", &id(&night)]);
        command.arg(format!("--mock={}", script.display()));
        night.env.run(&mut command, PATIENCE)
    };
    let blocked = resume(&failing).stdout_text();
    assert!(blocked.contains(&again) && !blocked.contains("windlass resume r-"), "{blocked}");
    let status = night.env.run(&mut night.windlass(&["status"]), PATIENCE).stdout_text();
    assert!(status.contains(&again), "{status}");
    let runs = endings(&night).len();
    let mut anew = night.windlass(&["pipeline", "--no-delay", "--mock", "--run", "--resume", &id(&night)]);
    expect(&night.env.run(&mut anew, PATIENCE), 0, "2/2 done");
    assert_eq!(endings(&night).len(), runs + 1, "a new run");
}

// attack(sandbox): a pipeline is planned by a model of a person's choice behind walls, and gone on with by the commands it prints
// holds: they ask for the same model and the same walls, whether documents or tasks are next
#[test]
fn the_commands_that_go_on_keep_the_model_and_the_walls() {
    let night = night(&calls(&[DRAFT]));
    let walls = ["--model", "haiku", "--sandbox", "bwrap", "--network", "off"];
    expect(&pipeline(&night, &[&[GOAL][..], &walls].concat()), 0, "next");
    let (id, flags) = (id(&night), walls.join(" "));
    assert_eq!(shown(&night)["next"], format!("windlass pipeline --resume {id} --run {flags}"));
    let prd = night.env.read(file(&night, "prd.md"));
    night.env.write(file(&night, "prd.md"), format!("{prd}\nA person's afterthought.\n"));
    let redo = format!("windlass pipeline --resume {id} --redo-from architecture {flags}");
    assert_eq!(shown(&night)["next"], redo);
    let mut run = night.windlass(&["pipeline", "--mock", "--run", "--gate", "true", "--resume", &id]);
    let outcome = night.env.run(&mut run, PATIENCE);
    let redo = format!("windlass pipeline --resume {id} --redo-from architecture --run --gate true {flags}");
    expect(&outcome, 2, &redo);
    expect(&outcome, 2, &format!("--gate true {flags}"));
}
