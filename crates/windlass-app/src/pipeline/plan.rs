//! Planning a goal, phase after phase.

use jiff::Zoned;
use windlass_core::config::{Resolved, Unlimited};
use windlass_core::spec::{JobPhase, Mode, PipelinePhase};
use windlass_core::values::{ExitCodes, Named, StopReason, StopSource};
use windlass_engine::pipeline::{Pipeline, Pipelines};
use windlass_engine::store::pipelines::{PipelineLimits, be_at_work, keep_limits};
use windlass_ui::{PhaseShown, PhaseState};

use super::limits::{self, Kept};
use super::look::{self, Runs};
use super::stops::Stops;
use super::{PipelineEnd, PlanPipeline, WantedPipeline, find};
use crate::app::App;
use crate::configuration::Configuration;
use crate::error::AppError;
use crate::front_end::{Question, Reply};
use crate::here::Here;
use crate::run::budget;
use crate::run::{Goal, NamedTasks, Rehearsal, ResumeRun, RunEnd, StartRun, WantedJob, WantedPhase};
use crate::text::quoted;

/// A pipeline that is worked on.
struct Planning<'a> {
    app: &'a App,
    request: &'a PlanPipeline,
    here: Here,
    pipeline: Pipeline,
    kept: Kept,
    codes: ExitCodes,
    stops: Stops,
    /// The last run of it.
    last: Option<RunEnd>,
}

pub(super) fn plan(app: &App, request: &PlanPipeline) -> Result<PipelineEnd, AppError> {
    let here = Here::find(app)?;
    let resolved = resolved(&here, request)?;
    let (pipeline, kept) = match &request.wanted {
        WantedPipeline::New(goal) => begin(&here, goal, PipelineLimits::said(&resolved.limits))?,
        WantedPipeline::Known(id) => go_on(&here, find(&here, id)?, &resolved)?,
    };
    let redo_from = redo_from(&here, &pipeline, &kept, request)?;
    let _at_work = be_at_work(&here.project, &pipeline.id)?;
    let (codes, stops) = (resolved.exit_codes, Stops::default());
    let mut planning = Planning { app, request, here, pipeline, kept, codes, stops, last: None };
    for phase in PipelinePhase::all() {
        let is_redone = redo_from.is_some_and(|from| phase >= from);
        if !is_redone && !planning.is_due(phase)? {
            continue;
        }
        if let Some(by) = planning.stopped_by()? {
            return planning.stopped(by);
        }
        if planning.plan_phase(phase, is_redone)? != StopReason::Complete {
            return planning.ended();
        }
    }
    if let Some(execution) = &request.execution {
        if let Some(by) = planning.stopped_by()? {
            return planning.stopped(by);
        }
        planning.last = Some(planning.execute(execution)?);
    }
    planning.ended()
}

/// What the files, the environment and the flags say.
fn resolved(here: &Here, request: &PlanPipeline) -> Result<Resolved, AppError> {
    // One that goes on may be bounded by what is kept.
    let unlimited = match &request.wanted {
        WantedPipeline::New(_) => request.planning.unlimited,
        WantedPipeline::Known(_) => Unlimited::NotAsked,
    };
    let flags = request.planning.settings.clone();
    Ok(Configuration::load(&here.directory, None, Mode::Phase, flags, unlimited)?.resolved)
}

