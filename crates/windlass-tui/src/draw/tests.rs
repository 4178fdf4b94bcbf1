use std::path::Path;

use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use windlass_ui::{Glyphs, Tone};

use super::*;
use crate::keys::Action;
use crate::made_up::{lanes, listed, live, long, now, past, place, view};
use crate::state::{News, Part, Placing, ResultMark, Row};

fn look(colour: bool) -> Look {
    Look { colour, glyphs: Glyphs::Ascii, zone: TimeZone::UTC }
}

/// The cells of a window of this size.
pub fn cells(state: &mut State, columns: u16, rows: u16, look: &Look) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(state, now(), look, frame)).unwrap();
    terminal.backend().buffer().clone()
}

/// The same as text, without blanks at the ends of rows.
pub fn text(state: &mut State, columns: u16, rows: u16) -> String {
    let buffer = cells(state, columns, rows, &look(false));
    let mut text = String::new();
    for row in 0..rows {
        let mut line = String::new();
        let mut column = 0;
        while column < columns {
            let symbol = buffer[(column, row)].symbol();
            line.push_str(symbol);
            column += u16::try_from(crate::text::width(symbol).max(1)).unwrap();
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A transcript as an agent leaves one.
fn said(state: &mut State) {
    let at = |second: i64| Timestamp::from_second(second).ok();
    let bash =
        Row { name: "1".to_owned(), at: at(0), ..Row::labelled("Bash", Tone::Command, "cargo test -q") };
    let answer = Some(ResultMark { to: "1".to_owned(), word: "ok" });
    let answered =
        Row { answers: answer, at: at(41), ..Row::labelled(" ", Tone::Dim, "test result: ok. 14 passed") };
    let rows = vec![
        Row::labelled(
            "text",
            Tone::Plain,
            "The failing test needs a fixture of its own, which I write first.",
        ),
        bash,
        answered,
        Row::labelled("Edit", Tone::Command, "src/api.rs +12 -3"),
        Row::labelled("text", Tone::Plain, "漢字 are two columns wide each."),
    ];
    let topic = state.run.as_ref().unwrap().topic.clone().unwrap();
    state.take(News::Part(place(), topic, Part { rows, from: 0, to: 900, total: 900 }, Placing::End));
}

fn live_view() -> State {
    let mut state = view(live());
    said(&mut state);
    state
}

fn opened(mut state: State, actions: &[Action]) -> State {
    for action in actions {
        state.act(*action);
    }
    state
}

fn night() -> State {
    let mut state = State::night();
    state.take(News::Night(listed()));
    state
}

/// All screens that are kept, by their names.
fn screens() -> Vec<(&'static str, State)> {
    let mut all = vec![
        ("night", night()),
        ("run", live_view()),
        ("past", opened(view(past()), &[Action::PreviousFailure, Action::PreviousFailure])),
        ("lanes", view(lanes())),
        ("summary", opened(view(past()), &[Action::PreviousFailure, Action::PreviousFailure, Action::Open])),
        ("gates", opened(view(past()), &[Action::Open, Action::Show(Tab::Gates)])),
        ("denials", opened(view(past()), &[Action::First, Action::Open, Action::Show(Tab::Denials)])),
        ("stop", opened(live_view(), &[Action::Stop])),
        ("help", opened(live_view(), &[Action::Help])),
    ];
    let mut transcript = live_view();
    transcript.act(Action::Open);
    all.push(("transcript", transcript));
    all
}

/// Compares with the file of this name beside the code; `WINDLASS_TEST_RENEW=1` writes it anew.
#[expect(clippy::disallowed_methods, reason = "a test reads what is kept beside it")]
fn kept(path: &Path, shown: &str) {
    if std::env::var_os("WINDLASS_TEST_RENEW").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, shown).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(kept, shown, "{}: look at it, and renew it by WINDLASS_TEST_RENEW=1", path.display());
}

#[test]
fn each_screen_is_right_at_three_sizes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/draw/screens");
    for (columns, rows) in [(60, 16), (80, 24), (120, 40)] {
        let shown: String = screens()
            .into_iter()
            .flat_map(|(name, mut state)| {
                ["== ", name, "\n", &text(&mut state, columns, rows)].map(str::to_owned)
            })
            .collect();
        kept(&folder.join(format!("{columns}x{rows}.txt")), &shown);
    }
}

#[test]
fn pictures_of_the_documentation_are_what_is_drawn() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/screens");
    for (name, state, (columns, rows)) in [
        ("watch-run", live_view(), (80, 24)),
        ("watch-wide", opened(view(past()), &[Action::PreviousFailure, Action::PreviousFailure]), (120, 30)),
        ("watch-small", live_view(), (60, 16)),
        ("watch-list", night(), (80, 16)),
    ] {
        let mut state = state;
        let buffer = cells(&mut state, columns, rows, &look(true));
        kept(&folder.join(format!("{name}.svg")), &picture::svg(name, &buffer));
    }
}

#[test]
fn a_window_for_hardly_anything_shows_how_the_run_stands() {
    for (columns, rows) in [(20, 5), (1, 1), (10, 2), (0, 0), (200, 1), (1, 60)] {
        for (name, mut state) in screens() {
            let shown = text(&mut state, columns, rows);
            assert_eq!(shown.lines().count(), usize::from(rows), "{name} {columns}x{rows}");
        }
    }
    let mut asked = opened(live_view(), &[Action::Stop]);
    for (columns, rows) in [(20, 5), (20, 4), (20, 1)] {
        let shown = text(&mut asked, columns, rows);
        assert!(shown.contains("> go on"), "what Enter does is seen: {shown}");
    }
    let mut report = opened(view(past()), &[Action::Open, Action::Show(Tab::Gates)]);
    assert!(text(&mut report, 20, 5).contains("passed"), "{}", text(&mut report, 20, 5));
    let shown = text(&mut live_view(), 20, 5);
    assert!(shown.lines().next().is_some_and(|head| head.contains("RUNNING")), "{shown}");
}

