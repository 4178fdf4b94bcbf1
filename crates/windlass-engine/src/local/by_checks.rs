//! What checks and hooks of the run wrote: which of it is theirs, and what they made of the agents' work.

use std::collections::BTreeMap;

use windlass_git::git::ObjectId;
use windlass_git::inventory::{self, EntryKind, Inventory};
use windlass_git::snapshot::Snapshot;

/// So many states of a file are remembered.
const REMEMBERED: usize = 64;

/// What checks wrote in this session: the states of each file that only they have brought from one to the next, the newest
/// last.
#[derive(Clone, Debug, Default)]
pub(super) struct ByChecks(BTreeMap<Vec<u8>, Vec<State>>);

/// What is in a file; `None` = it is not there.
type State = Option<(EntryKind, ObjectId)>;

impl ByChecks {
    /// What differs from the tree that was judged, they wrote.
    pub fn note(&mut self, judged: &Inventory, now: &Inventory) {
        for change in inventory::changes(judged, now) {
            let found = state(judged, &change.path);
            let made = state(now, &change.path);
            let states = self.0.entry(change.path).or_default();
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
        let theirs = self.untouched(now).filter(|(path, states)| states.contains(&since.content(path)));
        theirs.map(|(path, _)| path)
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

    fn untouched<'a>(&'a self, now: &'a Inventory) -> impl Iterator<Item = (&'a Vec<u8>, &'a Vec<State>)> {
        self.0.iter().filter(|(path, states)| states.last() == Some(&state(now, path)))
    }
}

fn state(inventory: &Inventory, path: &[u8]) -> State {
    inventory.entry(path).map(|entry| (entry.kind, entry.content))
}
