//! The state of one run.

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use windlass_core::spec::{Mode, RunSpec};
use windlass_core::tasks;
use windlass_core::values::{
    CheckKind, CheckResult, Cost, Denial, HookDecision, HookName, HookOutcome, Items, JobStatus, Named,
    RunId, Spent, StatusSource, TaskRow, Tokens, between,
};

use super::judged::StatusJudged;
use super::runs::{RunState, stated};
use super::status_agents::StatusAgent;
use super::status_councils::StatusCouncils;
use super::status_tasks::StatusTasks;
use super::suspicion::{MOST_SUSPICIONS, StatusSuspicion};
use crate::board::Board;
use crate::document::document;
use crate::elsewhere;
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone, rendered};
use crate::narrate::{
    advised, allow_command, allowing, hook_look, hook_summary, labelled, labelled_once, refusals, short,
};
use crate::terminal::Terminal;
use crate::words;

/// The state of one run, as a document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunStatus {
    /// Its name; `None` only for a journal without a beginning.
    pub run: Option<RunId>,
    /// How it stands.
    #[serde(flatten, serialize_with = "stated")]
    pub state: RunState,
    /// One sentence that says more about its end, where there is more to say.
    pub detail: String,
    /// Fresher's word for how it ended: `complete`, `max_iterations`, `no_changes`, `manual`, `error`; `None` before.
    pub finish_type: Option<&'static str>,
    /// How it works; `None` only for a journal without a beginning.
    pub mode: Option<Mode>,
    /// The job's first words.
    pub title: String,
    /// Where it works.
    pub directory: String,
    /// The workspace that its job lives in.
    pub workspace: Option<String>,
    /// What the workspace's status file counted last.
    pub items: Option<Items>,
    /// The agent's own words on where the job stands; empty where it has said none.
    pub summary: String,
    /// The task that is worked on or comes next; `None` in modes without tasks, and where none can be done.
    pub task: Option<String>,
    /// How the tasks stand; `None` in modes without them.
    pub tasks: Option<StatusTasks>,
    /// When it began.
    #[serde(serialize_with = "windlass_core::values::some_wall_time::serialize")]
    pub started: Option<Timestamp>,
    /// The iteration at work, or the last one; 0 before the first.
    pub iteration: u32,
    /// Iterations that ended.
    pub iterations: u32,
    /// The limit on iterations.
    pub max_iterations: Option<u32>,
    /// Councils about conflicts of principles; `None` where none was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub councils: Option<StatusCouncils>,
    /// All calls so far.
    #[serde(rename = "cost_usd")]
    pub cost: Cost,
    /// A part of the cost is an estimate.
    pub estimated: bool,
    /// That part.
    #[serde(rename = "estimated_usd")]
    pub estimated_cost: Cost,
    /// The limit on money.
    #[serde(rename = "max_cost_usd")]
    pub max_cost: Option<Cost>,
    /// What other runs have spent of that, where it is not this run's alone.
    #[serde(rename = "spent_before_usd", skip_serializing_if = "Cost::is_zero")]
    pub spent_before: Cost,
    /// All calls so far.
    pub tokens: Tokens,
    /// Milliseconds of work; of a run that has not ended: since it began, waits left out.
    pub duration_ms: u64,
    /// The agents of a run with several, in their order; empty where it has one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<StatusAgent>,
    /// When a wait ends; of a run that nobody drives, until when it would wait.
    #[serde(serialize_with = "windlass_core::values::some_wall_time::serialize")]
    pub waiting_until: Option<Timestamp>,
    /// Milliseconds of waits, with what has passed of the one under way.
    pub waited_ms: u64,
    /// Stage of a request to stop, 0 to 3.
    pub stop_stage: u8,
    /// The run's checks with their last results.
    pub checks: Vec<StatusCheck>,
    /// What a fresh agent said last of each success criterion that it was asked about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<StatusJudged>,
    /// How each hook that was called went last.
    pub hooks: Vec<StatusHook>,
    /// Commits made by the runner.
    pub commits: u32,
    /// Commits made in the run, by whomever: those between [`first_head`](Self::first_head) and [`head`](Self::head).
    pub commits_made: u64,
    /// HEAD when the run began; `None` without a commit.
    pub first_head: Option<String>,
    /// HEAD when it was looked at last; `None` without a commit.
    pub head: Option<String>,
    /// What the last agent's process exited with; `None` where none exited yet, or a signal ended it.
    pub last_exit_code: Option<i32>,
    /// The signal that ended the last agent's process; `None` where none did.
    pub last_signal: Option<i32>,
    /// Tool calls that were refused, each kind once.
    pub denials: Vec<Denial>,
    /// What speaks against the checks of the work as it is.
    pub suspicions: Vec<StatusSuspicion>,
    /// The newest iteration that `restore` can bring back.
    pub restorable: Option<u32>,
    /// When the last thing happened.
    #[serde(serialize_with = "windlass_core::values::wall_time::serialize")]
    pub updated: Timestamp,
    /// What to type next, most useful first.
    pub next: Vec<String>,
}

