//! `template`: the instructions and options of a workspace are kept to be used again.

mod look;

use std::env;
use std::process::ExitCode;

use jiff::Timestamp;
use windlass_core::workspace::WorkspaceName;
use windlass_engine::store::{StoreError, paths};
use windlass_engine::workspace::WorkspaceError;
use windlass_engine::workspace::template::{Applied, Details, Existing, Saved, Scope, Templates};
use windlass_ui::{Line, Mark, Tone, one_line};

use super::question::{Consent, ask};
use super::{Shape, print_lines};
use crate::args::{TemplateArgs, TemplateVerb};
use crate::commands::app;
use windlass_app::Answer;
use windlass_app::AppError;
use windlass_app::workspaces::Project;

/// Does it.
pub fn run(args: &TemplateArgs) -> Result<ExitCode, AppError> {
    let project = Project::find(&app()?)?;
    let templates = templates(&project)?;
    match &args.verb {
        TemplateVerb::Save { workspace, name, global, description, tags, estimate, force } => {
            let details = Details {
                description: description.clone(),
                tags: tags.as_ref().map(|tags| cleaned(tags)),
                estimated_iterations: *estimate,
            };
            let to = (name.as_ref().unwrap_or(workspace).as_str(), wanted(*global).unwrap_or(Scope::Project));
            save(&project, &templates, workspace, to, details, existing(*force))
        }
        TemplateVerb::Use { name, workspace, force } => {
            apply(&project, &templates, name, workspace, existing(*force))
        }
        TemplateVerb::List { json } => look::list(&templates, Shape::of(*json)),
        TemplateVerb::Show { name, global, json } => {
            look::show(&templates, name, wanted(*global), Shape::of(*json))
        }
        TemplateVerb::Delete { name, global, force } => {
            delete(&templates, name, wanted(*global), Consent::by_flag(*force))
        }
    }?;
    Ok(ExitCode::SUCCESS)
}

fn templates(project: &Project) -> Result<Templates, AppError> {
    let user = match paths::config_root(|name| env::var_os(name)) {
        Ok(folder) => Some(folder),
        Err(StoreError::NoHome { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    Ok(Templates::of(&project.workspaces, user.as_deref()))
}

const fn wanted(global: bool) -> Option<Scope> {
    if global { Some(Scope::User) } else { None }
}

const fn existing(force: bool) -> Existing {
    if force { Existing::Replace } else { Existing::Refuse }
}

fn cleaned(tags: &[String]) -> Vec<String> {
    tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect()
}

fn save(
    project: &Project,
    templates: &Templates,
    workspace: &str,
    to: (&str, Scope),
    details: Details,
    existing: Existing,
) -> Result<(), AppError> {
    let from = project.workspaces.find(workspace)?;
    let saved = templates.save(&from, to, details, existing, Timestamp::now())?;
    print_lines(&said_saved(&saved))
}

fn said_saved(saved: &Saved) -> Vec<Line> {
    let template = &saved.template;
    let done = if saved.replaced { "replaced" } else { "saved" };
    let line = Line::hanging(2).mark(Tone::Good, Mark::Passed);
    let line = line.plain(format!(" {} template {} is {done}", template.scope.name(), template.name));
    let mut lines = vec![
        line.dim(format!(" · {}", saved.files.join(", "))),
        Line::new().dim("  in    ").plain(one_line(&template.folder.display().to_string())),
    ];
    if saved.left_secret {
        lines.push(notice("notify.secret is not in it: it stays with the workspace"));
    }
    lines.push(
        Line::new().dim("  use   ").command(format!("windlass template use {} WORKSPACE", template.name)),
    );
    lines
}

fn apply(
    project: &Project,
    templates: &Templates,
    name: &str,
    workspace: &str,
    existing: Existing,
) -> Result<(), AppError> {
    let template = templates.find(name, None)?;
    let to = WorkspaceName::parse(workspace).map_err(WorkspaceError::from)?;
    let applied = template.apply(&project.workspaces, &project.here.project, &to, existing)?;
    print_lines(&said_applied(&applied, &format!("{} template {name}", template.scope.name())))
}

fn said_applied(applied: &Applied, from: &str) -> Vec<Line> {
    let name = applied.workspace.name();
    let done = if applied.was_there { "has the files of" } else { "is made of" };
    let options = if applied.has_options { ", with its options" } else { "" };
    let line =
        Line::hanging(2).mark(Tone::Good, Mark::Passed).plain(format!(" workspace {name} {done} {from}"));
    let mut lines = vec![line.dim(format!(" · {} mode{options}", applied.mode.name()))];
    lines.extend(applied.kept.iter().map(|(file, copy)| {
        let copy = copy.file_name().unwrap_or_default().to_string_lossy();
        notice(&format!("its {file} was replaced; what it was is kept as {copy}"))
    }));
    lines.extend(applied.left.iter().map(|sentence| notice(sentence)));
    lines.push(Line::new().dim("  next  ").command(format!("windlass run {name}")));
    lines
}

fn notice(sentence: &str) -> Line {
    Line::hanging(4).plain("  ").mark(Tone::Warn, Mark::Notice).plain(format!(" {}", one_line(sentence)))
}

fn delete(templates: &Templates, name: &str, scope: Option<Scope>, consent: Consent) -> Result<(), AppError> {
    let template = templates.find(name, scope)?;
    let what = format!("{} template {name}", template.scope.name());
    let global = if scope == Some(Scope::User) { " --global" } else { "" };
    let command = format!("windlass template delete {name}{global} --force");
    if consent == Consent::Wanted && ask(&format!("delete {what} for good?"), &command)? == Answer::No {
        return print_lines(&[Line::new().dim("nothing was deleted")]);
    }
    templates.delete(&template)?;
    print_lines(&[Line::hanging(2).mark(Tone::Good, Mark::Passed).plain(format!(" {what} is deleted"))])
}
