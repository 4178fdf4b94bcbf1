//! What to do about what the engine could not do. What an error of this library's own calls for stands where it is made.

use std::ffi::OsStr;

use windlass_engine::plan::MigrationError;
use windlass_engine::sandbox::SandboxError;
use windlass_engine::tasks::TasksError;
use windlass_engine::workspace::archive::ArchiveError;
use windlass_engine::workspace::template::TemplateError;
use windlass_engine::workspace::{WorkspaceError, guard};
use windlass_engine::worktree::WorktreeError;
use windlass_engine::worktree::bootstrap::BootstrapError;
use windlass_host::file::want_of_room;
use windlass_jobs::doc::plan::migrate::MigrateError;

use crate::text::quoted;

/// Hints as they can be typed.
type Hints = Vec<String>;

fn one(text: &str) -> Hints {
    vec![text.to_owned()]
}

pub(super) fn of_workspace(error: &WorkspaceError) -> Hints {
    match error {
        WorkspaceError::File(file) if file.is_disk_full() => {
            let (_, remedy) = want_of_room(&file.source);
            vec![format!("Nothing was lost: {remedy}, then do it again.")]
        }
        WorkspaceError::NotFound { name, .. } => {
            vec!["All there are: windlass list".to_owned(), format!("Make it: windlass init {name}")]
        }
        WorkspaceError::InSession { .. } => one("End it in its terminal first."),
        WorkspaceError::Live { run, .. } => vec![
            format!("Watch it: windlass status {run}"),
            format!("End it after its iteration: windlass stop {run}"),
        ],
        WorkspaceError::OtherOptions { name, key, .. } => {
            vec![format!("Change it: windlass config set -w {name} {key} VALUE")]
        }
        WorkspaceError::ForeignHook { .. } | WorkspaceError::SharedHooks { .. } => {
            let lines = guard::LINES.iter().map(|line| format!("  {line}"));
            let before = "Or add these lines to a pre-commit hook of your own:".to_owned();
            std::iter::once(before).chain(lines).collect()
        }
        _ => Hints::new(),
    }
}

pub(super) fn of_template(error: &TemplateError) -> Hints {
    match error {
        TemplateError::NotFound { .. } => one("All there are: windlass template list"),
        TemplateError::Exists { .. } => one("Replace it: add --force"),
        TemplateError::WouldReplace { .. } => one("Replace them, with copies of what is there: add --force"),
        _ => Hints::new(),
    }
}

pub(super) fn of_archive(error: &ArchiveError) -> Hints {
    match error {
        ArchiveError::BadName(_) => one("All there are: windlass archive list"),
        ArchiveError::NoSuch { near, .. } if near.is_empty() => one("All there are: windlass archive list"),
        ArchiveError::NoSuch { near, .. } => {
            let names = near.iter().map(|name| format!("  {name}"));
            std::iter::once("Perhaps one of these:".to_owned()).chain(names).collect()
        }
        ArchiveError::Damaged { .. } => {
            one("The archive is left as it is, and no workspace was made from it.")
        }
        ArchiveError::LeadsOutside { .. } => {
            one("No workspace was made from it. To make such links as well, add --outside-links")
        }
        ArchiveError::Hostile { .. } | ArchiveError::TooLarge { .. } => {
            one("No workspace was made from it. Others: windlass archive list")
        }
        _ => Hints::new(),
    }
}

pub(super) fn of_worktree(error: &WorktreeError) -> Hints {
    match error {
        WorktreeError::Name { .. } => one("Such as: fix-login"),
        WorktreeError::NotFound(_) | WorktreeError::Foreign(_) => {
            one("Those that windlass made: windlass worktree list")
        }
        WorktreeError::Collides { other, .. } => {
            one(&format!("Use that one, --worktree {other}, or choose another name."))
        }
        WorktreeError::NoCommit => one("Make one: git add --all && git commit --message 'Begin'"),
        WorktreeError::BranchThere { branch } => vec![
            "Choose another name.".to_owned(),
            format!("Or, if it is merged and not needed any more: git branch -d {}", quoted(branch.as_ref())),
        ],
        WorktreeError::BranchBlocked { other, .. } => {
            one(&format!("Rename it: git branch -m {} ANOTHER-NAME", quoted(other.as_ref())))
        }
        WorktreeError::InsideProject { .. } | WorktreeError::NoBase { .. } => {
            one("Choose another folder: windlass config set worktree.base PATH")
        }
        WorktreeError::PathTaken(_) => one("Choose another name, or move what is there out of the way."),
        WorktreeError::Broken(path) => {
            one(&format!("Fix it: git worktree repair {}", quoted(path.as_os_str())))
        }
        WorktreeError::LockedAway { path, .. } => vec![
            "Is it on a disk that is not there now? Then attach that.".to_owned(),
            format!("If it is gone for good: git worktree unlock {}", quoted(path.as_os_str())),
        ],
        WorktreeError::Checkout { .. } => one("Once this is fixed, the same command goes on where it was."),
        WorktreeError::Bootstrap(BootstrapError::TooMuch { .. }) => {
            one("Name less, or allow more: windlass config set worktree.include_size 8g")
        }
        _ => Hints::new(),
    }
}

pub(super) fn of_sandbox(error: &SandboxError) -> Hints {
    match error {
        SandboxError::Unusable { instead: Some(kind), .. } => {
            one(&format!("This one works here: --sandbox {kind}"))
        }
        SandboxError::Unusable { instead: None, .. } => {
            one("No other works here either. Why: windlass doctor")
        }
        SandboxError::Refused { hint, .. } => one(hint),
        SandboxError::File(_) | SandboxError::Git(_) => Hints::new(),
    }
}

pub(super) fn of_tasks(error: &TasksError) -> Hints {
    match error {
        TasksError::Missing { .. } => one(
            "To read another one: windlass tasks --file PATH; tasks.file in the configuration names it for good",
        ),
        TasksError::Unreadable(problem) => {
            let file = quoted(OsStr::new(&*problem.file));
            one(&format!("See what is wrong: windlass tasks validate -f {file}"))
        }
        TasksError::NoPlace { place, .. } | TasksError::Unclear { place, .. } => {
            let place = quoted(place.as_os_str());
            one(&format!("See what is wrong: windlass tasks validate -f {place}"))
        }
        TasksError::NoTask { place, .. } => {
            one(&format!("See which there are: windlass tasks list -f {}", quoted(place.as_os_str())))
        }
        TasksError::ByCommand { command, .. } => {
            one(&format!("Install {} for `windlass tasks` to tell it by itself.", command.program))
        }
        TasksError::Changed(_) => one("Do it again."),
        TasksError::File(_) => one("The task file is as it was."),
        TasksError::NotThere(_)
        | TasksError::CommandFailed { .. }
        | TasksError::NoFeature(_)
        | TasksError::Refused(_)
        | TasksError::InTheWay(_) => Hints::new(),
    }
}

pub(super) fn of_migration(error: &MigrationError) -> Hints {
    match error {
        MigrationError::InTheWay(_) => one("The plan is as it was. Move it away, then do it again."),
        MigrationError::Refused(MigrateError::Unreadable(_) | MigrateError::TaskChanged { .. }) => {
            one("Nothing is wrong with the plan: it is as it was, and is worked off in this form as well.")
        }
        MigrationError::Refused(MigrateError::Unusable(_)) => {
            one("The plan is as it was. See what is wrong: windlass verify --plan")
        }
        MigrationError::Changed(_) => one("Do it again."),
        MigrationError::File(_) => one("The plan is as it was."),
        _ => Hints::new(),
    }
}
