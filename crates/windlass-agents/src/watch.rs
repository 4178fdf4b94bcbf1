//! One call, watched: its clocks, and the report at its end.
//!
//! That the process ended, that its pipes are closed and that a result was seen are three facts, and none follows from
//! another: a process lives on after its result, a grandchild holds the pipes after its end, a result never comes.

use std::time::Duration;

use jiff::tz::TimeZone;
use windlass_core::price::{ModelUsage, Price};
use windlass_core::spec::AgentSpec;
use windlass_core::values::{Bill, CallClocks, CallReport, Class, Cost, Cut, Ended, Now};

use self::heard::Heard;
use crate::{Ability, Activity, Agent, Digest, Signs, of};

mod heard;
#[cfg(test)]
mod tests;

/// After the process's end its pipes are read until they were silent for so long …
const DRAIN_SILENCE: Duration = Duration::from_secs(1);

/// … and for no longer than this.
const DRAIN: Duration = Duration::from_secs(5);

/// So many retries with refused credentials, or with a prompt that is too long, show that it will not heal.
const HOPELESS: u32 = 2;

/// What has become due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// End the call.
    Cut(Cut),
    /// The process is gone and its pipes are closed, or have been drained for long enough: take the report.
    Finished,
}

/// One call as it is seen from outside. All times are monotonic, on the clock of [`Now`]; they may not go backwards.
#[derive(Debug)]
pub struct CallWatch {
    agent: &'static dyn Agent,
    own_prices: Vec<Price>,
    asked_model: String,
    zone: TimeZone,
    clocks: CallClocks,
    started: Duration,
    last_byte: Duration,
    /// Since when it only waits for its end: the last result, or the last change of its background tasks after it.
    /// `None` while it works.
    idle_since: Option<Duration>,
    background: u32,
    /// When it became clear that its retries will not heal.
    hopeless_since: Option<Duration>,
    /// When it had used the tokens that it may use.
    used_up_since: Option<Duration>,
    exited: Option<(Duration, Ended)>,
    pipes_closed: Option<Duration>,
    cut: Option<Cut>,
    heard: Heard,
}

impl CallWatch {
    /// A call that is starting now.
    pub fn new(agent: &AgentSpec, started: Duration, clocks: CallClocks) -> CallWatch {
        CallWatch {
            agent: of(agent),
            own_prices: agent.prices.clone(),
            asked_model: agent.model.clone().unwrap_or_default(),
            zone: TimeZone::UTC,
            clocks,
            started,
            last_byte: started,
            idle_since: None,
            background: 0,
            hopeless_since: None,
            used_up_since: None,
            exited: None,
            pipes_closed: None,
            cut: None,
            heard: Heard::default(),
        }
    }

    /// The agent's process has this time zone; without a word it is UTC.
    #[must_use]
    pub fn in_zone(self, zone: TimeZone) -> CallWatch {
        CallWatch { zone, ..self }
    }

    /// A digest came.
    pub fn observe(&mut self, at: Duration, digest: &Digest) {
        match digest {
            Digest::Started { .. } => self.idle_since = None,
            Digest::Activity(activity) => self.active(*activity),
            Digest::Background(running) => {
                self.background = *running;
                // A task's end may wake the agent once more: it is given the time for it.
                self.idle_since = self.idle_since.map(|since| since.max(at));
            }
            Digest::Result(_) => self.idle_since = Some(at),
            Digest::Thought
            | Digest::Retry { .. }
            | Digest::ToolUse
            | Digest::ApiError(_)
            | Digest::Limit { .. }
            | Digest::Window(_)
            | Digest::Usage(_)
            | Digest::Total(_)
            | Digest::Wrote(..)
            | Digest::Said(_)
            | Digest::Garbage => {}
        }
        self.heard.digest(digest);
        let in_vain = self.agent.about().retries.is_some_and(|bound| self.heard.retries >= bound);
        if self.heard.refused.max(self.heard.too_long) >= HOPELESS || in_vain {
            self.hopeless_since.get_or_insert(at);
        }
        if self.has_used_up(digest) {
            self.used_up_since.get_or_insert(at);
        }
    }

    /// Has it used all tokens that it may use, as its stream and its results say?
    fn has_used_up(&self, digest: &Digest) -> bool {
        matches!(digest, Digest::Usage(_) | Digest::Result(_))
            && self.clocks.tokens.is_some_and(|most| self.heard.tokens().total() >= most)
    }

    /// Work goes on, also where no `init` said so. (A sub-agent's work shows as background tasks; a start is a start.)
    fn active(&mut self, activity: Activity) {
        if !matches!(activity, Activity::Starting | Activity::Delegating) {
            self.idle_since = None;
        }
    }

    /// Bytes came, of whatever kind (a heartbeat, half a line).
    pub fn bytes(&mut self, at: Duration) {
        self.last_byte = self.last_byte.max(at);
    }

    /// The process ended. Only the first end counts.
    pub fn exited(&mut self, at: Duration, ended: Ended) {
        self.exited.get_or_insert((at, ended));
    }

    /// Both pipes reached their end.
    pub fn pipes_closed(&mut self, at: Duration) {
        self.pipes_closed.get_or_insert(at);
    }

