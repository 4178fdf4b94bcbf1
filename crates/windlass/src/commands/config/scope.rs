//! Which file is meant, and what the files below it say.

use windlass_core::config::{FileKind, Layer};
use windlass_core::spec::Mode;
use windlass_engine::workspace::Workspace;

use super::named_workspace;
use crate::args::ScopeArgs;
use crate::commands::app;
use windlass_app::configuration::{Source, sources};
use windlass_app::{AppError, Kind};

/// The file that is to be changed, and those that it goes before.
#[derive(Debug)]
pub struct Scope {
    /// The file; it need not be there.
    pub source: Source,
    /// The files below it, the weakest first.
    below: Vec<Source>,
}

impl Scope {
    /// Finds it.
    ///
    /// # Errors
    /// There is no such workspace, or nothing says where the user's file is.
    pub fn find(args: &ScopeArgs) -> Result<Scope, AppError> {
        let workspace = named_workspace(args.workspace.as_deref())?;
        let kind = match &workspace {
            Some(_) => FileKind::Workspace,
            None if args.user => FileKind::User,
            None => FileKind::Project,
        };
        let mut all = sources(app()?.directory(), workspace.as_ref().map(Workspace::folder))?;
        let Some(at) = all.iter().position(|source| source.kind == kind) else {
            return Err(AppError::new(Kind::Configuration, "nothing says where your own configuration is")
                .hint("Set HOME, XDG_CONFIG_HOME or WINDLASS_CONFIG_DIR."));
        };
        let source = all.remove(at);
        all.truncate(at);
        Ok(Scope { source, below: all })
    }

    /// What holds below this file, and the layer that says it: `user`, `project` or `default`.
    ///
    /// # Errors
    /// A file cannot be read, or something is wrong in it.
    pub fn value_below(&self, key: &str) -> Result<Option<(toml::Value, &'static str)>, AppError> {
        for source in self.below.iter().rev() {
            let layer = source.layer()?;
            if let Some(value) = layer.as_ref().and_then(|layer| layer.value(key)) {
                return Ok(Some((value.clone(), layer_name(source.kind))));
            }
        }
        let defaults = Layer::defaults(Mode::Goal)?;
        Ok(defaults.value(key).map(|value| (value.clone(), layer_name(FileKind::Default))))
    }
}

/// A layer's name.
pub const fn layer_name(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Default => "default",
        FileKind::User => "user",
        FileKind::Project => "project",
        FileKind::Workspace => "workspace",
    }
}
