//! Notifications: what is told of a run to whoever does not look at it. Made from facts and nothing else.

mod ending;
pub mod link;
mod notifier;
mod text;

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use strum::IntoStaticStr;

use crate::redact::Redactor;
use crate::values::{Cost, Items, Named, NotificationKey, NotifyEvent, RunId, Spent, StopReason};

pub use link::{Button, Dialog, Link};
pub use notifier::Notifier;

/// The version of the JSON form.
pub const FORMAT_VERSION: u32 = 1;

/// The first tag of every notification.
const TAG: &str = "windlass";

/// One thing to tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// Which one it is.
    pub key: NotificationKey,
    /// When what it tells of happened.
    pub at: Timestamp,
    /// The run; `None` outside of runs.
    pub run: Option<RunId>,
    /// The workspace; `None` for a free goal.
    pub workspace: Option<String>,
    /// One line: what it is about, then what happened.
    pub title: String,
    /// Lines; the first one, in capitals, says which event it is.
    pub body: String,
    /// How urgent it is.
    pub priority: Priority,
    /// Words to filter by: `windlass`, then the event's name, then `repeated` where that is so.
    pub tags: Vec<String>,
    /// It may have been sent before: the runner died before it could note that it was.
    pub repeated: bool,
    /// What programs may want to know; empty where it does not apply.
    pub figures: Figures,
    /// Where it leads; `None` where no page is configured, and outside of runs.
    pub link: Option<Link>,
}

/// Figures of a notification.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// The iteration it tells of, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    /// The most iterations that the run may make.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    /// Items as the agent counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Items>,
    /// Until when the run waits.
    #[serde(skip_serializing_if = "Option::is_none", with = "crate::values::some_wall_time")]
    pub until: Option<Timestamp>,
    /// Why the run ends.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "reason")]
    pub stop_reason: Option<StopReason>,
    /// Iterations that ended in the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u32>,
    /// What the run has cost so far.
    #[serde(rename = "cost_usd", skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// The part of it that is an estimate.
    #[serde(rename = "estimated_usd", skip_serializing_if = "Option::is_none")]
    pub estimated: Option<Cost>,
}

impl Figures {
    fn of(spent: Spent) -> Figures {
        let estimated = Some(spent.estimated).filter(|estimated| *estimated > Cost::ZERO);
        Figures { cost: Some(spent.cost), estimated, ..Figures::default() }
    }

    fn spent(&self) -> Spent {
        Spent { cost: self.cost.unwrap_or_default(), estimated: self.estimated.unwrap_or_default() }
    }
}

/// How urgent a notification is, in ntfy's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Priority {
    /// Nobody has to look.
    Low,
    /// As usual.
    Default,
    /// Worth a look.
    High,
    /// Something is wrong.
    Urgent,
}

/// By its public name: Ctrl-C and SIGTERM share one.
#[expect(clippy::trivially_copy_pass_by_ref, clippy::ref_option, reason = "serde hands fields over so")]
fn reason<S: Serializer>(reason: &Option<StopReason>, serializer: S) -> Result<S::Ok, S::Error> {
    reason.map(StopReason::name).serialize(serializer)
}

/// The JSON form (`docs/notifications.md`).
#[derive(Serialize)]
struct Form<'a> {
    v: u32,
    id: String,
    event: NotifyEvent,
    #[serde(with = "crate::values::wall_time")]
    time: Timestamp,
    run: Option<&'a str>,
    workspace: Option<&'a str>,
    title: &'a str,
    message: &'a str,
    priority: Priority,
    tags: &'a [String],
    repeated: bool,
    #[serde(flatten)]
    figures: &'a Figures,
    #[serde(flatten)]
    link: Option<&'a Link>,
}

impl Notification {
    /// Its name: the same whenever it is sent again, so that a receiver can tell.
    pub fn id(&self) -> String {
        let run = self.run.as_ref().map_or("no-run", |run| run.0.as_str());
        format!("{run}/{}/{}", self.key.about, self.key.event.name())
    }

    /// As one JSON object.
    pub fn to_json(&self) -> String {
        let form = Form {
            v: FORMAT_VERSION,
            id: self.id(),
            event: self.key.event,
            time: self.at,
            run: self.run.as_ref().map(|run| run.0.as_str()),
            workspace: self.workspace.as_deref(),
            title: &self.title,
            message: &self.body,
            priority: self.priority,
            tags: &self.tags,
            repeated: self.repeated,
            figures: &self.figures,
            link: self.link.as_ref(),
        };
        // Text and numbers only: nothing in it can fail to serialize.
        serde_json::to_string(&form).unwrap_or_default()
    }

    /// With links to the page at this address.
    pub fn linked(mut self, page: Option<&str>) -> Notification {
        let of_run = page.zip(self.run.as_ref());
        self.link = of_run.map(|(page, run)| Link::of(page, run, self.key.event));
        self
    }

    /// Without secrets.
    pub fn redacted(mut self, redactor: &Redactor) -> Notification {
        self.title = redactor.redact(&self.title);
        self.body = redactor.redact(&self.body);
        self.workspace = self.workspace.map(|name| redactor.redact(&name));
        self
    }
}

/// The instructions of a workspace were written (`windlass setup`).
pub fn setup_complete(workspace: &str, at: Timestamp) -> Notification {
    let body = format!("SETUP COMPLETE\n\nThe instructions are written. Next: windlass run {workspace}");
    outside_of_runs(NotifyEvent::SetupComplete, workspace, at, body, "setup complete")
}

/// One to try the ways of telling with (`windlass notify test`).
pub fn test(event: NotifyEvent, at: Timestamp) -> Notification {
    let body = format!("TEST\n\nThis is what `{}` is sent like. Nothing happened.", event.name());
    outside_of_runs(event, "windlass", at, body, "a test")
}

fn outside_of_runs(
    event: NotifyEvent,
    name: &str,
    at: Timestamp,
    body: String,
    happened: &str,
) -> Notification {
    Notification {
        key: NotificationKey { about: 0, event },
        at,
        run: None,
        workspace: (event == NotifyEvent::SetupComplete).then(|| name.to_owned()),
        title: text::title(name, happened),
        body,
        priority: usual_priority(event),
        tags: tags(event),
        repeated: false,
        figures: Figures::default(),
        link: None,
    }
}

/// An event's priority where nothing about it says otherwise.
const fn usual_priority(event: NotifyEvent) -> Priority {
    match event {
        NotifyEvent::Iteration => Priority::Low,
        NotifyEvent::Completion | NotifyEvent::NeedsHuman => Priority::High,
        NotifyEvent::Error => Priority::Urgent,
        NotifyEvent::SetupComplete
        | NotifyEvent::ExecutionStart
        | NotifyEvent::IterationMilestone
        | NotifyEvent::StatusUpdate
        | NotifyEvent::LimitWait
        | NotifyEvent::RunEnd => Priority::Default,
    }
}

fn tags(event: NotifyEvent) -> Vec<String> {
    vec![TAG.to_owned(), event.name().to_owned()]
}

#[cfg(test)]
mod tests;
