//! Money: what was spent, what is set aside.

use std::collections::BTreeMap;

use crate::fact::{CallId, Cost, Tokens};

/// The least that is set aside for a call.
pub const LEAST_RESERVATION: Cost = Cost::from_micros(500_000);

/// One ledger for all lanes of a run. Failed and interrupted calls are charged like any other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    spent: Cost,
    tokens: Tokens,
    calls: u32,
    estimated: bool,
    reserved: BTreeMap<CallId, Cost>,
}

impl Ledger {
    /// What finished calls cost.
    #[must_use]
    pub fn spent(&self) -> Cost {
        self.spent
    }

    /// What finished calls used.
    #[must_use]
    pub fn tokens(&self) -> Tokens {
        self.tokens
    }

    /// Is a part of what was spent an estimate?
    #[must_use]
    pub fn is_estimated(&self) -> bool {
        self.estimated
    }

    /// The next call's number.
    #[must_use]
    pub fn next_call(&self) -> CallId {
        let open = u32::try_from(self.reserved.len()).unwrap_or(u32::MAX);
        CallId(self.calls.saturating_add(open).saturating_add(1))
    }

    /// What to set aside for the next call: the mean of this run's calls, at least [`LEAST_RESERVATION`].
    #[must_use]
    pub fn reservation(&self) -> Cost {
        let mean = self.spent.micros().checked_div(u64::from(self.calls)).unwrap_or(0);
        Cost::from_micros(mean).max(LEAST_RESERVATION)
    }

    /// What the next call may spend of `limit`: what neither was spent nor is set aside for others.
    #[must_use]
    pub fn left_of(&self, limit: Cost) -> Cost {
        limit.minus(self.spent).minus(self.reserved.values().copied().sum())
    }

    /// What was set aside for a call that is still open.
    #[must_use]
    pub fn reserved_for(&self, call: CallId) -> Option<Cost> {
        self.reserved.get(&call).copied()
    }

    pub(crate) fn reserve(&mut self, call: CallId, amount: Cost) {
        self.reserved.insert(call, amount);
    }

    pub(crate) fn charge(&mut self, call: CallId, cost: Cost, tokens: Tokens, estimated: bool) {
        self.reserved.remove(&call);
        self.calls += 1;
        self.spent += cost;
        self.tokens += tokens;
        self.estimated |= estimated;
    }
}
