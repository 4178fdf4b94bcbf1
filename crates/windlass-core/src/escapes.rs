//! Sequences that drive a terminal, in what agents and commands wrote: taken out whole, so that `[31m` does not remain where a title or a
//! reason is told.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

/// The text without its escape sequences; other control characters stay, for whoever takes it to drop.
pub fn without_escapes(text: &str) -> Cow<'_, str> {
    let begins = |character: char| character == '\u{1b}' || character == '\u{9b}';
    if !text.contains(begins) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '\u{1b}' => pass_escape(&mut rest),
            '\u{9b}' => pass_control(&mut rest),
            other => plain.push(other),
        }
    }
    Cow::Owned(plain)
}

/// What follows an ESC: `[ … letter`, `] … BEL` and other strings up to their end, `( B`, or one character.
fn pass_escape(rest: &mut Peekable<Chars<'_>>) {
    match rest.next_if(|next| !next.is_control()) {
        Some('[') => pass_control(rest),
        Some(']' | 'P' | 'X' | '^' | '_') => pass_string(rest),
        Some(' '..='/') => {
            while rest.next_if(|next| matches!(next, ' '..='/')).is_some() {}
            rest.next_if(|next| matches!(next, '0'..='~'));
        }
        Some(_) | None => {}
    }
}

/// Parameters, and the letter or sign that ends them. What is none of them ended it without one.
fn pass_control(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|next| matches!(next, ' '..='?')).is_some() {}
    rest.next_if(|next| matches!(next, '@'..='~'));
}

/// Up to BEL or `ESC \`. One that never ends takes its line and no more.
fn pass_string(rest: &mut Peekable<Chars<'_>>) {
    while let Some(next) = rest.next_if(|next| *next != '\n') {
        match next {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                rest.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sequences_go_whole() {
        for (text, expected) in [
            ("plain [31m text", "plain [31m text"),
            ("Fix \u{1b}[31mit \u{1b}[0m", "Fix it "),
            ("\u{1b}[38;5;196mred\u{9b}0m", "red"),
            ("\u{1b}]0;title\u{7}after \u{1b}]8;;https://x\u{1b}\\link", "after link"),
            ("\u{1b}Pq#0\u{1b}\\six", "six"),
            ("\u{1b}(Bset \u{1b}cnew", "set new"),
            ("\u{1b}]0;never ends\nnext", "\nnext"),
            ("half \u{1b}", "half "),
            ("half \u{1b}[3ä", "half ä"),
            ("bell\u{7}", "bell\u{7}"),
        ] {
            assert_eq!(without_escapes(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_comes_no_sequence_begins_afterwards(text in "[\u{1b}\u{9b}\\[\\]\u{7}\na-d0-9;\\\\ (]{0,40}") {
            let plain = without_escapes(&text);
            prop_assert!(!plain.contains(['\u{1b}', '\u{9b}']), "{plain:?}");
        }
    }
}
