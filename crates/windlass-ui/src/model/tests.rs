use std::time::Duration;

use windlass_core::fact::{Entry, Fact};
use windlass_core::forge::PullRequestState;
use windlass_core::report::{DeliveryBasis, DeliveryMove, DeliveryOutcome, DeliveryStep, PullRequestSeen};
use windlass_core::values::{CallSummary, Class, Cost, LaneId, Tokens, Verdict};

use super::*;
use crate::board::Board;
use crate::document::{RunState, RunStatus};
use crate::event::Event;
use crate::testing::{Night as MadeUp, plan};

fn facts(night: &MadeUp) -> Vec<Entry> {
    let entry = |event: &Event| match event {
        Event::Fact(entry) | Event::Past(entry) => Some((**entry).clone()),
        _ => None,
    };
    night.events.iter().filter_map(entry).collect()
}

fn course(night: &MadeUp) -> Course {
    Course::of(&facts(night))
}

fn now() -> Timestamp {
    "2026-03-02T07:00:00Z".parse().unwrap()
}

fn seen(night: &MadeUp, places: Option<&PlacesSeen>) -> RunSeen {
    course(night).seen((RunState::Interrupted, None), places, now())
}

#[test]
fn the_whole_night_is_seen_as_its_status_has_it() {
    let night = MadeUp::new().whole();
    let run = seen(&night, None);
    let mut board = Board::default();
    for entry in &facts(&night) {
        board.fact(entry);
    }
    assert_eq!(run.status, RunStatus::new(&board, RunState::Interrupted, None, now()));
    let verdicts: Vec<Option<Verdict>> = run.rounds.iter().map(|round| round.verdict).collect();
    assert_eq!(
        verdicts,
        [Verdict::Worked, Verdict::Idle, Verdict::ClaimRefused, Verdict::Failed, Verdict::ClaimAccepted]
            .map(Some)
    );
    assert_eq!(run.verdicts.total(), run.status.iterations);
    assert_eq!(run.verdicts.in_words(), "1 worked, 1 accepted, 1 refused, 1 idle, 1 failed");
    let refused = &run.rounds[2];
    assert_eq!(refused.wasted, Wasted { refused: Cost::from_dollars(0.31), ..Wasted::default() });
    assert!(
        refused.why.contains("cargo test -q: test result: FAILED. 13 passed; 1 failed"),
        "{}",
        refused.why
    );
    assert_eq!(run.wasted.idle, Cost::from_dollars(0.11));
    assert_eq!(run.waits.len(), 1);
    assert_eq!(run.gates.len(), 1);
    let gate = &run.gates[0];
    assert_eq!(gate.before.map(|before| before == CheckResult::Passed), Some(false));
    assert_eq!(gate.last.as_ref().map(|last| last.result), Some(CheckResult::Passed));
    assert_eq!(gate.iteration, Some(5));
    assert_eq!(run.waited_for.who, Who::Nobody);
}

#[test]
fn what_a_lost_call_is_heard_to_have_cost_is_its_cost_everywhere() {
    let mut night = MadeUp::new();
    night.start();
    let lost = |call: &mut CallSummary| (call.cost, call.estimated) = (Cost::from_dollars(0.5), true);
    night.iteration(1).called(lost).fact(Fact::AttemptRepeats {
        lane: LaneId(0),
        iteration: 1,
        attempt: 1,
        class: Class::Interrupted,
    });
    let before = seen(&night, None);
    let call = before.rounds[0].calls[0].call;
    night.fact(Fact::CallRecharged {
        lane: LaneId(0),
        call,
        cost: Cost::from_dollars(0.2),
        estimated: false,
        listed: Cost::ZERO,
        tokens: Tokens { input: 7, ..Tokens::default() },
        replaces: Cost::from_dollars(0.5),
        replaces_tokens: before.rounds[0].calls[0].tokens,
    });
    let after = seen(&night, None);
    let round = &after.rounds[0];
    assert_eq!((round.cost, round.estimated_cost), (Cost::from_dollars(0.2), Cost::ZERO));
    assert_eq!((round.calls[0].cost, round.calls[0].estimated), (Cost::from_dollars(0.2), false));
    assert_eq!(round.tokens.total(), 7);
    assert_eq!(round.wasted.repeated, Cost::from_dollars(0.2));
    assert_eq!(
        after.status.cost,
        before.status.cost.minus(Cost::from_dollars(0.5)) + Cost::from_dollars(0.2)
    );
    assert_eq!(after.status.cost, after.rounds.iter().map(|round| round.cost).sum());
}

