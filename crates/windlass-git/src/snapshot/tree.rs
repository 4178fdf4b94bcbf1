//! Folders as git stores them.

use super::loose::LooseObjects;
use super::{KeptFile, SnapshotError};
use crate::git::{ObjectId, ObjectKind};
use crate::inventory::EntryKind;

const FOLDER_MODE: &str = "40000";

/// Writes the trees for leaves that are sorted by path, and names the uppermost.
pub(super) fn write(objects: &mut LooseObjects, leaves: &[KeptFile]) -> Result<ObjectId, SnapshotError> {
    write_level(objects, leaves, 0)
}

/// `skip`: how many bytes of each path lead to this level.
fn write_level(
    objects: &mut LooseObjects,
    leaves: &[KeptFile],
    skip: usize,
) -> Result<ObjectId, SnapshotError> {
    let mut content = Vec::new();
    let mut rest = leaves;
    while let Some(first) = rest.first() {
        let below = first.path.get(skip..).unwrap_or_default();
        let Some(end) = memchr::memchr(b'/', below) else {
            push_line(&mut content, first.kind.git_mode(), below, &first.content);
            rest = rest.get(1..).unwrap_or_default();
            continue;
        };
        let (name, with_slash) =
            (below.get(..end).unwrap_or_default(), below.get(..=end).unwrap_or_default());
        let inside = |leaf: &KeptFile| leaf.path.get(skip..).is_some_and(|path| path.starts_with(with_slash));
        let count = rest.iter().take_while(|leaf| inside(leaf)).count();
        let (folder, others) = rest.split_at_checked(count).unwrap_or_default();
        let id = write_level(objects, folder, skip + with_slash.len())?;
        push_line(&mut content, FOLDER_MODE, name, &id);
        rest = others;
    }
    objects.write(ObjectKind::Tree, &content)
}

/// Git sorts folders as if their names ended in a slash; whole paths are sorted that way by themselves.
fn push_line(tree: &mut Vec<u8>, mode: &str, name: &[u8], id: &ObjectId) {
    tree.extend_from_slice(mode.as_bytes());
    tree.push(b' ');
    tree.extend_from_slice(name);
    tree.push(0);
    tree.extend_from_slice(id.as_bytes());
}

/// Reads a tree with all that is below it, sorted by path.
pub(super) fn read(objects: &LooseObjects, id: &ObjectId) -> Result<Vec<KeptFile>, SnapshotError> {
    let mut leaves = Vec::new();
    read_level(objects, id, &[], &mut leaves)?;
    leaves.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    Ok(leaves)
}

fn read_level(
    objects: &LooseObjects,
    id: &ObjectId,
    prefix: &[u8],
    leaves: &mut Vec<KeptFile>,
) -> Result<(), SnapshotError> {
    let content = objects.read(id, ObjectKind::Tree)?;
    let lines = parse(&content, objects.format().length())
        .ok_or_else(|| SnapshotError::Damaged { id: id.to_string(), why: "it is not a tree".to_owned() })?;
    for (mode, name, id) in lines {
        let path = [prefix, name].concat();
        match EntryKind::from_git_mode(mode) {
            Some(kind) => leaves.push(KeptFile { path, kind, content: id }),
            None => read_level(objects, &id, &[path.as_slice(), b"/"].concat(), leaves)?,
        }
    }
    Ok(())
}

/// A line of a tree: mode, name, object.
pub(crate) type Line<'a> = (&'a [u8], &'a [u8], ObjectId);

/// The lines of a tree: mode, name, object. `None` when it is damaged, or when a name would lead elsewhere.
pub fn parse(mut content: &[u8], id_length: usize) -> Option<Vec<Line<'_>>> {
    let mut lines = Vec::new();
    while !content.is_empty() {
        let space = memchr::memchr(b' ', content)?;
        let end = memchr::memchr(0, content)?;
        let (mode, name) = (content.get(..space)?, content.get(space + 1..end)?);
        let (id, rest) = content.get(end + 1..)?.split_at_checked(id_length)?;
        if name.is_empty() || name == b"." || name == b".." || name.contains(&b'/') {
            return None;
        }
        if mode != FOLDER_MODE.as_bytes() && EntryKind::from_git_mode(mode).is_none() {
            return None;
        }
        lines.push((mode, name, ObjectId::from_bytes(id)?));
        content = rest;
    }
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::ObjectFormat;
    use proptest::prelude::*;

    fn leaves(paths: &[&str]) -> Vec<KeptFile> {
        let content = ObjectFormat::Sha1.identify(ObjectKind::Blob, b"");
        let mut leaves: Vec<_> = paths
            .iter()
            .map(|path| KeptFile { path: path.as_bytes().to_vec(), kind: EntryKind::File, content })
            .collect();
        leaves.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        leaves
    }

    #[test]
    fn a_tree_is_read_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut objects = LooseObjects::new(folder.path().to_path_buf(), ObjectFormat::Sha1);
        // The order of bytes and git's order differ for these.
        let leaves = leaves(&["a.b", "a/b/c", "a/x", "a0", "a-", "z"]);
        let id = write(&mut objects, &leaves).unwrap();
        assert_eq!(read(&objects, &id).unwrap(), leaves);
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_parsed(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            parse(&bytes, 20);
        }
    }
}