/// A check in a status.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StatusCheck {
    /// What it is for.
    pub kind: CheckKind,
    /// Its command.
    pub command: String,
    /// How it ended last; `None` when it has not been run on the work.
    pub result: Option<CheckResult>,
    /// The last line of its output.
    pub last_line: String,
}

/// A hook in a status.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StatusHook {
    /// Which.
    pub hook: HookName,
    /// What followed from it.
    pub decision: HookDecision,
    /// How its command ended.
    pub result: CheckResult,
    /// Why, in one line; empty where nothing was said.
    pub reason: String,
}

impl StatusHook {
    fn new(hook: HookName, outcome: &HookOutcome) -> StatusHook {
        let HookOutcome { decision, result, reason, .. } = outcome;
        StatusHook { hook, decision: *decision, result: *result, reason: reason.clone() }
    }
}

impl RunStatus {
    /// What it cost so far, with the part that is an estimate.
    pub const fn spent(&self) -> Spent {
        Spent { cost: self.cost, estimated: self.estimated_cost }
    }

    /// What this run may spend itself of its limit; `None` = no limit.
    pub fn budget(&self) -> Option<Cost> {
        self.max_cost.map(|limit| limit.minus(self.spent_before))
    }

    /// Its workspace was deleted: nothing is advised that needs that.
    pub fn without_workspace(&mut self) {
        let run = self.run.as_ref().map(|run| run.0.clone()).unwrap_or_default();
        let stays = |command: &String| command.contains(" logs ") || command.contains(" restore ");
        self.next.retain(stays);
        if !self.next.iter().any(|command| command.contains(" logs ")) {
            self.next.insert(0, format!("windlass logs {run}"));
        }
    }

    /// From a board that has taken in the run's facts; `unfinished` is how it stands if it has not ended
    /// ([`RunState::Running`] when a process holds it, else [`RunState::Interrupted`]). `counted` are the commits between the
    /// ends of [`commit_range`]; where nobody could count them, HEAD's moves stand for them.
    pub fn new(board: &Board, unfinished: RunState, counted: Option<u64>, now: Timestamp) -> RunStatus {
        let plan = board.plan.as_deref();
        let workspace = plan.and_then(|plan| plan.job.workspace.as_ref());
        let standing = board.status.latest.as_ref();
        let ending = board.ending.as_ref();
        let grounds = board.plan.as_ref().map(|plan| plan.grounds()).unwrap_or_default();
        let foremost = board.foremost().map_or(0, |lane| lane.iteration);
        let last = board.now.saturating_add(board.unseen).unwrap_or(board.now);
        let until = if unfinished == RunState::Running { now } else { last };
        let elapsed = board.started.map_or(Duration::ZERO, |started| between(started, until));
        let waited = board.waited_until(until);
        // Where nobody drives it, whoever goes on with it waits until then.
        let is_waiting = ending.is_none() && unfinished == RunState::Running;
        let backoff =
            board.backoff.or(board.left_waiting).filter(|backoff| is_waiting || backoff.until > now);
        let duration = ending
            .map_or(elapsed.saturating_sub(waited).saturating_sub(board.idle), |ending| ending.duration);
        let unsettled = match (ending, unfinished) {
            (None, RunState::Interrupted) => board.unsettled(),
            _ => Cost::ZERO,
        };
        let (last_exit_code, last_signal) = board.seen.ended.map_or((None, None), words::exit_or_signal);
        RunStatus {
            run: plan.map(|plan| plan.run.clone()),
            state: ending.map_or(unfinished, |ending| RunState::ended(ending.reason, grounds)),
            detail: ending.map(|ending| ending.detail.clone()).unwrap_or_default(),
            finish_type: ending.map(|ending| ending.reason.finish_type()),
            mode: plan.map(|plan| plan.job.mode),
            title: plan.map(|plan| plan.job.title.clone()).unwrap_or_default(),
            directory: plan.map(|plan| plan.directory.to_string_lossy().into_owned()).unwrap_or_default(),
            workspace: workspace.map(|workspace| workspace.name.clone()),
            items: standing.and_then(|standing| standing.items),
            summary: standing.map(|standing| standing.summary.clone()).unwrap_or_default(),
            task: standing.and_then(task).or_else(|| task_of_file(board)),
            tasks: StatusTasks::of(board).map(|tasks| tasks.standing(unfinished)),
            started: board.started,
            iteration: foremost,
            iterations: ending.map_or(board.tally.total(), |ending| ending.iterations),
            councils: StatusCouncils::of(board),
            max_iterations: plan.and_then(|plan| plan.limits.iterations),
            cost: board.cost() + unsettled,
            estimated: board.charged.estimated + unsettled > Cost::ZERO,
            estimated_cost: board.charged.estimated + unsettled,
            max_cost: plan.and_then(|plan| plan.limits.cost),
            spent_before: plan.map_or(Cost::ZERO, |plan| plan.limits.spent_before),
            tokens: board.tokens,
            duration_ms: format::millis(duration),
            agents: StatusAgent::all(board),
            waiting_until: backoff.map(|backoff| backoff.until),
            waited_ms: format::millis(waited),
            stop_stage: board.stop.map_or(0, |(_, stage)| stage),
            checks: checks(board),
            judged: StatusJudged::all(board),
            hooks: board.hooks.iter().map(|(hook, outcome)| StatusHook::new(*hook, outcome)).collect(),
            commits: board.commits.count,
            commits_made: counted.unwrap_or_else(|| u64::from(board.seen.moves)),
            first_head: board.seen.first_head.clone(),
            head: board.seen.head.clone(),
            last_exit_code,
            last_signal,
            denials: board.denials.clone(),
            suspicions: StatusSuspicion::all(board),
            restorable: board.kept.as_ref().map(|kept| kept.iteration),
            updated: board.now,
            next: plan.map(|plan| next(plan, board, unfinished)).unwrap_or_default(),
        }
    }
}

