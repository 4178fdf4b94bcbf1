//! What the runner does with orphans that fell to it because a keeper died.

use std::time::{Duration, Instant};

use rustix::process::WaitOptions;

use super::tree::{Families, Process, kill_with_descendants};
use super::{ProcessError, started};

/// How long [`adopt_and_kill`] tries.
const PATIENCE: Duration = Duration::from_secs(2);

/// Makes this process a subreaper: orphans below it fall to it and not to init.
///
/// Call it once, before the first keeper is started.
pub fn become_subreaper() -> Result<(), ProcessError> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(ProcessError::system("adopt orphaned processes"))
}

/// Has the kernel end this process (SIGTERM) when its parent ends: the thread of the parent that started it, to be exact.
///
/// # Errors
/// The system refuses it.
pub fn end_with_parent() -> Result<(), ProcessError> {
    let parent = rustix::process::getppid();
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))
        .map_err(ProcessError::system("end with the process that started this one"))?;
    // It may have ended before that counted.
    if rustix::process::getppid() != parent {
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM)
            .map_err(ProcessError::system("end with the process that started this one"))?;
    }
    Ok(())
}

/// Kills and reaps every child of this process that it did not start itself, and everything below those. Living
/// keepers and running [`Command`](super::Command)s, and what is below them, are left alone.
///
/// Returns the ids of those that could not be killed within 2 s (another user's, or stuck in the kernel).
pub fn adopt_and_kill() -> Vec<i32> {
    let deadline = Instant::now() + PATIENCE;
    let mut pause = Duration::from_millis(1);
    loop {
        let families = Families::look();
        let roots = adopted(&families);
        if roots.is_empty() {
            return Vec::new();
        }
        if Instant::now() >= deadline {
            let left = families.with_descendants(roots, |_| {}).into_iter().filter(|stray| !stray.is_dead());
            return left.map(|stray| stray.id.as_raw_nonzero().get()).collect();
        }
        kill_with_descendants(&families, roots.clone(), is_ours);
        reap(&roots);
        // There is no event to wait for: the death of a stranger's child is told to the stranger.
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Reaps orphans that fell to this process and have ended by themselves (a background process that some command left
/// behind), so that they do not pile up. Cheap; kills nothing.
pub fn reap_adopted() {
    reap(&adopted(&Families::look()));
}

/// Our own process group, or that of a child which we started: a stray may have come out of it while it is still at
/// work.
fn is_ours(group: i32) -> bool {
    group == rustix::process::getpgrp().as_raw_nonzero().get()
        || started::lock().contains(&group.unsigned_abs())
}

/// Children that this process did not start.
fn adopted(families: &Families) -> Vec<Process> {
    let own = started::lock();
    let mut children = families.children(rustix::process::getpid());
    children.retain(|child| !own.contains(&child.id.as_raw_nonzero().get().unsigned_abs()));
    children
}

/// Each by its own number: another's exit status is not ours to take.
fn reap(children: &[Process]) {
    for child in children {
        let _ = rustix::process::waitpid(Some(child.id), WaitOptions::NOHANG);
    }
}
