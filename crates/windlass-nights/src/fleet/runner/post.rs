//! A lane's post: brings its orders to where they go, one after another.

use std::collections::VecDeque;
use std::sync::Arc;

use windlass_core::fleet::leases::LeaseEpoch;
use windlass_core::fleet::placement::{Route, Tenant, gives_back};
use windlass_core::run::Order;
use windlass_core::values::LaneId;

use super::{Stage, Told};
use crate::fleet::agenda::{Answer, Event, OrderLetter, Target};
use crate::fleet::network::{Fate, Who};
use crate::fleet::night::Night;
use crate::fleet::servers::{Errand, Place};

/// How long is waited before something is tried again.
const PAUSE: u64 = 500;

/// After each time of this length it is looked whether an order that nobody took is still in the queue.
const LOOKED_FOR: u64 = 5_000;

/// So many tries are made for one letter before it is looked anew where it goes.
const TRIES: u32 = 5;

#[derive(Debug, Default)]
pub(super) struct Post {
    inbox: VecDeque<Order>,
    carrying: Option<Carrying>,
    /// Of what it waits for now.
    token: u64,
}

#[derive(Debug)]
struct Carrying {
    order: Order,
    waited: u64,
    looked: u64,
    /// Whom it was sent to, and how often more it is.
    sent: Option<(Tenant, u32)>,
}

