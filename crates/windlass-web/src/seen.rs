//! What a person has seen of the runs that waited for them: a view's own marks, in no journal.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use windlass_app::AppError;
use windlass_core::values::RunId;
use windlass_ui::RunState;

use crate::own_files;
use crate::site::locked;

/// So many marks are kept.
const KEPT: usize = 2000;

/// How a run stands: once it stands otherwise, it was not seen so.
fn standing(state: RunState, iterations: u32) -> String {
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
        let marks = own_files::read(path).unwrap_or_default();
        Seen { path: path.to_owned(), marks: Mutex::new(marks) }
    }

    /// Was the run seen as it is?
    pub fn has(&self, run: &RunId, state: RunState, iterations: u32) -> bool {
        locked(&self.marks).get(&run.0).is_some_and(|seen| *seen == standing(state, iterations))
    }

    /// It was seen as it is.
    pub fn mark(&self, run: &RunId, state: RunState, iterations: u32) -> Result<(), AppError> {
        let mut marks = locked(&self.marks);
        marks.insert(run.0.clone(), standing(state, iterations));
        while marks.len() > KEPT {
            marks.pop_first();
        }
        own_files::write(&self.path, &*marks)
    }
}
