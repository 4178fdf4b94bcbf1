//! The structured answer of an agent that was asked to settle a conflict of principles.

use serde_json::Value;
use windlass_core::council::Decision;

use crate::answer::text;

/// What the answer has to look like: JSON schema, for `--json-schema`.
pub const DECISION_SCHEMA: &str = r#"{"type":"object","additionalProperties":false,"required":["decision","rationale"],"properties":{"decision":{"type":"string"},"rationale":{"type":"string"}}}"#;

/// Reads an answer; `None` where nothing is decided.
pub fn parse_decision(json: &str) -> Option<Decision> {
    let answer: Value = serde_json::from_str(json).ok()?;
    let decision = text(&answer, "decision", 500);
    (!decision.is_empty()).then(|| Decision { decision, rationale: text(&answer, "rationale", 1000) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_a_field_and_never_prose() {
        let decided = parse_decision("{\"decision\":\" Ship\\n it \",\"rationale\":\"cheap\"}").unwrap();
        assert_eq!((decided.decision.as_str(), decided.rationale.as_str()), ("Ship it", "cheap"));
        for json in
            ["", "{}", "Ship it", "[]", r#"{"decision":""}"#, r#"{"decision":true}"#, r#"{"rationale":"x"}"#]
        {
            assert_eq!(parse_decision(json), None, "{json}");
        }
    }

    #[test]
    fn the_schema_is_json() {
        serde_json::from_str::<Value>(DECISION_SCHEMA).unwrap();
    }
}
