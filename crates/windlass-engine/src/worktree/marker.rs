//! What is known of a worktree of ours: a file in its own folder in the repository.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use windlass_core::spec::BootstrapSpec;
#[cfg(feature = "testing")]
use windlass_core::spec::PortPlace;

#[cfg(feature = "testing")]
use super::bootstrap::variables;
use windlass_git::git::WORKTREE_MARKER;
use windlass_host::file::FileError;
use windlass_host::tree::at;

/// The format that this program writes; others are not ours to touch.
const FORMAT: u32 = 1;

/// The longest file, in bytes.
const LONGEST: usize = 1 << 20;

/// How far a worktree has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Its files are being checked out.
    Filling,
    /// What git does not track is being copied.
    Copying,
    /// Its setup command has not succeeded yet.
    Setup,
    /// It can be worked in.
    Ready,
}

/// What the file says. Whoever works in the worktree can write it: nothing in it is taken for a reason to delete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marker {
    v: u32,
    pub name: String,
    /// The full name of the branch that it came from; `None` where HEAD was on none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The checkout's number, for ports: from 1.
    pub checkout: u32,
    pub stage: Stage,
    pub bootstrap: BootstrapSpec,
}

impl Marker {
    pub fn new(name: &str, base: Option<String>, checkout: u32, bootstrap: &BootstrapSpec) -> Marker {
        Marker {
            v: FORMAT,
            name: name.to_owned(),
            base,
            checkout,
            stage: Stage::Filling,
            bootstrap: bootstrap.clone(),
        }
    }

    /// That of a worktree's folder in the repository; `None` where it is not ours, or cannot be understood.
    pub fn read(git_dir: &Path) -> Option<Marker> {
        Marker::parse(&at(&path(git_dir)).read_beginning(LONGEST).ok()??)
    }

    pub fn parse(bytes: &[u8]) -> Option<Marker> {
        let marker: Marker = serde_json::from_slice(bytes).ok()?;
        (marker.v == FORMAT).then_some(marker)
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    pub fn write(&self, git_dir: &Path) -> Result<(), FileError> {
        at(&path(git_dir)).replace(&self.bytes(), 0o644)
    }
}

/// The file as it would be written anew, and the variables that follow from it; `None` where it is not ours.
#[cfg(feature = "testing")]
pub(crate) fn rewritten(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let marker = Marker::parse(bytes)?;
    let place = PortPlace { checkout: marker.checkout, lane: 0 };
    Some((marker.bytes(), variables(marker.bootstrap.ports, place).len()))
}

fn path(git_dir: &Path) -> PathBuf {
    git_dir.join(WORKTREE_MARKER)
}
