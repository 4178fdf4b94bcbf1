//! Templates: the instructions and options of a workspace, kept to be used again, in the project or by the user.
//!
//! A template is a folder with `INSTRUCTIONS.md`, `.template.json`, and where there are any, `config.toml` (the options)
//! and `README.md`. One of the project goes before one of the user of the same name.

mod apply;
mod error;
mod save;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use strum::IntoStaticStr;

use windlass_core::typed::nearest;
use windlass_core::workspace::WorkspaceName;
use windlass_jobs::doc::template::{LONGEST_RECORD, TemplateRecord};

pub use apply::Applied;
pub use error::TemplateError;
pub use save::{Details, Saved};

use super::archive::removal::remove_at_once;
use super::{INSTRUCTIONS_FILE, Workspaces};
use windlass_host::tree;
use windlass_host::tree::{Kind, at};

/// What a template says of itself.
const RECORD: &str = ".template.json";

/// What people should know before they use it.
const README: &str = "README.md";

/// The longest file of a template that is read, in bytes.
const LONGEST_FILE: usize = 4 * 1024 * 1024;

/// Where a template is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Scope {
    /// In the project.
    Project,
    /// With the user's configuration.
    User,
}

/// What becomes of what is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and nothing is done.
    Refuse,
    /// It is replaced.
    Replace,
}

/// All templates that can be used here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Templates {
    project: PathBuf,
    user: Option<PathBuf>,
}

/// A template that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its name.
    pub name: String,
    /// Where it is kept.
    pub scope: Scope,
    /// Its folder.
    pub folder: PathBuf,
}

/// A row of the list.
#[derive(Debug)]
pub struct ListedTemplate {
    /// The template.
    pub template: Template,
    /// What it says of itself; nothing, where it says nothing.
    pub record: TemplateRecord,
    /// One of the project has the same name and is used instead.
    pub shadowed: bool,
    /// Why it cannot be used, or not all of it: a clause.
    pub problem: Option<String>,
}

/// What is in a template.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownTemplate {
    /// What it says of itself.
    pub record: TemplateRecord,
    /// One sentence for each thing that is left out.
    pub left: Vec<String>,
    /// What is to be done.
    pub instructions: Vec<u8>,
    /// Its options: the text of a configuration file.
    pub config: Option<String>,
    /// It has a `README.md`.
    pub readme: Option<PathBuf>,
}

impl Templates {
    /// Those of the project that has these workspaces, and those below the folder of the user's configuration, where there
    /// is one.
    pub fn of(workspaces: &Workspaces, user_configuration: Option<&Path>) -> Templates {
        Templates {
            project: workspaces.root().with_file_name("templates"),
            user: user_configuration.map(|folder| tree::hold_named(&folder.join("templates"))),
        }
    }

    fn store(&self, scope: Scope) -> Result<&Path, TemplateError> {
        match scope {
            Scope::Project => Ok(&self.project),
            Scope::User => self.user.as_deref().ok_or(TemplateError::NoUserStore),
        }
    }

    /// All of them by name, the project's first.
    ///
    /// # Errors
    /// A folder cannot be read. A template that cannot be used is a row that says so.
    pub fn list(&self) -> Result<Vec<ListedTemplate>, TemplateError> {
        let mut rows: Vec<ListedTemplate> = Vec::new();
        for scope in [Scope::Project, Scope::User] {
            for name in self.names(scope)? {
                let folder = self.store(scope)?.join(&name);
                let shadowed = rows.iter().any(|row| row.template.name == name);
                rows.push(row(Template { name, scope, folder }, shadowed));
            }
        }
        rows.sort_by(|left, right| {
            (&left.template.name, left.template.scope).cmp(&(&right.template.name, right.template.scope))
        });
        Ok(rows)
    }

    fn names(&self, scope: Scope) -> Result<Vec<String>, TemplateError> {
        let Ok(store) = self.store(scope) else {
            return Ok(Vec::new());
        };
        if !is_there(store, scope)? {
            return Ok(Vec::new());
        }
        let entries = at(store).entries()?.into_iter().filter(|entry| entry.kind != Kind::File);
        Ok(entries.filter_map(|entry| entry.name.into_string().ok()).filter(|name| is_name(name)).collect())
    }

    /// The template of this name: the project's before the user's, unless one of the two is asked for.
    ///
    /// # Errors
    /// What can be no template's name; none of this name; something else in its place.
    pub fn find(&self, name: &str, scope: Option<Scope>) -> Result<Template, TemplateError> {
        let name = checked(name)?;
        let scopes = scope.map_or(vec![Scope::Project, Scope::User], |scope| vec![scope]);
        for scope in scopes {
            let Ok(store) = self.store(scope) else { continue };
            let folder = store.join(name);
            if is_there(store, scope)? && refuse_other(&folder)? {
                return Ok(Template { name: name.to_owned(), scope, folder });
            }
        }
        let names: Vec<String> = [Scope::Project, Scope::User]
            .iter()
            .flat_map(|scope| self.names(*scope).unwrap_or_default())
            .collect();
        let near = nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
        Err(TemplateError::NotFound { name: name.to_owned(), nearest: near })
    }

