//! What the errors of the core and the engine are to a person: of which kind.

use std::error::Error;

use windlass_core::config::ConfigError;
use windlass_core::values::{ExitCodes, StopReason};
use windlass_engine::config_file::ConfigFileError;
use windlass_engine::interactive::InteractiveError;
use windlass_engine::plan::MigrationError;
use windlass_engine::recovery::RecoveryError;
use windlass_engine::sandbox::SandboxError;
use windlass_engine::store::StoreError;
use windlass_engine::tasks::TasksError;
use windlass_engine::workspace::WorkspaceError;
use windlass_engine::workspace::archive::ArchiveError;
use windlass_engine::workspace::template::TemplateError;
use windlass_engine::worktree::WorktreeError;
use windlass_forge::{ForgeError, ForgeFault};
use windlass_git::snapshot::{RestoreError, SnapshotError};
use windlass_host::file::want_of_room;
use windlass_host::process::ProcessError;

use super::{AppError, Codes, Kind, hints};

impl From<ConfigError> for AppError {
    fn from(error: ConfigError) -> AppError {
        AppError::of(Kind::Configuration, error)
    }
}

impl From<ConfigFileError> for AppError {
    fn from(error: ConfigFileError) -> AppError {
        let kind = match &error {
            ConfigFileError::File(error) if error.action != "read" => Kind::System,
            _ => Kind::Configuration,
        };
        AppError::of(kind, error)
    }
}

