//! `doctor`: says whether everything is ready.

use std::process::ExitCode;

use windlass_app::AppError;
use windlass_ui::{Finding, Glyphs, Health, doctor_json, doctor_text};

use super::{Shape, app, stdout};
use crate::args::DoctorArgs;

/// Does it. Exit 0 when a run could start here.
///
/// # Errors
/// There is no current directory, or standard output is broken.
pub fn run(args: &DoctorArgs) -> Result<ExitCode, AppError> {
    let mut findings = app()?.examine();
    findings.push(terminal());
    Shape::of(args.json).print(|| doctor_json(&findings), || doctor_text(&findings, &stdout()))?;
    let ready = findings.iter().all(|finding| finding.health != Health::Bad);
    Ok(if ready { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn terminal() -> Finding {
    let terminal = stdout();
    let width = terminal.width.map_or("no width".to_owned(), |width| format!("{width} columns"));
    let colour = if terminal.colour { "colour" } else { "no colour" };
    let found = |locale: &str| format!("{width}, {colour}, {locale}");
    match terminal.glyphs {
        Glyphs::Ascii => Finding::doubtful("terminal", found("ASCII only: the locale is not UTF-8"))
            .advise(["LC_ALL=C.UTF-8"]),
        _ => Finding::good("terminal", found("UTF-8")),
    }
}
