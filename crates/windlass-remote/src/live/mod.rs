//! What agents print, on its way to whoever watches the run while they do it: line by line, each with its place in the stream. It may be
//! lost: the streams themselves come when their calls have ended.

mod heard;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use windlass_agents::Detail;
use windlass_core::fact::Entry;
use windlass_core::observation::Observation;
use windlass_core::values::{CallId, LaneId, RunId};
use windlass_engine::executor::{Audience, Place};
use windlass_fleet::Fleet;
use windlass_fleet::signals::{LONGEST_TEXT, Signals};
use windlass_host::process::stream::LONGEST_LINE;

pub(crate) use heard::HeardCalls;

/// One line of a call's stream.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Piece {
    /// Which call.
    pub call: CallId,
    /// Which line it is, from 1.
    pub line: u64,
    /// At which byte of the stream it begins.
    pub offset: u64,
    /// The line, without its end.
    pub text: String,
}

impl Piece {
    /// Reads one; `None` for what is none.
    pub fn read(text: &str) -> Option<Piece> {
        let piece: Piece = serde_json::from_str(text).ok()?;
        (!piece.text.contains('\n')).then_some(piece)
    }
}

/// A worker leaves an order to others.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LeftOrder {
    /// Which worker.
    pub worker: String,
    /// Why, in a few words.
    pub why: String,
}

impl LeftOrder {
    /// Reads what a worker has said of itself; `None` for what is none.
    pub fn read(text: &str) -> Option<LeftOrder> {
        serde_json::from_str(text).ok()
    }

    /// Says it to whoever drives the run. It may be lost.
    pub fn say(&self, fleet: &Fleet, run: &RunId, lane: LaneId) {
        let text = serde_json::to_string(self).unwrap_or_default();
        if text.len() <= LONGEST_TEXT {
            let _ = Signals::of(fleet).live(run, lane, &text);
        }
    }

    /// In a sentence without its full stop.
    pub fn sentence(&self, lane: LaneId) -> String {
        let [worker, why] = [&self.worker, &self.why].map(|text| shortened(text));
        format!("lane {lane}: the worker {worker} leaves its order to others: {why}")
    }
}

/// The first line of what a worker says, at most some hundred characters.
fn shortened(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().filter(|letter| !letter.is_control()).take(300).collect()
}

/// A worker's audience: it passes everything on.
pub(crate) struct Speaker {
    signals: Signals,
    run: RunId,
    ends: Mutex<StreamEnds>,
}

impl Speaker {
    /// Of this run.
    pub fn of(fleet: &Fleet, run: &RunId) -> Speaker {
        Speaker { signals: Signals::of(fleet), run: run.clone(), ends: Mutex::default() }
    }
}

impl Audience for Speaker {
    fn fact(&self, _: &Entry) {}

    fn line(&self, place: Place, line: &[u8]) {
        let place_of_line = self.ends.lock().unwrap_or_else(PoisonError::into_inner).place(place, line.len());
        // What is no text, or is too long, comes with the rest when the call has ended.
        let Some((offset, text)) = place_of_line.zip(str::from_utf8(line).ok()) else { return };
        let piece = Piece { call: place.call, line: place.line, offset, text: text.to_owned() };
        let text = serde_json::to_string(&piece).unwrap_or_default();
        if text.len() <= LONGEST_TEXT {
            let _ = self.signals.live(&self.run, place.lane, &text);
        }
    }

    fn observation(&self, _: Place, _: Observation) {}

    fn detail(&self) -> Detail {
        Detail::Digests
    }
}

/// Where the streams of calls end as far as they have come: of each lane's latest call. `None` once that cannot be known.
#[derive(Debug, Default)]
struct StreamEnds(BTreeMap<LaneId, (CallId, Option<u64>)>);

impl StreamEnds {
    /// Where the next line begins, which has so many bytes.
    fn place(&mut self, place: Place, length: usize) -> Option<u64> {
        let (call, end) = self.0.entry(place.lane).or_insert((place.call, Some(0)));
        if *call != place.call {
            (*call, *end) = (place.call, Some(0));
        }
        let begin = (*end)?;
        // A longer one was cut off, and nobody says how long it was.
        *end = (length < LONGEST_LINE).then(|| begin + length as u64 + 1);
        end.map(|_| begin)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn a_piece_is_read_as_it_was_said_and_anything_else_is_none() {
        let piece =
            Piece { call: CallId(3), line: 7, offset: 12, text: "\u{202e}{\"a\":\"\\n\"}".to_owned() };
        let text = serde_json::to_string(&piece).unwrap();
        assert_eq!(Piece::read(&text), Some(piece));
        let two_lines = r#"{"call":3,"line":7,"offset":12,"text":"one\ntwo"}"#;
        for text in ["", "{}", "null", two_lines, r#"{"call":3,"line":7,"offset":-1,"text":""}"#, "\u{fffd}"]
        {
            assert_eq!(Piece::read(text), None, "{text}");
        }
    }

    #[test]
    fn lines_begin_where_those_before_them_end() {
        let mut ends = StreamEnds::default();
        let mut place = |lane: u16, call: u32, length: usize| {
            let place = Place { lane: LaneId(lane), call: CallId(call), line: 1, at: Timestamp::UNIX_EPOCH };
            ends.place(place, length)
        };
        assert_eq!([place(1, 1, 3), place(2, 2, 9), place(1, 1, 0)], [Some(0), Some(0), Some(4)]);
        // The lane's next call has a stream of its own.
        assert_eq!([place(1, 3, 5), place(1, 3, 5), place(2, 2, 1)], [Some(0), Some(6), Some(10)]);
        assert_eq!([place(1, 3, LONGEST_LINE), place(1, 3, 1)], [None, None]);
        assert_eq!(place(1, 4, 1), Some(0));
    }
}
