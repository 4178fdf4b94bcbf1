//! The core as the runner asks it, perhaps with a fault planted between the two.

use std::time::Duration;

use windlass_agents::{parse_assessment, parse_review};
use windlass_core::fact::{Entry, Fact};
use windlass_core::forge::{CheckTally, PullRequestState, Review};
use windlass_core::report::{DeliveryBasis, DeliveryReport, DeliveryStep, PullRequestSeen, Report};
use windlass_core::run::{Effect, IllegalFact, Input, LaneState, Phase, Run};
use windlass_core::spec::ClaimSource;
use windlass_core::values::{
    Bill, CallReport, CheckResult, CheckStage, Class, Cost, Ended, HookDecision, Items, JobStatus, LaneId,
    Now, StatusSource, StopReason, Tokens, Verdict,
};

use crate::plant::Plant;
use crate::script::SIGNAL;

#[derive(Clone, Debug)]
pub(crate) struct Core {
    pub run: Run,
    plant: Option<Plant>,
}

impl Core {
    pub fn new(plant: Option<Plant>) -> Core {
        Core { run: Run::new(), plant }
    }

    pub fn decide(&self, now: Now, input: Input) -> Vec<Fact> {
        let Some(plant) = self.plant else {
            return self.run.decide(now, input);
        };
        let mut now = now;
        let mut input = input;
        match (plant, &mut input) {
            (Plant::EarlyLook, Input::Tick) => {
                let wall = now.wall.checked_add(Duration::from_secs(8)).unwrap_or(now.wall);
                let soon = self.run.decide(Now { wall, ..now }, Input::Tick);
                if soon.contains(&Fact::Delivery(DeliveryStep::Due)) {
                    return soon;
                }
            }
            (Plant::EarlyWaking, Input::Tick) if self.run.backoff().is_some() => {
                now.wall = now.wall.checked_add(Duration::from_mins(1)).unwrap_or(now.wall);
            }
            (Plant::LostAnswer, Input::Report(report)) if matches!(**report, Report::TreeRechecked(_)) => {
                return Vec::new();
            }
            (Plant::LostInterrupt, Input::Stop { .. }) if self.is_calling() => return Vec::new(),
            (_, Input::Report(report)) => self.twist(plant, report),
            _ => {}
        }
        let resumes = matches!(input, Input::Resume(_));
        let mut facts = self.run.decide(now, input);
        if plant == Plant::ForgottenHold && resumes && self.run.backoff().is_some() {
            facts.push(Fact::BackoffEnded);
        }
        if plant == Plant::NoPause {
            facts.retain(|fact| !matches!(fact, Fact::BackoffStarted { class: Class::Outage, .. }));
        }
        if plant == Plant::DeafToAborts {
            facts.retain(|fact| !matches!(fact, Fact::Failing { stop_reason: StopReason::HookAbort, .. }));
        }
        for fact in &mut facts {
            self.falsify(plant, fact, now);
        }
        facts
    }

    /// What the world says, twisted before the core hears it.
    fn twist(&self, plant: Plant, report: &mut Report) {
        match (plant, report) {
            (Plant::UncheckedHook, Report::Committed(committed)) => committed.altered = false,
            (Plant::RedLands, Report::CheckFinished(finished)) if finished.stage == CheckStage::Merged => {
                finished.outcome.result = CheckResult::Passed;
            }
            (Plant::RedIsGreen, Report::CheckFinished(finished))
                if finished.outcome.result == CheckResult::TimedOut =>
            {
                finished.outcome.result = CheckResult::Passed;
            }
            (Plant::VanishedIsDone, Report::Suspected(suspected)) => suspected.suspicions.clear(),
            (Plant::StatusFromYesterday, Report::Surveyed(surveyed)) if self.run.counters().started == 0 => {
                if let Some(standing) = &mut surveyed.baseline.standing {
                    standing.mark.push('?');
                }
            }
            (Plant::DeafToSkips, Report::HookFinished(finished))
                if finished.outcome.decision == HookDecision::Skip =>
            {
                finished.outcome.decision = HookDecision::Continue;
            }
            (Plant::GoneIsDone | Plant::OpenIsDone, Report::SnapshotTaken(taken)) => {
                let builds = self.run.spec().is_some_and(|plan| plan.job.mode.claim() == ClaimSource::Boxes);
                if let Some(standing) = taken.standing.as_mut().filter(|_| builds) {
                    finish_plan(plant, standing);
                }
            }
            (plant, Report::DeliveryReport(came)) => twist_delivery(plant, came),
            (plant, Report::CallEnded(ended)) => twist_call(plant, &mut ended.report),
            _ => {}
        }
    }

