//! The working tree, its snapshots and the run's folder, as the worker sees them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_core::damage::Damage;
use windlass_core::principles::Principles;
use windlass_core::report::Report;
use windlass_core::run::TurnKey;
use windlass_core::spec::RunSpec;
use windlass_core::values::{Evidence, JobStatus, Purpose, SnapshotId, StatusSource, TaskId};

use super::damage::found::FoundDamage;
use super::guard_memory::GuardMemory;
use super::nested::NestedMarks;
use super::standing;
use super::work::WorkError;
use crate::recovery::Uncommitted;
use crate::recovery::by_checks::ByChecks;
use crate::sandbox::Sandbox;
use crate::store::{CallFolder, RunFolder};
use windlass_git::git::{GitError, ObjectFiles, Repository, Steering, TreeFiles};
use windlass_git::inventory;
use windlass_git::inventory::{Inventory, Surveyor};
use windlass_git::loan::Loan;
use windlass_git::snapshot::{Moment, Side, Snapshot, SnapshotName, Store};
use windlass_jobs::doc::tasks::TaskList;

/// What the worker holds.
#[derive(Debug)]
pub(super) struct WorkingTree {
    pub plan: Arc<RunSpec>,
    pub folder: RunFolder,
    pub surveyor: Surveyor,
    /// Where snapshots go; `None` without a git repository.
    pub snapshots: Option<Store>,
    /// The tree as it was last looked at, and where that is kept.
    pub latest: Option<Look>,
    /// What the session began with, where something of that may be destroyed that no attempt has begun with.
    pub start: Option<SnapshotName>,
    /// What was said in this session: nothing is said twice, by whichever thread.
    pub said: Arc<Mutex<BTreeSet<String>>>,
    /// What checks wrote in this session and in those before it.
    pub by_checks: ByChecks,
    /// The attempt whose beginning this session has seen.
    pub began: Option<TurnKey>,
    /// The attempt that this session has kept last.
    pub kept_last: Option<TurnKey>,
    /// The repository's other working trees when that attempt began.
    pub trees: BTreeSet<PathBuf>,
    /// The repositories inside this one as the attempt found them.
    pub nested: Option<NestedMarks>,
    /// What an attempt changed and must not: paths.
    pub forbidden_changes: Vec<Vec<u8>>,
    /// What an attempt did to the repository beyond its work, until it is undone.
    pub damage: Option<FoundDamage>,
    /// What was uncommitted when a session began: a person's.
    pub uncommitted: Uncommitted,
    /// Of these, what somebody wrote between two sessions of a run whose work is pushed.
    pub between: Uncommitted,
    /// What the next commit takes along besides its work.
    pub along: Vec<Vec<u8>>,
    /// What was checked out when the run had last committed, or began: where it still is nobody else has committed since. `None`
    /// where that is not known.
    pub own_commit: Option<String>,
    /// Of these it was said that they are not committed.
    pub held_back: BTreeSet<Vec<u8>>,
    /// What of it was committed then.
    pub uncommitted_base: Uncommitted,
    /// Does a checkout of this commit make other files of what is committed, as far as somebody has asked?
    pub converts: Option<(String, bool)>,
    /// What is to be said with the next answer.
    pub notices: Vec<String>,
    /// The files of the commit that was last asked about.
    pub committed: Option<(String, Arc<TreeFiles>)>,
    /// The attempt whose file of tasks was put back: its snapshot has what it left of it, and keeps its name.
    pub put_back: Option<TurnKey>,
    /// Work of the attempt at hand went back while the checks ran: what passed, passed on another tree.
    pub went_back: bool,
    /// The tasks as this session read them, where it goes by that and not by what agents make of their files.
    pub tasks_as_read: Option<Arc<TaskList>>,
    /// The tasks of which a person has said how far they are, between the attempt that was cut off and this session.
    pub vouched: BTreeSet<TaskId>,
    /// What is compared with what was there before.
    pub guard: GuardMemory,
    /// The git directory that guests are lent, where they are.
    pub loan: Option<Loan>,
    /// Where filters of the person's are run; `None` where they are run outside, or not at all.
    pub inside: Option<Inside>,
    /// The files of the repository's objects as this session has seen them.
    pub objects: ObjectFiles,
    /// What steers git where guests work on the repository's own git directory.
    pub steering: Option<Arc<Mutex<Steering>>>,
    /// What a guest did in it that was not taken over.
    pub left_behind: Vec<Damage>,
    /// The principles that an agent of the run has derived.
    pub derived: Option<Principles>,
    /// The SHA-256 of the log of decisions as the runner left it.
    pub decision_log: Option<String>,
    /// Why the run must end, to be told with the next answer.
    pub ends: Option<Report>,
}

/// How filters are called.
#[derive(Clone, Debug)]
pub(super) struct Inside {
    /// What they are locked in by.
    pub sandbox: Arc<Sandbox>,
    /// Before the sandbox chooses from it.
    pub environment: Vec<(OsString, OsString)>,
}

/// One look at the tree.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub inventory: Inventory,
    /// `None` when it was only looked at.
    pub snapshot: Option<SnapshotId>,
}

impl WorkingTree {
    /// The commit that is checked out; `None` where there is none.
    pub fn checked_out(&self) -> Result<Option<String>, GitError> {
        let repository = self.surveyor.place().repository.as_ref();
        let head = repository.map(Repository::head).transpose()?;
        Ok(head.and_then(|head| head.commit()).map(|commit| commit.to_string()))
    }

