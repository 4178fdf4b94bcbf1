//! What became of commits.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::SystemTime;

use super::call::Call;
use super::{EntryKind, GitError, ObjectId, Repository};
use windlass_host::tree::{TreePath, at};

/// The files of a commit's tree, by path.
pub type TreeFiles = BTreeMap<Vec<u8>, (EntryKind, ObjectId)>;

/// The longest `shallow` that is read, in bytes.
const LONGEST_SHALLOW: usize = 1 << 20;

/// So many commits are named that no branch has.
const MOST_UNNAMED: u32 = 100;

/// A commit, and what it says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastChange {
    /// Its name.
    pub commit: ObjectId,
    /// Its message.
    pub message: String,
}

fn is_pack(name: &OsStr) -> bool {
    name.as_bytes().ends_with(b".pack")
}

impl Repository {
    /// Of these commits and those before them the ones that neither a branch, a tag nor HEAD has: short names with subjects, the newest
    /// first.
    pub fn commits_on_no_branch(&self, commits: &[ObjectId]) -> Result<Vec<String>, GitError> {
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let call = Call::within(self).args(["log", "--no-show-signature", "--format=%h %s"]);
        let call =
            call.arg(format!("--max-count={MOST_UNNAMED}")).args(commits.iter().map(ObjectId::to_string));
        let named = ["--not", "--branches", "--tags", "--remotes", "HEAD", "--"];
        let printed = call.args(named).output()?;
        Ok(String::from_utf8_lossy(&printed).lines().map(str::to_owned).collect())
    }

    /// Is the first commit the second one, or one of those it was built on? No, also where one of them is not there.
    pub fn is_in_history_of(&self, first: &str, second: &str) -> Result<bool, GitError> {
        let call = self.history().args(["merge-base", "--is-ancestor", "--end-of-options", first, second]);
        Ok(first == second || call.succeeds()?)
    }

    /// Is a commit nothing but the merge of two others, as git makes it by itself? No, where both changed the same.
    pub fn is_merge_of(&self, commit: &str, [first, second]: [&str; 2]) -> Result<bool, GitError> {
        let tree = Call::within(self).args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
        let tree = tree.arg(format!("{commit}^{{tree}}")).found_id()?.map(|tree| tree.to_string());
        let listed = Call::within(self).args(["rev-list", "--parents", "--max-count=1", "--end-of-options"]);
        let listed = String::from_utf8_lossy(&listed.arg(commit).output()?).into_owned();
        if listed.split_whitespace().skip(1).ne([first, second]) {
            return Ok(false);
        }
        let merged =
            Call::within(self).args(["merge-tree", "--write-tree", "--end-of-options", first, second]);
        let merged = merged.found_id()?.map(|tree| tree.to_string());
        Ok(merged.is_some() && merged == tree)
    }

    /// Does git merge a commit into another one without a conflict? `None` where this git cannot say so without a working tree.
    pub fn merges_cleanly(&self, commit: &str, into: &str) -> Result<Option<bool>, GitError> {
        let call = self.history().args(["merge-tree", "--write-tree", "--end-of-options", into, commit]);
        Ok(match call.run()?.code {
            0 => Some(true),
            1 => Some(false),
            _ => None,
        })
    }

    /// The paths that a merge of the second commit into the first one changes there: what changed on the way to it since both parted,
    /// and is not there as it has it.
    pub fn brought_by_merge(&self, into: &str, commit: &str) -> Result<Vec<PathBuf>, GitError> {
        let parted = self.history().args(["merge-base", "--end-of-options", into, commit]).found_id()?;
        let Some(parted) = parted else { return Ok(Vec::new()) };
        let own = self.differing(&parted.to_string(), commit)?;
        let others = self.differing(into, commit)?;
        Ok(own.into_iter().filter(|path| others.contains(path)).collect())
    }

