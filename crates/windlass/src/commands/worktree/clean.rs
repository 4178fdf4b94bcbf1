//! `worktree clean`.

use std::process::ExitCode;

use windlass_engine::worktree::{Refusal, Removal, Removed, Worktree};
use windlass_git::git::Repository;
use windlass_ui::{Line, Mark, Tone, one_line};

use crate::commands::print_lines;
use windlass_app::AppError;
use windlass_app::here::Here;
use windlass_app::quoted;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// What can go goes.
    Remove,
    /// It is only said.
    Say,
}

/// Does it: those of these names, or all where there are none.
///
/// # Errors
/// One that is named is not there, and then none is touched; or git fails.
pub fn run(here: &Here, repository: &Repository, names: &[String], deed: Deed) -> Result<ExitCode, AppError> {
    let mut worktrees = Vec::new();
    for name in names {
        let worktree = Worktree::find(repository, name)?;
        if !worktrees.contains(&worktree) {
            worktrees.push(worktree);
        }
    }
    if names.is_empty() {
        worktrees = Worktree::all(repository)?;
    }
    if worktrees.is_empty() {
        print_lines(&[Line::new().dim("there are no worktrees")])?;
    }
    let mut stayed = false;
    for worktree in &worktrees {
        let removal = Removal { worktree, repository, project: &here.project, from: &here.directory };
        let refusal = match deed {
            Deed::Say => removal.refusal()?.map_or_else(|| Ok(Removed { branch: true }), Err),
            Deed::Remove => removal.carry_out()?,
        };
        stayed |= refusal.is_err();
        print_lines(&[said(worktree, &refusal, deed)])?;
    }
    let failed = stayed && !names.is_empty();
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn said(worktree: &Worktree, outcome: &Result<Removed, Refusal>, deed: Deed) -> Line {
    let name = worktree.name.to_string();
    match outcome {
        Ok(Removed { branch }) => {
            let verb = if deed == Deed::Say { "would be removed" } else { "is removed" };
            let branch =
                if *branch { format!(", with its branch {}", worktree.name.branch()) } else { String::new() };
            Line::hanging(2)
                .mark(Tone::Good, Mark::Passed)
                .plain(" the worktree ")
                .strong(name)
                .plain(format!(" {verb}{branch}"))
        }
        Err(refusal) => {
            let why = one_line(&refusal.to_string());
            let remedy = one_line(&refusal.remedy(&quoted(worktree.tree.path.as_os_str())));
            Line::hanging(2)
                .mark(Tone::Warn, Mark::Notice)
                .plain(" the worktree ")
                .strong(name)
                .plain(format!(" stays: {why}; {remedy}"))
        }
    }
}
