//! The recorded stream of one call, page by page, from any of its lines: what whoever looks at one call is shown.
//!
//! A line is known by the byte at which it begins in `stream.ndjson`, for ever. Opening reads nothing but the end; memory is that
//! of a page, however long the stream. The recording may grow meanwhile, be gone, or end in the middle of a line.
//!
//! A page decodes its lines as [`Replay`](super::Replay) does, so the rows are the same observations with the same times. Three
//! things are different: how many background tasks run is counted from where reading began; a line of more than
//! [`LONGEST_DECODED`] is named and not decoded; and texts are cut to what a row shows. The page that begins where the last one
//! ended goes on with what that one knew: whoever follows a stream pays for what it grows by, and no more.

mod lines;
mod row;
mod search;
mod times;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::{fmt, io};

use jiff::Timestamp;
use windlass_agents::{Agent, Decoder, Detail, Digest, Sink};
use windlass_core::observation::{Observation, ToolTrace};

use super::live::is_gap;
use super::times::Entry;
use crate::store::{CallFolder, StoreError};
use lines::Stream;
pub use row::{Content, Row, SHOWN_BYTES, SHOWN_LINES, Whole};
pub use search::{Direction, Hit};
use times::TimeTable;

/// A page has at most so many rows, but for those of its last line.
pub const ROWS: usize = 200;

/// A page reads so many bytes, but for its last line.
pub const BYTES: u64 = 256 * 1024;

/// Longer lines are named and not decoded.
pub const LONGEST_DECODED: u64 = 1024 * 1024;

/// Where nothing is to be shown (a text arrives in a hundred pieces, and is then said whole) so many more pages are read for one.
const BARREN: u32 = 16;

/// How far before a page the call is looked for that a tool answers.
const LOOK_BACK: u64 = 8 * 1024 * 1024;

/// How a recording stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recording {
    /// Its call has not said anything yet.
    Awaited,
    /// Its call goes on.
    Growing,
    /// All of it is there.
    Whole,
    /// It was removed, or its call never said anything.
    Gone,
}

/// A piece of a transcript.
#[derive(Clone, Debug)]
pub struct Page {
    /// Where its first line begins.
    pub start: u64,
    /// Where the line after its last one begins, or will.
    pub end: u64,
    /// Bytes of the recording when it was looked at.
    pub size: u64,
    /// Bytes at the end of the recording that are the beginning of a line whose end has not come.
    pub unfinished: u64,
    /// How the recording stands.
    pub recording: Recording,
    /// What there is to show, in its order. There may be nothing in many lines.
    pub rows: Vec<Row>,
}

impl Page {
    /// Does nothing lie before it?
    pub const fn is_first(&self) -> bool {
        self.start == 0
    }

    /// Does nothing whole lie after it, as yet?
    pub const fn is_last(&self) -> bool {
        self.end + self.unfinished >= self.size
    }
}

/// The transcript of one call.
#[derive(Debug)]
pub struct Transcript {
    folder: CallFolder,
    agent: &'static dyn Agent,
    /// Its call is over: the last line has its end, or never gets it.
    over: bool,
    times: TimeTable,
    decoded: Option<Decoded>,
}

/// Lines that were decoded one after another.
struct Decoded {
    /// Where the line after them begins.
    end: u64,
    /// It knows what was called in them.
    decoder: Box<dyn Decoder>,
    /// Something answered a call that is not in reach: no other is looked for.
    is_torn: bool,
}

impl Transcript {
    /// Of the call with this folder, which was reserved for at `reserved` and spoken by this agent. `over`: the call has ended, or
    /// its runner is gone. Nothing is read.
    pub fn new(
        folder: &CallFolder,
        agent: &'static dyn Agent,
        reserved: Timestamp,
        over: bool,
    ) -> Transcript {
        Transcript {
            folder: folder.clone(),
            agent,
            over,
            times: TimeTable::new(folder, reserved),
            decoded: None,
        }
    }

    /// Its call is over now: a last line without an end is one, too.
    pub fn close(&mut self) {
        self.over = true;
    }

    /// How the recording stands, and its bytes.
    pub fn standing(&self) -> Result<(Recording, u64), StoreError> {
        Ok(self.stream()?.map_or((self.missing(), 0), |stream| (self.present(), stream.size)))
    }

