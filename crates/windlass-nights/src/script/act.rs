//! What an agent does in one call.

/// One call, from its start to its end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Act {
    /// What kind of agent this is, for the story.
    pub character: &'static str,
    /// One after another, each after so many milliseconds.
    pub actions: Vec<(u32, Action)>,
    /// What one response of its model costs, in millionths of a dollar.
    pub response: u64,
    pub end: End,
    pub on_term: OnTerm,
    /// Something that it started holds its pipes open.
    pub straggler: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    Starts,
    /// Bytes, and nothing that a clock could go by.
    Prints,
    Thinks,
    UsesTool,
    Garbage,
    /// The model answers once, and that costs.
    Spends,
    /// The job comes one step further.
    Works,
    Writes(u8),
    /// One of two contents in turn: A, B, A, B.
    Flips(u8),
    Deletes(u8),
    DeletesAll,
    /// Writes notes of so many bytes; perhaps the completion phrase is among them.
    Notes {
        bytes: u32,
        phrase: bool,
    },
    Commits,
    /// `git reset --hard HEAD~1`.
    Resets,
    DestroysGit,
    /// Removes the working directory itself.
    DestroysAll,
    /// Retries a request; with refused credentials, or because the service is overloaded.
    Retries {
        refused: bool,
    },
    /// A usage limit refuses it; it resets in so many seconds, where that is said.
    Limited {
        resets_in: Option<i32>,
    },
    Overage,
    Background(u32),
    Denied,
    /// Writes the workspace's status file.
    Reports(StatusWord),
    /// Does something to the plan of the job.
    Plans(PlanAction),
    /// Does something about the tasks.
    Tasks(TaskAction),
    Answers(ResultEvent),
}

/// What a status file says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum StatusWord {
    MoreToDo,
    Done,
    DoneIfSo,
    NoWork,
    /// It is cut off in the middle.
    Broken,
    /// The same bytes that are there.
    Same,
}

/// What an agent does to a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PlanAction {
    Ticks,
    TicksAll,
    Unticks,
    /// Ticks a box, or takes the tick away: A, B, A, B.
    Flips,
    Adds,
    /// Takes out the last open box.
    Hides,
    /// The same, and ticks all others.
    HidesAndTicks,
    /// Puts back what was taken out.
    PutsBack,
    /// Says the same in other words.
    Rewords,
    /// Writes it anew.
    Writes {
        boxes: u32,
        sound: bool,
    },
    /// Leaves a file with nothing to do in it.
    Empties,
}

/// What an agent does about tasks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TaskAction {
    /// Its own is worked on.
    Works,
    /// Marks its own as done.
    Claims,
    /// The same, once the work is there.
    ClaimsIfSo,
    ClaimsAnother(u8),
    Reopens(u8),
    Deletes(u8),
    Adds,
    Rewords,
    /// Writes a file that others write as well.
    Shares,
    /// Puts together what both sides have changed.
    Resolves,
    /// Makes hold together what does so on each side alone.
    Glues,
}

/// A result event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ResultEvent {
    Fine(Word),
    /// With no cost in it.
    Unpriced(Word),
    Fails(Failure),
    Judges(Judgement),
    /// With a cost that cannot be.
    Miscounts(Miscount),
}

/// A cost that cannot be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Miscount {
    Negative,
    /// A hundredth of what it was.
    TooLittle,
}

/// What an agent says that was asked to judge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Judgement {
    PassIfSo,
    Pass,
    Review,
    Fail,
    /// In words only.
    Prose,
    // Of reviewers.
    LetsStand,
    /// Says that it has changed something, whether it has or not.
    Mends,
    /// For this.
    Rejects(u8),
    /// Lets pass what it says must be mended.
    Contradicts,
    /// Rejects, and names nothing.
    RejectsNothing,
    /// Of councils: this of what was offered.
    Chooses(u32),
}

/// What an agent says at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Word {
    Nothing,
    MoreToDo,
    Done,
    DoneIfSo,
    /// Names the phrase within a sentence: no claim.
    Mentions,
    /// There is something that it could not settle.
    Conflict,
    /// The same, and all is done.
    ConflictAndDone,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Failure {
    MaxTurns,
    Budget,
    TooLong,
    NotLoggedIn,
    NoCredit,
    Overloaded,
    /// 429: with a refusal before it a usage limit, otherwise an outage.
    Throttled,
    Unexplained,
    /// The API refuses the request, for a reason that nobody knows.
    Refused,
    /// The limit that the account has set itself, which comes as a refused request; it ends in so many seconds.
    AccountLimit(u32),
    /// Overloaded, and only words say so.
    OverloadedInWords,
}

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    Exits(i32),
    Signalled(i32),
    /// Never by itself.
    Hangs,
}

/// What SIGTERM makes it do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum OnTerm {
    Dies,
    /// It gives its result, and goes.
    Answers,
    Ignores,
}
