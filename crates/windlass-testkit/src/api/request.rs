//! What the agent asked, recorded.

use serde_json::Value;

/// One request to the stand-in.
#[derive(Clone, Debug)]
pub struct Request {
    /// Counted from 0 over all `POST /v1/messages` of this stand-in.
    pub number: usize,
    /// `POST`, …
    pub method: String,
    /// Path and query, as sent.
    pub path: String,
    /// Names in lower case, in the order sent.
    pub headers: Vec<(String, String)>,
    /// The JSON body; `Null` where there was none.
    pub body: Value,
}

/// The API that a request is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `POST /v1/messages`: Claude Code, opencode.
    Messages,
    /// `POST /v1/responses`, whose answers are items: Codex.
    Responses,
    /// `POST /v1beta/models/MODEL:streamGenerateContent`: Gemini CLI.
    Contents,
}

/// What a tool of the agent answered, as it went back to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The call that it answers.
    pub tool_use_id: String,
    /// Its text.
    pub content: String,
    /// The tool failed or was refused.
    pub is_error: bool,
}

impl Request {
    /// The value of a header; `name` in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The API that it is of; `None` where it asks no model.
    pub fn dialect(&self) -> Option<Dialect> {
        match self.path.split('?').next()? {
            _ if self.method != "POST" => None,
            "/v1/messages" => Some(Dialect::Messages),
            "/v1/responses" => Some(Dialect::Responses),
            path if path.ends_with(":streamGenerateContent") => Some(Dialect::Contents),
            _ => None,
        }
    }

    /// The model asked for; empty where none was named.
    pub fn model(&self) -> &str {
        let in_path = || self.path.rsplit('/').next()?.split(':').next();
        match self.dialect() {
            Some(Dialect::Contents) => in_path().unwrap_or_default(),
            _ => self.body["model"].as_str().unwrap_or_default(),
        }
    }

    /// Whether the answer is to be streamed.
    pub fn streams(&self) -> bool {
        self.dialect() == Some(Dialect::Contents) || self.body["stream"].as_bool().unwrap_or(false)
    }

    /// The whole system prompt, its blocks joined by newlines.
    pub fn system(&self) -> String {
        [texts(&self.body["system"]), texts(&self.body["systemInstruction"]["parts"])].concat().join("\n")
    }

    /// Every text a user turn holds, in order; tool results are not among them.
    pub fn user_texts(&self) -> Vec<String> {
        self.turns("user").flat_map(|turn| texts(&turn["content"])).collect()
    }

    /// Whether some user turn contains `needle`: the way to recognise the prompt among the agent's own additions.
    pub fn user_said(&self, needle: &str) -> bool {
        self.user_texts().iter().any(|text| text.contains(needle))
    }

    /// The tools offered to the model.
    pub fn tool_names(&self) -> Vec<String> {
        let tools = self.body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
        tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect()
    }

    /// Every tool result in the conversation so far, in order.
    pub fn tool_results(&self) -> Vec<ToolResult> {
        self.turns("user")
            .flat_map(|turn| blocks(&turn["content"]))
            .filter(|block| block["type"] == "tool_result")
            .map(|block| ToolResult {
                tool_use_id: block["tool_use_id"].as_str().unwrap_or_default().to_owned(),
                content: texts(&block["content"]).join("\n"),
                is_error: block["is_error"].as_bool().unwrap_or(false),
            })
            .collect()
    }

    /// Did the model call a tool before, in whichever dialect?
    pub fn follows_a_tool(&self) -> bool {
        let of_responses = |item: &Value| item["type"].as_str().is_some_and(|kind| kind.ends_with("_output"));
        let of_contents =
            |turn: &Value| blocks(&turn["parts"]).iter().any(|part| part["functionResponse"].is_object());
        !self.tool_results().is_empty()
            || blocks(&self.body["input"]).iter().any(of_responses)
            || blocks(&self.body["contents"]).iter().any(of_contents)
    }

    fn turns(&self, role: &'static str) -> impl Iterator<Item = &Value> {
        blocks(&self.body["messages"]).iter().filter(move |turn| turn["role"] == role)
    }
}

fn blocks(content: &Value) -> &[Value] {
    content.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The texts of a content field, which is a string or a list of blocks.
fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block["text"].as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    }
}
