//! `report`: says what runs came to.

use std::process::ExitCode;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use windlass_app::AppError;
use windlass_app::inspect::{ReportRequest, last_evening};
use windlass_ui::{report_json, report_markdown, report_text};

use super::{app, print, print_bytes, stdout};
use crate::args::ReportArgs;

/// Does it.
pub fn run(args: &ReportArgs) -> Result<ExitCode, AppError> {
    let (now, zone) = (Timestamp::now(), TimeZone::system());
    let since = args.last_night.then(|| last_evening(now, &zone));
    let night = app()?.report(&ReportRequest { runs: args.runs.clone(), since }, now)?;
    if args.json {
        print_bytes(&report_json(&night))?;
    } else if args.markdown {
        print(&report_markdown(&night, &zone))?;
    } else {
        print(&report_text(&night, &stdout()))?;
    }
    Ok(ExitCode::SUCCESS)
}
