//! The fold: which notifications follow from a fact.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::{Figures, Notification, Priority, ending, tags, text, usual_priority};
use crate::fact::{Entry, Fact};
use crate::report;
use crate::spec::RunSpec;
use crate::values::{
    AgentIndex, Class, Delivery, JobStatus, NotificationKey, NotifyEvent, SinkKind, Spent, StopReason,
    Verdict, between,
};

/// A wait that follows upon another is told of once it ends so much later than what was told.
const WORTH_TELLING: SignedDuration = SignedDuration::from_hours(1);

/// Says which notifications follow from the facts of a run. Fold the facts of earlier sessions, too, and drop what they
/// gave: nothing of an earlier session is told again, but for an end that was decided and never written.
#[derive(Clone, Debug, Default)]
pub struct Notifier {
    milestone: Option<u32>,
    plan: Option<Box<RunSpec>>,
    finished: u32,
    spent: Spent,
    standing: Option<JobStatus>,
    /// The latest time until which a wait was told of.
    told_until: Option<Timestamp>,
    ending: Option<Ending>,
}

/// An end that is decided and not written.
#[derive(Clone, Debug)]
struct Ending {
    /// The fact that decided it first.
    about: u64,
    reason: StopReason,
    /// Whoever is known to have been told.
    told: BTreeSet<(NotifyEvent, SinkKind)>,
}

impl Notifier {
    /// A fold that has seen nothing. `milestone`: iterations from one milestone to the next; `None` = there is none.
    pub fn new(milestone: Option<u32>) -> Notifier {
        Notifier { milestone: milestone.filter(|every| *every > 0), ..Notifier::default() }
    }

    /// Takes a fact in: what it tells, in the order in which it is to be sent.
    pub fn take(&mut self, entry: &Entry) -> Vec<Notification> {
        match &entry.fact {
            Fact::RunStarted { plan } => {
                self.plan = Some(plan.clone());
                vec![self.start(entry, "started")]
            }
            Fact::RunResumed { plan } => {
                self.plan = Some(plan.clone());
                vec![self.start(entry, "resumed")]
            }
            Fact::BaselineCaptured(report::BaselineCaptured { standing, .. })
            | Fact::SnapshotTaken(report::SnapshotTaken { standing, .. }) => {
                self.standing = standing.clone().or(self.standing.take());
                Vec::new()
            }
            Fact::IterationStarted { .. } | Fact::CallReserved { .. } | Fact::RunFinished { .. } => {
                self.ending = None;
                Vec::new()
            }
            Fact::CallFinished { summary, .. } => {
                self.spent += Spent::of(summary.cost, summary.estimated);
                Vec::new()
            }
            Fact::CallRecharged { cost, estimated, replaces, .. } => {
                self.spent = self.spent.with(Spent::of(*cost, *estimated), *replaces);
                Vec::new()
            }
            Fact::StatusChanged(report::StatusChanged { standing, .. }) => vec![self.status(entry, standing)],
            Fact::IterationFinished { iteration, verdict, cost, estimated_cost, duration, .. } => {
                let spent = Spent { cost: *cost, estimated: *estimated_cost };
                self.iteration(entry, *iteration, *verdict, (spent, *duration))
            }
            Fact::BackoffStarted { until, class: Class::UsageLimit, attempt } => {
                self.wait(entry, *until, *attempt).into_iter().collect()
            }
            Fact::AgentAway { agent, class, until, by: Some(by), detail } => {
                vec![self.handed_over(entry, (*agent, *by), (*class, *until), detail)]
            }
            Fact::NotificationSettled(report::NotificationSettled { key, sink, delivery, .. }) => {
                self.settled(*key, *sink, *delivery);
                Vec::new()
            }
            Fact::RunEnding { stop_reason, detail, iterations, cost, estimated_cost, .. } => {
                let figures = Figures {
                    stop_reason: Some(*stop_reason),
                    iterations: Some(*iterations),
                    ..Figures::of(Spent { cost: *cost, estimated: *estimated_cost })
                };
                self.end(entry, *stop_reason, detail, &figures)
            }
            _ => Vec::new(),
        }
    }

    /// Is it known that this sink has been told this already, in a session before?
    pub fn was_told(&self, notification: &Notification, sink: SinkKind) -> bool {
        let key = notification.key;
        self.ending
            .as_ref()
            .is_some_and(|ending| ending.about == key.about && ending.told.contains(&(key.event, sink)))
    }

