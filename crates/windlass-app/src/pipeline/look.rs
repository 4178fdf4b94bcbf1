//! How a pipeline stands: what its documents and the journals of its runs say, and nothing else.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_core::config::keys;
use windlass_core::fact::plan_of;
use windlass_core::spec::{PipelinePhase, RunSpec};
use windlass_core::values::{Items, Named, RunId, Spent, StopReason};
use windlass_engine::pipeline::{FoundPhase, Pipeline, find_phase};
use windlass_engine::store::{RunFolder, RunSummary, index, journal};
use windlass_engine::tasks::read_tasks;
use windlass_host::tree::at;
use windlass_jobs::prompt::LONGEST_GOAL;
use windlass_ui::{
    PhaseRun, PhaseShown, PhaseState, PipelineShown, flag_said, flags_of_agents, flags_of_work,
};

use super::PlanPipeline;
use super::limits::Kept;
use crate::error::AppError;
use crate::here::Here;
use crate::inspect::runs::spent;
use crate::inspect::which;
use crate::run::{Goal, StartRun, going_on};

/// The runs of a pipeline, newest first: those of all working trees, since they share its limits.
pub(super) struct Runs {
    directory: PathBuf,
    all: Vec<Arc<RunSummary>>,
    /// Those of the project that are at work.
    live: Vec<RunId>,
}

impl Runs {
    /// Those of the project.
    pub fn of(here: &Here, pipeline: &Pipeline) -> Result<Runs, AppError> {
        let is_its = |run: &Arc<RunSummary>| run.is_in_pipeline(&pipeline.id);
        let all = index::look(&here.project)?.runs.into_iter().filter(is_its).collect();
        Ok(Runs { directory: here.directory.clone(), all, live: which::seen_live(&here.project)? })
    }

    /// Those of a phase, or that work off the tasks.
    fn of_part(&self, phase: Option<PipelinePhase>) -> impl Iterator<Item = &RunSummary> {
        let is_its = move |run: &&RunSummary| run.pipeline.as_ref().is_some_and(|part| part.phase == phase);
        self.all.iter().map(Arc::as_ref).filter(is_its)
    }

    /// What all of them cost.
    fn spent(&self) -> Spent {
        self.sum(self.all.iter().map(Arc::as_ref))
    }

    /// What those of a part cost.
    fn spent_on(&self, phase: Option<PipelinePhase>) -> Spent {
        self.sum(self.of_part(phase))
    }

    fn sum<'a>(&self, runs: impl Iterator<Item = &'a RunSummary>) -> Spent {
        runs.fold(Spent::default(), |mut all, run| {
            all += spent(run, which::state(run, &self.live));
            all
        })
    }

    /// The newest of a part in this directory.
    pub fn newest(&self, phase: Option<PipelinePhase>) -> Option<&RunSummary> {
        self.of_part(phase).find(|run| run.directory == self.directory)
    }

    /// The newest of a part, where it can simply go on.
    pub fn open(&self, phase: Option<PipelinePhase>) -> Option<&RunSummary> {
        self.newest(phase).filter(|run| going_on::goes_on_with_its_job(run))
    }
}

/// How it stands; `request` is what whoever asks has asked for of it.
pub(super) fn shown(
    here: &Here,
    pipeline: &Pipeline,
    request: Option<&PlanPipeline>,
) -> Result<PipelineShown, AppError> {
    let runs = Runs::of(here, pipeline)?;
    let phases: Vec<PhaseShown> =
        PipelinePhase::all().map(|phase| of_phase(here, pipeline, &runs, phase)).collect();
    let is_planned = phases.iter().all(|phase| phase.state == PhaseState::Valid);
    let spent = runs.spent();
    let goes_on = GoesOn {
        planning: goes_on(here, &runs, request),
        tasks: in_tasks(here, &runs, request),
        raised: Kept::seen(here, pipeline).raised(),
    };
    let next = next(pipeline, &runs, &phases, &goes_on);
    Ok(PipelineShown {
        id: pipeline.id.clone(),
        folder: pipeline.folder().display().to_string(),
        goal: goal(pipeline).map(|goal| goal.title()).unwrap_or_default(),
        tasks: tasks(pipeline).filter(|_| is_planned || runs.newest(None).is_some()),
        execution: runs.newest(None).map(in_words),
        phases,
        cost: spent.cost,
        estimated: spent.estimated,
        next,
    })
}

/// The goal of a pipeline, as it is now.
pub(super) fn goal(pipeline: &Pipeline) -> Result<Goal, AppError> {
    let path = pipeline.directory.join(pipeline.goal_file());
    let bytes = at(&path).read_beginning(LONGEST_GOAL).map_err(AppError::system)?.unwrap_or_default();
    Goal::of_pipeline(bytes, path)
}

/// How a phase stands.
pub(super) fn of_phase(here: &Here, pipeline: &Pipeline, runs: &Runs, phase: PipelinePhase) -> PhaseShown {
    let found = find_phase(&here.directory, &pipeline.phase(phase));
    let newest = runs.newest(Some(phase));
    let changed = newest.map(|run| changed_since(here, pipeline, phase, run)).unwrap_or_default();
    let spent = runs.spent_on(Some(phase));
    PhaseShown {
        phase,
        file: pipeline.phase(phase).document().display().to_string(),
        state: state(&found, newest, &changed),
        problems: found.problems.iter().filter(|_| found.is_there()).map(ToString::to_string).collect(),
        changed,
        run: newest.map(in_words),
        cost: spent.cost,
        estimated: spent.estimated,
    }
}

