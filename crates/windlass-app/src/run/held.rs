//! A working directory that somebody else has: who, and what to do about it.

use std::path::Path;

use windlass_engine::store::lock::HeldBy;
use windlass_engine::store::session_folder::is_session;

use crate::error::{AppError, Kind};
use crate::inspect::which::holder_in_words;

/// What is said of it.
pub fn error(directory: &Path, by: HeldBy, kind: Kind) -> AppError {
    let locked = |message: String| AppError::new(kind, message);
    let shown = directory.display();
    match by {
        HeldBy::Live(holder) => {
            let (run, process) = (&holder.run, holder.process_in_words());
            let (what, since) = (holder_in_words(run), holder.since.strftime("%H:%M:%S UTC"));
            let (place, is_beside) = (holder.directory.display(), holder.directory != directory);
            let why = if is_beside {
                ", a folder of the same checkout: each would commit and undo what the other does"
            } else {
                ""
            };
            let error = locked(format!("{what} ({process}, since {since}) works in {place}{why}"));
            let error = if is_session(run) {
                error.hint("End it in its terminal first.")
            } else {
                error
                    .hint(format!("Watch it: windlass status {run}, windlass logs -f {run}"))
                    .hint(format!("End it after its iteration: windlass stop {run}"))
            };
            if is_beside {
                error.hint("Both at once: give one a checkout of its own (run … --worktree NAME)")
            } else {
                error
            }
        }
        HeldBy::Leftovers(holder, keepers) => {
            let what = holder_in_words(&holder.run);
            let error = locked(format!("{what} was killed, and what it started is still being ended"))
                .hint("Try again in a few seconds.");
            let keepers: Vec<String> = keepers.iter().map(u32::to_string).collect();
            if keepers.is_empty() {
                return error;
            }
            let keepers = keepers.join(" ");
            error.hint(format!("If it is still so then, end what stands still: kill -KILL {keepers}"))
        }
        HeldBy::Elsewhere(process) => {
            let process = process.map_or_else(String::new, |pid| format!(" (process {pid})"));
            locked(format!("another run{process} works in {shown}; it keeps its state elsewhere"))
                .hint("Its WINDLASS_STATE_DIR or XDG_STATE_HOME is another one, or its user or container is.")
                .hint("Stop it there, or wait for its end.")
        }
        HeldBy::Nameless => {
            locked(format!("another process holds {shown}")).hint("Try again in a few seconds.")
        }
    }
}
