//! The project's log of decisions.

use windlass_core::report;
use windlass_core::run::{Input, TurnKey};

use super::Runner;
use super::worker::Trouble;
use crate::plant::Plant;
use crate::record::What;

impl Runner<'_> {
    /// Adds what was decided to the project's log, where it does not stand there.
    pub(super) fn log_decision(&mut self, turn: TurnKey) -> Result<Vec<Input>, Trouble> {
        let (lane, iteration, attempt) = (self.here, turn.iteration, turn.attempt);
        let times = if self.plant == Some(Plant::DecidedTwice) { 2 } else { 1 };
        if times > 1 || !self.decision_log.contains(&turn) {
            self.decision_log.push(turn);
            for _ in 0..times {
                self.note(What::Logged { lane, iteration, attempt });
            }
            self.step().map_err(Trouble::Halted)?;
        }
        let digest = Some(self.decision_log.len().to_string());
        Ok(vec![Input::from(report::DecisionLogged {
            lane,
            iteration,
            attempt,
            digest,
            refused: String::new(),
        })])
    }
}
