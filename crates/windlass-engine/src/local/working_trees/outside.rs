//! What becomes of the person's repository, and of work there that is nowhere else, while lanes are at work.
//!
//! No agent has any business outside its lane; without a sandbox nothing keeps it in, and the person may be at work there. So whatever
//! is gone is said with the way back, and ends nothing but where no git reads the repository any more.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use windlass_core::damage::{self, Damage, DamageKind};
use windlass_core::report::Report;
use windlass_core::run::{Effect, Order};
use windlass_core::spec::CommitPolicy;
use windlass_core::values::{LaneId, StopReason};
use windlass_core::words::{quoted, some_of};

use super::{WorkingTrees, damage as attempts};
use crate::local::work::{WorkError, Worked};
use windlass_git::git::{ObjectFiles, ObjectId, Repository};
use windlass_git::inventory::{Place, as_path};
use windlass_git::snapshot::{OwnFile, SnapshotName, Store};
use windlass_host::tree::at;

/// So many files are named in one sentence.
const NAMED: usize = 3;

/// So many commands stand in one: each brings back something of its own.
const COMMANDS: usize = 20;

/// The repository as it was last seen.
#[derive(Debug)]
pub(super) struct Outside {
    /// What the session began with.
    start: SnapshotName,
    own: Vec<OwnFile>,
    /// Those stashes of when the session began that are still there.
    stashes: Vec<String>,
    /// What was uncommitted when the session began, but for what is known to be gone, or committed.
    uncommitted: BTreeMap<Vec<u8>, Work>,
    /// The commit that was checked out.
    head: Option<ObjectId>,
    objects: ObjectFiles,
}

/// A person's work that no commit has.
#[derive(Clone, Copy, Debug)]
struct Work {
    /// What is there; `None` for a folder.
    content: Option<ObjectId>,
    /// What is committed of it.
    committed: Option<ObjectId>,
}

impl WorkingTrees {
    /// Remembers what the session begins with, after the checks of the baseline once more.
    pub(super) fn begin_looking_outside(&mut self) -> Result<(), WorkError> {
        if !self.main.plan.has_open_lanes() {
            return Ok(());
        }
        let repository = self.repository()?;
        self.main.name_start()?;
        let place = self.main.surveyor.place().clone();
        let (Some(store), Some(start)) = (&mut self.main.snapshots, self.main.start.clone()) else {
            return Ok(());
        };
        let own = store.own_files_now(&repository)?;
        let base = &self.main.uncommitted_base;
        // What a former session found may be committed by now, or gone.
        let now = |path: &Vec<u8>| place.content_now(path).map(|(_, content)| content);
        let is_uncommitted = |path: &Vec<u8>, now: Option<ObjectId>| {
            let is_there =
                now.is_some() || path.ends_with(b"/") && at(&place.root).join(as_path(path)).is_taken();
            is_there && base.get(path).is_none_or(|base| *base != now)
        };
        let paths = self.main.uncommitted.keys().map(|path| (path, now(path)));
        let paths = paths.filter(|(path, now)| is_uncommitted(path, *now));
        let work = |(path, content): (&Vec<u8>, Option<ObjectId>)| {
            (path.clone(), Work { content, committed: base.get(path).copied().flatten() })
        };
        let uncommitted = paths.map(work).collect();
        let mut outside = self.outside.lock().unwrap_or_else(PoisonError::into_inner);
        let (stashes, head) = (store.scene(&own)?.stashes, repository.head()?.commit());
        let mut objects = ObjectFiles::default();
        objects.find_loss(&repository)?;
        *outside = Some(Outside { start, own, stashes, uncommitted, head, objects });
        Ok(())
    }

    /// What was done there while an agent, or the checks of its work, were at work in a lane.
    pub(super) fn with_outside(&mut self, lane: LaneId, order: &Order, reports: Vec<Report>) -> Worked {
        let is_after_others =
            matches!(order.effect, Effect::Keep { .. } | Effect::Settle { .. } | Effect::Commit { .. });
        if !is_after_others || !self.lanes.contains_key(&lane) {
            return Ok(reports);
        }
        self.find_repository()?;
        let texts = self.look_outside(lane)?;
        Ok(self.main.say_once(texts).into_iter().chain(reports).collect())
    }

