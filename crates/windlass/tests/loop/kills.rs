//! The runner is killed at every write of its journal; `resume` then brings the run to the same end.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::run::LEAST_RESERVATION;
use windlass_core::values::{CallId, Class, Cost, Purpose, StopReason, Verdict};

use super::night::{Night, PATIENCE, files_below};

/// Nights at a time: much of a night is waiting.
const SIDE_BY_SIDE: usize = 12;

/// How often a killed run may have to be resumed: once, and more often should the machine be slow to clear up.
const RESUMPTIONS: usize = 3;

/// A story, and what each of its calls says it cost; the last call is repeated. A kill can cost a call, so the last one
/// makes everything.
struct Story {
    script: &'static str,
    costs: &'static [u64],
    /// What is said besides the usual flags.
    flags: &'static [&'static str],
}

/// What each review costs.
const REVIEW_COST: u64 = 50_000;

/// The first works, the second claims too early, the third fails.
const WORK: Story = Story {
    script: r#"
[[call]]
steps = [
  { spawn = { setsid = true, ignore = ["TERM"], orphan = true, for = "60s", pid_file = "../child" } },
  { write = { path = "first.txt", text = "one\n" } },
  { result = { text = "A beginning.", cost = 0.01 } },
]
[[call]]
steps = [ { result = { text = "Done.\n\nWINDLASS_JOB_COMPLETE", cost = 0.02 } } ]
[[call]]
steps = [ { result = { text = "It cannot be done.", cost = 0.03, is_error = true, subtype = "error_during_execution" } } ]
[[call]]
steps = [
  { write = { path = "first.txt", text = "one\n" } },
  { write = { path = "done.txt", text = "two\n" } },
  { result = { text = "Done.\n\nWINDLASS_JOB_COMPLETE", cost = 0.04 } },
]
"#,
    costs: &[10_000, 20_000, 30_000, 40_000],
    flags: &[],
};

/// The first meets a usage limit.
const LIMIT: Story = Story {
    script: r#"
[[call]]
steps = [ { usage_limit = { resets_in = "1s" } } ]
[[call]]
steps = [
  { write = { path = "done.txt", text = "two\n" } },
  { result = { text = "Done.\n\nWINDLASS_JOB_COMPLETE", cost = 0.04 } },
]
"#,
    costs: &[0, 40_000],
    flags: &[],
};

/// The work is looked over, and the reviewer mends something.
const REVIEW: Story = Story {
    script: r#"
[[call]]
steps = [
  { write = { path = "done.txt", text = "two\n" } },
  { result = { text = "Done.\n\nWINDLASS_JOB_COMPLETE", cost = 0.04 } },
]
[[call]]
for = "review"
steps = [
  { write = { path = "more.txt", text = "three\n" } },
  { result = { text = "Mended.", cost = 0.05, structured = { verdict = "changed", summary = "", findings = [] } } },
]
"#,
    costs: &[40_000],
    flags: &["--review"],
};

const FLAGS: [&str; 9] =
    ["--commit", "runner", "--gate", "test -f done.txt", "--completion-threshold", "1", "-m", "8", "--json"];

/// What a night ends with, however often it was killed.
#[derive(Debug, PartialEq)]
struct End {
    reason: StopReason,
    tree: String,
    last: Option<Verdict>,
}

// rows: 75, 80, 50, 67, 140
#[test]
fn the_runs_without_kills_are_what_the_others_are_held_to() {
    let night = unharmed(&WORK);
    assert_eq!(
        night.verdicts(),
        [Verdict::Worked, Verdict::ClaimRefused, Verdict::Failed, Verdict::ClaimAccepted]
    );
    let night = unharmed(&LIMIT);
    assert_eq!(night.verdicts(), [Verdict::ClaimAccepted]);
    let classes: Vec<Class> = night.calls().iter().map(|call| call.class).collect();
    assert_eq!(classes, [Class::UsageLimit, Class::Success]);
}

// rows: 75
#[test]
fn killed_at_any_write_a_run_resumes_to_the_same_end() {
    kill_everywhere(&WORK);
}

// rows: 75
#[test]
fn killed_around_a_usage_limit_a_run_waits_to_the_same_time() {
    kill_everywhere(&LIMIT);
}

// rows: 104
#[test]
fn killed_around_a_review_a_run_has_its_work_looked_over_all_the_same() {
    kill_everywhere(&REVIEW);
}

fn flags(story: &Story) -> Vec<&'static str> {
    [&FLAGS[..], story.flags].concat()
}

fn unharmed(story: &Story) -> Night {
    let night = Night::with_git(story.script);
    night.run(&flags(story)).expect_code(0, "the run without kills");
    check(&night, story, "no fault");
    night
}

