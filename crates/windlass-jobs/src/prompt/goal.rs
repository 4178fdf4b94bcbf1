//! The prompt of goal mode, in the order of seed 004 §6: principles · how this works · the goal · what the
//! checks said · notes of earlier iterations · what to write into the notes.

use windlass_core::inert::Inert;
use windlass_core::spec::RunSpec;
use windlass_core::values::{Check, CheckKind};

use super::parts::{ModeWords, PromptParts};
use super::text::{Texts, agents_section, beginning, commits, what_the_checks_said, without_signal};

pub(crate) fn compose(parts: &PromptParts<'_>, words: &ModeWords) -> Texts {
    Texts { system: system(parts, words), user: user(parts) }
}

fn system(parts: &PromptParts<'_>, words: &ModeWords) -> Inert {
    let mut text = beginning(parts, words);
    text.push(&agents_section(parts));
    text
}

fn user(parts: &PromptParts<'_>) -> Inert {
    let plan = parts.plan;
    let mut text = how_this_works(parts);
    text.push(&Inert::fill("\n## Goal\n\n{{goal}}\n", &[("goal", Inert::wish(parts.goal))]));
    text.push(&what_the_checks_said(&parts.refused, &plan.job.completion_signal));
    text.push(&notes(parts));
    text
}

fn how_this_works(parts: &PromptParts<'_>) -> Inert {
    let plan = parts.plan;
    let most = plan.limits.iterations.map_or_else(Inert::empty, |most| {
        Inert::fill(" of at most {{most}}", &[("most", Inert::number(most))])
    });
    let mut text = Inert::fill(
        "## How this works\n\nThis is iteration {{iteration}}{{most}}. Every iteration starts without memory; only files \
         carry over. You need not finish everything: take the most useful next step, finish it, verify it, and leave \
         the tree in a working state. {{commits}}\n\n",
        &[
            ("iteration", Inert::number(parts.turn.iteration)),
            ("most", most),
            (
                "commits",
                Inert::own(commits(plan.commit, "Commit what you finish, with a message that says why.")),
            ),
        ],
    );
    text.push(&completion(plan));
    text
}

/// The phrase stands within a sentence, so that an echo of the prompt is no claim.
fn completion(plan: &RunSpec) -> Inert {
    let until = commands(&plan.checks, CheckKind::Until);
    let gates = commands(&plan.checks, CheckKind::Gate);
    let mut text = if until.is_empty() {
        Inert::fill(
            "Only when the whole goal is reached and you have verified it, end your last message with the phrase \
             {{signal}} alone on a line. Otherwise do not write it.\n",
            &[("signal", Inert::name(&plan.job.completion_signal))],
        )
    } else {
        Inert::fill(
            "The goal is reached when these commands succeed; they are run for you after each iteration: {{until}}.\n",
            &[("until", until)],
        )
    };
    if !gates.is_empty() {
        text.push(&Inert::fill(
            "The goal counts as reached only if these succeed as well, run for you: {{gates}}.\n",
            &[("gates", gates)],
        ));
    }
    text
}

fn commands(checks: &[Check], kind: CheckKind) -> Inert {
    Inert::names(checks.iter().filter(|check| check.kind == kind).map(|check| &check.command))
}

fn notes(parts: &PromptParts<'_>) -> Inert {
    let Some(file) = &parts.plan.job.notes_file else { return Inert::empty() };
    let file = Inert::name(&file.to_string_lossy());
    let mut text = Inert::empty();
    if let Some(notes) = &parts.notes {
        let body = without_signal(&notes.text, &parts.plan.job.completion_signal);
        text.push(&Inert::fill(
            "\n## Notes of earlier iterations ({{file}})\n\n{{notes}}",
            &[("file", file.clone()), ("notes", Inert::block(&body))],
        ));
        if notes.cut {
            text.say("\nThe file is too long to be relayed whole: shorten it.\n");
        }
    }
    let verb = Inert::own(if parts.notes.is_some() { "Update" } else { "Create" });
    text.push(&Inert::fill(
        "\n## Notes for the next iteration\n\n{{verb}} {{file}} before you end: what is done and verified, what comes \
         next, what to beware of. It is all that the next iteration will know. Keep it under a page; remove what no \
         longer matters; no log, no list of everything you did.\n",
        &[("verb", verb), ("file", file)],
    ));
    text
}
