//! The publisher: a thread that brings the run's journal to the fleet, in its order.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use windlass_fleet::journal::{Appended, Journal, Origin, Sequence};
use windlass_fleet::{Deadline, FleetError};
use windlass_host::file::read_if_there;

use super::room::{CALL, Event, Room, RunLeft, StartError, beside};
use super::withheld::Progress;
use crate::journal::{FleetJournal, Standing, compare, piece_of};

/// How long one try may take.
const TRY: Duration = Duration::from_secs(5);

/// How long a run's end waits for its last facts to arrive.
pub(super) const LAST_FACTS: Duration = CALL;

/// The handle of the thread.
pub(super) struct Publisher {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Lines that the fleet does not have yet.
    waiting: Vec<u8>,
    recorded: u64,
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

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    /// The next piece, once there is one; `None` at the end.
    fn next(&self) -> Option<Vec<u8>> {
        let mut state = self.state();
        loop {
            match state.stage {
                Stage::Closed => return None,
                Stage::Closing if state.waiting.is_empty() => return None,
                _ if !state.waiting.is_empty() => return Some(piece_of(&state.waiting).to_vec()),
                _ => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn is_closed(&self) -> bool {
        self.state().stage == Stage::Closed
    }
}

impl Publisher {
    /// Begins with what the fleet lacks of the journal in the run's folder.
    pub fn begin(room: &Arc<Room>) -> Result<Publisher, StartError> {
        let there = FleetJournal::read(&room.fleet, &room.run)?;
        let path = room.folder.journal();
        let mut here = read_if_there(&path)?.unwrap_or_default();
        let Standing::FleetLacks { common } = compare(&here, &there.bytes) else {
            return Err(StartError::JournalChanged(room.run.clone()));
        };
        let recorded = here.len() as u64;
        let waiting = here.split_off(common);
        let shared = Arc::new(Shared::default());
        shared.change(|state| {
            state.recorded = recorded;
            state.waiting = waiting;
        });
        let journal = Journal::of(&room.fleet, &room.run)?;
        let of_thread = Arc::clone(&shared);
        let thread = beside(room, "fleet-journal", move |room| {
            Publishing { room: &room, shared: &of_thread, journal, at: there.end }.work();
            of_thread.change(|state| state.stage = Stage::Closed);
        })?;
        Ok(Publisher { shared, thread })
    }

    /// These lines are in the journal of this machine.
    pub fn recorded(&self, lines: &[u8]) {
        self.shared.change(|state| {
            state.recorded += lines.len() as u64;
            state.waiting.extend_from_slice(lines);
        });
    }

    pub fn progress(&self) -> Progress {
        let state = self.shared.state();
        Progress { recorded: state.recorded, published: state.recorded - state.waiting.len() as u64 }
    }

    /// Brings what still waits, for a moment, where anybody is there to take it.
    pub fn close(self, patience: Duration) {
        self.shared.change(|state| {
            if state.stage == Stage::Open {
                state.stage = Stage::Closing;
            }
        });
        let deadline = Deadline::after(patience);
        let mut state = self.shared.state();
        while state.stage != Stage::Closed && !deadline.is_over() {
            let waited = self.shared.changed.wait_timeout(state, deadline.left());
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.stage = Stage::Closed;
        drop(state);
        let _ = self.thread.join();
    }
}

/// What the thread works with.
struct Publishing<'a> {
    room: &'a Room,
    shared: &'a Shared,
    journal: Journal,
    /// Where the fleet's journal ends.
    at: Sequence,
}

impl Publishing<'_> {
    fn work(mut self) {
        while let Some(piece) = self.shared.next() {
            if let Err(event) = self.bring(&piece) {
                self.room.tell(event);
                return;
            }
        }
    }

    /// Tries until it is there, or cannot be.
    fn bring(&mut self, piece: &[u8]) -> Result<(), Event> {
        while !self.shared.is_closed() {
            match self.journal.append(piece, self.at, Deadline::after(TRY)) {
                Ok(Appended::Written(at)) => {
                    self.at = at;
                    self.shared.change(|state| drop(state.waiting.drain(..piece.len())));
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
            has_lines |= line.origin == Origin::Appended;
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

fn failed(error: &FleetError) -> Event {
    Event::Failed(format!("the run's journal cannot be kept in the fleet: {error}"))
}
