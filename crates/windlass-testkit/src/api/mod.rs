//! A stand-in for the Messages API on 127.0.0.1, for the real Claude Code.
//!
//! ```
//! use serde_json::json;
//! use windlass_testkit::api::{Reply, Scenario, StandIn};
//!
//! let api = StandIn::start(Scenario::new([
//!     Reply::tool("Bash", json!({"command": "cargo test"})),
//!     Reply::text("All green."),
//! ]));
//! assert!(api.url().starts_with("http://127.0.0.1:"));
//! assert!(api.requests().is_empty());
//! ```
//!
//! Each `POST /v1/messages` consumes the next [`Reply`]; what was asked is recorded as a [`Request`]. A scenario that
//! has run out refuses every further request (403, which the agent does not retry), unless it says otherwise.
//!
//! The same replies answer the APIs that Codex and Gemini CLI speak ([`Dialect`]).
//!
//! The wire format is the one Claude Code 2.1.330 speaks; it is proved against the real program in
//! `tests/real_claude.rs`.

mod answer;
mod connection;
mod rate_limit;
mod request;
mod scenario;
mod server;
mod story;

pub use rate_limit::{RateLimit, RateLimitStatus, Window};
pub use request::{Dialect, Request, ToolResult};
pub use scenario::{Reply, Scenario};
pub use server::StandIn;

#[cfg(test)]
mod tests;
