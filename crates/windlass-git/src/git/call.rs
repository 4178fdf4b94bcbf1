//! One call of git, shielded from the surroundings: from variables that point it elsewhere, from a file system monitor,
//! from hooks, from prompts and from translated messages.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_core::environment::ELSEWHERE;
use windlass_core::values::Ended;

use std::os::unix::ffi::OsStrExt;

use super::{ClosedFilters, GitError, ObjectId, Repository, sound};
use windlass_host::process::{Command, Interruption, Output};

/// Variables that would have git print something else than it is asked for.
const MISLEADING: &[&str] = &["GIT_EXTERNAL_DIFF", "GIT_TRACE"];

/// A variable that is empty.
const NOTHING: &str = "WINDLASS_NOTHING";

/// A variable that says no.
const UNUSED: &str = "WINDLASS_UNUSED";

/// What git runs instead of a filter that is not run outside, whether it must succeed, and where it looks.
const CLEAN: &str = "WINDLASS_CLEAN";
const REQUIRED: &str = "WINDLASS_REQUIRED";
const FILTERED: &str = "WINDLASS_FILTERED";

/// For calls that only read or write a few objects. Generous: a cold disk with 100,000 files is slow.
const TIMEOUT: Duration = Duration::from_mins(2);

/// What writes to references and their logs, and perhaps objects.
const WRITING: [&str; 9] =
    ["commit", "update-ref", "symbolic-ref", "switch", "worktree", "reset", "branch", "fetch", "push"];

/// What writes objects alone.
const WRITING_OBJECTS: [&str; 5] = ["hash-object", "write-tree", "commit-tree", "merge-tree", "update-index"];

/// What only looks at the files, all over the tree, and can be begun again.
const LISTING: [&str; 4] = ["ls-files", "status", "check-attr", "check-ignore"];

/// What lists as many files as a repository has, perhaps with what changed of each.
const LISTING_FILES: [&str; 4] = ["ls-files", "ls-tree", "diff-tree", "status"];

/// So much of that is taken in, in bytes: millions of paths.
const LONGEST_LISTING: usize = if cfg!(test) { 4 << 20 } else { 1 << 30 };

/// What is said of more.
pub(super) const TOO_LONG: &str = "it printed more than can be taken in";

/// So long such a call may take before it is looked at what it may be waiting for.
const SHORT: Duration = Duration::from_secs(5);

/// A call of git that is being put together.
#[derive(Debug)]
pub(crate) struct Call {
    command: Command,
    /// Its first argument that is not an option of ours: `ls-files`.
    verb: Option<OsString>,
    directory: PathBuf,
    /// Where it is known: looked at before git is.
    repository: Option<Repository>,
}

