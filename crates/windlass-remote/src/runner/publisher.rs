//! The publisher: a thread that brings the run's journal to the fleet, in its order, and what belongs to it.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use windlass_core::fact::{Entry, Fact};
use windlass_fleet::journal::{Appended, Attachment, Journal, Origin, Sequence};
use windlass_fleet::{Deadline, FleetError};
use windlass_host::file::read_if_there;

use super::landing;
use super::room::{CALL, Event, Room, RunLeft, StartError, beside};
use super::withheld::Progress;
use crate::journal::{FleetJournal, Standing, compare, piece_of};

/// How long one try may take.
const TRY: Duration = Duration::from_secs(5);

/// How long a run's end waits for its last facts to arrive: a person may be waiting as well.
pub(super) const LAST_FACTS: Duration = Duration::from_secs(5);

/// What is to be brought.
enum Piece {
    Lines(Vec<u8>),
    Attachment(Attachment),
}

/// What is in the journal of this machine and on its way to the fleet's.
#[derive(Default)]
pub(super) struct Publications {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// In their order.
    waiting: VecDeque<Piece>,
    progress: Progress,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Open,
    /// Nothing is recorded any more; what waits is still brought.
    Closing,
    /// Nothing more is brought.
    Closed,
}

impl Publications {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    /// These lines are in the journal of this machine.
    pub fn recorded(&self, lines: &[u8]) {
        self.change(|state| {
            state.progress.recorded += lines.len() as u64;
            match state.waiting.back_mut() {
                Some(Piece::Lines(waiting)) => waiting.extend_from_slice(lines),
                _ if lines.is_empty() => {}
                _ => state.waiting.push_back(Piece::Lines(lines.to_vec())),
            }
        });
    }

    /// This belongs to the run. What is recorded from now on comes after it.
    pub fn attach(&self, attachment: Attachment) {
        self.change(|state| state.waiting.push_back(Piece::Attachment(attachment)));
    }

    pub fn progress(&self) -> Progress {
        self.state().progress
    }

    /// The next piece, once there is one; `None` at the end.
    fn next(&self) -> Option<Piece> {
        let mut state = self.state();
        loop {
            match (state.stage, state.waiting.front()) {
                (Stage::Closed, _) | (Stage::Closing, None) => return None,
                (_, Some(Piece::Lines(lines))) => return Some(Piece::Lines(piece_of(lines).to_vec())),
                (_, Some(Piece::Attachment(attachment))) => {
                    return Some(Piece::Attachment(attachment.clone()));
                }
                (Stage::Open, None) => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// The first piece that waited is there.
    fn brought(&self, piece: &Piece) {
        self.change(|state| match (piece, state.waiting.front_mut()) {
            (Piece::Lines(brought), Some(Piece::Lines(lines))) if lines.len() > brought.len() => {
                state.progress.published += brought.len() as u64;
                lines.drain(..brought.len());
            }
            (Piece::Lines(brought), _) => {
                state.progress.published += brought.len() as u64;
                state.waiting.pop_front();
            }
            (Piece::Attachment(_), _) => drop(state.waiting.pop_front()),
        });
    }

    fn is_closed(&self) -> bool {
        self.state().stage == Stage::Closed
    }

    /// What still waits is brought, for so long, where anybody is there to take it.
    pub fn close(&self, patience: Duration) {
        let deadline = Deadline::after(patience);
        let mut state = self.state();
        if state.stage == Stage::Open {
            state.stage = Stage::Closing;
            self.changed.notify_all();
        }
        while state.stage != Stage::Closed && !deadline.is_over() {
            let waited = self.changed.wait_timeout(state, deadline.left());
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.stage = Stage::Closed;
        self.changed.notify_all();
    }
}

/// Begins with what the fleet lacks of the journal in the run's folder.
pub(super) fn begin(room: &Arc<Room>) -> Result<JoinHandle<()>, StartError> {
    let there = FleetJournal::read(&room.fleet, &room.run)?;
    let here = read_if_there(&room.folder.journal())?.unwrap_or_default();
    let Standing::FleetLacks { common } = compare(&here, &there.bytes) else {
        return Err(StartError::JournalChanged(room.run.clone()));
    };
    let (published, waiting) = here.split_at(common);
    let published = published.len() as u64;
    room.publications.change(|state| state.progress = Progress { recorded: published, published });
    // What has landed is in the fleet before its fact: an earlier runner may have come to neither.
    if entries_of(waiting).any(|entry| matches!(entry.fact, Fact::Landed(_))) {
        room.publications.attach(Attachment::Code(landing::kept(room)?));
    }
    room.publications.recorded(waiting);
    let journal = Journal::of(&room.fleet, &room.run)?;
    // With this an earlier runner that stood still is refused its next line.
    let first = Attachment::Brief(room.brief.clone());
    let Appended::Written(at) = journal.attach(&first, there.end, Deadline::after(CALL))? else {
        return Err(StartError::JournalChanged(room.run.clone()));
    };
    let thread = beside(room, "fleet-journal", move |room| {
        Publishing { room: &room, journal, at }.work();
        room.publications.change(|state| state.stage = Stage::Closed);
    });
    Ok(thread?)
}

/// The facts of whole lines.
fn entries_of(lines: &[u8]) -> impl Iterator<Item = Entry> + '_ {
    lines.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}

/// What the thread works with.
struct Publishing<'a> {
    room: &'a Room,
    journal: Journal,
    /// Where the fleet's journal ends.
    at: Sequence,
}

impl Publishing<'_> {
    fn work(mut self) {
        while let Some(piece) = self.room.publications.next() {
            if let Err(event) = self.bring(&piece) {
                self.room.tell(event);
                return;
            }
        }
    }

    /// Tries until it is there, or cannot be.
    fn bring(&mut self, piece: &Piece) -> Result<(), Event> {
        while !self.room.publications.is_closed() {
            let deadline = Deadline::after(TRY);
            let appended = match piece {
                Piece::Lines(lines) => self.journal.append(lines, self.at, deadline),
                Piece::Attachment(attachment) => self.journal.attach(attachment, self.at, deadline),
            };
            match appended {
                Ok(Appended::Written(at)) => {
                    self.at = at;
                    self.room.publications.brought(piece);
                    self.room.wake();
                    return Ok(());
                }
                Ok(Appended::Refused { .. }) => self.pass_over_noise()?,
                // The watch says so, and when it has been long enough.
                Err(error) if error.may_pass() => {}
                Err(error) => return Err(failed(&error)),
            }
        }
        Ok(())
    }

    /// What stands for nothing is passed over; a line of another runner is the end of this one.
    fn pass_over_noise(&mut self) -> Result<(), Event> {
        let mut has_lines = false;
        let read = self.journal.read(self.at, Deadline::after(TRY), |line| {
            has_lines |= line.origin != Origin::Noise;
        });
        match read {
            _ if has_lines => Err(Event::Left(RunLeft::TakenOver("another runner".to_owned()))),
            Ok(at) => {
                self.at = at;
                Ok(())
            }
            Err(error) if error.may_pass() => Ok(()),
            Err(error) => Err(failed(&error)),
        }
    }
}

/// What cannot be kept does not count: nothing more can be decided here.
fn failed(error: &FleetError) -> Event {
    Event::Left(RunLeft::NoJournal(error.to_string()))
}