    /// The runner has begun to end the call; no further [`Due::Cut`] is raised. The first reason stands.
    pub fn cut(&mut self, cut: Cut) {
        self.cut.get_or_insert(cut);
    }

    /// What is due at this time, if anything.
    pub fn due(&self, at: Duration) -> Option<Due> {
        self.deadline().filter(|(when, _)| *when <= at).map(|(_, due)| due)
    }

    /// When [`due`](CallWatch::due) may next say something new without a further event; in the past only while
    /// something is due.
    pub fn next_due(&self) -> Option<Duration> {
        self.deadline().map(|(when, _)| when)
    }

    /// What comes first if nothing happens before.
    fn deadline(&self) -> Option<(Duration, Due)> {
        if let Some((exited, _)) = self.exited {
            return Some((self.drained(exited), Due::Finished));
        }
        if self.cut.is_some() {
            return None;
        }
        let wall = (self.started.checked_add(self.clocks.wall), self.clocks.wall_means);
        let hopeless = (self.hopeless_since, Cut::HopelessRetries);
        // While it only waits for its end, silence is what is expected of it.
        let quiet = match self.idle_since {
            Some(since) => (since.checked_add(self.linger()), Cut::Lingering),
            None => (self.last_byte.checked_add(self.clocks.silence), Cut::Silence),
        };
        // A result that has come is waited for no longer than any other.
        let used_up = (self.used_up_since.filter(|_| self.idle_since.is_none()), Cut::Tokens);
        [hopeless, used_up, quiet, wall]
            .into_iter()
            .filter_map(|(when, cut)| Some((when?, Due::Cut(cut))))
            .min_by_key(|(when, _)| *when)
    }

    /// When the pipes of a process that has ended are done with.
    fn drained(&self, exited: Duration) -> Duration {
        let patience =
            exited.max(self.last_byte).saturating_add(DRAIN_SILENCE).min(exited.saturating_add(DRAIN));
        match self.pipes_closed {
            Some(closed) => closed.max(exited).min(patience),
            None => patience,
        }
    }

    fn linger(&self) -> Duration {
        if self.background > 0 { self.clocks.linger_background } else { self.clocks.linger }
    }

    /// The report; `stderr_tail` is the end of standard error, a few kilobytes. A call whose end nobody saw is
    /// [`Ended::Lost`]. Wall time is needed where the agent names a reset time in a sentence only.
    pub fn report(self, now: Now, stderr_tail: &str) -> CallReport {
        let (end, ended) = self.exited.unwrap_or((now.monotonic, Ended::Lost));
        let mut heard = self.heard;
        heard.ends_with_its_words(ended);
        let prices = self.agent.prices(&self.own_prices);
        // The name of an alias (`opus`) is on no list; its start says which model that is.
        let model = if heard.model.is_empty() { &self.asked_model } else { &heard.model };
        let reported = named(heard.priced_totals(), model);
        let unreported = named(heard.streamed.unreported(), model);
        let judgement = self.agent.judge(&Signs {
            now: now.wall,
            zone: &self.zone,
            clocks: &self.clocks,
            ended,
            cut: self.cut,
            working: self.idle_since.is_none(),
            result: heard.result.as_ref().map(|(result, _)| result),
            api_error: heard.marked(),
            rejected: heard.rejected.as_ref(),
            retrying: heard.retrying.as_ref(),
            stderr: stderr_tail,
        });
        let (reported, unreported) = (prices.of(&reported), prices.of(&unreported));
        let costs_nothing = prices.is_free(model) && reported.cost + unreported.cost == Cost::ZERO;
        let is_free = costs_nothing || (was_refused(judgement.class, ended) && heard.is_unanswered());
        let says_costs = self.agent.about().can(Ability::SayItsCosts);
        let doubted = heard.doubted || !(is_free || says_costs);
        let bill = Bill { reported, unreported, named: heard.named, doubted };
        // What an agent without costs has used is priced by the list, which is an estimate at best.
        let is_priced = !says_costs && !heard.totals().is_empty() && !reported.guessed;
        let listed = is_priced.then_some(reported.cost);
        CallReport {
            class: judgement.class,
            detail: judgement.detail,
            ended,
            cut: self.cut,
            cost: heard.cost().or(listed).or_else(|| is_free.then_some(Cost::ZERO)),
            tokens: heard.tokens(),
            bill,
            results: heard.results,
            assessment: heard.assessment,
            review: heard.review,
            decision: heard.decision,
            tool_uses: heard.tool_uses,
            denials: heard.denials,
            limit: judgement.limit,
            elsewhere: false,
            overage: heard.overage,
            model: heard.model,
            windows: heard.windows,
            garbage_lines: heard.garbage_lines,
            duration: end.saturating_sub(self.started),
        }
    }
}

/// Was the call turned away, as far as its class says? Of one whose end nobody saw it is not known.
fn was_refused(class: Class, ended: Ended) -> bool {
    ended != Ended::Lost && (class.is_of_reach() || class.is_fatal())
}

/// What an agent does not name is of the model that it works with.
fn named(mut usage: Vec<ModelUsage>, model: &str) -> Vec<ModelUsage> {
    for used in usage.iter_mut().filter(|used| used.model.is_empty()) {
        model.clone_into(&mut used.model);
    }
    usage
}
