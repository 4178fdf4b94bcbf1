//! A fresh agent looks over the work of an iteration before it counts.

use windlass_core::spec::ClaimSource;

use super::Descriptor;
use crate::prompt::{
    Inert, PromptParts, Texts, agents_section, result_in_words, tasks, unattended, without_signal,
};

/// How criteria are answered.
const JUDGING: &str = "- `criteria`: for each of the numbered success criteria its number, whether it is `met`, and because of what, in one sentence with what \
                       you saw. Leave none out. One that is not met blocks as a finding does: reject.";

/// The same where there are none.
const NOTHING_TO_JUDGE: &str = "- `criteria` stays empty.";

const TEMPLATE: &str = include_str!("../prompt/templates/review.md");

/// So many files that are not shown are named.
const NAMED: usize = 40;

pub(super) const CALL: Descriptor = Descriptor {
    prompt: |parts, _| compose(parts),
    due: |_| None,
    doing: Some("reviewing"),
    log_heading: Some("REVIEW OUTPUT"),
};

fn compose(parts: &PromptParts<'_>) -> Texts {
    let values = [
        ("projectRoot", Inert::words(&parts.plan.directory.to_string_lossy())),
        ("job", job(parts)),
        ("wanted", wanted(parts)),
        ("changes", changes(parts)),
        ("checks", checks(parts)),
        ("criteria", criteria(parts)),
        ("judging", Inert::own(if judged(parts).is_empty() { NOTHING_TO_JUDGE } else { JUDGING })),
    ];
    let mut system = unattended(parts.plan);
    system.push(&agents_section(parts));
    Texts { system, user: Inert::fill(TEMPLATE, &values) }
}

/// What was to be done: a task, or what the person wants.
pub(super) fn job(parts: &PromptParts<'_>) -> Inert {
    if parts.task_work.is_some() {
        return Inert::fill("## The job\n\n{{task}}", &[("task", tasks::task(parts))]);
    }
    if parts.plan.job.mode.claim() == ClaimSource::Boxes {
        let file = parts.plan_work.as_ref().map(|work| work.file.as_str()).unwrap_or_default();
        return Inert::fill(
            "## The job\n\nOne task of the plan {{file}}: the one whose box was ticked, as the changes below show.",
            &[("file", Inert::name(file))],
        );
    }
    Inert::fill("## The job\n\n{{goal}}", &[("goal", Inert::wish(parts.goal))])
}

fn judged<'a>(parts: &PromptParts<'a>) -> &'a [String] {
    parts.review.as_ref().map(|work| work.criteria).unwrap_or_default()
}

/// What shows that the task is done, and that nothing but a judgement shows.
fn criteria(parts: &PromptParts<'_>) -> Inert {
    let criteria = judged(parts);
    if criteria.is_empty() {
        return Inert::empty();
    }
    let mut text = Inert::own(
        "## The success criteria\n\nIts agent calls this task done. It is done only if each of these is met in the files as they are now. Judge each \
         by itself, and by what you see and run; what you cannot find met is not met.\n\n",
    );
    for (number, criterion) in (1_u32..).zip(criteria) {
        let values = [("number", Inert::number(number)), ("criterion", Inert::words(criterion))];
        text.push(&Inert::fill("{{number}}. {{criterion}}\n", &values));
    }
    text.push(&Inert::own("\n"));
    text
}

/// What the person wants looked for.
fn wanted(parts: &PromptParts<'_>) -> Inert {
    match parts.plan.review.as_ref().map(|review| review.prompt.trim()) {
        None | Some("") => Inert::empty(),
        Some(wish) => Inert::fill("## What to look for\n\n{{wish}}\n\n", &[("wish", Inert::wish(wish))]),
    }
}

fn changes(parts: &PromptParts<'_>) -> Inert {
    let changes = parts.review.as_ref().and_then(|work| work.changes.as_ref());
    let Some(changes) = changes else {
        return Inert::own(
            "Nothing keeps what was there before, so the files are all there is: look at them.",
        );
    };
    let mut text = if changes.text.is_empty() {
        Inert::empty()
    } else {
        Inert::block(&without_signal(&changes.text, &parts.plan.job.completion_signal))
    };
    if changes.text.is_empty() && changes.not_shown.is_empty() {
        return Inert::own(
            "Nothing has changed since a reviewer last let the work stand: look at the files.",
        );
    }
    if !changes.not_shown.is_empty() {
        let named = Inert::names(changes.not_shown.iter().take(NAMED));
        let more = changes.not_shown.len().saturating_sub(NAMED);
        let more = if more == 0 {
            Inert::empty()
        } else {
            Inert::fill(" and {{n}} more", &[("n", Inert::count(more))])
        };
        text.push(&Inert::fill(
            "\nToo long to be shown whole; look at these files yourself: {{named}}{{more}}.\n",
            &[("named", named), ("more", more)],
        ));
    }
    text.trimmed()
}

fn checks(parts: &PromptParts<'_>) -> Inert {
    let checks = parts.review.as_ref().map(|work| work.checks.as_slice()).unwrap_or_default();
    if checks.is_empty() {
        return Inert::own("There are none: run what shows whether the work is right.");
    }
    let mut text = Inert::empty();
    for (command, outcome) in checks {
        text.push(&Inert::fill(
            "- {{command}} {{how}}\n",
            &[("command", Inert::name(command)), ("how", Inert::words(&result_in_words(outcome.result)))],
        ));
    }
    text.trimmed()
}
