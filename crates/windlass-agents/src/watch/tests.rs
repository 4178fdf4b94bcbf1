//! A call's clocks on time lines, in whole seconds (tenths where it matters).

use std::time::Duration;

use proptest::prelude::*;
use windlass_core::spec::AgentSpec;
use windlass_core::values::{Class, Cost, Cut, Denial, Ended, Now, Tokens, UsageLimit};

use super::{CallWatch, Due};
use crate::testing::clocks;
use crate::{Activity, Digest, MessageId, MessageUsage, ResultDigest};

mod costs;

/// What happens, and what is asked.
#[derive(Clone, Debug)]
enum Step {
    Bytes,
    Init,
    Work,
    Nested,
    Result,
    Background(u32),
    Retry(&'static str),
    Exit,
    Closed,
    Cut(Cut),
    /// This is due now, and was not a moment before.
    Becomes(Due),
    Nothing,
}

use Step::{Background, Becomes, Bytes, Closed, Exit, Init, Nested, Nothing, Result, Retry, Work};

const LINGERING: Step = Becomes(Due::Cut(Cut::Lingering));
const SILENCE: Step = Becomes(Due::Cut(Cut::Silence));
const FINISHED: Step = Becomes(Due::Finished);

fn tenths(tenths: u64) -> Duration {
    Duration::from_millis(tenths * 100)
}

fn watch() -> CallWatch {
    CallWatch::new(&AgentSpec::new("claude", "claude".into()), Duration::ZERO, clocks())
}

fn result(text: &str) -> ResultDigest {
    ResultDigest { subtype: "success".into(), text: text.into(), ..ResultDigest::default() }
}

fn take(watch: &mut CallWatch, at: Duration, step: &Step) {
    let digest = match step {
        Bytes => return watch.bytes(at),
        Exit => return watch.exited(at, Ended::Exited(0)),
        Closed => return watch.pipes_closed(at),
        Step::Cut(cut) => return watch.cut(*cut),
        Becomes(due) => {
            assert_eq!(watch.due(at), Some(*due), "at {at:?}");
            assert_eq!(watch.next_due(), Some(at), "when {due:?} was due");
            return;
        }
        Nothing => return assert_eq!(watch.due(at), None, "at {at:?}"),
        Init => Digest::Started { model: String::new() },
        Work => Digest::Activity(Activity::Running),
        Nested => Digest::Activity(Activity::Delegating),
        Result => Digest::Result(Box::new(result("ok"))),
        Background(running) => Digest::Background(*running),
        Retry(error) => Digest::Retry { status: Some(401), error: (*error).into() },
    };
    watch.bytes(at);
    watch.observe(at, &digest);
}

fn run(line: &[(u64, Step)]) -> CallWatch {
    let mut watch = watch();
    for (at, step) in line {
        take(&mut watch, tenths(*at), step);
    }
    watch
}

// Seed defect D1, commit 10061e8: healthy calls were killed after five minutes.
#[test]
fn silence_counts_from_the_last_byte() {
    run(&[(0, Init), (8_990, Nothing), (9_000, SILENCE)]);
    run(&[(0, Init), (8_000, Bytes), (9_500, Nothing), (17_000, SILENCE)]);
    run(&[(9_000, SILENCE)]);
}

// rows: 59
#[test]
fn the_wall_clock_runs_through() {
    let mut line: Vec<(u64, Step)> = (0..90).map(|step| (step * 1_000, Work)).collect();
    line.push((90_000, Becomes(Due::Cut(Cut::WallClock))));
    run(&line);
    let mut watch = watch();
    watch.clocks.wall_means = Cut::Duration;
    watch.clocks.wall = Duration::from_secs(5);
    assert_eq!(watch.due(Duration::from_secs(5)), Some(Due::Cut(Cut::Duration)));
    watch.clocks.wall = Duration::MAX;
    watch.started = Duration::from_secs(1);
    assert_eq!(watch.next_due(), Some(Duration::from_mins(15)));
}

#[test]
fn a_call_ends_where_its_tokens_are_used_up_and_not_once_its_result_is_there() {
    let used = |message: u64, input: u64| {
        let tokens = Tokens { input, ..Tokens::default() };
        let message = MessageId(message);
        Digest::Usage(Box::new(MessageUsage { message, tokens, whole: true, ..MessageUsage::default() }))
    };
    let mut watch = watch();
    watch.clocks.tokens = Some(300);
    for (message, due) in [(1, None), (1, None), (2, Some(Due::Cut(Cut::Tokens)))] {
        watch.observe(tenths(1), &used(message, 200));
        assert_eq!(watch.due(tenths(1)), due);
    }
    watch.observe(tenths(2), &Digest::Result(Box::new(result("ok"))));
    assert_eq!(watch.due(tenths(2)), None);
    watch.observe(tenths(3), &Digest::Started { model: String::new() });
    assert_eq!(watch.due(tenths(3)), Some(Due::Cut(Cut::Tokens)), "it went on");
}

// rows: 59
#[test]
fn after_its_result_a_process_has_to_end() {
    run(&[(10, Result), (109, Nothing), (110, LINGERING)]);
    // Bytes that say nothing do not prolong it.
    run(&[(10, Result), (100, Bytes), (110, LINGERING)]);
    // A second start means that work goes on, until the next result.
    run(&[(10, Result), (50, Init), (200, Nothing), (300, Result), (399, Nothing), (400, LINGERING)]);
    run(&[(10, Result), (50, Work), (200, Nothing), (9_050, SILENCE)]);
    run(&[(10, Result), (50, Nested), (110, LINGERING)]);
}

#[test]
fn background_tasks_are_given_longer() {
    run(&[(5, Background(1)), (10, Result), (200, Nothing), (6_010, LINGERING)]);
    // The last one ends: the agent has a moment to wake up.
    run(&[(5, Background(1)), (10, Result), (200, Background(0)), (250, Nothing), (300, LINGERING)]);
    run(&[(5, Background(1)), (10, Result), (200, Background(0)), (201, Init), (900, Nothing)]);
    run(&[(5, Background(2)), (10, Result), (200, Background(1)), (6_200, LINGERING)]);
    // Before a result they change nothing.
    run(&[(5, Background(1)), (9_005, SILENCE)]);
}

#[test]
fn two_refused_logins_are_enough() {
    const HOPELESS: Step = Becomes(Due::Cut(Cut::HopelessRetries));
    const REFUSED: Step = Retry("authentication_failed");
    run(&[(5, REFUSED), (9, Nothing), (10, REFUSED), (10, HOPELESS)]);
    run(&[(5, Retry("overloaded")), (10, Retry("overloaded")), (11, Nothing)]);
    run(&[(5, REFUSED), (7, Retry("overloaded")), (10, REFUSED), (11, Nothing)]);
    run(&[(5, REFUSED), (7, Work), (10, REFUSED), (11, Nothing)]);
    run(&[(5, REFUSED), (7, Init), (10, REFUSED), (10, HOPELESS)]);
}

#[test]
fn a_cut_is_raised_once_and_its_first_reason_stands() {
    let mut watch = run(&[(9_000, SILENCE), (9_000, Step::Cut(Cut::Silence)), (95_000, Nothing)]);
    assert_eq!(watch.next_due(), None);
    watch.cut(Cut::Stop);
    watch.exited(tenths(9_010), Ended::Signalled(15));
    let report = watch.report(now(9_020), "");
    assert_eq!((report.cut, report.class), (Some(Cut::Silence), Class::TaskFailure));
    assert_eq!(report.detail, "Claude Code printed nothing for 15 min, and was ended.");
}

#[test]
fn after_the_exit_the_pipes_are_drained_with_a_bound() {
    run(&[(10, Exit), (11, Closed), (11, FINISHED)]);
    run(&[(10, Closed), (20, Nothing), (30, Exit), (30, FINISHED)]);
    run(&[(10, Exit), (19, Nothing), (20, FINISHED)]);
    run(&[(10, Exit), (15, Bytes), (24, Nothing), (25, FINISHED)]);
    let mut held: Vec<(u64, Step)> = vec![(10, Exit)];
    held.extend((11..60).map(|at| (at, Bytes)));
    held.push((60, FINISHED));
    run(&held);
    // Nothing is cut any more.
    run(&[(10, Result), (100, Exit), (105, Bytes), (110, Nothing), (115, FINISHED)]);
}

fn now(at: u64) -> Now {
    Now { wall: "2026-11-21T20:30:00Z".parse().unwrap(), monotonic: tenths(at) }
}

// rows: 51, 55, 56
#[test]
fn the_report_has_the_last_totals_and_only_good_results() {
    let denial = |tool: &str| Denial { tool: tool.into(), rule: tool.into(), ..Denial::default() };
    let mut watch = watch();
    let mut say = |digest: Digest| watch.observe(tenths(1), &digest);
    say(Digest::ToolUse);
    say(Digest::ToolUse);
    say(Digest::Garbage);
    say(Digest::Limit { rejected: None, overage: true });
    say(Digest::Limit { rejected: None, overage: false });
    let tokens = |input| Tokens { input, ..Tokens::default() };
    say(Digest::Result(Box::new(ResultDigest {
        cost_usd: Some(1.0),
        tokens: tokens(5),
        denials: vec![denial("a"), denial("a")],
        ..result("first")
    })));
    say(Digest::Result(Box::new(ResultDigest { is_error: true, ..result("an error that claims") })));
    say(Digest::Result(Box::new(ResultDigest {
        cost_usd: Some(1.5),
        tokens: tokens(7),
        denials: vec![denial("a"), denial("b")],
        ..result("")
    })));
    watch.exited(tenths(30), Ended::Exited(0));
    let report = watch.report(now(40), "");
    assert_eq!((report.class, report.detail.as_str()), (Class::Success, ""));
    assert_eq!(report.results, ["first", ""]);
    assert_eq!((report.cost, report.tokens.input), (Some(Cost::from_dollars(1.5)), 7));
    assert_eq!(report.denials, [denial("a"), denial("b")]);
    assert_eq!((report.tool_uses, report.garbage_lines, report.overage), (2, 1, true));
    assert_eq!(report.duration, tenths(30));
}

#[test]
fn what_grows_is_bounded() {
    let mut watch = watch();
    for number in 0..500 {
        let denial = Denial { tool: "Bash".into(), input: number.to_string(), ..Denial::default() };
        let result = ResultDigest { denials: vec![denial], ..result(&number.to_string()) };
        watch.observe(tenths(1), &Digest::Result(Box::new(result)));
    }
    let report = watch.report(now(1), "");
    assert_eq!((report.results.len(), report.denials.len()), (50, 20));
    assert_eq!(report.results.last().unwrap(), "499");
}

#[test]
fn a_call_whose_end_nobody_saw_is_interrupted() {
    let report = run(&[(5, Result)]).report(now(20), "");
    assert_eq!((report.class, report.ended, report.duration), (Class::Interrupted, Ended::Lost, tenths(20)));
    assert_eq!(report.results, ["ok"]);
}

#[test]
fn what_the_api_had_failed_at_stays_that_when_the_keeper_dies_and_all_else_is_the_tasks() {
    let lost = |digests: &[Digest], cut: Option<Cut>| {
        let mut watch = watch();
        for digest in digests {
            watch.observe(tenths(1), digest);
        }
        if let Some(cut) = cut {
            watch.cut(cut);
        }
        let mut report = watch.report(now(3), "");
        let unseen = report.clone();
        report.lost_with_its_keeper("the keeper was killed");
        (unseen.class, report)
    };
    let failed =
        |status, text| Digest::Result(Box::new(ResultDigest { is_error: true, status, ..result(text) }));
    let retry = Digest::Retry { status: Some(529), error: "overloaded".to_owned() };
    for (digest, class) in [
        (failed(Some(529), "API Error: Overloaded"), Class::Outage),
        (failed(Some(401), "API Error: 401"), Class::Auth),
        (failed(Some(400), "API Error: 400 what nobody knows"), Class::Unknown),
        (retry, Class::Outage),
    ] {
        let (unseen, mut report) = lost(&[digest], None);
        assert_eq!((unseen, report.class, report.ended), (class, class, Ended::Lost));
        assert!(!report.detail.is_empty() && report.detail != "the keeper was killed");
        report.lost_with_its_runner("nobody saw it");
        assert_eq!((report.class, report.limit), (Class::Interrupted, None), "whoever resumes asks again");
    }
    for (digests, cut) in [
        (vec![], None),
        (vec![Digest::Result(Box::new(result("done")))], None),
        // Else an agent that kills its keeper when it is asked to end would be repeated for ever.
        (vec![], Some(Cut::Silence)),
        (vec![Digest::Result(Box::new(result("done")))], Some(Cut::Lingering)),
    ] {
        let (unseen, report) = lost(&digests, cut);
        assert_eq!((unseen, report.class), (Class::Interrupted, Class::TaskFailure), "{digests:?}");
        assert_eq!(report.detail, "the keeper was killed");
    }
    for cut in [Cut::Stop, Cut::Duration] {
        assert_eq!(lost(&[], Some(cut)).1.class, Class::Interrupted);
    }
}

#[test]
fn a_refusal_that_was_taken_back_is_forgotten() {
    let limit = |rejected| Digest::Limit { rejected, overage: false };
    let failed = ResultDigest { is_error: true, status: Some(429), ..result("x") };
    let class = |digests: &[Digest]| {
        let mut watch = watch();
        for digest in digests {
            watch.observe(tenths(1), digest);
        }
        watch.exited(tenths(2), Ended::Exited(1));
        watch.report(now(3), "").class
    };
    let refused = limit(Some(UsageLimit { resets_at: None, window: String::new() }));
    let failed = Digest::Result(Box::new(failed));
    assert_eq!(class(&[refused.clone(), failed.clone()]), Class::UsageLimit);
    assert_eq!(class(&[refused.clone(), limit(None), failed]), Class::Outage);
    assert_eq!(class(&[refused]), Class::UsageLimit);
}

#[test]
fn an_error_after_a_good_result_is_judged_alone() {
    let mut watch = run(&[(5, Result), (6, Init)]);
    watch.observe(tenths(7), &Digest::ApiError("billing_error".into()));
    watch.exited(tenths(8), Ended::Exited(1));
    assert_eq!(watch.report(now(9), "").class, Class::Billing);
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        Just(Bytes),
        Just(Init),
        Just(Work),
        Just(Nested),
        Just(Result),
        (0_u32..3).prop_map(Background),
        Just(Retry("authentication_failed")),
        Just(Retry("overloaded")),
        Just(Closed),
        Just(Step::Cut(Cut::Silence)),
    ]
}

