//! `hooks list`, `hooks test`.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use jiff::Timestamp;
use windlass_core::config::{Layer, Resolved, Unlimited};
use windlass_core::hook::HookSetting;
use windlass_core::spec::{Mode, SandboxKind};
use windlass_core::values::{Grounds, Hook, HookCommand, HookDecision, HookName, RunId, StopReason};
use windlass_engine::hook::{self, Found, Listed, TrialError, Tried};
use windlass_engine::sandbox::Sandbox;
use windlass_host::process::become_subreaper;
use windlass_ui::{HookRow, Line, hook_tried, hooks_json, hooks_table, one_line};

use super::{Shape, first_lines, print, print_bytes, print_lines, stdout, warn};
use crate::args::{FinishType, HookKind, HooksArgs, HooksVerb};
use crate::commands::app;
use windlass_app::agent;
use windlass_app::configuration::Configuration;
use windlass_app::here::Here;
use windlass_app::sandbox as room;
use windlass_app::trusting::{self, Asked, Purpose, TrustAnswers};
use windlass_app::{AppError, Kind};

/// Does it.
///
/// # Errors
/// The configuration is wrong, or there is no such hook to be tried out.
pub fn run(args: &HooksArgs) -> Result<ExitCode, AppError> {
    let here = Here::find(&app()?)?;
    let flags = Layer::default();
    let configuration = Configuration::load(&here.directory, None, Mode::Goal, flags, Unlimited::Allowed)?;
    let resolved = &configuration.resolved;
    let found = hook::find(&here.directory, &resolved.hooks);
    match &args.verb {
        HooksVerb::List { json } => {
            list(&here.directory, &found, Shape::of(*json)).map(|()| ExitCode::SUCCESS)
        }
        HooksVerb::Test { hook, iteration, finish_type, trust } => {
            let hook = callable(&found, name(*hook))?;
            trusting::require(&Asked {
                here: &here,
                configuration: &configuration,
                purpose: Purpose::Hooks,
                reader: None,
                answers: &TrustAnswers::from(trust),
            })?;
            let setting = setting(&here, resolved, hook.name, *iteration, *finish_type);
            test(&here, resolved, &hook, setting)
        }
    }
}

fn list(directory: &Path, found: &Found, shape: Shape) -> Result<(), AppError> {
    let rows: Vec<HookRow> = found.listed.iter().map(|listed| row(directory, listed)).collect();
    if shape == Shape::Json {
        return print_bytes(&hooks_json(&rows, &found.notices));
    }
    print(&hooks_table(&rows, &stdout()))?;
    // What a row says already is not said twice.
    let known = |notice: &&String| !notice.contains("is not called: ");
    found.notices.iter().filter(known).for_each(|notice| warn(notice));
    Ok(())
}

fn row(directory: &Path, listed: &Listed) -> HookRow {
    let (source, command) = match &listed.command {
        None => (None, None),
        Some(HookCommand::Shell(command)) => (Some("command"), Some(command.clone())),
        Some(HookCommand::File(path)) => {
            let shown = path.strip_prefix(directory).unwrap_or(path);
            (Some("file"), Some(shown.to_string_lossy().into_owned()))
        }
    };
    HookRow {
        hook: listed.name,
        source,
        command,
        called: listed.command.is_some() && listed.problem.is_none(),
        problem: listed.problem.clone(),
        remedy: listed.remedy.clone(),
        timeout_ms: u64::try_from(listed.timeout.as_millis()).unwrap_or(u64::MAX),
    }
}

/// A hook that a run would call; why it would not.
fn callable(found: &Found, name: HookName) -> Result<Hook, AppError> {
    if let Some(hook) = found.hooks().into_iter().find(|hook| hook.name == name) {
        return Ok(hook);
    }
    let listed = found.listed.iter().find(|listed| listed.name == name);
    let problem = listed.and_then(|listed| listed.problem.as_ref());
    let said = |why: &str| AppError::usage(format!("a run would not call the hook `{}`: {why}", name.name()));
    match (problem, listed.and_then(|listed| listed.remedy.as_ref())) {
        (Some(problem), Some(remedy)) => Err(said(problem).hint(format!("So that it does: {remedy}"))),
        (Some(problem), None) => Err(said(problem)),
        (None, _) => Err(said("there is none").hint(format!(
            "Make one: an executable file .windlass/hooks/{0}, or windlass config set hooks.{0} '…'",
            name.name()
        ))),
    }
}

