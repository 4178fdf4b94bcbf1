//! The prompts of a workspace's modes: a template of the mode, which a project may replace, and what the runner has to
//! add: what checks and verification said, and what is wrong with the status file.

use windlass_core::inert::{Inert, names};
use windlass_core::spec::Depth;
use windlass_core::values::Assessment;

use super::parts::{ModeWords, PromptParts};
use super::text::{Texts, system_text, user_text, what_the_checks_said, without_signal};

/// For work on a workspace.
pub(crate) fn compose(parts: &PromptParts<'_>, words: &ModeWords) -> Texts {
    let mut texts = filled(parts, words, words.template, parts.templates.user);
    texts.user.push(&what_the_checks_said(&parts.refused, ""));
    texts.user.push(&what_verification_said(parts));
    texts.user.push(&about_the_status_file(parts));
    texts
}

/// For a judgement, which no text of the project's own steers.
pub(crate) fn judging(parts: &PromptParts<'_>, words: &ModeWords, own: &'static str) -> Texts {
    filled(parts, words, own, None)
}

fn filled(parts: &PromptParts<'_>, words: &ModeWords, own: &'static str, template: Option<&str>) -> Texts {
    let values = values(parts, words);
    let mut user = user_text(template, own, &values);
    if !names(template.unwrap_or(own), "instructions") {
        let instructions = Inert::wish(parts.goal);
        user.push(&Inert::fill("\n## Instructions\n\n{{text}}\n", &[("text", instructions)]));
    }
    let lasts = |name: &str| name != "iteration";
    Texts { system: system_text(parts, words, &values, lasts), user }
}

fn values(parts: &PromptParts<'_>, words: &ModeWords) -> Vec<(&'static str, Inert)> {
    let job = &parts.plan.job;
    let workspace = job.workspace.as_ref();
    let folder =
        workspace.map_or_else(Inert::empty, |workspace| Inert::words(&workspace.folder.to_string_lossy()));
    vec![
        ("projectRoot", Inert::words(&parts.plan.directory.to_string_lossy())),
        ("workspacePath", folder),
        ("iteration", Inert::number(parts.turn.iteration)),
        ("instructions", Inert::wish(parts.goal)),
        ("depth", Inert::own(depth(job.verification.map(|asked| asked.depth).unwrap_or_default()))),
        ("mode", Inert::own(words.pace.in_prompts)),
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

fn what_verification_said(parts: &PromptParts<'_>) -> Inert {
    let Some(found) = parts.findings else { return Inert::empty() };
    let said = without_signal(&findings(found), &parts.plan.job.completion_signal);
    Inert::fill(
        "\n## The work was verified and is not finished\n\nA fresh agent looked at it and said:\n\n{{said}}\n\
         Fix this, then write the status file anew.\n",
        &[("said", Inert::block(&said))],
    )
}

fn findings(found: &Assessment) -> String {
    let mut lines = vec![found.summary.trim_end().to_owned()];
    lines.extend(found.findings.iter().map(|finding| {
        let colon = if finding.detail.is_empty() { "" } else { ": " };
        format!("- {}{colon}{}", finding.title, finding.detail)
    }));
    lines.join("\n")
}

fn about_the_status_file(parts: &PromptParts<'_>) -> Inert {
    let Some(standing) = parts.standing else { return Inert::empty() };
    let mut text = Inert::empty();
    if let Some(problem) = &standing.problem {
        text.push(&Inert::fill(
            "\nThe status file as it is now cannot be used: {{problem}}. Write it anew.\n",
            &[("problem", Inert::words(problem))],
        ));
    }
    if standing.complete && parts.turn.iteration == 1 {
        text.say(
            "\nThe status file is from before this run and says `complete`; that does not count. Look whether it is \
             true, and write the file anew either way.\n",
        );
    }
    text
}
