//! The queue of first orders. Each class of requirements has one subject, and one consumer that all who serve it share.

use std::time::Duration;

use async_nats::StatusCode;
use async_nats::header::NATS_MESSAGE_ID;
use async_nats::jetstream::consumer::{AckPolicy, Config, DeliverPolicy, Info};
use async_nats::{Message, jetstream::AckKind};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;
use windlass_core::values::RunId;

use super::{Errand, Fences, read, written};
use crate::call::{Deadline, ONE_TRY, until};
use crate::error::{FleetError, one_line};
use crate::fleet::{About, Fleet, NewMessage, Trouble};
use crate::journal::Sequence;
use crate::layout::Part;
use crate::leases::LeaseEpoch;
use crate::names::{Class, OrderKey, checked_run};

/// An order that was taken and neither acknowledged nor put back is given to somebody else after so long. That is no proof that
/// whoever took it is dead: the lease is.
const TAKEN_FOR: Duration = Duration::from_secs(30);

/// So many orders of a class may be taken and not acknowledged.
const MOST_TAKEN: i64 = 10_000;

/// So many workers may wait for one class.
const MOST_WAITING: i64 = 10_000;

/// What a pull is given beyond its wait, for its answer to arrive.
const GRACE: Duration = Duration::from_secs(1);

/// The queue of a fleet.
#[derive(Clone, Debug)]
pub struct Queue {
    fleet: Fleet,
    stream: String,
}

/// An order that is in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// It was put there.
    New(Sequence),
    /// It was there already, under the same key: put there before, or by this very call, whose first answer was lost.
    Before(Sequence),
}

/// A class, and how it is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassState {
    /// Which.
    pub class: Class,
    /// So many workers wait for an order.
    pub waiting: usize,
    /// So many orders nobody took yet.
    pub pending: u64,
    /// So many are taken, and neither acknowledged nor put back.
    pub taken: usize,
}

/// Orders of one class that are in the queue by whoever runs a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrdersOf {
    /// For whom.
    pub class: Class,
    /// Of which run.
    pub run: RunId,
    /// The lease of its runner: whoever has a later one has given orders of their own.
    pub runner: LeaseEpoch,
    /// So many.
    pub count: u64,
}

impl OrdersOf {
    /// By what follows `orders.` in a subject.
    fn read(subject: &str, count: u64) -> Option<OrdersOf> {
        let [class, run, runner] = subject.split('.').collect::<Vec<_>>().try_into().ok()?;
        let run = RunId(run.to_owned());
        checked_run(&run).ok()?;
        let runner = LeaseEpoch(runner.parse().ok()?);
        Some(OrdersOf { class: Class::of_token(class).ok()?, run, runner, count })
    }
}

impl Queue {
    /// Of this fleet. Nothing is asked yet.
    pub fn of(fleet: &Fleet) -> Queue {
        Queue { fleet: fleet.clone(), stream: Part::Orders.stream(&fleet.line.subjects) }
    }

    fn about<'a>(&'a self, doing: &'a str) -> About<'a> {
        About { doing, place: &self.stream }
    }

    /// Makes sure that a class can be taken from. Runners do that: what makes consumers can have the server send messages anywhere,
    /// and a worker may not.
    pub fn open_class(&self, class: &Class, deadline: Deadline) -> Result<(), FleetError> {
        let name = class.token();
        let filter = self.fleet.line.subjects.orders_of_class(class);
        let config = Config {
            durable_name: Some(name.clone()),
            name: Some(name.clone()),
            description: Some(format!("orders for workers that have: {name}")),
            deliver_policy: DeliverPolicy::All,
            ack_policy: AckPolicy::Explicit,
            ack_wait: TAKEN_FOR,
            max_ack_pending: MOST_TAKEN,
            max_waiting: MOST_WAITING,
            filter_subject: filter.clone(),
            ..Config::default()
        };
        // With this action it is made where it is missing, stays where it is the same, and is never changed.
        let body = json!({ "stream_name": self.stream, "config": config, "action": "create" });
        let what = format!("CONSUMER.CREATE.{}.{name}.{filter}", self.stream);
        let doing = format!("open the class {class}");
        let line = &self.fleet.line;
        let made: Result<Info, FleetError> =
            line.wait(line.ask(&what, Some(&body), self.about(&doing), deadline));
        made.map(|_| ())
    }

