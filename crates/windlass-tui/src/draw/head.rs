//! The lines at the top of a run: how it stands, in the order of what matters.

use std::time::Duration;

use jiff::Timestamp;
use windlass_core::values::{Named as _, between};
use windlass_ui::model::Who;
use windlass_ui::{RunState, Tone, format, one_command, one_line};

use super::canvas::{Pieces, by_priority};
use crate::look::Look;
use crate::state::{RunNow, RunView};
use crate::text;

/// Between two items.
const GAP: usize = 2;

/// So long an agent may say nothing before that is worth a look.
const SILENT: Duration = Duration::from_mins(2);

/// Columns of a bar.
const BAR: u64 = 15;

/// The lines, for so many columns.
pub fn lines(run: &RunView, now: Timestamp, look: &Look, columns: usize) -> Vec<Pieces> {
    let Some(seen) = &run.now else {
        let what = run.trouble.as_deref().map_or_else(|| "reading …".to_owned(), one_line);
        let tone = if run.trouble.is_some() { Tone::Bad } else { Tone::Dim };
        return vec![vec![(Tone::Strong, format!("{}  ", run.place.run)), (tone, what)]];
    };
    let mut lines = vec![by_priority(&first(seen, now, look), columns, GAP)];
    let second = by_priority(&second(seen), columns, GAP);
    if !second.is_empty() {
        lines.push(second);
    }
    lines.extend(lanes(seen, now, columns));
    lines.extend(run.trouble.as_ref().map(|why| vec![(Tone::Bad, text::fit(&one_line(why), columns))]));
    lines.extend(waited_for(seen, now, look, columns));
    lines
}

fn first(run: &RunNow, now: Timestamp, look: &Look) -> Vec<(u8, Tone, String)> {
    let status = &run.seen.status;
    let folder = std::path::Path::new(&status.directory).file_name();
    let name = status.workspace.clone().or_else(|| folder.map(|name| name.to_string_lossy().into_owned()));
    let (tone, state) = state(run, now, look);
    let of = |number: String, limit: Option<String>| {
        limit.map_or(number.clone(), |limit| format!("{number}/{limit}"))
    };
    let age = if run.is_live() { between(run.made, now) } else { Duration::ZERO };
    let cost = of(
        format::spent(status.spent()),
        status.budget().map(|most| format::money(most).trim_start_matches('$').to_owned()),
    );
    let live = if run.is_live() { "LIVE" } else { "past" };
    vec![
        (3, Tone::Strong, one_line(&name.unwrap_or_default())),
        (1, Tone::Plain, status.run.as_ref().map(|run| one_line(&run.0)).unwrap_or_default()),
        (7, Tone::Dim, status.mode.map(|mode| mode.name().to_owned()).unwrap_or_default()),
        (0, tone, state),
        (
            2,
            Tone::Plain,
            format!(
                "it {}",
                of(status.iteration.to_string(), status.max_iterations.map(|most| most.to_string()))
            ),
        ),
        (5, Tone::Plain, format::whole_seconds(Duration::from_millis(status.duration_ms) + age)),
        (4, Tone::Plain, cost),
        silence(run, now),
        (8, if run.is_live() { Tone::Good } else { Tone::Dim }, live.to_owned()),
    ]
}

fn state(run: &RunNow, now: Timestamp, look: &Look) -> (Tone, String) {
    let status = &run.seen.status;
    match status.state {
        RunState::Running if status.stop_stage > 0 => (Tone::Warn, "STOPPING".to_owned()),
        RunState::Running => match status.waiting_until {
            Some(until) => (Tone::Warn, format!("WAITING until {}", format::clock(until, now, &look.zone))),
            None => (Tone::Command, "RUNNING".to_owned()),
        },
        state => {
            let tone = match run.seen.waited_for.who {
                Who::Nobody => Tone::Good,
                Who::Person => Tone::Bad,
                Who::Agent | Who::Forge => Tone::Warn,
            };
            (tone, state.name().to_uppercase())
        }
    }
}

fn silence(run: &RunNow, now: Timestamp) -> (u8, Tone, String) {
    let silent = run.heard.filter(|_| run.is_live()).map(|heard| between(heard, now));
    let Some(silent) = silent else { return (6, Tone::Plain, String::new()) };
    let tone = if silent > SILENT { Tone::Warn } else { Tone::Plain };
    (6, tone, format!("silent {}", format::whole_seconds(silent)))
}

