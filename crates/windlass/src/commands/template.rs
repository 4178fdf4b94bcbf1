//! `template`: the instructions and options of a workspace are kept to be used again.

use windlass_core::values::Named;

use jiff::Timestamp;
use windlass_app::workspaces::template::{Applied, Details, Existing, SaveTemplate, Saved, Scope};
use windlass_app::{AppError, Consent};
use windlass_ui::{Line, one_line, template_json, template_text, templates_json, templates_table};

use super::{Shape, app, done, nothing_deleted, notice, print_lines, stdout};
use crate::args::{TemplateArgs, TemplateVerb};

/// Does it.
pub fn run(args: &TemplateArgs) -> Result<(), AppError> {
    let app = app()?;
    match &args.verb {
        TemplateVerb::Save { workspace, name, global, description, tags, estimate, force } => {
            let details = Details {
                description: description.clone(),
                tags: tags.as_ref().map(|tags| cleaned(tags)),
                estimated_iterations: *estimate,
            };
            let saved = app.save_template(SaveTemplate {
                workspace: workspace.clone(),
                name: name.as_ref().unwrap_or(workspace).clone(),
                scope: scope(*global).unwrap_or(Scope::Project),
                details,
                existing: existing(*force),
            })?;
            print_lines(&said_saved(&saved))
        }
        TemplateVerb::Use { name, workspace, force } => {
            print_lines(&said_applied(name, &app.use_template(name, workspace, existing(*force))?))
        }
        TemplateVerb::List { json } => {
            let rows = app.templates()?;
            Shape::of(*json).print(|| templates_json(&rows), || templates_table(&rows, &stdout()))
        }
        TemplateVerb::Show { name, global, json } => {
            let shown = app.template(name, scope(*global))?;
            let text = || template_text(&shown, Timestamp::now(), &stdout());
            Shape::of(*json).print(|| template_json(&shown), text)
        }
        TemplateVerb::Delete { name, global, yes } => {
            match app.delete_template(name, scope(*global), Consent::by_flag(*yes))? {
                None => nothing_deleted(),
                Some(scope) => print_lines(&[done(&format!("{} template {name} is deleted", scope.name()))]),
            }
        }
    }
}

const fn scope(global: bool) -> Option<Scope> {
    if global { Some(Scope::User) } else { None }
}

const fn existing(force: bool) -> Existing {
    if force { Existing::Replace } else { Existing::Refuse }
}

fn cleaned(tags: &[String]) -> Vec<String> {
    tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect()
}

fn said_saved(saved: &Saved) -> Vec<Line> {
    let template = &saved.template;
    let became = if saved.replaced { "replaced" } else { "saved" };
    let line = done(&format!("{} template {} is {became}", template.scope.name(), template.name));
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

fn said_applied(template: &str, applied: &Applied) -> Vec<Line> {
    let name = applied.workspace.name();
    let became = if applied.was_there { "has the files of" } else { "is made of" };
    let options = if applied.has_options { ", with its options" } else { "" };
    let line = done(&format!("workspace {name} {became} {} template {template}", applied.scope.name()));
    let mut lines = vec![line.dim(format!(" · {} mode{options}", applied.mode.name()))];
    lines.extend(applied.kept.iter().map(|(file, copy)| {
        let copy = copy.file_name().unwrap_or_default().to_string_lossy();
        notice(&format!("its {file} was replaced; what it was is kept as {copy}"))
    }));
    lines.extend(applied.left.iter().map(|sentence| notice(sentence)));
    lines.push(Line::new().dim("  next  ").command(format!("windlass run {name}")));
    lines
}
