//! What the files of a repository make Claude Code start: settings, MCP servers, and what agents, skills and commands say
//! about themselves.

use serde_json::{Map, Value};

use windlass_core::redact::Redactor;
use windlass_core::trust::{ApiHost, Startable, Starter};

use super::NAME;

/// Settings that start nothing and lead nowhere else: permissions, looks, models, switches that only take away. A setting
/// that is not among them has to be trusted: so does one that a later version of Claude Code brings.
const INERT: &[&str] = &[
    "$schema",
    "permissions",
    "model",
    "fallbackModel",
    "availableModels",
    "enforceAvailableModels",
    "modelSettings",
    "effortLevel",
    "maxEffortLevel",
    "alwaysThinkingEnabled",
    "showThinkingSummaries",
    "fastMode",
    "agent",
    "attribution",
    "attributionProject",
    "includeCoAuthoredBy",
    "includeGitInstructions",
    "respectGitignore",
    "cleanupPeriodDays",
    "outputStyle",
    "viewMode",
    "language",
    "theme",
    "verbose",
    "editorMode",
    "spinnerTipsEnabled",
    "spinnerVerbs",
    "spinnerTipsOverride",
    "syntaxHighlightingDisabled",
    "prefersReducedMotion",
    "timeFormat",
    "timeZone",
    "feedbackSurveyRate",
    "companyAnnouncements",
    "plansDirectory",
    "claudeMdExcludes",
    "skillOverrides",
    "autoCompactEnabled",
    "autoCompactWindow",
    "fileCheckpointingEnabled",
    "todoFeatureEnabled",
    "autoMemoryEnabled",
    // Which of the servers are used: each of them is a startable of its own.
    "enableAllProjectMcpServers",
    "enabledMcpjsonServers",
    "disabledMcpjsonServers",
    "disableAllHooks",
    "disableAutoMode",
    "disableSkillShellExecution",
    "skipDangerousModePermissionPrompt",
];

/// Variables that say which host the agent's calls go to.
const API_HOSTS: &[&str] = &[
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_BEDROCK_BASE_URL",
    "ANTHROPIC_BEDROCK_MANTLE_BASE_URL",
    "ANTHROPIC_VERTEX_BASE_URL",
    "ANTHROPIC_FOUNDRY_BASE_URL",
    "ANTHROPIC_FOUNDRY_RESOURCE",
    "ANTHROPIC_AWS_BASE_URL",
];

/// What a settings file of Claude Code starts or redirects; `file` is its path from the repository's top. `None` where it
/// cannot be read as settings: what another program makes of it is not known.
pub(super) fn settings(file: &str, bytes: &[u8]) -> Option<Vec<Startable>> {
    let settings = object(bytes)?;
    let mut found = Vec::new();
    for (key, value) in settings.iter().filter(|(key, _)| !INERT.contains(&key.as_str())) {
        match (key.as_str(), value) {
            ("hooks", Value::Object(events)) => {
                events.iter().for_each(|(event, groups)| hooks(file, event, groups, &mut found));
            }
            ("env", Value::Object(variables)) => {
                let item = |(name, value): (&String, &Value)| text(file, &format!("env.{name}"), value);
                found.extend(variables.iter().map(item));
            }
            _ if is_nothing(value) => {}
            _ => found.push(text(file, key, value)),
        }
    }
    Some(found)
}

/// The servers that an `.mcp.json` names; as for [`settings`].
pub(super) fn servers(file: &str, bytes: &[u8]) -> Option<Vec<Startable>> {
    let whole = object(bytes)?;
    let Some(servers) = whole.get("mcpServers") else { return Some(Vec::new()) };
    let servers = servers.as_object()?;
    Some(servers.iter().map(|(name, server)| text(file, &format!("mcpServers.{name}"), server)).collect())
}

