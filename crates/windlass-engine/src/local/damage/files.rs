//! What became of uncommitted work.

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass_core::damage::{Ancestry, Lost, Scene};
use windlass_core::run::TurnKey;

use super::super::work::WorkError;
use super::super::working_tree::WorkingTree;
use super::found::DoneBy;
use super::{Beginning, Ending};
use crate::recovery::{Uncommitted, is_own_file};
use windlass_git::git::{ObjectId, Repository, TreeFiles};
use windlass_git::inventory::{EntryKind, as_path};
use windlass_git::snapshot::{LeftOut, LeftOutReason, Side};
use windlass_host::tree::at;

type Content = (EntryKind, ObjectId);

/// Finds uncommitted files that are gone, or that are as their commit has them. Asks git only where a file changed.
pub(super) fn lost(
    world: &mut WorkingTree,
    repository: &Repository,
    (scene, began): (&Scene, &Beginning),
    (after, by): (&Ending<'_>, DoneBy),
    ancestry: &mut Ancestry,
) -> Result<(), WorkError> {
    let now: BTreeMap<&[u8], Content> = after.files.iter().copied().collect();
    let was: BTreeMap<&[u8], Content> =
        began.files.iter().map(|(path, kind, content)| (path.as_slice(), (*kind, *content))).collect();
    // What the snapshot left out may be there all the same.
    let changed = |path: &&[u8]| now.get(*path) != was.get(*path) && !after.left_out.contains(*path);
    let changed: Vec<&[u8]> = was
        .keys()
        .chain(now.keys().filter(|path| !was.contains_key(*path)))
        .copied()
        .filter(changed)
        .collect();
    let is_gone =
        |path: &&Vec<u8>| !now.contains_key(path.as_slice()) && !after.left_out.contains(path.as_slice());
    let mut unprotected: Vec<Vec<u8>> = began.left_out.iter().filter(is_gone).cloned().collect();
    if changed.is_empty() && unprotected.is_empty() {
        return Ok(());
    }
    let Some(committed) = committed(world, repository, scene.commit.as_deref()) else {
        return Ok(());
    };
    unprotected.retain(|path| !committed.contains_key(path.as_slice()));
    let elsewhere: BTreeSet<ObjectId> = after.files.iter().map(|(_, (_, content))| *content).collect();
    let commit = scene.commit.as_deref().unwrap_or_default();
    let known = world.converts.as_ref().filter(|(of, _)| of == commit).map(|(_, converts)| *converts);
    let (converts, left) = (known.map_or_else(OnceCell::new, OnceCell::from), Cell::new(MOST_MADE));
    let made = AsCheckedOut { repository, commit, files: &committed, converts, left };
    let was_dirty =
        |path: &[u8], content: &Content| committed.get(path).is_some_and(|there| there != content);
    for path in changed {
        if was.get(path).is_some_and(|before| before.0 == EntryKind::Submodule) && !now.contains_key(path) {
            let is_elsewhere = was.get(path).is_some_and(|(_, commit)| elsewhere.contains(commit));
            if !is_elsewhere && committed.get(path) != was.get(path) {
                ancestry.nested.push(path.to_vec());
            }
            continue;
        }
        match (was.get(path), committed.get(path), now.get(path)) {
            // Nobody had committed it, and it is nowhere any more.
            (Some((_, content)), None, None) if !elsewhere.contains(content) => {
                ancestry.cleaned.files.push(path.to_vec());
            }
            (Some(before), Some(there), Some(left)) if before != there && left == there => {
                ancestry.discarded.files.push(path.to_vec());
            }
            (Some(before), Some(there), None)
                if before != there
                    && !elsewhere.contains(&before.1)
                    && made.content(path) != Some(before.1) =>
            {
                ancestry.discarded.files.push(path.to_vec());
            }
            // Line ends and filters make of a commit's file another one.
            (Some(before), Some(there), Some(left))
                if before != there
                    && left.1 != before.1
                    && made.content(path).is_some_and(|made| made == left.1) =>
            {
                ancestry.discarded.files.push(path.to_vec());
            }
            // It had been deleted, and that was not committed.
            (None, Some(there), Some(left)) if left == there => ancestry.discarded.files.push(path.to_vec()),
            _ => {}
        }
    }
    world.converts = made.converts.get().map(|converts| (commit.to_owned(), *converts));
    let is_new = |(path, (kind, _)): &(&&[u8], &Content)| {
        !committed.contains_key(**path) && *kind != EntryKind::Submodule
    };
    ancestry.cleaned.of = was.iter().filter(is_new).count();
    ancestry.discarded.of = was.iter().filter(|(path, content)| was_dirty(path, content)).count()
        + committed.keys().filter(|path| !was.contains_key(path.as_slice())).count();
    let Ancestry { cleaned, discarded, nested, .. } = &*ancestry;
    let lost = [&cleaned.files, &discarded.files, nested, &unprotected];
    if lost.into_iter().all(Vec::is_empty) {
        return Ok(());
    }
    let Some(theirs) = OfAPerson::find(world, repository)? else { return Ok(()) };
    for lost in [&mut ancestry.cleaned, &mut ancestry.discarded] {
        unprotected.extend(lost.files.extract_if(.., |path| theirs.left_out.contains(path)));
    }
    unprotected.retain(|path| theirs.left_out.contains(path));
    ancestry.unprotected = unprotected;
    // One that the agent has made itself it may throw away.
    ancestry.nested.retain(|path| theirs.first.contains_key(path));
    for lost in [&mut ancestry.cleaned, &mut ancestry.discarded] {
        keep_a_persons(lost, by, |path| theirs.has(world, path, was.get(path.as_slice())));
    }
    Ok(())
}

/// So many files are asked for as a checkout makes them: each by a git of its own.
const MOST_MADE: usize = 50;

/// The files of a commit as git writes them into the tree.
struct AsCheckedOut<'a> {
    repository: &'a Repository,
    commit: &'a str,
    files: &'a TreeFiles,
    /// Are they other ones than those that are committed? Nobody has asked before it matters.
    converts: OnceCell<bool>,
    left: Cell<usize>,
}

