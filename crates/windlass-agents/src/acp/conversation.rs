//! A call of an agent that speaks ACP (JSON-RPC 2.0, a message a line), from its first word to its last: what it is told, and
//! what it is answered. Nothing here performs IO.
//!
//! It is welcomed, given a session in the folder, perhaps a mode and a model, and the prompt; whatever it asks in between is
//! answered. It works on files itself: it is offered none of ours, so a request for one is refused.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::event::{Answer, Choice, Params, Permission, Update};
use crate::conversation::{Message, NAME, broken_off, name, refused, request, told};
use crate::decoding::whole_line;
use crate::json::{self, Field};
use crate::{Conversation, Step};

/// The version of ACP that is spoken.
const PROTOCOL: u64 = 1;

/// The note that the agent was refused a call of a tool; its parameters are those of the request.
pub(super) const REFUSED: &str = "windlass/refused";

/// How a conversation by ACP is opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// The folder that the agent works in: absolute.
    pub directory: PathBuf,
    /// The mode that its session is put into.
    pub mode: Option<String>,
    /// The model that it is to use.
    pub model: Option<String>,
    /// The kinds of tool calls that it is refused; all others it is allowed, if it asks.
    pub refuses: Vec<String>,
}

/// The request that an answer is awaited to. Its number is its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    Welcome = 1,
    Session,
    Mode,
    Model,
    Answer,
    /// All is said.
    Nothing,
}

/// A conversation by ACP.
#[derive(Debug)]
pub(crate) struct AcpConversation {
    opening: Opening,
    prompt: String,
    awaited: Awaited,
    session: String,
    /// How a model is chosen in this session.
    choice: Option<ModelChoice>,
}

/// How a model is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ModelChoice {
    /// By a request of its own.
    Request,
    /// As one of the session's options.
    Option,
}

impl Conversation for AcpConversation {
    fn begin(&self) -> Vec<Step> {
        let capabilities = json!({"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false});
        vec![request(
            Awaited::Welcome as u64,
            "initialize",
            &json!({
                "protocolVersion": PROTOCOL,
                "clientCapabilities": capabilities,
                "clientInfo": {"name": "windlass", "version": env!("CARGO_PKG_VERSION")},
            }),
        )]
    }

    fn is_over(&self) -> bool {
        self.awaited == Awaited::Nothing
    }

    fn heard(&mut self, line: &[u8]) -> Vec<Step> {
        let text = whole_line(line).unwrap_or_default();
        let Some(message) = json::object::<Message<'_>>(Some(text.trim())) else { return Vec::new() };
        match (message.method, message.id) {
            (Some(_), Some(id)) => self.asked(&json::word(message.method), id, message.params),
            (Some(_), None) => Vec::new(),
            (None, id) => self.answered(id, &message),
        }
    }

    fn cancel(&mut self) -> Vec<Step> {
        if self.awaited == Awaited::Answer {
            let params = json!({"sessionId": self.session});
            return vec![told(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params}))];
        }
        self.end()
    }
}

impl AcpConversation {
    /// One in which the agent is told this prompt.
    pub fn new(opening: Opening, prompt: String) -> AcpConversation {
        AcpConversation { opening, prompt, awaited: Awaited::Welcome, session: String::new(), choice: None }
    }

    fn end(&mut self) -> Vec<Step> {
        self.awaited = Awaited::Nothing;
        vec![Step::End]
    }

    fn fail(&mut self, message: &str) -> Vec<Step> {
        self.awaited = Awaited::Nothing;
        broken_off(message)
    }

    /// An answer to something else than what is awaited is none.
    fn answered(&mut self, id: Field<'_>, message: &Message<'_>) -> Vec<Step> {
        if self.is_over() || json::whole::<u64>(id) != Some(self.awaited as u64) {
            return Vec::new();
        }
        if message.error.is_some() {
            return self.end();
        }
        match self.awaited {
            Awaited::Welcome => self.welcomed(message.result),
            Awaited::Session => self.begun(message.result),
            Awaited::Mode => self.ask_for_model(),
            Awaited::Model => self.ask_for_work(),
            Awaited::Answer | Awaited::Nothing => self.end(),
        }
    }

    fn ask(&mut self, awaited: Awaited, method: &str, params: &Value) -> Vec<Step> {
        self.awaited = awaited;
        vec![request(awaited as u64, method, params)]
    }

