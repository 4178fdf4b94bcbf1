//! Epics: they hold issues, and nobody works on them by themselves.

use std::collections::{HashMap, HashSet};

use serde_json::value::RawValue;
use windlass_core::values::TaskState;

use super::said;
use crate::doc::tasks::Task;
use crate::doc::tasks::records::Members;

/// So deep are epics looked into that stand in epics.
const DEEPEST: usize = 8;

/// So much that an epic waits for is waited for by its issues.
const MOST_NAMED: usize = 100;

/// The epics of a list, and the epic that each issue is part of.
#[derive(Default)]
pub(super) struct Epics {
    epics: HashSet<String>,
    epic_of: HashMap<String, String>,
}

impl Epics {
    /// Takes in an issue: it may be one, or be part of one.
    pub fn see(&mut self, issue: &RawValue) {
        let Some(id) = said(issue, "id") else { return };
        let links = Members::of(issue.get()).and_then(|members| members.first(&["dependencies"]));
        let links: Vec<&RawValue> =
            links.and_then(|links| serde_json::from_str(links.get()).ok()).unwrap_or_default();
        let is_parent = |link: &&RawValue| said(link, "type").as_deref() == Some("parent-child");
        if let Some(epic) = links.into_iter().find(is_parent).and_then(|link| said(link, "depends_on_id")) {
            self.epic_of.insert(id.clone(), epic);
        }
        if said(issue, "issue_type").as_deref() == Some("epic") {
            self.epics.insert(id);
        }
    }

    /// Nests issues in their epics: an epic comes after its issues, and is done with them; what it waits for they wait for. One
    /// without issues is to be split.
    pub fn settle(&self, tasks: &mut [Task]) {
        let places: HashMap<String, usize> =
            tasks.iter().enumerate().map(|(index, task)| (task.row.id.0.clone(), index)).collect();
        let epic_of = |task: &Task| {
            let epic = self.epic_of.get(&task.row.id.0).filter(|epic| self.epics.contains(*epic))?;
            places.get(epic).copied()
        };
        let mut issues: HashMap<usize, Vec<usize>> = HashMap::new();
        for index in 0..tasks.len() {
            let Some(epic) = tasks.get(index).and_then(epic_of).filter(|epic| *epic != index) else {
                continue;
            };
            issues.entry(epic).or_default().push(index);
            let waits_for: Vec<String> = tasks
                .get(epic)
                .map(|epic| epic.named.iter().take(MOST_NAMED).map(|(name, _)| name.clone()).collect())
                .unwrap_or_default();
            if let Some(task) = tasks.get_mut(index) {
                task.parent = Some(epic);
                let line = task.line;
                task.named.extend(waits_for.into_iter().map(|name| (name, line)));
            }
        }
        for _ in 0..DEEPEST {
            for (epic, issues) in &issues {
                let is_done =
                    |issue: &usize| tasks.get(*issue).is_some_and(|task| task.row.state == TaskState::Done);
                if issues.iter().all(is_done)
                    && let Some(epic) = tasks.get_mut(*epic)
                {
                    epic.row.state = TaskState::Done;
                }
            }
        }
        for (index, task) in tasks.iter_mut().enumerate() {
            let is_empty = self.epics.contains(&task.row.id.0) && !issues.contains_key(&index);
            if is_empty && task.row.state != TaskState::Done {
                task.row.unclear = Some("it is an epic without issues: split it, or close it".to_owned());
            }
        }
    }
}
