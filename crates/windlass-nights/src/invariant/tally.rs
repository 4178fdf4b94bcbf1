//! A run's counters, counted a second time: from facts alone, and by DESIGN's words instead of the core's code.

mod councils;
mod kept;
mod outside;
mod reasons;
mod reviews;
mod tasks;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use windlass_core::fact::{Entry, Fact};
use windlass_core::report;
use windlass_core::spec::{ClaimSource, Mode, RunSpec};
use windlass_core::values::{
    Assessed, CallSummary, CheckKind, CheckOutcome, CheckStage, Class, Cost, Evidence, JobStatus, LaneId,
    Now, Purpose, StatusSource, StopReason, StopSource, Suspicion, TaskId, Verdict,
};

use super::at::At;
use super::lane_of;

#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent things that are true or not")]
pub(super) struct Tally {
    plan: Option<RunSpec>,
    pub started: u32,
    pub finished: u32,
    claims: u32,
    complete: bool,
    out_of_budget: bool,
    skips: u32,
    pub spent: Cost,
    tokens: u64,
    seen: BTreeSet<Evidence>,
    first: Option<Evidence>,
    changed: bool,
    passed: BTreeSet<u16>,
    baseline: Vec<CheckOutcome>,
    stop: Option<StopSource>,
    failing: Option<StopReason>,
    ended: Option<StopReason>,
    // Time that counts.
    earlier: Duration,
    waited: Duration,
    waits_since: Option<Duration>,
    last: Option<Now>,
    outside: outside::Outside,
    // Its job's own file.
    standing: JobStatus,
    first_mark: String,
    written: bool,
    read_once: bool,
    unverified: u32,
    /// Findings that a claim was refused for, and how often in a row with nothing new among them.
    held: (u32, Vec<Suspicion>),
    // Tasks and what they depend on.
    tasks: BTreeMap<TaskId, Vec<TaskId>>,
    /// Of them, those that a person has to mend in the file first.
    unclear: BTreeSet<TaskId>,
    tasks_done: BTreeSet<TaskId>,
    ever_done: BTreeSet<TaskId>,
    parked: BTreeSet<TaskId>,
    /// One after another, and none done meanwhile.
    parked_in_a_row: u32,
    /// By this run.
    done_here: u32,
    /// Reviews in a row without a verdict.
    unusable_reviews: u32,
    here: LaneId,
    at: At,
    elsewhere: BTreeMap<LaneId, At>,
}

impl Tally {
    pub fn active(&self, now: Now) -> Duration {
        let until = self.waits_since.unwrap_or(now.monotonic);
        self.earlier + until.saturating_sub(self.waited)
    }

    /// As it was before the newest iteration began.
    pub fn not_started(&mut self) {
        self.started -= 1;
        self.at.open = false;
    }

