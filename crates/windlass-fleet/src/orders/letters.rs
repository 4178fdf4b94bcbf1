//! Letters: an order to the one who holds the lane, a report to the one who runs the run. Each is answered.

use std::fmt;
use std::marker::PhantomData;

use async_nats::{HeaderMap, Message, Subscriber};
use serde::{Deserialize, Serialize};
use windlass_core::values::RunId;

use super::{Content, Errand, Fences, Outcome, read, written};
use crate::call::{Deadline, ONE_TRY, Tried, until};
use crate::error::{FleetError, one_line};
use crate::fleet::{About, Fleet, Trouble};
use crate::names::WorkerName;

/// The longest reason that is sent with an answer, in characters.
const LONGEST_REASON: usize = 300;

/// What the one says whom a letter reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "answer")]
pub enum Answer {
    /// It counts. For a report: it is journalled.
    Accepted,
    /// It does not count, and need not come again.
    Refused {
        /// Why, in a sentence.
        reason: String,
    },
}

/// What became of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivered {
    /// It arrived.
    Answered(Answer),
    /// Nobody listens there at the moment.
    Nobody,
}

/// Sends letters.
#[derive(Clone, Debug)]
pub struct Letters {
    fleet: Fleet,
}

impl Letters {
    /// In this fleet.
    pub fn of(fleet: &Fleet) -> Letters {
        Letters { fleet: fleet.clone() }
    }

    /// A later order of a lane, to the worker that holds it. It may arrive twice where an answer was lost: its epoch tells.
    pub fn order(
        &self,
        worker: &WorkerName,
        errand: &Errand,
        fences: Fences,
        deadline: Deadline,
    ) -> Result<Delivered, FleetError> {
        let subject = self.fleet.line.subjects.letters(worker);
        self.send(&format!("send an order to the worker {worker}"), &subject, errand, fences, deadline)
    }

    /// What came of an order, to whoever runs the run. It may arrive twice where an answer was lost.
    pub fn report(
        &self,
        run: &RunId,
        outcome: &Outcome,
        fences: Fences,
        deadline: Deadline,
    ) -> Result<Delivered, FleetError> {
        let subject = self.fleet.line.subjects.reports(run)?;
        self.send(&format!("report to the runner of {run}"), &subject, outcome, fences, deadline)
    }

    fn send(
        &self,
        doing: &str,
        subject: &str,
        content: &impl Serialize,
        fences: Fences,
        deadline: Deadline,
    ) -> Result<Delivered, FleetError> {
        let bytes = written(doing, content)?;
        let line = &self.fleet.line;
        let about = About { doing, place: subject };
        line.wait(until(deadline, || async {
            let wait = ONE_TRY.min(deadline.left());
            match line.request(subject, Some(fences.headers()), bytes.clone(), wait).await {
                Ok(answer) => match serde_json::from_slice(&answer.payload) {
                    Ok(answer) => Tried::Done(Delivered::Answered(bounded(answer))),
                    Err(error) => {
                        Tried::Failed(line.explain(Trouble::Garbled(error.to_string()), about, deadline))
                    }
                },
                Err(Trouble::NoResponders) => Tried::Done(Delivered::Nobody),
                tried => line.tried(tried.map(|_| Delivered::Nobody), about, deadline),
            }
        }))
    }

    /// What comes for a worker: orders of the lanes it holds.
    pub fn mailbox_of_worker(
        &self,
        worker: &WorkerName,
        deadline: Deadline,
    ) -> Result<Mailbox<Errand>, FleetError> {
        let subject = self.fleet.line.subjects.letters(worker);
        Mailbox::open(&self.fleet, "an order from the network", &subject, deadline)
    }

    /// What comes for a run's runner: reports.
    pub fn mailbox_of_run(&self, run: &RunId, deadline: Deadline) -> Result<Mailbox<Outcome>, FleetError> {
        let subject = self.fleet.line.subjects.reports(run)?;
        Mailbox::open(&self.fleet, "a report from the network", &subject, deadline)
    }
}

fn bounded(answer: Answer) -> Answer {
    match answer {
        Answer::Accepted => Answer::Accepted,
        Answer::Refused { reason } => {
            Answer::Refused { reason: one_line(&reason).chars().take(LONGEST_REASON).collect() }
        }
    }
}

/// Where letters arrive, as long as it is open. What arrives while nobody has it open is answered by nobody.
pub struct Mailbox<T> {
    fleet: Fleet,
    what: &'static str,
    /// `None` only while it is dropped.
    messages: Option<Subscriber>,
    content: PhantomData<fn() -> T>,
}

impl<T: Content> Mailbox<T> {
    fn open(
        fleet: &Fleet,
        what: &'static str,
        subject: &str,
        deadline: Deadline,
    ) -> Result<Mailbox<T>, FleetError> {
        let messages = fleet.line.listen(subject, deadline)?;
        Ok(Mailbox { fleet: fleet.clone(), what, messages: Some(messages), content: PhantomData })
    }

    /// The next letter; `None` where none came before the deadline. What is none is answered so, and is the error.
    pub fn next(&mut self, deadline: Deadline) -> Result<Option<Letter<T>>, FleetError> {
        let Some(message) = self.fleet.line.hear(&mut self.messages, deadline) else { return Ok(None) };
        let fleet = self.fleet.clone();
        match read(self.what, &message) {
            Ok((fences, content)) => Ok(Some(Letter { fleet, message, fences, content })),
            Err(error) => {
                let reason = error.to_string();
                // Whoever sent it waits; where this does not arrive, they send it again.
                answer(&fleet, &message, &Answer::Refused { reason }).ok();
                Err(error)
            }
        }
    }
}

impl<T> fmt::Debug for Mailbox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mailbox").field("what", &self.what).finish_non_exhaustive()
    }
}

impl<T> Drop for Mailbox<T> {
    fn drop(&mut self) {
        // It says goodbye to the server, and needs the runtime for that.
        let messages = self.messages.take();
        self.fleet.wait(async { drop(messages) });
    }
}

/// A letter that arrived. Whoever sent it waits for the answer.
#[derive(Debug)]
pub struct Letter<T> {
    fleet: Fleet,
    message: Message,
    /// Under which leases it was sent.
    pub fences: Fences,
    /// What it says.
    pub content: T,
}

impl<T> Letter<T> {
    /// Answers it. Whether that arrives is not known; whoever hears nothing sends the letter again.
    pub fn answer(&self, answered: &Answer) -> Result<(), FleetError> {
        answer(&self.fleet, &self.message, answered)
    }
}

fn answer(fleet: &Fleet, message: &Message, answer: &Answer) -> Result<(), FleetError> {
    // Nobody waits.
    let Some(reply) = &message.reply else { return Ok(()) };
    let bytes = written("answer a letter", &bounded(answer.clone()))?;
    fleet.line.say(reply.to_string(), HeaderMap::new(), bytes)
}
