//! The shape of what is said of instructions, of work and of a plan: `validate`, `verify`.

use strum::VariantNames as _;
use windlass_core::values::{Assessed, Confidence};
use windlass_jobs::doc::plan::RequirementKind;

use super::Field;
use super::Presence::{Always, Sometimes};
use super::Shape::{self, Flag, Integer, List, Nullable, Number, Object, OneOf, Reason, Text};
use super::documents::PROBLEM;

/// `validate`, and `verify` of a workspace.
pub(super) const JUDGEMENT: &[Field] = &[
    ("workspace", Text, Always),
    ("run", Text, Always),
    ("verdict", Nullable(&OneOf(Assessed::VARIANTS)), Always),
    ("confidence", Nullable(&OneOf(Confidence::VARIANTS)), Always),
    ("summary", Nullable(&Text), Always),
    (
        "findings",
        List(&Object(&[("title", Text, Always), ("detail", Text, Always), ("required", Flag, Always)])),
        Always,
    ),
    ("met", List(&Object(&[("title", Text, Always), ("evidence", Text, Sometimes)])), Always),
    ("recommendation", Nullable(&Text), Always),
    ("report", Text, Always),
    ("cost_usd", Number, Always),
    ("estimated_usd", Number, Always),
    ("stop_reason", Reason, Always),
    ("problem", Nullable(&Text), Always),
    ("exit_code", Integer, Always),
];

/// `verify --plan`.
pub(super) const PLAN: &[Field] = &[
    ("plan_type", OneOf(&["single_file", "hierarchical"]), Always),
    ("place", Text, Always),
    ("impl_dir", Nullable(&Text), Always),
    ("valid", Flag, Always),
    ("is_complete", Flag, Always),
    ("total_tasks", Integer, Always),
    ("pending_tasks", Integer, Always),
    ("in_progress_tasks", Integer, Always),
    ("completed_tasks", Integer, Always),
    ("tasks_with_refs", Integer, Always),
    ("orphan_tasks", Integer, Always),
    ("set_aside", Integer, Always),
    ("totals", TOTALS, Always),
    ("current_focus", Nullable(&Text), Always),
    ("next", Nullable(&TASK), Always),
    ("problems", List(&PROBLEM), Always),
    ("coverage", List(&COVERAGE), Always),
    ("features", List(&FEATURE), Always),
    ("cross_cutting", Nullable(&TOTALS), Always),
    ("tasks", List(&TASK), Always),
    ("skipped", List(&Text), Always),
    ("exit_code", Integer, Always),
];

const TOTALS: Shape = Object(&[
    ("total", Integer, Always),
    ("pending", Integer, Always),
    ("in_progress", Integer, Always),
    ("completed", Integer, Always),
]);

/// A task of a plan.
const TASK: Shape = Object(&[
    ("description", Text, Always),
    ("status", OneOf(&["pending", "in_progress", "completed"]), Always),
    ("file", Text, Always),
    ("line_number", Integer, Always),
    ("id", Nullable(&Text), Always),
    ("section", Text, Always),
    ("priority", Nullable(&Integer), Always),
    ("spec_refs", List(&Text), Always),
    ("dependencies", List(&Text), Always),
    ("complexity", Nullable(&OneOf(&["low", "medium", "high"])), Always),
    ("files", List(&Text), Always),
]);

/// A spec, and what of it the plan's tasks name.
const COVERAGE: Shape = Object(&[
    ("spec_name", Text, Always),
    ("requirement_count", Integer, Always),
    ("task_count", Integer, Always),
    ("named_count", Integer, Always),
    ("covered_count", Integer, Always),
    ("coverage_percent", Integer, Always),
    (
        "requirements",
        List(&Object(&[
            ("id", Text, Always),
            ("line", Integer, Always),
            ("kind", OneOf(RequirementKind::VARIANTS), Always),
            ("text", Text, Always),
            ("named", Flag, Always),
        ])),
        Always,
    ),
]);

/// A file of a plan that is a folder.
const FEATURE: Shape = Object(&[
    ("name", Text, Always),
    ("file", Text, Always),
    ("status", OneOf(&["pending", "in_progress", "complete"]), Always),
    ("total_tasks", Integer, Always),
    ("pending_tasks", Integer, Always),
    ("in_progress_tasks", Integer, Always),
    ("completed_tasks", Integer, Always),
    ("completion_percent", Integer, Always),
    ("spec_ref", Nullable(&Text), Always),
]);
