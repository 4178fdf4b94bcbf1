//! The publisher: brings the run's journal to the servers, piece after piece.

use std::sync::Arc;

use windlass_core::fact::Entry;

use super::{Stage, Told, Waiting};
use crate::fleet::agenda::Event;
use crate::fleet::network::{Fate, ONE_TRY, Who};
use crate::fleet::night::Night;
use crate::fleet::plant::FleetPlant;
use crate::fleet::servers::{Appended, Piece, Written};

impl Night<'_> {
    /// These facts are in the journal of the runner's machine.
    pub(super) fn publish(&mut self, runner: usize, entries: &[Arc<Entry>]) {
        let known = &mut self.runners[runner];
        known.progress.recorded += entries.len() as u64;
        match known.waiting.back_mut() {
            _ if entries.is_empty() => {}
            Some(Waiting::Lines(waiting)) => waiting.extend(entries.iter().cloned()),
            _ => known.waiting.push_back(Waiting::Lines(entries.to_vec())),
        }
        self.bring(runner);
    }

    /// Tries to append the first piece, unless that is under way.
    pub(super) fn bring(&mut self, runner: usize) {
        let known = &self.runners[runner];
        if known.appending.is_some() || known.is_closed {
            return;
        }
        let Some(first) = known.waiting.front().cloned() else { return };
        self.append(runner, first);
    }

    fn append(&mut self, runner: usize, first: Written) {
        let token = self.number();
        let (after, writer) = (self.runners[runner].at, self.runners[runner].epoch());
        self.runners[runner].appending = Some(token);
        let fate = self.asks(Who::Runner(runner));
        let (there, back) = (self.way(), self.way());
        let after = if self.is(FleetPlant::UnexpectedEnd) { self.servers.journal.len() } else { after };
        let mut appended = None;
        if fate != Fate::Lost {
            let written = self.servers.append(Piece { writer, what: first.clone() }, after);
            appended = Some(written);
        }
        self.runners[runner].tried = Some(first);
        if fate == Fate::Answered && there + back < ONE_TRY {
            self.later(runner, there + back, Event::Appended { token, appended });
        } else {
            self.later(runner, ONE_TRY, Event::Appended { token, appended: None });
        }
    }

    pub(super) fn appended(&mut self, runner: usize, token: u64, appended: Option<Appended>) {
        if self.runners[runner].appending != Some(token) {
            return;
        }
        self.runners[runner].appending = None;
        let Some(tried) = self.runners[runner].tried.take() else { return };
        match appended {
            Some(Appended::Written(at)) => {
                self.runners[runner].at = at;
                self.brought(runner, &tried);
                self.bring(runner);
                self.wake(runner);
            }
            // A line of another runner is the end of this one.
            Some(Appended::Refused) => {
                self.runners[runner].is_closed = true;
                self.tell(runner, Told::Left);
            }
            // The same again settles it.
            None => self.append(runner, tried),
        }
    }

    fn brought(&mut self, runner: usize, piece: &Written) {
        let known = &mut self.runners[runner];
        match (piece, known.waiting.front_mut()) {
            (Written::Lines(brought), Some(Waiting::Lines(lines))) => {
                known.progress.published += brought.len() as u64;
                lines.drain(..brought.len());
                if lines.is_empty() {
                    known.waiting.pop_front();
                }
            }
            _ => drop(known.waiting.pop_front()),
        }
        if known.waiting.is_empty() && matches!(known.stage, Stage::Closing) {
            self.later(runner, 1, Event::Closed);
        }
    }
}
