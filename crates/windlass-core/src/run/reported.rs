//! What a report means, as facts.

use crate::claim;
use crate::fact::Fact;
use crate::report::{self, CallDue, CallEnded, LateResult, Prepared, Report};
use crate::run::decide::one;
use crate::run::lane::{LaneState, Turn};
use crate::run::{Run, Survey};
use crate::spec::RunSpec;
use crate::values::{
    AnswerForm, Assessment, CallId, CallReport, CallSummary, Class, JobStatus, LaneId, Now, Purpose, Reviewed,
};

impl Run {
    /// What a report means, as facts. One that comes too late means nothing.
    pub(super) fn reported(&self, now: Now, report: Report) -> Vec<Fact> {
        match report {
            Report::Noticed(noticed) => vec![noticed.into()],
            Report::NotificationSettled(settled) => vec![settled.into()],
            Report::HookFinished(finished) => self.hook_ended(finished),
            // Its end is decided, and nothing that comes now can change it.
            _ if self.is_ending() => Vec::new(),
            Report::Failed(failed) => one(self.fails(failed.into())),
            Report::Broken(broken) => one(self.fails(broken.into())),
            Report::Surveyed(surveyed) => self.was_surveyed(surveyed),
            Report::LaneLost(lost) => self.lane_lost(now, lost),
            Report::Prepared(Prepared { lane }) => self.prepared(lane, now),
            Report::CallSpawned(spawned) => {
                one(self.is_calling(spawned.lane, spawned.call).then(|| spawned.into()))
            }
            Report::CallDue(due) => one(self.call_due(&due)),
            Report::CallEnded(ended) => one(self.call_ended(ended)),
            Report::LateResult(late) => one(self.heard_late(&late)),
            Report::StatusChanged(seen) => {
                let working = self.lane(seen.lane).and_then(LaneState::call).is_some();
                one((working && self.is_news(&seen.standing)).then(|| seen.into()))
            }
            Report::DeliveryReport(came) => one(self.delivery_reported(came, now)),
            Report::IssueReport(came) => one(self.issue_reported(came, now)),
            report => self.reported_where_due(report),
        }
    }

    /// What a lane's state waits for.
    fn reported_where_due(&self, report: Report) -> Vec<Fact> {
        let state = report.lane().and_then(|lane| self.lane(lane));
        match (report, state) {
            (Report::LaneOpened(opened), Some(LaneState::Opening(_))) => vec![opened.into()],
            (Report::Suspected(suspected), Some(LaneState::Keeping(..))) => {
                let news = self.is_suspicion_news(suspected.lane, &suspected.suspicions);
                one(news.then(|| suspected.into()))
            }
            (Report::PrinciplesProposed(proposed), _) => one(self.principles_proposed(proposed)),
            // An agent's is seen when its attempt is kept, and that of checks when they have ended.
            (
                Report::Damaged(damaged),
                Some(LaneState::Keeping(..) | LaneState::Advancing(..) | LaneState::Settling(..)),
            ) => vec![damaged.into()],
            (Report::SnapshotTaken(taken), Some(LaneState::Keeping(..))) => self.snapshot_taken(taken),
            (Report::ForbiddenChangesReverted(reverted), Some(LaneState::Refusing(..))) => {
                vec![reverted.into()]
            }
            (Report::Undone(undone), Some(LaneState::Undoing(..))) => vec![undone.into()],
            (Report::CheckFinished(finished), _) => {
                let report::CheckFinished { lane, stage, ref outcome } = finished;
                one(self.expects_check(lane, stage, outcome.check).then(|| finished.into()))
            }
            (Report::Committed(committed), Some(LaneState::Advancing(..))) => vec![committed.into()],
            (Report::TreeRechecked(rechecked), Some(LaneState::Settling(..))) => vec![rechecked.into()],
            (Report::Merged(mut merged), Some(LaneState::Queued(..))) => {
                merged.outcome = self.with_the_tip_judged(merged.lane, &merged.tip, merged.outcome);
                vec![merged.into()]
            }
            (Report::Landed(landed), Some(LaneState::Landing(..))) => vec![landed.into()],
            (Report::DecisionLogged(logged), Some(LaneState::Recording(..))) => vec![logged.into()],
            (Report::TaskClosed(closed), Some(LaneState::Closing(..))) => vec![closed.into()],
            (Report::ReviewSkipped(skipped), Some(LaneState::Preparing(turn))) if turn.review.is_some() => {
                vec![skipped.into()]
            }
            // It comes too late, or was heard before it came here.
            (
                Report::LaneOpened(_)
                | Report::Suspected(_)
                | Report::Damaged(_)
                | Report::SnapshotTaken(_)
                | Report::ForbiddenChangesReverted(_)
                | Report::Undone(_)
                | Report::Committed(_)
                | Report::TreeRechecked(_)
                | Report::Merged(_)
                | Report::Landed(_)
                | Report::TaskClosed(_)
                | Report::DecisionLogged(_)
                | Report::ReviewSkipped(_)
                | Report::Noticed(_)
                | Report::NotificationSettled(_)
                | Report::HookFinished(_)
                | Report::Failed(_)
                | Report::Broken(_)
                | Report::Surveyed(_)
                | Report::LaneLost(_)
                | Report::Prepared(_)
                | Report::CallSpawned(_)
                | Report::CallDue(_)
                | Report::CallEnded(_)
                | Report::LateResult(_)
                | Report::StatusChanged(_)
                | Report::DeliveryReport(_)
                | Report::IssueReport(_)
                | Report::LanesClosed(_),
                _,
            ) => Vec::new(),
        }
    }

