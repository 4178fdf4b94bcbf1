//! Looking at the working tree.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::content::{self, LARGEST, unread_id};
use super::opening;
use super::walk::{self, Bound, WALK_BYTES, WALK_FILES, Walked};
use super::{Entry, EntryKind, Inventory, OWN_FOLDER, Place, Unread, UnreadReason, as_path};
use crate::git::{GitError, Head, Listing, ObjectFormat, ObjectId, ObjectKind, Repository, limit_behind};
use windlass_host::tree::{self, Attributes, Folder, Kind, Stamps, TreePath, at};

/// So often what was shut meanwhile is opened, one folder below another: whoever shuts it again and again has it stay so.
const OPENINGS: usize = 16;

/// The working tree could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// git is missing, or hung.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The root is gone.
    #[error("the working tree {} cannot be read: {source}", .root.display())]
    Root {
        /// Which.
        root: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Looks at one working tree again and again, and reads only what changed since it last looked.
///
/// A file whose size, times and inode are as they were is not read again, unless it was changed so shortly before it
/// was read that a further change might not show.
#[derive(Debug)]
pub struct Surveyor {
    place: Place,
    listing: Listing,
    limits: Bound,
    known: HashMap<Vec<u8>, (Stamps, ObjectId)>,
    read: u64,
    /// What could not be read when this first looked: somebody wants it so, and it stays so.
    shut: Option<BTreeSet<Vec<u8>>>,
    /// Bytes of large files that this survey has come by, and of how many it reads.
    large: u64,
    most_of_large: u64,
}

impl Surveyor {
    /// A surveyor that has seen nothing yet.
    pub fn new(place: Place) -> Self {
        let limits = Bound { files: WALK_FILES, bytes: WALK_BYTES };
        Self {
            place,
            listing: Listing::default(),
            limits,
            known: HashMap::new(),
            read: 0,
            shut: None,
            large: 0,
            most_of_large: MOST_OF_LARGE,
        }
    }

    /// The same with another bound for walks without git.
    #[cfg(test)]
    pub(crate) fn with_limits(mut self, limits: Bound) -> Self {
        self.limits = limits;
        self
    }

    /// The same that reads no more than so many bytes of large files.
    #[cfg(test)]
    pub(super) fn with_most_of_large(mut self, bytes: u64) -> Self {
        self.most_of_large = bytes;
        self
    }

    /// Guests are locked in from now on: no filter of the person's that could start what they wrote is run.
    pub fn close_filters(&mut self) -> Result<(), GitError> {
        self.place.repository.as_mut().map_or(Ok(()), Repository::close_filters)
    }

    /// What it looks at.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// How many files it has read so far, those it read again included.
    #[cfg(test)]
    pub(crate) fn files_read(&self) -> u64 {
        self.read
    }

    /// Looks at the working tree. `also` names paths, relative to the root, that are looked at even when git ignores them. What
    /// could be read when this first looked, and cannot any more, is given its owner's permissions back.
    ///
    /// A repository that git cannot read (the agent broke it) is not an error: the files are then found by a walk, and the
    /// inventory says so.
    pub fn survey(&mut self, also: &[Vec<u8>]) -> Result<Inventory, SurveyError> {
        let _open = tree::keep_open();
        for _ in 0..OPENINGS {
            let inventory = self.look_around(also)?;
            let refused = opening::refused(&inventory.unread);
            let shut = self.shut.get_or_insert_with(|| refused.clone());
            let closed: Vec<Vec<u8>> = refused.difference(shut).cloned().collect();
            if self.open(&closed) == 0 {
                return Ok(inventory);
            }
        }
        self.look_around(also)
    }

    /// Gives their owner back what it takes to read these paths: how many of them may now be read that could not.
    pub(crate) fn open(&self, paths: &[Vec<u8>]) -> usize {
        paths.iter().filter(|path| opening::open(&self.place.root, path)).count()
    }

    /// Is the root still there, and may it be read?
    pub fn find_root(&self) -> Result<(), SurveyError> {
        let root = self.place.root.clone();
        at(&root).open_folder().map(drop).map_err(|source| SurveyError::Root { root, source })
    }

    fn look_around(&mut self, also: &[Vec<u8>]) -> Result<Inventory, SurveyError> {
        self.find_root()?;
        let mut inventory = Inventory::default();
        let listed = self.list(&mut inventory)?;
        let mut paths: Vec<(Vec<u8>, bool)> = listed.iter().map(|path| (path.clone(), false)).collect();
        let listed: HashSet<&Vec<u8>> = listed.iter().collect();
        let own = self.own_files();
        let extra: HashSet<&Vec<u8>> =
            own.iter().chain(also).filter(|path| !listed.contains(*path)).collect();
        paths.extend(extra.into_iter().map(|path| (path.clone(), true)));
        paths.sort_unstable();
        self.look(paths, &mut inventory);
        Ok(inventory)
    }

    /// The paths that git lists; those of a walk without git, or when git cannot read its repository.
    fn list(&mut self, inventory: &mut Inventory) -> Result<Vec<Vec<u8>>, SurveyError> {
        if let Some(repository) = &self.place.repository {
            match list_repository(repository, &mut self.listing) {
                Ok((head, paths)) => {
                    inventory.head = Some(head);
                    let closed = self.listing.take_unread().into_iter();
                    inventory.unread.extend(closed.map(|path| Unread { path, why: UnreadReason::Refused }));
                    return Ok(paths);
                }
                // What may not be opened just now is not broken.
                Err(error) if limit_behind(&error).is_some() => return Err(error.into()),
                Err(GitError::Failed { command, said }) => {
                    inventory.trouble = Some(format!("`{command}`: {said}"));
                }
                Err(GitError::File(error)) => inventory.trouble = Some(error.to_string()),
                Err(error) => return Err(error.into()),
            }
        }
        let Walked { paths, bound } = walk::unignored(&self.place.root, self.limits);
        inventory.bound = bound;
        Ok(paths)
    }

    /// Everything below `.windlass/`, at the root and at the working directory.
    fn own_files(&self) -> Vec<Vec<u8>> {
        let mut own = walk::everything(&self.place.root, &self.place.root.join(OWN_FOLDER));
        if self.place.directory != self.place.root {
            own.extend(walk::everything(&self.place.root, &self.place.directory.join(OWN_FOLDER)));
        }
        own
    }

    fn look(&mut self, paths: Vec<(Vec<u8>, bool)>, inventory: &mut Inventory) {
        self.large = 0;
        let mut folders = RealFolders::new(at(&self.place.root));
        let mut known = HashMap::with_capacity(paths.len());
        for (path, ignored) in paths {
            let Some((folder, name)) = (match folders.of(&path) {
                Ok(found) => found,
                Err(why) => {
                    // What cannot be looked at is not gone.
                    inventory.unread.push(Unread { path, why });
                    continue;
                }
            }) else {
                continue;
            };
            match self.look_at(&path, folder, name, &mut known) {
                Ok(Some(Looked { kind, size, content, access })) => {
                    let path = path.strip_suffix(b"/").map(<[u8]>::to_vec).unwrap_or(path);
                    if access == Access::Owner {
                        inventory.private.insert(path.clone());
                    }
                    inventory.entries.push(Entry { path, kind, size, content, ignored });
                }
                Ok(None) => {}
                Err(why) => inventory.unread.push(Unread { path, why }),
            }
        }
        inventory.private.append(&mut folders.private);
        inventory.entries.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        inventory.entries.dedup_by(|one, other| one.path == other.path);
        self.known = known;
    }

    /// What is at a path; nothing when it does not exist or is a plain folder.
    fn look_at(
        &mut self,
        path: &[u8],
        folder: &Folder,
        name: &OsStr,
        known: &mut HashMap<Vec<u8>, (Stamps, ObjectId)>,
    ) -> Result<Option<Looked>, UnreadReason> {
        let Some(found) = folder.look(name).map_err(|_| UnreadReason::Refused)? else { return Ok(None) };
        let format = self.place.object_format();
        match found.kind {
            Kind::Folder => {
                let commit = inner_repository(&at(&self.place.root).join(as_path(path)), format);
                Ok(commit.map(|commit| Looked::open(EntryKind::Submodule, 0, commit)))
            }
            Kind::Link => {
                let target = folder.link_target(name).map_err(|_| UnreadReason::Refused)?;
                let target = target.as_os_str().as_bytes();
                let content = format.identify(ObjectKind::Blob, target);
                Ok(Some(Looked::open(EntryKind::Symlink, target.len() as u64, content)))
            }
            Kind::File => {
                let content = self.file_content(path, || folder.open(name), &found, known)?;
                let access = if found.mode & OF_OTHERS == 0 { Access::Owner } else { Access::Others };
                Ok(Some(Looked { access, ..Looked::open(EntryKind::of_file(&found), found.size, content) }))
            }
            Kind::Other(_) => Err(UnreadReason::NotAFile),
        }
    }

    fn file_content(
        &mut self,
        path: &[u8],
        open: impl Fn() -> io::Result<File>,
        found: &Attributes,
        known: &mut HashMap<Vec<u8>, (Stamps, ObjectId)>,
    ) -> Result<ObjectId, UnreadReason> {
        let stamps = Stamps::of(*found);
        if found.size > LARGEST_KEPT && found.size <= LARGEST {
            self.large += found.size;
            if self.large > self.most_of_large {
                return Ok(unread_id(stamps, self.place.object_format()));
            }
        }
        if let Some((path, (before, content))) = self.known.remove_entry(path)
            && before == stamps
        {
            known.insert(path, (stamps, content));
            return Ok(content);
        }
        let now = SystemTime::now();
        self.read += 1;
        let read = content::identify(open, self.place.object_format()).map_err(|_| UnreadReason::Refused)?;
        let (content, stamps) = read.ok_or(UnreadReason::Changing)?;
        if !stamps.are_fresh(now) {
            known.insert(path.to_vec(), (stamps, content));
        }
        Ok(content)
    }
}

/// What is at a path.
struct Looked {
    kind: EntryKind,
    size: u64,
    content: ObjectId,
    access: Access,
}

impl Looked {
    fn open(kind: EntryKind, size: u64, content: ObjectId) -> Looked {
        Looked { kind, size, content, access: Access::Others }
    }
}

/// Who may do something with a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Owner,
    Others,
}