    /// Puts a lane's first order where whoever serves the class can take it. The same key again is the same order: it is there once.
    pub fn publish(
        &self,
        class: &Class,
        key: &OrderKey,
        errand: &Errand,
        fences: Fences,
        deadline: Deadline,
    ) -> Result<Published, FleetError> {
        let doing = "publish an order";
        let bytes = written(doing, errand)?;
        let subject = self.fleet.line.subjects.orders(class, &errand.order.run, fences.runner)?;
        let mut headers = fences.headers();
        headers.insert(NATS_MESSAGE_ID, key.as_str());
        let line = &self.fleet.line;
        let acknowledged = line.wait(until(deadline, || async {
            let wait = ONE_TRY.min(deadline.left());
            // Trying again is safe: the key is known.
            let tried = line
                .put_once(
                    &self.stream,
                    NewMessage { subject: &subject, headers: headers.clone(), payload: &bytes },
                    wait,
                )
                .await;
            line.tried(tried, self.about(doing), deadline)
        }))?;
        let sequence = Sequence(acknowledged.sequence);
        Ok(if acknowledged.duplicate { Published::Before(sequence) } else { Published::New(sequence) })
    }

    /// Takes an order of a class, waiting for one as long as `wait`; `None` where none came. A class that was never opened is
    /// [`FleetError::Missing`]. What is no order is taken out of the queue, and is the error.
    pub fn take(&self, class: &Class, wait: Duration) -> Result<Option<TakenOrder>, FleetError> {
        let doing = format!("take an order of the class {class}");
        let place = place_of(class);
        let about = About { doing: &doing, place: &place };
        let deadline = Deadline::after(wait.saturating_add(GRACE));
        let line = &self.fleet.line;
        let message = line.wait(until(deadline, || async {
            let tried = match self.pull(class, wait.min(deadline.left())).await {
                // Either there is no such consumer, or it has no leader at the moment.
                Err(Trouble::NoResponders) => {
                    let what = format!("CONSUMER.INFO.{}.{class}", self.stream);
                    let asked = line.ask_once::<Info>(&what, None, ONE_TRY.min(deadline.left())).await;
                    Err(asked.err().unwrap_or(Trouble::NoResponders))
                }
                tried => tried,
            };
            line.tried(tried, about, deadline)
        }))?;
        let Some(message) = message else { return Ok(None) };
        let taken = TakenReceipt::of(&self.fleet, &message)?;
        match read("an order of the queue", &message) {
            Ok((fences, errand)) => Ok(Some(TakenOrder { errand, fences, receipt: taken })),
            Err(garbled) => {
                // Otherwise everybody would be given it, again and again. Where this does not arrive, the next one says it.
                taken.say(AckKind::Term, Deadline::after(ONE_TRY)).ok();
                Err(garbled)
            }
        }
    }

    async fn pull(&self, class: &Class, wait: Duration) -> Result<Option<Message>, Trouble> {
        let subject = format!("$JS.API.CONSUMER.MSG.NEXT.{}.{}", self.stream, class.token());
        // The server gives up first: an order that it sends to nobody would be missing until it is given out anew.
        let expires = u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX).max(1_000_000);
        let body = json!({ "batch": 1, "expires": expires }).to_string();
        let message = self
            .fleet
            .line
            .request_message(&subject, body.into_bytes(), wait.saturating_add(GRACE / 2))
            .await?;
        match message.status {
            None => Ok(Some(message)),
            Some(StatusCode::NOT_FOUND | StatusCode::TIMEOUT) => Ok(None),
            // The consumer has another leader now, or was made anew.
            Some(_) => Err(Trouble::NoResponders),
        }
    }

    /// All classes that were ever opened. A name that is none of a class is left out.
    pub fn classes(&self, deadline: Deadline) -> Result<Vec<ClassState>, FleetError> {
        #[derive(Deserialize)]
        struct Page {
            #[serde(default)]
            total: usize,
            #[serde(default)]
            consumers: Option<Vec<Info>>,
        }
        let what = format!("CONSUMER.LIST.{}", self.stream);
        let line = &self.fleet.line;
        let mut classes = Vec::new();
        let mut seen = 0;
        loop {
            let about = self.about("list the classes of orders");
            let from = json!({ "offset": seen });
            let page: Page = line.wait(line.ask(&what, Some(&from), about, deadline))?;
            let consumers = page.consumers.unwrap_or_default();
            seen += consumers.len();
            let done = consumers.is_empty() || seen >= page.total;
            classes.extend(consumers.into_iter().filter_map(|consumer| {
                Some(ClassState {
                    class: Class::of_token(&consumer.name).ok()?,
                    waiting: consumer.num_waiting,
                    pending: consumer.num_pending,
                    taken: consumer.num_ack_pending,
                })
            }));
            if done {
                return Ok(classes);
            }
        }
    }

    /// All orders that are in the queue, taken ones as well, by whose they are. Subjects that are none of orders are left out.
    pub fn orders(&self, deadline: Deadline) -> Result<Vec<OrdersOf>, FleetError> {
        let prefix = self.fleet.line.subjects.below("orders.");
        let about = self.about("list the orders");
        let subjects = self.fleet.messages_by_subject(&self.stream, &prefix, about, deadline)?;
        Ok(subjects.iter().filter_map(|(subject, count)| OrdersOf::read(subject, *count)).collect())
    }

    /// How a class is served; the error is [`FleetError::Missing`] where it was never opened. Without anybody waiting it may still
    /// be served: by workers that have no lane free.
    pub fn class(&self, class: &Class, deadline: Deadline) -> Result<ClassState, FleetError> {
        let what = format!("CONSUMER.INFO.{}.{}", self.stream, class.token());
        let place = place_of(class);
        let about = About { doing: "look at a class of orders", place: &place };
        let line = &self.fleet.line;
        let info: Info = line.wait(line.ask(&what, None, about, deadline))?;
        Ok(ClassState {
            class: class.clone(),
            waiting: info.num_waiting,
            pending: info.num_pending,
            taken: info.num_ack_pending,
        })
    }
}

