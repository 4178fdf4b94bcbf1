//! Issues in several lanes, and the last words below them with a pull request: whenever the runner is killed, and whenever the
//! forge wants to be left in peace, nothing is told twice and nothing is lost.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rustix::process::Signal;
use windlass_core::fact::Fact;
use windlass_core::forge::labels;
use windlass_core::report::{IssueMove, IssueStep};
use windlass_testkit::Running;
use windlass_testkit::forge::{Checks, IssueShown, StandInForge, Story, Trouble};

use super::issues::{flags, leases, night, results, scripted, started};
use super::issues_meanwhile::with_pull_request;
use super::night::{CLEARED, Night, PATIENCE, calls, expect_end};
use super::tasks::{HONEST, command, run};

const LANES: [&str; 2] = ["-j", "3"];

const MERGED: [&str; 4] = ["--merge", "--close-issues", "--branch-prefix", "windlass/"];

/// Nights at a time: much of a night is waiting.
const SIDE_BY_SIDE: usize = 4;

fn four_issues() -> (Night, StandInForge) {
    let (night, forge) = night();
    for (number, body) in [(1, ""), (2, ""), (3, ""), (4, "Blocked by #1.")] {
        forge.add_issue(IssueShown::new(number, &format!("Thing {number}"), body));
    }
    (night, forge)
}

fn one_issue_to_merge() -> (Night, StandInForge) {
    let (night, forge) = with_pull_request(Story::with_checks([Checks::green()]));
    forge.add_issue(IssueShown::new(12, "Thing", ""));
    (night, forge)
}

/// Each was told once, is held by nobody, and its work landed.
fn check_lanes(night: &Night, forge: &StandInForge, what: &str) {
    for number in [1, 2, 3, 4] {
        let issue = forge.issue(number);
        assert_eq!(results(&issue).len(), 1, "{what}: {:?}", issue.comments);
        assert!(leases(&issue).iter().all(|lease| lease.until.is_none()), "{what}: {:?}", issue.comments);
        assert_eq!(issue.labels, [labels::DONE], "{what}");
        let landed = night.env.git(&["ls-tree", "--name-only", "HEAD", &format!("work/#{number}")]);
        assert!(!landed.is_empty(), "{what}: the work on #{number} is lost");
    }
    night.assert_clean();
}

/// Told once, with the pull request that was merged once.
fn check_merged(night: &Night, forge: &StandInForge, what: &str) {
    let issue = forge.issue(12);
    let told = results(&issue);
    assert_eq!(told.len(), 1, "{what}: {:?}", issue.comments);
    assert!(told[0].contains("https://github.com/acme/anvil/pull/1"), "{what}: {told:?}");
    assert!(leases(&issue).iter().all(|lease| lease.until.is_none()), "{what}: {:?}", issue.comments);
    assert_eq!((issue.open, issue.labels.as_slice()), (false, &[labels::DONE.to_owned()][..]), "{what}");
    let merges: Vec<u32> = forge.pulls().iter().map(|pull| pull.merges).collect();
    assert_eq!(merges, [1], "{what}");
    night.assert_clean();
}

fn resume_to_the_end(night: &Night, what: &str) {
    let ended = (0..3).map(|_| night.resume(&[])).find(|outcome| outcome.code == Some(0));
    assert!(ended.is_some(), "{what}: it does not end: {:#?}", night.facts());
}

/// Kills before and after writes of the journal, from the first with such a fact on, `apart` of each other.
fn kills(unharmed: &Night, begins: impl Fn(&Fact) -> bool, apart: usize) -> Vec<String> {
    let entries = unharmed.entries();
    let first = entries.iter().find(|entry| begins(&entry.fact)).expect("the fact that it begins with");
    let writes: BTreeSet<_> = entries.iter().map(|entry| entry.at.monotonic).collect();
    // What was killed before it is on record is no run.
    let first = writes.iter().filter(|at| **at < first.at.monotonic).count().max(3);
    let both = |write| [format!("kill-after-write={write}"), format!("kill-before-write={write}")];
    (first..=writes.len()).flat_map(both).step_by(apart).collect()
}

fn each_of(faults: &[String], play: impl Fn(&String) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                while let Some(fault) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
                    play(fault);
                }
            });
        }
    });
}

// rows: 75
#[test]
fn killed_with_three_lanes_each_issue_is_told_once_and_no_work_is_lost() {
    let (unharmed, forge) = four_issues();
    expect_end(&run(&unharmed, &flags(&LANES)), 0, "complete");
    check_lanes(&unharmed, &forge, "no fault");
    let begins = |fact: &Fact| matches!(fact, Fact::Issue(IssueStep::Wanted { .. }));
    // An odd distance: before and after take turns.
    let faults = kills(&unharmed, begins, 15);
    assert!(faults.len() > 3, "{faults:?}");
    each_of(&faults, |fault| {
        let (night, forge) = four_issues();
        let killed =
            night.env.run(command(&night, &flags(&LANES)).env("WINDLASS_TEST_FAULT", fault), PATIENCE);
        // Lanes write in another order each time: a night may be shorter by a few writes.
        if killed.signal == Some(9) {
            resume_to_the_end(&night, fault);
        } else {
            expect_end(&killed, 0, "complete");
        }
        check_lanes(&night, &forge, fault);
    });
}

