//! Reading what the job's own file says.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_core::spec::{Job, JobPlan, JobWorkspace, RunSpec};
use windlass_core::values::{Evidence, JobStatus, LaneId};
use windlass_jobs::doc::status;
use windlass_jobs::doc::status::{LONGEST_STATUS, StatusFile};

use super::event::{Event, Events};
use crate::pipeline;
use crate::plan;
use crate::watch::FileWatch;
use crate::workspace::{METADATA_FILE, STATUS_FILE, TODO_FILE, WORK_FOLDERS, log};
use windlass_git::inventory::{Inventory, Place, entries_within};
use windlass_host::file::digest;
use windlass_host::tree::at;

/// Changes of a plan are gathered for so long before they are told.
const PLAN_DEBOUNCE: Duration = Duration::from_secs(2);

/// What the job's own file says now; `None` where the mode reads none. Never fails: what cannot be read is named in it.
pub(super) fn read(run: &RunSpec) -> Option<JobStatus> {
    if run.job.mode.has_tasks() {
        // What is claimed of a task is read where it is known which task is meant.
        return super::tasks::standing(run, None);
    }
    if let Some(phase) = &run.job.phase {
        return Some(pipeline::standing(&run.directory, phase));
    }
    if let Some(places) = plan_of(&run.job) {
        return plan::standing(&run.directory, places, run.job.mode);
    }
    let workspace = run.job.workspace.as_ref().filter(|_| run.job.mode.reads_file())?;
    let status = beginning(&workspace.folder.join(STATUS_FILE));
    let todo = workspace.todo_fallback.then(|| beginning(&workspace.folder.join(TODO_FILE))).flatten();
    Some(status::standing(as_file(status.as_ref()), as_file(todo.as_ref())))
}

/// Watches what [`read`] reads, for as long as the result lives: what it says is told whenever it changes. A file that
/// cannot be read is probably being written; the next change tells it, or the end of the call. `None` where nothing is to
/// be watched.
pub(super) fn watch(run: &RunSpec, lane: LaneId, events: Events) -> io::Result<Option<FileWatch>> {
    let Some((files, debounce)) = watched(run) else {
        return Ok(None);
    };
    let run = run.clone();
    let tell = move || {
        if let Some(standing) = read(&run).filter(|standing| !standing.is_unreadable()) {
            events.tell(Event::StatusSeen(lane, standing));
        }
    };
    FileWatch::start(files, debounce, tell).map(Some)
}

/// Which files are watched, and how long their changes are gathered.
fn watched(run: &RunSpec) -> Option<(Vec<PathBuf>, Duration)> {
    if let Some(phase) = &run.job.phase {
        return Some((vec![run.directory.join(phase.document())], PLAN_DEBOUNCE));
    }
    if let Some(places) = plan_of(&run.job) {
        return Some((plan::watched(&run.directory, places), PLAN_DEBOUNCE));
    }
    let workspace = run.job.workspace.as_ref().filter(|_| run.job.mode.reads_file())?;
    let todo = workspace.todo_fallback.then(|| workspace.folder.join(TODO_FILE));
    let files = std::iter::once(workspace.folder.join(STATUS_FILE)).chain(todo).collect();
    Some((files, workspace.watch?.debounce))
}

/// Where the plan lies, in a mode that reads one.
fn plan_of(job: &Job) -> Option<&JobPlan> {
    job.plan.as_ref().filter(|_| job.mode.has_plan())
}

fn as_file(read: Option<&(Vec<u8>, String)>) -> Option<StatusFile<'_>> {
    read.map(|(bytes, mark)| StatusFile { bytes, mark })
}

/// A file's content, or so much of it that it is seen to be too long, with its mark. A folder, a pipe or a link that
/// leads nowhere in its place is not a file; one that may not be read is empty.
fn beginning(path: &Path) -> Option<(Vec<u8>, String)> {
    let path = at(path);
    if !path.holds_file() {
        return None;
    }
    let bytes = path.read_beginning(LONGEST_STATUS).ok().flatten().unwrap_or_default();
    let mark = digest(&bytes).chars().take(16).collect();
    Some((bytes, mark))
}

/// What the job's own files say of the work: part of the evidence, whether git looks at them or not. When a status file
/// was written says nothing.
pub(super) fn add_work(evidence: &mut Evidence, run: &RunSpec, inventory: &Inventory, place: &Place) {
    let job = &run.job;
    if let Some(phase) = &job.phase {
        evidence.work = Some(pipeline::document_mark(&run.directory, phase));
        return;
    }
    if let Some(places) = plan_of(job) {
        evidence.work = Some(plan::mark(&run.directory, places));
        return;
    }
    let Some(workspace) = job.workspace.as_ref().filter(|_| job.mode.reads_file()) else {
        return;
    };
    let mut listing = Vec::new();
    for name in [STATUS_FILE, TODO_FILE] {
        let bytes = beginning(&workspace.folder.join(name)).map(|(bytes, _)| bytes).unwrap_or_default();
        let said = if name == STATUS_FILE { status::payload(&bytes) } else { bytes };
        listing.extend_from_slice(digest(&said).as_bytes());
    }
    for folder in work_folders(workspace, place) {
        for entry in entries_within(inventory, &folder) {
            listing.extend_from_slice(entry.content.as_bytes());
            listing.extend_from_slice(&entry.path);
            listing.push(0);
        }
    }
    evidence.work = Some(digest(&listing));
}

/// Is this file bookkeeping of the job's workspace: claim, history, logs? That it changed is not work.
pub(super) fn is_bookkeeping(path: &[u8], job: &Job, place: &Place) -> bool {
    let folder = job.workspace.as_ref().and_then(|workspace| place.relative(&workspace.folder));
    let within = folder.as_deref().and_then(|folder| path.strip_prefix(folder)?.strip_prefix(b"/"));
    let name = within.and_then(|name| std::str::from_utf8(name).ok());
    name.is_some_and(|name| matches!(name, STATUS_FILE | METADATA_FILE) || log::age(name).is_some())
}

/// Is this file something that an agent of the job's workspace makes there, and no bookkeeping?
pub(super) fn is_workspaces_work(path: &[u8], job: &Job, place: &Place) -> bool {
    let folders = job.workspace.iter().flat_map(|workspace| work_folders(workspace, place));
    let mut within = folders.filter_map(|folder| path.strip_prefix(folder.as_slice()));
    within.any(|rest| rest.starts_with(b"/"))
}

fn work_folders(workspace: &JobWorkspace, place: &Place) -> Vec<Vec<u8>> {
    let folders = WORK_FOLDERS.iter().map(|name| workspace.folder.join(name));
    folders.filter_map(|folder| place.relative(&folder)).collect()
}
