//! What went wrong before, after or beside a run, for a person: one sentence, and what to do about it.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use windlass_core::config::ConfigError;
use windlass_core::values::{ExitCodes, StopReason};
use windlass_engine::config_file::ConfigFileError;
use windlass_engine::interactive::InteractiveError;
use windlass_engine::snapshot::{RestoreError, SnapshotError};
use windlass_engine::store::StoreError;
use windlass_engine::workspace::{WorkspaceError, guard};
use windlass_host::process::ProcessError;
use windlass_ui::{Glyphs, Stream, Terminal, render_error};

use crate::commands::exit_codes_here;
use crate::scripted_agent::ScriptError;

/// What kind of thing went wrong; it decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The command line asks for something that does not exist or does not go together.
    Usage,
    /// A configuration file, a variable or a script is wrong.
    Configuration,
    /// The system refused something: a file, a process, a disk.
    System,
    /// The same as a stop reason, before there is a run.
    Stopped(StopReason, Codes),
    /// A defect of Windlass.
    Internal,
}

/// Which codes an error ends with that is the same as a stop reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codes {
    /// Those of the run, or of the configuration that was read.
    Of(ExitCodes),
    /// Those that are configured where it was called: nothing has been read yet.
    AsConfigured,
}

impl From<ExitCodes> for Codes {
    fn from(codes: ExitCodes) -> Codes {
        Codes::Of(codes)
    }
}

impl Kind {
    /// The same as a stop reason, before there is a run.
    pub fn stopped(reason: StopReason, codes: impl Into<Codes>) -> Kind {
        Kind::Stopped(reason, codes.into())
    }

    fn exit_code(self) -> u8 {
        match self {
            Kind::Usage | Kind::Configuration => 2,
            Kind::System | Kind::Internal => 1,
            Kind::Stopped(reason, Codes::Of(codes)) => reason.exit_code(codes),
            Kind::Stopped(reason, Codes::AsConfigured) => reason.exit_code(exit_codes_here()),
        }
    }
}

/// An error on its way to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CliError {
    /// What kind of thing went wrong.
    pub kind: Kind,
    /// What went wrong: sentences, one per line.
    pub message: String,
    /// What to do: one line each; commands stand there as they can be typed.
    pub hints: Vec<String>,
}

impl CliError {
    /// An error without hints.
    pub fn new(kind: Kind, message: impl Into<String>) -> CliError {
        CliError { kind, message: message.into(), hints: Vec::new() }
    }

    /// A wrong command line.
    pub fn usage(message: impl Into<String>) -> CliError {
        CliError::new(Kind::Usage, message)
    }

    /// Adds a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> CliError {
        self.hints.push(hint.into());
        self
    }

    /// `--exit-codes` counts before what is configured.
    pub fn by_flag(mut self, flag: Option<&str>) -> CliError {
        let codes = match flag {
            Some("simple") => ExitCodes::Simple,
            Some("detailed") => ExitCodes::Detailed,
            _ => return self,
        };
        if let Kind::Stopped(reason, Codes::AsConfigured) = self.kind {
            self.kind = Kind::stopped(reason, codes);
        }
        self
    }

    /// Says it on standard error; the exit code.
    pub fn report(&self) -> ExitCode {
        let terminal = Terminal::detect(Stream::Stderr, Glyphs::Unicode);
        // Where standard error is closed nobody is there to be told; the exit code still says it.
        let _ = io::stderr().write_all(self.rendered(&terminal).as_bytes());
        ExitCode::from(self.kind.exit_code())
    }

    /// Each line of the message is an error of its own; the hints are about all of them.
    fn rendered(&self, terminal: &Terminal) -> String {
        let prefix = if self.kind == Kind::Internal { "internal error: " } else { "" };
        let mut lines = self.message.lines().peekable();
        let mut text = String::new();
        while let Some(line) = lines.next() {
            let hints = if lines.peek().is_none() { self.hints.as_slice() } else { &[] };
            text.push_str(&render_error(&format!("{prefix}{line}"), hints, terminal));
        }
        text
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rendered(&Terminal::plain()).trim_end())
    }
}

impl std::error::Error for CliError {}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> CliError {
        CliError::new(Kind::Configuration, error.to_string())
    }
}

