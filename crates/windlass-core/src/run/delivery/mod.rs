//! The way out: what of the run's work is pushed, and what becomes of its pull request.
//!
//! Nothing begins before the job is shown to be done, or a limit ends the run; then one commit, whose tree every gate has
//! passed on, is pushed, and nothing else is. While this goes on there is no iteration; red checks and review comments end it
//! and begin one, whose work begins it anew.

mod evidence;
mod fold;
mod parts;
#[cfg(test)]
mod tests;
mod view;

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::fact::Fact;
use crate::forge::PullRequestState;
use crate::report::{
    DeliveryBasis, DeliveryMove, DeliveryOutcome, DeliveryReport, DeliveryStep, DeliveryTask, ForgeFinding,
    PullRequestSeen, Returned, WaitsFor,
};
use crate::run::{DeliveryPart, Effect, Run, Survey};
use crate::spec::DeliverySpec;
use crate::values::{Now, StopReason, between, later};
use crate::words::some_of;

pub use evidence::DeliveryContext;
pub(super) use evidence::{as_code, passed_checks};

use parts::{Part, PartEnd};
use view::Watch;

/// So many files are named.
const NAMED: usize = 3;

/// How far the work of a run is on its way out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Delivery {
    /// The newest commit whose tree every gate passed on.
    shown: Option<String>,
    /// Files that every gate passed with on newer work, and that are in none of its commits: that is not pushed.
    beside: Vec<String>,
    stage: Stage,
    basis: DeliveryBasis,
    /// The pull request, once there is one.
    pull_request: Option<(u64, String)>,
    /// The newest commit that was pushed.
    pushed: Option<String>,
    watch: Watch,
    /// How many steps there were: what is asked again is another order.
    asked: u32,
    /// What was being done when a person asked the run to stop: that is seen through, and nothing else is begun.
    seen_through: Option<DeliveryTask>,
    /// What the next agent is told.
    findings: Option<(Returned, Vec<ForgeFinding>)>,
    /// It ended with what git or the forge would not do, and not with what the forge showed.
    stalled: bool,
    /// The part that is under way, where it is parts that leave.
    part: Option<Part>,
    /// How many have begun.
    parts_begun: u32,
    /// Those that are over, in the order in which they were.
    parts: Vec<PartEnd>,
    /// Of these it is looked what became of them.
    look_again: Vec<usize>,
    /// The branch and the base of a part that left nothing.
    left: Option<(String, String)>,
}

/// What is being done.
#[derive(Clone, Debug, Default, PartialEq)]
enum Stage {
    /// Nothing.
    #[default]
    Resting,
    /// This.
    Doing(DeliveryTask),
    /// A time is waited for, and then this is done.
    Waiting { again: Timestamp, then: DeliveryTask },
    /// It is over.
    Over { outcome: DeliveryOutcome, detail: String },
}

/// What stands between the run and its end.
pub(super) enum BeforeEnd {
    /// Nothing.
    Nothing,
    /// The work is on its way out.
    UnderWay,
    /// The work has to go out first.
    Begins(Box<Fact>),
}

impl Run {
    /// Is the work in the base?
    pub(super) fn is_merged(&self) -> bool {
        matches!(&self.delivery.stage, Stage::Over { outcome, .. } if outcome.is_merged())
    }

    /// What goes back to the agent, and why; `None` where nothing does.
    pub fn returned(&self) -> Option<(Returned, &[ForgeFinding])> {
        self.delivery.findings.as_ref().map(|(because, findings)| (*because, findings.as_slice()))
    }

    /// The run's pull request: number and page.
    pub fn pull_request(&self) -> Option<(u64, &str)> {
        self.delivery.pull_request.as_ref().map(|(number, url)| (*number, url.as_str()))
    }

    fn delivery_spec(&self) -> Option<&DeliverySpec> {
        self.spec.as_ref()?.delivery.as_ref()
    }

    /// What the work's way out means for an end with this reason.
    pub(super) fn delivery_before(&self, reason: StopReason) -> BeforeEnd {
        let Some(basis) = self.delivery_spec().and_then(|_| basis(reason)) else { return BeforeEnd::Nothing };
        if self.has_parts() && self.is_delivering() {
            return BeforeEnd::UnderWay;
        }
        let Some(head) = self.delivery.shown.clone().filter(|head| self.is_work(head)) else {
            return BeforeEnd::Nothing;
        };
        if basis == DeliveryBasis::Shown && self.held_beside().is_some() {
            return BeforeEnd::Nothing;
        }
        match &self.delivery.stage {
            Stage::Doing(_) | Stage::Waiting { .. } => BeforeEnd::UnderWay,
            _ if self.is_delivered(&head, basis) => BeforeEnd::Nothing,
            Stage::Over { .. } | Stage::Resting => {
                BeforeEnd::Begins(Box::new(Fact::Delivery(DeliveryStep::Begun { head, basis })))
            }
        }
    }

