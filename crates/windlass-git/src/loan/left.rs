//! What a guest left: references, and what is under way, read as plain files without following a link, without waiting for a pipe.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use windlass_core::damage::Name;
use windlass_core::damage::loan::{CheckedOut, Refs};

use crate::git::{ObjectFormat, PackedRefs, RefValue, as_path, is_safe_name, listing};
use crate::snapshot::operations;
use windlass_host::tree::{Enter, Kind, TreePath};

/// A reference's file is no longer than this.
const LONGEST: usize = 4 * 1024;

/// All of them in one file are no longer than this.
const LONGEST_LIST: usize = 64 * 1024 * 1024;

/// So many references are read that lie in files of their own. The list of the others has as many as a person's repository has.
const MOST: usize = if cfg!(test) { 20 } else { 20_000 };

/// So many folders are looked into.
const MOST_FOLDERS: usize = 50_000;

/// What a guest's git directory names, as far as it can be read.
#[derive(Debug)]
pub(super) struct Left {
    pub refs: Refs,
    /// Folders of references that cannot be looked into.
    pub unread: Vec<PathBuf>,
}

/// What a plain file says that no link leads to.
fn read_file(path: &TreePath, longest: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(path.open_itself()?, longest as u64 + 1), &mut bytes)?;
    if bytes.len() > longest { Err(io::Error::other("it is too long")) } else { Ok(bytes) }
}

/// Reads what a git directory names.
///
/// # Errors
/// It is none any more: a sentence's end that says why.
pub(super) fn read(folder: &TreePath) -> Result<Left, String> {
    let head = read_file(&folder.join("HEAD"), LONGEST).map_err(|why| format!("HEAD: {why}"))?;
    let head = match RefValue::parse(&head) {
        Some(RefValue::Direct(commit)) => CheckedOut::Commit(commit.to_string()),
        Some(RefValue::Symbolic(name)) if name.starts_with(b"refs/heads/") && is_safe_name(&name) => {
            CheckedOut::Branch(name)
        }
        _ => return Err("HEAD names nothing that can be checked out".to_owned()),
    };
    for name in ["objects", "refs"] {
        if !folder.join(name).is_real_folder() {
            return Err(format!("{name} is not a folder"));
        }
    }
    let packed = match read_file(&folder.join("packed-refs"), LONGEST_LIST) {
        Ok(packed) => packed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(why) => return Err(format!("packed-refs: {why}")),
    };
    let named = PackedRefs::parse(&packed).0.into_iter().map(|(name, id)| (name, id.to_string()));
    let mut all: BTreeMap<Name, String> = named.filter(|(name, _)| is_safe_name(name)).collect();
    let most = all.len() + MOST;
    let unread = walk(folder, most, &mut all)?;
    let (references, mut beside): (BTreeMap<_, _>, BTreeMap<_, _>) = all
        .into_iter()
        .partition(|(name, _)| name.starts_with(b"refs/heads/") || name.starts_with(b"refs/tags/"));
    beside.extend(earlier_stashes(folder));
    beside.extend(of_further_trees(folder));
    let under_way = operations(|name| {
        let name = name.strip_suffix(b"/").unwrap_or(name);
        folder.join(as_path(name)).is_taken()
    });
    Ok(Left { refs: Refs { head, references, beside, under_way }, unread })
}

/// Files with conflicts that are not resolved; none where its index is not to be read.
pub(super) fn unmerged(folder: &TreePath, format: ObjectFormat) -> BTreeSet<Name> {
    let index = folder.join("index").read(listing::LONGEST_INDEX).ok().flatten();
    index.map(|index| unmerged_in(&index, format)).unwrap_or_default()
}

/// Those of an index.
pub(super) fn unmerged_in(index: &[u8], format: ObjectFormat) -> BTreeSet<Name> {
    let tracked = listing::tracked(index, format).unwrap_or_default();
    tracked.into_iter().filter(|(_, stage)| *stage > 0).map(|(path, _)| path).collect()
}

/// The commits that are checked out, on no branch, in working trees that a guest has made of it (`git worktree add`).
fn of_further_trees(folder: &TreePath) -> Vec<(Name, String)> {
    let trees = folder.join("worktrees");
    let names = trees.open_real_folder().and_then(|folder| folder.entries()).unwrap_or_default();
    let head = |tree: &std::ffi::OsStr| {
        let said = read_file(&trees.join(tree).join("HEAD"), LONGEST).ok()?;
        let Some(RefValue::Direct(id)) = RefValue::parse(&said) else { return None };
        Some(([b"worktrees/", tree.as_bytes(), b"/HEAD"].concat(), id.to_string()))
    };
    names.iter().take(MOST).filter_map(|entry| head(&entry.name)).collect()
}

