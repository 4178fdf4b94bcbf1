//! A hook's answer on its standard output: one JSON object and nothing else, or it is not an answer.

use serde_json::{Map, Value};

use super::{HookAnswer, LONGEST_PROMPT, allowed, one_line};
use crate::values::{HookDecision, HookName};

/// The longest answer, in bytes.
pub const LONGEST_REPLY: usize = 64 * 1024;

/// What an answer says: an object with none of them is a hook's own output.
const FIELDS: [&[u8]; 3] = [b"\"decision\"", b"\"reason\"", b"\"prompt\""];

/// What is said of one that counts for nothing.
const AMONG_OTHER_TEXT: &str = "its answer stands among other text, and does not count: its output has to be one JSON object and nothing else";

/// What a hook that ended with 0 says.
pub(super) fn read(hook: HookName, stdout: &[u8]) -> HookAnswer {
    let text = stdout.strip_prefix(b"\xef\xbb\xbf").unwrap_or(stdout).trim_ascii();
    if !text.starts_with(b"{") {
        return if holds_answer(text) {
            HookAnswer::new(HookDecision::Warn, AMONG_OTHER_TEXT)
        } else {
            HookAnswer::new(HookDecision::Continue, "")
        };
    }
    // A decision, or a text for the agent, that is lost because of a missing bracket would be found out far too late.
    let means_it = |text: &[u8]| FIELDS.iter().any(|field| memchr::memmem::find(text, field).is_some());
    if text.len() > LONGEST_REPLY {
        let long = format!("its answer is longer than {} KiB", LONGEST_REPLY / 1024);
        let beginning = text.get(..LONGEST_REPLY).unwrap_or(text);
        let decision = if means_it(beginning) { HookDecision::Warn } else { HookDecision::Continue };
        return HookAnswer::new(decision, if means_it(beginning) { &long } else { "" });
    }
    match serde_json::from_slice::<Map<String, Value>>(text) {
        Ok(object) => understood(hook, &object),
        Err(error) if means_it(text) => {
            HookAnswer::new(HookDecision::Warn, &format!("its answer is not one JSON object: {error}"))
        }
        Err(_) => HookAnswer::new(HookDecision::Continue, ""),
    }
}

/// Is there a line that would be an answer, did it stand alone? Lines of a log may have a `reason`, which decides nothing.
fn holds_answer(text: &[u8]) -> bool {
    let beginning = text.get(..LONGEST_REPLY).unwrap_or(text);
    beginning.split(|byte| *byte == b'\n').any(|line| {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let object = serde_json::from_slice::<Map<String, Value>>(line).unwrap_or_default();
        ["decision", "prompt"].iter().any(|field| object.get(*field).is_some_and(Value::is_string))
    })
}

fn understood(hook: HookName, object: &Map<String, Value>) -> HookAnswer {
    let decision = match field(object, "decision") {
        Ok(None | Some("continue")) => HookDecision::Continue,
        Ok(Some("skip")) => HookDecision::Skip,
        Ok(Some("abort")) => HookDecision::Abort,
        Ok(Some(other)) => {
            let said = format!("its `decision` is {other:?}, not continue, skip or abort");
            return HookAnswer::new(HookDecision::Warn, &said);
        }
        Err(said) => return HookAnswer::new(HookDecision::Warn, &said),
    };
    let (reason, prompt) = (field(object, "reason"), field(object, "prompt"));
    let wrong = reason.as_ref().err().or(prompt.as_ref().err()).cloned().or_else(|| cut(hook, &prompt));
    let said = wrong.clone().unwrap_or_else(|| one_line(reason.ok().flatten().unwrap_or_default()));
    // What it decided holds, even if it said something beside it that nobody understands.
    let decision = match decision {
        HookDecision::Continue if wrong.is_some() => HookDecision::Warn,
        decision => decision,
    };
    let mut answer = allowed(hook, decision, &said);
    let goes_on = matches!(answer.decision, HookDecision::Continue | HookDecision::Warn);
    if goes_on && hook != HookName::Finished {
        answer.prompt = bounded(prompt.ok().flatten().unwrap_or_default());
    }
    answer
}

/// What is said of a text for the agent that is too long; at the run's end there is no agent who could miss it.
fn cut(hook: HookName, prompt: &Result<Option<&str>, String>) -> Option<String> {
    let is_long = matches!(prompt, Ok(Some(text)) if harmless(text).len() > LONGEST_PROMPT);
    (is_long && hook != HookName::Finished)
        .then(|| format!("its `prompt` is longer than {} KiB: the rest is left out", LONGEST_PROMPT / 1024))
}

/// A text; `None` where it is missing or null.
fn field<'a>(object: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, String> {
    let kind = match object.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => return Ok(Some(text)),
        Some(Value::Bool(_)) => "true or false",
        Some(Value::Number(_)) => "a number",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    };
    Err(format!("its `{name}` is {kind}, not a text"))
}

fn bounded(text: &str) -> String {
    let text = harmless(text);
    if text.len() <= LONGEST_PROMPT {
        return text;
    }
    let kept = text.get(..text.floor_char_boundary(LONGEST_PROMPT)).unwrap_or_default();
    format!("{kept}\n[… cut at {} KiB]", LONGEST_PROMPT / 1024)
}

/// Without what drives terminals.
fn harmless(text: &str) -> String {
    let text: String =
        text.chars().filter(|char| !char.is_control() || matches!(char, '\n' | '\t')).collect();
    text.trim().to_owned()
}
