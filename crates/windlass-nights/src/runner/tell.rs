//! Telling somebody what happens: the real fold says what is to be told, a model of the dispatcher tells one thing after another.

use std::collections::VecDeque;
use std::time::Duration;

use windlass_core::fact::{Entry, Fact};
use windlass_core::notification::{Notification, Notifier};
use windlass_core::report;
use windlass_core::run::Input;
use windlass_core::values::{Delivery, NotificationKey, SinkKind};

use super::{Arrival, Runner, Step};
use crate::dice::Dice;
use crate::plant::Plant;
use crate::record::What;
use crate::script::{Answers, Receiver};

/// So long the end of a run waits for what is on its way.
const PATIENCE: Duration = Duration::from_secs(15);

/// Iterations from one milestone to the next.
const MILESTONE: u32 = 3;

/// What a session has to tell.
#[derive(Debug, Default)]
pub(super) struct NotificationModel {
    notifier: Notifier,
    /// On its way, in order, and when it arrives.
    mail: VecDeque<(Notification, Duration)>,
    /// The run is over but for what is on its way, and waits for that until then.
    announcing: Option<Duration>,
}

impl NotificationModel {
    /// What of an earlier session is known; it is not told again.
    pub fn new(entries: &[Entry], plant: Option<Plant>) -> NotificationModel {
        let mut notifier = Notifier::new(Some(MILESTONE));
        for entry in entries {
            let forgets = plant == Some(Plant::ForgottenDelivery);
            if !(forgets && matches!(entry.fact, Fact::NotificationSettled(_))) {
                let _ = notifier.take(entry);
            }
        }
        NotificationModel { notifier, ..NotificationModel::default() }
    }

    pub fn next_due(&self, receiver: Option<Receiver>) -> Option<Duration> {
        let answers = receiver.is_some_and(|receiver| receiver.answers != Answers::Never);
        let arrives = self.mail.front().filter(|_| answers).map(|(_, due)| *due);
        arrives.into_iter().chain(self.announcing).min()
    }
}

impl Runner<'_> {
    /// Passes on what facts tell, once they are on the disk.
    pub(super) fn tell(&mut self, entries: &[Entry]) -> Step {
        let Some(receiver) = self.script.receiver else { return Ok(()) };
        let model = &mut self.notifications;
        let told: Vec<Notification> = entries.iter().flat_map(|entry| model.notifier.take(entry)).collect();
        let told = told.into_iter().filter(|told| !model.notifier.was_told(told, SinkKind::Command));
        let told: Vec<Notification> = told.collect();
        if told.is_empty() {
            return Ok(());
        }
        if self.plant != Some(Plant::ToldTooEarly) {
            self.sync()?;
        }
        let now = self.world.clock.monotonic();
        for notification in told {
            let free = self.notifications.mail.back().map_or(now, |(_, due)| *due);
            let due = free.max(now) + Duration::from_millis(receiver.takes.into());
            self.notifications.mail.push_back((notification, due));
        }
        Ok(())
    }

    /// The end is decided: what is on its way is waited for.
    pub(super) fn announce(&mut self) {
        let patience = if self.plant == Some(Plant::SilentEnd) { Duration::ZERO } else { PATIENCE };
        self.notifications.announcing = Some(self.world.clock.monotonic() + patience);
    }

    /// Is the run over but for what is on its way?
    pub(super) fn is_announcing(&self) -> bool {
        self.notifications.announcing.is_some()
    }

    /// A person who presses Ctrl-C now does not want to wait.
    pub(super) fn stop_announcing(&mut self) {
        self.notifications.announcing = Some(self.world.clock.monotonic());
    }

    /// What arrives by now, or is given up.
    pub(super) fn look_at_mail(&mut self) -> Step {
        let now = self.world.clock.monotonic();
        while let Some(receiver) = self.script.receiver
            && receiver.answers != Answers::Never
            && let Some((notification, _)) =
                self.notifications.mail.front().filter(|(_, due)| *due <= now).cloned()
        {
            self.notifications.mail.pop_front();
            self.arrives(&notification, receiver)?;
        }
        let Some(until) = self.notifications.announcing else { return Ok(()) };
        if until <= now && self.plant != Some(Plant::SilentEnd) {
            while let Some((notification, _)) = self.notifications.mail.pop_front() {
                self.settled(notification.key, Delivery::Abandoned)?;
            }
        }
        if until <= now || self.notifications.mail.is_empty() {
            self.notifications.announcing = None;
            self.inbox.push_back(Arrival::Worked(Input::Announced));
        }
        Ok(())
    }

    fn arrives(&mut self, notification: &Notification, receiver: Receiver) -> Step {
        let (key, repeated) = (notification.key, notification.repeated);
        let mut dice = Dice::new(self.script.seed ^ (u64::from(self.steps) << 24));
        let accepts = match receiver.answers {
            Answers::Accepts => true,
            Answers::Sometimes(percent) => dice.chance(percent.into()),
            Answers::Refuses | Answers::Never => false,
        };
        let is_unheard = matches!(receiver.answers, Answers::Sometimes(_)) && dice.chance(50);
        self.step()?;
        if accepts || is_unheard {
            self.note(What::Told { key, repeated });
            self.step()?;
        }
        self.settled(key, if accepts { Delivery::Sent } else { Delivery::Failed })
    }

    fn settled(&mut self, key: NotificationKey, delivery: Delivery) -> Step {
        if self.disk_is_full {
            // What is left of the disk is for the run's end.
            return Ok(());
        }
        let (sink, status, detail, attempts) = (SinkKind::Command, None, String::new(), 1);
        self.take(Input::from(report::NotificationSettled { key, sink, delivery, status, detail, attempts }))
    }
}