/// What it is told: a run that nobody made.
fn setting(
    here: &Here,
    resolved: &Resolved,
    name: HookName,
    iteration: u32,
    finish_type: FinishType,
) -> HookSetting {
    let head = here.repository.as_ref().and_then(|repository| repository.head().ok()?.commit());
    HookSetting {
        hook: name,
        iteration,
        last_exit_code: 0,
        total_commits: 0,
        commits_made: 0,
        duration: Duration::ZERO,
        last_duration: Duration::ZERO,
        total_iterations: if name == HookName::Finished { iteration } else { iteration.saturating_sub(1) },
        last_commit: head.map(|head| head.to_string()).unwrap_or_default(),
        grounds: Grounds::Shown,
        ending: (name == HookName::Finished).then(|| reason(finish_type)),
        project: here.directory.clone(),
        mode: Mode::Goal,
        max_iterations: resolved.limits.iterations,
        // There is no run, and so no folder of one.
        log_folder: here.project.path().to_owned(),
        started: Timestamp::now(),
        plan_file: None,
        spec_folder: None,
        run: RunId(format!("hook-{}", std::process::id())),
        resumed: false,
    }
}

fn test(
    here: &Here,
    resolved: &Resolved,
    hook: &Hook,
    mut setting: HookSetting,
) -> Result<ExitCode, AppError> {
    become_subreaper()?;
    let sandbox = if resolved.sandbox.kind == SandboxKind::None {
        Sandbox::none()
    } else {
        let (sandbox, session) = room::open_session(here, resolved, "hooks test", hook.name.name())?;
        // Whatever has this mark is the sandbox's, and ended with it.
        setting.run = session.session().clone();
        sandbox
    };
    let session = setting.run.clone();
    let tried = hook::try_out(app()?.program(), hook, &setting, agent::environment(), &sandbox);
    std::iter::from_fn(|| sandbox.news()).for_each(|news| warn(&news));
    room::take_over(&sandbox, &session)?.iter().for_each(|notice| warn(notice));
    let tried = tried.map_err(|error| match error {
        TrialError::Sandbox(error) => error.into(),
        TrialError::Process(error) => AppError::new(Kind::System, error.to_string()),
    })?;
    let Tried { outcome, stdout, stderr } = tried;
    let mut lines = Vec::new();
    for (title, text) in [("standard output", stdout.as_slice()), ("standard error", stderr.as_bytes())] {
        lines.extend(printed(title, text));
    }
    lines.extend(hook_tried(&outcome));
    print_lines(&lines)?;
    let goes_on = outcome.decision == HookDecision::Continue;
    Ok(if goes_on { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The first lines of what it printed.
fn printed(title: &str, text: &[u8]) -> Vec<Line> {
    if text.is_empty() {
        return Vec::new();
    }
    let (first, more) = first_lines(text);
    let rest = (more > 0).then(|| Line::new().dim(format!("    … {more} lines more")));
    let shown = first.iter().map(|line| Line::hanging(4).plain(format!("    {}", one_line(line))));
    std::iter::once(Line::new().dim(format!("  {title}"))).chain(shown).chain(rest).collect()
}

const fn name(kind: HookKind) -> HookName {
    match kind {
        HookKind::Started => HookName::Started,
        HookKind::NextIteration => HookName::NextIteration,
        HookKind::Finished => HookName::Finished,
    }
}

/// One of the reasons that the seed's word stands for.
const fn reason(finish_type: FinishType) -> StopReason {
    match finish_type {
        FinishType::Manual => StopReason::Interrupted,
        FinishType::MaxIterations => StopReason::MaxIterations,
        FinishType::Complete => StopReason::Complete,
        FinishType::NoChanges => StopReason::NoChanges,
        FinishType::Error => StopReason::ConsecutiveFailures,
    }
}