impl From<WorkspaceError> for AppError {
    fn from(error: WorkspaceError) -> AppError {
        let kind = match &error {
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
        let message = match &error {
            WorkspaceError::File(file) if file.is_disk_full() => {
                let (want, _) = want_of_room(&file.source);
                format!("{want}: cannot {} {}", file.action, file.path.display())
            }
            _ => error.to_string(),
        };
        AppError { message, ..AppError::hinted(kind, error, hints::of_workspace) }
    }
}

impl From<TemplateError> for AppError {
    fn from(error: TemplateError) -> AppError {
        let kind = match error {
            TemplateError::Workspace(error) => return error.into(),
            TemplateError::NotFound { .. }
            | TemplateError::Exists { .. }
            | TemplateError::WouldReplace { .. }
            | TemplateError::BadName(_)
            | TemplateError::NoTemplate { .. } => Kind::Usage,
            TemplateError::Unusable { .. } | TemplateError::NoUserStore => Kind::Configuration,
            TemplateError::NoInstructions { .. } | TemplateError::File(_) => Kind::System,
        };
        AppError::hinted(kind, error, hints::of_template)
    }
}

impl From<ArchiveError> for AppError {
    fn from(error: ArchiveError) -> AppError {
        let kind = match error {
            ArchiveError::Workspace(error) => return error.into(),
            ArchiveError::BadName(_)
            | ArchiveError::NoSuch { .. }
            | ArchiveError::NoArchive { .. }
            | ArchiveError::Exists { .. }
            | ArchiveError::NoFolder { .. }
            | ArchiveError::Unarchivable { .. } => Kind::Usage,
            ArchiveError::Damaged { .. }
            | ArchiveError::LeadsOutside { .. }
            | ArchiveError::Hostile { .. }
            | ArchiveError::TooLarge { .. }
            | ArchiveError::File(_)
            | ArchiveError::Changed { .. }
            | ArchiveError::Unfaithful { .. } => Kind::System,
        };
        AppError::hinted(kind, error, hints::of_archive)
    }
}

impl From<WorktreeError> for AppError {
    fn from(error: WorktreeError) -> AppError {
        let kind = match error {
            WorktreeError::Git(_)
            | WorktreeError::File(_)
            | WorktreeError::Store(_)
            | WorktreeError::Bootstrap(_)
            | WorktreeError::NoBase { .. }
            | WorktreeError::Checkout { .. } => Kind::System,
            _ => Kind::Usage,
        };
        AppError::hinted(kind, error, hints::of_worktree)
    }
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> AppError {
        let kind = match error {
            // What was typed is wrong, not the machine.
            StoreError::NoSuchRun { .. } | StoreError::AmbiguousRun { .. } => Kind::Usage,
            StoreError::RelativeRoot { .. } | StoreError::NoHome { .. } => Kind::Configuration,
            _ => Kind::System,
        };
        AppError::of(kind, error)
    }
}

impl From<SnapshotError> for AppError {
    fn from(error: SnapshotError) -> AppError {
        AppError::of(Kind::System, error)
    }
}

impl From<RestoreError> for AppError {
    fn from(error: RestoreError) -> AppError {
        match error {
            RestoreError::Snapshot(error) => error.into(),
            other => AppError::system(other),
        }
    }
}

impl From<RecoveryError> for AppError {
    fn from(error: RecoveryError) -> AppError {
        AppError::system(error)
    }
}

impl From<InteractiveError> for AppError {
    fn from(error: InteractiveError) -> AppError {
        match error {
            InteractiveError::Snapshot(error) => error.into(),
            InteractiveError::Process(error) => error.into(),
            InteractiveError::Survey(error) => AppError::system(error),
        }
    }
}

impl From<ProcessError> for AppError {
    fn from(error: ProcessError) -> AppError {
        AppError::system(error)
    }
}

impl From<SandboxError> for AppError {
    fn from(error: SandboxError) -> AppError {
        let kind = match error {
            SandboxError::Unusable { .. } | SandboxError::Refused { .. } => Kind::Configuration,
            SandboxError::File(_) | SandboxError::Git(_) => Kind::System,
        };
        AppError::hinted(kind, error, hints::of_sandbox)
    }
}

impl From<TasksError> for AppError {
    fn from(error: TasksError) -> AppError {
        let kind = match error {
            TasksError::Missing { .. } | TasksError::NotThere(_) => Kind::Configuration,
            TasksError::Unreadable(_)
            | TasksError::NoPlace { .. }
            | TasksError::Unclear { .. }
            | TasksError::NoTask { .. }
            | TasksError::ByCommand { .. }
            | TasksError::NoFeature(_)
            | TasksError::Refused(_)
            | TasksError::InTheWay(_) => Kind::Usage,
            TasksError::Changed(_) | TasksError::CommandFailed { .. } | TasksError::File(_) => Kind::System,
        };
        AppError::hinted(kind, error, hints::of_tasks)
    }
}

impl From<MigrationError> for AppError {
    fn from(error: MigrationError) -> AppError {
        let kind = match error {
            MigrationError::Missing => Kind::Configuration,
            MigrationError::Already(_)
            | MigrationError::NoFolder
            | MigrationError::Link(_)
            | MigrationError::InTheWay(_)
            | MigrationError::Refused(_) => Kind::Usage,
            MigrationError::Changed(_) | MigrationError::File(_) | MigrationError::Left { .. } => {
                Kind::System
            }
        };
        AppError::hinted(kind, error, hints::of_migration)
    }
}

impl AppError {
    /// An error of the engine, with what to do about it.
    fn hinted<E: Error + Send + Sync + 'static>(
        kind: Kind,
        error: E,
        hints: fn(&E) -> Vec<String>,
    ) -> AppError {
        let hints = hints(&error);
        AppError::of(kind, error).with_hints(hints)
    }

    /// What cannot be used is like an agent that cannot be; what is not there was named wrongly.
    pub(crate) fn of_forge(error: ForgeError, codes: ExitCodes) -> AppError {
        let kind = match error.fault {
            ForgeFault::NotFound(_) | ForgeFault::Forbidden(_) | ForgeFault::Refused(_) => Kind::Usage,
            _ => Kind::stopped(StopReason::AgentUnavailable, codes),
        };
        let hint = error.hint.clone();
        let refused = AppError::of(kind, error);
        if hint.is_empty() { refused } else { refused.hint(hint) }
    }
}