    /// Did this run, or somebody during it, commit anything?
    fn is_work(&self, head: &str) -> bool {
        if let Some(part) = &self.delivery.part {
            return part.base.as_deref().is_some_and(|base| base != head);
        }
        self.first_evidence().and_then(|seen| seen.head.as_deref()) != Some(head)
    }

    /// What stands at a limit is out once it was pushed; what is shown to be done, once all has been done with it.
    fn is_delivered(&self, head: &str, basis: DeliveryBasis) -> bool {
        let out = self.delivery.pushed.as_deref() == Some(head) && self.delivery.pull_request.is_some();
        let over = matches!(self.delivery.stage, Stage::Over { .. });
        match basis {
            DeliveryBasis::AsItStands => over || out,
            DeliveryBasis::Shown => over && self.delivery.basis == DeliveryBasis::Shown,
        }
    }

    /// Is the work on its way out?
    pub(super) fn is_delivering(&self) -> bool {
        matches!(self.delivery.stage, Stage::Doing(_) | Stage::Waiting { .. })
    }

    /// Must the end wait for what is being done outside? A person who stops the run a second time does not wait.
    pub(super) fn is_delivering_for_good(&self) -> bool {
        matches!(self.delivery.stage, Stage::Doing(task) if self.is_seen_through(task))
    }

    /// Was it begun, and must its end be known? Without a stop nothing ends that would not wait for it.
    fn is_seen_through(&self, task: DeliveryTask) -> bool {
        let is_begun = self.stop.is_none() || self.delivery.seen_through == Some(task);
        task.changes_something() && is_begun && !self.ends_agents()
    }

    /// A person asks the run to stop: what is being done outside is seen through.
    pub(super) fn delivery_stops(&mut self) {
        if let (None, Stage::Doing(task)) = (self.stop, &self.delivery.stage) {
            self.delivery.seen_through = Some(*task);
        }
    }

    /// With what a run whose job is done ends, and what there is to say about its work's way out.
    pub(super) fn delivered(&self) -> (StopReason, String) {
        if let Some(why) = self.held_beside() {
            return (StopReason::NeedsHuman, format!("{}: {why}", self.delivery_place()));
        }
        let Stage::Over { outcome, detail } = &self.delivery.stage else {
            return (StopReason::Complete, self.parts_told());
        };
        let reason = match outcome {
            DeliveryOutcome::Left
            | DeliveryOutcome::Nothing
            | DeliveryOutcome::Merged
            | DeliveryOutcome::MergedByPerson => StopReason::Complete,
            DeliveryOutcome::ClosedByPerson => StopReason::ClosedByPerson,
            DeliveryOutcome::CiFailed => StopReason::CiFailed,
            DeliveryOutcome::NeedsHuman => StopReason::NeedsHuman,
        };
        let place = self.delivery_place();
        (reason, if place.is_empty() { detail.clone() } else { format!("{place}: {detail}") })
    }

    /// Why the newest work is not pushed although its gates passed; `None` where nothing keeps it.
    fn held_beside(&self) -> Option<String> {
        let names = some_of(self.delivery.beside.iter(), NAMED);
        (!self.delivery.beside.is_empty()).then(|| {
            format!(
                "the newest work was not pushed, since its gates passed with files that are in no commit: {names}; have git \
                 ignore them, or commit them, and push it yourself"
            )
        })
    }

    /// Where the work is.
    fn delivery_place(&self) -> String {
        let Some(spec) = self.delivery_spec() else { return String::new() };
        let branch = self.delivery.part.as_ref().map_or(&spec.branch, |part| &part.branch);
        match (&self.delivery.pull_request, &self.delivery.pushed) {
            (Some((_, url)), _) => format!("pull request {url}, branch {branch}"),
            (None, Some(_)) => format!("branch {branch}, pushed to {}", spec.remote),
            (None, None) => format!("branch {branch}"),
        }
    }

