//! What a person can do after a run: exact commands.

use std::time::Duration;

use windlass_core::recovery::DIRECTORY_GONE;
use windlass_core::run::DONE_IN_FILE;
use windlass_core::spec::RunSpec;
use windlass_core::values::{CheckKind, StopReason, UnderWay};
use windlass_core::words::quoted;
use windlass_jobs::job::{self, Next};

use crate::board::Board;
use crate::elsewhere;
use crate::format;
use crate::harmless::one_line;

pub(crate) mod anew;
mod raised;

/// A command and what it is for.
pub(super) struct Advice {
    pub(super) command: String,
    pub(super) purpose: &'static str,
}

fn advice(command: String, purpose: &'static str) -> Advice {
    Advice { command, purpose }
}

/// A wait that lasts until the limit resets, as it was when the run ended, in whole hours. Where nobody knows when that is, the
/// longest that a run waits by itself, since it outlasts the windows of plans; twice the one that was not enough beyond that.
fn enough_wait(board: &Board, before: Duration) -> Duration {
    const HOUR: u64 = 60 * 60;
    /// Clocks differ, and a reset takes a moment.
    const MARGIN: u64 = 5 * 60;
    /// As `limits.max_wait` has it by default.
    const USUAL: Duration = Duration::from_hours(6);
    let calls = board.lanes.values().filter_map(|lane| lane.last_call.as_ref());
    let resets = calls.filter_map(|call| call.limit.as_ref()?.resets_at).max();
    let seconds = resets.map(|reset| reset.duration_since(board.now).as_secs());
    match seconds.and_then(|seconds| u64::try_from(seconds).ok()).filter(|seconds| *seconds > 0) {
        Some(seconds) => Duration::from_secs((seconds + MARGIN).div_ceil(HOUR) * HOUR),
        None if before < USUAL => USUAL,
        None => before.saturating_mul(2),
    }
}

/// What to do next, most useful first.
pub(super) fn next(board: &Board, plan: &RunSpec, reason: StopReason) -> Vec<Advice> {
    if board.failing == Some(UnderWay::Lost) {
        return Vec::new();
    }
    let own = job::of(plan.job.mode).next(reason);
    if !own.is_empty() {
        return own.iter().map(|next| of_job(board, plan, *next)).collect();
    }
    if let Some(workspace) = &plan.job.workspace
        && let Some(all) = in_workspace(board, plan, reason, &workspace.name)
    {
        return all;
    }
    let run = &plan.run;
    let over = raised::others(board, plan, reason);
    let resume = |flags: String, purpose| advice(format!("windlass resume {run}{flags}{over}"), purpose);
    let limits = &plan.limits;
    let first = match reason {
        StopReason::MaxIterations => raised_iterations(board, plan),
        StopReason::MaxCost | StopReason::MaxTokens | StopReason::MaxDuration => {
            resume(raised::of(board, plan, reason), "go on with a higher limit")
        }
        StopReason::NeedsHuman if goes_beyond_its_plan(board, plan) => {
            resume(" --allow-overage".to_owned(), "go on, and pay for what goes beyond the account's plan")
        }
        StopReason::Stagnated => {
            let raised = limits.stagnation.unwrap_or(3).saturating_mul(2);
            resume(format!(" --stagnation-threshold {raised}"), "go on with more patience")
        }
        StopReason::ConsecutiveFailures => {
            let raised = limits.failures.saturating_mul(2);
            resume(format!(" --max-failures {raised}"), "go on once the cause is gone")
        }
        StopReason::LimitWaitExceeded => {
            let enough = format::flag_duration(enough_wait(board, limits.wait));
            resume(format!(" --max-wait {enough}"), "go on with more patience")
        }
        StopReason::Blocked if board.tasks.waits_for_parked() => {
            // What a run has parked stays parked in it: resumed, it would end at once.
            let purpose = "a new run: what this one has parked is open in it again";
            let begin = anew::command(plan).map(|command| advice(command, purpose));
            return begin.into_iter().chain([look(plan)]).collect();
        }
        StopReason::Blocked if is_done_in_file(board) => {
            // Resumed, it would not look at the checks again.
            let purpose = "a new run: it looks at the checks, and works on tasks that were reopened or added";
            let begin = anew::command(plan).map(|command| advice(command, purpose));
            begin.unwrap_or_else(|| resume(String::new(), "go on with tasks that were reopened or added"))
        }
        StopReason::Blocked => {
            resume(String::new(), "go on with tasks that were fixed or added; parked ones wait for a new run")
        }
        StopReason::AgentUnavailable | StopReason::DiskFull => {
            advice("windlass doctor".to_owned(), "see what is wrong with this machine")
        }
        StopReason::Complete | StopReason::NothingToDo | StopReason::Missing => {
            return vec![look(plan)];
        }
        StopReason::Locked => return vec![advice("windlass status".to_owned(), "see the run that holds it")],
        _ => resume(String::new(), "go on where it stopped"),
    };
    let way_back = way_back(board, plan, reason).filter(|_| is_without_directory(board));
    let back = way_back.map(|command| advice(command, "first, in the directory: moved back, or made anew"));
    let mut all: Vec<Advice> = back.into_iter().chain([first]).collect();
    if matches!(reason, StopReason::AgentUnavailable | StopReason::DiskFull) {
        all.push(resume(String::new(), "go on once it is repaired"));
    }
    if board.left_waiting.is_some() {
        all.push(resume(" --try-now".to_owned(), "go on at once, where you know that the wait is over"));
    }
    all.push(look(plan));
    all
}

