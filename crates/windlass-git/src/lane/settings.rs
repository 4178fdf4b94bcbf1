//! A lane's configuration: what of the user's shapes files and names authors, and nothing that leads elsewhere.

use crate::git::call::{Call, zero_ended};
use crate::git::repository::setting_of;
use crate::git::{GitError, ObjectFormat, Repository};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use windlass_core::values::Named;

/// Settings that are taken over as they are in force in the main repository, from wherever they come: a lane lies in
/// another folder, where conditional includes may not hold. No remotes, no credentials, no hooks, no includes, no aliases.
const TAKEN: &[&str] = &[
    "author.email",
    "author.name",
    "commit.cleanup",
    "committer.email",
    "committer.name",
    "core.attributesfile",
    "core.autocrlf",
    "core.bigfilethreshold",
    "core.checkroundtripencoding",
    "core.checkstat",
    "core.eol",
    "core.excludesfile",
    "core.filemode",
    "core.ignorecase",
    "core.longpaths",
    "core.precomposeunicode",
    "core.protecthfs",
    "core.protectntfs",
    "core.safecrlf",
    "core.symlinks",
    "core.trustctime",
    "core.whitespace",
    "diff.algorithm",
    "diff.renamelimit",
    "diff.renames",
    "merge.directoryrenames",
    "merge.renamelimit",
    "merge.renames",
    "merge.renormalize",
    "user.email",
    "user.name",
    "user.useconfigonly",
];

/// Filters (LFS is one) and merge drivers: `filter.NAME.clean`. They are the user's own commands.
const TAKEN_OF_EACH: &[(&str, &[&str])] =
    &[("filter", &["clean", "smudge", "process", "required"]), ("merge", &["driver", "name", "recursive"])];

/// The settings of a main repository that its lanes have as well.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    values: Vec<(String, Vec<u8>)>,
}

impl Settings {
    /// Those in force in a repository, in git's order.
    pub fn of(main: &Repository) -> Result<Self, GitError> {
        let listing = Call::within(main).args(["config", "--list", "-z"]).output()?;
        let mut values: Vec<(String, Vec<u8>)> =
            zero_ended(&listing).filter_map(setting_of).filter(|(name, _)| is_taken(name)).collect();
        // What merges may lie in the working tree, where guests write.
        values.retain(|(name, _)| main.closed_filters.is_none() || !name.ends_with(".driver"));
        Ok(Self { values })
    }

    /// Those that were said on another machine; what only that one may say is left out.
    pub fn given(settings: &[(String, String)]) -> Self {
        let given = settings.iter().filter(|(name, _)| travels(name));
        Self { values: given.map(|(name, value)| (name.clone(), value.clone().into_bytes())).collect() }
    }

    /// The configuration of a repository that lanes of another machine are made from.
    pub fn of_replica(&self, format: ObjectFormat) -> Vec<u8> {
        let mut text = Vec::new();
        let is_sha1 = format == ObjectFormat::Sha1;
        let version: &[u8] = if is_sha1 { b"0" } else { b"1" };
        text.extend_from_slice(&entry("core.repositoryformatversion", version));
        if !is_sha1 {
            text.extend_from_slice(&entry("extensions.objectformat", format.name().as_bytes()));
        }
        for (name, value) in &self.values {
            text.extend_from_slice(&entry(name, value));
        }
        text.extend_from_slice(&entry("core.bare", b"false"));
        text.extend_from_slice(&entry("gc.auto", b"0"));
        text
    }

    fn has_lfs(&self) -> bool {
        self.values.iter().any(|(name, _)| name.starts_with("filter.lfs."))
    }

    /// The configuration of one of a lane's repositories.
    ///
    /// What is committed in a lane is not signed: the commit that reaches the branch is another one. Large files that
    /// LFS takes over are kept with the main repository's at once, since a landing carries only git's objects.
    pub fn file(&self, main: &Repository, hooks: Option<&Path>) -> Vec<u8> {
        let mut text = self.without_large_files(main, hooks);
        if self.has_lfs() {
            let folder = main.common_dir.join("lfs");
            text.extend_from_slice(&entry("lfs.storage", folder.as_os_str().as_bytes()));
        }
        text
    }

