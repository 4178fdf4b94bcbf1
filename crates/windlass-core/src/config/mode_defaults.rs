//! Defaults that hold in one mode and not in another.

use super::keys;
use crate::run::Mode;

/// The keys whose default in this mode is another than the one of `defaults.toml`.
pub(super) const fn differing(mode: Mode) -> &'static [(&'static str, i64)] {
    const ITERATIONS: &str = keys::MAX_ITERATIONS.name;
    const STAGNATION: &str = keys::STAGNATION_THRESHOLD.name;
    match mode {
        Mode::Goal | Mode::Loop => &[],
        Mode::Iterative => &[(ITERATIONS, 20), (STAGNATION, 2)],
        // A judgement is given at once; one that failed is asked for once more. It changes nothing, which is no standstill.
        Mode::Verify | Mode::Validate => &[(ITERATIONS, 2), (STAGNATION, 0)],
    }
}