    /// When the last bytes came, as its file says; `None` where there are none.
    pub fn heard(&self) -> Option<Timestamp> {
        let written = self.folder.recorded().0.metadata().and_then(|about| about.modified()).ok()?;
        Timestamp::try_from(written).ok()
    }

    /// The last page.
    pub fn last(&mut self) -> Result<Page, StoreError> {
        self.before(u64::MAX)
    }

    /// The page that ends before the line that begins at this byte; that of a byte within a line ends before this line.
    pub fn before(&mut self, byte: u64) -> Result<Page, StoreError> {
        let Some(stream) = self.stream()? else { return Ok(self.empty()) };
        let whole = self.whole(&stream)?;
        let end = if byte >= whole { whole } else { stream.beginning(byte)? };
        let mut start = end;
        let mut rows = VecDeque::new();
        let mut tries = 0;
        while rows.is_empty() && start > 0 && tries < BARREN {
            let until = start;
            start = stream.beginning_near(until.saturating_sub(BYTES), until)?;
            let mut page = self.decode(&stream, start, until, usize::MAX)?.0;
            // So many as fit; the rest belongs to the page before. Never a part of a line.
            while page.len() > ROWS
                && let Some(first) = page.front().map(|row| row.offset)
                && page.back().is_some_and(|row| row.offset != first)
            {
                page.retain(|row| row.offset != first);
                start = page.front().map_or(start, |row| row.offset);
            }
            rows = page;
            tries += 1;
        }
        self.page(&stream, (start, end), rows)
    }

    /// The page that begins with the line that this byte is in. From the end of the last page it has what has come since.
    pub fn from(&mut self, byte: u64) -> Result<Page, StoreError> {
        let Some(stream) = self.stream()? else { return Ok(self.empty()) };
        let whole = self.whole(&stream)?;
        let start = if byte >= whole { whole } else { stream.beginning(byte)? };
        let (mut end, mut rows, mut tries) = (start, VecDeque::new(), 0);
        while rows.is_empty() && end < whole && tries < BARREN {
            let most = end.saturating_add(BYTES);
            (rows, end) = self.decode(&stream, end, whole.min(most), ROWS)?;
            tries += 1;
        }
        self.page(&stream, (start, end), rows)
    }

    /// All of a line that a row shows a part of, decoded; nothing where it is longer than [`LONGEST_DECODED`].
    pub fn whole_row(&mut self, byte: u64) -> Result<Vec<Observation>, StoreError> {
        let Some(stream) = self.stream()? else { return Ok(Vec::new()) };
        let whole = self.whole(&stream)?;
        let start = stream.beginning(byte.min(whole))?;
        let line = stream.line(start, whole)?;
        let mut found = Vec::new();
        if let Some(text) = line.and_then(|line| line.text) {
            self.agent.decoder().line(&text, Detail::Everything, &mut Observed(&mut found));
        }
        Ok(found)
    }

    /// Copies the line at this byte as it was received, without its end. Says how many bytes that were.
    pub fn copy_line(&self, byte: u64, to: &mut dyn io::Write) -> Result<u64, StoreError> {
        let Some(stream) = self.stream()? else { return Ok(0) };
        let start = stream.beginning(byte.min(stream.size))?;
        stream.copy(start, to)
    }

    /// The next line, before or after the one at this byte, in which what is shown has this text; `None` looks from the end that the
    /// direction leads away from. Small letters stand for big ones where there are none but small ones. Looks through so much at a
    /// time that nobody waits long; [`Hit::Further`] goes on.
    pub fn search(&mut self, text: &str, byte: Option<u64>, direction: Direction) -> Result<Hit, StoreError> {
        let Some(stream) = self.stream()? else { return Ok(Hit::Nothing) };
        let whole = self.whole(&stream)?;
        search::search(&stream, self.agent, whole, &search::Query { text, byte, direction })
    }

    fn stream(&self) -> Result<Option<Stream>, StoreError> {
        Stream::open(&self.folder.recorded().0)
    }

    const fn missing(&self) -> Recording {
        if self.over { Recording::Gone } else { Recording::Awaited }
    }

    const fn present(&self) -> Recording {
        if self.over { Recording::Whole } else { Recording::Growing }
    }

