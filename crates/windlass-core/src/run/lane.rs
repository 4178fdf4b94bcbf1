//! A lane: where iterations happen one after another.

use std::time::Duration;

use crate::run::effect::{NotesShare, TurnKey};
use crate::values::{
    AgentIndex, CallId, CallSummary, CheckOutcome, CheckStage, Class, Cost, Cut, Evidence, Purpose, Reviewed,
    SnapshotId, TaskEnd, TaskId, Tokens,
};
use jiff::Timestamp;
use strum::{EnumTryAs, IntoStaticStr};

/// What a lane is doing. `Preparing → Calling → Keeping → Gating → Advancing → Settling → Judging → Idle`; from
/// `Calling`, `Terminating` leads to `Keeping` as well. A call's draining is the end of `Calling`.
#[derive(Clone, Debug, PartialEq, EnumTryAs, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum LaneState {
    /// Between iterations; the next one may begin at this time of the session's monotonic clock.
    Idle {
        /// The end of the delay.
        not_before: Duration,
    },
    /// A hook is asked whether the next iteration may begin.
    Asking,
    /// It may.
    Cleared,
    /// The lane's own checkout is being brought to the tip of the branch.
    Opening(Turn),
    /// The prompt is being written.
    Preparing(Turn),
    /// An agent is at work.
    Calling(Turn, Call),
    /// An agent is being ended.
    Terminating(Turn, Call, Termination),
    /// The runner died while an agent was at work: what became of it is being found out.
    Recovering(Turn, Call),
    /// The tree is being kept.
    Keeping(Turn, AttemptOutcome),
    /// What the agent must not change in this mode is being undone.
    Refusing(Turn, AttemptOutcome),
    /// What the agent did to the repository beyond its work is being undone.
    Undoing(Turn, AttemptOutcome),
    /// Checks are being run on it.
    Gating(Turn, AttemptOutcome, Checking),
    /// The runner commits.
    Advancing(Turn, AttemptOutcome, Judged),
    /// What the checks wrote is being looked at.
    Settling(Turn, AttemptOutcome, Judged),
    /// The work waits to be merged with the branch, or is being merged: one lane at a time.
    Queued(Turn, AttemptOutcome, Judged),
    /// The merged work is being brought to the branch.
    Landing(Turn, AttemptOutcome, Judged),
    /// What a council has decided is being written into the project's log.
    Recording(Turn, AttemptOutcome, Judged),
    /// All is known; what follows is due.
    Judging(Turn, AttemptOutcome, Judged),
    /// How the iteration left its task is being written down.
    Closing(Turn, TaskEnd),
}

/// The attempt that a lane works on, and what its iteration took so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// The iteration's number.
    pub iteration: u32,
    /// The attempt's number.
    pub attempt: u32,
    /// What its call is for.
    pub purpose: Purpose,
    /// The task it works on (mode tasks).
    pub task: Option<TaskId>,
    /// When the iteration began.
    pub began: Timestamp,
    /// The same in the run's own time: what lies between two sessions, and waits, are not work.
    pub active: Duration,
    /// What its finished calls cost.
    pub cost: Cost,
    /// The part of that which is an estimate.
    pub estimated: Cost,
    /// What its finished calls used.
    pub tokens: Tokens,
    /// How much of the notes goes into the prompt.
    pub notes: NotesShare,
    /// An earlier attempt, or this one, left a state that the run had not seen.
    pub progress: bool,
    /// The claim that this attempt's agent is asked about; `None` for work.
    pub claim: Option<Box<Candidate>>,
    /// The work that this attempt's agent looks over before it counts; `None` where none is looked over now.
    pub review: Option<Box<Candidate>>,
    /// How far the iteration is with a conflict that its agent reports.
    pub council: Council,
}

/// Work that stood, with green gates, and that a fresh agent is asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What that attempt was for.
    pub purpose: Purpose,
    /// The attempt that left it.
    pub outcome: AttemptOutcome,
    /// What the checks said of it.
    pub judged: Judged,
    /// What was there when they had judged it, with what they wrote; `None` once they have to judge again.
    pub evidence: Option<Evidence>,
}

impl Turn {
    /// The name of this attempt's folder.
    pub fn key(&self) -> TurnKey {
        TurnKey { iteration: self.iteration, attempt: self.attempt }
    }

    /// The attempt that is a follow-up call about this one.
    pub(crate) fn follow_up(&self, purpose: Purpose) -> Turn {
        Turn { purpose, ..self.next_attempt(self.notes) }
    }

    pub(crate) fn next_attempt(&self, notes: NotesShare) -> Turn {
        Turn { attempt: self.attempt + 1, notes, ..self.clone() }
    }

    /// The same about this one's claim.
    pub(crate) fn follow_up_on(&self, claim: Candidate, purpose: Purpose) -> Turn {
        let progress = self.progress || claim.judged.first_pass;
        Turn { claim: Some(Box::new(claim)), progress, ..self.follow_up(purpose) }
    }

    /// The same about this one's work, before it is committed and before anything is concluded from it.
    pub(crate) fn follow_up_before(&self, work: Candidate, purpose: Purpose) -> Turn {
        let progress = self.progress || work.judged.first_pass;
        Turn { review: Some(Box::new(work)), progress, ..self.follow_up(purpose) }
    }
}

