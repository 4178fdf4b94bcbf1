//! What each lane did when.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use maud::html;
use windlass_core::values::{LaneId, between};
use windlass_ui::format;
use windlass_ui::model::{IterationSeen, RunSeen};
use windlass_ui::report::{Column, Table, own};

use super::bars::{Bar, Bars};
use super::squeeze::Squeezed;
use super::verdicts::looks;
use super::{Chart, Key, WIDTH, shown};

/// How high a lane is, and what lies between two.
const LANE: (u32, u32) = (22, 6);

/// A row for each lane, a bar for each iteration; waits are narrow. `None` before the first iteration has taken any time.
pub fn lanes_over_time(run: &RunSeen, zone: &TimeZone) -> Option<Chart> {
    let rounds = shown(run);
    let now = run.ended.unwrap_or(run.status.updated);
    let span = |round: &IterationSeen| (round.started, round.ended.unwrap_or(now).max(round.started));
    let waits: Vec<(Timestamp, Timestamp)> =
        run.waits.iter().map(|wait| (wait.since, wait.ended.unwrap_or(now).max(wait.since))).collect();
    let work: Vec<_> = rounds.iter().map(span).collect();
    let scale = Squeezed::of(&work, &waits)?;
    let lanes: BTreeSet<LaneId> = rounds.iter().map(|round| round.lane).collect();
    let row_height = LANE.0 + LANE.1;
    let height = count(lanes.len()) * row_height + LANE.1;
    let row = |lane: LaneId| {
        let above = count(lanes.iter().take_while(|other| **other != lane).count());
        f64::from(above * row_height + LANE.1)
    };
    let mut bars = Bars::of(rounds.len());
    for round in rounds {
        let (from, to) = span(round);
        let (left, right) = (scale.place(from) * WIDTH, scale.place(to) * WIDTH);
        let (class, _, vain) = looks(round.verdict);
        let width = (right - left - 1.0).max(1.5);
        let bar = Bar { x: left, y: row(round.lane), width, height: f64::from(LANE.0) };
        bars.add(class, bar, || word(round, span(round)));
        if vain {
            bars.hatch(bar);
        }
    }
    let drawing = html! {
        @for (from, to) in scale.waits() {
            @let wait = Bar { x: from * WIDTH, y: 0.0, width: (to - from) * WIDTH, height: f64::from(height) };
            (wait.named("wait", "wait, squeezed"))
            (wait.hatched())
        }
        (bars.draw())
    };
    let rows = run.rounds.iter().map(|round| {
        let (from, to) = span(round);
        vec![
            own(round.lane.to_string()),
            own(round.iteration.to_string()),
            own(format::date_time(from, zone)),
            own(round.ended.map_or_else(String::new, |_| format::date_time(to, zone))),
            own(format::duration(between(from, to))),
        ]
    });
    let columns = vec![
        Column::Numbers("lane"),
        Column::Numbers("it."),
        Column::Words("from"),
        Column::Words("to"),
        Column::Numbers("took"),
    ];
    let (begin, end) = (work.iter().map(|span| span.0).min()?, work.iter().map(|span| span.1).max()?);
    let waited = Duration::from_millis(run.status.waited_ms);
    let waited =
        if waited.is_zero() { String::new() } else { format!(", waited {}", format::duration(waited)) };
    let mut keys: Vec<Key> = Vec::new();
    if scale.waits().next().is_some() {
        keys.push(Key::hatched("wait", "wait or nobody at work, squeezed"));
    }
    Some(Chart {
        id: "lanes",
        title: "Lanes over time",
        says: format!("{}{waited}", format::count(lanes.len() as u64, "lane")),
        height,
        drawing,
        axis: vec![format::clock(begin, begin, zone), format::clock(end, begin, zone)],
        keys,
        table: Table::new("Lanes over time", columns, rows.collect()),
    })
}

/// There are never so many lanes that it matters.
fn count(lanes: usize) -> u32 {
    u32::try_from(lanes).unwrap_or(u32::MAX)
}

fn word(round: &IterationSeen, (from, to): (Timestamp, Timestamp)) -> String {
    format!("iteration {}: {}, {}", round.iteration, round.word(), format::duration(between(from, to)))
}
