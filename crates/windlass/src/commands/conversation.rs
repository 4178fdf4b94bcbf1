//! What came of a session of an agent and a person at this terminal, in lines.

use std::path::PathBuf;

use windlass_app::session::SessionEnd;
use windlass_core::values::Ended;
use windlass_ui::{Line, Mark, Tone, format, one_line};

/// Files that are named of those that changed beside the expected ones; the others are counted.
const NAMED: usize = 5;

/// What went wrong in it.
pub fn troubles(session: &SessionEnd) -> Vec<Line> {
    let mut lines: Vec<Line> = how_it_ended(session.ended).into_iter().collect();
    lines.extend(session.left.first().map(|pid| {
        notice(&format!("{} processes it started cannot be ended; the first is {pid}", session.left.len()))
    }));
    let kept = |trouble: &String| notice(&format!("the files were not kept afterwards: {trouble}"));
    lines.extend(session.trouble.as_ref().map(kept));
    lines
}

/// What it did to other files than `what`, which nobody expected.
pub fn beside(what: &str, session: &SessionEnd) -> Option<Line> {
    let others = &session.others;
    let said =
        || format!("{} changed beside {what}: {}", format::count(others.len() as u64, "file"), named(others));
    (!others.is_empty()).then(|| notice(&said()))
}

/// How all of it is undone.
pub fn undo(session: &SessionEnd) -> Option<Line> {
    session.undo().map(|command| Line::new().dim("  undo  ").command(command))
}

fn how_it_ended(ended: Ended) -> Option<Line> {
    match ended {
        Ended::Exited(0) => None,
        Ended::Exited(code) => Some(notice(&format!("the agent ended with exit code {code}"))),
        Ended::Signalled(signal) => Some(notice(&format!("the agent was ended by signal {signal}"))),
        Ended::Lost => Some(notice("the agent's end was not seen")),
    }
}

fn notice(sentence: &str) -> Line {
    Line::hanging(2).mark(Tone::Warn, Mark::Notice).plain(format!(" {}", one_line(sentence)))
}

fn named(paths: &[PathBuf]) -> String {
    let mut names: Vec<String> = paths.iter().take(NAMED).map(|path| path.display().to_string()).collect();
    if paths.len() > NAMED {
        names.push(format!("{} more", paths.len() - NAMED));
    }
    names.join(", ")
}