/// A call that is not over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Call {
    /// Its number.
    pub id: CallId,
    /// Whose it is.
    pub agent: AgentIndex,
    /// What the agent may spend.
    pub budget: Option<Cost>,
}

/// How the end of a call is being brought about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Termination {
    /// Since when, on the session's monotonic clock.
    pub since: Duration,
    /// Why.
    pub cut: Cut,
    /// It was asked and did not go, or there is no time to ask.
    pub kill: bool,
}

/// How an attempt's call went and what it left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttemptOutcome {
    /// Who worked.
    pub agent: AgentIndex,
    /// The call.
    pub summary: CallSummary,
    /// The agent claims that the job is done.
    pub claimed: bool,
    /// The agent says that it found nothing to do. That is its own word, whatever tree is kept, or kept once more, after it.
    pub no_work: bool,
    /// The kept tree; `None` while it is being kept.
    pub kept: Option<KeptTree>,
    /// What a review of it came to; `None` before one, and where none is made.
    pub reviewed: Option<Reviewed>,
    /// What became of it in git.
    pub in_git: InGit,
}

impl AttemptOutcome {
    /// Did its agent come to the end of what it could do?
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.summary.class, Class::Success | Class::MaxTurns | Class::BudgetExhausted)
    }
}

/// How far an attempt's work has come in git.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InGit {
    /// The commit that holds it: the runner's own, in a lane the lane's, on the branch once it has landed.
    pub commit: Option<String>,
    /// The tip of the branch that it was merged with.
    pub tip: Option<String>,
    /// It is on the branch.
    pub landed: bool,
    /// It could not land for another git that keeps a checkout locked, when it was last tried.
    pub held: bool,
    /// It was committed as an attempt that failed: whatever is said of it later, it is not done.
    pub attempted: bool,
    /// Why it could not be committed: it is not done before it is.
    pub refused: Option<String>,
    /// Why it cannot reach the branch, whatever the agent does.
    pub dead_end: Option<String>,
}

/// A kept tree.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptTree {
    /// What was seen.
    pub evidence: Evidence,
    /// Where it is kept.
    pub snapshot: Option<SnapshotId>,
    /// It differs from every state this run had seen.
    pub is_new: bool,
    /// It differs from what the attempt began with.
    pub moved: bool,
}

/// Checks under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Checking {
    /// On which tree.
    pub stage: CheckStage,
    /// Run so far at this stage.
    pub done: Vec<CheckOutcome>,
    /// A check passed for the first time in this run.
    pub first_pass: bool,
}

/// What the checks said; empty when none was run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// Their outcomes on the newest tree.
    pub outcomes: Vec<CheckOutcome>,
    /// A check passed for the first time in this run.
    pub first_pass: bool,
}

/// How far an iteration is with a conflict that its agent reports.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Council {
    /// Nobody was asked.
    #[default]
    Unasked,
    /// This attempt's agent is asked; the iteration then ends as it would have ended without.
    Asked(Box<Candidate>),
    /// Somebody was asked, and nobody is once more.
    Over,
}

impl Council {
    /// The attempt that goes on without the council's answer.
    pub(super) fn given_up(&self) -> Council {
        match self {
            Council::Unasked => Council::Unasked,
            Council::Asked(_) | Council::Over => Council::Over,
        }
    }
}

/// The attempt of a state, however that is borrowed.
macro_rules! turn_of {
    ($state:expr) => {
        match $state {
            LaneState::Idle { .. } | LaneState::Asking | LaneState::Cleared => None,
            LaneState::Preparing(turn)
            | LaneState::Opening(turn)
            | LaneState::Queued(turn, _, _)
            | LaneState::Landing(turn, _, _)
            | LaneState::Closing(turn, _)
            | LaneState::Calling(turn, _)
            | LaneState::Terminating(turn, _, _)
            | LaneState::Recovering(turn, _)
            | LaneState::Keeping(turn, _)
            | LaneState::Refusing(turn, _)
            | LaneState::Undoing(turn, _)
            | LaneState::Gating(turn, _, _)
            | LaneState::Advancing(turn, _, _)
            | LaneState::Settling(turn, _, _)
            | LaneState::Recording(turn, _, _)
            | LaneState::Judging(turn, _, _) => Some(turn),
        }
    };
}

impl Default for LaneState {
    fn default() -> LaneState {
        LaneState::Idle { not_before: Duration::ZERO }
    }
}

impl LaneState {
    /// Nothing is under way that must be seen through before the run may end.
    pub fn is_resting(&self) -> bool {
        matches!(
            self,
            LaneState::Idle { .. } | LaneState::Cleared | LaneState::Opening(_) | LaneState::Preparing(_)
        )
    }

    /// Is an agent's process to be reckoned with?
    pub fn call(&self) -> Option<(&Turn, Call)> {
        match self {
            LaneState::Calling(turn, call)
            | LaneState::Terminating(turn, call, _)
            | LaneState::Recovering(turn, call) => Some((turn, *call)),
            _ => None,
        }
    }

    /// The attempt it works on.
    pub fn turn(&self) -> Option<&Turn> {
        turn_of!(self)
    }

    /// The same, to be corrected.
    pub(crate) fn turn_mut(&mut self) -> Option<&mut Turn> {
        turn_of!(self)
    }
}
