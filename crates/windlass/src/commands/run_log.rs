//! The log of a run in its workspace.

use std::sync::mpsc::{Receiver, channel};

use jiff::Timestamp;
use windlass_core::spec::RunSpec;
use windlass_engine::store::RunFolder;
use windlass_engine::supervisor::{Wanted, preview};
use windlass_engine::workspace::log::{Kept, LogFile, Renewed, prune};
use windlass_jobs::prompt::Templates;
use windlass_ui::{LogParts, LogView, Paper, Sheet, View, format};

/// A session's log, begun.
pub struct RunLog {
    /// Writes it.
    pub view: Box<dyn View>,
    /// What is wrong with it, said once.
    pub trouble: Receiver<String>,
}

impl RunLog {
    /// Begins the log of a session that begins now, and names it in the session's plan; `None` where none is wanted. A run
    /// goes on without one: why there is none is a notice.
    pub fn begin(plan: &mut RunSpec, folder: &RunFolder, notices: &mut Vec<String>) -> Option<RunLog> {
        let workspace = plan.job.workspace.as_mut()?;
        let log = workspace.log.as_mut()?;
        log.file = None;
        let file = match LogFile::create(&workspace.folder, Timestamp::now()) {
            Ok(file) => file,
            Err(error) => {
                notices.push(format!(
                    "this run is not logged in its workspace: {error}; `windlass logs` has it"
                ));
                return None;
            }
        };
        log.file = file.path().file_name().and_then(|name| name.to_str()).map(str::to_owned);
        match prune(&workspace.folder, Kept { count: log.keep, bytes: log.keep_bytes }) {
            Ok(0) => {}
            Ok(removed) => {
                let logs = format::count(removed, "old run log");
                notices.push(format!("{logs} removed from the workspace (log.keep, log.keep_size)"));
            }
            Err(error) => notices.push(format!("old run logs are not cleared away: {error}")),
        }
        let (tell, trouble) = channel();
        let view = Box::new(LogView::new(parts(plan, folder), Box::new(OnDisk(file)), tell));
        Some(RunLog { view, trouble })
    }
}

/// As the run's own folder has them, so that a resumed run logs what it is told.
fn parts(plan: &RunSpec, folder: &RunFolder) -> LogParts {
    let instructions = folder.read_goal().unwrap_or_default();
    let (user, system) = (folder.prompt_template(), folder.system_template());
    let templates = Templates { user: user.as_deref(), system: system.as_deref() };
    let system_prompt = preview(plan, folder, &Wanted { goal: &instructions, templates }).prompt.system;
    LogParts { instructions, system_prompt }
}

struct OnDisk(LogFile);

impl Paper for OnDisk {
    fn write(&mut self, text: &[u8]) -> Result<(), String> {
        self.0.write(text).map_err(|error| error.to_string())
    }

    fn renew(&mut self) -> Result<Sheet, String> {
        match self.0.renew() {
            Ok(Renewed::Same) => Ok(Sheet::Same),
            Ok(Renewed::Blank) => Ok(Sheet::Blank),
            Err(error) => Err(error.to_string()),
        }
    }
}
