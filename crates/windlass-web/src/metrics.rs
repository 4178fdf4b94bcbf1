//! Figures for those who have a dashboard: `OpenMetrics`, names as Prometheus has them. Counters count from the start of this server;
//! one that starts anew begins at nothing, as counters may.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;

use axum::http::StatusCode;
use jiff::Timestamp;
use windlass_app::AppError;
use windlass_app::inspect::{Heading, KnownRun};
use windlass_core::values::{CheckResult, Cost, RunId, between};
use windlass_ui::RunState;
use windlass_ui::model::RunSeen;

use crate::pages::parts;
use crate::response::{self, Response};
use crate::site::{Site, locked};

/// What runs did since the server started.
#[derive(Debug)]
pub struct Counted {
    since: Timestamp,
    runs: Mutex<BTreeMap<RunId, (Timestamp, Counts)>>,
}

/// What one run did.
#[derive(Clone, Debug, Default)]
struct Counts {
    iterations: BTreeMap<&'static str, u64>,
    cost: Cost,
    wasted: Cost,
    tokens: u64,
    waited: f64,
    gates: BTreeMap<&'static str, (u64, f64)>,
}

impl Counted {
    /// From this moment on.
    pub const fn since(since: Timestamp) -> Counted {
        Counted { since, runs: Mutex::new(BTreeMap::new()) }
    }

    fn look(&self, site: &Site, changed: Vec<(KnownRun, Timestamp)>) {
        for (known, last) in changed {
            if locked(&self.runs).get(known.run()).is_some_and(|(seen, _)| *seen == last) {
                continue;
            }
            let seen = site.app.follow(&known).and_then(|followed| followed.seen(Timestamp::now()));
            // One that cannot be read counts as it was.
            if let Ok(seen) = seen {
                locked(&self.runs).insert(known.run().clone(), (last, self.counts(&seen)));
            }
        }
    }

    fn counts(&self, seen: &RunSeen) -> Counts {
        let mut counts = Counts::default();
        for round in seen.rounds.iter().filter(|round| round.ended.is_some_and(|ended| ended >= self.since)) {
            let (_, word, _) = parts::verdict(round);
            *counts.iterations.entry(word).or_default() += 1;
            counts.cost += round.cost;
            counts.wasted += round.wasted.total();
            counts.tokens += round.tokens.total();
            for gate in &round.gates {
                let result = if gate.result == CheckResult::Passed { "passed" } else { "failed" };
                let (count, seconds) = counts.gates.entry(result).or_default();
                *count += 1;
                *seconds += seconds_of(gate.duration_ms);
            }
        }
        for wait in seen.waits.iter().filter(|wait| wait.since >= self.since) {
            counts.waited += wait.ended.map_or(0.0, |ended| between(wait.since, ended).as_secs_f64());
        }
        counts
    }

    fn total(&self) -> Counts {
        let mut total = Counts::default();
        for (_, counts) in locked(&self.runs).values() {
            for (word, number) in &counts.iterations {
                *total.iterations.entry(word).or_default() += number;
            }
            for (word, (number, seconds)) in &counts.gates {
                let sum = total.gates.entry(word).or_default();
                *sum = (sum.0 + number, sum.1 + seconds);
            }
            total.cost += counts.cost;
            total.wasted += counts.wasted;
            total.tokens += counts.tokens;
            total.waited += counts.waited;
        }
        total
    }
}

fn seconds_of(millis: u64) -> f64 {
    std::time::Duration::from_millis(millis).as_secs_f64()
}

/// All of them.
pub fn answer(site: &Site) -> Response {
    match exposition(site) {
        Ok(text) => response::with_body(
            StatusCode::OK,
            "application/openmetrics-text; version=1.0.0; charset=utf-8",
            text,
        ),
        Err(error) => response::text(response::status_of(&error), format!("{error}\n")),
    }
}

fn exposition(site: &Site) -> Result<String, AppError> {
    let (states, needs, unreadable, changed) = site.runs(|machine| {
        let mut states: BTreeMap<&'static str, u64> = BTreeMap::new();
        let mut needs = 0;
        let mut changed = Vec::new();
        for run in machine.runs() {
            let state = match run.state {
                RunState::Running => "running",
                RunState::Interrupted => "interrupted",
                RunState::Claimed | RunState::Ended(_) => "ended",
            };
            *states.entry(state).or_default() += 1;
            needs += u64::from(run.heading == Heading::NeedsYou);
            if run.summary.last >= site.counted.since {
                changed.push((run.known(), run.summary.last));
            }
        }
        (states, needs, machine.unreadable().len() as u64, changed)
    })?;
    site.counted.look(site, changed);
    let total = site.counted.total();
    let mut text = Exposition::default();
    text.family("windlass_runs", "gauge", "Runs of this machine by state.");
    for state in ["running", "interrupted", "ended"] {
        text.sample("windlass_runs", &[("state", state)], states.get(state).copied().unwrap_or_default());
    }
    text.family("windlass_runs_waiting_for_person", "gauge", "Runs that do not go on without a person.");
    text.sample("windlass_runs_waiting_for_person", &[], needs);
    text.family(
        "windlass_runs_unreadable",
        "gauge",
        "Runs whose journal is gone, and unfinished ones whose journal cannot be read.",
    );
    text.sample("windlass_runs_unreadable", &[], unreadable);
    text.family("windlass_iterations", "counter", "Iterations that ended, by verdict.");
    for word in ["worked", "accepted", "refused", "unproven", "nothing new", "failed"] {
        let number = total.iterations.get(word).copied().unwrap_or_default();
        text.sample("windlass_iterations_total", &[("verdict", &word.replace(' ', "_"))], number);
    }
    text.family("windlass_cost_dollars", "counter", "What ended iterations cost.");
    text.sample("windlass_cost_dollars_total", &[], total.cost.dollars());
    text.family("windlass_wasted_dollars", "counter", "The part of that which brought nothing.");
    text.sample("windlass_wasted_dollars_total", &[], total.wasted.dollars());
    text.family("windlass_tokens", "counter", "Tokens of ended iterations.");
    text.sample("windlass_tokens_total", &[], total.tokens);
    text.family("windlass_wait_seconds", "counter", "Waits for usage limits and outages that are over.");
    text.sample("windlass_wait_seconds_total", &[], total.waited);
    text.family("windlass_gate_duration_seconds", "summary", "How long gates took, by result.");
    for word in ["passed", "failed"] {
        let (count, seconds) = total.gates.get(word).copied().unwrap_or_default();
        text.sample("windlass_gate_duration_seconds_count", &[("result", word)], count);
        text.sample("windlass_gate_duration_seconds_sum", &[("result", word)], seconds);
    }
    Ok(text.ended())
}

/// The text of figures. Names and labels are ours.
#[derive(Default)]
struct Exposition(String);

impl Exposition {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# TYPE {name} {kind}");
        if let Some(unit) = ["dollars", "seconds"].into_iter().find(|unit| name.ends_with(unit)) {
            let _ = writeln!(self.0, "# UNIT {name} {unit}");
        }
        let _ = writeln!(self.0, "# HELP {name} {help}");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        let labels: Vec<String> =
            labels.iter().map(|(label, value)| format!("{label}=\"{value}\"")).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    fn ended(mut self) -> String {
        self.0.push_str("# EOF\n");
        self.0
    }
}
