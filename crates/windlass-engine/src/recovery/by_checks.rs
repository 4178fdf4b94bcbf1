//! What checks and hooks of the run wrote: which of it is theirs, and what they made of the agents' work. What is theirs is so in
//! later sessions, too: `written-by-checks` in the run's folder has a line for each file, its states, the newest last (`-` where it
//! was not there), a tab, the path.

use std::collections::BTreeMap;

use windlass_core::recovery::checks_may_be_at_work;
use windlass_core::run::Run;
use windlass_core::values::LaneId;
use windlass_git::git::ObjectId;
use windlass_git::inventory::{self, EntryKind, Inventory};
use windlass_git::snapshot::quoting::{quote, unquote};
use windlass_git::snapshot::{Snapshot, Store};
use windlass_host::file::FileError;

use super::{RecoveryError, Uncommitted, record};
use crate::store::RunFolder;

/// So many states of a file are remembered.
const REMEMBERED: usize = 64;

/// Of these, so many are written down: enough to know the one that was committed last.
const WRITTEN_DOWN: usize = 8;

/// What checks wrote: the states of each file that only they have brought from one to the next, the newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByChecks(BTreeMap<Vec<u8>, Vec<State>>);

/// What is in a file; `None` = it is not there.
type State = Option<(EntryKind, ObjectId)>;

impl ByChecks {
    /// What differs from the tree that was judged, they wrote.
    pub fn note(&mut self, judged: &Inventory, now: &Inventory) {
        for path in inventory::changes(judged, now) {
            let found = state(judged, &path);
            let made = state(now, &path);
            let states = self.0.entry(path).or_default();
            if states.last() != Some(&found) {
                // Somebody else has written since.
                *states = vec![found];
            }
            if states.len() == REMEMBERED {
                states.remove(0);
            }
            states.push(made);
        }
    }

    /// Have they written nothing?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What nobody but them has written since a snapshot.
    pub fn theirs<'a>(
        &'a self,
        since: &'a Snapshot,
        now: &'a Inventory,
    ) -> impl Iterator<Item = &'a Vec<u8>> {
        self.untouched(now)
            .filter(|(path, states)| states.contains(&since.content(path)))
            .map(|(path, _)| path)
    }

    /// What they made of files that somebody had changed since a snapshot: still that somebody's work.
    pub fn rewritten<'a>(
        &'a self,
        since: &'a Snapshot,
        now: &'a Inventory,
    ) -> impl Iterator<Item = &'a Vec<u8>> {
        let rewritten = self.untouched(now).filter(|(path, states)| !states.contains(&since.content(path)));
        rewritten.map(|(path, _)| path)
    }

    /// What checks of earlier sessions wrote.
    ///
    /// # Errors
    /// The record cannot be read.
    pub fn read(folder: &RunFolder) -> Result<ByChecks, FileError> {
        Ok(parse(&record::by_checks(folder)?))
    }

    /// Writes down what they wrote.
    ///
    /// # Errors
    /// The record cannot be written.
    pub fn write(&self, folder: &RunFolder) -> Result<(), FileError> {
        record::write_by_checks(folder, &to_text(self))
    }

    /// Takes a file as it is now for theirs, where nobody but them has written it since `committed`: as they left it, or as one
    /// that was cut off left it.
    fn takes(&mut self, path: &[u8], committed: State, now: Option<ObjectId>, cut_off: bool) -> bool {
        let Some(states) = self.0.get_mut(path).filter(|states| states.contains(&committed)) else {
            return false;
        };
        let newest = states.last().copied().flatten();
        let left = newest.map(|(_, content)| content);
        if left != now && cut_off {
            let kind = newest.map_or(EntryKind::File, |(kind, _)| kind);
            states.push(now.map(|content| (kind, content)));
        }
        left == now || cut_off
    }

    fn untouched<'a>(&'a self, now: &'a Inventory) -> impl Iterator<Item = (&'a Vec<u8>, &'a Vec<State>)> {
        self.0.iter().filter(|(path, states)| states.last() == Some(&state(now, path)))
    }
}

fn state(inventory: &Inventory, path: &[u8]) -> State {
    inventory.entry(path).map(|entry| (entry.kind, entry.content))
}

/// Takes what only checks of the run have written since its newest commit out of what is uncommitted when it goes on: it is
/// nobody's work, and is there again wherever they are run.
///
/// # Errors
/// The record cannot be read or written, or the newest commit's snapshot cannot be read.
pub fn leave_out_checks(
    folder: &RunFolder,
    store: &Store,
    run: &Run,
    dirty: &mut Uncommitted,
) -> Result<(), RecoveryError> {
    let before = ByChecks::read(folder)?;
    let Some(committed) = run.last_commit(LaneId::default()).filter(|_| !before.is_empty()) else {
        return Ok(());
    };
    let committed = store.load(committed)?;
    let mut now = before.clone();
    // One that was at work when the runner was killed has written since somebody looked.
    let cut_off = checks_may_be_at_work(run);
    dirty.retain(|path, content| !now.takes(path, committed.content(path), *content, cut_off));
    if now != before {
        now.write(folder)?;
    }
    Ok(())
}

fn to_text(all: &ByChecks) -> String {
    let word = |state: &State| match state {
        Some((kind, content)) => format!("{}:{content}", kind.git_mode()),
        None => "-".to_owned(),
    };
    let line = |(path, states): (&Vec<u8>, &Vec<State>)| {
        let newest = states.len().saturating_sub(WRITTEN_DOWN);
        let words: Vec<String> = states.iter().skip(newest).map(word).collect();
        format!("{}\t{}\n", words.join(" "), quote(path))
    };
    all.0.iter().map(line).collect()
}

fn parse(text: &str) -> ByChecks {
    let state = |word: &str| {
        let (mode, content) = word.split_once(':')?;
        Some((EntryKind::from_git_mode(mode.as_bytes())?, ObjectId::from_hex(content.as_bytes())?))
    };
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    ByChecks(lines.map(|(states, path)| (unquote(path), states.split(' ').map(state).collect())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
    const NEW: &str = "8b137891791fe96927ad78e64b0aad7bded08bdc";

    fn content(hex: &str) -> Option<ObjectId> {
        ObjectId::from_hex(hex.as_bytes())
    }

    #[test]
    fn it_reads_back() {
        let text = format!("- 100644:{OLD} 100755:{NEW}\tcover\\x09age\n100644:{OLD} -\tgone\n");
        assert_eq!(to_text(&parse(&text)), text);
        assert!(parse("nonsense\n").is_empty());
        let long = format!("{}\tcoverage\n", ["-"; 20].join(" "));
        assert_eq!(to_text(&parse(&long)), format!("{}\tcoverage\n", ["-"; WRITTEN_DOWN].join(" ")));
    }

    #[test]
    fn a_file_is_theirs_as_they_left_it_or_as_one_that_was_cut_off_left_it() {
        let known = || parse(&format!("- 100644:{OLD}\tcoverage\n"));
        assert!(known().takes(b"coverage", None, content(OLD), false));
        assert!(!known().takes(b"coverage", None, content(NEW), false), "somebody else has written it");
        assert!(!known().takes(b"helper", None, content(OLD), true), "none has made it");
        let by_an_agent = content(NEW).map(|content| (EntryKind::File, content));
        assert!(!known().takes(b"coverage", by_an_agent, content(OLD), true), "they wrote over work");
        let mut cut_off = known();
        assert!(cut_off.takes(b"coverage", None, content(NEW), true));
        assert_eq!(to_text(&cut_off), format!("- 100644:{OLD} 100644:{NEW}\tcoverage\n"));
    }
}