    fn falsify(&self, plant: Plant, fact: &mut Fact, now: Now) {
        match (plant, fact) {
            (Plant::DoubleCharge, Fact::CallFinished { summary, .. }) => summary.cost += summary.cost,
            (Plant::BelievedMiscount, Fact::CallFinished { summary, .. })
                if summary.estimated && summary.ended == Ended::Exited(0) =>
            {
                summary.estimated = false;
            }
            (Plant::UnmarkedEstimate, Fact::CallFinished { summary, .. }) => summary.estimated = false,
            (Plant::IgnoredBudget, Fact::CallReserved { budget, .. }) => *budget = None,
            (Plant::CirclesAreProgress, Fact::IterationFinished { verdict, progress, .. })
                if *verdict == Verdict::Idle =>
            {
                *verdict = Verdict::Worked;
                *progress = true;
            }
            (Plant::AskedForEver, Fact::PrinciplesCollected { left, .. }) => *left += 1,
            (Plant::MergedAtALimit, Fact::Delivery(DeliveryStep::Begun { basis, .. })) => {
                *basis = DeliveryBasis::Shown;
            }
            (Plant::RejectedIsDone, Fact::IterationFinished { lane, verdict, .. })
                if *verdict == Verdict::ClaimRefused && self.run.rejection(*lane).is_some() =>
            {
                *verdict = Verdict::ClaimAccepted;
            }
            (Plant::ManualBeforeComplete, Fact::RunEnding { stop_reason, .. })
                if *stop_reason == StopReason::Complete && self.run.stop().is_some() =>
            {
                *stop_reason = StopReason::Interrupted;
            }
            (Plant::UnaskedVerification, due @ Fact::FollowUpDue { .. }) => {
                let Fact::FollowUpDue { lane, iteration, .. } = *due else { return };
                if let Some(finished) = self.finished(now, lane, iteration, Verdict::ClaimAccepted) {
                    *due = finished;
                }
            }
            (Plant::WaitAsFailure, repeats @ Fact::AttemptRepeats { class: Class::UsageLimit, .. }) => {
                let Fact::AttemptRepeats { lane, iteration, .. } = *repeats else { return };
                if let Some(finished) = self.finished(now, lane, iteration, Verdict::Failed) {
                    *repeats = finished;
                }
            }
            _ => {}
        }
    }

    fn finished(&self, now: Now, lane: LaneId, iteration: u32, verdict: Verdict) -> Option<Fact> {
        let turn = self.run.lane(lane).and_then(LaneState::turn)?;
        Some(Fact::IterationFinished {
            lane,
            iteration,
            verdict,
            class: if verdict == Verdict::Failed { Class::UsageLimit } else { Class::Success },
            progress: turn.progress,
            cost: turn.cost,
            estimated_cost: turn.estimated,
            tokens: turn.tokens,
            duration: Duration::try_from(now.wall.duration_since(turn.began)).unwrap_or_default(),
        })
    }

    pub fn apply(&mut self, entry: &Entry) -> Result<(), IllegalFact> {
        if self.plant.is_none() {
            return self.run.apply(entry);
        }
        let mut entry = entry.clone();
        match (self.plant, &mut entry.fact) {
            (Some(Plant::OneMoreIteration), Fact::RunStarted { plan } | Fact::RunResumed { plan }) => {
                plan.limits.iterations = plan.limits.iterations.map(|most| most + 1);
            }
            (Some(Plant::UnaskedSubstitute), Fact::RunStarted { plan } | Fact::RunResumed { plan }) => {
                plan.substitutes.clear();
            }
            (Some(Plant::EarlyReturn), Fact::AgentAway { until: Some(until), .. }) => {
                *until = until.checked_sub(Duration::from_mins(1)).unwrap_or(*until);
            }
            (Some(Plant::EndlessPatience), Fact::RunStarted { plan } | Fact::RunResumed { plan }) => {
                if let Some(spec) = &mut plan.delivery {
                    spec.checks_wait *= 10;
                }
            }
            (Some(Plant::OneMoreReturn), Fact::RunStarted { plan } | Fact::RunResumed { plan }) => {
                if let Some(spec) = &mut plan.delivery {
                    spec.ci_retries += 1;
                }
            }
            (Some(Plant::UnaskedReview), Fact::RunStarted { plan } | Fact::RunResumed { plan }) => {
                plan.review = None;
            }
            (Some(Plant::SixthCouncil), Fact::RunStarted { plan } | Fact::RunResumed { plan }) => {
                if let Some(council) = &mut plan.council {
                    council.per_run += 1;
                }
            }
            (Some(Plant::IgnoredDependencies), Fact::TasksRead { tasks }) => {
                for row in tasks {
                    row.dependencies.clear();
                }
            }
            (Some(Plant::ChargedWait), Fact::BackoffStarted { class, .. }) => *class = Class::Outage,
            _ => {}
        }
        self.run.apply(&entry)
    }

