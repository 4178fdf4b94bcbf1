//! The format of the scripted agent's scripts. It belongs to the program, which is not a library: the same files, once more.

#![expect(dead_code, reason = "the program uses more of it than the target does")]

#[path = "../../windlass/src/scripted_agent/script.rs"]
pub(crate) mod script;
#[path = "../../windlass/src/scripted_agent/shorthand.rs"]
mod shorthand;
#[path = "../../windlass/src/scripted_agent/steps.rs"]
mod steps;

/// The program has built-in scripts; here their texts are of no interest.
const fn builtin(_: &str) -> Option<&'static str> {
    None
}
