//! What an agent said in a call, as far as the report needs it.

use windlass_core::price::ModelUsage;
use windlass_core::values::{
    Assessment, Cost, Decision, Denial, Ended, Review, Tokens, UsageLimit, WindowShare,
};

use crate::answer::object_at_end;
use crate::ending::{AUTHENTICATION_FAILED, CONTEXT_TOO_LONG};
use crate::json::last_bytes;
use crate::streamed::{FAST, Streamed};
use crate::{Activity, Digest, ResultDigest, Retry, parse_assessment, parse_decision, parse_review};

/// Texts of results that are kept: the last ones.
const RESULTS: usize = 50;

/// So many bytes of an agent's words are its result, where it marks none.
const SAID: usize = 64 * 1024;

/// Windows that are remembered: no account has so many.
const WINDOWS: usize = 8;

/// So many characters of a model's name are kept.
const NAME: usize = 100;

/// No call costs so many dollars.
const BEYOND_MEASURE: f64 = 1e6;

/// Denials that are reported.
const DENIALS: usize = 20;

/// What the agent said, as far as the report needs it.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// The last result, and how the message before it was marked.
    pub(super) result: Option<(ResultDigest, String)>,
    /// How the last message since the last result was marked.
    pub(super) api_error: String,
    pub(super) rejected: Option<UsageLimit>,
    pub(super) overage: bool,
    pub(super) model: String,
    pub(super) windows: Vec<WindowShare>,
    /// The retry that it is in.
    pub(super) retrying: Option<Retry>,
    /// Retries in a row.
    pub(super) retries: u32,
    /// Retries with refused credentials in a row.
    pub(super) refused: u32,
    /// Retries with a prompt that is too long, with no answer between them.
    pub(super) too_long: u32,
    /// Some request was answered.
    pub(super) answered: bool,
    pub(super) results: Vec<String>,
    /// What an agent said that marks no results: its end.
    pub(super) said: String,
    pub(super) assessment: Option<Assessment>,
    pub(super) review: Option<Review>,
    pub(super) decision: Option<Decision>,
    /// The greatest total that was reported: totals only grow.
    pub(super) cost: Option<Cost>,
    /// The greatest total that was named while it worked.
    pub(super) named: Cost,
    /// A total was negative, or less than one before it.
    pub(super) doubted: bool,
    /// What the last totals were made of.
    reported: Vec<ModelUsage>,
    /// What the stream had said by then.
    covered: Vec<ModelUsage>,
    pub(super) streamed: Streamed,
    pub(super) tool_uses: u32,
    pub(super) denials: Vec<Denial>,
    pub(super) garbage_lines: u64,
}

impl Heard {
    pub(super) fn digest(&mut self, digest: &Digest) {
        match digest {
            Digest::Activity(activity) => self.active(*activity),
            Digest::Thought => self.came_through(),
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
            Digest::Total(dollars) => self.names(*dollars),
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
    pub(super) fn ends_with_its_words(&mut self, ended: Ended) {
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
            self.came_through();
        }
    }

    fn came_through(&mut self) {
        self.retrying = None;
        self.retries = 0;
        (self.refused, self.too_long) = (0, 0);
        self.answered = true;
    }

    /// Is there no sign that a request was answered, and so none of anything that could be billed?
    pub(super) fn is_unanswered(&self) -> bool {
        let did_nothing = !self.answered && self.tool_uses == 0 && self.results.is_empty();
        did_nothing && !self.doubted && self.named == Cost::ZERO && self.tokens().total() == 0
    }

    /// What is known of its cost. Requests whose credentials are refused are not billed.
    pub(super) fn cost(&self) -> Option<Cost> {
        let only_refused = self.refused > 0 && !self.answered;
        self.cost.or_else(|| only_refused.then_some(Cost::ZERO))
    }

    /// What it has cost so far, without a result.
    fn names(&mut self, dollars: f64) {
        if let Some(cost) = self.possible(dollars) {
            self.named = self.named.max(cost);
        }
    }

    /// A total that is negative or beyond all measure says nothing, and is doubted.
    fn possible(&mut self, dollars: f64) -> Option<Cost> {
        let is_possible = dollars == 0.0 || (0.0..=BEYOND_MEASURE).contains(&dollars);
        self.doubted |= !is_possible;
        is_possible.then(|| Cost::from_dollars(dollars))
    }

    /// One that shrinks leaves the greater one, and is doubted, too.
    fn costs(&mut self, dollars: f64) {
        let Some(cost) = self.possible(dollars) else { return };
        self.doubted |= self.cost.is_some_and(|before| cost < before);
        self.cost = Some(self.cost.map_or(cost, |before| before.max(cost)));
    }

    pub(super) fn tokens(&self) -> Tokens {
        self.totals().iter().chain(&self.streamed.unreported()).map(|used| used.tokens).sum()
    }

    /// What its last totals have in them: what the stream had said, where they say less than that or no tokens at all.
    pub(super) fn totals(&self) -> &[ModelUsage] {
        // What goes in is told of each message. What came out of one that was cut off is estimated, and no measure.
        let given = |usage: &[ModelUsage]| {
            let tokens = usage.iter().map(|used| used.tokens.total().saturating_sub(used.tokens.output));
            tokens.fold(0, u64::saturating_add)
        };
        if given(&self.covered) > given(&self.reported) { &self.covered } else { &self.reported }
    }

    /// The same as it has to be priced: totals do not say of a model whether it wrote fast, and the stream does.
    pub(super) fn priced_totals(&self) -> Vec<ModelUsage> {
        let mut totals = self.totals().to_vec();
        for used in &mut totals {
            let fast = format!("{FAST}{}", used.model);
            if self.covered.iter().any(|known| known.model == fast) {
                used.model = fast;
            }
        }
        totals
    }

    /// The stream's messages are in a result's totals from now on.
    fn cover(&mut self) {
        for used in self.streamed.unreported() {
            match self.covered.iter_mut().find(|known| known.model == used.model) {
                Some(known) => {
                    known.tokens += used.tokens;
                    known.cached_for_an_hour =
                        known.cached_for_an_hour.saturating_add(used.cached_for_an_hour);
                }
                None => self.covered.push(used),
            }
        }
        self.streamed.reported();
    }

    /// How the last message was marked, if it came after the last result, else the one before that.
    pub(super) fn marked(&self) -> &str {
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
        if result.cost_usd.is_some_and(|dollars| (0.0..=BEYOND_MEASURE).contains(&dollars))
            || result.tokens.total() > 0
        {
            self.cover();
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
