use super::*;

fn terminal(width: usize, colour: bool, glyphs: Glyphs) -> Terminal {
    Terminal { width: Some(width), colour, glyphs, ..Terminal::plain() }
}

#[test]
fn colour_appears_where_it_is_allowed() {
    let line = Line::new().mark(Tone::Good, Mark::Passed).plain(" done");
    assert_eq!(line.render(&terminal(80, true, Glyphs::Unicode)), "\x1b[32m✓\x1b[0m done");
    assert_eq!(line.render(&terminal(80, false, Glyphs::Unicode)), "✓ done");
    assert_eq!(line.render(&terminal(80, false, Glyphs::Ascii)), "+ done");
}

#[test]
fn ascii_spells_our_punctuation() {
    let line = Line::new().plain("a · b … ≈$5");
    assert_eq!(line.render(&terminal(80, false, Glyphs::Ascii)), "a - b ... ~$5");
}

#[test]
fn long_lines_hang() {
    let line = Line::hanging(4).plain("one two three four five six seven");
    assert_eq!(line.render(&terminal(20, false, Glyphs::Unicode)), "one two three four\n    five six seven");
    assert_eq!(line.render(&Terminal::plain()), "one two three four five six seven");
}

#[test]
fn a_word_longer_than_the_row_is_kept_whole() {
    let line = Line::hanging(2).plain("see /a/very/long/path/that/cannot/be/broken for more");
    assert_eq!(
        line.render(&terminal(20, false, Glyphs::Unicode)),
        "see\n  /a/very/long/path/that/cannot/be/broken\n  for more"
    );
}

#[test]
fn a_command_is_never_broken() {
    let line = Line::hanging(2).plain("  go on: ").command("windlass resume r-1").dim("  later");
    assert_eq!(
        line.render(&terminal(24, false, Glyphs::Unicode)),
        "  go on:\n  windlass resume r-1\n  later"
    );
}

#[test]
fn lines_without_a_hang_are_never_wrapped() {
    let text = "permissions.allow = [\"Bash(a command of some length)\"]";
    let line = Line::new().command(text);
    assert_eq!(line.render(&terminal(20, false, Glyphs::Unicode)), text);
}

// Seed defect D2, src/streaming.rs:197-198, 257-258: cutting within a character was a panic.
#[test]
fn cutting_counts_columns_and_not_characters() {
    let line = Line::new().plain("日本語テキスト");
    assert_eq!(line.render_cut(&terminal(80, false, Glyphs::Unicode), 7), "日本語…");
    assert_eq!(line.render_cut(&terminal(80, false, Glyphs::Unicode), 14), "日本語テキスト");
    assert_eq!(line.render_cut(&terminal(80, false, Glyphs::Ascii), 2), "..");
    assert_eq!(line.render_cut(&terminal(80, false, Glyphs::Ascii), 0), "");
}
