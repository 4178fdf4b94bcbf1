//! What the state looks like in so many columns and rows, at a moment that is given.

mod canvas;
mod head;
mod list;
mod night;
mod overlay;
mod pager;
mod rows;

#[cfg(test)]
pub(crate) mod tests;

use jiff::Timestamp;
use ratatui::Frame;
use ratatui::layout::Rect;
use windlass_ui::Tone;

use crate::look::Look;
use crate::state::{Overlay, Pane, RunView, Screen, State, Tab, Topic};
use canvas::Canvas;
use rows::known_rows;

/// From so many columns on the details are beside the list.
const WIDE: u16 = 110;

/// Columns of the list then.
const LIST: u16 = 46;

/// Smaller windows get one list and nothing around it.
const SMALLEST: (u16, u16) = (24, 6);

/// Draws it, and lays out what scrolls for this size.
pub fn draw(state: &mut State, now: Timestamp, look: &Look, frame: &mut Frame<'_>) {
    let area = frame.area();
    state.size = (area.width, area.height);
    let mut canvas = Canvas::new(frame.buffer_mut(), look);
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        return tiny(&mut canvas, area, state, now);
    }
    let bottom = Rect { y: area.bottom() - 1, height: 1, ..area };
    let above = Rect { height: area.height - 1, ..area };
    match state.screen {
        Screen::Night => night::draw(&mut canvas, above, &mut state.night, now),
        Screen::Run => run_screen(&mut canvas, above, state, now),
        Screen::Iteration | Screen::Report => whole_pager(&mut canvas, above, state, now),
    }
    overlay::bottom(&mut canvas, bottom, state);
    match &state.overlay {
        Some(Overlay::Help) => overlay::help(&mut canvas, above),
        Some(Overlay::Stop(chosen)) => {
            let run = state.run.as_ref().map(|run| run.place.run.to_string()).unwrap_or_default();
            overlay::stop(&mut canvas, above, &run, *chosen);
        }
        Some(Overlay::Search(_)) | None => {}
    }
}

/// A window that has room for hardly anything.
fn tiny(canvas: &mut Canvas<'_>, area: Rect, state: &mut State, now: Timestamp) {
    match (state.screen, &mut state.run) {
        (Screen::Night, _) => night::draw(canvas, area, &mut state.night, now),
        (screen, Some(run)) => {
            let rest = with_head(canvas, area, run, now);
            if screen == Screen::Run {
                list::draw(canvas, rest, run, now);
            } else {
                fill(run, canvas.look);
                pager::draw(canvas, rest, run);
            }
        }
        _ => {}
    }
    match &state.overlay {
        Some(Overlay::Stop(chosen)) => overlay::tiny_stop(canvas, area, *chosen),
        Some(Overlay::Help) => overlay::help(canvas, area),
        Some(Overlay::Search(_)) => {
            overlay::bottom(canvas, below(area, area.height.saturating_sub(1)), state);
        }
        None if state.note.is_some() => {
            let last = below(area, area.height.saturating_sub(1));
            canvas.clear(last);
            overlay::bottom(canvas, last, state);
        }
        None => {}
    }
}

/// The head, and what is left below it.
fn with_head(canvas: &mut Canvas<'_>, area: Rect, run: &RunView, now: Timestamp) -> Rect {
    let mut lines = head::lines(run, now, canvas.look, usize::from(area.width));
    // A third of the window at most.
    lines.truncate(usize::from(area.height / 3).max(1));
    for (row, line) in (0..area.height).zip(&lines) {
        canvas.row(area, row, line);
    }
    let used = u16::try_from(lines.len()).unwrap_or(area.height).min(area.height);
    Rect { y: area.y + used, height: area.height - used, ..area }
}

fn run_screen(canvas: &mut Canvas<'_>, area: Rect, state: &mut State, now: Timestamp) {
    let Some(run) = &mut state.run else { return };
    fill(run, canvas.look);
    let area = with_head(canvas, area, run, now);
    let (title, filter) = list::title(run);
    if area.width >= WIDE {
        let list = Rect { width: LIST, ..area };
        let detail = Rect { x: area.x + LIST + 3, width: area.width - LIST - 3, ..area };
        canvas.rule(list, 0, &title, &filter);
        list::draw(canvas, below(list, 1), run, now);
        for row in 0..area.height {
            let between = Rect { x: area.x + LIST, width: 3, ..area };
            canvas.row(between, row, &[(Tone::Dim, format!(" {} ", canvas.look.column()))]);
        }
        detail_pane(canvas, detail, run);
        return;
    }
    // The list has what it needs, at most half.
    let rows = u16::try_from(run.rows().len()).unwrap_or(u16::MAX).max(1);
    let height = rows.saturating_add(1).min((area.height / 2).max(2));
    canvas.rule(area, 0, &title, &filter);
    list::draw(canvas, Rect { height: height - 1, ..below(area, 1) }, run, now);
    detail_pane(canvas, below(area, height), run);
}

/// What is known without reading anything is shown at once.
fn fill(run: &mut RunView, look: &Look) {
    if let Some(rows) = known_rows(run, look) {
        run.pager.replace(rows);
    }
}

fn below(area: Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    Rect { y: area.y + rows, height: area.height - rows, ..area }
}

fn detail_pane(canvas: &mut Canvas<'_>, area: Rect, run: &mut RunView) {
    if area.height == 0 {
        return;
    }
    let (title, right) = pager::title(run);
    let mark = if run.pane == Pane::Detail { "> " } else { "" };
    canvas.rule(area, 0, &format!("{mark}{title}"), &right);
    pager::draw(canvas, below(area, 1), run);
}

fn whole_pager(canvas: &mut Canvas<'_>, area: Rect, state: &mut State, now: Timestamp) {
    let Some(run) = &mut state.run else { return };
    fill(run, canvas.look);
    let area = with_head(canvas, area, run, now);
    let (title, right) = pager::title(run);
    canvas.rule(area, 0, &title, &right);
    let mut rest = below(area, 1);
    if !matches!(run.topic, Some(Topic::Report)) && rest.height > 4 {
        pager::tabs(canvas, rest, run);
        rest = below(rest, 1);
    }
    pager::draw(canvas, rest, run);
}

/// The name of a tab with its number.
fn numbered(tab: Tab) -> String {
    let place = Tab::ALL.iter().position(|known| *known == tab).unwrap_or_default();
    format!("{} {}", place + 1, tab.name())
}
