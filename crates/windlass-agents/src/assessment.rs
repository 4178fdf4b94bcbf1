//! The structured answer of an agent that was asked to judge.

use serde_json::Value;
use windlass_core::values::{Assessed, Assessment, Finding, MetRequirement};

use crate::fields::{text, word};

/// What the answer has to look like: JSON schema, for `--json-schema`.
pub const ASSESSMENT_SCHEMA: &str = r#"{"type":"object","additionalProperties":false,"required":["verdict","confidence","summary","findings"],"properties":{"verdict":{"enum":["pass","needs_review","fail"]},"confidence":{"enum":["low","medium","high"]},"summary":{"type":"string"},"findings":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["title","required"],"properties":{"title":{"type":"string"},"detail":{"type":"string"},"required":{"type":"boolean"}}}},"met":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["title","evidence"],"properties":{"title":{"type":"string"},"evidence":{"type":"string"}}}},"recommendation":{"type":"string"}}}"#;

/// So many findings are kept.
const FINDINGS: usize = 20;

/// So many requirements that are met.
const MET: usize = 40;

/// Reads an answer. Only the verdict is essential: without one of the three words there is no assessment. One that passes what
/// misses something required contradicts itself, and does not pass.
pub fn parse_assessment(json: &str) -> Option<Assessment> {
    let answer: Value = serde_json::from_str(json).ok()?;
    let entries = |name| answer.get(name).and_then(Value::as_array).into_iter().flatten();
    let findings: Vec<Finding> = entries("findings").filter_map(finding).take(FINDINGS).collect();
    let verdict = word(&answer, "verdict")?;
    Some(Assessment {
        verdict: if verdict == Assessed::Pass && findings.iter().any(|one| one.required) {
            Assessed::NeedsReview
        } else {
            verdict
        },
        confidence: word(&answer, "confidence").unwrap_or_default(),
        summary: text(&answer, "summary", 1000),
        findings,
        met: entries("met").filter_map(met).take(MET).collect(),
        recommendation: text(&answer, "recommendation", 500),
    })
}

fn finding(value: &Value) -> Option<Finding> {
    let title = text(value, "title", 200);
    (!title.is_empty()).then(|| Finding {
        title,
        detail: text(value, "detail", 500),
        required: value.get("required").and_then(Value::as_bool).unwrap_or(true),
    })
}

fn met(value: &Value) -> Option<MetRequirement> {
    let title = text(value, "title", 200);
    (!title.is_empty()).then(|| MetRequirement { title, evidence: text(value, "evidence", 500) })
}

#[cfg(test)]
mod tests {
    use windlass_core::values::Confidence;

    use super::*;

    // rows: 132
    // Seed defect D1, core/verification-service.ts:151: a mark anywhere in the text was a pass.
    #[test]
    fn a_verdict_is_a_field_and_never_a_word_in_prose() {
        let json = r#"{"verdict":"fail","confidence":"high","summary":"VERIFIED COMPLETE, PASS?\n no","findings":[{"title":"No test","required":true},{"detail":"without a title"}]}"#;
        let assessment = parse_assessment(json).unwrap();
        assert!(!assessment.passes());
        assert_eq!(assessment.confidence, Confidence::High);
        assert_eq!(assessment.summary, "VERIFIED COMPLETE, PASS? no");
        assert_eq!(assessment.findings.len(), 1);
    }

    // rows: 131, 132
    #[test]
    fn what_misses_something_required_does_not_pass() {
        let answer = |required: bool| {
            let finding = format!(r#"{{"title":"No example","required":{required}}}"#);
            parse_assessment(&format!(r#"{{"verdict":"pass","findings":[{finding}]}}"#)).unwrap().verdict
        };
        assert_eq!((answer(false), answer(true)), (Assessed::Pass, Assessed::NeedsReview));
    }

    // rows: 132
    #[test]
    fn what_is_met_comes_with_its_evidence() {
        let json = r#"{"verdict":"pass","met":[{"title":"It prints","evidence":"cargo run\n said 4"},{"evidence":"x"},7]}"#;
        let met = parse_assessment(json).unwrap().met;
        assert_eq!(met, [MetRequirement { title: "It prints".into(), evidence: "cargo run said 4".into() }]);
    }

    #[test]
    fn what_has_no_verdict_is_no_assessment() {
        for json in
            ["", "{}", "[]", "null", r#"{"verdict":true}"#, r#"{"verdict":"PASS"}"#, "VERIFICATION_PASS"]
        {
            assert_eq!(parse_assessment(json), None, "{json}");
        }
    }

    #[test]
    fn the_schema_is_json() {
        serde_json::from_str::<Value>(ASSESSMENT_SCHEMA).unwrap();
    }
}
