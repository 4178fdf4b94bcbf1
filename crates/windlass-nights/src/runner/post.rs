//! Reports that come again, late: an executor that is not sure that it was heard says it once more, perhaps to another session.
//!
//! Which of them are counted is the real [`Orders`]' to say.

use std::collections::BTreeMap;
use std::time::Duration;

use windlass_core::run::{Epoch, Input, Orders, Reported};
use windlass_core::values::LaneId;

use super::{Arrival, Halt, Runner};
use crate::dice::Dice;
use crate::plant::Plant;
use crate::record::What;

/// The first night that may have late reports.
const FROM: u64 = 600_000;

/// What these dice start from, with the seed.
const POST: u64 = 0x706F_7374_0000_0000;

/// What is on its way a second time.
#[derive(Debug)]
pub(super) struct Post {
    /// `None` = everything is heard once.
    dice: Option<Dice>,
    orders: Orders,
    /// The newest order of each lane.
    newest: BTreeMap<Option<LaneId>, Epoch>,
    /// By the machine's clock.
    late: Vec<(Duration, Reported)>,
}

impl Post {
    pub fn new(seed: u64) -> Post {
        let mut dice = Dice::new(seed ^ POST);
        let comes_again = seed >= FROM && dice.chance(50);
        Post {
            dice: comes_again.then_some(dice),
            orders: Orders::default(),
            newest: BTreeMap::new(),
            late: Vec::new(),
        }
    }
}

impl Runner<'_> {
    /// What was ordered in an earlier session is over; what was said of it may still be on its way.
    pub(super) fn begin_post(&mut self) {
        self.post.orders = Orders::of_session(&self.core.run);
        self.post.newest.clear();
    }

    /// Whoever carries orders out is on this machine, and loses its power as well.
    pub(super) fn lose_post(&mut self) {
        self.post.late.clear();
    }

    /// Gives orders for what is outstanding, so that what answers an older one is known.
    pub(super) fn give_orders(&mut self) {
        if self.post.dice.is_none() {
            return;
        }
        for order in self.post.orders.due(&self.core.run, self.world.clock.now()).orders {
            self.post.newest.insert(order.effect.lane(), order.epoch);
        }
    }

    /// What came of an order.
    pub(super) fn answers(&mut self, lane: Option<LaneId>, inputs: Vec<Input>) {
        for input in inputs {
            self.reports(lane, &input);
            self.inbox.push_back(Arrival::Worked(input));
        }
    }

    /// Something is reported; sometimes it is said again later.
    pub(super) fn reports(&mut self, lane: Option<LaneId>, input: &Input) {
        let Some(dice) = &mut self.post.dice else { return };
        let (Input::Report(report), Some(epoch)) = (input, self.post.newest.get(&lane)) else { return };
        if dice.chance(25) {
            let after = dice.pick(&[(3, 1), (3, 2_000), (2, 60_000), (1, 900_000)]);
            let at = self.world.clock.machine() + Duration::from_millis(after);
            self.post.late.push((at, Reported::of(*epoch, (**report).clone())));
        }
    }

    /// What comes late is heard, unless another order has taken its order's place. Was something heard?
    pub(super) fn look_at_post(&mut self) -> Result<bool, Halt> {
        let now = self.world.clock.machine();
        let due = self.post.late.iter().position(|(at, _)| *at <= now);
        let Some((_, reported)) = due.map(|at| self.post.late.remove(at)) else { return Ok(false) };
        if self.post.orders.is_late(&reported) && self.plant != Some(Plant::LateCounts) {
            return Ok(false);
        }
        self.note(What::Happened("a report comes a second time"));
        self.take(Input::from(reported.report)).map(|()| true)
    }
}
