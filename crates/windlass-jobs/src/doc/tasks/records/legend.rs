//! Which words a document says that its records have for how far they are: `"status_legend": {"passing": "…"}`.

use serde_json::value::RawValue;

use super::Records;
use super::members::Members;
use crate::doc::tasks::status;

/// What such a list is called, beside the records or in an object there.
const LEGENDS: &[&str] =
    &["status_legend", "statusLegend", "valid_status", "valid_statuses", "validStatuses", "statuses"];

/// So many of its words are looked at.
const MOST_WORDS: usize = 8;

impl<'a> Records<'a> {
    /// Takes in the words of a document's legend.
    pub(super) fn legend(&mut self, members: &Members<'a>) {
        let inner = members.0.iter().filter_map(|(_, value)| Members::of(value.get())?.first(LEGENDS));
        let Some(legend) = members.first(LEGENDS).or_else(|| inner.into_iter().next()) else { return };
        for word in words(legend).into_iter().take(MOST_WORDS) {
            if let Some(state) = status::state_of(&word) {
                self.found.about.words.see(state, &word);
            }
        }
    }
}

/// The names of an object, or the texts of a list.
fn words(legend: &RawValue) -> Vec<String> {
    match Members::of(legend.get()) {
        Some(members) => members.0.into_iter().map(|(name, _)| name).collect(),
        None => serde_json::from_str(legend.get()).unwrap_or_default(),
    }
}
