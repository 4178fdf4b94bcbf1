//! A run in a place of its own: how it is started, and what it left behind.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use windlass_core::fact::{Entry, Fact};
use windlass_core::report;
use windlass_core::run::{Phase, Run};
use windlass_core::values::{CallSummary, StopReason, Verdict};
use windlass_engine::store::journal;
use windlass_testkit::environment::wait_until;
use windlass_testkit::{Outcome, Running, TestEnv, evidence};

/// Longer than any of these runs takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_mins(2);

/// What nothing may outlive: "within two seconds", and the time a busy machine needs to look.
pub const CLEARED: Duration = Duration::from_secs(2);

/// One run, or several in one directory, played from one script.
pub struct Night {
    pub env: TestEnv,
    /// What the agent plays.
    pub script: PathBuf,
    variables: Vec<(String, String)>,
}

impl Night {
    /// In a directory without git.
    pub fn new(script: &str) -> Night {
        Night::within(TestEnv::new(), script)
    }

    /// In a git repository with one commit.
    pub fn with_git(script: &str) -> Night {
        Night::within(TestEnv::with_git(), script)
    }

    /// In a place that was prepared.
    pub fn within(env: TestEnv, script: &str) -> Night {
        // Outside the project, so that it is not part of what is looked at.
        let script = env.write(env.root().join("script.toml"), watched(script));
        Night { env, script, variables: Vec::new() }
    }

    /// A setting, or a fault, for every program that is started from now on.
    pub fn set(mut self, name: &str, value: &str) -> Night {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// windlass with these arguments and nothing else.
    pub fn windlass<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        self.env.trust_before(env!("CARGO_BIN_EXE_windlass"), arguments);
        let mut command = self.env.command(env!("CARGO_BIN_EXE_windlass"));
        command.args(arguments);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// `windlass run` of a goal with this night's script, without pauses.
    pub fn run_command(&self, arguments: &[&str]) -> Command {
        self.command_for("Make it work", arguments)
    }

    /// The same, of another goal.
    pub fn command_for(&self, goal: &str, arguments: &[&str]) -> Command {
        let mut command = self.windlass(&["run", "--no-delay", "--prompt", goal]);
        command.arg(format!("--mock={}", self.script.display())).args(arguments);
        command
    }

    /// Runs it to its end.
    pub fn run(&self, arguments: &[&str]) -> Outcome {
        self.env.run(&mut self.run_command(arguments), PATIENCE)
    }

    /// Starts it.
    pub fn start(&self, arguments: &[&str]) -> Running {
        Running::start(&mut self.run_command(arguments))
    }

    /// `windlass resume`.
    pub fn resume(&self, arguments: &[&str]) -> Outcome {
        self.env.run(self.windlass(&["resume"]).args(arguments), PATIENCE)
    }

    /// The folders of all runs here.
    pub fn folders(&self) -> Vec<PathBuf> {
        let projects = children(&self.env.state().join("projects"));
        let runs = projects.iter().flat_map(|project| children(&project.join("runs")));
        runs.filter(|path| path.is_dir()).collect()
    }

    /// The folder of the only run.
    pub fn folder(&self) -> PathBuf {
        let folders = self.folders();
        assert_eq!(folders.len(), 1, "one run was expected: {folders:?}");
        folders.into_iter().next().unwrap()
    }

    /// The project's folder in the state directory.
    pub fn project_state(&self) -> PathBuf {
        children(&self.env.state().join("projects")).into_iter().next().expect("a project's folder")
    }

    /// The only run's journal as it is now, a torn tail left out.
    pub fn entries(&self) -> Vec<Entry> {
        journal::read(&self.folder().join("journal.jsonl")).expect("a journal that loads")
    }

    /// Its facts.
    pub fn facts(&self) -> Vec<Fact> {
        self.entries().into_iter().map(|entry| entry.fact).collect()
    }

    /// The journal folded: every fact in it is legal.
    pub fn state(&self) -> Run {
        let mut run = Run::new();
        for entry in self.entries() {
            run.apply(&entry).expect("a journal that folds");
        }
        run
    }

    /// Why the run ended.
    pub fn ended(&self) -> StopReason {
        match self.state().phase() {
            Phase::Ended(reason) => reason,
            other => panic!("the run is {other:?}: {:#?}", self.facts()),
        }
    }

    /// Was the end of a run whose runner was killed already in the journal? There is nothing to go on with then. The lock names that
    /// runner, though nobody holds it; the name is taken out, as the next run does.
    ///
    /// # Panics
    /// Something of the run lives, or holds its directory.
    pub fn was_over_when_killed(&self) -> bool {
        let is_over = matches!(self.facts().last(), Some(Fact::RunFinished { .. }));
        if is_over {
            self.env.assert_no_processes(CLEARED);
            for path in self.locks() {
                assert_not_held(&path);
                fs::write(&path, "").unwrap();
            }
        }
        is_over
    }

    /// How each iteration ended, in order.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let verdict = |fact: Fact| match fact {
            Fact::IterationFinished { verdict, .. } => Some(verdict),
            _ => None,
        };
        self.facts().into_iter().filter_map(verdict).collect()
    }

    /// How each call went, in order.
    pub fn calls(&self) -> Vec<CallSummary> {
        let summary = |fact: Fact| match fact {
            Fact::CallFinished { summary, .. } => Some(summary),
            _ => None,
        };
        self.facts().into_iter().filter_map(summary).collect()
    }

    /// What was said beside the facts.
    pub fn notices(&self) -> Vec<String> {
        let text = |fact: Fact| match fact {
            Fact::Noticed(report::Noticed { text }) => Some(text),
            _ => None,
        };
        self.facts().into_iter().filter_map(text).collect()
    }

    /// The prompt of an iteration's first attempt.
    pub fn prompt(&self, iteration: u32) -> String {
        let path = self.folder().join(format!("iterations/{iteration:04}/1-work/prompt.md"));
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Waits until the journal of the only run holds such a fact.
    ///
    /// # Panics
    /// Where that takes too long.
    pub fn wait_for_fact(&self, what: &str, wanted: impl Fn(&Fact) -> bool) {
        let there = || {
            let [folder] = &self.folders()[..] else { return false };
            journal::read(&folder.join("journal.jsonl"))
                .is_ok_and(|entries| entries.iter().any(|entry| wanted(&entry.fact)))
        };
        assert!(wait_until(PATIENCE, there), "never journalled: {what}");
    }

    /// Waits until the agent has made a file.
    ///
    /// # Panics
    /// Where that takes too long.
    pub fn wait_for_file(&self, path: &str) {
        let path = self.env.project().join(path);
        assert!(wait_until(PATIENCE, || path.exists()), "never made: {}", path.display());
    }

    /// Waits until a run has recorded what its agent did to make a file: what is still in a pipe dies with the runner.
    ///
    /// # Panics
    /// Where that takes too long.
    pub fn wait_until_recorded(&self, path: &str) {
        self.wait_for_file(path);
        let is_recorded = || {
            let files = files_below(&self.env.state());
            let mut streams = files.iter().filter(|file| file.ends_with("stream.ndjson"));
            streams.any(|file| fs::read_to_string(file).is_ok_and(|text| text.contains(path)))
        };
        assert!(wait_until(PATIENCE, is_recorded), "never recorded: {path}");
    }

    /// Nothing of the run lives, nobody holds its directory, and no half-written file is left beside its journal.
    ///
    /// # Panics
    /// Otherwise.
    pub fn assert_clean(&self) {
        self.assert_free();
        let strange: Vec<PathBuf> =
            files_below(&self.env.state()).into_iter().filter(|path| is_temporary(path)).collect();
        assert!(strange.is_empty(), "temporary files are left: {strange:?}");
        let tmp = children(&self.env.root().join("tmp"));
        assert!(tmp.is_empty(), "temporary files are left: {tmp:?}");
    }

    /// Nothing of the run lives, and nobody holds its directory.
    ///
    /// # Panics
    /// Otherwise.
    pub fn assert_free(&self) {
        self.env.assert_no_processes(CLEARED);
        for path in self.locks() {
            assert_eq!(fs::read_to_string(&path).unwrap(), "", "the lock still names a holder");
            assert_not_held(&path);
        }
    }

    fn locks(&self) -> Vec<PathBuf> {
        children(&self.project_state()).into_iter().filter(|path| name(path).starts_with("lock")).collect()
    }
}

