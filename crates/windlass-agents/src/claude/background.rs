//! Which background tasks run.

use std::collections::BTreeSet;

use super::event::{System, Task};
use crate::json;

/// The background tasks that run now, by id.
///
/// `background_tasks_changed` lists them all and is believed. Single starts and ends are followed as well, for
/// versions that do not send it.
#[derive(Debug, Default)]
pub(super) struct Background {
    running: BTreeSet<String>,
}

impl Background {
    /// Takes in a `system` line; gives how many run where that number changed.
    pub(super) fn changed(&mut self, subtype: &str, system: &System<'_>) -> Option<u32> {
        let before = self.running.len();
        match subtype {
            "background_tasks_changed" => self.replace(system),
            "task_started" if json::flag(system.is_backgrounded) != Some(false) => {
                self.running.insert(json::word(system.task_id).into_owned());
            }
            "task_updated" => self.update(system),
            "task_notification" if has_ended(&json::word(system.status)) => {
                self.running.remove(&*json::word(system.task_id));
            }
            _ => {}
        }
        let now = self.running.len();
        (now != before).then(|| u32::try_from(now).unwrap_or(u32::MAX))
    }

    fn replace(&mut self, system: &System<'_>) {
        let mut running = BTreeSet::new();
        let is_list = json::each(system.tasks, |task| {
            if let Some(task) = json::object::<Task<'_>>(task) {
                running.insert(json::word(task.id).into_owned());
            }
        });
        if is_list {
            self.running = running;
        }
    }

    /// A task ended, or a command in the foreground took too long and was moved to the background.
    fn update(&mut self, system: &System<'_>) {
        let Some(patch) = json::object::<Task<'_>>(system.patch) else { return };
        let id = json::word(system.task_id);
        if has_ended(&json::word(patch.status)) {
            self.running.remove(&*id);
        } else if json::flag(patch.is_backgrounded) == Some(true) {
            self.running.insert(id.into_owned());
        }
    }
}

fn has_ended(status: &str) -> bool {
    matches!(status, "completed" | "killed" | "stopped" | "failed" | "cancelled" | "error")
}
