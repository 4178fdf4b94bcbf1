//! What a view has to remember of a run: a pure function of its events.

pub(crate) mod at_hand;
mod chain;
mod councils;
mod kept;
mod status;
mod tasks;
mod undelivered;
mod waits;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;
use windlass_agents::Activity;
use windlass_core::damage::DamageCourse;
use windlass_core::fact::{Entry, Fact};
use windlass_core::forge::PullRequestState;
use windlass_core::recovery::WayBack;
use windlass_core::report;
use windlass_core::spec::{ClaimSource, RunSpec};
use windlass_core::tasks::Schedule;
use windlass_core::values::{
    AgentIndex, Assessment, CallId, CallSummary, CheckKind, CheckOutcome, CheckStage, Cost, Denial,
    HookDecision, HookName, HookOutcome, LandOutcome, LaneId, Purpose, Reviewed, SnapshotId, Spent,
    StopReason, StopSource, TaskId, Tokens, UnderWay,
};

use crate::delivery_board::DeliveryBoard;
use crate::event::Event;
use crate::model::Verdicts;
use crate::seen::Seen;
use crate::tool::Places;
use at_hand::AtHand;
pub(crate) use kept::Kept;
use status::StatusBoard;
pub(crate) use tasks::Commits;
use undelivered::Undelivered;

/// Refused commands that are remembered for the summary.
const REMEMBERED_DENIALS: usize = 50;

/// A run, folded from its events.
#[derive(Clone, Debug, Default)]
pub struct Board {
    pub(crate) plan: Option<Box<RunSpec>>,
    /// Where its agents work.
    pub(crate) places: Places,
    /// The last fact.
    pub(crate) seq: u64,
    /// When the last event was.
    pub(crate) now: Timestamp,
    /// How long a session was at work after the last fact, by its last sign of life.
    pub(crate) unseen: Duration,
    pub(crate) started: Option<Timestamp>,
    /// The time between two sessions.
    pub(crate) idle: Duration,
    pub(crate) lanes: BTreeMap<LaneId, LaneBoard>,
    pub(crate) calls: BTreeMap<CallId, CallBoard>,
    pub(crate) tally: Verdicts,
    pub(crate) councils: councils::Councils,
    pub(crate) charged: Spent,
    pub(crate) tokens: Tokens,
    /// What the job's own file says.
    pub(crate) status: StatusBoard,
    /// The task of a build's iteration.
    pub(crate) task: String,
    /// The last outcome of each of the run's checks on its work.
    pub(crate) checks: BTreeMap<u16, CheckOutcome>,
    /// Their outcomes before there was any.
    before: BTreeMap<u16, CheckOutcome>,
    pub(crate) commits: Commits,
    pub(crate) tasks: Schedule,
    /// What was seen of commits and agents' ends.
    pub(crate) seen: Seen,
    pub(crate) denials: Vec<Denial>,
    /// Agents that cannot work.
    pub(crate) away: chain::Away,
    pub(crate) backoff: Option<waits::Backoff>,
    /// A wait that the end of the run has cut short: it goes on where the run does.
    pub(crate) left_waiting: Option<waits::Backoff>,
    pub(crate) waits: u32,
    pub(crate) waited: Duration,
    /// The part of that which the run's own clock counts as work: outages.
    counted_waits: Duration,
    /// The attempt whose end was kept last.
    pub(crate) kept: Option<Kept>,
    /// What holds all that there was, should the files be gone.
    pub(crate) way_back: WayBack,
    /// The iteration and attempt whose damage to the repository ended the run.
    pub(crate) ruined: Option<(u32, u32)>,
    pub(crate) left_out: u32,
    pub(crate) held_back: BTreeSet<String>,
    pub(crate) stop: Option<(StopSource, u8)>,
    /// The run cannot go on and is ending what is running.
    pub(crate) failing: Option<UnderWay>,
    pub(crate) ending: Option<Ending>,
    pub(crate) undelivered: Undelivered,
    /// How each hook went last.
    pub(crate) hooks: BTreeMap<HookName, HookOutcome>,
    /// Iterations that a hook skipped in a row.
    pub(crate) skips: u32,
    /// The work's way out.
    pub(crate) delivery: DeliveryBoard,
}

