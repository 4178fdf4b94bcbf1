//! Making a lane's clone, and making it again.

use std::ffi::OsStr;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::{Lane, LaneError, OLDEST_GIT};
use crate::git::alternates::{alternate, alternates};
use crate::git::{GitError, ObjectId, Repository, as_path, is_nothing, locks, version};
use windlass_host::file::FileError;
use windlass_host::tree;
use windlass_host::tree::{TreePath, at};

/// The runner's repository in a lane's folder.
const OWN: &str = "lane.git";

/// The longest of git's small files that is read, in bytes.
const LONGEST: usize = 16 << 20;

/// So many broken repositories of an agent are put aside in a lane's folder until they are told.
const MOST_BROKEN: u32 = 100;

/// For nobody but their owner.
const PRIVATE: u32 = 0o700;

/// As git has its index.
const INDEX: u32 = 0o644;

/// How many repositories borrow from each other at most, as git has it.
const DEEPEST: usize = 5;

impl Lane {
    /// Brings a lane to a commit: its files are exactly the commit's, besides what git ignores (build caches), which
    /// stays. Makes it, or makes it again, where it is not there or broken. Nothing that was in it is worth anything any
    /// more: whoever calls this has landed it, parked it, or has a snapshot of it.
    ///
    /// # Errors
    /// git is older than [`OLDEST_GIT`], the repository lacks some of the commit's objects, or the disk is full.
    pub fn open(main: &Repository, home: &Path, commit: ObjectId) -> Result<Self, LaneError> {
        let found = version(&main.top)?;
        if found < OLDEST_GIT {
            return Err(LaneError::TooOld(found));
        }
        let lane = Self::at(main, home);
        // What makes the first try fail is most often a broken index or a folder that nobody may write to.
        match lane.make(commit) {
            Err(LaneError::Git(GitError::Failed { .. }) | LaneError::File(_)) => {
                remove(&at(home))?;
                lane.make(commit)
            }
            made => made,
        }?;
        Ok(lane)
    }

    /// A lane as it was left, its files untouched; its agent's repository is made again where it is broken. `None` when
    /// there is no lane, or not enough of it.
    pub fn find(main: &Repository, home: &Path) -> Result<Option<Self>, LaneError> {
        let lane = Self::at(main, home);
        if !is_folder(lane.top()) || !is_folder(&lane.repository.git_dir) {
            return Ok(None);
        }
        if lane.repository.plain_commit().is_none() {
            return Ok(None);
        }
        lane.make_repository()?;
        // Asked for before anything is built on it: an object may have gone with a power failure.
        if !lane.has_its_commit()? {
            return Ok(None);
        }
        lane.mend()?;
        Ok(Some(lane))
    }

    /// Has the lane in this folder what it stands at? Nothing is made or changed there.
    pub fn is_whole(main: &Repository, home: &Path) -> Result<bool, LaneError> {
        Ok(Self::is_there(main, home) && Self::at(main, home).has_its_commit()?)
    }

    fn has_its_commit(&self) -> Result<bool, LaneError> {
        let Some(head) = self.repository.plain_commit() else { return Ok(false) };
        Ok(self.call().args(["cat-file", "-e", &format!("{head}^{{tree}}")]).succeeds()?)
    }

    /// Is there a lane in this folder? Whatever became of its agent's repository: it is made again.
    pub fn is_there(main: &Repository, home: &Path) -> bool {
        let lane = Self::at(main, home);
        let own = &lane.repository.git_dir;
        is_folder(lane.top()) && is_folder(&own.join("objects")) && at(&own.join("HEAD")).holds_file()
    }

    /// The lane of this folder, whether it is there or not: for what needs nothing of it.
    pub fn expected_at(main: &Repository, home: &Path) -> Self {
        Self::at(main, home)
    }

