//! What goes of old runs when a new one begins.

use windlass_core::config::RunsSettings;
use windlass_engine::store::retention::{Pruned, prune};
use windlass_ui::format;

use crate::here::Here;
use crate::run::going_on::is_open;

/// Removes the recordings of old runs that are beyond what is configured; says what a person should know of it. What can
/// go on without anything being raised is spared.
pub fn apply(here: &Here, keep: RunsSettings) -> Vec<String> {
    let failed = |error| format!("old recordings are not cleared away: {error}");
    match prune(&here.project, keep, is_open) {
        Ok(Pruned { runs, bytes, trouble }) => {
            let removed = (runs > 0).then(|| {
                let (runs, size) = (format::count(runs, "old run"), format::bytes(bytes));
                format!("the recordings of {runs} are removed, {size} (runs.keep, runs.keep_size); journals and snapshots stay")
            });
            removed.into_iter().chain(trouble.map(failed)).collect()
        }
        Err(error) => vec![failed(error)],
    }
}
