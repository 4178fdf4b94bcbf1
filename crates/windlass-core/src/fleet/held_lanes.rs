//! The lanes that a worker has of a run, and what each is at. Pure: orders and reports come in, what follows comes out.

use std::collections::BTreeMap;

use crate::fleet::leases::LeaseEpoch;
use crate::report::{CallEnded, Report};
use crate::run::{Effect, Epoch, Order, Reported};
use crate::values::{CallId, LaneId};

/// The lanes that a worker has of a run.
#[derive(Debug, Default)]
pub struct HeldLanes(BTreeMap<LaneId, HeldLane>);

/// A lane that is worked on.
#[derive(Debug)]
struct HeldLane {
    lease: LeaseEpoch,
    /// The newest order; one that comes twice is known by it.
    newest: Epoch,
    /// The call that is under way.
    call: Option<LiveCall>,
    /// How the last call ended: a runner that died before it heard so asks again.
    ended: Option<CallEnded>,
    /// What the lane was last told to do.
    order: Order,
}

/// A call that is under way.
#[derive(Clone, Copy, Debug)]
struct LiveCall {
    call: CallId,
    /// The order that began it.
    begun_by: Epoch,
    /// The one that its end answers: a later runner's, where that of the first has died.
    answers: Epoch,
}

/// What is to be done about an order.
#[derive(Debug, PartialEq)]
pub enum Todo {
    /// Nothing, by whoever has not got the lane.
    Nothing,
    /// It is to be carried out; nobody waits for this any longer.
    CarryOut {
        /// What the lane was to do before, where it may not even have begun.
        withdrawn: Option<Effect>,
    },
    /// Its call is under way: how that ends is the answer.
    Await,
    /// Its call has ended: this is the answer.
    Answer(Reported),
    /// The task is put aside: what is left of it is sent, and the lane is given back.
    Leave,
}

impl HeldLanes {
    /// A lane was taken, with this as its first order.
    pub fn begin(&mut self, lane: LaneId, lease: LeaseEpoch, order: &Order) {
        let (newest, order) = (Epoch::default(), order.clone());
        let held = HeldLane { lease, newest, call: None, ended: None, order };
        self.0.insert(lane, held);
    }

    /// It is not held any more.
    pub fn leave(&mut self, lane: LaneId) {
        self.0.remove(&lane);
    }

    /// Those that are held.
    pub fn lanes(&self) -> impl Iterator<Item = LaneId> {
        self.0.keys().copied()
    }

    /// Under which lease a lane is held.
    pub fn lease(&self, lane: LaneId) -> Option<LeaseEpoch> {
        self.0.get(&lane).map(|held| held.lease)
    }

    /// What a lane was last told to do.
    pub fn order(&self, lane: LaneId) -> Option<&Order> {
        self.0.get(&lane).map(|held| &held.order)
    }

    /// The same, where that is a call that has not ended.
    pub fn call(&self, lane: LaneId) -> Option<&Order> {
        self.0.get(&lane).filter(|held| held.call.is_some()).map(|held| &held.order)
    }

    /// Did this order not come before? From now on it has.
    pub fn is_new(&mut self, lane: LaneId, order: &Order) -> bool {
        let Some(held) = self.0.get_mut(&lane) else { return false };
        // It is for the order of its call.
        if matches!(order.effect, Effect::EndCall { .. }) {
            return true;
        }
        let is_new = order.epoch > held.newest;
        held.newest = held.newest.max(order.epoch);
        is_new
    }

    /// What is to be done about one that is new.
    pub fn take(&mut self, lane: LaneId, order: &Order) -> Todo {
        let Some(held) = self.0.get_mut(&lane) else { return Todo::Nothing };
        match &order.effect {
            Effect::CloseTask { .. } => {
                self.leave(lane);
                return Todo::Leave;
            }
            // Its runner died, and its call did not: the end of it is what is asked for.
            Effect::Recover { call, .. } => {
                if let Some(live) = held.call.as_mut().filter(|live| live.call == *call) {
                    live.answers = order.epoch;
                    return Todo::Await;
                }
                if let Some(ended) = held.ended.as_ref().filter(|ended| ended.call == *call) {
                    return Todo::Answer(Reported::of(order.epoch, ended.clone()));
                }
            }
            Effect::Call { call, .. } => {
                held.call = Some(LiveCall { call: *call, begun_by: order.epoch, answers: order.epoch });
            }
            _ => {}
        }
        if matches!(order.effect, Effect::EndCall { .. }) {
            return Todo::CarryOut { withdrawn: None };
        }
        let before = std::mem::replace(&mut held.order, order.clone()).effect;
        Todo::CarryOut { withdrawn: matches!(before, Effect::Open { .. }).then_some(before) }
    }

