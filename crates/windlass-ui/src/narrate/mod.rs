//! A run, told in lines that stay. Each fact has its lines; they depend on nothing but the facts before it.

mod advice;
mod chain;
mod council;
mod delivery;
mod guard;
mod header;
mod hook;
mod issue;
mod iteration;
mod lines;
mod living;
mod review;
mod status;
mod summary;
mod tasks;

pub use advice::anew::{agents as flags_of_agents, said as flag_said, work as flags_of_work};
pub(crate) use advice::proof;
pub(crate) use hook::{look as hook_look, summary as hook_summary};
pub(crate) use iteration::{short, told};
pub(crate) use lines::{labelled, labelled_once};
pub(crate) use living::{living, title};

use jiff::tz::TimeZone;
use windlass_core::fact::{Entry, Fact};
use windlass_core::report;
use windlass_core::spec::RunSpec;
use windlass_core::tasks::TaskProgress;
use windlass_core::values::{
    CheckOutcome, CheckStage, Class, Cut, Denial, Named, Purpose, Spent, StopReason, StopSource, TaskId,
    between,
};
use windlass_core::words::quoted;

use self::lines::{below, gutter};
use crate::board::Board;
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone};
use crate::words;

/// What to type after a run that ended so, most useful first.
pub(crate) fn advised(board: &Board, plan: &RunSpec, reason: StopReason) -> Vec<String> {
    advice::next(board, plan, reason).into_iter().map(|advice| advice.command).collect()
}

