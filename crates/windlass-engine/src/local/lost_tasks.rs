//! Tasks that are gone from their file after an attempt, and bringing them back: what an agent has to say of its task it says
//! there, and what is committed of the file is what the next session reads.

use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use windlass_core::report::Report;
use windlass_core::run::{OrderContext, TurnKey};
use windlass_core::values::TaskId;
use windlass_jobs::doc::tasks::sources::form_of;
use windlass_jobs::doc::tasks::{Place, TaskFile, TaskList};

use super::attempt_changes::{self, Paths};
use super::since_heard::SinceHeard;
use super::tasks;
use super::work::WorkError;

use super::working_tree::WorkingTree;
use windlass_git::inventory::{EntryKind, as_path};
use windlass_git::snapshot::{Side, Snapshot, SnapshotError, Store, remove_half_written, undo};

impl WorkingTree {
    /// Makes each file that has lost tasks of this run what it was when the attempt began; what the attempt left of it stays
    /// kept as its snapshot. Without snapshots nothing is done: it has been told what is gone.
    pub(super) fn bring_tasks_back(
        &mut self,
        turn: TurnKey,
        context: &OrderContext,
    ) -> Result<Option<Report>, WorkError> {
        let plan = Arc::clone(&self.plan);
        let (Some(places), Some(schedule)) = (tasks::of(&plan), context.schedule()) else {
            return Ok(None);
        };
        let list = tasks::read(&plan).unwrap_or_default();
        let is_gone = |id: &TaskId| list.task(id).is_none();
        if !schedule.rows().iter().any(|row| is_gone(&row.id)) {
            return Ok(None);
        }
        let place = self.surveyor.place().clone();
        let (Some(folder), Some((before, after))) =
            (place.relative(&places.file), attempt_changes::both_ends(self, turn)?)
        else {
            return Ok(None);
        };
        let Some(store) = &self.snapshots else { return Ok(None) };
        let mut robbed = Vec::new();
        // Below a link that leads to the folder as well, which the snapshot has where they are.
        let leads_to = followed(store, &before, &folder)?;
        let folders = [Some(&folder), leads_to.as_ref().filter(|to| **to != folder)];
        for folder in folders.into_iter().flatten() {
            for file in before.files.iter().filter(|file| as_path(&file.path).starts_with(as_path(folder))) {
                let place = if file.path == *folder { Place::Alone } else { Place::InFolder };
                let Some(real) = followed(store, &before, &file.path)? else { continue };
                let ids = ids_in(store, &before, (&file.path, &real), place)?;
                let link_is_gone = ids.is_empty() && after.file(&file.path).is_none() && list.is_missing();
                if link_is_gone || ids.iter().any(|id| is_gone(id) && schedule.row(id).is_some()) {
                    robbed.extend([file.path.clone(), real]);
                }
            }
        }
        robbed.sort_unstable();
        robbed.dedup();
        // A link that is as it was, and what it leads to, are two things.
        robbed.retain(|path| place.content_now(path) != before.content(path));
        self.leave_a_persons_tasks(turn, &mut robbed)?;
        if robbed.is_empty() {
            return Ok(None);
        }
        let left = self.name(turn, Side::After).moment;
        let now = self.look()?.inventory;
        remove_half_written(&place.root, &now, [&before, &after]);
        let Some(store) = &self.snapshots else { return Ok(None) };
        undo(store, &place, (&before, &after), &robbed)?;
        let look = self.look()?;
        self.remember(look);
        self.put_back = Some(turn);
        Ok(Some(Report::notice(format!(
            "tasks of this run were gone from {}: it is put back as it was before; `windlass restore {} {left}` has what was left of it",
            places.file.display(),
            plan.run,
        ))))
    }
}

impl WorkingTree {
    /// Takes out what a person has written, or committed, since an attempt that this session did not see begin: which tasks there are is
    /// theirs to say.
    fn leave_a_persons_tasks(&self, turn: TurnKey, robbed: &mut Paths) -> Result<(), WorkError> {
        if robbed.is_empty() || self.began == Some(turn) {
            return Ok(());
        }
        let since = SinceHeard::of(self, turn)?;
        let mut agents = Paths::new();
        for path in std::mem::take(robbed) {
            if !since.has_written(&path) && !since.has_committed(&path)? {
                agents.push(path);
            }
        }
        *robbed = agents;
        Ok(())
    }
}

/// So many links after one another are followed.
const MOST_LINKS: usize = 40;

/// Where a path of a snapshot leads, through the links that it has on the way; `None` where that is out of the tree.
pub(super) fn followed(
    store: &Store,
    snapshot: &Snapshot,
    path: &[u8],
) -> Result<Option<Vec<u8>>, SnapshotError> {
    let mut path = as_path(path).to_owned();
    'links: for _ in 0..MOST_LINKS {
        let ends: Vec<PathBuf> = path.ancestors().map(Path::to_owned).collect();
        for end in ends.iter().rev() {
            let link =
                snapshot.file(end.as_os_str().as_bytes()).filter(|file| file.kind == EntryKind::Symlink);
            let Some(link) = link else { continue };
            let target = store.content(&link.content)?;
            let rest = path.strip_prefix(end).unwrap_or(Path::new("")).to_owned();
            let above = end.parent().unwrap_or(Path::new(""));
            let Some(next) = within(&above.join(as_path(&target)).join(rest)) else { return Ok(None) };
            path = next;
            continue 'links;
        }
        return Ok(Some(path.into_os_string().into_vec()));
    }
    Ok(None)
}

/// The path without `..`; `None` where it leads out of the tree.
fn within(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::CurDir => {}
            Component::ParentDir if plain.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(plain)
}

/// The tasks that a file of the list held; `real` is where it leads.
fn ids_in(
    store: &Store,
    snapshot: &Snapshot,
    (path, real): (&[u8], &[u8]),
    place: Place,
) -> Result<Vec<TaskId>, SnapshotError> {
    let (name, file) = (as_path(path).to_string_lossy().into_owned(), snapshot.file(real));
    let own_name = as_path(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Some(file) = file else { return Ok(Vec::new()) };
    let content = store.content(&file.content)?;
    let Some(form) = form_of(&own_name, place, &content) else { return Ok(Vec::new()) };
    let list = TaskList::parse(vec![TaskFile::alone(&name, form, Ok(content))]);
    Ok(list.rows().into_iter().map(|row| row.id).collect())
}
