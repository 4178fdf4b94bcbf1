//! One call of a hook: its pipes, who reads them, and what is made of them.

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;

use windlass_core::hook::{HookAnswer, HookEnd, LONGEST_REPLY, answer};
use windlass_core::values::{CheckResult, HookCommand, HookName};

use super::output::{Beginning, Log};
use windlass_host::process::stream::{StreamReader, Tail};
use windlass_host::process::{ProcessError, SpawnId, SpawnRequest, pipe};

/// What a call of a hook needs.
#[derive(Debug)]
pub(crate) struct HookRoom {
    pub hook: HookName,
    /// A file that is run is the one that it was when the run started.
    pub command: HookCommand,
    /// All of it.
    pub environment: Vec<(OsString, OsString)>,
    /// Where it runs, absolute.
    pub directory: PathBuf,
    /// Where its output goes; `None` = nowhere.
    pub log: Option<PathBuf>,
    pub id: SpawnId,
}

/// A call under way.
#[derive(Debug)]
pub(crate) struct HookAttempt {
    hook: HookName,
    stdout: Beginning,
    stderr: Tail,
    log: Log,
    readers: Vec<StreamReader>,
}

/// What came of a call.
#[derive(Debug)]
pub(crate) struct HookSaid {
    pub answer: HookAnswer,
    /// There is something in the log.
    pub has_log: bool,
    /// The beginning of its standard output.
    pub stdout: Vec<u8>,
    /// The end of its standard error.
    pub stderr: String,
}

impl HookAttempt {
    /// Makes its pipes and begins to read them; the request is for a keeper.
    pub fn set_up(room: HookRoom) -> Result<(HookAttempt, SpawnRequest), ProcessError> {
        // outside: a device.
        let nothing = File::open("/dev/null").map_err(ProcessError::system("open /dev/null"))?;
        let (from_hook, stdout) = pipe()?;
        let (from_errors, stderr) = pipe()?;
        let attempt = HookAttempt {
            hook: room.hook,
            stdout: Beginning::default(),
            stderr: Tail::default(),
            log: Log::awaited(room.log),
            readers: Vec::new(),
        };
        let (log, beginning) = (attempt.log.clone(), attempt.stdout.clone());
        let said = StreamReader::bytes(from_hook, move |bytes| {
            log.write(bytes);
            beginning.push(bytes, LONGEST_REPLY + 1);
        })?;
        let (log, tail) = (attempt.log.clone(), attempt.stderr.clone());
        let complained = StreamReader::bytes(from_errors, move |bytes| {
            log.write(bytes);
            tail.push(bytes);
        })?;
        let (program, arguments) = match room.command {
            HookCommand::Shell(command) => ("/bin/sh".into(), vec!["-c".into(), command.into()]),
            HookCommand::File(path) => (path, Vec::new()),
        };
        let request = SpawnRequest {
            id: room.id,
            program,
            arguments,
            environment: room.environment,
            directory: room.directory,
            stdin: nothing.into(),
            stdout,
            stderr,
        };
        Ok((HookAttempt { readers: vec![said, complained], ..attempt }, request))
    }

    /// Reads what is left in the pipes and says what it means. Nothing of the hook may be alive.
    pub fn end(self, result: CheckResult) -> HookSaid {
        self.readers.into_iter().for_each(StreamReader::finish);
        let (stdout, stderr) = (self.stdout.bytes(), self.stderr.text());
        let answer = answer(&HookEnd { hook: self.hook, result, stdout: &stdout, stderr: &stderr });
        HookSaid { answer, has_log: self.log.finish(), stdout, stderr }
    }

    /// Nobody waits for it any more.
    pub fn abandon(self) {
        self.readers.iter().for_each(StreamReader::stop);
    }
}
