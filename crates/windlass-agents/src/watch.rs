//! One call, watched: its clocks, and the report at its end.
//!
//! That the process ended, that its pipes are closed and that a result was seen are three facts, and none follows from
//! another: a process lives on after its result, a grandchild holds the pipes after its end, a result never comes.

use std::time::Duration;

use jiff::tz::TimeZone;
use windlass_core::price::{ModelUsage, Price};
use windlass_core::spec::AgentSpec;
use windlass_core::values::{
    Assessment, Bill, CallClocks, CallReport, Cost, Cut, Decision, Denial, Ended, Now, Review, Tokens,
    UsageLimit, WindowShare,
};

use crate::answer::object_at_end;
use crate::ending::{AUTHENTICATION_FAILED, CONTEXT_TOO_LONG};
use crate::json::last_bytes;
use crate::streamed::Streamed;
use crate::{
    Ability, Activity, Agent, Digest, ResultDigest, Retry, Signs, of, parse_assessment, parse_decision,
    parse_review,
};

#[cfg(test)]
mod tests;

/// After the process's end its pipes are read until they were silent for so long …
const DRAIN_SILENCE: Duration = Duration::from_secs(1);

/// … and for no longer than this.
const DRAIN: Duration = Duration::from_secs(5);

/// So many retries with refused credentials, or with a prompt that is too long, show that it will not heal.
const HOPELESS: u32 = 2;

/// Texts of results that are kept: the last ones.
const RESULTS: usize = 50;

/// So many bytes of an agent's words are its result, where it marks none.
const SAID: usize = 64 * 1024;

/// Windows that are remembered: no account has so many.
const WINDOWS: usize = 8;

/// So many characters of a model's name are kept.
const NAME: usize = 100;

/// Denials that are reported.
const DENIALS: usize = 20;

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
    exited: Option<(Duration, Ended)>,
    pipes_closed: Option<Duration>,
    cut: Option<Cut>,
    heard: Heard,
}

