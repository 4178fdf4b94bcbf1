//! Planning a goal, phase after phase.

use jiff::Zoned;
use windlass_core::spec::{JobPhase, PipelinePhase};
use windlass_core::values::{Named, StopReason};
use windlass_engine::pipeline::{Pipeline, Pipelines};
use windlass_ui::{PhaseShown, PhaseState};

use super::limits::Kept;
use super::look::{self, Runs};
use super::{PipelineEnd, PlanPipeline, WantedPipeline, find};
use crate::app::App;
use crate::error::AppError;
use crate::front_end::{Question, Reply};
use crate::here::Here;
use crate::run::{Goal, NamedTasks, Rehearsal, ResumeRun, RunEnd, StartRun, WantedJob, WantedPhase};

pub(super) fn plan(app: &App, request: &PlanPipeline) -> Result<PipelineEnd, AppError> {
    let here = Here::find(app)?;
    let pipeline = match &request.wanted {
        WantedPipeline::New(goal) => begin(&here, goal)?,
        WantedPipeline::Known(id) => find(&here, id)?,
    };
    let redo_from = redo_from(app, &here, &pipeline, request)?;
    let kept = Kept::of(&here, &pipeline)?;
    let mut last = None;
    for phase in PipelinePhase::all() {
        let is_redone = redo_from.is_some_and(|from| phase >= from);
        let Some(end) = plan_phase(app, (&here, &pipeline), (request, &kept), phase, is_redone)? else {
            continue;
        };
        let is_complete = end.stop_reason == StopReason::Complete;
        last = Some(end);
        if !is_complete {
            return ended(&here, &pipeline, last.as_ref());
        }
    }
    if let Some(execution) = &request.execution {
        last = Some(execute(app, (&here, &pipeline), (execution, &kept))?);
    }
    ended(&here, &pipeline, last.as_ref())
}

/// What the first run would be.
pub(super) fn rehearse(app: &App, request: &PlanPipeline) -> Result<Rehearsal, AppError> {
    let here = Here::find(app)?;
    let pipelines = Pipelines::of(&here.directory);
    let (pipeline, goal) = match &request.wanted {
        WantedPipeline::New(goal) => (pipelines.draw(&goal.text, Zoned::now().date())?, goal.clone()),
        WantedPipeline::Known(id) => {
            let pipeline = find(&here, id)?;
            (pipeline.clone(), look::goal(&pipeline)?)
        }
    };
    let runs = Runs::of(&here, &pipeline)?;
    let is_due = |phase: &PipelinePhase| {
        let is_redone = request.redo_from.is_some_and(|from| *phase >= from);
        is_redone || is_due(&look::of_phase(&here, &pipeline, &runs, *phase))
    };
    let kept = Kept::of(&here, &pipeline)?;
    if let Some(phase) = PipelinePhase::all().find(is_due) {
        return app.rehearse(&of_phase(&kept.holds_for(&request.planning)?, pipeline.phase(phase), goal));
    }
    let like = kept.holds_for(request.execution.as_ref().unwrap_or(&request.planning))?;
    app.rehearse(&of_tasks(&like, &pipeline))
}

/// A new pipeline, told before anything is paid for.
fn begin(here: &Here, goal: &Goal) -> Result<Pipeline, AppError> {
    let pipeline = Pipelines::of(&here.directory).make(&goal.text, Zoned::now().date())?;
    here.app.notice(&format!(
        "the pipeline {} is begun; `windlass pipeline --resume {}` goes on with it at any time",
        pipeline.id, pipeline.id
    ));
    Ok(pipeline)
}

