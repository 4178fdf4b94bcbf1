//! Councils: their calls cost, and nothing else of an iteration is theirs.

use windlass_core::values::CallSummary;

use super::Tally;

impl Tally {
    pub(super) fn council_finished(&mut self, summary: &CallSummary) {
        self.spent += summary.cost;
        self.tokens += summary.tokens.total();
    }

    /// What a council left is kept.
    pub(super) fn council_kept(&mut self) {
        self.at.by_file &= self.file_claims();
        // Kept once more after a restart, what was judged is judged anew.
        if std::mem::replace(&mut self.at.kept_decider, true) {
            self.at.outcomes.clear();
            self.at.stuck = false;
        }
    }
}
