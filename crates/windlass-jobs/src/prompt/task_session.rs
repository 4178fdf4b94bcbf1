//! What an agent is told in an interactive session, in which a person and it write a task file.

use std::path::Path;

use windlass_core::inert::Inert;

use super::session::SessionPrompt;

const TASKS: &str = include_str!("templates/task_session.md");

/// What a session on a task file is about.
#[derive(Clone, Copy, Debug)]
pub struct TaskSessionParts<'a> {
    /// The task file.
    pub file: &'a Path,
    /// The project's folder.
    pub project: &'a Path,
    /// The system that the tasks will be done on: `linux x86_64`.
    pub platform: &'a str,
    /// The command that works them off.
    pub next: &'a str,
    /// The tasks that are there, where there are any.
    pub tasks: u64,
}

/// Composes what a session on a task file begins with.
pub fn task_session(parts: &TaskSessionParts<'_>) -> SessionPrompt {
    let values = [
        ("file", Inert::words(&parts.file.to_string_lossy())),
        ("projectRoot", Inert::words(&parts.project.to_string_lossy())),
        ("platform", Inert::words(parts.platform)),
        ("next", Inert::words(parts.next)),
    ];
    let opening = match parts.tasks {
        0 => Inert::own("Let us write the tasks. Begin as you were told."),
        1 => Inert::own("Let us look at the task file; it has 1 task. Begin as you were told."),
        tasks => Inert::fill(
            "Let us look at the task file; it has {{tasks}} tasks. Begin as you were told.",
            &[("tasks", Inert::number(tasks))],
        ),
    };
    SessionPrompt { system: Inert::fill(TASKS, &values).into_prompt(), opening: opening.into_prompt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: 7, 19
    #[test]
    fn it_says_which_file_in_which_form_and_for_which_platform() {
        let parts = TaskSessionParts {
            file: Path::new("/p/requirements/pay.md"),
            project: Path::new("/p"),
            platform: "linux x86_64",
            next: "windlass run --mode tasks --feature pay",
            tasks: 0,
        };
        let prompt = task_session(&parts);
        for piece in [
            "`/p/requirements/pay.md`",
            "linux x86_64",
            "about 30 minutes",
            "- **Dependencies**: none",
            "`windlass run --mode tasks --feature pay`",
            "do none of its tasks",
        ] {
            assert!(prompt.system.contains(piece), "{piece} is not in\n{}", prompt.system);
        }
        assert!(!prompt.system.contains("{{") && prompt.opening.starts_with("Let us write the tasks."));
        assert!(task_session(&TaskSessionParts { tasks: 7, ..parts }).opening.contains("has 7 tasks"));
    }
}
