//! `restore`: puts files back.

use windlass_app::AppError;
use windlass_app::restore::{LeftAlone, Repaired, RestoreFiles, Restored, RestoredFiles, WhyLeft};
use windlass_core::words::some_of;
use windlass_ui::{Line, one_line};

use super::{app, done, notice, print_lines};
use crate::args::RestoreArgs;

/// Paths of a kind that are named; the others are counted.
const NAMED: usize = 10;

/// Does it.
pub fn run(args: &RestoreArgs) -> Result<(), AppError> {
    let restored = app()?.restore(&RestoreFiles {
        run: args.run.clone(),
        to: args.iteration.0,
        before: args.before,
        repository: args.repository,
        paths: args.paths.clone(),
    })?;
    print_lines(&said(&restored))
}

fn said(files: &RestoredFiles) -> Vec<Line> {
    let RestoredFiles { of_a_lane, repaired, restored, .. } = files;
    let mut lines = vec![headline(restored, &files.when())];
    if *of_a_lane {
        lines.push(notice(
            "it was worked on in a lane: what landed after it had begun is in git, and not in these files",
        ));
    }
    if let Some(repaired) = repaired {
        lines.push(repository_line(repaired));
        lines.extend(repaired.left_alone.iter().map(|sentence| notice(sentence)));
    }
    lines.extend(restored.left_alone.iter().take(NAMED).map(|left| notice(&format!("left alone: {left}"))));
    if restored.left_alone.len() > NAMED {
        lines.push(notice(&format!("{} more paths were left alone", restored.left_alone.len() - NAMED)));
    }
    lines.extend(named("written", &restored.written));
    lines.extend(named("removed", &restored.removed));
    lines.extend(files.undo().map(|command| Line::new().dim("  undo     ").command(command)));
    lines
}

/// `  written  a, b and 3 more`.
fn named(what: &str, paths: &[Vec<u8>]) -> Option<Line> {
    let names = paths.iter().map(|path| one_line(&String::from_utf8_lossy(path)));
    (!paths.is_empty()).then(|| Line::hanging(11).dim(format!("  {what}  ")).plain(some_of(names, NAMED)))
}

fn headline(restored: &Restored, when: &str) -> Line {
    let Restored { written, removed, unchanged, left_alone, .. } = restored;
    let could_not = |left: &&LeftAlone| {
        matches!(left.why, WhyLeft::Gone(_) | WhyLeft::CannotBeKept | WhyLeft::InTheWay | WhyLeft::Failed(_))
    };
    let missed = left_alone.iter().filter(could_not).count();
    if missed > 0 {
        let paths = if missed == 1 { "1 path" } else { &format!("{missed} paths") };
        let (written, removed) = (written.len(), removed.len());
        return notice(&format!(
            "not all files are as they were {when}: {paths} could not be put back; {written} written, {removed} removed, \
             {unchanged} unchanged"
        ));
    }
    if written.is_empty() && removed.is_empty() {
        return done(&format!("nothing to do: the files are as they were {when}"));
    }
    let (written, removed) = (written.len(), removed.len());
    done(&format!("the files are as they were {when}"))
        .dim(format!(": {written} written, {removed} removed, {unchanged} unchanged"))
}

fn repository_line(repaired: &Repaired) -> Line {
    let what = "branches, tags, HEAD, index, settings and hooks are";
    done(&match repaired.done {
        0 => format!("{what} as they were"),
        1 => format!("{what} put back: 1 step"),
        done => format!("{what} put back: {done} steps"),
    })
}
