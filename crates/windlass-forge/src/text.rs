//! Text from a forge, made harmless: without escapes of terminals, control characters and what turns text around.

/// The last bytes of a text that a person or an agent is to read, at most so many, cut at a line where that is possible.
pub fn end_of(text: &str, most: usize) -> (String, bool) {
    let plain = plain(text);
    let Some(over) = plain.len().checked_sub(most).filter(|over| *over > 0) else {
        return (plain, false);
    };
    let from = (over..plain.len()).find(|at| plain.is_char_boundary(*at)).unwrap_or(plain.len());
    let tail = plain.get(from..).unwrap_or_default();
    let whole_lines = tail.split_once('\n').map_or(tail, |(_, rest)| rest);
    (if whole_lines.is_empty() { tail } else { whole_lines }.to_owned(), true)
}

/// Its first bytes, at most so many.
pub fn beginning_of(text: &str, most: usize) -> String {
    let mut plain = plain(text);
    if plain.len() > most {
        let to = (0..=most).rev().find(|at| plain.is_char_boundary(*at)).unwrap_or(0);
        plain.truncate(to);
        plain.push_str("\n[cut here]");
    }
    plain
}

/// One line of at most 300 characters.
pub fn one_line(text: &str) -> String {
    let plain = plain(text);
    let words: Vec<&str> = plain.split_whitespace().collect();
    words.join(" ").chars().take(300).collect()
}

/// Without escape sequences, control characters but ends of lines and tabs, and characters that turn text around.
pub fn plain(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '\u{1b}' => skip_escape(&mut rest),
            '\n' | '\t' => clean.push(next),
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => {}
            control if control.is_control() => {}
            other => clean.push(other),
        }
    }
    clean
}

/// `ESC [ … letter`, `ESC ] … BEL`, `ESC x`.
fn skip_escape(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let ends: fn(char) -> bool = match rest.next_if(|c| !c.is_control()) {
        Some('[') => |c| matches!(c, '@'..='~'),
        Some(']') => |c| c == '\u{7}' || c == '\\',
        _ => return,
    };
    // An escape that never ends takes a line with it and no more.
    while let Some(next) = rest.next_if(|c| *c != '\n') {
        if ends(next) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_steers_a_terminal() {
        assert_eq!(plain("a\u{1b}[31mred\u{1b}[0m\r\nb\u{1b}]0;title\u{7}c\u{202e}d\u{0}"), "ared\nbcd");
        assert_eq!(plain("open \u{1b}[never\nnext"), "open ever\nnext");
    }

    #[test]
    fn a_log_is_cut_at_a_line() {
        assert_eq!(end_of("one\ntwo\nthree\n", 8), ("three\n".to_owned(), true));
        assert_eq!(end_of("one\n", 8), ("one\n".to_owned(), false));
        assert_eq!(end_of("äöüäöü", 5), ("öü".to_owned(), true));
    }

    proptest! {
        #[test]
        fn no_text_is_longer_than_asked_for(text in "\\PC{0,80}|[\\x00-\\x7f]{0,80}", most in 1_usize..60) {
            prop_assert!(end_of(&text, most).0.len() <= most);
            prop_assert!(!plain(&text).contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
        }
    }
}
