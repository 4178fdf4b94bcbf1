//! `init NAME`: makes a workspace, or adopts one that is there.

use std::process::ExitCode;
use windlass_core::values::Named;

use windlass_app::AppError;
use windlass_app::workspaces::{CreateWorkspace, Created};
use windlass_core::spec::Mode;
use windlass_core::workspace::WorkspaceName;
use windlass_ui::{Line, one_line};

use super::init_lines::guard_line;
use super::{app, done, flags, from_here, init_project, init_tasks, notice, print_lines, success};
use crate::args::{InitArgs, WorkspaceMode};

/// Does it.
pub fn run(args: &InitArgs) -> Result<ExitCode, AppError> {
    if args.task_file.tasks {
        return init_tasks::run(args);
    }
    if args.task_file.trust.is_given() {
        return Err(AppError::usage("--trust and --no-claude-settings are for a session with the agent")
            .hint("There is one with a task file: windlass init --tasks"));
    }
    let Some(name) = &args.name else {
        return init_project::run(args).map(success);
    };
    let name = WorkspaceName::parse(name).map_err(|error| AppError::usage(error.to_string()))?;
    let (created, guard) = app()?.create_workspace(&CreateWorkspace {
        name,
        mode: args.mode.map(mode),
        options: flags::options(args)?,
        guard: args.pre_commit_guard,
    })?;
    let mut lines = said(&created);
    lines.extend(guard.iter().map(guard_line));
    lines.extend(next(&created));
    print_lines(&lines).map(success)
}

const fn mode(mode: WorkspaceMode) -> Mode {
    match mode {
        WorkspaceMode::Loop => Mode::Loop,
        WorkspaceMode::Iterative => Mode::Iterative,
    }
}

fn said(created: &Created) -> Vec<Line> {
    let name = created.workspace.name();
    let what = match (created.is_new(), created.made.is_empty()) {
        (true, _) => "is made",
        (false, false) => "is adopted",
        (false, true) => "is complete; nothing was missing",
    };
    let line = done(&format!("workspace {name} {what}"));
    let mut lines = vec![line.dim(format!(" · {}", created.mode.name()))];
    lines.push(labelled("in", &from_here(created.workspace.folder())));
    if !created.is_new() {
        lines.extend(listed("added", &created.made));
        lines.extend(listed("kept", &created.kept));
    }
    lines.extend(listed("options", &created.adopted).map(|line| line.dim(" imported into config.toml")));
    lines.extend(created.left.iter().map(|sentence| notice(sentence)));
    lines.extend(
        created.former_mode.map(|former| {
            notice(&format!("the mode was {}; it is {} now", former.name(), created.mode.name()))
        }),
    );
    lines
}

fn next(created: &Created) -> Vec<Line> {
    let name = created.workspace.name();
    let may = "the agent edits the project's files and runs gates and what `permissions.allow` names; whatever else it \
               tries is refused, and listed after each iteration";
    let mut lines = vec![Line::hanging(11).dim("  allowed  ").plain(may)];
    if created.workspace.has_instructions() {
        lines.push(Line::new().dim("  next     ").command(format!("windlass run {name}")));
    } else {
        lines.push(Line::new().dim("  next     ").command(format!("windlass setup {name}")));
        let path = from_here(&created.workspace.instructions());
        lines.push(Line::new().dim("  or write ").plain(path));
    }
    lines
}

fn labelled(label: &str, text: &str) -> Line {
    Line::new().dim(format!("  {label:<9}")).plain(one_line(text))
}

fn listed(label: &str, names: &[impl AsRef<str>]) -> Option<Line> {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    (!names.is_empty()).then(|| labelled(label, &names.join(", ")).wrapping(11))
}
