//! A run in a sandbox, and what a script inside found.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use windlass_testkit::{Outcome, Running, TestEnv};

pub use super::kinds::kinds;

/// Longer than any of these runs takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_mins(2);

/// What nothing may outlive.
pub const CLEARED: Duration = Duration::from_secs(4);

/// What scripts inside say what they expect with.
const WORDS: &str = r#"
failed=0
may() { what=$1; shift; "$@" >/dev/null 2>said || { echo "FAILED: may $what: $(cat said)"; failed=1; }; }
perhaps() { :; }
may_not() { what=$1; shift; if "$@" >/dev/null 2>&1; then echo "FAILED: may not $what"; failed=1; fi; }
"#;

/// A place, and the sandbox that runs there are locked in by.
pub struct Place {
    pub env: TestEnv,
    pub kind: &'static str,
    /// Where runs are started.
    pub directory: PathBuf,
    prefix: Vec<String>,
    program: PathBuf,
    variables: Vec<(String, String)>,
}

impl Place {
    /// In a git repository with one commit, not below the directory of temporary files, which guests have of their own.
    pub fn new(kind: &'static str) -> Place {
        Place::at(TestEnv::below(Path::new(env!("CARGO_TARGET_TMPDIR")), "project").git_initialised(), kind)
    }

    pub fn at(env: TestEnv, kind: &'static str) -> Place {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_windlass"));
        let directory = env.project().to_owned();
        Place { env, kind, directory, prefix: Vec::new(), program, variables: Vec::new() }
    }

    pub fn set(mut self, name: &str, value: &str) -> Place {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// As an ordinary user, to whom all of it belongs. Only root can do this.
    pub fn of_an_ordinary_user(mut self) -> Place {
        let program = self.env.root().join("windlass");
        if fs::hard_link(&self.program, &program).is_err() {
            fs::copy(&self.program, &program).unwrap();
        }
        let root = self.env.root().to_str().unwrap().to_owned();
        let script = format!("find '{root}' -not -name windlass -exec chown -h 65534:65534 {{}} +");
        self.env.run(self.env.command("sh").args(["-c", &script]), PATIENCE).expect_success(&script);
        self.program = program;
        self.prefix =
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"].map(str::to_owned).to_vec();
        self
    }

    /// The word for writing beside the project: where the sandbox has a directory of temporary files of its own, and the project
    /// lies in the machine's, what is made beside it is made nowhere.
    pub fn writing_beside(&self) -> &'static str {
        if self.kind == "bwrap" && self.env.root().starts_with("/tmp") { "perhaps" } else { "may_not" }
    }

    pub fn windlass(&self, arguments: &[&str]) -> Command {
        self.env.trust_by(&self.directory, arguments, |arguments| self.untrusting(arguments));
        self.untrusting(arguments)
    }

    /// The same where nobody trusted the repository.
    pub fn untrusting(&self, arguments: &[&str]) -> Command {
        let mut words = self.prefix.clone();
        words.push(self.program.to_str().unwrap().to_owned());
        let mut command = self.env.command(&words[0]);
        command.args(&words[1..]).args(arguments).current_dir(&self.directory);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// A run that is done when a script inside finds all that it expects.
    pub fn run(&self, flags: &[&str], script: &str) -> Outcome {
        let path = self.directory.join("probe.sh");
        fs::write(&path, format!("{WORDS}{script}\nexit $failed\n")).unwrap();
        let fixed = [
            "run",
            "-p",
            "Look around",
            "--mock",
            "--no-delay",
            "--fresh",
            "-m",
            "1",
            "--sandbox",
            self.kind,
        ];
        let mut command = self.windlass(&[&fixed, flags, &["--until", "bash ./probe.sh"]].concat());
        self.env.run(&mut command, PATIENCE)
    }

    /// The same; the script must find all that it expects.
    pub fn expect(&self, flags: &[&str], script: &str) -> Outcome {
        let outcome = self.run(flags, script);
        let said = format!("{}\n{}\n{}", self.kind, self.logs(), said(&outcome));
        // Before the first iteration already: the command that says so has passed.
        assert!(!outcome.timed_out && said.contains("stopped: nothing_to_do"), "{said}");
        self.env.assert_no_processes(CLEARED);
        outcome
    }

    /// A run of a script of the scripted agent's.
    pub fn command_of(&self, script: &str, flags: &[&str]) -> Command {
        let path = self.env.write(self.env.root().join("script.toml"), script);
        let mock = format!("--mock={}", path.display());
        let fixed = ["run", "-p", "Work", &mock, "--no-delay", "--fresh", "--sandbox", self.kind];
        self.windlass(&[&fixed, flags].concat())
    }

    pub fn start(&self, script: &str, flags: &[&str]) -> Running {
        Running::start(&mut self.command_of(script, flags))
    }

    /// What checks printed.
    pub fn logs(&self) -> String {
        let mut found = Vec::new();
        collect(&self.env.state(), &mut found);
        let print = |path: &PathBuf| {
            let text = fs::read(path).unwrap_or_default();
            format!("{}:\n{}", path.display(), String::from_utf8_lossy(&text))
        };
        found.iter().map(print).collect::<Vec<_>>().concat()
    }
}

/// All that it printed.
pub fn said(outcome: &Outcome) -> String {
    outcome.stdout_text() + &outcome.stderr_text()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            collect(&entry.path(), found);
        } else if entry.path().extension().is_some_and(|end| end == "log") {
            found.push(entry.path());
        }
    }
}

/// Does this process belong to root?
pub fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}
