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
use windlass_host::tree::{Folders, Was, at};

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
    files: Vec<(String, Was)>,
    /// Those that checks write by themselves: seen before any agent had worked.
    own: Note,
}

impl MadeOf {
    /// Looks at them.
    pub fn look(plan: &RunSpec, folder: &RunFolder, place: &Place, stage: CheckStage) -> MadeOf {
        let guard = &plan.guard;
        let own = Note::at(folder.path().join("written-by-the-baseline"));
        let known = if stage == CheckStage::Baseline { BTreeSet::new() } else { read(&own) };
        let protected = Protected::new(guard.protected.iter().map(String::as_str)).ok();
        let is_watched = |path: &&String| {
            let path = Path::new(path.as_str());
            let is_free = |protected| is_let_through(place, protected, path);
            !protected.as_ref().is_some_and(is_free)
        };
        let watched = guard.files.iter().map(|file| &file.path).filter(is_watched);
        let files = watched.filter(|path| !known.contains(*path));
        let was = |path: &String| (path.clone(), look(&place.root, path));
        MadeOf { root: place.root.clone(), action: guard.action, stage, files: files.map(was).collect(), own }
    }

    /// The check has ended: what it changed of them is made what it was. A sentence where it changed any: then it does not count.
    pub fn end(&self, log: &Path) -> Option<String> {
        let changed: Vec<&(String, Was)> =
            self.files.iter().filter(|(path, was)| look(&self.root, path) != *was).collect();
        let names = changed.iter().map(|(path, _)| path.as_str());
        if changed.is_empty() || matches!(self.action, GuardAction::Off | GuardAction::Flag) {
            return None;
        }
        if self.stage == CheckStage::Baseline {
            let all: BTreeSet<String> = read(&self.own).into_iter().chain(names.map(str::to_owned)).collect();
            // Where it cannot be written, the check is refused later on, and says why.
            let _ = self.own.write(&all);
            return None;
        }
        let is_undone = self.action == GuardAction::Refuse;
        let back =
            changed.iter().filter(|_| is_undone).map(|(path, was)| was.put(&at(&self.root.join(path))));
        let failed = back.filter_map(Result::err).map(|error| format!(" ({error})")).collect::<String>();
        let then = if is_undone {
            format!("that is put back{failed}, and the check")
        } else {
            "the check".to_owned()
        };
        let named = names.clone().take(NAMED).collect::<Vec<_>>().join(", ");
        let sentence = format!(
            "{named}: changed while this check ran, and checks are made of it; {then} counts as failed"
        );
        // outside: the run's folder.
        if let Ok(mut log) = OpenOptions::new().append(true).open(log) {
            let _ = write!(log, "\nwindlass: {sentence}\n");
        }
        Some(sentence)
    }
}

fn look(root: &Path, path: &str) -> Was {
    Was::look(&at(&root.join(path)), Folders::ByIdentity)
}

fn read(own: &Note) -> BTreeSet<String> {
    own.read().ok().flatten().unwrap_or_default()
}
