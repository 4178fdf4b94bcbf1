//! The agent that is going to work: is it there, new enough and logged in, and what may it do?

mod others;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_agents::{
    AGENTS, Ability, About, Agent, Login, Question, Right, Unfit, by_program, git_reading, named, of,
    project_commands, scripted, usual,
};
use windlass_core::config::{AgentChoice, AgentSettings, KEYS, KeyInfo, Resolved, Secrecy, keys};
use windlass_core::environment::{ELSEWHERE, Heir, elsewhere_notice};
use windlass_core::spec::{AgentSpec, SandboxKind};
use windlass_core::values::{ExitCodes, StopReason};
use windlass_core::words::quoted;
use windlass_host::environment::withheld_from;
use windlass_host::file::is_program;
use windlass_host::process::{Command, ProcessError};
use windlass_host::tree;

use crate::add_dirs;
use crate::app::App;
use crate::error::{AppError, Hint, Kind};
use crate::helper::SCRIPTED_AGENT;
use crate::here::Here;
use crate::trusting::Trusted;

pub use others::{Occasions, Others, others, unknown};

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

/// Which agent works: the one that is configured, by its name or by its program's, or the scripted one where a script is
/// played.
pub fn chosen(resolved: &Resolved, script: Option<&str>) -> &'static dyn Agent {
    match resolved.agent.choices.first() {
        _ if script.is_some() => scripted(),
        Some(choice) => named(&choice.name),
        None => by_program(&resolved.agent.command),
    }
}

/// One of the agents that are configured, in their order: those that work and take over, then those for one purpose. `None` where
/// the name of the program tells.
fn choice(resolved: &Resolved, index: usize) -> Option<&AgentChoice> {
    let AgentSettings { choices, specialists, .. } = &resolved.agent;
    match index.checked_sub(choices.len().max(1)) {
        None => choices.get(index),
        Some(at) => specialists.get(at).map(|(_, choice)| choice),
    }
}

/// How many there are.
pub fn count(resolved: &Resolved) -> usize {
    resolved.agent.choices.len().max(1) + resolved.agent.specialists.len()
}

/// Whose program and arguments are configured: those of one without a usual program, where that is among the agents, else of the
/// first.
fn configured(resolved: &Resolved) -> usize {
    let is_any = |choice: &AgentChoice| named(&choice.name).about().program.is_none();
    (0..count(resolved)).find(|index| choice(resolved, *index).is_some_and(is_any)).unwrap_or_default()
}

/// The agent whose arguments are configured.
pub fn with_arguments(resolved: &Resolved, script: Option<&str>) -> &'static dyn Agent {
    let choice = choice(resolved, configured(resolved)).filter(|_| script.is_none());
    choice.map_or_else(|| chosen(resolved, script), |choice| named(&choice.name))
}

/// The agents that somebody can choose by their names.
fn choosable() -> impl Iterator<Item = &'static dyn Agent> {
    AGENTS.into_iter().filter(|agent| agent.about().name != scripted().about().name)
}

/// Refuses the name of an agent that nobody knows.
fn refuse_unknown(resolved: &Resolved, name: &str) -> Result<(), AppError> {
    refuse_unless_known(name, &format!(" ({})", resolved.origin(&keys::AGENT)))
}

/// Keys that name agents.
const NAMING: [&str; 5] = [
    keys::AGENT.name,
    keys::PLAN_AGENT.name,
    keys::REVIEW_AGENT.name,
    keys::VERIFY_AGENT.name,
    keys::COUNCIL_AGENT.name,
];

/// Refuses a value of a key that names an agent which nobody knows: no run could take it.
pub fn refuse_unknown_in(key: &str, value: &toml::Value) -> Result<(), AppError> {
    let items = value.as_array().map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
    let texts = items.iter().filter_map(toml::Value::as_str).filter(|_| NAMING.contains(&key));
    for choice in texts.filter_map(|text| AgentChoice::parse(text.trim())) {
        let refused = refuse_unless_known(&choice.name, "");
        refused.map_err(|error| {
            if choice.name.contains(',') {
                error.hint(format!(
                    "Several are given with blanks between them: windlass config set {key} claude codex"
                ))
            } else {
                error
            }
        })?;
    }
    Ok(())
}

fn refuse_unless_known(name: &str, origin: &str) -> Result<(), AppError> {
    let known: Vec<&str> = choosable().map(|agent| agent.about().name).collect();
    if known.contains(&name) {
        return Ok(());
    }
    Err(AppError::usage(format!("`{name}` is not an agent that windlass knows{origin}")).hint(format!(
        "Known are {}; `command` is any other program, which agent.command names.",
        known.join(", ")
    )))
}

