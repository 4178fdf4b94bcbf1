//! Makes a workspace of a template.

use std::path::{Path, PathBuf};

use windlass_agents::refuses;
use windlass_core::spec::Mode;
use windlass_core::workspace::{Beneath, WorkspaceName, options_text, seed_options};

use super::{Existing, LONGEST_FILE, Scope, ShownTemplate, Template, TemplateError, read_plain};
use crate::store::Project;
use crate::workspace::create::Creation;
use crate::workspace::{CONFIG_FILE, INSTRUCTIONS_FILE, Workspace, Workspaces};
use windlass_host::file::Made;
use windlass_host::tree::at;

/// Files of a workspace: as those that are made otherwise.
const FILE: u32 = 0o644;

/// A copy of what is gone meanwhile.
const PRIVATE: u32 = 0o600;

/// Copies of one file that are kept.
const MOST_COPIES: u32 = 1000;

/// A workspace that was made of a template, or got its files.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// Where the template is kept.
    pub scope: Scope,
    /// The workspace.
    pub workspace: Workspace,
    /// It was there before.
    pub was_there: bool,
    /// How it is worked on.
    pub mode: Mode,
    /// It has options of the template.
    pub has_options: bool,
    /// Files that were replaced, each with the copy that was kept.
    pub kept: Vec<(&'static str, PathBuf)>,
    /// One sentence for each thing of the template that is left out.
    pub left: Vec<String>,
}

impl Template {
    /// Makes a workspace of it. What a workspace of this name has already stays; where files would be replaced, nothing is
    /// done unless that is asked for, and then a copy of each is kept. `beneath` is what holds where it says nothing itself.
    ///
    /// # Errors
    /// Files would be replaced; a run works on the workspace; a file cannot be read or written.
    pub fn apply(
        &self,
        workspaces: &Workspaces,
        project: &Project,
        (name, beneath): (&WorkspaceName, &Beneath),
        existing: Existing,
    ) -> Result<Applied, TemplateError> {
        let shown = self.show()?;
        let (config, mut left) = options(&shown, beneath);
        left.splice(0..0, shown.left);
        let wanted: Vec<(&'static str, Vec<u8>)> = config
            .map(|config| (CONFIG_FILE, config.into_bytes()))
            .into_iter()
            .chain([(INSTRUCTIONS_FILE, shown.instructions)])
            .collect();
        let before = workspaces.look(name)?;
        if let Some(workspace) = &before {
            workspace.refuse_live(project)?;
        }
        let in_the_way =
            before.as_ref().map(|workspace| in_the_way(workspace, &wanted)).transpose()?.unwrap_or_default();
        if existing == Existing::Refuse && !in_the_way.is_empty() {
            let (workspace, template) = (name.to_string(), self.name.clone());
            let files = in_the_way.iter().map(|(name, _)| *name).collect();
            return Err(TemplateError::WouldReplace { workspace, template, files });
        }
        let creation = Creation { mode: shown.record.mode, ..Creation::default() };
        let created = workspaces.create(name, project, &creation)?;
        let mut kept = Vec::new();
        for (file, bytes) in in_the_way {
            kept.push((file, keep(created.workspace.folder(), file, &bytes)?));
        }
        // The instructions last: without them the workspace is visibly not finished.
        for (file, bytes) in &wanted {
            at(created.workspace.folder()).join(file).replace(bytes, FILE)?;
        }
        Ok(Applied {
            scope: self.scope,
            workspace: created.workspace,
            was_there: before.is_some(),
            mode: created.mode,
            has_options: wanted.iter().any(|(file, _)| *file == CONFIG_FILE),
            kept,
            left,
        })
    }
}

/// The text of the configuration that goes with a template, and what is left out; claude-iterate kept a few options in the
/// record.
fn options(shown: &ShownTemplate, beneath: &Beneath) -> (Option<String>, Vec<String>) {
    if shown.config.is_some() {
        return (shown.config.clone(), Vec::new());
    }
    let seed = seed_options(shown.record.mode.unwrap_or(Mode::Loop), &shown.record.other, refuses, beneath);
    let text = (!seed.options.is_empty()).then(|| options_text(&seed.options));
    (text, seed.left)
}

/// The files that would be replaced by something else, with their bytes.
fn in_the_way(
    workspace: &Workspace,
    wanted: &[(&'static str, Vec<u8>)],
) -> Result<Vec<(&'static str, Vec<u8>)>, TemplateError> {
    let nothing = options_text(&[]).into_bytes();
    let mut there = Vec::new();
    for (name, bytes) in wanted {
        let Some(found) = read_plain(&workspace.folder().join(name), LONGEST_FILE)? else {
            continue;
        };
        // Neither what says nothing nor what says the same is lost.
        if !found.trim_ascii().is_empty() && found != nothing && found != *bytes {
            there.push((*name, found));
        }
    }
    Ok(there)
}

fn keep(folder: &Path, file: &str, bytes: &[u8]) -> Result<PathBuf, TemplateError> {
    let copy = |number: u32| folder.join(format!("{file}.replaced-{number}"));
    // Who may not read the file may not read its copy.
    let place = at(&folder.join(file));
    let found = place.look().map_err(|error| place.failed("read", error))?;
    let permissions = found.map_or(PRIVATE, |found| found.mode & 0o777);
    for number in 1..MOST_COPIES {
        if at(&copy(number)).create_new(bytes, permissions)? == Made::Anew {
            return Ok(copy(number));
        }
    }
    Err(TemplateError::Unusable { path: copy(MOST_COPIES), why: "there are too many copies".to_owned() })
}
