//! A run that really happened, as its journal in the corpus tells it.

use std::sync::LazyLock;

use windlass_core::fact::{Entry, Fact};
use windlass_core::spec::RunSpec;
use windlass_engine::testing;

const JOURNAL: &[u8] = include_bytes!("../corpus/journal/complete.jsonl");

static ENTRIES: LazyLock<Vec<Entry>> =
    LazyLock::new(|| testing::journal(&[JOURNAL]).map(|(entries, _)| entries).unwrap_or_default());

/// Its plan.
pub(crate) fn plan() -> &'static RunSpec {
    match ENTRIES.first().map(|entry| &entry.fact) {
        Some(Fact::RunStarted { plan }) => plan,
        _ => panic!("corpus/journal/complete.jsonl is not a journal of this version: record it anew"),
    }
}