/// The permissions of all but a file's owner.
pub(crate) const OF_OTHERS: u32 = 0o077;

fn list_repository(repository: &Repository, listing: &mut Listing) -> Result<(Head, Vec<Vec<u8>>), GitError> {
    // Without this, a folder above may be a repository as well, and git would speak of that one.
    if !at(&repository.git_dir).join("HEAD").is_taken() {
        return Err(GitError::Failed {
            command: "git ls-files".into(),
            said: "the repository has no HEAD".into(),
        });
    }
    Ok((repository.head()?, listing.files(repository)?))
}

/// No snapshot holds a file that is larger, in bytes.
pub const LARGEST_KEPT: u64 = 50 << 20;

/// So many bytes of large files are read, in the order of their paths; of the others size and times say what they are.
/// Nobody waits for as many bytes as a guest can promise.
const MOST_OF_LARGE: u64 = 16 << 30;

/// The longest file that says where a repository is.
const LONGEST_LINK: usize = 16 * 1024;

/// The commit of a repository inside the repository, all zeros when it has none or cannot be read; `None` for a plain
/// folder.
pub(super) fn inner_repository(folder: &TreePath, format: ObjectFormat) -> Option<ObjectId> {
    let link = folder.join(".git");
    let git_dir = if link.look().ok()??.is_folder() {
        link
    } else {
        let text = link.read(LONGEST_LINK).ok()??;
        folder.join(as_path(text.trim_ascii_end().strip_prefix(b"gitdir: ")?))
    };
    let git_dir = git_dir.shown();
    let inner = Repository {
        top: folder.shown(),
        common_dir: git_dir.clone(),
        git_dir,
        object_format: format,
        closed_filters: None,
    };
    Some(inner.plain_commit().unwrap_or_else(|| ObjectId::zero(format)))
}

