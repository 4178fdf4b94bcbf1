//! Runs to be looked at: three projects, whose scripted agents cost nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::program::{Failure, line_of};

/// Longer than any run takes here.
const PATIENCE: Duration = Duration::from_mins(2);

/// A program whose every iteration has another fate, and which then asks for a person.
const PARSER: &str = include_str!("parser.toml");

/// The agent works until `go` is there.
const AT_WORK: &str = include_str!("manual.toml");

/// Tasks in two lanes; the third cannot be done.
const TASKS: &str = include_str!("shop.toml");

const REQUIREMENTS: &str = include_str!("requirements.md");

/// All of it, in folders of its own.
pub struct Stage {
    folder: TempDir,
    program: PathBuf,
    at_work: Option<Child>,
    /// The run that waits for a person.
    pub waits: String,
    /// The run that goes on.
    pub goes_on: String,
    /// The run of tasks in lanes.
    pub tasks: String,
}

impl Stage {
    /// Runs them; it takes some seconds.
    pub fn set(program: &Path) -> Result<Stage, Failure> {
        let folder = tempfile::Builder::new().prefix("night-").tempdir();
        let folder = folder.map_err(|error| Failure(format!("no scratch folder: {error}")))?;
        let mut stage = Stage {
            folder,
            program: program.to_owned(),
            at_work: None,
            waits: String::new(),
            goes_on: String::new(),
            tasks: String::new(),
        };
        stage.project("shop", &[("requirements.md", REQUIREMENTS), ("README.md", "A shop.\n")])?;
        let tasks = ["--mode", "tasks", "-f", "requirements.md", "-j", "2", "--gate", "true"];
        stage.tasks = stage.run("shop", TASKS, &tasks)?;
        stage.project("parser", &[("spec.md", "Dates are ISO 8601.\n"), ("check.sh", CHECK)])?;
        let goal = "Read dates as ISO 8601 writes them, and cover it with tests";
        let gated = ["-p", goal, "--gate", "sh check.sh", "--gate-later", "--completion-threshold", "1"];
        let bounded = ["--max-cost", "5", "-m", "5", "--commit", "runner"];
        stage.waits = stage.run("parser", PARSER, &[&gated[..], &bounded].concat())?;
        stage.project("manual", &[("README.md", "A manual.\n")])?;
        stage.begin("manual", AT_WORK)?;
        Ok(stage)
    }

    /// Where all of it lies.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// `windlass` in a project, in an environment of its own.
    pub fn windlass(&self, project: &str) -> Command {
        let mut command = self.bare(&self.program);
        command.current_dir(self.folder().join(project));
        command
    }

    fn bare(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let name = |what: &str| (format!("GIT_{what}_NAME"), "Ada".to_owned());
        let mail = |what: &str| (format!("GIT_{what}_EMAIL"), "ada@example.org".to_owned());
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(["HOME", "WINDLASS_CONFIG_DIR"].map(|variable| (variable, self.folder().join("home"))))
            .env("WINDLASS_STATE_DIR", self.folder().join("state"))
            .envs([("LANG", "C.UTF-8"), ("TZ", "UTC"), ("GIT_CONFIG_NOSYSTEM", "1")])
            .envs(["AUTHOR", "COMMITTER"].map(name))
            .envs(["AUTHOR", "COMMITTER"].map(mail))
            .stdin(Stdio::null());
        command
    }

    fn project(&self, name: &str, files: &[(&str, &str)]) -> Result<(), Failure> {
        let folder = self.folder().join(name);
        for made in [&folder, &self.folder().join("home")] {
            fs::create_dir_all(made).map_err(|error| Failure::at(made, error))?;
        }
        for (file, content) in files {
            let path = folder.join(file);
            fs::write(&path, content).map_err(|error| Failure::at(&path, error))?;
        }
        for arguments in [&["init", "-q", "-b", "main"][..], &["add", "-A"], &["commit", "-qm", "Begin"]] {
            let mut git = self.bare(Path::new("git"));
            let done = git.args(arguments).current_dir(&folder).status();
            if !done.is_ok_and(|status| status.success()) {
                return Err(Failure(format!("`{}` failed", line_of(&git))));
            }
        }
        Ok(())
    }

    fn scripted(&self, project: &str, script: &str) -> Result<Command, Failure> {
        let path = self.folder().join(format!("{project}.toml"));
        fs::write(&path, script).map_err(|error| Failure::at(&path, error))?;
        let mut command = self.windlass(project);
        command.args(["run", "--no-delay", "--json", &format!("--mock={}", path.display())]);
        Ok(command)
    }

    /// Runs to the end; the run's name.
    fn run(&self, project: &str, script: &str, flags: &[&str]) -> Result<String, Failure> {
        let mut command = self.scripted(project, script)?;
        let output = command.args(flags).output();
        let output = output.map_err(|error| Failure(format!("{}: {error}", line_of(&command))))?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        named(&said).ok_or_else(|| {
            Failure(format!(
                "{} began no run: {}",
                line_of(&command),
                String::from_utf8_lossy(&output.stderr)
            ))
        })
    }

    /// Begins one that goes on until it is let go.
    fn begin(&mut self, project: &str, script: &str) -> Result<(), Failure> {
        let said = self.folder().join("said.jsonl");
        let output = fs::File::create(&said).map_err(|error| Failure::at(&said, error))?;
        let mut command = self.scripted(project, script)?;
        command.args(["-p", "Give every page an example", "-m", "20", "--max-cost", "3"]);
        command.stdout(output).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| Failure(format!("{}: {error}", line_of(&command))))?;
        self.at_work = Some(child);
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            let text = fs::read_to_string(&said).unwrap_or_default();
            if text.contains("two examples") && text.contains("while ! test") {
                self.goes_on = named(&text).unwrap_or_default();
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err(Failure("the run that goes on does not say that it does".to_owned()))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = fs::write(self.folder().join("go"), "");
        if let Some(child) = &mut self.at_work {
            let _ = child.kill();
            let _ = child.wait();
        }
        // Its keeper clears up; the folders go after that.
        std::thread::sleep(Duration::from_secs(3));
    }
}

/// A gate that holds once both are there.
const CHECK: &str = "test -e tests/dates.txt || { echo 'no fixture for times'; exit 1; }\ngrep -q time src/dates.py && test -e tests/times.txt || { echo '2 of 5 dates fail: 2026-11-26T03:04'; exit 2; }\n";

fn named(said: &str) -> Option<String> {
    let first: serde_json::Value = serde_json::from_str(said.lines().next()?).ok()?;
    first["run"].as_str().map(str::to_owned)
}
