//! By which principles the agents of a run decide.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::principles::Principles;
use crate::values::path_text;

/// By which principles the agents of a run decide. Files are relative to the working directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "source", rename_all = "snake_case")]
pub enum PrinciplesSpec {
    /// By those of a file, as it was when the run started.
    File {
        /// The file.
        #[serde(with = "path_text")]
        file: PathBuf,
        /// The SHA-256 of its bytes.
        digest: String,
        /// What it said.
        principles: Principles,
    },
    /// By those that the agent of the first iteration derives.
    Collected {
        /// Where they go.
        #[serde(with = "path_text")]
        file: PathBuf,
    },
}

impl PrinciplesSpec {
    /// Where they are, or will be.
    pub fn file(&self) -> &Path {
        match self {
            PrinciplesSpec::File { file, .. } | PrinciplesSpec::Collected { file } => file,
        }
    }

    /// What was known of them when the run started.
    pub const fn known(&self) -> Option<&Principles> {
        match self {
            PrinciplesSpec::File { principles, .. } => Some(principles),
            PrinciplesSpec::Collected { .. } => None,
        }
    }
}
