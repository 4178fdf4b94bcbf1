//! The work of a run on its way out: pushed, in a pull request, merged.

use jiff::tz::TimeZone;
use windlass_core::forge::PullRequestState;
use windlass_core::report::{
    DeliveryMove, DeliveryOutcome, DeliveryStep, DeliveryTask, PullRequestSeen, Returned, WaitsFor,
};
use windlass_core::spec::DeliverySpec;

use super::{indented, notice};
use crate::board::Board;
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone};

/// The line of a step; `None` where it says nothing new.
pub(super) fn line(board: &Board, step: &DeliveryStep, zone: &TimeZone) -> Option<Line> {
    match step {
        DeliveryStep::PartBegun { .. }
        | DeliveryStep::Begun { .. }
        | DeliveryStep::Due
        | DeliveryStep::Ordered { task: DeliveryTask::MarkReady } => None,
        DeliveryStep::Pushed { head } => {
            let spec = board.plan.as_ref().and_then(|plan| plan.delivery.as_ref());
            let branch = |spec: &DeliverySpec| board.delivery.branch.as_ref().unwrap_or(&spec.branch).clone();
            let branch = spec.map(|spec| format!("{} to {}", branch(spec), spec.remote)).unwrap_or_default();
            Some(said(board, Mark::Memo, &format!("pushed {branch}, at {}", short(head))))
        }
        DeliveryStep::Branched { base, .. } => {
            let branch = board.delivery.branch.as_deref().unwrap_or_default();
            Some(said(board, Mark::Memo, &format!("the branch {branch} begins with {}", short(base))))
        }
        DeliveryStep::PartSeen { part, state } => {
            let what = match state {
                PullRequestState::Merged => "is merged",
                PullRequestState::Closed => "was closed",
                PullRequestState::Open => "is still open",
                PullRequestState::Unknown => "cannot be looked at",
            };
            Some(said(board, Mark::Memo, &format!("the pull request of part {part} {what}")))
        }
        DeliveryStep::Opened { url, found, .. } => {
            let what = if *found { "the pull request is there" } else { "opened a pull request" };
            Some(said(board, Mark::Passed, &format!("{what}: {url}")))
        }
        DeliveryStep::Viewed { seen, next } => viewed(board, seen, next, zone),
        DeliveryStep::Stalled { why, .. } => Some(notice(board, Mark::Notice, why)),
        DeliveryStep::Ordered { .. } => {
            Some(said(board, Mark::Memo, "the forge merges the base into the branch"))
        }
        DeliveryStep::Returned { because, findings } => {
            let count = format::count(
                findings.len() as u64,
                match because {
                    Returned::Checks => "failed check",
                    Returned::Review => "review comment",
                },
            );
            Some(said(board, Mark::Again, &format!("{count}: back to the agent")))
        }
        DeliveryStep::Merged { commit } => {
            Some(said(board, Mark::Passed, &format!("merged as {}", short(commit))))
        }
    }
}

/// A wait is said once, when it begins to be for something else.
fn viewed(board: &Board, seen: &PullRequestSeen, next: &DeliveryMove, zone: &TimeZone) -> Option<Line> {
    match next {
        DeliveryMove::Do(_) => None,
        DeliveryMove::Wait { waits_for, until, .. } => {
            if board.delivery.told == Some(*waits_for) {
                return None;
            }
            let clock = format::clock(*until, board.now, zone);
            Some(said(board, Mark::Waiting, &format!("{}, at most until {clock}", waits(*waits_for, seen))))
        }
        DeliveryMove::End { outcome, detail } => {
            let good = matches!(outcome, DeliveryOutcome::MergedByPerson | DeliveryOutcome::Left);
            Some(said(board, if good { Mark::Passed } else { Mark::Notice }, detail))
        }
    }
}

/// What a wait is for, in words.
pub(super) fn waits(waits_for: WaitsFor, seen: &PullRequestSeen) -> String {
    match waits_for {
        WaitsFor::ChecksToAppear => "waiting for checks to appear".to_owned(),
        WaitsFor::ChecksToEnd => {
            let pending = format::count(u64::from(seen.checks.pending), "check");
            format!("waiting for {pending}")
        }
        WaitsFor::Review => "waiting for a review".to_owned(),
        WaitsFor::Rules => "waiting for the rules of the base".to_owned(),
        WaitsFor::Mergeability => "waiting for the forge to see the push".to_owned(),
        WaitsFor::Forge => "waiting for the forge to answer".to_owned(),
        WaitsFor::Resumption => "stopped".to_owned(),
    }
}

fn said(board: &Board, mark: Mark, text: &str) -> Line {
    let tone = match mark {
        Mark::Passed => Tone::Good,
        Mark::Memo | Mark::Waiting => Tone::Plain,
        _ => Tone::Warn,
    };
    indented(board).mark(tone, mark).plain(format!(" {}", one_line(text)))
}

fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}
