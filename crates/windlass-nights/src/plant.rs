//! Faults that are planted to see whether the invariants see them. None of them exists outside this crate.

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plant {
    /// What a call cost is charged twice.
    DoubleCharge,
    /// A call that died without a result costs nothing.
    FreeDeath,
    /// What the stream of a call that died shows of tokens is forgotten.
    UncountedDeath,
    /// A cost that cannot be is believed.
    BelievedMiscount,
    /// A task is put aside for what the API failed at.
    ParkedForTheApi,
    /// An estimate is not marked as one.
    UnmarkedEstimate,
    /// The reservation of a call whose runner died is forgotten.
    ForgottenReservation,
    /// The agent is not told what it may spend.
    IgnoredBudget,
    /// One iteration more than allowed.
    OneMoreIteration,
    /// A wait for a usage limit counts as a failed iteration.
    WaitAsFailure,
    /// A wait for a usage limit counts against the run's duration.
    ChargedWait,
    /// The wait is over a minute before the limit resets.
    EarlyWaking,
    /// Nobody takes over from an agent that cannot work.
    UnaskedSubstitute,
    /// An agent that cannot work is asked again a minute too early.
    EarlyReturn,
    /// A resumed run forgets that it was waiting.
    ForgottenHold,
    /// An outage is retried at once, again and again.
    NoPause,
    /// What a commit hook changed is not checked again.
    UncheckedHook,
    /// A check that timed out is taken for passed.
    RedIsGreen,
    /// The phrase counts although the notes of an earlier call say it, not the agent.
    ClaimFromYesterday,
    /// What the status file said before the run counts as if it had been said in it.
    StatusFromYesterday,
    /// A claim completes the job although a fresh agent was to be asked first.
    UnaskedVerification,
    /// A judgement in prose counts.
    ProseIsJudgement,
    /// What a reviewer rejects is taken for passed.
    RejectedPasses,
    /// Nobody is asked to look over the work.
    UnaskedReview,
    /// What a council has decided is logged twice.
    DecidedTwice,
    /// One council more is called than a run may have.
    SixthCouncil,
    /// A Ctrl-C while an agent works is not noticed.
    LostInterrupt,
    /// Where a stop and a completion meet, the stop wins.
    ManualBeforeComplete,
    /// A state that was seen before counts as progress.
    CirclesAreProgress,
    /// The journal is never synced.
    DroppedSync,
    /// An effect begins before its facts are written.
    EffectBeforeFact,
    /// Opening a journal takes its last whole line for a torn one.
    LineTooMuch,
    /// A commit that is there already is made again.
    RepeatedCommit,
    /// A snapshot is named before it is written.
    NameBeforeContent,
    /// What a person changed between two sessions is not kept.
    UnkeptEdit,
    /// What was looked at after the checks is never told to the core.
    LostAnswer,
    /// The state in memory is not what the journal says.
    DriftingState,
    /// A hook that skips an iteration is taken for one that lets it begin.
    DeafToSkips,
    /// A hook that says abort is not listened to.
    DeafToAborts,
    /// The hook of the end is called twice.
    SecondFarewell,
    /// A plan with open boxes is taken for one that is worked off.
    OpenIsDone,
    /// An open box that is gone is taken for a done one.
    VanishedIsDone,
    /// An open task counts as done where another one of its id is.
    TwinIsDone,
    /// A claim that a later result of the same call takes back counts.
    RetractedClaim,
    /// A plan that is gone is taken for one that is worked off.
    GoneIsDone,
    /// What the agent wrote beside the plan is not seen.
    UnseenStrays,
    /// What the agent wrote beside the plan is said to be undone, and stays.
    StraysStay,
    /// Tasks are begun before those that they depend on are done.
    IgnoredDependencies,
    /// What a merge made is landed without its gates being asked.
    UnretestedMerge,
    /// Red gates of a merged tree are taken for green.
    RedLands,
    /// A lane's work is said to have landed, and has not.
    DreamtLanding,
    /// A lane's work that has landed is landed again after a crash.
    LandedTwice,
    /// A lane's work replaces what others have landed meanwhile.
    LastWriterWins,
    /// Two lanes bring their work to the branch at the same time.
    TwoAtTheBranch,
    /// A parked task is marked as done.
    ParkedIsDone,
    /// A lane whose checkout is gone is taken for one in which all files were deleted.
    UnseenLoss,
    /// A resumed run forgets who was told of its end.
    ForgottenDelivery,
    /// Somebody is told of what is not on the disk yet.
    ToldTooEarly,
    /// HEAD is pushed, whatever its gates said.
    UngatedPush,
    /// What somebody else has pushed is overwritten.
    ForcedPush,
    /// A pull request is opened without looking whether there is one.
    SecondPullRequest,
    /// A merge that is done is done again after a crash.
    MergedAgain,
    /// Checks that are not there yet are taken for passed.
    AbsentIsGreen,
    /// Checks that failed are taken for passed.
    RedIsMerged,
    /// A review that is missing is taken for given.
    UnreviewedMerge,
    /// Checks are waited for ten times as long as they may take.
    EndlessPatience,
    /// A pause between two looks at the forge is not kept.
    EarlyLook,
    /// Red checks go back to the agent once more than allowed.
    OneMoreReturn,
    /// A forge that does not answer is taken for one that says closed.
    SilenceIsClosed,
    /// What stands at a limit is taken for what is shown to be done.
    MergedAtALimit,
    /// A task that its reviewer rejects is taken for done.
    RejectedIsDone,
    /// An agent is asked for principles again and again.
    AskedForEver,
    /// A report that answers an older order is counted.
    LateCounts,
    /// A run is over while what tells of its end is still on its way.
    SilentEnd,
}

