//! What an agent made of instructions, or of work.

use serde::Serialize;
use windlass_core::values::{Assessed, Assessment, Confidence, Cost, Finding, MetRequirement, RunId, Spent};
use windlass_jobs::doc::report::{Judged, confidence_in_words, verdict_in_words};

use crate::document::document;
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone, rendered};
use crate::narrate::labelled;
use crate::terminal::Terminal;

/// A judgement, or that there was none.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// What was judged.
    pub judged: Judged,
    /// The workspace's name.
    pub workspace: String,
    /// The run that judged.
    pub run: RunId,
    /// Why it ended.
    pub stop_reason: String,
    /// What the agent said; `None` when it gave no judgement.
    pub assessment: Option<Assessment>,
    /// Why there is none.
    pub problem: String,
    /// The report's file.
    pub report: String,
    /// What it cost.
    pub cost: Spent,
    /// What the process ends with.
    pub exit_code: u8,
}

/// The judgement as one line of JSON.
pub fn judgement_json(judgement: &Judgement) -> Vec<u8> {
    #[derive(Serialize)]
    struct Fields<'a> {
        workspace: &'a str,
        run: &'a RunId,
        verdict: Option<Assessed>,
        confidence: Option<Confidence>,
        summary: Option<&'a str>,
        findings: Vec<Row<'a>>,
        met: &'a [MetRequirement],
        recommendation: Option<&'a str>,
        report: &'a str,
        cost_usd: Cost,
        estimated_usd: Cost,
        stop_reason: &'a str,
        problem: Option<&'a str>,
        exit_code: u8,
    }
    #[derive(Serialize)]
    struct Row<'a> {
        title: &'a str,
        detail: &'a str,
        required: bool,
    }
    let found = judgement.assessment.as_ref();
    let recommendation = found.map(|found| found.recommendation.as_str()).filter(|text| !text.is_empty());
    let findings = found.map(|found| found.findings.as_slice()).unwrap_or_default();
    let name = match judgement.judged {
        Judged::Instructions => "validation",
        Judged::Work => "verification",
    };
    let fields = Fields {
        workspace: &judgement.workspace,
        run: &judgement.run,
        verdict: found.map(|found| found.verdict),
        confidence: found.map(|found| found.confidence),
        summary: found.map(|found| found.summary.as_str()),
        findings: findings
            .iter()
            .map(|one| Row { title: &one.title, detail: &one.detail, required: one.required })
            .collect(),
        met: found.map(|found| found.met.as_slice()).unwrap_or_default(),
        recommendation,
        report: &judgement.report,
        cost_usd: judgement.cost.cost,
        estimated_usd: judgement.cost.estimated,
        stop_reason: &judgement.stop_reason,
        problem: Some(judgement.problem.as_str()).filter(|text| !text.is_empty()),
        exit_code: judgement.exit_code,
    };
    document(name, &fields)
}

/// The judgement for people; every line ends with a newline.
pub fn judgement_text(judgement: &Judgement, terminal: &Terminal) -> String {
    let mut lines = vec![headline(judgement)];
    if let Some(found) = &judgement.assessment {
        if !found.summary.is_empty() {
            lines.push(Line::hanging(2).plain(format!("  {}", one_line(&found.summary))));
        }
        lines.push(Line::new());
        lines.extend(found.findings.iter().flat_map(|finding| rows(judgement.judged, finding)));
        lines.extend(found.met.iter().flat_map(met));
        if !found.findings.is_empty() || !found.met.is_empty() {
            lines.push(Line::new());
        }
        if !found.recommendation.is_empty() {
            lines.push(labelled("advice").plain(one_line(&found.recommendation)));
        }
    } else if !judgement.problem.is_empty() {
        lines.push(Line::hanging(2).plain(format!("  {}", one_line(&judgement.problem))));
        lines.push(Line::new());
    }
    lines.push(labelled("report").unbroken().plain(one_line(&judgement.report)));
    lines.push(labelled("cost").plain(format::charged(judgement.cost)));
    let next = next(judgement);
    lines.extend(next.into_iter().map(|command| labelled("next").unbroken().command(command)));
    rendered(&lines, terminal)
}

/// What goes before a verdict on something.
fn headline(judgement: &Judgement) -> Line {
    let verdict = judgement.assessment.as_ref().map(|found| found.verdict);
    let (tone, mark) = match verdict {
        Some(Assessed::Pass) => (Tone::Good, Mark::Passed),
        Some(Assessed::NeedsReview) | None => (Tone::Warn, Mark::Doubtful),
        Some(Assessed::Fail) => (Tone::Bad, Mark::Failed),
    };
    let what = match judgement.judged {
        Judged::Instructions => "the instructions of",
        Judged::Work => "the work on",
    };
    let line = Line::hanging(2)
        .mark(tone, mark)
        .tone(tone, format!(" {}", verdict_in_words(judgement.judged, verdict)))
        .plain(format!("  {what} {}", one_line(&judgement.workspace)));
    match &judgement.assessment {
        Some(found) => line.dim(format!(" · confidence {}", confidence_in_words(found.confidence))),
        None => line,
    }
}

