//! Names that become parts of subjects, keys and names of streams. Whatever comes from the network or a person is checked here.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use crate::values::RunId;
use serde::{Deserialize, Serialize};

/// A name that cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no {what}: {rule}")]
pub struct NameError {
    /// What it was to name: `name of a worker`.
    pub what: &'static str,
    /// The beginning of what was given, at most 64 characters of it.
    pub text: String,
    /// What such a name consists of.
    pub rule: String,
}

/// How a kind of name is written.
struct Rule {
    what: &'static str,
    /// Characters at most; all are of one byte.
    longest: usize,
    /// What may stand in it beside lower case letters and digits, of which the first character has to be one.
    also: &'static str,
    upper_case: Case,
}

/// Whether upper case letters are told from lower case ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Lower,
    Both,
}

/// A stream has this name too, and a stream is a folder of the server: file systems may not tell cases apart.
const FLEET: Rule = Rule { what: "name of a fleet", longest: 32, also: "-_", upper_case: Case::Lower };
const WORKER: Rule = Rule { what: "name of a worker", longest: 64, also: "-_", upper_case: Case::Both };
const ACCOUNT: Rule = Rule { what: "name of an account", longest: 64, also: "-_@", upper_case: Case::Both };
/// No `+`: that joins the labels of a class.
const LABEL: Rule = Rule { what: "label", longest: 31, also: "-_=", upper_case: Case::Lower };
const RUN: Rule = Rule { what: "id of a run", longest: 32, also: "-", upper_case: Case::Lower };
const KEY: Rule = Rule { what: "key of an order", longest: 200, also: "-_:/=", upper_case: Case::Both };

impl Rule {
    fn check(&self, text: &str) -> Result<(), NameError> {
        let letter = |byte: u8| {
            byte.is_ascii_lowercase()
                || byte.is_ascii_digit()
                || (self.upper_case == Case::Both && byte.is_ascii_uppercase())
        };
        let sound = text.len() <= self.longest
            && text.bytes().next().is_some_and(letter)
            && text.bytes().all(|byte| letter(byte) || self.also.as_bytes().contains(&byte));
        if sound { Ok(()) } else { Err(self.refusal(text)) }
    }

    fn refusal(&self, text: &str) -> NameError {
        let case = if self.upper_case == Case::Both { "letters" } else { "lower case letters" };
        let also: Vec<String> = self.also.chars().map(|one| format!("`{one}`")).collect();
        NameError {
            what: self.what,
            text: text.chars().take(64).collect(),
            rule: format!(
                "it has 1 to {} {case}, digits and {}, and begins with a letter or digit",
                self.longest,
                also.join(" ")
            ),
        }
    }
}