#[track_caller]
fn assert_not_held(lock: &Path) {
    assert!(fs::File::open(lock).unwrap().try_lock().is_ok(), "the lock is still held");
}

/// `expect_code` and the last line of what was said, which names the stop reason.
#[track_caller]
pub fn expect_end(outcome: &Outcome, code: i32, reason: &str) {
    outcome.expect_code(code, reason);
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(said.contains(&format!("stopped: {reason}")), "{reason} is not said: {said}");
}

/// Where evidence is kept, each call of a script keeps what its agent was called with.
fn watched(script: &str) -> String {
    let Some(keeps) = evidence::caller() else { return script.to_owned() };
    let keeps = format!("{{ bash = {{ command = '''{keeps}''', silent = true }} }}, ");
    script.replace("steps = [", &format!("steps = [ {keeps}"))
}

/// A script with one call, repeated for ever.
pub fn every_call(steps: &str) -> String {
    calls(&[steps])
}

/// A script with these calls; the last one is repeated.
pub fn calls(calls: &[&str]) -> String {
    let call = |steps: &&str| format!("[[call]]\nsteps = [ {steps} ]\n");
    calls.iter().map(call).collect()
}

/// Every file below a directory.
pub fn files_below(directory: &Path) -> Vec<PathBuf> {
    let (directories, mut files): (Vec<PathBuf>, Vec<PathBuf>) =
        children(directory).into_iter().partition(|path| path.is_dir() && !path.is_symlink());
    files.extend(directories.iter().flat_map(|directory| files_below(directory)));
    files
}

fn children(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn is_temporary(path: &Path) -> bool {
    let name = name(path);
    let stays = name == "index.lock" || name.starts_with("budget-");
    let locks = path.extension().is_some_and(|end| end == "lock") && !stays;
    locks || name.contains("tmp") || name.starts_with(".windlass-")
}
