//! What iterations cost, one by one and in all.

use maud::html;
use windlass_core::values::Cost;
use windlass_ui::format;
use windlass_ui::model::{IterationSeen, RunSeen};
use windlass_ui::report::{Column, Table, own, verdict};

use super::bars::{Bar, Bars};
use super::verdicts::word;
use super::{Chart, Key, WIDTH, numbers, shown, units};

const HEIGHT: u32 = 120;

/// A bar for each iteration, what of it was wasted hatched from its foot. `None` where nothing cost anything.
pub fn cost_per_iteration(run: &RunSeen) -> Option<Chart> {
    let rounds = shown(run);
    let most = rounds.iter().map(|round| round.cost).max().filter(|most| !most.is_zero())?;
    let step = WIDTH / rounds.len() as f64;
    let gap = if rounds.len() > 100 { 0.0 } else { step * 0.1 };
    let high = |cost: Cost| cost.dollars() / most.dollars() * f64::from(HEIGHT);
    let mut bars = Bars::of(rounds.len());
    for (index, round) in rounds.iter().enumerate() {
        let bar = |height: f64| Bar {
            x: index as f64 * step,
            y: f64::from(HEIGHT) - height,
            width: step - gap,
            height,
        };
        let (height, vain) = (high(round.cost), high(round.wasted.total()));
        bars.add("spent", bar(height), || word(round));
        if vain > 0.0 {
            bars.hatch(bar(vain));
        }
    }
    let rows = run.rounds.iter().map(|round| {
        vec![
            own(round.iteration.to_string()),
            own(format::charged(round.spent())),
            own(format::money(round.wasted.total())),
            own(round.verdict.map_or("not ended", |wanted| verdict(wanted).2)),
        ]
    });
    let columns = vec![
        Column::Numbers("it."),
        Column::Numbers("cost"),
        Column::Numbers("wasted"),
        Column::Words("verdict"),
    ];
    let wasted = run.wasted.total();
    let in_vain =
        if wasted.is_zero() { "none wasted".to_owned() } else { format!("{} wasted", format::money(wasted)) };
    Some(Chart {
        id: "costs",
        title: "Cost per iteration",
        says: format!("at most {}; {in_vain}", format::money(most)),
        height: HEIGHT,
        drawing: bars.draw(),
        axis: numbers(rounds),
        keys: vec![Key::of("spent", "cost"), Key::hatched("spent", "of it wasted")],
        table: Table::new("Cost per iteration", columns, rows.collect()),
    })
}

/// What had been spent after each iteration, and the limit. `None` where nothing cost anything.
pub fn budget_line(run: &RunSeen) -> Option<Chart> {
    let spent = sums(&run.rounds);
    let total = spent.last().copied().filter(|total| !total.is_zero())?;
    let limit = run.status.budget();
    let most = limit.unwrap_or_default().max(total);
    let rounds = shown(run);
    let skipped = run.rounds.len() - rounds.len();
    let step = WIDTH / rounds.len() as f64;
    // A little air, so that a line at the top is seen.
    let level = |cost: Cost| f64::from(HEIGHT) - cost.dollars() / most.dollars() * (f64::from(HEIGHT) - 4.0);
    let before = skipped.checked_sub(1).and_then(|last| spent.get(last)).copied().unwrap_or_default();
    let mut path = format!("M0 {}", units(level(before)));
    for (index, sum) in spent.iter().skip(skipped).enumerate() {
        path.extend(["H", &units((index + 1) as f64 * step), "V", &units(level(*sum))]);
    }
    let drawing = html! {
        path.over d=(path) {}
        @if let Some(limit) = limit { path.limit d={ "M0 " (units(level(limit))) "H" (WIDTH) } {} }
    };
    let share = |sum: Cost| limit.map(|limit| format!("{:.0}%", percent(sum, limit)));
    let rows = run.rounds.iter().zip(&spent).map(|(round, sum)| {
        let mut row = vec![own(round.iteration.to_string()), own(format::money(*sum))];
        row.extend(share(*sum).map(own));
        row
    });
    let mut columns = vec![Column::Numbers("it."), Column::Numbers("spent by then")];
    columns.extend(limit.map(|_| Column::Numbers("of the limit")));
    let mut keys = vec![Key::of("spent", format!("spent {}", format::money(total)))];
    keys.extend(limit.map(|limit| Key::of("limit-key", format!("limit {}", format::money(limit)))));
    let of = limit.map(|limit| format!(" of {}", format::money(limit))).unwrap_or_default();
    Some(Chart {
        id: "budget",
        title: "Spent so far",
        says: format!("{}{of}", format::money(total)),
        height: HEIGHT,
        drawing,
        axis: numbers(rounds),
        keys,
        table: Table::new("Spent so far", columns, rows.collect()),
    })
}

fn percent(sum: Cost, limit: Cost) -> f64 {
    if limit.is_zero() { 100.0 } else { sum.dollars() / limit.dollars() * 100.0 }
}

fn sums(rounds: &[IterationSeen]) -> Vec<Cost> {
    let mut sum = Cost::ZERO;
    rounds
        .iter()
        .map(|round| {
            sum += round.cost;
            sum
        })
        .collect()
}
