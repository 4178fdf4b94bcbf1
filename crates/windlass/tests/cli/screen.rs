//! The screen in the README is what the demo shows now. `cargo xtask screen` records it anew.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::{Command, Place, answer};

/// The recording, below the project's root.
const RECORDING: &str = "docs/demo.svg";

const COLUMNS: usize = 96;

/// What one column and one row take, in the units of the picture.
const COLUMN: f64 = 8.4;
const ROW: f64 = 19.0;

#[test]
fn the_recorded_screen_is_what_the_demo_shows() {
    let place = Place::new();
    let mut demo = Command::new("sh");
    demo.args(["-c", "exec \"$0\" demo 2>&1", env!("CARGO_BIN_EXE_windlass")])
        .current_dir(place.work())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .envs([("HOME", place.home()), ("TMPDIR", place.home())])
        .envs([("LANG", "C.UTF-8"), ("TERM", "xterm"), ("TZ", "UTC"), ("CLICOLOR_FORCE", "1")])
        .env("COLUMNS", COLUMNS.to_string());
    let told = answer(&mut demo);
    assert_eq!(told.code, Some(0), "{}", told.stdout);
    let shown = told.stdout.replace(&format!("{}/", place.home().canonicalize().unwrap().display()), "/tmp/");
    let (screen, _) = shown.split_once("\nAll of it is in").unwrap();
    let picture = picture(&format!("\x1b[1m$ windlass demo\x1b[0m\n{screen}"));
    let recording = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(RECORDING);
    if std::env::var_os("WINDLASS_TEST_RENEW").is_some() {
        fs::write(&recording, &picture).unwrap();
    }
    let recorded = fs::read_to_string(&recording).unwrap();
    assert_eq!(
        lasting(&recorded),
        lasting(&picture),
        "{RECORDING} is old: `cargo xtask screen` records it anew"
    );
}

/// What is the same each time, word by word: no clocks, and no name of a run or a folder.
fn lasting(picture: &str) -> Vec<String> {
    let mut text = String::new();
    for piece in picture.split('<').skip(1) {
        let (tag, content) = piece.split_once('>').unwrap();
        text.push_str(if tag == "/text" { "\n" } else { content });
    }
    let mut words: Vec<String> = text.split_whitespace().map(|word| lasting_word(word).to_owned()).collect();
    // `59s` on one machine is `1m 02s` on a slower one.
    words.dedup_by(|word, before| word == TIME && before == TIME);
    words
}

const TIME: &str = "TIME";

fn lasting_word(word: &str) -> &str {
    let bare = word.trim_matches(['(', ')', ',']);
    match bare {
        _ if is_time(bare) => TIME,
        _ if bare.starts_with("r-") => "RUN",
        _ if bare.contains("windlass-demo-") => "FOLDER",
        _ => word,
    }
}

/// A length (`3.9s`, `1m`) or a time of day (`03:08:11`, `3:08am`, and `3am` at the full hour).
fn is_time(word: &str) -> bool {
    let units = word.trim_start_matches(|letter: char| letter.is_ascii_digit() || ".:".contains(letter));
    word.starts_with(|letter: char| letter.is_ascii_digit())
        && (["s", "ms", "m", "h", "am", "pm"].contains(&units) || units.is_empty() && word.contains(':'))
}

/// What a terminal would show, as SVG.
fn picture(screen: &str) -> String {
    let rows: Vec<&str> = screen.trim_end().lines().collect();
    let (width, height) = (COLUMNS as f64 * COLUMN + 32.0, rows.len() as f64 * ROW + 32.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" xml:space=\"preserve\">\n\
         <title>What windlass demo shows</title>\n\
         <style>text {{ font: 14px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #d0d7de; \
         white-space: pre }} .bold {{ font-weight: bold; fill: #f0f6fc }} .dim {{ fill: #8b949e }} .red {{ fill: #ff7b72 }} \
         .green {{ fill: #56d364 }} .yellow {{ fill: #e3b341 }} .cyan {{ fill: #56d4dd }}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n"
    );
    for (number, row) in rows.iter().enumerate() {
        let y = 16.0 + ROW * (number as f64 + 0.75);
        let _ = writeln!(svg, "<text y=\"{y:.1}\">{}</text>", spans(row));
    }
    svg.push_str("</svg>\n");
    svg
}

/// The pieces of one row, each at its column: fonts differ in how wide a letter is.
fn spans(row: &str) -> String {
    let (mut spans, mut column) = (String::new(), 0);
    for (position, piece) in row.split("\x1b[").enumerate() {
        let (code, text) = if position == 0 { ("0", piece) } else { piece.split_once('m').unwrap() };
        let class = class(code);
        if !text.is_empty() {
            let x = 16.0 + COLUMN * column as f64;
            let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let _ = write!(spans, "<tspan x=\"{x:.1}\"{class}>{text}</tspan>");
        }
        // The one mark that takes two columns.
        column += text.chars().map(|letter| if letter == '⏳' { 2 } else { 1 }).sum::<usize>();
    }
    spans
}

fn class(code: &str) -> &'static str {
    match code {
        "0" => "",
        "1" => " class=\"bold\"",
        "2" => " class=\"dim\"",
        "31" => " class=\"red\"",
        "32" => " class=\"green\"",
        "33" => " class=\"yellow\"",
        "36" => " class=\"cyan\"",
        other => panic!("the picture has no colour for {other}"),
    }
}
