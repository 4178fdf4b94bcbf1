//! Notifications that did not arrive.

use std::collections::BTreeMap;

use windlass_core::values::{Delivery, SinkKind};

/// Notifications that nobody accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Undelivered {
    /// In all.
    pub(crate) count: u32,
    /// In a row, by sink.
    pub(crate) in_a_row: BTreeMap<SinkKind, u32>,
}

impl Undelivered {
    pub(super) fn settle(&mut self, sink: SinkKind, delivery: Delivery) {
        let in_a_row = self.in_a_row.entry(sink).or_default();
        match delivery {
            Delivery::Sent => *in_a_row = 0,
            Delivery::Failed | Delivery::Abandoned => {
                *in_a_row = in_a_row.saturating_add(1);
                self.count = self.count.saturating_add(1);
            }
        }
    }
}
