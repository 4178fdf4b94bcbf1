//! What may stand in a prompt. Our own words are written in this program; whatever else goes in (files, what commands
//! printed, what agents and hooks said, names of files) is data: no agent may expand it, and nothing in it may look like a
//! part of ours. That it comes to that is held by the type: nothing but [`Inert`] is put into a prompt, and there is no
//! way to one from other text but those below.
//!
//! What Claude Code expands in a prompt on standard input (seen in 2.1.330): `@path`, `@"path"`, `@agent-name` and
//! `@server:address` at the beginning, behind white space and behind `。、？！`, fences or not; the words `ultrathink` and
//! the like, which raise what a call costs; a command, `/name`, at the very beginning. In the system prompt nothing is.

mod template;

use std::fmt;

pub use template::names;

/// Characters before an `@` that are known to keep it from being expanded, besides letters and digits: tried with the real
/// agent. Behind most of them a package is named (`"@scope/name"`), which stays as it is.
const BEFORE_AT: &[char] = &[
    '_', '.', '-', '+', '/', '\\', '"', '\'', '`', '(', '[', '{', '<', '>', '=', ':', ',', ';', '|', '*',
    '~', '^',
];

/// Behind `ultra`, in one word: what makes an agent work longer than it was asked to.
const KEYWORDS: [&str; 4] = ["think", "code", "plan", "review"];

/// The beginning of those words.
const ULTRA: &str = "ultra";

/// What a prompt may not begin with: a command of the agent's, or of its shell.
const COMMANDS: [char; 2] = ['/', '!'];

/// Text that may stand in a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inert(String);

impl Inert {
    /// Nothing.
    pub const fn empty() -> Inert {
        Inert(String::new())
    }

    /// Our own words: nothing but what is written in this program lives as long.
    pub fn own(words: &'static str) -> Inert {
        Inert(words.to_owned())
    }

    /// Our own words, with `{{names}}` in them for what differs.
    pub fn fill(words: &'static str, values: &[(&str, Inert)]) -> Inert {
        Inert(template::render(words, &plain(values)))
    }

    /// A project's words in place of ours.
    pub fn fill_project(words: &str, values: &[(&str, Inert)]) -> Inert {
        Inert(deadened(&template::render(words, &plain(values))))
    }

    /// What a person asks for. It stands as it is, since it is what the call is for; only that nothing in it is expanded.
    pub fn wish(text: &str) -> Inert {
        Inert(deadened(text.trim_end()))
    }

    /// A number.
    pub fn number(number: impl Into<u64>) -> Inert {
        Inert(number.into().to_string())
    }

    /// How many there are of something.
    pub fn count(count: usize) -> Inert {
        Inert(count.to_string())
    }

    /// Words within a line of ours.
    pub fn words(text: &str) -> Inert {
        Inert(deadened(&one_line(text)))
    }

    /// A name (a path, a command) within a line of ours: code, and longer quoted than any quote in it.
    pub fn name(text: &str) -> Inert {
        let text = deadened(&one_line(text));
        let quote = "`".repeat(longest_run(&text, '`') + 1);
        let space = if text.is_empty() || text.starts_with('`') || text.ends_with('`') { " " } else { "" };
        Inert(format!("{quote}{space}{text}{space}{quote}"))
    }

    /// Names, one after the other.
    pub fn names<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> Inert {
        let names: Vec<String> = names.into_iter().map(|name| Inert::name(name.as_ref()).0).collect();
        Inert(names.join(", "))
    }

    /// A text on lines of its own: in a fence that is longer than any in it.
    pub fn block(text: &str) -> Inert {
        let text = deadened(text.trim_end());
        let fence = "~".repeat(longest_run(&text, '~').max(2) + 1);
        Inert(format!("{fence}\n{text}\n{fence}\n"))
    }

    /// Adds to it.
    pub fn push(&mut self, more: &Inert) {
        self.0.push_str(&more.0);
    }

    /// Adds our own words to it.
    pub fn say(&mut self, words: &'static str) {
        self.0.push_str(words);
    }

    /// Is there nothing in it?
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes the space at its end away.
    pub fn trimmed(mut self) -> Inert {
        self.0.truncate(self.0.trim_end().len());
        self
    }

    /// A whole prompt. It is never taken for a command.
    pub fn into_prompt(self) -> String {
        let begins = |char: char| char.is_whitespace() || char == '\u{feff}';
        if self.0.trim_start_matches(begins).starts_with(COMMANDS) {
            return format!("What to do:\n\n{}", self.0);
        }
        self.0
    }
}

