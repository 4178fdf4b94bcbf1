//! The world as values: files and a git history, snapshots, a journal on a disk, two clocks.

mod actor;
mod book;
mod clock;
mod disk;
mod forge;
mod git;
mod place;
mod snapshots;
mod tasks;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

use windlass_core::spec::{ClaimSource, Job, Mode};
use windlass_core::values::{Evidence, Items, JobStatus, LaneId, StatusSource, TaskId};
use windlass_jobs::doc::plan::WorkItem;

use crate::script::{Script, StatusWord};

pub(crate) use actor::Actor;
pub(crate) use book::{Book, PLAN};
pub(crate) use clock::Clock;
pub(crate) use disk::Disk;
pub(crate) use forge::{Forge, Pull};
pub(crate) use git::{Author, Git, name};
pub(crate) use place::Place;
pub(crate) use snapshots::{Side, Snapshots};
pub(crate) use tasks::{MOST_TASKS, Mark, TaskFile, rows, task_id, task_number, twins};
use tasks::{WORK, file_of};
pub(crate) use tree::{FILES, NAMES, Tree};

/// A workspace's status file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Status {
    pub complete: bool,
    worked: Option<bool>,
    done: u32,
    broken: bool,
    /// It is another one whenever the file was written.
    pub mark: u32,
}

/// What is remembered of a plan's boxes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Remembered {
    pub items: Vec<WorkItem>,
    pub missing: Vec<WorkItem>,
    /// An attempt has begun since.
    pub attempted: bool,
}

/// Everything outside the runner.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub clock: Clock,
    pub disk: Disk,
    pub tree: Tree,
    /// The working directory itself is gone.
    pub no_directory: bool,
    pub git: Git,
    pub snapshots: Snapshots,
    pub forge: Forge,
    pub notes: Option<Vec<u8>>,
    pub stop_file: bool,
    /// So many landings find the user's checkout locked by another git.
    pub locked: u8,
    /// The workspace's status file.
    pub status: Option<Status>,
    /// Contents that checks and hooks made: nobody's work.
    pub derived: BTreeSet<(u8, u32)>,
    /// What the run's folder remembers of the plan's boxes.
    pub remembered: Remembered,
    /// The tree with which the newest call began.
    before: Tree,
    last_by: [Option<Actor>; FILES],
    /// Files that it left otherwise, and that nobody else has written since.
    strayed: [bool; FILES],
    /// It moves on with every change that is not a check's.
    pub epoch: u32,
    contents: u32,
    flips: u32,
    epochs: u32,
    /// The tree that the newest check left, and its epoch: whoever puts that back has changed nothing.
    anchor: Option<(Tree, u32)>,
    /// The task that the checkout was opened for.
    pub task: Option<TaskId>,
    /// The lane whose directory all this is about.
    here: LaneId,
    elsewhere: BTreeMap<LaneId, Place>,
}

impl World {
    pub fn new(script: &Script) -> World {
        let mut tree = Tree::default();
        for file in [1, 2, 3] {
            tree.put(file, u32::from(file));
        }
        let mut git = Git::new(script.plan.git, tree);
        // Something that nobody has committed yet.
        tree.put(4, 4);
        tree.put(PLAN, script.book);
        if script.mode().has_tasks() {
            let done =
                TaskFile::read(script.book).into_iter().flat_map(|file| file.marks.into_iter().enumerate());
            for (task, _) in done.filter(|(_, mark)| *mark == Mark::Done) {
                tree.put(file_of(task), WORK + u32::try_from(task).unwrap_or(0));
            }
        }
        if script.mode().has_tasks() || script.forge.is_some() {
            // Lanes need a directory in which everything is committed, and so does what goes out.
            tree.put(4, 0);
            git = Git::new(script.plan.git, tree);
        }
        let mut world = World {
            clock: Clock::new(),
            disk: Disk::default(),
            tree,
            no_directory: false,
            git,
            snapshots: Snapshots::default(),
            forge: Forge::new(script.forge.as_ref()),
            notes: None,
            stop_file: false,
            locked: 0,
            status: None,
            anchor: None,
            task: None,
            here: LaneId::default(),
            elsewhere: BTreeMap::new(),
            epochs: 0,
            derived: BTreeSet::new(),
            remembered: Remembered::default(),
            before: Tree::default(),
            last_by: [None; FILES],
            strayed: [false; FILES],
            epoch: 0,
            contents: 1_000,
            flips: 0,
        };
        if let Some(word) = script.status {
            world.report(word, script.goal);
        }
        world
    }

