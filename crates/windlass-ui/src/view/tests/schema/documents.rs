//! The shape of what verbs print besides a run's own lines: `status --json`, `logs --tools --json`.

use strum::VariantNames;
use windlass_core::principles::{Preset, Principle};
use windlass_core::spec::{Mode, PipelinePhase};
use windlass_core::values::{Purpose, TaskState};

use super::Presence::{Always, Sometimes};
use super::Shape::{
    Anything, Either, Flag, Integer, List, Nullable, Number, Object, OneOf, Reason, State, Text, Time,
};
use super::council::DECISIONS;
use super::{CHECK_KIND, Field, HOOK, HOOK_DECISION, judgements, machine, report, workspaces};
use crate::document::PhaseState;

/// What every document begins with.
pub(super) const DOCUMENT: &[Field] = &[("v", Integer, Always), ("type", Text, Always)];

/// Each document's type, and all that it has beyond [`DOCUMENT`], part by part.
pub(in crate::view) const DOCUMENTS: &[(&str, &[&[Field]])] = &[
    ("status", &[STATUS]),
    ("runs", &[RUNS]),
    ("tool_call", &[TOOL_CALL]),
    ("tasks", &[TASKS]),
    ("next_task", &[NEXT_TASK]),
    ("principles", &[PRINCIPLES]),
    ("decisions", &[DECISIONS]),
    ("diff", &[DIFF]),
    ("report", &[report::REPORT]),
    ("pipeline", &[PIPELINE]),
    ("pipelines", &[PIPELINES]),
    ("workspaces", &[workspaces::WORKSPACES]),
    ("workspace", &[workspaces::ROW, workspaces::WORKSPACE]),
    ("archives", &[workspaces::ARCHIVES]),
    ("archive", &[workspaces::ARCHIVE_ROW, workspaces::ARCHIVE]),
    ("templates", &[workspaces::TEMPLATES]),
    ("template", &[workspaces::TEMPLATE_ROW, workspaces::TEMPLATE]),
    ("worktrees", &[workspaces::WORKTREES]),
    ("validation", &[judgements::JUDGEMENT]),
    ("verification", &[judgements::JUDGEMENT]),
    ("plan", &[judgements::PLAN]),
    ("config", &[machine::CONFIG]),
    ("config_value", &[machine::CONFIG_VALUE]),
    ("config_keys", &[machine::CONFIG_KEYS]),
    ("config_files", &[machine::CONFIG_FILES]),
    ("doctor", &[machine::DOCTOR]),
    ("hooks", &[machine::HOOKS]),
    ("rehearsal", &[machine::REHEARSAL]),
    ("trust", &[machine::TRUST]),
    ("import", &[machine::IMPORT]),
    ("fleet", &[machine::FLEET]),
];

/// `diff`.
const DIFF: &[Field] = &[
    ("run", Text, Always),
    ("from", Text, Always),
    ("to", Text, Always),
    (
        "files",
        List(&Object(&[
            ("path", Text, Always),
            ("added", Nullable(&Integer), Always),
            ("removed", Nullable(&Integer), Always),
        ])),
        Always,
    ),
];

/// `principles show`.
const PRINCIPLES: &[Field] = &[
    ("file", Text, Always),
    ("version", Text, Always),
    ("preset", OneOf(Preset::VARIANTS), Always),
    ("created_at", Text, Always),
    (
        "principles",
        List(&Object(&[
            ("layer", OneOf(&["layer0", "layer1"]), Always),
            ("name", OneOf(Principle::VARIANTS), Always),
            ("value", Integer, Always),
            ("low", Text, Always),
            ("high", Text, Always),
        ])),
        Always,
    ),
];

/// A run of a pipeline.
const PHASE_RUN: super::Shape = Object(&[("run", Text, Always), ("stop_reason", Nullable(&Reason), Always)]);

/// A phase of a pipeline.
const PHASE: super::Shape = Object(&[
    ("phase", OneOf(PipelinePhase::VARIANTS), Always),
    ("file", Text, Always),
    ("state", OneOf(PhaseState::VARIANTS), Always),
    ("problems", List(&Text), Always),
    ("changed", List(&Text), Always),
    ("run", PHASE_RUN, Sometimes),
    ("cost_usd", Number, Always),
    ("estimated_usd", Number, Always),
]);

