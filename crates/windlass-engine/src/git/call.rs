//! One call of git, shielded from the surroundings: from variables that point it elsewhere, from a file system monitor,
//! from hooks, from prompts and from translated messages.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::time::Duration;

use super::GitError;
use super::run::{self, Ended, Invocation};

/// Variables that would make git look at another repository than the one we mean.
const MISLEADING: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_CEILING_DIRECTORIES",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_EXTERNAL_DIFF",
    "GIT_TRACE",
];

/// For calls that only read or write a few objects. Generous: a cold disk with 100,000 files is slow.
const TIMEOUT: Duration = Duration::from_mins(2);

/// A call of git that is being put together.
#[derive(Debug)]
pub(super) struct Call(Invocation);

/// What a call that ended by itself said.
#[derive(Debug)]
pub(super) struct Answer {
    /// Its exit code.
    pub code: i32,
    /// Standard output.
    pub output: Vec<u8>,
    /// Standard error, as text.
    pub errors: String,
}

impl Call {
    /// A call that runs no hook.
    pub fn new(directory: &Path) -> Self {
        Self::bare(directory).option("core.hooksPath=/dev/null")
    }

    /// A call that runs the user's hooks: for a commit, and nothing else.
    pub fn with_hooks(directory: &Path) -> Self {
        // A collection in the background would outlive the run.
        Self::bare(directory)
            .option("gc.auto=0")
            .option("maintenance.auto=false")
    }

    fn bare(directory: &Path) -> Self {
        let with = [
            ("LC_ALL", "C"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_TERMINAL_PROMPT", "0"),
        ];
        Self(Invocation {
            program: "git".into(),
            arguments: Vec::new(),
            directory: directory.to_path_buf(),
            without: MISLEADING,
            with: with
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            input: Vec::new(),
            timeout: TIMEOUT,
        })
        .option("core.fsmonitor=false")
        .hermetic_in_tests()
    }

    /// Tests see no configuration but their repository's own.
    fn hermetic_in_tests(self) -> Self {
        if cfg!(test) {
            let nowhere = "/nonexistent";
            let call = self
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .env("GIT_CONFIG_NOSYSTEM", "1");
            return call.env("HOME", nowhere).env("XDG_CONFIG_HOME", nowhere);
        }
        self
    }

    fn option(self, setting: &str) -> Self {
        self.arg("-c").arg(setting)
    }

    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.0.arguments.push(argument.as_ref().to_os_string());
        self
    }

    pub fn args<A: AsRef<OsStr>>(self, arguments: impl IntoIterator<Item = A>) -> Self {
        arguments.into_iter().fold(self, Call::arg)
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.0.with.push((name.into(), value.as_ref().to_os_string()));
        self
    }

    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.0.input = bytes.into();
        self
    }

    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.0.timeout = timeout;
        self
    }

    /// Runs it, whatever its exit code.
    pub fn run(self) -> Result<Answer, GitError> {
        let command = self.described();
        // A missing directory gives the same error as a missing program.
        if !self.0.directory.is_dir() {
            let source = io::Error::from(io::ErrorKind::NotFound);
            return Err(GitError::Start { command, source });
        }
        let outcome = run::run(&self.0).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => GitError::Missing,
            _ => GitError::Start {
                command: command.clone(),
                source,
            },
        })?;
        let errors = String::from_utf8_lossy(&outcome.errors).into_owned();
        match outcome.ended {
            Ended::Exited(code) => Ok(Answer {
                code,
                output: outcome.output,
                errors,
            }),
            Ended::Signalled(signal) => Err(GitError::Failed {
                command,
                said: format!("it was ended by signal {signal}"),
            }),
            Ended::TimedOut => Err(GitError::Failed {
                command,
                said: format!("it took longer than {:?}", self.0.timeout),
            }),
        }
    }

    /// Runs it; any exit code but 0 is an error.
    pub fn output(self) -> Result<Vec<u8>, GitError> {
        let command = self.described();
        let answer = self.run()?;
        if answer.code == 0 {
            Ok(answer.output)
        } else {
            Err(GitError::Failed {
                command,
                said: last_lines(&answer),
            })
        }
    }

    /// `git ls-files -z`: without our own options.
    fn described(&self) -> String {
        let words = self.0.arguments.iter().map(OsString::as_os_str);
        let mut words = words.skip_while(|word| *word == "-c" || word.to_string_lossy().contains('='));
        let verb = words.next().unwrap_or_default();
        format!("git {}", verb.to_string_lossy())
    }
}

/// The last lines that a call printed, standard error first choice; at most 10.
pub(super) fn last_lines(answer: &Answer) -> String {
    let text = if answer.errors.trim().is_empty() {
        String::from_utf8_lossy(&answer.output).into_owned()
    } else {
        answer.errors.clone()
    };
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let from = lines.len().saturating_sub(10);
    let tail = lines.get(from..).unwrap_or_default().join("\n");
    if tail.is_empty() {
        format!("it ended with exit code {}", answer.code)
    } else {
        tail
    }
}

/// A path that a call printed: without the line's end, whatever else is in it.
pub(super) fn printed_path(output: &[u8]) -> std::path::PathBuf {
    use std::os::unix::ffi::OsStringExt;
    let path = output.strip_suffix(b"\n").unwrap_or(output);
    OsString::from_vec(path.to_vec()).into()
}