    fn empty(&self) -> Page {
        let recording = self.missing();
        Page { start: 0, end: 0, size: 0, unfinished: 0, recording, rows: Vec::new() }
    }

    /// Where the last line ends that counts.
    fn whole(&self, stream: &Stream) -> Result<u64, StoreError> {
        if self.over { Ok(stream.size) } else { stream.last_end() }
    }

    fn page(
        &self,
        stream: &Stream,
        (start, end): (u64, u64),
        rows: VecDeque<Row>,
    ) -> Result<Page, StoreError> {
        let unfinished = stream.size - self.whole(stream)?.min(stream.size);
        Ok(Page { start, end, size: stream.size, unfinished, recording: self.present(), rows: rows.into() })
    }

    /// The rows of lines from here on, until there are so many, or the next line begins at `until` or ends behind it. The first line
    /// is decoded wherever it ends.
    fn decode(
        &mut self,
        stream: &Stream,
        start: u64,
        until: u64,
        most: usize,
    ) -> Result<(VecDeque<Row>, u64), StoreError> {
        let whole = self.whole(stream)?;
        let (mut at, mut rows) = (start, VecDeque::new());
        let before = self.decoded.take().filter(|decoded| decoded.end == start);
        let mut decoded =
            before.unwrap_or_else(|| Decoded { end: start, decoder: self.agent.decoder(), is_torn: false });
        self.times.reach(until.min(whole));
        let mut reader = stream.reader(start, whole);
        while at < until && rows.len() < most {
            let Some(line) = reader.next()? else { break };
            if at > start && line.end > until {
                break;
            }
            let when = self.times.when(line.end);
            let mut found = Vec::new();
            if let Some(text) = &line.text {
                if is_gap(text) {
                    at = line.end;
                    continue;
                }
                decoded.decoder.line(text, Detail::Everything, &mut Observed(&mut found));
            } else {
                let beginning = stream.read(line.start, line.start + row::BEGINNING)?;
                if !is_gap(&beginning) {
                    rows.push_back(Row::of_long_line(&line, when, &beginning));
                }
            }
            rows.extend((0..).zip(found).map(|(part, found)| Row::new(&line, part, when, found)));
            at = line.end;
        }
        if !decoded.is_torn {
            decoded.is_torn = !self.name_answers(stream, start, &mut rows)?;
        }
        self.decoded = Some(Decoded { end: at, ..decoded });
        Ok((rows, at))
    }

    /// A tool that was called before the page is named by its call. Were all of these calls found?
    fn name_answers(
        &self,
        stream: &Stream,
        start: u64,
        rows: &mut VecDeque<Row>,
    ) -> Result<bool, StoreError> {
        let nameless = rows.iter_mut().filter_map(|row| match &mut row.content {
            Content::Observation(Observation::ToolResult { id, name, .. }) if name.is_empty() => {
                Some((id, name))
            }
            _ => None,
        });
        let mut nameless: Vec<_> = nameless.filter(|(id, _)| !id.is_empty()).collect();
        if nameless.is_empty() || start == 0 {
            return Ok(nameless.is_empty());
        }
        let from = stream.beginning(start.saturating_sub(LOOK_BACK))?;
        let mut reader = stream.reader(from, start);
        while let Some(line) = reader.next()? {
            let Some(text) = line.text else { continue };
            if !nameless.iter().any(|(id, _)| memchr::memmem::find(&text, id.as_bytes()).is_some()) {
                continue;
            }
            self.agent.tool_traces(&text, &mut |trace| {
                let ToolTrace::Called { id: called, name: tool, .. } = trace else { return };
                for (_, name) in nameless.iter_mut().filter(|(id, _)| **id == called) {
                    name.clone_from(&tool);
                }
            });
        }
        Ok(nameless.iter().all(|(_, name)| !name.is_empty()))
    }
}

impl fmt::Debug for Decoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoded").field("end", &self.end).finish_non_exhaustive()
    }
}

/// What a line says to whoever watches.
struct Observed<'a>(&'a mut Vec<Observation>);

impl Sink for Observed<'_> {
    fn digest(&mut self, _: Digest) {}

    fn observation(&mut self, observation: Observation) {
        self.0.push(observation);
    }
}