fn state(found: &FoundPhase, newest: Option<&RunSummary>, changed: &[String]) -> PhaseState {
    if !found.is_there() {
        PhaseState::Missing
    } else if !found.is_valid() {
        PhaseState::Invalid
    } else if newest.is_some_and(going_on::is_open) {
        PhaseState::Unfinished
    } else if !changed.is_empty() {
        PhaseState::Stale
    } else {
        PhaseState::Valid
    }
}

/// What a phase was made from and is not any more what it was when its run began. Of a run whose journal is gone nothing is known.
pub(super) fn changed_since(
    here: &Here,
    pipeline: &Pipeline,
    phase: PipelinePhase,
    run: &RunSummary,
) -> Vec<String> {
    let read = journal::read(&RunFolder::of(&here.project, &run.run).journal()).unwrap_or_default();
    let inputs = plan_of(read).map(|plan| plan.inputs).unwrap_or_default();
    let now = pipeline.made_from(phase).into_iter();
    let differs =
        |(file, digest): &(PathBuf, String)| inputs.iter().any(|(path, then)| path == file && then != digest);
    let shown = |file: &Path| file.strip_prefix(&here.directory).unwrap_or(file).display().to_string();
    now.filter(differs).map(|(file, _)| shown(&file)).collect()
}

fn in_words(run: &RunSummary) -> PhaseRun {
    PhaseRun { run: run.run.clone(), stop_reason: run.ending.map(|ending| ending.stop_reason) }
}

/// Tasks done, and in all.
fn tasks(pipeline: &Pipeline) -> Option<Items> {
    let file = pipeline.tasks_file();
    let list = read_tasks(&pipeline.directory, &file).list;
    let counts = list.schedule().counts();
    (counts.total > 0).then_some(Items { done: counts.done as u64, total: counts.total as u64 })
}

/// The flags of a command that goes on with a pipeline; each begins with a blank.
struct GoesOn {
    /// While its documents are planned.
    planning: String,
    /// Where its tasks are worked off.
    tasks: String,
    /// They raise what of its limits is used up.
    raised: String,
}

/// The flags of a command that goes on with all that was asked for; each begins with a blank.
pub(super) fn goes_on(here: &Here, runs: &Runs, request: Option<&PlanPipeline>) -> String {
    match request.and_then(|request| request.execution.as_ref()) {
        Some(execution) => format!(" --run{}{}", work(execution), agents(here, runs, request)),
        None => agents(here, runs, request),
    }
}

/// The flags that have the tasks worked off by the same, as was asked for: gates, lanes and commits.
pub(super) fn work(execution: &StartRun) -> String {
    let gates = execution.settings.value(keys::GATES.name).and_then(|gates| gates.as_array());
    let commands = gates.into_iter().flatten().filter_map(|gate| gate.as_str());
    let gates = commands.map(|command| flag_said("--gate", command));
    gates.chain(["-j", "--commit"].into_iter().filter_map(|flag| typed(execution, flag))).collect()
}

/// The flags that keep the model and the walls: as they are said now, or else as the newest run of the pipeline had them.
pub(super) fn agents(here: &Here, runs: &Runs, request: Option<&PlanPipeline>) -> String {
    let newest = runs.all.iter().find(|run| run.directory == runs.directory);
    let before = newest.and_then(|run| plan_of_run(here, run)).map(|plan| flags_of_agents(&plan));
    let before = before.unwrap_or_default();
    let flag = |flag: &str| {
        let as_before = || before.iter().find(|(name, _)| *name == flag);
        let typed = request.and_then(|request| typed(&request.planning, flag));
        typed.or_else(|| as_before().map(|(flag, value)| flag_said(flag, value)))
    };
    ["--model", "--sandbox", "--network"].into_iter().filter_map(flag).collect()
}

/// A flag as it was typed.
fn typed(said: &StartRun, flag: &str) -> Option<String> {
    let (name, value) = said.settings.flags().find(|(name, _)| *name == flag)?;
    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Some(flag_said(name, &value))
}

fn plan_of_run(here: &Here, run: &RunSummary) -> Option<Box<RunSpec>> {
    journal::read(&RunFolder::of(&here.project, &run.run).journal()).ok().and_then(plan_of)
}

/// The flags that have the tasks worked off as they last were, or else as was asked for.
fn in_tasks(here: &Here, runs: &Runs, request: Option<&PlanPipeline>) -> String {
    match runs.newest(None).and_then(|run| plan_of_run(here, run)) {
        Some(plan) => format!(" --run{}", flags_of_work(&plan)),
        None if request.is_some_and(|request| request.execution.is_some()) => goes_on(here, runs, request),
        None => format!(" --run{}", agents(here, runs, request)),
    }
}

/// The command that goes on with it.
fn next(pipeline: &Pipeline, runs: &Runs, phases: &[PhaseShown], flags: &GoesOn) -> String {
    let GoesOn { planning, tasks, raised } = flags;
    let go_on = format!("windlass pipeline --resume {}", pipeline.id);
    let due = phases.iter().find(|phase| phase.state != PhaseState::Valid);
    match due {
        Some(PhaseShown { state: PhaseState::Stale, phase, .. }) => {
            format!("{go_on} --redo-from {}{planning}{raised}", phase.name())
        }
        Some(_) => format!("{go_on}{planning}{raised}"),
        None => match runs.open(None) {
            Some(run) => format!("windlass resume {}{raised}", run.run),
            None if is_done(runs) => {
                format!("windlass status {}", runs.newest(None).map_or("", |run| &run.run.0))
            }
            // As a run of its own the tasks would have no part in the pipeline's limits.
            None => format!("{go_on}{tasks}{raised}"),
        },
    }
}

fn is_done(runs: &Runs) -> bool {
    let complete =
        |run: &RunSummary| run.ending.is_some_and(|ending| ending.stop_reason == StopReason::Complete);
    runs.newest(None).is_some_and(complete)
}
