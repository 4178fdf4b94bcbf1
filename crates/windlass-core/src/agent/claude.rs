//! Claude Code.

use crate::agent::{Decoder, Detail, Sink};

/// The oldest version that this decoder was checked against.
pub const MINIMUM_CLAUDE_VERSION: (u32, u32, u32) = (2, 1, 197);

/// `2.1.330 (Claude Code)` → `(2, 1, 330)`.
#[must_use]
pub fn parse_claude_version(_text: &str) -> Option<(u32, u32, u32)> {
    None
}

/// Decodes `--output-format stream-json`.
#[derive(Debug, Default)]
pub struct ClaudeDecoder {}

impl Decoder for ClaudeDecoder {
    fn line(&mut self, _line: &[u8], _detail: Detail, _sink: &mut dyn Sink) {}
}

/// A call's command line.
#[derive(Debug)]
pub struct ClaudeInvocation {}

/// The generated settings file.
#[derive(Debug)]
pub struct ClaudeSettings {}
