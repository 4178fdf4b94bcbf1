//! Writing an attempt's prompt.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use windlass_agents::{CallFiles, Invocation, of, standard_input};
use windlass_core::run::{Collected, NotesShare, OrderContext, PromptContext, TurnKey};
use windlass_core::spec::RunSpec;
use windlass_core::values::{Check, CheckOutcome, LaneId, Purpose};
use windlass_jobs::Prompt;
use windlass_jobs::doc::tasks::{FileRole, TaskList};
use windlass_jobs::prompt::{
    Changes, Earlier, FailedCheck, NOTES_USUAL, Notes, PhaseWork, PlanLayout, PlanWork, PromptParts,
    ReviewWork, Templates,
};

use super::call::confinement;
use super::{agents_file, tasks};
use crate::pipeline::find_phase;
use crate::plan::{find_plan, spec_names};
use crate::store::{RunFolder, StoreError, write_private};
use windlass_host::tree::{Attributes, TreePath, at};

/// How much of a failed check's output goes into a prompt, in bytes.
const CHECK_TAIL: u64 = 2 * 1024;

/// What is to be prepared.
#[derive(Debug)]
pub(super) struct Preparation<'a> {
    pub plan: &'a RunSpec,
    pub folder: &'a RunFolder,
    pub lane: LaneId,
    pub turn: TurnKey,
    pub purpose: Purpose,
    pub notes: NotesShare,
    pub context: &'a OrderContext,
    /// What a reviewer is shown.
    pub changes: Option<Changes>,
    /// The tasks as the session read them, where what their files say since does not count.
    pub tasks: Option<Arc<TaskList>>,
}

impl<'a> Preparation<'a> {
    /// What the run has to say.
    fn told(&self) -> &'a PromptContext {
        const NOTHING: &PromptContext = &PromptContext {
            refused: Vec::new(),
            baseline: Vec::new(),
            findings: None,
            standing: None,
            hook: String::new(),
            hook_refusal: None,
            forbidden_changes: Vec::new(),
            damage: String::new(),
            held: Vec::new(),
            returned: None,
            collected: Collected { principles: None, in_vain: Vec::new(), refused: String::new() },
            rejection: None,
            review: None,
            settled: Vec::new(),
            conflict: None,
        };
        self.context.prompt.as_deref().unwrap_or(NOTHING)
    }
}

/// Writes prompt and system prompt into the attempt's folder, and the settings into the run's. Doing it again writes the
/// same.
pub(super) fn write(preparation: &Preparation<'_>) -> Result<(), StoreError> {
    let Preparation { plan, folder, turn, purpose, .. } = preparation;
    let call = folder.call(turn.iteration, turn.attempt, *purpose);
    call.create()?;
    let (user, system) = (folder.prompt_template(), folder.system_template());
    let templates = Templates { user: user.as_deref(), system: system.as_deref() };
    let composed = compose(preparation, &Wanted { goal: &folder.read_goal()?, templates });
    let input = standard_input(of(&plan.agent), *purpose, &composed.system, &composed.user);
    write_private(&call.prompt(), input.as_bytes())?;
    write_private(&call.system(), composed.system.as_bytes())?;
    write_settings(plan, folder, preparation.lane)
}

/// What the agent may do, as this plan has it.
pub(super) fn write_settings(plan: &RunSpec, folder: &RunFolder, lane: LaneId) -> Result<(), StoreError> {
    let settings = of(&plan.agent).run_settings(plan, folder.state());
    write_where_different(&folder.settings_of(lane), settings.as_bytes())
}

/// They are the same for every call, unless somebody changed them.
fn write_where_different(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    // outside: the run's folder.
    if std::fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    write_private(path, bytes)
}

/// What a person wants of a run.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The goal, or the workspace's instructions.
    pub goal: &'a str,
    /// The project's own texts for the mode.
    pub templates: Templates<'a>,
}

/// What a run's first call would be told, and how it would be started.
#[derive(Debug)]
pub struct Preview {
    /// Both texts.
    pub prompt: Prompt,
    /// The generated settings.
    pub settings: String,
    /// The command line.
    pub invocation: Invocation,
}

/// The first call of a run that has not begun. Reads the project's notes and AGENTS.md, and changes nothing; the run's
/// folder need not exist.
pub fn preview(plan: &RunSpec, folder: &RunFolder, wanted: &Wanted<'_>) -> Preview {
    let turn = TurnKey { iteration: 1, attempt: 1 };
    let purpose = plan.job.mode.purpose();
    let notes = NotesShare::Usual;
    let context = &OrderContext::at_first(tasks::rows(plan));
    let lane = LaneId::default();
    let preparation =
        Preparation { plan, folder, lane, turn, purpose, notes, context, changes: None, tasks: None };
    let call = folder.call(turn.iteration, turn.attempt, purpose);
    let (prompt, system, settings) = (call.prompt(), call.system(), folder.settings());
    let files = CallFiles {
        prompt: &prompt,
        system_prompt: &system,
        settings: &settings,
        budget: plan.limits.budget(),
        purpose,
        confinement: confinement(plan),
    };
    let agent = of(&plan.agent);
    Preview {
        prompt: compose(&preparation, wanted),
        settings: agent.run_settings(plan, folder.state()),
        invocation: agent.call(&plan.agent, files),
    }
}

