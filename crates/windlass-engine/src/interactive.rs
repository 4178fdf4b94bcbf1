//! Interactive sessions: an agent and a person at the terminal. They are outside of any run, but what they do to the
//! files can be undone like an iteration of one: the working tree is kept before and after.

use std::ffi::OsString;
use std::path::Path;

use windlass_agents::Invocation;
use windlass_core::values::RunId;

use windlass_git::inventory::{Inventory, SurveyError, Surveyor, changes};
use windlass_git::snapshot::{Moment, Side, SnapshotError, SnapshotName, Store};
use windlass_host::process::{Command, HandedBack, ProcessError, RUN_VARIABLE};

/// What keeps the working tree.
#[derive(Debug)]
pub struct Keeping {
    /// What looks at it.
    pub surveyor: Surveyor,
    /// Where it goes.
    pub store: Store,
}

/// A session that is about to begin. The lock of its directory is held by the caller.
#[derive(Debug)]
pub struct Interactive<'a> {
    /// Its id; everything it starts is marked with it.
    pub session: &'a RunId,
    /// The agent.
    pub invocation: &'a Invocation,
    /// Where it works.
    pub directory: &'a Path,
    /// `None` where there is no git.
    pub keeping: Option<Keeping>,
}

/// What came of a session.
#[derive(Debug)]
pub struct Ended {
    /// How the agent ended.
    pub handed_back: HandedBack,
    /// What it changed, and what somebody else did meanwhile; `None` without git.
    pub changes: Option<Vec<Vec<u8>>>,
    /// Why the tree could not be looked at, or kept, afterwards. The snapshot from before is there.
    pub trouble: Option<String>,
}

/// Why a session did not begin, or was not seen to its end.
#[derive(Debug, thiserror::Error)]
pub enum InteractiveError {
    /// The tree could not be looked at before. Nothing was started.
    #[error(transparent)]
    Survey(#[from] SurveyError),
    /// The tree could not be kept before. Nothing was started.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The agent could not be started, or its end not be waited for.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

impl Interactive<'_> {
    /// Keeps the tree, hands the terminal to the agent until it ends, and keeps the tree again.
    pub fn hold(mut self) -> Result<Ended, InteractiveError> {
        let before = self.keep(Side::Before)?;
        let handed_back = self.command().with_terminal()?;
        let (changes, trouble) = match self.keep(Side::After) {
            Ok(after) => (before.zip(after).map(|(before, after)| changes(&before, &after)), None),
            Err(error) => (None, Some(error.to_string())),
        };
        Ok(Ended { handed_back, changes, trouble })
    }

    fn keep(&mut self, side: Side) -> Result<Option<Inventory>, InteractiveError> {
        let Some(Keeping { surveyor, store }) = &mut self.keeping else {
            return Ok(None);
        };
        let inventory = surveyor.survey(&[])?;
        store.keep(surveyor.place(), &inventory, &snapshot_name(self.session, side))?;
        Ok(Some(inventory))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.invocation.program)
            .arguments(&self.invocation.arguments)
            .directory(self.directory)
            .environment(RUN_VARIABLE, Some(self.session.0.as_ref()));
        for (name, value) in &self.invocation.environment {
            let value = value.as_ref().map(OsString::from);
            command = command.environment(name, value.as_deref());
        }
        command
    }
}

/// The name of one end of a session: that of a run's only iteration.
pub fn snapshot_name(session: &RunId, side: Side) -> SnapshotName {
    SnapshotName { run: session.clone(), moment: Moment::Iteration { iteration: 1, attempt: 1, side } }
}