proptest! {
    /// Whatever happens, a process that has ended is finished within five seconds, and stays so.
    #[test]
    fn an_ended_call_finishes(before in proptest::collection::vec((0_u64..200, any_step()), 0..20), after in proptest::collection::vec((0_u64..20, any_step()), 0..20)) {
        let (mut watch, mut at) = (watch(), 0);
        for (wait, step) in before {
            at += wait;
            take(&mut watch, tenths(at), &step);
        }
        take(&mut watch, tenths(at), &Exit);
        let exit = at;
        for (wait, step) in after {
            at += wait;
            take(&mut watch, tenths(at), &step);
            prop_assert!(watch.next_due().unwrap() <= tenths(exit + 50));
        }
        prop_assert_eq!(watch.due(tenths(exit + 50)), Some(Due::Finished));
    }

    /// `next_due` and `due` agree at every moment, and a call that nobody ends is cut in the end.
    #[test]
    fn a_time_in_the_past_is_due(steps in proptest::collection::vec((0_u64..20_000, any_step()), 0..30), ask in 0_u64..200_000) {
        let (mut watch, mut at) = (watch(), 0);
        for (wait, step) in steps {
            at += wait;
            take(&mut watch, tenths(at), &step);
        }
        let next = watch.next_due();
        prop_assert_eq!(watch.due(tenths(ask)).is_some(), next.is_some_and(|when| when <= tenths(ask)));
        prop_assert_eq!(next.is_none(), watch.cut.is_some());
        prop_assert!(next.is_none_or(|when| when <= Duration::from_mins(150)));
    }
}

