//! The state machine: what a run is, and what follows from what happens to it.
//!
//! [`Run::decide`] says what an input means, as facts; [`Run::apply`] folds one fact into the state, live, at recovery
//! and in replay alike; [`Run::outstanding`] says what has been decided but not yet seen done. The shell writes facts
//! to the journal before it carries out what follows from them.

mod apply;
mod blocked;
mod chain;
mod clock;
mod collecting;
mod context;
mod council;
mod decide;
mod delivery;
mod effect;
mod ending;
mod follow_up;
mod guard;
mod hooks;
mod input;
mod issues;
#[expect(missing_docs, reason = "strum writes `LaneState::try_as_…` without any")]
mod lane;
mod ledger;
mod lost;
mod merging;
mod order;
mod outstanding;
mod progress;
mod reported;
mod retry;
mod review;
mod rows;
mod tasks;
mod uncommitted;
mod verdict;

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::world as testing;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::claim::Progress;
use crate::damage::{Damage, DamageCourse};
use crate::fact::Entry;
use crate::values::{
    Assessment, CallClocks, Check, CheckKind, CheckOutcome, Class, Cut, Evidence, LaneId, Now, SnapshotId,
    StopReason, StopSource, TaskId, between,
};

use crate::spec::RunSpec;

use chain::Chain;
use council::Councils;
use delivery::Delivery;
use ending::Failure;
use guard::Guarding;
use hooks::Hooks;
use issues::Issues;
use review::Reviews;
use rows::Rows;
use tasks::{AtWork, Tasks};
use uncommitted::Uncommitted;

pub use apply::IllegalFact;
pub use blocked::DONE_IN_FILE;
pub use chain::CallFor;
pub use clock::Clock;
pub use collecting::Collected;
pub use context::{
    AttemptContext, DecisionContext, HookContext, OrderContext, PromptContext, ReviewContext, TaskAtHand,
    TaskContext,
};
pub use delivery::DeliveryContext;
pub use effect::{CommitKind, DeliveryPart, Effect, EndCall, NotesShare, Occasion, Side, TurnKey};
pub use guard::HELD_CLAIMS;
pub use hooks::{LatestIteration, MOST_SKIPS};
pub use input::Input;
pub use issues::IssueContext;
pub use lane::{Council, LaneState};
pub use ledger::{LEAST_RESERVATION, Ledger};
pub use order::{Due, Epoch, Order, Orders, Reported, WireVersion};
pub use progress::History;
pub use retry::{Patience, RESET_MARGIN, Retries, after_limit, after_outage};
pub use review::REVIEW_STALEMATE;

/// Refused claims in a row, for the same failures, after which a run ends.
pub const REFUSED_CLAIMS: u32 = 5;

/// A run: the fold of its journal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    seq: u64,
    last: Option<Now>,
    phase: Phase,
    spec: Option<Arc<RunSpec>>,
    lanes: BTreeMap<LaneId, Lane>,
    clock: Clock,
    ledger: Ledger,
    history: History,
    counters: Counters,
    survey: Survey,
    baseline: Vec<CheckOutcome>,
    backoff: Option<Backoff>,
    /// It was counted what this wait is for: other lanes that meet the same are no further refusals.
    backoff_counted: bool,
    chain: Chain,
    stop: Option<Stop>,
    failing: Option<Failure>,
    /// How it ends, once that is decided.
    ending: Option<(StopReason, String)>,
    refused: Refused,
    standings: Progress,
    /// Files that the latest iteration was not allowed to change.
    forbidden_changes: Vec<String>,
    hooks: Hooks,
    findings: Option<Assessment>,
    tasks: Tasks,
    /// Lanes with work for the branch, in the order in which they came.
    queue: Vec<LaneId>,
    guard: Guarding,
    delivery: Delivery,
    issues: Issues,
    collected: Collected,
    councils: Councils,
}

/// Where a run stands as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Nothing has happened.
    #[default]
    New,
    /// It goes on.
    Active,
    /// It ended.
    Ended(StopReason),
}

/// A lane and what it needs to remember between iterations.
#[derive(Clone, Debug, Default, PartialEq)]
struct Lane {
    state: LaneState,
    /// The newest evidence of its tree.
    latest: Option<Evidence>,
    /// What uncommitted changes are counted from: the tree before the first iteration, later that of the newest commit.
    committed: Option<Committed>,
    /// The task it is at; a lane stays with its task.
    task: Option<AtWork>,
    /// What goes on without a break since it took up its task.
    rows: Rows,
    /// What refused the latest work of this lane, for its next prompt.
    refused: Vec<CheckOutcome>,
    /// What the repository's hook said when it refused the newest commit; `None` when it did not.
    hook_refusal: Option<String>,
    /// Marks of a conflict were left in what was to be committed last.
    has_conflict_marks: bool,
    /// Only a person can have its work committed.
    needs_person: bool,
    /// What it called done, and git did not commit.
    uncommitted: Uncommitted,
    /// What the tree has that the newest commit does not.
    beside: Vec<String>,
    /// What the latest attempt did to the repository; `None` where it did nothing.
    damage: Option<Damaged>,
    /// What reviewers said of its work.
    reviews: Reviews,
}

