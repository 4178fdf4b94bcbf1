//! Taking over the files of other tools. What is there is copied and never changed; what is here is never replaced.

pub mod claude_iterate;
mod copy;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

/// What an import takes, or what it left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Its name: of a workspace, a template, an archive, a file.
    pub name: String,
    /// Where it is.
    pub from: PathBuf,
    /// Where it goes; `None` when it is left.
    pub to: Option<PathBuf>,
    /// What a person should know about it: why it was left, or what of it has no place here. One sentence each.
    pub notes: Vec<String>,
}

/// What can be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemKind {
    /// A configuration file.
    Configuration,
    /// A workspace.
    Workspace,
    /// A template.
    Template,
    /// An archive.
    Archive,
}

impl ItemKind {
    /// Its name in lists.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ItemKind::Configuration => "configuration",
            ItemKind::Workspace => "workspace",
            ItemKind::Template => "template",
            ItemKind::Archive => "archive",
        }
    }
}

impl Item {
    /// It stays where it is.
    fn left(kind: ItemKind, name: &str, from: PathBuf, why: impl Into<String>) -> Item {
        Item { kind, name: name.to_owned(), from, to: None, notes: vec![why.into()] }
    }
}

/// Is anything done?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything is looked at, nothing is written.
    Look,
    /// What can be taken is taken.
    Take,
}
