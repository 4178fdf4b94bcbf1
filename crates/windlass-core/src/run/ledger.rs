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

#[cfg(test)]
mod tests {
    use super::*;

    const fn dollars(dollars: u64) -> Cost {
        Cost::from_micros(dollars * 1_000_000)
    }

    // rows: 55
    #[test]
    fn what_is_set_aside_is_not_left_and_what_is_charged_is_spent() {
        let mut ledger = Ledger::default();
        assert_eq!((ledger.reservation(), ledger.next_call()), (LEAST_RESERVATION, CallId(1)));
        ledger.reserve(CallId(1), dollars(1));
        ledger.reserve(CallId(2), dollars(2));
        assert_eq!((ledger.next_call(), ledger.reserved_for(CallId(2))), (CallId(3), Some(dollars(2))));
        assert_eq!(ledger.left_of(dollars(10)), dollars(7));
        let tokens = Tokens { input: 3, ..Tokens::default() };
        ledger.charge(CallId(1), dollars(3), tokens, false);
        assert!(!ledger.is_estimated());
        assert_eq!((ledger.spent(), ledger.tokens().total(), ledger.next_call()), (dollars(3), 3, CallId(3)));
        assert_eq!((ledger.left_of(dollars(10)), ledger.reserved_for(CallId(1))), (dollars(5), None));
        ledger.charge(CallId(2), dollars(5), tokens, true);
        assert!(ledger.is_estimated());
        assert_eq!((ledger.reservation(), ledger.left_of(dollars(10))), (dollars(4), dollars(2)));
        ledger.charge(CallId(3), Cost::ZERO, tokens, false);
        assert!(ledger.is_estimated(), "an estimate stays one");
        assert_eq!((ledger.left_of(dollars(7)), ledger.tokens().total()), (Cost::ZERO, 9));
    }
}
