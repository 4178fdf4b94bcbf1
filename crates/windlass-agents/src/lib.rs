//! Agents: external coding-agent CLIs. One folder and one row of [`AGENTS`] per agent; nothing outside this crate knows
//! an agent's format, its words for permissions, its variables or its files.
//!
//! An [`Agent`] says how it is called and what its answers mean. Its [`Decoder`] turns the bytes of one line into
//! [`Digest`]s for the core and [`Observation`](windlass_core::observation::Observation)s for whoever watches. A
//! [`CallWatch`] folds digests, the process's end and the end of its pipes into clocks that may run out and, at the end,
//! into a [`CallReport`](windlass_core::values::CallReport). Nothing here performs IO.

mod about;
mod acp;
mod agent;
mod answer;
mod assessment;
mod claude;
mod codex;
mod command;
mod conversation;
mod decision;
mod decoding;
mod digest;
mod ending;
mod fields;
mod flags;
mod gemini;
mod json;
mod judgement;
mod opencode;
mod permissions;
mod price_rows;
mod providers;
mod reset_time;
mod review;
mod rights;
mod streamed;
mod variables;
mod version;
mod watch;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use windlass_core::spec::AgentSpec;

pub use about::{Ability, About, ApiHosts, Files, Reach, Source, SourceKind, Variables, Words};
pub use agent::{
    Agent, CallFiles, Confinement, Instructions, Invocation, Login, Place, Question, SessionFiles, Unfit,
};
pub use answer::{answer_schema, standard_input};
pub use assessment::{ASSESSMENT_SCHEMA, parse_assessment};
pub use conversation::{Conversation, Opening, Step};
pub use decision::{DECISION_SCHEMA, parse_decision};
pub use digest::{Activity, Decoder, Detail, Digest, MessageId, MessageUsage, ResultDigest, Sink};
pub use judgement::{Judgement, Retry, Signs, lost_with_worker, unseen};
pub use permissions::{GUARDED_IN_WORKSPACES, Permissions, settle_denials};
pub use reset_time::parse_reset_time;
pub use review::{REVIEW_SCHEMA, parse_review};
pub use rights::{Right, git_committing, git_reading, project_commands};
pub use watch::{CallWatch, Due};

/// The agents that there are. The first is the one that is called where nobody chooses.
pub static AGENTS: [&dyn Agent; 12] = [
    &claude::REAL,
    &claude::SCRIPTED,
    &codex::CODEX,
    &codex::CODEX_EXEC,
    &opencode::OPENCODE,
    &acp::GEMINI,
    &gemini::GEMINI_STREAM,
    &acp::QWEN,
    &acp::CLAUDE,
    &acp::OPENCODE,
    &acp::ANY,
    &command::COMMAND,
];

/// The agent that is called where nobody chooses another.
pub fn usual() -> &'static dyn Agent {
    AGENTS[0]
}

/// The scripted one: it speaks as another one does, and nothing is asked of it.
pub fn scripted() -> &'static dyn Agent {
    AGENTS[1]
}

/// The agent of a name. A name that is not known is that of a program that speaks as the scripted one does.
pub fn named(name: &str) -> &'static dyn Agent {
    AGENTS.into_iter().find(|agent| agent.about().name == name).unwrap_or_else(scripted)
}

/// The agent whose program this is: by the name of its file, else the usual one.
pub fn by_program(command: &str) -> &'static dyn Agent {
    let name = command.rsplit('/').next().unwrap_or(command);
    let called = |agent: &&'static dyn Agent| agent.about().program == Some(name);
    AGENTS.into_iter().find(called).unwrap_or_else(usual)
}

/// Why an argument may not be given to the agent whose program this is; `None` = it may.
pub fn refuses(program: &str, argument: &str) -> Option<&'static str> {
    by_program(program).owned_flag(argument)
}

/// The agent of a run.
pub fn of(spec: &AgentSpec) -> &'static dyn Agent {
    named(&spec.name)
}
