//! A workspace is made, or one that is there is completed.

use windlass_core::config::{FileKind, Layer, Resolved, Unlimited};
use windlass_core::spec::Mode;
use windlass_core::workspace::{OptionValue, WorkspaceName, options_text};
use windlass_engine::workspace::CONFIG_FILE;
pub use windlass_engine::workspace::create::Created;
use windlass_engine::workspace::create::Creation;

use super::guard::{self, Guard};
use super::{Project, tell_mended};
use crate::app::App;
use crate::configuration::beneath;
use crate::error::AppError;
use crate::trusting;

/// A workspace that is to be made.
#[derive(Clone, Debug)]
pub struct CreateWorkspace {
    /// Its name.
    pub name: WorkspaceName,
    /// How it is worked on; `None` = as it is, else in a loop.
    pub mode: Option<Mode>,
    /// What its own configuration is to say.
    pub options: Layer,
    /// Workspaces are to be kept out of commits.
    pub guard: bool,
}

impl App {
    /// Makes a workspace; where it is there, what is missing of it. No file is replaced. With what became of the guard.
    ///
    /// # Errors
    /// The options do not go together, or it has other ones already; something else is in its place.
    pub fn create_workspace(&self, request: &CreateWorkspace) -> Result<(Created, Option<Guard>), AppError> {
        // A limit of 0 goes only with another one.
        let layers = std::slice::from_ref(&request.options);
        Resolved::merge(layers, request.mode.unwrap_or(Mode::Loop), Unlimited::Refused)?;
        let options = request.options.values().map(|(key, value)| (key, plain(value))).collect();
        let project = Project::to_change(self)?;
        let beneath = beneath(project.workspaces.project());
        let creation = Creation { mode: request.mode, options, beneath };
        // Asked first, so that nothing is made where it has to be refused.
        let guard = request.guard.then(|| guard::install(&project.here)).transpose()?;
        let created = project.workspaces.create(&request.name, &project.here.project, &creation)?;
        tell_mended(self, &created.workspace, created.mended.as_ref());
        let file = created.workspace.folder().join(CONFIG_FILE);
        let options = options_text(&creation.options);
        trusting::trust_text(&project.here, FileKind::Workspace, &file, &options)?;
        Ok((created, guard))
    }
}

/// A number is written as one: `--delay 0` becomes `delay = 0`.
fn plain(value: &OptionValue) -> OptionValue {
    value
        .as_str()
        .and_then(|text| text.trim().parse().ok())
        .map_or_else(|| value.clone(), OptionValue::Integer)
}