/// The program that is configured for it, else the agent's usual one.
fn program_of<'a>(resolved: &'a Resolved, index: usize, agent: &About) -> Result<&'a str, AppError> {
    let is_configured = !resolved.origin(&keys::COMMAND).is_default() && index == configured(resolved);
    if is_configured || choice(resolved, index).is_none() {
        return Ok(&resolved.agent.command);
    }
    agent.program.ok_or_else(|| {
        AppError::usage(format!("the agent is `{}`, and agent.command names no program", agent.name))
            .hint("windlass config set agent.command PROGRAM")
            .hint("Its arguments: windlass config set agent.arguments --add '{prompt}' (the file of the prompt, which is on standard input as well)")
    })
}

/// The model that is asked for. What windlass proposes for a mode is a model of the usual agent; whoever takes over has its own
/// choice, unless one is named with it.
fn model_of(resolved: &Resolved, index: usize, agent: &dyn Agent) -> Option<String> {
    let named = choice(resolved, index).and_then(|choice| choice.model.clone());
    if named.is_some() || index > 0 {
        return named;
    }
    let is_proposed = resolved.origin(&keys::MODEL).is_default();
    let speaks_so = agent.about().product == usual().about().product;
    resolved.agent.model.clone().filter(|_| speaks_so || !is_proposed)
}

/// Refuses to leave an agent alone that can be told nothing of what it may do, unless a sandbox holds it or a person wants
/// it so.
///
/// # Errors
/// Usage: what to add.
pub fn refuse_unbounded(plan: &AgentSpec, sandbox: &SandboxKind) -> Result<(), AppError> {
    let about = of(plan).about();
    let is_bounded = about.can(Ability::KeepToRules) || about.can(Ability::KeepToFolders);
    if is_bounded || plan.skip_permissions || *sandbox != SandboxKind::None {
        return Ok(());
    }
    Err(AppError::usage(format!(
        "{} cannot be told what it may do: without a sandbox it can do whatever you can",
        plan.program.display()
    ))
    .hint(Hint::Again { why: "Lock it in: ", flag: "--sandbox".to_owned() })
    .hint(Hint::Again { why: "Or let it: ", flag: "--dangerously-skip-permissions".to_owned() }))
}

/// Who works, without asking the agent anything.
pub fn plan(wanted: &Wanted<'_>) -> Result<AgentSpec, AppError> {
    let (plan, missing) = plan_anyway(wanted)?;
    missing.map_or(Ok(plan), Err)
}

/// One of the agents that are configured, in their order.
pub fn plan_one(wanted: &Wanted<'_>, index: usize) -> Result<AgentSpec, AppError> {
    let (plan, missing) = found(wanted, index)?;
    missing.map_or(Ok(plan), Err)
}

/// The same where the agent need not be there: what is missing comes with the plan.
pub fn plan_anyway(wanted: &Wanted<'_>) -> Result<(AgentSpec, Option<AppError>), AppError> {
    let Some(script) = wanted.mock else { return found(wanted, 0) };
    let program = wanted.app.program().to_owned();
    let mut plan = planned(wanted, scripted(), program, model_of(wanted.resolved, 0, scripted()))?;
    plan.arguments = vec![SCRIPTED_AGENT.to_owned(), script.to_owned()];
    plan.arguments.extend(wanted.resolved.agent.arguments.iter().cloned());
    Ok((plan, None))
}

/// One of the agents that are configured, and what is missing of it.
fn found(wanted: &Wanted<'_>, index: usize) -> Result<(AgentSpec, Option<AppError>), AppError> {
    let resolved = wanted.resolved;
    let agent = match choice(resolved, index) {
        Some(choice) => {
            refuse_unknown(resolved, &choice.name)?;
            named(&choice.name)
        }
        None => chosen(resolved, None),
    };
    let command = program_of(resolved, index, agent.about())?;
    let (program, missing) = match find(agent.about(), command, wanted.directory, resolved.exit_codes) {
        Ok(program) => (program, None),
        Err(missing) => (PathBuf::from(command), Some(missing)),
    };
    let mut plan = planned(wanted, agent, program, model_of(resolved, index, agent))?;
    if index == configured(resolved) {
        plan.arguments.clone_from(&resolved.agent.arguments);
    }
    Ok((plan, missing))
}

/// How an agent is called, without arguments of its own.
fn planned(
    wanted: &Wanted<'_>,
    agent: &dyn Agent,
    program: PathBuf,
    model: Option<String>,
) -> Result<AgentSpec, AppError> {
    let settings = &wanted.resolved.agent;
    Ok(AgentSpec {
        add_dirs: add_dirs::resolve(wanted.directory, wanted.resolved)?,
        model,
        max_turns: settings.max_turns,
        skip_permissions: wanted.skip_permissions,
        allow: allowed(wanted, agent),
        api_keys: settings.api_keys,
        background: settings.background,
        prices: settings.prices.clone(),
        ..AgentSpec::new(agent.about().name, program)
    })
}