fn rows(judged: Judged, finding: &Finding) -> Vec<Line> {
    let (tone, mark) = if finding.required { (Tone::Bad, Mark::Failed) } else { (Tone::Warn, Mark::Notice) };
    let kind = match (judged, finding.required) {
        (_, true) => "",
        (Judged::Instructions, false) => " (recommended)",
        (Judged::Work, false) => " (not required)",
    };
    row((tone, mark), &finding.title, kind, &finding.detail)
}

fn met(one: &MetRequirement) -> Vec<Line> {
    row((Tone::Good, Mark::Passed), &one.title, "", &one.evidence)
}

fn row((tone, mark): (Tone, Mark), title: &str, kind: &'static str, detail: &str) -> Vec<Line> {
    let title =
        Line::hanging(4).plain("  ").mark(tone, mark).plain(format!(" {}", one_line(title))).dim(kind);
    let detail = (!detail.is_empty()).then(|| Line::hanging(4).dim(format!("    {}", one_line(detail))));
    std::iter::once(title).chain(detail).collect()
}

fn next(judgement: &Judgement) -> Option<String> {
    let name = &judgement.workspace;
    let passes = judgement.assessment.as_ref().is_some_and(Assessment::passes);
    match (judgement.judged, &judgement.assessment) {
        (_, None) => Some(format!("windlass logs {} -v", judgement.run)),
        (Judged::Instructions, _) if passes => Some(format!("windlass run {name}")),
        (Judged::Instructions, _) => Some(format!("windlass edit {name}")),
        (Judged::Work, _) if passes => None,
        (Judged::Work, _) => Some(format!("windlass run {name}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::columns;

    fn judgement(judged: Judged, assessment: Option<Assessment>) -> Judgement {
        Judgement {
            judged,
            workspace: "api".to_owned(),
            run: RunId("r-7k2".to_owned()),
            stop_reason: "gates_failing".to_owned(),
            problem: if assessment.is_none() {
                "the agent gave no judgement".to_owned()
            } else {
                String::new()
            },
            assessment,
            report: "/p/.windlass/workspaces/api/verification-report.md".to_owned(),
            cost: Spent::of(Cost::from_micros(123_000), false),
            exit_code: 1,
        }
    }

    fn failing() -> Assessment {
        let finding = |title: &str, detail: &str, required| Finding {
            title: title.to_owned(),
            detail: detail.to_owned(),
            required,
        };
        Assessment {
            verdict: Assessed::Fail,
            confidence: Confidence::High,
            summary: "The parser refuses empty\nfiles, \u{1b}[31mwhich it must not.".to_owned(),
            findings: vec![
                finding("Empty files are refused", "src/parse.rs:14", true),
                finding("The example is missing", "", false),
            ],
            met: vec![MetRequirement {
                title: "It is documented".to_owned(),
                evidence: "README.md:3".to_owned(),
            }],
            recommendation: "Accept them.".to_owned(),
        }
    }

    // rows: 132
    #[test]
    fn a_verdict_its_findings_and_what_comes_next() {
        assert_eq!(
            judgement_text(&judgement(Judged::Work, Some(failing())), &columns(60)),
            "\
✗ fail  the work on api · confidence high
  The parser refuses empty files, which it must not.

  ✗ Empty files are refused
    src/parse.rs:14
  ! The example is missing (not required)
  ✓ It is documented
    README.md:3

  advice      Accept them.
  report      /p/.windlass/workspaces/api/verification-report.md
  cost        $0.12
  next        windlass run api
"
        );
    }

    #[test]
    fn no_judgement_is_said_and_is_null() {
        let none = judgement(Judged::Instructions, None);
        let text = judgement_text(&none, &columns(80));
        assert!(
            text.starts_with("? no verdict  the instructions of api\n  the agent gave no judgement\n"),
            "{text}"
        );
        crate::view::check_document("validation", &judgement_json(&none));
        let json: serde_json::Value = serde_json::from_slice(&judgement_json(&none)).unwrap();
        assert_eq!((&json["type"], &json["verdict"]), (&"validation".into(), &serde_json::Value::Null));
        assert_eq!(json["problem"], "the agent gave no judgement");
    }

    #[test]
    fn the_document_holds_the_whole_verdict() {
        let line = judgement_json(&judgement(Judged::Work, Some(failing())));
        crate::view::check_document("verification", &line);
        let json: serde_json::Value = serde_json::from_slice(&line).unwrap();
        assert_eq!((&json["type"], &json["verdict"]), (&"verification".into(), &"fail".into()));
        assert_eq!(json["findings"][1]["required"], false);
        assert_eq!(json["exit_code"], 1);
    }
}
