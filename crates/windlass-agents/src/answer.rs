//! Structured answers: which calls are asked for one.

use windlass_core::values::{AnswerForm, Purpose};

use crate::assessment::ASSESSMENT_SCHEMA;
use crate::decision::DECISION_SCHEMA;
use crate::review::REVIEW_SCHEMA;

/// What the answer of a call for this purpose has to look like: JSON schema, for `--json-schema`. `None` = it answers as it
/// likes.
pub const fn answer_schema(purpose: Purpose) -> Option<&'static str> {
    match purpose.answer() {
        AnswerForm::Assessment => Some(ASSESSMENT_SCHEMA),
        AnswerForm::Review => Some(REVIEW_SCHEMA),
        AnswerForm::Decision => Some(DECISION_SCHEMA),
        AnswerForm::Free => None,
    }
}
