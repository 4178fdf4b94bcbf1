//! What these tests begin with.

use std::time::Duration;

use windlass_core::report::Report;
use windlass_core::run::{Effect, Epoch, Order, OrderContext, Reported, WireVersion};
use windlass_core::values::{CheckStage, LaneId, RunId};
use windlass_fleet::layout::{self, Replicas};
use windlass_fleet::leases::{Holder, LeaseEpoch};
use windlass_fleet::orders::{Errand, Fences, OfferedCode, Outcome};
use windlass_fleet::settings::{Login, Role, Settings};
use windlass_fleet::{Deadline, Fleet};
use windlass_testkit::Nats;

/// Long enough for anything on a busy machine.
pub fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(30))
}

pub fn short() -> Deadline {
    Deadline::after(Duration::from_millis(300))
}

pub fn settings(nats: &Nats, role: Role) -> Settings {
    settings_for(nats.urls(), role)
}

pub fn settings_for(urls: Vec<String>, role: Role) -> Settings {
    Settings { fleet: "night".parse().unwrap(), urls, login: Login::Open, authority: None, role }
}

pub fn connect(nats: &Nats, role: Role) -> Fleet {
    Fleet::connect(&settings(nats, role), soon()).unwrap()
}

/// A fleet on one server, with all that it needs.
pub fn night() -> (Nats, Fleet) {
    let nats = Nats::one();
    let fleet = connect(&nats, Role::Runner);
    layout::create(&fleet, Replicas::One, soon()).unwrap();
    (nats, fleet)
}

/// A fleet on three servers.
pub fn cluster() -> (Nats, Fleet) {
    let nats = Nats::three();
    let fleet = connect(&nats, Role::Runner);
    layout::create(&fleet, Replicas::Three, soon()).unwrap();
    (nats, fleet)
}

pub fn run() -> RunId {
    RunId("r-00000001".to_owned())
}

pub fn holder(name: &str) -> Holder {
    Holder::of(name.parse().unwrap())
}

pub fn fences() -> Fences {
    Fences { runner: LeaseEpoch(17), lane: None }
}

/// An order that can be told from others by its epoch.
pub fn order(epoch: u64) -> Errand {
    let order = Order {
        version: WireVersion,
        run: run(),
        epoch: Epoch(epoch),
        effect: Effect::RunCheck { lane: LaneId(3), stage: CheckStage::Candidate, check: 0, turn: None },
        context: OrderContext::default(),
    };
    let code = OfferedCode::default();
    Errand { order, run: "ab".repeat(32).parse().unwrap(), code, held_back: Vec::new() }
}

pub fn report(text: &str) -> Outcome {
    Outcome {
        worker: "Host-1".parse().unwrap(),
        lane: LaneId(3),
        number: 1,
        reported: vec![Reported::of(Epoch(9), Report::notice(text))],
        files: Vec::new(),
        made: None,
        given_up: None,
        late_work_on: None,
    }
}