/// What the agent said, as far as the report needs it.
#[derive(Debug, Default)]
struct Heard {
    /// The last result, and how the message before it was marked.
    result: Option<(ResultDigest, String)>,
    /// How the last message since the last result was marked.
    api_error: String,
    rejected: Option<UsageLimit>,
    overage: bool,
    model: String,
    windows: Vec<WindowShare>,
    /// The retry that it is in.
    retrying: Option<Retry>,
    /// Retries in a row.
    retries: u32,
    /// Retries with refused credentials in a row.
    refused: u32,
    /// Retries with a prompt that is too long, with no answer between them.
    too_long: u32,
    /// Some request was answered.
    answered: bool,
    results: Vec<String>,
    /// What an agent said that marks no results: its end.
    said: String,
    assessment: Option<Assessment>,
    review: Option<Review>,
    decision: Option<Decision>,
    /// The greatest total that was reported: totals only grow.
    cost: Option<Cost>,
    /// A total was negative, or less than one before it.
    doubted: bool,
    /// What the last totals were made of.
    reported: Vec<ModelUsage>,
    streamed: Streamed,
    tool_uses: u32,
    denials: Vec<Denial>,
    garbage_lines: u64,
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
            Digest::Retry { .. }
            | Digest::ToolUse
            | Digest::ApiError(_)
            | Digest::Limit { .. }
            | Digest::Window(_)
            | Digest::Usage(_)
            | Digest::Wrote(..)
            | Digest::Said(_)
            | Digest::Garbage => {}
        }
        self.heard.digest(digest);
        let in_vain = self.agent.about().retries.is_some_and(|bound| self.heard.retries >= bound);
        if self.heard.refused.max(self.heard.too_long) >= HOPELESS || in_vain {
            self.hopeless_since.get_or_insert(at);
        }
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
        [hopeless, quiet, wall]
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
        let reported = named(heard.reported.clone(), &self.asked_model);
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
        let bill = Bill {
            reported: prices.of(&reported),
            unreported: prices.of(&heard.streamed.unreported()),
            doubted: heard.doubted || !self.agent.about().can(Ability::SayItsCosts),
        };
        // What an agent without costs has used is priced by the list, which is an estimate at best.
        let is_priced = bill.reported.cost > Cost::ZERO && !bill.reported.guessed;
        let listed =
            (is_priced && !self.agent.about().can(Ability::SayItsCosts)).then_some(bill.reported.cost);
        CallReport {
            class: judgement.class,
            detail: judgement.detail,
            ended,
            cut: self.cut,
            cost: heard.cost().or(listed),
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

/// What an agent does not name is of the model that it was asked for.
fn named(mut usage: Vec<ModelUsage>, model: &str) -> Vec<ModelUsage> {
    for used in usage.iter_mut().filter(|used| used.model.is_empty()) {
        model.clone_into(&mut used.model);
    }
    usage
}

impl Heard {
    fn digest(&mut self, digest: &Digest) {
        match digest {
            Digest::Activity(activity) => self.active(*activity),
            Digest::ToolUse => self.tool_uses = self.tool_uses.saturating_add(1),
            Digest::Retry { status, error } => {
                self.retries = self.retries.saturating_add(1);
                let row = |word, row: u32| if error == word { row.saturating_add(1) } else { 0 };
                self.refused = row(AUTHENTICATION_FAILED, self.refused);
                self.too_long = row(CONTEXT_TOO_LONG, self.too_long);
                self.retrying = Some(Retry { status: *status, error: error.clone() });
            }
            Digest::ApiError(word) => self.api_error.clone_from(word),
            Digest::Limit { rejected, overage } => {
                self.rejected.clone_from(rejected);
                self.overage |= *overage;
            }
            Digest::Result(result) => self.result(result),
            Digest::Usage(usage) => self.streamed.used(usage),
            Digest::Wrote(message, bytes) => self.streamed.wrote(*message, *bytes),
            Digest::Garbage => self.garbage_lines = self.garbage_lines.saturating_add(1),
            Digest::Said(line) => self.say(line),
            Digest::Started { model } => self.started(model),
            Digest::Window(share) => self.window(share),
            Digest::Background(_) => {}
        }
    }

    fn started(&mut self, model: &str) {
        if !model.is_empty() {
            self.model = model.chars().take(NAME).collect();
        }
    }

    fn say(&mut self, line: &str) {
        if !self.said.is_empty() {
            self.said.push('\n');
        }
        self.said.push_str(line);
        // Twice as much is kept, so that not each line moves it all.
        if self.said.len() > 2 * SAID {
            self.said = last_bytes(&self.said, SAID).to_owned();
        }
    }

    /// What an agent that marks no results has said is its result, where it ended well.
    fn ends_with_its_words(&mut self, ended: Ended) {
        let said = last_bytes(self.said.trim(), SAID);
        if self.result.is_none() && ended == Ended::Exited(0) && !said.is_empty() {
            let structured = object_at_end(said);
            let result = ResultDigest { text: said.to_owned(), structured, ..ResultDigest::default() };
            self.result(&result);
        }
    }

    /// The last word on each window counts.
    fn window(&mut self, share: &WindowShare) {
        if let Some(known) = self.windows.iter_mut().find(|known| known.window == share.window) {
            known.clone_from(share);
        } else if self.windows.len() < WINDOWS {
            self.windows.push(share.clone());
        }
    }

    /// A request came through: starting, waiting for the model and retrying are not a sign of that, all else is.
    fn active(&mut self, activity: Activity) {
        if !matches!(activity, Activity::Starting | Activity::Thinking | Activity::Retrying) {
            self.retrying = None;
            self.retries = 0;
            (self.refused, self.too_long) = (0, 0);
            self.answered = true;
        }
    }

    /// What is known of its cost. Requests whose credentials are refused are not billed.
    fn cost(&self) -> Option<Cost> {
        let only_refused = self.refused > 0 && !self.answered;
        self.cost.or_else(|| only_refused.then_some(Cost::ZERO))
    }

    /// A total that is negative says nothing, and one that shrinks leaves the greater one; both are doubted.
    fn costs(&mut self, dollars: f64) {
        if dollars.is_sign_negative() && dollars != 0.0 {
            self.doubted = true;
            return;
        }
        let cost = Cost::from_dollars(dollars);
        self.doubted |= self.cost.is_some_and(|before| cost < before);
        self.cost = Some(self.cost.map_or(cost, |before| before.max(cost)));
    }

    fn tokens(&self) -> Tokens {
        let mut tokens = Tokens::default();
        for used in self.reported.iter().chain(&self.streamed.unreported()) {
            tokens += used.tokens;
        }
        tokens
    }

    /// How the last message was marked, if it came after the last result, else the one before that.
    fn marked(&self) -> &str {
        match &self.result {
            Some((_, marked)) if self.api_error.is_empty() => marked,
            _ => &self.api_error,
        }
    }

    fn result(&mut self, result: &ResultDigest) {
        self.retrying = None;
        if let Some(dollars) = result.cost_usd {
            self.costs(dollars);
        }
        if result.tokens.total() > 0 {
            let unnamed = || vec![ModelUsage { tokens: result.tokens, ..ModelUsage::default() }];
            self.reported = if result.models.is_empty() { unnamed() } else { result.models.clone() };
        }
        if result.cost_usd.is_some_and(|dollars| dollars >= 0.0) || result.tokens.total() > 0 {
            self.streamed.reported();
        }
        if !result.is_error {
            // What was asked for, the run knows.
            self.assessment = result.structured.as_deref().and_then(parse_assessment);
            self.review = result.structured.as_deref().and_then(parse_review);
            self.decision = result.structured.as_deref().and_then(parse_decision);
            if self.results.len() >= RESULTS {
                self.results.remove(0);
            }
            self.results.push(result.text.clone());
        }
        for denial in &result.denials {
            if self.denials.len() < DENIALS && !self.denials.contains(denial) {
                self.denials.push(denial.clone());
            }
        }
        self.result = Some((result.clone(), std::mem::take(&mut self.api_error)));
    }
}
