//! One run in a few words, for lists: what its facts say about it, without the rules that made them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use windlass_core::fact::{Entry, Fact};
use windlass_core::report;
use windlass_core::spec::{Mode, PipelinePart, RunSpec};
use windlass_core::tasks::Schedule;
use windlass_core::values::{
    CallId, Cost, Grounds, Items, RunId, Spent, StopReason, TaskEnd, Tokens, path_text,
};

/// One run in a few words.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSummary {
    /// The run.
    pub run: RunId,
    /// Its job's first words.
    pub title: String,
    /// Its working directory.
    pub directory: PathBuf,
    /// What the workspace's status file counted last.
    pub items: Option<Items>,
    /// Its mode.
    pub mode: Mode,
    /// The workspace it works on; `None` for a free goal. In a place of its own, as the next: most of ten thousand runs have none.
    pub workspace: Option<Box<RunWorkspace>>,
    /// The part of a pipeline that it is; `None` where it is not one.
    pub pipeline: Option<Box<PipelinePart>>,
    /// The file that it is about, as [`Job::about`](windlass_core::spec::Job::about) has it.
    pub about: Option<Box<str>>,
    /// When it began.
    pub started: Timestamp,
    /// When its last fact was journalled.
    pub last: Timestamp,
    /// A call was begun in it. Endings that were noted before this was say it where something came of one.
    pub called: bool,
    /// Iterations that ended.
    pub iterations: u32,
    /// What it was charged so far; calls that have not ended with what was reserved for them.
    pub cost: Cost,
    /// The part of it that is reserved for calls that have not ended: they run, or they were cut off and will be
    /// settled by `resume`.
    pub reserved: Cost,
    /// A part of what ended calls cost is an estimate, since an agent died without reporting it.
    pub estimated: bool,
    /// That part.
    pub estimated_cost: Cost,
    /// What the agents reported so far.
    pub tokens: Tokens,
    /// How it ended; `None` while it runs, and after a crash.
    pub ending: Option<RunEnding>,
}

/// The workspace that a run works on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunWorkspace {
    /// Its name.
    pub name: String,
    /// Its folder: canonical. Two working trees of one repository may each have a workspace of the same name.
    #[serde(with = "path_text")]
    pub folder: PathBuf,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunEnding {
    /// Why.
    pub stop_reason: StopReason,
    /// What it rests on, where that is complete.
    pub grounds: Grounds,
    /// How long it took, without waits for usage limits and the time between a crash and its resume.
    pub duration: Duration,
    /// What its process ended with.
    pub exit_code: u8,
}

impl RunSummary {
    /// Folds a run's facts; `None` when they do not begin with the run's start.
    pub fn of(entries: &[Entry]) -> Option<RunSummary> {
        let (first, rest) = entries.split_first()?;
        let Fact::RunStarted { plan } = &first.fact else {
            return None;
        };
        let mut fold = Fold::new(first, plan);
        for entry in rest {
            fold.take(entry);
        }
        Some(fold.finish())
    }

    /// Does it work on the workspace in this folder (canonical)?
    pub fn is_of(&self, workspace: &Path) -> bool {
        self.workspace.as_ref().is_some_and(|own| own.folder == workspace)
    }

    /// Is it a part of the pipeline of this id?
    pub fn is_in_pipeline(&self, id: &str) -> bool {
        self.pipeline.as_ref().is_some_and(|part| part.id == id)
    }

    /// Neither running to its end nor ended: it runs, or it crashed.
    pub const fn is_unfinished(&self) -> bool {
        self.ending.is_none()
    }
}

struct Fold {
    summary: RunSummary,
    /// Calls that were reserved for and have not ended.
    open: Vec<(CallId, Cost)>,
    /// Of a run of tasks: how they stand.
    tasks: Option<Schedule>,
    grounds: Grounds,
}

