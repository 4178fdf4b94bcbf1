//! What an attempt left is compared with what was there before: protected files, tests, the programs that checks call.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use windlass_core::guard::{Content, Examination, Protected, is_of_interest};
use windlass_core::run::{OrderContext, TurnKey};
use windlass_core::spec::{GuardAction, PIPELINES, TestsAction};
use windlass_core::values::{SnapshotId, Suspicion, SuspicionKind};

use super::attempt_changes::{self, Paths};
use super::decisions;
use super::made_of;
use super::principles;
use super::work::WorkError;

use super::working_tree::WorkingTree;
use crate::guard;
use crate::sandbox::OF_WORKSPACES as OF_A_PERSON;
use crate::written::{self, Written};
use windlass_git::git::ObjectId;
use windlass_git::inventory;
use windlass_git::inventory::{EntryKind, Inventory, OWN_FOLDER, as_path, is_own};
use windlass_git::snapshot::{Side, Snapshot, Store, changed_since};
use windlass_host::tree::{TreePath, at};

/// A file beyond this is not looked at for tests, in bytes.
const LARGEST: u64 = 1024 * 1024;

/// So many changed files are looked at for tests; a night changes fewer.
const MOST_FILES: usize = 4000;

/// So many findings about protected files are told of.
const MOST_PROTECTED: usize = 20;

/// Is anything of this mode guarded? Planning is bound tighter, and whoever judges changes nothing that counts.
fn is_on(world: &WorkingTree) -> bool {
    let mode = world.plan.job.mode;
    !world.plan.guard.is_off() && !mode.writes_only_plan() && !mode.judges()
}

/// Are changes to protected files undone?
pub(super) fn undoes(world: &WorkingTree) -> bool {
    is_on(world) && world.plan.guard.action == GuardAction::Refuse
}

/// The protected files that the attempt changed, and that are to be made what they were; and those that are gone of which nobody can say
/// who took them away.
pub(super) fn forbidden_changes(
    world: &WorkingTree,
    turn: TurnKey,
    now: &Inventory,
    context: &OrderContext,
) -> Result<(Paths, Paths), WorkError> {
    if !undoes(world) {
        return Ok((Paths::new(), Paths::new()));
    }
    let forbidden = Forbidden::of(world, context);
    let mut changed = match world.latest.as_ref().filter(|_| world.began == Some(turn)) {
        Some(before) => {
            let changes = inventory::changes(&before.inventory, now).into_iter();
            // What git ignores since is not looked at, and still there.
            let root = &world.surveyor.place().root;
            changes.filter(|path| now.entry(path).is_some() || !is_there(root, path)).collect::<Paths>()
        }
        None => attempt_changes::differing(world, turn, now)?.0,
    };
    leave_a_persons(world, turn, &mut changed)?;
    let held: BTreeSet<Vec<u8>> =
        changed.iter().filter(|path| forbidden.holds(world, path)).cloned().collect();
    // What stands in the place of a folder with protected files, or leads to some that would be, is as good as they.
    let covers = |path: &Vec<u8>| {
        let below = [path.as_slice(), b"/"].concat();
        held.range(below.clone()..).next().is_some_and(|held| held.starts_with(&below))
            || leads_into(world, &forbidden, path)
    };
    // And so is what stands in a folder that took the place of a protected file or link.
    let replaces = |path: &Vec<u8>| {
        let ends = memchr::memchr_iter(b'/', path);
        ends.filter_map(|end| path.get(..end)).any(|above| held.contains(above))
    };
    changed.retain(|path| held.contains(path) || covers(path) || replaces(path));
    if world.began == Some(turn) {
        return Ok((changed, Paths::new()));
    }
    attempt_changes::keep_the_agents(world, turn, &mut changed)?;
    // What steers runs is not given up for a folder's sake: who takes that away says so to Windlass, or to git.
    let (mut steering, mut rest): (Paths, Paths) = changed.into_iter().partition(|path| steers(world, path));
    let open = attempt_changes::take_out_later_deletions(world, turn, &mut rest)?;
    steering.extend(rest);
    Ok((steering, open))
}

/// Does it steer runs, so that no agent may change it, in whatever mode?
pub(super) fn steers(world: &WorkingTree, path: &[u8]) -> bool {
    let place = world.surveyor.place();
    let protected = world.guard.protected(world.plan.guard.protected.iter());
    is_own(path)
        && protected.is_ok_and(|protected| guard::is_protected(place, &protected, as_path(path)))
        && !is_the_jobs(world, path)
        && !principles::is_derived(world, path)
        && !decisions::is_logged(world, path)
}

