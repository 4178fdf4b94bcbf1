//! Making a workspace, and completing or adopting one that is there: no file is ever replaced.
//!
//! The metadata are written last. Whatever is cut off before them is completed by doing it again.

use std::os::unix::ffi::OsStrExt;

use jiff::Timestamp;
use windlass_agents::refuses;
use windlass_core::spec::Mode;
use windlass_core::workspace::{
    Beneath, OptionValue, SeedOptions, WorkspaceName, options_text, seed_options,
};

use super::metadata::PERMISSIONS;
use super::{
    CONFIG_FILE, FoundMetadata, METADATA_FILE, Mended, TODO_FILE, WORK_FOLDERS, Workspace, WorkspaceError,
    Workspaces,
};
use crate::store::Project;
use windlass_git::inventory::is_half_written;
use windlass_host::file::Made;
use windlass_host::tree::at;

/// The longest configuration that is compared.
const LONGEST_OPTIONS: usize = 1 << 20;

/// What stands in a new list of items.
const TODO_PLACEHOLDER: &str = "\
# To do

<!-- One box per item; the agent ticks them off. `windlass setup` helps to write this list and INSTRUCTIONS.md. -->
";

/// What a new workspace shall be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Creation {
    /// How it is worked on; `None`: as it is, else [`Mode::Loop`].
    pub mode: Option<Mode>,
    /// Options that were given: keys of the configuration, checked, and their values.
    pub options: Vec<(&'static str, OptionValue)>,
    /// What holds in it where it says nothing itself.
    pub beneath: Beneath,
}

/// What was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Created {
    /// The workspace.
    pub workspace: Workspace,
    /// The folder itself was made anew, or was there.
    pub folder: Made,
    /// Files and folders in it that were made, by name.
    pub made: Vec<&'static str>,
    /// What was in it before, by name, and was kept.
    pub kept: Vec<String>,
    /// Options of claude-iterate that were written to the configuration file: their keys.
    pub adopted: Vec<&'static str>,
    /// What of them has no place here: one sentence each.
    pub left: Vec<String>,
    /// How it is worked on.
    pub mode: Mode,
    /// How it was worked on before, if that is something else.
    pub former_mode: Option<Mode>,
    /// What was broken, where something was.
    pub mended: Option<Mended>,
}

impl Created {
    /// The folder was not there before.
    pub fn is_new(&self) -> bool {
        self.folder == Made::Anew
    }
}

impl Workspaces {
    /// Makes a workspace; where it is there, in whole or in part, what is missing. No file is replaced, but the mode in
    /// the metadata changes when it was given.
    ///
    /// # Errors
    /// Something that is not a workspace is in its place; it has other options already; a file cannot be read or written.
    pub fn create(
        &self,
        name: &WorkspaceName,
        project: &Project,
        creation: &Creation,
    ) -> Result<Created, WorkspaceError> {
        let before = self.look(name)?;
        if let Some(workspace) = &before {
            workspace.refuse_other_options(creation)?;
        }
        let kept = before.as_ref().map(Workspace::entries).transpose()?.unwrap_or_default();
        let (workspace, folder) = self.make(name)?;
        let mut made = Vec::new();
        for folder in WORK_FOLDERS {
            note(&mut made, folder, at(workspace.folder()).join(folder).make_folder()?);
        }
        note(
            &mut made,
            TODO_FILE,
            at(&workspace.todo()).create_new(TODO_PLACEHOLDER.as_bytes(), PERMISSIONS)?,
        );
        let (adopted, left) = workspace.make_options(creation, &mut made)?;
        let had_metadata = kept.iter().any(|name| name == METADATA_FILE);
        let (worked_on, former_mode, mended) = workspace.make_metadata(project, creation.mode, folder)?;
        if !had_metadata {
            made.push(METADATA_FILE);
        }
        at(workspace.folder()).sync_folder()?;
        let mended = mended.filter(|mended| {
            mended.problem.is_some() || folder == Made::WasThere && mended.runs.is_some_and(|runs| runs > 0)
        });
        Ok(Created { workspace, folder, made, kept, adopted, left, mode: worked_on, former_mode, mended })
    }

