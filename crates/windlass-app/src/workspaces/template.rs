//! Templates of workspaces: made, looked at, used, deleted.

use jiff::Timestamp;
use serde_json::Value;
use windlass_core::values::Named;
use windlass_core::workspace::WorkspaceName;
use windlass_engine::workspace::WorkspaceError;
pub use windlass_engine::workspace::template::{Applied, Details, Existing, Saved, Scope};
use windlass_engine::workspace::template::{Template, Templates};
use windlass_jobs::doc::template::TemplateRecord;
use windlass_ui::{TemplateRow, TemplateShown};

use super::Project;
use crate::app::App;
use crate::configuration::{beneath, user_folder};
use crate::error::AppError;
use crate::front_end::Consent;
use crate::inspect::which;
use crate::text::first_lines;

/// A workspace whose instructions and options are to become a template.
#[derive(Clone, Debug)]
pub struct SaveTemplate {
    /// The workspace.
    pub workspace: String,
    /// The template's name.
    pub name: String,
    /// Where it is to be kept.
    pub scope: Scope,
    /// What is said of it.
    pub details: Details,
    /// What becomes of one of this name.
    pub existing: Existing,
}

impl App {
    /// Makes a template of a workspace: its instructions, its mode and all its options but `notify.secret`.
    ///
    /// # Errors
    /// There is one of this name; the workspace is not there, has no instructions, or options that cannot be read.
    pub fn save_template(&self, request: SaveTemplate) -> Result<Saved, AppError> {
        let (project, templates) = open(self)?;
        which::refuse_live(&project.here)?;
        let from = project.workspaces.find(&request.workspace)?;
        let to = (request.name.as_str(), request.scope);
        Ok(templates.save(&from, to, request.details, request.existing, Timestamp::now())?)
    }

    /// Makes a workspace of a template, or gives it its files.
    ///
    /// # Errors
    /// There is no such template; files would be replaced, where that is not asked for; a run works on the workspace.
    pub fn use_template(&self, name: &str, workspace: &str, existing: Existing) -> Result<Applied, AppError> {
        let (project, templates) = open(self)?;
        which::refuse_live(&project.here)?;
        let template = templates.find(name, None)?;
        let to = WorkspaceName::parse(workspace).map_err(WorkspaceError::from)?;
        let beneath = beneath(project.workspaces.project());
        Ok(template.apply(&project.workspaces, &project.here.project, (&to, &beneath), existing)?)
    }

    /// All templates by name, the project's first; one that cannot be used is a row that says why.
    pub fn templates(&self) -> Result<Vec<TemplateRow>, AppError> {
        let listed = open(self)?.1.list()?.into_iter();
        Ok(listed
            .map(|listed| TemplateRow {
                shadowed: listed.shadowed,
                problem: listed.problem,
                ..row(&listed.template, &listed.record)
            })
            .collect())
    }

    /// What is in a template: the project's before the user's, unless one of the two is asked for.
    pub fn template(&self, name: &str, scope: Option<Scope>) -> Result<TemplateShown, AppError> {
        let template = open(self)?.1.find(name, scope)?;
        let shown = template.show()?;
        let (instructions, more_lines) = first_lines(&shown.instructions);
        let other = shown.record.other.iter();
        Ok(TemplateShown {
            row: row(&template, &shown.record),
            other: other.map(|(name, value)| format!("{name}: {}", plain(value))).collect(),
            options: options(shown.config.as_deref().unwrap_or_default()),
            instructions,
            more_lines,
            readme: shown.readme.map(|path| path.display().to_string()),
            left: shown.left,
        })
    }

    /// Deletes a template for good; where it was kept. `None`: the person who was asked did not want that.
    pub fn delete_template(
        &self,
        name: &str,
        scope: Option<Scope>,
        consent: Consent,
    ) -> Result<Option<Scope>, AppError> {
        let (_, templates) = open(self)?;
        let template = templates.find(name, scope)?;
        let question = format!("delete {} template {name} for good?", template.scope.name());
        let global = if scope == Some(Scope::User) { " --global" } else { "" };
        if !self.agrees(consent, &question, &format!("windlass template delete {name}{global} --yes"))? {
            return Ok(None);
        }
        templates.delete(&template)?;
        Ok(Some(template.scope))
    }
}

fn open(app: &App) -> Result<(Project, Templates), AppError> {
    let project = Project::find(app)?;
    let templates = Templates::of(&project.workspaces, user_folder()?.as_deref());
    Ok((project, templates))
}

fn row(template: &Template, record: &TemplateRecord) -> TemplateRow {
    TemplateRow {
        name: template.name.clone(),
        scope: template.scope.name().to_owned(),
        description: record.description.clone(),
        tags: record.tags.clone(),
        mode: record.mode.map(|mode| mode.name().to_owned()),
        estimated_iterations: record.estimated_iterations,
        created: record.created,
        shadowed: false,
        path: template.folder.display().to_string(),
        problem: None,
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The lines of a configuration file that say something, each with its table before it.
fn options(config: &str) -> Vec<String> {
    let (mut table, mut options) = (String::new(), Vec::new());
    for line in config.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) =
            line.strip_prefix('[').and_then(|line| line.split(']').next()).filter(|_| !line.contains('='))
        {
            table = format!("{}.", name.trim());
        } else if line.contains('=') {
            options.push(format!("{table}{line}"));
        } else {
            // The rest of a value that takes several lines.
            options.push(line.to_owned());
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::options;

    #[test]
    fn options_are_named_in_full() {
        let config =
            "# mine\n[limits]\nmax_iterations = 9 # few\n\n[notify] # x\nevents = [\n  \"error\",\n]\n";
        assert_eq!(
            options(config),
            ["limits.max_iterations = 9 # few", "notify.events = [", "\"error\",", "]"]
        );
        assert!(options("").is_empty());
    }
}
