//! `resume`: continues a run.

use std::process::ExitCode;
use std::sync::Arc;

use windlass_app::run::{OpenWait, ResumeRun};
use windlass_app::{App, AppError};

use super::terminal::TerminalFront;
use super::{flags, run};
use crate::args::ResumeArgs;

/// Does it.
pub fn run(args: &ResumeArgs) -> Result<ExitCode, AppError> {
    let terminal = Arc::new(TerminalFront::new(args.output.json));
    let app = App::here(terminal.clone())?;
    let end = app.resume(&ResumeRun {
        run: args.run.clone(),
        settings: flags::resume(args)?,
        unlimited: run::unlimited(&args.limits),
        accept_findings: args.accept_findings,
        wait: if args.try_now { OpenWait::IsOver } else { OpenWait::GoesOn },
        asked: args.asked.as_deref().and_then(|asked| serde_json::from_str(asked).ok()),
        trust: (&args.trust).into(),
    })?;
    Ok(run::told(&app, &terminal, &end))
}
