//! Orders that wait until the facts before them are in the fleet's journal: a fact counts once it is there.

use std::collections::VecDeque;

use crate::run::{Effect, Order, Side};
use crate::values::CallId;

/// How far the journal has come, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// What is in the one of this machine.
    pub recorded: u64,
    /// What of it the fleet has.
    pub published: u64,
}

/// Orders that wait, each with how much of the journal the fleet has to have.
#[derive(Debug, Default)]
pub struct Withheld(VecDeque<(u64, Order)>);

impl Withheld {
    /// Gives an order back that can be carried out now, and keeps one that has to wait. What was ordered first begins first. Two
    /// wait for nothing: the end of a call that is under way, and the run's own end, which a person may want while the servers are
    /// away.
    pub fn take(&mut self, order: Order, progress: Progress) -> Option<Order> {
        let goes_first = match &order.effect {
            Effect::EndCall { call, .. } => !self.0.iter().any(|(_, order)| begins(&order.effect, *call)),
            effect => *effect == Effect::Announce,
        };
        if goes_first {
            return Some(order);
        }
        // Orders are numbered after facts: a worker would take one of a later runner, who knows nothing of the last facts, for one that
        // it has.
        let waits = order.effect.needs_journal() || order.effect.side() == Side::Worker;
        let needed = if waits { progress.recorded } else { 0 };
        if self.0.is_empty() && needed <= progress.published {
            return Some(order);
        }
        self.0.push_back((needed, order));
        None
    }

    /// Nobody waits for this any longer.
    pub fn withdraw(&mut self, effect: &Effect) {
        self.0.retain(|(_, order)| order.effect != *effect);
    }

    /// The next that can be carried out.
    pub fn next(&mut self, progress: Progress) -> Option<Order> {
        self.0.pop_front_if(|(needed, _)| *needed <= progress.published).map(|(_, order)| order)
    }
}

fn begins(effect: &Effect, of: CallId) -> bool {
    matches!(effect, Effect::Call { call, .. } | Effect::Recover { call, .. } if *call == of)
}

#[cfg(test)]
mod tests {
    use crate::run::{EndCall, Epoch, Occasion, OrderContext, TurnKey, WireVersion};
    use crate::values::{AgentIndex, Cut, LaneId, Purpose, RunId};

    use super::*;

    const LANE: LaneId = LaneId(1);
    const TURN: TurnKey = TurnKey { iteration: 1, attempt: 1 };

    fn order(effect: Effect) -> Order {
        let run = RunId("r-00000001".to_owned());
        Order { version: WireVersion, run, epoch: Epoch(1), effect, context: OrderContext::default() }
    }

    /// Leaves no trace.
    fn survey() -> Effect {
        Effect::Survey(Occasion::Start)
    }

    /// Leaves none either, and is carried out by a worker.
    fn settle() -> Effect {
        Effect::Settle { lane: LANE, turn: TURN }
    }

    /// Leaves one.
    fn keep() -> Effect {
        Effect::Keep { lane: LANE, turn: TURN }
    }

    fn call() -> Effect {
        let (lane, turn, purpose) = (LANE, TURN, Purpose::Work);
        Effect::Call { lane, call: CallId(1), turn, purpose, agent: AgentIndex::default(), budget: None }
    }

    fn end(call: u32) -> Effect {
        let call = CallId(call);
        Effect::EndCall { lane: LANE, call, how: EndCall::Ask, cut: Cut::Silence }
    }

    fn progress(recorded: u64, published: u64) -> Progress {
        Progress { recorded, published }
    }

    fn takes(withheld: &mut Withheld, effect: Effect, at: Progress) -> bool {
        withheld.take(order(effect), at).is_some()
    }

    fn next(withheld: &mut Withheld, published: u64) -> Option<Effect> {
        withheld.next(progress(u64::MAX, published)).map(|order| order.effect)
    }

    #[test]
    fn what_leaves_a_trace_waits_for_the_facts_before_it_and_for_no_later_ones() {
        let mut withheld = Withheld::default();
        assert!(takes(&mut withheld, keep(), progress(10, 10)));
        assert!(takes(&mut withheld, survey(), progress(20, 10)));
        assert!(!takes(&mut withheld, keep(), progress(20, 10)));
        assert_eq!(next(&mut withheld, 19), None);
        assert_eq!(next(&mut withheld, 20), Some(keep()));
        assert_eq!(next(&mut withheld, 20), None);
    }

    #[test]
    fn orders_keep_their_order() {
        let mut withheld = Withheld::default();
        assert!(!takes(&mut withheld, keep(), progress(20, 10)));
        assert!(!takes(&mut withheld, survey(), progress(30, 10)));
        assert!(!takes(&mut withheld, call(), progress(30, 10)));
        assert_eq!(next(&mut withheld, 20), Some(keep()));
        assert_eq!(next(&mut withheld, 20), Some(survey()));
        assert_eq!(next(&mut withheld, 20), None);
        assert_eq!(next(&mut withheld, 30), Some(call()));
    }

    #[test]
    fn a_call_that_is_under_way_is_ended_at_once_and_one_that_waits_after_it() {
        let mut withheld = Withheld::default();
        assert!(!takes(&mut withheld, call(), progress(20, 10)));
        assert!(takes(&mut withheld, end(7), progress(20, 10)));
        assert!(!takes(&mut withheld, end(1), progress(20, 10)));
        assert_eq!(next(&mut withheld, 20), Some(call()));
        assert_eq!(next(&mut withheld, 20), Some(end(1)));
    }

    #[test]
    fn the_end_of_the_run_waits_for_nothing() {
        let mut withheld = Withheld::default();
        assert!(!takes(&mut withheld, keep(), progress(20, 10)));
        assert!(takes(&mut withheld, Effect::Announce, progress(20, 10)));
    }

    #[test]
    fn what_nobody_waits_for_is_not_begun() {
        let mut withheld = Withheld::default();
        assert!(!takes(&mut withheld, call(), progress(20, 10)));
        withheld.withdraw(&call());
        assert_eq!(next(&mut withheld, 20), None);
        assert!(takes(&mut withheld, survey(), progress(20, 10)));
    }

    #[test]
    fn what_a_worker_is_told_is_numbered_after_facts_that_count() {
        let mut withheld = Withheld::default();
        assert!(!takes(&mut withheld, settle(), progress(20, 10)));
        assert_eq!(next(&mut withheld, 20), Some(settle()));
    }
}
