//! What makes a run ready on a worker's machine: agents, sandbox, environment. The application knows these.

use std::path::Path;
use std::sync::Arc;

use windlass_engine::executor::Audience;
use windlass_engine::local::Setting;
use windlass_git::git::Repository;

use crate::brief::Brief;

/// A run that orders can be carried out for.
pub struct Ready {
    /// What its executor needs.
    pub setting: Setting,
    /// Its repository, as lanes are made from it.
    pub main: Repository,
    /// Held for as long as the run is worked on here.
    pub lock: Box<dyn Send>,
}

/// Makes runs ready.
pub trait Workshop: Send + Sync {
    /// Why this worker does not take a run, in a sentence; `None` where it does.
    fn refuses(&self, brief: &Brief) -> Option<String>;

    /// Makes a run ready whose repository is in `code`, with its lanes below `lanes`.
    ///
    /// # Errors
    /// A sentence: what is missing here.
    fn open(
        &self,
        brief: &Brief,
        code: &Path,
        lanes: &Path,
        audience: Arc<dyn Audience>,
    ) -> Result<Ready, String>;
}
