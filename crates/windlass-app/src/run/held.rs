//! A working directory that somebody else has: who, and what to do about it.

use std::path::Path;

use windlass_engine::store::lock::HeldBy;
use windlass_engine::store::session_folder::is_session;

use crate::error::{AppError, Kind};
use crate::inspect::which::holder_in_words;

/// What is said of it.
pub fn error(directory: &Path, by: HeldBy, kind: Kind) -> AppError {
    let locked = |message: String| AppError::new(kind, message);
    let directory = directory.display();
    match by {
        HeldBy::Live(holder) => {
            let (run, process) = (&holder.run, holder.process_in_words());
            let (what, since) = (holder_in_words(run), holder.since.strftime("%H:%M:%S UTC"));
            let error = locked(format!("{what} ({process}, since {since}) works in {directory}"));
            if is_session(run) {
                error.hint("End it in its terminal first.")
            } else {
                error
                    .hint(format!("Watch it: windlass status {run}, windlass logs -f {run}"))
                    .hint(format!("End it after its iteration: windlass stop {run}"))
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
            locked(format!("another run{process} works in {directory}; it keeps its state elsewhere"))
                .hint("Its WINDLASS_STATE_DIR or XDG_STATE_HOME is another one, or its user or container is.")
                .hint("Stop it there, or wait for its end.")
        }
        HeldBy::Nameless => {
            locked(format!("another process holds {directory}")).hint("Try again in a few seconds.")
        }
    }
}