/// What a person had Windlass write since the attempt began is theirs.
pub(super) fn leave_a_persons(
    world: &WorkingTree,
    turn: TurnKey,
    changed: &mut Paths,
) -> Result<(), WorkError> {
    if !changed.iter().any(|path| is_own(path)) {
        return Ok(());
    }
    let before = world.kept(turn, Side::Before)?;
    let began = world.latest.as_ref().filter(|_| world.began == Some(turn));
    let was = |path: &[u8]| match (&before, began) {
        (Some(before), _) => before.content(path),
        (None, Some(look)) => look.inventory.entry(path).map(|entry| (entry.kind, entry.content)),
        (None, None) => None,
    };
    let all = written::read(world.folder.project());
    // Nobody takes a workspace away that a run works in.
    let heard = (world.began != Some(turn)).then(|| world.folder.heard(&world.plan, turn));
    let is_removed = |path: &[u8]| {
        let full = world.surveyor.place().root.join(as_path(path));
        heard.is_some_and(|heard| !at(&full).is_taken() && written::is_removed(&all, &full, heard))
    };
    let is_theirs = |path: &[u8]| is_removed(path) || is_a_persons(world, &all, path, was(path));
    changed.retain(|path| !is_own(path) || !is_theirs(path));
    Ok(())
}

/// Is what is there now what a person had Windlass write, upon what was there?
fn is_a_persons(
    world: &WorkingTree,
    all: &[Written],
    path: &[u8],
    was: Option<(EntryKind, ObjectId)>,
) -> bool {
    let place = world.surveyor.place();
    let full = place.root.join(as_path(path));
    let Some((kind, now)) = place.content_now(path) else { return false };
    let is_a_file = matches!(kind, EntryKind::File | EntryKind::Executable);
    let same_kind = was.is_none_or(|(was, _)| was == kind);
    let from = was.map(|(_, content)| content.to_string());
    is_a_file && same_kind && written::leads(all, &full, from.as_deref(), &now.to_string())
}

/// What is only reached through a link is not there.
fn is_there(root: &Path, path: &[u8]) -> bool {
    let path = as_path(path);
    let is_link = |above: &Path| at(root).join(above).is_link();
    let behind_link = path.ancestors().skip(1).any(|above| above != Path::new("") && is_link(above));
    let found = at(root).join(path).look();
    !behind_link && found.is_ok_and(|found| found.is_some_and(|found| !found.is_folder()))
}

/// Is it a link to a folder in which files would be protected by where the link stands?
fn leads_into(world: &WorkingTree, forbidden: &Forbidden, path: &[u8]) -> bool {
    /// So many names are looked at; a folder of configuration has few.
    const MOST_NAMES: usize = 500;
    let full = at(&world.surveyor.place().root).join(as_path(path));
    if !full.is_link() {
        return false;
    }
    let names = |folder: &TreePath| -> Vec<OsString> {
        folder.names().unwrap_or_default().into_iter().take(MOST_NAMES).collect()
    };
    let holds = |name: &OsString| {
        let below = [path, b"/", name.as_bytes()].concat();
        let deeper =
            names(&full.join(name)).into_iter().map(|inner| [&below[..], b"/", inner.as_bytes()].concat());
        forbidden.holds(world, &below) || deeper.into_iter().any(|path| forbidden.holds(world, &path))
    };
    names(&full).iter().any(holds)
}

/// Which files an agent may not change.
#[derive(Debug)]
pub(super) struct Forbidden {
    protected: Option<Arc<Protected>>,
    files: BTreeSet<String>,
}

impl Forbidden {
    /// By the plan, and by what is known of the task.
    pub fn of(world: &WorkingTree, context: &OrderContext) -> Forbidden {
        let guard = &world.plan.guard;
        let all = world.guard.protected(guard.protected.iter().chain(context.protected()));
        // Those of the configuration were read when the run started; a task's own may be anything.
        let protected = all.or_else(|_| world.guard.protected(guard.protected.iter())).ok();
        let mut files: BTreeSet<String> = guard.files.iter().map(|file| file.path.clone()).collect();
        let was_missing = guard.files.iter().filter(|file| file.digest.is_none()).map(|file| &file.path);
        let missing: BTreeSet<&String> = was_missing.collect();
        if !missing.is_empty() {
            let own = made_of::written_by_checks(&world.folder);
            files.retain(|path| !missing.contains(path) || !own.contains(path));
        }
        Forbidden { protected, files }
    }