/// What the first run would be.
pub(super) fn rehearse(app: &App, request: &PlanPipeline) -> Result<Rehearsal, AppError> {
    let here = Here::find(app)?;
    let resolved = resolved(&here, request)?;
    let pipelines = Pipelines::of(&here.directory);
    let (pipeline, goal, kept) = match &request.wanted {
        WantedPipeline::New(goal) => {
            let pipeline = pipelines.draw(&goal.text, Zoned::now().date())?;
            let kept = Kept::of_new(&pipeline, PipelineLimits::said(&resolved.limits));
            (pipeline, goal.clone(), kept)
        }
        WantedPipeline::Known(id) => {
            let pipeline = find(&here, id)?;
            let kept =
                Kept::of(&here, &pipeline, (limits::said_now(&here, &pipeline, &resolved)?, &resolved))?;
            let goal = look::goal(&pipeline)?;
            (pipeline, goal, kept)
        }
    };
    let runs = Runs::of(&here, &pipeline)?;
    let is_due = |phase: &PipelinePhase| {
        let is_redone = request.redo_from.is_some_and(|from| *phase >= from);
        is_redone || is_due(&look::of_phase(&here, &pipeline, &runs, *phase))
    };
    if let Some(phase) = PipelinePhase::all().find(is_due) {
        return app.rehearse(&of_phase(&kept.holds_for(&request.planning)?, pipeline.phase(phase), goal));
    }
    let like = kept.holds_for(request.execution.as_ref().unwrap_or(&request.planning))?;
    app.rehearse(&of_tasks(&like, &pipeline))
}

/// A new pipeline, whose limits are kept before it is there; told before anything is paid for.
fn begin(here: &Here, goal: &Goal, whole: PipelineLimits) -> Result<(Pipeline, Kept), AppError> {
    let pipelines = Pipelines::of(&here.directory);
    let pipeline = pipelines.make(&goal.text, Zoned::now().date(), (&here.project, &whole))?;
    here.app.notice(&format!(
        "the pipeline {} is begun; `windlass pipeline --resume {}` goes on with it at any time",
        pipeline.id, pipeline.id
    ));
    let kept = Kept::of_new(&pipeline, whole);
    Ok((pipeline, kept))
}

/// One that there is, within what is kept of it and said now.
fn go_on(here: &Here, pipeline: Pipeline, resolved: &Resolved) -> Result<(Pipeline, Kept), AppError> {
    let whole = limits::said_now(here, &pipeline, resolved)?;
    let spenders = limits::spenders(&pipeline);
    // Its runs take it one by one. What is said beside another run of it is refused with all else.
    drop(budget::hold(here, &resolved.limits, Some(&spenders), (None, resolved.exit_codes))?);
    let kept = Kept::of(here, &pipeline, (whole, resolved))?;
    keep_limits(&here.project, &pipeline.id, &whole)?;
    Ok((pipeline, kept))
}

/// From which phase on it is planned again: as was said, or as a person says who is asked since something has changed.
fn redo_from(
    here: &Here,
    pipeline: &Pipeline,
    kept: &Kept,
    request: &PlanPipeline,
) -> Result<Option<PipelinePhase>, AppError> {
    let app = &here.app;
    if request.redo_from.is_some() {
        return Ok(request.redo_from);
    }
    let runs = Runs::of(here, pipeline)?;
    let mut phases = PipelinePhase::all().map(|phase| look::of_phase(here, pipeline, &runs, phase));
    let Some(stale) = phases.find(|phase| phase.state == PhaseState::Stale) else { return Ok(None) };
    let said = format!("{} was made before {} changed", stale.file, stale.changed.join(", "));
    let flags = look::goes_on(here, &runs, Some(request));
    let command =
        format!("windlass pipeline --resume {} --redo-from {}{flags}", pipeline.id, stale.phase.name());
    if app.front_end().has_person() {
        let question = format!("{said}. Plan again from there?");
        let answer = app.front_end().ask(&Question::Confirm { question: &question, command: &command })?;
        return Ok((answer == Reply::Yes).then_some(stale.phase));
    }
    if let Some(execution) = &request.execution {
        let error = AppError::usage(said).hint(format!("Plan again from there: {command}"));
        // Such a run is none of the pipeline's: of what that may use it gets what is left.
        return Err(match kept.left() {
            None => error,
            Some(left) => error.hint(format!(
                "Work through the tasks as they are: windlass run --mode tasks -f {}{}{}{left}",
                quoted(pipeline.tasks_file().as_os_str()),
                look::work(execution),
                look::agents(here, &runs, Some(request))
            )),
        });
    }
    app.notice(&format!("{said}; it stays as it is: {command} plans it again"));
    Ok(None)
}

