//! What is to be done: a goal, or what the instructions of a workspace say.

use std::path::{Path, PathBuf};

use windlass_core::config::{Layer, Resolved, TasksSettings, keys};
use windlass_core::spec::{
    ClaimSource, Job, JobPhase, JobPlan, JobTasks, JobWorkspace, Mode, PipelinePart, Verification,
};
use windlass_core::values::{ExitCodes, Extent, Named};
use windlass_engine::supervisor::Wanted as WantedOfAgent;
use windlass_engine::tasks::{FoundTasks, TasksError};
use windlass_engine::workspace::{FoundMetadata, Workspace, WorkspaceError, Workspaces};
use windlass_host::tree;
use windlass_jobs::job;
use windlass_jobs::prompt::{LONGEST_GOAL, Templates, holds_signal};
use windlass_ui::one_line;

use super::request::{NamedTasks, StartRun, WantedJob, WantedPhase};
use super::work;
use crate::app::App;
use crate::configuration::Configuration;
use crate::error::{AppError, Kind};
use crate::here::Here;
use crate::issues::{self, ReadIssues, Use};
use crate::run::goal::{Goal, read_plain};
use crate::run::same_job::{Free, SameJob};
use crate::text::quoted;
use crate::workspaces::tell_mended;

/// A job as it was asked for.
#[derive(Debug)]
pub struct Assignment {
    /// How its iterations are prompted.
    pub mode: Mode,
    /// What is wanted, word for word.
    pub goal: Goal,
    /// Where it lives; `None` for a free goal.
    pub workspace: Option<Workspace>,
    /// The directory that its agent works in: of a workspace, the project's.
    pub directory: PathBuf,
    /// The file of tasks that was named, and the feature it is for.
    pub tasks: NamedTasks,
    /// The plan that was named; `None` for the usual one.
    plan: Option<PathBuf>,
    /// The issues of a forge that they are.
    pub issues: Option<ReadIssues>,
    /// The phase of a pipeline that it is; `None` in other modes.
    pub phase: Option<JobPhase>,
    /// What else it is made from: files and their bytes.
    made_from: Vec<(PathBuf, Vec<u8>)>,
    /// The project's own texts for this mode, and the files they came from.
    templates: Vec<Template>,
}

/// A prompt of the project's own.
#[derive(Debug)]
struct Template {
    is_system: bool,
    path: PathBuf,
    text: String,
}

impl Assignment {
    /// Reads what is wanted.
    pub fn read(app: &App, request: &StartRun, extent: Extent) -> Result<Assignment, AppError> {
        let directory = app.directory();
        match &request.job {
            WantedJob::Goal { goal, mode } => Ok(Assignment::of(*mode, goal.clone(), directory)),
            WantedJob::Phase(phase) => Assignment::of_phase(phase, directory),
            WantedJob::Plan { file, mode } => Assignment::of_plan(*mode, file.as_deref(), directory),
            WantedJob::Tasks(tasks) => Assignment::of_tasks(tasks.clone(), directory),
            WantedJob::Workspace { name, mode } => {
                let workspaces = Workspaces::open(directory);
                let workspace = match name {
                    Some(name) => workspaces.find(name).map_err(|error| perhaps_a_goal(error, name))?,
                    None => only_one(app, &workspaces)?,
                };
                refuse_goal_settings(&request.settings, &workspace)?;
                let mode = match mode {
                    Some(mode) => *mode,
                    None => mode_of(app, &workspace, &workspaces, extent)?,
                };
                Assignment::of_workspace(app, workspace, mode, workspaces.project())
            }
        }
    }

    /// A free goal, worked on in this directory.
    pub fn of_goal(goal: Goal, directory: &Path) -> Assignment {
        Assignment::of(Mode::Goal, goal, directory)
    }

    /// A job in this directory, of which nothing else is known.
    fn of(mode: Mode, goal: Goal, directory: &Path) -> Assignment {
        Assignment {
            mode,
            goal,
            workspace: None,
            directory: directory.to_owned(),
            tasks: NamedTasks::default(),
            plan: None,
            issues: None,
            phase: None,
            made_from: Vec::new(),
            templates: Vec::new(),
        }
    }

    /// A job that the project may have prompts of its own for.
    fn in_project(mode: Mode, goal: Goal, project: &Path) -> Result<Assignment, AppError> {
        let templates = templates(project, mode)?;
        Ok(Assignment { templates, ..Assignment::of(mode, goal, project) })
    }

