//! The project's own folder, and what plans begin with.

use std::path::{Path, PathBuf};

use windlass_core::config::{Resolved, commented_file};
use windlass_core::project::{Offer, offers, scaffold as texts, types};
use windlass_core::spec::Mode;
use windlass_core::values::{HookName, Named};
use windlass_engine::scaffold;
use windlass_engine::workspace::PROJECT_FOLDER;
use windlass_host::file::Made;
use windlass_host::tree;

use super::RepositoryWanted;
use crate::app::App;
use crate::configuration::Configuration;
use crate::error::AppError;
use crate::workspaces::guard::{self, Guard};

/// A project's folder that is to be made.
#[derive(Clone, Copy, Debug)]
pub struct InitProject {
    /// What plans begin with, as well.
    pub plan: bool,
    /// Workspaces are to be kept out of commits.
    pub guard: bool,
    /// What is to be done about its repository.
    pub repository: RepositoryWanted,
}

/// A project's folder that was made, or completed.
#[derive(Clone, Debug)]
pub struct InitedProject {
    /// The folder.
    pub folder: PathBuf,
    /// What was made.
    pub made: Vec<String>,
    /// What was there, and stays as it is.
    pub kept: Vec<String>,
    /// What became of the guard.
    pub guard: Option<Guard>,
    /// The lines that were added to `.gitignore`, where that was asked for.
    pub ignored: Option<Vec<String>>,
    /// The lines that would be, where it was not.
    pub unignored: Vec<&'static str>,
    /// What became of the repository: a sentence.
    pub begun: Option<String>,
    /// What kinds of project it is.
    pub types: Vec<&'static str>,
    /// Commands that it can be checked with; none where gates are chosen already.
    pub checks: Vec<&'static str>,
    /// What comes next.
    pub next: NextStep,
}

/// What comes after a project's folder was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// A workspace is made.
    Workspace,
    /// Specifications are written into this folder.
    Specifications(PathBuf),
    /// A plan is written.
    Plan,
    /// The plan that is there is worked off.
    Build,
}

impl App {
    /// Makes the project's folder, and what plans begin with; what is there is never replaced.
    ///
    /// # Errors
    /// Something else is in the way, or the configuration is wrong.
    pub fn init_project(&self, request: &InitProject) -> Result<InitedProject, AppError> {
        let (project, ignored) = request.repository.begin(self)?;
        let root = project.workspaces.project();
        let clues = scaffold::clues(root);
        let offered = offers(&clues);
        // Asked first, so that nothing is made where it has to be refused.
        let planned = request.plan.then(|| resolved(root)).transpose()?;
        let guard = request.guard.then(|| guard::install(&project.here)).transpose()?;
        let mut checks: Vec<&str> = offered.iter().map(|offer| offer.command).collect();
        let ours = project.workspaces.make_project(&commented_file(&checks)?)?;
        let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let (mut made, mut kept): (Vec<String>, Vec<String>) = (named(&ours.made), named(&ours.kept));
        if let Some(resolved) = &planned {
            for (path, was) in scaffold::make(root, files(resolved, &offered)).map_err(AppError::system)? {
                let list = if was == Made::Anew { &mut made } else { &mut kept };
                list.push(path.display().to_string());
            }
        }
        // With all that was made above in it.
        let begun = request.repository.commit(root)?;
        let in_git = tree::at(root).join(".git").is_taken();
        let unignored = if ignored.is_none() && in_git { super::missing(root) } else { Vec::new() };
        if resolved(root).is_ok_and(|resolved| !resolved.checks.is_empty()) {
            checks.clear();
        }
        let types = types(clues.files.iter().map(String::as_str)).into_iter().map(Into::into).collect();
        let next = planned.map_or(NextStep::Workspace, |planned| next(planned, root));
        let folder = root.join(PROJECT_FOLDER);
        Ok(InitedProject { folder, made, kept, guard, ignored, unignored, begun, types, checks, next })
    }
}

/// The configuration of a project, limits not looked at.
pub(super) fn resolved(root: &Path) -> Result<Resolved, AppError> {
    Ok(Configuration::read(root, None, Mode::Build)?.resolved)
}

/// What plans begin with. A plan is not among it: `windlass plan` writes it, and an empty one cannot be worked off.
fn files(resolved: &Resolved, offered: &[Offer]) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    if let Some(specs) = &resolved.plan.specs {
        files.push((specs.join("README.md"), texts::specs_readme(&resolved.plan.file)));
    }
    if let Some(agents) = &resolved.agents_file {
        files.push((agents.clone(), texts::agents_file(offered)));
    }
    for hook in [HookName::Started, HookName::NextIteration, HookName::Finished] {
        let path = Path::new(PROJECT_FOLDER).join("hooks").join(format!("{}.sample", hook.name()));
        files.push((path, texts::sample_hook(hook)));
    }
    files
}

fn next(planned: Resolved, root: &Path) -> NextStep {
    let folder = planned.plan.folder.map(|folder| folder.join("README.md"));
    let mut plans = folder.iter().chain([&planned.plan.file]);
    if plans.any(|plan| tree::at(root).join(plan).is_taken()) {
        return NextStep::Build;
    }
    planned.plan.specs.map_or(NextStep::Plan, NextStep::Specifications)
}