/// Makes a type of a name: checked when it is made, also out of JSON.
macro_rules! name {
    ($(#[$about:meta])* $name:ident, $rule:ident) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// As it was given.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<$name, NameError> {
                $rule.check(text).map(|()| $name(text.to_owned()))
            }
        }

        impl TryFrom<String> for $name {
            type Error = NameError;

            fn try_from(text: String) -> Result<$name, NameError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name! {
    /// A fleet: what shares its streams and buckets. One account of the server can hold several.
    FleetName, FLEET
}
name! {
    /// A worker; no two of a fleet have the same.
    WorkerName, WORKER
}
name! {
    /// Whose usage limits count for a worker: all workers of one account are held back together.
    Account, ACCOUNT
}
name! {
    /// Something that a worker has: `gpu`, `os=linux`.
    Label, LABEL
}
name! {
    /// By which a repeated order is known: the effect's idempotency key.
    OrderKey, KEY
}

/// So many labels has a class at most: with the longest ones, its name is one that the server takes.
pub const MOST_LABELS: usize = 7;

/// What joins the labels of a class; it stands in none.
const JOINED_BY: char = '+';

/// The class without labels. No label begins like that.
const WITHOUT_LABELS: &str = "_any";

/// A class of requirements: the labels that a worker has to have. It is one token of a subject, and the name of a consumer.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class(BTreeSet<Label>);

impl Class {
    /// Of these labels, at most [`MOST_LABELS`].
    pub fn of(labels: impl IntoIterator<Item = Label>) -> Result<Class, NameError> {
        let labels: BTreeSet<Label> = labels.into_iter().collect();
        if labels.len() > MOST_LABELS {
            let class = Class(labels);
            return Err(NameError {
                what: "class",
                text: class.token().chars().take(64).collect(),
                rule: format!("it has {MOST_LABELS} labels at most"),
            });
        }
        Ok(Class(labels))
    }

    /// Its labels, sorted.
    pub fn labels(&self) -> &BTreeSet<Label> {
        &self.0
    }

    /// May a worker that has these labels take its orders?
    pub fn is_served_with(&self, labels: &BTreeSet<Label>) -> bool {
        self.0.is_subset(labels)
    }

    /// One token of a subject; two classes never have the same.
    pub fn token(&self) -> String {
        if self.0.is_empty() {
            return WITHOUT_LABELS.to_owned();
        }
        let labels: Vec<&str> = self.0.iter().map(Label::as_str).collect();
        labels.join(&JOINED_BY.to_string())
    }

    /// The class whose token it is. Only what [`Class::token`] gives is one: a set of labels has no second name.
    pub fn of_token(token: &str) -> Result<Class, NameError> {
        if token == WITHOUT_LABELS {
            return Ok(Class::default());
        }
        // Longer ones are not even taken apart.
        if token.len() > MOST_LABELS * (LABEL.longest + 1) {
            return Err(LABEL.refusal(token));
        }
        let labels: Result<Vec<Label>, NameError> = token.split(JOINED_BY).map(str::parse).collect();
        let class = Class::of(labels?)?;
        if class.token() == token { Ok(class) } else { Err(LABEL.refusal(token)) }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.token())
    }
}

/// A run's id as part of a subject: whatever is no such part is refused.
pub fn checked_run(run: &RunId) -> Result<&str, NameError> {
    RUN.check(&run.0).map(|()| run.0.as_str())
}

/// A commit's name, as it may be handed to git: 40 or 64 hexadecimal digits.
pub fn checked_commit(text: &str) -> Result<&str, NameError> {
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if matches!(text.len(), 40 | 64) && text.bytes().all(digit) {
        return Ok(text);
    }
    let rule = "it has 40 or 64 hexadecimal digits, in lower case".to_owned();
    Err(NameError { what: "name of a commit", text: text.chars().take(64).collect(), rule })
}

/// The longest path of a file below a run's folder, in bytes.
const LONGEST_RUN_FILE: usize = 200;

/// Where a file lies below a run's folder: a worker may bring what calls were told, said and what checks printed, snapshots of its
/// lanes, and nothing else.
pub fn checked_run_file(path: &str) -> Result<&str, NameError> {
    let parts: Vec<&str> = path.split('/').collect();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_part =
        |part: &&str| part.bytes().all(plain) && part.bytes().next().is_some_and(|first| first != b'.');
    let is_known = match parts.as_slice() {
        ["iterations", below @ ..] => (2..=5).contains(&below.len()),
        ["snapshots", name] => name.rsplit_once('.').is_some_and(|(_, end)| end == "pack"),
        _ => false,
    };
    let sound = path.len() <= LONGEST_RUN_FILE && is_known && parts.iter().all(is_part);
    if sound {
        return Ok(path);
    }
    let rule =
        "it lies below iterations/ or snapshots/, and has letters, digits and `-` `_` `.`, none of these first".to_owned();
    Err(NameError { what: "file of a run", text: path.chars().take(64).collect(), rule })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_what_they_are() {
        for (name, sound) in [
            ("night", true),
            ("night-2_b", true),
            ("", false),
            ("-a", false),
            ("_any", false),
            ("a.b", false),
            ("a*", false),
            (">", false),
            ("a b", false),
            ("a\n", false),
            ("a\0", false),
            ("ä", false),
            ("Night", false),
        ] {
            assert_eq!(name.parse::<FleetName>().is_ok(), sound, "{name:?}");
        }
        assert!("Host-7".parse::<WorkerName>().is_ok());
        assert!("a".repeat(32).parse::<FleetName>().is_ok());
        assert!("a".repeat(33).parse::<FleetName>().is_err());
        assert!("effect:3/1-work".parse::<OrderKey>().is_ok());
        assert!(checked_run(&RunId("r-00000001".to_owned())).is_ok());
        assert!(checked_run(&RunId("r-1.>".to_owned())).is_err());
    }

    #[test]
    fn a_refusal_says_the_rule_and_is_short() {
        let error = "x.".repeat(500).parse::<WorkerName>().unwrap_err();
        assert_eq!(error.text.len(), 64);
        assert!(error.to_string().ends_with(
            "is no name of a worker: it has 1 to 64 letters, digits and `-` `_`, and begins with a letter or digit"
        ));
        assert!(serde_json::from_str::<WorkerName>("\"a.b\"").is_err());
    }

    #[test]
    fn a_class_is_one_token_whatever_the_order_of_its_labels() {
        let labels = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<Label>>();
        let class = Class::of(labels(&["os=linux", "gpu", "gpu"])).unwrap();
        assert_eq!(class.token(), "gpu+os=linux");
        assert_eq!(Class::of_token("gpu+os=linux").unwrap(), class);
        assert_eq!(Class::of_token("_any").unwrap(), Class::default());
        for token in ["os=linux+gpu", "gpu+gpu", "", "+", "gpu+", "a.b", "any+_any", &"a+".repeat(200)] {
            assert!(Class::of_token(token).is_err(), "{token:?}");
        }
        let worker: BTreeSet<Label> = labels(&["gpu", "os=linux", "tools=node20"]).into_iter().collect();
        assert!(class.is_served_with(&worker) && Class::default().is_served_with(&BTreeSet::new()));
        assert!(!class.is_served_with(&BTreeSet::new()));
        assert!(Class::of((0..8).map(|label| format!("l{label}").parse().unwrap())).is_err());
    }

    /// What may not be in a token of a subject, nor in a key or the name of a stream.
    fn is_one_token(token: &str) -> bool {
        let forbidden = |letter: char| !letter.is_ascii_graphic() || ".*>/\\\"".contains(letter);
        !token.is_empty() && token.len() <= 255 && !token.contains(forbidden)
    }

    proptest! {
        #[test]
        fn no_text_becomes_more_than_one_token(text in "\\PC{0,80}|[a-z.*> \\t\\n\\x00-]{0,80}") {
            for name in [
                text.parse::<FleetName>().map(String::from),
                text.parse::<WorkerName>().map(String::from),
                text.parse::<Account>().map(String::from),
                text.parse::<Label>().map(String::from),
            ].into_iter().flatten() {
                prop_assert!(is_one_token(&name));
                prop_assert_eq!(&name, &text);
            }
            if let Ok(class) = Class::of_token(&text) {
                prop_assert!(is_one_token(&text));
                prop_assert_eq!(class.token(), text);
            }
        }

        #[test]
        fn every_class_is_read_back_and_has_a_token_of_its_own(
            one in prop::collection::btree_set("[a-z0-9][a-z0-9=_-]{0,30}", 0..MOST_LABELS),
            other in prop::collection::btree_set("[a-z0-9][a-z0-9=_-]{0,3}", 0..MOST_LABELS),
        ) {
            let class = |labels: &BTreeSet<String>| Class::of(labels.iter().map(|label| label.parse().unwrap())).unwrap();
            let (one, other) = (class(&one), class(&other));
            prop_assert!(is_one_token(&one.token()));
            prop_assert_eq!(Class::of_token(&one.token()).unwrap(), one.clone());
            prop_assert_eq!(one == other, one.token() == other.token());
        }
    }
}
