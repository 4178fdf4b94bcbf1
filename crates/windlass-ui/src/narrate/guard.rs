//! What the guard found, and what it undid.

use windlass_core::values::Suspicion;

use super::{indented, notice};
use crate::board::{Board, Kept};
use crate::elsewhere;
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone};

/// So many findings are shown at once.
const MOST: usize = 8;

/// All that is suspicious now: one line each, those that hold a claim first.
pub(super) fn suspected(board: &Board, suspicions: &[Suspicion]) -> Vec<Line> {
    let Some(plan) = &board.plan else { return Vec::new() };
    if suspicions.is_empty() {
        return vec![
            indented(board).mark(Tone::Good, Mark::Passed).plain(" the guard finds nothing any more"),
        ];
    }
    let (held, told): (Vec<&Suspicion>, Vec<&Suspicion>) =
        suspicions.iter().partition(|found| plan.guard.holds(found));
    let all = held.iter().map(|found| ("held: ", *found)).chain(told.iter().map(|found| ("", *found)));
    let mut lines: Vec<Line> = all
        .take(MOST)
        .map(|(label, found)| {
            let text = one_line(&found.to_string());
            indented(board).mark(Tone::Warn, Mark::Notice).tone(Tone::Warn, format!(" {label}")).plain(text)
        })
        .collect();
    let more = suspicions.len().saturating_sub(MOST);
    if more > 0 {
        lines.push(notice(board, Mark::Notice, &format!("and {more} more findings: windlass status")));
    }
    lines
}

/// What an agent changed although it may not; how to see it all the same.
pub(super) fn refused(board: &Board, (count, files): (u32, &[String]), undone: bool) -> Line {
    let more = usize::try_from(count).unwrap_or(usize::MAX).saturating_sub(files.len());
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let files: Vec<String> = files.iter().map(|file| one_line(file)).collect();
    let planning = board.plan.as_ref().is_some_and(|plan| plan.job.mode.writes_only_plan());
    let files_in_all = u64::from(count);
    let what = if planning {
        format!("{} beyond the plan", format::count(files_in_all, "file"))
    } else {
        format::count(files_in_all, "protected file")
    };
    let named = format!("{}{more}", files.join(", "));
    if !undone {
        return notice(
            board,
            Mark::Notice,
            &format!("the agent changed {what}, and not all of it can be undone: {named}"),
        );
    }
    let line = notice(board, Mark::Notice, &format!("undone: {what}: {named}"));
    match (&board.plan, &board.kept) {
        // By its own name: after it the same iteration may be tried again, or looked over.
        (Some(plan), Some(Kept { iteration, attempt, .. })) => {
            let command = format!("windlass restore {} {iteration}-{attempt}-after", plan.run);
            line.dim("; kept: ").command(elsewhere::where_it_works(command, &plan.directory))
        }
        _ => line,
    }
}
