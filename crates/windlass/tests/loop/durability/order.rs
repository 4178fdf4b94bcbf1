//! What has to be on the disk before what.

use std::collections::{BTreeMap, BTreeSet};

use super::system_calls::Event;

/// The rows of `docs/effects.md`.
const EFFECTS: &str = include_str!("../../../../../docs/effects.md");

/// Somebody is told of an iteration. No row of the page: nothing waits for it.
const NOTIFICATION: &str = "a notification";

/// The state of the disk, as far as it is known to be certain.
#[derive(Debug, Default)]
pub struct Order {
    /// Files that were written and not synced since, and where that was.
    unsynced: BTreeMap<String, usize>,
    /// Facts that were written and are not on the disk yet.
    facts: Vec<String>,
    /// The newest fact that was written.
    latest: Option<String>,
    /// Facts that are.
    certain: BTreeSet<String>,
    /// Folders whose names are on the disk.
    folders: BTreeSet<String>,
    journal: Option<String>,
    locked: bool,
    seen: BTreeSet<String>,
    count: usize,
}

impl Order {
    /// The effects that were seen, by their names.
    pub fn seen(self) -> BTreeSet<String> {
        self.seen
    }

    /// Takes what happened next.
    pub fn take(&mut self, event: &Event) -> Result<(), String> {
        self.count += 1;
        if let Some(effect) = self.effect(event) {
            self.check(effect)?;
        }
        match event {
            Event::Wrote { path, facts } => self.wrote(path, facts)?,
            Event::Synced { path, .. } => self.synced(path),
            Event::Named { from, to } => {
                if let Some(since) = self.unsynced.remove(from) {
                    self.unsynced.insert(to.clone(), since);
                }
            }
            Event::Removed { path } => {
                self.unsynced.remove(path);
            }
            Event::Locked { path } => self.locked |= path.contains("/lock-"),
            Event::Started { .. } => {}
        }
        Ok(())
    }

    /// The effect that this is the first trace of. What is written down of a task belongs to its commit or its landing, or,
    /// once its iteration is finished, to its end.
    fn effect(&self, event: &Event) -> Option<&'static str> {
        match event {
            Event::Named { to, .. } if to.ends_with("/project/progress.md") => {
                (self.latest.as_deref() == Some("iteration_finished")).then_some("CloseTask")
            }
            Event::Started { arguments }
                if arguments.contains("# told") && !self.certain.contains("run_ending") =>
            {
                Some(NOTIFICATION)
            }
            event => effect(event),
        }
    }

    fn wrote(&mut self, path: &str, facts: &[String]) -> Result<(), String> {
        if path.ends_with("/journal.jsonl") {
            if !self.locked {
                return Err("the journal is written before the directory is locked".to_owned());
            }
            self.journal = Some(path.to_owned());
            for fact in facts {
                self.told(fact)?;
            }
            self.facts.extend_from_slice(facts);
            self.latest = facts.last().cloned().or_else(|| self.latest.take());
        }
        self.unsynced.insert(path.to_owned(), self.count);
        Ok(())
    }

    /// What a fact says is there has to be on the disk before the fact is written.
    fn told(&mut self, fact: &str) -> Result<(), String> {
        let places: &[&str] = match fact {
            "kept" => {
                &["/snapshots.git/objects/", "/snapshots.git/repository-objects/", "/snapshots.git/refs/"]
            }
            "committed" | "landed" => &["/.git/objects/", "/.git/refs/", "/lane.git/objects/"],
            // What an agent has written until then is its own.
            "call_finished" => {
                self.unsynced.retain(|path, _| !path.contains(".git/"));
                return Ok(());
            }
            _ => return Ok(()),
        };
        let missing = self.unsynced.keys().find(|path| places.iter().any(|place| path.contains(place)));
        match missing {
            Some(path) => Err(format!("`{fact}` is written while {path} is not on the disk")),
            None => Ok(()),
        }
    }

    fn synced(&mut self, path: &str) {
        self.unsynced.remove(path);
        // A folder counts once what is looked for in it is there.
        let is_too_early = path.rsplit_once('/').is_some_and(|(above, _)| above.ends_with("/runs"));
        if !is_too_early || self.journal.is_some() {
            self.folders.insert(path.to_owned());
        }
        if self.journal.as_deref() == Some(path) {
            self.certain.extend(self.facts.drain(..));
        }
    }

    /// An effect takes place: the facts that intend it are on the disk, and so is the journal's name.
    fn check(&mut self, effect: &str) -> Result<(), String> {
        let intended = intended_by(effect);
        if let Some(fact) = self.facts.iter().find(|fact| intended.contains(fact)) {
            return Err(format!("{effect} takes place while `{fact}` is not on the disk"));
        }
        if !intended.iter().any(|fact| self.certain.contains(fact)) {
            return Err(format!("{effect} takes place and none of {intended:?} is on the disk"));
        }
        let folder = self.journal.as_deref().and_then(|journal| journal.rsplit_once('/'));
        let (folder, _) = folder.ok_or("an effect takes place and there is no journal")?;
        let runs = folder.rsplit_once('/').map_or("", |(runs, _)| runs);
        if !self.folders.contains(folder) || !self.folders.contains(runs) {
            return Err(format!("{effect} takes place while the journal's name is not on the disk"));
        }
        if effect != NOTIFICATION {
            self.seen.insert(effect.to_owned());
        }
        Ok(())
    }
}

