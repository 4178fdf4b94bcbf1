//! The runner is killed at every write of its journal; `resume` then brings the run to the same end.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use windlass_core::fact::{CallId, Class, Cost, Fact, StopReason, Verdict};
use windlass_core::run::LEAST_RESERVATION;

use super::night::{Night, PATIENCE, files_below};

/// Nights at a time: most of a night is waiting for the usage limit.
const SIDE_BY_SIDE: usize = 16;

/// How often a killed run may have to be resumed: once, and once more should the machine be slow to clear up.
const RESUMPTIONS: usize = 3;

/// What each call costs, as it says itself: the first works, the second claims too early, the third meets a usage
/// limit, the fourth fails, all further ones finish the job. A kill can cost a call, so the last one makes everything.
const COSTS: [u64; 5] = [10_000, 20_000, 0, 30_000, 40_000];

const SCRIPT: &str = r#"
[[call]]
steps = [
  { spawn = { setsid = true, ignore = ["TERM"], orphan = true, for = "60s", pid_file = "../child" } },
  { write = { path = "first.txt", text = "one\n" } },
  { result = { text = "A beginning.", cost = 0.01 } },
]
[[call]]
steps = [ { bash = "test -f SHARED_TASK_NOTES.md || echo so far > SHARED_TASK_NOTES.md" }, { result = { text = "Done.\n\nWINDLASS_JOB_COMPLETE", cost = 0.02 } } ]
[[call]]
steps = [ { usage_limit = { resets_in = "1s" } } ]
[[call]]
steps = [ { result = { text = "It cannot be done.", cost = 0.03, is_error = true, subtype = "error_during_execution" } }, { exit = 1 } ]
[[call]]
steps = [
  { spawn = { setsid = true, ignore = ["TERM"], orphan = true, for = "60s", pid_file = "../child" } },
  { write = { path = "first.txt", text = "one\n" } },
  { bash = "echo so far > SHARED_TASK_NOTES.md" },
  { write = { path = "done.txt", text = "two\n" } },
  { result = { text = "Done.\n\nWINDLASS_JOB_COMPLETE", cost = 0.04 } },
]
"#;

const FLAGS: [&str; 9] =
    ["--commit", "runner", "--gate", "test -f done.txt", "--completion-threshold", "1", "-m", "8", "--json"];

/// What a night ends with, however often it was killed.
#[derive(Debug, PartialEq)]
struct End {
    reason: StopReason,
    tree: String,
    last: Option<Verdict>,
}

// rows: 75, 80, 50, 140
#[test]
fn the_run_without_kills_is_what_the_others_are_held_to() {
    let night = Night::with_git(SCRIPT);
    night.run(&FLAGS).expect_code(0, "the run");
    assert_eq!(
        night.verdicts(),
        [Verdict::Worked, Verdict::ClaimRefused, Verdict::Failed, Verdict::ClaimAccepted]
    );
    let calls = night.calls();
    assert_eq!(calls.iter().map(|call| call.class).collect::<Vec<_>>(), [
        Class::Success,
        Class::Success,
        Class::UsageLimit,
        Class::TaskFailure,
        Class::Success
    ]);
    check(&night, "no fault");
}

// rows: 75
#[test]
fn killed_at_any_write_the_run_resumes_to_the_same_end() {
    let unharmed = Night::with_git(SCRIPT);
    unharmed.run(&FLAGS).expect_code(0, "the run without kills");
    let wanted = end(&unharmed);
    let writes = writes(&unharmed);
    let mut faults: Vec<String> = Vec::new();
    for write in 1..=writes {
        faults.push(format!("kill-after-write={write}"));
        // Before a write and after the one before it differ in what was done between them; torn ones in the seal.
        match write % 3 {
            0 => faults.push(format!("kill-before-write={write}")),
            1 => faults.push(format!("tear-write={write}:{}", write * 7 % 60)),
            _ => faults.push(format!("tear-write={write}:1000000")),
        }
    }
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                while let Some(fault) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let night = Night::with_git(SCRIPT);
                    kill_and_resume(&night, fault);
                    assert_eq!(end(&night), wanted, "{fault}");
                }
            });
        }
    });
}

fn kill_and_resume(night: &Night, fault: &str) {
    let killed = night.env.run(night.run_command(&FLAGS).env("WINDLASS_TEST_FAULT", fault), PATIENCE);
    assert_eq!(killed.signal, Some(9), "{fault}: not killed: {}", killed.stderr_text());
    night.env.assert_no_processes(super::night::CLEARED);
    if night.entries().is_empty() {
        // Nothing had been done in it; the next run is not in its way.
        fs::remove_dir_all(night.folder()).unwrap();
        night.run(&FLAGS).expect_code(0, fault);
    } else {
        let resumed = (0..RESUMPTIONS).map(|_| night.resume(&["--json"])).find(|outcome| outcome.code == Some(0));
        assert!(resumed.is_some(), "{fault}: it does not end: {:#?}", night.facts());
    }
    check(night, fault);
}