    /// The lane whose order it is.
    pub fn lane_of(&self, order: Epoch) -> Option<LaneId> {
        let is_of =
            |held: &HeldLane| held.newest == order || held.call.is_some_and(|live| live.begun_by == order);
        self.0.iter().find(|(_, held)| is_of(held)).map(|(lane, _)| *lane)
    }

    /// What is reported of a lane, as the runner waits for it; `None` where the lane is not held any more.
    pub fn hear(&mut self, lane: LaneId, mut reported: Reported) -> Option<Reported> {
        let held = self.0.get_mut(&lane)?;
        if let Some(live) = held.call
            && reported.order == Some(live.begun_by)
        {
            reported.order = Some(live.answers);
        }
        if let Report::CallEnded(ended) = &reported.report {
            held.call.take_if(|live| live.call == ended.call);
            held.ended = Some(ended.clone());
        }
        Some(reported)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{OrderContext, TurnKey, WireVersion};
    use crate::values::{AgentIndex, CallReport, Purpose, RunId, TaskEnd, TaskId};

    const LANE: LaneId = LaneId(1);
    const CALL: CallId = CallId(1);
    const TURN: TurnKey = TurnKey { iteration: 1, attempt: 1 };

    fn order(epoch: u64, effect: Effect) -> Order {
        let run = RunId("r-00000001".to_owned());
        Order { version: WireVersion, run, epoch: Epoch(epoch), effect, context: OrderContext::default() }
    }

    fn call(epoch: u64) -> Order {
        let (lane, turn, purpose, agent) = (LANE, TURN, Purpose::Work, AgentIndex::default());
        order(epoch, Effect::Call { lane, call: CALL, turn, purpose, agent, budget: None })
    }

    fn recover(epoch: u64) -> Order {
        let (lane, turn, purpose, agent) = (LANE, TURN, Purpose::Work, AgentIndex::default());
        order(epoch, Effect::Recover { lane, call: CALL, turn, purpose, agent })
    }

    fn ended() -> CallEnded {
        CallEnded { lane: LANE, call: CALL, report: Box::new(CallReport::default()) }
    }

    fn held() -> HeldLanes {
        let mut lanes = HeldLanes::default();
        lanes.begin(LANE, LeaseEpoch(7), &order(4, Effect::Open { lane: LANE, turn: TURN }));
        lanes
    }

    fn takes(lanes: &mut HeldLanes, order: &Order) -> Option<Todo> {
        lanes.is_new(LANE, order).then(|| lanes.take(LANE, order))
    }

    #[test]
    fn an_order_that_comes_twice_is_carried_out_once() {
        let mut lanes = held();
        let withdrawn = Some(Effect::Open { lane: LANE, turn: TURN });
        assert_eq!(takes(&mut lanes, &call(5)), Some(Todo::CarryOut { withdrawn }));
        assert_eq!(takes(&mut lanes, &call(5)), None);
        assert_eq!(takes(&mut lanes, &call(4)), None);
        assert!(!HeldLanes::default().is_new(LANE, &call(5)), "it is not held");
    }

    #[test]
    fn the_end_of_a_call_answers_the_runner_that_asks_for_it() {
        let mut lanes = held();
        takes(&mut lanes, &call(5));
        assert_eq!(takes(&mut lanes, &recover(9)), Some(Todo::Await));
        assert_eq!(lanes.lane_of(Epoch(5)), Some(LANE));
        let heard = lanes.hear(LANE, Reported::of(Epoch(5), ended()));
        assert_eq!(heard, Some(Reported::of(Epoch(9), ended())));
        // The runner died before it heard so.
        assert_eq!(takes(&mut lanes, &recover(12)), Some(Todo::Answer(Reported::of(Epoch(12), ended()))));
    }

    #[test]
    fn a_call_that_nobody_knows_of_is_looked_for() {
        let mut lanes = held();
        assert!(matches!(takes(&mut lanes, &recover(5)), Some(Todo::CarryOut { .. })));
    }

    #[test]
    fn a_task_that_is_put_aside_gives_its_lane_back() {
        let mut lanes = held();
        let end = TaskEnd::Parked { reason: "it failed".to_owned() };
        let (task, attempts) = (TaskId("T".to_owned()), Vec::new());
        let close = Effect::CloseTask { lane: LANE, turn: TURN, task, end, since: None, attempts };
        assert_eq!(takes(&mut lanes, &order(5, close)), Some(Todo::Leave));
        assert_eq!(lanes.lease(LANE), None);
        assert_eq!(lanes.hear(LANE, Reported::of(Epoch(5), ended())), None);
    }
}
