//! Forges: where a branch becomes a pull request, is checked, reviewed and merged.
//!
//! [`Forge`] is the port: requests and answers in the words of [`windlass_core::forge`]. What is behind it is a folder of
//! its own ([`gh`]: GitHub, by its command line program, with whatever login and host that has); nothing outside the
//! folder names it.

mod error;
mod forge;
pub mod gh;
mod remote;
mod text;

pub use error::{ForgeError, ForgeFault};
pub use forge::{Account, Forge, JobLog, MergeOrder, NewPullRequest, Permission, RateLimit, RepositoryFacts};
pub use remote::{RemoteError, named, parse_remote};