    fn start(&self, entry: &Entry, happened: &str) -> Notification {
        let most =
            self.most().map_or_else(String::new, |most| format!("\nat most {}", text::iterations(most)));
        let run = self.plan.as_ref().map(|plan| plan.run.0.as_str()).unwrap_or_default();
        let body = format!("EXECUTION STARTED\n\n{}\nrun {run} {happened}{most}", self.job());
        let figures = Figures { max_iterations: self.most(), ..Figures::default() };
        self.notification(entry, NotifyEvent::ExecutionStart, happened, body, figures)
    }

    fn status(&mut self, entry: &Entry, standing: &JobStatus) -> Notification {
        let progress = text::progress(standing, self.standing.as_ref());
        let progress = if progress.is_empty() { "the status file changed".to_owned() } else { progress };
        let body = format!("STATUS UPDATE\n\n{progress}");
        let figures = Figures { items: standing.items, ..Figures::default() };
        let happened = match standing.items {
            Some(items) => format!("{}/{} items", items.done, items.total),
            None => "status".to_owned(),
        };
        let mut told = self.notification(entry, NotifyEvent::StatusUpdate, &happened, body, figures);
        if standing.complete {
            told.priority = Priority::High;
        }
        self.standing = Some(standing.clone());
        told
    }

    fn iteration(
        &mut self,
        entry: &Entry,
        iteration: u32,
        verdict: Verdict,
        (spent, duration): (Spent, Duration),
    ) -> Vec<Notification> {
        self.finished = self.finished.saturating_add(1);
        let number = text::of(iteration, self.most());
        let standing = self.standing.as_ref().map(|standing| text::progress(standing, None));
        let standing =
            standing.filter(|text| !text.is_empty()).map_or_else(String::new, |text| format!("\n{text}"));
        let figures = Figures {
            iteration: Some(iteration),
            max_iterations: self.most(),
            items: self.standing.as_ref().and_then(|standing| standing.items),
            iterations: Some(self.finished),
            ..Figures::of(self.spent)
        };
        let body = format!(
            "ITERATION {number}\n\nThe agent {}{standing}\n{spent}, {}",
            text::verdict(verdict),
            text::duration(duration)
        );
        let happened = format!("iteration {number}");
        let mut told =
            vec![self.notification(entry, NotifyEvent::Iteration, &happened, body, figures.clone())];
        if self.milestone.is_some_and(|every| iteration.is_multiple_of(every)) {
            let body = format!("ITERATION MILESTONE\n\n{number} iterations, {} so far{standing}", self.spent);
            let happened = format!("{number} iterations");
            told.push(self.notification(entry, NotifyEvent::IterationMilestone, &happened, body, figures));
        }
        told
    }

    /// The first of several waits in a row; a later one only when it takes much longer than what was told.
    fn wait(&mut self, entry: &Entry, until: Timestamp, attempt: u32) -> Option<Notification> {
        let known = self.told_until.filter(|_| attempt > 1);
        if known.is_some_and(|known| until.duration_since(known) < WORTH_TELLING) {
            return None;
        }
        self.told_until = Some(until);
        let (clock, left) = (text::moment(until), text::duration(between(entry.at.wall, until)));
        let body = format!(
            "WAITING FOR THE USAGE LIMIT\n\nuntil {clock} (in {left}); then the same iteration goes on"
        );
        let figures = Figures { until: Some(until), ..Figures::of(self.spent) };
        let happened = format!("waits until {clock}");
        Some(self.notification(entry, NotifyEvent::LimitWait, &happened, body, figures))
    }

    fn handed_over(
        &self,
        entry: &Entry,
        (agent, by): (AgentIndex, AgentIndex),
        (class, until): (Class, Option<Timestamp>),
        detail: &str,
    ) -> Notification {
        let name = |agent| self.plan.as_ref().map_or_else(String::new, |plan| plan.agent_name(agent));
        let (agent, by) = (name(agent), name(by));
        let why = match class {
            Class::UsageLimit => "has reached its usage limit".to_owned(),
            Class::Outage => "is out of reach".to_owned(),
            _ => format!("cannot work: {detail}"),
        };
        let back = until.map_or_else(String::new, |until| format!("; it is back at {}", text::moment(until)));
        let body =
            format!("ANOTHER AGENT TAKES OVER\n\n{agent} {why}{back}\n{by} goes on with the same iteration");
        let figures = Figures { until, ..Figures::of(self.spent) };
        self.notification(entry, NotifyEvent::LimitWait, &format!("{by} takes over"), body, figures)
    }

