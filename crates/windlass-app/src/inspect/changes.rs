//! What iterations changed, by the snapshots around them: how many lines, and which.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlass_core::values::SnapshotId;
use windlass_engine::store::write_atomically;
use windlass_git::git::ChangedFile;
use windlass_git::inventory::is_own;
use windlass_git::snapshot::Store;
use windlass_host::file::read_if_there;
use windlass_ui::model::{LinesChanged, RunSeen};

use super::follow::FollowedRun;
use crate::snapshots::RunSnapshots;

/// Git is started for so many iterations at a time, the newest first: some milliseconds each.
const LOOKED_AT: usize = 50;

/// So many lines of a patch are shown.
const PATCH_LINES: usize = 200;

/// So many bytes of one are taken in.
const PATCH_BYTES: usize = 256 * 1024;

/// So many parts of a run are shown.
const PARTS: usize = 100;

/// What is known of pairs of trees: it never changes.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Known(BTreeMap<String, Lines>);

/// Lines that came, lines that went.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Lines(u64, u64);

/// What one part of a run changed: a task, or all of it where it has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartChanges {
    /// What it is of.
    pub name: String,
    /// The first lines, as `git diff` shows them.
    pub text: String,
    /// Lines that are left out.
    pub more: usize,
    /// What shows all of it.
    pub command: String,
}

/// The snapshots before and after each iteration, by its number.
type Ends = BTreeMap<u32, (SnapshotId, SnapshotId)>;

impl FollowedRun {
    /// Fills in how many lines each iteration changed, as far as that is known or found out soon; what is found out is remembered in
    /// the run's folder. Where there are no snapshots nothing is filled in.
    pub fn look_at_changes(&self, seen: &mut RunSeen) {
        let Some((store, ends)) = self.ends() else { return };
        let path = self.known().folder().path().join("changed-lines.json");
        // outside: the state folder.
        let mut known: Known = read_if_there(&path)
            .ok()
            .flatten()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        let (mut looked, mut is_new) = (0, false);
        for round in seen.rounds.iter_mut().rev().filter(|round| round.ended.is_some()) {
            let Some((from, to)) = ends.get(&round.iteration) else { continue };
            let pair = format!("{}..{}", from.0, to.0);
            let lines = match known.0.get(&pair).copied() {
                Some(lines) => Some(lines),
                None if from == to => Some(Lines(0, 0)),
                None if looked < LOOKED_AT => {
                    looked += 1;
                    let counted = store.changed_files((from, to)).ok().map(|files| counted(&files));
                    is_new |= counted.is_some();
                    known.0.extend(counted.map(|lines| (pair, lines)));
                    counted
                }
                None => None,
            };
            round.lines = lines.map(|Lines(added, removed)| LinesChanged { added, removed });
        }
        if is_new && let Ok(bytes) = serde_json::to_vec(&known) {
            // It is found out again where it cannot be kept.
            let _ = write_atomically(&path, &bytes);
        }
    }

    /// What a run changed, part by part, cut to what somebody reads.
    pub fn patches(&self, seen: &RunSeen) -> Vec<PartChanges> {
        let Some((store, ends)) = self.ends() else { return Vec::new() };
        let run = self.known().run();
        let of_iterations = |name: String, iterations: &[u32]| {
            let mut part = PartChanges { name, text: String::new(), more: 0, command: String::new() };
            for iteration in iterations {
                if let Some((from, to)) = ends.get(iteration).filter(|(from, to)| from != to) {
                    part.add(&store, (from, to));
                    part.command = seen.typed(&format!("windlass diff {run} {iteration}"));
                }
            }
            part
        };
        let parts: Vec<PartChanges> = if seen.begun.is_empty() {
            let rounds = seen.rounds.iter().map(|round| round.iteration);
            rounds.map(|iteration| of_iterations(format!("iteration {iteration}"), &[iteration])).collect()
        } else {
            let tasks = seen.begun.iter();
            tasks
                .map(|task| of_iterations(format!("{} {}", task.task.0, task.title), &task.iterations))
                .collect()
        };
        parts.into_iter().filter(|part| !part.text.is_empty() || part.more > 0).take(PARTS).collect()
    }

    fn ends(&self) -> Option<(Store, Ends)> {
        let known = self.known();
        let RunSnapshots { store, .. } =
            RunSnapshots::open(known.project(), known.run(), None, LOOKED_AT).ok()?;
        let ends = store.ends(self.known().run()).ok()?;
        Some((store, ends))
    }
}

/// What Windlass itself writes is nobody's work.
fn counted(files: &[ChangedFile]) -> Lines {
    let work: Vec<&ChangedFile> = files.iter().filter(|file| !is_own(&file.path)).collect();
    let sum =
        |of: fn(&ChangedFile) -> Option<u32>| work.iter().filter_map(|file| of(file)).map(u64::from).sum();
    Lines(sum(|file| file.added), sum(|file| file.removed))
}

impl PartChanges {
    fn add(&mut self, store: &Store, ends: (&SnapshotId, &SnapshotId)) {
        let Ok(found) = store.difference(ends, |_| true, PATCH_BYTES) else { return };
        let mut left = PATCH_LINES.saturating_sub(self.text.lines().count());
        for line in found.text.split_inclusive('\n') {
            if left > 0 {
                self.text += line;
                left -= 1;
            } else {
                self.more += 1;
            }
        }
        self.more += found.not_shown.len();
    }
}
