//! What a row of a page shows.

use jiff::Timestamp;
use windlass_core::observation::{Observation, ToolInput};

use super::lines::Line;

/// A row shows so many bytes of a text …
pub const SHOWN_BYTES: usize = 4 * 1024;

/// … and so many lines.
pub const SHOWN_LINES: usize = 40;

/// So much of a line that is not decoded is looked at.
pub(super) const BEGINNING: u64 = 512;

/// One thing an agent said or did.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Where its line begins in the recording: what it is known by.
    pub offset: u64,
    /// Which of its line's things it is, from 0.
    pub part: u32,
    /// Bytes of its line.
    pub bytes: u64,
    /// When its line came.
    pub at: Timestamp,
    /// What it was, its texts cut.
    pub content: Content,
    /// The size of what was cut; `None` where all of it is here.
    pub whole: Option<Whole>,
}

/// What a row is about. Texts are as the agent wrote them: whoever shows them makes them harmless.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Something that was decoded.
    Observation(Observation),
    /// A line that is too long to be decoded here; its beginning.
    Long(String),
}

/// The size of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole {
    /// Its bytes.
    pub bytes: u64,
    /// Its lines.
    pub lines: u64,
}

impl Row {
    pub(super) fn new(line: &Line, part: u32, at: Timestamp, mut observation: Observation) -> Row {
        let whole = cut_observation(&mut observation);
        let content = Content::Observation(observation);
        Row { offset: line.start, part, bytes: line.end - line.start, at, content, whole }
    }

    pub(super) fn of_long_line(line: &Line, at: Timestamp, beginning: &[u8]) -> Row {
        let bytes = line.end - line.start;
        let content = Content::Long(String::from_utf8_lossy(beginning).into_owned());
        Row { offset: line.start, part: 0, bytes, at, content, whole: Some(Whole { bytes, lines: 1 }) }
    }
}

/// Cuts the texts of an observation to what a row shows; gives the size of them all where one was cut.
fn cut_observation(observation: &mut Observation) -> Option<Whole> {
    match observation {
        Observation::AgentText { text, .. } | Observation::Result { text, .. } => cut_texts([text]),
        Observation::ToolResult { output, .. } => {
            let all = Whole { bytes: output.bytes, lines: output.lines };
            let cut = cut_texts([&mut output.text]).is_some() || output.cut;
            output.cut = cut;
            cut.then_some(all)
        }
        Observation::ToolUse { input, .. } => match input {
            ToolInput::Edit { old, new, .. } => cut_texts([old, new]),
            ToolInput::Bash { command, .. } => cut_texts([command]),
            ToolInput::Grep { pattern, .. } | ToolInput::Glob { pattern, .. } => cut_texts([pattern]),
            ToolInput::Agent { description } => cut_texts([description]),
            ToolInput::Read { .. } | ToolInput::Write { .. } | ToolInput::Other { .. } => None,
        },
        _ => None,
    }
}

fn cut_texts<const N: usize>(texts: [&mut String; N]) -> Option<Whole> {
    let mut whole = Whole { bytes: 0, lines: 0 };
    let mut was_cut = false;
    for text in texts {
        whole.bytes += text.len() as u64;
        whole.lines += text.lines().count() as u64;
        let shown = shown(text);
        was_cut |= shown < text.len();
        text.truncate(shown);
    }
    was_cut.then_some(whole)
}

/// So many bytes of a text are shown.
fn shown(text: &str) -> usize {
    let lines = memchr::memchr_iter(b'\n', text.as_bytes()).nth(SHOWN_LINES - 1).unwrap_or(text.len());
    text.floor_char_boundary(SHOWN_BYTES.min(lines))
}
