//! Mode tasks, in one lane and in several, with the scripted agent.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{LandOutcome, MergeOutcome, StopReason, TaskEnd};
use windlass_testkit::{Outcome, TestEnv};

use super::night::{Night, PATIENCE};

/// Each writes a file of its own, and says so.
pub(super) const HONEST: &str = r#"
[[call]]
steps = [
  { write = { path = "work/{{task}}", text = "done\n" } }, "tick_task",
  { result = { text = "{{task}} is done.", cost = 0.01 } },
]
"#;

/// The same, but for calls of its own.
pub(super) fn honest_but(calls: &str) -> String {
    format!("{HONEST}{calls}")
}

/// A task file: each entry is a number and what it depends on.
pub(super) fn requirements(tasks: &[(u32, &[u32])]) -> String {
    let mut text = "# Sample - tasks\n".to_owned();
    for (id, dependencies) in tasks {
        let named: Vec<String> = dependencies.iter().map(|id| format!("TASK-{id:03}")).collect();
        let named = if named.is_empty() { "none".to_owned() } else { named.join(", ") };
        let _ = write!(
            text,
            "\n### TASK-{id:03}: Thing {id}\n- **Status**: pending\n- **Priority**: medium\n- **Dependencies**: {named}\n\
             - **Description**: Do it\n"
        );
    }
    text
}

pub(super) fn night(tasks: &[(u32, &[u32])], script: &str) -> Night {
    let env = TestEnv::with_git();
    env.write("requirements.md", requirements(tasks));
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Tasks"]);
    Night::within(env, script).set("WINDLASS_COMMIT__MESSAGE", "devloop")
}

pub(super) fn command(night: &Night, flags: &[&str]) -> std::process::Command {
    let mut command = night.windlass(&["run", "--mode", "tasks", "--no-delay"]);
    command.arg(format!("--mock={}", night.script.display())).args(flags);
    command
}

pub(super) fn run(night: &Night, flags: &[&str]) -> Outcome {
    night.env.run(&mut command(night, flags), PATIENCE)
}

pub(super) fn subjects(night: &Night) -> Vec<String> {
    let log = night.env.git(&["log", "--reverse", "--format=%s"]);
    log.lines().filter(|line| line.starts_with("DevLoop")).map(str::to_owned).collect()
}

pub(super) fn ends(night: &Night) -> Vec<(String, TaskEnd)> {
    let end = |fact: Fact| match fact {
        Fact::TaskClosed(report::TaskClosed { task, end, .. }) => Some((task.0, end)),
        _ => None,
    };
    night.facts().into_iter().filter_map(end).collect()
}

/// The repository is as it was but for what landed: no lock, nothing half done, the files are HEAD's.
pub(super) fn assert_whole(night: &Night) {
    assert_eq!(night.env.git(&["diff", "HEAD", "--stat", "--", "work", "common"]), "");
    assert!(!night.env.project().join(".git/index.lock").exists());
    night.env.git(&["fsck", "--no-progress", "--no-dangling"]);
    night.assert_clean();
    let lanes = night.folder().join("lanes");
    assert!(
        night.ended() != StopReason::Complete || !lanes.exists(),
        "{} is of use to nobody",
        lanes.display()
    );
}

pub(super) const SIX: &[(u32, &[u32])] =
    &[(1, &[]), (2, &[1]), (3, &[1]), (4, &[2, 3]), (5, &[]), (10, &[5])];

