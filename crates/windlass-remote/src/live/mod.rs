//! What agents say and do, on its way to whoever watches the run while they do it. It may be lost: what agents printed comes whole
//! when their calls have ended.

use serde::{Deserialize, Serialize};
use windlass_agents::Detail;
use windlass_core::fact::Entry;
use windlass_core::observation::Observation;
use windlass_core::values::{CallId, RunId};
use windlass_engine::executor::{Audience, Place};
use windlass_fleet::Fleet;
use windlass_fleet::signals::{LONGEST_TEXT, Signals};

/// One observation of a call.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Piece {
    /// Which call.
    pub call: CallId,
    /// In which line of the call's stream, from 1.
    pub line: u64,
    /// What was seen.
    pub observation: Observation,
}

impl Piece {
    /// Reads one; `None` for what is none.
    pub fn read(text: &str) -> Option<Piece> {
        serde_json::from_str(text).ok()
    }
}

/// A worker's audience: it passes everything on.
pub(crate) struct Speaker {
    signals: Signals,
    run: RunId,
}

impl Speaker {
    /// Of this run.
    pub fn of(fleet: &Fleet, run: &RunId) -> Speaker {
        Speaker { signals: Signals::of(fleet), run: run.clone() }
    }
}

impl Audience for Speaker {
    fn fact(&self, _: &Entry) {}

    fn observation(&self, place: Place, observation: Observation) {
        let piece = Piece { call: place.call, line: place.line, observation };
        let text = serde_json::to_string(&piece).unwrap_or_default();
        // What is too long comes with the rest, when the call has ended.
        if text.len() <= LONGEST_TEXT {
            let _ = self.signals.live(&self.run, place.lane, &text);
        }
    }

    fn detail(&self) -> Detail {
        Detail::Everything
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_read_as_it_was_said_and_anything_else_is_none() {
        let observation = Observation::AgentText { text: "\u{202e}All done\n".to_owned(), nested: false };
        let piece = Piece { call: CallId(3), line: 7, observation };
        let text = serde_json::to_string(&piece).unwrap();
        assert_eq!(Piece::read(&text), Some(piece));
        for text in
            ["", "{}", "null", "{\"call\":3,\"line\":7,\"observation\":{\"type\":\"new\"}}", "\u{fffd}"]
        {
            assert_eq!(Piece::read(text), None, "{text}");
        }
    }
}
