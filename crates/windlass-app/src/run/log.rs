//! Who watches a run: the front end, and the log in its workspace.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use windlass_agents::Detail;
use windlass_core::fact::Entry;
use windlass_core::observation::Observation;
use windlass_core::spec::RunSpec;
use windlass_engine::store::RunFolder;
use windlass_engine::supervisor::{Audience, Place, Wanted, preview};
use windlass_engine::workspace::log::{LogFile, LogLimits, Renewed, prune};
use windlass_jobs::prompt::Templates;
use windlass_ui::{Event, LogParts, LogSink, LogState, LogView, Screen, ScreenHandle, View, format};

use crate::app::App;
use crate::error::{AppError, Kind};
use crate::front_end::Watcher;
use crate::run::goal::read_plain;

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
        match prune(&workspace.folder, LogLimits { count: log.keep, bytes: log.keep_bytes }) {
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
    LogParts { instructions, system_prompt, status_instructions: status_instructions(plan) }
}

/// What a workspace of claude-iterate's says of its status file.
fn status_instructions(plan: &RunSpec) -> Option<String> {
    let file = plan.job.workspace.as_ref()?.folder.join(".status-instructions.md");
    let bytes = read_plain(&file).ok()??;
    Some(String::from_utf8_lossy(&bytes).into_owned()).filter(|text| !text.trim().is_empty())
}

struct OnDisk(LogFile);

impl LogSink for OnDisk {
    fn write(&mut self, text: &[u8]) -> Result<(), String> {
        self.0.write(text).map_err(|error| error.to_string())
    }

    fn renew(&mut self) -> Result<LogState, String> {
        match self.0.renew() {
            Ok(Renewed::Same) => Ok(LogState::Same),
            Ok(Renewed::Blank) => Ok(LogState::Blank),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Observations that may wait for a slow disk.
const WAITING: usize = 2048;

/// All who watch a run: the front end, and the run's log on a thread of its own, which no front end holds up.
pub struct Watching {
    front_end: Arc<dyn Watcher>,
    log: Option<(ScreenHandle, Mutex<Receiver<String>>)>,
}

impl Watching {
    /// Starts the log, where there is one. What happened in earlier sessions is known to it.
    pub fn begin(
        front_end: Arc<dyn Watcher>,
        log: Option<RunLog>,
        past: &[Entry],
    ) -> Result<Arc<Watching>, AppError> {
        let log =
            log.map(|RunLog { view, trouble }| started(view, past).map(|log| (log, Mutex::new(trouble))));
        Ok(Arc::new(Watching { front_end, log: log.transpose()? }))
    }

    /// Waits until all is shown and written. What went wrong since the run ended is said.
    pub fn finish(&self, app: &App) {
        self.front_end.finish();
        if let Some((log, _)) = &self.log {
            let _ = log.finish();
        }
        while let Some(trouble) = self.trouble() {
            app.notice(&trouble);
        }
    }
}

fn started(view: Box<dyn View>, past: &[Entry]) -> Result<ScreenHandle, AppError> {
    let screen = Screen::start(vec![view], WAITING).map_err(|error| {
        AppError::new(Kind::System, format!("cannot start a thread for the run's log: {error}"))
            .because(error)
    })?;
    for entry in past {
        screen.send(Event::Past(Box::new(entry.clone())));
    }
    Ok(screen)
}

impl Audience for Watching {
    fn fact(&self, entry: &Entry) {
        if let Some((log, _)) = &self.log {
            log.send(Event::from(entry.clone()));
        }
        self.front_end.fact(entry);
    }

    fn observation(&self, place: Place, observation: Observation) {
        if let Some((log, _)) = &self.log {
            log.send((place, observation.clone()).into());
        }
        self.front_end.observation(place, observation);
    }

    fn trouble(&self) -> Option<String> {
        let (_, told) = self.log.as_ref()?;
        told.lock().unwrap_or_else(PoisonError::into_inner).try_recv().ok()
    }

    fn detail(&self) -> Detail {
        if self.log.is_some() { Detail::Everything } else { self.front_end.detail() }
    }
}
