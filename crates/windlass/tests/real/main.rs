//! `windlass run` with the real Claude Code, which talks to a stand-in for the Messages API on loopback. Nothing here
//! needs an account; the agent is the pinned one that `cargo xtask agents` installs.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stderr, reason = "what cannot be tried here is said")]

mod answers;
mod chain;
mod clocks;
mod codex;
mod councils;
mod credentials;
mod gemini;
mod goal;
mod limits;
mod money;
mod night;
mod opencode;
mod others;
mod own_settings;
mod permissions;
mod pipelines;
mod plans;
mod principles;
mod prompting;
mod reviews;
mod sandboxed;
mod sessions;
mod stopping;
mod tasks;
mod trusting;
mod workspaces;