    /// The same; large files that LFS takes over are kept where it has them without being told.
    fn without_large_files(&self, main: &Repository, hooks: Option<&Path>) -> Vec<u8> {
        let mut text = Vec::new();
        let mut set = |name: &str, value: &[u8]| text.extend_from_slice(&entry(name, value));
        let is_sha1 = main.object_format == ObjectFormat::Sha1;
        set("core.repositoryformatversion", if is_sha1 { b"0" } else { b"1" });
        if !is_sha1 {
            set("extensions.objectformat", main.object_format.name().as_bytes());
        }
        for (name, value) in &self.values {
            set(name, value);
        }
        for (name, value) in [("core.bare", "false"), ("gc.auto", "0"), ("maintenance.auto", "false")] {
            set(name, value.as_bytes());
        }
        set("commit.gpgsign", b"false");
        set("tag.gpgsign", b"false");
        if let Some(hooks) = hooks {
            set("core.hookspath", hooks.as_os_str().as_bytes());
        }
        text
    }
}

/// The configuration of a git directory that guests are lent.
pub(crate) fn for_guests(main: &Repository, hooks: Option<&Path>) -> Result<Vec<u8>, GitError> {
    // Inside, the person's filters are run.
    let open = Repository { closed_filters: None, ..main.clone() };
    let mut text = Settings::of(&open)?.without_large_files(main, hooks);
    // Where a submodule comes from is none of a guest's business; that it is in use is.
    for (name, _) in main.settings_like("^submodule\\..*\\.url$")? {
        let of = name.strip_suffix(".url").unwrap_or(&name);
        text.extend_from_slice(&entry(&format!("{of}.active"), b"true"));
    }
    Ok(text)
}

/// The settings of a repository that lanes on another machine have as well: what shapes files and names authors. Filters and merge
/// drivers are commands of this machine, and files of settings lie here.
pub fn travelling_settings(main: &Repository) -> Result<Vec<(String, String)>, GitError> {
    let settings = Settings::of(main)?.values.into_iter().filter(|(name, _)| travels(name));
    Ok(settings.filter_map(|(name, value)| Some((name, String::from_utf8(value).ok()?))).collect())
}

fn travels(name: &str) -> bool {
    TAKEN.contains(&name) && !name.ends_with("file")
}

fn is_taken(name: &str) -> bool {
    let of_each = || {
        let (section, rest) = name.split_once('.')?;
        let (_, last) = rest.rsplit_once('.')?;
        let (_, names) = TAKEN_OF_EACH.iter().find(|(taken, _)| *taken == section)?;
        Some(names.contains(&last))
    };
    TAKEN.contains(&name) || of_each().unwrap_or(false)
}

/// A setting as a configuration file has it.
fn entry(name: &str, value: &[u8]) -> Vec<u8> {
    let (section, rest) = name.split_once('.').unwrap_or((name, ""));
    let (between, last) = rest.rsplit_once('.').map_or((None, rest), |(between, last)| (Some(between), last));
    let heading = match between {
        Some(between) => [b"[", section.as_bytes(), b" ", &quoted(between.as_bytes()), b"]\n"].concat(),
        None => format!("[{section}]\n").into_bytes(),
    };
    [heading.as_slice(), b"\t", last.as_bytes(), b" = ", &quoted(value), b"\n"].concat()
}

fn quoted(value: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'"'];
    for byte in value {
        match byte {
            b'\n' => quoted.extend_from_slice(b"\\n"),
            b'"' | b'\\' => quoted.extend_from_slice(&[b'\\', *byte]),
            byte => quoted.push(*byte),
        }
    }
    quoted.push(b'"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_shapes_files_or_names_authors_is_taken() {
        for name in
            ["user.name", "core.autocrlf", "filter.lfs.process", "filter.a.b.clean", "merge.ours.driver"]
        {
            assert!(is_taken(name), "{name}");
        }
        for name in [
            "core.hookspath",
            "core.fsmonitor",
            "core.worktree",
            "core.sshcommand",
            "credential.helper",
            "remote.origin.url",
            "include.path",
            "alias.clean",
            "filter.clean",
            "lfs.url",
            "commit.gpgsign",
            "extensions.worktreeconfig",
        ] {
            assert!(!is_taken(name), "{name}");
        }
    }

    #[test]
    fn values_are_quoted() {
        let text = entry("filter.a b\"c.clean", b"x \"y\" \\ # ; \n z");
        let expected = "[filter \"a b\\\"c\"]\n\tclean = \"x \\\"y\\\" \\\\ # ; \\n z\"\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