/// Knows which folders are real ones: what lies behind a symbolic link is not in this working tree.
///
/// Paths come sorted: of one folder one after the other, so that each is opened once or a few times.
struct RealFolders {
    root: TreePath,
    /// The folder that the last path was in; no folder where a link leads there, or nothing is there.
    last: Option<(Vec<u8>, Opened)>,
    /// Those that nobody but their owner may enter, of all that paths were in.
    private: BTreeSet<Vec<u8>>,
}

/// A folder that was opened; `None` where none is there, or a link is.
type Opened = Result<Option<Folder>, UnreadReason>;

impl RealFolders {
    fn new(root: TreePath) -> Self {
        Self { root, last: None, private: BTreeSet::new() }
    }

    /// Those of the folders down to this one that are private, but for the ones that lead to the last one, which are known.
    fn private_on_the_way_to(&self, folder: &[u8], open: &Opened) -> Vec<Vec<u8>> {
        let (folder, last) = (as_path(folder), self.last.as_ref().map_or(&[][..], |(last, _)| last));
        let is_known = |way: &Path| way.as_os_str().is_empty() || as_path(last).starts_with(way);
        let look = |way: &Path| match open {
            Ok(Some(open)) if way == folder => open.attributes().ok(),
            _ => self.root.join(way).look().ok().flatten(),
        };
        let is_private = |found: Attributes| found.is_folder() && found.mode & OF_OTHERS == 0;
        let private = folder
            .ancestors()
            .take_while(|way| !is_known(way))
            .filter(|way| look(way).is_some_and(is_private));
        private.map(|way| way.as_os_str().as_bytes().to_vec()).collect()
    }

    /// The folder of a path, and its name there; `None` where the folder is not a real one.
    fn of<'path>(&mut self, path: &'path [u8]) -> Result<Option<(&Folder, &'path OsStr)>, UnreadReason> {
        let path = path.strip_suffix(b"/").unwrap_or(path);
        let (folder, name) = match memchr::memrchr(b'/', path) {
            Some(end) => path.split_at_checked(end).unwrap_or_default(),
            None => (&b""[..], path),
        };
        let name = name.strip_prefix(b"/").unwrap_or(name);
        if self.last.as_ref().is_none_or(|(last, _)| last != folder) {
            let open = match self.root.join(as_path(folder)).open_real_folder() {
                Ok(folder) => Ok(Some(folder)),
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(UnreadReason::Refused),
                Err(_) => Ok(None),
            };
            self.private.extend(self.private_on_the_way_to(folder, &open));
            self.last = Some((folder.to_vec(), open));
        }
        match self.last.as_ref().map(|(_, open)| open) {
            Some(Ok(Some(open))) => Ok(Some((open, OsStr::from_bytes(name)))),
            Some(Err(why)) => Err(*why),
            _ => Ok(None),
        }
    }
}
