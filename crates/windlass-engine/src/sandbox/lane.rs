//! A lane's own sandbox: the run's, around the lane's clone instead of the project.

use std::path::{Path, PathBuf};

use windlass_core::spec::SandboxSpec;
use windlass_core::values::LaneId;

use super::{SandboxError, SandboxRoom};

/// Where the guests of a lane work. Paths are absolute, and canonical where they exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The lane.
    pub lane: LaneId,
    /// Its clone's working tree, which its guests may write.
    pub tree: PathBuf,
    /// Where commands run, in that tree.
    pub directory: PathBuf,
    /// Folders of objects that the clone borrows: they can be read.
    pub borrowed: Vec<PathBuf>,
}

impl Site {
    /// The run's room, with the lane's clone in the place of the project. The clone's `.git` is a folder of its tree, and
    /// its guests' own: nobody outside reads it.
    pub(super) fn room(&self, run: &SandboxRoom) -> SandboxRoom {
        SandboxRoom {
            directory: self.directory.clone(),
            tree: self.tree.clone(),
            git_directories: Vec::new(),
            loan: None,
            files: run.files.iter().chain(&self.borrowed).cloned().collect(),
            closed: project(run),
            scratch: run.scratch.join(format!("lane-{}", self.lane)),
            ..run.clone()
        }
    }

    /// The run's plan for this lane: what is hidden in the project is hidden in the clone as well, and what may be
    /// written in the project may not, since the clone has that itself.
    pub(super) fn plan(&self, plan: &SandboxSpec, run: &SandboxRoom) -> SandboxSpec {
        let here = |path: &PathBuf| path.strip_prefix(&run.tree).ok().map(|below| self.tree.join(below));
        let hidden = plan.hidden.iter().cloned().chain(plan.hidden.iter().filter_map(here)).collect();
        let writable = outside(plan, run).cloned().collect();
        SandboxSpec { hidden, writable, ..plan.clone() }
    }
}

/// What belongs to the project that lanes are clones of.
fn project(run: &SandboxRoom) -> Vec<PathBuf> {
    let found = [&run.tree, &run.directory].into_iter().chain(&run.git_directories);
    found.cloned().collect()
}

/// What may be written and is not the project's own.
fn outside<'a>(plan: &'a SandboxSpec, run: &'a SandboxRoom) -> impl Iterator<Item = &'a PathBuf> {
    let project = project(run);
    plan.writable.iter().filter(move |path| {
        // outside: only where it leads is asked.
        let canonical = path.canonicalize().unwrap_or_else(|_| (*path).clone());
        !project.iter().any(|own| canonical.starts_with(own))
    })
}

/// Rules that only ever add cannot close the project again where something around it may be written.
pub(super) fn refuse_open_project(plan: &SandboxSpec, run: &SandboxRoom) -> Result<(), SandboxError> {
    let holds = |path: &&PathBuf| {
        // outside: only where it leads is asked.
        let canonical = path.canonicalize().unwrap_or_else(|_| (*path).clone());
        project(run).iter().any(|own| own.starts_with(&canonical))
    };
    let Some(path) = outside(plan, run).find(holds) else { return Ok(()) };
    Err(refused(path, &run.tree))
}

fn refused(path: &Path, tree: &Path) -> SandboxError {
    SandboxError::Refused {
        why: format!(
            "sandbox.writable opens {}, and with it {}: `landlock` cannot keep the agents of lanes out of there",
            path.display(),
            tree.display()
        ),
        hint: "Name the folders in it that are needed, use --sandbox bwrap, or run without -j.".to_owned(),
    }
}

#[cfg(test)]
mod tests;