    /// Folds a fact; says what is wrong with a verdict.
    pub fn fold(&mut self, entry: &Entry) -> Result<(), String> {
        let now = entry.at;
        if let Some(lane) = lane_of(&entry.fact) {
            self.enter(lane);
        }
        match &entry.fact {
            Fact::RunStarted { plan } => self.plan = Some((**plan).clone()),
            Fact::RunResumed { plan } => {
                self.at.hooked = false;
                self.resumed(plan);
            }
            Fact::BaselineCaptured(baseline) => self.baseline(baseline),
            Fact::IterationStarted { task, .. } => self.begin(task.as_ref()),
            Fact::CallReserved { purpose, .. } => {
                self.reserved_for(*purpose);
                self.at.reserved_for(*purpose);
            }
            Fact::ReviewSkipped(report::ReviewSkipped { lines, .. }) => self.review_skipped(*lines),
            Fact::AttemptRepeats { class, .. } => {
                self.review_repeats(*class);
                self.at.began.clone_from(&self.standing.mark);
                self.at.repeats = *class == Class::Interrupted;
            }
            // Before a council is asked, all else has judged.
            Fact::FollowUpDue { purpose: Purpose::Council, .. } => self.count_standing(),
            Fact::FollowUpDue { .. } => self.verifies(),
            Fact::StatusChanged(report::StatusChanged { standing, .. })
            | Fact::SnapshotTaken(report::SnapshotTaken {
                forbidden_changes: 1..,
                standing: Some(standing),
                ..
            }) => self.read(standing),
            Fact::CallFinished { summary, .. } if self.at.reviews.under_way => {
                self.spent += summary.cost;
                self.tokens += summary.tokens.total();
                self.review_finished(summary);
            }
            Fact::CallFinished { summary, .. } if self.at.deciding => self.council_finished(summary),
            Fact::CallFinished { summary, claimed, .. } => self.call_finished(summary, *claimed),
            Fact::SnapshotTaken(report::SnapshotTaken { forbidden_changes: 1.., standing: None, .. }) => {}
            Fact::SnapshotTaken(report::SnapshotTaken { evidence, standing, .. }) => {
                self.kept(evidence, standing.as_ref());
            }
            // Whoever did what he must not do has not claimed anything.
            Fact::ForbiddenChangesReverted(report::ForbiddenChangesReverted { evidence, undone, .. }) => {
                self.kept(evidence, None);
                self.at.by_file &= self.mode() == Mode::Phase && *undone;
                self.at.claimed = false;
            }
            Fact::Suspected(report::Suspected { suspicions, .. }) => {
                self.at.suspicions.clone_from(suspicions);
            }
            Fact::HookFinished(finished) => self.hooked(finished),
            Fact::CheckFinished(report::CheckFinished { stage, outcome, .. }) => {
                self.at.stuck |= *stage == CheckStage::Merged && !outcome.passed();
                self.checked(*stage, outcome);
            }
            Fact::Committed(committed) => self.committed(committed)?,
            Fact::TreeRechecked(report::TreeRechecked { evidence, .. }) => self.rechecked(evidence),
            Fact::BackoffStarted { class: Class::UsageLimit, .. } => self.limited(now, true),
            Fact::BackoffEnded => self.limited(now, false),
            Fact::Delivery(step) => self.delivery(now, step),
            Fact::StopRequested { by, .. } => self.stop = Some(*by),
            Fact::Failing { stop_reason, .. } => {
                // The core lets nothing but what breaks the runner outweigh an earlier reason.
                self.failing = Some(*stop_reason);
            }
            Fact::IterationFinished { verdict, class, .. } => {
                self.note_beside();
                let right = self.verdict(*class);
                self.count_standing();
                self.judged(right, *class);
                self.at.repeats = false;
                self.last = Some(now);
                if right != *verdict {
                    return Err(format!("the verdict is {verdict:?} where it should be {right:?}"));
                }
            }
            Fact::RunFinished { stop_reason, .. } => self.ended = Some(*stop_reason),
            other => self.task_fact(other),
        }
        self.last = Some(now);
        Ok(())
    }

    fn call_finished(&mut self, summary: &CallSummary, claimed: bool) {
        self.at.assessment = summary.assessment.as_ref().map(|said| said.verdict == Assessed::Pass);
        self.spent += summary.cost;
        self.tokens += summary.tokens.total();
        self.at.class = Some(summary.class);
        self.at.reviews.stood = false;
        self.at.worked = summary.class == Class::Success && (summary.tool_uses > 0 || !summary.empty);
        if !self.at.verifying {
            self.at.claimed = claimed;
        }
    }

    fn begin(&mut self, task: Option<&TaskId>) {
        if self.at.task.is_none() && task.is_some() {
            self.at.forget_rows();
            self.at.task = task.cloned();
            // A checkout of its own is looked at when it is opened.
            self.at.task_began = self.at.latest.clone().filter(|_| self.is_alone());
        }
        (self.at.stuck, self.at.closes, self.at.attempted) = (false, true, false);
        self.started += 1;
        (self.at.open, self.at.progress, self.at.claimed) = (true, false, false);
        (self.at.verifying, self.at.merge_begun) = (false, false);
        let reviews = &mut self.at.reviews;
        (reviews.asked, reviews.lets_stand, reviews.under_way) = (false, false, false);
        (reviews.began, self.at.claim_shown) = (None, false);
        self.at.began.clone_from(&self.standing.mark);
    }