fn second(run: &RunNow) -> Vec<(u8, Tone, String)> {
    let seen = &run.seen;
    let verdicts = seen.verdicts;
    let counted = [
        (verdicts.worked + verdicts.accepted, "ok", Tone::Good),
        (verdicts.refused, "refused", Tone::Warn),
        (verdicts.unproven, "unproven", Tone::Warn),
        (verdicts.failed, "failed", Tone::Bad),
        (verdicts.idle, "nothing new", Tone::Warn),
    ];
    let mut items: Vec<(u8, Tone, String)> = counted
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, word, tone)| (1, tone, format!("{word} {number}")))
        .collect();
    let tasks = seen.status.tasks.as_ref().map(|tasks| ("tasks", tasks.done as u64, tasks.total as u64));
    let counted = tasks.or_else(|| seen.status.items.map(|items| ("items", items.done, items.total)));
    items.extend(
        counted.map(|(what, done, total)| {
            (2, Tone::Plain, format!("{what} {done}/{total} {}", bar(done, total)))
        }),
    );
    let parked = seen.status.tasks.as_ref().map_or(0, |tasks| tasks.parked.len());
    items.extend((parked > 0).then(|| (2, Tone::Warn, format!("{parked} parked"))));
    let wasted = seen.wasted.total();
    items.extend((!wasted.is_zero()).then(|| (3, Tone::Plain, format!("{} wasted", format::money(wasted)))));
    let denied: u32 = seen.rounds.iter().flat_map(|round| &round.calls).map(|call| call.denied).sum();
    items.extend((denied > 0).then(|| (4, Tone::Warn, format!("{denied} denied"))));
    for share in &seen.windows {
        let tone = if share.used_percent >= 90 { Tone::Warn } else { Tone::Plain };
        items.push((5, tone, format!("{} window {} %", window(&share.window), share.used_percent)));
    }
    items
}

/// `5h` for `five_hour`.
fn window(name: &str) -> String {
    match name {
        "five_hour" => "5h".to_owned(),
        "seven_day" => "7d".to_owned(),
        other => one_line(other).replace('_', " "),
    }
}

/// `####------`.
fn bar(done: u64, total: u64) -> String {
    let full = (done * BAR).checked_div(total).unwrap_or_default().min(BAR);
    let length = |number: u64| usize::try_from(number).unwrap_or_default();
    "#".repeat(length(full)) + &"-".repeat(length(BAR - full))
}

/// What each lane is at, where there are several.
fn lanes(run: &RunNow, now: Timestamp, columns: usize) -> Option<Pieces> {
    let at_work: Vec<_> = run.seen.rounds.iter().filter(|round| round.ended.is_none()).collect();
    let has_lanes = run.seen.rounds.iter().any(|round| round.lane.0 > 0);
    if !run.is_live() || !has_lanes {
        return None;
    }
    let mut items = vec![(0, Tone::Dim, "lanes".to_owned())];
    for (place, round) in (1_u8..).zip(at_work) {
        let task = round.task.as_ref().map(|task| one_line(&task.0)).unwrap_or_default();
        let age = format::whole_seconds(between(round.started, now));
        items.push((place, Tone::Plain, format!("{} {} {age}", round.lane.0 + 1, text::fit(&task, 16))));
    }
    Some(by_priority(&items, columns, GAP))
}

/// Who has to do something, why, and what is typed for it.
fn waited_for(run: &RunNow, now: Timestamp, look: &Look, columns: usize) -> Vec<Pieces> {
    let waited = &run.seen.waited_for;
    let who = match waited.who {
        Who::Nobody => return Vec::new(),
        Who::Person => "needs you",
        Who::Agent => "waits for the agent",
        Who::Forge => "waits for the forge",
    };
    let until = waited.until.map(|until| format!(" until {}", format::clock(until, now, &look.zone)));
    let why = format!("{who}{}: {}", until.unwrap_or_default(), waited.why);
    let mut lines = vec![vec![(Tone::Warn, text::fit(&why, columns))]];
    lines.extend(waited.command.as_ref().map(|command| {
        vec![(Tone::Command, format!("  {}", text::fit(&one_command(command), columns.saturating_sub(2))))]
    }));
    lines
}
