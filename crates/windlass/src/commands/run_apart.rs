//! A run in a process of its own, that whoever started it may leave: it says in a file which run it is, and speaks to nobody.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use windlass_agents::Detail;
use windlass_app::run::{StartRun, announce};
use windlass_app::{App, AppError, Audience, FrontEnd, Place, Watched, Watcher};
use windlass_core::fact::{Entry, Fact};
use windlass_core::observation::Observation;

use super::warn;

/// Runs it to its end.
pub fn run(request: &StartRun, file: &Path) -> Result<ExitCode, AppError> {
    let app = App::here(Arc::new(Apart(file.to_owned())))?;
    Ok(ExitCode::from(app.start(request)?.exit_code))
}

/// Nobody is there; what a person should know is read later.
struct Apart(PathBuf);

impl FrontEnd for Apart {
    fn notice(&self, sentence: &str) {
        warn(sentence);
    }

    fn watch(&self, _: &Watched<'_>) -> Result<Arc<dyn Watcher>, AppError> {
        Ok(Arc::new(Announcer(self.0.clone())))
    }
}

/// Says which run it is.
struct Announcer(PathBuf);

impl Audience for Announcer {
    fn fact(&self, entry: &Entry) {
        if let Fact::RunStarted { plan } | Fact::RunResumed { plan } = &entry.fact {
            // Whoever waits for it may be gone.
            let _ = announce(&self.0, &plan.run);
        }
    }

    fn observation(&self, _: Place, _: Observation) {}

    fn detail(&self) -> Detail {
        Detail::Digests
    }
}

impl Watcher for Announcer {}