    /// Where the work is that a limit left, to be added to why the run ends.
    pub(super) fn delivered_as_it_stands(&self, detail: String) -> String {
        let out = self.delivery.basis == DeliveryBasis::AsItStands || self.delivery.pull_request.is_some();
        let Stage::Over { detail: said, .. } = &self.delivery.stage else { return detail };
        if !out {
            return detail;
        }
        let semicolon = if detail.is_empty() { "" } else { "; " };
        let place = self.delivery_place();
        let colon = if said.is_empty() { "" } else { ": " };
        format!("{detail}{semicolon}what stands is in {place}{colon}{said}")
    }

    pub(super) fn outstanding_delivery(&self) -> Option<Effect> {
        let Stage::Doing(task) = self.delivery.stage else { return None };
        // A task that was begun is seen through; nothing new is begun where the run is to stop.
        let free = self.may_begin() || self.is_seen_through(task);
        let ready = free && self.survey == Survey::Done;
        let (head, basis) = (self.delivery.watch.head.clone(), self.delivery.basis);
        let again = self.part_to_see().filter(|_| task == DeliveryTask::LookAgain);
        let pull_request = again.map_or(&self.delivery.pull_request, |end| &end.pull_request);
        let number = pull_request.as_ref().map(|(number, _)| *number);
        let part = self.delivery.part.as_ref().map(|part| DeliveryPart {
            branch: part.branch.clone(),
            iteration: self.counters.started + 1,
            left: self.delivery.left.clone(),
        });
        let asked = self.delivery.asked;
        ready.then_some(Effect::Deliver { task, head, number, basis, asked, part })
    }

    /// When the next look is due; `None` where none is waited for.
    pub(super) fn delivery_due_at(&self) -> Option<Timestamp> {
        match &self.delivery.stage {
            Stage::Waiting { again, .. } if self.may_begin() && self.survey == Survey::Done => Some(*again),
            _ => None,
        }
    }

    pub(super) fn delivery_due(&self, now: Now) -> Option<Fact> {
        (self.delivery_due_at()? <= now.wall).then_some(Fact::Delivery(DeliveryStep::Due))
    }

    /// What an answer means.
    pub(super) fn delivery_reported(&self, report: DeliveryReport, now: Now) -> Option<Fact> {
        let Stage::Doing(task) = self.delivery.stage else { return None };
        let step = match (task, report) {
            (DeliveryTask::Push, DeliveryReport::Pushed { head }) => DeliveryStep::Pushed { head },
            (DeliveryTask::Open, DeliveryReport::Opened { number, url, found }) => {
                DeliveryStep::Opened { number, url, found }
            }
            (DeliveryTask::Branch, DeliveryReport::Branched { base, evidence, snapshot }) => {
                DeliveryStep::Branched { base, evidence, snapshot }
            }
            (DeliveryTask::LookAgain, report) => self.seen_again(report, now)?,
            (_, DeliveryReport::Viewed(seen)) => {
                let next = self.not_while_stopping(self.after(&seen, now), now);
                DeliveryStep::Viewed { seen, next }
            }
            (DeliveryTask::ReadLogs, DeliveryReport::Read { findings }) => {
                DeliveryStep::Returned { because: Returned::Checks, findings }
            }
            (DeliveryTask::ReadThreads, DeliveryReport::Read { findings }) => {
                DeliveryStep::Returned { because: Returned::Review, findings }
            }
            (DeliveryTask::MarkReady | DeliveryTask::Update, DeliveryReport::Done) => {
                DeliveryStep::Ordered { task }
            }
            (DeliveryTask::Merge, DeliveryReport::Merged { commit }) => DeliveryStep::Merged { commit },
            (_, DeliveryReport::Nothing { why }) => {
                DeliveryStep::Stalled { task, next: view::end(DeliveryOutcome::Nothing, &why), why }
            }
            (_, DeliveryReport::Refused { why }) => {
                DeliveryStep::Stalled { task, next: self.after_refusal(task, &why, now), why }
            }
            (_, DeliveryReport::Unreachable { why, passes, again }) => {
                let next = self.after_silence(task, &why, passes.then_some(again.unwrap_or(now.wall)), now);
                DeliveryStep::Stalled { task, why, next }
            }
            _ => return None,
        };
        Some(Fact::Delivery(step))
    }

