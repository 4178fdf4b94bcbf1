//! What lies over a screen, and the line at its bottom.

use ratatui::layout::Rect;
use windlass_ui::Tone;

use super::canvas::{Canvas, Pieces, by_priority};
use crate::keys::HELP;
use crate::state::{Ending, Overlay, Screen, State};
use crate::text::{fit, left};

/// The line at the bottom: what is typed, what is said, or the keys that matter here.
pub fn bottom(canvas: &mut Canvas<'_>, area: Rect, state: &State) {
    let columns = usize::from(area.width);
    match (&state.overlay, &state.note) {
        (Some(Overlay::Search(typed)), _) => {
            let shown: String = crate::text::clean(typed);
            canvas.row(area, 0, &[(Tone::Strong, "/".to_owned()), (Tone::Plain, format!("{shown}_"))]);
        }
        (_, Some(note)) => canvas.row(area, 0, &[(Tone::Warn, fit(&windlass_ui::one_line(note), columns))]),
        _ => {
            let keys = by_priority(&keys(state.screen), columns, 2);
            canvas.row(area, 0, &keys);
        }
    }
}

fn keys(screen: Screen) -> Vec<(u8, Tone, String)> {
    let keys: &[(u8, &str)] = match screen {
        Screen::Night => &[(1, "Enter open"), (2, "y copy"), (1, "? help"), (0, "q leave")],
        Screen::Run => &[
            (2, "Enter open"),
            (4, "1-6 tabs"),
            (5, "Tab details"),
            (6, "f filter"),
            (7, "/ search"),
            (3, "r report"),
            (1, "S stop..."),
            (1, "? help"),
            (0, "q leave"),
        ],
        Screen::Iteration => &[
            (2, "Esc back"),
            (3, "1-6 tabs"),
            (4, "/ search"),
            (5, "F follow"),
            (6, "e export"),
            (1, "S stop..."),
            (1, "? help"),
            (0, "q leave"),
        ],
        Screen::Report => &[(2, "Esc back"), (4, "/ search"), (5, "e export"), (1, "? help"), (0, "q leave")],
    };
    keys.iter().map(|(priority, text)| (*priority, Tone::Dim, (*text).to_owned())).collect()
}

/// A box in the middle; what it holds is drawn into the area within its frame.
fn boxed(canvas: &mut Canvas<'_>, area: Rect, title: &str, lines: &[Pieces]) {
    let widest = lines.iter().map(|line| line.iter().map(|(_, piece)| crate::text::width(piece)).sum()).max();
    let width = u16::try_from(widest.unwrap_or(0usize) + 4).unwrap_or(u16::MAX).min(area.width);
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(area.height);
    let frame =
        Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    // From edge to edge: words beside a box would be taken for its own.
    let across = Rect { x: area.x, width: area.width, ..frame };
    canvas.clear(across);
    canvas.rule(across, 0, title, "");
    let inner = Rect {
        x: frame.x + 2.min(frame.width),
        y: frame.y + 1.min(frame.height),
        width: frame.width.saturating_sub(4),
        height: frame.height.saturating_sub(2),
    };
    for (row, line) in (0..inner.height).zip(lines) {
        canvas.row(inner, row, line);
    }
    canvas.rule(across, across.height.saturating_sub(1), "", "");
}

/// All keys.
pub fn help(canvas: &mut Canvas<'_>, area: Rect) {
    let line = |(keys, what): &(&str, &str)| {
        vec![(Tone::Command, left(keys, 20)), (Tone::Plain, format!(" {what}"))]
    };
    boxed(canvas, area, "keys", &HELP.iter().map(line).collect::<Vec<_>>());
}

/// Whether the run is to stop, where hardly anything fits: the question, and its answers, that which is chosen among them.
pub fn tiny_stop(canvas: &mut Canvas<'_>, area: Rect, chosen: Ending) {
    canvas.clear(area);
    let lines =
        std::iter::once((Tone::Strong, "stop the run?".to_owned())).chain(Ending::ALL.iter().map(|ending| {
            let mark = if *ending == chosen { "> " } else { "  " };
            (Tone::Plain, format!("{mark}{}", words(*ending).0))
        }));
    let lines: Vec<(Tone, String)> = lines.collect();
    let place = Ending::ALL.iter().position(|ending| *ending == chosen).unwrap_or_default() + 1;
    let skipped = (place + 1).saturating_sub(usize::from(area.height));
    for (row, line) in (0..area.height).zip(lines.iter().skip(skipped)) {
        canvas.row(area, row, std::slice::from_ref(line));
    }
}

const fn words(ending: Ending) -> (&'static str, &'static str) {
    match ending {
        Ending::GoOn => ("go on", "nothing is changed"),
        Ending::AfterIteration => ("stop after this iteration", "its result is kept"),
        Ending::Now => ("stop now", "ends the agent as well; what it did is kept"),
    }
}

/// Whether the run is to stop.
pub fn stop(canvas: &mut Canvas<'_>, area: Rect, run: &str, chosen: Ending) {
    let line = |ending: &Ending| {
        let (what, means) = words(*ending);
        let mark = if *ending == chosen { "> " } else { "  " };
        let tone = if *ending == chosen { Tone::Strong } else { Tone::Plain };
        vec![(tone, format!("{mark}{}", left(what, 26))), (Tone::Dim, means.to_owned())]
    };
    let mut lines: Vec<Pieces> = Ending::ALL.iter().map(line).collect();
    lines.push(Pieces::new());
    lines.push(vec![(Tone::Dim, format!("Enter does it, Esc does nothing. Later: windlass resume {run}"))]);
    boxed(canvas, area, &format!("stop {run}?"), &lines);
}
