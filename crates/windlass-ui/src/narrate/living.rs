//! The lines that are redrawn while a run goes on.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use windlass_core::values::{Class, Items, between};
use windlass_jobs::follow_up;

use super::delivery;
use crate::board::at_hand::uses_tool;
use crate::board::{Board, Doing, LaneBoard};
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone, width};
use crate::terminal::{Glyphs, Terminal};
use crate::words;

const DOTS: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const STROKES: [&str; 4] = ["|", "/", "-", "\\"];

/// Milliseconds that one picture of the spinner stays.
const FRAME: i64 = 125;

/// The widest terminal on which words are saved.
const NARROW: usize = 60;

/// The most living lines, whatever the height of the terminal.
const MOST: usize = 17;

/// The living lines: one, or where several lanes are at work one for all and one for each. None before a run has begun and
/// after it ended.
pub(crate) fn living(board: &Board, terminal: &Terminal) -> Vec<Line> {
    if board.plan.is_none() || board.ending.is_some() {
        return Vec::new();
    }
    let mut line = match board.backoff {
        Some(_) => Line::new().mark(Tone::Warn, Mark::Waiting).plain(" "),
        None => Line::new().tone(Tone::Command, frame(board.now, terminal.glyphs)).plain(" "),
    };
    let several = board.busy_lanes() > 1 && board.backoff.is_none() && !board.delivery.is_under_way;
    line = match board.foremost() {
        _ if board.delivery.is_under_way => line.plain(on_its_way(board, &terminal.zone)),
        Some(_) if several => all_lanes(line, board),
        Some(foremost) => at_work(line, board, foremost, terminal),
        None => line.plain("looking at what is there").dim(elapsed(board.started, board.now)),
    };
    line = ending(line, board);
    if several {
        let most = terminal.height.map_or(MOST, |height| height.saturating_sub(2).clamp(1, MOST));
        return std::iter::once(line).chain(lanes(board, most - 1)).collect();
    }
    vec![match board.foremost().filter(|_| !board.delivery.is_under_way) {
        Some(foremost) => said(line, foremost, board.task()),
        None => line,
    }]
}

/// That it is about to stop.
fn ending(line: Line, board: &Board) -> Line {
    match board.stop {
        _ if board.failing.is_some() => line.tone(Tone::Bad, " · ending it"),
        Some((_, 0 | 1)) => line.tone(Tone::Warn, " · stopping after it"),
        Some(_) => line.tone(Tone::Warn, " · stopping"),
        None => line,
    }
}

/// The window's title: `windlass: 3/50 Make it work`; of tasks, `windlass: 3/12 - TASK-004 (2/6 done)`.
pub(crate) fn title(board: &Board) -> String {
    let job = board.plan.as_ref().map(|plan| one_line(&plan.job.title)).unwrap_or_default();
    let foremost = board.foremost();
    let job = match foremost.and_then(|lane| lane.task.as_ref()) {
        Some(task) => {
            let counts = board.tasks.counts();
            format!("- {} ({}/{} done)", one_line(&task.0), counts.done, counts.total)
        }
        None => job,
    };
    let iteration = foremost.map(|lane| iteration(board, lane));
    match (board.backoff, iteration) {
        (Some(_), _) => format!("windlass: waiting · {job}"),
        (None, Some(iteration)) => format!("windlass: {iteration} {job}"),
        (None, None) => format!("windlass: {job}"),
    }
}

fn at_work(line: Line, board: &Board, foremost: &LaneBoard, terminal: &Terminal) -> Line {
    let is_narrow = terminal.width.is_some_and(|width| width < NARROW);
    let mut line = line.plain(if is_narrow { "" } else { "iteration " }).strong(iteration(board, foremost));
    if foremost.attempt > 1 {
        line = line.dim(format!(" (attempt {})", foremost.attempt));
    }
    if let Some(waiting) = waiting(board, &terminal.zone) {
        return figures(line.dim(" · ").plain(waiting), board);
    }
    let time = format::whole_seconds(between(foremost.started, board.now));
    let line = figures(line.dim(" · ").plain(time), board);
    line.dim(" · ").plain(doing(foremost))
}

/// How far the job is, and what it has cost.
fn figures(line: Line, board: &Board) -> Line {
    let latest = board.status.latest.as_ref();
    let counted = latest.and_then(|latest| Some((latest, latest.items?)));
    let line = match counted {
        Some((latest, Items { done, total })) => {
            line.dim(" · ").plain(format!("{done}/{total} {}", latest.source.counts()))
        }
        None => line,
    };
    line.dim(" · ").plain(format::charged(board.spent()))
}

/// What the agent said last; before it said anything, the task at hand.
fn said(told: Line, lane: &LaneBoard, task: Option<&str>) -> Line {
    let words =
        if lane.at_hand.said.is_empty() { task.map(one_line) } else { Some(lane.at_hand.said.clone()) };
    match words.filter(|words| !words.is_empty()) {
        Some(words) => told.dim(" · ").dim(words),
        None => told,
    }
}

