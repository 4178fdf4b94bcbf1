//! The prompts of a workspace's modes: a template of the mode, which a project may replace, and what the runner has to
//! add: what checks and verification said, and what is wrong with the status file.

use std::fmt::Write as _;

use super::template::{names, render};
use super::{Prompt, PromptParts, agents_section, unattended, what_the_checks_said};
use crate::fact::Purpose;
use crate::run::{Depth, Mode};

const LOOP: &str = include_str!("templates/loop.md");
const ITERATIVE: &str = include_str!("templates/iterative.md");
const VERIFY: &str = include_str!("templates/verify.md");
const VALIDATE: &str = include_str!("templates/validate.md");

pub(super) fn compose(parts: &PromptParts<'_>) -> Prompt {
    let judging = parts.purpose == Purpose::Verify;
    let replaced = if judging { None } else { parts.templates.user };
    let template = replaced.unwrap_or_else(|| built_in(parts));
    let values = values(parts);
    let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut user = render(template, &values);
    if !names(template, "instructions") {
        let _ = write!(user, "\n## Instructions\n\n{}\n", parts.goal.trim_end());
    }
    if !judging {
        user.push_str(&what_the_checks_said(&parts.refused, ""));
        user.push_str(&what_verification_said(parts));
        user.push_str(&about_the_status_file(parts));
    }
    Prompt { system: system(parts, &values), user }
}

fn built_in(parts: &PromptParts<'_>) -> &'static str {
    match (parts.purpose, parts.plan.job.mode) {
        (Purpose::Verify, Mode::Validate) => VALIDATE,
        (Purpose::Verify, _) => VERIFY,
        (_, Mode::Iterative) => ITERATIVE,
        _ => LOOP,
    }
}

fn values(parts: &PromptParts<'_>) -> Vec<(&'static str, String)> {
    let job = &parts.plan.job;
    let workspace = job.workspace.as_ref();
    let folder = workspace.map_or_else(String::new, |workspace| workspace.folder.display().to_string());
    let mode = match job.mode {
        Mode::Iterative => "iterative (as much as possible per iteration)",
        _ => "loop (one item per iteration)",
    };
    vec![
        ("projectRoot", parts.plan.directory.display().to_string()),
        ("workspacePath", folder),
        ("iteration", parts.turn.iteration.to_string()),
        ("instructions", parts.goal.trim_end().to_owned()),
        ("depth", depth(job.verification.map(|asked| asked.depth).unwrap_or_default()).to_owned()),
        ("mode", mode.to_owned()),
    ]
}

fn depth(depth: Depth) -> &'static str {
    match depth {
        Depth::Quick => "Look quickly: are the main results there, and do they hold at a first glance?",
        Depth::Standard => "Look at each requirement in turn: is it met, and does what should run, run?",
        Depth::Deep => {
            "Look closely: each requirement, tested where that is possible, with edge cases, errors and the quality of \
             the work."
        }
    }
}

fn system(parts: &PromptParts<'_>, values: &[(&str, &str)]) -> String {
    let mut text = unattended(parts.plan);
    if let Some(template) = parts.templates.system {
        // The iteration's number would make each system prompt another, and none would be cached.
        let lasting: Vec<(&str, &str)> =
            values.iter().filter(|(name, _)| *name != "iteration").copied().collect();
        let _ = write!(text, "\n{}\n", render(template, &lasting).trim_end());
    }
    text.push_str(&agents_section(parts));
    text
}

fn what_verification_said(parts: &PromptParts<'_>) -> String {
    let Some(found) = parts.findings else {
        return String::new();
    };
    let mut text = format!(
        "\n## The work was verified and is not finished\n\nA fresh agent looked at it: {}\n",
        found.summary.trim_end()
    );
    for finding in &found.findings {
        let detail = if finding.detail.is_empty() { String::new() } else { format!(": {}", finding.detail) };
        let _ = writeln!(text, "- {}{detail}", finding.title);
    }
    text.push_str("\nMend this, then write the status file anew.\n");
    text
}

fn about_the_status_file(parts: &PromptParts<'_>) -> String {
    let Some(standing) = parts.standing else {
        return String::new();
    };
    let mut text = String::new();
    if let Some(problem) = &standing.problem {
        let _ = write!(text, "\nThe status file as it is now cannot be used: {problem}. Write it anew.\n");
    }
    if standing.complete && parts.turn.iteration == 1 {
        text.push_str(
            "\nThe status file is from before this run and says `complete`; that does not count. Look whether it is \
             true, and write the file anew either way.\n",
        );
    }
    text
}
