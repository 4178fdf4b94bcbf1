//! Lines about calls that are over.

use super::Presence::{Always, Sometimes};
use super::Shape::{Flag, Integer, List, Nullable, Number, Object, Text, Time};
use super::{ASSESSMENT, CLASS, CUT, Field, TOKENS, council, reviews};

/// A tool call that was refused, and by what where no rule lifts that.
pub(super) const DENIAL: &[Field] = &[
    ("tool", Text, Always),
    ("input", Text, Always),
    ("rule", Text, Always),
    ("refused_by", Text, Sometimes),
];

/// A call has ended.
pub(super) const FINISHED: &[Field] = &[
    ("call", Integer, Always),
    ("claimed", Flag, Sometimes),
    ("class", CLASS, Always),
    ("detail", Text, Sometimes),
    ("exit_code", Nullable(&Integer), Always),
    ("signal", Nullable(&Integer), Always),
    ("cut", CUT, Sometimes),
    ("cost_usd", Number, Always),
    ("estimated", Flag, Sometimes),
    ("listed_usd", Number, Sometimes),
    ("tokens", TOKENS, Always),
    ("tool_uses", Integer, Always),
    ("empty", Flag, Sometimes),
    ("denials", List(&Object(DENIAL)), Sometimes),
    ("limit", Object(&[("resets_at", Nullable(&Time), Always), ("window", Text, Always)]), Sometimes),
    ("elsewhere", Flag, Sometimes),
    ("overage", Flag, Sometimes),
    ("garbage_lines", Integer, Sometimes),
    ("model", Text, Sometimes),
    ("duration_ms", Integer, Always),
    ("assessment", ASSESSMENT, Sometimes),
    ("review", reviews::ANSWER, Sometimes),
    ("conflict", council::CONFLICT, Sometimes),
    ("decision", council::DECISION, Sometimes),
];

/// A lost call was heard of after all.
pub(super) const RECHARGED: &[Field] = &[
    ("call", Integer, Always),
    ("cost_usd", Number, Always),
    ("estimated", Flag, Sometimes),
    ("listed_usd", Number, Sometimes),
    ("tokens", TOKENS, Always),
    ("replaces_usd", Number, Always),
    ("replaces_tokens", TOKENS, Always),
];
