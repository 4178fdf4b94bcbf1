//! The shape of the lines that are made from observations.

use super::Field;
use super::Presence::{Always, Sometimes};
use super::Shape::{self, Flag, Integer, Nullable, Number, Object, OneOf, Text};

/// What every line made from an observation has beyond the head.
pub(in crate::view) const OBSERVED: &[Field] = &[("call", Integer, Always), ("line", Integer, Always)];

/// Made from observations: each type, and what it has beyond that.
pub(in crate::view) const OBSERVATIONS: &[(&str, &[Field])] = &[
    ("agent_started", &[("model", Text, Always), ("version", Text, Always)]),
    ("agent_text", &[("text", Text, Always), ("nested", Flag, Always)]),
    (
        "tool_use",
        &[
            ("id", Text, Always),
            ("name", Text, Always),
            ("input", TOOL_INPUT, Always),
            ("nested", Flag, Always),
        ],
    ),
    (
        "tool_result",
        &[
            ("id", Text, Always),
            ("name", Text, Always),
            ("is_error", Flag, Always),
            (
                "output",
                Object(&[
                    ("text", Text, Always),
                    ("bytes", Integer, Always),
                    ("lines", Integer, Always),
                    ("cut", Flag, Always),
                ]),
                Always,
            ),
            ("nested", Flag, Always),
        ],
    ),
    ("tool_denied", &[("name", Text, Always), ("id", Text, Always)]),
    (
        "agent_retrying",
        &[
            ("attempt", Integer, Always),
            ("max_attempts", Integer, Always),
            ("delay_ms", Integer, Always),
            ("status", Nullable(&Integer), Always),
            ("error", Text, Always),
        ],
    ),
    (
        "limit_notice",
        &[
            ("status", Text, Always),
            ("window", Text, Always),
            ("utilization", Nullable(&Number), Always),
            ("resets_at", Nullable(&Integer), Always),
        ],
    ),
    ("agent_background", &[("running", Integer, Always)]),
    ("agent_compacted", &[]),
    (
        "agent_result",
        &[
            ("is_error", Flag, Always),
            ("text", Text, Always),
            ("cost_usd", Nullable(&Number), Always),
            ("turns", Nullable(&Integer), Always),
        ],
    ),
    ("agent_garbage", &[("bytes", Integer, Always), ("start", Text, Always)]),
];

/// Which of these are there depends on the kind.
const TOOL_INPUT: Shape = Object(&[
    ("kind", OneOf(&["read", "edit", "write", "bash", "grep", "glob", "agent", "other"]), Always),
    ("path", Text, Sometimes),
    ("offset", Nullable(&Integer), Sometimes),
    ("limit", Nullable(&Integer), Sometimes),
    ("old", Text, Sometimes),
    ("new", Text, Sometimes),
    ("all", Flag, Sometimes),
    ("bytes", Integer, Sometimes),
    ("lines", Integer, Sometimes),
    ("command", Text, Sometimes),
    ("description", Text, Sometimes),
    ("pattern", Text, Sometimes),
    ("json", Text, Sometimes),
]);
