//! What a person can do after a run: exact commands.

use std::time::Duration;

use windlass_core::spec::{Mode, RunSpec};
use windlass_core::values::{CheckKind, Cost, Spent, StopReason, UnderWay};

use crate::board::Board;
use crate::format;
use crate::harmless::one_line;

/// A command and what it is for.
pub(super) struct Advice {
    pub(super) command: String,
    pub(super) purpose: &'static str,
}

fn advice(command: String, purpose: &'static str) -> Advice {
    Advice { command, purpose }
}

/// A wait that lasts until the limit resets, as it was when the run ended, in whole hours; twice the one that did not where no
/// time was named.
fn enough_wait(board: &Board, before: Duration) -> Duration {
    const HOUR: u64 = 60 * 60;
    /// Clocks differ, and a reset takes a moment.
    const MARGIN: u64 = 5 * 60;
    let calls = board.lanes.values().filter_map(|lane| lane.last_call.as_ref());
    let resets = calls.filter_map(|call| call.limit.as_ref()?.resets_at).max();
    let seconds = resets.map(|reset| reset.duration_since(board.now).as_secs());
    match seconds.and_then(|seconds| u64::try_from(seconds).ok()).filter(|seconds| *seconds > 0) {
        Some(seconds) => Duration::from_secs((seconds + MARGIN).div_ceil(HOUR) * HOUR),
        None => before.saturating_mul(2),
    }
}

