//! The shape of what `report` prints: of each run all that its status has, and what docs/reports.md names.

use strum::VariantNames as _;
use windlass_core::values::{CheckStage, Purpose};

use super::Presence::{Always, Sometimes};
use super::Shape::{self, Flag, Integer, List, Nullable, Number, Object, OneOf, Text, Time, Whole};
use super::documents::{RESULT, STATUS, TOKENS};
use super::{CHECK_KIND, CLASS, Field, VERDICT};

/// `report`.
pub(super) const REPORT: &[Field] = &[
    ("made", Time, Always),
    ("since", Nullable(&Time), Always),
    ("runs", List(&Whole(&[STATUS, RUN])), Always),
    (
        "unreadable",
        List(&Object(&[("run", Text, Always), ("project", Text, Sometimes), ("why", Text, Always)])),
        Always,
    ),
];

const RUN: &[Field] = &[
    ("proof", Text, Always),
    ("ended", Nullable(&Time), Always),
    ("rounds", List(&ROUND), Always),
    (
        "verdicts",
        Object(&[
            ("worked", Integer, Always),
            ("accepted", Integer, Always),
            ("refused", Integer, Always),
            ("unproven", Integer, Always),
            ("idle", Integer, Always),
            ("failed", Integer, Always),
        ]),
        Always,
    ),
    ("wasted", WASTED, Always),
    (
        "gates",
        List(&Object(&[
            ("kind", CHECK_KIND, Always),
            ("command", Text, Always),
            ("before", Nullable(&RESULT), Always),
            ("last", Nullable(&GATE), Always),
            ("iteration", Nullable(&Integer), Always),
            ("commit", Nullable(&Text), Always),
            ("lacks", List(&Text), Always),
        ])),
        Always,
    ),
    ("begun", List(&BEGUN), Always),
    (
        "waits",
        List(&Object(&[
            ("since", Time, Always),
            ("ended", Nullable(&Time), Always),
            ("class", CLASS, Always),
        ])),
        Always,
    ),
    (
        "windows",
        List(&Object(&[
            ("window", Text, Always),
            ("used_percent", Integer, Always),
            ("resets_at", Time, Sometimes),
        ])),
        Sometimes,
    ),
    ("damage", List(&Text), Always),
    ("pull_request", Nullable(&Text), Always),
    (
        "landing",
        Object(&[
            ("sentence", Text, Always),
            ("steps", List(&Object(&[("command", Text, Always), ("purpose", Text, Always)])), Always),
        ]),
        Always,
    ),
    (
        "aside",
        List(&Object(&[
            ("what", Text, Always),
            ("why", Text, Always),
            ("branch", Nullable(&Text), Always),
            ("command", Nullable(&Text), Always),
            ("note", Text, Always),
        ])),
        Always,
    ),
    (
        "waited_for",
        Object(&[
            ("who", OneOf(&["nobody", "person", "agent", "forge"]), Always),
            ("why", Text, Always),
            ("until", Nullable(&Time), Always),
            ("command", Nullable(&Text), Always),
        ]),
        Always,
    ),
];

/// An iteration.
const ROUND: Shape = Object(&[
    ("iteration", Integer, Always),
    ("lane", Integer, Always),
    ("task", Nullable(&Text), Always),
    ("started", Time, Always),
    ("ended", Nullable(&Time), Always),
    ("verdict", Nullable(&VERDICT), Always),
    ("class", Nullable(&CLASS), Always),
    ("why", Text, Always),
    ("cost_usd", Number, Always),
    ("estimated_usd", Number, Always),
    ("wasted", WASTED, Always),
    ("tokens", TOKENS, Always),
    ("duration_ms", Integer, Always),
    ("changed", Integer, Always),
    // Where snapshots are there and were compared.
    ("lines", Object(&[("added", Integer, Always), ("removed", Integer, Always)]), Sometimes),
    ("commit", Nullable(&Text), Always),
    ("calls", List(&CALL), Always),
    ("gates", List(&GATE), Always),
]);

const CALL: Shape = Object(&[
    ("call", Integer, Always),
    ("attempt", Integer, Always),
    ("purpose", OneOf(Purpose::VARIANTS), Always),
    ("agent", Text, Sometimes),
    ("started", Time, Always),
    ("ended", Nullable(&Time), Always),
    ("model", Text, Sometimes),
    ("class", Nullable(&CLASS), Always),
    ("detail", Text, Always),
    ("cost_usd", Number, Always),
    ("estimated", Flag, Always),
    ("tokens", TOKENS, Always),
    ("tool_uses", Integer, Always),
    ("denied", Integer, Always),
    ("repeated", Flag, Always),
]);

/// A check that was carried out.
const GATE: Shape = Object(&[
    ("check", Integer, Always),
    ("stage", OneOf(CheckStage::VARIANTS), Always),
    ("result", RESULT, Always),
    ("last_line", Text, Always),
    ("duration_ms", Integer, Always),
    ("tree", Nullable(&Text), Always),
]);

/// A task that was begun.
const BEGUN: Shape = Object(&[
    ("task", Text, Always),
    ("title", Text, Always),
    ("state", OneOf(&["open", "done", "parked"]), Always),
    ("iterations", List(&Integer), Always),
    ("cost_usd", Number, Always),
    ("estimated_usd", Number, Always),
    ("commits", List(&Text), Always),
]);

const WASTED: Shape = Object(&[
    ("failed_usd", Number, Always),
    ("refused_usd", Number, Always),
    ("idle_usd", Number, Always),
    ("repeated_usd", Number, Always),
]);
