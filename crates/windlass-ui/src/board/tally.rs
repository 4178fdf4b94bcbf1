//! How many iterations ended how.

use windlass_core::values::Verdict;

/// Iterations by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) worked: u32,
    pub(crate) idle: u32,
    pub(crate) failed: u32,
    pub(crate) accepted: u32,
    pub(crate) refused: u32,
    pub(crate) unproven: u32,
}

impl Tally {
    pub(crate) fn total(self) -> u32 {
        self.worked + self.idle + self.failed + self.accepted + self.refused + self.unproven
    }

    pub(super) fn count(&mut self, verdict: Verdict) {
        let counter = match verdict {
            Verdict::Worked => &mut self.worked,
            Verdict::Idle => &mut self.idle,
            Verdict::Failed => &mut self.failed,
            Verdict::ClaimAccepted => &mut self.accepted,
            Verdict::ClaimRefused => &mut self.refused,
            Verdict::ClaimUnsupported => &mut self.unproven,
        };
        *counter = counter.saturating_add(1);
    }
}
