//! The scripted agent: a program that behaves like `claude -p --output-format stream-json --verbose` and obeys a
//! script (`docs/mock-script.md`). It is what `--mock` and `demo` run, and what the tests torture the runner with.

mod actions;
mod bulk;
mod child;
mod interactive;
mod phase_actions;
mod plan_actions;
mod player;
mod refusals;
mod review_actions;
mod script;
mod shorthand;
mod signals;
mod steps;
mod stream;
mod task_actions;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};

pub use child::{VERB as CHILD_VERB, obey};

pub use script::{Script, ScriptError};

use task_actions::NamedTask;

/// Claude Code answers `--version` like this.
const VERSION_LINE: &str = " (Windlass's scripted agent)\n";

/// The text of a built-in script.
pub fn builtin(name: &str) -> Option<&'static str> {
    match name {
        "default" => Some(include_str!("scripts/default.toml")),
        "task-setup" => Some(include_str!("scripts/task-setup.toml")),
        "task-edit" => Some(include_str!("scripts/task-edit.toml")),
        "setup" => Some(include_str!("scripts/setup.toml")),
        "edit" => Some(include_str!("scripts/edit.toml")),
        "verify" => Some(include_str!("scripts/verify.toml")),
        "workspace" => Some(include_str!("scripts/workspace.toml")),
        "plan" => Some(include_str!("scripts/plan.toml")),
        "phase" => Some(include_str!("scripts/phase.toml")),
        "build" => Some(include_str!("scripts/build.toml")),
        "tasks" => Some(include_str!("scripts/tasks.toml")),
        "demo" => Some(windlass_app::demo::SCRIPT),
        _ => None,
    }
}

/// Plays the script's call whose ordinal `WINDLASS_CALL` names (1 without it). `arguments` are what a real agent would
/// be given; those that change what an agent prints are understood, the others ignored. Returns the exit code.
pub fn play(source: &str, arguments: &[OsString]) -> Result<u8, ScriptError> {
    let script = Script::load(source)?;
    let mut setting = Setting::from_arguments(arguments);
    if arguments.iter().any(|argument| argument == "--version") {
        let mut line = stream::VERSION.to_owned();
        line.push_str(VERSION_LINE);
        let _ = StandardOutput.write_all(line.as_bytes());
        return Ok(0);
    }
    let Some(call) = script.call(setting.ordinal) else {
        let _ = writeln!(io::stderr(), "{source}: the script has no call {}", setting.ordinal);
        return Ok(70);
    };
    // Claude Code without `-p` talks to a person.
    if !arguments.iter().any(|argument| argument == "-p") {
        setting.prompt = arguments.last().map(|last| last.to_string_lossy().into_owned()).unwrap_or_default();
        return Ok(interactive::Conversation::new(setting).play(call));
    }
    if call.read_prompt {
        setting.prompt = read_prompt();
    }
    let call = task_actions::call_for(&script, &setting.prompt).unwrap_or(call);
    let player = player::Player::new(&setting, StandardOutput, &script.options.model);
    Ok(player.play(call))
}

/// What the agent was given.
#[derive(Debug, Default)]
struct Setting {
    /// Which call of the run this is, from 1.
    ordinal: u32,
    /// What came on standard input.
    prompt: String,
    /// The file named by `--append-system-prompt-file`.
    system_prompt: String,
    /// `--permission-mode`.
    permission_mode: String,
    /// `--model`.
    model: Option<String>,
    /// What a person typed last.
    answer: String,
}

impl Setting {
    fn from_arguments(arguments: &[OsString]) -> Setting {
        let value_of = |flag: &str| {
            let position = arguments.iter().position(|argument| argument == flag)?;
            arguments.get(position + 1).map(|value| value.to_string_lossy().into_owned())
        };
        let skips = arguments.iter().any(|argument| argument == "--dangerously-skip-permissions");
        let mode = if skips { Some("bypassPermissions".to_owned()) } else { value_of("--permission-mode") };
        Setting {
            ordinal: std::env::var("WINDLASS_CALL").ok().and_then(|text| text.parse().ok()).unwrap_or(1),
            prompt: String::new(),
            system_prompt: value_of("--append-system-prompt-file")
                .and_then(|path| std::fs::read(path).ok())
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .unwrap_or_default(),
            permission_mode: mode.unwrap_or_else(|| "default".to_owned()),
            model: value_of("--model"),
            answer: String::new(),
        }
    }

    /// Puts values where a text has `{{prompt}}`, `{{system_prompt}}`, `{{call}}`, `{{task}}`, `{{answer}}` or `{{env:NAME}}`. What
    /// was put in is not looked at again.
    fn fill_in(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            filled.push_str(before);
            let Some((name, after)) = after.split_once("}}") else {
                filled.push_str("{{");
                rest = after;
                continue;
            };
            match self.value(name) {
                Some(value) => filled.push_str(&value),
                None => filled.extend(["{{", name, "}}"]),
            }
            rest = after;
        }
        filled.push_str(rest);
        filled
    }

    fn value(&self, name: &str) -> Option<String> {
        match name.trim() {
            "prompt" => Some(self.prompt.clone()),
            "system_prompt" => Some(self.system_prompt.clone()),
            "call" => Some(self.ordinal.to_string()),
            "answer" => Some(self.answer.clone()),
            "document" => phase_actions::asked_for(&self.prompt).map(str::to_owned),
            "task" => NamedTask::read(&self.prompt).map(|task| task.id.to_owned()),
            name => name.strip_prefix("env:").map(|name| {
                std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()).unwrap_or_default()
            }),
        }
    }
}

fn read_prompt() -> String {
    let mut bytes = Vec::new();
    if !io::stdin().is_terminal() {
        // A prompt that breaks off is a prompt: what came is what there is.
        let _ = io::stdin().lock().read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Standard output without a buffer of its own, so that closing it closes it.
struct StandardOutput;

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(rustix::stdio::stdout(), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
