//! The report of a judgement, as Markdown for people. It is written from the structure; nothing is ever read from it.

use std::fmt::Write as _;

use windlass_core::values::{Assessed, Assessment, Confidence};

/// What a report begins with, so that a file is known for one that may be replaced.
const MARK: &str =
    "<!-- Written by windlass from the agent's structured answer; the next one replaces it. -->";

/// What was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// Instructions, before they are worked off.
    Instructions,
    /// Work, when it is said to be finished.
    Work,
}

/// What a report is about.
#[derive(Clone, Copy, Debug)]
pub struct ReportParts<'a> {
    /// What was judged.
    pub judged: Judged,
    /// The workspace's name.
    pub workspace: &'a str,
    /// The run that judged.
    pub run: &'a str,
    /// When, as people read it.
    pub time: &'a str,
    /// The answer; `None` when there was none.
    pub assessment: Option<&'a Assessment>,
}

/// The verdict in words.
pub const fn verdict_in_words(judged: Judged, verdict: Option<Assessed>) -> &'static str {
    match (judged, verdict) {
        (Judged::Instructions, Some(Assessed::Pass)) => "ready",
        (Judged::Instructions, Some(Assessed::NeedsReview)) => "needs revision",
        (Judged::Instructions, Some(Assessed::Fail)) => "major issues",
        (Judged::Work, Some(Assessed::Pass)) => "pass",
        (Judged::Work, Some(Assessed::NeedsReview)) => "needs review",
        (Judged::Work, Some(Assessed::Fail)) => "fail",
        (_, None) => "no verdict",
    }
}

/// How sure the agent is, in a word.
pub const fn confidence_in_words(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

/// The report.
pub fn report(parts: &ReportParts<'_>) -> String {
    let title = match parts.judged {
        Judged::Instructions => "Validation report",
        Judged::Work => "Verification report",
    };
    let verdict = verdict_in_words(parts.judged, parts.assessment.map(|found| found.verdict));
    let mut text = format!("{MARK}\n# {title}: {}\n\n", parts.workspace);
    let _ = writeln!(text, "- Verdict: **{verdict}**");
    if let Some(found) = parts.assessment {
        let _ = writeln!(text, "- Confidence: {}", confidence_in_words(found.confidence));
    }
    let _ = writeln!(text, "- Run: `{}`, {}", parts.run, parts.time);
    let Some(found) = parts.assessment else {
        text.push_str("\nNo agent gave a judgement. An earlier one does not count.\n");
        return text;
    };
    if !found.summary.is_empty() {
        let _ = write!(text, "\n{}\n", escaped(&found.summary));
    }
    text.push_str(&findings(parts.judged, found));
    text.push_str(&met(parts.judged, found));
    if !found.recommendation.is_empty() {
        let _ = write!(text, "\n## Recommended next\n\n{}\n", escaped(&found.recommendation));
    }
    text
}

fn findings(judged: Judged, found: &Assessment) -> String {
    let (required, advised) = match judged {
        Judged::Instructions => {
            ("Required criteria that are not met", "Recommended criteria that are not met")
        }
        Judged::Work => ("Requirements that are not met", "Further findings"),
    };
    let mut text = String::new();
    for (heading, is_required) in [(required, true), (advised, false)] {
        let of_kind: Vec<_> = found.findings.iter().filter(|one| one.required == is_required).collect();
        if of_kind.is_empty() {
            continue;
        }
        let _ = write!(text, "\n## {heading}\n\n");
        for (number, finding) in of_kind.iter().enumerate() {
            text.push_str(&item(number, &finding.title, &finding.detail));
        }
    }
    text
}

fn met(judged: Judged, found: &Assessment) -> String {
    if found.met.is_empty() {
        return String::new();
    }
    let mut text = match judged {
        Judged::Instructions => "\n## Criteria that are met\n\n".to_owned(),
        Judged::Work => "\n## Requirements that are met\n\n".to_owned(),
    };
    for (number, one) in found.met.iter().enumerate() {
        text.push_str(&item(number, &one.title, &one.evidence));
    }
    text
}

fn item(number: usize, title: &str, detail: &str) -> String {
    let mut text = format!("{}. **{}**\n", number + 1, escaped(title));
    if !detail.is_empty() {
        let _ = writeln!(text, "   {}", escaped(detail));
    }
    text
}

/// Text of the agent's, which must not become a heading, a comment or a picture from elsewhere.
fn escaped(text: &str) -> String {
    let text = text.replace('<', "&lt;").replace("![", "!\\[");
    if text.starts_with(['#', '-', '*', '+', '>', '=']) { format!("\\{text}") } else { text }
}

/// Was this file written by [`report`], or by claude-iterate, whose reports have such a heading? An empty one may be
/// replaced as well.
pub fn is_report(bytes: &[u8]) -> bool {
    let beginning = String::from_utf8_lossy(bytes.get(..bytes.len().min(1024)).unwrap_or(bytes)).into_owned();
    let beginning = beginning.trim_start_matches('\u{feff}').trim_start();
    let heading = beginning.lines().next().unwrap_or_default().to_ascii_lowercase();
    let known = ["# verification", "# validation", "# instruction validation", "# work verification"];
    beginning.is_empty()
        || beginning.starts_with(MARK)
        || (heading.contains("report") && known.iter().any(|known| heading.starts_with(known)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlass_core::values::{Finding, MetRequirement};

    fn assessment(verdict: Assessed) -> Assessment {
        let finding =
            |title: &str, required| Finding { title: title.into(), detail: "src/a.rs".into(), required };
        Assessment {
            verdict,
            confidence: Confidence::High,
            summary: "One <b>test</b> fails.".into(),
            findings: vec![finding("No error path", true), finding("# A long name", false)],
            met: vec![MetRequirement { title: "It prints".into(), evidence: "cargo run said 4".into() }],
            recommendation: "Write the test.".into(),
        }
    }

    fn parts(assessment: Option<&Assessment>) -> ReportParts<'_> {
        ReportParts { judged: Judged::Work, workspace: "api", run: "r-1", time: "today", assessment }
    }

    // rows: 131, 132
    #[test]
    fn it_says_verdict_findings_and_what_to_do() {
        let found = assessment(Assessed::Fail);
        let text = report(&parts(Some(&found)));
        for piece in [
            "# Verification report: api\n",
            "- Verdict: **fail**\n- Confidence: high\n- Run: `r-1`, today\n",
            "One &lt;b>test",
            "## Requirements that are not met\n\n1. **No error path**\n   src/a.rs\n",
            "## Further findings\n\n1. **\\# A long name**",
            "## Recommended next\n\nWrite the test.\n",
        ] {
            assert!(text.contains(piece), "{piece} is not in\n{text}");
        }
    }

    #[test]
    fn without_a_judgement_it_says_so() {
        let text = report(&parts(None));
        assert!(text.contains("- Verdict: **no verdict**\n") && !text.contains("Confidence"), "{text}");
    }

    #[test]
    fn it_knows_its_own() {
        let found = assessment(Assessed::Pass);
        assert!(is_report(report(&parts(Some(&found))).as_bytes()));
        assert!(is_report(b"# Verification Report\n\nold") && is_report(b"  \n") && is_report(b""));
        for other in [
            &b"# My notes\n"[..],
            b"fn main() {}",
            b"\xff\xfe\x00",
            b"Verification report",
            b"# Verification plan\n",
        ] {
            assert!(!is_report(other), "{}", String::from_utf8_lossy(other));
        }
    }
}
