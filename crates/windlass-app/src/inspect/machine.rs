//! All runs of this machine, of all projects of the state folder, for whoever shows a list that stays right.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use windlass_core::spec::Mode;
use windlass_core::values::{RunId, Spent, StopReason};
use windlass_engine::store::run_folder::with_journal;
use windlass_engine::store::{Project, RunFolder, RunSummary, StoreError, index};
use windlass_ui::{RunRow, RunState};

use super::known::KnownRun;
use super::report::last_evening;
use super::runs::{row, spent};
use super::which;
use crate::error::AppError;
use crate::here::state_root;

/// Whoever has not looked after a run for so long does not wait for it.
const FORGOTTEN: Duration = Duration::from_hours(7 * 24);

/// Under which heading a run stands. They are in the order in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Heading {
    /// It does not go on without a person: it ended otherwise than complete, is only claimed to be, or its process is gone. It is
    /// younger than a week, and the same job has not been begun anew since.
    NeedsYou,
    /// A process works on it.
    Running,
    /// Its last fact is younger than yesterday's 18:00, local time.
    LastNight,
    /// All others.
    Older,
}

impl Heading {
    /// `needs you`, `running`, `last night`, `older`.
    pub const fn name(self) -> &'static str {
        match self {
            Heading::NeedsYou => "needs you",
            Heading::Running => "running",
            Heading::LastNight => "last night",
            Heading::Older => "older",
        }
    }
}

/// A run in the list.
#[derive(Clone, Debug)]
pub struct ListedRun {
    project: Project,
    /// What it came to.
    pub summary: Arc<RunSummary>,
    /// How it stands.
    pub state: RunState,
    /// Under which heading.
    pub heading: Heading,
}

impl ListedRun {
    /// How it is opened.
    pub fn known(&self) -> KnownRun {
        KnownRun::of(&self.project, &self.summary.run)
    }

    /// Its figures, as `runs` has them.
    pub fn row(&self) -> RunRow {
        row(&self.summary, self.state)
    }

    /// What it cost, with the part that is an estimate.
    pub fn spent(&self) -> Spent {
        spent(&self.summary, self.state)
    }
}

/// All runs of this machine. Looks at what has changed and at nothing else.
#[derive(Debug)]
pub struct Machine {
    root: PathBuf,
    projects: BTreeMap<PathBuf, ProjectRuns>,
    runs: Vec<ListedRun>,
    unreadable: Vec<(KnownRun, String)>,
    closed: Vec<ClosedProject>,
    evening: Timestamp,
}

/// A project of whose runs nothing can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosedProject {
    /// The name of its folder.
    pub name: String,
    /// Why: a sentence.
    pub why: String,
}

impl ClosedProject {
    /// This one, for what was said of it.
    pub(super) fn of(project: &Project, error: &AppError) -> ClosedProject {
        let name = project.path().file_name().map(|name| name.to_string_lossy().into_owned());
        ClosedProject { name: name.unwrap_or_default(), why: error.message.clone() }
    }
}

/// What was read of a project's runs, and what tells whether it still holds.
#[derive(Debug)]
struct ProjectRuns {
    project: Project,
    marks: Marks,
    summaries: Vec<Arc<RunSummary>>,
    unreadable: Vec<(RunId, String)>,
    live: Vec<RunId>,
}

/// The length of a file and when it was written.
type Mark = Option<(u64, SystemTime)>;

/// Nothing has changed where these have not.
#[derive(Debug, PartialEq, Eq)]
struct Marks {
    index: Mark,
    /// Changes when a run begins.
    folder: Mark,
    /// The journals of those that have not ended.
    journals: Vec<(RunId, Mark)>,
}

impl Machine {
    /// Nothing is read yet.
    ///
    /// # Errors
    /// Nothing says where state is kept.
    pub fn new() -> Result<Machine, AppError> {
        Ok(Machine::at(state_root()?))
    }

    pub(super) fn at(root: PathBuf) -> Machine {
        Machine {
            root,
            projects: BTreeMap::new(),
            runs: Vec::new(),
            unreadable: Vec::new(),
            closed: Vec::new(),
            evening: Timestamp::MIN,
        }
    }

    /// Looks again. Says whether anything is different from the last time.
    pub fn look(&mut self, now: Timestamp, zone: &TimeZone) -> Result<bool, AppError> {
        let evening = last_evening(now, zone);
        let mut changed = evening != self.evening;
        self.evening = evening;
        let found = Project::all(&self.root)?;
        let is_there = |path: &Path| found.iter().any(|project| project.path() == path);
        let before = self.projects.len();
        self.projects.retain(|path, _| is_there(path));
        changed |= self.projects.len() != before;
        let mut closed = Vec::new();
        for project in found {
            let known = self.projects.remove(project.path());
            // One that cannot be read hides no other.
            match ProjectRuns::renewed(&project, known) {
                Ok((runs, is_new)) => {
                    changed |= is_new;
                    self.projects.insert(project.path().to_owned(), runs);
                }
                Err(error) => closed.push(ClosedProject::of(&project, &error)),
            }
        }
        changed |= closed != self.closed;
        self.closed = closed;
        if changed {
            self.list(now);
        }
        Ok(changed)
    }