    fn look_outside(&mut self, lane: LaneId) -> Result<Vec<String>, WorkError> {
        let (repository, shared) = (self.repository()?, Arc::clone(&self.outside));
        let mut outside = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let store = self.lanes.get_mut(&lane).and_then(|checkout| checkout.world.snapshots.as_mut());
        let (Some(outside), Some(store)) = (outside.as_mut(), store) else { return Ok(Vec::new()) };
        if let Some(why) = outside.objects.find_loss(&repository)? {
            return Err(outside.broken(&why));
        }
        let place = self.main.surveyor.place();
        let lost = outside.lost_files(place, &repository);
        let mut texts = outside.look_at_repository(store, &repository)?;
        // What is put away for a moment is in the stash, or back by now.
        if !lost.is_empty() && !outside.has_put_away(store)? {
            let mut still = outside.lost_files(place, &repository);
            still.retain(|path| lost.contains(path));
            texts.extend(outside.forget(store, place, &still)?);
        }
        Ok(texts)
    }

    /// Is there a repository that git can read?
    pub(super) fn find_repository(&self) -> Result<(), WorkError> {
        let outside = self.outside.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some(outside), repository) = (outside.as_ref(), self.repository()?) else { return Ok(()) };
        attempts::why_unreadable(&repository).map_or(Ok(()), |why| Err(outside.broken(&why)))
    }

    /// Are all files of what is checked out there? Asked where something could not be done: that takes a while.
    pub(super) fn find_all_objects(&self) -> Result<(), WorkError> {
        let outside = self.outside.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some(outside), repository) = (outside.as_ref(), self.repository()?) else { return Ok(()) };
        match repository.whole_head() {
            Err(said) => Err(outside.broken(said.to_string().trim_end())),
            Ok(_) => Ok(()),
        }
    }

    /// Whatever could not be done without the directory or its repository, that it is gone is what there is to say.
    pub(super) fn with_a_way_back(&self, error: WorkError) -> WorkError {
        if let Err(gone) = self.main.surveyor.find_root() {
            return gone.into();
        }
        if !matches!(error.stop_reason, StopReason::Internal | StopReason::NeedsHuman) {
            return error;
        }
        self.find_all_objects().err().unwrap_or(error)
    }
}

impl Outside {
    fn look_at_repository(
        &mut self,
        store: &mut Store,
        repository: &Repository,
    ) -> Result<Vec<String>, WorkError> {
        let own = store.own_files_now(repository)?;
        // References in tables are not read here.
        if own == self.own || own.iter().any(|file| file.name.starts_with(b"reftable/")) {
            return Ok(Vec::new());
        }
        let (mut before, after) = (store.scene(&self.own)?, store.scene(&own)?);
        // Those that were made since are taken out again by whoever made them.
        before.stashes.clone_from(&self.stashes);
        let ancestry = attempts::ancestry(repository, &before, &after, CommitPolicy::Runner)?;
        let found = damage::compare(&before, &after, &ancestry);
        self.own = own;
        self.stashes.retain(|stash| after.stashes.contains(stash));
        let said = |damage: &Damage| said(&damage.sentence, &damage::by_hand(&before, &after, damage));
        Ok(found.iter().filter(|damage| is_of_the_repository(damage.kind)).map(said).collect())
    }

    fn has_put_away(&self, store: &Store) -> Result<bool, WorkError> {
        Ok(store.scene(&self.own)?.stashes.iter().any(|stash| !self.stashes.contains(stash)))
    }

