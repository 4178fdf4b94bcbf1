//! What an agent is told in an interactive session, in which a person and it write a workspace's instructions.

use std::path::Path;

use windlass_core::inert::Inert;

use super::parts::Pace;

const SETUP: &str = include_str!("templates/setup.md");
const EDIT: &str = include_str!("templates/edit.md");

/// What becomes of the instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authoring {
    /// They are written: `windlass setup`.
    Setup,
    /// They are changed: `windlass edit`.
    Edit,
}

/// What a session is about.
#[derive(Clone, Copy, Debug)]
pub struct SessionParts<'a> {
    /// What becomes of the instructions.
    pub authoring: Authoring,
    /// The workspace's name.
    pub name: &'a str,
    /// The workspace's folder.
    pub workspace: &'a Path,
    /// The project's folder.
    pub project: &'a Path,
    /// How it is going to be worked off: the pace of its mode.
    pub pace: Pace,
}

/// The two texts of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPrompt {
    /// For `--append-system-prompt-file`.
    pub system: String,
    /// The first words, as if the person had typed them.
    pub opening: String,
}

/// Composes what a session begins with.
pub fn session(parts: &SessionParts<'_>) -> SessionPrompt {
    let (template, opening) = match parts.authoring {
        Authoring::Setup => (SETUP, "Let us write the instructions for"),
        Authoring::Edit => (EDIT, "Let us look at the instructions for"),
    };
    let values = [
        ("projectRoot", Inert::words(&parts.project.to_string_lossy())),
        ("workspacePath", Inert::words(&parts.workspace.to_string_lossy())),
        ("mode", Inert::own(parts.pace.in_sessions)),
    ];
    let opening = Inert::fill(
        "{{opening}} the workspace “{{name}}”. Begin as you were told.",
        &[("opening", Inert::own(opening)), ("name", Inert::words(parts.name))],
    );
    SessionPrompt { system: Inert::fill(template, &values).into_prompt(), opening: opening.into_prompt() }
}

#[cfg(test)]
mod tests {
    use windlass_core::spec::Mode;

    use super::*;
    use crate::job;

    // rows: 7, 99
    #[test]
    fn it_says_which_files_and_how_they_will_be_used() {
        for authoring in [Authoring::Setup, Authoring::Edit] {
            let parts = SessionParts {
                authoring,
                name: "docs",
                workspace: Path::new("/p/.windlass/workspaces/docs"),
                project: Path::new("/p"),
                pace: job::of(Mode::Loop).words.pace,
            };
            let prompt = session(&parts);
            assert!(
                prompt.system.contains("`/p/.windlass/workspaces/docs/INSTRUCTIONS.md`"),
                "{}",
                prompt.system
            );
            assert!(prompt.system.contains("one item per iteration") && !prompt.system.contains("{{"));
            assert!(prompt.opening.contains("“docs”") && !prompt.opening.starts_with('-'));
        }
    }
}
