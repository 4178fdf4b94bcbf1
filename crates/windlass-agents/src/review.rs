//! The structured answer of an agent that was asked to look over another's work.

use serde_json::Value;
use windlass_core::values::{CriterionJudged, Review, ReviewFinding, Severity};

use crate::fields::{text, word};

/// What the answer has to look like: JSON schema, for `--json-schema`.
pub const REVIEW_SCHEMA: &str = r#"{"type":"object","additionalProperties":false,"required":["verdict","summary","findings","criteria"],"properties":{"verdict":{"enum":["pass","changed","reject"]},"summary":{"type":"string"},"findings":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["severity","text"],"properties":{"severity":{"enum":["blocking","minor"]},"file":{"type":"string"},"line":{"type":"integer"},"text":{"type":"string"}}}},"criteria":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["number","met","because"],"properties":{"number":{"type":"integer"},"met":{"type":"boolean"},"because":{"type":"string"}}}}}}"#;

/// So many findings are kept.
const FINDINGS: usize = 20;

/// So many answers about criteria: a task has at most a hundred, and one that is answered twice is answered badly.
const CRITERIA: usize = 200;

/// Reads an answer. Only the verdict is essential: without one of the three words there is no review.
pub fn parse_review(json: &str) -> Option<Review> {
    let answer: Value = serde_json::from_str(json).ok()?;
    let verdict = word(&answer, "verdict")?;
    let found = answer.get("findings").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut findings: Vec<ReviewFinding> = found.iter().filter_map(finding).collect();
    // What must be mended is never what is cut off.
    findings.sort_by_key(|finding| finding.severity == Severity::Minor);
    findings.truncate(FINDINGS);
    let judged = answer.get("criteria").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let criteria = judged.iter().filter_map(criterion).take(CRITERIA).collect();
    Some(Review { verdict, summary: text(&answer, "summary", 1000), findings, criteria })
}

/// What does not say which one it is about says nothing.
fn criterion(value: &Value) -> Option<CriterionJudged> {
    Some(CriterionJudged {
        number: u32::try_from(value.get("number")?.as_u64()?).ok()?,
        criterion: String::new(),
        met: value.get("met").and_then(Value::as_bool),
        because: text(value, "because", 500),
    })
}

/// Whatever is not called minor is not.
fn finding(value: &Value) -> Option<ReviewFinding> {
    let said = text(value, "text", 500);
    let minor = value.get("severity").and_then(Value::as_str) == Some("minor");
    let line = value.get("line").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
    (!said.is_empty()).then(|| ReviewFinding {
        severity: if minor { Severity::Minor } else { Severity::Blocking },
        file: text(value, "file", 200),
        line: line.filter(|line| *line > 0),
        text: said,
    })
}

#[cfg(test)]
mod tests {
    use windlass_core::values::Reviewed;

    use super::*;

    #[test]
    fn a_review_is_its_fields_and_never_a_word_in_prose() {
        let json = r#"{"verdict":"reject","summary":"PASS,\n really","findings":[
            {"severity":"minor","text":"a name"},
            {"severity":"blocking","file":"src/a.rs","line":12,"text":"no bound\u001b[31m"},
            {"severity":"?","file":"b.rs","line":-1,"text":"unknown"},
            {"severity":"blocking","file":"without.rs"}]}"#;
        let review = parse_review(json).unwrap();
        assert_eq!((review.outcome(), review.summary.as_str()), (Reviewed::Rejected, "PASS, really"));
        let read: Vec<(Severity, &str, Option<u32>, &str)> = review
            .findings
            .iter()
            .map(|found| (found.severity, &*found.file, found.line, &*found.text))
            .collect();
        assert_eq!(
            read,
            [
                (Severity::Blocking, "src/a.rs", Some(12), "no bound"),
                (Severity::Blocking, "b.rs", None, "unknown"),
                (Severity::Minor, "", None, "a name"),
            ]
        );
    }

    // rows: 135
    #[test]
    fn criteria_are_answered_by_their_numbers() {
        let json = r#"{"verdict":"reject","criteria":[{"number":2,"met":false,"because":"it\nis slow"},{"number":1,"met":"yes"},
            {"met":true},{"number":-1,"met":true},{"number":3}, 7]}"#;
        let judged: Vec<(u32, Option<bool>, String)> = parse_review(json)
            .unwrap()
            .criteria
            .into_iter()
            .map(|one| (one.number, one.met, one.because))
            .collect();
        let nothing = String::new;
        let slow = "it is slow".to_owned();
        assert_eq!(judged, [(2, Some(false), slow), (1, None, nothing()), (3, None, nothing())]);
    }

    #[test]
    fn what_has_no_verdict_is_no_review() {
        for json in ["", "{}", "[]", "null", r#"{"verdict":true}"#, r#"{"verdict":"PASS"}"#, "pass"] {
            assert_eq!(parse_review(json), None, "{json}");
        }
    }

    #[test]
    fn what_must_be_mended_is_kept_before_advice() {
        let minor = r#"{"severity":"minor","text":"m"}"#;
        let many = vec![minor; 40].join(",");
        let json =
            format!(r#"{{"verdict":"reject","findings":[{many},{{"severity":"blocking","text":"b"}}]}}"#);
        let review = parse_review(&json).unwrap();
        assert_eq!((review.findings.len(), review.outcome()), (20, Reviewed::Rejected));
    }

    #[test]
    fn the_schema_is_json_and_names_each_verdict() {
        let schema: Value = serde_json::from_str(REVIEW_SCHEMA).unwrap();
        let verdicts = schema["properties"]["verdict"]["enum"].as_array().unwrap();
        for verdict in verdicts {
            assert!(parse_review(&format!(r#"{{"verdict":{verdict}}}"#)).is_some(), "{verdict}");
        }
    }
}