fn kill_everywhere(story: &Story) {
    let unharmed = unharmed(story);
    let wanted = end(&unharmed, "no fault");
    let mut faults: Vec<String> = Vec::new();
    for write in 1..=writes(&unharmed) {
        faults.push(format!("kill-after-write={write}"));
        // Before a write and after the one before it differ in what was done between them; torn ones in the seal.
        faults.push(match write % 3 {
            0 => format!("kill-before-write={write}"),
            1 => format!("tear-write={write}:{}", write * 7 % 60),
            _ => format!("tear-write={write}:1000000"),
        });
    }
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                while let Some(fault) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let night = Night::with_git(story.script);
                    kill_and_resume(&night, story, fault);
                    assert_eq!(end(&night, fault), wanted, "{fault}");
                }
            });
        }
    });
}

fn kill_and_resume(night: &Night, story: &Story, fault: &str) {
    let killed = night.env.run(night.run_command(&flags(story)).env("WINDLASS_TEST_FAULT", fault), PATIENCE);
    assert_eq!(killed.signal, Some(9), "{fault}: not killed: {}", killed.stderr_text());
    night.env.assert_no_processes(super::night::CLEARED);
    if night.entries().is_empty() {
        // Nothing had been done in it; the next run is not in its way.
        fs::remove_dir_all(night.folder()).unwrap();
        night.run(&flags(story)).expect_code(0, fault);
    } else if !night.was_over_when_killed() {
        let resumed =
            (0..RESUMPTIONS).map(|_| night.resume(&["--json"])).find(|outcome| outcome.code == Some(0));
        assert!(resumed.is_some(), "{fault}: it does not end: {:#?}", night.facts());
    }
    check(night, story, fault);
}

/// Everything that has to hold of a night that is over.
fn check(night: &Night, story: &Story, fault: &str) {
    iterations_are_numbered_without_gap(night, fault);
    the_cost_is_what_was_reported_and_marked_estimates(night, story, fault);
    waits_lasted_until_their_time(night, fault);
    commits_are_made_once(night, fault);
    night.assert_clean();
}

fn end(night: &Night, fault: &str) -> End {
    let tree = night.env.git(&["ls-tree", "-r", "HEAD"]);
    assert_eq!(night.env.git(&["status", "--porcelain"]), "", "{fault}: not all is committed");
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

fn the_cost_is_what_was_reported_and_marked_estimates(night: &Night, story: &Story, fault: &str) {
    let mut sum = Cost::ZERO;
    let mut open = None;
    for fact in night.facts() {
        match fact {
            Fact::CallReserved { call, reserved, iteration, attempt, purpose, .. } => {
                assert_eq!(open, None, "{fault}: a call was not charged");
                assert!(reserved >= LEAST_RESERVATION, "{fault}: call {call}");
                open = Some((call, reserved, iteration, attempt, purpose));
            }
            Fact::CallFinished { call, summary, .. } => {
                let (reserved_call, reserved, iteration, attempt, purpose) =
                    open.take().expect("a reservation");
                let is_review = purpose == Purpose::Review;
                let folder = if is_review { "review" } else { "work" };
                assert_eq!(call, reserved_call, "{fault}");
                let stream = format!("iterations/{iteration:04}/{attempt}-{folder}/stream.ndjson");
                let expected = match fs::read_to_string(night.folder().join(stream)) {
                    Ok(stream) if stream.contains(r#""type":"result""#) && is_review => {
                        (Cost::from_micros(REVIEW_COST), false)
                    }
                    Ok(stream) if stream.contains(r#""type":"result""#) => (reported(story, call), false),
                    // Whether it was started at all, nobody can know.
                    _ => (reserved, true),
                };
                assert_eq!((summary.cost, summary.estimated), expected, "{fault}: call {call}");
                sum += summary.cost;
            }
            Fact::RunFinished { cost, .. } => assert_eq!(cost, sum, "{fault}"),
            _ => {}
        }
    }
}

fn reported(story: &Story, call: CallId) -> Cost {
    Cost::from_micros(story.costs[(call.0 as usize).min(story.costs.len()) - 1])
}

fn waits_lasted_until_their_time(night: &Night, fault: &str) {
    let mut until = None;
    let mut waits = BTreeSet::new();
    for entry in night.entries() {
        match entry.fact {
            Fact::BackoffStarted { until: time, .. } => {
                // A session that goes on with it tells of it again.
                assert!(until.is_none_or(|before| before == time), "{fault}: a wait was prolonged");
                waits.insert(time);
                until = Some(time);
            }
            Fact::BackoffEnded => {
                let time = until.take().expect("a wait");
                assert!(entry.at.wall >= time, "{fault}: released at {} instead of {time}", entry.at.wall);
            }
            Fact::CallReserved { .. } => assert_eq!(until, None, "{fault}: a call during a wait"),
            _ => {}
        }
    }
    let limits = night.calls().iter().filter(|call| call.class == Class::UsageLimit).count();
    assert_eq!(waits.len(), limits, "{fault}");
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
            Fact::Committed(report::Committed { commit, .. }) => commit,
            _ => None,
        })
        .collect();
    assert_eq!(journalled.len(), marked.len(), "{fault}: journal and history differ");
    let git = night.env.project().join(".git");
    let locks: Vec<_> = files_below(&git)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "lock"))
        .collect();
    assert!(locks.is_empty(), "{fault}: git is locked: {locks:?}");
}
