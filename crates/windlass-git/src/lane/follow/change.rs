//! What differs between two commits, path by path.

use crate::git::call::{Call, index_line};
use crate::git::{GitError, ObjectFormat, ObjectId, Repository};

/// An entry of a tree: its mode as git writes it, and its object.
pub(super) type Content = Option<(Vec<u8>, ObjectId)>;

/// A path that two commits have differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub path: Vec<u8>,
    pub before: Content,
    pub after: Content,
}

impl Change {
    /// Those from one commit to another, sorted by path; no renames.
    pub fn between(repository: &Repository, from: ObjectId, to: ObjectId) -> Result<Vec<Self>, GitError> {
        let call = Call::within(repository).args(["diff-tree", "-r", "-z", "--no-renames", "--no-commit-id"]);
        let output = call.arg(from.to_string()).arg(to.to_string()).output()?;
        let mut changes = parse(&output);
        changes.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(changes)
    }

    /// How an index differs from a commit.
    pub fn of_index(call: Call, commit: ObjectId) -> Result<Vec<Self>, GitError> {
        let call = call.args(["diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev"]);
        Ok(parse(&call.arg(commit.to_string()).arg("--").output()?))
    }
}

/// Is it a submodule?
pub(super) fn is_submodule(content: &Content) -> bool {
    content.as_ref().is_some_and(|(mode, _)| mode == b"160000")
}

/// The line for `git update-index --index-info -z` that gives a path this content.
pub(super) fn line(path: &[u8], content: &Content, format: ObjectFormat) -> Vec<u8> {
    match content {
        Some((mode, id)) => index_line(&String::from_utf8_lossy(mode), &id.to_string(), path),
        None => index_line("0", &ObjectId::zero(format).to_string(), path),
    }
}

/// `:100644 100755 <before> <after> M`, then the path.
fn parse(raw: &[u8]) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut parts = raw.split(|byte| *byte == 0);
    while let (Some(fields), Some(path)) = (parts.next(), parts.next()) {
        let mut fields = fields.strip_prefix(b":").unwrap_or(fields).split(|byte| *byte == b' ');
        let modes = (fields.next(), fields.next());
        let ids = (fields.next().and_then(ObjectId::from_hex), fields.next().and_then(ObjectId::from_hex));
        if let ((Some(before), Some(after)), (Some(old), Some(new))) = (modes, ids) {
            changes.push(Change {
                path: path.to_vec(),
                before: content(before, old),
                after: content(after, new),
            });
        }
    }
    changes
}

fn content(mode: &[u8], id: ObjectId) -> Content {
    (mode.iter().any(|digit| *digit != b'0')).then(|| (mode.to_vec(), id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_git_prints_about_differences_is_read() {
        let (one, none) = ("1".repeat(40), "0".repeat(40));
        let raw = format!(":100644 100755 {one} {one} M\0a b\n\0:000000 120000 {none} {one} A\0l\0");
        let id = ObjectId::from_hex(one.as_bytes()).unwrap();
        let version = |mode: &str| Some((mode.as_bytes().to_vec(), id));
        let expected = [
            Change { path: b"a b\n".to_vec(), before: version("100644"), after: version("100755") },
            Change { path: b"l".to_vec(), before: None, after: version("120000") },
        ];
        assert_eq!(parse(raw.as_bytes()), expected);
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            parse(&bytes);
        }
    }
}
