//! A workspace's name: what people type, and the name of its folder.

use std::fmt;

use serde::Serialize;
use thiserror::Error;

/// The longest name, in characters.
const LONGEST: usize = 64;

/// What a name is made of, for messages.
const RULE: &str = "a name has 1 to 64 ASCII letters, digits, `_` and `-`";

/// Names that some systems keep for devices, whatever follows them.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul"];

/// A workspace's name: 1 to 64 ASCII letters, digits, `_` and `-`, not beginning with `-`, and no device's name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct WorkspaceName(String);

/// Why a text is not a name of a workspace: one sentence, with a name that would do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NameError {
    /// Nothing was given.
    #[error("a workspace needs a name: {RULE}, such as `my-job`")]
    Empty,
    /// It has another character.
    #[error("`{shown}` cannot be a workspace's name: {RULE}; `{suggestion}` would do")]
    Character {
        /// The text, harmless to print.
        shown: String,
        /// A name that is like it.
        suggestion: String,
    },
    /// It begins with `-`.
    #[error(
        "`{shown}` cannot be a workspace's name: it begins with `-` and would be taken for an option; `{suggestion}` would do"
    )]
    Hyphen {
        /// The text.
        shown: String,
        /// A name that is like it.
        suggestion: String,
    },
    /// It is too long.
    #[error("a workspace's name of {length} characters is too long: {RULE}; `{suggestion}` would do")]
    TooLong {
        /// Its length in characters.
        length: usize,
        /// Its beginning.
        suggestion: String,
    },
    /// Some systems keep it for a device.
    #[error(
        "`{shown}` cannot be a workspace's name: some systems keep it for a device; `{suggestion}` would do"
    )]
    Device {
        /// The text.
        shown: String,
        /// A name that is like it.
        suggestion: String,
    },
}

impl WorkspaceName {
    /// Reads a name.
    pub fn parse(text: &str) -> Result<WorkspaceName, NameError> {
        if text.is_empty() {
            return Err(NameError::Empty);
        }
        let shown = || shown(text);
        let suggestion = || suggestion(text);
        if !text.chars().all(is_allowed) {
            return Err(NameError::Character { shown: shown(), suggestion: suggestion() });
        }
        if text.len() > LONGEST {
            return Err(NameError::TooLong { length: text.len(), suggestion: suggestion() });
        }
        if text.starts_with('-') {
            return Err(NameError::Hyphen { shown: shown(), suggestion: suggestion() });
        }
        if is_device(text) {
            return Err(NameError::Device { shown: shown(), suggestion: suggestion() });
        }
        Ok(WorkspaceName(text.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WorkspaceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

const fn is_allowed(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

fn is_device(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let numbered = |port: &str| {
        lower
            .strip_prefix(port)
            .is_some_and(|rest| rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    DEVICES.contains(&lower.as_str()) || numbered("com") || numbered("lpt")
}

/// A name that is like a text: what may not stand in a name becomes one `-`.
fn suggestion(text: &str) -> String {
    let mut name = String::new();
    for character in text.chars().take(10 * LONGEST) {
        if is_allowed(character) && character != '-' {
            name.push(character);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if name.len() == LONGEST {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    match name {
        "" => "my-job".to_owned(),
        name if is_device(name) => format!("{name}-job"),
        name => name.to_owned(),
    }
}

/// A text for a message: short, and without anything that moves a cursor.
fn shown(text: &str) -> String {
    let mut short: String = text.chars().filter(|character| !character.is_control()).take(40).collect();
    if text.chars().count() > 40 {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_letters_digits_underscores_and_hyphens() {
        for name in ["a", "port-to_ts", "2026", "_x", "x-", "COM", "com10", "console", &"n".repeat(64)] {
            assert_eq!(WorkspaceName::parse(name).map(|name| name.to_string()).as_deref(), Ok(name));
        }
    }

    // rows: 126
    #[test]
    fn what_is_no_name_is_refused_with_one_that_would_do() {
        for (text, suggestion) in [
            ("", "my-job"),
            ("..", "my-job"),
            (".", "my-job"),
            ("../../etc", "etc"),
            ("a/b", "a-b"),
            ("a\\b", "a-b"),
            ("my job", "my-job"),
            ("🚀", "my-job"),
            ("fix-🚀-now", "fix-now"),
            ("größe", "gr-e"),
            ("-rf", "rf"),
            ("nul", "nul-job"),
            ("Com1", "Com1-job"),
            ("x\0y", "x-y"),
            ("x\n", "x"),
        ] {
            let error = WorkspaceName::parse(text).unwrap_err();
            let said = error.to_string();
            assert!(said.contains(&format!("`{suggestion}`")), "{text:?}: {said}");
            assert!(!said.contains(char::is_control), "{said:?}");
        }
        let long = WorkspaceName::parse(&"n".repeat(65)).unwrap_err();
        assert_eq!(long, NameError::TooLong { length: 65, suggestion: "n".repeat(64) });
    }

    proptest! {
        #[test]
        fn what_is_suggested_is_a_name(text in "\\PC{0,100}") {
            prop_assert!(WorkspaceName::parse(&suggestion(&text)).is_ok());
        }
    }
}
