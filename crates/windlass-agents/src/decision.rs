//! The structured answer of an agent that was asked to settle a conflict of principles.

use serde_json::Value;
use windlass_core::values::Decision;

use crate::fields::text;

/// What the answer has to look like: JSON schema, for `--json-schema`. `choice` is the number of an option that was offered.
pub const DECISION_SCHEMA: &str = r#"{"type":"object","additionalProperties":false,"required":["decision","rationale"],"properties":{"decision":{"type":"string"},"rationale":{"type":"string"},"choice":{"type":"integer"}}}"#;

/// Reads an answer; `None` where nothing is decided. What was offered, the run knows.
pub fn parse_decision(json: &str) -> Option<Decision> {
    let answer: Value = serde_json::from_str(json).ok()?;
    let decision = text(&answer, "decision", 500);
    let choice =
        answer.get("choice").and_then(Value::as_u64).map(|choice| u32::try_from(choice).unwrap_or(u32::MAX));
    (!decision.is_empty()).then(|| Decision { decision, rationale: text(&answer, "rationale", 1000), choice })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_a_field_and_never_prose() {
        let decided =
            parse_decision("{\"decision\":\" Ship\\n it \",\"rationale\":\"cheap\",\"choice\":2}").unwrap();
        assert_eq!((decided.decision.as_str(), decided.rationale.as_str()), ("Ship it", "cheap"));
        assert_eq!(decided.choice, Some(2));
        for (choice, means) in [("\"1\"", None), ("-1", None), ("1.5", None), ("99999999999", Some(u32::MAX))]
        {
            let json = format!(r#"{{"decision":"x","choice":{choice}}}"#);
            assert_eq!(parse_decision(&json).unwrap().choice, means, "{json}");
        }
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
