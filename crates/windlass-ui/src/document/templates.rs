//! Templates of workspaces: the list, and what is in one.

use jiff::Timestamp;
use serde::Serialize;

use super::archives::beginning;
use super::table::{Align, Column, Narrow, Row, nothing_yet, table};
use crate::document::{document, listed};
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Tone, rendered};
use crate::narrate::labelled;
use crate::terminal::Terminal;

/// A template in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TemplateRow {
    /// Its name.
    pub name: String,
    /// `project` or `user`.
    pub scope: String,
    /// What it is for.
    pub description: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// How a workspace made of it is worked on.
    pub mode: Option<String>,
    /// Iterations that a job of this kind takes, as somebody thinks.
    pub estimated_iterations: Option<u64>,
    /// When it was made.
    #[serde(serialize_with = "windlass_core::values::some_wall_time::serialize")]
    pub created: Option<Timestamp>,
    /// One of the project has the same name and is used instead.
    pub shadowed: bool,
    /// Where it is.
    pub path: String,
    /// Why it cannot be used.
    pub problem: Option<String>,
}

/// What is in a template.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TemplateShown {
    /// As in the list.
    #[serde(flatten)]
    pub row: TemplateRow,
    /// Fields of others, as `name: value`.
    pub other: Vec<String>,
    /// Its options: the lines of a configuration file.
    pub options: Vec<String>,
    /// The first lines of its instructions.
    pub instructions: Vec<String>,
    /// Lines of the instructions that are not among them.
    pub more_lines: u64,
    /// Its `README.md`.
    pub readme: Option<String>,
    /// One sentence for each thing in it that is left out.
    pub left: Vec<String>,
}

/// The list, in the order given; every line ends with a newline.
pub fn templates_table(rows: &[TemplateRow], terminal: &Terminal) -> String {
    if rows.is_empty() {
        return nothing_yet("no templates yet: `windlass template save WORKSPACE` makes one", terminal);
    }
    let columns = [
        Column { heading: "template", align: Align::Left, tone: Tone::Strong },
        Column { heading: "of the", align: Align::Left, tone: Tone::Dim },
        Column { heading: "mode", align: Align::Left, tone: Tone::Plain },
        Column { heading: "est.", align: Align::Right, tone: Tone::Plain },
        Column { heading: "what for", align: Align::Left, tone: Tone::Plain },
    ];
    let problems: Vec<Option<String>> = rows.iter().map(problem).collect();
    let rows = rows.iter().zip(&problems).map(|(row, problem)| {
        let dash = || "-".to_owned();
        let cells = [
            one_line(&row.name),
            one_line(&row.scope),
            row.mode.clone().unwrap_or_else(dash),
            row.estimated_iterations.map_or_else(dash, |count| count.to_string()),
            what_for(row),
        ];
        Row { cells, state: None, problem: problem.as_deref() }
    });
    table(columns, Narrow::Nothing, &rows.collect::<Vec<_>>(), terminal)
}

fn problem(row: &TemplateRow) -> Option<String> {
    let shadowed = || "not used: the project has one of the same name".to_owned();
    row.problem.clone().or_else(|| row.shadowed.then(shadowed))
}

fn what_for(row: &TemplateRow) -> String {
    let description = one_line(row.description.as_deref().unwrap_or_default());
    let tags: Vec<String> = row.tags.iter().map(|tag| format!("#{}", one_line(tag))).collect();
    let text = format!("{description}  {}", tags.join(" "));
    let text = text.trim();
    let short: String = text.chars().take(50).collect();
    if short.len() < text.len() { format!("{}…", short.trim_end()) } else { short }
}

/// The list as one line of JSON, in the order given.
pub fn templates_json(rows: &[TemplateRow]) -> Vec<u8> {
    listed("templates", rows)
}

