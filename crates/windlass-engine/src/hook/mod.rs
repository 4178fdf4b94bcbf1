//! Hooks: commands of a person's at the turns of a run. What one may say, and what it is told, is in
//! `windlass_core::hook`; here they are found ([`find`]), kept as they were when the run started ([`keep`]), and called.

mod attempt;
mod find;
mod kept;
mod output;
mod trial;

use std::ffi::OsString;

use windlass_core::hook::HookSetting;

pub(crate) use attempt::{HookAttempt, HookRoom};
pub use find::{FoundHooks, HOOKS_FOLDER, Listed, find};
pub use kept::keep;
pub(crate) use kept::program;
pub(crate) use trial::result;
pub use trial::{TrialError, Tried, try_out};

/// An environment with what a hook is told in it; whatever was called so before is gone.
pub(crate) fn with_setting(
    mut environment: Vec<(OsString, OsString)>,
    setting: &HookSetting,
) -> Vec<(OsString, OsString)> {
    let told: Vec<(OsString, OsString)> =
        setting.variables().into_iter().map(|(name, value)| (name.into(), value)).collect();
    environment.retain(|(name, _)| !told.iter().any(|(ours, _)| ours == name));
    environment.extend(told);
    environment
}
