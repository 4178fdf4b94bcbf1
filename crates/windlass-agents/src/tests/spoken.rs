//! What is said to an agent in a conversation, in short.

use serde_json::{Value, json};

use crate::{Conversation, Step};

/// What the agent says, and what follows: `method`, `note method`, the answer to a request as `its name, its result's option`,
/// `end`.
pub fn heard(conversation: &mut dyn Conversation, message: &Value) -> Vec<String> {
    short(conversation.heard(message.to_string().as_bytes()))
}

/// Steps in short.
pub fn short(steps: Vec<Step>) -> Vec<String> {
    let parsed = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let method = |line: &str| parsed(line)["method"].as_str().unwrap_or_default().to_owned();
    let of = |step| match step {
        Step::Tell(line) if !method(&line).is_empty() => method(&line),
        Step::Tell(line) => {
            format!("{} {}", parsed(&line)["id"], parsed(&line)["result"]["outcome"]["optionId"])
        }
        Step::Note(line) => format!("note {}", method(&line)),
        Step::End => "end".to_owned(),
    };
    steps.into_iter().map(of).collect()
}

/// The agent's answer to our request of this number.
pub fn answer(id: u64, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}
