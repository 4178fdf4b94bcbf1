//! The generated settings file, for `--settings`. It adds to the user's and the project's own; a refusal wins over any
//! permission.

use std::path::Path;

use serde::Serialize;
use windlass_core::spec::{AgentSpec, RepositorySettings, RunSpec};

use super::FOLDER;
use super::description::FILES;
use super::rule::rules_of;
use crate::Right;
use crate::permissions::{Permissions, closed_to_runs};

/// Tools that keep a call alive after its work, or put work where nobody looks: they wait for something, come back later,
/// or work in a checkout of their own. They are off until a person names one of them.
const ELSEWHERE: &[&str] = &["Monitor", "ScheduleWakeup", "CronCreate", "EnterWorktree"];

/// This one starts agents that work in the background, and the stream has none of their words: it is off as well where tasks
/// in the background are.
pub(super) const WORKFLOW: &str = "Workflow";

/// Flags by which a person names tools that the agent shall have.
const GIVES_TOOLS: &[&str] = &["--allowedTools", "--allowed-tools", "--tools"];

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Settings {
    permissions: Rules,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Rules {
    allow: Vec<String>,
    deny: Vec<String>,
}

/// Settings for the calls of a run. A path that is not UTF-8 cannot be guarded.
pub(super) fn of_run(plan: &RunSpec, state: &Path) -> String {
    let folders = [&plan.directory].into_iter().chain(&plan.agent.add_dirs);
    let steering = folders.flat_map(|folder| steering(folder));
    let mut deny: Vec<String> =
        rules_of(closed_to_runs(plan, state).iter().chain(&steering.collect::<Vec<_>>()));
    let workflow = (!plan.agent.background).then_some(&WORKFLOW);
    let unasked = ELSEWHERE.iter().chain(workflow).filter(|tool| !is_asked_for(tool, &plan.agent));
    deny.extend(unasked.map(|tool| (*tool).to_owned()));
    if let RepositorySettings::LeftOut { deny: closed } = &plan.agent.repository_settings {
        deny.extend(closed.iter().cloned());
    }
    to_json(plan.agent.allow.clone(), deny)
}

/// Settings of an interactive session.
pub(super) fn of_session(permissions: &Permissions) -> String {
    to_json(rules_of(&permissions.allow), rules_of(&permissions.deny))
}

/// JSON, with a line feed at its end.
fn to_json(allow: Vec<String>, deny: Vec<String>) -> String {
    let settings = Settings { permissions: Rules { allow, deny } };
    let mut json = serde_json::to_string_pretty(&settings).unwrap_or_default();
    json.push('\n');
    json
}

/// What of `.claude/` steers agents: this one's next call, and those that a person starts here. The rest of the folder is
/// the project's.
fn steering_names() -> impl Iterator<Item = &'static str> {
    FILES.steering.iter().filter_map(|path| path.strip_prefix(FOLDER)?.strip_prefix('/'))
}

/// What steers agents in a folder, at any depth: Claude Code reads it below where it works as well.
fn steering(folder: &Path) -> Vec<Right> {
    let right = |name: &str| {
        let all = if Path::new(name).extension().is_some() { "" } else { "/**" };
        Right::ChangeBelow(folder.to_owned(), format!("**/{FOLDER}/{name}{all}"))
    };
    steering_names().map(right).collect()
}

/// Is it one of the files that steer agents?
pub(super) fn steers(file: &Path) -> bool {
    let mut parts = file.components().skip_while(|part| part.as_os_str() != FOLDER).skip(1);
    parts.next().is_some_and(|below| steering_names().any(|name| below.as_os_str() == name))
}

/// Did the person name this tool, in `permissions.allow` or by a flag of the agent's own?
fn is_asked_for(tool: &str, agent: &AgentSpec) -> bool {
    let names = |rule: &str| rule.split('(').next().is_some_and(|name| name.trim() == tool);
    let mut gives = false;
    let by_flag = agent.arguments.iter().any(|argument| {
        let (flag, value) = argument.split_once('=').unwrap_or((argument, ""));
        let value = if flag.starts_with('-') {
            gives = GIVES_TOOLS.contains(&flag);
            value
        } else {
            argument
        };
        gives && value.split([',', ' ']).any(names)
    });
    by_flag || agent.allow.iter().any(|rule| names(rule))
}
