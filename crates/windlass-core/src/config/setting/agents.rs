//! Which agents work.

use serde_json::{Value as Json, json};
use toml::Value;

use super::{Refusal, Setting, Shape, Text};

/// An agent by its name, and the model that it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentChoice {
    /// Its name: `claude`.
    pub name: String,
    /// The model, where one is named with it: `opus` in `claude:opus`.
    pub model: Option<String>,
}

impl AgentChoice {
    /// An agent as a person names it: `claude`, `claude:opus`; `None` where that is no name.
    pub fn parse(text: &str) -> Option<AgentChoice> {
        choice(text).ok()
    }
}

/// The agent that works, then those that take over; in the environment with commas between them, or one per line.
impl Setting for Vec<AgentChoice> {
    const EXPECTED: &'static str =
        "an agent's name, or a list of them, each such as `claude` or `claude:opus`";
    const SHAPE: Shape = Shape::List;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let choices: Vec<AgentChoice> = match value {
            Value::String(text) => names(text).map(choice).collect::<Result<_, _>>()?,
            Value::Array(items) => {
                let named = items.iter().map(|item| choice(item.as_str().ok_or(Refusal::Kind)?.trim()));
                named.collect::<Result<_, _>>()?
            }
            _ => return Err(Refusal::Kind),
        };
        if choices.is_empty() {
            return Err(Refusal::Because("it names no agent".to_owned()));
        }
        for (at, choice) in choices.iter().enumerate() {
            if choices.iter().take(at).any(|before| before == choice) {
                return Err(Refusal::Because(format!("it names `{}` twice", choice.name)));
            }
        }
        Ok(choices)
    }

    fn schema() -> Json {
        json!({ "anyOf": [Text::schema(), { "type": "array", "items": Text::schema(), "minItems": 1 }] })
    }

    fn from_text(text: &str) -> Value {
        Value::Array(names(text).map(|name| Value::String(name.to_owned())).collect())
    }
}

/// One agent, or none: whoever works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentOrNone(pub Option<AgentChoice>);

impl Setting for AgentOrNone {
    const EXPECTED: &'static str = "an agent's name, such as `codex` or `codex:gpt-5.1-codex` (\"\" = none)";

    fn read(value: &Value) -> Result<Self, Refusal> {
        let text = value.as_str().ok_or(Refusal::Kind)?.trim();
        Ok(AgentOrNone(if text.is_empty() { None } else { Some(choice(text)?) }))
    }
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', '\n']).map(str::trim).filter(|name| !name.is_empty())
}

fn choice(text: &str) -> Result<AgentChoice, Refusal> {
    let (name, model) = text.split_once(':').map_or((text, None), |(name, model)| (name, Some(model)));
    let is_word = |word: &str| !word.is_empty() && !word.chars().any(|c| c.is_whitespace() || c.is_control());
    if !is_word(name) || model.is_some_and(|model| !is_word(model)) {
        return Err(Refusal::Because(format!("`{}` is no agent's name", crate::typed::shown(text))));
    }
    Ok(AgentChoice { name: name.to_owned(), model: model.map(str::to_owned) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(toml: &str) -> Result<Vec<(String, Option<String>)>, Refusal> {
        let table: toml::Table = format!("use = {toml}").parse().unwrap();
        let choices = <Vec<AgentChoice>>::read(&table["use"])?;
        Ok(choices.into_iter().map(|choice| (choice.name, choice.model)).collect())
    }

    #[test]
    fn one_agent_or_several_are_named_each_with_its_model() {
        let one = |name: &str| (name.to_owned(), None);
        let with = |name: &str, model: &str| (name.to_owned(), Some(model.to_owned()));
        for (toml, expected) in [
            (r#""codex""#, vec![one("codex")]),
            (r#""claude, codex""#, vec![one("claude"), one("codex")]),
            (r#"["claude", "codex"]"#, vec![one("claude"), one("codex")]),
            (
                r#"["claude:opus", "claude:sonnet", "codex:gpt-5.1-codex"]"#,
                vec![with("claude", "opus"), with("claude", "sonnet"), with("codex", "gpt-5.1-codex")],
            ),
            (r#"["command:ollama/llama3:8b"]"#, vec![with("command", "ollama/llama3:8b")]),
        ] {
            assert_eq!(read(toml), Ok(expected), "{toml}");
        }
        for text in ["claude,codex", "claude\ncodex", " claude ,, codex "] {
            let value = <Vec<AgentChoice>>::from_text(text);
            assert_eq!(<Vec<AgentChoice>>::read(&value).unwrap().len(), 2, "{text:?}");
        }
    }

    #[test]
    fn what_names_no_agent_is_refused_in_a_sentence() {
        let because = |toml: &str| match read(toml) {
            Err(Refusal::Because(why)) => why,
            other => panic!("{toml}: {other:?}"),
        };
        assert_eq!(because("\"\""), "it names no agent");
        assert_eq!(because("[]"), "it names no agent");
        assert_eq!(because("[\"claude\", \"claude\"]"), "it names `claude` twice");
        assert_eq!(because("\"claude:\""), "`claude:` is no agent's name");
        assert_eq!(because("\":opus\""), "`:opus` is no agent's name");
        assert_eq!(because("[\"two words\"]"), "`two words` is no agent's name");
        assert_eq!(because("[\"\"]"), "`` is no agent's name");
        for toml in ["1", "true", "[1]", "{ name = \"claude\" }"] {
            assert_eq!(read(toml), Err(Refusal::Kind), "{toml}");
        }
    }

    #[test]
    fn one_agent_or_none_is_named() {
        let read =
            |text: &str| AgentOrNone::read(&Value::String(text.to_owned())).map(|AgentOrNone(choice)| choice);
        let named = read(" codex:gpt-5 ").unwrap().unwrap();
        assert_eq!((named.name.as_str(), named.model.as_deref()), ("codex", Some("gpt-5")));
        assert_eq!(read(" ").unwrap(), None);
        for text in ["codex, claude", ":m", "codex:"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(AgentOrNone::read(&Value::Boolean(true)).is_err());
    }
}
