//! `template list`, `template show`.

use jiff::Timestamp;
use serde_json::Value;
use windlass_engine::workspace::template::{Scope, Template, Templates};
use windlass_jobs::doc::template::TemplateRecord;
use windlass_ui::{
    TemplateRow, TemplateShown, template_json, template_text, templates_json, templates_table,
};

use super::super::{Shape, first_lines, print, print_bytes, stdout};
use windlass_app::AppError;

pub(super) fn list(templates: &Templates, shape: Shape) -> Result<(), AppError> {
    let listed = templates.list()?;
    let rows: Vec<TemplateRow> = listed
        .iter()
        .map(|listed| TemplateRow {
            shadowed: listed.shadowed,
            problem: listed.problem.clone(),
            ..row(&listed.template, &listed.record)
        })
        .collect();
    if shape == Shape::Json {
        return print_bytes(&templates_json(&rows));
    }
    print(&templates_table(&rows, &stdout()))
}

pub(super) fn show(
    templates: &Templates,
    name: &str,
    scope: Option<Scope>,
    shape: Shape,
) -> Result<(), AppError> {
    let template = templates.find(name, scope)?;
    let shown = template.show()?;
    let (instructions, more_lines) = first_lines(&shown.instructions);
    let shown = TemplateShown {
        row: row(&template, &shown.record),
        other: shown.record.other.iter().map(|(name, value)| format!("{name}: {}", plain(value))).collect(),
        options: options(shown.config.as_deref().unwrap_or_default()),
        instructions,
        more_lines,
        readme: shown.readme.map(|path| path.display().to_string()),
        left: shown.left,
    };
    if shape == Shape::Json {
        return print_bytes(&template_json(&shown));
    }
    print(&template_text(&shown, Timestamp::now(), &stdout()))
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