    /// An agent that does not speak our version answers with one of its own.
    fn welcomed(&mut self, result: Field<'_>) -> Vec<Step> {
        let answer: Answer<'_> = json::object(result).unwrap_or_default();
        let Some(version) = answer.protocol.filter(|_| json::whole(answer.protocol) != Some(PROTOCOL)) else {
            return self.ask_for_session();
        };
        let version: String = version.chars().take(NAME).collect();
        self.fail(&format!(
            "the agent speaks version {version} of ACP, and Windlass speaks version {PROTOCOL}"
        ))
    }

    fn ask_for_session(&mut self) -> Vec<Step> {
        let params = json!({"cwd": self.opening.directory.to_string_lossy(), "mcpServers": []});
        self.ask(Awaited::Session, "session/new", &params)
    }

    fn begun(&mut self, result: Field<'_>) -> Vec<Step> {
        let answer: Answer<'_> = json::object(result).unwrap_or_default();
        let Some(session) = name(answer.session) else {
            return self.fail("the agent gave its session no name");
        };
        self.session = session;
        let option = options(answer.options).any(|choice| json::word(choice.id) == "model");
        self.choice = match answer.models {
            Some(_) => Some(ModelChoice::Request),
            None => option.then_some(ModelChoice::Option),
        };
        let Some(mode) = &self.opening.mode else { return self.ask_for_model() };
        let params = json!({"sessionId": self.session, "modeId": mode});
        self.ask(Awaited::Mode, "session/set_mode", &params)
    }

    fn ask_for_model(&mut self) -> Vec<Step> {
        let Some(model) = self.opening.model.clone() else { return self.ask_for_work() };
        let session = &self.session;
        match self.choice {
            Some(ModelChoice::Request) => {
                let params = json!({"sessionId": session, "modelId": model});
                self.ask(Awaited::Model, "session/set_model", &params)
            }
            Some(ModelChoice::Option) => {
                let params = json!({"sessionId": session, "configId": "model", "value": model});
                self.ask(Awaited::Model, "session/set_config_option", &params)
            }
            None => self.fail("the agent lets nobody choose its model: leave agent.model out"),
        }
    }

    fn ask_for_work(&mut self) -> Vec<Step> {
        let prompt = std::mem::take(&mut self.prompt);
        let params = json!({"sessionId": self.session, "prompt": [{"type": "text", "text": prompt}]});
        self.ask(Awaited::Answer, "session/prompt", &params)
    }

    /// The agent asks something.
    fn asked(&self, method: &str, id: &str, params: Field<'_>) -> Vec<Step> {
        if method != "session/request_permission" || id.len() > NAME {
            return refused(id);
        }
        let asked: Params<'_> = json::object(params).unwrap_or_default();
        let call: Update<'_> = json::object(asked.tool_call).unwrap_or_default();
        let kind = json::word(call.tool_kind);
        let is_refused = self.opening.refuses.iter().any(|refused| *refused == kind);
        let kinds =
            if is_refused { ["reject_once", "reject_always"] } else { ["allow_once", "allow_always"] };
        let outcome = match permission(asked.options, kinds) {
            Some(option) => json!({"outcome": "selected", "optionId": option}),
            None => json!({"outcome": "cancelled"}),
        };
        let answer = Step::Tell(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"outcome":{outcome}}}}}"#));
        let note = format!(
            r#"{{"jsonrpc":"2.0","method":"{REFUSED}","params":{{"toolCall":{}}}}}"#,
            asked.tool_call.unwrap_or("null")
        );
        let is_allowed = !is_refused && outcome["outcome"] == "selected";
        if is_allowed { vec![answer] } else { vec![Step::Note(note), answer] }
    }
}

/// The name of the first option of one of these kinds, in their order.
fn permission<'a>(options: Field<'a>, kinds: [&str; 2]) -> Option<Cow<'a, str>> {
    let mut offered = Vec::new();
    json::each(options, |option| {
        let option: Permission<'a> = json::object(option).unwrap_or_default();
        offered.push((json::word(option.kind), json::word(option.id)));
    });
    kinds
        .iter()
        .find_map(|kind| offered.iter().find(|(offered, _)| offered == kind))
        .map(|(_, id)| id.clone())
}

/// The options of a session.
pub(super) fn options<'a>(field: Field<'a>) -> impl Iterator<Item = Choice<'a>> {
    let mut found = Vec::new();
    json::each(field, |option| found.extend(json::object::<Choice<'a>>(option)));
    found.into_iter()
}
