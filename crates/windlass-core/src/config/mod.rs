//! Configuration: which keys there are ([`keys`]), who says what ([`Layer`]), and what comes of it ([`Resolved`]).
//!
//! Flags go before the environment, the environment before the project's file, that before the user's, and that before
//! the defaults, key by key. A list is one value: who gives one replaces the list of the layers below.

mod duration;
pub mod keys;
mod layer;
mod money;
mod nearest;
mod resolve;
mod setting;

#[cfg(test)]
mod tests;

pub use duration::{DurationError, parse_duration, parse_fine_duration};
pub use keys::{KEYS, Key, KeyInfo};
pub use layer::{ConfigError, FileKind, Layer, Origin};
pub use money::{MoneyError, parse_money};
pub use nearest::nearest;
pub use resolve::{AgentSettings, DEFAULTS, Resolved, Unlimited, ValueOrigin};
pub use setting::{
    CheckSetting, Count, CountCap, FileBelow, MoneyCap, OutputLevel, Pause, Phrase, PositiveSpan, Refusal,
    Setting, Span, SpanCap, Text, TokenCap,
};