    /// What cannot be looked at stays what it was.
    fn seen_again(&self, report: DeliveryReport, now: Now) -> Option<DeliveryStep> {
        let task = DeliveryTask::LookAgain;
        match report {
            DeliveryReport::Viewed(seen) => self.part_seen_now(seen.state),
            DeliveryReport::Unreachable { why, passes: true, again } => {
                match self.after_silence(task, &why, Some(again.unwrap_or(now.wall)), now) {
                    DeliveryMove::End { .. } => self.part_seen_now(PullRequestState::Unknown),
                    next => Some(DeliveryStep::Stalled { task, why, next }),
                }
            }
            _ => self.part_seen_now(PullRequestState::Unknown),
        }
    }

    fn after(&self, seen: &PullRequestSeen, now: Now) -> DeliveryMove {
        let Some(spec) = self.delivery_spec() else { return DeliveryMove::Do(DeliveryTask::View) };
        if spec.merge.is_none() {
            // It was only to be marked as ready.
            return view::end(DeliveryOutcome::Left, "open, for a person to merge");
        }
        let mut watch = self.delivery.watch.seeing(seen, now.wall);
        // In a run of tasks every task is done, and there is none that an iteration could be of, unless this is about one.
        watch.can_return = !self.is_of_tasks() || self.has_parts_of_tasks();
        view::after_view(spec, &watch, seen, now.wall)
    }

    /// Where a person stops the run nothing new is begun.
    fn not_while_stopping(&self, next: DeliveryMove, now: Now) -> DeliveryMove {
        match next {
            DeliveryMove::Do(then) if !self.may_begin() => {
                DeliveryMove::Wait { waits_for: WaitsFor::Resumption, again: now.wall, until: now.wall, then }
            }
            next => next,
        }
    }

    /// A push or a pull request that is refused is a person's; what is refused later may only have been late.
    fn after_refusal(&self, task: DeliveryTask, why: &str, now: Now) -> DeliveryMove {
        let late = matches!(task, DeliveryTask::Merge | DeliveryTask::Update | DeliveryTask::MarkReady);
        match self.delivery_spec() {
            Some(spec) if late && self.delivery.watch.refusals + 1 < view::REFUSALS => DeliveryMove::Wait {
                waits_for: WaitsFor::Rules,
                again: later(now.wall, spec.poll),
                until: later(now.wall, spec.poll),
                then: DeliveryTask::View,
            },
            _ => view::end(DeliveryOutcome::NeedsHuman, why),
        }
    }

    /// `earliest` = it may answer later, and not before that.
    fn after_silence(
        &self,
        task: DeliveryTask,
        why: &str,
        earliest: Option<Timestamp>,
        now: Now,
    ) -> DeliveryMove {
        let since = self.delivery.watch.stalled_since.unwrap_or(now.wall);
        match (self.delivery_spec(), earliest) {
            (Some(spec), Some(earliest)) => {
                let until = later(since, spec.checks_wait);
                if now.wall >= until || earliest >= until {
                    return view::end(DeliveryOutcome::NeedsHuman, why);
                }
                let pause = view::pause(spec.poll, between(since, now.wall));
                let again = later(now.wall, pause).max(earliest);
                DeliveryMove::Wait { waits_for: WaitsFor::Forge, again, until, then: task }
            }
            _ => view::end(DeliveryOutcome::NeedsHuman, why),
        }
    }
}

/// What leaves this machine when a run ends so; `None` = nothing.
const fn basis(reason: StopReason) -> Option<DeliveryBasis> {
    match reason {
        StopReason::Complete => Some(DeliveryBasis::Shown),
        StopReason::MaxIterations
        | StopReason::MaxCost
        | StopReason::MaxTokens
        | StopReason::MaxDuration
        | StopReason::Stagnated
        | StopReason::NoChanges
        | StopReason::Blocked => Some(DeliveryBasis::AsItStands),
        _ => None,
    }
}

impl Delivery {
    fn forget_times(&mut self) {
        let Watch { since, checks_since, rules_since, stalled_since, .. } = &mut self.watch;
        (*since, *checks_since, *rules_since, *stalled_since) = (None, None, None, None);
    }

    fn begin(&mut self, head: &str, basis: DeliveryBasis) {
        let earlier: BTreeSet<String> = self
            .watch
            .earlier
            .iter()
            .cloned()
            .chain(self.pushed.clone())
            .filter(|known| known != head)
            .collect();
        self.watch = Watch {
            head: head.to_owned(),
            earlier,
            ci_returns: self.watch.ci_returns,
            review_returns: self.watch.review_returns,
            answered: self.watch.answered.clone(),
            ..Watch::default()
        };
        self.basis = basis;
        self.findings = None;
        self.stage = Stage::Doing(DeliveryTask::Push);
    }
}