    /// Puts the agent's repository aside, beside the lane's own: what it names may be nowhere else. `false` where it is none.
    pub(crate) fn keep_broken(&self) -> Result<bool, FileError> {
        let theirs = at(&self.top().join(".git"));
        let mut free = (1..=MOST_BROKEN).map(|number| self.broken(number));
        let (Some(aside), true) = (free.find(|aside| !aside.is_taken()), theirs.is_real_folder()) else {
            return Ok(false);
        };
        theirs.rename_to(&aside)?;
        Ok(true)
    }

    fn broken(&self, number: u32) -> TreePath {
        at(&self.home).join(format!("broken-{number}"))
    }

    /// The agent's repositories that were put aside, since they were broken.
    pub fn broken_ones(&self) -> Vec<TreePath> {
        (1..=MOST_BROKEN).map(|number| self.broken(number)).take_while(TreePath::is_taken).collect()
    }

    /// Makes the agent's repository again if it is broken: removed, or replaced by something else. Locks of a git that was ended go:
    /// what the agent has put away in it stays. So do files.
    pub fn mend(&self) -> Result<(), LaneError> {
        let theirs = self.top().join(".git");
        let whole = is_folder(&theirs)
            && ["objects", "refs"].iter().all(|name| is_folder(&theirs.join(name)))
            && ["HEAD", "config", "index"].iter().all(|name| at(&theirs).join(name).holds_file());
        if !whole {
            self.keep_broken()?;
            return self.give_repository();
        }
        for lock in locks::of_a_lane(&theirs) {
            // A guest may have made folders of that name.
            at(&lock).remove_file().or_else(|_| at(&lock).remove_folder())?;
        }
        Ok(())
    }

    pub(super) fn at(main: &Repository, home: &Path) -> Self {
        // A folder of the same name: some tools name things after it.
        let name = main.top.file_name().unwrap_or(OsStr::new("lane"));
        let git_dir = home.join(OWN);
        let repository = Repository {
            top: home.join("tree").join(name),
            common_dir: git_dir.clone(),
            git_dir,
            object_format: main.object_format,
            closed_filters: main.closed_filters.clone(),
        };
        tree::hold(&repository.top);
        Self { main: main.clone(), home: home.to_path_buf(), repository, settings: OnceLock::new() }
    }

    fn make(&self, commit: ObjectId) -> Result<(), LaneError> {
        at(&self.home).make_folders_with(PRIVATE)?;
        self.make_repository()?;
        make_plain_folder(&self.home.join("tree"))?;
        make_plain_folder(self.top())?;
        self.bring_files_to(&commit.to_string())?;
        self.point_to(commit)?;
        self.give_repository()?;
        self.empty_submodules()
    }

    /// Where the lane stands from now on.
    pub(super) fn point_to(&self, commit: ObjectId) -> Result<(), FileError> {
        at(&self.repository.git_dir.join("HEAD")).replace(format!("{commit}\n").as_bytes(), 0o600)
    }

    /// The runner's repository: all but its index, its objects and where it stands is written anew.
    pub(super) fn make_repository(&self) -> Result<(), LaneError> {
        let folder = &self.repository.git_dir;
        make_plain_folder(folder)?;
        let hooks = self.main.hooks_folder()?;
        self.write_repository(folder, Some(&hooks), &[])?;
        let head = at(&folder.join("HEAD"));
        if head.read(LONGEST)?.is_none() {
            let nothing = ObjectId::zero(self.repository.object_format);
            head.replace(format!("{nothing}\n").as_bytes(), 0o600)?;
        }
        self.remove_locks()
    }

    /// Nobody but the runner calls git in its repository: a lock there was left by one that was ended.
    pub(super) fn remove_locks(&self) -> Result<(), LaneError> {
        for lock in locks::of_a_lane(&self.repository.git_dir) {
            remove(&at(&lock))?;
        }
        Ok(())
    }

