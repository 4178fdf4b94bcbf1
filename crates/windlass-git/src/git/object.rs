//! Names of git objects: the digest of their kind, their length and their content.

use std::fmt::{self, Write};
use strum::{EnumString, IntoStaticStr};
use windlass_core::values::Named;

use sha1::{Digest, Sha1};
use sha2::Sha256;
use windlass_host::tree::Attributes;

/// How a repository names its objects; in words as git's configuration does it (`extensions.objectFormat`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ObjectFormat {
    /// 20 bytes.
    #[default]
    Sha1,
    /// 32 bytes.
    Sha256,
}

impl ObjectFormat {
    /// How many bytes a name has.
    pub const fn length(self) -> usize {
        match self {
            ObjectFormat::Sha1 => 20,
            ObjectFormat::Sha256 => 32,
        }
    }

    /// The name of a file with this content.
    pub fn of_file(self, content: &[u8]) -> ObjectId {
        self.identify(ObjectKind::Blob, content)
    }

    /// The name of an object whose content is at hand.
    pub(crate) fn identify(self, kind: ObjectKind, content: &[u8]) -> ObjectId {
        let mut hasher = Hasher::new(self, kind, content.len() as u64);
        hasher.update(content);
        hasher.finish()
    }
}

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ObjectKind {
    /// A file's content, or where a symbolic link points to.
    Blob,
    /// A folder.
    Tree,
    /// A commit.
    Commit,
}

/// An object's name. Shows itself in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    format_length: u8,
    bytes: [u8; 32],
}

impl ObjectId {
    /// The name with these bytes; `None` unless there are 20 or 32.
    pub(crate) fn from_bytes(name: &[u8]) -> Option<Self> {
        let mut bytes = [0; 32];
        bytes.get_mut(..name.len())?.copy_from_slice(name);
        match name.len() {
            20 => Some(Self { format_length: 20, bytes }),
            32 => Some(Self { format_length: 32, bytes }),
            _ => None,
        }
    }

    /// The name with this hexadecimal form; `None` unless it has 40 or 64 digits.
    pub fn from_hex(hex: &[u8]) -> Option<Self> {
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let bytes: Option<Vec<u8>> = hex
            .chunks(2)
            .map(|pair| match *pair {
                [high, low] => Some(digit(high)? << 4 | digit(low)?),
                _ => None,
            })
            .collect();
        Self::from_bytes(&bytes?)
    }

    /// All zeros: no object.
    pub(crate) fn zero(format: ObjectFormat) -> Self {
        Self { format_length: if format == ObjectFormat::Sha1 { 20 } else { 32 }, bytes: [0; 32] }
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.format_length)).unwrap_or(&self.bytes)
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        for byte in self.as_bytes() {
            for nibble in [byte >> 4, byte & 15] {
                f.write_char(DIGITS.get(usize::from(nibble)).map_or('0', |digit| char::from(*digit)))?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Names an object whose content comes in pieces.
pub struct Hasher(Inner);

enum Inner {
    Sha1(Sha1),
    Sha256(Sha256),
}

impl Hasher {
    /// Begins an object of this kind and this many bytes.
    pub(crate) fn new(format: ObjectFormat, kind: ObjectKind, length: u64) -> Self {
        let mut hasher = Self(match format {
            ObjectFormat::Sha1 => Inner::Sha1(Sha1::new()),
            ObjectFormat::Sha256 => Inner::Sha256(Sha256::new()),
        });
        hasher.update(&header(kind, length));
        hasher
    }

    /// Takes the next piece.
    pub(crate) fn update(&mut self, piece: &[u8]) {
        match &mut self.0 {
            Inner::Sha1(sha) => sha.update(piece),
            Inner::Sha256(sha) => sha.update(piece),
        }
    }

    /// The name.
    pub(crate) fn finish(self) -> ObjectId {
        let mut bytes = [0; 32];
        let (format_length, digest) = match self.0 {
            Inner::Sha1(sha) => (20, sha.finalize().to_vec()),
            Inner::Sha256(sha) => (32, sha.finalize().to_vec()),
        };
        for (to, from) in bytes.iter_mut().zip(digest) {
            *to = from;
        }
        ObjectId { format_length, bytes }
    }
}

/// What precedes an object's content, in its digest and in its file.
pub fn header(kind: ObjectKind, length: u64) -> Vec<u8> {
    format!("{} {length}\0", kind.name()).into_bytes()
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    /// A file.
    File,
    /// A file that its owner may execute.
    Executable,
    /// A symbolic link; never followed.
    Symlink,
    /// A repository inside the repository, registered as a submodule or not.
    Submodule,
}

impl EntryKind {
    /// Its mode in a git tree or index.
    pub const fn git_mode(self) -> &'static str {
        match self {
            EntryKind::File => "100644",
            EntryKind::Executable => "100755",
            EntryKind::Symlink => "120000",
            EntryKind::Submodule => "160000",
        }
    }

    /// What a plain file is.
    pub(crate) fn of_file(found: &Attributes) -> Self {
        if found.mode & 0o100 == 0 { EntryKind::File } else { EntryKind::Executable }
    }

    /// Does a snapshot hold its bytes?
    pub(crate) const fn has_bytes(self) -> bool {
        !matches!(self, EntryKind::Submodule)
    }

    /// The kind with this mode; folders (`40000`) have none.
    pub fn from_git_mode(mode: &[u8]) -> Option<Self> {
        let kinds = [EntryKind::File, EntryKind::Executable, EntryKind::Symlink, EntryKind::Submodule];
        kinds.into_iter().find(|kind| kind.git_mode().as_bytes() == mode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_git_gives() {
        let empty = ObjectFormat::Sha1.identify(ObjectKind::Blob, b"");
        assert_eq!(empty.to_string(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        let tree = ObjectFormat::Sha256.identify(ObjectKind::Tree, b"");
        assert_eq!(tree.to_string(), "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321");
    }

    #[test]
    fn hexadecimal_forms_are_read_back_and_others_refused() {
        let id = ObjectFormat::Sha256.identify(ObjectKind::Blob, b"x");
        assert_eq!(ObjectId::from_hex(id.to_string().as_bytes()), Some(id));
        for wrong in
            ["", "0", "e69de29bb2d1d6434b8b29ae775ad8c2e48c539", "g".repeat(40).as_str(), &"0".repeat(80)]
        {
            assert_eq!(ObjectId::from_hex(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
