//! Pipelines: a goal becomes a PRD, an architecture and a list of tasks, each by a run of its own, and the tasks are worked off.

mod limits;
mod look;
mod plan;
mod stops;

use windlass_core::spec::PipelinePhase;
use windlass_engine::pipeline::{Pipeline, PipelineError, Pipelines};
use windlass_ui::{PhaseState, PipelineShown};

use crate::app::App;
use crate::error::AppError;
use crate::here::Here;
use crate::run::{Goal, Rehearsal, StartRun};

/// A goal that is to be planned, or a pipeline that is to go on.
#[derive(Clone, Debug)]
pub struct PlanPipeline {
    /// What is planned.
    pub wanted: WantedPipeline,
    /// How the run of a phase is started. Which job it is follows from the pipeline.
    pub planning: StartRun,
    /// How its tasks are worked off once they are planned; `None` = they are not.
    pub execution: Option<StartRun>,
    /// This phase and those after it are planned again, whatever their documents are; `None` = what is valid stays.
    pub redo_from: Option<PipelinePhase>,
}

/// What is planned.
#[derive(Clone, Debug)]
pub enum WantedPipeline {
    /// A goal, as a new pipeline.
    New(Goal),
    /// The pipeline of this name, or of the only one that begins so.
    Known(String),
}

/// How planning ended.
#[derive(Clone, Debug)]
pub struct PipelineEnd {
    /// How the pipeline stands.
    pub shown: PipelineShown,
    /// What a process ends with that was about this alone: as its last run ended, or as one that somebody stopped where something was
    /// not begun for that.
    pub exit_code: u8,
}

impl App {
    /// Plans a goal, phase after phase, each a run of its own; goes on with the first phase whose document is not valid, or whose
    /// run can go on. Then works off the tasks, where that is wanted.
    ///
    /// # Errors
    /// There is no such pipeline, it cannot be made, or a run cannot begin.
    pub fn plan_pipeline(&self, request: &PlanPipeline) -> Result<PipelineEnd, AppError> {
        plan::plan(self, request)
    }

    /// What the first run would be. Nothing is touched.
    ///
    /// # Errors
    /// There is no such pipeline, or a run could not begin.
    pub fn rehearse_pipeline(&self, request: &PlanPipeline) -> Result<Rehearsal, AppError> {
        plan::rehearse(self, request)
    }

    /// All pipelines of this project.
    ///
    /// # Errors
    /// Their folder, or the state folder, cannot be read.
    pub fn pipelines(&self) -> Result<Vec<PipelineShown>, AppError> {
        let here = Here::find(self)?;
        let pipelines = Pipelines::of(&here.directory);
        let found = pipelines.ids()?.into_iter().map(|id| look::shown(&here, &pipelines.find(&id)?, None));
        found.collect()
    }

    /// One pipeline: by its name, or the beginning of it.
    ///
    /// # Errors
    /// There is none; the state folder cannot be read.
    pub fn pipeline(&self, id: &str) -> Result<PipelineShown, AppError> {
        let here = Here::find(self)?;
        look::shown(&here, &find(&here, id)?, None)
    }
}

/// Is nothing wrong with any of its documents?
pub fn is_valid(shown: &PipelineShown) -> bool {
    let is_wrong = |state| matches!(state, PhaseState::Missing | PhaseState::Invalid);
    !shown.phases.iter().any(|phase| is_wrong(phase.state))
}

fn find(here: &Here, id: &str) -> Result<Pipeline, AppError> {
    Ok(Pipelines::of(&here.directory).find(id)?)
}

impl From<PipelineError> for AppError {
    fn from(error: PipelineError) -> AppError {
        match &error {
            PipelineError::Unknown { known, .. } if known.is_empty() => {
                AppError::usage(error.to_string()).hint("Begin one: windlass pipeline 'What is wanted'")
            }
            PipelineError::Unknown { known, .. } => {
                let names = known.join(", ");
                AppError::usage(error.to_string()).hint(format!("There are: {names}"))
            }
            PipelineError::File(_) | PipelineError::Store(_) | PipelineError::NoName => {
                AppError::system(error)
            }
        }
    }
}
