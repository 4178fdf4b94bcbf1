//! Files that a repository's configuration has git open, whatever it is called for: git waits for a pipe among them.

use std::path::{Path, PathBuf};

use windlass_core::damage::{Setting, settings_in};
use windlass_host::tree::{self, at};

use super::{Folders, as_path};

/// So deep git follows what configuration includes.
const DEEPEST: usize = 10;

/// So much of a file is looked at, in bytes.
const LONGEST: usize = 1024 * 1024;

/// Settings that name a file as seen from the working tree.
const FROM_THE_TOP: [&[u8]; 3] = [b"core.excludesfile", b"core.attributesfile", b"mailmap.file"];

/// A pipe or a device among them.
pub(super) fn pipe(folders: &Folders) -> Option<PathBuf> {
    let files = [folders.common_dir.join("config"), folders.git_dir.join("config.worktree")];
    files.iter().find_map(|file| pipe_named_in(file, &folders.top, DEEPEST))
}

fn pipe_named_in(file: &Path, top: &Path, depth: usize) -> Option<PathBuf> {
    // What lies outside is a person's.
    let content = at(file).read(LONGEST).ok().flatten().filter(|_| tree::is_known(file))?;
    let settings = settings_in(&content).unwrap_or_default();
    settings.iter().find_map(|setting| {
        let path = named(setting, file, top)?;
        if is_pipe(&path) {
            return Some(path);
        }
        is_include(setting).then(|| pipe_named_in(&path, top, depth.checked_sub(1)?)).flatten()
    })
}

fn is_include(setting: &Setting) -> bool {
    setting.key() == b"path" && [b"include".as_slice(), b"includeif"].contains(&setting.section())
}

fn named(setting: &Setting, file: &Path, top: &Path) -> Option<PathBuf> {
    let from = if is_include(setting) { file.parent()? } else { top };
    let is_named = is_include(setting) || FROM_THE_TOP.contains(&setting.name.as_slice());
    let value = setting.value.as_deref().filter(|value| is_named && !value.starts_with(b"~"))?;
    Some(from.join(as_path(value)))
}

fn is_pipe(path: &Path) -> bool {
    // Where a person wants no such file.
    if is_nothing(path) {
        return false;
    }
    // outside: git opens it wherever it lies; it is only looked at.
    path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Does it lead to where nothing ever is?
pub(crate) fn is_nothing(path: &Path) -> bool {
    // outside: it is only looked at.
    path.canonicalize().is_ok_and(|real| real == Path::new("/dev/null"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::Scratch;

    #[test]
    fn a_pipe_that_configuration_names_is_found_before_git_waits_for_it() {
        for (setting, further) in [
            ("[include]\n\tpath = pipe\n", ""),
            ("[includeIf \"onbranch:x\"]\n\tpath = ../.git/pipe\n", ""),
            ("[core]\n\texcludesFile = .git/pipe\n", ""),
            ("[include]\n\tpath = more\n", "[core]\n\tattributesFile = .git/pipe\n"),
        ] {
            let scratch = Scratch::committed();
            let folders = scratch.found().folders();
            assert_eq!(pipe(&folders), None);
            let git = scratch.top.join(".git");
            rustix::fs::mknodat(
                rustix::fs::CWD,
                git.join("pipe"),
                rustix::fs::FileType::Fifo,
                0o600.into(),
                0,
            )
            .unwrap();
            fs::write(git.join("more"), further).unwrap();
            let own = fs::read_to_string(git.join("config")).unwrap();
            fs::write(git.join("config"), own + setting).unwrap();
            assert!(pipe(&folders).is_some_and(|path| path.ends_with("pipe")), "{setting}");
        }
    }

    #[test]
    fn nobody_waits_for_what_is_always_empty() {
        let scratch = Scratch::committed();
        let folders = scratch.found().folders();
        scratch.git(&["config", "core.excludesFile", "/dev/null"]);
        scratch.git(&["config", "core.attributesFile", "/dev/null"]);
        assert_eq!(pipe(&folders), None);
        scratch.git(&["config", "core.excludesFile", "/dev/zero"]);
        assert_eq!(pipe(&folders), Some("/dev/zero".into()));
    }

    #[test]
    fn files_that_include_one_another_are_looked_at_to_an_end() {
        let scratch = Scratch::committed();
        let folders = scratch.found().folders();
        scratch.git(&["config", "include.path", "config"]);
        assert_eq!(pipe(&folders), None);
    }
}
