//! What a snapshot says of its repository, as whoever looks for damage wants to know it.

use std::collections::{BTreeMap, BTreeSet};

use windlass_core::damage::{Name, Operation, Scene};
use windlass_core::values::SnapshotId;

use super::repository::{OwnFile, is_setting};
use super::{SnapshotError, Store, repair};
use crate::git::{ObjectFormat, ObjectKind, PackedRefs, RefValue};

/// What says that another object is read in place of one: as good as a setting.
pub(super) const REPLACING: &[u8] = b"refs/replace/";

/// What git and other tools move and delete for their own ends, or what is watched as something else.
const OF_TOOLS: [&[u8]; 15] = [
    b"refs/stash",
    b"refs/remotes/",
    REPLACING,
    b"refs/windlass/",
    b"refs/bisect/",
    b"refs/rewritten/",
    b"refs/worktree/",
    b"refs/prefetch/",
    b"refs/original/",
    b"refs/pull/",
    b"refs/merge-requests/",
    b"refs/changes/",
    b"refs/keep-around/",
    b"refs/jj/",
    b"refs/branchless/",
];

/// Sections of a configuration that git itself writes during ordinary work.
const ORDINARY_SECTIONS: [&str; 4] = ["branch", "submodule", "gc", "maintenance"];

impl Store {
    /// The scene that a repository's own files show. Locks, and whether git can read it, are not in it.
    pub fn scene(&self, files: &[OwnFile]) -> Result<Scene, SnapshotError> {
        let packed = self.content_of(files, b"packed-refs")?.unwrap_or_default();
        let all = repair::references(self, files, &packed)?;
        let is_named = |name: &Name| {
            name.starts_with(b"refs/") && !OF_TOOLS.iter().any(|of_tools| name.starts_with(of_tools))
        };
        let shown = |value: &RefValue| String::from_utf8_lossy(value.content().trim_ascii_end()).into_owned();
        let named = all.iter().filter(|(name, _)| is_named(name));
        let references: BTreeMap<Name, String> =
            named.map(|(name, value)| (name.clone(), shown(value))).collect();
        let head = self.content_of(files, b"HEAD")?;
        let (branch, commit) = match head.as_deref().and_then(RefValue::parse) {
            Some(RefValue::Symbolic(branch)) => {
                let commit = references.get(&branch).cloned();
                (Some(branch), commit)
            }
            Some(RefValue::Direct(commit)) => (None, Some(commit.to_string())),
            None => (None, None),
        };
        let unusable = (!PackedRefs::is_sound(&packed)).then(|| {
            "packed-refs has a line that names nothing: no git reads the repository with it".to_owned()
        });
        let replaced = all.iter().filter(|(name, _)| name.starts_with(REPLACING));
        let replaced = replaced.map(|(name, value)| (name.clone(), shown(value)));
        let mut settings = self.settings(files)?;
        settings.extend(replaced);
        Ok(Scene {
            unusable,
            branch,
            commit,
            references,
            stashes: self.stashes(files)?,
            under_way: under_way(files),
            settings,
        })
    }

    /// What was under way in the repository when a snapshot was taken.
    pub fn under_way(&self, snapshot: &SnapshotId) -> Result<BTreeSet<Operation>, SnapshotError> {
        Ok(under_way(&self.own_files(snapshot)?))
    }

    /// The stash's log: a line for each, the former value, then the commit.
    fn stashes(&self, files: &[OwnFile]) -> Result<Vec<String>, SnapshotError> {
        let log = self.content_of(files, b"logs/refs/stash")?.unwrap_or_default();
        let commit = |line: &[u8]| {
            let word = line.split(|byte| *byte == b' ').nth(1)?;
            Some(String::from_utf8_lossy(word).into_owned())
        };
        Ok(log.split(|byte| *byte == b'\n').filter_map(commit).collect())
    }

    fn settings(&self, files: &[OwnFile]) -> Result<BTreeMap<Name, String>, SnapshotError> {
        let mut settings = BTreeMap::new();
        for file in files.iter().filter(|file| is_setting(&file.name)) {
            let said = if file.name == b"config" {
                let text = telling_settings(&self.content(&file.content)?);
                ObjectFormat::Sha1.identify(ObjectKind::Blob, &text).to_string()
            } else {
                format!("{} {}", file.kind.git_mode(), file.content)
            };
            settings.insert(file.name.clone(), said);
        }
        Ok(settings)
    }
}

/// A configuration without what ordinary work writes into it.
fn telling_settings(config: &[u8]) -> Vec<u8> {
    let mut telling = Vec::new();
    let mut ordinary = false;
    for line in config.split(|byte| *byte == b'\n') {
        if let Some(header) = line.trim_ascii_start().strip_prefix(b"[") {
            let section = header.split(|byte| b" ]\"".contains(byte)).next().unwrap_or_default();
            let section = String::from_utf8_lossy(section).to_ascii_lowercase();
            ordinary = ORDINARY_SECTIONS.contains(&section.as_str());
        }
        if !ordinary && !line.trim_ascii().is_empty() {
            telling.extend_from_slice(line.trim_ascii());
            telling.push(b'\n');
        }
    }
    telling
}

fn under_way(files: &[OwnFile]) -> BTreeSet<Operation> {
    operations(|name| {
        files.iter().any(|file| file.name == name || (name.ends_with(b"/") && file.name.starts_with(name)))
    })
}

/// What the files of a git directory say is under way; the name of a folder ends in a slash.
pub(crate) fn operations(is_there: impl Fn(&[u8]) -> bool) -> BTreeSet<Operation> {
    let mails = is_there(b"rebase-apply/applying");
    let rebases = is_there(b"rebase-merge/") || (is_there(b"rebase-apply/") && !mails);
    let all = [
        (rebases, Operation::Rebase),
        (mails, Operation::Am),
        // A rebase picks and merges as well.
        (is_there(b"MERGE_HEAD") && !rebases, Operation::Merge),
        (is_there(b"CHERRY_PICK_HEAD") && !rebases, Operation::CherryPick),
        (is_there(b"REVERT_HEAD") && !rebases, Operation::Revert),
        (is_there(b"BISECT_LOG") || is_there(b"BISECT_START"), Operation::Bisect),
    ];
    all.into_iter().filter(|(is, _)| *is).map(|(_, operation)| operation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ordinary_work_writes_into_a_configuration_says_nothing() {
        let before = b"[core]\n\tbare = false\n[remote \"origin\"]\n\turl = x\n";
        let after =
            b"[core]\n\tbare = false\n[branch \"a\"]\n\tremote = origin\n[remote \"origin\"]\n\turl = x\n\
            [submodule \"s\"]\n\tactive = true\n";
        assert_eq!(telling_settings(before), telling_settings(after));
        let hostile = b"[core]\n\tbare = false\n\tfsmonitor = rm\n[remote \"origin\"]\n\turl = x\n";
        assert_ne!(telling_settings(before), telling_settings(hostile));
    }
}
