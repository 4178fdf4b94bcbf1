//! The list of runs.

use jiff::Timestamp;
use ratatui::layout::Rect;
use windlass_app::inspect::Heading;
use windlass_ui::{RunState, Tone, format, one_line};

use super::canvas::{Canvas, Pieces};
use crate::state::{Listed, NightRow, NightView};
use crate::text::{fit, left, right};

/// Draws it.
pub fn draw(canvas: &mut Canvas<'_>, area: Rect, night: &mut NightView, now: Timestamp) {
    let mut area = area;
    if area.height > 4 {
        let (live, waits) = (night.count(Heading::Running), night.count(Heading::NeedsYou));
        let mut head: Pieces = vec![(Tone::Strong, "windlass".to_owned())];
        head.push((Tone::Plain, format!("  {}", format::count(night.count_all() as u64, "run"))));
        head.push((if live > 0 { Tone::Good } else { Tone::Plain }, format!("  {live} live")));
        if waits > 0 {
            head.push((Tone::Warn, format!("  {waits} need you")));
        }
        canvas.row(area, 0, &head);
        area = Rect { y: area.y + 1, height: area.height - 1, ..area };
    }
    match &night.runs {
        None => canvas.row(area, 0, &[(Tone::Dim, "reading …".to_owned())]),
        Some(runs) if runs.is_empty() => {
            canvas.row(area, 0, &[(Tone::Dim, "no run on this machine yet".to_owned())]);
            canvas.row(area, 1, &[(Tone::Command, "windlass run -p \"what is to be done\"".to_owned())]);
        }
        Some(_) => rows(canvas, area, night, now),
    }
}

fn rows(canvas: &mut Canvas<'_>, area: Rect, night: &mut NightView, now: Timestamp) {
    let rows = night.rows();
    let length = rows.len();
    let selected = night.picker.selected();
    let place = rows.iter().position(|row| matches!(row, NightRow::Run(place, _) if *place == selected));
    // The list with its headings scrolls as one: the selected run is in it, with its heading where that is just above.
    let height = usize::from(area.height).max(1);
    let place = place.unwrap_or_default();
    let top = place.saturating_sub(height / 2).min(length.saturating_sub(height));
    for (row, item) in (0..area.height).zip(rows.iter().skip(top)) {
        match item {
            NightRow::Heading(heading, count) => {
                canvas.rule(area, row, &format!("{} ({count})", heading.name()), "");
            }
            NightRow::Run(place, run) => {
                let is_selected = *place == selected;
                let mark = if is_selected { ">" } else { " " };
                let mut pieces: Pieces = vec![(Tone::Strong, mark.to_owned())];
                pieces.extend(listed(run, now, usize::from(area.width).saturating_sub(1)));
                if is_selected {
                    canvas.selected_row(area, row, &pieces);
                } else {
                    canvas.row(area, row, &pieces);
                }
            }
        }
    }
}

fn listed(run: &Listed, now: Timestamp, columns: usize) -> Pieces {
    let tone = match run.heading {
        Heading::NeedsYou => Tone::Warn,
        Heading::Running => Tone::Command,
        Heading::LastNight | Heading::Older => Tone::Plain,
    };
    let state = if run.state == RunState::Running { "running" } else { run.state.name() };
    let summary = &run.summary;
    let done = summary.items.map_or_else(
        || format!("it {}", summary.iterations),
        |items| format!("{}/{}", items.done, items.total),
    );
    let age = format::relative(summary.last, now, &jiff::tz::TimeZone::UTC);
    let mut pieces = vec![
        (Tone::Strong, format!("{} ", left(&one_line(&run.project()), 12))),
        (Tone::Plain, format!("{} ", left(&run.place.run.to_string(), 10))),
        (tone, format!("{} ", left(state, 16))),
    ];
    let mut used = 13 + 11 + 17;
    if columns >= used + 34 {
        let numbers =
            format!("{} {} {} ", right(&done, 8), right(&format::spent(run.spent), 8), left(&age, 10));
        used += 29;
        pieces.push((Tone::Plain, numbers));
    }
    let room = columns.saturating_sub(used);
    pieces.push((Tone::Plain, fit(&one_line(&summary.title), room)));
    pieces
}
