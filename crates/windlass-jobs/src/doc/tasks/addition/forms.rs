//! How a new task is written in each form.

use std::sync::Arc;

use super::Ready;
use crate::doc::Splice;
use crate::doc::tasks::file::{ReadFile, without_mark};
use crate::doc::tasks::prd;
use crate::doc::tasks::task::ListedTask;

fn line_end(text: &str) -> &'static str {
    let crlf = text.find('\n').is_some_and(|at| text.get(..at).is_some_and(|line| line.ends_with('\r')));
    if crlf { "\r\n" } else { "\n" }
}

fn put(file: &ReadFile, at: usize, text: String) -> Splice {
    Splice { file: file.name.clone(), range: at..at, text }
}

/// After the last task, before what else its file holds.
pub(super) fn markdown(file: &ReadFile, last: Option<&ListedTask>, ready: &Ready) -> Splice {
    let end = last.map_or(file.text.len(), |task| task.block.end);
    let before = file.text.get(..end).unwrap_or_default();
    let at = before.trim_end().len().max(file.text.len() - without_mark(&file.text).0.len());
    let dependencies =
        if ready.dependencies.is_empty() { "none".to_owned() } else { ready.dependencies.join(", ") };
    let mut lines = vec![
        format!("### {}: {}", ready.id, ready.title),
        "- **Status**: pending".to_owned(),
        format!("- **Priority**: {}", ready.priority_word),
        format!("- **Dependencies**: {dependencies}"),
    ];
    if !ready.description.is_empty() {
        let indented = ready.description.replace('\n', "\n  ").replace("\n  \n", "\n\n");
        lines.extend(format!("- **Description**: {indented}").split('\n').map(str::to_owned));
    }
    let end = line_end(&file.text);
    let gap = if before.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']).is_empty() {
        String::new()
    } else {
        end.repeat(2)
    };
    let closed = file.text.get(at..).is_some_and(|rest| rest.starts_with(['\n', '\r']));
    put(file, at, format!("{gap}{}{}", lines.join(end), if closed { "" } else { end }))
}

/// At the end of the list of stories.
pub(super) fn story(file: &ReadFile, last: Option<&ListedTask>, ready: &Ready) -> Option<Splice> {
    let text = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let mut keys = vec![
        format!("\"id\": {}", text(&ready.id)),
        format!("\"title\": {}", text(&ready.title)),
        format!("\"description\": {}", text(&ready.description)),
        "\"acceptanceCriteria\": []".to_owned(),
        format!("\"priority\": {}", ready.priority),
        "\"passes\": false".to_owned(),
        "\"notes\": \"\"".to_owned(),
    ];
    if !ready.dependencies.is_empty() {
        let names: Vec<String> = ready.dependencies.iter().map(|id| text(id)).collect();
        keys.push(format!("\"dependsOn\": [{}]", names.join(", ")));
    }
    let end = line_end(&file.text);
    let Some(last) = last else {
        let at = prd::start_of_stories(&file.text)?;
        let story = format!("    {{{end}      {}{end}    }}", keys.join(&format!(",{end}      ")));
        return Some(put(file, at, format!("{end}{story}{end}  ")));
    };
    let source = file.text.get(last.block.clone())?;
    let before = file.text.get(..last.block.start)?;
    let indent = before.get(before.trim_end_matches([' ', '\t']).len()..)?;
    let apart = before.trim_end_matches([' ', '\t']).ends_with('\n');
    let within = source.strip_prefix('{')?;
    let inner = within.get(..within.len() - within.trim_start().len())?.trim_start_matches(['\r', '\n']);
    let story = if within.trim_start_matches([' ', '\t']).starts_with(['\r', '\n']) {
        let keys = keys.join(&format!(",{end}{inner}"));
        format!("{{{end}{inner}{keys}{end}{indent}}}")
    } else {
        format!("{{{}}}", keys.join(", "))
    };
    let gap = if apart { format!("{end}{indent}") } else { " ".to_owned() };
    Some(put(file, last.block.end, format!(",{gap}{story}")))
}

/// A file of its own, beside the others.
pub(super) fn front_matter(file: &ReadFile, ready: &Ready) -> Splice {
    let end = line_end(&file.text);
    let folder = file.name.rfind(['/', '\\']).and_then(|at| file.name.get(..=at)).unwrap_or_default();
    let mut lines = vec![
        "---".to_owned(),
        format!("id: {}", ready.id),
        format!("title: {}", serde_json::to_string(&ready.title).unwrap_or_default()),
        "status: pending".to_owned(),
        format!("priority: {}", ready.priority_word),
        format!("dependencies: [{}]", ready.dependencies.join(", ")),
        "---".to_owned(),
    ];
    if !ready.description.is_empty() {
        lines.push(String::new());
        lines.extend(ready.description.split('\n').map(str::to_owned));
    }
    let name: Arc<str> = Arc::from(format!("{folder}{}.md", ready.id));
    Splice { file: name, range: 0..0, text: lines.join(end) + end }
}
