//! Which files are committed although they look like secrets or are large.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::inventory::as_path;

/// `commit.allow`: patterns as in `.gitignore`, from a repository's top.
#[derive(Debug)]
pub(crate) struct Allowed(Gitignore);

impl Allowed {
    /// A pattern that cannot be understood allows nothing.
    pub fn new(top: &Path, patterns: &[String]) -> Allowed {
        let mut builder = GitignoreBuilder::new(top);
        for pattern in patterns {
            drop(builder.add_line(None, pattern));
        }
        Allowed(builder.build().unwrap_or_else(|_| Gitignore::empty()))
    }

    /// Is the file with this path allowed?
    pub fn holds(&self, path: &[u8]) -> bool {
        self.0.matched_path_or_any_parents(as_path(path), false).is_ignore()
    }
}
