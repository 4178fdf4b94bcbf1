//! What holds inside each sandbox that this machine can make, with the real binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stderr, reason = "what cannot be tried here is said")]

mod agents;
mod closed_files;
mod ending;
mod files;
mod filters;
mod git;
mod git_after_kills;
mod guarding;
mod kept_work;
mod kinds;
mod lanes;
mod lent;
mod links;
mod network;
mod place;
mod rights;
mod steering;
mod walls;
