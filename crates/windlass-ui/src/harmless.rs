//! Text from outside, made safe to print: an agent must not drive the user's terminal.

use std::borrow::Cow;

use anstream::adapter::strip_str;
use windlass_core::words::reorders;

/// The text without escape sequences and control characters, except newline and tab. A carriage return that is not
/// part of a line's end becomes a newline. Characters that reorder the text around them (bidirectional overrides)
/// are dropped too: they can make a command look like another one.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_harmless) {
        return Cow::Borrowed(text);
    }
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    let stripped = strip_str(&lines).to_string();
    Cow::Owned(stripped.chars().filter(|&character| is_harmless(character)).collect())
}

/// [`harmless`] on one line: every run of white space becomes one blank.
pub fn one_line(text: &str) -> String {
    harmless(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// [`harmless`] as a command that is typed: on one line, with its blanks as they are, since quotes can hold them.
pub fn one_command(text: &str) -> String {
    harmless(text).replace(['\n', '\t'], " ")
}

/// May this character reach a terminal as it is?
pub(crate) fn is_harmless(character: char) -> bool {
    matches!(character, '\n' | '\t') || !(character.is_control() || reorders(character))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use windlass_core::words::quoted;

    use super::*;

    #[test]
    fn nothing_that_drives_a_terminal_survives() {
        for (text, expected) in [
            ("plain\ttext\nstays, ä 🔧", "plain\ttext\nstays, ä 🔧"),
            ("\x1b[31mred\x1b[0m", "red"),
            ("\x1b]0;title\x07after", "after"),
            ("bell\x07 back\x08space \x7f", "bell backspace "),
            ("eight bit \u{9b}2J", "eight bit 2J"),
            ("line\r\nline\rover", "line\nline\nover"),
            ("rm \u{202e}safe\u{202c}", "rm safe"),
            ("half \x1b", "half "),
        ] {
            assert_eq!(harmless(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_comes_nothing_drives_the_terminal(text in any::<String>(), broken in "(\x1b|\\[|\\]|\u{9b}|\r|m|;|[0-9]|é)*") {
            prop_assert!(harmless(&text).chars().all(is_harmless));
            prop_assert!(harmless(&broken).chars().all(is_harmless));
            prop_assert!(!one_line(&text).contains(['\n', '\t']));
        }
    }

    #[test]
    fn one_line_is_one_line() {
        assert_eq!(one_line("  a\n\tb\r\nc  "), "a b c");
    }

    #[test]
    fn what_is_quoted_for_a_shell_stays_as_it_is() {
        for name in [
            "/x/proj\nb",
            "a\tb",
            "a  b",
            " a ",
            "\x1b[31mred",
            "a\rb",
            "a\u{2028}b\u{a0}",
            "\u{202e}x",
            "'\\",
        ] {
            let typed = format!("cd {}", quoted(name.as_ref()));
            assert_eq!(one_line(&typed), typed);
            assert_eq!(one_command(&typed), typed);
            assert_eq!(harmless(&typed), typed);
        }
    }

    #[test]
    fn a_command_is_one_line_with_its_blanks() {
        assert_eq!(one_command("git -C 'a  b'\n\x1b[31mmerge"), "git -C 'a  b' merge");
    }
}