impl Fold {
    fn new(first: &Entry, plan: &RunSpec) -> Fold {
        let summary = RunSummary {
            run: plan.run.clone(),
            title: plan.job.title.clone(),
            directory: plan.directory.clone(),
            items: None,
            mode: plan.job.mode,
            workspace: plan.job.workspace.as_ref().map(|workspace| {
                Box::new(RunWorkspace { name: workspace.name.clone(), folder: workspace.folder.clone() })
            }),
            pipeline: plan.job.pipeline().map(Box::new),
            about: plan.job.about.as_deref().map(Box::from),
            started: first.at.wall,
            last: first.at.wall,
            called: false,
            iterations: 0,
            cost: Cost::ZERO,
            reserved: Cost::ZERO,
            estimated: false,
            estimated_cost: Cost::ZERO,
            tokens: Tokens::default(),
            ending: None,
        };
        Fold { summary, open: Vec::new(), tasks: None, grounds: plan.grounds() }
    }

    fn take(&mut self, entry: &Entry) {
        let summary = &mut self.summary;
        if !matches!(entry.fact, Fact::ActionAsked(_)) {
            summary.last = entry.at.wall;
        }
        match &entry.fact {
            Fact::RunResumed { plan } => {
                summary.ending = None;
                // On another machine it goes on in another folder.
                summary.directory.clone_from(&plan.directory);
                self.grounds = plan.grounds();
            }
            Fact::TasksRead { tasks } => self.tasks = Some(Schedule::new(tasks.clone())),
            Fact::TaskClosed(report::TaskClosed { task, end, .. }) => {
                if let Some(tasks) = &mut self.tasks
                    && *end == TaskEnd::Done
                {
                    tasks.finish(task);
                }
            }
            // What a claim and a lane's own copy of the file say of tasks is not how they stand.
            Fact::BaselineCaptured(_) | Fact::SnapshotTaken(_) if self.tasks.is_some() => {}
            Fact::BaselineCaptured(report::BaselineCaptured { standing: Some(standing), .. })
            | Fact::StatusChanged(report::StatusChanged { standing, .. })
            | Fact::SnapshotTaken(report::SnapshotTaken { standing: Some(standing), .. }) => {
                summary.items = standing.items;
            }
            Fact::CallReserved { call, reserved, .. } => {
                summary.called = true;
                self.open.push((*call, *reserved));
            }
            Fact::CallFinished { call, summary: ended, .. } => {
                self.open.retain(|(open, _)| open != call);
                summary.cost += ended.cost;
                summary.estimated |= ended.estimated;
                summary.estimated_cost += Spent::of(ended.cost, ended.estimated).estimated;
                summary.tokens += ended.tokens;
            }
            Fact::CallRecharged { cost, estimated, tokens, replaces, replaces_tokens, .. } => {
                let spent = Spent { cost: summary.cost, estimated: summary.estimated_cost };
                let spent = spent.with(Spent::of(*cost, *estimated), *replaces);
                (summary.cost, summary.estimated_cost) = (spent.cost, spent.estimated);
                summary.estimated = spent.estimated > Cost::ZERO;
                summary.tokens = summary.tokens.with(*tokens, *replaces_tokens);
            }
            Fact::IterationFinished { .. } => summary.iterations = summary.iterations.saturating_add(1),
            Fact::RunFinished {
                stop_reason,
                iterations,
                cost,
                estimated,
                estimated_cost,
                tokens,
                duration,
                exit_code,
                ..
            } => {
                // The run's own figures are the ones that people were told.
                (summary.iterations, summary.cost, summary.tokens) = (*iterations, *cost, *tokens);
                summary.estimated = *estimated;
                // Journals of old did not say how much of it is an estimate; their calls do.
                if *estimated_cost > Cost::ZERO {
                    summary.estimated_cost = *estimated_cost;
                }
                self.open.clear();
                summary.ending = Some(RunEnding {
                    stop_reason: *stop_reason,
                    grounds: self.grounds,
                    duration: *duration,
                    exit_code: *exit_code,
                });
            }
            _ => {}
        }
    }

    fn finish(mut self) -> RunSummary {
        self.summary.reserved = self.open.iter().map(|(_, reserved)| *reserved).sum();
        self.summary.cost += self.summary.reserved;
        if let Some(tasks) = &self.tasks {
            let counts = tasks.counts();
            self.summary.items = Some(Items { done: counts.done as u64, total: counts.total as u64 });
        }
        self.summary
    }
}
