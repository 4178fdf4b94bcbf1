//! Codex, by `codex exec --json`: one turn, an event a line, failures in prose.

mod decode;
mod description;
mod event;
mod flags;
mod invocation;
mod judge;
mod prices;
mod prose;

#[cfg(test)]
mod tests;

use windlass_core::observation::{ToolInput, ToolTrace};
use windlass_core::price::{Price, PriceList};
use windlass_core::spec::AgentSpec;

use self::decode::CodexDecoder;
use crate::{
    About, Agent, CallFiles, Decoder, Instructions, Invocation, Judgement, Login, Place, Question,
    SessionFiles, Signs, Unfit, version,
};

/// The oldest version whose output was recorded.
const OLDEST: version::Version = (0, 169, 0);

/// The real one.
pub(crate) static CODEX: Codex = Codex;

/// Codex.
#[derive(Debug)]
pub(crate) struct Codex;

impl Agent for Codex {
    fn about(&self) -> &'static About {
        &description::ABOUT
    }

    fn question(&self, agent: &AgentSpec, question: Question) -> Option<Invocation> {
        Some(invocation::of_question(agent, question))
    }

    fn version(&self, said: &str) -> Result<String, Unfit> {
        version::at_least(OLDEST, said)
    }

    /// It says on standard error that it is not, and knows nothing of keys and of providers of a person's own: so nothing
    /// follows from that.
    fn login(&self, said: &str) -> Option<Login> {
        let method = said.trim().strip_prefix("Logged in using ")?;
        Some(Login { logged_in: true, method: method.split(" - ").next().unwrap_or_default().to_owned() })
    }

    fn call(&self, agent: &AgentSpec, call: CallFiles<'_>) -> Invocation {
        invocation::of_call(agent, call)
    }

    fn session(&self, agent: &AgentSpec, files: SessionFiles<'_>) -> Invocation {
        invocation::of_session(agent, files)
    }

    fn owned_flag(&self, argument: &str) -> Option<&'static str> {
        flags::owned_flag(argument)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(CodexDecoder::default())
    }

    fn judge(&self, signs: &Signs<'_>) -> Judgement {
        judge::judge(signs)
    }

    fn tool_traces(&self, line: &[u8], found: &mut dyn FnMut(ToolTrace)) {
        decode::tool_traces(line, found);
    }

    fn tool_input(&self, tool: &str, written: &str) -> ToolInput {
        decode::tool_input(tool, written)
    }

    fn prices<'a>(&self, own: &'a [Price]) -> PriceList<'a> {
        prices::prices(own)
    }

    /// `AGENTS.md` of each folder from the top of the repository down to where it works.
    fn reads_by_itself(&self, _: &AgentSpec, place: Place<'_>, _: &str, found: &[Instructions]) -> bool {
        let file = place.directory.join(place.file);
        found.iter().any(|instructions| instructions.file == file)
    }
}
