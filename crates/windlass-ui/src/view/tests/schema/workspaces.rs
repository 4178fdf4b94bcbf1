//! The shape of what verbs print of workspaces, of what is kept of them, and of worktrees.

use strum::VariantNames as _;
use windlass_core::values::StatusSource;
use windlass_core::workspace::{VerificationStatus, WorkspaceStatus};

use super::Field;
use super::Presence::{Always, Sometimes};
use super::Shape::{self, Flag, Integer, List, Nullable, Object, OneOf, State, Text, Time};
use super::documents::{MODE, RUN_ROW};

/// `list`.
pub(super) const WORKSPACES: &[Field] = &[("workspaces", List(&Object(ROW)), Always)];

/// A workspace in a list.
pub(super) const ROW: &[Field] = &[
    ("name", Text, Always),
    ("mode", MODE, Always),
    ("state", OneOf(&["running", "interrupted", "in_progress", "completed", "error"]), Always),
    ("status", OneOf(WorkspaceStatus::VARIANTS), Always),
    ("run", Nullable(&Text), Always),
    ("total_iterations", Integer, Always),
    ("execution_iterations", Integer, Always),
    ("remaining", Nullable(&Integer), Always),
    ("total", Nullable(&Integer), Always),
    ("last_run", Nullable(&Time), Always),
    ("problem", Nullable(&Text), Always),
];

/// `show`, beyond what the list says.
pub(super) const WORKSPACE: &[Field] = &[
    ("folder", Text, Always),
    ("created", Nullable(&Time), Always),
    ("setup_iterations", Integer, Always),
    (
        "verification",
        Nullable(&Object(&[
            ("attempts", Integer, Always),
            ("last", OneOf(VerificationStatus::VARIANTS), Always),
            ("time", Nullable(&Time), Always),
        ])),
        Always,
    ),
    ("has_instructions", Flag, Always),
    ("standing", Object(STANDING), Always),
    ("options", List(&OPTION), Always),
    ("configuration_problem", Nullable(&Text), Always),
    ("notifications", List(&OPTION), Always),
    ("runs", List(&Object(RUN_ROW)), Always),
    ("next", List(&Text), Always),
];

/// What the status file says.
const STANDING: &[Field] = &[
    ("source", OneOf(StatusSource::VARIANTS), Always),
    ("mark", Text, Sometimes),
    ("complete", Flag, Sometimes),
    ("worked", Flag, Sometimes),
    ("items", Object(&[("done", Integer, Always), ("total", Integer, Always)]), Sometimes),
    ("summary", Text, Sometimes),
    ("phase", Text, Sometimes),
    ("blockers", List(&Text), Sometimes),
    ("problem", Text, Sometimes),
];

const OPTION: Shape = Object(&[("key", Text, Always), ("value", Text, Always), ("origin", Text, Always)]);

/// `archive list`.
pub(super) const ARCHIVES: &[Field] = &[("archives", List(&Object(ARCHIVE_ROW)), Always)];

/// An archive in a list.
pub(super) const ARCHIVE_ROW: &[Field] = &[
    ("name", Text, Always),
    ("workspace", Text, Always),
    ("archived", Nullable(&Time), Always),
    ("bytes", Integer, Always),
    ("iterations", Nullable(&Integer), Always),
    ("path", Text, Always),
    ("problem", Nullable(&Text), Always),
];

/// `archive show`, beyond what the list says.
pub(super) const ARCHIVE: &[Field] = &[
    ("from", Text, Always),
    ("mode", Nullable(&MODE), Always),
    ("status", Nullable(&OneOf(WorkspaceStatus::VARIANTS)), Always),
    ("said", Nullable(&Text), Always),
    ("files", Integer, Always),
    ("unpacked_bytes", Integer, Always),
    ("instructions", List(&Text), Always),
    ("more_lines", Integer, Always),
    ("outside", List(&Text), Always),
];

/// `template list`.
pub(super) const TEMPLATES: &[Field] = &[("templates", List(&Object(TEMPLATE_ROW)), Always)];

/// A template in a list.
pub(super) const TEMPLATE_ROW: &[Field] = &[
    ("name", Text, Always),
    ("scope", OneOf(&["project", "user"]), Always),
    ("description", Nullable(&Text), Always),
    ("tags", List(&Text), Always),
    // As it stands in the template, whose author may be another tool.
    ("mode", Nullable(&Text), Always),
    ("estimated_iterations", Nullable(&Integer), Always),
    ("created", Nullable(&Time), Always),
    ("shadowed", Flag, Always),
    ("path", Text, Always),
    ("problem", Nullable(&Text), Always),
];

/// `template show`, beyond what the list says.
pub(super) const TEMPLATE: &[Field] = &[
    ("other", List(&Text), Always),
    ("options", List(&Text), Always),
    ("instructions", List(&Text), Always),
    ("more_lines", Integer, Always),
    ("readme", Nullable(&Text), Always),
    ("left", List(&Text), Always),
];

/// `worktree list`.
pub(super) const WORKTREES: &[Field] = &[(
    "worktrees",
    List(&Object(&[
        ("name", Text, Always),
        ("branch", Text, Always),
        ("path", Text, Always),
        ("base", Nullable(&Text), Always),
        ("run", Nullable(&Text), Always),
        ("state", Nullable(&State), Always),
        ("ahead", Integer, Always),
        ("behind", Integer, Always),
        ("merged", Flag, Always),
        ("uncommitted", Nullable(&Integer), Always),
        ("problem", Nullable(&Text), Always),
    ])),
    Always,
)];