// rows: 6, 49, 114
#[test]
fn tasks_are_worked_off_one_commit_each_with_the_seeds_words() {
    let night = night(SIX, HONEST);
    run(&night, &["--gate", "true"]).expect_code(0, "run");
    assert_eq!(night.ended(), StopReason::Complete);
    let expected = [1, 2, 3, 4, 5, 10];
    let said = expected
        .iter()
        .zip(1..)
        .map(|(id, iteration)| format!("DevLoop iteration {iteration}: Complete TASK-{id:03} - Thing {id}"));
    assert_eq!(subjects(&night), said.collect::<Vec<_>>());
    let text = night.env.read("requirements.md");
    assert_eq!(text.matches("- **Status**: done").count(), 6, "{text}");
    assert_eq!(
        text.replace("- **Status**: done", "- **Status**: pending"),
        requirements(SIX),
        "no other byte"
    );
    let progress = night.env.read("progress.md");
    assert!(
        progress.contains("- **Completed**: 6") && progress.contains("- **Task Completed**: TASK-010"),
        "{progress}"
    );
    assert_eq!(night.env.git(&["status", "--porcelain"]), "", "all of it is committed");
    let trailers = night.env.git(&["log", "-1", "--format=%(trailers:key=Windlass-Task,valueonly)"]);
    assert_eq!(trailers.trim(), "TASK-010");
    assert_whole(&night);
}

const TWO_FAILS: &str = r#"
[[call]]
task = "TASK-002"
steps = [
  { write = { path = "work/half", text = "half\n" } },
  { result = { text = "It cannot be done.", cost = 0.01, is_error = true } },
]
"#;

#[test]
fn a_task_that_fails_twice_is_parked_and_its_work_is_kept_out_of_the_others() {
    for lanes in ["1", "3"] {
        let night = night(SIX, &honest_but(TWO_FAILS));
        let outcome = run(&night, &["-j", lanes, "--exit-codes", "detailed"]);
        outcome.expect_code(17, "blocked");
        let text = outcome.stdout_text() + &outcome.stderr_text();
        assert!(text.contains("TASK-002 is parked: failed 2 times"), "{text}");
        let parked: Vec<_> =
            ends(&night).into_iter().filter(|(_, end)| matches!(end, TaskEnd::Parked { .. })).collect();
        assert_eq!(parked.len(), 1, "{parked:?}");
        let done: BTreeSet<String> =
            ends(&night).into_iter().filter(|(_, end)| *end == TaskEnd::Done).map(|(task, _)| task).collect();
        assert_eq!(done.into_iter().collect::<Vec<_>>(), ["TASK-001", "TASK-003", "TASK-005", "TASK-010"]);
        assert!(!night.env.git(&["ls-tree", "-r", "--name-only", "HEAD"]).contains("work/half"));
        assert!(!night.env.project().join("work/half").exists());
        if lanes != "1" {
            assert!(night.folder().join("lanes").exists(), "a resume goes on in them");
            let branch =
                format!("windlass/{}/TASK-002", night.folder().file_name().unwrap().to_string_lossy());
            assert_eq!(night.env.git(&["show", &format!("{branch}:work/half")]), "half");
        }
        assert_whole(&night);
    }
}

// rows: 10
#[test]
fn for_tasks_that_commute_many_lanes_give_what_one_gives() {
    let forty: Vec<(u32, &[u32])> = (1..=40).map(|id| (id, &[][..])).collect();
    let tree = |lanes: &str| {
        let night = night(&forty, HONEST);
        run(&night, &["-j", lanes, "--gate", "true"]).expect_code(0, lanes);
        assert_eq!(subjects(&night).len(), 40, "each once");
        let landed = night.facts().into_iter().filter(|fact| {
            matches!(fact, Fact::Landed(report::Landed { outcome: LandOutcome::Landed { .. }, .. }))
        });
        assert_eq!(landed.count(), if lanes == "1" { 0 } else { 40 });
        assert_whole(&night);
        night.env.git(&["ls-tree", "-r", "HEAD", "--", "work", "requirements.md"])
    };
    assert_eq!(tree("1"), tree("8"));
}

