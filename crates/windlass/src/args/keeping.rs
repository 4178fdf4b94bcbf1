//! Archives and templates of workspaces.

use clap::{Args, Subcommand};

/// What can be said to `windlass archive`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
An archive is .windlass/archive/NAME-YYYY-MM-DDTHH-MM-SS.tar.gz (UTC). The
folders that claude-iterate made can be listed, shown and restored as well.")]
pub struct ArchiveArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: ArchiveVerb,
}

/// What can be done with archives.
#[derive(Clone, Debug, Subcommand)]
pub enum ArchiveVerb {
    /// Archive a workspace, then DELETE it (unless --keep)
    #[command(after_help = "\
The archive is read back whole and compared with the workspace, byte for byte,
before the workspace is deleted. `archive restore` brings it back.")]
    Save {
        /// The workspace
        workspace: String,
        /// Leave the workspace where it is
        #[arg(long)]
        keep: bool,
    },
    /// List all archives, newest first
    #[command(visible_alias = "ls")]
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Make a workspace of an archive; the archive stays
    #[command(after_help = "\
No workspace is ever overwritten. An archive that is damaged, holds more than
16 GB or 200000 entries, or anything but plain files, folders and links, is
refused, and nothing is left of it.")]
    Restore {
        /// The archive, as `archive list` names it
        archive: String,
        /// The workspace's name [default: the one it had]
        name: Option<String>,
        /// Make links as well that lead out of the workspace
        #[arg(long)]
        outside_links: bool,
    },
    /// Show what is in an archive, having read all of it
    Show {
        /// The archive, as `archive list` names it
        archive: String,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Delete an archive for good
    Delete {
        /// The archive, as `archive list` names it
        archive: String,
        /// Do not ask
        #[arg(short, long, short_alias = 'f', alias = "force")]
        yes: bool,
    },
}

/// What can be said to `windlass template`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A template is .windlass/templates/NAME/, or with --global templates/NAME/ beside
your own config.toml: INSTRUCTIONS.md, and all options of the workspace but
notify.secret. A template of the project hides yours of the same name.")]
pub struct TemplateArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: TemplateVerb,
}

/// What can be done with templates.
#[derive(Clone, Debug, Subcommand)]
pub enum TemplateVerb {
    /// Make a template of a workspace
    Save {
        /// The workspace
        workspace: String,
        /// The template's name [default: the workspace's]
        name: Option<String>,
        /// Keep it with your own configuration, for all projects
        #[arg(short, long, visible_alias = "user")]
        global: bool,
        /// What it is for
        #[arg(short, long, value_name = "TEXT")]
        description: Option<String>,
        /// Words to find it by, separated by commas
        #[arg(short, long, value_name = "TAGS", value_delimiter = ',')]
        tags: Option<Vec<String>>,
        /// Iterations that a job of this kind takes
        #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        estimate: Option<u64>,
        /// Replace a template of this name
        #[arg(short, long)]
        force: bool,
    },
    /// Make a workspace of a template
    Use {
        /// The template
        name: String,
        /// The workspace
        workspace: String,
        /// Replace its instructions and options; copies of them are kept
        #[arg(short, long)]
        force: bool,
    },
    /// List all templates, the project's and yours
    #[command(visible_alias = "ls")]
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show what is in a template
    Show {
        /// The template
        name: String,
        /// Yours, not the project's
        #[arg(short, long, visible_alias = "user")]
        global: bool,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Delete a template for good
    Delete {
        /// The template
        name: String,
        /// Yours, not the project's
        #[arg(short, long, visible_alias = "user")]
        global: bool,
        /// Do not ask
        #[arg(short, long, short_alias = 'f', alias = "force")]
        yes: bool,
    },
}

impl ArchiveVerb {
    /// Would it change anything?
    pub const fn changes_something(&self) -> bool {
        matches!(self, ArchiveVerb::Save { .. } | ArchiveVerb::Restore { .. } | ArchiveVerb::Delete { .. })
    }
}

impl TemplateVerb {
    /// Would it change anything?
    pub const fn changes_something(&self) -> bool {
        matches!(self, TemplateVerb::Save { .. } | TemplateVerb::Use { .. } | TemplateVerb::Delete { .. })
    }
}