#[test]
fn at_every_moment_the_sums_are_those_of_the_status() {
    let night = MadeUp::new().whole();
    let mut course = Course::default();
    let mut finished = 0;
    for entry in facts(&night) {
        course.take(&entry);
        finished += u32::from(matches!(entry.fact, Fact::IterationFinished { .. }));
        let run = course.seen((RunState::Running, None), None, now());
        assert_eq!(run.verdicts.total(), finished, "{}", entry.seq);
        assert!(run.wasted.total() <= run.rounds.iter().map(|round| round.cost).sum(), "{}", entry.seq);
    }
    assert!(finished > 1);
}

#[test]
fn money_is_wasted_once() {
    let (all, part) = (Cost::from_dollars(3.0), Cost::from_dollars(1.0));
    for verdict in [Verdict::Worked, Verdict::ClaimAccepted] {
        assert_eq!(Wasted::of(Some(verdict), all, part).total(), part);
    }
    for verdict in [Verdict::Failed, Verdict::Idle, Verdict::ClaimRefused, Verdict::ClaimUnsupported] {
        assert_eq!(Wasted::of(Some(verdict), all, part).total(), all, "{verdict:?}");
        assert_eq!(Wasted::of(Some(verdict), all, part).repeated, part, "{verdict:?}");
        // Estimates of parts may be more than the run's own sum of them.
        assert_eq!(Wasted::of(Some(verdict), part, all).total(), part, "{verdict:?}");
    }
}

#[test]
fn what_a_repeated_attempt_cost_is_wasted_though_its_iteration_worked() {
    let mut night = MadeUp::new();
    night.start().iteration(1).pass(60).called(|call| {
        call.class = Class::Outage;
        call.cost = Cost::from_dollars(0.2);
    });
    let lane = LaneId(0);
    night.fact(Fact::AttemptRepeats { lane, iteration: 1, attempt: 1, class: Class::Outage });
    night.call(1, 2).pass(60).called(|call| call.cost = Cost::from_dollars(0.3));
    night.finished(1, Verdict::Worked, Class::Success, 0.5, 120);
    let run = seen(&night, None);
    assert_eq!(run.wasted, Wasted { repeated: Cost::from_dollars(0.2), ..Wasted::default() });
    let repeated: Vec<bool> = run.rounds[0].calls.iter().map(|call| call.repeated).collect();
    assert_eq!(repeated, [true, false]);
    assert_eq!(Duration::from_millis(run.rounds[0].duration_ms), Duration::from_mins(2));
}

