//! What a commit holds: its files, and what is in them.

use super::call::{Call, unexpected, zero_ended};
use super::{EntryKind, GitError, ObjectId};

/// A file of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// From the top, parts separated by `/`.
    pub path: Vec<u8>,
    pub kind: EntryKind,
    pub content: ObjectId,
    /// Bytes; 0 for a submodule.
    pub size: u64,
}

/// All files of a commit. `call` says where.
pub(crate) fn leaves(call: Call, commit: ObjectId) -> Result<Vec<Leaf>, GitError> {
    let listing = call.args(["ls-tree", "-r", "-z", "-l", "--full-tree"]).arg(commit.to_string()).output()?;
    let lines = zero_ended(&listing);
    lines.map(|line| leaf(line).ok_or_else(|| unexpected("git ls-tree", line))).collect()
}

/// The contents of some objects, in their order, each with its name. All of them are held at once.
pub(crate) fn contents(call: Call, wanted: &[ObjectId]) -> Result<Vec<(ObjectId, Vec<u8>)>, GitError> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let asked = wanted.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n") + "\n";
    let printed = call.args(["cat-file", "--batch=%(objectsize)"]).input(asked).output()?;
    let mut rest = printed.as_slice();
    let mut found = Vec::with_capacity(wanted.len());
    for id in wanted {
        let (content, after) =
            next_content(rest).ok_or_else(|| unexpected("git cat-file", b"less than was asked for"))?;
        found.push((*id, content.to_vec()));
        rest = after;
    }
    Ok(found)
}

/// A line of `git ls-tree -l`: mode, kind, object, size, a tabulator, and the path. What has no size has `-`.
fn leaf(line: &[u8]) -> Option<Leaf> {
    let tab = memchr::memchr(b'\t', line)?;
    let (before, path) = (std::str::from_utf8(line.get(..tab)?).ok()?, line.get(tab + 1..)?);
    let mut parts = before.split_ascii_whitespace();
    let (mode, _, id, size) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    Some(Leaf {
        path: path.to_vec(),
        kind: EntryKind::from_git_mode(mode.as_bytes())?,
        content: ObjectId::from_hex(id.as_bytes())?,
        size: if size == "-" { 0 } else { size.parse().ok()? },
    })
}

/// The next content that `git cat-file --batch` printed: its size in a line, its bytes, and a line's end.
fn next_content(printed: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(b'\n', printed)?;
    let size: usize = std::str::from_utf8(printed.get(..end)?).ok()?.parse().ok()?;
    let (content, rest) = printed.get(end + 1..)?.split_at_checked(size)?;
    Some((content, rest.strip_prefix(b"\n")?))
}
