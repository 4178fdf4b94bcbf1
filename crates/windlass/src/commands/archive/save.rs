//! `archive save`: a workspace becomes an archive.

use jiff::Timestamp;
use windlass_engine::workspace::archive::{Afterwards, Archived, Archives};
use windlass_ui::{Line, Mark, Tone, format, one_line};

use super::super::print_lines;
use crate::commands::from_here;
use windlass_app::workspaces::Project;
use windlass_app::{AppError, Kind};

/// Links that are named of those that lead outside; the others are counted.
const NAMED: usize = 5;

pub(super) fn run(project: &Project, name: &str, afterwards: Afterwards) -> Result<(), AppError> {
    let workspace = project.workspaces.find(name)?;
    let archived = Archives::of(&project.workspaces).save(
        &workspace,
        &project.here.project,
        afterwards,
        Timestamp::now(),
    )?;
    print_lines(&said(name, &archived, afterwards))?;
    match archived.not_removed {
        None => Ok(()),
        Some(why) => {
            Err(AppError::new(Kind::System, format!("workspace {name} is archived, but not deleted: {why}")))
        }
    }
}

/// What was done, and how it is undone.
pub fn said(name: &str, archived: &Archived, afterwards: Afterwards) -> Vec<Line> {
    let deleted = afterwards == Afterwards::Remove && archived.not_removed.is_none();
    let size = format!(" · {}, {}", format::count(archived.files, "file"), format::bytes(archived.bytes));
    let line =
        Line::hanging(2).mark(Tone::Good, Mark::Passed).plain(format!(" workspace {name} is archived"));
    let line = if deleted { line.plain(" and ").tone(Tone::Warn, "deleted") } else { line };
    let path = from_here(&archived.archive.path);
    let mut lines = vec![line.dim(size), Line::new().dim("  archive  ").plain(path)];
    lines.extend(archived.outside.iter().take(NAMED).map(|(link, target)| {
        let sentence = format!("{} leads outside, to {}", link.display(), target.display());
        Line::hanging(4).plain("  ").mark(Tone::Warn, Mark::Notice).plain(format!(" {}", one_line(&sentence)))
    }));
    if archived.outside.len() > NAMED {
        lines.push(Line::new().dim(format!("    and {} more links", archived.outside.len() - NAMED)));
    }
    let flag = if archived.outside.is_empty() { "" } else { " --outside-links" };
    let restore = format!("windlass archive restore {}{flag}", archived.archive.name);
    let label = if deleted { "  undo     " } else { "  restore  " };
    lines.push(Line::new().dim(label).command(restore));
    lines
}
