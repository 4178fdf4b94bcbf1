//! A check that is under way: a command that the runner executes itself.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::Duration;

use windlass_core::escapes::without_escapes;
use windlass_core::run::TurnKey;
use windlass_core::spec::RunSpec;
use windlass_core::telling::telling_line;
use windlass_core::values::{Check, CheckOutcome, CheckResult, CheckStage};

use super::made_of::{MadeOf, Touched};
use super::prepare::read_end;
use super::timed::Timed;
use super::work::WorkError;
use crate::store::{RunFolder, StoreError, create_folder};
use windlass_git::inventory::Place;
use windlass_host::process::stream::{BoundedFile, StreamReader};
use windlass_host::process::{ProcessError, SpawnId, SpawnRequest, pipe};

/// The longest last line that is journalled, in characters.
const LAST_LINE: usize = 200;

/// So much of a check's output is looked through for the line that names its failure, in bytes from its end.
const LOOKED_THROUGH: u64 = 64 * 1024;

/// A check under way.
#[derive(Debug)]
pub(super) struct LiveCheck {
    pub stage: CheckStage,
    check: u16,
    log: PathBuf,
    /// The log as the journal names it: below the run's folder.
    name: String,
    /// Copies what it prints into the log: a process that wrote there itself could fill the disk.
    output: StreamReader,
    made_of: MadeOf,
    pub timed: Timed,
}

/// Which check, and what it judges.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckSetting<'a> {
    pub plan: &'a RunSpec,
    pub folder: &'a RunFolder,
    pub place: &'a Place,
    pub stage: CheckStage,
    pub check: u16,
    pub turn: Option<TurnKey>,
    pub environment: &'a [(OsString, OsString)],
    pub id: SpawnId,
    pub now: Duration,
}

impl LiveCheck {
    /// Opens the check's log; the request is for the lane's keeper. `None` when there is no such check.
    pub fn set_up(setting: CheckSetting<'_>) -> Result<Option<(LiveCheck, SpawnRequest)>, WorkError> {
        let Some(check) = setting.plan.checks.get(usize::from(setting.check)) else {
            return Ok(None);
        };
        let name = log_name(&setting);
        let log = setting.folder.path().join(&name);
        if let Some(parent) = log.parent() {
            create_folder(parent)?;
        }
        // outside: the run's folder.
        let mut kept = BoundedFile::anew(&log).map_err(|error| StoreError::io("write", &log, error))?;
        let (from_check, output) = pipe()?;
        let reader = StreamReader::bytes(from_check, move |bytes| {
            // What cannot be kept is read all the same: a check whose pipe is full would hang.
            let _ = kept.write(bytes);
        })?;
        let request = request(&setting, check, output)?;
        let live = LiveCheck {
            stage: setting.stage,
            check: setting.check,
            log,
            name,
            output: reader,
            made_of: MadeOf::look(setting.plan, setting.folder, setting.place, setting.stage),
            timed: Timed::new(check.timeout, Some(setting.now)),
        };
        Ok(Some((live, request)))
    }

    /// How it ended. Nothing of it may be alive.
    pub fn outcome(self, now: Duration) -> CheckOutcome {
        self.output.finish();
        let touched = self.made_of.end(&self.log);
        let end = read_end(&self.log, LOOKED_THROUGH).unwrap_or_default();
        let end = String::from_utf8_lossy(&end);
        let result = match self.timed.result() {
            // As where a check says so itself.
            CheckResult::Passed if touched == Touched::Checks => CheckResult::Failed(1),
            result => result,
        };
        let last_line = last_line(&end);
        let telling_line = match result {
            CheckResult::Passed => String::new(),
            _ => telling_line(&end).chars().take(LAST_LINE).collect(),
        };
        CheckOutcome {
            check: self.check,
            result,
            duration: self.timed.taken(now),
            log: self.name,
            telling_line: if telling_line == last_line { String::new() } else { telling_line },
            last_line,
        }
    }
}

/// The check's log, below the run's folder.
pub(super) fn log_name(setting: &CheckSetting<'_>) -> String {
    let stage = match setting.stage {
        CheckStage::Baseline => "baseline",
        CheckStage::Candidate => "candidate",
        CheckStage::Committed => "committed",
        CheckStage::Merged => "merged",
    };
    let Some(turn) = setting.turn else {
        return format!("{stage}/{}.log", setting.check);
    };
    let call = setting.folder.call(turn.iteration, turn.attempt, windlass_core::values::Purpose::Work);
    let gates = call.gates();
    let gates = gates.strip_prefix(setting.folder.path()).unwrap_or(&gates);
    format!("{}/{stage}-{}.log", gates.display(), setting.check)
}

fn request(setting: &CheckSetting<'_>, check: &Check, output: OwnedFd) -> Result<SpawnRequest, ProcessError> {
    // outside: a device.
    let stdin = File::open("/dev/null").map_err(ProcessError::system("open /dev/null"))?;
    let stderr = output.try_clone().map_err(ProcessError::system("copy a pipe"))?;
    let mut environment = setting.environment.to_vec();
    let stage = format!("{:?}", setting.stage).to_lowercase();
    environment.push(("WINDLASS_HOOK_STAGE".into(), stage.into()));
    environment.push(("WINDLASS_HOOK_DIRECTORY".into(), setting.plan.directory.clone().into()));
    if let Some(turn) = setting.turn {
        environment.push(("WINDLASS_HOOK_ITERATION".into(), turn.iteration.to_string().into()));
        environment.push(("WINDLASS_HOOK_ATTEMPT".into(), turn.attempt.to_string().into()));
    }
    Ok(SpawnRequest {
        id: setting.id,
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), check.command.clone().into()],
        environment,
        directory: setting.plan.directory.clone(),
        stdin: stdin.into(),
        stdout: output,
        stderr,
    })
}

fn last_line(text: &str) -> String {
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    without_escapes(line).chars().filter(|char| !char.is_control()).take(LAST_LINE).collect()
}
