//! What Codex does and says, item by item: `codex exec` and `codex app-server` write the same in two spellings.

use std::collections::BTreeSet;

use windlass_core::observation::{Observation, ToolInput, ToolTrace};
use windlass_core::values::Tokens;

use super::event::{Change, Item, Line, Params, Usage};
use crate::decoding::{Out, excerpt, whole_line};
use crate::json::{self, Field};
use crate::{Activity, Digest};

/// So much of a text is kept.
pub(super) const TEXT: usize = 64 * 1024;

/// So many characters of another tool's input are kept.
const OTHER: usize = 2000;

/// Items that are begun and not ended are remembered by their id; more are not had at a time.
const OPEN: usize = 1024;

/// Whose items they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// The agent's that was called.
    Own,
    /// Those of an agent that it called itself.
    Nested,
}

/// The items of a call.
#[derive(Debug, Default)]
pub(super) struct Items {
    /// The agent's last words.
    pub text: String,
    /// Items whose beginning was seen.
    begun: BTreeSet<String>,
}

impl Items {
    pub fn began(&mut self, item: Field<'_>, whose: Whose, out: &mut Out<'_>) {
        let Some(item) = json::object::<Item<'_>>(item) else { return };
        if self.begun.len() >= OPEN {
            self.begun.clear();
        }
        if called(&item, whose, out) {
            self.begun.insert(json::word(item.id).into_owned());
        }
    }

    pub fn ended(&mut self, item: Field<'_>, whose: Whose, out: &mut Out<'_>) {
        let Some(item) = json::object::<Item<'_>>(item) else { return };
        match &*json::word(item.kind) {
            "agent_message" | "agentMessage" => {
                out.activity(Activity::Writing);
                let text = json::tail(item.text, TEXT).unwrap_or_default();
                let nested = whose == Whose::Nested;
                out.observe(|| Observation::AgentText { text: text.clone(), nested });
                if whose == Whose::Own {
                    self.text = text;
                }
            }
            // A warning of the program's own.
            "error" => out.activity(Activity::Thinking),
            "reasoning" | "todo_list" | "plan" => out.thought(),
            "contextCompaction" => out.activity(Activity::Compacting),
            _ => {
                let id = json::word(item.id).into_owned();
                // A command that its sandbox stops at once was never begun.
                if !self.begun.remove(&id) && !called(&item, whose, out) {
                    return;
                }
                out.activity(Activity::Thinking);
                out.observe(|| answer(&item, id, whose));
            }
        }
    }
}

/// The kind of thing that an item does, and what people are told that it is called; `None` where it is no call of a tool.
fn tool(item: &Item<'_>) -> Option<(Activity, &'static str)> {
    Some(match &*json::word(item.kind) {
        "command_execution" | "commandExecution" => (Activity::Running, "Bash"),
        "file_change" | "fileChange" => (Activity::Editing, "Edit"),
        "mcp_tool_call" | "mcpToolCall" => (Activity::UsingTool, "MCP"),
        "dynamicToolCall" => (Activity::UsingTool, "Tool"),
        "web_search" | "webSearch" => (Activity::Reading, "WebSearch"),
        "collab_tool_call" | "collabAgentToolCall" => (Activity::Delegating, "Agent"),
        _ => return None,
    })
}

/// A tool was called, if this item is that.
fn called(item: &Item<'_>, whose: Whose, out: &mut Out<'_>) -> bool {
    let Some((activity, name)) = tool(item) else { return false };
    out.digest(Digest::ToolUse);
    out.activity(activity);
    out.observe(|| Observation::ToolUse {
        id: json::word(item.id).into_owned(),
        name: name.to_owned(),
        input: input(item),
        nested: whose == Whose::Nested,
    });
    true
}

fn input(item: &Item<'_>) -> ToolInput {
    match tool(item) {
        Some((Activity::Running, _)) => ToolInput::Bash {
            command: without_shell(&json::word(item.command)).to_owned(),
            description: String::new(),
        },
        Some((Activity::Editing, _)) => ToolInput::Other { json: paths(item.changes).join(", ") },
        _ => {
            let said = [item.server, item.tool, item.arguments, item.query, item.prompt];
            let said = said.into_iter().flatten().collect::<Vec<_>>().join(" ");
            ToolInput::Other { json: said.chars().take(OTHER).collect() }
        }
    }
}

/// Each command is run by a shell of its own; what it runs is what is of interest.
fn without_shell(command: &str) -> &str {
    let Some((shell, inner)) = command.split_once(" -lc ") else { return command };
    if shell.contains(' ') {
        return command;
    }
    inner.strip_prefix('\'').and_then(|inner| inner.strip_suffix('\'')).unwrap_or(inner)
}

fn paths(changes: Field<'_>) -> Vec<String> {
    let mut paths = Vec::new();
    json::each(changes, |change| {
        if let Some(change) = json::object::<Change<'_>>(change) {
            paths.push(json::word(change.path).into_owned());
        }
    });
    paths
}

/// It failed, or was not allowed.
fn is_error(item: &Item<'_>) -> bool {
    matches!(&*json::word(item.status), "failed" | "declined")
}

fn answer(item: &Item<'_>, id: String, whose: Whose) -> Observation {
    let name = tool(item).map(|(_, name)| name.to_owned()).unwrap_or_default();
    let output = excerpt(item.output);
    Observation::ToolResult { id, name, is_error: is_error(item), output, nested: whose == Whose::Nested }
}

/// What was used.
pub(super) fn tokens(usage: Field<'_>) -> Tokens {
    let usage: Usage<'_> = json::object(usage).unwrap_or_default();
    let number = |field: Field<'_>| json::whole::<u64>(field).unwrap_or(0);
    let (cache_read, cache_creation) = (number(usage.cached), number(usage.written_to_cache));
    Tokens {
        input: number(usage.input).saturating_sub(cache_read).saturating_sub(cache_creation),
        output: number(usage.output),
        cache_creation,
        cache_read,
    }
}

/// What a line says of tool calls. Its input is written as the item itself, so that it can be read again.
pub(super) fn tool_traces(line: &[u8], found: &mut dyn FnMut(ToolTrace)) {
    let Some(text) = whole_line(line) else { return };
    let Some(known) = json::object::<Line<'_>>(Some(&text)) else { return };
    let params: Params<'_> = json::object(known.params).unwrap_or_default();
    let (kind, written) = (json::word(known.kind.or(known.method)), known.item.or(params.item));
    let Some(item) = json::object::<Item<'_>>(written) else { return };
    let Some((_, name)) = tool(&item) else { return };
    let id = json::word(item.id).into_owned();
    match &*kind {
        "item.started" | "item/started" => found(ToolTrace::Called {
            id,
            name: name.to_owned(),
            input: written.unwrap_or_default().to_owned(),
            nested: false,
        }),
        "item.completed" | "item/completed" => {
            found(ToolTrace::Answered { id, is_error: is_error(&item) });
        }
        _ => {}
    }
}

/// What a tool is to do, from its item as it was written.
pub(super) fn tool_input(_: &str, written: &str) -> ToolInput {
    let item: Item<'_> = json::object(Some(written)).unwrap_or_default();
    input(&item)
}
