//! Which file is meant, and what the files below it say.

use windlass_core::config::{FileKind, Layer};
use windlass_core::spec::Mode;
use windlass_core::values::Named;
use windlass_engine::workspace::Workspace;

use super::look::named_workspace;
use super::{Source, sources};
use crate::app::App;
use crate::error::{AppError, Kind};

/// Whose file is to be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The project's.
    Project,
    /// The user's.
    User,
    /// That of the workspace of this name.
    Workspace(String),
}

/// The file that is to be changed, and those that it goes before.
#[derive(Debug)]
pub(super) struct ScopedFile {
    /// The file; it need not be there.
    pub source: Source,
    /// The files below it, the weakest first.
    below: Vec<Source>,
}

impl ScopedFile {
    /// Finds it.
    ///
    /// # Errors
    /// There is no such workspace, or nothing says where the user's file is.
    pub fn find(app: &App, scope: &Scope) -> Result<ScopedFile, AppError> {
        let (kind, workspace) = match scope {
            Scope::Workspace(name) => (FileKind::Workspace, Some(named_workspace(app, name)?)),
            Scope::User => (FileKind::User, None),
            Scope::Project => (FileKind::Project, None),
        };
        let mut all = sources(app.directory(), workspace.as_ref().map(Workspace::folder))?;
        let Some(at) = all.iter().position(|source| source.kind == kind) else {
            return Err(AppError::new(Kind::Configuration, "nothing says where your own configuration is")
                .hint("Set HOME, XDG_CONFIG_HOME or WINDLASS_CONFIG_DIR."));
        };
        let source = all.remove(at);
        all.truncate(at);
        Ok(ScopedFile { source, below: all })
    }

    /// What holds below this file, and the layer that says it: `user`, `project` or `default`.
    ///
    /// # Errors
    /// A file cannot be read, or something is wrong in it.
    pub fn value_below(&self, key: &str) -> Result<Option<(toml::Value, &'static str)>, AppError> {
        for source in self.below.iter().rev() {
            let layer = source.layer()?;
            if let Some(value) = layer.as_ref().and_then(|layer| layer.value(key)) {
                return Ok(Some((value.clone(), source.kind.name())));
            }
        }
        let defaults = Layer::defaults(Mode::Goal)?;
        Ok(defaults.value(key).map(|value| (value.clone(), FileKind::Default.name())))
    }
}
