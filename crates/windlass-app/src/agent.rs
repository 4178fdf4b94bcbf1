//! The agent that is going to work: is it there, new enough and logged in, and what may it do?

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_agents::{
    Login, MINIMUM_CLAUDE_VERSION, gate_rules, git_reading_rules, parse_auth_status, parse_claude_version,
    project_rules,
};
use windlass_core::config::{KEYS, KeyInfo, Resolved, Secrecy};
use windlass_core::environment::Heir;
use windlass_core::spec::AgentSpec;
use windlass_core::values::{ExitCodes, StopReason};
use windlass_host::environment::withheld_from;
use windlass_host::process::{Command, ProcessError};
use windlass_host::tree;

use crate::add_dirs;
use crate::app::App;
use crate::error::{AppError, Kind};
use crate::helper::SCRIPTED_AGENT;
use crate::trusting::Trusted;

/// How long the agent may take to say its version or whether it is logged in.
const PATIENCE: Duration = Duration::from_secs(30);

/// What `run` was asked for, as far as the agent is concerned.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// Whose program plays scripts, and where the agent is asked.
    pub app: &'a App,
    /// The configuration.
    pub resolved: &'a Resolved,
    /// The scripted agent's script instead of a real agent.
    pub mock: Option<&'a str>,
    /// `--dangerously-skip-permissions`.
    pub skip_permissions: bool,
    /// The working directory.
    pub directory: &'a Path,
}

/// Who works, without asking the agent anything.
pub fn plan(wanted: &Wanted<'_>) -> Result<AgentSpec, AppError> {
    match plan_anyway(wanted)? {
        (plan, None) => Ok(plan),
        (_, Some(missing)) => Err(missing),
    }
}

/// The same where the agent need not be there: what is missing comes with the plan.
pub fn plan_anyway(wanted: &Wanted<'_>) -> Result<(AgentSpec, Option<AppError>), AppError> {
    let add_dirs = add_dirs::resolve(wanted)?;
    let planned = |name: &str, program: PathBuf, arguments: Vec<String>| AgentSpec {
        add_dirs: add_dirs.clone(),
        ..planned(wanted, name, program, arguments)
    };
    if let Some(script) = wanted.mock {
        let scripted = vec![SCRIPTED_AGENT.to_owned(), script.to_owned()];
        return Ok((planned("mock", wanted.app.program().to_owned(), scripted), None));
    }
    let command = &wanted.resolved.agent.command;
    let (program, missing) = match find(command, wanted.directory, wanted.resolved.exit_codes) {
        Ok(program) => (program, None),
        Err(missing) => (PathBuf::from(command), Some(missing)),
    };
    Ok((planned("claude", program, Vec::new()), missing))
}

fn planned(wanted: &Wanted<'_>, name: &str, program: PathBuf, mut arguments: Vec<String>) -> AgentSpec {
    let settings = &wanted.resolved.agent;
    arguments.extend(settings.arguments.iter().cloned());
    AgentSpec {
        name: name.to_owned(),
        program,
        version: String::new(),
        model: settings.model.clone(),
        max_turns: settings.max_turns,
        arguments,
        skip_permissions: wanted.skip_permissions,
        allow: allowed(wanted),
        api_keys: settings.api_keys,
        background: settings.background,
        add_dirs: Vec::new(),
        repository_settings: windlass_core::spec::RepositorySettings::Used,
        prices: settings.prices.clone(),
    }
}

/// What the agent may do without being asked: the checks, the project's own commands, git reading, and what
/// configuration allows.
fn allowed(wanted: &Wanted<'_>) -> Vec<String> {
    let names = tree::at(wanted.directory).names().unwrap_or_default();
    let names: Vec<String> = names.into_iter().filter_map(|name| name.into_string().ok()).collect();
    let mut rules: Vec<String> =
        wanted.resolved.checks.iter().flat_map(|check| gate_rules(&check.command)).collect();
    rules.extend(project_rules(names.iter().map(String::as_str)));
    rules.extend(git_reading_rules());
    rules.extend(wanted.resolved.agent.allow.iter().cloned());
    let mut seen = std::collections::BTreeSet::new();
    rules.retain(|rule| seen.insert(rule.clone()));
    rules
}