    pub fn evidence(&self, job: &Job) -> Evidence {
        let said = |status: Status| {
            format!("{}-{:?}-{}-{}", status.complete, status.worked, status.done, status.broken)
        };
        let work = match job.mode {
            Mode::Plan | Mode::Build | Mode::Phase => Some(self.tree.get(PLAN).to_string()),
            mode => mode.reads_file().then(|| self.status.map_or_else(String::new, said)),
        };
        let mut tree = self.tree;
        if job.mode.has_tasks() {
            // The runner keeps that file; how far tasks are is not evidence of its agents' work.
            tree.put(PLAN, 0);
        }
        Evidence { head: self.git.head_name(), tree: tree.digest(), work }
    }

    /// Changes the tree on behalf of somebody.
    pub fn change(&mut self, by: Actor, change: impl FnOnce(&mut Tree)) {
        let before = self.tree;
        change(&mut self.tree);
        if self.tree == before {
            return;
        }
        for file in before.changes(&self.tree).filter(|file| *file != PLAN) {
            self.last_by[usize::from(file)] = Some(by);
            let other = self.tree.get(file) != self.before.get(file);
            self.strayed[usize::from(file)] = by == Actor::Agent && other;
        }
        if matches!(by, Actor::Check | Actor::Hook | Actor::Clerk) {
            let made = self.tree.files().filter(|(file, content)| before.get(*file) != *content);
            self.derived.extend(made);
        }
        if matches!(by, Actor::Check | Actor::Clerk) {
            return;
        }
        self.epoch = match self.anchor {
            Some((tree, epoch)) if tree == self.tree => epoch,
            _ => {
                self.epochs += 1;
                self.epochs
            }
        };
    }

    /// A call begins.
    pub fn call_begins(&mut self) {
        self.before = self.tree;
    }

    /// Has somebody else than the agent changed it last?
    pub fn is_not_the_agents(&self, file: u8) -> bool {
        self.last_by[usize::from(file)] != Some(Actor::Agent)
    }