/// Of several lanes together.
fn all_lanes(line: Line, board: &Board) -> Line {
    let line = line.strong(format!("{} lanes", board.busy_lanes())).dim(elapsed(board.started, board.now));
    figures(line, board)
}

/// A line for each lane that is at work, in the order of the lanes, at most so many.
fn lanes(board: &Board, most: usize) -> Vec<Line> {
    let busy: Vec<&LaneBoard> = board.lanes.values().filter(|lane| lane.doing != Doing::Resting).collect();
    let columns = [
        busy.iter().map(|lane| lane.iteration.to_string()).collect::<Vec<_>>(),
        busy.iter()
            .map(|lane| lane.task.as_ref().map_or_else(String::new, |task| one_line(&task.0)))
            .collect(),
        busy.iter().map(|lane| format::whole_seconds(between(lane.started, board.now))).collect(),
    ];
    let widths = columns.each_ref().map(|cells| cells.iter().map(|cell| width(cell)).max().unwrap_or(0));
    let [numbers, tasks, times] = &columns;
    let rows = busy.iter().zip(numbers).zip(tasks).zip(times);
    let lines = rows.map(|(((lane, number), task), time)| {
        let [numbers, tasks, times] = widths;
        let line = Line::new()
            .plain(format!("  {number:>numbers$}  "))
            .strong(format!("{task}{}", " ".repeat(tasks.saturating_sub(width(task)))))
            .plain(format!("  {time:>times$}"));
        said(line.dim(" · ").plain(doing(lane)), lane, None)
    });
    let mut lines: Vec<Line> = lines.collect();
    if lines.len() > most {
        let shown = most.saturating_sub(1);
        let more = format!("  … and {} more", lines.len() - shown);
        lines.truncate(shown);
        lines.extend((most > 0).then(|| Line::new().dim(more)));
    }
    lines
}

/// `3/50`; without a limit `3`.
fn iteration(board: &Board, lane: &LaneBoard) -> String {
    match board.plan.as_ref().and_then(|plan| plan.limits.iterations) {
        Some(most) => format!("{}/{most}", lane.iteration),
        None => lane.iteration.to_string(),
    }
}

/// The pull request, and what of it is waited for, with the time that is left.
fn on_its_way(board: &Board, zone: &TimeZone) -> String {
    let url = board.delivery.url.as_deref().map(|url| format!("{}: ", one_line(url))).unwrap_or_default();
    match board.delivery.wait {
        Some((waits_for, until)) => {
            let left = format::whole_seconds(between(board.now, until));
            let clock = format::clock(until, board.now, zone);
            let what = delivery::waits(waits_for, &board.delivery.seen);
            format!("{url}{what}, at most until {clock} ({left} left)")
        }
        None => format!("{url}pushing and asking"),
    }
}

fn waiting(board: &Board, zone: &TimeZone) -> Option<String> {
    let backoff = board.backoff?;
    let clock = format::clock(backoff.until, backoff.since, zone);
    let left = format::whole_seconds(between(board.now, backoff.until));
    Some(match backoff.class {
        Class::UsageLimit if backoff.is_named => format!("usage limit resets at {clock} (in {left})"),
        Class::UsageLimit => format!("usage limit, trying again at {clock} (in {left})"),
        _ => format!("outage, trying again in {left}"),
    })
}

fn doing(lane: &LaneBoard) -> String {
    let follow_up = lane.purpose.and_then(follow_up::of).filter(|_| matches!(lane.doing, Doing::Agent(_)));
    let doing = match lane.doing {
        Doing::Resting => "pausing",
        Doing::Preparing => "preparing",
        Doing::Agent(activity) if uses_tool(activity) && !lane.at_hand.tool.is_empty() => &lane.at_hand.tool,
        Doing::Agent(activity) => words::activity(activity),
        Doing::Keeping => "keeping the work",
        Doing::Checking => "checking",
    };
    match follow_up.and_then(|call| call.doing) {
        Some(what) => format!("{what}: {doing}"),
        None => doing.to_owned(),
    }
}

fn elapsed(since: Option<Timestamp>, now: Timestamp) -> String {
    since.map_or_else(String::new, |since| format!(" · {}", format::whole_seconds(between(since, now))))
}

fn frame(now: Timestamp, glyphs: Glyphs) -> &'static str {
    let frames: &[&str] = match glyphs {
        Glyphs::Ascii => &STROKES,
        Glyphs::Unicode | Glyphs::Emoji => &DOTS,
    };
    let count = now.as_millisecond().div_euclid(FRAME);
    let index = usize::try_from(count).unwrap_or(0) % frames.len();
    frames.get(index).copied().unwrap_or_default()
}
