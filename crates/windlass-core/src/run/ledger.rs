//! Money: what was spent, what is set aside.

use std::collections::BTreeMap;

use crate::values::{Bill, CallId, CallReport, CallSummary, Cost, Ended, Listed, Tokens};

/// The least that is set aside for a call.
pub const LEAST_RESERVATION: Cost = Cost::from_micros(500_000);

/// A reported cost that differs from the list by more than this factor, up or down, is not believed.
const BELIEVED: u64 = 10;

/// What a call is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge {
    /// How much.
    pub cost: Cost,
    /// Nobody reported this, or nobody would believe what was reported.
    pub estimated: bool,
    /// What the list of prices says.
    pub listed: Cost,
}

impl Charge {
    /// What of it is an estimate.
    pub(crate) fn estimate(&self) -> Cost {
        if self.estimated { self.cost } else { Cost::ZERO }
    }
}

/// A call that was charged as an estimate, since nobody who had made it was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LostCall {
    /// It was made for.
    pub iteration: u32,
    /// What it was charged.
    pub cost: Cost,
    /// What it was known to have used.
    pub tokens: Tokens,
}

/// One ledger for all lanes of a run. Failed and interrupted calls are charged like any other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    spent: Cost,
    tokens: Tokens,
    calls: u32,
    estimated: Cost,
    /// What was reported and believed, and what the list says about the same calls: the run's own price.
    known: Cost,
    listed: Cost,
    reserved: BTreeMap<CallId, Cost>,
    lost: BTreeMap<CallId, LostCall>,
}

impl Ledger {
    /// What finished calls cost.
    pub fn spent(&self) -> Cost {
        self.spent
    }

    /// What finished calls used.
    pub fn tokens(&self) -> Tokens {
        self.tokens
    }

    /// The part of what was spent that is an estimate.
    pub fn estimated(&self) -> Cost {
        self.estimated
    }

    /// Is a part of what was spent an estimate?
    pub fn is_estimated(&self) -> bool {
        self.estimated > Cost::ZERO
    }

    /// The next call's number.
    pub fn next_call(&self) -> CallId {
        let open = u32::try_from(self.reserved.len()).unwrap_or(u32::MAX);
        CallId(self.calls.saturating_add(open).saturating_add(1))
    }

    /// What to set aside for the next call: the mean of this run's calls, at least [`LEAST_RESERVATION`].
    pub fn reservation(&self) -> Cost {
        let mean = self.spent.micros().checked_div(u64::from(self.calls)).unwrap_or(0);
        Cost::from_micros(mean).max(LEAST_RESERVATION)
    }

    /// What was set aside for a call that is still open.
    pub fn reserved_for(&self, call: CallId) -> Option<Cost> {
        self.reserved.get(&call).copied()
    }

    pub(crate) fn reserve(&mut self, call: CallId, amount: Cost) {
        self.reserved.insert(call, amount);
    }

    /// What an ended call is charged: what it reported where that can be, else what its tokens cost at the run's own price,
    /// and never less than what was set aside for it where it reported nothing, nor than what it named while it worked.
    pub fn charge_for(&self, call: CallId, report: &CallReport) -> Charge {
        let Bill { reported, unreported, named, doubted } = report.bill;
        let listed = reported.cost + unreported.cost;
        let charge = |cost, estimated| Charge { cost, estimated, listed };
        let at_own_price = self.at_own_price(listed);
        let Some(cost) = report.cost else {
            let reserved = self.reserved_for(call).unwrap_or_default();
            return charge(at_own_price.max(reserved).max(named), true);
        };
        let believed = is_believable(cost, &reported);
        if !believed || doubted || named > cost {
            charge(at_own_price.max(cost).max(named), true)
        } else if unreported.cost > Cost::ZERO {
            charge(cost + self.at_own_price(unreported.cost), true)
        } else {
            charge(cost, false)
        }
    }

    /// What the list says, as this run's finished calls have shown that it has to be read; within what is believed of one call.
    fn at_own_price(&self, listed: Cost) -> Cost {
        if self.known == Cost::ZERO || self.listed == Cost::ZERO {
            return listed;
        }
        let [listed, known, all] = [listed, self.known, self.listed].map(|cost| u128::from(cost.micros()));
        let believed = u128::from(BELIEVED);
        let priced = (listed * known).div_ceil(all).clamp(listed / believed, listed * believed);
        Cost::from_micros(u64::try_from(priced).unwrap_or(u64::MAX))
    }

    pub(crate) fn charge(&mut self, call: CallId, iteration: u32, summary: &CallSummary) {
        self.reserved.remove(&call);
        self.calls += 1;
        let CallSummary { cost, estimated, listed, tokens, .. } = *summary;
        if estimated && summary.ended == Ended::Lost {
            self.lost.insert(call, LostCall { iteration, cost, tokens });
        }
        self.add(Charge { cost, estimated, listed }, tokens);
    }

    fn add(&mut self, charge: Charge, tokens: Tokens) {
        self.spent += charge.cost;
        self.tokens += tokens;
        if charge.estimated {
            self.estimated += charge.cost;
        } else if charge.listed > Cost::ZERO {
            self.known += charge.cost;
            self.listed += charge.listed;
        }
    }

    /// Is it charged as one whose end nobody saw?
    pub fn is_lost(&self, call: CallId) -> bool {
        self.lost.contains_key(&call)
    }

    /// What a lost call is charged as it is known now, and what it was charged before; `None` where it is charged as it has to be. One
    /// that reported nothing is charged no less than before.
    pub(crate) fn recharge_for(&self, call: CallId, report: &CallReport) -> Option<(Charge, LostCall)> {
        let lost = *self.lost.get(&call)?;
        let charge = self.charge_for(call, report);
        let least = if report.cost.is_none() { lost.cost } else { Cost::ZERO };
        let charge = Charge { cost: charge.cost.max(least), ..charge };
        let is_news = !charge.estimated || charge.cost != lost.cost || report.tokens != lost.tokens;
        is_news.then_some((charge, lost))
    }

    /// Charges a lost call as it is known now, once; `None` where it is none.
    pub(crate) fn recharge(&mut self, call: CallId, charge: Charge, tokens: Tokens) -> Option<LostCall> {
        let lost = self.lost.remove(&call)?;
        self.spent = self.spent.minus(lost.cost);
        self.estimated = self.estimated.minus(lost.cost);
        self.tokens = self.tokens.with(Tokens::default(), lost.tokens);
        self.add(charge, tokens);
        Some(lost)
    }
}

/// Can a call that used what the list prices like this have cost that? Without tokens there is nothing to compare. What a
/// model costs that is on no list can be any amount, and nothing; what the others cost comes on top of that.
fn is_believable(cost: Cost, listed: &Listed) -> bool {
    let times = |cost: Cost| cost.micros().saturating_mul(BELIEVED);
    let is_too_much = !listed.guessed && listed.cost > Cost::ZERO && cost.micros() > times(listed.cost);
    let least = if listed.guessed { listed.known } else { listed.cost };
    !is_too_much && times(cost) >= least.micros()
}

#[cfg(test)]
mod tests;
