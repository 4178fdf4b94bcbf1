//! Runs in real containers, with Podman and with Docker. They take a minute and need an engine: `cargo xtask containers`
//! runs them. The image is made of programs of this machine, so that nothing is fetched.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod engines;
mod holding;
mod images;
mod killing;
