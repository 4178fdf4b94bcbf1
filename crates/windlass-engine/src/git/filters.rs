//! The person's filters while guests are locked in. A filter is a program that git starts for a file; what it starts in turn may
//! lie in the working tree, where guests write. So none is run outside but Git LFS, which is no part of a project.

use std::collections::BTreeSet;

use super::{GitError, Repository};

/// What begins a filter's command that is Git LFS, and nothing else.
const LARGE_FILES: [&str; 3] = ["git-lfs clean", "git-lfs smudge", "git-lfs filter-process"];

impl Repository {
    /// No filter is run from now on that could start what a guest wrote. To be called before there are any guests.
    ///
    /// # Errors
    /// git cannot be asked.
    pub fn close_filters(&mut self) -> Result<(), GitError> {
        let pattern = "^filter\\..*\\.(clean|smudge|process)$";
        let mut closed = BTreeSet::new();
        for (name, command) in self.settings_like(pattern)? {
            let Some((driver, _)) = name.strip_prefix("filter.").and_then(|rest| rest.rsplit_once('.'))
            else {
                continue;
            };
            if !is_large_files(&String::from_utf8_lossy(&command)) {
                closed.insert(driver.to_owned());
            }
        }
        self.closed_filters = Some(closed.into_iter().collect());
        Ok(())
    }

    /// Why these paths cannot be written through filters here: a sentence; `None` where they can.
    pub(super) fn behind_closed_filters(&self, paths: &[&[u8]]) -> Result<Option<String>, GitError> {
        let Some(closed) = self.closed_filters.as_ref().filter(|closed| !closed.is_empty()) else {
            return Ok(None);
        };
        let named = self.filters(paths)?;
        let found = named.iter().find(|(_, name)| closed.contains(name));
        Ok(found.map(|(path, name)| {
            let path = String::from_utf8_lossy(path);
            format!(
                ".gitattributes sends {path} through the filter `{name}`, which is not run outside the sandbox, since what \
                 it starts may be a guest's work: let the agent commit (--commit agent), or commit it yourself"
            )
        }))
    }
}

/// Is it Git LFS by its name, with its own options alone, and no shell's work?
fn is_large_files(command: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || " -%_".contains(c);
    command.chars().all(plain)
        && LARGE_FILES.iter().any(|known| {
            command.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_file_storage_is_run_and_whatever_else_might_lie_in_the_tree_is_not() {
        for command in ["git-lfs clean -- %f", "git-lfs smudge --skip -- %f", "git-lfs filter-process"] {
            assert!(is_large_files(command), "{command}");
        }
        for command in [
            "./tools/clean.sh",
            "git-lfs clean; ./x",
            "./git-lfs clean",
            "git-lfs-x clean",
            "sh -c x",
            "cat",
            "",
        ] {
            assert!(!is_large_files(command), "{command}");
        }
    }
}
