//! `report`: says what runs came to.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use windlass_app::inspect::{PartChanges, ReportRequest, last_evening};
use windlass_app::{App, AppError, Kind};
use windlass_html::{Patch, RunPatches, report_html};
use windlass_ui::model::Night;
use windlass_ui::{report_json, report_markdown, report_text};

use super::{app, from_here, print, print_bytes, stdout};
use crate::args::ReportArgs;

/// Does it.
pub fn run(args: &ReportArgs) -> Result<(), AppError> {
    let (now, zone) = (Timestamp::now(), TimeZone::system());
    let since = args.last_night.then(|| last_evening(now, &zone));
    let app = app()?;
    let night = app.report(&ReportRequest { runs: args.runs.clone(), since }, now)?;
    if args.json {
        print_bytes(&report_json(&night))
    } else if args.markdown {
        print(&report_markdown(&night, &zone))
    } else if args.html.is_some() || args.open {
        let page = report_html(&night, &patches(&app, &night), &app.redactor(), &zone);
        give(args, &app, page.as_bytes())
    } else {
        print(&report_text(&night, &stdout()))
    }
}

fn patches(app: &App, night: &Night) -> Vec<RunPatches> {
    let of = |(run, parts): (String, Vec<PartChanges>)| {
        let patch = |part: PartChanges| Patch {
            name: part.name,
            text: part.text,
            more: part.more,
            command: part.command,
        };
        RunPatches { run, patches: parts.into_iter().map(patch).collect() }
    };
    app.changes_of(night).into_iter().map(of).collect()
}

/// Writes the page to where it is wanted, and opens it.
fn give(args: &ReportArgs, app: &App, page: &[u8]) -> Result<(), AppError> {
    let file = match &args.html {
        Some(file) if file == Path::new("-") => return print_bytes(page),
        Some(file) => {
            // outside: where a person wants it.
            fs::write(file, page).map(|()| file.clone()).map_err(|error| unwritable(file, &error))?
        }
        None => kept_for_a_moment(page)?,
    };
    if args.open {
        app.open_in_browser(&app.directory().join(&file))?;
    }
    if args.html.is_some() || args.open {
        print(&format!("{}\n", from_here(&file)))?;
    }
    Ok(())
}

/// Among the files for a moment, for this user alone: a browser reads it after we are gone.
fn kept_for_a_moment(page: &[u8]) -> Result<PathBuf, AppError> {
    let folder = std::env::temp_dir();
    let made = tempfile::Builder::new().prefix("windlass-report-").suffix(".html").tempfile_in(&folder); // outside: ours alone.
    let kept = made.and_then(|file| {
        fs::write(file.path(), page)?; // outside: the same file.
        file.keep().map_err(|error| error.error)
    });
    kept.map(|(_, path)| path).map_err(|error| unwritable(&folder, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> AppError {
    AppError::new(Kind::System, format!("cannot write {}: {error}", path.display()))
}
