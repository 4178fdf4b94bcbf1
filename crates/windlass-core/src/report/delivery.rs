//! How a run's work leaves this machine: what is asked of the forge, what it said, and what follows.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::VariantNames;

use crate::forge::{CheckTally, MergeBlock, Mergeability, PullRequestState, Review};
use crate::values::{Evidence, SnapshotId, TaskId};

/// Something to be done with git's remote or the forge. Each looks first whether it is done already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DeliveryTask {
    /// Check out a new branch, which begins with the base as it is now.
    Branch,
    /// Push the branch.
    Push,
    /// Open a pull request, or find the one that there is.
    Open,
    /// Look at the pull request.
    View,
    /// Read the logs of what failed.
    ReadLogs,
    /// Read the unresolved conversations.
    ReadThreads,
    /// Take the draft's mark away.
    MarkReady,
    /// Have the forge merge the base into the branch.
    Update,
    /// Merge.
    Merge,
    /// Look what became of an earlier part's pull request.
    LookAgain,
}

impl DeliveryTask {
    /// Does it change anything outside? What does is seen through where a person stops the run.
    pub const fn changes_something(self) -> bool {
        let looks = matches!(self, DeliveryTask::View | DeliveryTask::LookAgain);
        !looks && !matches!(self, DeliveryTask::ReadLogs | DeliveryTask::ReadThreads)
    }
}

/// What is pushed.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DeliveryBasis {
    /// The job is shown to be done.
    #[default]
    Shown,
    /// The run ends at a limit: what its gates passed on so far.
    AsItStands,
}

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum WaitsFor {
    /// That checks appear.
    ChecksToAppear,
    /// That they end.
    ChecksToEnd,
    /// A review.
    Review,
    /// What else the base's rules ask for.
    Rules,
    /// That the forge has computed whether both go together, or has seen the push.
    Mergeability,
    /// That the forge answers again.
    Forge,
    /// That somebody resumes the run.
    Resumption,
}

/// How the delivery of a commit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DeliveryOutcome {
    /// The pull request is open, and a person's from here on.
    Left,
    /// There was nothing to open one for.
    Nothing,
    /// This run merged it.
    Merged,
    /// A person did.
    MergedByPerson,
    /// A person closed it.
    ClosedByPerson,
    /// Its checks stay red.
    CiFailed,
    /// Only a person can decide what comes next.
    NeedsHuman,
}

impl DeliveryOutcome {
    /// Is the work in the base?
    pub const fn is_merged(self) -> bool {
        matches!(self, DeliveryOutcome::Merged | DeliveryOutcome::MergedByPerson)
    }

    /// Can what stands on the work begin: is it in the base, or is nothing of it needed there?
    pub const fn is_through(self) -> bool {
        self.is_merged() || matches!(self, DeliveryOutcome::Nothing)
    }

    /// Is it where it was to go? What it is the work of counts as done.
    pub const fn is_out(self) -> bool {
        self.is_through() || matches!(self, DeliveryOutcome::Left)
    }
}

/// What follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryMove {
    /// This, at once.
    Do(DeliveryTask),
    /// This, at a time.
    Wait {
        /// For what.
        waits_for: WaitsFor,
        /// When it is done.
        #[serde(with = "crate::values::wall_time")]
        again: Timestamp,
        /// When nothing of it is waited for any longer.
        #[serde(with = "crate::values::wall_time")]
        until: Timestamp,
        /// What is done then.
        then: DeliveryTask,
    },
    /// Nothing.
    End {
        /// How it ended.
        outcome: DeliveryOutcome,
        /// One sentence.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
    },
}

