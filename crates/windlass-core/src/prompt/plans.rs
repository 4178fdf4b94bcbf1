//! The prompts of plan and build: a template of the mode, which a project may replace, and what the runner has to add: the
//! task of this iteration, what is wrong with the plan, what was undone, what the checks said.

use std::fmt::Write as _;

use super::template::{names, render};
use super::{Prompt, PromptParts, agents_section, unattended, what_the_checks_said};
use crate::doc::plan::{NextTask, TaskState};
use crate::run::{CommitPolicy, Mode};

const PLAN: &str = include_str!("templates/plan.md");
const BUILD: &str = include_str!("templates/build.md");

/// So many problems of a plan are named.
const MOST_PROBLEMS: usize = 12;

/// The longest of them, in characters.
const LONGEST_PROBLEM: usize = 240;

/// How the plan of a job stands.
#[derive(Clone, Debug, Default)]
pub struct PlanWork<'a> {
    /// The plan as it is to be named: its file, or its folder's `README.md`.
    pub file: String,
    /// Is it a folder with a file for each feature?
    pub layout: PlanLayout,
    /// The task of this iteration; `None` when none is open, and when there is no plan yet.
    pub next: Option<NextTask>,
    /// What is wrong with it, one sentence each.
    pub problems: Vec<String>,
    /// The first files beyond the plan that the latest iteration changed.
    pub strays: &'a [String],
}

/// How a plan is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlanLayout {
    /// One file.
    #[default]
    File,
    /// A folder whose `README.md` leads to one file for each feature.
    Folder,
}

pub(super) fn compose(parts: &PromptParts<'_>) -> Prompt {
    let planning = parts.plan.job.mode == Mode::Plan;
    let template = parts.templates.user.unwrap_or(if planning { PLAN } else { BUILD });
    let values = values(parts);
    let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut user = render(template, &values);
    if !planning && !names(template, "task") {
        let _ = write!(user, "\n{}\n", task(parts));
    }
    user.push_str(&about_the_folder(parts));
    if planning {
        user.push_str(&what_was_undone(parts));
        user.push_str(&what_is_wrong(parts));
    }
    user.push_str(&what_the_checks_said(&parts.refused, &parts.plan.job.completion_signal));
    Prompt { system: system(parts, &values), user }
}

fn values(parts: &PromptParts<'_>) -> Vec<(&'static str, String)> {
    let specs = parts.plan.job.plan.as_ref().and_then(|places| places.specs.as_ref());
    let specs = specs.map_or_else(
        || "none are configured: go by what the project says of itself".to_owned(),
        |folder| format!("`{}/`", folder.display()),
    );
    vec![
        ("projectRoot", parts.plan.directory.display().to_string()),
        ("iteration", parts.turn.iteration.to_string()),
        ("planFile", parts.plan_work.as_ref().map_or_else(String::new, |work| work.file.clone())),
        ("specs", specs),
        ("task", task(parts)),
        ("commits", commits(parts.plan.commit).to_owned()),
    ]
}

const fn commits(policy: CommitPolicy) -> &'static str {
    match policy {
        CommitPolicy::None => "Do not commit.",
        CommitPolicy::Agent => "Commit the work and the plan together, with a message that says why.",
        CommitPolicy::Runner => "Do not commit: that is done for you.",
    }
}

/// What is to be done in this iteration, and nothing else.
fn task(parts: &PromptParts<'_>) -> String {
    let Some(next) = parts.plan_work.as_ref().and_then(|work| work.next.as_ref()) else {
        return "No box of the plan is open, but the checks do not pass: mend what they say, below, and nothing else."
            .to_owned();
    };
    let mut text = format!("Do exactly this one task:\n\n{}\n", indented(&in_words(next)));
    if next.source.lines().count() > 1 {
        let _ = write!(text, "\nAs it stands in the plan:\n\n{}\n", indented(&next.source));
    }
    text.truncate(text.trim_end().len());
    text
}

/// One line with all that is known of it.
fn in_words(task: &NextTask) -> String {
    let number = task.id.as_ref().map_or_else(String::new, |id| format!("{id} "));
    let mut said = vec![format!("{}:{}", task.file, task.line)];
    if task.state == TaskState::InProgress {
        said.push("begun by an earlier iteration".to_owned());
    }
    if !task.section.is_empty() {
        said.push(format!("section: {}", task.section));
    }
    if !task.refs.is_empty() {
        said.push(format!("refs: {}", task.refs.join(", ")));
    }
    if !task.dependencies.is_empty() {
        said.push(format!("depends on: {}", task.dependencies.join(", ")));
    }
    said.extend(task.complexity.map(|complexity| format!("complexity: {}", complexity.name())));
    format!("{number}{} ({})", task.text, said.join("; "))
}

/// Text from a file, which no fence in it can end.
fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

fn about_the_folder(parts: &PromptParts<'_>) -> String {
    let Some(work) = parts.plan_work.as_ref().filter(|work| work.layout == PlanLayout::Folder) else {
        return String::new();
    };
    format!(
        "\nThe plan is a folder: `{}` lists the features, with a link to each one's file beside it, in the order in which \
         they are worked off; the tasks stand in those files, below a line `**Spec:** specs/NAME.md`. Keep its table up to \
         date.\n",
        work.file
    )
}

fn what_was_undone(parts: &PromptParts<'_>) -> String {
    let strays = parts.plan_work.as_ref().map(|work| work.strays).unwrap_or_default();
    if strays.is_empty() {
        return String::new();
    }
    let named: Vec<String> = strays.iter().map(|file| format!("`{file}`")).collect();
    format!(
        "\n## What was refused\n\nThe pass before this one changed more than the plan, among others {}. That was undone. \
         Write nothing but the plan.\n",
        named.join(", ")
    )
}

fn what_is_wrong(parts: &PromptParts<'_>) -> String {
    let problems = parts.plan_work.as_ref().map(|work| work.problems.as_slice()).unwrap_or_default();
    if problems.is_empty() {
        return String::new();
    }
    let mut text = "\n## What is wrong with the plan as it is\n\n".to_owned();
    for problem in problems.iter().take(MOST_PROBLEMS) {
        let problem: String = problem.chars().take(LONGEST_PROBLEM).collect();
        let _ = writeln!(text, "- {problem}");
    }
    let more = problems.len().saturating_sub(MOST_PROBLEMS);
    if more > 0 {
        let _ = writeln!(text, "- and {more} more");
    }
    text
}

fn system(parts: &PromptParts<'_>, values: &[(&str, &str)]) -> String {
    let mut text = unattended(parts.plan);
    if let Some(template) = parts.templates.system {
        // What changes from iteration to iteration would make each system prompt another, and none would be cached.
        let lasts = |name: &str| !matches!(name, "iteration" | "task" | "planFile");
        let lasting: Vec<(&str, &str)> = values.iter().filter(|(name, _)| lasts(name)).copied().collect();
        let _ = write!(text, "\n{}\n", render(template, &lasting).trim_end());
    }
    text.push_str(&agents_section(parts));
    text
}