/// The lines of one fact, which the board has taken in already.
pub(crate) fn lines(board: &Board, entry: &Entry, zone: &TimeZone) -> Vec<Line> {
    match &entry.fact {
        Fact::RunStarted { .. } => header::started(board),
        Fact::RunResumed { .. } => header::resumed(board),
        // What snapshots leave out stands in a notice, with the reason of each.
        Fact::BaselineCaptured(_) => status::found(board).into_iter().collect(),
        Fact::IterationStarted { iteration, task: Some(task), .. } => {
            vec![tasks::begun(board, *iteration, task)]
        }
        Fact::IterationStarted { iteration, .. } => begun(board, *iteration).into_iter().collect(),
        Fact::Merged(report::Merged { lane, outcome, .. }) => {
            tasks::merged(board, *lane, outcome).into_iter().collect()
        }
        Fact::TaskClosed(report::TaskClosed { task, end, branch, .. }) => {
            tasks::closed(board, task, end, branch.as_deref())
        }
        Fact::StatusChanged(_) => status::changed(board),
        Fact::ForbiddenChangesReverted(report::ForbiddenChangesReverted { count, files, undone, .. }) => {
            vec![guard::refused(board, (*count, files), *undone)]
        }
        Fact::PrinciplesCollected { principles, refused, left, .. } => {
            vec![collected(board, principles.is_some(), refused, *left)]
        }
        Fact::Suspected(report::Suspected { suspicions, .. }) => guard::suspected(board, suspicions),
        Fact::CallReserved { lane, purpose: Purpose::Review, .. } => review::begun(board, *lane),
        Fact::CallFinished { lane, call, summary, .. } => {
            let mut lines = review::finished(board, *lane, summary);
            lines.extend(council::finished(board, *lane, *call, summary));
            lines
        }
        Fact::CallRecharged { lane, call, cost, estimated, replaces, .. } => {
            let now = Spent::of(*cost, *estimated).written(format::money);
            let then = format::money(*replaces);
            vec![notice(
                board,
                Mark::Notice,
                &format!(
                    "lane {lane}: what lost call {call} did is known by now: it cost {now}, charged as ≈{then}"
                ),
            )]
        }
        Fact::DecisionLogged(report::DecisionLogged { refused, .. }) => {
            council::logged(board, refused).into_iter().collect()
        }
        Fact::ReviewSkipped(report::ReviewSkipped { lines, .. }) => vec![review::skipped(board, *lines)],
        Fact::FollowUpDue { lane, purpose, .. } => {
            let mut lines: Vec<Line> = status::follow_up_due(board, *purpose).into_iter().collect();
            if *purpose == Purpose::Council {
                lines.extend(council::asked(board, *lane));
            }
            lines
        }
        Fact::CheckFinished(report::CheckFinished { stage: CheckStage::Baseline, outcome, .. }) => {
            baseline(board, outcome)
        }
        Fact::CallCut { cut, .. } => cut_line(board, *cut).into_iter().collect(),
        Fact::AttemptRepeats { class, attempt, .. } => {
            iteration::repeats(board, &entry.fact, *class, *attempt)
        }
        Fact::IterationFinished { .. } => iteration::finished(board, &entry.fact),
        Fact::Issue(step) => issue::line(board, step, zone).into_iter().collect(),
        Fact::Delivery(step) => delivery::line(board, step, zone).into_iter().collect(),
        Fact::BackoffStarted { until, class, .. } => vec![held(board, *until, *class, zone)],
        Fact::AgentAway { .. } | Fact::AgentBack { .. } => {
            chain::line(board, &entry.fact, zone).into_iter().collect()
        }
        Fact::StopRequested { by, stage } => stopping(board, *by, *stage),
        Fact::ParkRequested { by, task } => vec![parking(board, *by, task)],
        Fact::Failing { stop_reason, detail, .. } => vec![failing(board, *stop_reason, detail)],
        Fact::NotificationSettled(_) => undelivered(board, &entry.fact).into_iter().collect(),
        Fact::HookFinished(report::HookFinished { hook, outcome, .. }) => {
            hook::finished(board, *hook, outcome).into_iter().collect()
        }
        Fact::ActionAsked(report::ActionAsked { by, what, .. }) => {
            vec![notice(board, Mark::Notice, &format!("{}{what}", asker(*by)))]
        }
        Fact::Noticed(report::Noticed { text }) => vec![notice(board, Mark::Notice, text)],
        // What another line says, the living line shows or a view tells by itself.
        Fact::CheckFinished(_)
        | Fact::TasksRead { .. }
        | Fact::LaneOpened(_)
        | Fact::Landed(_)
        | Fact::CallReserved { .. }
        | Fact::CallSpawned(_)
        | Fact::SnapshotTaken(_)
        | Fact::Damaged(_)
        | Fact::Undone(_)
        | Fact::HookDue { .. }
        | Fact::Committed(_)
        | Fact::TreeRechecked(_)
        | Fact::BackoffEnded
        | Fact::RunEnding { .. }
        | Fact::RunFinished { .. } => Vec::new(),
    }
}

/// What became of the principles that an agent was to derive.
fn collected(board: &Board, taken: bool, refused: &str, left: u32) -> Line {
    if taken {
        let spec = board.plan.as_ref().and_then(|plan| plan.principles.as_ref());
        let file = spec.map(|spec| one_line(&spec.file().to_string_lossy())).unwrap_or_default();
        let said = format!(" the agent's principles are in {file}, and hold from the next iteration");
        return indented(board).mark(Tone::Good, Mark::Passed).plain(said).dim(": windlass principles");
    }
    let then = match left {
        0 => "the run goes on without principles".to_owned(),
        left => {
            format!("the agent is asked for them again, at most {}", format::count(u64::from(left), "time"))
        }
    };
    notice(board, Mark::Notice, &format!("the agent's principles are not taken: {refused}; {then}"))
}

/// The lines of a run's end: its result. The very last one names the stop reason for machines.
pub(crate) fn summary(board: &Board) -> Vec<Line> {
    summary::lines(board)
}

/// In a workspace the seed's words; elsewhere the living line says it.
fn begun(board: &Board, iteration: u32) -> Option<Line> {
    let reads_file = board.plan.as_ref().is_some_and(|plan| plan.job.mode.reads_file());
    let task = board.task().map(|task| format!(": {}", one_line(task)));
    let what = task.unwrap_or_else(|| "...".to_owned());
    reads_file.then(|| indented(board).dim(format!("Running iteration {iteration}{what}")))
}

