//! Notifications, tried out: one by every way that is configured.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use windlass_core::notification::{self, Notification};
use windlass_core::spec::Mode;
use windlass_core::values::{NotifyEvent, SinkKind};
use windlass_engine::notify::Sink;
use windlass_engine::workspace::{Workspace, Workspaces};
use windlass_host::process::become_subreaper;

pub use windlass_engine::notify::{Parcel, SinkAnswer, SinkOutcome};

use crate::app::App;
use crate::configuration::Configuration;
use crate::error::AppError;
use crate::here::Here;
use crate::telling;
use crate::trusting::{self, Asked, Purpose, TrustAnswers};

/// A notification that is about to be tried out.
pub struct NotificationTest {
    notification: Notification,
    sinks: Vec<Sink>,
    /// A run would tell of such an event.
    pub is_told_in_runs: bool,
}

/// One way of telling it.
pub struct Delivery<'a> {
    notification: &'a Notification,
    sink: Sink,
    /// What is sent, without secrets.
    pub parcel: Parcel,
}

impl App {
    /// A notification of such an event, ready to be told by every way that is configured.
    ///
    /// # Errors
    /// Nothing is configured, or not trusted; there is no such workspace.
    pub fn notification_test(
        &self,
        event: NotifyEvent,
        workspace: Option<&str>,
        trust: &TrustAnswers,
    ) -> Result<NotificationTest, AppError> {
        let directory = self.directory();
        let workspace = workspace.map(|name| Workspaces::open(directory).find(name)).transpose()?;
        let folder = workspace.as_ref().map(Workspace::folder);
        let configuration = Configuration::read(directory, folder, Mode::Goal)?;
        let settings = &configuration.resolved.notify;
        trusting::require(&Asked {
            here: &Here::at(self, directory.to_owned())?,
            configuration: &configuration,
            purpose: Purpose::Notifications,
            reader: None,
            answers: trust,
        })?;
        become_subreaper()?;
        let sinks = Sink::all(settings, &telling::redactor(), &telling::room(self, directory));
        if sinks.is_empty() {
            return Err(AppError::usage("no notifications are configured, so none is sent")
                .hint("For example in .windlass/config.toml: notify.url = \"https://ntfy.sh/your-topic\"")
                .hint("Others: notify.webhook (JSON), notify.command (a shell command)."));
        }
        Ok(NotificationTest {
            notification: notification::test(event, Timestamp::now()),
            sinks,
            is_told_in_runs: settings.events.contains(&event),
        })
    }
}

impl NotificationTest {
    /// Each way, packed when it comes to it.
    pub fn deliveries(&mut self) -> impl Iterator<Item = Delivery<'_>> {
        let notification = &self.notification;
        self.sinks.drain(..).map(move |sink| Delivery {
            notification,
            parcel: sink.parcel(notification),
            sink,
        })
    }
}

impl Delivery<'_> {
    /// Of which kind it is.
    pub fn kind(&self) -> SinkKind {
        self.sink.kind()
    }

    /// Where it goes, as far as that is not a secret: a host's name, or a command.
    pub fn place(&self) -> String {
        self.sink.place()
    }

    /// Sends it, and waits; the answer and how long it took.
    pub fn send(mut self) -> (SinkAnswer, Duration) {
        let began = Instant::now();
        let answer = self.sink.send(self.notification, self.parcel);
        (answer, began.elapsed())
    }
}