    /// May the agent not change it?
    pub fn holds(&self, world: &WorkingTree, path: &[u8]) -> bool {
        let text = String::from_utf8_lossy(path);
        let place = world.surveyor.place();
        let by_pattern = |protected: &Arc<Protected>| {
            guard::is_protected(place, protected, as_path(path))
                || (self.files.contains(text.as_ref())
                    && !guard::is_let_through(place, protected, as_path(path)))
        };
        // A pattern may fit the files that the job itself is about; these the agent must write.
        self.protected.as_ref().is_some_and(by_pattern)
            && !is_the_jobs(world, path)
            && !principles::is_derived(world, path)
            && !decisions::is_logged(world, path)
    }

    /// May the agent change it as it likes, although it may hold tests?
    fn lets_through(&self, world: &WorkingTree, path: &[u8]) -> bool {
        let place = world.surveyor.place();
        self.protected
            .as_ref()
            .is_some_and(|protected| guard::is_let_through(place, protected, as_path(path)))
    }
}

/// Plan, notes, and what an agent writes in a workspace.
fn is_the_jobs(world: &WorkingTree, path: &[u8]) -> bool {
    if !is_own(path) {
        return attempt_changes::may_change(world, None, path);
    }
    let text = String::from_utf8_lossy(path);
    let workspace = format!("{OWN_FOLDER}/workspaces/");
    // What a workspace is to do, and how, is a person's.
    let is_the_agents =
        |below: &str| !below.split_once('/').is_some_and(|(_, file)| OF_A_PERSON.contains(&file));
    let is_in_workspace = text.split_once(&workspace).is_some_and(|(_, below)| is_the_agents(below));
    is_in_workspace || text.contains(PIPELINES)
}

/// All that speaks against the checks of the tree as it is now.
pub(super) fn suspicions(
    world: &mut WorkingTree,
    now: &Inventory,
    context: &OrderContext,
) -> Result<Vec<Suspicion>, WorkError> {
    if !is_on(world) || now.trouble.is_some() {
        return Ok(Vec::new());
    }
    load_baseline(world, context)?;
    let mut found = Vec::new();
    let forbidden = Forbidden::of(world, context);
    if world.plan.guard.action != GuardAction::Off {
        found.extend(files(world, now, &forbidden));
        found.extend(hidden(world, now, &forbidden));
        let place = world.surveyor.place();
        found.extend(guard::changed_tools(place, &world.plan.guard.tools, &world.guard.search_path));
    }
    if let (Some(store), Some(baseline)) = (&world.snapshots, &world.guard.baseline) {
        let changed = changed_since(store, baseline, now)?;
        found.extend(protected(world, &changed, &forbidden));
        if world.plan.guard.tests != TestsAction::Off {
            found.extend(examined(world, (store, baseline), &changed, &forbidden)?);
        }
    }
    found.sort();
    found.dedup_by(|one, other| (one.kind, &one.path) == (other.kind, &other.path));
    Ok(found)
}

/// What the work is compared with: what the run began with, or what the lane has last committed where that is done by task.
fn load_baseline(world: &mut WorkingTree, context: &OrderContext) -> Result<(), WorkError> {
    let Some(store) = &world.snapshots else {
        return Ok(());
    };
    let committed = context.attempt.as_ref().and_then(|attempt| attempt.committed.as_ref());
    let committed = committed.filter(|_| world.plan.job.mode.is_judged_by_commit());
    let id: Option<SnapshotId> = match committed {
        Some(id) => Some(id.clone()),
        None => store.named(&world.name(TurnKey { iteration: 1, attempt: 1 }, Side::Before)).ok(),
    };
    if world.guard.baseline.as_ref().map(|baseline| &baseline.id) != id.as_ref() {
        world.guard.baseline = id.map(|id| store.load(&id)).transpose()?;
    }
    Ok(())
}

/// Protected files that differ, where such changes stay.
fn protected(world: &WorkingTree, changed: &Paths, forbidden: &Forbidden) -> Vec<Suspicion> {
    if !matches!(world.plan.guard.action, GuardAction::Hold | GuardAction::Flag) {
        return Vec::new();
    }
    let all = written::read(world.folder.project());
    let was = |path: &[u8]| world.guard.baseline.as_ref().and_then(|baseline| baseline.content(path));
    let is_a_persons = |path: &[u8]| is_own(path) && is_a_persons(world, &all, path, was(path));
    let text = "protected, and not what it was";
    let of = |path: &Vec<u8>| Suspicion::new(SuspicionKind::Protected, String::from_utf8_lossy(path), text);
    let held = changed.iter().filter(|path| forbidden.holds(world, path) && !is_a_persons(path));
    held.take(MOST_PROTECTED).map(of).collect()
}