/// HEAD when the run began (`None` without a commit) and when it was looked at last; `None` where no commit was made.
pub fn commit_range(board: &Board) -> Option<(Option<&str>, &str)> {
    let (first, last) = (board.seen.first_head.as_deref(), board.seen.head.as_deref()?);
    (first != Some(last)).then_some((first, last))
}

/// Of a task file: the task at work, or the next one.
fn task_of_file(board: &Board) -> Option<String> {
    let is_at_work = |row: &&TaskRow| board.tasks.standing(&row.id) == Some(tasks::TaskProgress::Active);
    let row = board.tasks.rows().iter().find(is_at_work).or_else(|| board.tasks.next())?;
    Some(format!("{} {}", row.id, row.title))
}

/// In plan and build modes the job's own file says which task is next.
fn task(standing: &JobStatus) -> Option<String> {
    let is_plan = standing.source == StatusSource::PlanFile && !standing.summary.is_empty();
    is_plan.then(|| standing.summary.clone())
}

fn checks(board: &Board) -> Vec<StatusCheck> {
    let kinds = [CheckKind::Until, CheckKind::Gate, CheckKind::Criterion];
    let all = kinds.into_iter().flat_map(|kind| {
        // Hundreds of criteria wait for their tasks.
        let is_told = move |is_run: bool| kind != CheckKind::Criterion || is_run;
        let of_kind =
            board.checks_of(kind).into_iter().filter(move |(_, outcome)| is_told(outcome.is_some()));
        of_kind.map(move |(command, outcome)| StatusCheck {
            kind,
            command: command.to_owned(),
            result: outcome.map(|outcome| outcome.result),
            last_line: outcome.map(|outcome| outcome.last_line.clone()).unwrap_or_default(),
        })
    });
    all.collect()
}

/// The state as one line of JSON.
pub fn status_json(status: &RunStatus) -> Vec<u8> {
    document("status", status)
}