/// What a call that ended by itself said.
#[derive(Debug)]
pub(crate) struct CallOutput {
    /// What was called: its verb.
    command: String,
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
        Self::bare(directory).option("gc.auto=0").option("maintenance.auto=false")
    }

    /// A call in a repository's working tree that runs no hook.
    pub fn within(repository: &Repository) -> Self {
        Self::new(&repository.top).pointed_at(repository)
    }

    /// A call in a repository's working tree that runs the user's hooks.
    pub fn with_hooks_within(repository: &Repository) -> Self {
        Self::with_hooks(&repository.top).pointed_at(repository)
    }

    /// Where git would find another repository than this one, it is told; and that names which differ in case alone are
    /// different files, where they are: a repository that was copied from another system says otherwise, and git would
    /// then neither list nor commit one of them.
    /// The same; where the repository is broken, git does not take one above it instead.
    pub fn not_above(repository: &Repository) -> Self {
        let ceiling = repository.top.parent().unwrap_or(&repository.top);
        Self::within(repository).env("GIT_CEILING_DIRECTORIES", ceiling)
    }

    fn pointed_at(mut self, repository: &Repository) -> Self {
        self.repository = Some(repository.clone());
        let call = if repository.tells_case_apart() { self.option("core.ignoreCase=false") } else { self };
        let call = repository.closed_filters.iter().fold(call, Call::without_filters);
        call.pointed_at_folders(repository)
    }

    /// Files go through as they are, or as they were made inside.
    fn without_filters(mut self, closed: &ClosedFilters) -> Self {
        let (clean, required) =
            if closed.look_up().is_some() { (CLEAN, REQUIRED) } else { (NOTHING, NOTHING) };
        for name in closed.names() {
            let emptied = closed.emptied(name).iter().map(|part| (*part, NOTHING));
            for (part, from) in [("clean", clean), ("required", required)].into_iter().chain(emptied) {
                // Whatever is in the name: what counts is its last `=`.
                let setting = format!("--config-env=filter.{name}.{part}={from}");
                self.command = self.command.argument(setting);
            }
        }
        for name in closed.hooks() {
            self.command = self.command.argument(format!("--config-env=hook.{name}.enabled={UNUSED}"));
        }
        let call = self.env(NOTHING, "").env(UNUSED, "false");
        match closed.look_up() {
            Some((look_up, folder)) => call.env(CLEAN, look_up).env(REQUIRED, "false").env(FILTERED, folder),
            None => call,
        }
    }

    /// What has to go through a filter and was not made inside is an error.
    pub fn only_as_filtered(self) -> Self {
        self.env(REQUIRED, "true")
    }

    fn pointed_at_folders(self, repository: &Repository) -> Self {
        if repository.is_apart() {
            return self.env("GIT_DIR", &repository.git_dir).env("GIT_WORK_TREE", &repository.top);
        }
        self
    }

    fn bare(directory: &Path) -> Self {
        let command = Command::new("git").directory(directory).timeout(TIMEOUT);
        let misleading = ELSEWHERE.iter().chain(MISLEADING);
        let command = misleading.fold(command, |command, name| command.environment(name, None));
        Self { command, verb: None, directory: directory.to_path_buf(), repository: None }
            .env("LC_ALL", "C")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            // What a guest says is another object's content is none of ours.
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .option("core.fsmonitor=false")
            // What is committed or landed is on the disk before the journal says so; git itself leaves loose objects to chance.
            .option("core.fsync=all")
            .hermetic_in_tests()
    }

    /// Tests see no configuration but their repository's own.
    fn hermetic_in_tests(self) -> Self {
        if cfg!(test) {
            let nowhere = "/nonexistent";
            let call = self.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
            return call.env("HOME", nowhere).env("XDG_CONFIG_HOME", nowhere);
        }
        self
    }

    /// Sets `name=value` of the configuration for this call alone.
    pub fn option(mut self, setting: &str) -> Self {
        self.command = self.command.arguments(["-c", setting]);
        self
    }

    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        let argument = argument.as_ref();
        self.verb.get_or_insert_with(|| argument.to_owned());
        self.command = self.command.argument(argument);
        self
    }

    pub fn args<A: AsRef<OsStr>>(self, arguments: impl IntoIterator<Item = A>) -> Self {
        arguments.into_iter().fold(self, Call::arg)
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command = self.command.environment(name, Some(value.as_ref()));
        self
    }

    /// Without this variable of the user's.
    pub fn without(mut self, name: &str) -> Self {
        self.command = self.command.environment(name, None);
        self
    }

    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.command = self.command.stdin(bytes);
        self
    }

    /// Looks at one index alone.
    pub fn with_index(self, index: &Path) -> Self {
        self.env("GIT_INDEX_FILE", index).env("GIT_LITERAL_PATHSPECS", "1")
    }

    /// With an option whose value is a path of git's: `--path=…`.
    pub fn path_option(self, name: &str, path: &[u8]) -> Self {
        self.arg(OsStr::from_bytes(&[name.as_bytes(), b"=", path].concat()))
    }

    /// As nobody in particular.
    pub fn anonymous(self) -> Self {
        ["GIT_AUTHOR", "GIT_COMMITTER"].into_iter().fold(self, |call, whose| {
            call.env(&format!("{whose}_NAME"), "Windlass")
                .env(&format!("{whose}_EMAIL"), "windlass@localhost")
        })
    }

    /// Fetches from a repository on this machine; what from and which names is still to be said.
    pub fn fetch(self) -> Self {
        let settings = [
            "gc.auto=0",
            "maintenance.auto=false",
            "protocol.file.allow=always",
            "fetch.writeCommitGraph=false",
        ];
        let call = settings.into_iter().fold(self, Call::option).env("GIT_ALLOW_PROTOCOL", "file");
        call.args(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"])
    }

    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.command = self.command.timeout(timeout);
        self
    }

    /// It is ended once this is so.
    pub fn interrupted_by(mut self, interruption: &Interruption) -> Self {
        self.command = self.command.interrupted_by(interruption);
        self
    }

    /// Runs it, whatever its exit code.
    pub fn run(self) -> Result<CallOutput, GitError> {
        #[cfg(test)]
        CALLS.with(|calls| calls.set(calls.get() + 1));
        let command = self.described();
        // Where the system does not say which of the two is missing, it is not the directory.
        // outside: git goes there itself, by whatever links.
        if !self.directory.is_dir() {
            return Err(GitError::NoDirectory(self.directory));
        }
        let outcome = self.waited_for()?;
        let said = match outcome.ended {
            _ if outcome.stdout.dropped > 0 => TOO_LONG.to_owned(),
            Ended::Exited(code) => {
                let errors = outcome.stderr.text();
                return Ok(CallOutput { command, code, output: outcome.stdout.bytes, errors });
            }
            Ended::Signalled(signal) => format!("it was ended by signal {signal}"),
            Ended::Lost => "nobody saw its end".to_owned(),
        };
        Err(GitError::Failed { command, said })
    }

    /// Runs it where nothing keeps git waiting without end.
    fn waited_for(&self) -> Result<Output, GitError> {
        let failed = |said: String| GitError::Failed { command: self.described(), said };
        let run = |command: Command| {
            command.run().map_err(|error| GitError::from_process(&self.described(), error))
        };
        let verb = self.verb.as_deref().and_then(OsStr::to_str).unwrap_or_default();
        let limited = |command: Command| {
            if LISTING_FILES.contains(&verb) { command.output_limit(LONGEST_LISTING) } else { command }
        };
        let run = |command: Command| run(limited(command));
        let Some(repository) = &self.repository else { return run(self.command.clone()) };
        let in_the_way = || match verb {
            verb if WRITING.contains(&verb) => sound::in_the_way_of_references(repository),
            verb if WRITING_OBJECTS.contains(&verb) => sound::in_the_way_of_objects(repository),
            _ => None,
        };
        if let Some(why) = sound::unsound(repository).or_else(in_the_way) {
            return Err(failed(why));
        }
        if !LISTING.contains(&verb) {
            return run(self.command.clone());
        }
        // It reads files all over the tree: where it takes long, it may be waiting for one of them.
        match run(self.command.clone().timeout(SHORT)) {
            Err(GitError::TimedOut { .. }) => match sound::pipe_within(repository) {
                Some(why) => Err(failed(why)),
                None => run(self.command.clone()),
            },
            done => done,
        }
    }

    /// Runs it; any exit code but 0 is an error.
    pub fn output(self) -> Result<Vec<u8>, GitError> {
        let answer = self.run()?;
        if answer.code == 0 { Ok(answer.output) } else { Err(answer.failed()) }
    }

    /// Runs it; its output as text, without what is blank around it.
    pub fn text(self) -> Result<String, GitError> {
        Ok(String::from_utf8_lossy(&self.output()?).trim().to_owned())
    }

    /// Runs it; what it prints, each part ended by a zero.
    pub fn zero_ended(self) -> Result<Vec<Vec<u8>>, GitError> {
        Ok(zero_ended(&self.output()?).map(<[u8]>::to_vec).collect())
    }

    /// Runs it; the only object's name that it prints.
    pub fn id(self) -> Result<ObjectId, GitError> {
        let command = self.described();
        let output = self.output()?;
        ObjectId::from_hex(output.trim_ascii()).ok_or_else(|| unexpected(&command, &output))
    }

    /// Runs it; the object's name that it prints, `None` where it finds none.
    pub fn found_id(self) -> Result<Option<ObjectId>, GitError> {
        let answer = self.run()?;
        Ok(ObjectId::from_hex(answer.output.trim_ascii()).filter(|_| answer.code == 0))
    }

    /// Runs it: does it end with 0?
    pub fn succeeds(self) -> Result<bool, GitError> {
        Ok(self.run()?.code == 0)
    }

    /// `git ls-files`: without options.
    fn described(&self) -> String {
        format!("git {}", self.verb.as_deref().unwrap_or_default().to_string_lossy())
    }
}

