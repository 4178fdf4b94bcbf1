//! Reviews, and the success criteria that are judged in them.

use strum::VariantNames as _;
use windlass_core::spec::ReviewScope;
use windlass_core::values::{ReviewVerdict, Severity};

use super::Presence::{Always, Sometimes};
use super::Shape::{Flag, Integer, List, Nullable, Object, OneOf, Text};
use super::{Field, Shape};

/// How work is looked over.
pub(super) const SPEC: &[Field] = &[
    ("scope", OneOf(ReviewScope::VARIANTS), Always),
    ("model", Nullable(&Text), Always),
    ("skip_below_lines", Integer, Always),
    ("criteria", List(&Object(&[("task", Text, Always), ("text", Text, Always)])), Always),
];

/// What a reviewer made of an iteration's work.
pub(super) const ANSWER: Shape = Object(&[
    ("verdict", OneOf(ReviewVerdict::VARIANTS), Always),
    ("summary", Text, Sometimes),
    (
        "findings",
        List(&Object(&[
            ("severity", OneOf(Severity::VARIANTS), Always),
            ("file", Text, Sometimes),
            ("line", Integer, Sometimes),
            ("text", Text, Always),
        ])),
        Sometimes,
    ),
    (
        "criteria",
        List(&Object(&[
            ("number", Integer, Always),
            ("criterion", Text, Sometimes),
            ("met", Flag, Sometimes),
            ("because", Text, Sometimes),
        ])),
        Sometimes,
    ),
]);

/// A success criterion in a status.
pub(super) const JUDGED: Shape = List(&Object(&[
    ("task", Text, Always),
    ("criterion", Text, Always),
    ("met", Flag, Always),
    ("because", Text, Always),
]));
