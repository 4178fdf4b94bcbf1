//! Structured answers: which calls are asked for one.

use windlass_core::values::Purpose;

use crate::assessment::ASSESSMENT_SCHEMA;
use crate::decision::DECISION_SCHEMA;
use crate::review::REVIEW_SCHEMA;

/// What the answer of a call for this purpose has to look like: JSON schema, for `--json-schema`. `None` = it answers as it
/// likes.
pub const fn answer_schema(purpose: Purpose) -> Option<&'static str> {
    match purpose {
        Purpose::Verify => Some(ASSESSMENT_SCHEMA),
        Purpose::Review => Some(REVIEW_SCHEMA),
        Purpose::Council => Some(DECISION_SCHEMA),
        Purpose::Work | Purpose::Plan | Purpose::Merge => None,
    }
}