    /// A phase of a pipeline, written in this directory.
    fn of_phase(wanted: &WantedPhase, directory: &Path) -> Result<Assignment, AppError> {
        let earlier = wanted.phase.phase.earlier().map(|phase| wanted.phase.folder.join(phase.document()));
        let read = |file: PathBuf| -> Result<(PathBuf, Vec<u8>), AppError> {
            let path = directory.join(file);
            let bytes = read_plain(&path).map_err(|error| {
                AppError::new(Kind::System, format!("cannot read {}: {error}", path.display())).because(error)
            })?;
            Ok((path, bytes.unwrap_or_default()))
        };
        let made_from = earlier.map(read).collect::<Result<_, AppError>>()?;
        let phase = Some(wanted.phase.clone());
        Ok(Assignment { phase, made_from, ..Assignment::of(Mode::Phase, wanted.goal.clone(), directory) })
    }

    /// The project's plan, written or worked off in this directory.
    ///
    /// # Errors
    /// A prompt of the project's own cannot be what an agent is told.
    pub fn of_plan(mode: Mode, file: Option<&Path>, directory: &Path) -> Result<Assignment, AppError> {
        let goal = Goal { text: in_file(job::of(mode).wanted, file), file: None };
        let plan = file.map(Path::to_owned);
        Ok(Assignment { plan, ..Assignment::in_project(mode, goal, directory)? })
    }

    /// The project's tasks, worked off in this directory.
    fn of_tasks(tasks: NamedTasks, directory: &Path) -> Result<Assignment, AppError> {
        let goal =
            Goal { text: in_file(&tasks_of(tasks.feature.as_deref()), tasks.file.as_deref()), file: None };
        Ok(Assignment { tasks, ..Assignment::in_project(Mode::Tasks, goal, directory)? })
    }

    /// Reads the issues that are worked off, where that is what is wanted.
    pub fn read_issues(&mut self, app: &App, resolved: &Resolved) -> Result<(), AppError> {
        if !self.mode.has_tasks() {
            return Ok(());
        }
        if let Some(wanted) = issues::wanted(&self.tasks, resolved)? {
            self.goal.text = tasks_of(Some(wanted.source));
            self.issues = Some(ReadIssues::read(app, wanted, Use::Work, resolved.exit_codes)?);
        }
        Ok(())
    }

