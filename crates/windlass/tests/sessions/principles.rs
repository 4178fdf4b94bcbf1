//! `principles init` at a terminal.

use windlass_testkit::environment::PersonsTerminal;

use super::desk::Desk;

const OURS: &str = ".windlass/principles.yaml";

// rows: 100
#[test]
fn a_person_is_asked_for_the_kind_and_two_values_and_a_wrong_answer_is_asked_again() {
    let desk = Desk::new(&[]);
    let mut terminal = PersonsTerminal::start(&mut desk.windlass(&["principles", "init"]));
    terminal.wait_for("What kind of project is it? 1 startup, 2 enterprise, 3 opensource, 4 custom > ");
    terminal.press("enterprise\r");
    terminal.wait_for("blast_radius: from 1 (large changes) to 10 (small changes) [9] > ");
    terminal.press("\r");
    terminal.wait_for("innovation_stability: from 1 (new ways) to 10 (proven ways) [8] > ");
    terminal.press("11\r");
    terminal.wait_for("[8] > 11\r\ninnovation_stability");
    terminal.press("6\r");
    assert_eq!(terminal.wait(), 0, "{}", terminal.text());
    let file = desk.env.read(OURS);
    assert!(file.contains("\npreset: enterprise\n") && file.contains("\n  blast_radius: 9 "), "{file}");
    assert!(file.contains("\n  innovation_stability: 6 "), "{file}");
}

// rows: 100
// Seed defect D4, principles/collector.go:92, 150: a closed terminal, or any input, wrote the startup preset.
#[test]
fn a_terminal_that_is_closed_and_wrong_answers_write_nothing() {
    let desk = Desk::new(&[]);
    let mut terminal = PersonsTerminal::start(&mut desk.windlass(&["principles", "init"]));
    terminal.wait_for("What kind of project is it?");
    // The end of input.
    terminal.press("\u{4}");
    assert_eq!(terminal.wait(), 2, "{}", terminal.text());
    assert!(terminal.text().contains("nothing was written"), "{}", terminal.text());

    let mut terminal = PersonsTerminal::start(&mut desk.windlass(&["principles", "init"]));
    for answer in ["y\r", "\r", "5\r"] {
        terminal.wait_for("4 custom > ");
        terminal.press(answer);
    }
    assert_eq!(terminal.wait(), 2, "{}", terminal.text());
    assert!(!desk.env.project().join(OURS).exists());
}