    /// The person's work that no commit has, where it is gone. What he commits meanwhile, or goes on with, is not.
    fn lost_files(&mut self, place: &Place, repository: &Repository) -> Vec<Vec<u8>> {
        let committed = LazyCell::new(|| repository.files_of_head().ok());
        let committed_now = |path: &Vec<u8>| committed.as_ref()?.get(path).map(|(_, content)| *content);
        let head = repository.head().ok().and_then(|head| head.commit());
        if let (Some(was), Some(now)) = (self.head, head.filter(|head| self.head != Some(*head))) {
            // What the branch has got since is in it; one that was moved back has lost something.
            if repository.is_in_history_of(&was.to_string(), &now.to_string()).unwrap_or_default() {
                self.uncommitted.retain(|path, work| committed_now(path) == work.committed);
            }
            self.head = head;
        }
        let is_lost = |(path, work): &(&Vec<u8>, &Work)| {
            if path.ends_with(b"/") {
                return !at(&place.root).join(as_path(path)).is_taken();
            }
            let now = place.content_now(path).map(|(_, content)| content);
            now != work.content && (now.is_none() || now == committed_now(path))
        };
        self.uncommitted.iter().filter(is_lost).map(|(path, _)| path.clone()).collect()
    }

    /// Says that once.
    fn forget(
        &mut self,
        store: &Store,
        place: &Place,
        lost: &[Vec<u8>],
    ) -> Result<Option<String>, WorkError> {
        if lost.is_empty() {
            return Ok(None);
        }
        self.uncommitted.retain(|path, _| !lost.contains(path));
        let start = store.load_named(&self.start)?;
        let is_kept = |path: &&Vec<u8>| {
            let is_within = |file: &Vec<u8>| file == *path || path.ends_with(b"/") && file.starts_with(path);
            start.as_ref().is_some_and(|start| start.files.iter().any(|file| is_within(&file.path)))
        };
        let (kept, unkept): (Vec<&Vec<u8>>, Vec<&Vec<u8>>) = lost.iter().partition(is_kept);
        let names =
            |paths: &[&Vec<u8>]| some_of(paths.iter().map(|path| String::from_utf8_lossy(path)), NAMED);
        let mut sentence = format!("uncommitted work is gone: {}", names(&lost.iter().collect::<Vec<_>>()));
        if !unkept.is_empty() {
            sentence = format!("{sentence}; no snapshot has {}", names(&unkept));
        }
        if kept.len() > COMMANDS {
            let moment = &self.start.moment;
            sentence =
                format!("{sentence}; these are the first {COMMANDS}, and `{moment}` has the others as well");
        }
        let paths: Vec<String> = kept.iter().take(COMMANDS).map(|path| typed(place, path)).collect();
        let (run, moment) = (&self.start.run, &self.start.moment);
        let command = format!("windlass restore {run} {moment} -- {}", paths.join(" "));
        Ok(Some(said(&sentence, if kept.is_empty() { &[] } else { std::slice::from_ref(&command) })))
    }

    fn broken(&self, why: &str) -> WorkError {
        let whole = self.start.whole_restore();
        let said = format!(
            "the git repository is gone or broken ({why}), by you or by an agent outside its lane; `{whole}` puts back what \
             the session began with"
        );
        WorkError::of(StopReason::DestructiveChange, &said)
    }
}

/// A path of the repository, as it is typed where the run works.
fn typed(place: &Place, path: &[u8]) -> String {
    let below = place.directory.strip_prefix(&place.root).unwrap_or(Path::new(""));
    let path = as_path(path);
    let typed = path
        .strip_prefix(below)
        .map_or_else(|_| below.components().map(|_| "..").collect::<PathBuf>().join(path), Path::to_path_buf);
    quoted(typed.as_os_str())
}

fn said(sentence: &str, commands: &[String]) -> String {
    if commands.is_empty() {
        return format!("outside the lanes, by you or by an agent: {sentence}");
    }
    let commands = some_of(commands.iter().map(|command| format!("`{command}`")), COMMANDS);
    format!("outside the lanes, by you or by an agent: {sentence}; {commands} brings it back")
}

/// Whoever works there checks out what he likes, and merges and rebases.
const fn is_of_the_repository(kind: DamageKind) -> bool {
    matches!(
        kind,
        DamageKind::CommitsLost
            | DamageKind::BranchMovedBack
            | DamageKind::ReferencesLost
            | DamageKind::StashDropped
            | DamageKind::SettingsChanged
    )
}
