//! One run that is open.

use std::collections::BTreeMap;

use jiff::Timestamp;
use windlass_core::values::{Spent, Verdict};
use windlass_ui::RunState;
use windlass_ui::model::{IterationSeen, RunSeen, TaskOutcome};

use super::{Pager, Picker, RunPlace, Tab, Topic};

/// A run as it was read.
#[derive(Clone, Debug)]
pub struct RunNow {
    /// Which.
    pub place: RunPlace,
    /// How it stands.
    pub seen: RunSeen,
    /// When it was looked at.
    pub made: Timestamp,
    /// When an agent was heard last; `None` where none is at work.
    pub heard: Option<Timestamp>,
    /// What the agents have at hand, by iteration.
    pub at_hand: BTreeMap<u32, AtHand>,
}

impl RunNow {
    /// Does a process work on it?
    pub fn is_live(&self) -> bool {
        self.seen.status.state == RunState::Running
    }
}

/// What an agent does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtHand {
    /// The tool, and what it is used on.
    pub what: String,
    /// Since when.
    pub since: Option<Timestamp>,
}

/// Which pane has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// The list.
    List,
    /// What is selected, in detail.
    Detail,
}

/// Which rows the list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// All.
    All,
    /// What failed, was refused, or is unproven.
    Wrong,
}

impl Filter {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Filter::All => "all",
            Filter::Wrong => "went wrong",
        }
    }
}

/// A row of a run's list.
#[derive(Clone, Debug, PartialEq)]
pub enum ListRow<'a> {
    /// A round of work.
    Iteration(&'a IterationSeen),
    /// A task.
    Task(TaskLine),
}

/// A task in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskLine {
    /// Its id and title.
    pub what: String,
    /// What became of it.
    pub state: TaskOutcome,
    /// An agent works on it.
    pub at_work: bool,
    /// Its iterations.
    pub iterations: Vec<u32>,
    /// What they cost.
    pub spent: Spent,
}

/// A run that is open.
#[derive(Clone, Debug)]
pub struct RunView {
    /// Which.
    pub place: RunPlace,
    /// How it stands; `None` before it was read.
    pub now: Option<RunNow>,
    /// Why it cannot be read.
    pub trouble: Option<String>,
    /// Which row is selected.
    pub picker: Picker,
    /// The selection goes to the newest row.
    pub newest: bool,
    /// Which rows there are.
    pub filter: Filter,
    /// Tasks instead of iterations.
    pub tasks: bool,
    /// Which pane has the keys.
    pub pane: Pane,
    /// The tab that somebody chose; `None` = what fits the iteration.
    pub tab: Option<Tab>,
    /// Which of the iteration's calls, counted back from the last.
    pub call: usize,
    /// What the pager shows.
    pub topic: Option<Topic>,
    /// The details.
    pub pager: Pager,
}

impl RunView {
    /// One of which nothing is known yet.
    pub fn new(place: RunPlace) -> RunView {
        RunView {
            place,
            now: None,
            trouble: None,
            picker: Picker::default(),
            newest: true,
            filter: Filter::All,
            tasks: false,
            pane: Pane::List,
            tab: None,
            call: 0,
            topic: None,
            pager: Pager::default(),
        }
    }

    /// It was read anew; what was selected stays so.
    pub fn take(&mut self, now: RunNow) {
        let kept = self.selected();
        self.trouble = None;
        self.now = Some(now);
        if let Some(iteration) = kept.filter(|_| !self.newest && !self.tasks) {
            self.select(iteration);
        }
    }

    /// The rows of its list.
    pub fn rows(&self) -> Vec<ListRow<'_>> {
        let Some(now) = &self.now else { return Vec::new() };
        if self.tasks {
            return self.task_lines(now).into_iter().map(ListRow::Task).collect();
        }
        let rounds = now.seen.rounds.iter().filter(|round| self.filter == Filter::All || is_wrong(round));
        rounds.map(ListRow::Iteration).collect()
    }

    fn task_lines(&self, now: &RunNow) -> Vec<TaskLine> {
        let at_work =
            now.seen.status.tasks.as_ref().map(|tasks| tasks.at_work.as_slice()).unwrap_or_default();
        let line = |task: &windlass_ui::model::TaskSeen| TaskLine {
            what: format!("{} {}", windlass_ui::one_line(&task.task.0), task.title).trim_end().to_owned(),
            state: task.state,
            at_work: now.is_live() && at_work.iter().any(|at| at.task.id == task.task),
            iterations: task.iterations.clone(),
            spent: task.spent(),
        };
        let lines = now.seen.begun.iter().map(line);
        let lines = lines.filter(|task| self.filter == Filter::All || task.state == TaskOutcome::Parked);
        lines.collect()
    }

    /// The iteration that is selected; of a task its last one.
    pub fn selected(&self) -> Option<u32> {
        let rows = self.rows();
        let place = if self.newest { rows.len().checked_sub(1)? } else { self.picker.selected() };
        match rows.get(place.min(rows.len().checked_sub(1)?))? {
            ListRow::Iteration(round) => Some(round.iteration),
            ListRow::Task(task) => task.iterations.last().copied(),
        }
    }

    /// The same, with all that is known of it.
    pub fn round(&self) -> Option<&IterationSeen> {
        let selected = self.selected()?;
        self.now.as_ref()?.seen.rounds.iter().find(|round| round.iteration == selected)
    }

    /// Selects an iteration, where the list has it.
    pub fn select(&mut self, iteration: u32) {
        let is_it =
            |row: &ListRow<'_>| matches!(row, ListRow::Iteration(round) if round.iteration == iteration);
        if let Some(place) = self.rows().iter().position(is_it) {
            self.picker.select(place);
        }
    }

    /// The tab that is shown.
    pub fn shown_tab(&self) -> Tab {
        let at_work = self.round().is_some_and(|round| round.ended.is_none());
        self.tab.unwrap_or(if at_work { Tab::Transcript } else { Tab::Summary })
    }

    /// The details are about what is selected.
    pub fn settle(&mut self, is_report: bool) {
        let rows = self.rows().len();
        if self.newest {
            self.picker.select(rows.saturating_sub(1));
        }
        self.picker.step(0, rows);
        let topic = if is_report {
            Some(Topic::Report)
        } else {
            let (tab, call) = (self.shown_tab(), self.call);
            self.selected().map(|iteration| Topic::Iteration { iteration, tab, call })
        };
        if topic != self.topic {
            let needle = std::mem::take(&mut self.pager.needle);
            let is_transcript = matches!(topic, Some(Topic::Iteration { tab: Tab::Transcript, .. }));
            self.pager = if is_transcript { Pager::following() } else { Pager::default() };
            self.pager.needle = needle;
            self.topic = topic;
        }
    }

    /// The next iteration that went wrong after the selected one, or the one before.
    pub fn wrong(&self, forward: bool) -> Option<u32> {
        let here = self.selected()?;
        let mut wrong = self.now.as_ref()?.seen.rounds.iter().filter(|round| is_wrong(round));
        let wrong = if forward {
            wrong.find(|round| round.iteration > here)
        } else {
            wrong.rev().find(|round| round.iteration < here)
        };
        wrong.map(|round| round.iteration)
    }
}

/// Did it fail, or was its claim refused?
pub fn is_wrong(round: &IterationSeen) -> bool {
    matches!(round.verdict, Some(Verdict::Failed | Verdict::ClaimRefused | Verdict::ClaimUnsupported))
}