// rows: 55
#[test]
fn a_call_whose_credentials_were_only_refused_cost_nothing() {
    let refused = || Digest::Retry { status: Some(401), error: "authentication_failed".into() };
    let overloaded = Digest::Retry { status: Some(529), error: "overloaded".into() };
    let report = |digests: &[Digest]| {
        let mut watch = watch();
        for digest in digests {
            watch.observe(tenths(1), digest);
        }
        watch.cut(Cut::HopelessRetries);
        watch.exited(tenths(2), Ended::Exited(143));
        watch.report(now(3), "a warning")
    };
    let only = report(&[refused(), refused()]);
    assert_eq!((only.class, only.cost), (Class::Auth, Some(Cost::ZERO)));
    assert!(
        only.detail.starts_with("Claude Code's login is refused: the API answers 401. Run "),
        "{}",
        only.detail
    );
    // A session that was refused in its middle has used up something.
    assert_eq!(report(&[Digest::Activity(Activity::Writing), refused(), refused()]).cost, None);
    assert_eq!(report(&[Digest::Thought, refused(), refused()]).cost, None);
    assert_eq!(report(&[Digest::Activity(Activity::Writing), refused(), overloaded.clone()]).cost, None);
    assert_eq!(report(&[refused(), overloaded]).cost, Some(Cost::ZERO));
}
