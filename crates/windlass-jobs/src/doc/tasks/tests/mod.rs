//! Task files: what is read of them, what is wrong with them, and that a change changes nothing else.

mod adding;
mod broken;
mod every_word;
mod forms;
mod golden;
mod judging;
mod keeping;
mod markdown;
mod other_tools;
mod properties;
mod protecting;
mod real;
mod splicing;
mod styles;
mod styles_more;
mod styles_others;

use super::sources::{Boxes, FrontMatter, Markdown, Prd, SOURCES};
use super::*;
use crate::doc::ProblemKind;
use windlass_core::values::Named;

pub(super) fn file(name: &str, form: TaskForm, text: &str) -> TaskFile {
    TaskFile::alone(name, form, Ok(text.as_bytes().to_vec()))
}

pub(super) fn markdown(text: &str) -> TaskList {
    TaskList::parse(vec![file("tasks.md", &Markdown, text)])
}

pub(super) fn prd(text: &str) -> TaskList {
    TaskList::parse(vec![file("prd.json", &Prd, text)])
}

pub(super) fn folder(files: &[(&str, &str)]) -> TaskList {
    let file = |(name, text): &(&str, &str)| file(&format!("tasks/{name}"), &FrontMatter, text);
    TaskList::parse(files.iter().map(file).collect())
}

/// `state id title <dependencies !priority`.
pub(super) fn told(list: &TaskList) -> Vec<String> {
    let tell = |task: &Task| {
        let TaskRow { id, title, state, priority, dependencies, .. } = &task.row;
        let mut text = format!("{} {id} {title}", state.name());
        if !dependencies.is_empty() {
            let ids: Vec<&str> = dependencies.iter().map(|id| id.0.as_str()).collect();
            text = format!("{text} <{}", ids.join(" "));
        }
        if *priority != TaskRow::USUAL_PRIORITY {
            text = format!("{text} !{priority}");
        }
        text
    };
    list.tasks().iter().map(tell).collect()
}

pub(super) fn problems(list: &TaskList) -> Vec<String> {
    list.problems().iter().map(ToString::to_string).collect()
}
