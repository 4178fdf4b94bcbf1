use super::*;
use crate::terminal::Glyphs;
use crate::testing::Screenshot;

fn interactive(width: usize) -> Terminal {
    Terminal { interactive: true, width: Some(width), glyphs: Glyphs::Unicode, ..Terminal::plain() }
}

fn printer(terminal: &Terminal) -> (Printer, Screenshot, Screenshot) {
    let (results, notes) = (Screenshot::default(), Screenshot::default());
    let printer = Printer::new(
        Output::new(Terminal::plain(), results.clone()),
        Output::new(terminal.clone(), notes.clone()),
    );
    (printer, results, notes)
}

#[test]
fn the_living_line_makes_way_for_lines_that_stay() {
    let (mut printer, _, notes) = printer(&interactive(12));
    printer.living(&[Line::new().plain("a line that is too long")]);
    printer.note(&Line::new().plain("stays"));
    printer.living(&[Line::new().plain("short")]);
    printer.finish();
    assert_eq!(notes.text(), "\ra line tha…\x1b[K\r\x1b[Kstays\n\rshort\x1b[K\r\x1b[K");
}

#[test]
fn several_lines_live_and_go_together() {
    let (mut printer, _, notes) = printer(&interactive(12));
    let line = |text: &str| Line::new().plain(text);
    printer.living(&[line("one"), line("two"), line("three")]);
    printer.living(&[line("1")]);
    printer.living(&[line("a"), line("b")]);
    printer.note(&line("stays"));
    printer.finish();
    assert_eq!(
        notes.text(),
        "\rone\x1b[K\r\ntwo\x1b[K\r\nthree\x1b[K\r\x1b[2A1\x1b[K\x1b[J\ra\x1b[K\r\nb\x1b[K\r\x1b[1A\x1b[Jstays\n"
    );
}

#[test]
fn a_window_that_became_narrower_is_taken_into_account() {
    let (mut printer, _, notes) = printer(&interactive(40));
    printer.living(&[Line::new().plain("twenty-five columns of it")]);
    printer.notes.terminal.width = Some(10);
    printer.finish();
    assert!(notes.text().ends_with("\r\x1b[2A\x1b[J"), "{:?}", notes.text());
}

#[test]
fn without_a_terminal_nothing_lives() {
    let (mut printer, results, notes) = printer(&Terminal::plain());
    printer.living(&[Line::new().plain("spinner")]);
    printer.title("title");
    printer.note(&Line::new().plain("note"));
    printer.result(&Line::new().plain("result"));
    printer.finish();
    assert_eq!((results.text().as_str(), notes.text().as_str()), ("result\n", "note\n"));
}

#[test]
fn the_title_is_given_back_and_carries_no_controls() {
    let (mut printer, _, notes) = printer(&interactive(80));
    printer.title("3/50\x07\x1b evil");
    printer.finish();
    printer.finish();
    assert_eq!(notes.text(), "\x1b[22;0t\x1b]0;3/50 evil\x07\x1b]0;\x07\x1b[23;0t");
}

/// A terminal that hung up.
struct HungUp;

impl Write for HungUp {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::from_raw_os_error(5))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_terminal_that_hung_up_is_forgotten() {
    let hung_up = || Output::new(Terminal::plain(), HungUp);
    let mut printer = Printer::new(hung_up(), hung_up());
    assert!(!printer.is_closed());
    printer.note(&Line::new().plain("one"));
    printer.result(&Line::new().plain("two"));
    printer.flush();
    assert!(printer.is_closed() && printer.results_closed());
    printer.note(&Line::new().plain("three"));
    printer.finish();
}

#[test]
fn a_pipe_without_a_reader_is_forgotten() {
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let mut printer =
        Printer::new(Output::new(Terminal::plain(), writer), Output::new(Terminal::plain(), io::sink()));
    printer.result_bytes(&vec![b'x'; HELD_BACK + 1]);
    assert!(printer.results_closed());
    printer.result_bytes(b"more");
    printer.finish();
}

#[test]
fn results_and_notes_keep_their_order() {
    let both = Screenshot::default();
    let output = || Output::new(Terminal::plain(), both.clone());
    let mut printer = Printer::new(output(), output());
    for number in ["1", "2"] {
        printer.note(&Line::new().plain(format!("note {number}")));
        printer.result(&Line::new().plain(format!("result {number}")));
    }
    printer.finish();
    assert_eq!(both.text(), "note 1\nresult 1\nnote 2\nresult 2\n");
}
