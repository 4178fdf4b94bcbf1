//! What a run would be, without any of it.

use std::iter;
use std::path::PathBuf;

use windlass_core::config::ValueOrigin;
use windlass_core::values::{HookCommand, Named, RunId};
use windlass_engine::sandbox::Sandbox;
use windlass_engine::store::RunFolder;
use windlass_engine::supervisor::{Preview, preview};

use super::prepared::Prepared;
use super::{delivery, impossible, launch, tasks};
use crate::agent;
use crate::error::AppError;
use crate::here::Here;
use crate::sandbox;
use crate::text::quoted;
use crate::trusting;
use crate::worktree;

/// Stands for the name that the run would draw.
const SOME_RUN: &str = "r-xxxxxxxx";

/// A run that could be started.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// What stands for the name that it would draw.
    pub run: &'static str,
    /// Where it would work.
    pub directory: PathBuf,
    /// Its goal, in few words.
    pub title: String,
    /// The tasks that would be worked off, and how often at most.
    pub tasks: Option<String>,
    /// What is wrong with their file.
    pub tasks_problem: Option<String>,
    /// Who would work.
    pub agent: String,
    /// Why nobody would.
    pub agent_missing: Option<AppError>,
    /// What would become of its work beyond this machine.
    pub way_out: Option<String>,
    /// Why nothing of it would get there: a run is refused.
    pub way_out_missing: Option<AppError>,
    /// Why a check could never pass: a run is refused.
    pub hopeless: Option<AppError>,
    /// What a person would be asked to trust, counted.
    pub untrusted: Option<String>,
    /// The hooks that would be called, with their commands.
    pub hooks: Vec<(&'static str, String)>,
    /// What a person should know of the hooks.
    pub hook_notices: Vec<String>,
    /// What of the environment neither the agent nor the checks would be given.
    pub withheld: Option<String>,
    /// Each value of the configuration, and who said it.
    pub configuration: Vec<ValueOrigin>,
    /// What would be appended to the agent's own system prompt.
    pub system_prompt: String,
    /// The first prompt.
    pub prompt: String,
    /// What the agent may do.
    pub settings: String,
    /// Variables that it would get, or that would be removed.
    pub environment: Vec<(String, Option<String>)>,
    /// The command line, as a shell takes it.
    pub command: String,
}

/// The script that is played, or the agents by their names, or the program that stands for one.
fn agents(prepared: &Prepared) -> String {
    let settings = &prepared.configuration.resolved.agent;
    let names: Vec<&str> = settings.choices.iter().map(|choice| choice.name.as_str()).collect();
    match &prepared.mock {
        Some(script) => script.clone(),
        None if names.len() > 1 => names.join(", then "),
        None => settings.command.clone(),
    }
}

pub(crate) fn rehearse(here: &Here, prepared: &Prepared) -> Result<Rehearsal, AppError> {
    let resolved = &prepared.configuration.resolved;
    impossible::refuse_impossible(here, prepared)?;
    here.app.notices(&prepared.configuration.notices);
    let (agent, agent_missing) = agent::plan_anyway(&launch::wanted(here, prepared))?;
    let folder = RunFolder::of(&here.project, &RunId(SOME_RUN.to_owned()));
    let (way_out, way_out_missing) = match delivery::find(here, prepared) {
        Ok(way) => (way.told(folder.run()), None),
        Err(missing) => (None, Some(missing)),
    };
    let found = launch::hooks(here, prepared);
    let spent_before = super::budget::spent_before(here, prepared)?;
    let plan =
        launch::plan(here, prepared, &found, folder.run(), (agent, agent::Others::default()), spent_before);
    let Preview { prompt, settings, invocation } = preview(&plan, &folder, &prepared.assignment.wanted());
    let purpose = prepared.assignment.mode.purpose();
    let line = if plan.sandbox.is_on() {
        let room = sandbox::of(here, &plan, &folder)?;
        Sandbox::rehearse(&plan.sandbox, room, &invocation.program, &invocation.arguments)?
    } else {
        iter::once(invocation.program.into_os_string()).chain(invocation.arguments).collect()
    };
    let words = line.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    let input = quoted(folder.call(1, 1, purpose).prompt().as_os_str());
    let looked = trusting::look(&launch::asked(here, prepared));
    let hooks = found.hooks().into_iter().map(|hook| {
        let command = match hook.command {
            HookCommand::Shell(command) => command,
            HookCommand::File(path) => {
                path.strip_prefix(&here.directory).unwrap_or(&path).display().to_string()
            }
        };
        (hook.name.name(), command)
    });
    Ok(Rehearsal {
        run: SOME_RUN,
        directory: here.directory.clone(),
        title: prepared.assignment.title(),
        tasks: tasks::preview(prepared),
        tasks_problem: tasks::problems(prepared),
        agent: agents(prepared),
        agent_missing,
        way_out,
        way_out_missing,
        hopeless: impossible::refuse_hopeless(here, prepared).err(),
        untrusted: (!looked.pending.is_empty()).then(|| looked.count_in_words()),
        hooks: hooks.collect(),
        hook_notices: found.notices.clone(),
        withheld: launch::withheld(&worktree::environment(here), &plan),
        configuration: resolved.origins().to_vec(),
        system_prompt: prompt.system,
        prompt: prompt.user,
        settings,
        environment: invocation.environment,
        command: format!("{words} < {input}"),
    })
}
