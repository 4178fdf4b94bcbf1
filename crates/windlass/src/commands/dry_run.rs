//! `run --dry-run`: what would be done, without doing any of it.

use std::fmt::Write as _;

use windlass_app::AppError;
use windlass_app::run::Rehearsal;
use windlass_core::config::ValueOrigin;
use windlass_ui::{RehearsedRun, harmless, rehearsal_json};

use super::{Shape, print, print_bytes, stdout};

/// Before what it is.
const UNTRUSTED: &str = "the repository's files start";

/// Prints the resolved configuration, the first prompt, the settings and the command line.
pub fn show(rehearsal: &Rehearsal, shape: Shape) -> Result<(), AppError> {
    match shape {
        Shape::Text => show_text(rehearsal),
        Shape::Json => print_bytes(&json(rehearsal)),
    }
}

fn json(rehearsal: &Rehearsal) -> Vec<u8> {
    let Rehearsal { agent_missing, way_out_missing, hopeless, tasks_problem, untrusted, .. } = rehearsal;
    let refusals = [agent_missing, way_out_missing, hopeless].into_iter().flatten();
    let refusals = refusals.map(|refusal| refusal.message.clone());
    let untrusted = untrusted.as_ref().map(|untrusted| format!("{UNTRUSTED} {untrusted}"));
    let problems: Vec<String> = refusals.chain(tasks_problem.clone()).chain(untrusted).collect();
    let notices: Vec<&str> =
        rehearsal.hook_notices.iter().chain(&rehearsal.withheld).map(String::as_str).collect();
    rehearsal_json(&RehearsedRun {
        directory: &rehearsal.directory,
        goal: &rehearsal.title,
        tasks: rehearsal.tasks.as_deref(),
        agent: &rehearsal.agent,
        way_out: rehearsal.way_out.as_deref(),
        notices: &notices,
        problems: &problems,
        hooks: &rehearsal.hooks,
        configuration: &rehearsal.configuration,
        system_prompt: &rehearsal.system_prompt,
        prompt: &rehearsal.prompt,
        settings: &rehearsal.settings,
        environment: &rehearsal.environment,
        command: &rehearsal.command,
    })
}

fn show_text(rehearsal: &Rehearsal) -> Result<(), AppError> {
    let mut text = facts(rehearsal);
    section(&mut text, "configuration", &with_origins(&rehearsal.configuration));
    section(&mut text, "system prompt (appended to the agent's own)", &rehearsal.system_prompt);
    section(&mut text, "prompt of the first iteration (on standard input)", &rehearsal.prompt);
    section(&mut text, "settings.json", &rehearsal.settings);
    let environment = rehearsal.environment.iter().map(|(name, value)| match value {
        Some(value) => format!("{name}={value}\n"),
        None => format!("{name} is removed\n"),
    });
    section(&mut text, "environment", &environment.collect::<String>());
    let title = format!("command line ({} stands for the run's name)", rehearsal.run);
    section(&mut text, &title, &rehearsal.command);
    // A pipe gets every byte; a terminal none that moves its cursor.
    if stdout().interactive { print(&harmless(&text)) } else { print(&text) }
}

fn facts(rehearsal: &Rehearsal) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<10} {value}");
    };
    line("directory", &rehearsal.directory.display().to_string());
    line("goal", &rehearsal.title);
    if let Some(tasks) = &rehearsal.tasks {
        line("tasks", tasks);
    }
    if let Some(problem) = &rehearsal.tasks_problem {
        line("", problem);
    }
    line("agent", &rehearsal.agent);
    if let Some(missing) = &rehearsal.agent_missing {
        line("", &format!("{}: a run would not start", missing.message));
    }
    if let Some(way_out) = &rehearsal.way_out {
        line("leaves as", way_out);
    }
    if let Some(missing) = &rehearsal.way_out_missing {
        line("leaves as", &format!("{}: a run would not start", missing.message));
    }
    if let Some(hopeless) = &rehearsal.hopeless {
        line("checks", &format!("{}: a run would not start", hopeless.message));
    }
    if let Some(untrusted) = &rehearsal.untrusted {
        line("trust", &format!("a run would ask: {UNTRUSTED} {untrusted} (windlass trust)"));
    }
    let mut label = "hooks";
    for (hook, command) in &rehearsal.hooks {
        line(label, &format!("{hook}: {command}"));
        label = "";
    }
    for notice in &rehearsal.hook_notices {
        line("", notice);
    }
    if let Some(withheld) = &rehearsal.withheld {
        line("withheld", withheld);
    }
    text
}

fn section(text: &mut String, title: &str, body: &str) {
    let _ = write!(text, "\n--- {title} ---\n{body}");
    if !body.ends_with('\n') {
        text.push('\n');
    }
}

fn with_origins(configuration: &[ValueOrigin]) -> String {
    let mut text = String::new();
    for value in configuration {
        let shown = value.value.as_deref().unwrap_or("(none)");
        let _ = writeln!(text, "{:<31} {shown:<28} {}", value.name, value.origin);
    }
    text
}
