//! `validate` and `verify`: an agent that does nothing but judge, and what it said.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use windlass_app::judge::{JudgeWorkspace, Judged, report_text};
use windlass_app::{App, AppError};
use windlass_core::config::OutputLevel;
use windlass_ui::{Judgement, harmless, judgement_json, judgement_text};

use super::terminal::{Story, TerminalFront};
use super::verify_plan::{self, AnswerFormat};
use super::{flags, from_here, print, print_bytes, stdout, wanted};
use crate::args::{JudgeArgs, ValidateArgs, VerifyArgs};

/// What is printed of a judgement beside itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    Nothing,
    Report,
}

/// Judges instructions.
pub fn validate(args: &ValidateArgs) -> Result<ExitCode, AppError> {
    let request = JudgeWorkspace {
        judged: Judged::Instructions,
        workspace: args.name.clone(),
        settings: flags::judge(&args.judge, None)?,
        script: args.judge.mock.as_deref().map(wanted::script).transpose()?,
        report: None,
        skip_permissions: false,
        trust: (&args.judge.trust).into(),
    };
    carry_out(&request, &args.judge, Beside::Nothing)
}

/// Judges finished work.
pub fn verify(args: &VerifyArgs) -> Result<ExitCode, AppError> {
    if let Some(place) = &args.plan {
        return verify_plan::run(place.as_deref(), answer(&args.judge));
    }
    let request = JudgeWorkspace {
        judged: Judged::Work,
        workspace: args.name.clone().unwrap_or_default(),
        settings: flags::judge(&args.judge, args.depth.as_ref())?,
        script: args.judge.mock.as_deref().map(wanted::script).transpose()?,
        report: args.report_path.clone(),
        skip_permissions: args.dangerously_skip_permissions,
        trust: (&args.judge.trust).into(),
    };
    carry_out(&request, &args.judge, if args.show_report { Beside::Report } else { Beside::Nothing })
}

const fn answer(how: &JudgeArgs) -> AnswerFormat {
    match how {
        JudgeArgs { json: true, .. } => AnswerFormat::Json,
        JudgeArgs { quiet: true, .. } => AnswerFormat::ExitCode,
        _ => AnswerFormat::Text,
    }
}

fn carry_out(request: &JudgeWorkspace, how: &JudgeArgs, beside: Beside) -> Result<ExitCode, AppError> {
    let judgement = App::here(Arc::new(terminal(how)))?.judge(request)?;
    let report = Path::new(&judgement.report);
    match answer(how) {
        AnswerFormat::Json => print_bytes(&judgement_json(&judgement))?,
        AnswerFormat::ExitCode => {}
        AnswerFormat::Text => {
            let shown = Judgement { report: from_here(report), ..judgement.clone() };
            print(&judgement_text(&shown, &stdout()))?;
            if beside == Beside::Report {
                print(&format!("\n{}", harmless(&report_text(report))))?;
            }
        }
    }
    Ok(ExitCode::from(judgement.exit_code))
}

/// Of the run itself nothing is shown where what it comes to is to be the only thing on standard output.
fn terminal(how: &JudgeArgs) -> TerminalFront {
    let story = if how.json || how.quiet { Story::Untold } else { Story::Open };
    let level = match (story, how.verbose) {
        (Story::Untold, _) => OutputLevel::Quiet,
        (_, true) => OutputLevel::Verbose,
        (_, false) => OutputLevel::Progress,
    };
    TerminalFront::telling(story, level)
}