impl Planning<'_> {
    fn is_due(&self, phase: PipelinePhase) -> Result<bool, AppError> {
        let runs = Runs::of(&self.here, &self.pipeline)?;
        Ok(is_due(&look::of_phase(&self.here, &self.pipeline, &runs, phase)))
    }

    /// One phase, to the end of its run.
    fn plan_phase(&mut self, phase: PipelinePhase, is_redone: bool) -> Result<StopReason, AppError> {
        let (here, pipeline, planning) = (&self.here, &self.pipeline, &self.request.planning);
        let runs = Runs::of(here, pipeline)?;
        // What was interrupted goes on; where it is to be planned again, only if it is about what is there now.
        let is_current = |run: &_| look::changed_since(here, pipeline, phase, run).is_empty();
        let open = runs.open(Some(phase)).filter(|run| !is_redone || is_current(run));
        let end = if let Some(run) = open {
            resume(self.app, &run.run.0, planning)
        } else {
            self.refuse_used_up(planning)?;
            let goal = look::goal(pipeline)?;
            let like = self.kept.holds_for(planning)?;
            self.app.start(&of_phase(&like, pipeline.phase(phase), goal))
        };
        self.look_again()?;
        let end = end?;
        let reason = end.stop_reason;
        self.last = Some(end);
        Ok(reason)
    }

    /// Where its run has made the repository (`--git-init`), all of it is kept in another place from then on.
    fn look_again(&mut self) -> Result<(), AppError> {
        if self.here.repository.is_none() {
            self.here = Here::find(self.app)?;
            keep_limits(&self.here.project, &self.pipeline.id, self.kept.whole())?;
        }
        Ok(())
    }

    /// Works off the tasks.
    fn execute(&self, execution: &StartRun) -> Result<RunEnd, AppError> {
        if let Some(run) = Runs::of(&self.here, &self.pipeline)?.open(None) {
            return resume(self.app, &run.run.0, execution);
        }
        self.refuse_used_up(execution)?;
        self.app.start(&of_tasks(&self.kept.holds_for(execution)?, &self.pipeline))
    }

    fn refuse_used_up(&self, like: &StartRun) -> Result<(), AppError> {
        self.kept.refuse_used_up(like, &self.flags()?)
    }

    /// What a command has to say that goes on with all that was asked for.
    fn flags(&self) -> Result<String, AppError> {
        let runs = Runs::of(&self.here, &self.pipeline)?;
        Ok(look::goes_on(&self.here, &runs, Some(self.request)))
    }

    /// Who wants that nothing follows on its last run.
    fn stopped_by(&mut self) -> Result<Option<StopSource>, AppError> {
        self.last.as_ref().map_or(Ok(None), |end| self.stops.asked_by(end))
    }

    /// It ends as a run does that somebody stopped.
    fn stopped(&self, by: StopSource) -> Result<PipelineEnd, AppError> {
        let (reason, id, flags) = (by.stop_reason(), &self.pipeline.id, self.flags()?);
        self.app.notice(&format!(
            "nothing more of the pipeline is begun, as was asked ({}); go on with it: windlass pipeline --resume {id}{flags}",
            reason.name()
        ));
        let shown = look::shown(&self.here, &self.pipeline, Some(self.request))?;
        Ok(PipelineEnd { shown, exit_code: reason.exit_code(self.codes) })
    }

    /// It ends as its last run did.
    fn ended(&self) -> Result<PipelineEnd, AppError> {
        let shown = look::shown(&self.here, &self.pipeline, Some(self.request))?;
        Ok(PipelineEnd { shown, exit_code: self.last.as_ref().map_or(0, |end| end.exit_code) })
    }
}

/// Has its document to be written, or its run to go on? What has changed since is a person's to decide.
const fn is_due(shown: &PhaseShown) -> bool {
    matches!(shown.state, PhaseState::Missing | PhaseState::Invalid | PhaseState::Unfinished)
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
