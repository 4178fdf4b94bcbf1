//! Text as rows of a screen: cut, padded and wrapped by columns, with nothing in it that drives a terminal.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};
use windlass_ui::harmless;

/// Columns between two stops of a tab.
const TAB: usize = 4;

/// Marks without a width of their own that one character may carry; letters of no language need more.
const MARKS: usize = 4;

/// Text from outside: no escape sequence, no control or reordering character, tabs as blanks; its lines stay lines.
pub fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut column = 0;
    let mut marks = 0;
    for character in harmless(text).chars() {
        let width = character.width().unwrap_or(0);
        match character {
            '\n' => {
                column = 0;
                clean.push(character);
            }
            '\t' => {
                let blanks = TAB - column % TAB;
                clean.extend(std::iter::repeat_n(' ', blanks));
                column += blanks;
            }
            // A thousand marks on one letter are one cell of a thousand characters.
            _ if width == 0 => {
                marks += 1;
                if marks <= MARKS {
                    clean.push(character);
                }
                continue;
            }
            _ => {
                column += width;
                clean.push(character);
            }
        }
        marks = 0;
    }
    clean
}

/// Columns that a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The beginning of a text that takes at most so many columns.
pub fn beginning(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += character.width().unwrap_or(0);
        if used > columns {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// The text in at most so many columns; `~` stands for what is cut off.
pub fn fit(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    match columns {
        0 => String::new(),
        1 => "~".to_owned(),
        _ => format!("{}~", beginning(text, columns - 1)),
    }
}

/// The text in exactly so many columns, blanks behind it.
pub fn left(text: &str, columns: usize) -> String {
    let text = fit(text, columns);
    let blanks = columns.saturating_sub(width(&text));
    text + &" ".repeat(blanks)
}

/// The text in exactly so many columns, blanks before it.
pub fn right(text: &str, columns: usize) -> String {
    let text = fit(text, columns);
    " ".repeat(columns.saturating_sub(width(&text))) + &text
}

/// The lines of a text, each broken into rows of at most so many columns, at blanks where there are some in the row's second half.
/// At most `most` rows; whether there were more is the second value.
pub fn wrapped(text: &str, columns: usize, most: usize) -> (Vec<&str>, bool) {
    let columns = columns.max(1);
    let mut rows = Vec::new();
    for line in text.split('\n') {
        let mut rest = line;
        loop {
            if rows.len() == most {
                return (rows, true);
            }
            let mut row = beginning(rest, columns);
            if row.len() == rest.len() {
                rows.push(rest);
                break;
            }
            if row.is_empty() {
                // One character is wider than the row.
                let first = rest.chars().next().map_or(0, char::len_utf8);
                row = rest.get(..first).unwrap_or_default();
            }
            if let Some(blank) = row.rfind(' ').filter(|blank| blank * 2 >= row.len()) {
                row = rest.get(..=blank).unwrap_or(row);
            }
            rows.push(row.trim_end_matches(' '));
            rest = rest.get(row.len()..).unwrap_or_default();
            // The blank at which it was broken.
            rest = rest.strip_prefix(' ').unwrap_or(rest);
            if rest.is_empty() {
                break;
            }
        }
    }
    (rows, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_drives_nothing() {
        for (text, expected) in [
            ("a\tb", "a   b"),
            ("abcd\te", "abcd    e"),
            ("x\n\ty", "x\n    y"),
            ("\x1b]52;c;aGk=\x07copied", "copied"),
            ("\x1b[2J\x1b[31mred", "red"),
            ("safe\u{202e}gpj.exe", "safegpj.exe"),
        ] {
            assert_eq!(clean(text), expected, "{text:?}");
        }
        let crowded = format!("a{}b", "\u{301}".repeat(1_000));
        assert_eq!(clean(&crowded).chars().count(), 2 + MARKS);
    }

    #[test]
    fn columns_are_kept_with_wide_characters() {
        assert_eq!(fit("漢字漢字", 5), "漢字~");
        assert_eq!(left("漢字", 5), "漢字 ");
        assert_eq!(right("7", 3), "  7");
        assert_eq!((fit("abc", 1), fit("abc", 0)), ("~".to_owned(), String::new()));
        for columns in 0..12 {
            assert_eq!(width(&left("漢字 and 漢字", columns)), columns);
        }
    }

    #[test]
    fn lines_are_broken_at_blanks_and_no_further_than_asked() {
        assert_eq!(wrapped("one two three\nfour", 9, 9), (vec!["one two", "three", "four"], false));
        assert_eq!(wrapped("abcdefgh", 3, 9).0, ["abc", "def", "gh"]);
        assert_eq!(wrapped("漢字", 1, 9).0, ["漢", "字"]);
        assert_eq!(wrapped("", 9, 9).0, [""]);
        assert_eq!(wrapped("a b c d", 2, 2), (vec!["a", "b"], true));
    }
}