impl Plant {
    /// All of them, with a name and a sentence each.
    pub const ALL: &[(Plant, &str, &str)] = &[
        (Plant::DoubleCharge, "double-charge", "what a call cost is charged twice"),
        (Plant::FreeDeath, "free-death", "a call that died without a result costs nothing"),
        (Plant::UncountedDeath, "uncounted-death", "what a call that died has used is forgotten"),
        (Plant::BelievedMiscount, "believed-miscount", "a cost that cannot be is believed"),
        (Plant::ParkedForTheApi, "parked-for-the-api", "a task is put aside for what the API failed at"),
        (Plant::UnmarkedEstimate, "unmarked-estimate", "an estimate is not marked as one"),
        (
            Plant::ForgottenReservation,
            "forgotten-reservation",
            "the reservation of a call whose runner died is forgotten",
        ),
        (Plant::IgnoredBudget, "ignored-budget", "the agent is not told what it may spend"),
        (Plant::OneMoreIteration, "one-more-iteration", "one iteration more than allowed"),
        (Plant::WaitAsFailure, "wait-as-failure", "a wait for a usage limit counts as a failed iteration"),
        (Plant::ChargedWait, "charged-wait", "a wait for a usage limit counts against the run's duration"),
        (Plant::EarlyWaking, "early-waking", "a wait ends a minute too early"),
        (Plant::UnaskedSubstitute, "unasked-substitute", "nobody takes over from an agent that cannot work"),
        (Plant::EarlyReturn, "early-return", "an agent that cannot work is asked again too early"),
        (Plant::ForgottenHold, "forgotten-hold", "a resumed run forgets that it was waiting"),
        (Plant::NoPause, "no-pause", "an outage is retried at once, again and again"),
        (Plant::UncheckedHook, "unchecked-hook", "what a commit hook changed is not checked again"),
        (Plant::RedIsGreen, "red-is-green", "a check that timed out is taken for passed"),
        (
            Plant::ClaimFromYesterday,
            "claim-from-yesterday",
            "a phrase in the notes of an earlier call counts as a claim",
        ),
        (Plant::StatusFromYesterday, "status-from-yesterday", "an old status file counts as if it were new"),
        (
            Plant::UnaskedVerification,
            "unasked-verification",
            "a claim completes the job, and no fresh agent is asked",
        ),
        (Plant::ProseIsJudgement, "prose-is-judgement", "a judgement in prose counts"),
        (Plant::RejectedPasses, "rejected-passes", "what a reviewer rejects is taken for passed"),
        (Plant::UnaskedReview, "unasked-review", "nobody is asked to look over the work"),
        (Plant::DecidedTwice, "decided-twice", "what a council has decided is logged twice"),
        (Plant::SixthCouncil, "sixth-council", "one council more is called than a run may have"),
        (Plant::LostInterrupt, "lost-interrupt", "a Ctrl-C while an agent works is not noticed"),
        (
            Plant::ManualBeforeComplete,
            "manual-before-complete",
            "where a stop and a completion meet, the stop wins",
        ),
        (
            Plant::CirclesAreProgress,
            "circles-are-progress",
            "a state that was seen before counts as progress",
        ),
        (Plant::DroppedSync, "dropped-sync", "the journal is never synced"),
        (Plant::EffectBeforeFact, "effect-before-fact", "an effect begins before its facts are written"),
        (Plant::LineTooMuch, "line-too-much", "opening a journal takes its last whole line for a torn one"),
        (Plant::RepeatedCommit, "repeated-commit", "a commit that is there already is made again"),
        (Plant::NameBeforeContent, "name-before-content", "a snapshot is named before it is written"),
        (Plant::UnkeptEdit, "unkept-edit", "what a person changed between two sessions is not kept"),
        (Plant::LostAnswer, "lost-answer", "what was seen after the checks is never told to the core"),
        (Plant::DriftingState, "drifting-state", "the state in memory is not what the journal says"),
        (
            Plant::DeafToSkips,
            "deaf-to-skips",
            "a hook that skips is taken for one that lets the iteration begin",
        ),
        (Plant::DeafToAborts, "deaf-to-aborts", "a hook that says abort is not listened to"),
        (Plant::SecondFarewell, "second-farewell", "the hook of the end is called twice"),
        (Plant::OpenIsDone, "open-is-done", "a plan with open boxes is taken for one that is worked off"),
        (Plant::VanishedIsDone, "vanished-is-done", "an open box that is gone is taken for a done one"),
        (Plant::TwinIsDone, "twin-is-done", "an open task counts as done where another one of its id is"),
        (
            Plant::RetractedClaim,
            "retracted-claim",
            "a claim counts that a later result of the same call takes back",
        ),
        (Plant::GoneIsDone, "gone-is-done", "a plan that is gone is taken for one that is worked off"),
        (Plant::UnseenStrays, "unseen-strays", "what the agent wrote beside the plan is not seen"),
        (
            Plant::StraysStay,
            "strays-stay",
            "what the agent wrote beside the plan is said to be undone, and stays",
        ),
        (
            Plant::IgnoredDependencies,
            "ignored-dependencies",
            "tasks are begun before those that they depend on are done",
        ),
        (
            Plant::UnretestedMerge,
            "unretested-merge",
            "what a merge made is landed without its gates being asked",
        ),
        (Plant::RedLands, "red-lands", "red gates of a merged tree are taken for green"),
        (Plant::DreamtLanding, "dreamt-landing", "a lane's work is said to have landed, and has not"),
        (Plant::LandedTwice, "landed-twice", "a lane's work that has landed is landed again after a crash"),
        (
            Plant::LastWriterWins,
            "last-writer-wins",
            "a lane's work replaces what others have landed meanwhile",
        ),
        (
            Plant::TwoAtTheBranch,
            "two-at-the-branch",
            "two lanes bring their work to the branch at the same time",
        ),
        (Plant::ParkedIsDone, "parked-is-done", "a parked task is marked as done"),
        (
            Plant::UnseenLoss,
            "unseen-loss",
            "a lane whose checkout is gone is taken for one in which all files were deleted",
        ),
        (Plant::ForgottenDelivery, "forgotten-delivery", "a resumed run forgets who was told of its end"),
        (Plant::ToldTooEarly, "told-too-early", "somebody is told of what is not on the disk yet"),
        (Plant::UngatedPush, "ungated-push", "HEAD is pushed, whatever its gates said"),
        (Plant::ForcedPush, "forced-push", "what somebody else has pushed is overwritten"),
        (
            Plant::SecondPullRequest,
            "second-pull-request",
            "a pull request is opened without looking whether there is one",
        ),
        (Plant::MergedAgain, "merged-again", "a merge that is done is done again after a crash"),
        (Plant::AbsentIsGreen, "absent-is-green", "checks that are not there yet are taken for passed"),
        (Plant::RedIsMerged, "red-is-merged", "checks that failed are taken for passed"),
        (Plant::UnreviewedMerge, "unreviewed-merge", "a review that is missing is taken for given"),
        (
            Plant::EndlessPatience,
            "endless-patience",
            "checks are waited for ten times as long as they may take",
        ),
        (Plant::EarlyLook, "early-look", "a pause between two looks at the forge is not kept"),
        (Plant::OneMoreReturn, "one-more-return", "red checks go back to the agent once more than allowed"),
        (
            Plant::SilenceIsClosed,
            "silence-is-closed",
            "a forge that does not answer is taken for one that says closed",
        ),
        (
            Plant::MergedAtALimit,
            "merged-at-a-limit",
            "what stands at a limit is taken for what is shown to be done",
        ),
        (Plant::RejectedIsDone, "rejected-is-done", "a task that its reviewer rejects is taken for done"),
        (Plant::AskedForEver, "asked-for-ever", "an agent is asked for principles again and again"),
        (Plant::LateCounts, "late-counts", "a report that answers an older order is counted"),
        (Plant::SilentEnd, "silent-end", "a run is over while what tells of its end is still on its way"),
    ];

    /// The fault of this name.
    pub fn named(name: &str) -> Option<Plant> {
        Plant::ALL.iter().find(|(_, known, _)| *known == name).map(|(plant, _, _)| *plant)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Plant::ALL.iter().find(|(plant, _, _)| *plant == self).map_or("", |(_, name, _)| name)
    }
}
