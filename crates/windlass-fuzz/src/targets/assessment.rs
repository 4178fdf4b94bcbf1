//! What an agent answers that was asked to judge, and the report that is written of it.

use serde_json::{Value, json};
use windlass_agents::parse_assessment;
use windlass_core::values::{Assessed, Assessment, Confidence, Finding, MetRequirement};
use windlass_jobs::doc::report::{Judged, ReportParts, is_report, report};

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let _ = is_report(data);
    for judged in [Judged::Instructions, Judged::Work] {
        assert!(is_report(written(judged, None).as_bytes()));
    }
    let Some(found) = parse_assessment(&text) else { return };
    check_verdict(&found, &text);
    check_bounds(&found);
    assert_eq!(parse_assessment(&answer(&found)).as_ref(), Some(&found), "written and read");
    for prose in [format!("Here it is: {text}"), format!("```json\n{text}\n```")] {
        assert_eq!(parse_assessment(&prose), None, "prose is not a judgement");
    }
    for judged in [Judged::Instructions, Judged::Work] {
        check_report(&found, &written(judged, Some(&found)));
    }
}

/// The verdict is one of three words in a field of that name, and nothing else lets work pass.
fn check_verdict(found: &Assessment, text: &str) {
    let answer: Value = serde_json::from_str(text).unwrap_or_default();
    assert_eq!(answer["verdict"].as_str(), Some(verdict(found.verdict)));
    assert!(!found.passes() || answer["verdict"] == "pass", "it passes, and nothing says so");
}

/// The bounds that are documented; every text is one line.
fn check_bounds(found: &Assessment) {
    assert!(found.summary.chars().count() <= 1000 && found.recommendation.chars().count() <= 500);
    assert!(found.findings.len() <= 20);
    for Finding { title, detail, .. } in &found.findings {
        assert!(!title.is_empty() && title.chars().count() <= 200 && detail.chars().count() <= 500);
    }
    assert!(found.met.len() <= 40);
    for MetRequirement { title, evidence } in &found.met {
        assert!(!title.is_empty() && title.chars().count() <= 200 && evidence.chars().count() <= 500);
    }
    let findings = found.findings.iter().flat_map(|finding| [&finding.title, &finding.detail]);
    let met = found.met.iter().flat_map(|one| [&one.title, &one.evidence]);
    for text in findings.chain(met).chain([&found.summary, &found.recommendation]) {
        assert!(!text.contains(char::is_control), "{text:?}");
    }
}

/// The answer that says this and nothing more.
fn answer(found: &Assessment) -> String {
    let confidence = match found.confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    };
    let finding = |one: &Finding| json!({"title": one.title, "detail": one.detail, "required": one.required});
    let findings: Vec<Value> = found.findings.iter().map(finding).collect();
    let answer = json!({
        "verdict": verdict(found.verdict),
        "confidence": confidence,
        "summary": found.summary,
        "findings": findings,
        "met": found.met.iter().map(|one| json!({"title": one.title, "evidence": one.evidence})).collect::<Vec<_>>(),
        "recommendation": found.recommendation,
    });
    answer.to_string()
}

const fn verdict(verdict: Assessed) -> &'static str {
    match verdict {
        Assessed::Pass => "pass",
        Assessed::NeedsReview => "needs_review",
        Assessed::Fail => "fail",
    }
}

fn written(judged: Judged, assessment: Option<&Assessment>) -> String {
    report(&ReportParts { judged, workspace: "api", run: "r-1", time: "today", assessment })
}

/// A report is known for one, and no text of the agent's becomes a heading, a comment or a picture in it.
fn check_report(found: &Assessment, report: &str) {
    assert!(is_report(report.as_bytes()));
    let headings = report.lines().filter(|line| line.starts_with('#')).count();
    let required = found.findings.iter().any(|finding| finding.required);
    let advised = found.findings.iter().any(|finding| !finding.required);
    let others = [!found.met.is_empty(), !found.recommendation.is_empty()];
    let expected = 1 + [required, advised].into_iter().chain(others).filter(|is_there| *is_there).count();
    assert_eq!(headings, expected, "the agent wrote a heading:\n{report}");
    assert_eq!(report.matches("<!--").count(), 1, "the agent wrote a comment:\n{report}");
    assert!(!report.contains("!["), "the agent wrote a picture:\n{report}");
}
