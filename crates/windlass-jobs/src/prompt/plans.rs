//! The prompts of plan and build: a template of the mode, which a project may replace, and what the runner has to add: the
//! task of this iteration, what is wrong with the plan, what was undone, what the checks said.

use windlass_core::inert::{Inert, names};
use windlass_core::spec::Mode;

use super::parts::{ModeWords, PlanLayout, PromptParts};
use super::text::{Texts, commits, system_text, user_text, what_the_checks_said, without_signal};

/// What an agent that commits is told.
const COMMIT: &str = "Commit the work and the plan together, with a message that says why.";

/// So many problems of a plan are named.
const MOST_PROBLEMS: usize = 12;

/// The longest of them, in characters.
const LONGEST_PROBLEM: usize = 240;

pub(crate) fn compose(parts: &PromptParts<'_>, words: &ModeWords) -> Texts {
    let planning = parts.plan.job.mode.writes_only_plan();
    let values = values(parts);
    let own = words.template;
    let template = parts.templates.user;
    let mut user = user_text(template, own, &values);
    if !planning && !names(template.unwrap_or(own), "task") {
        user.push(&Inert::fill("\n{{task}}\n", &[("task", task(parts))]));
    }
    user.push(&about_the_folder(parts));
    if planning {
        let work = parts.plan_work.as_ref();
        user.push(&what_was_undone(work.map(|work| work.strays).unwrap_or_default(), "the plan"));
        user.push(&what_is_wrong(work.map(|work| work.problems.as_slice()).unwrap_or_default(), "the plan"));
    }
    user.push(&what_the_checks_said(&parts.refused, &parts.plan.job.completion_signal));
    let lasts = |name: &str| !matches!(name, "iteration" | "task" | "planFile");
    Texts { system: system_text(parts, words, &values, lasts), user }
}

fn values(parts: &PromptParts<'_>) -> Vec<(&'static str, Inert)> {
    let specs = parts.plan.job.plan.as_ref().and_then(|places| places.specs.as_ref());
    let specs = specs.map_or_else(
        || Inert::own("none are configured: go by what the project says of itself"),
        |folder| Inert::name(&format!("{}/", folder.display())),
    );
    let file = parts.plan_work.as_ref().map(|work| work.file.as_str());
    vec![
        ("projectRoot", Inert::words(&parts.plan.directory.to_string_lossy())),
        ("iteration", Inert::number(parts.turn.iteration)),
        ("planFile", Inert::words(file.unwrap_or_default())),
        ("specs", specs),
        ("task", task(parts)),
        ("commits", Inert::own(commits(parts.plan.commit, COMMIT))),
        ("learnt", learnt(parts)),
    ]
}

/// Where an agent leaves what every later one needs.
fn learnt(parts: &PromptParts<'_>) -> Inert {
    let Some(file) = &parts.plan.job.agents_file else {
        return Inert::own(
            "If you have learnt what every later iteration needs (commands, patterns, traps), note it in the plan, in a line or \
             two.",
        );
    };
    Inert::fill(
        "If you have learnt what every later iteration needs (commands, patterns, traps), put it into {{file}}: at most a\n   \
         page in all, no log.",
        &[("file", Inert::name(&file.to_string_lossy()))],
    )
}

/// What is to be done in this iteration, and nothing else.
fn task(parts: &PromptParts<'_>) -> Inert {
    let Some(next) = parts.plan_work.as_ref().and_then(|work| work.next.as_ref()) else {
        return Inert::own(
            "No box of the plan is open, but the checks do not pass: fix what they say, below, and nothing else.",
        );
    };
    let block = |text: &str| Inert::block(&without_signal(text, &parts.plan.job.completion_signal));
    let mut text = Inert::fill("Do exactly this one task:\n\n{{task}}", &[("task", block(&next.words))]);
    if next.source.lines().count() > 1 {
        let source = block(&next.source);
        text.push(&Inert::fill("\nAs it stands in the plan:\n\n{{source}}", &[("source", source)]));
    }
    text.trimmed()
}

fn about_the_folder(parts: &PromptParts<'_>) -> Inert {
    let Some(work) = parts.plan_work.as_ref().filter(|work| work.layout == PlanLayout::Folder) else {
        return Inert::empty();
    };
    let job = &parts.plan.job;
    let archives = job.plan.as_ref().is_some_and(|places| places.archives_finished);
    let archiving = if archives && job.mode == Mode::Build {
        " Move the file of a feature whose boxes are all ticked to `.archive/` in that folder, unless it is the only one \
         left, and link it below a heading `## Archived Features`."
    } else {
        ""
    };
    Inert::fill(
        "\nThe plan is a folder: {{file}} lists the features, with a link to each one's file beside it, in the order in which \
         they are worked through (one that a line `**Active:**` names comes first); the tasks stand in those files, below a line `**Spec:** specs/NAME.md`. Keep its table up to \
         date.{{archiving}}\n",
        &[("file", Inert::name(&work.file)), ("archiving", Inert::own(archiving))],
    )
}

/// That files beyond what was to be written were changed, and what became of that.
pub(super) fn what_was_undone(strays: &[String], written: &'static str) -> Inert {
    if strays.is_empty() {
        return Inert::empty();
    }
    Inert::fill(
        "\n## What was refused\n\nThe pass before this one changed more than {{written}}, among others {{files}}. That was \
         undone. Write nothing but {{written}}.\n",
        &[("files", Inert::names(strays)), ("written", Inert::own(written))],
    )
}

/// What is wrong with what was written.
pub(super) fn what_is_wrong(problems: &[String], written: &'static str) -> Inert {
    if problems.is_empty() {
        return Inert::empty();
    }
    let heading = "\n## What is wrong with {{written}} as it is\n\n";
    let mut text = Inert::fill(heading, &[("written", Inert::own(written))]);
    for problem in problems.iter().take(MOST_PROBLEMS) {
        let problem: String = problem.chars().take(LONGEST_PROBLEM).collect();
        text.push(&Inert::fill("- {{problem}}\n", &[("problem", Inert::words(&problem))]));
    }
    let more = problems.len().saturating_sub(MOST_PROBLEMS);
    if more > 0 {
        text.push(&Inert::fill("- and {{more}} more\n", &[("more", Inert::count(more))]));
    }
    text
}
