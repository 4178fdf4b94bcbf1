//! Signs that look like others: blanks of Unicode and colons of full width, where what a line begins with is made of them. A page
//! that was copied has them, and so has what is written with keyboards that know no others.

use std::borrow::Cow;

/// The longest name or id that such a colon stands after, in bytes.
const LONGEST: usize = 40;

/// The text with plain blanks and colons in their place. It is as long as it was: a place in the one is the same place in the other.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    let is_plain = |line: &str| line.is_ascii() || line == plain_line(line);
    if text.is_ascii() || text.split_inclusive('\n').all(is_plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split_inclusive('\n').map(plain_line).collect())
}

fn plain_line(line: &str) -> Cow<'_, str> {
    if line.is_ascii() {
        return Cow::Borrowed(line);
    }
    let blanks = blanks(line);
    match colon(&blanks) {
        None => blanks,
        Some(at) => {
            let (name, rest) = blanks.split_at_checked(at).unwrap_or((&blanks, ""));
            let rest = rest.strip_prefix(COLON).unwrap_or(rest);
            // What comes after it begins where it began.
            Cow::Owned(format!("{name}{:>width$}{rest}", ':', width = COLON.len_utf8()))
        }
    }
}

const COLON: char = '：';

/// Plain blanks after what begins a heading or a list item, and after its box.
fn blanks(line: &str) -> Cow<'_, str> {
    let indent = line.len() - line.trim_start_matches([' ', '\t', '>']).len();
    let Some(marker) = marker(line.get(indent..).unwrap_or_default()) else { return Cow::Borrowed(line) };
    let first = with_blanks_at(line, indent + marker);
    let text = first.len() - first.get(indent + marker..).unwrap_or_default().trim_start().len();
    let within = first.get(text..).and_then(|rest| rest.strip_prefix('['));
    let box_end = within.and_then(|within| within.find(']')).filter(|end| *end <= COLON.len_utf8());
    match box_end {
        Some(end) => Cow::Owned(with_blanks_at(&first, text + end + 2)),
        None => Cow::Owned(first),
    }
}

/// How long the sign is that a heading or a list item begins with.
fn marker(text: &str) -> Option<usize> {
    let hashes = text.len() - text.trim_start_matches('#').len();
    let digits = text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let counted = (1..=9).contains(&digits) && text.get(digits..)?.starts_with(['.', ')']);
    match () {
        () if (1..=6).contains(&hashes) => Some(hashes),
        () if text.starts_with(['-', '*', '+']) => Some(1),
        () => counted.then_some(digits + 1),
    }
}

/// The same with plain blanks for all that stand there.
fn with_blanks_at(line: &str, at: usize) -> String {
    let (before, rest) = line.split_at_checked(at).unwrap_or((line, ""));
    let after = rest.trim_start_matches(|letter: char| is_blank(letter) && !matches!(letter, '\n' | '\r'));
    let blanks = rest.get(..rest.len() - after.len()).unwrap_or_default();
    let plain = if blanks.is_ascii() { blanks.to_owned() } else { " ".repeat(blanks.len()) };
    [before, &plain, after].concat()
}

/// Is it a blank, or a sign that nobody sees?
pub(super) fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

/// Where the colon stands that comes after a name or an id at a line's beginning.
fn colon(line: &str) -> Option<usize> {
    let at = line.find(COLON)?;
    let name = line.get(..at)?;
    let bare = name.trim_matches(|letter: char| !letter.is_ascii_alphanumeric());
    let is_part = |letter: char| letter.is_ascii() && letter != ':';
    (!bare.is_empty() && bare.len() <= LONGEST && name.chars().all(is_part)).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_a_line_is_made_plain_and_as_long_as_it_was() {
        for (text, expected) in [
            ("###\u{a0}TASK-2: Two\n", "###  TASK-2: Two\n"),
            ("-\u{a0}[ ]\u{3000}x\u{a0}y", "-  [ ]   x\u{a0}y"),
            ("1.\u{2003}[x] ä", "1.   [x] ä"),
            ("### \u{200b}TASK-2: Two", "###    TASK-2: Two"),
            ("### TASK-2：支付：a\r\n", "### TASK-2  :支付：a\r\n"),
            ("- **Status**：pending", "- **Status**  :pending"),
            ("- **Status：** pending", "- **Status  :** pending"),
            ("ä\n-\u{a0}x\r\nö", "ä\n-  x\r\nö"),
        ] {
            assert_eq!(plain(text), expected);
            assert_eq!(expected.len(), text.len(), "{text}");
        }
        for same in [
            "",
            "a\u{a0}b",
            "状态：pending",
            "- \u{e4}",
            "时间 12:30：x",
            "- a: b：c",
            "：",
            "\u{a0}\n",
            "-\u{e4}",
        ] {
            assert!(matches!(plain(same), Cow::Borrowed(text) if text == same), "{same}");
        }
    }
}
