//! The recorded stream of one call, decoded piece by piece.

use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::PathBuf;

use jiff::Timestamp;
use windlass_core::values::{CallId, LaneId};

use super::live::is_gap;
use super::reading::Reading;
use super::times::Times;
use crate::executor::Place;
use crate::store::{CallFolder, StoreError};
use windlass_host::process::stream::Lines;

/// Read at once. What is decoded and waits to be told is bounded by this and one line.
const CHUNK: usize = 64 * 1024;

/// How far a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Its process does not exist yet.
    Reserved,
    /// Its stream may grow.
    Growing,
    /// Its stream is complete.
    Complete,
    /// All of that has been read.
    Read,
}

/// What has been told of a stream that was heard only in part.
#[derive(Debug, Default)]
struct Told {
    /// Up to this byte it was heard.
    end: u64,
    /// But for what lies between these bytes.
    gaps: Vec<Range<u64>>,
}

impl Told {
    fn has(&self, line: &Range<u64>) -> bool {
        let in_gap = |gap: &Range<u64>| gap.start <= line.start && line.end <= gap.end;
        line.end <= self.end && !self.gaps.iter().any(in_gap)
    }
}

/// The stream of one call.
pub(super) struct Recording<R: Reading> {
    folder: CallFolder,
    path: PathBuf,
    file: Option<File>,
    times: Times,
    reading: R,
    lines: Lines,
    stage: Stage,
    /// Bytes read so far.
    read: u64,
    /// Where the line begins whose end comes next.
    begun: u64,
    told: Told,
    place: Place,
    waiting: VecDeque<(Place, R::Item)>,
}

impl<R: Reading> Recording<R> {
    /// The stream of a call that was reserved for at this time.
    pub fn new(folder: &CallFolder, reading: R, lane: LaneId, call: CallId, reserved: Timestamp) -> Self {
        let (path, times) = folder.recorded();
        Self {
            folder: folder.clone(),
            path,
            file: None,
            times: Times::new(times, reserved),
            reading,
            lines: Lines::default(),
            stage: Stage::Reserved,
            read: 0,
            begun: 0,
            told: Told::default(),
            place: Place { lane, call, line: 0, at: reserved },
            waiting: VecDeque::new(),
        }
    }

    /// Its process exists.
    pub fn begin(&mut self) {
        if self.stage == Stage::Reserved {
            self.stage = Stage::Growing;
        }
    }

    /// It has ended: what lies in the file is all there is. Where its stream was heard only in part, it is there by now.
    pub fn close(&mut self) {
        self.stage = Stage::Complete;
        self.choose();
    }

    /// Reads the file that has the most of it: all of it, but what was told is not told again.
    fn choose(&mut self) {
        let (path, times) = self.folder.recorded();
        if path != self.path {
            (self.path, self.file) = (path, None);
            self.times.go_on_with(times);
            self.told.end = self.begun;
            (self.read, self.begun, self.lines, self.place.line) = (0, 0, Lines::default(), 0);
        }
    }

    /// When the next observation was made; `None` when there is none yet.
    pub fn next_time(&mut self) -> Result<Option<Timestamp>, StoreError> {
        while self.waiting.is_empty() && self.read_on()? {}
        Ok(self.waiting.front().map(|(place, _)| place.at))
    }

    /// The observation that [`next_time`](Self::next_time) spoke of.
    pub fn take(&mut self) -> Option<(Place, R::Item)> {
        self.waiting.pop_front()
    }

    /// Decodes the next piece; says whether there was one.
    fn read_on(&mut self) -> Result<bool, StoreError> {
        if matches!(self.stage, Stage::Reserved | Stage::Read) {
            return Ok(false);
        }
        let mut chunk = vec![0; CHUNK];
        let count = self.read_file(&mut chunk)?;
        let piece = chunk.get(..count).unwrap_or_default();
        if piece.is_empty() {
            if self.stage == Stage::Growing {
                return Ok(false);
            }
            self.stage = Stage::Read;
            self.decode(None);
            return Ok(true);
        }
        for line in piece.split_inclusive(|byte| *byte == b'\n') {
            self.read += line.len() as u64;
            self.place.at = self.times.when(self.read);
            self.decode(Some(line));
        }
        Ok(true)
    }

    /// Nothing, as long as there is no such file.
    fn read_file(&mut self, chunk: &mut [u8]) -> Result<usize, StoreError> {
        if self.file.is_none() {
            self.choose();
        }
        let failed = |error| StoreError::io("read", &self.path, error);
        let file = match &mut self.file {
            Some(file) => file,
            none => match File::open(&self.path) {
                Ok(file) => none.insert(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
                Err(error) => return Err(failed(error)),
            },
        };
        loop {
            match file.read(chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result.map_err(failed),
            }
        }
    }

    /// A piece that ends at the end of a line or of what was read; `None` = the last line never comes to its end.
    fn decode(&mut self, piece: Option<&[u8]>) {
        let Self { lines, reading, place, waiting, begun, read, told, .. } = self;
        let mut tell = |line: &[u8]| {
            place.line += 1;
            let bytes = *begun..*read;
            *begun = *read;
            if is_gap(line) {
                told.gaps.push(bytes);
            } else if !told.has(&bytes) {
                reading.line(line, &mut |found| waiting.push_back((*place, found)));
            }
        };
        match piece {
            Some(piece) => lines.feed(piece, &mut tell),
            None => lines.finish(&mut tell),
        }
    }
}

impl<R: Reading> fmt::Debug for Recording<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording")
            .field("path", &self.path)
            .field("read", &self.read)
            .finish_non_exhaustive()
    }
}
