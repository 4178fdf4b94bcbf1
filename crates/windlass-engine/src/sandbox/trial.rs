//! Trying a door before anybody has to rely on it.

use std::ffi::OsString;
use std::time::Duration;

use windlass_core::values::Ended;

use windlass_host::process::{Command, Output};

/// How long it may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs a command line that ends by itself.
pub(super) fn run(line: &[OsString]) -> Result<(), String> {
    let [program, arguments @ ..] = line else {
        return Err("there is nothing to start".to_owned());
    };
    let command = Command::new(program).arguments(arguments).directory("/").timeout(PATIENCE);
    match command.run().map_err(|error| error.to_string())? {
        Output { ended: Ended::Exited(0), .. } => Ok(()),
        Output { stderr, .. } => {
            let said = stderr.text();
            let line = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
            Err(line.trim().trim_start_matches("bwrap: ").trim_start_matches("sandbox: ").to_owned())
        }
    }
}