/// What the agent may do without being asked: the checks, the project's own commands, git reading, and what
/// configuration allows.
fn allowed(wanted: &Wanted<'_>, agent: &dyn Agent) -> Vec<String> {
    let names = tree::at(wanted.directory).names().unwrap_or_default();
    let names: Vec<String> = names.into_iter().filter_map(|name| name.into_string().ok()).collect();
    let checks = wanted.resolved.checks.iter().map(|check| Right::RunCheck(check.command.clone()));
    let rights = checks.chain(project_commands(names.iter().map(String::as_str))).chain(git_reading());
    let mut rules: Vec<String> = rights.flat_map(|right| agent.rules(&right)).collect();
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
    let agent = of(plan);
    let About { product, words, .. } = agent.about();
    let Some(said) = ask(plan, app.directory(), Question::Version, PATIENCE, codes)? else {
        return Ok(None);
    };
    plan.version = agent.version(&said).map_err(|unfit| match unfit {
        Unfit::Unclear => {
            let shown: String = said.chars().take(80).collect();
            unavailable(
                codes,
                format!("{} does not say a version; it printed {shown:?}", plan.program.display()),
            )
            .hint(format!("Is this {product}? agent.command names the program."))
        }
        Unfit::TooOld { version, needed } => {
            unavailable(codes, format!("{product} {version} is too old: {needed} is needed"))
                .hint(words.update)
        }
    })?;
    let said = ask(plan, app.directory(), Question::Login, PATIENCE, codes)?;
    let login = said.and_then(|said| agent.login(&said));
    if login.as_ref().is_some_and(|login| !login.logged_in) {
        return Err(not_logged_in(plan, codes));
    }
    Ok(login)
}

fn not_logged_in(plan: &AgentSpec, codes: ExitCodes) -> AppError {
    let About { product, words, variables, .. } = of(plan).about();
    let error = unavailable(codes, format!("{product} is not logged in"));
    let key = variables.inherited.api_keys.first().filter(|key| env::var_os(key).is_some());
    if let Some(key) = key.filter(|_| !plan.api_keys) {
        return error
            .hint(format!("{key} is set, but API keys are kept from the agent unless you allow them:"))
            .hint(
                "WINDLASS_AGENT__API_KEYS=true, or api_keys = true below [agent] in .windlass/config.toml",
            );
    }
    error.hint(words.log_in)
}

fn ask(
    plan: &AgentSpec,
    directory: &Path,
    question: Question,
    patience: Duration,
    codes: ExitCodes,
) -> Result<Option<String>, AppError> {
    let Some(asked) = of(plan).question(plan, question) else { return Ok(None) };
    let mut command = Command::new(&asked.program)
        .directory(directory)
        .arguments(&asked.arguments)
        .timeout(patience)
        .output_limit(1024 * 1024);
    for (name, value) in &asked.environment {
        command = command.environment(name, value.as_ref().map(AsRef::as_ref));
    }
    for name in withheld_from(&environment(), &heir(plan)) {
        command = command.environment(&name, None);
    }
    let output = command.run().map_err(|error| cannot_start(plan, error, codes))?;
    Ok(Some(output.stdout.text()))
}

fn cannot_start(plan: &AgentSpec, error: ProcessError, codes: ExitCodes) -> AppError {
    unavailable(codes, format!("{} cannot be started: {error}", plan.program.display())).because(error)
}

/// Is it the scripted one?
pub(crate) fn is_scripted(agent: &AgentSpec) -> bool {
    agent.arguments.first().is_some_and(|verb| verb == SCRIPTED_AGENT)
}

/// An agent of another machine as it is installed on this one, by the program that `program` knows for its name, else the one in
/// `PATH`. Folders beyond the project were that machine's.
pub(crate) fn installed_here<'a>(
    here: &Here,
    agent: AgentSpec,
    codes: ExitCodes,
    program: impl Fn(&Path) -> Option<&'a Path>,
) -> Result<AgentSpec, AppError> {
    let mut agent = AgentSpec { add_dirs: Vec::new(), ..agent };
    if is_scripted(&agent) {
        here.app.program().clone_into(&mut agent.program);
        return Ok(agent);
    }
    let usual = of(&agent).about().program.map(PathBuf::from);
    let name = usual.or_else(|| agent.program.file_name().map(PathBuf::from)).unwrap_or_default();
    let name = program(&name).unwrap_or(&name);
    agent.program = find(of(&agent).about(), &name.to_string_lossy(), &here.directory, codes)?;
    Ok(agent)
}

