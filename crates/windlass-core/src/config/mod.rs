//! Configuration: which keys there are ([`keys`]), who says what ([`Layer`]), and what comes of it ([`Resolved`]).
//!
//! Flags go before the environment, the environment before the workspace's file, that before the project's, that before
//! the user's, and that before the defaults, key by key. A list is one value: who gives one replaces the list of the layers below.

mod commented;
pub mod devloop;
mod duration;
pub mod edit;
mod error;
mod fleet;
mod fresh_agents;
pub mod fresher;
mod issues;
pub mod keys;
mod layer;
mod pull_request;
mod reference;
mod resolve;
mod sections;
mod setting;
mod values;

#[cfg(test)]
mod tests;

pub use commented::commented_file;
pub use duration::{DurationError, parse_duration, parse_fine_duration};
pub use error::{ConfigError, FileKind};
pub use fleet::{FleetLogin, FleetSettings};
pub use issues::SourceSettings;
pub(crate) use keys::described;
pub use keys::{KEYS, Key, KeyInfo};
pub use layer::{Layer, Origin};
pub use pull_request::PullRequestSettings;
pub use reference::{KeyReference, config_schema, key_reference, key_table};
pub use resolve::{Resolved, Unlimited, ValueOrigin};
pub use sections::{
    AgentSettings, GuardSettings, HookSettings, NotifySettings, PrinciplesSettings, ReviewSettings,
    RunsSettings, SandboxSettings, TasksSettings, VerifySettings, WorkspaceSettings, WorktreeSettings,
};
pub use setting::{
    AgentChoice, AgentOrNone, ByteCap, CheckSetting, Choice, Count, CountCap, FileBelow, FineSpan,
    FleetNameText, FolderAnywhere, Globs, Hosts, MoneyCap, NetworkChoice, NotifyEvents, OpenPullRequest,
    OutputLevel, Pause, Phrase, PositiveSpan, Presets, ProcessorCap, Refusal, Replicas, ReportName, Secrecy,
    Secret, SecretText, ServerAddresses, Setting, Shape, Span, SpanCap, Text, TextOrNothing, TokenCap,
    WebAddress,
};
