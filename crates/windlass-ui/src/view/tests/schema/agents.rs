//! What is said of a run with several agents.

use super::Presence::{Always, Sometimes};
use super::Shape::{Nullable, Text, Time};
use super::{CLASS, Field};

/// One of them cannot work.
pub(super) const AWAY: &[Field] = &[
    ("agent", Text, Always),
    ("class", CLASS, Always),
    ("until", Time, Sometimes),
    ("by", Nullable(&Text), Always),
    ("detail", Text, Sometimes),
];