/// What happens in one lane.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaneBoard {
    pub(crate) iteration: u32,
    pub(crate) attempt: u32,
    pub(crate) started: Timestamp,
    pub(crate) doing: Doing,
    /// What its agent has at hand.
    pub(crate) at_hand: AtHand,
    /// The task that the iteration works on.
    pub(crate) task: Option<TaskId>,
    /// What its latest call is for.
    pub(crate) purpose: Option<Purpose>,
    /// Whose that is.
    pub(crate) agent: AgentIndex,
    /// Files that the iteration changed.
    pub(crate) changed: u32,
    /// The last call of the iteration.
    pub(crate) last_call: Option<CallSummary>,
    /// Tool calls refused in the iteration.
    pub(crate) denials: Vec<Denial>,
    /// Checks that failed in the iteration, and on which tree.
    pub(crate) failed_checks: Vec<(CheckStage, CheckOutcome)>,
    /// What a review of the iteration's work came to.
    pub(crate) reviewed: Option<Reviewed>,
    pub(crate) commit: Option<String>,
    pub(crate) commit_refused: Option<String>,
}

/// What a lane is busy with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Doing {
    #[default]
    Resting,
    Preparing,
    Agent(Activity),
    Keeping,
    Checking,
}

/// A call that is under way.
#[derive(Clone, Debug)]
pub(crate) struct CallBoard {
    /// The fact that started it.
    pub(crate) seq: u64,
    pub(crate) lane: LaneId,
    /// What was set aside for it.
    pub(crate) reserved: Cost,
    /// What it has cost so far, as far as it said.
    pub(crate) reported: Cost,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ending {
    pub(crate) reason: StopReason,
    pub(crate) detail: String,
    pub(crate) iterations: u32,
    pub(crate) duration: Duration,
    pub(crate) exit_code: u8,
}

impl Board {
    /// What the run is to do, as its last session resolved it; `None` before the first fact.
    pub fn plan(&self) -> Option<&RunSpec> {
        self.plan.as_deref()
    }

    /// Does the journal say that the pull request, or the last one of several, is merged?
    pub fn pull_request_is_merged(&self) -> bool {
        self.delivery.url.is_some() && self.delivery.state == PullRequestState::Merged
    }

    /// The task of a build's iteration, while that goes on.
    pub fn task(&self) -> Option<&str> {
        Some(self.task.as_str()).filter(|task| !task.is_empty())
    }

    /// What an iteration begins with stays its task, whatever it ticks.
    fn next_task(&self) -> String {
        let builds = self.plan.as_ref().is_some_and(|plan| plan.job.mode.claim() == ClaimSource::Boxes);
        let latest = self.status.latest.as_ref().filter(|_| builds);
        latest.map_or_else(String::new, |latest| latest.summary.clone())
    }