/// The same for effects that leave a trace of their own.
fn effect(event: &Event) -> Option<&'static str> {
    match event {
        Event::Started { arguments } => {
            let traces: [(&[&str], &str); 9] = [
                (&["\"__agent\"", "\"-p\""], "Call"),
                (&["# gate"], "RunCheck"),
                (&["# hook"], "RunHook"),
                (&["# told"], "Announce"),
                (&["\"commit\", \"--quiet\", \"--no-edit\""], "Commit"),
                (&["\"merge-tree\""], "Merge"),
                (&["\"update-ref\"", "windlass: land"], "Land"),
                (&["\"push\"", "refs/heads/"], "Deliver"),
                (&["\"gh\"", "/issues/", "/comments"], "Issue"),
            ];
            let is = |(words, _): &&(&[&str], &str)| words.iter().all(|word| arguments.contains(word));
            // The command line of windlass itself names the checks as well.
            let own = arguments.contains("\"run\", ");
            traces.iter().find(is).filter(|_| !own).map(|(_, effect)| *effect)
        }
        Event::Named { to, .. } if to.contains("/snapshots.git/refs/") && to.ends_with("-after") => {
            Some("Keep")
        }
        Event::Named { to, .. } if to.ends_with("/lane.git/config") => Some("Open"),
        Event::Named { to, .. } if to.ends_with("/project/.gitlab-ci.yml") => Some("Refuse"),
        Event::Named { to, .. } if to.ends_with("/.windlass/decisions.jsonl") => Some("LogDecision"),
        Event::Named { to, .. } if to.ends_with("/.git/refs/heads/other") => Some("Undo"),
        _ => None,
    }
}

/// Each row's cells, as text.
fn rows() -> impl Iterator<Item = Vec<&'static str>> {
    let rows = EFFECTS.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
}

/// What stands between backticks in a cell.
fn names(cell: &str) -> impl Iterator<Item = String> + '_ {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
}

/// The effects that the page calls synced.
pub fn effects_that_need_the_journal() -> BTreeSet<String> {
    let synced = rows().filter(|cells| cells.get(4) == Some(&"yes"));
    synced.filter_map(|cells| names(cells[0]).next()).collect()
}

/// The facts that intend an effect, as the page says.
fn intended_by(effect: &str) -> Vec<String> {
    if effect == NOTIFICATION {
        return vec!["iteration_finished".to_owned()];
    }
    let of_effect = rows().filter(|cells| names(cells[0]).next().as_deref() == Some(effect));
    of_effect.flat_map(|cells| names(cells[1]).collect::<Vec<_>>()).collect()
}
