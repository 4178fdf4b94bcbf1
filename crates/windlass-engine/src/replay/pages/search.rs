//! Text that an agent said, found in the raw bytes of its stream.

use windlass_agents::{Agent, Detail};
use windlass_core::observation::{Observation, ToolInput};

use super::Observed;
use super::lines::{Line, Stream};
use crate::store::StoreError;

/// So much is looked through at a time.
const STRETCH: u64 = 16 * 1024 * 1024;

/// Backwards, so much is read at once.
const BLOCK: u64 = 1024 * 1024;

/// Where to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the end.
    Forward,
    /// Towards the beginning.
    Backward,
}

/// What a search came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// The line that begins at this byte has it.
    Line(u64),
    /// Not up to this byte, and there is more: search on from here.
    Further(u64),
    /// Not up to the end, or the beginning.
    Nothing,
}

/// What is looked for, and from where.
pub(super) struct Query<'a> {
    pub text: &'a str,
    pub byte: Option<u64>,
    pub direction: Direction,
}

/// Looks through one stretch.
pub(super) fn search(
    stream: &Stream,
    agent: &'static dyn Agent,
    whole: u64,
    query: &Query<'_>,
) -> Result<Hit, StoreError> {
    let Some(needle) = Needle::new(query.text) else { return Ok(Hit::Nothing) };
    let holds = |text: &Vec<u8>| needle.is_in_bytes(text) && is_shown(agent, text, &needle);
    let wanted = |line: &Line| line.text.as_ref().is_some_and(holds);
    let at = query.byte.filter(|byte| *byte < whole);
    let here = at.map(|byte| stream.beginning(byte)).transpose()?;
    match query.direction {
        Direction::Forward => {
            // The line itself is where the last search ended.
            let from = query.byte.map_or(0, |_| here.unwrap_or(whole));
            let mut reader = stream.reader(from, whole);
            if here.is_some() {
                reader.next()?;
            }
            let until = from.saturating_add(STRETCH);
            while let Some(line) = reader.next()? {
                if wanted(&line) || (line.text.is_none() && is_in_long(stream, &line, &needle)?) {
                    return Ok(Hit::Line(line.start));
                }
                if line.end >= until {
                    return Ok(Hit::Further(line.start));
                }
            }
            Ok(Hit::Nothing)
        }
        Direction::Backward => {
            let mut until = here.unwrap_or(whole);
            let most = until.saturating_sub(STRETCH);
            while until > most {
                let from = stream.beginning_near(until.saturating_sub(BLOCK), until)?;
                let mut reader = stream.reader(from, until);
                let mut last = None;
                while let Some(line) = reader.next()? {
                    if wanted(&line) || (line.text.is_none() && is_in_long(stream, &line, &needle)?) {
                        last = Some(line.start);
                    }
                }
                if let Some(found) = last {
                    return Ok(Hit::Line(found));
                }
                until = from;
            }
            Ok(if until == 0 { Hit::Nothing } else { Hit::Further(until) })
        }
    }
}

/// What is looked for.
struct Needle {
    /// As it stands in a stream: JSON.
    raw: Vec<u8>,
    shown: String,
    /// Big letters stand for themselves.
    exact: bool,
}

impl Needle {
    /// `None` where nothing is looked for.
    fn new(text: &str) -> Option<Needle> {
        let json = serde_json::to_string(text).ok()?;
        let raw = json.strip_prefix('"')?.strip_suffix('"')?.as_bytes().to_vec();
        let exact = text.chars().any(char::is_uppercase);
        (!raw.is_empty()).then(|| Needle { raw, shown: text.to_owned(), exact })
    }

    fn is_in_bytes(&self, bytes: &[u8]) -> bool {
        if self.exact {
            return memchr::memmem::find(bytes, &self.raw).is_some();
        }
        let Some(first) = self.raw.first() else { return false };
        let (small, big) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
        let same = |at: usize| {
            bytes.get(at..at + self.raw.len()).is_some_and(|found| found.eq_ignore_ascii_case(&self.raw))
        };
        memchr::memchr2_iter(small, big, bytes).any(same)
    }

    fn is_in(&self, text: &str) -> bool {
        if self.exact {
            return text.contains(&self.shown);
        }
        // Letters of other alphabets stand for themselves, as in the bytes.
        let found = |at: usize| {
            let length = self.shown.len();
            text.as_bytes()
                .get(at..at + length)
                .is_some_and(|found| found.eq_ignore_ascii_case(self.shown.as_bytes()))
        };
        let Some(first) = self.shown.bytes().next() else { return false };
        let (small, big) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
        memchr::memchr2_iter(small, big, text.as_bytes()).any(found)
    }
}

/// A name of a field is nothing that an agent said.
fn is_shown(agent: &'static dyn Agent, line: &[u8], needle: &Needle) -> bool {
    let mut found = Vec::new();
    agent.decoder().line(line, Detail::Everything, &mut Observed(&mut found));
    found.iter().any(|observation| texts(observation).into_iter().any(|text| needle.is_in(text)))
}

/// All that a row shows of it.
fn texts(observation: &Observation) -> Vec<&str> {
    match observation {
        Observation::Started { model, version } => vec![model, version],
        Observation::AgentText { text, .. } | Observation::Result { text, .. } => vec![text],
        Observation::ToolUse { name, input, .. } => {
            let mut texts = vec![name.as_str()];
            match input {
                ToolInput::Read { path, .. } | ToolInput::Write { path, .. } => texts.push(path),
                ToolInput::Edit { path, old, new, .. } => texts.extend([path.as_str(), old, new]),
                ToolInput::Bash { command, description } => texts.extend([command.as_str(), description]),
                ToolInput::Grep { pattern, path } | ToolInput::Glob { pattern, path } => {
                    texts.extend([pattern.as_str(), path]);
                }
                ToolInput::Agent { description } => texts.push(description),
                ToolInput::Other { json } => texts.push(json),
            }
            texts
        }
        Observation::ToolResult { name, output, .. } => vec![name, &output.text],
        Observation::Denied { name, .. } => vec![name],
        Observation::Retrying { error, .. } => vec![error],
        Observation::LimitNotice { status, window, .. } => vec![status, window],
        Observation::Garbage { start, .. } => vec![start],
        Observation::Background { .. } | Observation::Compacted => Vec::new(),
    }
}

/// A line that is not decoded has it somewhere in its bytes.
fn is_in_long(stream: &Stream, line: &Line, needle: &Needle) -> Result<bool, StoreError> {
    let overlap = needle.raw.len() as u64 - 1;
    let mut at = line.start;
    while at < line.end {
        let bytes = stream.read(at, line.end.min(at + BLOCK + overlap))?;
        if bytes.is_empty() {
            return Ok(false);
        }
        if needle.is_in_bytes(&bytes) {
            return Ok(true);
        }
        at += BLOCK;
    }
    Ok(false)
}