/// Asks the agent for its version and whether it is logged in, and notes the version, and what it may read in the
/// repository. `None` where it does not say whether it is, as the scripted one.
///
/// # Errors
/// It is too old, not logged in, or does not answer.
pub fn check(
    app: &App,
    plan: &mut AgentSpec,
    trusted: &Trusted,
    codes: ExitCodes,
) -> Result<Option<Login>, AppError> {
    plan.repository_settings = trusted.settings.clone();
    if plan.name != "claude" {
        return Ok(None);
    }
    let said = ask(plan, app.directory(), &["--version"], PATIENCE, codes)?;
    let Some(version) = parse_claude_version(&said) else {
        let shown: String = said.chars().take(80).collect();
        return Err(unavailable(
            codes,
            format!("{} does not say a version; it printed {shown:?}", plan.program.display()),
        )
        .hint("Is this Claude Code? agent.command names the program."));
    };
    if version < MINIMUM_CLAUDE_VERSION {
        let (major, minor, patch) = MINIMUM_CLAUDE_VERSION;
        return Err(unavailable(
            codes,
            format!("Claude Code {} is too old: {major}.{minor}.{patch} is needed", shown(version)),
        )
        .hint("Update it: npm install -g @anthropic-ai/claude-code@latest"));
    }
    plan.version = shown(version);
    let login = parse_auth_status(&ask(plan, app.directory(), &["auth", "status"], PATIENCE, codes)?);
    if login.as_ref().is_some_and(|login| !login.logged_in) {
        return Err(not_logged_in(plan, codes));
    }
    Ok(login)
}

fn not_logged_in(plan: &AgentSpec, codes: ExitCodes) -> AppError {
    let error = unavailable(codes, "Claude Code is not logged in");
    if !plan.api_keys && env::var_os("ANTHROPIC_API_KEY").is_some() {
        return error
            .hint("ANTHROPIC_API_KEY is set, but API keys are kept from the agent unless you allow them:")
            .hint(
                "WINDLASS_AGENT__API_KEYS=true, or api_keys = true below [agent] in .windlass/config.toml",
            );
    }
    error.hint("Run `claude` and then /login, or set CLAUDE_CODE_OAUTH_TOKEN.")
}

fn shown((major, minor, patch): (u32, u32, u32)) -> String {
    format!("{major}.{minor}.{patch}")
}

fn ask(
    plan: &AgentSpec,
    directory: &Path,
    arguments: &[&str],
    patience: Duration,
    codes: ExitCodes,
) -> Result<String, AppError> {
    // Asking is starting: a helper that the repository names would say who is logged in.
    let sources: &[&str] =
        if plan.repository_settings.are_used() { &[] } else { &["--setting-sources", "user"] };
    let arguments = [sources, arguments].concat();
    let mut command = Command::new(&plan.program)
        .directory(directory)
        .arguments(&arguments)
        .timeout(patience)
        .output_limit(1024 * 1024);
    command = command.environment("DISABLE_AUTOUPDATER", Some("1".as_ref()));
    let heir = Heir::Agent { api_keys: plan.api_keys, named: Vec::new() };
    for name in withheld_from(&environment(), &heir) {
        command = command.environment(&name, None);
    }
    let output = command.run().map_err(|error| cannot_start(plan, error, codes))?;
    Ok(output.stdout.text())
}

fn cannot_start(plan: &AgentSpec, error: ProcessError, codes: ExitCodes) -> AppError {
    unavailable(codes, format!("{} cannot be started: {error}", plan.program.display())).because(error)
}

/// The agent's program, absolute.
fn find(command: &str, directory: &Path, codes: ExitCodes) -> Result<PathBuf, AppError> {
    let found = if command.contains('/') {
        Some(directory.join(command)).filter(|path| is_program(path))
    } else {
        let path = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&path)
            .map(|folder| folder.join(command))
            .find(|path| path.is_absolute() && is_program(path))
    };
    found.ok_or_else(|| {
        unavailable(codes, format!("the agent `{command}` is not installed, or not in PATH"))
            .hint("Install Claude Code: npm install -g @anthropic-ai/claude-code")
            .hint("Or try the loop without it: windlass demo, or windlass run -p … --mock")
    })
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    // outside: programs of the search path.
    path.metadata()
        .is_ok_and(|metadata| metadata.file_type().is_file() && metadata.permissions().mode() & 0o111 != 0)
}

fn unavailable(codes: ExitCodes, message: impl Into<String>) -> AppError {
    AppError::new(Kind::stopped(StopReason::AgentUnavailable, codes), message)
}

/// The environment that agents and checks inherit: without our own secrets, which are none of their business.
pub fn environment() -> Vec<(OsString, OsString)> {
    let secrets = secret_variables();
    env::vars_os().filter(|(name, _)| !secrets.iter().any(|secret| name == secret.as_str())).collect()
}

/// The variables that hold our own secrets, and those that say who is told what: an address is often as good as a secret.
pub fn secret_variables() -> Vec<String> {
    let hidden = |key: &&KeyInfo| key.secrecy == Secrecy::Secret || key.name.starts_with("notify.");
    KEYS.iter().filter(hidden).map(KeyInfo::variable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Seed defect D1, services/claude-client.ts:320: the look whether there is an agent could hang.
    #[test]
    fn an_agent_that_does_not_answer_is_not_waited_for() {
        let plan = AgentSpec::new("claude", "/bin/sleep".into());
        let patience = Duration::from_millis(100);
        let error = ask(&plan, Path::new("/"), &["60"], patience, ExitCodes::Detailed).unwrap_err();
        assert!(error.message.starts_with("/bin/sleep cannot be started: "), "{}", error.message);
    }
}