const CONFLICT: &str = r#"
[[call]]
steps = [
  { append = { path = "common", text = "{{task}}\n" } }, "tick_task",
  { result = { text = "{{task}} is done.", cost = 0.01 } },
]
[[call]]
task = "TASK-001"
merging = true
steps = [ { write = { path = "common", text = "TASK-002\nTASK-001\n" } }, { result = { text = "Both." } } ]
[[call]]
task = "TASK-002"
merging = true
steps = [ { write = { path = "common", text = "TASK-001\nTASK-002\n" } }, { result = { text = "Both." } } ]
"#;

#[test]
fn a_conflict_is_put_together_by_the_agent_that_comes_second() {
    let night = night(&[(1, &[]), (2, &[])], CONFLICT);
    run(&night, &["-j", "2", "--gate", "true"]).expect_code(0, "run");
    let conflicts = night.facts().into_iter().filter(|fact| {
        matches!(fact, Fact::Merged(report::Merged { outcome: MergeOutcome::Conflict { paths }, .. }) if paths == &["common"])
    });
    assert_eq!(conflicts.count(), 1);
    let common = night.env.read("common");
    assert!(
        common.contains("TASK-001") && common.contains("TASK-002") && !common.contains("<<<"),
        "{common}"
    );
    assert_eq!(subjects(&night).len(), 2);
    assert_whole(&night);
}

// Each is green alone; together they are red, and the agent cannot mend that.
#[test]
fn what_fails_only_together_does_not_land() {
    let night = night(&[(1, &[]), (2, &[])], HONEST);
    let gate = "test \"$(ls work 2>/dev/null | wc -l)\" -lt 2";
    run(&night, &["-j", "2", "--gate", gate, "--exit-codes", "detailed"]).expect_code(17, "blocked");
    assert_eq!(subjects(&night).len(), 1, "one of them");
    let parked = ends(&night).into_iter().find_map(|(_, end)| match end {
        TaskEnd::Parked { reason } => Some(reason),
        _ => None,
    });
    assert!(parked.is_some_and(|reason| reason.contains("checks")), "{:?}", ends(&night));
    assert_eq!(fs::read_dir(night.env.project().join("work")).unwrap().count(), 1);
    assert_whole(&night);
}

fn parked(night: &Night) -> Vec<(String, String)> {
    let parked = |(task, end)| match end {
        TaskEnd::Parked { reason } => Some((task, reason)),
        _ => None,
    };
    ends(night).into_iter().filter_map(parked).collect()
}

#[test]
fn marks_of_a_conflict_that_an_agent_leaves_park_its_task_and_no_other() {
    let leaves = CONFLICT.replace("\"TASK-002\\nTASK-001\\n\"", "\"<<<<<<< landed\\n>>>>>>> yours\\n\"");
    let leaves = leaves.replace("\"TASK-001\\nTASK-002\\n\"", "\"<<<<<<< landed\\n>>>>>>> yours\\n\"");
    let others = "[[call]]\ntask = \"TASK-003\"\nsteps = [\n  { write = { path = \"work/3\", text = \"x\" } }, \"tick_task\",\n]\n";
    let night = night(&[(1, &[]), (2, &[]), (3, &[])], &format!("{leaves}{others}"));
    run(&night, &["-j", "2", "--gate", "true"]).expect_code(17, "one is parked");
    let parked = parked(&night);
    assert!(
        matches!(parked.as_slice(), [(_, why)] if why.contains("marks of the conflict are left in common")),
        "{parked:?}"
    );
    assert_eq!(subjects(&night).len(), 2, "the others have landed");
    assert_whole(&night);
}

