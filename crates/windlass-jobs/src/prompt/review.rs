//! What a reviewer has against the work: the next agent mends it.

use windlass_core::inert::Inert;
use windlass_core::values::{CriterionJudged, Review, ReviewFinding, Severity};

use super::parts::PromptParts;
use super::text::without_signal;

/// The section, or nothing.
pub(crate) fn section(parts: &PromptParts<'_>) -> Inert {
    let Some(rejection) = parts.rejection else { return Inert::empty() };
    let said = without_signal(&findings(rejection), &parts.plan.job.completion_signal);
    Inert::fill(
        "\n## A reviewer rejected the work\n\nA fresh agent looked at what was changed. No claim is accepted while what it calls \
         blocking stands. It said:\n\n{{said}}\nFix this first, in the files that are there. Where it is wrong, show that by the \
         work: a test, or a comment that says why.\n",
        &[("said", Inert::block(&said))],
    )
}

fn findings(rejection: &Review) -> String {
    let summary = Some(rejection.summary.clone()).filter(|summary| !summary.is_empty());
    let said = rejection.unmet().map(unmet).chain(rejection.findings.iter().map(line));
    summary.into_iter().chain(said).collect::<Vec<_>>().join("\n")
}

fn unmet(judged: &CriterionJudged) -> String {
    let CriterionJudged { criterion, because, .. } = judged;
    let because = if because.is_empty() { String::new() } else { format!(" ({because})") };
    format!("- blocking: this success criterion is not met: {criterion}{because}")
}

fn line(finding: &ReviewFinding) -> String {
    let ReviewFinding { severity, file, line, text } = finding;
    let severity = match severity {
        Severity::Blocking => "blocking",
        Severity::Minor => "minor",
    };
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    let place = if file.is_empty() { String::new() } else { format!("{file}{line}: ") };
    format!("- {severity}: {place}{text}")
}