/// From which phase on it is planned again: as was said, or as a person says who is asked since something has changed.
fn redo_from(
    app: &App,
    here: &Here,
    pipeline: &Pipeline,
    request: &PlanPipeline,
) -> Result<Option<PipelinePhase>, AppError> {
    if request.redo_from.is_some() {
        return Ok(request.redo_from);
    }
    let runs = Runs::of(here, pipeline)?;
    let mut phases = PipelinePhase::all().map(|phase| look::of_phase(here, pipeline, &runs, phase));
    let Some(stale) = phases.find(|phase| phase.state == PhaseState::Stale) else { return Ok(None) };
    let said = format!("{} was made before {} changed", stale.file, stale.changed.join(", "));
    let command = format!("windlass pipeline --resume {} --redo-from {}", pipeline.id, stale.phase.name());
    if app.front_end().has_person() {
        let question = format!("{said}. Plan again from there?");
        let answer = app.front_end().ask(&Question::Confirm { question: &question, command: &command })?;
        return Ok((answer == Reply::Yes).then_some(stale.phase));
    }
    if request.execution.is_some() {
        let file = pipeline.tasks_file();
        return Err(AppError::usage(said).hint(format!("Plan again from there: {command} --run")).hint(
            format!("Work through the tasks as they are: windlass run --mode tasks -f {}", file.display()),
        ));
    }
    app.notice(&format!("{said}; it stays as it is: {command} plans it again"));
    Ok(None)
}

/// One phase; `None` where nothing is to be done for it.
fn plan_phase(
    app: &App,
    (here, pipeline): (&Here, &Pipeline),
    (request, kept): (&PlanPipeline, &Kept),
    phase: PipelinePhase,
    is_redone: bool,
) -> Result<Option<RunEnd>, AppError> {
    let runs = Runs::of(here, pipeline)?;
    if !is_redone && !is_due(&look::of_phase(here, pipeline, &runs, phase)) {
        return Ok(None);
    }
    // What was interrupted goes on; where it is to be planned again, only if it is about what is there now.
    let is_current = |run: &_| look::changed_since(here, pipeline, phase, run).is_empty();
    if let Some(run) = runs.open(Some(phase)).filter(|run| !is_redone || is_current(run)) {
        return resume(app, &run.run.0, &request.planning).map(Some);
    }
    kept.refuse_used_up(&request.planning)?;
    let goal = look::goal(pipeline)?;
    app.start(&of_phase(&kept.holds_for(&request.planning)?, pipeline.phase(phase), goal)).map(Some)
}

/// Has its document to be written, or its run to go on? What has changed since is a person's to decide.
const fn is_due(shown: &PhaseShown) -> bool {
    matches!(shown.state, PhaseState::Missing | PhaseState::Invalid | PhaseState::Unfinished)
}

/// Works off the tasks.
fn execute(
    app: &App,
    (here, pipeline): (&Here, &Pipeline),
    (execution, kept): (&StartRun, &Kept),
) -> Result<RunEnd, AppError> {
    if let Some(run) = Runs::of(here, pipeline)?.open(None) {
        return resume(app, &run.run.0, execution);
    }
    kept.refuse_used_up(execution)?;
    app.start(&of_tasks(&kept.holds_for(execution)?, pipeline))
}

fn resume(app: &App, run: &str, like: &StartRun) -> Result<RunEnd, AppError> {
    let request = ResumeRun {
        settings: like.settings.clone(),
        unlimited: like.unlimited,
        trust: like.trust.clone(),
        ..ResumeRun::of(Some(run.to_owned()))
    };
    app.resume(&request)
}

fn of_phase(like: &StartRun, phase: JobPhase, goal: Goal) -> StartRun {
    let part_of = Some(phase.pipeline.clone());
    StartRun { job: WantedJob::Phase(WantedPhase { phase, goal }), part_of, fresh: true, ..like.clone() }
}

fn of_tasks(like: &StartRun, pipeline: &Pipeline) -> StartRun {
    let file = Some(pipeline.tasks_file());
    let job = WantedJob::Tasks(NamedTasks { file, feature: None });
    StartRun { job, part_of: Some(pipeline.id.clone()), fresh: true, ..like.clone() }
}

fn ended(here: &Here, pipeline: &Pipeline, last: Option<&RunEnd>) -> Result<PipelineEnd, AppError> {
    Ok(PipelineEnd { shown: look::shown(here, pipeline)?, exit_code: last.map_or(0, |end| end.exit_code) })
}
