//! Claude Code's lines, recordings and settings.

mod decoding;
mod failures;
mod recordings;
mod refusals;
mod settings;
mod tool_calls;
mod trust;
mod used;

use serde_json::{Value, json};
use windlass_core::observation::{Excerpt, Observation};

use super::ClaudeDecoder;
use crate::{Decoder, Detail, Digest, Sink};

/// Keeps what was found.
#[derive(Default)]
struct Decoded {
    digests: Vec<Digest>,
    observations: Vec<Observation>,
}

impl Sink for Decoded {
    fn digest(&mut self, digest: Digest) {
        self.digests.push(digest);
    }
    fn observation(&mut self, observation: Observation) {
        self.observations.push(observation);
    }
}

/// Decodes lines in their order.
fn decode_as(detail: Detail, stream: &[u8]) -> Decoded {
    let (mut decoder, mut found) = (ClaudeDecoder::default(), Decoded::default());
    for line in stream.split(|byte| *byte == b'\n') {
        decoder.line(line, detail, &mut found);
    }
    found
}

fn decode(stream: impl AsRef<[u8]>) -> Decoded {
    decode_as(Detail::Everything, stream.as_ref())
}

/// A message of the model.
fn assistant(blocks: &Value) -> String {
    json!({"type": "assistant", "message": {"content": blocks}, "parent_tool_use_id": null}).to_string()
}

/// What the last line shows of a tool's answer.
fn output(stream: &str) -> Excerpt {
    match decode(stream).observations.pop() {
        Some(Observation::ToolResult { output, .. }) => output,
        other => panic!("{other:?}"),
    }
}
