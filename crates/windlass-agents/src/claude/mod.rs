//! Claude Code.
//!
//! Everything about it that needs no process: how it is called ([`ClaudeInvocation`]), what it may do
//! ([`ClaudeSettings`]), what its lines mean ([`ClaudeDecoder`]) and how its end is judged ([`judge()`]).

mod background;
mod decode;
mod event;
mod excerpt;
mod flags;
mod instructions;
mod invocation;
mod judge;
mod login;
mod prices;
mod project;
mod prose;
mod result;
mod rule;
mod settings;
mod tools;
mod trail;
mod usage;
mod version;

#[cfg(test)]
mod tests;

pub use decode::ClaudeDecoder;
pub use flags::owned_flag;
pub use instructions::{INSTRUCTION_FILES, Instructions, reads_by_itself};
pub use invocation::{CallFiles, ClaudeInvocation, SessionFiles};
pub(crate) use judge::{Retry, Signs, judge};
pub use login::{Login, parse_auth_status};
pub use prices::{PRICES_OF, claude_prices};
pub use project::{git_committing_rules, git_reading_rules, project_rules};
pub use rule::{gate_rule, gate_rules};
pub use settings::{ClaudeSettings, GUARDED_IN_WORKSPACES, close_own_files};
pub use tools::tool_input;
pub use trail::tool_traces;
pub use version::{MINIMUM_CLAUDE_VERSION, parse_claude_version};
