//! Lanes, with real git.

mod crashing;
mod full;
mod in_the_way;
mod landing;
mod large;
mod merging;
mod opening;
mod parking;
mod property;
mod squashing;
mod switching;
mod travelling;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::commit::{Candidate, CommitHooks, CommitOutcome};
use crate::git::{ObjectId, Repository};
use crate::inventory::{Inventory, Place, Surveyor};
use crate::lane::{Conflict, Landed, Landing, Lane, MergeResult, OwnFile, Target, land};
use crate::testing::{Scratch, after};

/// A main repository and lanes beside it.
struct Yard {
    scratch: Scratch,
}

/// One of its lanes, with what it began with.
struct Worker {
    lane: Lane,
    home: PathBuf,
    since: ObjectId,
    trailers: String,
}

impl Yard {
    /// `a.txt` and `src/b.txt` are committed.
    fn new() -> Self {
        Self::of(Scratch::committed())
    }

    fn of(scratch: Scratch) -> Self {
        Self { scratch }
    }

    fn main(&self) -> Repository {
        self.scratch.found()
    }

    fn target(&self) -> Target {
        Target::of(&self.main().head().unwrap()).unwrap()
    }

    fn tip(&self) -> ObjectId {
        self.target().tip(&self.main()).unwrap().unwrap()
    }

    fn home(&self, number: u32) -> PathBuf {
        self.scratch.state.join(format!("lanes/{number}"))
    }

    /// A lane at the branch's tip.
    fn open(&self, number: u32) -> Worker {
        let since = self.tip();
        let home = self.home(number);
        let lane = Lane::open(&self.main(), &home, since).unwrap();
        let trailers = format!("Windlass-Run: r-test\nWindlass-Iteration: {number}");
        Worker { lane, home, since, trailers }
    }

    /// A commit with all that a lane has by now.
    fn squash(&self, worker: &Worker) -> CommitOutcome {
        self.squash_without(worker, &[])
    }

    fn squash_without(&self, worker: &Worker, without: &[Vec<u8>]) -> CommitOutcome {
        let inventory = self.judge(worker);
        let mut changed = worker.lane.to_commit(Vec::new()).unwrap();
        changed.retain(|path| !without.contains(path));
        let candidate = Candidate {
            inventory: &inventory,
            changed: &changed,
            message: &format!("Work of a lane\n\n{}\n", worker.trailers),
            hooks: CommitHooks::Run,
            timeout: Duration::from_mins(1),
        };
        worker.lane.squash(&self.scratch.store(), &candidate, |_| Ok(None)).unwrap()
    }

    fn judge(&self, worker: &Worker) -> Inventory {
        let place = Place::new(worker.lane.top(), Some(worker.lane.repository().clone()));
        let mut surveyor = Surveyor::new(place);
        let inventory = surveyor.survey(&[]).unwrap();
        self.scratch.store().keep(surveyor.place(), &inventory, &after(1)).unwrap();
        inventory
    }

    fn commit(&self, worker: &Worker) -> ObjectId {
        match self.squash(worker) {
            CommitOutcome::Committed { commit, altered } if altered.is_empty() => commit,
            other => panic!("{other:?}"),
        }
    }

    fn land(&self, worker: &Worker, commit: ObjectId, tip: ObjectId, files: &[OwnFile]) -> Landed {
        let (main, target) = (self.main(), self.target());
        land(&main, &worker.landing(commit, tip, &target, files)).unwrap()
    }

    /// Squashes, merges and lands what a lane has; whoever is in the way, it is an error.
    fn deliver(&self, worker: &Worker) -> ObjectId {
        self.deliver_again(worker, self.commit(worker))
    }

    fn deliver_again(&self, worker: &Worker, work: ObjectId) -> ObjectId {
        let tip = self.tip();
        let MergeResult::Clean { commit, .. } = worker.lane.merge(work, tip).unwrap() else {
            panic!("a conflict")
        };
        match self.land(worker, commit, tip, &[]) {
            Landed::Landed { commit, left, behind: None } if left.is_empty() => commit,
            other => panic!("{other:?}"),
        }
    }

    /// What a person does in the main repository.
    fn person(&self, path: &str, content: &str) {
        self.scratch.write(path, content);
        self.scratch.git(&["add", path]);
        self.scratch.git(&["commit", "-q", "-m", "A person's"]);
    }

    fn status(&self) -> String {
        self.scratch.git(&["status", "--porcelain"])
    }

    fn subjects(&self) -> Vec<String> {
        self.scratch.git(&["log", "--format=%s"]).lines().map(str::to_owned).collect()
    }

    /// Nothing is left over that is not to be there between landings.
    fn is_tidy(&self) -> bool {
        [".git/index.lock", ".git/windlass-landing"].iter().all(|path| !self.scratch.has(path))
    }
}

impl Worker {
    fn landing<'a>(
        &'a self,
        commit: ObjectId,
        tip: ObjectId,
        target: &'a Target,
        files: &'a [OwnFile],
    ) -> Landing<'a> {
        Landing {
            lane: &self.lane,
            commit: Some(commit),
            message: "",
            tip,
            since: self.since,
            target,
            trailers: &self.trailers,
            files,
        }
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.lane.top().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.lane.top().join(path)).unwrap()
    }

    fn has(&self, path: &str) -> bool {
        self.lane.top().join(path).symlink_metadata().is_ok()
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.lane.top().join(path)).unwrap();
    }

    /// git as the lane's agent runs it.
    fn git(&self, yard: &Yard, arguments: &[&str]) -> String {
        yard.scratch.git_in(self.lane.top(), arguments)
    }
}

fn conflicts(outcome: MergeResult) -> Vec<Conflict> {
    match outcome {
        MergeResult::Conflict(conflicts) => conflicts,
        clean @ MergeResult::Clean { .. } => panic!("{clean:?}"),
    }
}

fn refusal(landed: Landed) -> String {
    match landed {
        Landed::Refused(why) | Landed::Prevented(why) | Landed::Held(why) => why,
        other => panic!("{other:?}"),
    }
}
