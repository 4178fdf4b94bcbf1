//! A call of `codex app-server`, from its first word to its last: it is welcomed, given a thread that is kept nowhere, and one
//! turn. It is told beforehand that nobody is there to be asked, so whatever it asks is refused.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::event::{Answer, Named, Params};
use crate::conversation::{Message, broken_off, name, refused, request, told};
use crate::decoding::whole_line;
use crate::json::{self, Field};
use crate::{Conversation, Step};

/// How a conversation with `codex app-server` is opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// The folder that the agent works in: absolute.
    pub directory: PathBuf,
    /// The model that it is to use.
    pub model: Option<String>,
    /// What locks its commands in.
    pub sandbox: Sandbox,
}

/// A sandbox of Codex's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sandbox {
    /// It may read.
    ReadOnly,
    /// It may write in its folder, and in those that it is given.
    WorkspaceWrite,
    /// None.
    DangerFullAccess,
}

impl Sandbox {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Sandbox::ReadOnly => "read-only",
            Sandbox::WorkspaceWrite => "workspace-write",
            Sandbox::DangerFullAccess => "danger-full-access",
        }
    }
}

/// The request that an answer is awaited to. Its number is its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    Welcome = 1,
    Thread,
    Turn,
    /// The turn is under way.
    End,
    /// All is said.
    Nothing,
}

/// The number of the request that interrupts a turn; its answer says nothing that its end does not.
const INTERRUPT: u64 = 9;

/// A conversation with `codex app-server`.
#[derive(Debug)]
pub(crate) struct ServerConversation {
    opening: Opening,
    prompt: String,
    awaited: Awaited,
    thread: String,
    turn: String,
}

impl Conversation for ServerConversation {
    fn begin(&self) -> Vec<Step> {
        let client = json!({"name": "windlass", "title": "Windlass", "version": env!("CARGO_PKG_VERSION")});
        vec![request(Awaited::Welcome as u64, "initialize", &json!({"clientInfo": client}))]
    }

    fn is_over(&self) -> bool {
        self.awaited == Awaited::Nothing
    }

    fn heard(&mut self, line: &[u8]) -> Vec<Step> {
        let text = whole_line(line).unwrap_or_default();
        let Some(message) = json::object::<Message<'_>>(Some(text.trim())) else { return Vec::new() };
        match (message.method, message.id) {
            (Some(_), Some(id)) => refused(id),
            (Some(_), None) => self.told(&json::word(message.method), message.params),
            (None, id) => self.answered(id, &message),
        }
    }

    fn cancel(&mut self) -> Vec<Step> {
        if self.awaited == Awaited::End {
            let params = json!({"threadId": self.thread, "turnId": self.turn});
            return vec![request(INTERRUPT, "turn/interrupt", &params)];
        }
        self.end()
    }
}

impl ServerConversation {
    /// One in which the agent is told this prompt.
    pub fn new(opening: Opening, prompt: String) -> ServerConversation {
        let (thread, turn) = (String::new(), String::new());
        ServerConversation { opening, prompt, awaited: Awaited::Welcome, thread, turn }
    }

    fn end(&mut self) -> Vec<Step> {
        self.awaited = Awaited::Nothing;
        vec![Step::End]
    }

    fn fail(&mut self, message: &str) -> Vec<Step> {
        self.awaited = Awaited::Nothing;
        broken_off(message)
    }

    /// The end of its turn is the call's; agents that it calls itself have turns of their own.
    fn told(&mut self, method: &str, params: Field<'_>) -> Vec<Step> {
        let params: Params<'_> = json::object(params).unwrap_or_default();
        let ends = method == "turn/completed" && json::word(params.thread) == self.thread;
        if ends && matches!(self.awaited, Awaited::Turn | Awaited::End) { self.end() } else { Vec::new() }
    }

    /// An answer to something else than what is awaited is none.
    fn answered(&mut self, id: Field<'_>, message: &Message<'_>) -> Vec<Step> {
        if self.is_over() || json::whole::<u64>(id) != Some(self.awaited as u64) {
            return Vec::new();
        }
        if message.error.is_some() {
            return self.end();
        }
        let answer: Answer<'_> = json::object(message.result).unwrap_or_default();
        match self.awaited {
            Awaited::Welcome => self.ask_for_thread(),
            Awaited::Thread => self.ask_for_work(named(answer.thread)),
            Awaited::Turn => {
                self.turn = named(answer.turn).unwrap_or_default();
                self.awaited = Awaited::End;
                Vec::new()
            }
            Awaited::End | Awaited::Nothing => Vec::new(),
        }
    }

    fn ask(&mut self, awaited: Awaited, method: &str, params: &Value) -> Step {
        self.awaited = awaited;
        request(awaited as u64, method, params)
    }

    fn ask_for_thread(&mut self) -> Vec<Step> {
        let params = json!({
            "cwd": self.opening.directory.to_string_lossy(),
            "model": self.opening.model,
            "approvalPolicy": "never",
            "sandbox": self.opening.sandbox.as_str(),
            "ephemeral": true,
        });
        let initialized = told(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
        vec![initialized, self.ask(Awaited::Thread, "thread/start", &params)]
    }

    fn ask_for_work(&mut self, thread: Option<String>) -> Vec<Step> {
        let Some(thread) = thread else { return self.fail("the agent gave its thread no name") };
        self.thread = thread;
        let prompt = std::mem::take(&mut self.prompt);
        let params = json!({"threadId": self.thread, "input": [{"type": "text", "text": prompt}]});
        vec![self.ask(Awaited::Turn, "turn/start", &params)]
    }
}

/// The name of a thread or a turn.
fn named(field: Field<'_>) -> Option<String> {
    name(json::object::<Named<'_>>(field)?.id)
}