    fn differing(&self, one: &str, other: &str) -> Result<BTreeSet<PathBuf>, GitError> {
        let call = self.history().args(["diff-tree", "-r", "-z", "--name-only", "--no-renames"]);
        let output = call.args(["--end-of-options", one, other]).output()?;
        let paths = output.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(|path| PathBuf::from(OsStr::from_bytes(path))).collect())
    }

    /// Has the second commit each file as the first one has it that changed on the way to that since both parted, and did any
    /// change? So it is after a merge that made one commit of several, until somebody changes one of these files again.
    pub fn has_changes_of(&self, into: ObjectId, commit: ObjectId) -> Result<bool, GitError> {
        let (into, commit) = (into.to_string(), commit.to_string());
        let parted = self.history().args(["merge-base", "--end-of-options", &into, &commit]).found_id()?;
        let Some(parted) = parted else { return Ok(false) };
        let (before, after) = (self.files_of(&parted.to_string())?, self.files_of(&commit)?);
        let there = self.files_of(&into)?;
        let paths = before.keys().chain(after.keys());
        let mut changed = paths.filter(|path| before.get(*path) != after.get(*path)).peekable();
        Ok(changed.peek().is_some() && changed.all(|path| there.get(path) == after.get(path)))
    }

    /// A branch or tag that holds a commit, if there is one.
    pub fn holder(&self, commit: &str) -> Result<Option<Vec<u8>>, GitError> {
        let contains = format!("--contains={commit}");
        let shared = ["refs/heads", "refs/tags", "refs/remotes"];
        let call = self.history().args(["for-each-ref", "--count=1", "--format=%(refname)", &contains]);
        let answer = call.args(shared).run()?;
        let name = answer.output.trim_ascii_end();
        Ok((answer.code == 0 && !name.is_empty()).then(|| name.to_vec()))
    }

    /// The files of the commit that is checked out; none where there is no commit yet.
    pub fn files_of_head(&self) -> Result<TreeFiles, GitError> {
        let commit = self.head()?.commit().map(|commit| commit.to_string());
        commit.map_or_else(|| Ok(TreeFiles::new()), |commit| self.files_of(&commit))
    }

    /// The files of a commit.
    pub fn files_of(&self, commit: &str) -> Result<TreeFiles, GitError> {
        let output = self
            .history()
            .args(["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit])
            .output()?;
        // `100644 blob <object>`, a tab, then the path.
        let files = output.split(|byte| *byte == 0).filter_map(|line| {
            let tab = memchr::memchr(b'\t', line)?;
            let (head, path) = line.split_at_checked(tab)?;
            let mut words = head.split(|byte| *byte == b' ');
            let kind = EntryKind::from_git_mode(words.next()?)?;
            Some((path.get(1..)?.to_vec(), (kind, ObjectId::from_hex(words.nth(1)?)?)))
        });
        Ok(files.collect())
    }

    /// The commit that made of a path what the checked out one has there, also where that is nothing: the newest one on the branch's
    /// own way that changed it.
    pub fn last_change_of(&self, path: &[u8]) -> Result<Option<LastChange>, GitError> {
        let mut pathspec = b":(top,literal)".to_vec();
        pathspec.extend_from_slice(path);
        let log = ["log", "--max-count=1", "--first-parent", "--no-show-signature", "--encoding=UTF-8"];
        let call = self.history().args(log).args(["--format=%H%n%B", "HEAD", "--"]);
        let output = call.arg(OsStr::from_bytes(&pathspec)).output()?;
        let text = String::from_utf8_lossy(&output);
        let found = text.split_once('\n').and_then(|(name, message)| {
            Some(LastChange { commit: ObjectId::from_hex(name.as_bytes())?, message: message.to_owned() })
        });
        Ok(found)
    }

    /// When a commit was written here, by what of its file no date in it says; of one that is packed, when the newest pack was. `None`
    /// where no file of it is found.
    pub fn written_at(&self, commit: ObjectId) -> Option<SystemTime> {
        let objects = at(&self.common_dir).join("objects");
        let name = commit.to_string();
        let (folder, file) = name.split_at_checked(2)?;
        let when = |file: &TreePath| Some(file.look().ok()??.written_at());
        when(&objects.join(folder).join(file)).or_else(|| {
            let packs = objects.join("pack");
            let names = packs.names().unwrap_or_default();
            names.iter().filter(|name| is_pack(name)).filter_map(|name| when(&packs.join(name))).max()
        })
    }

    /// Does a look at the object files speak for a commit's being there? Asks no git.
    pub fn seems_to_have(&self, commit: &str) -> bool {
        let objects = at(&self.common_dir).join("objects");
        let (folder, file) = commit.split_at_checked(2).unwrap_or_default();
        objects.join(folder).join(file).holds_file()
            || objects.join("info/alternates").holds_file()
            || objects.join("pack").names().unwrap_or_default().iter().any(|name| is_pack(name))
    }

    /// Does `shallow` have history end at commits whose parents are all there? `false` where that cannot be known.
    pub(crate) fn ends_early_for_nothing(&self) -> bool {
        let shallow = at(&self.common_dir).join("shallow").read(LONGEST_SHALLOW).ok().flatten();
        let Some(shallow) = shallow else { return false };
        let commits = self.history().args(["cat-file", "--batch"]).input(shallow).output();
        let Ok(commits) = commits else { return false };
        let lines = commits.split(|byte| *byte == b'\n');
        let parents: Vec<&[u8]> = lines.filter_map(|line| line.strip_prefix(b"parent ")).collect();
        let asked = self.history().args(["cat-file", "--batch-check"]).input(parents.join(&b'\n')).output();
        asked.is_ok_and(|answer| {
            answer.split(|byte| *byte == b'\n').all(|line| line.is_empty() || !line.ends_with(b" missing"))
        })
    }

    /// Files and folders that git ignores; a folder of which it ignores everything is one path that ends in `/`.
    pub fn ignored(&self) -> Result<Vec<Vec<u8>>, GitError> {
        let all = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
        self.history().args(all).zero_ended()
    }

    /// A broken repository must not make git take one above it instead; and history is what was committed, whatever a list says
    /// of which commits were built on which.
    fn history(&self) -> Call {
        Call::not_above(self).option("core.commitGraph=false")
    }
}