    /// All that can be read, by headings, under each the newest first.
    pub fn runs(&self) -> &[ListedRun] {
        &self.runs
    }

    /// Those that cannot, and why.
    pub fn unreadable(&self) -> &[(KnownRun, String)] {
        &self.unreadable
    }

    /// The projects of whose runs nothing can be read.
    pub fn closed(&self) -> &[ClosedProject] {
        &self.closed
    }

    fn list(&mut self, now: Timestamp) {
        let all = self.projects.values().flat_map(|of| of.summaries.iter());
        let mut newest: HashMap<Job<'_>, Timestamp> = HashMap::new();
        for run in all {
            let started = newest.entry(Job::of(run)).or_insert(run.started);
            *started = run.started.max(*started);
        }
        let mut listed = Vec::new();
        for of in self.projects.values() {
            for run in &of.summaries {
                let state = which::state(run, &of.live);
                let is_newest = newest.get(&Job::of(run)).is_none_or(|newest| *newest <= run.started);
                let waits = is_newest && now.duration_since(run.last).unsigned_abs() < FORGOTTEN;
                let heading = heading(state, waits, run.last >= self.evening);
                listed.push(ListedRun {
                    project: of.project.clone(),
                    summary: Arc::clone(run),
                    state,
                    heading,
                });
            }
        }
        listed.sort_by(|one, other| {
            (one.heading, other.summary.started, &other.summary.run).cmp(&(
                other.heading,
                one.summary.started,
                &one.summary.run,
            ))
        });
        let unreadable = self.projects.values().flat_map(|of| {
            of.unreadable.iter().map(|(run, why)| (KnownRun::of(&of.project, run), why.clone()))
        });
        self.unreadable = unreadable.collect();
        self.runs = listed;
    }
}

/// What a later run of the same goes on with.
#[derive(PartialEq, Eq, Hash)]
struct Job<'a>(&'a Path, Mode, &'a str, Option<&'a Path>);

impl Job<'_> {
    fn of(run: &RunSummary) -> Job<'_> {
        let workspace = run.workspace.as_ref().map(|workspace| workspace.folder.as_path());
        Job(&run.directory, run.mode, &run.title, workspace)
    }
}

fn heading(state: RunState, waits: bool, is_fresh: bool) -> Heading {
    let is_done = match state {
        RunState::Running => return Heading::Running,
        RunState::Ended(reason) => matches!(reason, StopReason::Complete | StopReason::NothingToDo),
        RunState::Claimed | RunState::Interrupted => false,
    };
    if !is_done && waits {
        Heading::NeedsYou
    } else if is_fresh {
        Heading::LastNight
    } else {
        Heading::Older
    }
}

impl ProjectRuns {
    /// What is known where it still holds, else read anew; and whether anything is different.
    fn renewed(project: &Project, known: Option<ProjectRuns>) -> Result<(ProjectRuns, bool), AppError> {
        let live = which::seen_live(project)?;
        if let Some(known) = known
            && Marks::of(project, known.open()) == known.marks
        {
            let is_new = known.live != live;
            return Ok((ProjectRuns { live, ..known }, is_new));
        }
        let listing = index::look(project)?;
        let is_wrong = |(run, error): &(RunId, StoreError)| !(error.is_nothing_yet() || live.contains(run));
        let open: Vec<RunId> =
            listing.runs.iter().filter(|run| run.is_unfinished()).map(|run| run.run.clone()).collect();
        let unread: Vec<RunId> = listing.unreadable.iter().map(|(run, _)| run.clone()).collect();
        let unreadable = listing.unreadable.into_iter().filter(is_wrong);
        let mut unreadable: Vec<(RunId, String)> =
            unreadable.map(|(run, error)| (run, error.to_string())).collect();
        unreadable.extend(without_journal(project, &listing.runs)?);
        let marks = Marks::of(project, open.iter().chain(&unread));
        let summaries = listing.runs;
        Ok((ProjectRuns { project: project.clone(), marks, summaries, unreadable, live }, true))
    }

    /// Those of whose journals more may come.
    fn open(&self) -> impl Iterator<Item = &RunId> {
        self.marks.journals.iter().map(|(run, _)| run)
    }
}

/// Those that the index knows and whose journal is gone: they are listed, and cannot be opened. No journal is read for that: there may
/// be ten thousand.
fn without_journal(project: &Project, runs: &[Arc<RunSummary>]) -> Result<Vec<(RunId, String)>, AppError> {
    let mut there = with_journal(project)?;
    there.sort_unstable();
    let is_gone = |run: &RunId| there.binary_search(run).is_err();
    let gone = runs.iter().filter(|run| !run.is_unfinished() && is_gone(&run.run));
    Ok(gone.map(|run| (run.run.clone(), "its journal is gone".to_owned())).collect())
}

impl Marks {
    fn of<'a>(project: &Project, open: impl Iterator<Item = &'a RunId>) -> Marks {
        let journals = open.map(|run| (run.clone(), mark(&RunFolder::of(project, run).journal())));
        Marks { index: mark(&project.index()), folder: mark(&project.runs()), journals: journals.collect() }
    }
}

fn mark(path: &Path) -> Mark {
    // outside: the state folder.
    let about = path.metadata().ok()?;
    Some((about.len(), about.modified().ok()?))
}
