//! What runner and keeper say to each other.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_core::hexadecimal;

/// A name that the runner gives to what it has the keeper start.
pub type SpawnId = u64;

/// From the runner to the keeper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum Request {
    /// Start this; three open files belong to it.
    Spawn(Spawn),
    /// SIGTERM to the group of this one.
    Terminate {
        /// Which.
        id: SpawnId,
    },
    /// SIGKILL to everything below the keeper.
    KillTree,
    /// SIGSTOP to everything below the keeper.
    Pause,
    /// SIGCONT to everything below the keeper.
    Continue,
    /// The runner says [`Request::Pause`] before it is suspended. Where it is stopped without a word, let it go on, and say so.
    KeepAwake,
    /// Keep these open files until you end.
    Hold {
        /// How many.
        count: usize,
    },
    /// When you wind up, and nothing is left below you: run this, for what is elsewhere. It takes the place of an earlier one.
    LastRites(LastRites),
    /// The runner lives. Where nothing like this is heard for so long, it stands still: end what is below you, and say so.
    Beat {
        /// How long.
        patience: Duration,
    },
    /// The runner closes you, and lives: what it waits for itself is its own affair.
    Farewell,
}

impl Request {
    /// How many open files belong to it.
    pub(crate) const fn files(&self) -> usize {
        match self {
            Request::Spawn(_) => 3,
            Request::Hold { count } => *count,
            Request::Terminate { .. }
            | Request::KillTree
            | Request::Pause
            | Request::Continue
            | Request::KeepAwake
            | Request::LastRites(_)
            | Request::Beat { .. }
            | Request::Farewell => 0,
        }
    }
}

/// What to start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spawn {
    /// Its name.
    pub id: SpawnId,
    /// The program, absolute.
    pub program: Text,
    /// Its arguments, without the program's name.
    pub arguments: Vec<Text>,
    /// Its whole environment.
    pub environment: Vec<(Text, Text)>,
    /// Where it runs, absolute.
    pub directory: Text,
}

/// What is run when everything else is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastRites {
    /// The program, absolute.
    pub program: Text,
    /// Its arguments, without the program's name.
    pub arguments: Vec<Text>,
    /// Its whole environment.
    pub environment: Vec<(Text, Text)>,
}

/// The first that a keeper says to the runner; after that it says [`KeeperEvent`](super::KeeperEvent)s.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub(crate) enum Reply {
    /// It is a subreaper and listens.
    Ready,
    /// It cannot work.
    Unfit {
        /// Why.
        reason: String,
    },
}

/// A path, an argument, a variable, a file's content: text where it is text, hexadecimal digits where it is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Text(Vec<u8>);

/// How it is written. A content may be long: digits are half of what numbers are.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Plain(String),
    Digits {
        hexadecimal: String,
    },
    /// How anything else was written before.
    Numbers(Vec<u8>),
}

impl Text {
    /// It, byte by byte.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<Written> for Text {
    fn from(written: Written) -> Text {
        match written {
            Written::Plain(plain) => Text(plain.into_bytes()),
            Written::Digits { hexadecimal } => Text(hexadecimal::bytes(&hexadecimal).unwrap_or_default()),
            Written::Numbers(bytes) => Text(bytes),
        }
    }
}

impl From<Text> for Written {
    fn from(text: Text) -> Written {
        match String::from_utf8(text.0) {
            Ok(plain) => Written::Plain(plain),
            Err(other) => Written::Digits { hexadecimal: hexadecimal::digits(other.as_bytes()) },
        }
    }
}

impl From<Vec<u8>> for Text {
    fn from(bytes: Vec<u8>) -> Text {
        Text(bytes)
    }
}

impl From<&OsStr> for Text {
    fn from(text: &OsStr) -> Text {
        Text(text.as_bytes().to_vec())
    }
}

impl From<Text> for OsString {
    fn from(text: Text) -> OsString {
        OsString::from_vec(text.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_survive_the_wire(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let original = OsString::from_vec(bytes);
            let wire = serde_json::to_string(&Text::from(original.as_os_str())).unwrap();
            prop_assert_eq!(OsString::from(serde_json::from_str::<Text>(&wire).unwrap()), original);
            let numbers = serde_json::to_string(&bytes_of(&wire)).unwrap();
            prop_assert_eq!(bytes_of(&numbers), bytes_of(&wire));
        }
    }

    fn bytes_of(wire: &str) -> Vec<u8> {
        serde_json::from_str::<Text>(wire).unwrap().as_bytes().to_vec()
    }

    #[test]
    fn what_is_no_text_is_written_in_digits() {
        let wire = serde_json::to_string(&Text::from(vec![0xff, 0])).unwrap();
        assert_eq!(wire, r#"{"hexadecimal":"ff00"}"#);
    }
}