    fn make(&self, name: &WorkspaceName) -> Result<(Workspace, Made), WorkspaceError> {
        let root = self.root();
        if let Some(above) = root.parent() {
            at(above).make_folder()?;
        }
        at(&root).make_folder()?;
        let made = at(&root).join(name.as_str()).make_folder()?;
        at(&root).sync_folder()?;
        match self.look(name)? {
            Some(workspace) => Ok((workspace, made)),
            None => Err(WorkspaceError::NotFound { name: name.to_string(), nearest: None }),
        }
    }
}

impl Workspace {
    /// What is in its folder, by name.
    fn entries(&self) -> Result<Vec<String>, WorkspaceError> {
        let mut names = Vec::new();
        for entry in at(self.folder()).entries()? {
            // Another windlass that makes the same workspace just now.
            if !is_half_written(entry.name.as_bytes()) {
                names.push(entry.name.to_string_lossy().into_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// A file that a person may have written is never changed here; the same options once more are not trouble.
    fn refuse_other_options(&self, creation: &Creation) -> Result<(), WorkspaceError> {
        let path = self.config();
        let Some(bytes) = at(&path).read(LONGEST_OPTIONS)? else {
            return Ok(());
        };
        let text = String::from_utf8_lossy(&bytes);
        match creation
            .options
            .iter()
            .find(|(key, value)| !windlass_core::workspace::text_says(&text, key, value))
        {
            None => Ok(()),
            Some((key, _)) => Err(WorkspaceError::OtherOptions { name: self.name().to_string(), key, path }),
        }
    }

    /// The keys that were taken over from claude-iterate, and what was not.
    fn make_options(
        &self,
        creation: &Creation,
        made: &mut Vec<&'static str>,
    ) -> Result<(Vec<&'static str>, Vec<String>), WorkspaceError> {
        if at(&self.config()).is_taken() {
            return Ok((Vec::new(), Vec::new()));
        }
        let seed = match self.read_metadata()? {
            FoundMetadata::Read { metadata, .. } => {
                seed_options(metadata.mode, &metadata.other, refuses, &creation.beneath)
            }
            FoundMetadata::Missing | FoundMetadata::Corrupt(_) => SeedOptions::default(),
        };
        let given = |key: &str| creation.options.iter().any(|(given, _)| *given == key);
        let adopted: Vec<_> = seed.options.into_iter().filter(|(key, _)| !given(key)).collect();
        let keys = adopted.iter().map(|(key, _)| *key).collect();
        let all: Vec<_> = creation.options.iter().cloned().chain(adopted).collect();
        note(made, CONFIG_FILE, at(&self.config()).create_new(options_text(&all).as_bytes(), PERMISSIONS)?);
        Ok((keys, seed.left))
    }

    /// The mode, the one before it if that was another one, and what was mended. A folder that was made anew begins a
    /// history of its own: the runs of a deleted workspace of this name are not its runs.
    fn make_metadata(
        &self,
        project: &Project,
        mode: Option<Mode>,
        folder: Made,
    ) -> Result<(Mode, Option<Mode>, Option<Mended>), WorkspaceError> {
        let was_there = matches!(self.read_metadata()?, FoundMetadata::Read { .. });
        let mut former = Mode::Loop;
        let updated = self.update_metadata(project, |metadata| {
            if folder == Made::Anew && metadata.last_run.is_some() {
                metadata.reset(Timestamp::now());
                metadata.last_run = None;
                metadata.created = None;
                metadata.mode = Mode::Loop;
            }
            former = metadata.mode;
            metadata.mode = mode.unwrap_or(former);
            metadata.created = metadata.created.or_else(|| Some(Timestamp::now()));
        })?;
        let now = updated.metadata.mode;
        Ok((now, (was_there && former != now).then_some(former), updated.mended))
    }
}

fn note(made: &mut Vec<&'static str>, name: &'static str, what: Made) {
    if what == Made::Anew {
        made.push(name);
    }
}
