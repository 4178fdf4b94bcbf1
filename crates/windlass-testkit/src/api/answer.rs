//! Replies in wire form: JSON documents and server-sent events.

use serde_json::{Value, json};

use super::scenario::Message;

/// A message on its way to one request.
pub(super) struct ModelResponse<'a> {
    pub message: &'a Message,
    /// The model the request asked for: the agent prices the answer by it.
    pub model: &'a str,
    /// The request's number; makes the ids unique within a stand-in.
    pub number: usize,
}

impl ModelResponse<'_> {
    /// The message as one document, for `stream: false`.
    pub fn document(&self) -> Value {
        let mut message = self.head();
        message["content"] = Value::Array(self.blocks());
        message["stop_reason"] = self.stop_reason().into();
        message["usage"]["output_tokens"] = self.message.output_tokens.into();
        message
    }

    /// The message as server-sent events, for `stream: true`.
    pub fn events(&self) -> Vec<String> {
        let mut events = vec![
            event(&json!({"type": "message_start", "message": self.head()})),
            event(&json!({"type": "ping"})),
        ];
        for (index, block) in self.blocks().iter().enumerate() {
            let (start, delta) = started(block);
            events.extend([
                event(&json!({"type": "content_block_start", "index": index, "content_block": start})),
                event(&json!({"type": "content_block_delta", "index": index, "delta": delta})),
                event(&json!({"type": "content_block_stop", "index": index})),
            ]);
        }
        events.extend([
            event(&json!({
                "type": "message_delta",
                "delta": {"stop_reason": self.stop_reason(), "stop_sequence": null},
                "usage": {"output_tokens": self.message.output_tokens},
            })),
            event(&json!({"type": "message_stop"})),
        ]);
        events
    }

    /// The message as server-sent events of the other API, `POST /v1/responses`: each block is an item.
    pub fn items(&self) -> Vec<String> {
        let id = format!("resp_standin_{:04}", self.number);
        let mut events = vec![event(&json!({"type": "response.created", "response": {"id": id}}))];
        for (index, block) in self.blocks().iter().enumerate() {
            let item = item(block);
            events.push(event(
                &json!({"type": "response.output_item.done", "output_index": index, "item": item}),
            ));
        }
        let (input, output) = (self.message.input_tokens, self.message.output_tokens);
        let usage = json!({"input_tokens": input, "output_tokens": output, "total_tokens": input + output});
        events.push(event(&json!({"type": "response.completed", "response": {"id": id, "usage": usage}})));
        events
    }

    /// The message as the one event of [`Dialect::Contents`](super::Dialect::Contents): each block is a part.
    pub fn contents(&self) -> String {
        let part = |block: &Value| match &block["type"] {
            kind if kind == "tool_use" => {
                json!({"functionCall": {"name": block["name"], "args": block["input"], "id": block["id"]}})
            }
            _ => json!({"text": block["text"]}),
        };
        let parts: Vec<Value> = self.blocks().iter().map(part).collect();
        let (input, output) = (self.message.input_tokens, self.message.output_tokens);
        let data = json!({
            "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {
                "promptTokenCount": input,
                "candidatesTokenCount": output,
                "totalTokenCount": input + output,
            },
            "modelVersion": self.model,
        });
        format!("data: {data}\n\n")
    }

    /// The events of a message that breaks off: all before the end of its first block.
    pub fn first_half(&self) -> Vec<String> {
        let mut events = self.events();
        events.truncate(4);
        events
    }

    fn head(&self) -> Value {
        json!({
            "id": format!("msg_standin_{:04}", self.number),
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": {
                "input_tokens": self.message.input_tokens,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "output_tokens": 1,
                "service_tier": "standard",
            },
        })
    }

    /// The content blocks; tool calls have their ids here.
    fn blocks(&self) -> Vec<Value> {
        let mut blocks = self.message.blocks.clone();
        for (index, block) in blocks.iter_mut().enumerate() {
            if block["type"] == "tool_use" {
                block["id"] = format!("toolu_standin_{:04}_{index}", self.number).into();
            }
        }
        blocks
    }

    fn stop_reason(&self) -> &str {
        let calls_a_tool = self.message.blocks.iter().any(|block| block["type"] == "tool_use");
        match &self.message.stop_reason {
            Some(reason) => reason,
            None if calls_a_tool => "tool_use",
            None => "end_turn",
        }
    }
}

/// The body of an error, as a document and as the data of an `error` event.
pub(super) fn error_document(error_type: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": error_type, "message": message}})
}

/// One server-sent event; its name is the `type` of its data.
pub(super) fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or("message"))
}

/// A block as the other API has it.
fn item(block: &Value) -> Value {
    if block["type"] == "tool_use" {
        let arguments = block["input"].to_string();
        return json!({"type": "function_call", "name": block["name"], "arguments": arguments, "call_id": block["id"]});
    }
    json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": block["text"]}]})
}

/// A block as it starts, and the one delta that completes it.
fn started(block: &Value) -> (Value, Value) {
    let mut start = block.clone();
    let delta = if block["type"] == "tool_use" {
        start["input"] = json!({});
        json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})
    } else {
        start["text"] = "".into();
        json!({"type": "text_delta", "text": block["text"]})
    };
    (start, delta)
}