/// Files that checks name, and that cannot be put back: no snapshot holds them, or git ignores them since.
fn files(world: &WorkingTree, now: &Inventory, forbidden: &Forbidden) -> Vec<Suspicion> {
    let place = world.surveyor.place();
    let undone = undoes(world) && world.snapshots.is_some();
    let baseline = world.guard.baseline.as_ref();
    let mut found = Vec::new();
    for file in &world.plan.guard.files {
        let path = file.path.as_bytes();
        let is = guard::digest(place, Path::new(&file.path));
        let kept = now.entry(path).is_some()
            || (is.is_none() && baseline.is_some_and(|baseline| baseline.file(path).is_some()));
        if is == file.digest || (undone && kept) || !forbidden.holds(world, path) {
            continue;
        }
        let text = match (&file.digest, &is) {
            (None, Some(is)) if is == guard::FOLDER => {
                "what the run starts goes by this folder, which was not there before"
            }
            (None, _) => "what the run starts would read this file, which was not there before",
            (Some(_), None) => "what the run starts depends on this file, and it is gone",
            (Some(_), Some(_)) => "what the run starts depends on this file, and it is not what it was",
        };
        found.push(Suspicion::new(SuspicionKind::Protected, &file.path, text));
    }
    found
}

/// Protected files that are new, and that git ignores. What of a task's own patterns was there before, nobody has looked.
fn hidden(world: &WorkingTree, now: &Inventory, forbidden: &Forbidden) -> Vec<Suspicion> {
    let place = world.surveyor.place();
    let Ok(protected) = &world.guard.protected(world.plan.guard.protected.iter()) else {
        return Vec::new();
    };
    let baseline = world.guard.baseline.as_ref();
    let known = |path: &Path| {
        let bytes = path.as_os_str().as_bytes();
        let text = path.to_string_lossy();
        now.entry(bytes).is_some()
            || world.plan.guard.files.iter().any(|file| file.path == text)
            || baseline.is_some_and(|baseline| baseline.file(bytes).is_some())
            || !forbidden.holds(world, bytes)
    };
    let text = "protected, new, and ignored by git";
    let there = guard::protected_at_the_top(place, protected).into_iter().filter(|path| !known(path));
    let found = there.map(|path| Suspicion::new(SuspicionKind::Protected, path.to_string_lossy(), text));
    found.take(MOST_PROTECTED).collect()
}

/// The changed files that may hold tests or say which are run.
fn examined(
    world: &WorkingTree,
    (store, baseline): (&Store, &Snapshot),
    changed: &Paths,
    forbidden: &Forbidden,
) -> Result<Vec<Suspicion>, WorkError> {
    let root = &world.surveyor.place().root;
    let mut examination = Examination::new(&world.plan.guard.scripts);
    let will_be_undone: BTreeSet<&Vec<u8>> = world.forbidden_changes.iter().collect();
    let mut looked = 0;
    for path in changed {
        let text = String::from_utf8_lossy(path);
        if !is_of_interest(&text) || will_be_undone.contains(path) || is_own(path) {
            continue;
        }
        looked += 1;
        if looked > MOST_FILES {
            examination.left_out(&text);
            continue;
        }
        let was = match baseline.file(path) {
            Some(file) if matches!(file.kind, EntryKind::File | EntryKind::Executable) => {
                Some(store.content(&file.content)?)
            }
            _ => None,
        };
        let before = was.as_deref().map_or(Content::Absent, |bytes| within(bytes));
        let is = read(&at(root).join(as_path(path)));
        let now = match &is {
            FileContent::Nothing => Content::Absent,
            FileContent::Bytes(bytes) => Content::Bytes(bytes),
            FileContent::TooLarge => Content::Unread,
        };
        if forbidden.lets_through(world, path) {
            examination.take_let_through(&text, before, now);
        } else {
            examination.take(&text, before, now);
        }
    }
    Ok(examination.suspicions())
}

fn within(bytes: &[u8]) -> Content<'_> {
    if bytes.len() as u64 > LARGEST { Content::Unread } else { Content::Bytes(bytes) }
}

enum FileContent {
    Nothing,
    Bytes(Vec<u8>),
    TooLarge,
}

fn read(path: &TreePath) -> FileContent {
    if !path.is_taken() {
        return FileContent::Nothing;
    }
    let mut bytes = Vec::new();
    let opened = path.open_itself().and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
    match opened {
        Ok(_) if bytes.len() as u64 <= LARGEST => FileContent::Bytes(bytes),
        _ => FileContent::TooLarge,
    }
}
