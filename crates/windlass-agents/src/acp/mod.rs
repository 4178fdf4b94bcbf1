//! Agents that speak ACP, the Agent Client Protocol (version 1): a row each. Their calls are conversations, which a process of
//! Windlass's holds with them ([`Conversation`]); what they say in it is what is decoded.

mod conversation;
mod decode;
mod event;
mod judge;
mod rows;
pub(crate) mod tool;
mod usage;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::Path;
use std::sync::LazyLock;

use windlass_core::observation::{ToolInput, ToolTrace};
use windlass_core::price::{Price, PriceList};
use windlass_core::spec::AgentSpec;
use windlass_core::values::Cost;

pub(crate) use conversation::AcpConversation;
pub use conversation::Opening;
pub(crate) use judge::class;
pub(crate) use rows::{ABOUT_GEMINI, ANY, CLAUDE, GEMINI, OPENCODE, QWEN};

use self::decode::AcpDecoder;
use crate::flags::{self, Owned};
use crate::price_rows::USUAL;
use crate::variables::{Changes, set, without_keys};
use crate::{
    About, Agent, CallFiles, Decoder, Digest, Invocation, Judgement, Question, SessionFiles, Signs, Unfit,
    version,
};

/// The kinds of tool calls that change files.
const EDITS: [&str; 3] = ["edit", "delete", "move"];

/// An agent that speaks ACP.
#[derive(Debug)]
pub(crate) struct AcpAgent {
    /// What it is.
    pub about: &'static About,
    /// The oldest version that was tried; `None` = it is not asked for one.
    pub oldest: Option<version::Version>,
    /// What makes its program a server of the protocol.
    pub arguments: &'static [&'static str],
    /// What has a person's first words behind it where a session begins at the terminal; `None` = it takes none.
    pub first_words: Option<&'static str>,
    /// Variables that each start has.
    pub variables: &'static [(&'static str, &'static str)],
    /// More variables of a call.
    pub variables_of_call: fn(&AgentSpec, CallFiles<'_>) -> Changes,
    /// The mode in which it asks before it does what could do harm, where that is not its own.
    pub mode: Option<&'static str>,
    /// Flags of its that are Windlass's.
    pub owned: Owned,
    /// What it tries again, as a line of its standard error says it.
    pub retry: fn(&[u8]) -> Option<Digest>,
    /// What its models cost, where that has been published.
    pub prices: &'static LazyLock<Vec<Price>>,
}

impl AcpAgent {
    /// Its program with these arguments.
    pub(crate) fn invocation(&self, agent: &AgentSpec, arguments: Vec<OsString>) -> Invocation {
        let keys = self.about.variables.inherited.api_keys;
        let environment = without_keys(agent, keys, set(self.variables));
        Invocation { program: agent.program.clone(), arguments, environment }
    }
}

impl Agent for AcpAgent {
    fn about(&self) -> &'static About {
        self.about
    }

    /// What logs it in it looks at when a session begins.
    fn question(&self, agent: &AgentSpec, question: Question) -> Option<Invocation> {
        self.oldest.filter(|_| question == Question::Version)?;
        let environment = set(self.variables);
        Some(Invocation { program: agent.program.clone(), arguments: vec!["--version".into()], environment })
    }

    fn version(&self, said: &str) -> Result<String, Unfit> {
        self.oldest.map_or_else(|| Ok(String::new()), |oldest| version::at_least(oldest, said))
    }

    fn call(&self, agent: &AgentSpec, call: CallFiles<'_>) -> Invocation {
        let own = agent.arguments.iter().map(OsString::from);
        let arguments = self.arguments.iter().map(OsString::from).chain(own).collect();
        let mut invocation = self.invocation(agent, arguments);
        invocation.environment.extend((self.variables_of_call)(agent, call));
        invocation
    }

    fn opening(&self, agent: &AgentSpec, call: CallFiles<'_>, directory: &Path) -> Option<crate::Opening> {
        let refuses = if call.purpose.edits() { [].as_slice() } else { EDITS.as_slice() };
        Some(crate::Opening::Acp(Opening {
            directory: directory.to_owned(),
            mode: self.mode.map(str::to_owned),
            model: agent.model.clone(),
            refuses: refuses.iter().map(|kind| (*kind).to_owned()).collect(),
        }))
    }

    fn session(&self, agent: &AgentSpec, files: SessionFiles<'_>) -> Invocation {
        let mut arguments: Vec<OsString> = agent.arguments.iter().map(OsString::from).collect();
        if let Some(flag) = self.first_words.filter(|_| !files.opening.is_empty()) {
            // Joined, so that words that begin with a dash are none of its flags.
            arguments.push(format!("{flag}={}", files.opening).into());
        }
        self.invocation(agent, arguments)
    }

    fn owned_flag(&self, argument: &str) -> Option<&'static str> {
        flags::owned(self.owned, argument)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(AcpDecoder::default())
    }

    fn error_line(&self, line: &[u8]) -> Option<Digest> {
        (self.retry)(line)
    }

    fn judge(&self, signs: &Signs<'_>) -> Judgement {
        judge::judge(self.about, signs)
    }

    fn tool_traces(&self, line: &[u8], found: &mut dyn FnMut(ToolTrace)) {
        decode::tool_traces(line, found);
    }

    fn tool_input(&self, tool: &str, written: &str) -> ToolInput {
        tool::input(tool, written)
    }

    /// Of what is in no list it counts as one of the dearer models, until `agent.prices` has it.
    fn prices<'a>(&self, own: &'a [Price]) -> PriceList<'a> {
        PriceList { own, published: self.prices, usual: &USUAL, search: Cost::ZERO }
    }
}
