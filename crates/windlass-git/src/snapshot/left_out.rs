//! What a snapshot does not hold, said instead of hidden.

use strum::{EnumIter, EnumString, IntoStaticStr};
use windlass_core::values::Named;

use super::quoting::{quote, unquote};
use crate::inventory::UnreadReason;

/// Something that a snapshot does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Relative to the working tree's root. Of the repository's own objects: below `.git/objects/`.
    pub path: Vec<u8>,
    /// Why.
    pub reason: LeftOutReason,
    /// Its bytes, where they are known; 0 otherwise.
    pub size: u64,
}

/// Why something is not in a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum LeftOutReason {
    /// Larger than one file may be.
    TooLarge,
    /// The snapshot as a whole would be too large with it.
    OverTotal,
    /// It could not be read.
    Unreadable,
    /// A socket, a pipe or a device.
    NotAFile,
    /// It changed each time it was read.
    Changing,
    /// The content of a repository inside the repository.
    Submodule,
    /// The walk without git stopped before it came to the rest.
    Bound,
}

impl From<UnreadReason> for LeftOutReason {
    fn from(why: UnreadReason) -> Self {
        match why {
            UnreadReason::NotAFile => Self::NotAFile,
            UnreadReason::Refused => Self::Unreadable,
            UnreadReason::Changing => Self::Changing,
        }
    }
}

/// The list as it is stored.
pub fn to_text(list: &[LeftOut]) -> String {
    let line = |left: &LeftOut| format!("{}\t{}\t{}\n", left.reason.name(), left.size, quote(&left.path));
    list.iter().map(line).collect()
}

/// The stored list; lines that nobody could have written are passed over.
pub fn from_text(text: &str) -> Vec<LeftOut> {
    let parse = |line: &str| {
        let mut parts = line.splitn(3, '\t');
        let (reason, size, path) = (parts.next()?, parts.next()?, parts.next()?);
        Some(LeftOut { path: unquote(path), reason: reason.parse().ok()?, size: size.parse().ok()? })
    };
    text.lines().filter_map(parse).collect()
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn the_list_reads_back() {
        let list: Vec<LeftOut> = LeftOutReason::iter()
            .map(|reason| LeftOut { path: b"a\tb\nc\xff".to_vec(), reason, size: 7 })
            .collect();
        assert_eq!(from_text(&to_text(&list)), list);
    }
}
