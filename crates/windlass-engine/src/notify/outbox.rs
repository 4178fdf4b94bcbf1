//! The queue of one sink, and the thread that empties it. Whoever puts something in never waits.

use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use windlass_core::notification::Notification;
use windlass_core::values::NotifyEvent;
use windlass_core::values::{Delivery, Named, NotificationKey, SinkKind};

use super::command::CommandEnd;
use super::sink::Sink;
use super::{NotificationSettled, SinkAnswer, SinkOutcome};
use windlass_host::process::{ProcessError, start_thread};

/// So many notifications may wait. A sink that is that far behind is not going to catch up.
const CAPACITY: usize = 64;

/// The pause after the first failure; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The longest pause that is not asked for by the service itself.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// One sink's queue.
pub(super) struct Outbox {
    pub kind: SinkKind,
    shared: Arc<Shared>,
    command: Option<CommandEnd>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    settled: Sender<NotificationSettled>,
    wake: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Notification>,
    /// On its way, and how often it was tried.
    sending: Option<(NotificationKey, u32)>,
    pace: Pace,
}

/// How much time there is.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Pace {
    /// Enough.
    #[default]
    Steady,
    /// The run is over: only its end is still told.
    Ending,
    /// None.
    Closed,
}

impl Outbox {
    /// Starts the thread. `wake` is called after each settlement.
    pub fn open(
        sink: Sink,
        retries: u32,
        settled: Sender<NotificationSettled>,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Result<Outbox, ProcessError> {
        let (kind, command) = (sink.kind(), sink.command_end());
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            settled,
            wake: Box::new(wake),
        });
        let theirs = Arc::clone(&shared);
        let deliver = move || deliver_all(sink, retries, &theirs);
        start_thread(format!("notify-{}", kind.name()), "start a thread", deliver)?;
        Ok(Outbox { kind, shared, command })
    }

    /// Puts a notification in. When the queue is full, the least urgent and oldest one is given up.
    pub fn put(&self, notification: Notification) {
        let mut state = self.shared.lock();
        state.waiting.push_back(notification);
        if state.waiting.len() > CAPACITY {
            let least = (0..).zip(&state.waiting).min_by_key(|(place, told)| (told.priority, *place));
            let given_up = least.map(|(place, _)| place).and_then(|place| state.waiting.remove(place));
            if let Some(given_up) = given_up {
                self.shared.settle(abandoned(given_up.key, self.kind, 0, "too many were waiting"));
            }
        }
        self.shared.changed.notify_all();
    }

    /// Has everything been settled?
    pub fn is_empty(&self) -> bool {
        let state = self.shared.lock();
        state.waiting.is_empty() && state.sending.is_none()
    }

    /// From now on only the run's end is told.
    pub fn hurry(&self) {
        let mut state = self.shared.lock();
        if state.pace == Pace::Steady {
            state.pace = Pace::Ending;
        }
        let (told, given_up) = std::mem::take(&mut state.waiting).into_iter().partition(tells_the_end);
        state.waiting = told;
        let given_up: VecDeque<Notification> = given_up;
        for notification in given_up {
            self.shared.settle(abandoned(notification.key, self.kind, 0, "the run ended first"));
        }
        self.shared.changed.notify_all();
    }

    /// Gives up all that is not settled; nothing is settled by the thread after that.
    pub fn abandon(&self, why: &str) {
        let mut state = self.shared.lock();
        if state.pace == Pace::Closed {
            return;
        }
        state.pace = Pace::Closed;
        let sending = state.sending.take();
        let waiting = std::mem::take(&mut state.waiting);
        for (key, attempts) in sending.into_iter().chain(waiting.into_iter().map(|told| (told.key, 0))) {
            self.shared.settle(abandoned(key, self.kind, attempts, why));
        }
        self.shared.changed.notify_all();
    }

    /// Gives up what is not settled and ends a command that is at work. An answer that never comes is not waited for.
    pub fn close(&self) {
        self.abandon("the run ended first");
        if let Some(command) = &self.command {
            command.end();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settle(&self, settlement: NotificationSettled) {
        // Where nobody listens any longer, nobody has to know.
        let _ = self.settled.send(settlement);
        (self.wake)();
    }

    /// The next notification; `None` when there is no time left.
    fn next(&self) -> Option<Notification> {
        let mut state = self.lock();
        loop {
            if state.pace == Pace::Closed {
                return None;
            }
            if let Some(notification) = state.waiting.pop_front() {
                state.sending = Some((notification.key, 0));
                return Some(notification);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn attempt(&self, key: NotificationKey, attempt: u32) {
        let mut state = self.lock();
        if state.pace != Pace::Closed {
            state.sending = Some((key, attempt));
        }
    }

    /// Waits before it is tried again. `false` when it is not worth it any more.
    fn rest(&self, notification: &Notification, pause: Duration) -> bool {
        let until = Instant::now() + pause;
        let mut state = self.lock();
        loop {
            match state.pace {
                Pace::Closed => return false,
                Pace::Ending if !tells_the_end(notification) => return false,
                Pace::Steady | Pace::Ending => {}
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// What was on its way is settled, unless it was given up meanwhile.
    fn arrived(&self, settlement: NotificationSettled) {
        let mut state = self.lock();
        if state.pace != Pace::Closed {
            state.sending = None;
            self.settle(settlement);
        }
    }
}

fn deliver_all(mut sink: Sink, retries: u32, shared: &Shared) {
    while let Some(notification) = shared.next() {
        let settlement = deliver(&mut sink, &notification, retries, shared);
        shared.arrived(settlement);
    }
}

fn deliver(
    sink: &mut Sink,
    notification: &Notification,
    retries: u32,
    shared: &Shared,
) -> NotificationSettled {
    let kind = sink.kind();
    let mut pause = FIRST_PAUSE;
    let mut attempts = 0;
    loop {
        attempts += 1;
        shared.attempt(notification.key, attempts);
        let SinkAnswer { outcome, status, detail } = sink.deliver(notification);
        let settled = |delivery, detail| NotificationSettled {
            key: notification.key,
            sink: kind,
            delivery,
            status,
            detail,
            attempts,
        };
        match outcome {
            SinkOutcome::Accepted => return settled(Delivery::Sent, detail),
            SinkOutcome::Refused => return settled(Delivery::Failed, detail),
            SinkOutcome::TryAgain(_) if attempts > retries => return settled(Delivery::Failed, detail),
            SinkOutcome::TryAgain(asked) => {
                if !shared.rest(notification, asked.unwrap_or(pause).max(pause)) {
                    return settled(Delivery::Abandoned, detail);
                }
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// Is it about the run's end?
fn tells_the_end(notification: &Notification) -> bool {
    matches!(
        notification.key.event,
        NotifyEvent::Completion | NotifyEvent::Error | NotifyEvent::NeedsHuman | NotifyEvent::RunEnd
    )
}

fn abandoned(key: NotificationKey, sink: SinkKind, attempts: u32, why: &str) -> NotificationSettled {
    NotificationSettled {
        key,
        sink,
        delivery: Delivery::Abandoned,
        status: None,
        detail: why.to_owned(),
        attempts,
    }
}
