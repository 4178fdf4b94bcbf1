//! Plays a made-up night through the views, to look at: `cargo run -p windlass-ui --example gallery -- progress`.
//!
//! First argument: `quiet`, `progress`, `verbose`, `json` or `documents`; second: milliseconds between two events
//! (0 = at once); third: `emoji`, `unicode` or `ascii`; fourth: the night itself (`goal`, `workspace`, `stagnating`,
//! `verify`, `validate`).

mod night;

use std::time::Duration;

use night::Night;
use windlass_core::config::OutputLevel;
use windlass_core::spec::Mode;
use windlass_ui::{
    Board, Glyphs, JsonView, Output, Printer, RunRow, RunState, RunStatus, Screen, Stream, Terminal, View,
    runs_table, status_text, view,
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |index: usize| arguments.get(index).map_or("", String::as_str);
    let pause = Duration::from_millis(argument(1).parse().unwrap_or(0));
    let glyphs = match argument(2) {
        "ascii" => Glyphs::Ascii,
        "unicode" => Glyphs::Unicode,
        _ => Glyphs::Emoji,
    };
    let output = |stream| Output::standard(stream, Terminal::detect(stream, glyphs));
    let printer = Printer::new(output(Stream::Stdout), output(Stream::Stderr));
    let view: Box<dyn View> = match argument(0) {
        "quiet" => view(OutputLevel::Quiet, printer),
        "verbose" => view(OutputLevel::Verbose, printer),
        "json" => Box::new(JsonView::new(printer)),
        "documents" => return documents(printer),
        _ => view(OutputLevel::Progress, printer),
    };
    let Ok(screen) = Screen::start(vec![view], 1_000) else {
        return;
    };
    let night = Night::beginning(jiff::Timestamp::now());
    let night = match argument(3) {
        "workspace" => night.workspace(),
        "stagnating" => night.stagnating(),
        "verify" => night.judged(Mode::Verify),
        "validate" => night.judged(Mode::Validate),
        _ => night.whole(),
    };
    for event in night.events {
        screen.send(event);
        std::thread::sleep(pause);
    }
    let _ = screen.finish();
}

fn documents(mut printer: Printer) {
    let night = Night::new().whole();
    let terminal = printer.results_terminal().clone();
    let mut board = Board::default();
    for event in night.events.iter().take(night.events.len() / 2) {
        board.apply(event);
    }
    let now = "2026-03-01T21:00:00Z".parse().unwrap_or_default();
    let row = |state, title: &str| RunRow {
        run: night::plan().run,
        title: title.to_owned(),
        directory: "/home/ada/ledger".to_owned(),
        mode: Mode::Goal,
        workspace: None,
        items: None,
        started: now - Duration::from_secs(7_000),
        iterations: 12,
        cost: windlass_core::values::Cost::from_dollars(3.2),
        estimated: false,
        estimated_cost: windlass_core::values::Cost::ZERO,
        state,
    };
    let rows = [
        row(RunState::Running, "Make the parser accept ISO dates and cover it with tests"),
        row(RunState::Interrupted, "Port the importer"),
        row(RunState::Ended(windlass_core::values::StopReason::MaxIterations), "Write the documentation"),
    ];
    printer.result_bytes(runs_table(&rows, now, &terminal).as_bytes());
    printer.result_bytes(b"\n");
    let status = RunStatus::new(&board, RunState::Running, None, now);
    printer.result_bytes(status_text(&status, now, &terminal).as_bytes());
    printer.finish();
}
