//! A git directory that guests of a sandbox are lent instead of the person's.
//!
//! It lies in the folder of the run and is mounted where guests look for `.git`: over the folder, or named by a file that is
//! mounted over the file. It borrows the person's objects, which are mounted to be read only; its configuration is that of
//! a lane: who commits, line ends, filters, no remotes, no credentials. The person's hooks of a commit and the git directories
//! of submodules are mounted to be read only. Guests may do with it what they like.
//!
//! What states it goes through:
//!
//! - *lent* ([`Loan::lend`], before each guest): it names what the person's repository names, which is written down.
//! - *left*: a guest has committed, moved branches, broken it. Nobody outside runs git in it, ever. Its references are read as
//!   plain files, and its objects are copied, regular files alone, into a repository of the runner's ([`intake`]).
//! - *taken over* ([`Loan::take_over`], before the runner looks at the tree): what may be the person's becomes that
//!   ([`windlass_core::damage::loan`] says what), through a fetch that checks every object anew. What may not is damage: it
//!   stays outside, and the next guest is lent a git directory that is made anew.

mod beside;
mod intake;
mod large;
mod left;
mod narrowed;
mod of_lane;
mod places;
mod refused;
mod take;
#[cfg(test)]
mod tests;
mod under_way;

pub use of_lane::{PutAway, has_put_away, keep_put_away};
pub use take::Taken;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use windlass_core::damage::loan::{CheckedOut, Refs};
use windlass_core::damage::{Name, Operation};
use windlass_core::hexadecimal;

use crate::git::call::Call;
use crate::git::{GitError, Head, Repository};
use crate::lane::{furnish, make_plain_folder, object_folders, settings_for_guests};
use intake::Intake;
use windlass_host::file::{AtPath, FileError, create_private_folder, read_if_there, remove_folder, replace};
use windlass_host::tree::{TreePath, at};

/// A repository, and the git directory that guests of one sandbox are lent for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loan {
    main: Repository,
    /// The folder that everything of the loan is in.
    home: PathBuf,
    /// Where the person's hooks are; perhaps not there.
    hooks: PathBuf,
}

/// So many broken ones are kept of one run.
const MOST_ASIDE: u32 = 1000;

/// What guests have, in the home of their loan.
const REPOSITORY: &str = "repository";

/// What was lent, as it is written down.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Lent {
    /// `refs/heads/…`, or a commit.
    head: String,
    /// Names in hexadecimal, since they are bytes.
    references: Vec<(String, String)>,
    /// The same of what guests had beside, which is theirs.
    #[serde(default)]
    beside: Vec<(String, String)>,
    /// What guests had begun and not finished.
    #[serde(default)]
    under_way: BTreeSet<Operation>,
    /// A digest of the person's index.
    index: String,
    /// Files that have conflicts in it, in hexadecimal.
    #[serde(default)]
    unmerged: Vec<String>,
}

impl Loan {
    /// The loan of this repository in this folder, which need not be there.
    ///
    /// # Errors
    /// git cannot be asked where hooks are, and which filters there are.
    pub fn of(main: &Repository, home: PathBuf) -> Result<Loan, GitError> {
        let mut main = main.clone();
        main.close_filters()?;
        Ok(Loan { hooks: main.hooks_folder()?, main, home })
    }

    /// What guests have, outside.
    fn repository(&self) -> PathBuf {
        self.home.join(REPOSITORY)
    }

    /// The same, to be looked at: guests have been there.
    fn left(&self) -> TreePath {
        at(&self.home.canonicalize().unwrap_or_else(|_| self.home.clone()).join(REPOSITORY))
    }

