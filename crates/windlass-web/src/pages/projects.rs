//! The projects of this machine, and what they came to.

use std::collections::BTreeMap;

use maud::{Markup, html};
use windlass_app::AppError;
use windlass_core::values::Spent;
use windlass_ui::{RunState, format};

use super::parts::{self, line};
use super::{Sheet, Viewer, sheet};
use crate::names::encoded;
use crate::site::Site;

/// What the runs of one project came to.
#[derive(Default)]
struct Sum {
    directories: Vec<String>,
    runs: u64,
    live: u64,
    spent: Spent,
    last: Option<jiff::Timestamp>,
}

/// The page.
pub fn page(site: &Site, viewer: &Viewer) -> Result<Markup, AppError> {
    let sums = site.runs(|machine| {
        let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
        for run in machine.runs() {
            let sum = sums.entry(run.known().project_name()).or_default();
            sum.runs += 1;
            sum.live += u64::from(run.state == RunState::Running);
            sum.spent += run.spent();
            sum.last = sum.last.max(Some(run.summary.last));
            let directory = run.summary.directory.to_string_lossy();
            if !sum.directories.iter().any(|known| *known == directory) {
                sum.directories.push(directory.into_owned());
            }
        }
        sums
    })?;
    let content = html! {
        h1 { "Projects" }
        @if sums.is_empty() { p { "No run yet." } }
        ul.runs { @for (name, sum) in &sums { li {
            a.card href={ "/runs?project=" (encoded(name)) } {
                span.name { strong { (line(sum.directories.first().map_or(name.as_str(), String::as_str))) } }
                span.figures {
                    (parts::count(sum.runs, "run")) ", " (format::spent(sum.spent))
                    @if sum.live > 0 { ", " (sum.live) " live" }
                    @if let Some(last) = sum.last { ", " (format::clock(last, viewer.now, &viewer.zone)) }
                }
                @for directory in sum.directories.iter().skip(1).take(4) { span.title { "also " (line(directory)) } }
            }
        } } }
    };
    Ok(sheet(viewer, &Sheet { title: "Projects", live: String::new(), run: None, path: &[] }, &content))
}
