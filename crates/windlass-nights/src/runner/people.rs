//! What people do while the run goes on: signals, a request to stop, changes in the directories it works in.

use windlass_core::run::Input;
use windlass_core::values::{LaneId, StopSource};

use super::{Runner, Step};
use crate::plant::Plant;
use crate::record::What;
use crate::script::Happening;
use crate::world::{Actor, Author, NAMES, Tree};

impl Runner<'_> {
    pub(super) fn signal(&mut self, signal: &Happening) -> Step {
        if self.is_announcing() && matches!(signal, Happening::CtrlC | Happening::Terminate) {
            self.stop_announcing();
            return Ok(());
        }
        let (by, least) = match signal {
            Happening::CtrlC => (StopSource::Interrupt, if self.terminal { 1 } else { 2 }),
            Happening::Terminate => (StopSource::Terminate, 2),
            _ => {
                self.terminal = false;
                return self
                    .take(Input::notice("the terminal is gone; the run goes on without it".to_owned()));
            }
        };
        self.note(What::Stopped { by });
        self.take(Input::Stop { by, least })
    }

    pub(super) fn look_around(&mut self) -> Step {
        if self.look_at.is_some_and(|at| at <= self.world.clock.monotonic()) {
            self.look_at = None;
            if self.core.run.stop().is_none() && self.world.stop_file {
                self.note(What::Stopped { by: StopSource::Command });
                self.take(Input::Stop { by: StopSource::Command, least: 1 })?;
            }
        }
        Ok(())
    }

    /// Somebody removes a lane's checkout.
    pub(super) fn lane_goes(&mut self, lane: LaneId) {
        let here = self.here;
        self.enter(lane);
        // One that was never opened is not there.
        if self.world.git.exists() {
            self.note(What::PersonDid(format!("removes the checkout of lane {lane}")));
            self.world.no_directory = self.plant != Some(Plant::UnseenLoss);
            self.world.change(Actor::Person, |tree| *tree = Tree::default());
        }
        self.enter(here);
    }

    /// A person works in the user's directory while lanes are at work.
    pub(super) fn person_writes(&mut self, file: u8, commits: bool) {
        let here = self.here;
        self.enter(LaneId::default());
        let content = self.world.new_content();
        self.world.change(Actor::Person, |tree| tree.put(file, content));
        let also = if commits && self.world.git.exists() {
            self.world.git.commit(self.world.tree, Author::Person);
            " and commits everything"
        } else {
            ""
        };
        self.note(What::PersonDid(format!("writes {}{also}", NAMES[usize::from(file)])));
        self.enter(here);
    }

    /// A commit of a person's waits in an editor: so many landings find the checkout locked.
    pub(super) fn checkout_is_locked(&mut self, landings: u8) {
        self.note(What::Happened("a commit waits in an editor"));
        self.world.locked = landings;
    }

    pub(super) fn move_clock(&mut self, seconds: i64) {
        self.world.clock.jump(seconds * 1_000);
        self.note(What::ClockMoved(seconds));
    }
}
