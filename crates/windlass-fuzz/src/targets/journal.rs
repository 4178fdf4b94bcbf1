//! A journal: bytes → facts → the run that they tell of.

use std::time::Duration;

use windlass_core::fact::{Entry, Fact};
use windlass_core::report;
use windlass_core::run::{Input, Phase, Run};
use windlass_core::values::{Now, StopReason, StopSource};
use windlass_engine::store::RunSummary;
use windlass_engine::testing;

use crate::dice::Dice;

/// So many facts may follow at one moment before it looks as if there were no end.
const ENOUGH: usize = 100;

pub(crate) fn run(data: &[u8]) {
    let mut dice = Dice::of(data);
    let whole = testing::journal(&[data]);
    check_prefix(data, whole.as_ref().ok(), &mut dice);
    let Ok((entries, consumed)) = whole else { return };
    assert!(consumed <= data.len() && (consumed == 0 || data.get(consumed - 1) == Some(&b'\n')));
    let pieces = testing::journal(&dice.pieces(data)).ok();
    assert_eq!(pieces, Some((entries.clone(), consumed)), "it matters how it grew");
    check_reprint(data, &entries);
    let _ = RunSummary::of(&entries);
    let run = fold(&entries);
    for input in inputs(&entries, &mut dice) {
        go_on(run.clone(), &entries, input, &mut dice);
    }
}

/// What was cut off anywhere tells the beginning of the same story.
fn check_prefix(data: &[u8], whole: Option<&(Vec<Entry>, usize)>, dice: &mut Dice) {
    let kept = data.get(..dice.below(data.len() + 1)).unwrap_or_default();
    match (testing::journal(&[kept]), whole) {
        (Ok((entries, _)), Some((all, _))) => {
            assert!(all.starts_with(&entries), "a prefix tells another story");
        }
        (Err(error), Some(_)) => panic!("only a prefix of it is refused: {error}"),
        (_, None) => {}
    }
}

fn check_reprint(data: &[u8], entries: &[Entry]) {
    let header = data.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut printed = header.to_vec();
    for entry in entries {
        match serde_json::to_vec(entry) {
            Ok(line) => printed.extend(line),
            Err(error) => panic!("{entry:?} cannot be written: {error}"),
        }
        printed.push(b'\n');
    }
    if !entries.is_empty() {
        let again = testing::journal(&[&printed]).map(|(entries, _)| entries).ok();
        assert_eq!(again.as_deref(), Some(entries), "written and read");
    }
}

/// The run after all facts up to the first that is illegal.
fn fold(entries: &[Entry]) -> Run {
    let mut run = Run::new();
    for entry in entries {
        let before = run.clone();
        if let Err(illegal) = run.apply(entry) {
            assert_eq!(run, before, "an illegal fact changed something");
            assert!(!illegal.why.is_empty());
            break;
        }
        assert_eq!(run.next_seq(), before.next_seq() + 1);
        check_state(&run, entry.at);
    }
    run
}

fn check_state(run: &Run, now: Now) {
    let effects = run.outstanding();
    assert!(run.phase() == Phase::Active || effects.is_empty(), "a run that has ended does something");
    let _ = (run.next_due(now), run.call_clocks(now), run.active(now));
    assert!(run.ledger().is_estimated() || run.ledger().spent() >= windlass_core::values::Cost::ZERO);
}

fn inputs(entries: &[Entry], dice: &mut Dice) -> Vec<Input> {
    let plan = entries.iter().rev().find_map(|entry| match &entry.fact {
        Fact::RunStarted { plan } | Fact::RunResumed { plan } => Some(plan.clone()),
        _ => None,
    });
    let sources = [StopSource::Interrupt, StopSource::Terminate, StopSource::Command];
    let by = dice.pick(&sources).copied().unwrap_or(StopSource::Interrupt);
    let failed = Input::from(report::Broken {
        stop_reason: StopReason::DiskFull,
        detail: "the disk is full".to_owned(),
    });
    let mut inputs = vec![Input::Tick, Input::Stop { by, least: 1 }, failed];
    inputs.extend(plan.map(Input::Resume));
    inputs
}

/// What is decided next is legal, and at one moment only so much follows.
fn go_on(mut run: Run, entries: &[Entry], input: Input, dice: &mut Dice) {
    let Some(last) = entries.last() else { return };
    let later = Duration::from_millis(dice.next() % 100_000_000);
    let now = Now {
        wall: last.at.wall.checked_add(later).unwrap_or(last.at.wall),
        monotonic: last.at.monotonic.saturating_add(later),
    };
    let mut next = Some(input);
    for _ in 0..ENOUGH {
        let facts = run.decide(now, next.take().unwrap_or(Input::Tick));
        if facts.is_empty() {
            return;
        }
        for fact in facts {
            let entry = Entry { seq: run.next_seq(), at: now, fact };
            if let Err(illegal) = run.apply(&entry) {
                panic!("it decided what is illegal: {illegal}: {entry:?}");
            }
            check_state(&run, now);
        }
    }
    panic!("time stands still and facts follow without end");
}
