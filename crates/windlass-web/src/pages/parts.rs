//! Pieces that several pages have.

use std::fmt::Write as _;

use jiff::Timestamp;
use maud::{Markup, html};
use serde::Serialize;
use serde_json::{Value, json};
use windlass_core::values::{StopReason, Verdict};
use windlass_ui::model::IterationSeen;
use windlass_ui::{RunState, RunStatus, format, harmless, one_command, one_line};

use super::Viewer;
use crate::action::Action;

/// Text of others on one line.
pub fn line(text: &str) -> String {
    one_line(text)
}

/// Text of others with its lines.
pub fn text(text: &str) -> String {
    harmless(text).into_owned()
}

/// The class of a state, for its colour; its word says the same.
pub const fn state_class(state: RunState) -> &'static str {
    match state {
        RunState::Running => "live",
        RunState::Interrupted | RunState::Claimed => "warn",
        RunState::Ended(StopReason::Complete | StopReason::NothingToDo) => "good",
        RunState::Ended(_) => "bad",
    }
}

/// A state: a mark, and its word.
pub fn state(state: RunState) -> Markup {
    let mark = match state_class(state) {
        "live" => "\u{25b8}",
        "good" => "\u{2713}",
        "warn" => "?",
        _ => "!",
    };
    html! { span.state.(state_class(state)) { span aria-hidden="true" { (mark) } " " (state.name().replace('_', " ")) } }
}

/// How an iteration stands: its mark, its word and its class.
pub const fn verdict(round: &IterationSeen) -> (&'static str, &'static str, &'static str) {
    match round.verdict {
        None if round.at_work => ("\u{25b8}", round.unended(), "live"),
        None => ("/", round.unended(), "warn"),
        Some(Verdict::Worked) => ("\u{2713}", "worked", "good"),
        Some(Verdict::ClaimAccepted) => ("\u{2713}", "accepted", "good"),
        Some(Verdict::ClaimRefused) => ("x", "refused", "bad"),
        Some(Verdict::ClaimUnsupported) => ("x", "unproven", "bad"),
        Some(Verdict::Idle) => ("=", "nothing new", "warn"),
        Some(Verdict::Failed) => ("!", "failed", "bad"),
    }
}

/// What a run has cost, and its limit.
pub fn cost(status: &RunStatus) -> String {
    format::of_limit(&format::spent(status.spent()), status.max_cost, status.spent_before)
}

/// A moment: the clock for people, the moment itself for scripts.
pub fn clock(viewer: &Viewer, moment: Timestamp) -> Markup {
    html! { time datetime=(moment) { (format::clock(moment, viewer.now, &viewer.zone)) } }
}

/// How long ago something was, going on by itself where there is a script.
pub fn since(viewer: &Viewer, moment: Timestamp) -> Markup {
    let passed = windlass_core::values::between(moment, viewer.now);
    html! { span data-since=(moment.as_millisecond()) { (format::whole_seconds(passed)) } }
}

/// A command, as it is typed.
pub fn command(text: &str) -> Markup {
    let text = one_command(text);
    html! { span.command { code { (text) } " " button.copy type="button" data-copy=(text) { "Copy" } } }
}

/// What a button says and asks.
pub struct Button<'a> {
    /// On it.
    pub name: &'a str,
    /// What follows: a sentence.
    pub asks: String,
    /// What is done.
    pub action: Value,
    /// The field of the action that a person fills in, and what it is proposed to be.
    pub value: Option<(&'a str, String)>,
}

/// A button, where whoever looks may do that.
pub fn button(viewer: &Viewer, button: &Button<'_>) -> Markup {
    let with_value = button.value.as_ref().map(|(field, _)| *field);
    let mut probe = button.action.clone();
    if let (Some(field), Some(action)) = (with_value, probe.as_object_mut()) {
        action.insert(field.to_owned(), json!("1"));
    }
    let allowed = serde_json::from_value::<Action>(probe).is_ok_and(|action| action.needs() <= viewer.rights);
    if !allowed {
        return html! {};
    }
    let (field, proposed) = button.value.clone().unwrap_or_default();
    html! {
        button.act type="button" data-action=(ascii(&button.action)) data-asks=(line(&button.asks)) data-field=(field) data-value=(proposed) hidden {
            (button.name)
        }
        " "
    }
}

/// JSON without any character that could reorder what is around it: whoever reads the page's source reads what is there.
fn ascii(value: &Value) -> String {
    let mut text = String::new();
    for character in value.to_string().chars() {
        if character.is_ascii() {
            text.push(character);
        } else {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                // Nothing goes wrong in memory.
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

/// What is called by a word in journals, as people read it: `task failure`, `failed, exit 2`.
pub fn word(value: &impl Serialize) -> String {
    let said = match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        Ok(Value::Object(fields)) => {
            fields.iter().map(|(word, number)| format!("{word}, exit {number}")).collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    };
    said.replace('_', " ")
}

/// A count with its noun.
pub fn count(number: u64, noun: &str) -> String {
    format::count(number, noun)
}
