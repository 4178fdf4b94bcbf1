//! For tests: a folder with a repository in it, hermetic.

#![expect(missing_docs, reason = "a test says what it needs")]
#![expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use windlass_core::values::{Named, RunId};

use crate::git::{FoundRepository, ObjectFormat, Repository};
use crate::inventory::{Inventory, Place, Surveyor, as_path};
use crate::snapshot::{Moment, Side, SnapshotName, Store};

/// A folder that is removed when the test ends.
pub struct Scratch {
    pub top: PathBuf,
    pub state: PathBuf,
    _folder: tempfile::TempDir,
}

impl Scratch {
    /// Without a repository.
    pub fn plain() -> Self {
        let folder = tempfile::Builder::new().prefix("windlass-test-").tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (top, state) = (base.join("project 🚀\nwith a line's end"), base.join("state"));
        for below in [&top, &state, &base.join("home")] {
            fs::create_dir(below).unwrap();
        }
        windlass_host::tree::hold(&top);
        Self { top, state, _folder: folder }
    }

    /// With an empty repository: no commit yet.
    pub fn repository() -> Self {
        Self::with_format(ObjectFormat::Sha1)
    }

    pub fn with_format(format: ObjectFormat) -> Self {
        let scratch = Self::plain();
        scratch.git(&["init", "-q", "-b", "main", &format!("--object-format={}", format.name())]);
        scratch.git(&["config", "user.name", "Someone"]);
        scratch.git(&["config", "user.email", "someone@example.com"]);
        scratch
    }

    /// With one commit of `a.txt` and `src/b.txt`.
    pub fn committed() -> Self {
        let scratch = Self::repository();
        scratch.write("a.txt", "one\n");
        scratch.write("src/b.txt", "two\n");
        scratch.git(&["add", "-A"]);
        scratch.git(&["commit", "-q", "-m", "first"]);
        scratch
    }

    /// Runs git as a person would; gives what it printed.
    pub fn git(&self, arguments: &[&str]) -> String {
        self.git_in(&self.top, arguments)
    }

    pub fn git_in(&self, directory: &Path, arguments: &[&str]) -> String {
        let (worked, said) = self.try_git(directory, arguments);
        assert!(worked, "git {arguments:?}: {said}");
        said
    }

    /// Whether git succeeded, and what it printed.
    #[expect(clippy::disallowed_methods, reason = "a person's git in a test, not ours")]
    pub fn try_git(&self, directory: &Path, arguments: &[&str]) -> (bool, String) {
        let mut command = std::process::Command::new("git");
        command.args(arguments).current_dir(directory).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.state.with_file_name("home"));
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C");
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&said).into_owned())
    }

    /// Commits all that is there.
    pub fn commit_all(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.top.join(path)
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub fn has(&self, path: &str) -> bool {
        self.path(path).symlink_metadata().is_ok()
    }

    pub fn chmod(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// The repository as it is found; panics where there is none.
    pub fn found(&self) -> Repository {
        match Repository::find(&self.top).unwrap() {
            FoundRepository::Worktree(repository) => repository,
            other => panic!("{other:?}"),
        }
    }

    pub fn place(&self) -> Place {
        match Repository::find(&self.top).unwrap() {
            FoundRepository::Worktree(repository) => Place::new(&self.top, Some(repository)),
            _ => Place::new(&self.top, None),
        }
    }

    pub fn surveyor(&self) -> Surveyor {
        Surveyor::new(self.place())
    }

    pub fn survey(&self) -> Inventory {
        self.surveyor().survey(&[]).unwrap()
    }

    pub fn store(&self) -> Store {
        Store::open(&self.state, self.place().object_format()).unwrap()
    }
}

/// The paths of an inventory, as text.
pub fn paths(inventory: &Inventory) -> Vec<String> {
    inventory.entries.iter().map(|entry| as_path(&entry.path).to_string_lossy().into_owned()).collect()
}

pub fn run() -> RunId {
    RunId("r-test0001".to_owned())
}

pub fn after(iteration: u32) -> SnapshotName {
    SnapshotName { run: run(), moment: Moment::Iteration { iteration, attempt: 1, side: Side::After } }
}

/// Tells whoever reads a test's output something.
#[expect(clippy::print_stderr, reason = "a test has no other way to say why it did nothing")]
pub fn say(text: &str) {
    eprintln!("{text}");
}
