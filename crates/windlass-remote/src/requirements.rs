//! What a worker has to have for an order.

use windlass_core::run::Order;
use windlass_fleet::names::{Class, Label};

/// The labels that the order's task requires; none where it is about no task. Labels that are none require nothing.
pub(crate) fn class_of(order: &Order) -> Class {
    let required = order.context.task().map(|task| task.row.requires.as_slice()).unwrap_or_default();
    let labels: Vec<Label> = required.iter().filter_map(|label| label.parse().ok()).collect();
    Class::of(labels).unwrap_or_default()
}