// attack(git): signing fails, or a person's merge is under way, when finished work is to land
// holds: no task is parked for it; the run ends with 24, and a resume lands what is done without another call
#[test]
fn what_prevents_any_landing_parks_no_task_and_costs_nothing_twice() {
    let cases = [
        (
            "git config commit.gpgSign true; git config gpg.program false",
            "true",
            "git config commit.gpgSign false",
            "could not be signed",
        ),
        ("true", "git merge -q --no-commit --no-ff other", "git merge --abort", "a merge is under way"),
    ];
    for (before, meanwhile, afterwards, says) in cases {
        let night = night(&[(1, &[]), (2, &[]), (3, &[])], HONEST);
        let project = night.env.project().display().to_string();
        night.env.git(&["switch", "-q", "-c", "other"]);
        night.env.git(&["commit", "-q", "--allow-empty", "-m", "Other"]);
        night.env.git(&["switch", "-q", "main"]);
        let shell = |line: &str| {
            night.env.run(night.env.command("sh").args(["-c", line]).current_dir(&project), PATIENCE)
        };
        shell(before).expect_code(0, before);
        let once = format!("cd '{project}' && mkdir ../once 2>/dev/null && ({meanwhile}); true");
        let script = HONEST.replace("steps = [\n", &format!("steps = [\n  {{ bash = \"{once}\" }},\n"));
        fs::write(&night.script, script).unwrap();
        let outcome = run(&night, &["-j", "2", "--gate", "true"]);
        outcome.expect_code(24, says);
        let told = outcome.stdout_text() + &outcome.stderr_text();
        assert!(told.contains("what is done cannot land") && told.contains(says), "{told}");
        shell(afterwards).expect_code(0, afterwards);
        night.resume(&["--no-delay"]).expect_code(0, says);
        assert_eq!(parked(&night), [], "{says}");
        assert_eq!((subjects(&night).len(), night.calls().len()), (3, 3), "{says}");
        assert_whole(&night);
    }
}

#[test]
fn what_cannot_be_is_refused_with_what_to_do() {
    let night = night(&[(1, &[])], HONEST);
    for (flags, says) in [
        (&["-j", "2", "--commit", "none"][..], "--commit runner"),
        (&["-j", "257"], "at most 256"),
        (&["--until", "true"], "--gate CMD"),
        (&["-f", "nothing.md"], "windlass init --tasks"),
        (&["--feature", "../x"], "letters, digits"),
    ] {
        let outcome = run(&night, flags);
        assert_ne!(outcome.code, Some(0), "{flags:?}");
        assert!(outcome.stderr_text().contains(says), "{flags:?}: {}", outcome.stderr_text());
    }
    night.env.write("requirements.md", requirements(&[(1, &[2]), (2, &[1])]));
    night.env.git(&["commit", "--quiet", "--all", "--message", "A cycle"]);
    let outcome = run(&night, &["--exit-codes", "detailed"]);
    outcome.expect_code(17, "a cycle");
    assert!((outcome.stdout_text() + &outcome.stderr_text()).contains("windlass tasks validate"));
}

// Nobody but the gates knows whether it is done then, and they had judged another tree.
#[test]
fn a_task_that_changed_nothing_is_judged_with_what_the_branch_got_meanwhile() {
    let night = night(&[(1, &[])], HONEST);
    let project = night.env.project().display().to_string();
    // A person breaks the branch while the agent is at work.
    let breaks =
        format!("cd '{project}' && (test -e red || (touch red && git add red && git commit -qm Red))");
    let script = HONEST.replace(
        r#"{ write = { path = "work/{{task}}", text = "done\n" } }"#,
        &format!(r#"{{ bash = "{breaks}" }}"#),
    );
    fs::write(&night.script, script).unwrap();
    run(&night, &["-j", "2", "--gate", "test ! -e red"]).expect_code(17, "the branch is red");
    assert_eq!(night.ended(), StopReason::Blocked);
    let merged = night.facts().into_iter().find_map(|fact| match fact {
        Fact::Merged(report::Merged { outcome, .. }) => Some(outcome),
        _ => None,
    });
    assert_eq!(merged, Some(MergeOutcome::Clean { commit: None, retest: true }));
    let done = night
        .facts()
        .into_iter()
        .filter(|fact| matches!(fact, Fact::TaskClosed(report::TaskClosed { end: TaskEnd::Done, .. })));
    assert_eq!(done.count(), 0, "{:#?}", night.facts());
}