    /// Nothing of it has been looked at in this session. The guard looks for programs in `search_path`.
    pub fn new(
        plan: Arc<RunSpec>,
        folder: RunFolder,
        surveyor: Surveyor,
        snapshots: Option<Store>,
        search_path: OsString,
    ) -> WorkingTree {
        WorkingTree {
            plan,
            folder,
            surveyor,
            snapshots,
            latest: None,
            start: None,
            said: Arc::default(),
            by_checks: ByChecks::default(),
            began: None,
            kept_last: None,
            trees: BTreeSet::new(),
            nested: None,
            forbidden_changes: Vec::new(),
            damage: None,
            uncommitted: Uncommitted::default(),
            between: Uncommitted::default(),
            along: Vec::new(),
            own_commit: None,
            held_back: BTreeSet::new(),
            uncommitted_base: Uncommitted::default(),
            converts: None,
            notices: Vec::new(),
            committed: None,
            put_back: None,
            went_back: false,
            tasks_as_read: None,
            vouched: BTreeSet::new(),
            guard: GuardMemory::new(search_path),
            loan: None,
            inside: None,
            objects: ObjectFiles::default(),
            steering: None,
            left_behind: Vec::new(),
            derived: None,
            decision_log: None,
            ends: None,
        }
    }

    pub fn call_folder(&self, turn: TurnKey, purpose: Purpose) -> CallFolder {
        self.folder.call(turn.iteration, turn.attempt, purpose)
    }

    /// The snapshot of before or after an attempt; `None` where it was not taken.
    pub fn kept(&self, turn: TurnKey, side: Side) -> Result<Option<Snapshot>, WorkError> {
        let Some(store) = &self.snapshots else { return Ok(None) };
        Ok(store.load_named(&self.name(turn, side))?)
    }

    /// Why the repository cannot be gone on with, where an earlier look of this session has seen objects that are gone.
    pub fn lost_objects(&mut self) -> Result<Option<String>, GitError> {
        let WorkingTree { objects, surveyor, .. } = self;
        surveyor.place().repository.as_ref().map_or(Ok(None), |repository| objects.find_loss(repository))
    }

    /// Looks at the tree and remembers that: how it stands now.
    pub fn look_again(&mut self) -> Result<Evidence, WorkError> {
        let look = self.look()?;
        let evidence = self.evidence(&look);
        self.remember(look);
        Ok(evidence)
    }

    pub fn look(&mut self) -> Result<Look, WorkError> {
        self.put_steering_back()?;
        self.take_over()?;
        Ok(Look { inventory: self.surveyor.survey(&[])?, snapshot: None })
    }

    /// A look that was not kept; where nothing has changed since the last kept one, that one stands for it.
    pub fn remember(&mut self, look: Look) {
        let same = self.latest.as_ref().filter(|latest| latest.inventory.entries == look.inventory.entries);
        let snapshot = same
            .filter(|latest| latest.inventory.head == look.inventory.head)
            .and_then(|latest| latest.snapshot.clone());
        self.latest = Some(Look { snapshot, ..look });
    }

    pub fn evidence(&self, look: &Look) -> Evidence {
        let place = self.surveyor.place();
        let own = self.plan.job.notes_file.clone().into_iter().chain(self.plan.own_files());
        let own: Vec<Vec<u8>> = own.filter_map(|file| place.relative(&file)).collect();
        let mut evidence = inventory::evidence(&look.inventory, &own);
        standing::add_work(&mut evidence, &self.plan, &look.inventory, self.surveyor.place());
        evidence
    }

    /// What the status file says before the run; what of it does not count is said.
    pub(super) fn standing(&mut self, reports: &mut Vec<Report>) -> Option<JobStatus> {
        let standing = standing::read(&self.plan)?;
        let trusted =
            self.plan.job.workspace.as_ref().is_some_and(|workspace| workspace.trust_existing_status);
        let file = match standing.source {
            StatusSource::TodoFile => "TODO.md",
            StatusSource::StatusFile => "the status file",
            // Boxes say how far the work is, whoever ticked them and when.
            StatusSource::PlanFile
            | StatusSource::TaskFile
            | StatusSource::Document
            | StatusSource::Nowhere => {
                return Some(standing);
            }
        };
        if standing.complete && !trusted {
            let text = format!(
                "{file} says from before this run that the job is complete; that does not count until the agent \
                 writes it anew (--trust-existing-status would take it)"
            );
            reports.extend(self.say_once(vec![text]));
        }
        Some(standing)
    }

    pub fn keep_look(
        &mut self,
        inventory: &Inventory,
        name: &SnapshotName,
    ) -> Result<Option<Snapshot>, WorkError> {
        let Some(store) = &mut self.snapshots else {
            return Ok(None);
        };
        Ok(Some(store.keep(self.surveyor.place(), inventory, name)?))
    }

    pub fn name(&self, turn: TurnKey, side: Side) -> SnapshotName {
        let TurnKey { iteration, attempt } = turn;
        SnapshotName { run: self.plan.run.clone(), moment: Moment::Iteration { iteration, attempt, side } }
    }

    /// Notices of what was not said before.
    pub fn say_once(&mut self, texts: Vec<String>) -> Vec<Report> {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        texts.into_iter().filter(|text| said.insert(text.clone())).map(Report::notice).collect()
    }
}
