//! The shape of what is said of councils.

use strum::VariantNames;
use windlass_core::values::Purpose;

use super::Field;
use super::Presence::{Always, Sometimes};
use super::Shape::{self, Flag, Integer, List, Nullable, Number, Object, OneOf, Text};

/// How conflicts of principles are settled.
pub(super) const COUNCIL: Shape =
    Object(&[("model", Nullable(&Text), Always), ("per_run", Integer, Always), ("logs", Flag, Always)]);

/// What an agent could not settle.
pub(super) const CONFLICT: Shape = Object(&[
    ("principles", List(&Text), Sometimes),
    ("options", List(&Text), Sometimes),
    ("question", Text, Always),
]);

/// What a council answered.
pub(super) const DECISION: Shape =
    Object(&[("decision", Text, Always), ("rationale", Text, Sometimes), ("choice", Integer, Sometimes)]);

/// A follow-up call is due; without a purpose it is a verification.
pub(super) const VERIFICATION_DUE: &[Field] = &[
    ("iteration", Integer, Always),
    ("attempt", Integer, Always),
    ("purpose", OneOf(Purpose::VARIANTS), Sometimes),
];

/// What was decided stands in the log, or cannot.
pub(super) const LOGGED: &[Field] = &[
    ("iteration", Integer, Always),
    ("attempt", Integer, Always),
    ("digest", Text, Sometimes),
    ("refused", Text, Sometimes),
];

/// Councils of a run, in its status.
pub(super) const COUNCILS: Shape = Object(&[
    ("called", Integer, Always),
    ("decided", Integer, Always),
    ("cost_usd", Number, Always),
    ("estimated_usd", Number, Always),
]);

/// `principles decisions`.
pub(super) const DECISIONS: &[Field] = &[(
    "decisions",
    List(&Object(&[
        ("file", Text, Always),
        ("time", Text, Always),
        ("run", Text, Sometimes),
        ("iteration", Integer, Always),
        ("attempt", Integer, Always),
        ("principles", List(&Text), Sometimes),
        ("question", Text, Sometimes),
        ("chosen", Text, Sometimes),
        ("decision", Text, Always),
        ("rationale", Text, Sometimes),
        ("preset", Text, Sometimes),
    ])),
    Always,
)];