    fn was_surveyed(&self, surveyed: report::Surveyed) -> Vec<Fact> {
        if !matches!(self.survey, Survey::First | Survey::Again | Survey::Hook) {
            return Vec::new();
        }
        let tasks =
            surveyed.tasks.map(|tasks| self.as_believed(self.as_delivered(self.as_first_protected(tasks))));
        let news = tasks.filter(|tasks| self.is_of_tasks() && self.tasks.differ_from(tasks));
        let read = news.map(|tasks| Fact::TasksRead { tasks });
        read.into_iter().chain([surveyed.baseline.into()]).collect()
    }

    fn snapshot_taken(&self, taken: report::SnapshotTaken) -> Vec<Fact> {
        // Whoever watches the file is told of its last words, too.
        let news = taken.standing.clone().filter(|standing| self.is_news(standing));
        let told = news.map(|standing| report::StatusChanged { lane: taken.lane, standing }.into());
        let undone = self.undone_by_reviewer(&taken);
        told.into_iter().chain([taken.into()]).chain(undone).collect()
    }

    /// What is said of a reviewer who lets work stand that it has done away with.
    fn undone_by_reviewer(&self, taken: &report::SnapshotTaken) -> Option<Fact> {
        let Some(LaneState::Keeping(turn, answer)) = self.lane(taken.lane) else { return None };
        let work = turn.review.as_deref().filter(|_| Reviewed::of(&answer.summary) == Reviewed::Passed)?;
        let (lane, run) = (taken.lane, &self.spec.as_ref()?.run);
        self.is_undone(lane, work, Some(&taken.evidence)).then(|| {
            let (iteration, attempt) = (turn.iteration, turn.attempt);
            let kept = taken.snapshot.as_ref().map_or_else(String::new, |_| {
                format!("; `windlass restore {run} {iteration}-{attempt}-before` brings the work back")
            });
            let text = format!(
                "the reviewer let the work stand and left nothing of it: its verdict does not count{kept}"
            );
            Fact::Noticed(report::Noticed { text })
        })
    }

    fn call_due(&self, due: &CallDue) -> Option<Fact> {
        let CallDue { lane, call, cut } = *due;
        let calling = matches!(self.lane(lane), Some(LaneState::Calling(_, running)) if running.id == call);
        calling.then_some(Fact::CallCut { lane, call, cut, now: false })
    }

    fn call_ended(&self, ended: CallEnded) -> Option<Fact> {
        let CallEnded { lane, call, report } = ended;
        self.is_calling(lane, call).then(|| self.finish_call(lane, call, *report))
    }

