//! `init` without a name: the project's own folder, and what plans begin with.

use windlass_app::beginning::{InitProject, InitedProject, NextStep};
use windlass_app::{AppError, quoted};
use windlass_ui::{Line, one_line};

use super::init_lines::{guard_line, ignored_line, labelled, repository};
use super::{app, done, from_here, print_lines};
use crate::args::InitArgs;

/// Does it.
pub fn run(args: &InitArgs) -> Result<(), AppError> {
    let request = InitProject { plan: args.plan, guard: args.pre_commit_guard, repository: repository(args) };
    print_lines(&said(&app()?.init_project(&request)?))
}

fn said(inited: &InitedProject) -> Vec<Line> {
    let what = if inited.made.is_empty() { "is complete; nothing was missing" } else { "is ready" };
    let mut lines = vec![done(&format!("{} {what}", from_here(&inited.folder)))];
    for (label, names) in [("added", &inited.made), ("kept", &inited.kept)] {
        if !names.is_empty() {
            lines.push(labelled(label).plain(one_line(&names.join(", "))));
        }
    }
    lines.extend(inited.guard.iter().map(guard_line));
    lines.extend(inited.ignored.as_deref().map(ignored_line));
    if !inited.unignored.is_empty() {
        let line = labelled("ignore").plain(inited.unignored.join(", "));
        lines.push(line.dim("  by  ").command("windlass init --gitignore"));
    }
    lines.extend(inited.begun.iter().map(|begun| labelled("git").plain(one_line(begun))));
    lines.push(labelled("project").plain(inited.types.join(", ")));
    if let Some(first) = inited.checks.first() {
        let set = format!("windlass config set gates.commands --add {}", quoted(first.as_ref()));
        lines.push(labelled("checks").plain(inited.checks.join(", ")));
        lines.push(labelled("").dim("as gates  ").command(set));
    }
    lines.extend(next(&inited.next));
    lines
}

fn next(step: &NextStep) -> Vec<Line> {
    let line = labelled("next");
    match step {
        NextStep::Workspace => vec![line.command("windlass init NAME").dim("  makes a workspace")],
        NextStep::Build => vec![line.command("windlass build")],
        NextStep::Plan => vec![line.command("windlass plan")],
        NextStep::Specifications(folder) => vec![
            line.plain("write what is wanted into ")
                .plain(format!("{}/", one_line(&folder.display().to_string()))),
            labelled("then").command("windlass plan").dim("  then ").command("windlass build"),
        ],
    }
}
