//! The pre-commit guard: a hook of git that keeps workspaces out of commits. Made when it is asked for, and never in the
//! place of another hook.

use std::path::PathBuf;

use super::WorkspaceError;
use windlass_git::git::Repository;
use windlass_host::file::Made;
use windlass_host::tree::at;

/// The longest hook that is looked into.
const LONGEST_HOOK: usize = 1 << 20;

/// The hook's name.
const HOOK: &str = "pre-commit";

/// By this line a hook is known to be ours.
const MARK: &str =
    "# Made by `windlass init --pre-commit-guard`; `windlass clean --pre-commit-guard` removes it.";

/// What a person adds to a hook of their own to the same effect: two lines of shell.
pub const LINES: [&str; 2] = [
    "git diff --cached --quiet --diff-filter=d -- ':(top,glob)**/.windlass/workspaces/**' ':(top,glob)**/.windlass/archive/**' ||",
    "  { echo 'Workspaces stay out of commits.' >&2; exit 1; }",
];

/// The hook. Deletions pass: that is how a workspace that was committed before comes out again.
const SCRIPT: &str = "\
#!/bin/sh
# Made by `windlass init --pre-commit-guard`; `windlass clean --pre-commit-guard` removes it.
# Keeps what lies in workspaces, and their archives, out of commits.
staged=$(git diff --cached --name-only --diff-filter=d -- \\
  ':(top,glob)**/.windlass/workspaces/**' ':(top,glob)**/.windlass/archive/**') || exit 1
if test -n \"$staged\"; then
  {
    echo 'Workspaces stay out of commits, but these files are staged:'
    printf '%s\\n' \"$staged\" | head -n 10 | sed 's/^/  /'
    echo 'Take them out:       git restore --staged FILE...'
    echo 'Commit all the same: git commit --no-verify'
  } >&2
  exit 1
fi
";

/// What became of the hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The hook's file.
    pub path: PathBuf,
    /// It was made or removed now; otherwise it was so already.
    pub changed: bool,
}

/// Guards a repository.
///
/// # Errors
/// Another hook is there; the hooks lie outside the repository; or the file system refuses.
pub fn install(repository: &Repository) -> Result<Guard, WorkspaceError> {
    let path = place(repository)?;
    if let Some(bytes) = at(&path).read(LONGEST_HOOK)? {
        return if is_ours(&bytes) {
            Ok(Guard { path, changed: false })
        } else {
            Err(WorkspaceError::ForeignHook { path })
        };
    }
    let folder = at(path.parent().unwrap_or(&path));
    folder.make_folders()?;
    if at(&path).create_new(SCRIPT.as_bytes(), 0o755)? == Made::WasThere {
        return Err(WorkspaceError::ForeignHook { path });
    }
    folder.sync_folder()?;
    Ok(Guard { path, changed: true })
}

/// Takes the guard away.
///
/// # Errors
/// The hook that is there is another one; or the file system refuses.
pub fn remove(repository: &Repository) -> Result<Guard, WorkspaceError> {
    let path = repository.hooks_folder()?.join(HOOK);
    match at(&path).read(LONGEST_HOOK)? {
        None => Ok(Guard { path, changed: false }),
        Some(bytes) if is_ours(&bytes) => {
            at(&path).remove_file()?;
            Ok(Guard { path, changed: true })
        }
        Some(_) => Err(WorkspaceError::ForeignHook { path }),
    }
}

fn place(repository: &Repository) -> Result<PathBuf, WorkspaceError> {
    let folder = repository.hooks_folder()?;
    // Where the folder is not there yet, what is above it says where it will be.
    // outside: only where it leads is asked.
    let there = folder.ancestors().find_map(|above| above.canonicalize().ok()).unwrap_or_default();
    let inside = [&repository.top, &repository.common_dir];
    // outside: the same.
    let inside = inside.iter().any(|own| own.canonicalize().is_ok_and(|own| there.starts_with(own)));
    if inside { Ok(folder.join(HOOK)) } else { Err(WorkspaceError::SharedHooks { path: folder }) }
}

fn is_ours(bytes: &[u8]) -> bool {
    bytes.split(|byte| *byte == b'\n').any(|line| line == MARK.as_bytes())
}
