//! `restore`: puts files back.

use std::process::ExitCode;

use windlass_app::AppError;
use windlass_app::restore::{LeftAlone, Repaired, RestoreFiles, Restored, RestoredFiles, WhyLeft};
use windlass_core::words::some_of;
use windlass_ui::{Line, one_line};

use super::{app, done, notice, print_lines};
use crate::args::RestoreArgs;

/// Paths of a kind that are named; the others are counted.
const NAMED: usize = 10;

/// References that are named: whoever works on one of them wants to know.
const MOVED: usize = 100;

/// Does it. Where not all of it could be done that is an error.
pub fn run(args: &RestoreArgs) -> Result<ExitCode, AppError> {
    let restored = app()?.restore(&RestoreFiles {
        run: args.run.clone(),
        to: args.iteration.0,
        before: args.before,
        repository: args.repository,
        paths: args.paths.clone(),
    })?;
    print_lines(&said(&restored))?;
    let is_all = missed(&restored.restored) == 0
        && restored.repaired.as_ref().is_none_or(|repaired| repaired.failed == 0);
    Ok(if is_all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
        lines.extend(moved(repaired));
        lines.extend(unnamed(files));
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

/// `  moved    main 1234567ab -> 89abcdef0`.
fn moved(repaired: &Repaired) -> Option<Line> {
    let moved = repaired.moved.iter().map(|reference| one_line(&reference.to_string()));
    let line = || Line::hanging(11).dim("  moved    ").plain(some_of(moved, MOVED));
    (!repaired.moved.is_empty()).then(line)
}

/// The snapshot after an iteration is of before its commit: whoever puts the repository back to it has to hear of that commit.
fn unnamed(files: &RestoredFiles) -> Vec<Line> {
    let commits = files.unnamed.iter().map(|commit| one_line(commit));
    let newest = files.unnamed.first().and_then(|commit| commit.split_once(' '));
    let Some((newest, _)) = newest else { return Vec::new() };
    let no_more = "no branch has any more what was committed since";
    vec![
        notice(&format!("{no_more}: {}", some_of(commits, NAMED))),
        Line::new().dim("  keep     ").command(format!("git branch kept {newest}")),
    ]
}

/// How many paths could not be put back.
fn missed(restored: &Restored) -> usize {
    let could_not = |left: &&LeftAlone| {
        matches!(
            left.why,
            WhyLeft::Gone(_)
                | WhyLeft::RepositoryGone
                | WhyLeft::CannotBeKept
                | WhyLeft::InTheWay
                | WhyLeft::Failed(_)
        )
    };
    restored.left_alone.iter().filter(could_not).count()
}

fn headline(restored: &Restored, when: &str) -> Line {
    let Restored { written, removed, unchanged, .. } = restored;
    let missed = missed(restored);
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
    if repaired.failed > 0 {
        let (done, failed) = (repaired.done, repaired.failed);
        let steps = if failed == 1 { "1 step" } else { &format!("{failed} steps") };
        return notice(&format!("not all {what} as they were: {steps} could not be done, and {done} were"));
    }
    done(&match repaired.done {
        0 => format!("{what} as they were"),
        1 => format!("{what} put back: 1 step"),
        done => format!("{what} put back: {done} steps"),
    })
}