    fn intake(&self) -> Intake<'_> {
        Intake { main: &self.main, from: self.left(), folder: self.home.join("intake.git") }
    }

    fn record(&self) -> PathBuf {
        self.home.join("lent.json")
    }

    /// What the file says that is mounted over a `.git` that is a file.
    fn pointer(&self) -> PathBuf {
        self.home.join("pointer")
    }

    /// Where guests find the objects that they borrow.
    fn borrowed(&self) -> PathBuf {
        self.home.join("borrowed")
    }

    /// Makes the guests' git directory what the person's is, where nothing that a guest left in it is still to be taken over.
    ///
    /// # Errors
    /// It cannot be written, or the repository cannot be read.
    pub fn lend(&self) -> Result<(), GitError> {
        let mut here = self.here()?.refs;
        let index = self.index()?;
        let (lent, found) = (self.lent()?, left::read(&self.left()).map(|left| left.refs));
        if let (Some((lent, _)), Ok(found)) = (&lent, &found)
            && found != lent
        {
            return match self.write_settings() {
                Err(GitError::File(error)) if !error.is_disk_full() => Ok(()),
                written => written,
            };
        }
        create_private_folder(&self.home)?;
        if let (Some(_), Err(why)) = (&lent, &found) {
            self.put_aside(why)?;
        }
        let whole = found.as_ref().ok().filter(|_| lent.is_some());
        // The next guest goes on with what is theirs, as with a stash, or with a merge that is not finished.
        if let Some(found) = whole {
            let theirs = found.beside.iter().filter(|(name, _)| !name.starts_with(b"refs/remotes/"));
            here.beside.extend(theirs.map(|(name, id)| (name.clone(), id.clone())));
            here.under_way.clone_from(&found.under_way);
        }
        let same = whole.is_some_and(|found| found.head == here.head && found.commit() == here.commit());
        let kept = same && lent.is_some_and(|(_, former)| former == index.digest);
        let write = |index: Option<&Index>| {
            self.write_settings()?;
            self.write_references(&here)?;
            index.map_or(Ok(()), |index| Ok(self.write_index(index)?))
        };
        if whole.is_none() {
            remove_folder(&self.repository())?;
        }
        match write((!kept).then_some(&index)) {
            // A guest has put something in the way.
            Err(GitError::File(error)) if !error.is_disk_full() => {
                remove_folder(&self.repository())?;
                write(Some(&index))?;
            }
            written => written?,
        }
        self.note(&here, &index)
    }

    /// All but what is checked out, references, index and objects.
    fn write_settings(&self) -> Result<(), GitError> {
        let folder = self.repository();
        create_private_folder(&folder)?;
        let objects = object_folders(&self.main.common_dir.join("objects"))?;
        let others = objects.into_iter().skip(1);
        let borrowed: Vec<PathBuf> = std::iter::once(self.borrowed().join("objects")).chain(others).collect();
        let own = self.main.common_dir.join("hooks");
        let hooks = (self.hooks != own).then_some(self.hooks.as_path());
        furnish(&self.main, &folder, &settings_for_guests(&self.main, hooks)?, &borrowed)?;
        for name in ["hooks", "modules"] {
            make_plain_folder(&folder.join(name))?;
        }
        for lock in ["index.lock", "HEAD.lock", "packed-refs.lock", "config.lock"] {
            remove_file(&folder.join(lock));
        }
        let pointer = [b"gitdir: ", folder.as_os_str().as_encoded_bytes(), b"\n"].concat();
        Ok(replace(&self.pointer(), &pointer, 0o600)?)
    }

    fn write_references(&self, here: &Refs) -> Result<(), FileError> {
        let folder = self.repository();
        let refs = folder.join("refs");
        if self.left().join("refs").is_real_folder() {
            remove_folder(&refs)?;
        }
        for below in ["refs", "refs/heads", "refs/tags"] {
            make_plain_folder(&folder.join(below))?;
        }
        let mut packed = b"# pack-refs with: sorted \n".to_vec();
        // Earlier stashes are in a log, and what further working trees of a guest have in files of their own.
        let is_named = |name: &[u8]| name.starts_with(b"refs/") && !name.ends_with(b"}");
        let beside = here.beside.iter().filter(|(name, _)| is_named(name));
        let mut all: Vec<_> = here.references.iter().chain(beside).collect();
        all.sort_unstable();
        for (name, id) in all {
            packed.extend_from_slice(&[id.as_bytes(), b" ", name, b"\n"].concat());
        }
        replace(&folder.join("packed-refs"), &packed, 0o600)?;
        let head = match &here.head {
            CheckedOut::Branch(name) => [b"ref: ", name.as_slice(), b"\n"].concat(),
            CheckedOut::Commit(commit) => format!("{commit}\n").into_bytes(),
        };
        replace(&folder.join("HEAD"), &head, 0o600)
    }

    fn write_index(&self, index: &Index) -> Result<(), FileError> {
        let theirs = self.repository().join("index");
        if let Some(content) = &index.content {
            return replace(&theirs, content, 0o600);
        }
        remove_file(&theirs);
        Ok(())
    }

    /// What the person's repository names.
    fn here(&self) -> Result<Here, GitError> {
        let elsewhere = "%(if)%(worktreepath)%(then)+%(end)";
        let listing = format!("--format=%(objectname) %(symref)%00{elsewhere}%00%(refname)");
        let shared = ["refs/heads", "refs/tags", "refs/remotes"];
        let printed = Call::within(&self.main).arg("for-each-ref").arg(listing).args(shared).output()?;
        let head = match self.main.head()? {
            Head::Unborn { branch } | Head::Branch { branch, .. } => CheckedOut::Branch(branch),
            Head::Detached { commit } => CheckedOut::Commit(commit.to_string()),
        };
        let mut here = Here {
            refs: Refs {
                head,
                references: BTreeMap::new(),
                beside: BTreeMap::new(),
                under_way: BTreeSet::new(),
            },
            elsewhere: BTreeSet::new(),
        };
        for line in printed.split(|byte| *byte == b'\n') {
            let mut parts = line.splitn(3, |byte| *byte == 0);
            let (Some(id), Some(tree), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
                continue;
            };
            // One that stands for another one is none of its own.
            let Some(id) = id.strip_suffix(b" ") else { continue };
            if !tree.is_empty() && here.refs.head != CheckedOut::Branch(name.to_vec()) {
                here.elsewhere.insert(name.to_vec());
            }
            let of = if name.starts_with(b"refs/remotes/") {
                &mut here.refs.beside
            } else {
                &mut here.refs.references
            };
            of.insert(name.to_vec(), String::from_utf8_lossy(id).into_owned());
        }
        Ok(here)
    }

    fn index(&self) -> Result<Index, FileError> {
        let content = read_if_there(&self.main.git_dir.join("index"))?;
        let digest = content.as_deref().map(windlass_host::file::digest).unwrap_or_default();
        Ok(Index { content, digest })
    }

    /// What was lent, and the digest of the index then.
    fn lent(&self) -> Result<Option<(Refs, String)>, FileError> {
        let Some(lent) = self.noted()? else { return Ok(None) };
        let head = match hexadecimal::bytes(&lent.head) {
            Some(name) => CheckedOut::Branch(name),
            None => CheckedOut::Commit(lent.head.trim_start_matches('@').to_owned()),
        };
        let named = |all: Vec<(String, String)>| {
            all.into_iter().filter_map(|(name, id)| Some((hexadecimal::bytes(&name)?, id))).collect()
        };
        let (references, beside) = (named(lent.references), named(lent.beside));
        Ok(Some((Refs { head, references, beside, under_way: lent.under_way }, lent.index)))
    }

    fn noted(&self) -> Result<Option<Lent>, FileError> {
        let content = read_if_there(&self.record())?.unwrap_or_default();
        Ok(serde_json::from_slice(&content).ok())
    }

    fn note(&self, refs: &Refs, index: &Index) -> Result<(), GitError> {
        let head = match &refs.head {
            CheckedOut::Branch(name) => hexadecimal::digits(name),
            CheckedOut::Commit(commit) => format!("@{commit}"),
        };
        let named = |all: &BTreeMap<Name, String>| {
            all.iter().map(|(name, id)| (hexadecimal::digits(name), id.clone())).collect()
        };
        let (references, beside) = (named(&refs.references), named(&refs.beside));
        let under_way = refs.under_way.clone();
        let unmerged =
            index.content.as_deref().map(|content| left::unmerged_in(content, self.main.object_format));
        let unmerged = unmerged.iter().flatten().map(|path| hexadecimal::digits(path)).collect();
        let lent = Lent { head, references, beside, under_way, index: index.digest.clone(), unmerged };
        let lent = serde_json::to_vec(&lent).unwrap_or_default();
        Ok(replace(&self.record(), &lent, 0o600)?)
    }

    /// Nobody is lent anything any more. What was not taken over stays.
    pub fn close(&self) {
        if let (Ok(Some((lent, _))), Ok(found)) = (self.lent(), left::read(&self.left()))
            && found.refs == lent
        {
            // Where it cannot be noted, the git directory itself stays.
            let Ok(has_conflicts) = self.note_conflicts() else { return };
            self.forget();
            // outside: the run's folder.
            let all = if has_conflicts || self.aside(1).exists() {
                vec![self.repository(), self.intake().folder]
            } else {
                vec![self.home.clone()]
            };
            for folder in all {
                let _ = remove_folder(&folder);
            }
        }
    }

    /// The next guest is lent a git directory that is made anew.
    fn forget(&self) {
        remove_file(&self.record());
    }

    fn aside(&self, number: u32) -> PathBuf {
        self.home.join(format!("broken-{number}"))
    }

    /// Why one was put aside, until that is told.
    fn untold(&self, number: u32) -> PathBuf {
        self.home.join(format!("broken-{number}.txt"))
    }

    /// What is there stays where it is put aside, under this number; `None` where it is not there at all.
    fn put_aside(&self, why: &str) -> Result<Option<u32>, FileError> {
        let from = self.repository();
        // outside: the run's folder.
        let free = (1..=MOST_ASIDE).find(|number| !self.aside(*number).exists());
        // outside: the run's folder.
        let (Some(number), true) = (free, from.exists()) else { return Ok(None) };
        // outside: the run's folder.
        replace(&self.untold(number), why.as_bytes(), 0o600)?;
        // outside: the run's folder; what a guest has is moved as it is.
        fs::rename(&from, self.aside(number)).at("put aside", &from)?;
        Ok(Some(number))
    }

    /// Those that were put aside and not told yet, each with why; they count as told from now on.
    fn untold_asides(&self) -> Result<Vec<(PathBuf, String)>, FileError> {
        let mut all = Vec::new();
        // outside: the run's folder.
        for number in (1..=MOST_ASIDE).take_while(|number| self.aside(*number).exists()) {
            // outside: the run's folder.
            if let Some(why) = read_if_there(&self.untold(number))? {
                all.push((self.aside(number), String::from_utf8_lossy(&why).into_owned()));
                // outside: the run's folder.
                remove_file(&self.untold(number));
            }
        }
        Ok(all)
    }
}

/// What the person's repository names.
struct Here {
    /// Remote-tracking branches are what it has beside: guests are lent them.
    refs: Refs,
    /// Branches that are checked out in other working trees.
    elsewhere: BTreeSet<Name>,
}

/// The person's index.
struct Index {
    content: Option<Vec<u8>>,
    digest: String,
}

/// Whatever is at its place; one that is not there is no trouble.
fn remove_file(path: &Path) {
    if fs::remove_file(path).is_err() {
        let _ = remove_folder(path);
    }
}