    /// The planted drift: the state in memory has finer times than the journal.
    pub fn drifts(&self, entry: &mut Entry) {
        if self.plant == Some(Plant::DriftingState) && matches!(entry.fact, Fact::IterationFinished { .. }) {
            entry.at.monotonic += Duration::from_micros(250);
        }
    }

    pub fn outstanding(&self) -> Vec<Effect> {
        let mut outstanding = self.run.outstanding();
        if self.plant == Some(Plant::TwoAtTheBranch) {
            outstanding.extend(self.run.lanes().filter_map(|(lane, state)| match state {
                LaneState::Queued(turn, outcome, _) => {
                    Some(Effect::Merge { lane, turn: turn.key(), commit: outcome.in_git.commit.clone() })
                }
                _ => None,
            }));
            outstanding.dedup();
        }
        outstanding
    }

    pub fn phase(&self) -> Phase {
        self.run.phase()
    }

    pub fn is_calling(&self) -> bool {
        self.run.lanes().any(|(_, state)| state.call().is_some())
    }
}

/// A plan that is gone, or has open boxes, passes for one that is done.
fn finish_plan(plant: Plant, standing: &mut JobStatus) {
    let gone = standing.source == StatusSource::Nowhere;
    let open = standing.items.is_some_and(|items| items.total > items.done);
    if if plant == Plant::GoneIsDone { gone } else { open } {
        standing.complete = true;
        standing.source = StatusSource::PlanFile;
        standing.items = Some(Items { done: 1, total: 1 });
    }
}

fn twist_delivery(plant: Plant, came: &mut DeliveryReport) {
    let green = CheckTally { passed: 1, ..CheckTally::default() };
    match (plant, came) {
        (Plant::AbsentIsGreen, DeliveryReport::Viewed(seen)) if seen.checks.total() == 0 => {
            seen.checks = green;
        }
        (Plant::RedIsMerged, DeliveryReport::Viewed(seen)) if seen.checks.failed > 0 => seen.checks = green,
        (Plant::UnreviewedMerge, DeliveryReport::Viewed(seen)) => {
            (seen.review, seen.requested_reviewers) = (Review::Approved, 0);
        }
        (Plant::SilenceIsClosed, came @ DeliveryReport::Unreachable { .. }) => {
            let state = PullRequestState::Closed;
            *came = DeliveryReport::Viewed(PullRequestSeen { state, ..PullRequestSeen::default() });
        }
        _ => {}
    }
}

fn twist_call(plant: Plant, report: &mut CallReport) {
    match plant {
        Plant::ForgottenReservation if report.ended == Ended::Lost => {
            report.cost = report.cost.or(Some(Cost::ZERO));
        }
        Plant::ParkedForTheApi if report.class == Class::Unknown => report.class = Class::TaskFailure,
        Plant::UncountedDeath if report.cost.is_none() => {
            (report.bill, report.tokens) = (Bill::default(), Tokens::default());
        }
        Plant::RetractedClaim => report.results.sort_by_key(|text| text.contains(SIGNAL)),
        Plant::FreeDeath => report.cost = report.cost.or(Some(Cost::ZERO)),
        Plant::RejectedPasses if report.review.is_some() => {
            report.review = parse_review(r#"{"verdict":"pass"}"#);
        }
        Plant::ProseIsJudgement if report.results.iter().any(|text| text.contains("PASS")) => {
            report.assessment = parse_assessment(r#"{"verdict":"pass"}"#);
        }
        _ => {}
    }
}