    fn enter(&mut self, lane: LaneId) {
        if lane != self.here {
            let at = self.elsewhere.remove(&lane).unwrap_or_default();
            self.elsewhere.insert(self.here, std::mem::replace(&mut self.at, at));
            self.here = lane;
        }
    }

    fn resumed(&mut self, plan: &RunSpec) {
        let ended = self.ended.take();
        for at in self.elsewhere.values_mut().chain([&mut self.at]) {
            match ended {
                Some(StopReason::ConsecutiveFailures) => at.failures = 0,
                // Claims that were refused until a person had to look were not progress either.
                Some(StopReason::Stagnated | StopReason::NeedsHuman) => at.idle = 0,
                Some(StopReason::GatesFailing) => at.refused.0 = 0,
                _ => {}
            }
        }
        match ended {
            Some(StopReason::ConsecutiveFailures) => self.parked_in_a_row = 0,
            Some(StopReason::NeedsHuman) => (self.unverified, self.held.0) = (0, 0),
            Some(StopReason::HookSkips) => self.skips = 0,
            Some(StopReason::ReviewStalemate) => self.review_anew(),
            _ => {}
        }
        if let Some(last) = self.last {
            self.earlier = self.active(last);
        }
        self.waited = Duration::ZERO;
        self.waits_since = self.waits_since.map(|_| Duration::ZERO);
        self.resumed_outside();
        self.plan = Some(plan.clone());
        self.stop = None;
        self.failing = None;
        self.out_of_budget = false;
    }

    /// Of these findings, those that nobody has accepted.
    fn unaccepted<'a>(&'a self, found: &'a [Suspicion]) -> impl Iterator<Item = &'a Suspicion> {
        let accepted = self.plan.as_ref().map(|plan| plan.guard.accepted.as_slice()).unwrap_or_default();
        found.iter().filter(move |one| !accepted.contains(one))
    }

    /// The most that a lane has of something.
    fn most(&self, of: impl Fn(&At) -> u32) -> u32 {
        self.elsewhere.values().chain([&self.at]).map(of).max().unwrap_or(0)
    }

    /// Is there one lane, in the user's directory?
    pub fn is_alone(&self) -> bool {
        self.plan.as_ref().is_none_or(|plan| plan.lanes.is_none())
    }

    fn mode(&self) -> Mode {
        self.plan.as_ref().map_or(Mode::Goal, |plan| plan.job.mode)
    }

    fn read(&mut self, standing: &JobStatus) {
        if self.started == 0 {
            self.first_mark.clone_from(&standing.mark);
            self.written = false;
        }
        self.written |= !standing.mark.is_empty() && standing.mark != self.first_mark;
        self.standing = standing.clone();
        self.read_once = true;
    }

    fn file_claims(&self) -> bool {
        match self.mode() {
            Mode::Plan => return self.standing.complete && self.standing.mark == self.at.began,
            Mode::Build => return self.standing.complete && self.is_smart(),
            Mode::Tasks | Mode::Phase => return self.standing.complete,
            _ => {}
        }
        let workspace = self.plan.as_ref().and_then(|plan| plan.job.workspace.as_ref());
        let trusted = workspace.is_some_and(|workspace| workspace.trust_existing_status);
        self.mode().reads_file() && self.standing.complete && (self.written || trusted)
    }

    /// Does a build end by itself?
    fn is_smart(&self) -> bool {
        let job_plan = self.plan.as_ref().and_then(|plan| plan.job.plan.as_ref());
        job_plan.is_none_or(|plan| plan.smart_termination)
    }

    /// A build has no plan to go by.
    fn is_missing(&self) -> bool {
        let tasks = self.standing.items.is_some_and(|items| items.total > 0);
        let there = self.standing.source == StatusSource::PlanFile && self.standing.problem.is_none();
        self.mode().claim() == ClaimSource::Boxes && self.read_once && !(there && tasks)
    }