#[cfg(test)]
thread_local! {
    /// How often this thread has called git.
    static CALLS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// How often this thread has called git.
#[cfg(test)]
pub(crate) fn calls_made() -> usize {
    CALLS.with(std::cell::Cell::get)
}

impl CallOutput {
    /// That it ended as it did, as an error.
    pub fn failed(&self) -> GitError {
        GitError::Failed { command: self.command.clone(), said: last_lines(self) }
    }
}

/// The last lines that a call printed, standard error first choice; at most 10.
pub(crate) fn last_lines(answer: &CallOutput) -> String {
    let text = if answer.errors.trim().is_empty() {
        String::from_utf8_lossy(&answer.output).into_owned()
    } else {
        answer.errors.clone()
    };
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let from = lines.len().saturating_sub(10);
    let tail = lines.get(from..).unwrap_or_default().join("\n");
    if tail.is_empty() { format!("it ended with exit code {}", answer.code) } else { tail }
}

/// A path that a call printed: without the line's end, whatever else is in it.
pub(crate) fn printed_path(output: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    let path = output.strip_suffix(b"\n").unwrap_or(output);
    OsString::from_vec(path.to_vec()).into()
}

/// The parts of an output that are ended by zeros.
pub(crate) fn zero_ended(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output.split(|byte| *byte == 0).filter(|part| !part.is_empty())
}

/// A line of `git update-index --index-info -z`.
pub(crate) fn index_line(mode: &str, id: &str, path: &[u8]) -> Vec<u8> {
    [format!("{mode} {id}\t").as_bytes(), path, b"\0"].concat()
}

/// git printed what it never prints: its beginning.
pub(crate) fn unexpected(command: &str, output: &[u8]) -> GitError {
    let printed = String::from_utf8_lossy(output).chars().take(200).collect();
    GitError::Unexpected { command: command.to_owned(), printed }
}