/// The agent's program on this machine, absolute.
pub fn find(agent: &About, command: &str, directory: &Path, codes: ExitCodes) -> Result<PathBuf, AppError> {
    let places: Vec<PathBuf> = if command.contains('/') {
        vec![directory.join(command)]
    } else {
        let path = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&path).map(|folder| folder.join(command)).filter(|path| path.is_absolute()).collect()
    };
    if let Some(program) = places.iter().find(|path| is_program(path)) {
        return Ok(program.clone());
    }
    Err(match places.iter().find_map(|path| no_program(path, codes)) {
        Some(error) => error,
        None => unavailable(codes, format!("the agent `{command}` is not installed, or not in PATH"))
            .hint(agent.words.install)
            .hint("Or try the loop without it: windlass demo, or windlass run -p … --mock"),
    })
}

/// What is there in the place of the agent's program, if something is that cannot be started.
fn no_program(path: &Path, codes: ExitCodes) -> Option<AppError> {
    // outside: programs of the search path.
    let kind = path.metadata().ok()?.file_type();
    let shown = path.display();
    let error = |what: &str| unavailable(codes, format!("the agent cannot be started: {shown} {what}"));
    // outside: the same one.
    if kind.is_dir() {
        return Some(error("is a folder").hint("Name the program in it: agent.command"));
    }
    // outside: the same one.
    if !kind.is_file() {
        return Some(error("is no program").hint("Name another one: agent.command"));
    }
    let name = quoted(path.as_os_str());
    let hint = format!("Where it is the agent's program: chmod +x {name}");
    Some(error("may not be executed").hint(hint))
}

fn unavailable(codes: ExitCodes, message: impl Into<String>) -> AppError {
    AppError::new(Kind::stopped(StopReason::AgentUnavailable, codes), message)
}

/// An agent outside of any run, as whoever inherits an environment.
pub fn heir(plan: &AgentSpec) -> Heir {
    let variables = &of(plan).about().variables.inherited;
    Heir::Agent { variables, api_keys: plan.api_keys, named: Vec::new() }
}

/// The environment that agents and checks inherit: without our own secrets, which are none of their business, and without what
/// would send their git elsewhere than ours.
pub fn environment() -> Vec<(OsString, OsString)> {
    let left_out = left_out_variables();
    env::vars_os().filter(|(name, _)| !left_out.iter().any(|left_out| name == left_out.as_str())).collect()
}

/// What nothing that is started gets of the environment.
pub fn left_out_variables() -> Vec<String> {
    secret_variables().into_iter().chain(ELSEWHERE.iter().map(|name| (*name).to_owned())).collect()
}

/// What is said of variables that would send git elsewhere. One that is empty says nothing.
pub fn elsewhere() -> Option<String> {
    let set: Vec<String> = env::vars_os()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .collect();
    elsewhere_notice(set.iter().map(String::as_str))
}

/// The variables that hold our own secrets, those that say who is told what (an address is often as good as a secret), and how a
/// fleet is reached: whoever works in one has nothing to say there.
pub fn secret_variables() -> Vec<String> {
    let is_of = |key: &KeyInfo, group: &str| key.name.starts_with(group);
    let hidden =
        |key: &&KeyInfo| key.secrecy == Secrecy::Secret || is_of(key, "notify.") || is_of(key, "fleet.");
    KEYS.iter().filter(hidden).map(KeyInfo::variable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_place_of_an_agent_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        std::fs::write(folder.path().join("plain"), "#!/bin/sh\n").unwrap();
        let said = |command: &str| {
            find(usual().about(), command, folder.path(), ExitCodes::Detailed).unwrap_err().message
        };
        assert!(said("./sub").ends_with("/sub is a folder"), "{}", said("./sub"));
        assert!(said("./plain").ends_with("/plain may not be executed"), "{}", said("./plain"));
        assert_eq!(said("./none"), "the agent `./none` is not installed, or not in PATH");
    }

    // Seed defect D1, services/claude-client.ts:320: the look whether there is an agent could hang.
    #[test]
    fn an_agent_that_does_not_answer_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("agent");
        std::fs::write(&program, "#!/bin/sh\nexec sleep 60\n").unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let plan = AgentSpec::new(usual().about().name, program.clone());
        let patience = Duration::from_millis(100);
        let error = ask(&plan, Path::new("/"), Question::Version, patience, ExitCodes::Detailed).unwrap_err();
        let expected = format!("{} cannot be started: ", program.display());
        assert!(error.message.starts_with(&expected), "{}", error.message);
    }
}
