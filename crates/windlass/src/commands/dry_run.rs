//! `run --dry-run`: what would be done, without doing any of it.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::iter;

use windlass_core::config::Resolved;
use windlass_core::values::{HookCommand, RunId};
use windlass_engine::hook::Found;
use windlass_engine::sandbox::Sandbox;
use windlass_engine::store::RunFolder;
use windlass_engine::supervisor::{Preview, preview};
use windlass_ui::harmless;

use super::here::Here;
use super::run::Request;
use super::{agent, goal, launch, print, room, stdout, tasks_run, trusting, warn, worktree};
use crate::error::CliError;

/// Stands for the name that the run would draw.
const SOME_RUN: &str = "r-xxxxxxxx";

/// Prints the resolved configuration, the first prompt, the settings and the command line. Nothing is touched: neither
/// the project nor the state folder, and the agent is not even asked for its version.
pub fn show(here: &Here, request: &Request) -> Result<(), CliError> {
    goal::refuse_signal(&request.assignment, &request.configuration.resolved)?;
    request.configuration.notices.iter().for_each(|notice| warn(notice));
    let (agent, missing) = agent::plan_anyway(&launch::wanted(here, request))?;
    let folder = RunFolder::of(&here.project, &RunId(SOME_RUN.to_owned()));
    let found = launch::hooks(here, request);
    let spent_before = launch::spent_before(here, request)?;
    let plan = launch::plan(here, request, &found, folder.run(), agent, spent_before);
    let Preview { prompt, settings, invocation } = preview(&plan, &folder, &request.assignment.wanted());
    let purpose = windlass_core::mode::purpose(request.assignment.mode);
    let line = if plan.sandbox.is_on() {
        let room = room::of(here, &plan, &folder)?;
        Sandbox::rehearse(&plan.sandbox, room, &invocation.program, &invocation.arguments)?
    } else {
        iter::once(invocation.program.into_os_string()).chain(invocation.arguments).collect()
    };
    let mut command = line.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    let _ = write!(command, " < {}", quoted(folder.call(1, 1, purpose).prompt().as_os_str()));
    let mut text = facts(here, request, &found, missing);
    if let Some(withheld) = launch::withheld(&worktree::environment(here), &plan) {
        let _ = writeln!(text, "{:<10} {withheld}", "withheld");
    }
    section(&mut text, "configuration", &configuration_with_origins(&request.configuration.resolved));
    section(&mut text, "system prompt (appended to the agent's own)", &prompt.system);
    section(&mut text, "prompt of the first iteration (on standard input)", &prompt.user);
    section(&mut text, "settings.json", &settings);
    let environment = invocation.environment.iter().map(|(name, value)| match value {
        Some(value) => format!("{name}={value}\n"),
        None => format!("{name} is removed\n"),
    });
    section(&mut text, "environment", &environment.collect::<String>());
    section(&mut text, &format!("command line ({SOME_RUN} stands for the run's name)"), &command);
    // A pipe gets every byte; a terminal none that moves its cursor.
    if stdout().interactive { print(&harmless(&text)) } else { print(&text) }
}

fn facts(here: &Here, request: &Request, found: &Found, missing: Option<CliError>) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<10} {value}");
    };
    line("directory", &here.directory.display().to_string());
    line("goal", &request.assignment.title());
    if let Some(tasks) = tasks_run::preview(request) {
        line("tasks", &tasks);
    }
    if let Some(problem) = tasks_run::problems(request) {
        line("", &problem);
    }
    line("agent", request.mock.as_deref().unwrap_or(&request.configuration.resolved.agent.command));
    if let Some(missing) = missing {
        line("", &format!("{}: a run would not start", missing.message));
    }
    let asked = launch::asked(here, request);
    let looked = trusting::look(&asked);
    if !looked.pending.is_empty() {
        line(
            "trust",
            &format!(
                "a run would ask: the repository's files start {} (windlass trust)",
                looked.count_in_words()
            ),
        );
    }
    let mut label = "hooks";
    for hook in found.hooks() {
        let command = match &hook.command {
            HookCommand::Shell(command) => command.clone(),
            HookCommand::File(path) => {
                path.strip_prefix(&here.directory).unwrap_or(path).display().to_string()
            }
        };
        line(label, &format!("{}: {command}", hook.name.name()));
        label = "";
    }
    for notice in &found.notices {
        line("", notice);
    }
    text
}

fn section(text: &mut String, title: &str, body: &str) {
    let _ = write!(text, "\n--- {title} ---\n{body}");
    if !body.ends_with('\n') {
        text.push('\n');
    }
}

fn configuration_with_origins(resolved: &Resolved) -> String {
    let mut text = String::new();
    for value in resolved.origins() {
        let shown = value.value.as_deref().unwrap_or("(none)");
        let _ = writeln!(text, "{:<31} {shown:<28} {}", value.name, value.origin);
    }
    text
}

/// As a POSIX shell takes it.
pub fn quoted(argument: &OsStr) -> String {
    let text = argument.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_for_a_shell_where_they_must_be() {
        for (argument, expected) in [
            ("--model", "--model"),
            ("/a/b.json", "/a/b.json"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
            ("~", "'~'"),
            ("ä", "'ä'"),
        ] {
            assert_eq!(quoted(OsStr::new(argument)), expected);
        }
    }
}
