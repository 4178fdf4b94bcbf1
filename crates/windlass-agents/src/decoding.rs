//! What decoders have in common: where a line's findings go, and what a line that cannot be read is.

use std::borrow::Cow;

use windlass_core::observation::{Excerpt, Observation, ToolInput};

use windlass_core::values::Tokens;

use crate::json::{self, Field, Size};
use crate::{Activity, Detail, Digest, MessageId, MessageUsage, ResultDigest, Sink};

/// So much of a tool's answer is shown.
const OUTPUT: usize = 64 * 1024;

/// So many characters of what a refused call was to do.
const GIST: usize = 200;

/// Where one line's findings go.
pub(crate) struct Out<'s> {
    /// How much is made of it.
    pub detail: Detail,
    /// Who takes it.
    pub sink: &'s mut dyn Sink,
}

impl Out<'_> {
    /// For the core.
    pub fn digest(&mut self, digest: Digest) {
        self.sink.digest(digest);
    }

    /// A sign of life.
    pub fn activity(&mut self, activity: Activity) {
        self.sink.digest(Digest::Activity(activity));
    }

    /// Says what a message used that is whole.
    pub fn used(&mut self, message: MessageId, model: &str, tokens: Tokens) {
        let model = model.to_owned();
        let usage = MessageUsage { message, model, tokens, whole: true, ..MessageUsage::default() };
        self.digest(Digest::Usage(Box::new(usage)));
    }

    /// The model thinks, which it shows.
    pub fn thought(&mut self) {
        self.sink.digest(Digest::Thought);
        self.activity(Activity::Thinking);
    }

    /// The result of a turn whose agent counts no turns.
    pub fn result(&mut self, result: ResultDigest) {
        self.observe(|| Observation::Result {
            is_error: result.is_error,
            text: result.text.clone(),
            cost_usd: result.cost_usd,
            turns: None,
        });
        self.digest(Digest::Result(Box::new(result)));
    }

    /// Does somebody watch?
    pub fn watched(&self) -> bool {
        self.detail == Detail::Everything
    }

    /// Makes an observation only where somebody watches.
    pub fn observe(&mut self, observation: impl FnOnce() -> Observation) {
        if self.watched() {
            self.sink.observation(observation());
        }
    }
}

/// The line's text, its broken characters replaced; `None` where there is none.
pub(crate) fn whole_line(line: &[u8]) -> Option<Cow<'_, str>> {
    Some(String::from_utf8_lossy(line)).filter(|text| !text.trim_ascii().is_empty())
}

/// The line is nothing that its agent's decoder knows.
pub(crate) fn garbage(text: &str, bytes: usize, out: &mut Out<'_>) {
    out.digest(Digest::Garbage);
    let printable = |character: char| if character.is_control() { '.' } else { character };
    out.observe(|| Observation::Garbage {
        bytes: bytes as u64,
        start: text.chars().take(120).map(printable).collect(),
    });
}

/// What a tool answered, as it is shown.
pub(crate) fn excerpt(output: Field<'_>) -> Excerpt {
    let Some(piece) = json::piece(output, OUTPUT) else { return Excerpt::default() };
    let Size { bytes, lines } = json::size(output).unwrap_or_default();
    Excerpt { bytes, lines, cut: !piece.whole, text: piece.text.into_owned() }
}

/// What a call was to do, in short: the command or the file.
pub(crate) fn gist(input: &ToolInput) -> String {
    let whole = match input {
        ToolInput::Bash { command, .. } => command,
        ToolInput::Edit { path, .. } | ToolInput::Write { path, .. } | ToolInput::Read { path, .. } => path,
        ToolInput::Other { json } => json,
        _ => "",
    };
    whole.chars().take(GIST).collect()
}

/// Without the codes that colour it.
pub(crate) fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut pieces = text.split('\u{1b}');
    plain.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let rest = piece.strip_prefix('[').and_then(|code| Some(code.split_once('m')?.1));
        plain.push_str(rest.unwrap_or(piece));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_taken_out() {
        assert_eq!(without_colours("\u{1b}[91m\u{1b}[1mError: \u{1b}[0mno\u{1b}"), "Error: no");
    }
}
