//! Which snapshot holds all that a run had, where the files or the repository are gone: one answer, whoever is asked.

use crate::fact::Fact;
use crate::report;
use crate::values::RunId;

/// How the reason begins for which a run ends whose working directory has vanished.
pub const DIRECTORY_GONE: &str = "the working directory is not there any more";

/// The newest snapshot that is whole, folded from the facts of a run without lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WayBack {
    begun: u32,
    called: u32,
    is_kept: bool,
    is_damaged: bool,
}

impl WayBack {
    /// That of a journal.
    pub fn of<'a>(facts: impl IntoIterator<Item = &'a Fact>) -> WayBack {
        let mut way_back = WayBack::default();
        facts.into_iter().for_each(|fact| way_back.take(fact));
        way_back
    }

    /// Takes in one more fact.
    pub fn take(&mut self, fact: &Fact) {
        match fact {
            Fact::IterationStarted { iteration, .. } => self.begun = *iteration,
            // Before anybody is called, all that is there is kept.
            Fact::CallSpawned(_) if self.called != self.begun => {
                *self = WayBack { begun: self.begun, called: self.begun, ..WayBack::default() };
            }
            Fact::Damaged(_) => self.is_damaged = true,
            Fact::SnapshotTaken(report::SnapshotTaken { snapshot: Some(_), .. }) => self.is_kept = true,
            _ => {}
        }
    }

    /// What brings it back, with the repository; `None` before the first call.
    pub fn command(self, run: &RunId) -> Option<String> {
        Some(format!("windlass restore {run} {} --repository", self.point()?))
    }

    /// Which snapshot it is, as `restore` takes it; `None` before the first call. What an iteration left holds more than what it began
    /// with, unless it left damage.
    pub fn point(self) -> Option<String> {
        let iteration = Some(self.called).filter(|called| *called > 0)?;
        let side = if self.is_kept && !self.is_damaged { "" } else { " --before" };
        Some(format!("{iteration}{side}"))
    }
}
