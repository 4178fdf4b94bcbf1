//! A call that is under way: the agent's process, its streams, its clocks.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use windlass_agents::{CallFiles, CallWatch, Confinement, Decoder, Detail, Digest, Due, Sink, of};
use windlass_core::observation::Observation;
use windlass_core::spec::RunSpec;
use windlass_core::values::{CallClocks, CallId, CallReport, Cost, Cut, Ended, LaneId, Purpose};

use super::event::{Event, Events};
use crate::executor::{Audience, Clock, Place};
use crate::relay;
use crate::sandbox::{Guest, Sandbox, SandboxAgent, SandboxError};
use crate::store::{CallFolder, StoreError};
use crate::watch::FileWatch;
use windlass_host::process::stream::{StreamEvent, StreamLog, StreamReader, Tail};
use windlass_host::process::{ProcessError, SpawnId, SpawnRequest, pipe};

/// What a call needs of its run.
pub(super) struct CallSetting<'a> {
    /// The windlass program, absolute: whoever talks with an agent is started from it.
    pub program: &'a Path,
    pub plan: &'a RunSpec,
    pub folder: CallFolder,
    /// What the agent may do: the run's generated settings.
    pub settings: PathBuf,
    /// What locks it in.
    pub sandbox: &'a Sandbox,
    pub lane: LaneId,
    pub call: CallId,
    pub purpose: Purpose,
    pub budget: Option<Cost>,
    pub clocks: CallClocks,
    /// The runner's own environment with what marks the run.
    pub environment: &'a [(OsString, OsString)],
    pub clock: Arc<Clock>,
    pub audience: Arc<dyn Audience>,
    pub events: Events,
}

/// A call under way.
pub(super) struct LiveCall {
    pub call: CallId,
    watch: Arc<Mutex<CallWatch>>,
    clock: Arc<Clock>,
    readers: Vec<StreamReader>,
    stderr: Tail,
    /// Watches the job's own file until the call is over.
    pub status: Option<FileWatch>,
}

/// The call could not be set up.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error(transparent)]
    Process(#[from] ProcessError),
}

impl LiveCall {
    /// Opens the call's files and pipes and starts reading them; the request is for the lane's keeper.
    pub fn set_up(setting: CallSetting<'_>) -> Result<(LiveCall, SpawnRequest), CallError> {
        let folder = &setting.folder;
        // outside: the run's folder.
        let stdin = open(&folder.prompt(), OpenOptions::new().read(true))?;
        let (from_agent, stdout) = pipe()?;
        let (from_errors, stderr) = pipe()?;
        let watch = CallWatch::new(&setting.plan.agent, setting.clock.monotonic(), setting.clocks.clone());
        let watch = Arc::new(Mutex::new(watch.in_zone(TimeZone::system())));
        // Both pipes have to end; whoever is last tells.
        let open_pipes = Arc::new(AtomicU8::new(2));
        let log =
            StreamLog::new(append(&folder.stream())?).with_times(append(&folder.times())?, Instant::now());
        let pipes = PipeWatch {
            watch: Arc::clone(&watch),
            clock: Arc::clone(&setting.clock),
            events: setting.events.clone(),
            open_pipes: Arc::clone(&open_pipes),
        };
        let mut lines = Lines::new(&setting, pipes.clone());
        let stdout_reader = StreamReader::lines(from_agent, log, move |event| lines.event(&event))?;
        let error_log = StreamLog::awaited(folder.stderr());
        let agent = of(&setting.plan.agent);
        let (stderr_reader, tail) = StreamReader::tail(from_errors, error_log, move |event| {
            if let StreamEvent::Line(line) = event {
                let at = pipes.clock.monotonic();
                agent.error_line(line).iter().for_each(|digest| pipes.observe(at, digest));
            } else {
                pipes.event(&event);
            }
        })?;
        let files = [folder.prompt(), folder.system(), setting.settings.clone()];
        let [prompt, system_prompt, settings] = &files;
        let call_files = CallFiles {
            prompt,
            system_prompt,
            settings,
            budget: setting.budget,
            purpose: setting.purpose,
            confinement: confinement(setting.plan),
        };
        let request = spawn_request(&setting, call_files, stdin.into(), stdout, stderr);
        let own = SandboxAgent::of(&setting.plan.agent);
        let guest = Guest::Agent { agent: Some(&own), files: &files };
        let request = setting.sandbox.enter(guest, request)?;
        // Outside of what locks the agent in: it has nothing to do with its files.
        let opening = agent.opening(&setting.plan.agent, call_files, &setting.plan.directory);
        let request = match opening {
            Some(opening) => relay::stand_before(setting.program, &opening, request),
            None => request,
        };
        let live = LiveCall {
            call: setting.call,
            watch,
            clock: setting.clock,
            readers: vec![stdout_reader, stderr_reader],
            stderr: tail,
            status: None,
        };
        Ok((live, request))
    }

    /// The agent's process ended.
    pub fn exited(&self, ended: Ended) {
        lock(&self.watch).exited(self.clock.monotonic(), ended);
    }

    /// The runner has begun to end it.
    pub fn cut(&self, cut: Cut) {
        lock(&self.watch).cut(cut);
    }

    /// What is due.
    pub fn due(&self) -> Option<Due> {
        lock(&self.watch).due(self.clock.monotonic())
    }

