//! Makes a template of a workspace.

use std::path::Path;

use jiff::Timestamp;
use windlass_jobs::doc::template::{TemplateRecord, without_secret};

use super::{Existing, LONGEST_FILE, README, RECORD, Scope, Template, TemplateError, Templates};
use super::{checked, is_there, read_plain, refuse_other};
use crate::workspace::archive::removal::Unfinished;
use crate::workspace::{CONFIG_FILE, INSTRUCTIONS_FILE, Workspace};
use windlass_host::tree::at;

/// Everybody may read a template: it is made to be shared.
const FILE: u32 = 0o644;
const FOLDER: u32 = 0o755;

/// What a person says of a template; what they do not say stays as it is where one is replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// What it is for.
    pub description: Option<String>,
    /// Words to find it by.
    pub tags: Option<Vec<String>>,
    /// Iterations that a job of this kind takes.
    pub estimated_iterations: Option<u64>,
}

/// A template that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// The template.
    pub template: Template,
    /// What is in it, by name.
    pub files: Vec<&'static str>,
    /// One of this name was replaced.
    pub replaced: bool,
    /// `notify.secret` was in the workspace's options, and is not in the template.
    pub left_secret: bool,
}

impl Templates {
    /// Makes a template of a workspace: its instructions, its mode and all its options but `notify.secret`.
    ///
    /// # Errors
    /// There is one of this name; the workspace has no instructions, or options that cannot be read; the system refuses.
    /// What was there before is there still.
    pub fn save(
        &self,
        workspace: &Workspace,
        (name, scope): (&str, Scope),
        details: Details,
        existing: Existing,
        now: Timestamp,
    ) -> Result<Saved, TemplateError> {
        let name = checked(name)?;
        let store = self.store(scope)?;
        let folder = store.join(name);
        let before = is_there(store, scope)? && refuse_other(&folder)?;
        if before && existing == Existing::Refuse {
            return Err(TemplateError::Exists { name: name.to_owned(), scope });
        }
        let template = Template { name: name.to_owned(), scope, folder };
        let Content { files, left_secret } = Content::gather(workspace, &template, details, now)?;
        let store = at(store);
        store.make_folders()?;
        let unfinished = Unfinished::within(&store)?;
        for (name, bytes) in &files {
            unfinished.path().join(name).replace(bytes, FILE)?;
        }
        unfinished.path().set_permissions(FOLDER)?;
        unfinished.path().sync_folder()?;
        let folder = at(&template.folder);
        let in_place =
            if before { unfinished.replace(&folder)? } else { unfinished.put_in_place(&folder)? };
        if !in_place {
            return Err(TemplateError::Exists { name: name.to_owned(), scope });
        }
        let files = files.into_iter().map(|(name, _)| name).collect();
        Ok(Saved { template, files, replaced: before, left_secret })
    }
}

/// What will be in a template.
struct Content {
    files: Vec<(&'static str, Vec<u8>)>,
    left_secret: bool,
}

impl Content {
    fn gather(
        workspace: &Workspace,
        template: &Template,
        details: Details,
        now: Timestamp,
    ) -> Result<Content, TemplateError> {
        let from = |name: &str| read_plain(&workspace.folder().join(name), LONGEST_FILE);
        let Some(instructions) = from(INSTRUCTIONS_FILE)?.filter(|text| !text.trim_ascii().is_empty()) else {
            return Err(TemplateError::NoInstructions { name: workspace.name().to_string() });
        };
        let record = record(workspace, template, details, now)?;
        let mut files = vec![(INSTRUCTIONS_FILE, instructions), (RECORD, record.to_text().into_bytes())];
        let mut left_secret = false;
        if let Some(config) = from(CONFIG_FILE)? {
            let (config, had_secret) = options(config, &workspace.config())?;
            left_secret = had_secret;
            files.push((CONFIG_FILE, config));
        }
        // What a person wrote about the template goes on with it.
        if let Some(readme) =
            from(README)?.map_or_else(|| template.file(README), |readme| Ok(Some(readme)))?
        {
            files.push((README, readme));
        }
        Ok(Content { files, left_secret })
    }
}

fn options(config: Vec<u8>, path: &Path) -> Result<(Vec<u8>, bool), TemplateError> {
    let unusable = |why: String| TemplateError::Unusable { path: path.to_owned(), why };
    let text = String::from_utf8(config).map_err(|_| unusable("it is not UTF-8 text".to_owned()))?;
    let (text, had_secret) = without_secret(&text).map_err(unusable)?;
    Ok((text.into_bytes(), had_secret))
}

fn record(
    workspace: &Workspace,
    template: &Template,
    details: Details,
    now: Timestamp,
) -> Result<TemplateRecord, TemplateError> {
    let mode = workspace.read_metadata()?.mode();
    // A record that cannot be read is replaced with the rest of its template.
    let before = template.record().map(|(record, _)| record).unwrap_or_default();
    let mut other = before.other;
    // The options are in the configuration.
    other.remove("maxIterations");
    other.remove("delay");
    Ok(TemplateRecord {
        name: template.name.clone(),
        description: details.description.or(before.description),
        tags: details.tags.unwrap_or(before.tags),
        estimated_iterations: details.estimated_iterations.or(before.estimated_iterations),
        created: before.created.or(Some(now)),
        mode,
        other,
    })
}
