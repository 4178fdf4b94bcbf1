//! `demo`: the whole loop in a scratch repository, without any account.

use std::process::ExitCode;
use std::sync::Arc;

use windlass_app::{App, AppError};

use super::terminal::TerminalFront;
use super::{flags, print};
use crate::args::DemoArgs;

/// Does it.
pub fn run(args: &DemoArgs) -> Result<ExitCode, AppError> {
    let settings = flags::output(&args.output)?;
    let end = App::here(Arc::new(TerminalFront::new(args.output.json)))?.demo(settings)?;
    if !args.output.json && !args.output.quiet {
        let (run, directory) = (&end.run, end.there.directory.display());
        // Where it all is, and what can be typed here.
        print(&format!(
            "\nAll of it is in {directory}, where the commands above work.\n  \
             see all it did   windlass -C {directory} logs -v\n  \
             undo its work    windlass -C {directory} restore {run} 1 --before\n"
        ))?;
    }
    Ok(ExitCode::from(end.exit_code))
}
