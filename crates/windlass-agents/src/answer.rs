//! Structured answers: which calls are asked for one, and how agents are asked that know no schemas.

use std::borrow::Cow;

use serde_json::{Map, Value};
use windlass_core::values::{AnswerForm, Purpose};

use crate::{Ability, Agent};

/// So many beginnings of an object are tried.
const BEGINNINGS: usize = 50;

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

/// What an agent gets on standard input, of both texts of a call: the prompt; before it the system prompt where it takes none
/// beside it, and behind it what its answer has to look like, where it knows no schemas.
pub fn standard_input<'a>(
    agent: &dyn Agent,
    purpose: Purpose,
    system: &str,
    prompt: &'a str,
) -> Cow<'a, str> {
    let mut text = Cow::Borrowed(prompt);
    if !agent.about().can(Ability::TakeASystemPrompt) {
        text = Cow::Owned(format!("{}\n\n{text}", system.trim_end()));
    }
    match answer_schema(purpose) {
        Some(schema) if !agent.about().can(Ability::AnswerByASchema) => Cow::Owned(format!(
            "{}\n\n# Answer\n\nEnd with one JSON object, and nothing after it. It has to fit this JSON schema:\n\n{schema}\n",
            text.trim_end()
        )),
        _ => text,
    }
}

/// The object that an answer in prose ends with; `None` where it ends with none.
pub(crate) fn object_at_end(text: &str) -> Option<String> {
    let end = text.rfind('}')? + 1;
    let rest = text.get(end..)?.trim();
    // A fence may be closed behind it.
    if !rest.chars().all(|character| character == '`') {
        return None;
    }
    let beginnings = text.match_indices('{').map(|(at, _)| at).take(BEGINNINGS);
    let mut objects = beginnings.filter_map(|at| text.get(at..end));
    let found = objects.find(|json| serde_json::from_str::<Map<String, Value>>(json).is_ok())?;
    Some(found.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{named, usual};

    #[test]
    fn an_agent_gets_as_one_text_what_it_takes_no_other_way() {
        let of = |name: &str, purpose| {
            standard_input(named(name), purpose, "Be brief.\n", "Do it.\n").into_owned()
        };
        assert_eq!(standard_input(usual(), Purpose::Review, "Be brief.\n", "Do it.\n"), "Do it.\n");
        assert_eq!(of("codex", Purpose::Work), "Be brief.\n\nDo it.\n");
        let asked = of("command", Purpose::Review);
        assert!(asked.starts_with("Be brief.\n\nDo it.\n\n# Answer\n"), "{asked}");
        assert!(asked.ends_with(&format!("{REVIEW_SCHEMA}\n")), "{asked}");
    }

    #[test]
    fn an_answer_is_the_object_at_the_end() {
        for (text, expected) in [
            ("{\"a\":1}", Some("{\"a\":1}")),
            ("I looked.\n```json\n{\"a\":{\"b\":2}}\n```\n", Some("{\"a\":{\"b\":2}}")),
            ("I saw {x} and\n{\"a\":1}\n", Some("{\"a\":1}")),
            ("{\"a\":1} is what I think", None),
            ("{\"a\":1", None),
            ("[1]", None),
            ("}", None),
            ("", None),
        ] {
            assert_eq!(object_at_end(text).as_deref(), expected, "{text}");
        }
    }
}