    /// A repository for the agent's own use, standing where the lane stands.
    pub(super) fn give_repository(&self) -> Result<(), LaneError> {
        let theirs = self.top().join(".git");
        at(&theirs).remove_folder()?;
        make_plain_folder(&theirs)?;
        self.write_repository(&theirs, None, &[self.repository.common_dir.join("objects")])?;
        let own = at(&self.repository.git_dir.join("index"));
        if own.holds_file() {
            let index = own.open().map_err(|error| own.failed("read", error))?;
            at(&theirs.join("index")).copy_from(&index, INDEX)?;
        }
        // Last: without it, it is not whole.
        let head = at(&self.repository.git_dir.join("HEAD")).read(LONGEST)?.unwrap_or_default();
        Ok(at(&theirs.join("HEAD")).replace(&head, 0o600)?)
    }

    fn write_repository(
        &self,
        folder: &Path,
        hooks: Option<&Path>,
        nearest: &[PathBuf],
    ) -> Result<(), LaneError> {
        let borrowed = object_folders(&self.main.common_dir.join("objects"))?;
        let borrowed: Vec<PathBuf> = nearest.iter().cloned().chain(borrowed).collect();
        let settings = self.settings()?.file(&self.main, hooks);
        Ok(furnish(&self.main, folder, &settings, &borrowed)?)
    }

    /// Empties the submodules' folders: a lane has only the repository's own files.
    fn empty_submodules(&self) -> Result<(), LaneError> {
        for path in self.submodules()? {
            let folder = at(self.top()).join(as_path(&path));
            folder.remove_folder()?;
            folder.make_folders()?;
        }
        Ok(())
    }

    /// The submodules of the commit that the lane stands at.
    pub(super) fn submodules(&self) -> Result<Vec<Vec<u8>>, GitError> {
        self.repository.submodules()
    }
}

/// Makes a repository of a folder: all but what is checked out, its references, its index and objects of its own.
pub(crate) fn furnish(
    main: &Repository,
    folder: &Path,
    settings: &[u8],
    borrowed: &[PathBuf],
) -> Result<(), FileError> {
    for below in ["objects", "objects/info", "objects/pack", "refs", "refs/heads", "info"] {
        make_plain_folder(&folder.join(below))?;
    }
    let borrowed = borrowed.iter().flat_map(|folder| alternate(folder)).collect::<Vec<u8>>();
    for (name, content) in [("objects/info/alternates", borrowed.as_slice()), ("config", settings)] {
        at(&folder.join(name)).replace(content, 0o600)?;
    }
    for name in ["info/exclude", "info/attributes", "shallow"] {
        let (path, own) = (at(&folder.join(name)), main.common_dir.join(name));
        let content = if is_nothing(&own) { None } else { at(&own).read(LONGEST)? };
        match content {
            Some(content) => path.replace(&content, 0o600)?,
            None => remove(&path)?,
        }
    }
    Ok(())
}

fn is_folder(path: &Path) -> bool {
    at(path).is_real_folder()
}

/// A folder, and not a link to one: what is in its place goes.
pub(crate) fn make_plain_folder(path: &Path) -> Result<(), FileError> {
    let path = at(path);
    if path.is_real_folder() {
        return Ok(());
    }
    remove(&path)?;
    path.make_folders_with(PRIVATE)
}

/// Removes what is there, whatever it is.
fn remove(path: &TreePath) -> Result<(), FileError> {
    match path.remove_folder() {
        Err(error) if error.is_not_found() => Ok(()),
        removed => removed,
    }
}

/// A folder of objects and those that it borrows from, nearest first, all absolute: git takes relative ones only from the
/// repository that it works in.
pub(crate) fn object_folders(objects: &Path) -> Result<Vec<PathBuf>, FileError> {
    let mut found = vec![objects.to_path_buf()];
    let mut next = 0;
    while let Some(folder) = found.get(next).cloned() {
        next += 1;
        // A person may have named it by way of links.
        let named = at(&tree::without_links(&folder)).join("info/alternates");
        let listing = named.read(LONGEST)?.unwrap_or_default();
        for other in alternates(&listing) {
            let other = folder.join(as_path(&other));
            if !found.contains(&other) && found.len() <= DEEPEST * DEEPEST {
                found.push(other);
            }
        }
    }
    Ok(found)
}