    fn kept(&mut self, evidence: &Evidence, standing: Option<&JobStatus>) {
        if let Some(standing) = standing {
            self.read(standing);
        }
        if !self.at.judging {
            self.note_change(evidence);
        }
        if self.at.deciding {
            self.at.disown(evidence);
        }
        self.at.latest = Some(evidence.clone());
        let new = self.seen.insert(evidence.clone());
        if self.at.deciding {
            return self.council_kept();
        }
        self.at.stuck = false;
        if self.at.reviews.under_way {
            // Where it is kept once more after a crash, its reviewer has had his say, and the checks judge again.
            self.review_left(evidence);
            self.at.newest = Some(evidence.clone());
            self.at.by_file &= self.mode().has_tasks() || self.file_claims();
            return;
        }
        self.at.reviews.began = None;
        // What the checks said of a claim holds as long as the tree is the one that they judged.
        match &self.at.claim {
            Some((judged, outcomes)) if self.at.verifying && judged.as_ref() == Some(evidence) => {
                self.at.outcomes.clone_from(outcomes);
            }
            _ => self.at.outcomes.clear(),
        }
        if self.at.judging {
            return;
        }
        if new {
            (self.at.progress, self.changed) = (true, true);
        }
        self.at.newest = Some(evidence.clone());
        let ended_well =
            matches!(self.at.class, Some(Class::Success | Class::MaxTurns | Class::BudgetExhausted));
        self.at.by_file = match self.mode() {
            Mode::Plan | Mode::Phase => self.file_claims() && self.at.worked,
            Mode::Tasks => (self.at.merging || self.file_claims()) && ended_well,
            _ => self.file_claims(),
        };
        let says_none = self.standing.worked == Some(false) && self.standing.mark != self.at.began;
        self.at.no_work = self.mode() == Mode::Iterative && says_none;
    }

    fn checked(&mut self, stage: CheckStage, outcome: &CheckOutcome) {
        let first = outcome.passed() && self.passed.insert(outcome.check);
        if self.at.verifying && self.at.claim.take().is_some() {
            // They judge again: what they said of the claim counts no more.
            self.at.outcomes.clear();
        }
        if stage == CheckStage::Baseline {
            self.baseline.push(outcome.clone());
        } else {
            self.at.progress |= first;
            // A candidate that is judged once more is what it is judged to be then.
            self.at.outcomes.retain(|known| stage != CheckStage::Candidate || known.check != outcome.check);
            self.at.outcomes.push(outcome.clone());
        }
        self.count_standing_at(stage);
    }