    /// A file beside the plan that is as an agent left it.
    pub fn strayed(&self) -> Option<&'static str> {
        self.strayed.iter().position(|strayed| *strayed).map(|file| NAMES[file])
    }

    /// The plan's boxes, and how many of them are open.
    pub fn boxes(&self) -> Option<(u32, u32)> {
        Book::read(self.tree.get(PLAN)).filter(|_| !self.no_directory).map(|plan| (plan.total(), plan.open()))
    }

    /// Which boxes of the plan are open, and which are ticked, one bit each; `None` where there is no plan.
    pub fn box_marks(&self) -> Option<(u32, u32)> {
        let plan = Book::read(self.tree.get(PLAN)).filter(|_| !self.no_directory)?;
        Some((plan.open_boxes(), plan.done_boxes()))
    }

    /// A check has ended: this is the tree that it has judged, with what it made of it.
    pub fn judged(&mut self) {
        self.anchor = Some((self.tree, self.epoch));
    }

    /// Writes the status file.
    pub fn report(&mut self, word: StatusWord, goal: u32) {
        let done = self.tree.done();
        if word == StatusWord::Same && self.status.is_some() {
            return;
        }
        self.contents += 1;
        self.status = Some(Status {
            complete: word == StatusWord::Done || (word == StatusWord::DoneIfSo && done >= goal),
            worked: Some(word != StatusWord::NoWork),
            done,
            broken: word == StatusWord::Broken,
            mark: self.contents,
        });
    }

    /// What is read of it; nothing where the mode reads none.
    pub fn standing(&self, job: &Job) -> Option<JobStatus> {
        match job.mode {
            Mode::Plan | Mode::Build | Mode::Phase => return Some(self.plan_standing(job.mode)),
            mode if !mode.reads_file() => return None,
            _ => {}
        }
        let Some(status) = self.status.filter(|_| !self.no_directory) else {
            return Some(JobStatus::default());
        };
        let read = JobStatus {
            source: StatusSource::StatusFile,
            mark: status.mark.to_string(),
            ..JobStatus::default()
        };
        if status.broken {
            return Some(JobStatus { problem: Some("it is not JSON".to_owned()), ..read });
        }
        let items = Items { done: status.done.into(), total: 5 };
        Some(JobStatus { complete: status.complete, worked: status.worked, items: Some(items), ..read })
    }

    fn plan_standing(&self, mode: Mode) -> JobStatus {
        let Some(plan) = Book::read(self.tree.get(PLAN)).filter(|_| !self.no_directory) else {
            return JobStatus::default();
        };
        let items = Items { done: plan.done().into(), total: plan.total().into() };
        let complete = if mode.claim() == ClaimSource::Boxes { plan.open() == 0 } else { plan.sound }
            && plan.total() > 0;
        let document = mode.writes_document();
        JobStatus {
            source: if document { StatusSource::Document } else { StatusSource::PlanFile },
            problem: (document && !complete).then(|| "something is wrong with it".to_owned()),
            mark: self.tree.get(PLAN).to_string(),
            items: (plan.total() > 0).then_some(items),
            complete,
            ..JobStatus::default()
        }
    }

    /// Does the job's own file claim that the job is done? A status file: in words of this run or in trusted ones. A plan
    /// that is made: it is sound, and as it was before the newest call.
    pub fn file_claims(&self, job: &Job, first: u32) -> bool {
        match job.mode {
            Mode::Plan => {
                let same = self.before.get(PLAN) == self.tree.get(PLAN);
                return same && self.plan_standing(job.mode).complete;
            }
            Mode::Phase => return self.plan_standing(job.mode).complete,
            Mode::Build => {
                let ends = job.plan.as_ref().is_some_and(|plan| plan.smart_termination);
                return ends && self.plan_standing(job.mode).complete;
            }
            _ => {}
        }
        let trusted = job.workspace.as_ref().is_some_and(|workspace| workspace.trust_existing_status);
        self.status
            .is_some_and(|status| status.complete && !status.broken && (trusted || status.mark != first))
    }

    /// A content that nothing ever had.
    pub fn new_content(&mut self) -> u32 {
        self.contents += 1;
        self.contents
    }

    /// One of two contents, in turn.
    pub fn flip(&mut self) -> u32 {
        self.flips += 1;
        500 + self.flips % 2
    }

    /// A file of somebody's that would be lost if it were changed now.
    pub fn unprotected(&self) -> Option<(u8, u32)> {
        // Of what the runner itself wrote into a task file, nothing needs keeping.
        // The marks of a conflict are made of what both sides have committed.
        let marks = |file: u8| self.tree.conflicts().any(|other| other == file);
        let own = |at: &(u8, u32)| at.0 == PLAN && self.derived.contains(at) || marks(at.0);
        self.tree.files().find(|at| !self.snapshots.protects(*at) && !self.git.protects(*at) && !own(at))
    }

    /// The same, without what checks and hooks made.
    pub fn unprotected_work(&self) -> Option<(u8, u32)> {
        let lost = |at: &(u8, u32)| !self.snapshots.protects(*at) && !self.git.protects(*at);
        // The marks of a conflict are made of what both sides have committed.
        let marks = |file: u8| self.tree.conflicts().any(|other| other == file);
        self.tree.files().find(|at| lost(at) && !self.derived.contains(at) && !marks(at.0))
    }
}
