//! What the guard remembers from one attempt to the next.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;

use windlass_core::guard::{BadGlob, Protected};
use windlass_git::snapshot::Snapshot;

/// What the guard remembers in this session.
#[derive(Debug, Default)]
pub(super) struct GuardMemory {
    /// Where checks find their programs.
    pub search_path: OsString,
    /// What is compared with, as it was last read.
    pub baseline: Option<Snapshot>,
    /// Patterns that were put together, which takes longer than all else that is done with them.
    patterns: RefCell<BTreeMap<Vec<String>, Arc<Protected>>>,
}

/// So many sets of patterns are kept: each task may have its own.
const MOST_SETS: usize = 8;

impl GuardMemory {
    /// With this search path.
    pub fn new(search_path: OsString) -> GuardMemory {
        GuardMemory { search_path, ..GuardMemory::default() }
    }

    /// The files that the built-in patterns and these protect.
    pub fn protected<'a>(&self, globs: impl Iterator<Item = &'a String>) -> Result<Arc<Protected>, BadGlob> {
        let globs: Vec<String> = globs.cloned().collect();
        let mut patterns = self.patterns.borrow_mut();
        if let Some(known) = patterns.get(&globs) {
            return Ok(Arc::clone(known));
        }
        if patterns.len() >= MOST_SETS {
            patterns.clear();
        }
        let protected = Arc::new(Protected::new(globs.iter().map(String::as_str))?);
        patterns.insert(globs, Arc::clone(&protected));
        Ok(protected)
    }

    /// Where programs are looked for.
    pub fn search_path(&self) -> OsString {
        self.search_path.clone()
    }
}
