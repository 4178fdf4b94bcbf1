//! What checks are made of stays what it is while they run: a check starts what the agent has written, and that may write over
//! the scripts of this check or of the next.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use windlass_core::guard::Protected;
use windlass_core::spec::{GuardAction, RunSpec};
use windlass_core::values::CheckStage;
use windlass_git::inventory::Place;
use windlass_host::note::Note;
use windlass_host::tree::{Attributes, Folders, Was, at};

use crate::guard::is_let_through;
use crate::store::RunFolder;

/// So many of them are named.
const NAMED: usize = 5;

/// The files that checks are made of, as they were before one of them ran.
#[derive(Debug)]
pub(super) struct MadeOf {
    root: PathBuf,
    action: GuardAction,
    stage: CheckStage,
    files: Vec<Part>,
    /// Those that checks write by themselves: seen before any agent had worked.
    own: Note,
}

/// One of them.
#[derive(Debug)]
struct Part {
    path: String,
    was: Was,
    written: Option<Written>,
}

/// Which file it is, and when anything of it changed, which nobody can set: what was changed and put back is another one.
type Written = (u64, (i64, i64));

impl MadeOf {
    /// Looks at them, where changes of them are undone or held.
    pub fn look(plan: &RunSpec, folder: &RunFolder, place: &Place, stage: CheckStage) -> MadeOf {
        let guard = &plan.guard;
        let own = note(folder);
        let mut made_of =
            MadeOf { root: place.root.clone(), action: guard.action, stage, files: Vec::new(), own };
        if !matches!(guard.action, GuardAction::Hold | GuardAction::Refuse) {
            return made_of;
        }
        let known = if stage == CheckStage::Baseline { BTreeSet::new() } else { read(&made_of.own) };
        let protected = Protected::new(guard.protected.iter().map(String::as_str)).ok();
        let is_free = |path: &str| {
            protected.as_ref().is_some_and(|protected| is_let_through(place, protected, Path::new(path)))
        };
        let paths = guard.files.iter().map(|file| &file.path);
        let watched = paths.filter(|path| !known.contains(*path) && !is_free(path));
        let part = |path: &String| Part {
            path: path.clone(),
            was: look(&place.root, path),
            written: written(&place.root, path),
        };
        // What is not there yet a check may make: a list of dependencies, say. Of an agent that is seen afterwards.
        let counts = |part: &Part| part.was != Was::Absent || stage == CheckStage::Baseline;
        made_of.files.extend(watched.map(part).filter(counts));
        made_of
    }

    /// The check has ended: what it changed of them is made what it was. Where it changed any, it does not count.
    pub fn end(&self, log: &Path) -> Touched {
        let is_changed = |part: &&Part| {
            written(&self.root, &part.path) != part.written || look(&self.root, &part.path) != part.was
        };
        let changed: Vec<&Part> = self.files.iter().filter(is_changed).collect();
        if changed.is_empty() {
            return Touched::Nothing;
        }
        let names: Vec<&str> = changed.iter().map(|part| part.path.as_str()).collect();
        if self.stage == CheckStage::Baseline {
            let all: BTreeSet<String> =
                read(&self.own).into_iter().chain(names.into_iter().map(str::to_owned)).collect();
            // Where it cannot be written, the check is refused later on, and says why.
            let _ = self.own.write(&all);
            return Touched::Nothing;
        }
        let mut verdict = "the check".to_owned();
        if self.action == GuardAction::Refuse {
            let put_back = changed.iter().map(|part| part.was.put(&at(&self.root.join(&part.path))));
            let failed: Vec<String> =
                put_back.filter_map(Result::err).map(|error| error.to_string()).collect();
            let how = if failed.is_empty() { "is put back".to_owned() } else { failed.join("; ") };
            verdict = format!("that {how}, and the check");
        }
        let listing = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
        // outside: the run's folder.
        if let Ok(mut output) = OpenOptions::new().append(true).open(log) {
            let _ = write!(
                output,
                "\nwindlass: {listing}: changed while this check ran, and checks are made of it; {verdict} counts as failed\n"
            );
        }
        Touched::Checks
    }
}

/// The files of checks that these wrote or made by themselves, before any agent had worked; relative to the root.
pub(super) fn written_by_checks(folder: &RunFolder) -> BTreeSet<String> {
    read(&note(folder))
}

/// What a check has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touched {
    /// Nothing that speaks against it.
    Nothing,
    /// What checks are made of: its output says so.
    Checks,
}

fn look(root: &Path, path: &str) -> Was {
    Was::look(&at(&root.join(path)), Folders::ByIdentity)
}

/// Of a regular file.
fn written(root: &Path, path: &str) -> Option<Written> {
    let found = at(&root.join(path)).look().ok().flatten();
    found.filter(Attributes::is_regular).map(|found| (found.inode, found.changed))
}

fn note(folder: &RunFolder) -> Note {
    Note::at(folder.path().join("written-by-the-baseline"))
}

fn read(own: &Note) -> BTreeSet<String> {
    own.read().ok().flatten().unwrap_or_default()
}
