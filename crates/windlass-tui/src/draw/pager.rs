//! What scrolls: a tab of an iteration, the report.

use ratatui::layout::Rect;
use windlass_ui::{Tone, format};

use super::canvas::{Canvas, Pieces};
use super::numbered;
use super::rows::purpose;
use crate::state::{Pager, RunView, Tab, Topic};
use crate::text;

/// What it shows, and how far it is scrolled.
pub fn title(run: &RunView) -> (String, String) {
    let title = match &run.topic {
        None => String::new(),
        Some(Topic::Report) => format!("report of {}", run.place.run),
        Some(Topic::Iteration { iteration, tab, call }) => {
            format!("iteration {iteration}: {}{}", tab.name(), call_name(run, *tab, *call))
        }
    };
    (title, standing(run))
}

/// Which of several calls it is.
fn call_name(run: &RunView, tab: Tab, call: usize) -> String {
    let calls = run.round().map(|round| round.calls.as_slice()).unwrap_or_default();
    if !matches!(tab, Tab::Transcript | Tab::Prompt) || calls.len() < 2 {
        return String::new();
    }
    let number = calls.len().saturating_sub(call % calls.len());
    let Some(shown) = calls.get(number - 1) else { return String::new() };
    format!(" of call {number} of {}, {} (c: others)", calls.len(), purpose(shown.purpose))
}

fn standing(run: &RunView) -> String {
    let pager = &run.pager;
    if !pager.loaded {
        return "reading …".to_owned();
    }
    let is_transcript = matches!(run.topic, Some(Topic::Iteration { tab: Tab::Transcript, .. }));
    let live = run.now.as_ref().is_some_and(crate::state::RunNow::is_live);
    match (pager.follows(), is_transcript && live) {
        (true, true) => "follows".to_owned(),
        (true, false) => "end".to_owned(),
        (false, true) if pager.behind() > 0 => format!("+{} below, F follows", format::bytes(pager.behind())),
        (false, _) => format!("{} %", pager.percent()),
    }
}

/// The names of the tabs, that of this one marked.
pub fn tabs(canvas: &mut Canvas<'_>, area: Rect, run: &RunView) {
    let shown = run.shown_tab();
    let names: usize = Tab::ALL.iter().map(|tab| text::width(&numbered(*tab)) + 2).sum();
    let has_room = names <= usize::from(area.width);
    let mut pieces = Pieces::new();
    for tab in Tab::ALL {
        let name = numbered(tab);
        let number = name.split(' ').next().unwrap_or_default().to_owned();
        pieces.push(if tab == shown {
            (Tone::Strong, format!("[{name}]"))
        } else {
            (Tone::Dim, format!(" {} ", if has_room { name } else { number }))
        });
    }
    canvas.row(area, 0, &pieces);
}

/// Draws what is in view.
pub fn draw(canvas: &mut Canvas<'_>, area: Rect, run: &mut RunView) {
    let columns = usize::from(area.width).saturating_sub(1);
    run.pager.resize(columns, usize::from(area.height));
    let inner = Rect { x: area.x + 1.min(area.width), width: area.width.saturating_sub(1), ..area };
    if run.pager.loaded && run.pager.rows().is_empty() {
        canvas.row(inner, 0, &[(Tone::Dim, "nothing".to_owned())]);
    }
    let needle = run.pager.needle.to_lowercase();
    for (row, (line, of)) in (0..area.height).zip(run.pager.shown()) {
        let indent = Pager::indent(of);
        let mut pieces = Pieces::new();
        if indent > 0 {
            let label = if line.first { of.label.as_str() } else { "" };
            pieces.push((Tone::Strong, text::left(label, indent)));
        }
        let is_hit = !needle.is_empty() && line.text.to_lowercase().contains(&needle);
        pieces.push((of.tone.0, line.text.clone()));
        if line.first && !of.tail.is_empty() {
            let used = indent + text::width(&line.text);
            let blanks = columns.saturating_sub(used + text::width(&of.tail));
            pieces.push((Tone::Plain, " ".repeat(blanks)));
            pieces.push((Tone::Dim, of.tail.clone()));
        }
        if is_hit {
            canvas.row(area, row, &[(Tone::Warn, "*".to_owned())]);
        }
        canvas.row(inner, row, &pieces);
    }
}
