//! Telling somebody what happens: facts go to the fold that knows what they tell, what it says goes to the sinks, and
//! what became of that is journalled. Nothing here waits, but for the end, and that is bounded.

use std::time::{Duration, Instant};

use windlass_core::config::NotifySettings;
use windlass_core::fact::Entry;
use windlass_core::notification::Notifier;
use windlass_core::redact::Redactor;
use windlass_core::run::Input;
use windlass_core::values::NotifyEvent;

use super::Supervisor;
use super::event::Event;
use crate::executor::{EngineError, Waker};
use crate::notify::{CommandRoom, Dispatcher, NotificationSettled};

/// So long the end of a run waits for notifications that are on their way.
const PATIENCE: Duration = Duration::from_secs(15);

/// After this much of it, only the end itself is still told.
const HURRY: Duration = Duration::from_secs(5);

/// After this much of it, a person is told what is being waited for.
const WORD: Duration = Duration::from_secs(1);

/// Whom to tell what.
#[derive(Clone, Debug)]
pub struct Telling {
    /// What is configured.
    pub settings: NotifySettings,
    /// Knows what must not leave.
    pub redactor: Redactor,
}

/// What the supervisor holds of it.
pub(super) struct NotificationQueue {
    telling: Telling,
    notifier: Notifier,
    dispatcher: Dispatcher,
    /// Since when only notifications are waited for.
    waiting: Option<Waiting>,
}

struct Waiting {
    since: Instant,
    said: bool,
    hurried: bool,
}

impl NotificationQueue {
    /// Starts what it needs; facts of earlier sessions are known and not told again.
    pub fn new(
        telling: Telling,
        room: &CommandRoom,
        earlier: &[Entry],
        wake: Waker,
    ) -> Result<NotificationQueue, EngineError> {
        let mut notifier = Notifier::new(telling.settings.milestone);
        for entry in earlier {
            let _ = notifier.take(entry);
        }
        // The loop looks for itself: all it needs is to wake up.
        let wake = move || wake();
        let dispatcher = Dispatcher::start(&telling.settings, &telling.redactor, room, wake)?;
        Ok(NotificationQueue { telling, notifier, dispatcher, waiting: None })
    }

    /// Ends commands that are at work.
    pub fn close(&self) {
        self.dispatcher.close();
    }
}

impl Supervisor {
    /// Passes on what facts tell. They are on the disk before anybody hears of them.
    pub(super) fn tell(&mut self, entries: &[Entry]) -> Result<(), EngineError> {
        let notifications = &mut self.notifications;
        let told = entries.iter().flat_map(|entry| notifications.notifier.take(entry));
        let events = &notifications.telling.settings.events;
        let told: Vec<_> = told.filter(|told| events.contains(&told.key.event)).collect();
        if told.is_empty() || notifications.dispatcher.is_empty() {
            return Ok(());
        }
        self.sync()?;
        let NotificationQueue { notifier, dispatcher, .. } = &self.notifications;
        for notification in &told {
            dispatcher.send(notification, |sink| !notifier.was_told(notification, sink));
        }
        Ok(())
    }

    /// The end is decided, and what else ran is ended: only notifications are waited for.
    pub(super) fn announce(&mut self) -> Result<(), EngineError> {
        self.notifications.waiting = Some(Waiting { since: Instant::now(), said: false, hurried: false });
        self.look_at_notifications()
    }

    /// The run is left, not ended, and nobody asked for that: whoever does not look at it is told.
    pub(super) fn tell_of_leaving(&self, why: &str) {
        let NotificationQueue { telling, notifier, dispatcher, .. } = &self.notifications;
        if dispatcher.is_empty() || !telling.settings.events.contains(&NotifyEvent::Error) {
            return;
        }
        dispatcher.send(&notifier.left(self.run.next_seq() - 1, self.clock.now().wall, why), |_| true);
        let began = Instant::now();
        while !dispatcher.is_idle() && began.elapsed() < PATIENCE {
            // Each that is settled wakes the loop.
            if let Ok(Event::Signal(_)) = self.inbox.recv_timeout(WORD) {
                return;
            }
        }
    }

    /// A person who presses Ctrl-C now does not want to wait.
    pub(super) fn stop_announcing(&mut self) -> Result<(), EngineError> {
        self.notifications.dispatcher.abandon("it was not waited for any longer");
        self.look_at_notifications()
    }

    /// Journals what became of notifications, and ends the run once all that are waited for are settled.
    pub(super) fn look_at_notifications(&mut self) -> Result<(), EngineError> {
        let waited = self.notifications.waiting.as_ref().map(|waiting| waiting.since.elapsed());
        if waited.is_some_and(|waited| waited >= PATIENCE) {
            self.notifications.dispatcher.abandon("the run did not wait for it any longer");
        }
        // Asked before what was settled is taken, so that nothing is missed in between.
        let idle = self.notifications.dispatcher.is_idle();
        for settlement in self.notifications.dispatcher.settled() {
            self.settled(settlement)?;
        }
        let Some(waited) = waited else {
            return Ok(());
        };
        if idle {
            self.notifications.waiting = None;
            return self.take(Input::Announced);
        }
        self.say_what_is_waited_for(waited)
    }

    fn say_what_is_waited_for(&mut self, waited: Duration) -> Result<(), EngineError> {
        let Some(waiting) = &mut self.notifications.waiting else {
            return Ok(());
        };
        if waited >= HURRY && !waiting.hurried {
            waiting.hurried = true;
            self.notifications.dispatcher.hurry();
        }
        if waited >= WORD && !waiting.said {
            waiting.said = true;
            let most = PATIENCE.as_secs();
            let skip = if self.terminal { "; Ctrl-C ends without them" } else { "" };
            let text = format!("waiting for notifications to be delivered, {most} s at most{skip}");
            return self.take(Input::notice(text));
        }
        Ok(())
    }

    fn settled(&mut self, settlement: NotificationSettled) -> Result<(), EngineError> {
        if self.disk_is_full {
            // What is left of the disk is for the run's end.
            return Ok(());
        }
        self.take(settlement.into())
    }
}