impl fmt::Display for Inert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn plain<'a>(values: &'a [(&'a str, Inert)]) -> Vec<(&'a str, &'a str)> {
    values.iter().map(|(name, value)| (*name, value.0.as_str())).collect()
}

/// The text, in which no agent finds anything to expand: `\@` for `@`, `ultra-think` for the word without the dash. What
/// is inert already stays as it is.
fn deadened(text: &str) -> String {
    let mut dead = String::with_capacity(text.len());
    let mut before = None;
    for (at, char) in text.char_indices() {
        if char == '@' && !before.is_some_and(keeps_from_expanding) {
            dead.push('\\');
        }
        dead.push(char);
        if char.eq_ignore_ascii_case(&'a') && ends_ultra(text, at) && begins_keyword(text, at + 1) {
            dead.push('-');
        }
        before = Some(char);
    }
    dead
}

fn keeps_from_expanding(before: char) -> bool {
    before.is_ascii_alphanumeric() || BEFORE_AT.contains(&before)
}

fn ends_ultra(text: &str, last: usize) -> bool {
    let begin = (last + 1).checked_sub(ULTRA.len());
    let word = begin.and_then(|begin| text.get(begin..=last));
    word.is_some_and(|word| word.eq_ignore_ascii_case(ULTRA))
}

fn begins_keyword(text: &str, at: usize) -> bool {
    KEYWORDS.iter().any(|keyword| {
        text.get(at..at + keyword.len()).is_some_and(|word| word.eq_ignore_ascii_case(keyword))
    })
}

fn one_line(text: &str) -> String {
    text.trim().replace(|char: char| char.is_control() || matches!(char, '\u{2028}' | '\u{2029}'), " ")
}

fn longest_run(text: &str, of: char) -> usize {
    text.split(|char| char != of).map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Does Claude Code find something to expand? As it looks for it, and a little wider.
    fn expands(text: &str) -> bool {
        let mentions = text.char_indices().filter(|(_, char)| *char == '@').any(|(at, _)| {
            let before = text[..at].chars().next_back();
            before.is_none_or(|before| before.is_whitespace() || "。、？！\u{feff}".contains(before))
        });
        let lower = text.to_ascii_lowercase();
        let words = ["ultrathink", "ultracode", "ultraplan", "ultrareview"];
        mentions || words.iter().any(|word| lower.contains(word)) || text.starts_with(['/', '!'])
    }

    #[test]
    fn what_agents_expand_is_made_inert_and_nothing_else_is_touched() {
        for (text, dead) in [
            ("@.env", "\\@.env"),
            ("see @.env, or x。@.env", "see \\@.env, or x。\\@.env"),
            ("\u{feff}@\"a b\"\n\t@agent-x", "\u{feff}\\@\"a b\"\n\t\\@agent-x"),
            ("me@example.org node_modules/@types a.@b \\@c", "me@example.org node_modules/@types a.@b \\@c"),
            ("\"@types/node\" (@x) é@y", "\"@types/node\" (@x) é\\@y"),
            ("from '@a/b', `@c/d` npm i @e/f@1", "from '@a/b', `@c/d` npm i \\@e/f@1"),
            ("ultrathink, ULTRACode", "ultra-think, ULTRA-Code"),
            ("ultra think ultrasound ultra", "ultra think ultrasound ultra"),
        ] {
            assert_eq!(deadened(text), dead);
            assert_eq!(deadened(dead), dead);
        }
    }

    #[test]
    fn no_fence_and_no_quote_ends_another() {
        assert_eq!(Inert::block("a\n~~~\n## Goal").to_string(), "~~~~\na\n~~~\n## Goal\n~~~~\n");
        assert_eq!(Inert::block("").to_string(), "~~~\n\n~~~\n");
        assert_eq!(Inert::name("make test").to_string(), "`make test`");
        assert_eq!(Inert::name("a`; @b\n# C").to_string(), "``a`; \\@b # C``");
        assert_eq!(Inert::name("`x``").to_string(), "``` `x`` ```");
        assert_eq!(Inert::words("a\r\n# b").to_string(), "a  # b");
    }

    #[test]
    fn a_prompt_is_never_a_command() {
        for text in ["/compact", "\n /compact", "!ls"] {
            let prompt = Inert::fill_project(text, &[]).into_prompt();
            assert!(prompt.starts_with("What to do:"), "{prompt}");
        }
        assert_eq!(Inert::own("Do it.").into_prompt(), "Do it.");
        // What a project's text and a value make together counts, too.
        let value = ("x", Inert::words("think of @me"));
        let both = Inert::fill_project("ultra{{x}} {{x}}", &[value]).to_string();
        assert_eq!(both, "ultra-think of \\@me think of \\@me");
    }

    proptest! {
        #[test]
        fn nothing_is_expanded_whatever_the_text(
            text in "(@|ultra|think|CODE|plan|[ \\n\\t]|。|\u{feff}|~~~|`|/|!|#|\\PC){0,30}",
        ) {
            for inert in [
                Inert::wish(&text),
                Inert::words(&text),
                Inert::name(&text),
                Inert::block(&text),
                Inert::fill_project(&text, &[("x", Inert::wish(&text))]),
            ] {
                let prompt = inert.clone().into_prompt();
                prop_assert!(!expands(&prompt), "{prompt:?}");
                prop_assert_eq!(deadened(&inert.0), inert.0);
            }
            let block = Inert::block(&text).to_string();
            let fence = block.lines().next().unwrap_or_default().to_owned();
            prop_assert_eq!(block.matches(&fence).count(), 2);
        }
    }
}
