//! `archive`: workspaces are put away, and come back.

use jiff::Timestamp;
use windlass_app::workspaces::archive::{Afterwards, Archived, OutsideLinks, Restored};
use windlass_app::{AppError, Consent, Kind};
use windlass_ui::{Line, archive_json, archive_text, archives_json, archives_table, format, one_line};

use super::{Shape, app, done, from_here, nothing_deleted, notice, print_lines, stdout};
use crate::args::{ArchiveArgs, ArchiveVerb};

/// Links that are named of those that lead outside; the others are counted.
const NAMED: usize = 5;

/// Does it.
pub fn run(args: &ArchiveArgs) -> Result<(), AppError> {
    let app = app()?;
    match &args.verb {
        ArchiveVerb::Save { workspace, keep } => {
            let afterwards = if *keep { Afterwards::Keep } else { Afterwards::Remove };
            tell(workspace, &app.save_archive(workspace, afterwards)?, afterwards)
        }
        ArchiveVerb::List { json } => {
            let rows = app.archives()?;
            let table = || archives_table(&rows, Timestamp::now(), &stdout());
            Shape::of(*json).print(|| archives_json(&rows), table)
        }
        ArchiveVerb::Restore { archive, name, outside_links } => {
            let outside = if *outside_links { OutsideLinks::Allow } else { OutsideLinks::Refuse };
            print_lines(&restored(&app.restore_archive(archive, name.as_deref(), outside)?))
        }
        ArchiveVerb::Show { archive, json } => {
            let shown = app.archive(archive)?;
            let text = || archive_text(&shown, Timestamp::now(), &stdout());
            Shape::of(*json).print(|| archive_json(&shown), text)
        }
        ArchiveVerb::Delete { archive, yes } => match app.delete_archive(archive, Consent::by_flag(*yes))? {
            None => nothing_deleted(),
            Some(name) => print_lines(&[done(&format!("archive {name} is deleted"))]),
        },
    }
}

/// What was done, and how it is undone; an error where the workspace could not be deleted.
pub fn tell(name: &str, archived: &Archived, afterwards: Afterwards) -> Result<(), AppError> {
    let deleted = afterwards == Afterwards::Remove && archived.not_removed.is_none();
    let size = format!(" · {}, {}", format::count(archived.files, "file"), format::bytes(archived.bytes));
    let line = done(&format!("workspace {name} is archived"));
    let line = if deleted { line.plain(" and ").tone(windlass_ui::Tone::Warn, "deleted") } else { line };
    let path = from_here(&archived.archive.path);
    let mut lines = vec![line.dim(size), Line::new().dim("  archive  ").plain(path)];
    lines.extend(
        archived.outside.iter().take(NAMED).map(|(link, target)| {
            notice(&format!("{} leads outside, to {}", link.display(), target.display()))
        }),
    );
    if archived.outside.len() > NAMED {
        lines.push(Line::new().dim(format!("    and {} more links", archived.outside.len() - NAMED)));
    }
    let flag = if archived.outside.is_empty() { "" } else { " --outside-links" };
    let restore = format!("windlass archive restore {}{flag}", archived.archive.name);
    let label = if deleted { "  undo     " } else { "  restore  " };
    lines.push(Line::new().dim(label).command(restore));
    print_lines(&lines)?;
    match &archived.not_removed {
        None => Ok(()),
        Some(why) => {
            Err(AppError::new(Kind::System, format!("workspace {name} is archived, but not deleted: {why}")))
        }
    }
}

fn restored(restored: &Restored) -> Vec<Line> {
    let name = &restored.name;
    let size = format!(" · {}, {}", format::count(restored.files, "file"), format::bytes(restored.bytes));
    vec![
        done(&format!("workspace {name} is restored")).dim(size),
        Line::new().dim("  from  ").plain(one_line(&restored.archive)).dim(", which stays"),
        Line::new().dim("  next  ").command(format!("windlass show {name}")),
    ]
}
