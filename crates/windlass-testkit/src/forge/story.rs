//! What a stand-in forge is to tell.

/// How a check ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// `SUCCESS`.
    Passes,
    /// `FAILURE`.
    Fails,
    /// `CANCELLED`.
    IsCancelled,
    /// `SKIPPED`.
    IsSkipped,
    /// A word that nobody knows.
    IsUnheardOf,
    /// Never.
    NeverEnds,
}

/// The checks of a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// For so many views nothing is there.
    pub absent: u32,
    /// For so many more they are pending.
    pub pending: u32,
    /// Their names, how they end, and their logs.
    pub ends: Vec<(String, Conclusion, String)>,
}

impl Checks {
    /// A commit that nothing is run on.
    pub fn none() -> Checks {
        Checks::default()
    }

    /// One check, `build`, which passes after a view without any and a view of waiting.
    pub fn green() -> Checks {
        Checks { absent: 1, pending: 1, ends: vec![("build".to_owned(), Conclusion::Passes, String::new())] }
    }

    /// One check, `build`, which fails so after a view of waiting.
    pub fn red(log: &str) -> Checks {
        Checks { absent: 0, pending: 1, ends: vec![("build".to_owned(), Conclusion::Fails, log.to_owned())] }
    }

    /// One check, `build`, which ends so at once.
    pub fn ending(conclusion: Conclusion) -> Checks {
        Checks { absent: 0, pending: 0, ends: vec![("build".to_owned(), conclusion, String::new())] }
    }
}

/// What a branch's rules ask for before a merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    /// Every check passed, and there is one.
    pub checks: bool,
    /// Somebody approved.
    pub review: bool,
    /// The branch has all of the base.
    pub up_to_date: bool,
}

/// Something that somebody says in a conversation about the changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Who.
    pub author: String,
    /// What they are to the repository: `OWNER`, `NONE`, …
    pub association: String,
    /// What.
    pub text: String,
}

/// What happens without anybody asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A person merges the newest pull request.
    Merge,
    /// A person closes it.
    Close,
    /// Somebody pushes a commit of their own over its branch.
    ForcePush,
    /// Somebody pushes a merge of `main` into its branch that has a file of their own in it.
    MergeWithMore,
    /// Somebody commits to `main`: this file with this text.
    MainMoves(String, String),
    /// Somebody approves.
    Approve,
    /// Somebody wants something else.
    RequestChanges,
    /// A conversation begins.
    Say(Remark),
    /// Somebody writes this above the text of the newest pull request.
    WriteAbove(&'static str),
    /// The branch of the newest pull request is deleted.
    DeleteBranch,
}

/// What a request meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// None, this time.
    Nothing,
    /// A web page.
    Page,
    /// Half an answer.
    Half,
    /// Status 403: asked too often, for years.
    RateLimit,
    /// The same for so many seconds.
    RateLimitFor(u32),
    /// Status 401.
    BadLogin,
    /// Status 502.
    BadGateway,
    /// The connection is closed without a word.
    HangUp,
    /// No answer, and nothing done.
    HangBefore,
    /// It is done, and there is no answer.
    HangAfter,
    /// It is done, and the connection is closed without a word.
    HangUpAfter,
}

/// What a stand-in forge tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    /// The checks of the first commit that a pull request has, of the second, …; the last ones are repeated.
    pub checks: Vec<Checks>,
    /// What `main` asks for.
    pub protection: Protection,
    /// For so many views of each commit it is not known whether it can be merged.
    pub unknown_mergeability: u32,
    /// After so many views in all, that happens.
    pub events: Vec<(u32, Event)>,
}

impl Story {
    /// Every commit has these checks.
    pub fn with_checks(checks: impl IntoIterator<Item = Checks>) -> Story {
        Story { checks: checks.into_iter().collect(), ..Story::default() }
    }
}