impl From<WorkspaceError> for CliError {
    fn from(error: WorkspaceError) -> CliError {
        if let WorkspaceError::File(file) = &error
            && file.is_disk_full()
        {
            let path = file.path.display();
            return CliError::new(DISK_FULL, format!("the disk is full: cannot {} {path}", file.action))
                .hint("Nothing was lost: free some space, then do it again.");
        }
        let kind = match error {
            _ if error.is_disk_full() => DISK_FULL,
            WorkspaceError::Name(_)
            | WorkspaceError::NotFound { .. }
            | WorkspaceError::NotAFolder { .. }
            | WorkspaceError::LeadsOutside { .. }
            | WorkspaceError::OtherOptions { .. }
            | WorkspaceError::ForeignHook { .. }
            | WorkspaceError::SharedHooks { .. } => Kind::Usage,
            WorkspaceError::Live { .. } | WorkspaceError::InSession { .. } => {
                Kind::Stopped(StopReason::Locked, Codes::AsConfigured)
            }
            WorkspaceError::Busy { .. }
            | WorkspaceError::File(_)
            | WorkspaceError::Git(_)
            | WorkspaceError::Store(_) => Kind::System,
        };
        let said = CliError::new(kind, error.to_string());
        match error {
            WorkspaceError::NotFound { name, .. } => {
                said.hint("All there are: windlass list").hint(format!("Make it: windlass init {name}"))
            }
            WorkspaceError::InSession { .. } => said.hint("End it in its terminal first."),
            WorkspaceError::Live { run, .. } => said
                .hint(format!("Watch it: windlass status {run}"))
                .hint(format!("End it after its iteration: windlass stop {run}")),
            WorkspaceError::OtherOptions { name, key, .. } => {
                said.hint(format!("Change it: windlass config set -w {name} {key} VALUE"))
            }
            WorkspaceError::ForeignHook { .. } | WorkspaceError::SharedHooks { .. } => {
                let lines = guard::LINES.iter().map(|line| format!("  {line}"));
                lines.fold(
                    said.hint("To the same effect, add these lines to a pre-commit hook of your own:"),
                    CliError::hint,
                )
            }
            _ => said,
        }
    }
}

impl From<ConfigFileError> for CliError {
    fn from(error: ConfigFileError) -> CliError {
        let kind = match &error {
            ConfigFileError::File(error) if error.is_disk_full() => DISK_FULL,
            ConfigFileError::File(error) if error.action != "read" => Kind::System,
            _ => Kind::Configuration,
        };
        CliError::new(kind, error.to_string())
    }
}

impl From<ScriptError> for CliError {
    fn from(error: ScriptError) -> CliError {
        CliError::new(Kind::Configuration, error.to_string())
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> CliError {
        let kind = match error {
            // What was typed is wrong, not the machine.
            StoreError::NoSuchRun { .. } | StoreError::AmbiguousRun { .. } => Kind::Usage,
            StoreError::RelativeRoot { .. } => Kind::Configuration,
            _ if error.is_disk_full() => DISK_FULL,
            _ => Kind::System,
        };
        CliError::new(kind, error.to_string())
    }
}

impl From<SnapshotError> for CliError {
    fn from(error: SnapshotError) -> CliError {
        let kind = if error.is_disk_full() { DISK_FULL } else { Kind::System };
        let said = CliError::new(kind, error.to_string());
        match error {
            SnapshotError::Missing(_) | SnapshotError::Damaged { .. } => {
                said.hint("Another one may be whole: windlass restore RUN ITERATION")
            }
            _ => said,
        }
    }
}

impl From<RestoreError> for CliError {
    fn from(error: RestoreError) -> CliError {
        match error {
            RestoreError::Snapshot(error) => error.into(),
            other => CliError::new(Kind::System, other.to_string()),
        }
    }
}

impl From<InteractiveError> for CliError {
    fn from(error: InteractiveError) -> CliError {
        match error {
            InteractiveError::Snapshot(error) => error.into(),
            InteractiveError::Process(error) => error.into(),
            InteractiveError::Survey(error) => CliError::new(Kind::System, error.to_string()),
        }
    }
}

impl From<ProcessError> for CliError {
    fn from(error: ProcessError) -> CliError {
        CliError::new(Kind::System, error.to_string())
    }
}

/// No room is left.
pub const DISK_FULL: Kind = Kind::Stopped(StopReason::DiskFull, Codes::AsConfigured);
