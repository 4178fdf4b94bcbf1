//! What a person has seen of the runs that waited for them: a view's own marks, in no journal.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use windlass_app::{AppError, Kind};
use windlass_core::values::RunId;
use windlass_host::file;
use windlass_ui::RunState;

use crate::site::locked;

/// So many marks are kept.
const KEPT: usize = 2000;

const PRIVATE: u32 = 0o600;

/// A run as it is seen: once it stands otherwise, it was not seen so.
pub fn seen_as(state: RunState, iterations: u32) -> String {
    format!("{} {iterations}", state.name())
}

/// The marks: by run, how it stood when it was seen.
#[derive(Debug)]
pub struct Seen {
    path: PathBuf,
    marks: Mutex<BTreeMap<String, String>>,
}

impl Seen {
    /// In this file. One that cannot be read says nothing.
    pub fn at(path: &Path) -> Seen {
        let bytes = file::read_if_there(path).ok().flatten().unwrap_or_default();
        let marks = serde_json::from_slice(&bytes).unwrap_or_default();
        Seen { path: path.to_owned(), marks: Mutex::new(marks) }
    }

    /// Was the run seen as it is?
    pub fn has(&self, run: &RunId, how: &str) -> bool {
        locked(&self.marks).get(&run.0).is_some_and(|seen| seen == how)
    }

    /// It was seen as it is.
    pub fn mark(&self, run: &RunId, how: String) -> Result<(), AppError> {
        let mut marks = locked(&self.marks);
        marks.insert(run.0.clone(), how);
        while marks.len() > KEPT {
            marks.pop_first();
        }
        let bytes = serde_json::to_vec(&*marks).map_err(|error| AppError::of(Kind::Internal, error))?;
        file::replace(&self.path, &bytes, PRIVATE).map_err(AppError::system)
    }
}
