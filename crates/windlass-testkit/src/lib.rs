//! What Windlass's tests stand on.
//!
//! - [`api`]: a stand-in for the Messages API, so that the *real* Claude Code can be driven through any story on
//!   loopback, without an account.
//! - [`forge`]: a stand-in for GitHub, so that the *real* `gh` and git can open, check and merge pull requests.
//! - [`nats`]: real servers of NATS, for the fleet.
//! - [`receiver`]: a web service that records the notifications it is sent.
//! - [`secure`]: the same behind HTTPS, with a certificate of a company's own.
//! - [`evidence`]: what tests leave for a comparison with another version.
//! - [`printed`]: commands in what Windlass prints, each held to be one that it takes.
//! - [`contract`]: what is printed with `--json`, held to its schema.
//! - [`environment`]: a hermetic place to run programs in, programs that always end, and proofs that nothing is left.
//!
//! Everything here panics, with a sentence that says what was missing, where a test cannot be set up: such a test has
//! to fail at the spot, and there is nobody to hand an error to.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "see above: the whole crate panics where a test cannot be set up"
)]

pub mod api;
pub mod contract;
pub mod environment;
pub mod evidence;
pub mod forge;
pub mod nats;
pub mod printed;
pub mod receiver;
pub mod secure;

pub use api::{RateLimit, Reply, Request, Scenario, StandIn, Window};
pub use environment::{Credentials, Outcome, Running, TestEnv};
pub use forge::StandInForge;
pub use nats::{Cable, Nats};
pub use receiver::{Letter, Receiver, Response};
pub use secure::SecureFront;
