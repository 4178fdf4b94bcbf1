//! References that stay where they are although they were elsewhere: whoever has gone on with one since, or works with it in
//! another working tree, loses nothing by a repair of this one.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use windlass_core::words::{short_commit, some_of};

use super::{RepairPlan, read_loose};
use crate::git::alternates::alternate;
use crate::git::call::Call;
use crate::git::{GitError, ObjectId, RefValue, Repository};
use crate::snapshot::{Snapshot, SnapshotError, Store};
use windlass_host::tree::at;

/// What is part of something that is under way, a stash with its list, or what has git read other objects: it is as it was, or
/// means nothing.
const NEVER_GO_ON: [&[u8]; 5] =
    [b"refs/stash", b"refs/bisect/", b"refs/rewritten/", b"refs/worktree/", b"refs/replace/"];

/// Where git notes which branch a rebase or a bisection will go back to.
const NAMING: [&str; 3] = ["rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"];

/// So many references are named in a sentence.
const NAMED: usize = 5;

/// Which references stay.
pub(super) struct Standing<'a> {
    store: &'a Store,
    repository: &'a Repository,
    /// The branch that the files of the snapshot belong to.
    own: Option<Vec<u8>>,
    /// Branches that other working trees have checked out, and where.
    elsewhere: BTreeMap<Vec<u8>, PathBuf>,
    /// git could not be asked: it is not asked again for each of a thousand references.
    is_mute: Cell<bool>,
    gone_on: Vec<Vec<u8>>,
    said: Vec<String>,
}

impl<'a> Standing<'a> {
    pub(super) fn of(
        store: &'a Store,
        target: &Snapshot,
        repository: &'a Repository,
    ) -> Result<Standing<'a>, SnapshotError> {
        let head = store.content_of(&target.repository, b"HEAD")?;
        let own = head.as_deref().and_then(RefValue::parse).and_then(branch);
        let (elsewhere, is_mute) = (checked_out_elsewhere(repository)?, Cell::new(false));
        Ok(Standing { store, repository, own, elsewhere, is_mute, gone_on: Vec::new(), said: Vec::new() })
    }

    /// Does this reference stay at what it says now? That is noted.
    pub(super) fn stays(&mut self, name: &[u8], now: Option<&RefValue>, wanted: &RefValue) -> bool {
        let (Some(RefValue::Direct(now)), RefValue::Direct(wanted)) = (now, wanted) else { return false };
        if let Some(tree) = self.elsewhere.get(name).filter(|_| self.has(now)) {
            self.said.push(format!(
                "{} stays at {} (it was at {}): {} has it checked out",
                shown(name),
                short_commit(&now.to_string()),
                short_commit(&wanted.to_string()),
                tree.display()
            ));
            return true;
        }
        let can_go_on = !NEVER_GO_ON.iter().any(|other| name.starts_with(other));
        let goes_on = can_go_on && self.own.as_deref() != Some(name) && self.is_built_on(now, wanted);
        if goes_on {
            self.gone_on.push(name.to_vec());
        }
        goes_on
    }

    /// A sentence for each working tree's branch, and one for all that have gone on.
    pub(super) fn say(mut self, plan: &mut RepairPlan) {
        plan.left_alone.append(&mut self.said);
        if !self.gone_on.is_empty() {
            let names = some_of(self.gone_on.iter().map(|name| shown(name)), NAMED);
            plan.left_alone.push(format!("gone on since, and not moved: {names}"));
        }
    }

    fn has(&self, commit: &ObjectId) -> bool {
        self.ask(|call| call.args(["cat-file", "-e", &format!("{commit}^{{commit}}")]))
    }

    fn is_built_on(&self, now: &ObjectId, before: &ObjectId) -> bool {
        let (now, before) = (now.to_string(), before.to_string());
        self.ask(|call| call.args(["merge-base", "--is-ancestor", "--end-of-options", &before, &now]))
    }

    /// Asks about the objects that are there and those that are kept. The repository itself is not asked: it may be one that
    /// git cannot read.
    fn ask(&self, question: impl Fn(Call) -> Call) -> bool {
        if self.is_mute.get() {
            return false;
        }
        let own = self.repository.common_dir.join("objects");
        let mut own = alternate(&own);
        own.truncate(own.trim_ascii_end().len());
        let mut call = Call::new(&self.store.folder)
            .option("core.commitGraph=false")
            .env("GIT_DIR", &self.store.folder)
            .env("GIT_OBJECT_DIRECTORY", self.store.copies.folder())
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", OsString::from_vec(own));
        let shallow = self.repository.common_dir.join("shallow");
        if at(&shallow).holds_file() {
            call = call.env("GIT_SHALLOW_FILE", &shallow);
        }
        question(call).succeeds().unwrap_or_else(|_: GitError| {
            self.is_mute.set(true);
            false
        })
    }
}

fn branch(value: RefValue) -> Option<Vec<u8>> {
    match value {
        RefValue::Symbolic(branch) => Some(branch),
        RefValue::Direct(_) => None,
    }
}

/// The branches that other working trees have checked out, or will go back to, and where those are. One that is not there any
/// more has nothing checked out.
fn checked_out_elsewhere(repository: &Repository) -> Result<BTreeMap<Vec<u8>, PathBuf>, SnapshotError> {
    let linked = repository.linked_trees().unwrap_or_default();
    let linked = linked.into_iter().filter(|tree| tree.git_dir != repository.git_dir && tree.is_there());
    let mut trees: Vec<(PathBuf, PathBuf)> = linked.map(|tree| (tree.git_dir, tree.path)).collect();
    let common = &repository.common_dir;
    // A bare repository has no index, and no working tree of its own.
    if repository.is_linked() && at(common).join("index").holds_file() {
        let top = common.parent().filter(|_| common.file_name().is_some_and(|name| name == ".git"));
        trees.push((common.clone(), top.unwrap_or(common).to_owned()));
    }
    let mut found = BTreeMap::new();
    for (git_dir, tree) in trees {
        for name in branches_of(&git_dir)? {
            found.insert(name, tree.clone());
        }
    }
    Ok(found)
}

fn branches_of(git_dir: &Path) -> Result<Vec<Vec<u8>>, SnapshotError> {
    let head = read_loose(&git_dir.join("HEAD"))?;
    let mut names: Vec<Vec<u8>> =
        head.as_deref().and_then(RefValue::parse).and_then(branch).into_iter().collect();
    for file in NAMING {
        let Some(said) = read_loose(&git_dir.join(file))? else { continue };
        let name = said.trim_ascii();
        let is_full = name.starts_with(b"refs/");
        names.push(if is_full { name.to_vec() } else { [b"refs/heads/", name].concat() });
    }
    Ok(names)
}

/// A reference as people say it: branches and tags without what git puts before them.
pub(super) fn shown(name: &[u8]) -> String {
    let short = [&b"refs/heads/"[..], b"refs/tags/"].iter().find_map(|prefix| name.strip_prefix(*prefix));
    String::from_utf8_lossy(short.unwrap_or(name)).into_owned()
}