    /// What a lost call did does not count; what it cost does.
    fn heard_late(&self, late: &LateResult) -> Option<Fact> {
        let LateResult { lane, call, report } = late;
        let (charge, lost) = self.ledger.recharge_for(*call, report)?;
        Some(Fact::CallRecharged {
            lane: *lane,
            call: *call,
            cost: charge.cost,
            estimated: charge.estimated,
            listed: charge.listed,
            tokens: report.tokens,
            replaces: lost.cost,
            replaces_tokens: lost.tokens,
        })
    }

    fn is_news(&self, standing: &JobStatus) -> bool {
        if self.is_of_tasks() {
            // What is done there, its own facts say.
            return false;
        }
        let workspace = self.spec.as_ref().and_then(|spec| spec.job.workspace.as_ref());
        let watch = workspace.and_then(|workspace| workspace.watch);
        self.standings.is_news(standing, watch.map(|watch| watch.news).unwrap_or_default())
    }

    fn prepared(&self, lane: LaneId, now: Now) -> Vec<Fact> {
        let (Some(state @ LaneState::Preparing(turn)), Some(spec)) = (self.lane(lane), &self.spec) else {
            return Vec::new();
        };
        if !self.calls_may_begin() || self.has_to_end(now) || self.waits_beyond_limit(state) {
            return Vec::new();
        }
        let Turn { iteration, attempt, purpose, .. } = *turn;
        let budget = spec.limits.budget().map(|limit| self.share_of(limit));
        let reserved = self.ledger.reservation();
        vec![Fact::CallReserved {
            lane,
            call: self.ledger.next_call(),
            iteration,
            attempt,
            purpose,
            agent: self.agent_for(lane, purpose),
            reserved,
            budget,
        }]
    }

    fn is_calling(&self, lane: LaneId, call: CallId) -> bool {
        self.lane(lane).and_then(LaneState::call).is_some_and(|(_, running)| running.id == call)
    }

    /// A judgement that nobody asked for is none.
    fn is_asked_to_assess(&self, purpose: Option<Purpose>) -> bool {
        purpose.is_some_and(|purpose| purpose.answer() == AnswerForm::Assessment)
            || self.spec.as_ref().is_some_and(|spec| spec.job.mode.judges())
    }

    /// A yes of a call that went on working and failed is not its last word.
    fn finish_call(&self, lane: LaneId, call: CallId, mut report: CallReport) -> Fact {
        let stands = |said: &Assessment| report.class == Class::Success || !said.passes();
        let turn = self.lane(lane).and_then(LaneState::turn);
        let decides = turn.is_some_and(|turn| turn.purpose.answer() == AnswerForm::Decision);
        let reviews = turn.is_some_and(|turn| turn.review.is_some()) && !decides;
        let works = !reviews && !decides;
        let assesses = self.is_asked_to_assess(turn.map(|turn| turn.purpose));
        report.assessment = report.assessment.filter(|said| stands(said) && works && assesses);
        let asked = self.criteria_in_review(lane);
        report.review = report.review.filter(|_| reviews).map(|review| review.of_criteria(asked));
        report.decision = report.decision.filter(|_| decides);
        // Whoever looks over another's work, or decides, claims nothing.
        let claims = |spec: &RunSpec| works && claim::claims(&spec.job, &report);
        let conflict = turn.and_then(|turn| self.reported_conflict(turn, &report));
        let claimed = self.spec.as_ref().is_some_and(|spec| claims(spec));
        let charge = self.ledger.charge_for(call, &report);
        let empty = report.results.iter().all(|text| text.trim().is_empty());
        let summary = CallSummary {
            class: report.class,
            detail: report.detail,
            ended: report.ended,
            cut: report.cut,
            cost: charge.cost,
            estimated: charge.estimated,
            listed: charge.listed,
            tokens: report.tokens,
            tool_uses: report.tool_uses,
            empty,
            denials: report.denials,
            limit: report.limit,
            elsewhere: report.elsewhere,
            overage: report.overage,
            model: report.model,
            windows: report.windows,
            garbage_lines: report.garbage_lines,
            duration: report.duration,
            assessment: report.assessment,
            review: report.review,
            conflict: conflict.map(Box::new),
            decision: report.decision.map(Box::new),
        };
        Fact::CallFinished { lane, call, claimed, summary }
    }
}
