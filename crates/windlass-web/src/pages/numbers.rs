//! The charts of a run in numbers.

use maud::{Markup, html};
use windlass_app::AppError;
use windlass_core::values::RunId;

use super::iteration::path;
use super::run::name;
use super::{Sheet, Viewer, sheet};
use crate::site::{Site, locked};

/// The page; `None` where there is no such run.
pub fn page(site: &Site, viewer: &Viewer, run: &RunId) -> Result<Option<Markup>, AppError> {
    let Some(followed) = site.follow(run)? else { return Ok(None) };
    let (seen, seq) = {
        let followed = locked(&followed);
        (followed.run.seen(viewer.now)?, followed.seq)
    };
    let charts = windlass_html::charts(&seen, &viewer.zone);
    let content = html! {
        h1 { "Numbers " span.quiet { (run) } }
        @if charts.is_empty() { p { "This run has no iteration yet." } }
        @for chart in &charts {
            // No section: its table is a region of this name.
            h2 #(chart.id) { (chart.title) }
            p { (chart.says) }
            (chart.numbers())
        }
    };
    let path = path(&run.0, &seen);
    let title = format!("Numbers of {}", name(&seen));
    let about = Sheet { title: &title, live: String::new(), run: Some((run, seq)), path: &path };
    Ok(Some(sheet(viewer, &about, &content)))
}
