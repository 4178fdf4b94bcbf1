//! Hooks: commands of a person's at the turns of a run. What one may say, and what it is told, is in
//! `windlass_core::hook`; here they are found ([`find`]), kept as they were when the run started ([`keep`]), and called.

mod attempt;
mod find;
mod kept;
mod output;
mod trial;

use windlass_core::hook::HookSetting;
use windlass_host::environment::{Environment, with};

pub(crate) use attempt::{HookAttempt, HookRoom};
pub use find::{FoundHooks, HOOKS_FOLDER, Listed, find};
pub use kept::keep;
pub(crate) use kept::program;
pub(crate) use trial::result;
pub use trial::{TrialError, Tried, try_out};

/// An environment with what a hook is told in it; whatever was called so before is gone.
pub(crate) fn with_setting(environment: Environment, setting: &HookSetting) -> Environment {
    with(environment, setting.variables())
}
