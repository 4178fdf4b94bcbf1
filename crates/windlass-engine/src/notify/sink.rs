//! The ways of telling somebody.

use std::time::Duration;

use jiff::Timestamp;
use windlass_core::config::{NotifySettings, Secret};
use windlass_core::notification::Notification;
use windlass_core::redact::Redactor;
use windlass_core::values::SinkKind;

use super::address::Address;
use super::command::{CommandEnd, CommandRoom, CommandSink};
use super::parcel::{Parcel, pack};
use super::{SinkAnswer, SinkOutcome, http};

/// One way of telling somebody. Everything goes through its redactor, what is sent as well as what is answered.
pub struct Sink {
    kind: SinkKind,
    way: Way,
    secret: Option<Secret>,
    /// The web page's address.
    page: Option<String>,
    timeout: Duration,
    redactor: Redactor,
}

enum Way {
    Post(Option<Address>),
    Run(Box<CommandSink>),
}

impl Sink {
    /// Those that are configured.
    pub fn all(settings: &NotifySettings, redactor: &Redactor, room: &CommandRoom) -> Vec<Sink> {
        let redactor = all_secrets(settings, redactor);
        let sink = |kind, way| Sink {
            kind,
            way,
            secret: settings.secret.clone(),
            page: settings.page.clone(),
            timeout: settings.timeout,
            redactor: redactor.clone(),
        };
        let post = |kind, address: &Option<String>| {
            address.as_ref().map(|address| sink(kind, Way::Post(Address::read(address))))
        };
        let run = settings.command.as_ref().map(|command| {
            sink(SinkKind::Command, Way::Run(Box::new(CommandSink::new(command.clone(), room.clone()))))
        });
        [post(SinkKind::Ntfy, &settings.url), post(SinkKind::Webhook, &settings.webhook), run]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Which way.
    pub const fn kind(&self) -> SinkKind {
        self.kind
    }

    /// Where it goes, as far as that is not a secret: a host's name, or a command.
    pub fn place(&self) -> String {
        match &self.way {
            Way::Post(Some(address)) => address.host.clone(),
            Way::Post(None) => "nowhere".to_owned(),
            Way::Run(command) => self.redactor.redact(command.command()),
        }
    }

    /// What would be sent now, without secrets; the signature is part of it.
    pub fn parcel(&self, notification: &Notification) -> Parcel {
        let notification = notification.clone().redacted(&self.redactor).linked(self.page.as_deref());
        pack(&notification, self.kind, self.secret.as_ref().map(Secret::reveal), Timestamp::now())
    }

    /// Tries once to tell it. Blocks for at most the time that a delivery may take, and a little.
    pub fn deliver(&mut self, notification: &Notification) -> SinkAnswer {
        let parcel = self.parcel(notification);
        self.send(notification, parcel)
    }

    /// The same with a parcel that was packed before.
    pub fn send(&mut self, notification: &Notification, mut parcel: Parcel) -> SinkAnswer {
        let mut answer = match &mut self.way {
            Way::Post(None) => SinkAnswer {
                outcome: SinkOutcome::Refused,
                status: None,
                detail: "its address is not a web address".to_owned(),
            },
            Way::Post(Some(address)) => {
                // Not part of what is shown.
                parcel.headers.extend(address.authorization.clone().map(|value| ("Authorization", value)));
                http::post(address, &parcel, self.timeout)
            }
            Way::Run(command) => {
                let notification = notification.clone().redacted(&self.redactor);
                command.run(&notification, &parcel.body, self.timeout)
            }
        };
        answer.detail = self.redactor.redact(&answer.detail);
        answer
    }

    pub(super) fn command_end(&self) -> Option<CommandEnd> {
        match &self.way {
            Way::Run(command) => Some(command.end()),
            Way::Post(_) => None,
        }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        if let Some(end) = self.command_end() {
            end.end();
        }
    }
}

/// What is known to be secret of the settings themselves, beside what the caller knows.
fn all_secrets(settings: &NotifySettings, redactor: &Redactor) -> Redactor {
    let mut redactor = redactor.clone();
    for address in [&settings.url, &settings.webhook].into_iter().flatten() {
        redactor = redactor.with_address(address);
    }
    settings.secret.iter().fold(redactor, |redactor, secret| redactor.with_value(secret.reveal()))
}
