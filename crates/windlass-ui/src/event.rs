//! What views are given.

use jiff::Timestamp;
use windlass_core::fact::Entry;
use windlass_core::observation::{Observation, Place};
use windlass_core::values::{CallId, LaneId};

/// One thing to show. Live and in a replay the same events come in the same order; only [`Event::Past`],
/// [`Event::Tick`] and [`Event::Dropped`] belong to a live terminal alone.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A line of the journal.
    Fact(Box<Entry>),
    /// A line of the journal from before this session: it is known, and was shown then.
    Past(Box<Entry>),
    /// A thing an agent said or did.
    Observation {
        /// Where.
        lane: LaneId,
        /// By which call.
        call: CallId,
        /// The line of that call's output that it was decoded from, counted from 1.
        line: u64,
        /// When the line came.
        at: Timestamp,
        /// What it was.
        observation: Observation,
    },
    /// Time passed; made by the [`Screen`](crate::Screen) for views that count.
    Tick {
        /// What the clock on the wall shows.
        now: Timestamp,
    },
    /// Observations were left out, since the terminal was too slow for them.
    Dropped {
        /// How many.
        count: u64,
    },
}

impl From<Entry> for Event {
    fn from(entry: Entry) -> Event {
        Event::Fact(Box::new(entry))
    }
}

impl From<(Place, Observation)> for Event {
    fn from((Place { lane, call, line, at }, observation): (Place, Observation)) -> Event {
        Event::Observation { lane, call, line, at, observation }
    }
}

/// A way to look at a run.
pub trait View: Send {
    /// Takes one event in and shows what there is to show.
    fn event(&mut self, event: &Event);

    /// Writes out what it holds back. Called whenever no further event is at hand.
    fn flush(&mut self) {}

    /// Leaves the terminal as it was found. Nothing comes after it.
    fn finish(&mut self) {}

    /// Does it show something that changes with time alone?
    fn counts_time(&self) -> bool {
        false
    }

    /// Is there nobody left to look (a closed pipe, a terminal that hung up)?
    fn is_closed(&self) -> bool {
        false
    }
}
