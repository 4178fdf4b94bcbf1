//! Telling somebody: HTTP POST in ntfy's form or as JSON, or a command. Never in the way of the run.
//!
//! Each sink has a queue and a thread of its own. What became of a notification comes back as a [`NotificationSettled`].

mod address;
mod command;
mod encoding;
mod http;
mod outbox;
mod parcel;
mod sink;

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use windlass_core::config::NotifySettings;
use windlass_core::notification::Notification;
use windlass_core::redact::Redactor;
use windlass_core::values::SinkKind;

use windlass_host::process::ProcessError;

pub use command::CommandRoom;
pub use parcel::Parcel;
pub use sink::Sink;
pub use windlass_core::report::NotificationSettled;

use outbox::Outbox;

/// The longest reason that is kept, in bytes.
const LONGEST_DETAIL: usize = 200;

/// What a sink answered to one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SinkAnswer {
    /// What it means.
    pub outcome: SinkOutcome,
    /// The HTTP status, or the command's exit code; `None` without an answer.
    pub status: Option<i32>,
    /// Why it was not accepted: one line.
    pub detail: String,
}

/// What an answer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SinkOutcome {
    /// It was accepted.
    Accepted,
    /// It will never be accepted.
    Refused,
    /// It may be accepted later: not before this time, where the service says so.
    TryAgain(Option<Duration>),
}

/// All sinks that are configured.
pub struct Dispatcher {
    outboxes: Vec<Outbox>,
    settled: Receiver<NotificationSettled>,
}

impl Dispatcher {
    /// Starts a thread for each sink. `wake` is called, from any of them, when something was settled.
    pub fn start(
        settings: &NotifySettings,
        redactor: &Redactor,
        room: &CommandRoom,
        wake: impl Fn() + Clone + Send + Sync + 'static,
    ) -> Result<Dispatcher, ProcessError> {
        let (settle, settled) = channel();
        let open = |sink| Outbox::open(sink, settings.retries, settle.clone(), wake.clone());
        let outboxes = Sink::all(settings, redactor, room).into_iter().map(open).collect::<Result<_, _>>()?;
        Ok(Dispatcher { outboxes, settled })
    }

    /// Hands a notification to every sink for which that is wanted. Returns at once.
    pub fn send(&self, notification: &Notification, wanted: impl Fn(SinkKind) -> bool) {
        for outbox in self.outboxes.iter().filter(|outbox| wanted(outbox.kind)) {
            outbox.put(notification.clone());
        }
    }

    /// What was settled since it was last asked for. Ask [`is_idle`](Self::is_idle) before, to miss nothing.
    pub fn settled(&self) -> Vec<NotificationSettled> {
        self.settled.try_iter().collect()
    }

    /// Is there nobody to tell anything?
    pub fn is_empty(&self) -> bool {
        self.outboxes.is_empty()
    }

    /// Has everything been settled?
    pub fn is_idle(&self) -> bool {
        self.outboxes.iter().all(Outbox::is_empty)
    }

    /// From now on only the run's end is told; the rest is given up.
    pub fn hurry(&self) {
        self.outboxes.iter().for_each(Outbox::hurry);
    }

    /// Gives up all that is not settled yet, which settles it.
    pub fn abandon(&self, why: &str) {
        self.outboxes.iter().for_each(|outbox| outbox.abandon(why));
    }

    /// Ends commands that are at work. Threads that wait for an answer end with the process.
    pub fn close(&self) {
        self.outboxes.iter().for_each(Outbox::close);
    }
}

#[cfg(test)]
mod tests;

/// On one line, and short.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split(|char: char| char.is_whitespace() || char.is_control()).collect();
    let line = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    encoding::shortened(&line, LONGEST_DETAIL)
}