fn baseline(board: &Board, outcome: &CheckOutcome) -> Vec<Line> {
    let (tone, mark) = check_mark(outcome);
    let line = indented(board)
        .mark(tone, mark)
        .dim(" before the first iteration: ")
        .plain(command(board, outcome))
        .dim(format!(" ({})", took(outcome)));
    let told = one_line(outcome.told());
    let told = (!outcome.passed() && !told.is_empty()).then(|| below(board).dim(told));
    std::iter::once(line).chain(told).collect()
}

/// A sentence that a person should read.
fn notice(board: &Board, mark: Mark, text: &str) -> Line {
    indented(board).mark(Tone::Warn, mark).plain(format!(" {}", one_line(text)))
}

/// A line whose mark stands below the marks of the iterations.
fn indented(board: &Board) -> Line {
    let gutter = gutter(board);
    Line::hanging(gutter + 2).plain(" ".repeat(gutter))
}

fn cut_line(board: &Board, cut: Cut) -> Option<Line> {
    let text = match cut {
        Cut::Silence => "the agent printed nothing for too long: ending it",
        Cut::WallClock => "the call took too long: ending it",
        Cut::Duration => "the time of the run is used up: ending the agent",
        Cut::Tokens => "the tokens of the run are used up: ending the agent",
        Cut::Lingering => "the agent is done, but its process stays: ending it",
        Cut::HopelessRetries => "the agent retries what cannot heal: ending it",
        // The request to stop has lines of its own.
        Cut::Stop => return None,
    };
    Some(notice(board, Mark::Notice, text))
}

fn held(board: &Board, until: jiff::Timestamp, class: Class, zone: &TimeZone) -> Line {
    let clock = format::clock(until, board.now, zone);
    let left = format::duration(between(board.now, until));
    let text = match class {
        Class::UsageLimit if board.backoff.is_some_and(|backoff| backoff.is_named) => {
            format!("waiting for the usage limit to reset at {clock} (in {left})")
        }
        Class::UsageLimit => format!("usage limit: trying again at {clock} (in {left})"),
        _ => format!("outage: trying again at {clock} (in {left})"),
    };
    notice(board, Mark::Waiting, &text)
}

/// Who asks.
const fn asker(by: StopSource) -> &'static str {
    match by {
        StopSource::Interrupt => "",
        StopSource::Terminate => "SIGTERM: ",
        StopSource::Command => "windlass stop: ",
        StopSource::Page => "from the web page: ",
        StopSource::Watch => "from windlass watch: ",
    }
}

/// A person wants a task left.
fn parking(board: &Board, by: StopSource, task: &TaskId) -> Line {
    let who = if by == StopSource::Command { "tasks park: " } else { asker(by) };
    let when = if board.tasks.standing(task) == Some(TaskProgress::Parked) {
        "is parked"
    } else {
        "is parked after the attempt that is under way, unless that does it"
    };
    notice(board, Mark::Notice, &format!("{who}{} {when}", one_line(&task.0)))
}

fn stopping(board: &Board, by: StopSource, stage: u8) -> Vec<Line> {
    let grace = board.plan.as_ref().map(|plan| format::bound(plan.clocks.grace)).unwrap_or_default();
    let who = asker(by);
    let is_called = board.is_agent_at_work();
    let what = match stage {
        _ if board.is_between_iterations() => "nothing is at work: stopping now".to_owned(),
        _ if !board.has_begun() => "no iteration has begun: stopping".to_owned(),
        0 | 1 if by.is_request() => "finishing this iteration, then stopping".to_owned(),
        0 | 1 if is_called => {
            "finishing this iteration, then stopping; Ctrl-C again ends the agent now".to_owned()
        }
        0 | 1 => "finishing this iteration, then stopping; Ctrl-C again ends it now".to_owned(),
        _ if !is_called => "no agent is at work: ending what else runs; all work is kept".to_owned(),
        2 => format!(
            "ending the agent: SIGTERM now, SIGKILL in {grace} to everything it started; its work is kept; Ctrl-C again kills it at once"
        ),
        _ => "killing everything the agent started; its work is kept".to_owned(),
    };
    let mut lines = vec![notice(board, Mark::Notice, &format!("{who}{what}"))];
    if let Some(plan) = &board.plan {
        let resume = format!("windlass resume {}", plan.run);
        let column = " ".repeat(gutter(board) + 2);
        lines.push(Line::new().dim(format!("{column}to go on later: ")).command(resume));
    }
    lines
}

