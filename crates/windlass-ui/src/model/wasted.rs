//! What was spent in vain.

use std::ops::AddAssign;

use serde::Serialize;
use windlass_core::values::{Cost, Verdict};

/// Money that brought nothing, by why it did not. Each cent is counted once: what a repeated attempt cost is `repeated`, whatever
/// became of its iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Wasted {
    /// Iterations that failed.
    #[serde(rename = "failed_usd")]
    pub failed: Cost,
    /// Iterations whose claim was refused, or had nothing to stand on. What they wrote may be of use to the next one.
    #[serde(rename = "refused_usd")]
    pub refused: Cost,
    /// Iterations that brought nothing new.
    #[serde(rename = "idle_usd")]
    pub idle: Cost,
    /// Attempts that were cut off or did not get through, and were made again.
    #[serde(rename = "repeated_usd")]
    pub repeated: Cost,
}

impl Wasted {
    /// Of an iteration that cost so much, of which so much went into attempts that were repeated.
    pub fn of(verdict: Option<Verdict>, cost: Cost, repeated: Cost) -> Wasted {
        let repeated = repeated.min(cost);
        let rest = cost.minus(repeated);
        let mut wasted = Wasted { repeated, ..Wasted::default() };
        match verdict {
            Some(Verdict::Failed) => wasted.failed = rest,
            Some(Verdict::ClaimRefused | Verdict::ClaimUnsupported) => wasted.refused = rest,
            Some(Verdict::Idle) => wasted.idle = rest,
            Some(Verdict::Worked | Verdict::ClaimAccepted) | None => {}
        }
        wasted
    }

    /// All of it.
    pub fn total(self) -> Cost {
        self.failed + self.refused + self.idle + self.repeated
    }

    /// The kinds that there are, with their words.
    pub fn parts(self) -> impl Iterator<Item = (&'static str, Cost)> {
        let parts = [
            ("refused", self.refused),
            ("failed", self.failed),
            ("repeated", self.repeated),
            ("nothing new", self.idle),
        ];
        parts.into_iter().filter(|(_, cost)| !cost.is_zero())
    }
}

impl AddAssign for Wasted {
    fn add_assign(&mut self, other: Wasted) {
        self.failed += other.failed;
        self.refused += other.refused;
        self.idle += other.idle;
        self.repeated += other.repeated;
    }
}