/// Does the file of an agent, a skill or a command start something: hooks or servers in its head, or a command that is run
/// when it is used (`` !`…` ``)?
pub(super) fn starts_something(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let body = text.trim_start_matches('\u{feff}').trim_start();
    let head =
        body.strip_prefix("---").and_then(|rest| rest.split_once("\n---")).map_or("", |(head, _)| head);
    // Looked for as words, not as YAML: a form that is not known is one more that is asked for.
    head.contains("hooks") || head.contains("mcpServers") || text.contains("!`") || text.contains("```!")
}

/// Rules by which settings of the repository close something: they hold as well where the rest is left out.
pub(super) fn denied(bytes: &[u8]) -> Vec<String> {
    let settings = object(bytes).unwrap_or_default();
    let rules = settings.get("permissions").and_then(|permissions| permissions.get("deny")?.as_array());
    rules.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The variables among these that send the agent's calls somewhere else.
pub(super) fn hosts_among<'a>(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<ApiHost> {
    let is_meant =
        |(name, value): &(&str, &str)| API_HOSTS.contains(name) && !value.is_empty() && !is_usual(value);
    let host = |(name, value): (&str, &str)| ApiHost {
        variable: name.to_owned(),
        address: Redactor::new().redact(value),
    };
    variables.into_iter().filter(is_meant).map(host).collect()
}

/// Those that a settings file sets.
pub(super) fn hosts_in(bytes: &[u8]) -> Vec<ApiHost> {
    let settings = object(bytes).unwrap_or_default();
    let variables = settings.get("env").and_then(Value::as_object);
    let pairs =
        variables.into_iter().flatten().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)));
    hosts_among(pairs)
}

fn is_usual(address: &str) -> bool {
    address.trim_end_matches('/').strip_prefix("https://") == Some(super::USUAL_HOST)
}

/// The words of a command that may be files of the repository: of a shell's line, or of a server's arguments as JSON.
pub(super) fn words_of_command(text: &str) -> Vec<String> {
    let spaced = |text: &str| -> Vec<String> {
        let ends = |char: char| char.is_whitespace() || "'\"`;&|()<>=,$[]".contains(char);
        // What stands for the project's folder in Claude Code's own commands.
        let text = ["${CLAUDE_PROJECT_DIR}", "$CLAUDE_PROJECT_DIR", "${PWD}", "$PWD", "%CLAUDE_PROJECT_DIR%"]
            .iter()
            .fold(text.to_owned(), |text, variable| text.replace(variable, "."));
        let text = text.replace("\"./", "./").replace(".\"/", "./");
        text.split(ends).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let Ok(value) = serde_json::from_str::<Value>(text) else { return spaced(text) };
    let mut waiting = vec![&value];
    let mut words = Vec::new();
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) => {
                // An argument may be a path with blanks in it, or a whole line for a shell.
                words.push(text.clone());
                words.extend(spaced(text));
            }
            Value::Array(items) => waiting.extend(items),
            Value::Object(members) => waiting.extend(members.values()),
            _ => {}
        }
    }
    words
}

/// Each hook of an event with what it is for.
fn hooks(file: &str, event: &str, groups: &Value, found: &mut Vec<Startable>) {
    let key = format!("hooks.{event}");
    let Some(groups) = groups.as_array() else { return found.push(text(file, &key, groups)) };
    for group in groups {
        let Some(hooks) = group.get("hooks").and_then(Value::as_array) else {
            found.push(text(file, &key, group));
            continue;
        };
        let matcher = group.get("matcher").cloned().unwrap_or(Value::Null);
        for hook in hooks {
            let whole = serde_json::json!({"matcher": matcher, "hook": hook});
            found.push(text(file, &key, &whole));
        }
    }
}

/// As JSON, members sorted: no two different values are the same text.
fn text(file: &str, key: &str, value: &Value) -> Startable {
    Startable::text(Starter::Agent(NAME.to_owned()), file, key, &value.to_string())
}

/// Does it say nothing?
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    }
}

fn object(bytes: &[u8]) -> Option<Map<String, Value>> {
    if bytes.trim_ascii().is_empty() {
        return Some(Map::new());
    }
    serde_json::from_slice(bytes).ok()
}
