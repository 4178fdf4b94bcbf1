//! Lines about tasks, lanes and the repository.

use strum::VariantNames as _;
use windlass_core::damage::DamageCourse;
use windlass_core::values::TaskState;

use super::Presence::{Always, Sometimes};
use super::Shape::{Anything, Flag, Integer, List, Object, OneOf, Text};
use super::{EVIDENCE, Field};

const TASK_ROW: &[Field] = &[
    ("id", Text, Always),
    ("title", Text, Always),
    ("state", OneOf(TaskState::VARIANTS), Always),
    ("priority", Integer, Always),
    ("dependencies", List(&Text), Sometimes),
    ("kind", Text, Sometimes),
    ("breaking", Text, Sometimes),
    ("agent", Text, Sometimes),
    ("requires", List(&Text), Sometimes),
    ("protected", List(&Text), Sometimes),
    ("unclear", Text, Sometimes),
    ("vouched", Flag, Sometimes),
];

/// Made from facts: each type, and what it has beyond the head.
pub(in crate::view) const TASK_FACTS: &[(&str, &[Field])] = &[
    ("tasks_read", &[("tasks", List(&Object(TASK_ROW)), Always)]),
    ("lane_opened", &[("base", Text, Always), ("evidence", EVIDENCE, Always), ("snapshot", Text, Sometimes)]),
    ("merged", &[("tip", Text, Always), ("outcome", Anything, Always), ("evidence", EVIDENCE, Always)]),
    ("landed", &[("outcome", Anything, Always)]),
    (
        "damaged",
        &[
            ("iteration", Integer, Always),
            ("attempt", Integer, Always),
            ("found", List(&Anything), Always),
            ("course", OneOf(DamageCourse::VARIANTS), Always),
        ],
    ),
    ("undone", &[("evidence", EVIDENCE, Always), ("standing", Anything, Sometimes)]),
    (
        "task_finished",
        &[
            ("iteration", Integer, Always),
            ("task", Text, Always),
            ("outcome", OneOf(&["done", "again", "parked"]), Always),
            ("reason", Text, Sometimes),
            ("branch", Text, Sometimes),
            ("evidence", EVIDENCE, Always),
            ("snapshot", Text, Sometimes),
        ],
    ),
];