/// What to do next, most useful first.
pub(super) fn next(board: &Board, plan: &RunSpec, reason: StopReason) -> Vec<Advice> {
    if board.failing == Some(UnderWay::Lost) {
        return Vec::new();
    }
    if let Some(workspace) = &plan.job.workspace
        && let Some(all) = in_workspace(plan, &workspace.name, reason)
    {
        return all;
    }
    if let Some(all) = on_plan(plan, reason) {
        return all;
    }
    let run = &plan.run;
    let resume = |flags: String, purpose| advice(format!("windlass resume {run}{flags}"), purpose);
    let limits = &plan.limits;
    let first = match reason {
        StopReason::MaxIterations => raised_iterations(plan, "go on with a higher limit"),
        StopReason::MaxCost => {
            let raised = limits.cost.map_or(10.0, |cost| (cost + cost).dollars());
            resume(format!(" --max-cost {raised}"), "go on with a higher limit")
        }
        StopReason::MaxTokens => {
            let raised = limits.tokens.unwrap_or(1_000_000).saturating_mul(2);
            resume(format!(" --max-tokens {raised}"), "go on with a higher limit")
        }
        StopReason::MaxDuration => {
            let raised = limits.duration.unwrap_or_default().saturating_mul(2);
            resume(format!(" --max-duration {}", format::flag_duration(raised)), "go on with a higher limit")
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
        StopReason::Blocked => resume(
            String::new(),
            "go on with tasks that were mended or added; parked ones wait for a new run",
        ),
        StopReason::AgentUnavailable | StopReason::DiskFull => {
            advice("windlass doctor".to_owned(), "see what is wrong with this machine")
        }
        StopReason::Complete | StopReason::NothingToDo | StopReason::Missing => {
            return vec![look(plan)];
        }
        StopReason::Locked => return vec![advice("windlass status".to_owned(), "see the run that holds it")],
        _ => resume(String::new(), "go on where it stopped"),
    };
    let mut all = vec![first];
    if matches!(reason, StopReason::AgentUnavailable | StopReason::DiskFull) {
        all.push(resume(String::new(), "go on once it is repaired"));
    }
    all.push(look(plan));
    all
}

fn raised_iterations(plan: &RunSpec, purpose: &'static str) -> Advice {
    let raised = plan.limits.iterations.unwrap_or(50).saturating_mul(2);
    advice(format!("windlass resume {} --max-iterations {raised}", plan.run), purpose)
}

/// Where a workspace has commands of its own for it.
fn in_workspace(plan: &RunSpec, name: &str, reason: StopReason) -> Option<Vec<Advice>> {
    let own = |verb: &str, purpose| advice(format!("windlass {verb} {name}"), purpose);
    let show = || own("show", "see how the workspace stands");
    let passed = reason == StopReason::Complete;
    Some(match (plan.job.mode, reason) {
        (Mode::Verify, _) if passed => {
            vec![own("archive save", "put the finished workspace away"), look(plan)]
        }
        (Mode::Verify, StopReason::GatesFailing) => vec![own("run", "go on with the work"), show()],
        (Mode::Validate, _) if passed => vec![own("run", "begin with the work")],
        (Mode::Validate, StopReason::GatesFailing) => {
            vec![own("edit", "revise the instructions"), look(plan)]
        }
        (_, StopReason::MaxIterations) => vec![
            own("run", "continue: another run with the same limit"),
            raised_iterations(plan, "go on with a higher limit"),
            show(),
        ],
        (_, StopReason::Complete) => vec![own("verify", "have a fresh agent check the work"), look(plan)],
        _ => return None,
    })
}

/// Where plans have commands of their own for it.
fn on_plan(plan: &RunSpec, reason: StopReason) -> Option<Vec<Advice>> {
    plan.job.plan.as_ref()?;
    let own = |command: &str, purpose| advice(command.to_owned(), purpose);
    Some(match (plan.job.mode, reason) {
        (Mode::Plan, StopReason::Complete) => {
            vec![own("windlass verify --plan", "see what it covers"), own("windlass build", "work it off")]
        }
        (Mode::Plan, StopReason::MaxIterations | StopReason::Stagnated) => vec![
            own("windlass verify --plan", "see what is wrong with the plan"),
            own("windlass plan", "plan on: another run with the same limit"),
            look(plan),
        ],
        (Mode::Build, StopReason::MaxIterations) => vec![
            own("windlass build", "continue: another run with the same limit"),
            raised_iterations(plan, "go on with a higher limit"),
            look(plan),
        ],
        (Mode::Build, StopReason::NoChanges) => {
            vec![look(plan), own("windlass build", "go on with the plan: another run")]
        }
        (Mode::Build, StopReason::Missing) => {
            vec![own("windlass plan", "have a plan written"), look(plan)]
        }
        _ => return None,
    })
}

fn look(plan: &RunSpec) -> Advice {
    advice(format!("windlass logs {}", plan.run), "what was done, step by step")
}

/// What an ending is worth: what vouches for it.
pub(super) fn proof(board: &Board, reason: StopReason) -> Option<String> {
    let plan = board.plan.as_ref()?;
    let has = |kind| plan.checks.iter().any(|check| check.kind == kind);
    let verified = if board.assessment().is_some() { "; a fresh agent verified the work." } else { "." };
    match reason {
        StopReason::Complete if plan.job.mode.judges() => {
            Some(board.assessment().map(|said| one_line(&said.summary)).unwrap_or_default())
        }
        StopReason::Complete => Some(match (has(CheckKind::Until), has(CheckKind::Gate)) {
            (false, gated) if plan.job.plan.is_some() => of_plan(plan.job.mode, gated).to_owned(),
            (true, true) => format!("Every until command and every gate passed{verified}"),
            (true, false) => format!("Every until command passed{verified}"),
            (false, true) => format!("The agent says so, and every gate passed{verified}"),
            (false, false) if verified.len() > 1 => format!("The agent says so{verified}"),
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

/// What vouches for a finished plan, or for one that was worked off.
const fn of_plan(mode: Mode, gated: bool) -> &'static str {
    match (mode, gated) {
        (Mode::Plan, true) => "The plan is valid, a further pass left it as it was, and every gate passed.",
        (Mode::Plan, false) => "The plan is valid, and a further pass left it as it was.",
        (_, true) => "No box of the plan is open, and every gate passed.",
        (_, false) => "No box of the plan is open; no gate checked the work (--gate CMD would).",
    }
}

/// `$3.42 of $5.00`.
pub(super) fn of_limit(spent: Spent, limit: Option<Cost>) -> String {
    let charged = format::charged(spent);
    match limit {
        Some(limit) => format!("{charged} of {}", format::money(limit)),
        None => charged,
    }
}
