//! `restore`: puts files back.

use std::process::ExitCode;

use windlass_app::AppError;
use windlass_app::restore::{RestoreFiles, RestoredFiles};
use windlass_app::run::launch;
use windlass_engine::store::session_folder::is_session;
use windlass_git::inventory::as_path;
use windlass_git::snapshot::{LeftAlone, Moment, Repaired, Restored, Side, SnapshotName, WhyLeft};
use windlass_ui::{Line, Mark, Tone, one_line};

use super::{app, print_lines};
use crate::args::RestoreArgs;

/// Paths that are named of those that were left alone; the others are counted.
const NAMED: usize = 10;

/// Does it.
pub fn run(args: &RestoreArgs) -> Result<ExitCode, AppError> {
    let restored = app()?.restore(&RestoreFiles {
        run: args.run.clone(),
        to: args.iteration.0,
        before: args.before,
        repository: args.repository,
    })?;
    print_lines(&said(&restored))?;
    Ok(ExitCode::SUCCESS)
}

fn said(done: &RestoredFiles) -> Vec<Line> {
    let RestoredFiles { name, of_a_lane, repaired, restored } = done;
    let mut lines = vec![headline(restored, name)];
    if *of_a_lane {
        lines.push(note(
            "it was worked on in a lane: what landed after it had begun is in git, and not in these files",
        ));
    }
    if let Some(repaired) = repaired {
        lines.push(repository_line(repaired));
        lines.extend(repaired.left_alone.iter().map(|sentence| note(sentence)));
    }
    lines.extend(restored.left_alone.iter().take(NAMED).map(|left| note(&left_alone(left))));
    if restored.left_alone.len() > NAMED {
        lines.push(note(&format!("{} more paths were left alone", restored.left_alone.len() - NAMED)));
    }
    lines.extend(done.undo().map(|command| Line::new().dim("  undo  ").command(command)));
    lines
}

fn headline(restored: &Restored, name: &SnapshotName) -> Line {
    let Restored { written, removed, unchanged, .. } = restored;
    let line = Line::hanging(2).mark(Tone::Good, Mark::Passed);
    let of = launch::holder_in_words(&name.run);
    // A session has no iterations.
    let when = match name.moment {
        Moment::Iteration { side, .. } if is_session(&name.run) => match side {
            Side::Before => format!("before {of}"),
            Side::After => format!("after {of}"),
        },
        moment => format!("{} of {of}", self::moment(moment)),
    };
    if written.is_empty() && removed.is_empty() {
        return line.plain(format!(" nothing to do: the files are as they were {when}"));
    }
    line.plain(format!(" the files are as they were {when}")).dim(format!(
        ": {} written, {} removed, {unchanged} unchanged",
        written.len(),
        removed.len()
    ))
}

fn moment(moment: Moment) -> String {
    match moment {
        Moment::Iteration { iteration, side: Side::Before, .. } => format!("before iteration {iteration}"),
        Moment::Iteration { iteration, side: Side::After, .. } => format!("after iteration {iteration}"),
        Moment::BeforeRestore { number } => format!("before restore {number}"),
    }
}

fn repository_line(repaired: &Repaired) -> Line {
    let line = Line::hanging(2).mark(Tone::Good, Mark::Passed);
    match repaired.done {
        0 => line.plain(" branches, tags, HEAD, index, settings and hooks are as they were"),
        1 => line.plain(" branches, tags, HEAD, index, settings and hooks are put back: 1 step"),
        done => {
            line.plain(format!(" branches, tags, HEAD, index, settings and hooks are put back: {done} steps"))
        }
    }
}

fn note(sentence: &str) -> Line {
    Line::hanging(4).plain("  ").mark(Tone::Warn, Mark::Notice).plain(format!(" {}", one_line(sentence)))
}

fn left_alone(left: &LeftAlone) -> String {
    let why = match &left.why {
        WhyLeft::NotInSnapshot(reason) => format!("the snapshot does not hold it ({})", reason.name()),
        WhyLeft::CannotBeKept => "what is there now is too large to be kept first, or unreadable".to_owned(),
        WhyLeft::Ignored => "git ignores it".to_owned(),
        WhyLeft::Submodule => "it is a repository of its own".to_owned(),
        WhyLeft::InTheWay => "something that no snapshot holds is in the way".to_owned(),
        WhyLeft::Failed(said) => said.clone(),
    };
    format!("left alone: {}: {why}", as_path(&left.path).display())
}