#[test]
fn what_is_merged_already_is_not_to_be_merged() {
    let opened_as =
        |number| DeliveryStep::Opened { number, url: format!("https://x/{number}"), found: false };
    let opened = || opened_as(7);
    let viewed = |state, outcome| DeliveryStep::Viewed {
        seen: PullRequestSeen { state, ..PullRequestSeen::default() },
        next: DeliveryMove::End { outcome, detail: String::new() },
    };
    let begun = || DeliveryStep::Begun { head: "bbbb".to_owned(), basis: DeliveryBasis::Shown };
    let part = |part| DeliveryStep::PartBegun { part, branch: format!("night-{part}"), task: None };
    let by_run = || DeliveryStep::Merged { commit: "cccc".to_owned() };
    let by_person = || viewed(PullRequestState::Merged, DeliveryOutcome::MergedByPerson);
    let left = || viewed(PullRequestState::Open, DeliveryOutcome::Left);
    let seen_later = |part| DeliveryStep::PartSeen { part, state: PullRequestState::Merged };
    let look = "look at it, and merge it there";
    for (steps, sentence, step) in [
        (vec![opened()], "its pull request: https://x/7", Some(look)),
        (vec![opened(), by_run()], "its pull request is merged: https://x/7", None),
        (vec![opened(), by_person()], "its pull request is merged: https://x/7", None),
        (vec![opened(), by_person(), begun()], "its pull request: https://x/7", Some(look)),
        (
            vec![opened(), viewed(PullRequestState::Closed, DeliveryOutcome::ClosedByPerson)],
            "its pull request: https://x/7",
            Some("look at it: it was closed there"),
        ),
        (vec![part(1), opened(), left(), seen_later(1)], "its pull request is merged: https://x/7", None),
        (
            vec![part(1), opened(), left(), part(2), opened_as(8), left(), seen_later(1)],
            "its 2 pull requests, 1 of them merged",
            Some("https://x/8"),
        ),
        (
            vec![part(1), opened(), left(), part(2), opened_as(8), by_run()],
            "its 2 pull requests, 1 of them merged",
            Some("https://x/7"),
        ),
        (
            vec![part(1), opened(), by_run(), part(2), opened_as(8), by_run()],
            "its 2 pull requests are merged; the last one: https://x/8",
            None,
        ),
    ] {
        let mut night = MadeUp::new();
        night.start();
        for step in steps {
            night.fact(Fact::Delivery(step));
        }
        let landing = seen(&night, None).landing;
        assert_eq!(landing.sentence, sentence);
        let steps: Vec<String> =
            landing.steps.iter().map(|step| format!("{}: {}", step.command, step.purpose)).collect();
        assert!(steps.len() == usize::from(step.is_some()), "{steps:?}");
        assert!(steps.iter().zip(step).all(|(typed, holds)| typed.contains(holds)), "{steps:?}");
    }
}

#[test]
fn how_the_work_is_merged_depends_on_where_it_is() {
    let mut night = MadeUp::new();
    let looked = |head: &str| {
        let evidence = windlass_core::values::Evidence { head: Some(head.to_owned()), ..Default::default() };
        Fact::TreeRechecked(windlass_core::report::TreeRechecked { lane: LaneId(0), evidence })
    };
    night.start().fact(looked("aaaa")).iteration(1).called(|_| {}).kept(2).fact(looked("bbbb"));
    let main =
        |uncommitted| MainTree { path: "/home/ada/a b".into(), branch: Some("main".to_owned()), uncommitted };
    let places = |head, main| PlacesSeen {
        branch: Some("night".to_owned()),
        head: Some(head),
        main,
        ..PlacesSeen::default()
    };
    for (places, sentence, commands) in [
        (
            places(CommitStanding::Merged, None),
            "2 commits on night already: nothing to merge",
            vec!["git -C /home/ada/ledger log --oneline aaaa..bbbb"],
        ),
        (
            places(CommitStanding::Clean, None),
            "2 commits, which night has not",
            vec!["git -C /home/ada/ledger merge bbbb"],
        ),
        (
            places(CommitStanding::Clean, Some(main(0))),
            "2 commits on night",
            vec!["git -C '/home/ada/a b' merge night"],
        ),
        (
            places(CommitStanding::Merged, Some(main(0))),
            "2 commits on night; merged into main already",
            vec![],
        ),
        (places(CommitStanding::Gone, Some(main(0))), "its commits are gone", vec![]),
    ] {
        let landing = seen(&night, Some(&places)).landing;
        let typed: Vec<&str> = landing.steps.iter().map(|step| step.command.as_str()).collect();
        assert_eq!((landing.sentence.as_str(), typed), (sentence, commands));
    }
    let dirty = seen(&night, Some(&places(CommitStanding::Conflicts, Some(main(3))))).landing;
    assert_eq!(
        dirty.steps[0].purpose,
        "onto main: conflicts, to be put together by hand; commit or stash what is there first"
    );
    let in_the_way = vec!["a b.txt".into(), "c".into(), "d".into(), "e".into()];
    let covered = PlacesSeen { in_the_way, ..places(CommitStanding::Clean, None) };
    assert_eq!(
        seen(&night, Some(&covered)).landing.steps[0].purpose,
        "onto night: merges without a conflict; first commit or stash what is in its way there: a b.txt, c, d and 1 more"
    );
    let unlooked = seen(&night, None).landing;
    assert_eq!(
        unlooked.sentence,
        "the last commit was bbbb in /home/ada/ledger, which git cannot look at now"
    );
    assert_eq!(plan().directory.to_string_lossy(), "/home/ada/ledger");
}