fn compose(preparation: &Preparation<'_>, wanted: &Wanted<'_>) -> Prompt {
    let Preparation { plan, turn, purpose, .. } = preparation;
    let agents_file = agents_file::relayed(plan);
    let notes = plan.job.notes_file.as_ref().and_then(|file| read_notes(&at(&plan.directory).join(file)));
    let context = preparation.context;
    let told = preparation.told();
    windlass_jobs::compose(&PromptParts {
        plan,
        turn: *turn,
        purpose: *purpose,
        goal: wanted.goal,
        templates: wanted.templates,
        notes: notes.map(|bytes| Notes::take(&bytes, preparation.notes)),
        refused: failed_checks(preparation),
        agents_file: agents_file.as_deref(),
        findings: told.findings.as_ref(),
        held: &told.held,
        standing: told.standing.as_ref(),
        hook: &told.hook,
        refused_commit: told.hook_refusal.as_deref(),
        damage: &told.damage,
        returned: told.returned.as_ref().map(|(because, findings)| (*because, findings.as_slice())),
        collected: Some(&told.collected),
        plan_work: plan_work(plan, told),
        phase_work: phase_work(plan, told),
        task_work: tasks::work(plan, context, preparation.tasks.as_deref()),
        rejection: told.rejection.as_ref(),
        review: review_work(preparation),
        settled: &told.settled,
        conflict: told.conflict.as_ref(),
    })
}

/// The plan as it is now: what a person changed since it was last looked at counts as well.
fn plan_work<'a>(plan: &RunSpec, told: &'a PromptContext) -> Option<PlanWork<'a>> {
    let places = plan.job.plan.as_ref()?;
    let found = find_plan(&plan.directory, places).plan;
    let index = found.files().find(|(_, role)| *role == FileRole::Index).map(|(name, _)| name.to_owned());
    let layout = if index.is_some() { PlanLayout::Folder } else { PlanLayout::File };
    let problems = if plan.job.mode.writes_only_plan() && !found.is_missing() {
        found.problems(&spec_names(&plan.directory, places))
    } else {
        Vec::new()
    };
    Some(PlanWork {
        file: index.unwrap_or_else(|| places.file.display().to_string()),
        layout,
        next: found.next_task(),
        problems: problems.iter().map(ToString::to_string).collect(),
        strays: &told.forbidden_changes,
    })
}

/// The document as it is now.
fn phase_work<'a>(plan: &RunSpec, told: &'a PromptContext) -> Option<PhaseWork<'a>> {
    let found = find_phase(&plan.directory, plan.job.phase.as_ref()?);
    let problems = found.problems.iter().filter(|_| found.is_there()).map(ToString::to_string).collect();
    Some(PhaseWork { requirements: found.requirements, problems, strays: &told.forbidden_changes })
}

/// What a reviewer is shown; `None` in other calls.
fn review_work<'a>(preparation: &Preparation<'a>) -> Option<ReviewWork<'a>> {
    let review = preparation.told().review.as_ref()?;
    let said = |outcome: &'a CheckOutcome| {
        let check = preparation.plan.checks.get(usize::from(outcome.check))?;
        Some((check.command.as_str(), outcome))
    };
    let checks = review.checks.iter().filter_map(said).collect();
    Some(ReviewWork { changes: preparation.changes.clone(), checks, criteria: &review.criteria })
}

fn failed_checks<'a>(preparation: &Preparation<'a>) -> Vec<FailedCheck<'a>> {
    let failed = preparation.told().refused.iter().filter(|outcome| !outcome.passed());
    let command = |outcome: &CheckOutcome| preparation.plan.checks.get(usize::from(outcome.check));
    let earlier = |check: &'a Check, outcome: &CheckOutcome| {
        let at = preparation.context.task().map(|at| &at.row.id);
        let showed = check.criterion.as_ref().map(|of| &of.task).filter(|task| at != Some(task));
        let first = preparation.told().baseline.iter().find(|first| first.check == outcome.check);
        match showed {
            Some(task) => Earlier::Showed(task),
            None if first.is_some_and(|first| !first.passed()) => Earlier::Failed,
            None => Earlier::Nothing,
        }
    };
    failed
        .filter_map(|outcome| {
            let tail =
                read_end(&preparation.folder.path().join(&outcome.log), CHECK_TAIL).unwrap_or_default();
            let check = command(outcome)?;
            Some(FailedCheck {
                command: &check.command,
                outcome,
                tail: String::from_utf8_lossy(&tail).into_owned(),
                earlier: earlier(check, outcome),
            })
        })
        .collect()
}

/// The notes; of very long ones the two ends. What cannot be read counts as absent: the agent will write them anew.
fn read_notes(path: &TreePath) -> Option<Vec<u8>> {
    let end = NOTES_USUAL as u64;
    let mut file = path.open().ok()?;
    let length = Attributes::of(&file).ok()?.size;
    if length <= 4 * end {
        let mut bytes = Vec::new();
        file.take(4 * end).read_to_end(&mut bytes).ok()?;
        return Some(bytes);
    }
    let mut bytes = Vec::new();
    (&mut file).take(2 * end).read_to_end(&mut bytes).ok()?;
    file.seek(SeekFrom::End(-i64::try_from(2 * end).ok()?)).ok()?;
    file.take(2 * end).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The last bytes of a plain file of the run's folder.
pub(super) fn read_end(path: &Path, most: u64) -> Option<Vec<u8>> {
    let mut file = open_file(path)?;
    let length = Attributes::of(&file).ok()?.size;
    file.seek(SeekFrom::Start(length.saturating_sub(most))).ok()?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// A plain file, opened; never a pipe, on which a read would hang.
fn open_file(path: &Path) -> Option<File> {
    // outside: the run's folder.
    path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    // outside: the same.
    File::open(path).ok()
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn settings_that_are_there_are_left_alone_and_others_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        let written = || path.metadata().unwrap().modified().unwrap();
        write_where_different(&path, b"one").unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        write_where_different(&path, b"one").unwrap();
        assert_eq!(written(), SystemTime::UNIX_EPOCH);
        write_where_different(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
    }
}
