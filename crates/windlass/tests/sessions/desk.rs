//! A project with a workspace, and a person in front of it.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use windlass_testkit::environment::{Outcome, PersonsTerminal, TestEnv, wait_until};

/// Longer than anything here takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// What nothing may outlive.
pub const CLEARED: Duration = Duration::from_secs(2);

/// As `windlass init api` writes it.
const METADATA: &str = r#"{"name":"api","created":"2026-01-01T00:00:00Z","status":"in_progress","mode":"loop","totalIterations":0,"setupIterations":0,"executionIterations":0}"#;

/// A project with the workspace `api`.
pub struct Desk {
    pub env: TestEnv,
    script: PathBuf,
}

impl Desk {
    /// In a git repository with one commit; `calls` are the scripted agent's.
    pub fn new(calls: &[&str]) -> Desk {
        let calls: Vec<String> =
            calls.iter().map(|steps| format!("[[call]]\nsteps = [ {steps} ]\n")).collect();
        let script = calls.concat();
        let env = TestEnv::with_git();
        let script = env.write(env.root().join("script.toml"), script);
        env.write(".windlass/workspaces/api/.metadata.json", METADATA);
        Desk { env, script }
    }

    /// The same with instructions.
    pub fn with_instructions(calls: &[&str]) -> Desk {
        let desk = Desk::new(calls);
        desk.env.write(".windlass/workspaces/api/INSTRUCTIONS.md", "# Port\n\nPort the parser.\n");
        desk
    }

    /// A file of the workspace.
    pub fn file(&self, name: &str) -> PathBuf {
        self.env.project().join(".windlass/workspaces/api").join(name)
    }

    /// Its text.
    pub fn text(&self, name: &str) -> String {
        self.env.read(self.file(name))
    }

    /// The workspace's metadata.
    pub fn metadata(&self) -> Value {
        serde_json::from_str(&self.text(".metadata.json")).unwrap()
    }

    /// windlass with these arguments and nothing else.
    pub fn windlass(&self, arguments: &[&str]) -> Command {
        self.env.trust_before(env!("CARGO_BIN_EXE_windlass"), arguments);
        let mut command = self.env.command(env!("CARGO_BIN_EXE_windlass"));
        command.args(arguments);
        command
    }

    /// The same with this desk's script.
    pub fn scripted(&self, arguments: &[&str]) -> Command {
        let mut command = self.windlass(arguments);
        command.arg(format!("--mock={}", self.script.display()));
        command
    }

    /// Runs it to its end, without a terminal.
    pub fn ask(&self, arguments: &[&str]) -> Outcome {
        self.env.run(&mut self.scripted(arguments), PATIENCE)
    }

    /// Runs it at a terminal.
    pub fn sit(&self, arguments: &[&str]) -> PersonsTerminal {
        PersonsTerminal::start(&mut self.scripted(arguments))
    }

    /// Waits until the agent has made a file.
    pub fn wait_for_file(&self, path: &str) {
        let path = self.env.project().join(path);
        assert!(wait_until(PATIENCE, || path.exists()), "never made: {}", path.display());
    }
}

/// The words of the command that undoes a session, as it was printed.
pub fn undo(said: &str) -> Vec<String> {
    let line =
        said.lines().find(|line| line.contains("windlass restore")).unwrap_or_else(|| panic!("{said}"));
    let plain: String = strip(line);
    plain.split_whitespace().skip_while(|word| *word != "windlass").skip(1).map(str::to_owned).collect()
}

/// Without colours.
pub fn strip(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    plain + rest
}
