//! What is heard of calls while workers make them, written where whoever reads their streams finds it.

use std::collections::{BTreeMap, VecDeque};

use jiff::Timestamp;
use windlass_agents::{Agent, Decoder, Digest, Sink, of, usual};
use windlass_core::fact::{Entry, Fact};
use windlass_core::observation::Observation;
use windlass_core::values::{CallId, LaneId};
use windlass_engine::executor::{Audience, Place};
use windlass_engine::replay::live::{self, LiveRecording};
use windlass_engine::store::journal::Follower;
use windlass_engine::store::{CallFolder, RunFolder};

use super::Piece;

/// So many lines are kept of calls that the journal does not have yet.
const MOST_EARLY: usize = 200;

/// The calls of a run that are being made, as its journal has them.
pub(crate) struct HeardCalls {
    folder: RunFolder,
    journal: Follower,
    /// The agents of the run, in their order.
    agents: Vec<&'static dyn Agent>,
    calls: BTreeMap<CallId, HeardCall>,
    /// The last call that the journal has.
    newest: CallId,
    /// What was heard of later ones: on another machine the journal comes behind.
    early: VecDeque<Early>,
}

struct Early {
    lane: LaneId,
    piece: Piece,
    heard: Timestamp,
}

struct HeardCall {
    lane: LaneId,
    folder: CallFolder,
    reserved: Timestamp,
    decoder: Box<dyn Decoder>,
    recording: Recording,
}

/// What is kept of what is heard.
enum Recording {
    /// Nothing was heard yet.
    Unheard,
    /// All that comes.
    Open(LiveRecording),
    /// No more: a disk that is full, say. Nothing depends on it, and the stream itself comes later.
    GivenUp,
}

impl HeardCalls {
    /// Of the run with this folder. Nobody else hears them for the same folder.
    pub fn of(folder: &RunFolder) -> HeardCalls {
        let journal = Follower::new(&folder.journal());
        HeardCalls {
            folder: folder.clone(),
            journal,
            agents: Vec::new(),
            calls: BTreeMap::new(),
            newest: CallId(0),
            early: VecDeque::new(),
        }
    }

    /// Takes in which calls have begun and ended. What was heard of those that have goes, where their streams are there.
    pub fn look(&mut self, audience: Option<&dyn Audience>) {
        let before = self.newest;
        self.read_on();
        if self.newest == before {
            return;
        }
        for Early { lane, piece, heard } in std::mem::take(&mut self.early) {
            self.hear(lane, piece, heard, audience);
        }
    }

    fn read_on(&mut self) {
        loop {
            // What cannot be read has no calls of which anything could be heard: it is lost, as it may be.
            let facts = self.journal.poll().unwrap_or_default();
            if facts.is_empty() {
                return;
            }
            for entry in facts {
                self.read(entry);
            }
        }
    }

    fn read(&mut self, entry: Entry) {
        match entry.fact {
            Fact::RunStarted { plan } | Fact::RunResumed { plan } => {
                self.agents = plan.agents().map(|(_, agent)| of(agent)).collect();
            }
            Fact::CallReserved { lane, call, iteration, attempt, purpose, agent, .. } => {
                let folder = self.folder.call(iteration, attempt, purpose);
                let agent = self.agents.get(usize::from(agent.0)).copied().unwrap_or_else(usual);
                let (decoder, reserved) = (agent.decoder(), entry.at.wall);
                let recording = Recording::Unheard;
                self.calls.insert(call, HeardCall { lane, folder, reserved, decoder, recording });
                self.newest = self.newest.max(call);
            }
            Fact::CallFinished { call, .. } => {
                if let Some(heard) = self.calls.remove(&call) {
                    live::forget(&heard.folder);
                }
            }
            _ => {}
        }
    }

    /// Takes in what was said in a lane at this time, and tells whoever watches what it means.
    pub fn take(&mut self, lane: LaneId, text: &str, now: Timestamp, audience: Option<&dyn Audience>) {
        let Some(piece) = Piece::read(text) else { return };
        if piece.call > self.newest {
            self.look(audience);
        }
        self.hear(lane, piece, now, audience);
    }

    fn hear(&mut self, lane: LaneId, piece: Piece, now: Timestamp, audience: Option<&dyn Audience>) {
        if piece.call > self.newest {
            self.early.truncate(MOST_EARLY - 1);
            self.early.push_back(Early { lane, piece, heard: now });
            return;
        }
        let Some(heard) = self.calls.get_mut(&piece.call).filter(|heard| heard.lane == lane) else { return };
        heard.keep(&piece, now);
        if let Some(audience) = audience {
            let place = Place { lane, call: piece.call, line: piece.line, at: now };
            let mut sink = Told { place, audience };
            heard.decoder.line(piece.text.as_bytes(), audience.detail(), &mut sink);
        }
    }
}

impl HeardCall {
    fn keep(&mut self, piece: &Piece, now: Timestamp) {
        if matches!(self.recording, Recording::Unheard) {
            let opened = LiveRecording::open(&self.folder, self.reserved);
            self.recording = opened.map_or(Recording::GivenUp, Recording::Open);
        }
        if let Recording::Open(to) = &mut self.recording
            && to.add(piece.offset, piece.text.as_bytes(), now).is_err()
        {
            self.recording = Recording::GivenUp;
        }
    }
}

struct Told<'a> {
    place: Place,
    audience: &'a dyn Audience,
}

impl Sink for Told<'_> {
    fn digest(&mut self, _: Digest) {}

    fn observation(&mut self, observation: Observation) {
        self.audience.observation(self.place, observation);
    }
}