/// As it is named where it is missing.
fn place_of(class: &Class) -> String {
    format!("class {class} of orders")
}

/// An order that was taken. It is given to somebody else after half a minute, unless it is acknowledged.
#[derive(Debug)]
pub struct TakenOrder {
    /// What is to be done.
    pub errand: Errand,
    /// Under which leases it was given.
    pub fences: Fences,
    receipt: TakenReceipt,
}

impl TakenOrder {
    /// So often it was given to somebody, this time included.
    pub fn deliveries(&self) -> i64 {
        self.receipt.deliveries
    }

    /// The lane's lease was won: nobody else needs it. The server's word that it is gone is waited for.
    pub fn acknowledge(&self, deadline: Deadline) -> Result<(), FleetError> {
        self.receipt.say(AckKind::Ack, deadline)
    }

    /// It is not for this one, or not now: it is given to somebody after this pause.
    pub fn put_back(&self, pause: Duration, deadline: Deadline) -> Result<(), FleetError> {
        self.receipt.say(AckKind::Nak(Some(pause)), deadline)
    }

    /// It is for nobody.
    pub fn discard(&self, deadline: Deadline) -> Result<(), FleetError> {
        self.receipt.say(AckKind::Term, deadline)
    }
}

/// By which the server knows what is meant.
#[derive(Debug)]
struct TakenReceipt {
    fleet: Fleet,
    subject: String,
    deliveries: i64,
}

impl TakenReceipt {
    fn of(fleet: &Fleet, message: &Message) -> Result<TakenReceipt, FleetError> {
        let garbled = |problem: &str| FleetError::Garbled {
            what: "an order of the queue".to_owned(),
            problem: one_line(problem),
        };
        let subject =
            message.reply.as_ref().ok_or_else(|| garbled("it names no place for its acknowledgement"))?;
        // `$JS.ACK.STREAM.CONSUMER.DELIVERIES.…`, and newer servers may have two more in front of the stream.
        let parts: Vec<&str> = subject.split('.').collect();
        let deliveries = match parts.as_slice() {
            ["$JS", "ACK", _, _, deliveries, _, _, _, _] | ["$JS", "ACK", _, _, _, _, deliveries, ..] => {
                deliveries.parse().ok()
            }
            _ => None,
        };
        let deliveries =
            deliveries.ok_or_else(|| garbled("its acknowledgement goes to no place of JetStream"))?;
        Ok(TakenReceipt { fleet: fleet.clone(), subject: subject.to_string(), deliveries })
    }

    fn say(&self, kind: AckKind, deadline: Deadline) -> Result<(), FleetError> {
        let about = About { doing: "acknowledge an order", place: "the order" };
        let bytes: Bytes = kind.into();
        let line = &self.fleet.line;
        line.wait(until(deadline, || async {
            let wait = ONE_TRY.min(deadline.left());
            let tried = line.request(&self.subject, None, bytes.to_vec(), wait).await;
            line.tried(tried.map(|_| ()), about, deadline)
        }))
    }
}
