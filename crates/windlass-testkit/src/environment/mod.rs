//! Where a test's programs run: a directory of their own, an environment of their own, and an end for each.

mod agent;
mod processes;
mod running;
mod terminal;
mod trust;
mod waiting;
mod watching;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

pub use agent::{CLAUDE_CODE, CODEX, Credentials, GEMINI, OPENCODE, OPENCODE_MODEL, REAL_AGENTS, RealAgent};
pub use processes::{descendants, is_alive, processes_marked, processes_with};
pub use running::{Outcome, Running};
pub use terminal::PersonsTerminal;
pub use waiting::wait_until;

/// Long enough for any git command on a busy machine.
const GIT_PATIENCE: Duration = Duration::from_mins(1);

/// A hermetic place for one test: a home, a project, and the directories Windlass keeps its state and its
/// configuration in. Programs started through [`TestEnv::command`] see nothing of the machine but its programs. When
/// it is dropped, everything in it goes, processes included.
#[derive(Debug)]
pub struct TestEnv {
    root: TempDir,
    project: PathBuf,
    path: OsString,
}

impl TestEnv {
    /// With an empty project that is not a git repository.
    pub fn new() -> Self {
        Self::with_project_named("project")
    }

    /// With an empty project whose directory is called `name`: spaces, newlines and emoji are welcome.
    pub fn with_project_named(name: &str) -> Self {
        Self::below(&std::env::temp_dir(), name)
    }

    /// The same below this directory, where that of temporary files would mean something else.
    pub fn below(directory: &Path, name: &str) -> Self {
        let builder = tempfile::Builder::new().prefix("windlass-").tempdir_in(directory);
        let root = builder.expect("a temporary directory");
        let project = root.path().join(name);
        for directory in [&project, &root.path().join("home"), &root.path().join("tmp")] {
            fs::create_dir_all(directory).expect("a directory below the temporary one");
        }
        let env = Self { project, path: search_path(), root };
        fs::write(env.home().join(".gitconfig"), GIT_CONFIG).expect("the git configuration");
        env
    }

    /// With a project that is a git repository on branch `main` with one commit of one file, `README.md`.
    pub fn with_git() -> Self {
        Self::new().git_initialised()
    }

    /// Makes the project a git repository and commits what is there, or a `README.md` where nothing is.
    pub fn git_initialised(self) -> Self {
        self.git(&["init", "--quiet"]);
        if !self.project.join("README.md").exists() {
            self.write("README.md", "A project for a test.\n");
        }
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "Begin"]);
        self
    }

    /// The directory all of it is in.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Where programs are started.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// `HOME`.
    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// `WINDLASS_STATE_DIR`; not there until something makes it.
    pub fn state(&self) -> PathBuf {
        self.root().join("state")
    }

    /// `WINDLASS_CONFIG_DIR`; not there until something makes it.
    pub fn config(&self) -> PathBuf {
        self.root().join("config")
    }

    /// The text of a file of the project.
    pub fn read(&self, path: impl AsRef<Path>) -> String {
        let path = self.project.join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Writes a file of the project, its directories included. Absolute paths are taken as they are.
    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project.join(path);
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        fs::write(&path, content).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        path
    }

    /// A program to be started in the project, with the environment of this test and nothing else. A bare name is
    /// looked up in this environment's `PATH`. Windlass itself is `env!("CARGO_BIN_EXE_windlass")` in the integration
    /// tests of its crate.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.project)
            .env_clear()
            .env("PATH", &self.path)
            .env("HOME", self.home())
            .env("TMPDIR", self.root().join("tmp"))
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .env("GIT_CONFIG_GLOBAL", self.home().join(".gitconfig"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CEILING_DIRECTORIES", self.root())
            .env("WINDLASS_STATE_DIR", self.state())
            .env("WINDLASS_CONFIG_DIR", self.config());
        command
    }

    /// Runs git in the project and answers what it printed, without the last newline.
    ///
    /// # Panics
    /// Where git fails.
    #[expect(clippy::must_use_candidate, reason = "most are called for what they do")]
    pub fn git(&self, arguments: &[&str]) -> String {
        let mut command = self.command("git");
        let outcome = Running::start(command.args(arguments)).wait(GIT_PATIENCE);
        outcome.expect_success(&format!("git {arguments:?}"));
        outcome.stdout_text().trim_end_matches('\n').to_owned()
    }

    /// Starts `command` and waits for it, at most so long; then it is killed with everything it started. Its stdin is
    /// empty.
    pub fn run(&self, command: &mut Command, patience: Duration) -> Outcome {
        Running::start(command).wait(patience)
    }

    /// Every live process that was started in here, however it detached itself: it works below this environment's
    /// directory, or its own environment names that.
    pub fn processes(&self) -> Vec<u32> {
        processes::processes_of(self.root())
    }

    /// Proves that nothing started here is left.
    ///
    /// # Panics
    /// Where something still lives when `patience` is over: names each.
    pub fn assert_no_processes(&self, patience: Duration) {
        let gone = wait_until(patience, || self.processes().is_empty());
        let left: Vec<String> = self.processes().into_iter().map(processes::describe).collect();
        assert!(gone || left.is_empty(), "still alive after {patience:?}: {left:#?}");
    }
}

impl Default for TestEnv {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for TestEnv {
    fn drop(&mut self) {
        // A test that failed half-way leaves nothing behind either. Twice, for what was being born meanwhile.
        for _ in 0..2 {
            for process in self.processes() {
                processes::kill(process);
            }
        }
        crate::evidence::keep_place(&self.state(), &self.project);
    }
}

/// A fixed identity, and nothing that depends on the machine's defaults.
const GIT_CONFIG: &str = "\
[user]
\tname = Tess Ter
\temail = tess@example.com
[init]
\tdefaultBranch = main
[commit]
\tgpgSign = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
";

/// The usual directories of programs, and where git and node are on this machine.
fn search_path() -> OsString {
    let mut directories: Vec<PathBuf> =
        ["/usr/local/bin", "/usr/bin", "/bin"].into_iter().map(PathBuf::from).collect();
    let machine = std::env::var_os("PATH").unwrap_or_default();
    for program in ["git", "node"] {
        let found = std::env::split_paths(&machine).find(|directory| directory.join(program).is_file());
        directories.extend(found.filter(|directory| !directories.contains(directory)));
    }
    std::env::join_paths(directories).expect("directories from PATH hold no colon")
}

#[cfg(test)]
mod tests;
