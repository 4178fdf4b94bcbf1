//! The recorded stream of one call, decoded piece by piece.

use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::PathBuf;

use jiff::Timestamp;
use windlass_core::values::{CallId, LaneId};

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

/// The stream of one call.
pub(super) struct Recording<R: Reading> {
    path: PathBuf,
    file: Option<File>,
    times: Times,
    reading: R,
    lines: Lines,
    stage: Stage,
    /// Bytes read so far.
    read: u64,
    place: Place,
    waiting: VecDeque<(Place, R::Item)>,
}

impl<R: Reading> Recording<R> {
    /// The stream of a call that was reserved for at this time.
    pub fn new(folder: &CallFolder, reading: R, lane: LaneId, call: CallId, reserved: Timestamp) -> Self {
        Self {
            path: folder.stream(),
            file: None,
            times: Times::new(folder.times(), reserved),
            reading,
            lines: Lines::default(),
            stage: Stage::Reserved,
            read: 0,
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

    /// It has ended: what lies in the file is all there is.
    pub fn close(&mut self) {
        self.stage = Stage::Complete;
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
        let Self { lines, reading, place, waiting, .. } = self;
        let mut tell = |line: &[u8]| {
            place.line += 1;
            reading.line(line, &mut |found| waiting.push_back((*place, found)));
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
