//! The one line that is redrawn while a run goes on.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use windlass_core::values::{Class, Items, between};
use windlass_jobs::follow_up;

use super::delivery;
use crate::board::{Board, Doing, LaneBoard};
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone};
use crate::terminal::{Glyphs, Terminal};
use crate::words;

const DOTS: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const STROKES: [&str; 4] = ["|", "/", "-", "\\"];

/// Milliseconds that one picture of the spinner stays.
const FRAME: i64 = 125;

/// The living line; `None` before a run has begun and after it ended.
pub(crate) fn living(board: &Board, terminal: &Terminal) -> Option<Line> {
    board.plan.as_ref()?;
    if board.ending.is_some() {
        return None;
    }
    let line = match board.hold {
        Some(_) => Line::new().mark(Tone::Warn, Mark::Waiting).plain(" "),
        None => Line::new().tone(Tone::Command, frame(board.now, terminal.glyphs)).plain(" "),
    };
    let mut line = match board.foremost() {
        _ if board.delivery.is_under_way => line.plain(on_its_way(board, &terminal.zone)),
        Some(foremost) => at_work(line, board, foremost, &terminal.zone),
        None => line.plain("looking at what is there").dim(elapsed(board.started, board.now)),
    };
    match board.stop {
        _ if board.failing.is_some() => line = line.tone(Tone::Bad, " · ending it"),
        Some((_, 0 | 1)) => line = line.tone(Tone::Warn, " · stopping after it"),
        Some(_) => line = line.tone(Tone::Warn, " · stopping"),
        None => {}
    }
    Some(line)
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
    match (board.hold, iteration) {
        (Some(_), _) => format!("windlass: waiting · {job}"),
        (None, Some(iteration)) => format!("windlass: {iteration} {job}"),
        (None, None) => format!("windlass: {job}"),
    }
}

fn at_work(mut line: Line, board: &Board, foremost: &LaneBoard, zone: &TimeZone) -> Line {
    line = line.plain("iteration ").strong(iteration(board, foremost));
    if foremost.attempt > 1 {
        line = line.dim(format!(" (attempt {})", foremost.attempt));
    }
    let busy = board.busy_lanes();
    if busy > 1 {
        line = line.dim(format!(" · {busy} lanes"));
    }
    line = if let Some(waiting) = waiting(board, zone) {
        line.dim(" · ").plain(waiting)
    } else {
        let time = format::whole_seconds(between(foremost.started, board.now));
        line.dim(" · ").plain(time).dim(" · ").plain(doing(foremost))
    };
    let latest = board.status.latest.as_ref();
    if let Some((latest, Items { done, total })) = latest.and_then(|latest| Some((latest, latest.items?))) {
        line = line.dim(" · ").plain(format!("{done}/{total} {}", latest.source.counts()));
    }
    line = line.dim(" · ").plain(format::charged(board.spent()));
    match board.task() {
        Some(task) => line.dim(" · ").plain(one_line(task)),
        None => line,
    }
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
    let hold = board.hold?;
    let clock = format::clock(hold.until, hold.since, zone);
    let left = format::whole_seconds(between(board.now, hold.until));
    Some(match hold.class {
        Class::UsageLimit => format!("usage limit resets at {clock} (in {left})"),
        _ => format!("outage, trying again in {left}"),
    })
}

fn doing(lane: &LaneBoard) -> String {
    let follow_up = lane.purpose.and_then(follow_up::of).filter(|_| matches!(lane.doing, Doing::Agent(_)));
    let doing = match lane.doing {
        Doing::Resting => "pausing",
        Doing::Preparing => "preparing",
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
