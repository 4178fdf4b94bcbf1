//! Before anything is read, and any git is called, where a runner was killed beside its guests: what steers Windlass, agents and
//! git is put back.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde::de::IgnoredAny;
use windlass_core::fact::plan_of;
use windlass_core::spec::RunSpec;

use super::loan::{said, strictness};
use crate::sandbox;
use crate::store::lock::{Holder, holders};
use crate::store::{Project, RunFolder, journal, noted};
use windlass_git::git::{Manner, SteeringError, put_back_from, take_folders_as_they_are};
use windlass_host::file::FileError;
use windlass_host::process::leftovers;

/// What a killed run started may still be at work for so long, and write.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often it is looked whether it still is.
const PAUSE: Duration = Duration::from_millis(50);

/// Puts back what steers Windlass, agents and git where a directory (canonical) belongs to, for every run there whose runner was killed; whichever
/// state folder's project it is known as, since a guest may have written what says that. Says what was put back.
///
/// # Errors
/// The git directory is another one: no git must be called. Or something cannot be put back.
pub fn put_back_after_kills(state_root: &Path, directory: &Path) -> Result<Vec<String>, SteeringError> {
    let mut sentences = Vec::new();
    for project in Project::all(state_root).unwrap_or_default() {
        for folder in undriven(&project, Holder::is_alive) {
            sentences.extend(put_back_beside_guest(&folder, directory));
            sentences.extend(put_back_after_kill(&folder, directory)?);
            noted::forget_without_notes(&folder);
        }
    }
    Ok(sentences)
}

/// Whoever has put back the repository of a working tree (canonical) has made its git directory the one that it is to be, for every
/// run there that nobody else drives; what steers git in it is still put back.
pub fn take_repository_as_it_is(state_root: &Path, top: &Path) -> Result<(), FileError> {
    for project in Project::all(state_root).unwrap_or_default() {
        for folder in undriven(&project, is_another) {
            take_folders_as_they_are(&folder.steering(), top)?;
        }
    }
    Ok(())
}

/// What steers Windlass and agents, beside one run that nobody drives. Where something of it may still be at work it is put back
/// once more before a run begins ([`put_back_before_a_run`]).
fn put_back_beside_guest(folder: &RunFolder, directory: &Path) -> Vec<String> {
    let put_back = || sandbox::put_back_beside(folder.path(), directory);
    let Some(mut sentences) = put_back() else { return Vec::new() };
    let is_alone = is_alone_soon(folder);
    sentences.extend(put_back().unwrap_or_default());
    // Containers are ended when a run begins.
    if is_alone && plan(folder).is_some_and(|plan| !plan.sandbox.kind.is_container()) {
        sandbox::forget_guest(folder.path());
    }
    of_killed(folder, sentences)
}

/// What is left to be put back once this process has the directory and has ended whatever a killed run had left in it. Says what
/// that was: what was read before may have been a guest's.
pub fn put_back_before_a_run(project: &Project, directory: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for folder in undriven(project, is_another) {
        if let Some(sentences) = sandbox::put_back_beside(folder.path(), directory) {
            sandbox::forget_guest(folder.path());
            all.extend(of_killed(&folder, sentences));
        }
    }
    all
}

/// The runs that may have left a note and that nobody drives who holds a directory.
fn undriven(project: &Project, drives: impl Fn(&Holder) -> bool) -> Vec<RunFolder> {
    let runs = noted::all(project).unwrap_or_default();
    let mut left: Vec<RunFolder> = runs.iter().map(|run| RunFolder::of(project, run)).collect();
    if !left.is_empty() {
        let holders = holders(project).unwrap_or_default();
        left.retain(|folder| !holders.iter().any(|holder| holder.run == *folder.run() && drives(holder)));
    }
    left
}

/// Is it somebody else than this process?
fn is_another(holder: &Holder) -> bool {
    holder.is_alive() && (holder.is_out_of_sight() || holder.pid != std::process::id())
}

fn of_killed(folder: &RunFolder, sentences: impl IntoIterator<Item = String>) -> Vec<String> {
    let beside = |sentence| format!("beside run {}, which was killed, {sentence}", folder.run());
    sentences.into_iter().map(beside).collect()
}

/// Is nothing of a killed run at work, or will be soon?
fn is_alone_soon(folder: &RunFolder) -> bool {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if leftovers::find(folder.run()).is_empty() {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        sleep(PAUSE);
    }
}

/// The same for one run, which nobody drives, and what steers git.
pub fn put_back_after_kill(folder: &RunFolder, directory: &Path) -> Result<Option<String>, SteeringError> {
    let Some(strictness) = plan(folder).and_then(|plan| strictness(&plan.sandbox.kind)) else {
        return Ok(None);
    };
    // To ask when it was last heard of is to look into the folders of all its calls.
    if folder.steering().read::<IgnoredAny>()?.is_none() {
        return Ok(None);
    }
    let aside = folder.put_aside();
    let persons_since = Some(folder.last_heard() + PATIENCE);
    let manner = Manner { aside: &aside, persons_since };
    let put_back = || put_back_from(&folder.steering(), directory, strictness, manner);
    let Some(mut changed) = put_back()? else { return Ok(None) };
    let is_alone = is_alone_soon(folder);
    changed.extend(put_back()?.unwrap_or_default());
    if is_alone {
        folder.forget_steering();
    }
    changed.sort();
    changed.dedup();
    Ok(of_killed(folder, said(&changed)).pop())
}

fn plan(folder: &RunFolder) -> Option<Box<RunSpec>> {
    plan_of(journal::read(&folder.journal()).ok()?)
}
