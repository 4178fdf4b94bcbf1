//! The prompts of mode tasks: the task of this iteration, and putting it together with what others have finished.

use windlass_core::inert::{Inert, names};
use windlass_core::values::{TaskRow, TaskState};

use super::parts::{ModeWords, PromptParts, TaskWork};
use super::text::{
    LONGEST_GOAL, Texts, commits, system_text, user_text, what_the_checks_said, without_signal,
};

/// What an agent that commits is told.
const COMMIT: &str = "Commit the work, with a message that says why.";

/// So much of an error that was noted is passed on, in bytes.
const LONGEST_ERROR: usize = 1024;

pub(crate) fn compose(parts: &PromptParts<'_>, words: &ModeWords) -> Texts {
    filled(parts, words, words.template, parts.templates.user)
}

/// Our own text, or the project's in its place, with what is known of the task.
pub(crate) fn filled(
    parts: &PromptParts<'_>,
    words: &ModeWords,
    own: &'static str,
    template: Option<&str>,
) -> Texts {
    let values = values(parts);
    let mut user = user_text(template, own, &values);
    if !names(template.unwrap_or(own), "task") {
        user.push(&Inert::fill("\n{{task}}\n", &[("task", task(parts))]));
    }
    user.push(&what_the_checks_said(&parts.refused, &parts.plan.job.completion_signal));
    let lasts = |name: &str| matches!(name, "projectRoot" | "taskFile" | "commits");
    Texts { system: system_text(parts, words, &values, lasts), user }
}

fn values(parts: &PromptParts<'_>) -> Vec<(&'static str, Inert)> {
    let work = parts.task_work.as_ref();
    vec![
        ("projectRoot", Inert::words(&parts.plan.directory.to_string_lossy())),
        ("iteration", Inert::number(parts.turn.iteration)),
        ("taskFile", work.map_or_else(Inert::empty, |work| Inert::words(&work.file))),
        ("claim", work.map_or_else(Inert::empty, |work| Inert::words(&work.claim))),
        ("task", task(parts)),
        ("conflicts", conflicts(parts)),
        ("commits", Inert::own(commits(parts.plan.commit, COMMIT))),
    ]
}

pub(crate) fn task(parts: &PromptParts<'_>) -> Inert {
    let Some(work) = &parts.task_work else { return Inert::own("No task is open.") };
    let TaskRow { id, title, state, dependencies, .. } = work.task;
    let mut text = Inert::fill(
        "The task: **{{id}}: {{title}}**\n",
        &[("id", Inert::words(&id.0)), ("title", Inert::words(title))],
    );
    if !work.source.trim().is_empty() {
        // Whole, as long as a goal might be that is typed.
        let source = work.source.get(..work.source.floor_char_boundary(LONGEST_GOAL)).unwrap_or_default();
        let is_cut = source.len() < work.source.len();
        let source = Inert::block(&without_signal(source, &parts.plan.job.completion_signal));
        text.push(&Inert::fill("\nAs it stands in the file:\n\n{{source}}", &[("source", source)]));
        if is_cut {
            let file = [("file", Inert::name(&work.file))];
            text.push(&Inert::fill("\nIt is cut here; the rest of it stands in {{file}}.\n", &file));
        }
    }
    if !dependencies.is_empty() {
        let done: Vec<&str> = dependencies.iter().map(|id| &*id.0).collect();
        let done = Inert::words(&done.join(", "));
        text.push(&Inert::fill("\nWhat it depends on is done: {{done}}.\n", &[("done", done)]));
    }
    if work.failed > 0 {
        text.push(&Inert::fill(
            "\nIt was tried {{times}} and did not hold; what was done is in the files. Look at it first.\n",
            &[("times", times(work.failed))],
        ));
    } else if *state == TaskState::InProgress {
        text.say("\nIt was begun before; what was done is in the files. Look at it first.\n");
    }
    text.push(&what_is_noted(work, &parts.plan.job.completion_signal));
    text.trimmed()
}

/// What an earlier iteration left for this one beside the files that it changed.
fn what_is_noted(work: &TaskWork<'_>, signal: &str) -> Inert {
    let mut text = Inert::empty();
    if let Some(error) = &work.error {
        let end = error.floor_char_boundary(LONGEST_ERROR);
        let error = without_signal(error.get(..end).unwrap_or_default(), signal);
        text.push(&Inert::fill(
            "\nWhy it did not hold the last time:\n\n{{error}}",
            &[("error", Inert::block(&error))],
        ));
    }
    if let Some(progress) = &work.progress {
        let file = [("file", Inert::name(progress))];
        text.push(&Inert::fill(
            "\nWhat earlier iterations did, and why they failed, is noted in {{file}}. It is kept for you: do not write it.\n",
            &file,
        ));
    }
    text
}

fn times(failed: u32) -> Inert {
    if failed == 1 {
        return Inert::own("once");
    }
    Inert::fill("{{failed}} times", &[("failed", Inert::number(failed))])
}

fn conflicts(parts: &PromptParts<'_>) -> Inert {
    let paths = parts.task_work.as_ref().map(|work| work.conflicts).unwrap_or_default();
    if paths.is_empty() {
        return Inert::own("The two do not conflict line by line, but checks fail on the whole.");
    }
    let mut text = Inert::own("Both sides changed the same in these files, which hold both, marked:\n");
    for path in paths {
        text.push(&Inert::fill("\n- {{path}}", &[("path", Inert::name(path))]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::tests::{parts, plan};

    #[test]
    fn the_whole_text_of_a_task_is_there_and_what_is_cut_is_said() {
        let (plan, row) = (plan(), TaskRow::default());
        let text_of = |source: String| {
            let work = TaskWork {
                file: "tasks.md".to_owned(),
                task: &row,
                source,
                claim: String::new(),
                failed: 0,
                progress: None,
                error: None,
                conflicts: &[],
            };
            task(&PromptParts { task_work: Some(work), ..parts(&plan, "") }).into_prompt()
        };
        let long = text_of(format!("{}\nthe end", "a line\n".repeat(20_000)));
        assert!(long.contains("the end") && !long.contains("It is cut here"));
        let too_long = text_of(format!("{}\nthe end", "\u{e9}".repeat(LONGEST_GOAL)));
        assert!(
            too_long.contains("It is cut here; the rest of it stands in `tasks.md`.")
                && !too_long.contains("the end")
        );
    }

    // rows: 17, 66
    #[test]
    fn a_task_that_failed_comes_with_why_and_where_more_is_noted() {
        let (plan, row) = (plan(), TaskRow::default());
        let work = TaskWork {
            file: "tasks.md".to_owned(),
            task: &row,
            source: String::new(),
            claim: String::new(),
            failed: 1,
            progress: Some("progress.md".to_owned()),
            error: Some(format!("`make test` failed\n{}", "\u{e9}".repeat(LONGEST_ERROR))),
            conflicts: &[],
        };
        let told = task(&PromptParts { task_work: Some(work), ..parts(&plan, "") }).into_prompt();
        assert!(told.contains("Why it did not hold the last time:\n\n~~~\n`make test` failed\n"), "{told}");
        assert!(told.contains("is noted in `progress.md`") && told.len() < 2 * LONGEST_ERROR, "{told}");
    }
}
