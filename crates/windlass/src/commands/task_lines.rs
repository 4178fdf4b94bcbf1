//! How the tasks of a task file stand, in a few lines.

use windlass_app::task_place::TaskPlace;
use windlass_core::values::TaskState;
use windlass_ui::{Line, one_line};

use super::notice;

/// Problems of a task file that are named; the others are counted.
const NAMED: usize = 3;

/// Counts, the next task, and what is wrong.
pub fn task_lines(place: &TaskPlace) -> Vec<Line> {
    let Some(found) = &place.found else { return Vec::new() };
    let rows = found.list.rows();
    let begun = rows.iter().filter(|row| row.state == TaskState::InProgress).count();
    let schedule = found.list.schedule();
    let counts = schedule.counts();
    let mut lines = Vec::new();
    if counts.total > 0 {
        let parts = [
            (counts.done, "done"),
            (begun, "in progress"),
            (counts.ready.saturating_sub(begun), "ready"),
            (counts.waiting, "waiting for others"),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        lines.push(labelled("tasks").plain(format!("{}: {}", counts.total, parts.join(", "))));
    }
    lines.extend(schedule.next().map(|next| {
        labelled("next task")
            .strong(one_line(&next.id.to_string()))
            .plain(format!(" {}", one_line(&next.title)))
    }));
    let problems = found.list.problems();
    lines.extend(problems.iter().take(NAMED).map(|problem| notice(&problem.to_string())));
    if problems.len() > NAMED {
        lines.push(notice(&format!("{} more problems of this kind", problems.len() - NAMED)));
    }
    lines
}

/// A line of a list.
pub fn labelled(label: &str) -> Line {
    Line::hanging(13).dim(format!("  {label:<11}"))
}
