//! `demo`: the whole loop in a scratch repository, without any account.

use std::process::ExitCode;
use std::sync::Arc;

use windlass_app::{App, AppError, demo, quoted};
use windlass_ui::{one_line, typed_elsewhere};

use super::terminal::TerminalFront;
use super::{flags, print};
use crate::args::DemoArgs;

/// Does it.
pub fn run(args: &DemoArgs) -> Result<ExitCode, AppError> {
    let settings = flags::output(&args.output)?;
    let folder = demo::scratch()?;
    let typed = quoted(folder.as_os_str());
    // Whoever looks on is not in that folder: all commands that are printed say where.
    typed_elsewhere(&typed);
    let end = App::here(Arc::new(TerminalFront::new(args.output.json)))?.demo(folder, settings)?;
    if !args.output.json && !args.output.quiet {
        print(&format!(
            "\nAll of it is in {}.\n  see all it did   windlass -C {typed} logs -v\n  \
             undo its work    windlass -C {typed} restore {} 1 --before\n",
            one_line(&end.there.directory.display().to_string()),
            end.run
        ))?;
    }
    Ok(ExitCode::from(end.exit_code))
}
