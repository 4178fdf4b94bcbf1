//! `demo`: the whole loop in a scratch repository, without any account.

/// What the scripted agent does in the demo.
pub const SCRIPT: &str = include_str!("script.toml");