impl Night<'_> {
    pub(super) fn send(&mut self, runner: usize, lane: LaneId, order: Order) {
        self.runners[runner].placements.ordered(lane, &order);
        let post = self.runners[runner].posts.entry(lane).or_default();
        post.inbox.push_back(order);
        if post.carrying.is_none() {
            self.carry_next(runner, lane);
        }
    }

    fn carry_next(&mut self, runner: usize, lane: LaneId) {
        let known = &mut self.runners[runner];
        let Some(post) = known.posts.get_mut(&lane) else { return };
        post.carrying = None;
        let Some(order) = post.inbox.pop_front() else { return };
        if gives_back(&order.effect) {
            known.placements.leaves(lane);
        }
        post.carrying = Some(Carrying { order, waited: 0, looked: 0, sent: None });
        self.wait_for(runner, lane, 1);
    }

    fn wait_for(&mut self, runner: usize, lane: LaneId, pause: u64) {
        let token = self.number();
        if let Some(post) = self.runners[runner].posts.get_mut(&lane) {
            post.token = token;
        }
        self.later(runner, pause, Event::Post { lane, token });
    }

    /// Something in the placements has changed: all who wait look again.
    pub(super) fn changed(&mut self, runner: usize) {
        let waits = self.runners[runner]
            .posts
            .iter()
            .filter(|(_, post)| post.carrying.as_ref().is_some_and(|carrying| carrying.sent.is_none()));
        let lanes: Vec<LaneId> = waits.map(|(lane, _)| *lane).collect();
        for lane in lanes {
            self.wait_for(runner, lane, 1);
        }
    }

    pub(super) fn post_is_due(&mut self, runner: usize, lane: LaneId, token: u64) {
        let known = &mut self.runners[runner];
        if !matches!(known.stage, Stage::Runs) {
            return;
        }
        let Some(post) = known.posts.get_mut(&lane).filter(|post| post.token == token) else { return };
        let Some(carrying) = &mut post.carrying else { return };
        let order = carrying.order.clone();
        match known.placements.route(lane, &order) {
            Route::Nowhere => self.carry_next(runner, lane),
            Route::Lost => {
                if let Some(order) = self.runners[runner].placements.give_up(lane, order.epoch) {
                    self.tell(runner, Told::Unplaced(lane, Box::new(order)));
                }
                self.carry_next(runner, lane);
            }
            Route::Send(tenant) => {
                carrying.sent = Some((tenant, TRIES));
                self.try_letter(runner, lane);
            }
            Route::Offer => {
                carrying.looked = carrying.waited;
                self.offer(runner, lane, order);
                self.again(runner, lane);
            }
            Route::Wait => {
                if carrying.waited >= carrying.looked + LOOKED_FOR {
                    carrying.looked = carrying.waited;
                    self.look_for(runner, lane, &order);
                }
                self.again(runner, lane);
            }
        }
    }

    fn again(&mut self, runner: usize, lane: LaneId) {
        let post = self.runners[runner].posts.get_mut(&lane);
        if let Some(carrying) = post.and_then(|post| post.carrying.as_mut()) {
            carrying.waited += PAUSE;
            carrying.sent = None;
        }
        self.wait_for(runner, lane, PAUSE);
    }

    fn try_letter(&mut self, runner: usize, lane: LaneId) {
        let token = self.number();
        let (tip, epoch) = (self.tip(runner), self.runners[runner].epoch());
        let Some(post) = self.runners[runner].posts.get_mut(&lane) else { return };
        post.token = token;
        let Some(Carrying { order, sent: Some((tenant, tries)), .. }) = &mut post.carrying else { return };
        *tries -= 1;
        let errand = Arc::new(Errand { order: order.clone(), tip });
        let lease = tenant.epoch.0;
        let worker = tenant.worker.as_str().strip_prefix('w').and_then(|number| number.parse().ok());
        let letter = OrderLetter { from: runner, lane, token, errand, runner: epoch, lease };
        match worker.filter(|worker: &usize| *worker < self.workers.len() && self.workers[*worker].is_there())
        {
            Some(worker) => self.send_order(worker, &letter),
            // Nobody of that name listens.
            None => self.later(runner, 5, Event::Answered { lane, token, answer: Answer::None }),
        }
    }

    pub(super) fn answered(&mut self, runner: usize, lane: LaneId, token: u64, answer: Answer) {
        let known = &mut self.runners[runner];
        let Some(post) = known.posts.get_mut(&lane).filter(|post| post.token == token) else { return };
        let Some(Carrying { order, sent: Some((tenant, tries)), .. }) = &post.carrying else { return };
        let (back, parks) = (gives_back(&order.effect), order.effect.parks());
        let (lease, tries) = (LeaseEpoch(tenant.epoch.0), *tries);
        match answer {
            Answer::Accepted => {
                if back && !parks {
                    known.placements.left(lane, lease);
                }
                self.carry_next(runner, lane);
            }
            Answer::Refused => {
                if back {
                    known.placements.left(lane, lease);
                } else {
                    known.placements.refused(lane, lease);
                }
                self.again(runner, lane);
            }
            Answer::None if tries > 0 => self.try_letter(runner, lane),
            Answer::None => self.again(runner, lane),
        }
    }

    fn offer(&mut self, runner: usize, lane: LaneId, order: Order) {
        let (epoch, tip) = (self.runners[runner].epoch(), self.tip(runner));
        self.runners[runner].placements.offered(lane, order.epoch);
        let fate = self.asks(Who::Runner(runner));
        if fate != Fate::Answered {
            self.runners[runner].placements.not_offered(lane, order.epoch);
        }
        if fate != Fate::Lost {
            self.servers.publish(Arc::new(Errand { order, tip }), epoch);
            self.nudge_workers();
        }
    }

    /// Whoever waits for an order of the queue is given one.
    fn nudge_workers(&mut self) {
        for worker in 0..self.workers.len() {
            let soon = self.between(2, 60);
            let target = Target::Worker(worker, self.workers[worker].started);
            self.agenda.add(self.now + soon, target, Event::Poll);
        }
    }

    /// An order that is not in the queue any more, and whose lane nobody has, is offered anew.
    fn look_for(&mut self, runner: usize, lane: LaneId, order: &Order) {
        if self.asks(Who::Runner(runner)) != Fate::Answered {
            return;
        }
        if self.servers.queue.is_empty() {
            let lease = self.servers.look(Place::Lane(lane));
            self.see(runner, lane, lease.as_ref());
            self.runners[runner].placements.not_offered(lane, order.epoch);
        }
    }
}