/// `pipeline`, `pipeline show`, `pipeline validate`.
const PIPELINE: &[Field] = &[
    ("id", Text, Always),
    ("folder", Text, Always),
    ("goal", Text, Always),
    ("phases", List(&PHASE), Always),
    ("tasks", Object(&[("done", Integer, Always), ("total", Integer, Always)]), Sometimes),
    ("cost_usd", Number, Always),
    ("estimated_usd", Number, Always),
    ("execution", PHASE_RUN, Sometimes),
    ("next", Text, Always),
];

/// `pipeline list`: each as `pipeline show` has it.
const PIPELINES: &[Field] = &[("pipelines", List(&Object(PIPELINE)), Always)];

/// A task of a task file.
const TASK: super::Shape = Object(&[
    ("id", Text, Always),
    ("title", Text, Always),
    ("status", OneOf(TaskState::VARIANTS), Always),
    ("standing", OneOf(&["done", "in_progress", "ready", "waiting", "unclear"]), Always),
    ("unclear", Nullable(&Text), Always),
    ("priority", Integer, Always),
    ("dependencies", List(&Text), Always),
    ("waits_for", List(&Text), Always),
    ("kind", Nullable(&Text), Always),
    ("breaking", Nullable(&Text), Always),
    ("agent", Nullable(&Text), Always),
    ("requires", List(&Text), Always),
    ("protected", List(&Text), Always),
    ("description", Text, Always),
    ("verification", Nullable(&Text), Always),
    (
        "criteria",
        List(&Object(&[
            ("text", Text, Always),
            ("line", Integer, Always),
            ("check", Nullable(&OneOf(&["exists", "contains", "command", "tests", "build"])), Always),
        ])),
        Always,
    ),
    ("complexity", Nullable(&OneOf(&["low", "medium", "high"])), Always),
    ("files", List(&Text), Always),
    ("file", Text, Always),
    ("line", Integer, Always),
]);

/// What is wrong with a list of tasks, or a plan.
pub(super) const PROBLEM: super::Shape = Object(&[
    ("kind", Text, Always),
    ("file", Text, Always),
    ("line", Nullable(&Integer), Always),
    ("sentence", Text, Always),
]);

/// The forms in which tasks are written.
pub(super) const FORMS: &[&str] = &[
    "issues",
    "markdown",
    "cursor",
    "beads",
    "feature_list",
    "task_master",
    "prd",
    "front_matter",
    "table",
    "boxes",
];

/// `tasks list`, `tasks graph`, `tasks validate`.
const TASKS: &[Field] = &[
    ("place", Text, Always),
    ("form", OneOf(FORMS), Always),
    ("valid", Flag, Always),
    ("total", Integer, Always),
    ("done", Integer, Always),
    ("in_progress", Integer, Always),
    ("ready", Integer, Always),
    ("waiting", Integer, Always),
    ("unclear", Integer, Always),
    ("next", Nullable(&Text), Always),
    ("tasks", List(&TASK), Always),
    ("problems", List(&PROBLEM), Always),
    ("exit_code", Integer, Always),
];

/// `tasks next`.
const NEXT_TASK: &[Field] = &[
    ("place", Text, Always),
    ("task", Nullable(&TASK), Always),
    ("source", Nullable(&Text), Always),
    ("waiting", Integer, Always),
    ("exit_code", Integer, Always),
];

pub(super) const MODE: super::Shape = OneOf(Mode::VARIANTS);

pub(super) const TOKENS: super::Shape = Object(&[
    ("input", Integer, Always),
    ("output", Integer, Always),
    ("cache_creation", Integer, Always),
    ("cache_read", Integer, Always),
]);

/// How a check, or a hook, ended: with its exit code or its signal, where it had one.
pub(super) const RESULT: super::Shape = Either(&[
    OneOf(&["passed", "timed_out", "lost"]),
    Object(&[("failed", Integer, Always)]),
    Object(&[("signalled", Integer, Always)]),
]);

const ITEMS: super::Shape = Nullable(&Object(&[("done", Integer, Always), ("total", Integer, Always)]));

