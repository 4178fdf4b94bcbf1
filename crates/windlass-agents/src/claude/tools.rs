//! Claude Code's tools.

use windlass_core::observation::ToolInput;

use super::event::Input;
use crate::Activity;
use crate::json::{self, Field};

/// Commands and descriptions are whole up to here.
const COMMAND: usize = 1024 * 1024;

/// So many characters of another tool's input are kept.
const OTHER: usize = 2000;

/// The kind of thing that a tool does.
pub(super) fn activity(tool: &str) -> Activity {
    match tool {
        "Read" | "Grep" | "Glob" | "LS" | "NotebookRead" => Activity::Reading,
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => Activity::Editing,
        "Bash" | "BashOutput" | "Monitor" => Activity::Running,
        "Agent" | "Task" => Activity::Delegating,
        _ => Activity::UsingTool,
    }
}

/// What a tool is to do. A call without what its tool needs (the agent got it wrong) is shown as its JSON.
pub(super) fn input(tool: &str, input: Field<'_>) -> ToolInput {
    known(tool, input).unwrap_or_else(|| ToolInput::Other { json: beginning(input) })
}

/// What a tool is to do, from its input as an audit has it: any JSON.
pub(super) fn tool_input(tool: &str, written: &str) -> ToolInput {
    input(tool, (written != "null").then_some(written))
}

fn known(tool: &str, input: Field<'_>) -> Option<ToolInput> {
    if !matches!(tool, "Read" | "Edit" | "Write" | "Bash" | "Grep" | "Glob" | "Agent" | "Task") {
        return None;
    }
    let input: Input<'_> = json::object(input)?;
    Some(match tool {
        "Read" => ToolInput::Read {
            path: string(input.file_path)?,
            offset: json::whole(input.offset),
            limit: json::whole(input.limit),
        },
        "Edit" => ToolInput::Edit {
            path: string(input.file_path)?,
            old: whole(input.old_string)?,
            new: whole(input.new_string)?,
            all: json::flag(input.replace_all) == Some(true),
        },
        "Write" => {
            let size = json::size(input.content)?;
            ToolInput::Write { path: string(input.file_path)?, bytes: size.bytes, lines: size.lines }
        }
        "Bash" => ToolInput::Bash {
            command: string(input.command)?,
            description: string(input.description).unwrap_or_default(),
        },
        "Grep" => {
            ToolInput::Grep { pattern: string(input.pattern)?, path: string(input.path).unwrap_or_default() }
        }
        "Glob" => {
            ToolInput::Glob { pattern: string(input.pattern)?, path: string(input.path).unwrap_or_default() }
        }
        _ => ToolInput::Agent { description: string(input.description)? },
    })
}

fn string(field: Field<'_>) -> Option<String> {
    json::piece(field, COMMAND).map(|piece| piece.text.into_owned())
}

/// An edit is shown in full, whatever its size (seed row 39).
fn whole(field: Field<'_>) -> Option<String> {
    json::piece(field, usize::MAX).map(|piece| piece.text.into_owned())
}

/// The beginning of a value's JSON.
pub(super) fn beginning(value: Field<'_>) -> String {
    value.map_or_else(String::new, |raw| raw.chars().take(OTHER).collect())
}