/// What an attempt did to the repository beyond its work.
#[derive(Clone, Debug, PartialEq)]
struct Damaged {
    turn: TurnKey,
    found: Vec<Damage>,
    course: DamageCourse,
    /// It was undone as far as it could be.
    undone: bool,
}

impl Lane {
    /// What the lane holds is counted from this commit of the branch.
    fn stands_on(&mut self, commit: &str) {
        if let Some(at) = &mut self.task {
            at.base = Some(commit.to_owned());
        }
    }

    /// What somebody else wrote is nothing to commit: where there was nothing before it, there is nothing now.
    fn disown(&mut self, evidence: &Evidence) {
        if let (Some(before), Some(committed)) = (&self.latest, &mut self.committed)
            && before.tree == committed.evidence.tree
        {
            // The commit is the same one.
            committed.evidence = Evidence { head: committed.evidence.head.clone(), ..evidence.clone() };
        }
    }
}

/// A tree in which the run has nothing left to commit.
#[derive(Clone, Debug, PartialEq)]
struct Committed {
    evidence: Evidence,
    snapshot: Option<SnapshotId>,
}

/// What is counted per run, in the order in which iterations end. What is counted in a row, each lane counts for itself; the
/// longest row is the run's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Iterations begun.
    pub started: u32,
    /// Iterations ended.
    pub finished: u32,
    /// Failed ones in a row.
    pub failures: u32,
    /// Ones without progress in a row.
    pub idle: u32,
    /// Accepted claims in a row.
    pub claims: u32,
    /// The job is shown to be done.
    pub complete: bool,
    /// An agent used up the budget that was left.
    pub budget_exhausted: bool,
    /// Verifications that refused the finished work.
    pub unverified: u32,
    /// Reviews in a row that came to no verdict.
    pub unusable_reviews: u32,
    /// Tasks done.
    pub done: u32,
    /// Tasks parked in a row.
    pub parked: u32,
}

/// Looking at the world before anything else is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Survey {
    /// Before the first iteration: look, then run the checks.
    #[default]
    First,
    /// After a resume, and after the checks of the baseline: look.
    Again,
    /// After a hook: look.
    Hook,
    /// The world was looked at; the checks of the baseline are being run.
    Baseline,
    /// Done.
    Done,
}

/// No call is started before this time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// On the wall clock.
    pub until: Timestamp,
    /// A usage limit or an outage.
    pub class: Class,
    /// Which wait in a row.
    pub attempt: u32,
}

/// A request to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Who asked.
    pub by: StopSource,
    /// 1: finish the iteration; 2: end the agent; 3: kill it.
    pub stage: u8,
}

/// Claims that gates refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Refused {
    in_a_row: u32,
    outcomes: Vec<CheckOutcome>,
}

impl Run {
    /// A run to which nothing has happened yet.
    pub fn new() -> Run {
        Run::default()
    }

    /// The run to which all this has happened.
    ///
    /// # Errors
    /// The first fact that cannot follow.
    pub fn folded<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Result<Run, IllegalFact> {
        let mut run = Run::new();
        for entry in entries {
            run.apply(entry)?;
        }
        Ok(run)
    }

    /// The number that the next fact must have.
    pub fn next_seq(&self) -> u64 {
        self.seq + 1
    }

    /// Where it stands.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// What it was told to do; `None` before it started.
    pub fn spec(&self) -> Option<&Arc<RunSpec>> {
        self.spec.as_ref()
    }

    /// Its money.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Its counters.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The wait it is in.
    pub fn backoff(&self) -> Option<Backoff> {
        self.backoff
    }

    /// The request to stop, if there was one in this session.
    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// Is it decided how the run ends, and only who has to be told is still told?
    pub fn is_ending(&self) -> bool {
        self.phase == Phase::Active && self.ending.is_some()
    }

    /// Its lanes' states.
    pub fn lanes(&self) -> impl Iterator<Item = (LaneId, &LaneState)> {
        self.lanes.iter().map(|(id, lane)| (*id, &lane.state))
    }

    /// One lane's state.
    pub fn lane(&self, lane: LaneId) -> Option<&LaneState> {
        self.lanes.get(&lane).map(|lane| &lane.state)
    }

    /// The newest evidence of a lane's tree.
    pub fn latest_evidence(&self, lane: LaneId) -> Option<&Evidence> {
        self.lanes.get(&lane).and_then(|lane| lane.latest.as_ref())
    }