    /// Takes an event in.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Fact(entry) | Event::Past(entry) => self.fact(entry),
            Event::Observation { lane, call, at, observation, .. } => {
                self.now = self.now.max(*at);
                self.observation(*lane, *call, observation);
            }
            Event::Tick { now } => self.now = self.now.max(*now),
            Event::Dropped { .. } => {}
        }
    }

    /// Takes a fact in.
    pub fn fact(&mut self, entry: &Entry) {
        self.seq = entry.seq;
        self.unseen = Duration::ZERO;
        self.way_back.take(&entry.fact);
        let before = self.now;
        // A run does not go on by being asked for something.
        self.now = if matches!(entry.fact, Fact::ActionAsked(_)) { before } else { entry.at.wall };
        self.seen.take(&entry.fact);
        self.councils.take(&entry.fact);
        self.chain_fact(&entry.fact);
        match &entry.fact {
            Fact::RunStarted { plan } => {
                self.plan = Some(plan.clone());
                self.places = Places::of(plan);
                self.started = Some(entry.at.wall);
            }
            Fact::RunResumed { plan } => {
                let seen = self.plan.as_ref().map_or(Duration::ZERO, |plan| plan.limits.worked_unseen);
                let unseen = plan.limits.worked_unseen.saturating_sub(seen);
                self.plan = Some(plan.clone());
                self.places = Places::of(plan);
                self.rest_between_sessions(before.saturating_add(unseen).unwrap_or(before));
                self.left_waiting = None;
                self.stop = None;
                self.status.looked = false;
                self.failing = None;
                self.ending = None;
            }
            Fact::BaselineCaptured(report::BaselineCaptured { left_out, standing, .. }) => {
                self.left_out = *left_out;
                if let Some(standing) = standing {
                    self.status.find(standing);
                }
            }
            Fact::StatusChanged(report::StatusChanged { standing, .. }) => self.status.read(standing),
            Fact::CheckFinished(report::CheckFinished { lane, stage, outcome }) => {
                self.check(*lane, *stage, outcome);
            }
            Fact::Committed(report::Committed { lane, commit, refused, notes, .. }) => {
                self.commit(*lane, commit.as_deref(), refused.as_deref());
                self.held_back.extend(notes.held_back.iter().cloned());
            }
            Fact::BackoffStarted { until, class, .. } => self.back_off(*until, *class),
            Fact::BackoffEnded => self.release(),
            Fact::Delivery(step) => self.deliver(step),
            Fact::Issue(step) => self.issue(step),
            Fact::StopRequested { by, stage } => self.stop = Some((*by, *stage)),
            Fact::RunFinished { .. } => {
                self.delivery.forget_wait();
                self.end(&entry.fact);
            }
            Fact::Failing { under_way, .. } => self.failing = Some(*under_way),
            Fact::HookFinished(report::HookFinished { hook, outcome, .. }) => {
                let skips = outcome.decision == HookDecision::Skip;
                self.skips = if skips { self.skips.saturating_add(1) } else { 0 };
                self.hooks.insert(*hook, outcome.clone());
            }
            Fact::NotificationSettled(report::NotificationSettled { sink, delivery, .. }) => {
                self.undelivered.settle(*sink, *delivery);
            }
            Fact::Damaged(report::Damaged { iteration, attempt, course, .. }) => {
                self.ruined = (*course == DamageCourse::Stop).then_some((*iteration, *attempt));
            }
            Fact::ActionAsked(_) | Fact::Noticed(_) | Fact::CallCut { .. } | Fact::RunEnding { .. } => {}
            fact => self.lane_fact(entry.seq, fact),
        }
    }

    /// Facts about what happens in a lane.
    fn lane_fact(&mut self, seq: u64, fact: &Fact) {
        match fact {
            Fact::IterationStarted { lane, iteration, task } => self.begin(*lane, *iteration, task.as_ref()),
            Fact::TasksRead { .. } | Fact::ParkRequested { .. } | Fact::TaskClosed(_) => self.task_fact(fact),
            Fact::Landed(report::Landed { lane, outcome: LandOutcome::Landed { commit } }) => {
                self.landed(*lane, commit);
            }
            Fact::CallReserved { lane, call, attempt, purpose, agent, reserved, .. } => {
                let board = self.lanes.entry(*lane).or_default();
                board.attempt = *attempt;
                board.purpose = Some(*purpose);
                board.agent = *agent;
                board.doing = Doing::Agent(Activity::Starting);
                board.at_hand = AtHand::default();
                let (lane, reserved, reported) = (*lane, *reserved, Cost::ZERO);
                self.calls.insert(*call, CallBoard { seq, lane, reserved, reported });
            }
            Fact::CallSpawned(report::CallSpawned { lane, .. }) => {
                self.does(*lane, Doing::Agent(Activity::Starting));
            }
            Fact::CallFinished { lane, call, summary, .. } => self.call_finished(*lane, *call, summary),
            Fact::CallRecharged { cost, estimated, tokens, replaces, replaces_tokens, .. } => {
                self.charged = self.charged.with(Spent::of(*cost, *estimated), *replaces);
                self.tokens = self.tokens.with(*tokens, *replaces_tokens);
            }
            Fact::SnapshotTaken(report::SnapshotTaken { lane, snapshot, changed, .. }) => {
                self.keep(*lane, snapshot.as_ref(), *changed);
            }
            Fact::IterationFinished { lane, verdict, .. } => {
                self.task.clear();
                self.tally.count(*verdict);
                self.rest(*lane);
            }
            Fact::AttemptRepeats { lane, .. } | Fact::FollowUpDue { lane, .. } => self.rest(*lane),
            _ => {}
        }
    }

    /// Has any iteration of the run begun?
    pub(crate) fn has_begun(&self) -> bool {
        self.lanes.values().any(|lane| lane.iteration > 0) || self.tally.total() > 0
    }

    fn begin(&mut self, lane: LaneId, iteration: u32, task: Option<&TaskId>) {
        self.delivery.outdate();
        self.task = self.next_task();
        if let Some(task) = task {
            self.tasks.begin(task);
        }
        let board = LaneBoard {
            iteration,
            attempt: 1,
            started: self.now,
            doing: Doing::Preparing,
            task: task.cloned(),
            ..LaneBoard::default()
        };
        self.lanes.insert(lane, board);
    }

    fn call_finished(&mut self, lane: LaneId, call: CallId, summary: &CallSummary) {
        self.charged += Spent::of(summary.cost, summary.estimated);
        self.tokens += summary.tokens;
        if let Some(call) = self.calls.get_mut(&call) {
            (call.reserved, call.reported) = (Cost::ZERO, Cost::ZERO);
        }
        let board = self.lanes.entry(lane).or_default();
        board.doing = Doing::Keeping;
        if board.purpose == Some(Purpose::Review) {
            board.reviewed = Some(Reviewed::of(summary));
        }
        remember(&mut board.denials, &summary.denials);
        remember(&mut self.denials, &summary.denials);
        if board.purpose != Some(Purpose::Council) {
            board.last_call = Some(summary.clone());
        }
    }

    fn check(&mut self, lane: LaneId, stage: CheckStage, outcome: &CheckOutcome) {
        if stage == CheckStage::Baseline {
            self.before.insert(outcome.check, outcome.clone());
            return;
        }
        self.checks.insert(outcome.check, outcome.clone());
        let board = self.lanes.entry(lane).or_default();
        // What a commit's hooks made of the tree is judged anew.
        board.failed_checks.retain(|(_, failed)| failed.check != outcome.check);
        if !outcome.passed() {
            board.failed_checks.push((stage, outcome.clone()));
        }
    }

    fn keep(&mut self, lane: LaneId, snapshot: Option<&SnapshotId>, changed: u32) {
        let checked = self.plan.as_ref().is_some_and(|plan| !plan.checks.is_empty());
        let board = self.lanes.entry(lane).or_default();
        board.doing = if checked { Doing::Checking } else { Doing::Keeping };
        // What whoever verified wrote is not the iteration's work.
        if !board.purpose.is_some_and(Purpose::judges) {
            board.changed = changed;
        }
        if snapshot.is_some() {
            self.kept = Some(Kept { iteration: board.iteration, attempt: board.attempt });
        }
    }

    fn end(&mut self, fact: &Fact) {
        let Fact::RunFinished {
            stop_reason,
            detail,
            iterations,
            cost,
            estimated_cost,
            tokens,
            duration,
            exit_code,
            ..
        } = fact
        else {
            return;
        };
        self.leave_waiting();
        self.lanes.values_mut().for_each(|lane| lane.doing = Doing::Resting);
        // The run's own sums are the truth; ours serve the time before it.
        self.charged.cost = *cost;
        // Journals of old did not say how much of it is an estimate.
        if *estimated_cost > Cost::ZERO {
            self.charged.estimated = *estimated_cost;
        }
        self.tokens = *tokens;
        self.ending = Some(Ending {
            reason: *stop_reason,
            detail: detail.clone(),
            iterations: *iterations,
            // Whoever waits does not work, whatever counts against the limit.
            duration: duration.saturating_sub(self.counted_waits),
            exit_code: *exit_code,
        });
    }

    fn rest(&mut self, lane: LaneId) {
        self.calls.retain(|_, call| call.lane != lane);
        self.does(lane, Doing::Resting);
    }

    fn does(&mut self, lane: LaneId, doing: Doing) {
        self.lanes.entry(lane).or_default().doing = doing;
    }

    /// What has been charged, and what running calls have said of themselves.
    pub(crate) fn cost(&self) -> Cost {
        self.charged.cost + self.calls.values().map(|call| call.reported).sum()
    }

    /// The same, with the part that is an estimate.
    pub(crate) fn spent(&self) -> Spent {
        Spent { cost: self.cost(), ..self.charged }
    }

    /// What may have been spent beyond [`cost`](Self::cost) by calls that were cut off.
    pub(crate) fn unsettled(&self) -> Cost {
        self.unsettled_calls().map(|(_, cost)| cost).sum()
    }

    /// The same, call by call.
    pub(crate) fn unsettled_calls(&self) -> impl Iterator<Item = (CallId, Cost)> {
        self.calls.iter().map(|(call, known)| (*call, known.reserved.minus(known.reported)))
    }

    /// The checks of one kind with their last outcomes on the work, in the order they are run. Before there is any, what they
    /// said then: a run that finds nothing to do ends with it.
    pub(crate) fn checks_of(&self, kind: CheckKind) -> Vec<(&str, Option<&CheckOutcome>)> {
        let Some(plan) = &self.plan else { return Vec::new() };
        let before = |index: u16| self.before.get(&index).filter(|_| !self.has_begun());
        (0..)
            .zip(&plan.checks)
            .filter(|(_, check)| check.kind == kind)
            .map(|(index, check)| (check.command.as_str(), self.checks.get(&index).or_else(|| before(index))))
            .collect()
    }

    /// The lane whose iteration is the newest among those at work, else the newest of all.
    pub(crate) fn foremost(&self) -> Option<&LaneBoard> {
        self.lanes.values().max_by_key(|lane| (lane.doing != Doing::Resting, lane.iteration))
    }

    /// What a fresh agent made of the work, where the newest iteration asked one.
    pub(crate) fn assessment(&self) -> Option<&Assessment> {
        self.foremost()?.last_call.as_ref()?.assessment.as_ref()
    }

    /// One iteration is over and the next has not begun, or the run waits.
    pub(crate) fn is_between_iterations(&self) -> bool {
        self.busy_lanes() == 0 && (self.tally.total() > 0 || self.backoff.is_some())
    }

    /// Is any agent called? Checks, hooks and the runner's own steps are work without one.
    pub(crate) fn is_agent_at_work(&self) -> bool {
        self.lanes.values().any(|lane| matches!(lane.doing, Doing::Agent(_)))
    }

    /// How many lanes are at work.
    pub(crate) fn busy_lanes(&self) -> usize {
        self.lanes.values().filter(|lane| lane.doing != Doing::Resting).count()
    }
}

fn remember(known: &mut Vec<Denial>, more: &[Denial]) {
    for denial in more {
        if known.len() < REMEMBERED_DENIALS
            && !known.iter().any(|known| {
                known.rule == denial.rule && (known.input == denial.input || !known.rule.is_empty())
            })
        {
            known.push(denial.clone());
        }
    }
}

#[cfg(test)]
#[path = "board_tests.rs"]
mod tests;