fn failing(board: &Board, reason: StopReason, detail: &str) -> Line {
    let sentence = reason.sentence();
    indented(board)
        .mark(Tone::Bad, Mark::Failed)
        .tone(Tone::Bad, format!(" {sentence}"))
        .plain(format!(" {}", one_line(detail)))
        .dim(" Ending what is running; its work is kept.")
}

/// That a notification did not arrive is said once, until one arrives again: a night has many.
fn undelivered(board: &Board, fact: &Fact) -> Option<Line> {
    let Fact::NotificationSettled(report::NotificationSettled {
        key, sink, status, detail, attempts, ..
    }) = fact
    else {
        return None;
    };
    if board.undelivered.in_a_row.get(sink) != Some(&1) {
        return None;
    }
    let status = status.map(|status| format!("answered {status}"));
    let why: Vec<String> =
        status.into_iter().chain(Some(one_line(detail))).filter(|why| !why.is_empty()).collect();
    let tried = format::count(u64::from(*attempts), "attempt");
    let (event, sink, why) = (key.event.name(), sink.name(), why.join(": "));
    let text = format!("the notification {event} was not delivered ({sink}, {tried}): {why}");
    Some(notice(board, Mark::Notice, &text))
}

/// A check's command, as it is configured.
pub(crate) fn command(board: &Board, outcome: &CheckOutcome) -> String {
    let check = board.plan.as_ref().and_then(|plan| plan.checks.get(usize::from(outcome.check)));
    check.map_or_else(|| format!("check {}", outcome.check), |check| one_line(&check.command))
}

fn check_mark(outcome: &CheckOutcome) -> (Tone, Mark) {
    if outcome.passed() { (Tone::Good, Mark::Passed) } else { (Tone::Bad, Mark::Failed) }
}

/// `exit 1, 3s`; for a check that passed the time alone.
fn took(outcome: &CheckOutcome) -> String {
    let duration = format::duration(outcome.duration);
    if outcome.passed() { duration } else { format!("{}, {duration}", words::check_result(outcome.result)) }
}

/// The rules that would have allowed what was refused. Windlass's own files have none.
pub(crate) fn allowing(denials: &[Denial]) -> impl Iterator<Item = &str> {
    denials.iter().map(|denial| denial.rule.as_str()).filter(|rule| !rule.is_empty())
}

/// So many are told together.
const REFUSALS: usize = 5;

/// What was refused by something that no rule of `permissions.allow` lifts: each refuser once, with the first tool.
pub(crate) fn refusals(denials: &[Denial]) -> Vec<String> {
    let mut told: Vec<&Denial> = Vec::new();
    for denial in denials.iter().filter(|denial| !denial.refused_by.is_empty()) {
        if told.len() < REFUSALS && !told.iter().any(|known| known.refused_by == denial.refused_by) {
            told.push(denial);
        }
    }
    told.into_iter().map(|denial| format!("{} by {}", denial.tool, denial.refused_by)).collect()
}

/// The command that allows what these rules name.
pub(crate) fn allow_command<'a>(rules: impl IntoIterator<Item = &'a str>) -> String {
    let added: Vec<String> =
        rules.into_iter().map(|rule| format!("--add {}", quoted(rule.as_ref()))).collect();
    format!("windlass config set permissions.allow {}", added.join(" "))
}