pub(super) const STATUS: &[Field] = &[
    ("run", Nullable(&Text), Always),
    ("state", State, Always),
    ("claimed", Flag, Sometimes),
    ("detail", Text, Always),
    (
        "finish_type",
        Nullable(&OneOf(&["complete", "max_iterations", "no_changes", "manual", "error"])),
        Always,
    ),
    ("mode", Nullable(&MODE), Always),
    ("title", Text, Always),
    ("directory", Text, Always),
    ("workspace", Nullable(&Text), Always),
    ("items", ITEMS, Always),
    ("summary", Text, Always),
    ("task", Nullable(&Text), Always),
    ("tasks", Nullable(&Object(STANDING_TASKS)), Always),
    ("started", Nullable(&Time), Always),
    ("iteration", Integer, Always),
    ("iterations", Integer, Always),
    ("max_iterations", Nullable(&Integer), Always),
    ("cost_usd", Number, Always),
    ("estimated", Flag, Always),
    ("estimated_usd", Number, Always),
    ("max_cost_usd", Nullable(&Number), Always),
    ("spent_before_usd", Number, Sometimes),
    ("tokens", TOKENS, Always),
    ("duration_ms", Integer, Always),
    (
        "agents",
        List(&Object(&[
            ("name", Text, Always),
            ("model", Nullable(&Text), Always),
            ("state", OneOf(&["works", "ready", "away"]), Always),
            ("back", Nullable(&Time), Always),
        ])),
        Sometimes,
    ),
    ("waiting_until", Nullable(&Time), Always),
    ("waited_ms", Integer, Always),
    ("stop_stage", Integer, Always),
    (
        "checks",
        List(&Object(&[
            ("kind", CHECK_KIND, Always),
            ("command", Text, Always),
            ("result", Nullable(&RESULT), Always),
            ("last_line", Text, Always),
        ])),
        Always,
    ),
    ("judged", super::reviews::JUDGED, Sometimes),
    (
        "hooks",
        List(&Object(&[
            ("hook", HOOK, Always),
            ("decision", HOOK_DECISION, Always),
            ("result", RESULT, Always),
            ("reason", Text, Always),
        ])),
        Always,
    ),
    ("commits", Integer, Always),
    ("commits_made", Integer, Always),
    ("councils", super::council::COUNCILS, Sometimes),
    ("first_head", Nullable(&Text), Always),
    ("head", Nullable(&Text), Always),
    ("last_exit_code", Nullable(&Integer), Always),
    ("last_signal", Nullable(&Integer), Always),
    ("denials", List(&Object(super::calls::DENIAL)), Always),
    ("suspicions", List(&Object(super::SUSPICION)), Always),
    ("restorable", Nullable(&Integer), Always),
    ("updated", Time, Always),
    ("next", List(&Text), Always),
];

/// `runs`.
const RUNS: &[Field] = &[("runs", List(&Object(RUN_ROW)), Always)];

/// A run in a list.
pub(super) const RUN_ROW: &[Field] = &[
    ("run", Text, Always),
    ("title", Text, Always),
    ("directory", Text, Always),
    ("mode", MODE, Always),
    ("workspace", Nullable(&Text), Always),
    ("items", ITEMS, Always),
    ("started", Time, Always),
    ("iterations", Integer, Always),
    ("cost_usd", Number, Always),
    ("estimated", Flag, Always),
    ("estimated_usd", Number, Always),
    ("state", State, Always),
    ("claimed", Flag, Sometimes),
];

const NAMED_TASK: &[Field] = &[("id", Text, Always), ("title", Text, Always)];

const STANDING_TASKS: &[Field] = &[
    ("total", Integer, Always),
    ("done", Integer, Always),
    ("ready", Integer, Always),
    ("waiting", Integer, Always),
    (
        "at_work",
        List(&Object(&[
            ("lane", Integer, Always),
            ("iteration", Integer, Always),
            ("id", Text, Always),
            ("title", Text, Always),
        ])),
        Always,
    ),
    ("parked", List(&Object(NAMED_TASK)), Always),
    ("next", Nullable(&Object(NAMED_TASK)), Always),
];

const TOOL_CALL: &[Field] = &[
    ("run", Nullable(&Text), Always),
    ("lane", Integer, Always),
    ("time", Time, Always),
    ("iteration", Integer, Always),
    ("attempt", Integer, Always),
    ("purpose", OneOf(Purpose::VARIANTS), Always),
    ("call", Integer, Always),
    ("line", Integer, Always),
    ("id", Text, Always),
    ("name", Text, Always),
    ("nested", Flag, Always),
    ("outcome", OneOf(&["ok", "error", "denied", "open"]), Always),
    ("duration_ms", Nullable(&Integer), Always),
    // As the agent wrote it; what is not strict JSON (a lone surrogate) as a text.
    ("input", Anything, Always),
];
