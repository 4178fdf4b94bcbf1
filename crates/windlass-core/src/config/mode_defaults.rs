//! Defaults that hold in one mode and not in another.

use toml::Value;

use super::keys;
use crate::spec::Mode;

/// A default.
#[derive(Clone, Copy, Debug)]
pub(super) enum Differing {
    /// A number.
    Number(i64),
    /// A word.
    Word(&'static str),
}

impl Differing {
    /// As it would stand in a file.
    pub(super) fn value(self) -> Value {
        match self {
            Differing::Number(number) => Value::Integer(number),
            Differing::Word(word) => Value::String(word.to_owned()),
        }
    }
}

/// The keys whose default in this mode is another than the one of `defaults.toml`.
pub(super) const fn differing(mode: Mode) -> &'static [(&'static str, Differing)] {
    use Differing::{Number, Word};
    const ITERATIONS: &str = keys::MAX_ITERATIONS.name;
    const STAGNATION: &str = keys::STAGNATION_THRESHOLD.name;
    const MODEL: &str = keys::MODEL.name;
    const TURNS: &str = keys::MAX_TURNS.name;
    match mode {
        Mode::Goal | Mode::Loop => &[],
        Mode::Iterative => &[(ITERATIONS, Number(20)), (STAGNATION, Number(2))],
        Mode::Plan => &[(ITERATIONS, Number(20)), (MODEL, Word("sonnet")), (TURNS, Number(50))],
        Mode::Build => &[
            (STAGNATION, Number(1)),
            (MODEL, Word("sonnet")),
            (TURNS, Number(50)),
            (keys::COMMIT.name, Word("agent")),
        ],
        // Each result is kept in git when it holds (rule C18).
        Mode::Tasks => &[(keys::COMMIT.name, Word("runner"))],
        // A judgement is given at once; one that failed is asked for once more. It changes nothing, which is no standstill.
        Mode::Verify | Mode::Validate => &[(ITERATIONS, Number(2)), (STAGNATION, Number(0))],
    }
}