    /// Deletes a template.
    pub fn delete(&self, template: &Template) -> Result<(), TemplateError> {
        // Looked for again: nothing but a template in one of our folders is ever deleted.
        let template = self.find(&template.name, Some(template.scope))?;
        remove_at_once(&at(&template.folder))?;
        Ok(at(self.store(template.scope)?).sync_folder()?)
    }
}

impl Template {
    /// What is in it.
    ///
    /// # Errors
    /// It has no instructions; a file of it cannot be read.
    pub fn show(&self) -> Result<ShownTemplate, TemplateError> {
        let (record, left) = self.record()?;
        let path = self.folder.join(INSTRUCTIONS_FILE);
        let Some(instructions) = self.file(INSTRUCTIONS_FILE)? else {
            return Err(TemplateError::NoTemplate {
                path: self.folder.clone(),
                why: "it has no INSTRUCTIONS.md",
            });
        };
        if instructions.trim_ascii().is_empty() {
            return Err(TemplateError::Unusable { path, why: "it is empty".to_owned() });
        }
        let readme = self.folder.join(README);
        let config = self.config()?;
        Ok(ShownTemplate {
            record,
            left,
            instructions,
            config,
            readme: at(&readme).holds_file().then_some(readme),
        })
    }

    fn config(&self) -> Result<Option<String>, TemplateError> {
        let unusable = || TemplateError::Unusable {
            path: self.folder.join(super::CONFIG_FILE),
            why: "it is not UTF-8 text".to_owned(),
        };
        let text =
            self.file(super::CONFIG_FILE)?.map(|bytes| String::from_utf8(bytes).map_err(|_| unusable()));
        text.transpose()
    }

    fn record(&self) -> Result<(TemplateRecord, Vec<String>), TemplateError> {
        let path = self.folder.join(RECORD);
        match read_plain(&path, LONGEST_RECORD)? {
            None => Ok((TemplateRecord::default(), Vec::new())),
            Some(bytes) => TemplateRecord::parse(&bytes).map_err(|why| TemplateError::Unusable { path, why }),
        }
    }

    fn file(&self, name: &str) -> Result<Option<Vec<u8>>, TemplateError> {
        read_plain(&self.folder.join(name), LONGEST_FILE)
    }
}

/// A file's bytes, not those of what a link leads to.
fn read_plain(path: &Path, longest: usize) -> Result<Option<Vec<u8>>, TemplateError> {
    let unusable = |why: &str| TemplateError::Unusable { path: path.to_owned(), why: why.to_owned() };
    let place = at(path);
    if place.is_link() {
        return Err(unusable("it is a link"));
    }
    match place.read_beginning(longest)? {
        Some(bytes) if bytes.len() > longest => Err(unusable("it is too long")),
        bytes => Ok(bytes),
    }
}

fn row(template: Template, shadowed: bool) -> ListedTemplate {
    let shown = match refuse_other(&template.folder) {
        Ok(_) => template.show(),
        Err(error) => Err(error),
    };
    let (record, problem) = match shown {
        Ok(shown) => (shown.record, None),
        Err(error) => {
            (template.record().map(|(record, _)| record).unwrap_or_default(), Some(error.to_string()))
        }
    };
    ListedTemplate { template, record, shadowed, problem }
}

fn is_name(name: &str) -> bool {
    WorkspaceName::parse(name).is_ok()
}

fn checked(name: &str) -> Result<&str, TemplateError> {
    if is_name(name) {
        return Ok(name);
    }
    Err(TemplateError::BadName(name.chars().filter(|character| !character.is_control()).take(60).collect()))
}

/// Is the folder of templates there? The project's is a folder of its own; the user's may be a link of theirs.
fn is_there(store: &Path, scope: Scope) -> Result<bool, TemplateError> {
    match kind_of(store)? {
        Some(Kind::Link) if scope == Scope::Project => Err(TemplateError::NoTemplate {
            path: store.to_owned(),
            why: "the folder of templates is a link",
        }),
        kind => Ok(kind == Some(Kind::Folder)),
    }
}

/// Is there a folder? Anything else in its place is refused.
fn refuse_other(folder: &Path) -> Result<bool, TemplateError> {
    let no = |why| Err(TemplateError::NoTemplate { path: folder.to_owned(), why });
    match kind_of(folder)? {
        Some(Kind::Link) => no("it is a link"),
        Some(Kind::Folder) => Ok(true),
        Some(Kind::File | Kind::Other(_)) => no("it is not a folder"),
        None => Ok(false),
    }
}

/// What is there, links not followed.
fn kind_of(path: &Path) -> Result<Option<Kind>, TemplateError> {
    let path = at(path);
    let found = path.look().map_err(|error| path.failed("read", error))?;
    Ok(found.map(|found| found.kind))
}
