//! Further checkouts of a repository: made, made ready, listed, removed.
//!
//! | file | holds |
//! |---|---|
//! | [`WorktreeName`] | what one may be called |
//! | [`Worktree`] | one that windlass made: where it is, what is known of it |
//! | [`make`] | making one, or finding it again |
//! | [`bootstrap`] | a fresh checkout gets what git does not track: copies, variables, a setup command |
//! | [`Work`] | what is in one and in no commit |
//! | [`Removal`] | removing one in which nothing would be lost |
//!
//! What git knows of a linked working tree lies in `.git/worktrees/<id>/`. There, and nowhere in the tree, is what we know
//! of it, so that it goes when the working tree does: `windlass.json` (the [`Worktree`]), `windlass-copied` (what was
//! copied into it), `windlass.lock` (held by who makes it ready).

pub mod bootstrap;
pub(crate) mod copied;
mod error;
mod locks;
mod make;
pub(crate) mod marker;
mod name;
mod remove;
mod renew;
mod tree;
mod work;

#[cfg(test)]
mod tests;

pub use error::WorktreeError;
pub use make::{How, Made, Order, base_folder, make};
pub use marker::Stage;
pub use name::WorktreeName;
pub use remove::{Refusal, Removal, Removed};
pub use tree::{WORKTREE_VARIABLE, Worktree, WorktreeStatus};
pub use work::Work;
