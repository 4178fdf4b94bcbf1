//! Resuming a run apart from whoever asks for it: in a process of its own, that goes on when they leave.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use windlass_core::fact::Fact;
use windlass_core::report::ActionAsked;
use windlass_core::values::RunId;
use windlass_engine::store::RunFolder;
use windlass_host::file::{FileError, read_beginning};
use windlass_host::process::Apart;

use crate::app::App;
use crate::asked::{has_since, length};
use crate::error::{AppError, Kind};
use crate::here::Here;

/// So long it may take until it says that it goes on. It looks at the repository first.
const PATIENCE: Duration = Duration::from_mins(1);

const LOOK: Duration = Duration::from_millis(20);

/// What a process of its own printed, in the run's folder.
const PRINTED: &str = "apart.log";

/// Bytes of it that are read.
const READ: usize = 64 * 1024;

/// Lines of it that are told.
const TOLD: usize = 6;

/// A limit that can be raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Raisable {
    /// Dollars.
    Cost,
    /// Iterations.
    Iterations,
    /// Time.
    Duration,
    /// Tokens.
    Tokens,
    /// Iterations without progress.
    Stagnation,
}

impl Raisable {
    /// The flag that raises it.
    pub const fn flag(self) -> &'static str {
        match self {
            Raisable::Cost => "--max-cost",
            Raisable::Iterations => "--max-iterations",
            Raisable::Duration => "--max-duration",
            Raisable::Tokens => "--max-tokens",
            Raisable::Stagnation => "--stagnation-threshold",
        }
    }
}

/// How a run is to go on.
#[derive(Clone, Debug, Default)]
pub struct ResumeApart {
    /// With a higher limit: to what, as it is typed.
    pub raise: Option<(Raisable, String)>,
    /// With what the guard has found accepted.
    pub accept_findings: bool,
    /// Who asks for it.
    pub asked: Option<ActionAsked>,
}

impl App {
    /// Resumes a run of this directory in a process of its own, and waits until that has taken it up.
    ///
    /// # Errors
    /// It does not go on: what its process says of it.
    pub fn resume_apart(&self, run: &RunId, how: &ResumeApart) -> Result<(), AppError> {
        let here = Here::find_broken(self)?;
        let folder = RunFolder::of(&here.project, run);
        let printed = folder.path().join(PRINTED);
        let before = length(&folder.journal());
        // outside: the run's folder.
        let mut options = OpenOptions::new();
        let output = options.create(true).write(true).truncate(true).mode(0o600);
        // outside: the run's folder.
        let output = output.open(&printed).map_err(|source| {
            AppError::system(FileError { action: "open", path: printed.clone(), source })
        })?;
        let arguments = arguments(run, how)?;
        let mut apart = Apart::start(self.program(), &arguments, self.directory(), output)
            .map_err(|error| AppError::new(Kind::System, format!("cannot start windlass resume: {error}")))?;
        let deadline = Instant::now() + PATIENCE;
        // Who asked stands before that.
        while !has_since(&folder.journal(), before, |fact| matches!(fact, Fact::RunResumed { .. })) {
            // Whatever ended it has said so.
            if let Ok(Some(ended)) = apart.ended() {
                return if ended.success() { Ok(()) } else { Err(refused(run, &printed)) };
            }
            if Instant::now() >= deadline {
                return Err(AppError::new(
                    Kind::System,
                    format!("run {run} has not gone on within a minute"),
                )
                .hint(format!("What became of it: windlass status {run}")));
            }
            thread::sleep(LOOK);
        }
        Ok(())
    }
}

fn arguments(run: &RunId, how: &ResumeApart) -> Result<Vec<OsString>, AppError> {
    let mut arguments: Vec<OsString> = ["resume", "--quiet", run.0.as_str()].map(OsString::from).into();
    // One word each: whatever the value is, it is no flag.
    arguments.extend(how.raise.as_ref().map(|(limit, to)| format!("{}={to}", limit.flag()).into()));
    arguments.extend(how.accept_findings.then(|| "--accept-findings".into()));
    if let Some(asked) = &how.asked {
        let asked = serde_json::to_string(asked).map_err(|error| AppError::of(Kind::Internal, error))?;
        arguments.push(format!("--asked={asked}").into());
    }
    Ok(arguments)
}

/// What its process said.
fn refused(run: &RunId, printed: &Path) -> AppError {
    // outside: the run's folder.
    let said = read_beginning(printed, READ).ok().flatten().unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty()).take(TOLD);
    let first = lines
        .next()
        .map_or_else(|| format!("run {run} did not go on"), |line| line.replacen("error: ", "", 1));
    let rest: Vec<String> = lines.map(str::to_owned).collect();
    AppError::usage(first).with_hints(rest)
}
