//! Workspaces: named jobs that live in a folder of the project. What may be a name, and what is remembered of one.

mod beneath;
mod metadata;
mod name;
mod seed_arguments;
mod seed_options;
mod seed_project;
mod update;

pub use beneath::Beneath;
pub use metadata::{
    Corrupt, CountedRun, LONGEST_METADATA, Metadata, VerificationHistory, VerificationStatus, WorkspaceStatus,
};
pub use name::{NameError, WorkspaceName};
pub use seed_arguments::Refuses;
pub use seed_options::{SeedOptions, imported_options_text, options_text, seed_options, text_says};
pub use seed_project::{SeedFolders, SeedProject, seed_project};
/// A value of an option, as a configuration file holds it.
pub use toml::Value as OptionValue;
pub use update::{EndedRun, rebuilt};