#[test]
fn nothing_is_said_by_a_colour_alone() {
    for (name, mut state) in screens() {
        let plain = cells(&mut state, 80, 24, &look(false));
        let coloured = cells(&mut state, 80, 24, &look(true));
        let symbols = |buffer: &Buffer| -> String {
            buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect()
        };
        assert_eq!(symbols(&plain), symbols(&coloured), "{name}");
        let has_hue = plain
            .content()
            .iter()
            .any(|cell| cell.fg != ratatui::style::Color::Reset || cell.bg != ratatui::style::Color::Reset);
        assert!(!has_hue, "{name}: NO_COLOR");
    }
}

#[test]
fn no_row_is_longer_than_the_window_and_the_selected_one_is_in_it() {
    let mut state = view(long());
    for (columns, rows) in [(60, 16), (80, 24), (120, 40)] {
        for action in [Action::First, Action::PageDown, Action::NextFailure, Action::Last, Action::Up] {
            state.act(action);
            let shown = text(&mut state, columns, rows);
            let selected = state.run.as_ref().unwrap().selected().unwrap();
            let marked = format!(">{selected:>4}");
            assert!(shown.contains(&marked), "{action:?} {columns}x{rows}\n{shown}");
            assert!(shown.lines().all(|line| crate::text::width(line) <= usize::from(columns)));
        }
    }
}

#[test]
fn more_iterations_than_a_window_can_count_are_shown_as_few_are() {
    let mut run = long();
    let thousand = run.seen.rounds.clone();
    let rounds = (0..70).flat_map(|thousands| {
        thousand.iter().cloned().map(move |mut round| {
            round.iteration += thousands * 1_000;
            round
        })
    });
    run.seen.rounds = rounds.collect();
    let mut state = view(run);
    for (columns, rows) in [(20, 5), (80, 24), (120, 40)] {
        let shown = text(&mut state, columns, rows);
        assert!(shown.contains("70000"), "{shown}");
    }
}

#[test]
fn a_run_that_cannot_be_read_says_why() {
    let mut state = State::of_run(place());
    state.take(News::Unreadable(place(), "its journal is of a newer\x1b[2J version".to_owned()));
    let shown = text(&mut state, 80, 24);
    assert!(shown.contains("its journal is of a newer version"), "{shown}");
}

/// Cells as a picture.
mod picture {
    use std::fmt::Write as _;

    use ratatui::buffer::{Buffer, Cell};
    use ratatui::style::{Color, Modifier};

    const COLUMN: f64 = 8.4;
    const ROW: f64 = 19.0;

    pub fn svg(name: &str, buffer: &Buffer) -> String {
        let (columns, rows) = (buffer.area.width, buffer.area.height);
        let (width, height) = (f64::from(columns) * COLUMN + 32.0, f64::from(rows) * ROW + 32.0);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" xml:space=\"preserve\">\n\
             <title>{name}</title>\n\
             <style>text {{ font: 14px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #d0d7de; \
             white-space: pre }} .bold {{ font-weight: bold; fill: #f0f6fc }} .dim {{ fill: #8b949e }} .red {{ fill: #ff7b72 }} \
             .green {{ fill: #56d364 }} .yellow {{ fill: #e3b341 }} .cyan {{ fill: #56d4dd }} .chosen {{ fill: #0d1117 }}</style>\n\
             <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n"
        );
        for row in 0..rows {
            let top = 16.0 + ROW * f64::from(row);
            let cells: Vec<(u16, &Cell)> =
                (0..columns).map(|column| (column, &buffer[(column, row)])).collect();
            let chosen = cells.iter().filter(|(_, cell)| cell.modifier.contains(Modifier::REVERSED)).count();
            if chosen > 0 {
                let from =
                    cells.iter().position(|(_, cell)| cell.modifier.contains(Modifier::REVERSED)).unwrap();
                let (x, width) = (16.0 + COLUMN * from as f64, COLUMN * chosen as f64);
                let _ = writeln!(
                    svg,
                    "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{ROW:.1}\" fill=\"#d0d7de\"/>"
                );
            }
            let mut line = String::new();
            for run in cells.chunk_by(|one, other| class(one.1) == class(other.1)) {
                let text: String = run.iter().map(|(_, cell)| cell.symbol()).collect();
                if text.trim().is_empty() {
                    continue;
                }
                let x = 16.0 + COLUMN * f64::from(run[0].0);
                let text = text.trim_end().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                let class = class(run[0].1);
                let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
                let _ = write!(line, "<tspan x=\"{x:.1}\"{class}>{text}</tspan>");
            }
            if !line.is_empty() {
                let _ = writeln!(svg, "<text y=\"{:.1}\">{line}</text>", top + 0.75 * ROW);
            }
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn class(cell: &Cell) -> &'static str {
        if cell.modifier.contains(Modifier::REVERSED) {
            return "chosen";
        }
        match cell.fg {
            Color::Red => "red",
            Color::Green => "green",
            Color::Yellow => "yellow",
            Color::Cyan => "cyan",
            _ if cell.modifier.contains(Modifier::BOLD) => "bold",
            _ if cell.modifier.contains(Modifier::DIM) => "dim",
            _ => "",
        }
    }
}
