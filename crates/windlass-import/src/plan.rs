//! What an import will do, before anything is done: whoever only looks is told the same as whoever takes.

use std::fs;
use std::path::{Path, PathBuf};

use windlass_core::config::{FileKind, Layer};
use windlass_core::workspace::{Beneath, WorkspaceName};
use windlass_engine::config_file;
use windlass_engine::store::Project;
use windlass_engine::workspace::create::Creation;
use windlass_engine::workspace::{CONFIG_FILE, Workspaces};
use windlass_host::file::{FileError, make_folder};

use super::Item;
use super::claude_iterate::template_options;
use super::configuration::{NewFile, Options, settle};
use super::copy::{copy_file, copy_folder};

/// An item, and what has to be done for it.
#[derive(Debug)]
pub struct Planned {
    pub(super) item: Item,
    pub(super) work: Work,
}

/// What has to be done to take an item from where it is to where it goes.
#[derive(Debug)]
pub(super) enum Work {
    /// Nothing: it is left, or it is used where it is.
    Nothing,
    /// Nothing, though it should be a configuration: it cannot be read as it is.
    Unread,
    /// Its options go to a file, with those of other tools.
    Configuration(Options),
    /// A file is copied.
    File,
    /// A folder is copied.
    Folder,
    /// A folder is copied, and what it says of limits becomes a file in it.
    Template,
    /// A folder is copied and completed; with what its configuration will say.
    Workspace(WorkspaceName, Vec<u8>),
}

impl From<Item> for Planned {
    fn from(item: Item) -> Planned {
        Planned { item, work: Work::Nothing }
    }
}

/// Where things go.
#[derive(Clone, Debug)]
pub struct Landing {
    /// Our project.
    pub target: PathBuf,
    /// Where its runs are kept.
    pub project: Project,
    /// The user's configuration file of ours, where there is a place for one.
    pub user: Option<PathBuf>,
}

/// All that is taken and left, of all tools.
#[derive(Debug)]
pub struct Plan {
    entries: Vec<Planned>,
    /// Files of configuration that are not there yet.
    files: Vec<NewFile>,
    /// The configuration that will hold is not known: a person has to change it yet.
    is_open: bool,
}

impl Plan {
    /// One plan of what was found of each tool: where several say something for one file, the first has its way.
    pub fn of(mut entries: Vec<Planned>) -> Plan {
        let settled = settle(&mut entries);
        let is_open = settled.is_open || entries.iter().any(|entry| matches!(entry.work, Work::Unread));
        Plan { entries, files: settled.files, is_open }
    }

    /// What is taken and left.
    pub fn items(&self) -> Vec<Item> {
        self.entries.iter().map(|entry| entry.item.clone()).collect()
    }

    /// Files of configuration that will be there, with what will stand in them.
    pub fn texts(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let files = self.files.iter().map(|file| (file.to.clone(), file.text().into_bytes()));
        let of_workspace = |entry: &Planned| match (&entry.work, &entry.item.to) {
            (Work::Workspace(_, text), Some(to)) => Some((to.join(CONFIG_FILE), text.clone())),
            _ => None,
        };
        files.chain(self.entries.iter().filter_map(of_workspace)).collect()
    }

    /// Files and folders that will be copied: where they go, and where they are.
    pub fn copies(&self) -> Vec<(PathBuf, PathBuf)> {
        let copy = |entry: &Planned| match (&entry.work, &entry.item.to) {
            (Work::File | Work::Folder, Some(to)) => Some((to.clone(), entry.item.from.clone())),
            _ => None,
        };
        self.entries.iter().filter_map(copy).collect()
    }

    /// Does it. What fails is left and named; everything else goes on.
    ///
    /// # Errors
    /// Our own folder cannot be made.
    pub fn carry_out(&self, landing: &Landing) -> Result<Vec<Item>, FileError> {
        make_folder(&landing.target.join(".windlass"))?;
        let mut failed = Vec::new();
        for file in &self.files {
            if let Err(why) = file.write() {
                failed.push((file.to.as_path(), why));
            }
        }
        let beneath = if self.is_open || !failed.is_empty() { Beneath::Open } else { landing.beneath() };
        Ok(self.entries.iter().map(|entry| entry.carry_out(landing, &beneath, &failed)).collect())
    }
}

impl Landing {
    /// What holds in a workspace there that says nothing itself.
    fn beneath(&self) -> Beneath {
        let project = self.target.join(".windlass").join(CONFIG_FILE);
        let files = [(FileKind::User, self.user.as_ref()), (FileKind::Project, Some(&project))];
        let mut layers = Vec::new();
        for (kind, path) in files {
            let Some(path) = path else { continue };
            match config_file::read(path).map(|text| text.map(|text| Layer::parse(kind, path, &text))) {
                Ok(None) => {}
                Ok(Some(Ok(layer))) => layers.push(layer),
                Ok(Some(Err(_))) | Err(_) => return Beneath::Open,
            }
        }
        Beneath::Known(layers)
    }
}

impl Planned {
    /// A file that is copied, bytes and permissions, to a place where nothing is.
    pub(super) fn file(item: Item) -> Planned {
        match fs::File::open(&item.from) {
            Ok(_) => Planned { item, work: Work::File },
            Err(error) => item.left_after_all(format!("it cannot be read: {error}")).into(),
        }
    }

    fn carry_out(&self, landing: &Landing, beneath: &Beneath, failed: &[(&Path, String)]) -> Item {
        let Planned { item, work } = self;
        let Some(to) = &item.to else { return item.clone() };
        let done = match work {
            Work::Nothing | Work::Unread => Ok(()),
            Work::Configuration(_) => {
                failed.iter().find(|(file, _)| file == to).map_or(Ok(()), |(_, why)| Err(why.clone()))
            }
            Work::File => copy_file(&item.from, to).map_err(|error| error.to_string()),
            Work::Folder => copy_folder(&item.from, to).map_err(|error| error.to_string()),
            Work::Template => copy_folder(&item.from, to)
                .and_then(|()| template_options(to, beneath))
                .map_err(|error| error.to_string()),
            Work::Workspace(name, _) => match copy_folder(&item.from, to) {
                Ok(()) => return completed(item, name, landing, beneath),
                Err(error) => Err(error.to_string()),
            },
        };
        match done {
            Ok(()) => item.clone(),
            Err(why) => item.clone().left_after_all(why),
        }
    }
}

/// A workspace whose files are here becomes one.
fn completed(item: &Item, name: &WorkspaceName, landing: &Landing, beneath: &Beneath) -> Item {
    let mut item = item.clone();
    let creation = Creation { beneath: beneath.clone(), ..Creation::default() };
    if let Err(error) = Workspaces::open(&landing.target).create(name, &landing.project, &creation) {
        item.notes.push(format!(
            "its files are here, but it is not complete ({error}); `windlass init {name}` completes it"
        ));
    }
    item
}
