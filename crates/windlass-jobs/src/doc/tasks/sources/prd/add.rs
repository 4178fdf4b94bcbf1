//! A story more.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::doc::Splice;
use crate::doc::tasks::records::{CRITERIA, ID, Members, ONLY_TICK, OTHER_TICK, TICK, TITLE};
use crate::doc::tasks::{CheckedTask, ReadFile, Task};
use crate::doc::text::{line_end, without_mark};

/// What an entry is called by that has nothing else to be called by.
const DESCRIPTION: &str = "description";

/// At the end of the list of stories.
pub(super) fn add(file: &ReadFile, last: Option<&Task>, task: &CheckedTask) -> Option<Splice> {
    let beside = last.and_then(|last| Members::of(file.text.get(last.block.clone())?));
    let keys = match beside {
        Some(beside) if beside.first(ID).is_none() => entry(&beside, task),
        _ => story(task),
    };
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

/// A story as snarktank has it.
fn story(task: &CheckedTask) -> Vec<String> {
    let keys = vec![
        format!("\"id\": {}", quoted(&task.id)),
        format!("\"title\": {}", quoted(&task.title)),
        format!("\"description\": {}", quoted(&task.description)),
        "\"acceptanceCriteria\": []".to_owned(),
        format!("\"priority\": {}", task.priority),
        "\"passes\": false".to_owned(),
        "\"notes\": \"\"".to_owned(),
    ];
    keys.into_iter().chain(depends_on(task)).collect()
}

/// An entry of a list whose entries are called by their places: it has what the one beside it has.
fn entry(beside: &Members<'_>, task: &CheckedTask) -> Vec<String> {
    let first = |names: &[&'static str]| names.iter().copied().find(|name| beside.first(&[name]).is_some());
    let named = TITLE.iter().copied().filter(|name| *name != DESCRIPTION);
    let is_described = task.description.is_empty() && first(&[DESCRIPTION]).is_some();
    let title = match first(&named.collect::<Vec<_>>()) {
        None if is_described => DESCRIPTION,
        found => found.unwrap_or("title"),
    };
    let mut keys = vec![format!("\"{title}\": {}", quoted(&task.title))];
    if !task.description.is_empty() {
        keys.push(format!("\"{DESCRIPTION}\": {}", quoted(&task.description)));
    }
    keys.extend(first(CRITERIA).map(|name| format!("\"{name}\": []")));
    keys.push(format!("\"priority\": {}", task.priority));
    let is_switch =
        |name: &&str| beside.first(&[name]).is_some_and(|value| matches!(value.get(), "true" | "false"));
    let ticks = [TICK, OTHER_TICK, ONLY_TICK].concat();
    let tick = ticks.into_iter().find(is_switch).unwrap_or("passes");
    keys.push(format!("\"{tick}\": false"));
    keys.into_iter().chain(depends_on(task)).collect()
}

fn depends_on(task: &CheckedTask) -> Option<String> {
    let names: Vec<String> = task.dependencies.iter().map(|id| quoted(id)).collect();
    (!names.is_empty()).then(|| format!("\"dependsOn\": [{}]", names.join(", ")))
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
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
