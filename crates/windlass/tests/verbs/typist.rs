//! A person who types what is printed and what stands in the documents, at a shell, as it stands there.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use windlass_testkit::environment::{Outcome, TestEnv};

use super::PATIENCE;

/// In the place of Claude Code: plays the script that the file beside it names.
const AGENT: &str = r#"#!/bin/sh
case "$1" in
    --version) echo '2.1.330 (Claude Code)'; exit ;;
    auth) echo '{"loggedIn":true}'; exit ;;
esac
exec windlass __agent "$(cat "${0%/*}/../script")" "$@"
"#;

/// Files of a project in which all sorts of jobs are waiting.
const PROJECT: [(&str, &str); 9] = [
    ("Makefile", "test lint docs:\n\t@true\n"),
    ("goal.md", "Make it work.\n"),
    ("PROMPT.md", "Make it work.\n"),
    ("specs/numbers.md", "# Numbers\n\nNumbers are read.\n"),
    ("IMPLEMENTATION_PLAN.md", "# Plan\n\n- [ ] 1.1 Read numbers (refs: specs/numbers.md)\n"),
    (
        "requirements.md",
        "### TASK-001: Read numbers\n- **Status**: done\n\n### TASK-002: Say where an error is\n- **Status**: pending\n\n\
         ### TASK-003: Write the manual\n- **Status**: in-progress\n",
    ),
    (".claude-iterate.json", "{}\n"),
    (".fresher/config.toml", "[fresher]\nmode = \"building\"\n"),
    (".ralph/fix_plan.md", "# Plan\n\n- [ ] Repair it\n"),
];

pub struct Typist {
    pub env: TestEnv,
    programs: PathBuf,
}

impl Typist {
    /// In a project with a history of one commit.
    pub fn new() -> Typist {
        let env = TestEnv::with_git();
        for (name, content) in PROJECT {
            env.write(name, content);
        }
        env.git(&["add", "--all"]);
        env.git(&["commit", "--quiet", "--message", "A beginning"]);
        let programs = env.root().join("programs");
        fs::create_dir(&programs).unwrap();
        symlink(env!("CARGO_BIN_EXE_windlass"), programs.join("windlass")).unwrap();
        let agent = env.write(programs.join("claude"), AGENT);
        fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).unwrap();
        let typist = Typist { env, programs };
        typist.have_agent_play("builtin:default");
        typist
    }

    /// What the agent does from now on.
    pub fn have_agent_play(&self, script: &str) {
        self.env.write(self.env.root().join("script"), script);
    }

    /// Types lines at a shell, and waits for what comes of them. The first that fails ends it.
    pub fn types(&self, directory: &Path, lines: &str) -> Outcome {
        let mut shell = self.env.command("sh");
        let usual = shell.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value).unwrap();
        let mut path = OsString::from(&self.programs);
        path.push(":");
        path.push(usual);
        shell.env("PATH", path).current_dir(directory).args(["-e", "-c", lines]);
        // Whatever is there to open pages, it has no screen here: this one opens nothing.
        shell.env("BROWSER", "true");
        let outcome = self.env.run(&mut shell, PATIENCE);
        assert!(!outcome.timed_out, "{lines}: {}", said(&outcome));
        outcome
    }

    /// A run of three iterations that nobody paid for; its name.
    pub fn has_run(&self) -> String {
        let outcome =
            self.types(self.env.project(), "windlass run -p 'Work' --mock -m 3 --no-delay --allow-dirty");
        let said = said(&outcome);
        let run = said.split_whitespace().find(|word| word.starts_with("r-"));
        run.unwrap_or_else(|| panic!("{said}")).to_owned()
    }
}

/// All that was said.
pub fn said(outcome: &Outcome) -> String {
    outcome.stdout_text() + &outcome.stderr_text()
}