// rows: 75, 85
#[test]
fn killed_at_any_write_around_the_result_with_a_pull_request_it_is_told_once() {
    let (unharmed, forge) = one_issue_to_merge();
    expect_end(&run(&unharmed, &flags(&MERGED)), 0, "complete");
    check_merged(&unharmed, &forge, "no fault");
    let faults = kills(&unharmed, |fact| matches!(fact, Fact::Issue(IssueStep::Ending)), 1);
    each_of(&faults, |fault| {
        let (night, forge) = one_issue_to_merge();
        let killed =
            night.env.run(command(&night, &flags(&MERGED)).env("WINDLASS_TEST_FAULT", fault), PATIENCE);
        assert_eq!(killed.signal, Some(9), "{fault}: not killed: {}", killed.stderr_text());
        resume_to_the_end(&night, fault);
        check_merged(&night, &forge, fault);
    });
}

// rows: 75, 85
#[test]
fn killed_around_every_order_of_the_result_nothing_is_told_twice() {
    for (order, before) in [("POST issues/N/comments", 1), ("POST issues/N/labels", 0), ("PATCH issues/N", 0)]
    {
        for trouble in [Trouble::HangBefore, Trouble::HangAfter] {
            let what = format!("{order}, {trouble:?}");
            let (night, forge) = one_issue_to_merge();
            // The first comment is the lease.
            (0..before).for_each(|_| forge.meet(order, Trouble::Nothing));
            forge.meet(order, trouble);
            let running = Running::start(&mut command(&night, &flags(&MERGED)));
            assert!(forge.wait_for_hanging(PATIENCE), "{what}: never asked for");
            running.signal(Signal::KILL);
            running.wait(PATIENCE);
            forge.release();
            resume_to_the_end(&night, &what);
            check_merged(&night, &forge, &what);
        }
    }
}

// rows: 85
#[test]
fn a_rate_limit_is_waited_for_by_its_time_and_one_beyond_all_patience_ends_honestly() {
    // The second comment is the lease of another issue, or the first result; pauses grow from ten seconds on.
    let (night, forge) = four_issues();
    forge.meet("POST issues/N/comments", Trouble::Nothing);
    forge.meet("POST issues/N/comments", Trouble::RateLimitFor(2));
    let outcome = run(&night, &flags(&LANES));
    expect_end(&outcome, 0, "complete");
    let said = outcome.stderr_text() + &outcome.stdout_text();
    assert!(
        said.contains("the forge was asked too often, and answers again at") && said.contains("; again at"),
        "{said}"
    );
    check_lanes(&night, &forge, "limits of seconds");

    // Beyond all patience, when the result is to be told: the work is kept, and `resume` tells it.
    let (night, forge) = super::issues::night();
    forge.add_issue(IssueShown::new(12, "Thing", ""));
    forge.meet("POST issues/N/comments", Trouble::Nothing);
    forge.meet("POST issues/N/comments", Trouble::RateLimit);
    let outcome = run(&night, &flags(&[]));
    expect_end(&outcome, 24, "needs_human");
    let said = outcome.stderr_text() + &outcome.stdout_text();
    assert!(said.contains("what became of #12 could not be told") && said.contains("2030-03-17"), "{said}");
    assert!(results(&forge.issue(12)).is_empty());
    let calls = started(&night).len();
    resume_to_the_end(&night, "a limit of years");
    assert_eq!(started(&night).len(), calls, "its work was done");
    let issue = forge.issue(12);
    assert_eq!((results(&issue).len(), issue.labels), (1, vec![labels::DONE.to_owned()]));
}

// rows: 75, 85
#[test]
fn killed_while_the_forge_wants_to_be_left_in_peace_the_work_is_done_once_and_told_once() {
    // When the issue is to be leased, and when its result is to be told.
    for before in [0, 1] {
        let what = format!("after {before} comments");
        let (night, forge) = night();
        forge.add_issue(IssueShown::new(12, "Thing", ""));
        (0..before).for_each(|_| forge.meet("POST issues/N/comments", Trouble::Nothing));
        forge.meet("POST issues/N/comments", Trouble::RateLimitFor(4));
        let running = Running::start(&mut command(&night, &flags(&[])));
        night.wait_for_fact("the wait", |fact| {
            matches!(fact, Fact::Issue(IssueStep::Stalled { next: IssueMove::Again(_), .. }))
        });
        running.signal(Signal::KILL);
        assert_eq!(running.wait(PATIENCE).signal, Some(9), "{what}");
        night.env.assert_no_processes(CLEARED);
        let calls = started(&night).len();
        assert_eq!(calls, before, "{what}: it waits with its work undone, or done");
        expect_end(&night.resume(&[]), 0, "complete");
        assert_eq!(started(&night), ["#12"], "{what}");
        let issue = forge.issue(12);
        assert_eq!(results(&issue).len(), 1, "{what}: {:?}", issue.comments);
        assert!(leases(&issue).iter().all(|lease| lease.until.is_none()), "{what}: {:?}", issue.comments);
        assert_eq!(issue.labels, [labels::DONE], "{what}");
        night.assert_clean();
    }
}

// rows: 75, 85
#[test]
fn killed_while_the_agent_has_no_usage_left_the_issue_stays_leased_and_is_told_once() {
    let limited = calls(&["{ usage_limit = { resets_in = '4s' } }"]);
    let (night, forge) = scripted(&format!("{limited}{HONEST}"));
    forge.add_issue(IssueShown::new(12, "Thing", ""));
    let running = Running::start(&mut command(&night, &flags(&[])));
    night.wait_for_fact("the wait", |fact| matches!(fact, Fact::AttemptRepeats { .. }));
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    let issue = forge.issue(12);
    assert!(results(&issue).is_empty() && leases(&issue).len() == 1, "{:?}", issue.comments);
    expect_end(&night.resume(&[]), 0, "complete");
    let issue = forge.issue(12);
    assert_eq!((results(&issue).len(), leases(&issue).len()), (1, 1), "{:?}", issue.comments);
    assert_eq!(issue.labels, [labels::DONE]);
    night.assert_clean();
}
