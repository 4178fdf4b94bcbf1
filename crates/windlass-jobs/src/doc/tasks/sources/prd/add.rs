//! A story more.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::doc::Splice;
use crate::doc::tasks::{CheckedTask, ReadFile, Task};
use crate::doc::text::{line_end, without_mark};

/// At the end of the list of stories.
pub(super) fn add(file: &ReadFile, last: Option<&Task>, task: &CheckedTask) -> Option<Splice> {
    let text = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let mut keys = vec![
        format!("\"id\": {}", text(&task.id)),
        format!("\"title\": {}", text(&task.title)),
        format!("\"description\": {}", text(&task.description)),
        "\"acceptanceCriteria\": []".to_owned(),
        format!("\"priority\": {}", task.priority),
        "\"passes\": false".to_owned(),
        "\"notes\": \"\"".to_owned(),
    ];
    if !task.dependencies.is_empty() {
        let names: Vec<String> = task.dependencies.iter().map(|id| text(id)).collect();
        keys.push(format!("\"dependsOn\": [{}]", names.join(", ")));
    }
    let end = line_end(&file.text);
    let Some(last) = last else {
        let at = start_of_stories(&file.text)?;
        let story = format!("    {{{end}      {}{end}    }}", keys.join(&format!(",{end}      ")));
        return Some(file.put(at, format!("{end}{story}{end}  ")));
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
    Some(file.put(last.block.end, format!(",{gap}{story}")))
}

/// Where the list of stories begins, after its bracket.
fn start_of_stories(text: &str) -> Option<usize> {
    #[derive(Deserialize)]
    struct Outer<'a> {
        #[serde(borrow, rename = "userStories")]
        stories: &'a RawValue,
    }
    let (bare, _) = without_mark(text);
    let stories = serde_json::from_str::<Outer<'_>>(bare).ok()?.stories.get();
    stories.starts_with('[').then(|| stories.as_ptr().addr().saturating_sub(text.as_ptr().addr()) + 1)
}
