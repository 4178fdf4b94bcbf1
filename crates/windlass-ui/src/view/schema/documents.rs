//! The shape of what verbs print besides a run's own lines: `status --json`, `logs --tools --json`.

use super::Presence::Always;
use super::Shape::{Anything, Flag, Integer, List, Nullable, Number, Object, OneOf, State, Text, Time};
use super::{CHECK_KIND, Field, HOOK, HOOK_DECISION};

/// Each document's type, and all that it has.
pub(in crate::view) const DOCUMENTS: &[(&str, &[Field])] = &[("status", STATUS), ("tool_call", TOOL_CALL)];

const MODE: super::Shape = OneOf(&["goal", "loop", "iterative", "plan", "build", "verify", "validate"]);

const TOKENS: super::Shape = Object(&[
    ("input", Integer, Always),
    ("output", Integer, Always),
    ("cache_creation", Integer, Always),
    ("cache_read", Integer, Always),
]);

const STATUS: &[Field] = &[
    ("v", Integer, Always),
    ("type", Text, Always),
    ("run", Nullable(&Text), Always),
    ("state", State, Always),
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
    ("items", Nullable(&Object(&[("done", Integer, Always), ("total", Integer, Always)])), Always),
    ("summary", Text, Always),
    ("task", Nullable(&Text), Always),
    ("started", Nullable(&Time), Always),
    ("iteration", Integer, Always),
    ("iterations", Integer, Always),
    ("max_iterations", Nullable(&Integer), Always),
    ("cost_usd", Number, Always),
    ("estimated", Flag, Always),
    ("max_cost_usd", Nullable(&Number), Always),
    ("tokens", TOKENS, Always),
    ("duration_ms", Integer, Always),
    ("waiting_until", Nullable(&Time), Always),
    ("waited_ms", Integer, Always),
    ("stop_stage", Integer, Always),
    (
        "checks",
        List(&Object(&[
            ("kind", CHECK_KIND, Always),
            ("command", Text, Always),
            ("result", Nullable(&Anything), Always),
            ("last_line", Text, Always),
        ])),
        Always,
    ),
    (
        "hooks",
        List(&Object(&[
            ("hook", HOOK, Always),
            ("decision", HOOK_DECISION, Always),
            ("result", Anything, Always),
            ("reason", Text, Always),
        ])),
        Always,
    ),
    ("commits", Integer, Always),
    ("commits_made", Integer, Always),
    ("first_head", Nullable(&Text), Always),
    ("head", Nullable(&Text), Always),
    ("last_exit_code", Nullable(&Integer), Always),
    ("last_signal", Nullable(&Integer), Always),
    (
        "denials",
        List(&Object(&[("tool", Text, Always), ("input", Text, Always), ("rule", Text, Always)])),
        Always,
    ),
    ("suspicions", List(&Object(super::SUSPICION)), Always),
    ("restorable", Nullable(&Integer), Always),
    ("updated", Time, Always),
    ("next", List(&Text), Always),
];

const TOOL_CALL: &[Field] = &[
    ("v", Integer, Always),
    ("type", Text, Always),
    ("run", Nullable(&Text), Always),
    ("lane", Integer, Always),
    ("time", Time, Always),
    ("iteration", Integer, Always),
    ("attempt", Integer, Always),
    ("purpose", OneOf(&["work", "review", "council", "verify", "plan", "merge"]), Always),
    ("call", Integer, Always),
    ("line", Integer, Always),
    ("id", Text, Always),
    ("name", Text, Always),
    ("nested", Flag, Always),
    ("outcome", OneOf(&["ok", "error", "denied", "open"]), Always),
    ("duration_ms", Nullable(&Integer), Always),
    // As the agent wrote it; what is no strict JSON (a lone surrogate) as a text.
    ("input", Anything, Always),
];
