//! The tasks as an attempt began with them, by its snapshot: for a session that did not see that beginning.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use windlass_core::run::TurnKey;
use windlass_core::values::TaskId;
use windlass_jobs::doc::tasks::sources::{form_of, form_of_folder};
use windlass_jobs::doc::tasks::{self as doc, TaskFile, TaskList};

use super::lost_tasks::followed;
use super::since_heard::SinceHeard;
use super::tasks;
use super::work::WorkError;
use super::working_tree::WorkingTree;
use crate::tasks::read::own_words;
use crate::written::{self, Written};
use windlass_git::inventory::{Place, as_path};
use windlass_git::snapshot::Side;

/// What of a file of tasks is a person's, since an agent was last heard of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Since {
    /// Nothing.
    Nothing,
    /// That these tasks are as they are.
    Tasks(BTreeSet<TaskId>),
    /// All, as far as anybody can tell.
    All,
}

/// Looks for it. `file` is absolute.
pub(super) fn since(
    log: &[Written],
    heard: &SinceHeard<'_>,
    place: &Place,
    file: &Path,
) -> Result<Since, WorkError> {
    let now = place.relative(file).and_then(|path| place.content_now(&path));
    let said = now.and_then(|(_, content)| written::tasks_said(log, file, &content.to_string()));
    Ok(match said {
        Some(tasks) => Since::Tasks(tasks),
        None if heard.is_a_persons(file)? => Since::All,
        None => Since::Nothing,
    })
}

/// What of each file of tasks is a person's.
pub(super) fn persons(world: &WorkingTree, turn: TurnKey) -> Result<BTreeMap<String, Since>, WorkError> {
    let (plan, log) = (&world.plan, written::read(world.folder.project()));
    let heard = SinceHeard::of(world, turn)?;
    let list = tasks::read(plan).unwrap_or_default();
    let place = world.surveyor.place();
    let of = |name: &str| Ok((name.to_owned(), since(&log, &heard, place, &plan.directory.join(name))?));
    list.files().map(of).collect()
}

impl WorkingTree {
    /// What a person has said of tasks since the attempt, where this session did not see it begin. Before anything is put right. Gives
    /// whether all that is there of them is a person's.
    pub(super) fn hear_of_tasks(&mut self, turn: TurnKey) -> Result<bool, WorkError> {
        if self.began == Some(turn) || tasks::of(&self.plan).is_none() {
            return Ok(false);
        }
        let (heard, persons) = (SinceHeard::of(self, turn)?, persons(self, turn)?);
        let list = tasks::read(&self.plan).unwrap_or_default();
        let mut vouched = BTreeSet::new();
        for (file, since) in &persons {
            match since {
                Since::Tasks(tasks) => vouched.extend(tasks.iter().cloned()),
                // Whoever commits a file stands by what it says.
                Since::All if heard.is_committed(&self.plan.directory.join(file))? => {
                    let of_file = list.tasks().iter().filter(|task| *task.file == **file);
                    vouched.extend(of_file.map(|task| task.row.id.clone()));
                }
                Since::All | Since::Nothing => {}
            }
        }
        self.vouched = vouched;
        Ok(!persons.is_empty() && persons.values().all(|since| *since == Since::All))
    }

    /// The files of tasks that the attempt alone may have changed: what somebody wrote after its agent could have is theirs. `None`
    /// where the run does not go by what it read, or nothing is kept.
    pub(super) fn tasks_before(&self, turn: TurnKey) -> Result<Option<Arc<TaskList>>, WorkError> {
        let plan = &self.plan;
        let (Some(places), Some(store), false) = (tasks::of(plan), &self.snapshots, plan.keeps_to_own_task())
        else {
            return Ok(None);
        };
        let place = self.surveyor.place();
        let (Some(before), Some(at)) = (self.kept(turn, Side::Before)?, place.relative(&places.file)) else {
            return Ok(None);
        };
        let Some(real) = followed(store, &before, &at)? else { return Ok(None) };
        let heard = SinceHeard::of(self, turn)?;
        let log = written::read(self.folder.project());
        let own = own_words(&plan.directory, &places.file, form_of_folder());
        let mut files = Vec::new();
        for file in before.files.iter().filter(|file| as_path(&file.path).starts_with(as_path(&real))) {
            let inner = as_path(&file.path).strip_prefix(as_path(&real)).unwrap_or(Path::new(""));
            let (named, within) = match inner.file_name() {
                None => (places.file.clone(), doc::Place::Alone),
                Some(_) => (places.file.join(inner), doc::Place::InFolder),
            };
            let Some(leads_to) = followed(store, &before, &file.path)? else { continue };
            let Some(found) = before.file(&leads_to) else { continue };
            if since(&log, &heard, place, &plan.directory.join(&named))? == Since::All {
                continue;
            }
            let content = store.content(&found.content)?;
            let own_name = named.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Some(form) = form_of(&own_name, within, &content) else { continue };
            let Some(role) = form.role(&own_name, within) else { continue };
            let file = TaskFile::alone(&named.display().to_string(), form, Ok(content));
            files.push(TaskFile { role, own: own.clone().unwrap_or_else(|| file.own.clone()), ..file });
        }
        Ok((!files.is_empty()).then(|| Arc::new(TaskList::parse(files))))
    }
}
