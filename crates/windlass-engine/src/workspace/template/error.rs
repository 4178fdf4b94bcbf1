//! What can go wrong with templates.

use std::path::PathBuf;
use windlass_core::values::Named;

use super::Scope;
use crate::workspace::WorkspaceError;
use windlass_host::file::FileError;

/// What can go wrong with templates: one sentence. Whatever it is, nothing was replaced.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// The operating system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// Something about the workspace.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// This can be no template's name.
    #[error(
        "`{0}` cannot be a template's name: 1 to 64 ASCII letters, digits, `_` and `-`, not beginning with `-`"
    )]
    BadName(String),
    /// There is none of this name.
    #[error("there is no template `{name}`{}", nearest.as_ref().map_or_else(String::new, |near| format!("; did you mean `{near}`?")))]
    NotFound {
        /// What was asked for.
        name: String,
        /// One that may have been meant.
        nearest: Option<String>,
    },
    /// Something else is in its place.
    #[error("{} is not a template: {why}", .path.display())]
    NoTemplate {
        /// Where.
        path: PathBuf,
        /// A clause.
        why: &'static str,
    },
    /// A file of it cannot be used.
    #[error("{} cannot be used: {why}", .path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// A clause.
        why: String,
    },
    /// There is one of this name.
    #[error("there is a {} template `{name}` already", .scope.name())]
    Exists {
        /// The name.
        name: String,
        /// Where it is kept.
        scope: Scope,
    },
    /// The workspace has nothing that could be reused.
    #[error("Instructions not found. Run setup first: windlass setup {name}")]
    NoInstructions {
        /// The workspace.
        name: String,
    },
    /// Files of the workspace would be replaced.
    #[error("workspace `{workspace}` has {} already, which template `{template}` would replace", .files.join(" and "))]
    WouldReplace {
        /// The workspace.
        workspace: String,
        /// The template.
        template: String,
        /// The files' names.
        files: Vec<&'static str>,
    },
    /// Nothing says where the user's templates are kept.
    #[error(
        "HOME is not set, so there is no place for the user's templates; set HOME or WINDLASS_CONFIG_DIR"
    )]
    NoUserStore,
}