    /// What the checks said before the first iteration.
    pub fn baseline(&self) -> &[CheckOutcome] {
        &self.baseline
    }

    /// The outcomes that refused the latest claim; empty once a claim was accepted.
    pub fn refused_by(&self) -> &[CheckOutcome] {
        &self.refused.outcomes
    }

    /// What was read of the job's own file.
    pub fn standings(&self) -> &Progress {
        &self.standings
    }

    /// What the repository's hook said when it refused a lane's newest commit; `None` when it did not.
    pub fn hook_refusal(&self, lane: LaneId) -> Option<&str> {
        self.lanes.get(&lane).and_then(|lane| lane.hook_refusal.as_deref())
    }

    /// The first files that the latest iteration was not allowed to change; empty when there were none.
    pub fn forbidden_changes(&self) -> &[String] {
        &self.forbidden_changes
    }

    /// What the latest attempt of a lane did to the repository, whether that was undone; `None` where it did nothing.
    pub fn damage(&self, lane: LaneId) -> Option<(TurnKey, &[Damage], DamageCourse)> {
        let damage = self.lanes.get(&lane)?.damage.as_ref()?;
        Some((damage.turn, &damage.found, damage.course))
    }

    /// What the next prompt says of damage.
    pub fn damage_prompt(&self) -> String {
        let told = self.lanes.values().filter_map(|lane| lane.damage.as_ref());
        told.map(|damage| crate::damage::sentences(&damage.found, damage.undone)).collect()
    }

    /// What the latest verification had against the work; `None` once a claim was accepted.
    pub fn findings(&self) -> Option<&Assessment> {
        self.findings.as_ref()
    }

    /// The time that counts against `--max-duration`.
    pub fn active(&self, now: Now) -> Duration {
        self.clock.active(now)
    }

    /// The bounds of a call that starts now.
    pub fn call_clocks(&self, now: Now) -> Option<CallClocks> {
        let spec = self.spec.as_ref()?;
        let left = spec.limits.duration.map(|limit| limit.saturating_sub(self.active(now)));
        let (wall, wall_means) = match left {
            Some(left) if left < spec.clocks.call => (left, Cut::Duration),
            _ => (spec.clocks.call, Cut::WallClock),
        };
        Some(CallClocks {
            silence: spec.clocks.silence,
            wall,
            wall_means,
            linger: spec.clocks.linger,
            linger_background: spec.clocks.linger_background,
            tokens: spec.limits.tokens.map(|most| most.saturating_sub(self.ledger.tokens().total())),
        })
    }

    /// In how long something becomes due by time alone; `None` when only an event can bring the run on.
    pub fn next_due(&self, now: Now) -> Option<Duration> {
        if self.is_ending() {
            return None;
        }
        let spec = self.spec.as_ref()?;
        let until = self.backoff.map(|backoff| backoff.until).into_iter().chain(self.agent_back_at());
        let backoff = until.map(|until| between(now.wall, until));
        // What waits for the first look, for another lane or for a task is brought on by them, not by time.
        let begins = self.iterations_may_begin(now) && !self.is_asking();
        let lanes = self.lanes.iter().filter_map(|(id, lane)| match &lane.state {
            LaneState::Idle { not_before } if begins && self.may_take_up_work(*id, now) => Some(*not_before),
            LaneState::Terminating(_, _, termination) if !termination.kill => {
                Some(termination.since.saturating_add(spec.clocks.grace))
            }
            _ => None,
        });
        let look = self.delivery_due_at();
        let look = look.into_iter().chain(self.issue_due_at());
        let look = look.map(|at| between(now.wall, at));
        lanes.map(|at| at.saturating_sub(now.monotonic)).chain(backoff).chain(look).min()
    }

    /// Indices of the criteria of the task that a lane is at.
    fn criteria(&self, lane: LaneId) -> impl Iterator<Item = u16> + '_ {
        let task = self.lanes.get(&lane).and_then(|lane| lane.task.as_ref()).map(|at| &at.id);
        task.into_iter().flat_map(|task| self.criteria_of(task))
    }

    fn criteria_of(&self, task: &TaskId) -> impl Iterator<Item = u16> + '_ {
        let task = task.clone();
        let is_its = move |index: &u16| self.check(*index).is_some_and(|check| check.is_criterion_of(&task));
        self.checks(CheckKind::Criterion).filter(is_its)
    }

    fn check(&self, index: u16) -> Option<&Check> {
        self.spec.as_ref().and_then(|spec| spec.checks.get(usize::from(index)))
    }

    /// Indices of the plan's checks of one kind.
    fn checks(&self, kind: CheckKind) -> impl Iterator<Item = u16> + '_ {
        let checks = self.spec.as_ref().map(|spec| spec.checks.as_slice()).unwrap_or_default();
        (0_u16..).zip(checks).filter(move |(_, check)| check.kind == kind).map(|(index, _)| index)
    }
}