    fn checks(&self, kind: CheckKind) -> impl Iterator<Item = u16> + '_ {
        let checks = self.plan.as_ref().map(|plan| plan.checks.as_slice()).unwrap_or_default();
        (0_u16..).zip(checks).filter(move |(_, check)| check.kind == kind).map(|(index, _)| index)
    }

    fn all_pass(&self, kind: CheckKind, outcomes: &[CheckOutcome]) -> bool {
        let passes = |check| outcomes.iter().any(|outcome| outcome.check == check && outcome.passed());
        self.checks(kind).all(passes)
    }

    fn has(&self, kind: CheckKind) -> bool {
        self.checks(kind).next().is_some()
    }

    fn verdict(&self, class: Class) -> Verdict {
        if self.at.verifying {
            let by_file = self.mode().reads_file() && !self.has(CheckKind::Until);
            let good = self.at.assessment == Some(true)
                && !self.at.stuck
                && self.unaccepted(&self.at.suspicions).next().is_none()
                && (!by_file || self.file_claims())
                && !self.is_missing()
                && self.all_pass(CheckKind::Until, &self.at.outcomes)
                && self.is_green(self.at.claimed || self.at.by_file);
            return if good { Verdict::ClaimAccepted } else { Verdict::ClaimRefused };
        }
        if self.mode().judges() {
            return match self.at.assessment {
                Some(true) => Verdict::ClaimAccepted,
                Some(false) => Verdict::ClaimRefused,
                None => Verdict::Failed,
            };
        }
        let shown = self.has(CheckKind::Until) && self.all_pass(CheckKind::Until, &self.at.outcomes);
        let said = if self.has(CheckKind::Until) { shown } else { self.at.claimed || self.at.by_file };
        // A build that has lost its plan is not done, whatever says so.
        let claims = said && !self.is_missing();
        let progress = self.at.progress && !self.at.no_work;
        let by_file = self.mode().reads_file();
        if claims && self.unaccepted(&self.at.suspicions).next().is_some() {
            return Verdict::ClaimRefused;
        }
        // What could not be committed is not done.
        if claims && (self.lacks_review() || self.at.stuck) {
            return Verdict::ClaimRefused;
        }
        let green = self.is_green(claims);
        if self.mode().has_tasks() && claims {
            let changed = self.at.task_began != self.at.newest;
            return match () {
                () if !green || self.at.attempted => Verdict::ClaimRefused,
                () if self.has(CheckKind::Gate) || self.criteria().next().is_some() || changed => {
                    Verdict::ClaimAccepted
                }
                () => Verdict::ClaimUnsupported,
            };
        }
        let changed = self.changed && self.at.newest != self.first;
        match (claims, green) {
            (true, false) => Verdict::ClaimRefused,
            (true, true) if shown || by_file || self.has(CheckKind::Gate) || changed => {
                Verdict::ClaimAccepted
            }
            (true, true) => Verdict::ClaimUnsupported,
            _ => match class {
                Class::Success | Class::BudgetExhausted | Class::MaxTurns | Class::Outage if progress => {
                    Verdict::Worked
                }
                Class::Success | Class::BudgetExhausted => Verdict::Idle,
                _ => Verdict::Failed,
            },
        }
    }

    fn judged(&mut self, verdict: Verdict, class: Class) {
        self.finished += 1;
        self.at.open = false;
        // In one of several lanes only its share is used up.
        self.out_of_budget |= class == Class::BudgetExhausted && self.is_alone();
        self.at.failures = match verdict {
            Verdict::Failed if class == Class::Outage => self.at.failures,
            Verdict::Failed => self.at.failures + 1,
            _ => 0,
        };
        match verdict {
            _ if self.at.progress && !self.at.no_work => self.at.idle = 0,
            Verdict::Failed | Verdict::ClaimAccepted => {}
            _ => self.at.idle += 1,
        }
        if self.at.verifying && verdict != Verdict::ClaimAccepted {
            self.unverified += 1;
        }
        match verdict {
            Verdict::ClaimAccepted => {
                self.claims += 1;
                let threshold = self.plan.as_ref().map_or(1, |plan| plan.job.completion_threshold.max(1));
                let wanted = if self.mode().claim() == ClaimSource::Phrase { threshold } else { 1 };
                let by_claims = self.claims >= wanted && !self.mode().has_tasks();
                self.complete = self.has(CheckKind::Until) || by_claims;
                self.at.refused = (0, Vec::new());
                self.held = (0, Vec::new());
            }
            Verdict::ClaimRefused => {
                self.claims = 0;
                let red = self.at.outcomes.iter().filter(|outcome| !outcome.passed());
                let red: Vec<u16> = red.map(|outcome| outcome.check).collect();
                let found: Vec<Suspicion> = self.unaccepted(&self.at.suspicions).cloned().collect();
                let same = self.at.refused.0 > 0 && self.at.refused.1 == red;
                // What was refused for findings alone, or by the agent that verifies, is not a check's refusal.
                let by_agent = self.at.verifying && !self.at.stuck;
                let row = match () {
                    () if red.is_empty() && (by_agent || !found.is_empty() || self.lacks_review()) => 0,
                    () if same => self.at.refused.0 + 1,
                    () => 1,
                };
                self.at.refused = (row, red);
                if !found.is_empty() {
                    let told = self.held.0 > 0 && found.iter().all(|one| self.held.1.contains(one));
                    self.held = (if told { self.held.0 + 1 } else { 1 }, found);
                }
            }
            _ => self.claims = 0,
        }
    }
}