impl AsCheckedOut<'_> {
    /// `None` where it is what is committed, or where nobody has looked.
    fn content(&self, path: &[u8]) -> Option<ObjectId> {
        if !*self.converts.get_or_init(|| self.converts()) {
            return None;
        }
        self.left.set(self.left.get().checked_sub(1)?);
        self.repository.checked_out_id_of(self.commit, as_path(path)).ok()?
    }

    fn converts(&self) -> bool {
        let named = || self.files.keys().any(|path| path.ends_with(b".gitattributes"));
        let own = || at(&self.repository.common_dir).join("info/attributes").holds_file();
        let set = || self.repository.settings_like("^core\\.(autocrlf|eol|attributesfile)$");
        named() || own() || set().is_ok_and(|set| !set.is_empty())
    }
}

/// Where some of it is a person's, that is what matters, unless all of it is gone. What the agent has made itself, and what earlier
/// checks wrote, its own checks may throw away.
fn keep_a_persons(lost: &mut Lost, by: DoneBy, is_a_persons: impl Fn(&Vec<u8>) -> bool) {
    lost.of_a_person = lost.files.iter().any(&is_a_persons);
    if by == DoneBy::Checks || lost.of_a_person && lost.files.len() < lost.of {
        lost.files.retain(is_a_persons);
    }
}

/// What of a person's was in no commit when the run began, and when this session did. What the runner has put back, or the agent has
/// made of what was committed, is not.
struct OfAPerson {
    first: BTreeMap<Vec<u8>, Content>,
    committed: TreeFiles,
    session: Uncommitted,
    /// Was there, and in no snapshot.
    left_out: BTreeSet<Vec<u8>>,
}

impl OfAPerson {
    /// `None` without snapshots.
    fn find(world: &WorkingTree, repository: &Repository) -> Result<Option<OfAPerson>, WorkError> {
        let Some(store) = &world.snapshots else { return Ok(None) };
        let name = world.name(TurnKey { iteration: 1, attempt: 1 }, Side::Before);
        let snapshot = store.load(&store.named(&name)?)?;
        // Of a commit that is gone nothing is known: then all of it counts as theirs.
        let commit = store.scene(&snapshot.repository)?.commit;
        let committed = commit.and_then(|commit| repository.files_of(&commit).ok()).unwrap_or_default();
        let first = snapshot.files.into_iter().map(|file| (file.path, (file.kind, file.content))).collect();
        // Sockets, and files that are written all the time, come and go.
        let is_kept_by_people = |left: &LeftOut| match left.reason {
            LeftOutReason::TooLarge | LeftOutReason::OverTotal | LeftOutReason::Unreadable => true,
            LeftOutReason::NotAFile
            | LeftOutReason::Changing
            | LeftOutReason::Submodule
            | LeftOutReason::Bound => false,
        };
        let left_out =
            snapshot.left_out.into_iter().filter(is_kept_by_people).map(|left| left.path).collect();
        Ok(Some(OfAPerson { first, committed, session: world.uncommitted.clone(), left_out }))
    }

    /// Is it a person's, as it `was` before the attempt?
    fn has(&self, world: &WorkingTree, path: &[u8], was: Option<&Content>) -> bool {
        let first = self.first.get(path);
        // What the runner has written of a task before the first look.
        let is_own = is_own_file(&world.plan, world.surveyor.place(), path);
        let in_session =
            self.session.get(path).is_some_and(|found| *found == was.map(|(_, content)| *content));
        in_session || !is_own && first == was && first != self.committed.get(path)
    }
}

/// The files of a commit, read once for each; `None` where it cannot be read: that is damage of another kind.
pub(in super::super) fn committed(
    world: &mut WorkingTree,
    repository: &Repository,
    commit: Option<&str>,
) -> Option<Arc<TreeFiles>> {
    let Some(commit) = commit else {
        return Some(Arc::default());
    };
    if let Some((known, files)) = &world.committed
        && known == commit
    {
        return Some(Arc::clone(files));
    }
    let files = Arc::new(repository.files_of(commit).ok()?);
    world.committed = Some((commit.to_owned(), Arc::clone(&files)));
    Some(files)
}
