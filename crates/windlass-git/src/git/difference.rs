//! What differs between two trees that our own bare repository holds. No attribute, driver or setting of a project's
//! reaches it: nothing of the project is looked at.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use super::GitError;
use super::call::Call;

/// Two trees of a repository, and the folder in them that is compared: it ends in `/`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides<'a> {
    pub store: &'a Path,
    pub from: &'a str,
    pub to: &'a str,
    pub folder: &'a str,
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Below the folder, as its bytes are.
    pub path: Vec<u8>,
    /// Lines that were added; `None` for what is not text.
    pub added: Option<u32>,
    /// Lines that were removed; `None` for what is not text.
    pub removed: Option<u32>,
}

impl ChangedFile {
    /// Lines that were added and removed; `None` for what is not text.
    pub fn lines(&self) -> Option<u32> {
        self.added.zip(self.removed).map(|(added, removed)| added.saturating_add(removed))
    }
}

impl Sides<'_> {
    /// Every file that differs, in the order of their names.
    pub(crate) fn files(self) -> Result<Vec<ChangedFile>, GitError> {
        let output =
            self.call().args(["--no-renames", "--numstat", "-z"]).args([self.from, self.to]).output()?;
        // `added`, a tab, `removed`, a tab, then the path.
        let files = output.split(|byte| *byte == 0).filter(|line| !line.is_empty()).filter_map(|line| {
            let mut parts = line.splitn(3, |byte| *byte == b'\t');
            let (added, removed) = (number(parts.next()?), number(parts.next()?));
            Some(ChangedFile { path: parts.next()?.to_vec(), added, removed })
        });
        Ok(files.collect())
    }

    /// The difference of these files, as git shows it; of all files where none is named.
    pub(crate) fn text(self, paths: &[&[u8]]) -> Result<Vec<u8>, GitError> {
        let within = |path: &&[u8]| OsString::from_vec([self.folder.as_bytes(), path].concat());
        self.call()
            .args(["--patch", "--find-renames", "--src-prefix=a/", "--dst-prefix=b/"])
            .args([self.from, self.to, "--"])
            .args(paths.iter().map(within))
            .output()
    }

    fn call(self) -> Call {
        Call::new(self.store)
            .option("core.quotePath=false")
            .option("core.attributesFile=/dev/null")
            .env("GIT_DIR", self.store)
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_LITERAL_PATHSPECS", "1")
            .args(["diff-tree", "-r", "--no-ext-diff", "--no-textconv", "--no-color"])
            .arg(format!("--relative={}", self.folder))
    }
}

/// `-` for what is not text.
fn number(text: &[u8]) -> Option<u32> {
    std::str::from_utf8(text).ok()?.parse().ok()
}
