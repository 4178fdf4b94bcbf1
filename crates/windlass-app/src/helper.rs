//! The processes of a run that are this program, started again: its keepers and what is inside its sandboxes.

use std::ffi::OsString;
use std::process::ExitCode;

use windlass_engine::relay::{RELAY_COMMAND, relay_main};
use windlass_engine::sandbox::container::{SWEEP_COMMAND, sweep_main};
use windlass_engine::sandbox::{INSIDE_COMMAND, inside_main};
use windlass_host::process::signals::survive_full_files;
use windlass_host::process::{KEEPER_COMMAND, keeper_main};

#[cfg(feature = "fleet")]
use crate::fleet::{FOLDER_COMMAND, remove_dev_folder};

/// The verb of the windlass program by which it plays an agent: `windlass __agent SCRIPT [ARGUMENTS OF AN AGENT]`.
pub const SCRIPTED_AGENT: &str = "__agent";

/// Was this process started as a helper of a run? Then it is one until it ends, and this is its exit code. `arguments`
/// begins with the program's own name. A `main` calls it before anything else.
pub fn helper(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    survive_full_files();
    let mut arguments = arguments.into_iter().skip(1);
    let verb = arguments.next()?;
    match verb.to_str()? {
        KEEPER_COMMAND => Some(keeper_main()),
        SWEEP_COMMAND => Some(sweep_main(&arguments.collect::<Vec<_>>())),
        RELAY_COMMAND => Some(relay_main(&arguments.collect::<Vec<_>>())),
        INSIDE_COMMAND => Some(inside_main(&arguments.collect::<Vec<_>>())),
        #[cfg(feature = "fleet")]
        FOLDER_COMMAND => Some(remove_dev_folder(&arguments.collect::<Vec<_>>())),
        _ => None,
    }
}