/// Everything that has to hold of a night that is over.
fn check(night: &Night, fault: &str) {
    iterations_are_numbered_without_gap(night, fault);
    the_cost_is_what_was_reported_and_marked_estimates(night, fault);
    waits_lasted_until_their_time(night, fault);
    commits_are_made_once(night, fault);
    night.assert_clean();
}

fn end(night: &Night) -> End {
    let tree = night.env.git(&["ls-tree", "-r", "HEAD"]);
    assert_eq!(night.env.git(&["status", "--porcelain"]), "", "the tree is not clean");
    End { reason: night.ended(), tree, last: night.verdicts().last().copied() }
}

fn writes(night: &Night) -> u64 {
    // A batch of facts is one write; that they were written together is no longer to be seen, so some faults beyond
    // the last write would not happen. Facts of one batch bear the same time.
    let entries = night.entries();
    let batches: BTreeSet<_> = entries.iter().map(|entry| entry.at.monotonic).collect();
    batches.len() as u64 + 1
}

fn iterations_are_numbered_without_gap(night: &Night, fault: &str) {
    let (mut begun, mut ended) = (Vec::new(), Vec::new());
    for fact in night.facts() {
        match fact {
            Fact::IterationStarted { iteration, .. } => begun.push(iteration),
            Fact::IterationFinished { iteration, .. } => ended.push(iteration),
            _ => {}
        }
    }
    let count = u32::try_from(begun.len()).unwrap();
    assert_eq!(begun, (1..=count).collect::<Vec<_>>(), "{fault}");
    assert_eq!(ended, begun, "{fault}");
}

fn the_cost_is_what_was_reported_and_marked_estimates(night: &Night, fault: &str) {
    let mut sum = Cost::ZERO;
    let mut open = None;
    for fact in night.facts() {
        match fact {
            Fact::CallReserved { call, reserved, iteration, attempt, .. } => {
                assert_eq!(open, None, "{fault}: a call was not charged");
                assert!(reserved >= LEAST_RESERVATION, "{fault}: call {call}");
                open = Some((call, reserved, iteration, attempt));
            }
            Fact::CallFinished { call, summary, .. } => {
                let (reserved_call, reserved, iteration, attempt) = open.take().expect("a reservation");
                assert_eq!(call, reserved_call, "{fault}");
                let stream = format!("iterations/{iteration:04}/{attempt}-work/stream.ndjson");
                let expected = match fs::read_to_string(night.folder().join(stream)) {
                    Ok(stream) if stream.contains(r#""type":"result""#) => (reported(call), false),
                    Ok(_) => (reserved, true),
                    // It was never started.
                    Err(_) => (Cost::ZERO, false),
                };
                assert_eq!((summary.cost, summary.estimated), expected, "{fault}: call {call}");
                sum += summary.cost;
            }
            Fact::RunFinished { cost, .. } => assert_eq!(cost, sum, "{fault}"),
            _ => {}
        }
    }
}

fn reported(call: CallId) -> Cost {
    Cost::from_micros(COSTS[(call.0 as usize).min(COSTS.len()) - 1])
}

fn waits_lasted_until_their_time(night: &Night, fault: &str) {
    let mut until = None;
    for entry in night.entries() {
        match entry.fact {
            Fact::Held { until: time, .. } => {
                assert_eq!(until, None, "{fault}: a wait was prolonged");
                until = Some(time);
            }
            Fact::Released => {
                let time = until.take().expect("a wait");
                assert!(entry.at.wall >= time, "{fault}: released at {} instead of {time}", entry.at.wall);
            }
            Fact::CallReserved { .. } => assert_eq!(until, None, "{fault}: a call during a wait"),
            _ => {}
        }
    }
    let limits = night.calls().iter().filter(|call| call.class == Class::UsageLimit).count();
    let waits = night.facts().iter().filter(|fact| matches!(fact, Fact::Held { .. })).count();
    assert_eq!(waits, limits, "{fault}");
}

fn commits_are_made_once(night: &Night, fault: &str) {
    let log = night.env.git(&["log", "--format=%(trailers:key=Windlass-Iteration,valueonly,separator=)"]);
    let marked: Vec<&str> = log.lines().filter(|line| !line.is_empty()).collect();
    let distinct: BTreeSet<&&str> = marked.iter().collect();
    assert_eq!(distinct.len(), marked.len(), "{fault}: an iteration was committed twice: {log}");
    let journalled: BTreeSet<String> = night
        .facts()
        .into_iter()
        .filter_map(|fact| match fact {
            Fact::Committed { commit, .. } => commit,
            _ => None,
        })
        .collect();
    assert_eq!(journalled.len(), marked.len(), "{fault}: journal and history differ");
    let git = night.env.project().join(".git");
    let locks: Vec<_> = files_below(&git).into_iter().filter(|path| path.extension().is_some_and(|end| end == "lock")).collect();
    assert!(locks.is_empty(), "{fault}: git is locked: {locks:?}");
}
