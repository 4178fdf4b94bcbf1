//! Forges: where a branch becomes a pull request, is checked, reviewed and merged.
//!
//! [`Forge`] is the port: requests and answers in the words of [`windlass_core::forge`]. What is behind it is a folder of
//! its own ([`gh`]: GitHub, by its command line program, with whatever login and host that has); nothing outside the
//! folder names it.

mod error;
mod forge;
pub mod gh;
mod issues;
mod remote;
mod text;

pub use error::{ForgeError, ForgeFault};
pub use forge::{Account, Forge, JobLog, MergeOrder, NewPullRequest, Permission, RateLimit, RepositoryFacts};
pub use issues::{CommentList, IssueList, Issues, MOST_COMMENTS, MOST_ISSUES};
pub use remote::{RemoteError, named, parse_remote};

use std::path::Path;
use std::time::Duration;

use windlass_core::forge::RepositoryName;
use windlass_core::values::RunId;
use windlass_host::process::RUN_VARIABLE;

/// A repository on its forge. `directory` is where a program that talks to it is started; it reads nothing there. What is
/// started for a run carries its mark, by which it is found and ended should the runner be killed meanwhile.
pub fn reach(repository: RepositoryName, directory: &Path, run: Option<&RunId>) -> Box<dyn Forge> {
    asked(gh::Gh::new(repository, directory), run)
}

/// The same for whoever waits no longer than this for an answer; a minute is the longest.
pub fn reach_within(
    patience: Duration,
    repository: RepositoryName,
    directory: &Path,
    run: Option<&RunId>,
) -> Box<dyn Forge> {
    let forge = gh::Gh::new(repository, directory);
    asked(forge.with_timeout(patience.min(gh::TIMEOUT)), run)
}

fn asked(forge: gh::Gh, run: Option<&RunId>) -> Box<dyn Forge> {
    Box::new(match run {
        Some(run) => forge.with_variable(RUN_VARIABLE, run.0.clone()),
        None => forge,
    })
}
