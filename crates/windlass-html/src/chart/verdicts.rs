//! How iterations went, one after another.

use windlass_core::values::Verdict;
use windlass_ui::format;
use windlass_ui::model::{IterationSeen, RunSeen};
use windlass_ui::report::{Column, Table, own, verdict};

use super::bars::{Bar, Bars};
use super::{Chart, Key, WIDTH, numbers, shown};

const HEIGHT: u32 = 40;

/// All verdicts, the best first, with their classes and how high they stand; those that came to nothing are hatched.
const VERDICTS: [(Verdict, &str, f64); 6] = [
    (Verdict::ClaimAccepted, "accepted", 40.0),
    (Verdict::Worked, "worked", 30.0),
    (Verdict::ClaimUnsupported, "unproven", 22.0),
    (Verdict::ClaimRefused, "refused", 22.0),
    (Verdict::Idle, "idle", 12.0),
    (Verdict::Failed, "failed", 12.0),
];

/// The class of a verdict's shapes, how high they stand, and whether they are hatched.
pub(super) fn looks(of: Option<Verdict>) -> (&'static str, f64, bool) {
    let known = VERDICTS.iter().find(|(verdict, ..)| Some(*verdict) == of);
    known.map_or(("open", 6.0, false), |(verdict, class, height)| {
        (class, *height, !matches!(verdict, Verdict::ClaimAccepted | Verdict::Worked))
    })
}

/// A bar for each iteration, as high as its verdict is good. `None` before the first.
pub fn verdict_strip(run: &RunSeen) -> Option<Chart> {
    let rounds = shown(run);
    if rounds.is_empty() {
        return None;
    }
    let step = WIDTH / rounds.len() as f64;
    let gap = if rounds.len() > 100 { 0.0 } else { step * 0.1 };
    let mut bars = Bars::of(rounds.len());
    for (index, round) in rounds.iter().enumerate() {
        let (class, height, vain) = looks(round.verdict);
        let y = f64::from(HEIGHT) - height;
        let bar = Bar { x: index as f64 * step, y, width: step - gap, height };
        bars.add(class, bar, || word(round));
        if vain {
            bars.hatch(bar);
        }
    }
    let of = |wanted: &'static str| run.rounds.iter().filter(move |round| round.word() == wanted);
    let mut keys = Vec::new();
    let mut rows = Vec::new();
    let open = [(None, "at work"), (None, "cut off")];
    let all = VERDICTS.iter().map(|(known, ..)| (Some(*known), verdict(*known).2)).chain(open);
    for (wanted, name) in all.filter(|(_, name)| of(name).next().is_some()) {
        let count = of(name).count();
        let says = format!("{name} {count}");
        let (class, _, is_vain) = looks(wanted);
        keys.push(if is_vain { Key::hatched(class, says) } else { Key::of(class, says) });
        rows.push(vec![
            own(name),
            own(count.to_string()),
            own(ranges(of(name).map(|round| round.iteration))),
        ]);
    }
    let columns = vec![Column::Words("verdict"), Column::Numbers("iterations"), Column::Words("which")];
    Some(Chart {
        id: "verdicts",
        title: "Verdicts",
        says: run.verdicts.in_words(),
        height: HEIGHT,
        drawing: bars.draw(),
        axis: numbers(rounds),
        keys,
        table: Table::new("Verdicts", columns, rows),
    })
}

/// What is said of an iteration to whoever points at it.
pub(super) fn word(round: &IterationSeen) -> String {
    format!("iteration {}: {}, {}", round.iteration, round.word(), format::money(round.cost))
}

/// `1-3, 7`.
fn ranges(numbers: impl Iterator<Item = u32>) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let words = ranges.into_iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}-{last}"),
    });
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_follow_each_other_are_a_range() {
        assert_eq!(ranges([1, 2, 3, 5, 6, 9].into_iter()), "1-3, 5, 6, 9");
        assert_eq!(ranges([].into_iter()), "");
    }
}
