//! Orders: effects on their way to whoever carries them out, and what comes back.
//!
//! Orders and reports are the two types between the one who decides and those who act, the same for threads of this
//! process and for other machines.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::report::Report;
use crate::run::{Effect, OrderContext, Run};
use crate::values::{LaneId, Now, RunId};

/// Which order it is: the number that the next fact had when the order was given.
///
/// Facts are numbered over the whole run, each session begins with one, and between two orders that follow from one another
/// in a lane there is at least one. So an order has a higher epoch than every earlier one of its lane, of this session and
/// of those before it; and what answers it has at least its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Epoch(pub u64);

/// How orders and reports are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireVersion;

/// The one version that there is.
const VERSION: u16 = 1;

impl Serialize for WireVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u16(VERSION)
    }
}

impl<'de> Deserialize<'de> for WireVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WireVersion, D::Error> {
        match u16::deserialize(deserializer)? {
            VERSION => Ok(WireVersion),
            other => Err(D::Error::custom(format!(
                "it is of version {other}, and this windlass knows version {VERSION}"
            ))),
        }
    }
}

/// An effect to be carried out, with all that is needed to know of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// How it is written.
    #[serde(rename = "v")]
    pub version: WireVersion,
    /// Whose it is.
    pub run: RunId,
    /// Which order it is.
    pub epoch: Epoch,
    /// What is to be done, and in which lane.
    pub effect: Effect,
    /// What has to be known for that.
    pub context: OrderContext,
}

/// Something that came of an order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reported {
    /// How it is written.
    #[serde(rename = "v")]
    pub version: WireVersion,
    /// The order; `None` where it is about whoever carries them out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Epoch>,
    /// What.
    pub report: Report,
}

impl Reported {
    /// What came of an order.
    pub fn of(order: Epoch, report: impl Into<Report>) -> Reported {
        Reported { version: WireVersion, order: Some(order), report: report.into() }
    }

    /// What nobody ordered.
    pub fn unasked(report: impl Into<Report>) -> Reported {
        Reported { version: WireVersion, order: None, report: report.into() }
    }
}

/// What was ordered in this session.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    /// What is outstanding and was ordered.
    given: BTreeSet<Effect>,
    /// The least that an order of this session can have.
    first: Epoch,
    /// The newest order of each lane; of the run as a whole under `None`.
    newest: BTreeMap<Option<LaneId>, Epoch>,
}

/// What follows for whoever carries orders out.
#[derive(Debug, Default)]
pub struct Due {
    /// Nobody waits for these any longer: they were seen done, or came to nothing.
    pub withdrawn: Vec<Effect>,
    /// To be carried out, in this order.
    pub orders: Vec<Order>,
}

impl Orders {
    /// Those of a session whose first fact is the next one: no order of an earlier session is younger than that fact.
    pub fn of_session(run: &Run) -> Orders {
        Orders { first: Epoch(run.next_seq() + 1), ..Orders::default() }
    }

    /// What is outstanding and was not ordered yet; it counts as ordered from now on.
    pub fn due(&mut self, run: &Run, now: Now) -> Due {
        let outstanding = run.outstanding();
        let gone = |effect: &Effect| !outstanding.contains(effect);
        let withdrawn: Vec<Effect> = self.given.iter().filter(|effect| gone(effect)).cloned().collect();
        self.given.retain(|effect| outstanding.contains(effect));
        let fresh = outstanding.into_iter().filter(|effect| self.given.insert(effect.clone()));
        let fresh: Vec<Effect> = fresh.collect();
        let orders = fresh.into_iter().filter_map(|effect| self.order(run, effect, now)).collect();
        Due { withdrawn, orders }
    }

    /// `None` before the run started.
    fn order(&mut self, run: &Run, effect: Effect, now: Now) -> Option<Order> {
        let epoch = Epoch(run.next_seq());
        // Whoever ends a call does so for the call's order. Issues are asked about beside what else the run waits for, and each
        // answer names its issue.
        if !matches!(effect, Effect::EndCall { .. } | Effect::Issue { .. }) {
            self.newest.insert(effect.lane(), epoch);
        }
        let context = OrderContext::of(run, &effect, now);
        Some(Order { version: WireVersion, run: run.spec()?.run.clone(), epoch, effect, context })
    }

    /// What was asked about an issue is answered. What has to be told there once more, with the pull request, may follow from the
    /// very answer: it is another order, though it reads the same.
    pub fn answered(&mut self, report: &Report) {
        if let Report::IssueReport(report) = report {
            let (task, what) = report.about();
            self.given.remove(&Effect::Issue { task: task.clone(), what });
        }
    }

    /// Does it answer an order that another one of its lane has taken the place of, or one of an earlier session? It is not
    /// counted then. What a person should know, and why the run must end, is heard in any case.
    pub fn is_late(&self, reported: &Reported) -> bool {
        let Reported { order: Some(order), report, .. } = reported else { return false };
        let heard = matches!(report, Report::Noticed(_) | Report::Failed(_) | Report::Broken(_));
        let newest = match report {
            Report::IssueReport(_) => self.first,
            report => self.newest.get(&report.lane()).copied().unwrap_or(self.first),
        };
        !heard && *order < newest
    }
}