/// What a look at a pull request showed, as far as decisions need it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequestSeen {
    /// Where it stands.
    pub state: PullRequestState,
    /// It is a draft.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
    /// The tip of its branch.
    pub head: String,
    /// The parents of that commit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub head_parents: Vec<String>,
    /// Do both go together?
    pub mergeability: Mergeability,
    /// What else stands against a merge.
    pub block: MergeBlock,
    /// What reviewers decided.
    pub review: Review,
    /// Who was asked for a review and has not given one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub requested_reviewers: u32,
    /// The checks of its head.
    pub checks: CheckTally,
    /// The names of those that failed: at most 10.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// The unresolved conversations of those with a say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<String>,
    /// The commit that it was merged as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_commit: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Something that goes back to the agent, as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgeFinding {
    /// What it is of: the name of a check, or a file and a line.
    pub title: String,
    /// A log's end, or what people said: at most 16 KiB.
    pub text: String,
}

/// What came of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum DeliveryReport {
    /// A branch is checked out.
    Branched {
        /// The commit that it begins with.
        base: String,
        /// What is there now.
        evidence: Evidence,
        /// Where that is kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        snapshot: Option<SnapshotId>,
    },
    /// The branch of the remote is at this commit.
    Pushed {
        /// The commit.
        head: String,
    },
    /// There is a pull request.
    Opened {
        /// Its number.
        number: u64,
        /// Its page.
        url: String,
        /// It was there already.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        found: bool,
    },
    /// What a look showed.
    Viewed(PullRequestSeen),
    /// What was read for the agent.
    Read {
        /// Newest last; at most 10.
        findings: Vec<ForgeFinding>,
    },
    /// The draft's mark is gone, or the update was asked for.
    Done,
    /// It is merged.
    Merged {
        /// As this commit.
        commit: String,
    },
    /// It was understood, and is not done.
    Refused {
        /// One sentence.
        why: String,
    },
    /// There is nothing to open a pull request for.
    Nothing {
        /// One sentence.
        why: String,
    },
    /// It could not be asked.
    Unreachable {
        /// One sentence.
        why: String,
        /// It may answer later, without anybody doing anything.
        passes: bool,
        /// When, where it said so.
        #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::values::some_wall_time")]
        again: Option<Timestamp>,
    },
}

/// Why work goes back to the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Returned {
    /// Checks are red.
    Checks,
    /// Somebody with a say wants something else.
    Review,
}

/// A step on the way out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(tag = "step", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DeliveryStep {
    /// A part begins that has a branch and a pull request of its own.
    PartBegun {
        /// Its number, from 1.
        part: u32,
        /// Its branch.
        branch: String,
        /// The task that it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
    },
    /// Its branch is checked out.
    Branched {
        /// The commit that it begins with.
        base: String,
        /// What is there now.
        evidence: Evidence,
        /// Where that is kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        snapshot: Option<SnapshotId>,
    },
    /// It was looked what became of an earlier part's pull request.
    PartSeen {
        /// The part's number.
        part: u32,
        /// Where its pull request stands; unknown where the forge did not say.
        state: PullRequestState,
    },
    /// A commit is to leave this machine: nothing else is pushed until the next such step.
    Begun {
        /// The commit, whose tree every gate passed on.
        head: String,
        /// What it is.
        #[serde(rename = "standing")]
        basis: DeliveryBasis,
    },
    /// The branch of the remote is at that commit.
    Pushed {
        /// The commit.
        head: String,
    },
    /// There is a pull request.
    Opened {
        /// Its number.
        number: u64,
        /// Its page.
        url: String,
        /// It was there already.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        found: bool,
    },
    /// It was looked at.
    Viewed {
        /// What was seen.
        #[serde(flatten)]
        seen: PullRequestSeen,
        /// What follows.
        next: DeliveryMove,
    },
    /// A task could not be done, or not yet.
    Stalled {
        /// Which.
        task: DeliveryTask,
        /// Why: one sentence.
        why: String,
        /// What follows.
        next: DeliveryMove,
    },
    /// What was waited for is done now.
    Due,
    /// An order of ours was followed.
    Ordered {
        /// Which.
        task: DeliveryTask,
    },
    /// The work goes back to the agent.
    Returned {
        /// Why.
        because: Returned,
        /// What it is told.
        findings: Vec<ForgeFinding>,
    },
    /// It is merged.
    Merged {
        /// As this commit.
        commit: String,
    },
}
