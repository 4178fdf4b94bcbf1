//! The built program from outside: what it accepts, what it refuses and how, and the agent it plays.
#![expect(clippy::disallowed_methods, reason = "these tests start the program they test")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod action;
mod agent;
mod completions;
mod decoding;
mod demo;
mod deploy;
mod install;
mod misbehaviour;
mod notify;
mod refusals;
mod screen;
mod settings;
mod update;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use windlass_testkit::printed;

/// A place of its own for one test: a working directory, a home, and nothing of the environment but `PATH`.
struct Place {
    root: TempDir,
}

/// What a program left behind.
struct CommandOutput {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Place {
    fn new() -> Place {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("work")).unwrap();
        fs::create_dir(root.path().join("home")).unwrap();
        Place { root }
    }

    /// The working directory.
    fn work(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("work")
    }

    fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// Writes a file below the test's root, with the directories it needs.
    fn file(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.work().join(path)).unwrap()
    }

    /// After the project's files are trusted, as a person does it, where the verb starts what they name.
    fn windlass(&self, arguments: &[&str]) -> Command {
        let starts =
            arguments.first().is_some_and(|verb| ["run", "notify", "hooks", "resume"].contains(verb));
        if starts && self.work().join(".windlass").exists() {
            let listed = answer(&mut self.plain(&["trust", "--json"])).stdout;
            let listed: serde_json::Value = serde_json::from_str(&listed).unwrap_or_default();
            if listed["items"].as_array().is_some_and(|items| !items.is_empty()) {
                answer(&mut self.plain(&["trust", listed["hash"].as_str().unwrap()]));
            }
        }
        self.plain(arguments)
    }

    fn plain(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_windlass"));
        command
            .args(arguments)
            .current_dir(self.work())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .stdin(Stdio::null());
        command
    }

    fn ask(&self, arguments: &[&str]) -> CommandOutput {
        answer(&mut self.windlass(arguments))
    }

    /// The scripted agent with a script of these steps.
    fn agent(&self, steps: &str) -> Command {
        let script = self.file("script.toml", format!("[[call]]\nsteps = [ {steps} ]\n"));
        self.windlass(&["__agent", &text(&script), "-p"])
    }
}

fn answer(command: &mut Command) -> CommandOutput {
    let output = command.output().unwrap();
    for said in [&output.stdout, &output.stderr] {
        printed::hold(Path::new(command.get_program()), said);
    }
    CommandOutput {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}
