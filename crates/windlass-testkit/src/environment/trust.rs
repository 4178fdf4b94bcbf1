//! Trusting what a test's project starts, as a person does.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::TestEnv;

/// Verbs that start what a repository names.
const STARTING: [&str; 13] = [
    "run", "plan", "build", "resume", "continue", "setup", "edit", "init", "validate", "verify", "hooks",
    "sandbox", "notify",
];

/// For a look at a few files.
const PATIENCE: Duration = Duration::from_secs(30);

impl TestEnv {
    /// Before `windlass` is started with these arguments: trusts what the project's files start, by the commands that a
    /// person has for it. Tests of something else write their configuration directly, as an editor does.
    pub fn trust_before<S: AsRef<OsStr>>(&self, windlass: &str, arguments: &[S]) {
        self.trust_by(self.project(), arguments, |words| {
            let mut command = self.command(windlass);
            command.args(words);
            command
        });
    }

    /// The same in this directory, with a windlass that is started so.
    pub fn trust_by<S: AsRef<OsStr>>(
        &self,
        directory: &Path,
        arguments: &[S],
        windlass: impl Fn(&[&str]) -> Command,
    ) {
        let is_starting = |word: &S| STARTING.iter().any(|verb| word.as_ref() == *verb);
        let names_something = [".windlass", ".claude", ".mcp.json"];
        // Nothing is made where nothing is started.
        if !arguments.iter().take(3).any(is_starting)
            || !names_something.iter().any(|name| directory.join(name).exists())
        {
            return;
        }
        let run = |words: &[&str]| self.run(windlass(words).current_dir(directory), PATIENCE);
        let listed: serde_json::Value =
            serde_json::from_slice(&run(&["trust", "--json"]).stdout).unwrap_or_default();
        let is_something = listed["items"].as_array().is_some_and(|items| !items.is_empty());
        if let Some(hash) = listed["hash"].as_str().filter(|_| is_something) {
            let _ = run(&["trust", hash]);
        }
    }
}