/// What is in a template, for people; every line ends with a newline.
pub fn template_text(shown: &TemplateShown, now: Timestamp, terminal: &Terminal) -> String {
    let row = &shown.row;
    let head = Line::hanging(2).strong(one_line(&row.name)).dim(format!("  template of the {}", row.scope));
    let mut lines = vec![head];
    let mut add = |label: &str, text: &str| {
        if !text.is_empty() {
            lines.push(labelled(label).plain(one_line(text)));
        }
    };
    add("what for", row.description.as_deref().unwrap_or_default());
    add("tags", &row.tags.join(", "));
    add("mode", row.mode.as_deref().unwrap_or_default());
    let estimate = row.estimated_iterations.map(|count| format::count(count, "iteration"));
    add("estimate", &estimate.unwrap_or_default());
    let made = row.created.map(|at| format::relative(at, now, &terminal.zone));
    add("made", &made.unwrap_or_default());
    add("in", &row.path);
    add("readme", shown.readme.as_deref().unwrap_or_default());
    shown.other.iter().for_each(|field| add("more", field));
    shown.options.iter().for_each(|option| add("option", option));
    lines.extend(shown.left.iter().map(|sentence| labelled("note").tone(Tone::Warn, one_line(sentence))));
    lines.extend(beginning(&shown.instructions, shown.more_lines));
    lines.push(Line::new());
    let command = format!("windlass template use {} WORKSPACE", one_line(&row.name));
    lines.push(Line::new().dim("  use  ").command(command));
    rendered(&lines, terminal)
}

/// What is in a template as one line of JSON.
pub fn template_json(shown: &TemplateShown) -> Vec<u8> {
    document("template", shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::columns;

    fn row(name: &str, scope: &str) -> TemplateRow {
        TemplateRow {
            name: name.to_owned(),
            scope: scope.to_owned(),
            description: Some("Port a module".to_owned()),
            tags: vec!["rust".to_owned()],
            mode: Some("loop".to_owned()),
            estimated_iterations: Some(12),
            path: "/p".to_owned(),
            ..TemplateRow::default()
        }
    }

    #[test]
    fn a_list_says_which_one_is_used() {
        let shadowed = TemplateRow { shadowed: true, ..row("port", "user") };
        assert_eq!(
            templates_table(&[row("port", "project"), shadowed], &columns(80)),
            "\
template  of the   mode  est.  what for
port      project  loop    12  Port a module  #rust
port      user     loop    12  Port a module  #rust
  ! not used: the project has one of the same name
"
        );
        assert!(templates_table(&[], &columns(80)).contains("windlass template save"));
    }

    #[test]
    fn a_template_is_shown_with_its_options_and_first_lines() {
        let shown = TemplateShown {
            row: row("port", "project"),
            other: vec!["author: Ada".to_owned()],
            options: vec!["limits.stagnation_threshold = 4".to_owned()],
            instructions: vec!["# Port".to_owned()],
            ..TemplateShown::default()
        };
        let now = "2026-03-01T21:00:00Z".parse().unwrap();
        assert_eq!(
            template_text(&shown, now, &columns(80)),
            "\
port  template of the project
  what for    Port a module
  tags        rust
  mode        loop
  estimate    12 iterations
  in          /p
  more        author: Ada
  option      limits.stagnation_threshold = 4

  INSTRUCTIONS.md
    # Port

  use  windlass template use port WORKSPACE
"
        );
        crate::view::check_document("template", &template_json(&shown));
        crate::view::check_document("templates", &templates_json(&[shown.row.clone(), row("docs", "user")]));
        let document: serde_json::Value = serde_json::from_slice(&template_json(&shown)).unwrap();
        assert_eq!(
            (&document["v"], &document["type"], &document["name"]),
            (&1.into(), &"template".into(), &"port".into())
        );
        let list: serde_json::Value = serde_json::from_slice(&templates_json(&[shown.row])).unwrap();
        assert_eq!(list["templates"][0]["scope"], "project");
    }
}
