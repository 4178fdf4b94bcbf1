//! The rows of a run: iterations, or tasks.

use std::time::Duration;

use jiff::Timestamp;
use ratatui::layout::Rect;
use windlass_core::values::{Verdict, between};
use windlass_ui::model::{IterationSeen, TaskOutcome};
use windlass_ui::{Tone, format, one_line};

use super::canvas::{Canvas, Pieces};
use crate::state::{Filter, ListRow, Pane, RunNow, RunView, TaskLine};
use crate::text::{fit, left, right};

/// The mark, the word and the colour of a verdict.
pub const fn verdict(verdict: Verdict) -> (&'static str, &'static str, Tone) {
    match verdict {
        Verdict::Worked => ("+", "worked", Tone::Good),
        Verdict::ClaimAccepted => ("*", "accepted", Tone::Good),
        Verdict::ClaimRefused => ("x", "refused", Tone::Warn),
        Verdict::ClaimUnsupported => ("?", "unproven", Tone::Warn),
        Verdict::Idle => ("-", "idle", Tone::Warn),
        Verdict::Failed => ("!", "failed", Tone::Bad),
    }
}

/// The same of an iteration that may have none.
pub fn standing(round: &IterationSeen) -> (&'static str, &'static str, Tone) {
    match round.verdict {
        Some(known) => verdict(known),
        None if round.at_work => (".", round.unended(), Tone::Command),
        None => ("/", round.unended(), Tone::Warn),
    }
}

/// What the list holds, and which rows of it are shown.
pub fn title(run: &RunView) -> (String, String) {
    let what = if run.tasks { "tasks" } else { "iterations" };
    let filter = match run.filter {
        Filter::All => String::new(),
        Filter::Wrong => format!("f: {}", run.filter.name()),
    };
    (format!("{} {what}", run.rows().len()), filter)
}

/// Draws them.
pub fn draw(canvas: &mut Canvas<'_>, area: Rect, run: &mut RunView, now: Timestamp) {
    let columns = usize::from(area.width);
    let length = run.rows().len();
    let top = run.picker.top(usize::from(area.height), length);
    let selected = run.picker.selected();
    let Some(seen) = &run.now else { return };
    let rows = run.rows();
    if rows.is_empty() && area.height > 0 {
        let said = match (run.tasks, run.filter) {
            (true, _) => "no task was begun",
            (false, Filter::Wrong) => "nothing went wrong",
            (false, Filter::All) => "no iteration has begun",
        };
        canvas.row(area, 0, &[(Tone::Dim, format!(" {said}"))]);
    }
    let digits = seen.seen.rounds.last().map_or(1, |last| last.iteration.to_string().len()).max(2);
    for (row, (place, item)) in (0..area.height).zip(rows.iter().enumerate().skip(top)) {
        let mark = if place == selected { ">" } else { " " };
        let mut pieces: Pieces = vec![(Tone::Strong, mark.to_owned())];
        match item {
            ListRow::Iteration(round) => {
                pieces.extend(iteration(seen, round, now, (digits, columns.saturating_sub(1))));
            }
            ListRow::Task(line) => pieces.extend(task(line, columns.saturating_sub(1))),
        }
        if place == selected && run.pane == Pane::List {
            canvas.selected_row(area, row, &pieces);
        } else {
            canvas.row(area, row, &pieces);
        }
    }
}

fn iteration(
    run: &RunNow,
    round: &IterationSeen,
    now: Timestamp,
    (digits, columns): (usize, usize),
) -> Pieces {
    let (mark, word, tone) = standing(round);
    let took = match (round.ended, round.at_work) {
        (None, true) => format::whole_seconds(between(round.started, now)),
        (None, false) => String::new(),
        (Some(_), _) => format::whole_seconds(Duration::from_millis(round.duration_ms)),
    };
    let said = explanation(run, round, now);
    let pieces = vec![
        (Tone::Plain, format!("{} ", right(&round.iteration.to_string(), digits))),
        (tone, format!("{mark} {} ", left(word, 8))),
        (Tone::Plain, format!("{} {} ", right(&took, 7), right(&format::spent(round.spent()), 7))),
    ];
    let used = digits + 1 + 11 + 16;
    let room = columns.saturating_sub(used + 1);
    [pieces, vec![(Tone::Plain, format!(" {}", fit(&said, room)))]].concat()
}

/// Why, or what is at hand; with the task where there are some.
fn explanation(run: &RunNow, round: &IterationSeen, now: Timestamp) -> String {
    let task = round.task.as_ref().map(|task| one_line(&task.0));
    let hand = run.at_hand.get(&round.iteration).filter(|_| round.ended.is_none() && run.is_live());
    let said = match hand {
        Some(hand) => {
            let age = hand.since.map(|since| between(since, now)).filter(|age| age.as_secs() >= 10);
            let age = age.map(|age| format!(" ({})", format::whole_seconds(age)));
            format!("{}{}", hand.what, age.unwrap_or_default())
        }
        None => why(round),
    };
    match task {
        Some(task) if said.is_empty() => task,
        Some(task) => format!("{task}: {said}"),
        None => said,
    }
}

/// What is said of an iteration, without what stands before it already.
pub fn why(round: &IterationSeen) -> String {
    one_line(&round.why)
}

fn task(line: &TaskLine, columns: usize) -> Pieces {
    let (mark, word, tone) = match (line.at_work, line.state) {
        (true, _) => (".", "at work", Tone::Command),
        (false, TaskOutcome::Done) => ("*", "done", Tone::Good),
        (false, TaskOutcome::Parked) => ("!", "parked", Tone::Bad),
        (false, TaskOutcome::Open) => ("-", "open", Tone::Plain),
    };
    let rounds: Vec<String> = line.iterations.iter().map(ToString::to_string).collect();
    let cost = right(&format::spent(line.spent), 7);
    let rounds = left(&fit(&format!("it {}", rounds.join(",")), 10), 10);
    let room = columns.saturating_sub(11 + 8 + 11);
    vec![
        (tone, format!(" {mark} {} ", left(word, 7))),
        (Tone::Plain, format!("{cost} {rounds} {}", fit(&line.what, room))),
    ]
}