    fn settled(&mut self, key: NotificationKey, sink: SinkKind, delivery: Delivery) {
        if let Some(ending) = &mut self.ending
            && ending.about == key.about
            && delivery == Delivery::Sent
        {
            ending.told.insert((key.event, sink));
        }
    }

    fn end(
        &mut self,
        entry: &Entry,
        reason: StopReason,
        detail: &str,
        figures: &Figures,
    ) -> Vec<Notification> {
        let known = self.ending.take().filter(|ending| ending.reason == reason);
        let repeated = known.is_some();
        let ending = known.unwrap_or_else(|| Ending { about: entry.seq, reason, told: BTreeSet::new() });
        let about = ending.about;
        self.ending = Some(ending);
        let grounds = self.plan.as_ref().map(|plan| plan.grounds()).unwrap_or_default();
        let words = ending::words(reason, grounds);
        let detail = if detail.is_empty() { String::new() } else { format!("\n{detail}") };
        let figure = |figures: &Figures| {
            let iterations = text::iterations(figures.iterations.unwrap_or_default());
            format!("{iterations}, {}", figures.spent())
        };
        let mut told = Vec::new();
        if let Some(event) = ending::event(reason) {
            let body = format!("{}\n\n{}{detail}\n{}", ending::head(reason), self.job(), figure(figures));
            told.push(self.notification(entry, event, words, body, figures.clone()));
        }
        let run = self.plan.as_ref().map(|plan| plan.run.0.as_str()).unwrap_or_default();
        // What the name says already is not said twice.
        let meaning = if reason == StopReason::Complete && !grounds.is_shown() {
            String::new()
        } else {
            format!(" ({words})")
        };
        let body = format!(
            "RUN ENDED\n\n{}{meaning}{detail}\n{}\nwindlass status {run}",
            reason.told(grounds),
            figure(figures)
        );
        let happened = format!("run ended, {}", reason.told(grounds));
        told.push(self.notification(entry, NotifyEvent::RunEnd, &happened, body, figures.clone()));
        for notification in &mut told {
            notification.key.about = about;
            notification.repeated = repeated;
            notification.tags.extend(repeated.then(|| "repeated".to_owned()));
        }
        told
    }

    /// Its runner has left the run, which has not ended: it goes on elsewhere, or later. `about` is the last fact.
    pub fn left(&self, about: u64, at: Timestamp, why: &str) -> Notification {
        let run = self.plan.as_ref().map(|plan| plan.run.0.as_str()).unwrap_or_default();
        let body = format!("RUN LEFT\n\n{}\n{why}\nwindlass resume {run}", self.job());
        let figures = Figures { iterations: Some(self.finished), ..Figures::of(self.spent) };
        self.notification_of((about, at), NotifyEvent::Error, "the run was left", body, figures)
    }

    fn notification(
        &self,
        entry: &Entry,
        event: NotifyEvent,
        happened: &str,
        body: String,
        figures: Figures,
    ) -> Notification {
        self.notification_of((entry.seq, entry.at.wall), event, happened, body, figures)
    }

    fn notification_of(
        &self,
        (about, at): (u64, Timestamp),
        event: NotifyEvent,
        happened: &str,
        body: String,
        figures: Figures,
    ) -> Notification {
        let job = self.plan.as_ref().map(|plan| &plan.job);
        Notification {
            key: NotificationKey { about, event },
            at,
            run: self.plan.as_ref().map(|plan| plan.run.clone()),
            workspace: job.and_then(|job| job.workspace.as_ref()).map(|workspace| workspace.name.clone()),
            title: text::title(self.job(), happened),
            body,
            priority: usual_priority(event),
            tags: tags(event),
            repeated: false,
            figures,
            link: None,
        }
    }

    /// What the job is called.
    fn job(&self) -> &str {
        let job = self.plan.as_ref().map(|plan| &plan.job);
        job.map(|job| job.workspace.as_ref().map_or(job.title.as_str(), |workspace| &workspace.name))
            .unwrap_or_default()
    }

    fn most(&self) -> Option<u32> {
        self.plan.as_ref().and_then(|plan| plan.limits.iterations)
    }
}
