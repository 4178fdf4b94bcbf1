//! Lists in sentences, and arguments in commands.

use std::ffi::OsStr;
use std::fmt::Display;
use std::iter;

/// An argument of a command as a shell takes it, on one line, whatever it holds.
///
/// What a shell would read otherwise stands in quotes. What cleaning for a terminal, or putting a sentence on one line,
/// would change, and what is not UTF-8, stands as escapes (`$'a\nb'`, as bash, zsh and POSIX since 2024 take them): a
/// command that is typed as it was printed must name what was meant, and nothing else.
pub fn quoted(argument: &OsStr) -> String {
    match argument.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(is_plain) => text.to_owned(),
        Some(text) if places(text).all(|(before, letter)| is_shown(before, letter)) => {
            format!("'{}'", text.replace('\'', r"'\''"))
        }
        _ => escaped(argument.as_encoded_bytes()),
    }
}

/// A commit's name, shortened as people say it.
pub fn short_commit(commit: &str) -> String {
    const SHOWN: usize = 9;
    commit.chars().take(SHOWN).collect()
}

/// A shell reads it as it is.
fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "-_./=:,@%+".contains(letter)
}

/// Each letter of a text, behind the one before it.
fn places(text: &str) -> impl Iterator<Item = (Option<char>, char)> {
    let before = iter::once(None).chain(text.chars().map(Some));
    before.zip(text.chars())
}

/// A letter that stays as it is wherever it is printed: of white space only a blank that follows no other.
fn is_shown(before: Option<char>, letter: char) -> bool {
    match letter {
        ' ' => before != Some(' '),
        letter => !letter.is_control() && !letter.is_whitespace() && !reorders(letter),
    }
}

/// Letters that reorder the text around them (bidirectional marks): they can make a command look like another one.
pub const fn reorders(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// In the quotes that take escapes; bytes are octal, since each shell ends these after three digits.
fn escaped(bytes: &[u8]) -> String {
    let mut typed = String::from("$'");
    for chunk in bytes.utf8_chunks() {
        for (before, letter) in places(chunk.valid()) {
            match letter {
                '\'' | '\\' => typed.extend(['\\', letter]),
                '\n' => typed.push_str("\\n"),
                '\t' => typed.push_str("\\t"),
                '\r' => typed.push_str("\\r"),
                letter if is_shown(before, letter) => typed.push(letter),
                letter => push_octal(&mut typed, letter.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        push_octal(&mut typed, chunk.invalid());
    }
    typed.push('\'');
    typed
}

fn push_octal(typed: &mut String, bytes: &[u8]) {
    typed.extend(bytes.iter().flat_map(|byte| ['\\', digit(byte >> 6), digit(byte >> 3), digit(*byte)]));
}

/// The last octal digit.
fn digit(byte: u8) -> char {
    char::from(b'0' + (byte & 7))
}

/// The first of these names, and how many more there are: `a, b and 3 more`.
pub fn some_of<N: Display>(names: impl ExactSizeIterator<Item = N>, at_most: usize) -> String {
    let (first, more) = first_of(names, at_most, ", ");
    if more == 0 { first } else { format!("{first} and {more} more") }
}

/// The same of what is longer than a name: `a is gone; b is empty; and 3 more`.
pub fn some_clauses_of<C: Display>(clauses: impl ExactSizeIterator<Item = C>, at_most: usize) -> String {
    let (first, more) = first_of(clauses, at_most, "; ");
    if more == 0 { first } else { format!("{first}; and {more} more") }
}

fn first_of<T: Display>(
    all: impl ExactSizeIterator<Item = T>,
    at_most: usize,
    between: &str,
) -> (String, usize) {
    let more = all.len().saturating_sub(at_most);
    (all.take(at_most).map(|one| one.to_string()).collect::<Vec<_>>().join(between), more)
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    const ARGUMENTS: [(&[u8], &str); 20] = [
        (b"--model", "--model"),
        (b"/a/b.json", "/a/b.json"),
        (b"", "''"),
        (b"a b", "'a b'"),
        (b"it's", r"'it'\''s'"),
        (b"$HOME", "'$HOME'"),
        (b"~", "'~'"),
        ("ä".as_bytes(), "'ä'"),
        (b"/x/proj\nb", r"$'/x/proj\nb'"),
        (b"a\tb\r\n", r"$'a\tb\r\n'"),
        (b"\x1b[31mred\x077", r"$'\033[31mred\0077'"),
        (b"it's\n\\n", r"$'it\'s\n\\n'"),
        (b"a  b", r"$'a \040b'"),
        (b"a   ", r"$'a \040\040'"),
        (b" a", "' a'"),
        (b"\xffa\xc3", r"$'\377a\303'"),
        ("ä\u{202e}ö".as_bytes(), r"$'ä\342\200\256ö'"),
        ("3.14\u{202f}PM".as_bytes(), r"$'3.14\342\200\257PM'"),
        ("a\u{85}b".as_bytes(), r"$'a\302\205b'"),
        ("a\u{2028}b".as_bytes(), r"$'a\342\200\250b'"),
    ];

    #[test]
    fn arguments_are_quoted_for_a_shell_where_they_must_be() {
        for (argument, expected) in ARGUMENTS {
            assert_eq!(quoted(OsStr::from_bytes(argument)), expected);
        }
    }
}
