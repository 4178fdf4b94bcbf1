//! Calls that are conversations: of agents that are talked with by JSON-RPC 2.0, a message a line. What is said is decided here
//! and by each protocol's folder, without IO; a process of Windlass's holds the conversation.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::json::{self, Field, shape};
use crate::{acp, codex};

/// How a conversation is opened: all that it takes besides the prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opening {
    /// By ACP.
    Acp(acp::Opening),
    /// By the protocol of `codex app-server`.
    CodexAppServer(codex::Opening),
}

impl Opening {
    /// The conversation in which the agent is told this prompt.
    pub fn conversation(self, prompt: String) -> Box<dyn Conversation> {
        match self {
            Opening::Acp(opening) => Box::new(acp::AcpConversation::new(opening, prompt)),
            Opening::CodexAppServer(opening) => Box::new(codex::ServerConversation::new(opening, prompt)),
        }
    }
}

/// A call from its first word to its last: what the agent is told, and what it is answered.
pub trait Conversation: fmt::Debug {
    /// The first words.
    fn begin(&self) -> Vec<Step>;

    /// Is all said?
    fn is_over(&self) -> bool;

    /// The agent said a line (without its `\n`).
    fn heard(&mut self, line: &[u8]) -> Vec<Step>;

    /// Somebody wants the call to end.
    fn cancel(&mut self) -> Vec<Step>;
}

/// What follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The agent is told this: a line without its end.
    Tell(String),
    /// The call's stream gets this beside what the agent says: a line without its end.
    Note(String),
    /// All is said: its standard input is closed.
    End,
}

/// The note that the call cannot go on, with a `message`.
pub(crate) const FAILED: &str = "windlass/failed";

/// The names of requests, sessions and turns are at most so long.
pub(crate) const NAME: usize = 4 * 1024;

shape! {
    /// What a line can have: an answer to one of our requests, a request of the agent's, or news.
    Message {
        id, method, params, result, error,
    }
}

/// A message of ours.
pub(crate) fn told(message: &Value) -> Step {
    Step::Tell(message.to_string())
}

/// A request of ours; its number is its name.
pub(crate) fn request(number: u64, method: &str, params: &Value) -> Step {
    told(&json!({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
}

/// A request of the agent's, whose name is written as it was, is refused: nothing of its kind is offered.
pub(crate) fn refused(id: &str) -> Vec<Step> {
    if id.len() > NAME {
        return Vec::new();
    }
    let error = json!({"code": -32601, "message": "Windlass offers nothing of this kind"});
    vec![Step::Tell(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))]
}

/// The last of a call that cannot go on, and why it cannot.
pub(crate) fn broken_off(message: &str) -> Vec<Step> {
    let note = json!({"jsonrpc": "2.0", "method": FAILED, "params": {"message": message}});
    vec![Step::Note(note.to_string()), Step::End]
}

/// The name of a session or a turn; `None` where it has none that could be said again.
pub(crate) fn name(field: Field<'_>) -> Option<String> {
    let name = json::piece(field, NAME).filter(|name| name.whole && !name.text.is_empty())?;
    Some(name.text.into_owned())
}