/// The state for people; every line ends with a newline.
pub fn status_text(status: &RunStatus, now: Timestamp, terminal: &Terminal) -> String {
    let mut lines = vec![headline(status)];
    lines.extend(status.workspace.as_ref().map(|name| labelled("workspace").plain(one_line(name))));
    lines.push(labelled("in").plain(one_line(&status.directory)));
    lines.extend(status.started.map(|started| {
        let clock = format::date_time(started, &terminal.zone);
        labelled("started").plain(clock).dim(format!(" ({})", format::relative(started, now, &terminal.zone)))
    }));
    let mode = status.mode.map(|mode| format!(" in {} mode", mode.name())).unwrap_or_default();
    let iteration = format::iteration(status.iteration, status.max_iterations);
    lines.push(labelled("iteration").plain(iteration).dim(mode));
    let said = JobStatus { items: status.items, summary: status.summary.clone(), ..JobStatus::default() };
    let said = one_line(&said.line(None));
    match &status.tasks {
        Some(tasks) => lines.extend(tasks.lines()),
        None => lines.extend((!said.is_empty()).then(|| labelled("status").plain(said))),
    }
    lines.push(labelled("cost").plain(format::of_limit(
        &format::charged(status.spent()),
        status.max_cost,
        status.spent_before,
    )));
    lines.push(labelled("tokens").plain(format::tokens(&status.tokens)));
    lines.push(labelled("time").plain(time(status)));
    lines.extend(status.councils.map(StatusCouncils::line));
    lines.extend(StatusAgent::line(&status.agents, (now, &terminal.zone)));
    lines.extend(status.waiting_until.map(|until| {
        let clock = format::clock(until, now, &terminal.zone);
        let label = if status.state == RunState::Running { "waiting" } else { "would wait" };
        labelled(label)
            .tone(Tone::Warn, format!("until {clock} (in {})", format::duration(between(now, until))))
    }));
    lines.extend(status.checks.iter().map(check));
    lines.extend(StatusJudged::lines(&status.judged));
    lines.extend(status.hooks.iter().filter(|hook| hook.decision != HookDecision::Continue).map(hook));
    lines.extend(status.suspicions.iter().take(MOST_SUSPICIONS).map(StatusSuspicion::line));
    lines.extend(commits(status));
    lines.extend(agent(status));
    let rules: Vec<&str> = allowing(&status.denials).collect();
    if !rules.is_empty() {
        lines.push(labelled("denied").unbroken().command(allow_command(rules)));
    }
    let refusals = refusals(&status.denials);
    lines.extend(labelled_once("refused").zip(&refusals).map(|(line, said)| line.plain(one_line(said))));
    let next = labelled_once("next").zip(&status.next);
    lines.extend(next.map(|(line, command)| line.command(one_line(command))));
    rendered(&lines, terminal)
}

fn headline(status: &RunStatus) -> Line {
    let run = status.run.as_ref().map(|run| one_line(&run.0)).unwrap_or_default();
    let (tone, stopping) = (status.state.tone(), status.stop_stage > 0 && status.state == RunState::Running);
    let line = Line::hanging(2).strong(run).plain(" ").tone(tone, status.state.name());
    let line = if stopping { line.tone(Tone::Warn, ", stopping") } else { line };
    let line = line.plain(format!("  {}", one_line(&status.title)));
    if status.detail.is_empty() {
        return line;
    }
    line.dim(format!(" · {}", one_line(&status.detail)))
}

/// Only where there are any.
fn commits(status: &RunStatus) -> Option<Line> {
    let made = status.commits_made.max(u64::from(status.commits));
    let head = status.head.as_deref().map(|head| format!(" (HEAD was {})", short(head)));
    let apart = format::commits_apart(made, status.commits);
    (made > 0).then(|| labelled("commits").plain(format!("{made}{apart}")).dim(head.unwrap_or_default()))
}

/// How the last agent ended, where that was not as it should be.
fn agent(status: &RunStatus) -> Option<Line> {
    let ended = match (status.last_exit_code, status.last_signal) {
        (Some(0) | None, None) => return None,
        (Some(code), _) => format!("exited with {code}"),
        (None, Some(signal)) => format!("ended by signal {signal}"),
    };
    Some(labelled("agent").tone(Tone::Warn, ended))
}

fn time(status: &RunStatus) -> String {
    let worked = format::duration(Duration::from_millis(status.duration_ms));
    if status.waited_ms == 0 {
        return worked;
    }
    format!("{worked}, and {} waited", format::duration(Duration::from_millis(status.waited_ms)))
}

fn check(check: &StatusCheck) -> Line {
    let (tone, mark) = match check.result {
        Some(CheckResult::Passed) => (Tone::Good, Mark::Passed),
        Some(_) => (Tone::Bad, Mark::Failed),
        None => (Tone::Dim, Mark::Nothing),
    };
    let result = check.result.map_or_else(|| "not run on the work".to_owned(), words::check_result);
    labelled(check.kind.name())
        .mark(tone, mark)
        .plain(format!(" {}", one_line(&check.command)))
        .dim(format!(" ({result})"))
}

fn hook(hook: &StatusHook) -> Line {
    let (tone, mark) = hook_look(hook.decision);
    labelled("hook").mark(tone, mark).plain(format!(
        " {}: {}",
        hook.hook.name(),
        hook_summary(hook.decision, hook.result, &hook.reason)
    ))
}

/// What to type next: after its end, what its end has told.
fn next(plan: &RunSpec, board: &Board, unfinished: RunState) -> Vec<String> {
    let run = &plan.run;
    let mut commands = match (&board.ending, unfinished) {
        (Some(ending), _) => advised(board, plan, ending.reason),
        (None, RunState::Running) => {
            return vec![format!("windlass logs {run} -f"), format!("windlass stop {run}")];
        }
        (None, _) => vec![format!("windlass resume {run}")],
    };
    let restore = board.kept.as_ref().filter(|_| plan.lanes.is_none());
    commands.extend(restore.map(|kept| {
        elsewhere::where_it_works(format!("windlass restore {run} {}", kept.iteration), &plan.directory)
    }));
    commands
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