/// The command that brings back all that was kept, where what is there is not to be gone on with: the files are gone, or what was
/// destroyed was seen before anybody could look closer.
pub(super) fn way_back(board: &Board, plan: &RunSpec, reason: StopReason) -> Option<String> {
    let is_meant = reason == StopReason::DestructiveChange || is_without_directory(board);
    let command = board.way_back.command(&plan.run);
    let command = command.filter(|_| is_meant && plan.git && plan.lanes.is_none())?;
    // Where the directory is gone it is not yet known where its files will be put.
    Some(if is_without_directory(board) {
        command
    } else {
        elsewhere::where_it_works(command, &plan.directory)
    })
}

fn is_done_in_file(board: &Board) -> bool {
    board.ending.as_ref().is_some_and(|ending| ending.detail.starts_with(DONE_IN_FILE))
}

fn is_without_directory(board: &Board) -> bool {
    board.ending.as_ref().is_some_and(|ending| ending.detail.starts_with(DIRECTORY_GONE))
}

fn raised_iterations(board: &Board, plan: &RunSpec) -> Advice {
    let reason = StopReason::MaxIterations;
    let (raised, over) = (raised::of(board, plan, reason), raised::others(board, plan, reason));
    advice(format!("windlass resume {}{raised}{over}", plan.run), "go on with a higher limit")
}

/// Is the account charged beyond its plan, which nobody has allowed?
fn goes_beyond_its_plan(board: &Board, plan: &RunSpec) -> bool {
    let mut calls = board.lanes.values().filter_map(|lane| lane.last_call.as_ref());
    !plan.limits.overage && calls.any(|call| call.overage)
}

/// What a mode names as the next step.
fn of_job(board: &Board, plan: &RunSpec, next: Next) -> Advice {
    match next {
        Next::Verb(verb, purpose) => advice(format!("windlass {verb}{}", named_plan(plan, verb)), purpose),
        Next::OnWorkspace(verb, purpose) => {
            let name = plan.job.workspace.as_ref().map_or("", |workspace| &workspace.name);
            advice(format!("windlass {verb} {name}"), purpose)
        }
        Next::RaiseIterations => raised_iterations(board, plan),
        Next::Look => look(plan),
    }
}

/// The plan that was named, as an argument of a verb.
fn named_plan(plan: &RunSpec, verb: &str) -> String {
    let named = plan.job.plan.as_ref().and_then(|plan| plan.named());
    let named = named.map(|place| quoted(place.as_os_str()));
    let sign = if verb.ends_with("--plan") { "=" } else { " -f " };
    named.map_or_else(String::new, |place| format!("{sign}{place}"))
}

/// Where a workspace has commands of its own for it.
fn in_workspace(board: &Board, plan: &RunSpec, reason: StopReason, name: &str) -> Option<Vec<Advice>> {
    let own = |verb: &str, purpose| advice(format!("windlass {verb} {name}"), purpose);
    Some(match reason {
        StopReason::MaxIterations => vec![
            own("run", "continue: another run with the same limit"),
            raised_iterations(board, plan),
            own("show", "see how the workspace stands"),
        ],
        StopReason::Complete => vec![own("verify", "have a fresh agent check the work"), look(plan)],
        _ => return None,
    })
}

fn look(plan: &RunSpec) -> Advice {
    advice(format!("windlass logs {}", plan.run), "what was done, step by step")
}

/// What an ending is worth: what vouches for it.
pub(crate) fn proof(board: &Board, reason: StopReason) -> Option<String> {
    let plan = board.plan.as_ref()?;
    let has = |kind| plan.checks.iter().any(|check| check.kind == kind);
    let is_judged = plan.review.as_ref().is_some_and(|review| !review.criteria.is_empty());
    let vouches = job::of(plan.job.mode).vouches;
    let own = |gated| vouches.map(|[alone, with_gates]| if gated { with_gates } else { alone });
    let verified = if board.assessment().is_some() { "; a fresh agent verified the work." } else { "." };
    match reason {
        StopReason::Complete if plan.job.mode.judges() => {
            Some(board.assessment().map(|said| one_line(&said.summary)).unwrap_or_default())
        }
        StopReason::Complete => Some(match (has(CheckKind::Until), has(CheckKind::Gate)) {
            (false, gated) if vouches.is_some() => own(gated).unwrap_or_default().to_owned(),
            (true, true) => format!("Every until command and every gate passed{verified}"),
            (true, false) => format!("Every until command passed{verified}"),
            (false, true) => format!("The agent says so, and every gate passed{verified}"),
            (false, false) if verified.len() > 1 => format!("The agent says so{verified}"),
            (false, false) if has(CheckKind::Criterion) || is_judged => {
                let who = match (has(CheckKind::Criterion), is_judged) {
                    (true, true) => "that the runner checks or a fresh agent judged",
                    (false, true) => "that a fresh agent judged",
                    _ => "that the runner checks",
                };
                format!(
                    "The agent says so, and each criterion {who} holds; no gate checked the whole (--gate CMD would)."
                )
            }
            (false, false) => "The agent says so; no gate checked it (--gate CMD would).".to_owned(),
        }),
        StopReason::MaxIterations if plan.job.workspace.is_some() => {
            Some("The job is not shown to be done.".to_owned())
        }
        StopReason::NothingToDo if has(CheckKind::Until) => {
            Some("To have these commands checked after the work instead, give them with --gate.".to_owned())
        }
        _ => None,
    }
}