    /// What a plan is made from, or what is worked off, has to be there.
    pub fn require_plan(&self, plan: &JobPlan, codes: ExitCodes) -> Result<(), AppError> {
        let has_plan = work::has_plan(&self.directory, plan);
        match (self.mode.claim(), &plan.specs) {
            (ClaimSource::Boxes, _) if has_plan => {
                work::refuse_tasks(&self.directory, plan, codes)?;
                let plan = self.plan.as_ref();
                plan.map_or(Ok(()), |file| work::refuse_text(&self.directory, file, codes))
            }
            (ClaimSource::Boxes, _) => {
                let written = self.plan.as_ref().filter(|file| !work::has_records(file));
                let named = written.map(|file| format!(" -f {}", quoted(file.as_os_str())));
                let named = named.unwrap_or_default();
                let message = format!("there is no plan: {} is missing", plan.file.display());
                let error = AppError::missing(message, codes);
                let error = work::with_commands(error, &self.directory);
                Err(crate::import::with_command(error, &self.directory)
                    .hint(format!("Have one written from your specifications: windlass plan{named}"))
                    .hint("Or write it yourself: one line `- [ ] TASK` for each task."))
            }
            (ClaimSource::UnchangedPlan, specs) => {
                if let Some(file) = &self.plan {
                    work::refuse_other_list(&self.directory, file, codes)?;
                }
                match specs
                    .as_ref()
                    .filter(|specs| !has_plan && !tree::at(&self.directory).join(specs).is_taken())
                {
                    Some(specs) => {
                        let message =
                            format!("there is nothing to plan from: {} is missing", specs.display());
                        Err(AppError::missing(message, codes).hint("Begin with: windlass init --plan"))
                    }
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// A workspace's job in one of its modes; `project` is the folder that holds `.windlass`.
    ///
    /// # Errors
    /// The instructions are missing, or cannot be what an agent is told.
    pub fn of_workspace(
        app: &App,
        workspace: Workspace,
        mode: Mode,
        project: &Path,
    ) -> Result<Assignment, AppError> {
        let goal = Goal::instructions(app, &workspace)?;
        Ok(Assignment { workspace: Some(workspace), ..Assignment::in_project(mode, goal, project)? })
    }

    /// Refuses a goal that holds the completion phrase on a line of its own.
    pub fn refuse_signal(&self, resolved: &Resolved) -> Result<(), AppError> {
        let signal = &resolved.completion_signal;
        if self.mode.claim() != ClaimSource::Phrase || !holds_signal(&self.goal.text, signal) {
            return Ok(());
        }
        Err(AppError::usage(format!(
            "the goal itself has the completion phrase {signal} on a line of its own: its echo would be a claim"
        ))
        .hint("Leave it out (the agent is told of it), or choose another with --completion-signal."))
    }

    /// Its first words. Instructions begin with a heading, as documents do; a goal is what was typed.
    pub fn title(&self) -> String {
        let title = self.goal.title();
        let words = title.trim_start_matches(['#', ' ']);
        if self.workspace.is_some() && !words.is_empty() { words.to_owned() } else { title }
    }

    /// The project's own texts.
    pub fn templates(&self) -> Templates<'_> {
        let text = |is_system| {
            self.templates.iter().find(|one| one.is_system == is_system).map(|one| one.text.as_str())
        };
        Templates { user: text(false), system: text(true) }
    }

    /// What its agent is told.
    pub fn wanted(&self) -> WantedOfAgent<'_> {
        WantedOfAgent { goal: &self.goal.text, templates: self.templates() }
    }

    /// The files that it was read from, with their bytes.
    pub fn files(&self) -> impl Iterator<Item = (PathBuf, &[u8])> {
        // outside: a file that a person named.
        let goal = self.goal.file.as_ref().and_then(|path| path.canonicalize().ok());
        let goal = goal.map(|path| (path, self.goal.text.as_bytes()));
        let templates = self.templates.iter().map(|one| (one.path.clone(), one.text.as_bytes()));
        let made_from = self.made_from.iter().map(|(path, bytes)| (path.clone(), bytes.as_slice()));
        goal.into_iter().chain(templates).chain(made_from)
    }

    /// Its part of the plan.
    pub fn job(&self, here: &Here, configuration: &Configuration) -> Job {
        let resolved = &configuration.resolved;
        let workspace = self.workspace.as_ref().map(|workspace| JobWorkspace {
            name: workspace.name().to_string(),
            folder: workspace.folder().to_owned(),
            trust_existing_status: resolved.workspace.trust_existing_status,
            todo_fallback: resolved.workspace.todo_fallback,
            watch: resolved.status,
            log: resolved.log.clone(),
        });
        let judges = self.mode.judges();
        let verified = judges || (resolved.verify.on_completion && workspace.is_some());
        let plan = self.mode.has_plan().then(|| resolved.plan.clone());
        let tasks = self.job_tasks(&resolved.tasks);
        let file = plan.as_ref().map(|plan| &plan.file).or(tasks.as_ref().map(|tasks| &tasks.file));
        let about = file.and_then(|file| self.about(here, file));
        Job {
            mode: self.mode,
            title: self.title(),
            completion_signal: resolved.completion_signal.clone(),
            completion_threshold: resolved.completion_threshold,
            // Workspaces and plans are themselves files for what one iteration tells the next.
            notes_file: resolved.notes_file.clone().filter(|_| self.mode.claim() == ClaimSource::Phrase),
            agents_file: resolved.agents_file.clone(),
            verification: verified
                .then_some(Verification { depth: resolved.verify.depth, attempts: resolved.verify.attempts }),
            workspace,
            plan,
            about,
            tasks,
            phase: self.phase.clone(),
        }
    }

    /// A run about another file is another job, and one about the same file is not. `file` is what is worked off or written.
    fn about(&self, here: &Here, file: &Path) -> Option<String> {
        let is_by_itself = self.workspace.is_some() || self.issues.is_some();
        (!is_by_itself).then(|| here.in_repository(&self.directory.join(file)))
    }

    /// What is said where finished work is to be verified, and nobody is called for that.
    pub fn without_verification(&self, resolved: &Resolved) -> Option<String> {
        let works = !self.mode.judges() && !self.mode.writes_only_plan();
        let is_wanted = resolved.verify.on_completion && self.workspace.is_none() && works;
        let is_reviewed = resolved.review.enabled;
        (is_wanted && !is_reviewed).then(|| {
            "verify.on_completion is for workspaces alone, and nobody verifies this work; `--review` has a fresh agent look it over before it counts"
                .to_owned()
        })
    }

    fn job_tasks(&self, settings: &TasksSettings) -> Option<JobTasks> {
        let found = self.find_tasks(settings)?.ok()?;
        Some(JobTasks {
            file: found.place,
            progress: settings.progress.as_ref().map(|file| self.progress(file)),
            feature: self.tasks.feature.clone(),
            attempts: settings.attempts,
            commits_attempts: settings.commits_attempts,
            issues: self.issues.as_ref().map(ReadIssues::spec),
        })
    }

    /// A feature has a journal of its own, as it has a task file of its own.
    fn progress(&self, usual: &Path) -> PathBuf {
        match &self.tasks.feature {
            Some(feature) => Path::new("progress").join(format!("{feature}.md")),
            None => usual.to_owned(),
        }
    }

    /// The tasks that are to be worked off; `None` in other modes.
    pub fn find_tasks(&self, settings: &TasksSettings) -> Option<Result<FoundTasks, TasksError>> {
        if let Some(issues) = self.issues.as_ref().filter(|_| self.mode.has_tasks()) {
            return Some(Ok(issues.found()));
        }
        let found = || self.tasks.find(&self.directory, settings.file.as_deref());
        self.mode.has_tasks().then(found)
    }

    /// What is worked off has to be there, and to be readable.
    pub fn require_tasks(&self, settings: &TasksSettings, codes: ExitCodes) -> Result<(), AppError> {
        match self.find_tasks(settings) {
            None => Ok(()),
            Some(Ok(found)) => match found.list.problems().first().filter(|_| found.list.is_unusable()) {
                Some(problem) => {
                    if let Some(file) = &self.tasks.file {
                        work::refuse_text(&self.directory, file, codes)?;
                    }
                    let named = self.issues.as_ref().map(ReadIssues::flags);
                    let named = named.unwrap_or_else(|| format!("-f {}", quoted(found.place.as_os_str())));
                    Err(AppError::missing(problem.to_string(), codes)
                        .hint(format!("See all that is wrong with it: windlass tasks validate {named}")))
                }
                None => work::refuse_boxes(&found, codes),
            },
            Some(Err(error @ (TasksError::Missing { .. } | TasksError::NotThere(_)))) => {
                let error = AppError::missing(error.to_string(), codes);
                Err(work::with_commands(error, &self.directory).hint("Begin with: windlass init --tasks"))
            }
            Some(Err(error @ TasksError::NoFeature(_))) => Err(AppError::usage(error.to_string())),
            Some(Err(error)) => Err(AppError::missing(error.to_string(), codes)),
        }
    }

    /// The part of a pipeline that it is.
    fn pipeline(&self) -> Option<PipelinePart> {
        match &self.phase {
            Some(phase) => Some(PipelinePart { id: phase.pipeline.clone(), phase: Some(phase.phase) }),
            None => PipelinePart::of_tasks(self.tasks.file.as_deref()?),
        }
    }

    /// Which runs are of the same job.
    pub fn same_job(&self, here: &Here, resolved: &Resolved) -> SameJob {
        if let Some(workspace) = &self.workspace {
            return SameJob::of_workspace(workspace.folder());
        }
        let plan = self.mode.has_plan().then(|| resolved.plan.file.clone());
        let tasks = || Some(self.find_tasks(&resolved.tasks)?.ok()?.place);
        SameJob::of_free(Free {
            mode: self.mode,
            about: plan.or_else(tasks).and_then(|file| self.about(here, &file)),
            pipeline: self.pipeline(),
            goal: self.goal.text.clone(),
        })
    }
}

/// What is wanted of a feature's tasks, of issues, or of the usual ones.
fn tasks_of(named: Option<&str>) -> String {
    let of = named.map_or_else(String::new, |named| format!(" of {}", one_line(named)));
    format!("{}{of}.", job::of(Mode::Tasks).wanted)
}

/// What is wanted, with the file that was named for it.
fn in_file(wanted: &str, file: Option<&Path>) -> String {
    let Some(file) = file else { return wanted.to_owned() };
    format!("{} in {}.", wanted.trim_end_matches('.'), one_line(&file.display().to_string()))
}

/// What is not a workspace may be what is to be done.
fn perhaps_a_goal(error: WorkspaceError, text: &str) -> AppError {
    let typed = quoted(text.as_ref());
    match error {
        WorkspaceError::Name(_) if text.contains(char::is_whitespace) => {
            AppError::usage(format!("there is no workspace of the name `{}`", one_line(text)))
                .hint(format!("If that is what is to be done: windlass run -p {typed}"))
                .hint("All workspaces: windlass list")
        }
        WorkspaceError::NotFound { .. } | WorkspaceError::Name(_) => {
            AppError::from(error).hint(format!("If that is what is to be done: windlass run -p {typed}"))
        }
        other => other.into(),
    }
}

/// A workspace's own mode. Broken metadata are mended first, so that a run can count on them.
fn mode_of(
    app: &App,
    workspace: &Workspace,
    workspaces: &Workspaces,
    extent: Extent,
) -> Result<Mode, AppError> {
    match workspace.read_metadata()? {
        FoundMetadata::Read { metadata, .. } => Ok(metadata.mode),
        FoundMetadata::Missing => Ok(Mode::Loop),
        FoundMetadata::Corrupt(corrupt) if extent == Extent::Look => {
            app.notice(&format!("{}: {corrupt}; a run would fix it", workspace.metadata_file().display()));
            Ok(Mode::Loop)
        }
        FoundMetadata::Corrupt(_) => {
            let here = Here::at(app, workspaces.project().to_owned())?;
            let updated = workspace.update_metadata(&here.project, |_| {})?;
            tell_mended(app, workspace, updated.mended.as_ref());
            Ok(updated.metadata.mode)
        }
    }
}

/// The only workspace that could be meant.
fn only_one(app: &App, workspaces: &Workspaces) -> Result<Workspace, AppError> {
    let mut found = workspaces.list()?.workspaces;
    match (found.pop(), found.len()) {
        (Some(only), 0) => Ok(only),
        (None, _) => Err(work::nothing_named(app)),
        (Some(last), _) => {
            found.push(last);
            let error = AppError::usage(format!("which of the {} workspaces?", found.len()));
            Err(found.iter().fold(error, |error, one| error.hint(format!("windlass run {}", one.name()))))
        }
    }
}

/// What only goals have.
fn refuse_goal_settings(settings: &Layer, workspace: &Workspace) -> Result<(), AppError> {
    let of_goals = [
        ("--completion-signal", keys::COMPLETION_SIGNAL.name),
        ("--completion-threshold", keys::COMPLETION_THRESHOLD.name),
        ("--notes-file", keys::NOTES_FILE.name),
        ("--collect-principles", keys::PRINCIPLES_COLLECT.name),
    ];
    match of_goals.iter().find(|(_, key)| settings.value(key).is_some()) {
        Some((flag, _)) => Err(AppError::usage(format!(
            "`{flag}` belongs to goals; the workspace {} claims completion in its status file",
            workspace.name()
        ))),
        None => Ok(()),
    }
}

/// `.windlass/prompts/<mode>.md` and `<mode>.system.md`.
fn templates(project: &Path, mode: Mode) -> Result<Vec<Template>, AppError> {
    let folder = project.join(".windlass/prompts");
    let mut templates = Vec::new();
    for (name, is_system) in
        [(format!("{}.md", mode.name()), false), (format!("{}.system.md", mode.name()), true)]
    {
        let path = folder.join(name);
        let wrong = |error| {
            let message = format!("cannot read the prompt {}: {error}", path.display());
            AppError::new(Kind::Configuration, message)
        };
        let Some(bytes) = read_plain(&path).map_err(wrong)? else { continue };
        templates.push(Template { is_system, text: prompt_text(&path, bytes)?, path });
    }
    Ok(templates)
}

fn prompt_text(path: &Path, bytes: Vec<u8>) -> Result<String, AppError> {
    let wrong = |what: &str| {
        AppError::new(Kind::Configuration, format!("the prompt {} {what}", path.display()))
            .hint("Remove the file to use the built-in prompt.")
    };
    if bytes.len() > LONGEST_GOAL {
        return Err(wrong("is longer than 1 MiB"));
    }
    let text = String::from_utf8(bytes).map_err(|_| wrong("is not UTF-8 text"))?;
    if text.trim().is_empty() { Err(wrong("is empty")) } else { Ok(text) }
}
