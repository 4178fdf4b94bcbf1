//! The prompts of mode tasks: the task of this iteration, and putting it together with what others have finished.

use std::fmt::Write as _;

use super::template::{names, render};
use super::{Prompt, PromptParts, agents_section, unattended, what_the_checks_said};
use crate::fact::{Purpose, TaskRow, TaskState};
use crate::run::CommitPolicy;

const TASKS: &str = include_str!("templates/tasks.md");
const MERGE: &str = include_str!("templates/merge.md");

/// So much of a task's source goes into a prompt, in characters.
const LONGEST_SOURCE: usize = 8000;

/// The task of an iteration.
#[derive(Clone, Debug)]
pub struct TaskWork<'a> {
    /// The task file, relative to the working directory.
    pub file: String,
    /// The task.
    pub task: &'a TaskRow,
    /// As it stands in its file; empty where it is not there any more.
    pub source: String,
    /// How its agent says that it is done: one sentence.
    pub claim: String,
    /// How often it has failed.
    pub failed: u32,
    /// Paths that have to be put together.
    pub conflicts: &'a [String],
}

pub(super) fn compose(parts: &PromptParts<'_>) -> Prompt {
    let merging = parts.purpose == Purpose::Merge;
    let template = if merging { MERGE } else { parts.templates.user.unwrap_or(TASKS) };
    let values = values(parts);
    let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut user = render(template, &values);
    if !names(template, "task") {
        let _ = write!(user, "\n{}\n", task(parts));
    }
    user.push_str(&what_the_checks_said(&parts.refused, &parts.plan.job.completion_signal));
    Prompt { system: system(parts, &values), user }
}

fn values(parts: &PromptParts<'_>) -> Vec<(&'static str, String)> {
    let work = parts.task_work.as_ref();
    vec![
        ("projectRoot", parts.plan.directory.display().to_string()),
        ("iteration", parts.turn.iteration.to_string()),
        ("taskFile", work.map_or_else(String::new, |work| work.file.clone())),
        ("claim", work.map_or_else(String::new, |work| work.claim.clone())),
        ("task", task(parts)),
        ("conflicts", conflicts(parts)),
        ("commits", commits(parts.plan.commit).to_owned()),
    ]
}

const fn commits(policy: CommitPolicy) -> &'static str {
    match policy {
        CommitPolicy::None => "Do not commit.",
        CommitPolicy::Agent => "Commit the work, with a message that says why.",
        CommitPolicy::Runner => "Do not commit: that is done for you.",
    }
}

fn task(parts: &PromptParts<'_>) -> String {
    let Some(work) = &parts.task_work else {
        return "No task is open.".to_owned();
    };
    let TaskRow { id, title, state, dependencies, .. } = work.task;
    let mut text = format!("The task: **{id}: {title}**\n");
    if !work.source.trim().is_empty() {
        let source: String = work.source.chars().take(LONGEST_SOURCE).collect();
        let _ = write!(text, "\nAs it stands in the file:\n\n{}\n", indented(source.trim_end()));
    }
    if !dependencies.is_empty() {
        let done: Vec<&str> = dependencies.iter().map(|id| &*id.0).collect();
        let _ = write!(text, "\nWhat it depends on is done: {}.\n", done.join(", "));
    }
    if work.failed > 0 {
        let times = if work.failed == 1 { "once".to_owned() } else { format!("{} times", work.failed) };
        let _ = write!(
            text,
            "\nIt was tried {times} and did not hold; what was done is in the files. Look at it first.\n"
        );
    } else if *state == TaskState::InProgress {
        text.push_str("\nIt was begun before; what was done is in the files. Look at it first.\n");
    }
    text.truncate(text.trim_end().len());
    text
}

fn conflicts(parts: &PromptParts<'_>) -> String {
    let paths = parts.task_work.as_ref().map(|work| work.conflicts).unwrap_or_default();
    if paths.is_empty() {
        return "The two do not conflict line by line, but checks fail on the whole.".to_owned();
    }
    let named: Vec<String> = paths.iter().map(|path| format!("- `{path}`")).collect();
    format!("Both sides changed the same in these files, which hold both, marked:\n\n{}", named.join("\n"))
}

/// Text from a file, which no fence in it can end.
fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

fn system(parts: &PromptParts<'_>, values: &[(&str, &str)]) -> String {
    let mut text = unattended(parts.plan);
    if let Some(template) = parts.templates.system {
        // What changes from iteration to iteration would make each system prompt another, and none would be cached.
        let lasts = |name: &str| matches!(name, "projectRoot" | "taskFile" | "commits");
        let lasting: Vec<(&str, &str)> = values.iter().filter(|(name, _)| lasts(name)).copied().collect();
        let _ = write!(text, "\n{}\n", render(template, &lasting).trim_end());
    }
    text.push_str(&agents_section(parts));
    text
}