/// The stashes before the last one, which their log alone names.
fn earlier_stashes(folder: &TreePath) -> Vec<(Name, String)> {
    let log = read_file(&folder.join("logs/refs/stash"), LONGEST_LIST).unwrap_or_default();
    let value = |line: &[u8]| match RefValue::parse(line.split(|byte| *byte == b' ').nth(1)?) {
        Some(RefValue::Direct(id)) => Some(id.to_string()),
        _ => None,
    };
    let lines: Vec<&[u8]> = log.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let earlier = lines.iter().rev().enumerate().skip(1).take(MOST);
    earlier
        .filter_map(|(number, line)| Some((format!("refs/stash@{{{number}}}").into_bytes(), value(line)?)))
        .collect()
}

/// Reads the references that lie in files of their own; names the folders that cannot be looked into.
fn walk(folder: &TreePath, most: usize, refs: &mut BTreeMap<Name, String>) -> Result<Vec<PathBuf>, String> {
    let (mut folders, mut too_many) = (0, None);
    let unread = folder.join("refs").descend(&mut |path, within, entry| {
        let name = [b"refs/", path.as_os_str().as_bytes()].concat();
        if entry.kind == Kind::Folder {
            folders += 1;
            if folders > MOST_FOLDERS {
                too_many =
                    Some(format!("more than {MOST_FOLDERS} folders of branches and tags were made in it"));
            }
        } else if is_safe_name(&name)
            && too_many.is_none()
            && let Ok(Some(content)) = within.read(&entry.name, LONGEST)
            && let Some(RefValue::Direct(id)) = RefValue::parse(&content)
        {
            refs.insert(name, id.to_string());
            if refs.len() > most {
                too_many = Some(format!("more than {MOST} branches and tags were made in it"));
            }
        }
        if too_many.is_none() { Enter::Yes } else { Enter::No }
    });
    too_many.map_or(Ok(unread), Err)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use windlass_core::damage::Operation;
    use windlass_host::tree::at as tree_at;

    const ID: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

    fn place() -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        for below in ["objects", "refs/heads/deep", "refs/tags"] {
            fs::create_dir_all(place.path().join(below)).unwrap();
        }
        fs::write(place.path().join("HEAD"), "ref: refs/heads/main\n").unwrap();
        place
    }

    #[test]
    fn references_are_plain_files_and_lines_and_nothing_behind_a_link_or_in_a_pipe() {
        let place = place();
        let at = |below: &str| place.path().join(below);
        fs::write(at("packed-refs"), format!("{ID} refs/heads/packed\n{ID} refs/notes/x\n")).unwrap();
        fs::write(at("refs/heads/deep/one"), format!("{ID}\n")).unwrap();
        fs::write(at("outside"), format!("{ID}\n")).unwrap();
        symlink(at("outside"), at("refs/heads/link")).unwrap();
        symlink(at("refs/heads/deep"), at("refs/heads/folder")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at("refs/heads/pipe"),
            rustix::fs::FileType::Fifo,
            0o600.into(),
            0,
        )
        .unwrap();
        let refs = read(&tree_at(&place.path().canonicalize().unwrap())).unwrap().refs;
        assert_eq!(refs.head, CheckedOut::Branch(b"refs/heads/main".to_vec()));
        let names: Vec<_> = refs.references.into_keys().collect();
        assert_eq!(names, [b"refs/heads/deep/one".to_vec(), b"refs/heads/packed".to_vec()]);
        assert_eq!(refs.beside.into_keys().collect::<Vec<_>>(), [b"refs/notes/x".to_vec()]);
    }

    #[test]
    fn what_is_beside_branches_and_tags_is_read_with_every_stash() {
        let place = place();
        let at = |below: &str| place.path().join(below);
        let id = |digit: char| digit.to_string().repeat(40);
        for below in
            ["refs/remotes/origin", "refs/replace", "refs/wip", "logs/refs", "worktrees/w", "worktrees/v"]
        {
            fs::create_dir_all(at(below)).unwrap();
        }
        fs::write(at("worktrees/w/HEAD"), format!("{}\n", id('b'))).unwrap();
        fs::write(at("worktrees/v/HEAD"), "ref: refs/heads/v\n").unwrap();
        for name in ["refs/remotes/origin/main", "refs/replace/x", "refs/wip/x", "refs/stash"] {
            fs::write(at(name), format!("{}\n", id('c'))).unwrap();
        }
        let line = |from: char, to: char| format!("{} {} A <a@b> 0 +0000\tWIP\n", id(from), id(to));
        fs::write(at("logs/refs/stash"), [line('0', 'a'), "x\n".to_owned(), line('a', 'c')].concat())
            .unwrap();
        let refs = read(&tree_at(&place.path().canonicalize().unwrap())).unwrap().refs;
        let beside: Vec<_> = refs.beside.iter().map(|(name, id)| (name.as_slice(), &id[..1])).collect();
        let expected: [(&[u8], &str); 6] = [
            (b"refs/remotes/origin/main", "c"),
            (b"refs/replace/x", "c"),
            (b"refs/stash", "c"),
            (b"refs/stash@{2}", "a"),
            (b"refs/wip/x", "c"),
            (b"worktrees/w/HEAD", "b"),
        ];
        assert_eq!(beside, expected);
    }

    #[test]
    fn references_are_read_however_deep_they_lie() {
        let place = place();
        let deep = "d/".repeat(300);
        fs::create_dir_all(place.path().join("refs/foo").join(&deep)).unwrap();
        fs::write(place.path().join("refs/foo").join(&deep).join("x"), format!("{ID}\n")).unwrap();
        let left = read(&tree_at(&place.path().canonicalize().unwrap())).unwrap();
        let name = format!("refs/foo/{deep}x").into_bytes();
        assert_eq!((left.refs.beside.into_keys().collect(), left.unread), (vec![name], vec![]));
    }

    #[test]
    fn what_is_under_way_is_read() {
        let place = place();
        fs::write(place.path().join("MERGE_HEAD"), ID).unwrap();
        fs::create_dir(place.path().join("rebase-apply")).unwrap();
        let folder = tree_at(&place.path().canonicalize().unwrap());
        assert_eq!(read(&folder).unwrap().refs.under_way, [Operation::Rebase].into());
        fs::remove_dir(place.path().join("rebase-apply")).unwrap();
        assert_eq!(read(&folder).unwrap().refs.under_way, [Operation::Merge].into());
    }

    #[test]
    fn a_guest_may_make_so_many_references_besides_those_that_it_was_lent() {
        let place = place();
        let at = |below: &str| place.path().join(below);
        let lent: Vec<String> =
            (0..MOST * 2).map(|number| format!("{ID} refs/tags/lent-{number}\n")).collect();
        fs::write(at("packed-refs"), lent.concat()).unwrap();
        for number in 0..MOST {
            fs::write(at(&format!("refs/heads/made-{number}")), format!("{ID}\n")).unwrap();
        }
        let folder = tree_at(&place.path().canonicalize().unwrap());
        assert_eq!(read(&folder).unwrap().refs.references.len(), MOST * 3);
        fs::write(at("refs/tags/made"), format!("{ID}\n")).unwrap();
        assert_eq!(read(&folder).unwrap_err(), "more than 20 branches and tags were made in it");
    }

    #[test]
    fn what_is_no_git_directory_any_more_is_said_to_be_none() {
        for (spoil, said) in [
            ("rm HEAD", "HEAD: "),
            ("rm HEAD; mkfifo HEAD", "HEAD: it is not a file"),
            ("rm HEAD; ln -s /etc/passwd HEAD", "HEAD: "),
            ("echo x > HEAD", "HEAD names nothing"),
            ("echo 'ref: refs/heads/../x' > HEAD", "HEAD names nothing"),
            ("echo 'ref: refs/remotes/x' > HEAD", "HEAD names nothing"),
            ("rm -r refs; ln -s /etc refs", "refs is not a folder"),
            ("mkfifo packed-refs", "packed-refs: it is not a file"),
        ] {
            let place = place();
            let status = windlass_host::process::Command::new("sh")
                .argument("-c")
                .argument(spoil)
                .directory(place.path())
                .run();
            assert!(status.is_ok(), "{spoil}");
            let why = read(&tree_at(&place.path().canonicalize().unwrap())).unwrap_err();
            assert!(why.starts_with(said), "{spoil}: {why}");
        }
    }
}
