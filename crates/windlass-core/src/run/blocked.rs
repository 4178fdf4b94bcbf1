//! Tasks of which none can be worked on: what stands in their way, and what a person can do about it.

use crate::run::Run;
use crate::run::lane::LaneState;
use crate::spec::RunSpec;
use crate::tasks::Counts;
use crate::values::{Check, CheckKind, StopReason, TaskRow, TaskState};
use crate::words::{quoted, some_clauses_of, some_of};

/// So many tasks that stand in the way are named.
const NAMED: usize = 3;

/// So many times as many tasks as before the first was done may be parked in a row in each lane afterwards.
const MORE_TIMES: u32 = 2;

/// How it is said that every task is done, where only the file says so.
pub const DONE_IN_FILE: &str = "every task is done in the file";

impl Run {
    /// Why nothing more can be done, where nothing can.
    pub(super) fn blocked(&self, spec: &RunSpec) -> Option<(StopReason, String)> {
        let at_work = self.lanes.values().any(|lane| lane.task.is_some());
        let idle =
            self.lanes.values().all(|lane| matches!(lane.state, LaneState::Idle { .. } | LaneState::Cleared));
        if !spec.job.mode.has_tasks() || at_work || !idle || self.ready_task().is_some() {
            return None;
        }
        let merges = self.waits_for_merges();
        let parked = self.tasks.schedule.counts().parked;
        let detail = match (merges.is_empty(), parked) {
            (true, _) => self.stands_in_the_way(),
            (false, 0) => merges,
            (false, _) => format!("parked: {}; {merges}", self.parked_tasks()),
        };
        Some((StopReason::Blocked, detail))
    }

    /// One task after another is parked and none is done: it is hardly the tasks. Each for itself ends no run.
    pub(super) fn all_parked(&self, spec: &RunSpec) -> Option<(StopReason, String)> {
        let parked = self.counters.parked;
        let lanes = u32::try_from(spec.lane_ids().len()).unwrap_or(u32::MAX);
        let (times, since) = match self.counters.done {
            0 => (1, "none is done"),
            // It has worked before: more has to speak against it.
            _ => (MORE_TIMES.saturating_mul(lanes), "none was done since"),
        };
        if parked < spec.limits.failures.max(1).saturating_mul(times) {
            return None;
        }
        let tasks = if parked == 1 {
            "1 task was parked".to_owned()
        } else {
            format!("{parked} tasks in a row were parked")
        };
        let named = self.parked_tasks();
        Some((StopReason::ConsecutiveFailures, format!("{tasks} and {since}: {named}")))
    }

    /// Those that are parked, and why.
    fn parked_tasks(&self) -> String {
        let parked = self.tasks.schedule.counts().parked;
        let named = self.tasks.parked.iter().take(NAMED).map(|(id, why)| format!("{id} ({why})"));
        let named = named.collect::<Vec<_>>().join(", ");
        let more = if parked > NAMED { format!(" and {} more", parked - NAMED) } else { String::new() };
        format!("{named}{more}")
    }

    fn stands_in_the_way(&self) -> String {
        let Counts { parked, waiting, .. } = self.tasks.schedule.counts();
        let named = self.parked_tasks();
        let unclear = self.unclear_tasks();
        match (parked, waiting) {
            (0, 0) if self.tasks_done() && self.hidden_work().is_some() => {
                let hidden = self.hidden_work().unwrap_or_default();
                format!(
                    "every task is done, and open work may stand where no task is: {hidden}; `windlass resume` goes on once that is \
                     mended, or taken out"
                )
            }
            (0, 0) if self.tasks_done() => self.done_unseen(),
            (0, 0) => "there is no task".to_owned(),
            (0, _) if !unclear.is_empty() => unclear,
            (0, 1) => {
                format!("1 task waits for what is not there or for itself; `{}` names it", self.validating())
            }
            (0, _) => format!(
                "{waiting} tasks wait for what is not there or for each other; `{}` names them",
                self.validating()
            ),
            (_, 0) => format!("parked: {named}"),
            _ if !unclear.is_empty() => format!("parked: {named}; {unclear}"),
            (_, 1) => format!("parked: {named}; 1 task waits"),
            _ => format!("parked: {named}; {waiting} tasks wait"),
        }
    }

    /// Every task is done in the file, and this run has not seen that it is.
    fn done_unseen(&self) -> String {
        let red: Vec<String> = self.red_at_first().map(|gate| format!("`{}`", gate.command)).collect();
        if self.counters.started > 0 || red.is_empty() {
            // By a person meanwhile; or an agent took the last one out of the file, and its runner died.
            return format!(
                "{DONE_IN_FILE}, but this run has not seen the checks pass since; a new one looks at them"
            );
        }
        let (fails, it) = if red.len() == 1 { ("a check fails", "it") } else { ("checks fail", "they") };
        let named = some_of(red.iter(), NAMED);
        format!(
            "{DONE_IN_FILE}, and {fails} before anything is done: {named}; set the task that has to mend that back to `pending`, or \
             add one, and begin a new run: nobody works while no task is open, and {it} would fail again"
        )
    }

    /// The gates that failed before the first iteration.
    fn red_at_first(&self) -> impl Iterator<Item = &Check> {
        let is_red = |check: u16| self.baseline.iter().any(|seen| seen.check == check && !seen.passed());
        let spec = self.spec.as_ref();
        let red = self.checks(CheckKind::Gate).filter(move |check| is_red(*check));
        red.filter_map(move |check| spec?.checks.get(usize::from(check)))
    }

    /// Those that a person has to mend in the file, and why; empty where there are none.
    fn unclear_tasks(&self) -> String {
        let unclear = |row: &&TaskRow| row.unclear.is_some() && row.state != TaskState::Done;
        let clauses = self.tasks.schedule.rows().iter().filter(unclear).map(|row| {
            let why = row.unclear.as_deref().unwrap_or_default();
            format!("{} is open and cannot be worked on, since {why}", row.id)
        });
        let clauses: Vec<String> = clauses.collect();
        if clauses.is_empty() {
            return String::new();
        }
        let named = some_clauses_of(clauses.iter(), NAMED);
        format!(
            "{named}; `{}` names the lines, and `windlass resume` goes on once they are fixed",
            self.validating()
        )
    }

    /// The command that says what is wrong with the tasks.
    fn validating(&self) -> String {
        let tasks = self.spec.as_ref().and_then(|spec| spec.job.tasks.as_ref());
        let file = tasks.map(|tasks| format!(" -f {}", quoted(tasks.file.as_os_str())));
        format!("windlass tasks validate{}", file.unwrap_or_default())
    }
}
