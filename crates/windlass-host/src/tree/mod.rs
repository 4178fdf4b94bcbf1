//! The one room through which a tree that guests can write is read and written.
//!
//! Agents, checks, hooks and filters leave what they like in such a tree: links to a person's keys or to
//! `/proc/self/environ`, pipes, devices, files without an end. Whatever the runner does there it does beneath an open root:
//! no link that leads out is followed and no magic one, nothing but regular files is opened, no pipe is waited for, and what
//! is read has a bound. The kernel sees to it (`openat2`), not a look beforehand.
//!
//! A [`TreePath`] is not a path of the system: `std::fs` does not take it. `cargo xtask tidy` finds who goes round it.
//!
//! A link that leads out and that a person had there before the run began is followed while it is what it was and where no
//! sandbox was asked for ([`follow`]).

mod attributes;
mod descend;
mod folder;
mod links;
mod open;
mod path;
mod read;
mod root;
mod stamps;
mod was;
mod write;

#[cfg(test)]
mod tests;

pub use attributes::{Attributes, Kind, Special};
pub use descend::Enter;
pub use folder::{Folder, TreeEntry};
pub use links::{follow, links_out};
pub use links::{was_there, where_it_leads};
pub use open::leads_out;
pub use path::TreePath;
pub use root::is_known;
pub use root::{KeptOpen, at, hold, hold_named, keep_open, without_links};
pub use stamps::Stamps;
pub use was::{Folders, Was};
pub use write::Prepared;
