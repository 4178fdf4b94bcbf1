//! Calls of tools: a kind, a title for people, and mostly the input as the agent's own tool has it.

use std::borrow::Cow;

use serde_json::json;
use windlass_core::observation::{Excerpt, ToolInput};

use super::event::{Claude, Content, Input, Location, Meta, Update};
use crate::Activity;
use crate::decoding::excerpt;
use crate::json::{self, Field, Size};

/// So many characters of another tool's input are kept.
const OTHER: usize = 2000;

/// Names of tools are at most so long: longer titles are sentences.
const NAME: usize = 40;

/// What people are told that a tool is called.
pub(super) fn name(update: &Update<'_>) -> Cow<'static, str> {
    match &*json::word(update.tool_kind) {
        "execute" => "Bash".into(),
        "edit" => "Edit".into(),
        "delete" => "Delete".into(),
        "move" => "Move".into(),
        "read" => "Read".into(),
        "search" => "Grep".into(),
        "fetch" => "WebFetch".into(),
        "think" => "Think".into(),
        _ => by_its_own_name(update).into(),
    }
}

/// One without a kind, or of another.
fn by_its_own_name(update: &Update<'_>) -> String {
    let meta: Meta<'_> = json::object(update.meta).unwrap_or_default();
    let own: Claude<'_> = json::object(meta.claude).unwrap_or_default();
    let name = json::word(own.tool);
    let name = if name.is_empty() { json::word(update.title) } else { name };
    let is_name = !name.is_empty() && name.len() <= NAME && !name.contains(char::is_whitespace);
    if is_name { name.into_owned() } else { "Tool".to_owned() }
}

/// What a tool of this name does.
pub(crate) fn activity(name: &str) -> Activity {
    match name {
        "Bash" => Activity::Running,
        "Edit" | "Write" | "Delete" | "Move" => Activity::Editing,
        "Read" | "Grep" | "WebFetch" => Activity::Reading,
        _ => Activity::UsingTool,
    }
}

/// Is it said what it is to do? Some tell a call before its input is there: `{}`, or a command's folder alone.
pub(super) fn is_described(update: &Update<'_>) -> bool {
    match update.input {
        Some(input) if json::word(update.tool_kind) == "execute" => {
            json::object(Some(input)).is_some_and(|input: Input<'_>| input.command.is_some())
        }
        Some(input) => !input.trim_matches(['{', '}', ' ']).is_empty(),
        // Gemini tells no input, and says all in the title.
        None => json::word(update.kind) == "tool_call" && update.title.is_some(),
    }
}

/// Whether it failed; `None` while it is under way.
pub(super) fn ended(update: &Update<'_>) -> Option<bool> {
    match &*json::word(update.status) {
        "completed" => Some(false),
        "failed" => Some(true),
        _ => None,
    }
}

/// What it is to do, as JSON: its input, else what its title and its files say.
pub(super) fn written(update: &Update<'_>) -> String {
    if let Some(input) = update.input.filter(|_| is_described(update)) {
        return input.to_owned();
    }
    let mut file = String::new();
    json::each(update.locations, |location| {
        let location: Location<'_> = json::object(location).unwrap_or_default();
        if file.is_empty() {
            file = json::word(location.path).into_owned();
        }
    });
    let title = json::word(update.title);
    match file.as_str() {
        "" => json!({"title": title}).to_string(),
        file => json!({"title": title, "path": file}).to_string(),
    }
}

/// What a tool is to do, from its input as it was written.
pub(crate) fn input(tool: &str, written: &str) -> ToolInput {
    let input: Input<'_> = json::object(Some(written)).unwrap_or_default();
    let text = |field: Field<'_>| json::word(field).into_owned();
    match tool {
        "Bash" => ToolInput::Bash {
            command: text(input.command.or(input.title)),
            description: text(input.description),
        },
        "Edit" if input.content.is_some() && input.old.is_none() => {
            let Size { bytes, lines } = json::size(input.content).unwrap_or_default();
            ToolInput::Write { path: text(input.path), bytes, lines }
        }
        "Edit" if input.path.is_some() => ToolInput::Edit {
            path: text(input.path),
            old: json::tail(input.old, usize::MAX).unwrap_or_default(),
            new: json::tail(input.new, usize::MAX).unwrap_or_default(),
            all: json::flag(input.replace_all).unwrap_or(false),
        },
        "Read" if input.path.is_some() => ToolInput::Read {
            path: text(input.path),
            offset: json::whole(input.offset),
            limit: json::whole(input.limit),
        },
        "Grep" if input.pattern.is_some() => {
            ToolInput::Grep { pattern: text(input.pattern), path: text(input.path) }
        }
        _ => ToolInput::Other { json: written.chars().take(OTHER).collect() },
    }
}

/// What it answered.
pub(super) fn output(update: &Update<'_>) -> Excerpt {
    let mut pieces: Vec<Field<'_>> = Vec::new();
    json::each(update.content, |piece| {
        let piece: Content<'_> = json::object(piece).unwrap_or_default();
        let within: Content<'_> = json::object(piece.content).unwrap_or_default();
        pieces.extend(within.text.map(Some));
    });
    excerpt(pieces.into_iter().next().unwrap_or(update.output))
}
