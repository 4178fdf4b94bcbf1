//! The prompt of goal mode, in the order of seed 004 §6: (principles, later) · how this works · the goal · what the
//! checks said · notes of earlier iterations · what to write into the notes.

use std::fmt::Write as _;

use super::{Prompt, PromptParts, agents_section, unattended, what_the_checks_said, without_signal};
use crate::fact::{Check, CheckKind};
use crate::run::{CommitPolicy, RunPlan};

pub(super) fn compose(parts: &PromptParts<'_>) -> Prompt {
    Prompt { system: system(parts), user: user(parts) }
}

fn system(parts: &PromptParts<'_>) -> String {
    let mut text = unattended(parts.plan);
    text.push_str(&agents_section(parts));
    text
}

fn user(parts: &PromptParts<'_>) -> String {
    let plan = parts.plan;
    let mut text = how_this_works(parts);
    let _ = write!(text, "\n## Goal\n\n{}\n", parts.goal.trim_end());
    text.push_str(&what_the_checks_said(&parts.refused, &plan.job.completion_signal));
    text.push_str(&notes(parts));
    text
}

fn how_this_works(parts: &PromptParts<'_>) -> String {
    let plan = parts.plan;
    let iteration = parts.turn.iteration;
    let of = plan.limits.iterations.map_or_else(String::new, |most| format!(" of at most {most}"));
    let mut text = format!(
        "## How this works\n\nThis is iteration {iteration}{of}. Every iteration starts without memory; only files \
         carry over. You need not finish everything: take the most useful next step, finish it, verify it, and leave \
         the tree in a working state. {}\n\n",
        commits(plan.commit)
    );
    text.push_str(&completion(plan));
    text
}

fn commits(policy: CommitPolicy) -> &'static str {
    match policy {
        CommitPolicy::None => "Do not commit.",
        CommitPolicy::Agent => "Commit what you finish, with a message that says why.",
        CommitPolicy::Runner => "Do not commit: that is done for you.",
    }
}

/// The phrase stands within a sentence, so that an echo of the prompt is no claim.
fn completion(plan: &RunPlan) -> String {
    let until = commands(&plan.checks, CheckKind::Until);
    let gates = commands(&plan.checks, CheckKind::Gate);
    let mut text = if until.is_empty() {
        let signal = &plan.job.completion_signal;
        format!(
            "Only when the whole goal is reached and you have verified it, end your last message with the phrase \
             `{signal}` alone on a line. Otherwise do not write it.\n"
        )
    } else {
        format!(
            "The goal is reached when these commands succeed; they are run for you after each iteration: {until}.\n"
        )
    };
    if !gates.is_empty() {
        let _ =
            writeln!(text, "The goal counts as reached only if these succeed as well, run for you: {gates}.");
    }
    text
}

fn commands(checks: &[Check], kind: CheckKind) -> String {
    let quoted = checks.iter().filter(|check| check.kind == kind).map(|check| format!("`{}`", check.command));
    quoted.collect::<Vec<_>>().join(", ")
}

fn notes(parts: &PromptParts<'_>) -> String {
    let Some(file) = &parts.plan.job.notes_file else {
        return String::new();
    };
    let file = file.display();
    let mut text = String::new();
    if let Some(notes) = &parts.notes {
        let body = without_signal(&notes.text, &parts.plan.job.completion_signal);
        let _ = write!(text, "\n## Notes of earlier iterations (`{file}`)\n\n{body}\n");
        if notes.cut {
            let _ = write!(text, "\nThe file is too long to be relayed whole: shorten it.\n");
        }
    }
    let verb = if parts.notes.is_some() { "Update" } else { "Create" };
    let _ = write!(
        text,
        "\n## Notes for the next iteration\n\n{verb} `{file}` before you end: what is done and verified, what comes \
         next, what to beware of. It is all that the next iteration will know. Keep it under a page; remove what no \
         longer matters; no log, no list of everything you did.\n"
    );
    text
}