    /// In how long something may become due.
    pub fn next_due(&self) -> Option<Duration> {
        let due = lock(&self.watch).next_due()?;
        Some(due.saturating_sub(self.clock.monotonic()))
    }

    /// Reads what is left in the pipes and gives the report. Nothing may be alive that could still write much.
    pub fn report(self) -> Option<CallReport> {
        self.readers.into_iter().for_each(StreamReader::finish);
        let watch = Arc::try_unwrap(self.watch).ok()?.into_inner().unwrap_or_else(PoisonError::into_inner);
        Some(watch.report(self.clock.now(), &self.stderr.text()))
    }
}

/// What both readers do with events that are not lines.
#[derive(Clone)]
struct PipeWatch {
    watch: Arc<Mutex<CallWatch>>,
    clock: Arc<Clock>,
    events: Events,
    open_pipes: Arc<AtomicU8>,
}

impl PipeWatch {
    fn event(&self, event: &StreamEvent<'_>) {
        match event {
            StreamEvent::Bytes(_) => lock(&self.watch).bytes(self.clock.monotonic()),
            StreamEvent::Line(_) => {}
            StreamEvent::LogFailed(error) => {
                let error = std::io::Error::new(error.kind(), error.to_string());
                self.events.tell(Event::LogFailed(error));
            }
            StreamEvent::Closed(_) => {
                if self.open_pipes.fetch_sub(1, Ordering::AcqRel) == 1 {
                    lock(&self.watch).pipes_closed(self.clock.monotonic());
                    self.events.tell(Event::Stirred);
                }
            }
        }
    }

    /// Signs of life are folded in silence; what may move a clock wakes the loop.
    fn observe(&self, at: Duration, digest: &Digest) {
        lock(&self.watch).observe(at, digest);
        if matches!(digest, Digest::Result(_) | Digest::Retry { .. } | Digest::Background(_)) {
            self.events.tell(Event::Stirred);
        }
    }
}

/// Decodes an agent's standard output.
struct Lines {
    pipes: PipeWatch,
    decoder: Box<dyn Decoder>,
    audience: Arc<dyn Audience>,
    detail: Detail,
    place: Place,
}

impl Lines {
    fn new(setting: &CallSetting<'_>, pipes: PipeWatch) -> Lines {
        let place = Place { lane: setting.lane, call: setting.call, line: 0, at: Timestamp::UNIX_EPOCH };
        Lines {
            pipes,
            decoder: of(&setting.plan.agent).decoder(),
            audience: Arc::clone(&setting.audience),
            detail: setting.audience.detail(),
            place,
        }
    }

    fn event(&mut self, event: &StreamEvent<'_>) {
        match event {
            StreamEvent::Bytes(_) => self.place.at = self.pipes.clock.now().wall,
            StreamEvent::Line(line) => {
                self.place.line += 1;
                self.audience.line(self.place, line);
                let at = self.pipes.clock.monotonic();
                let mut sink =
                    Listener { pipes: &self.pipes, audience: self.audience.as_ref(), place: self.place, at };
                self.decoder.line(line, self.detail, &mut sink);
                return;
            }
            _ => {}
        }
        self.pipes.event(event);
    }
}

struct Listener<'a> {
    pipes: &'a PipeWatch,
    audience: &'a dyn Audience,
    place: Place,
    at: Duration,
}

impl Sink for Listener<'_> {
    fn digest(&mut self, digest: Digest) {
        self.pipes.observe(self.at, &digest);
    }

    fn observation(&mut self, observation: Observation) {
        self.audience.observation(self.place, observation);
    }
}

fn spawn_request(
    setting: &CallSetting<'_>,
    files: CallFiles<'_>,
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
) -> SpawnRequest {
    let invocation = of(&setting.plan.agent).call(&setting.plan.agent, files);
    let mut environment = setting.environment.to_vec();
    for (name, value) in invocation.environment {
        let name = OsString::from(name);
        environment.retain(|(known, _)| *known != name);
        environment.extend(value.map(|value| (name, value.into())));
    }
    environment.push(("WINDLASS_CALL".into(), setting.call.to_string().into()));
    SpawnRequest {
        id: spawn_id(setting.call),
        program: invocation.program,
        arguments: invocation.arguments,
        environment,
        directory: setting.plan.directory.clone(),
        stdin,
        stdout,
        stderr,
    }
}

/// What holds an agent, beyond its own rules.
pub(super) fn confinement(plan: &RunSpec) -> Confinement {
    if plan.sandbox.is_on() { Confinement::Sandbox } else { Confinement::None }
}

/// Calls and checks of a run have different numbers for the keeper: calls even, checks odd.
pub(super) fn spawn_id(call: CallId) -> SpawnId {
    SpawnId::from(call.0) * 2
}

fn lock(watch: &Mutex<CallWatch>) -> MutexGuard<'_, CallWatch> {
    watch.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file of the run's folder, appended to: an attempt that is recovered must not lose what it had.
pub(super) fn append(path: &Path) -> Result<File, StoreError> {
    // outside: the run's folder.
    open(path, OpenOptions::new().create(true).append(true))
}

pub(super) fn open(path: &Path, options: &mut OpenOptions) -> Result<File, StoreError> {
    options.mode(0o600).open(path).map_err(|error| StoreError::io("open", path, error))
}
