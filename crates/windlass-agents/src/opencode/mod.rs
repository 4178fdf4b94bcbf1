//! opencode, by `opencode run --format json`: an event a line, errors with the status of HTTP, each step with its tokens and
//! its cost. What it tries again it says on standard error only.

pub(crate) mod configuration;
mod decode;
pub(crate) mod description;
mod event;
mod flags;
mod invocation;
mod judge;
pub(crate) mod log;

#[cfg(test)]
mod tests;

use windlass_core::observation::{ToolInput, ToolTrace};
use windlass_core::price::{Price, PriceList};
use windlass_core::spec::AgentSpec;
use windlass_core::values::Cost;

use self::decode::OpencodeDecoder;
use crate::price_rows::USUAL;
use crate::{
    About, Agent, CallFiles, Decoder, Digest, Invocation, Judgement, Login, Question, SessionFiles, Signs,
    Unfit, version,
};

/// The oldest version whose output was recorded.
const OLDEST: version::Version = (1, 18, 33);

/// The real one.
pub(crate) static OPENCODE: Opencode = Opencode;

/// opencode.
#[derive(Debug)]
pub(crate) struct Opencode;

impl Agent for Opencode {
    fn about(&self) -> &'static About {
        &description::ABOUT
    }

    fn question(&self, agent: &AgentSpec, question: Question) -> Option<Invocation> {
        Some(invocation::of_question(agent, question))
    }

    fn version(&self, said: &str) -> Result<String, Unfit> {
        version::at_least(OLDEST, said)
    }

    /// Its list of credentials ends well, whatever is in it; and it takes keys from the environment that are not in it.
    fn login(&self, _: &str) -> Option<Login> {
        None
    }

    fn call(&self, agent: &AgentSpec, call: CallFiles<'_>) -> Invocation {
        invocation::of_call(agent, call)
    }

    fn session(&self, agent: &AgentSpec, files: SessionFiles<'_>) -> Invocation {
        invocation::of_session(agent, files)
    }

    fn owned_flag(&self, argument: &str) -> Option<&'static str> {
        crate::flags::owned(flags::OWNED, argument)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(OpencodeDecoder::default())
    }

    fn error_line(&self, line: &[u8]) -> Option<Digest> {
        log::retry(line)
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

    /// It says its costs itself, by a list that it has of all providers; what is not in that is taken for one of the dearer
    /// models, 5 dollars for a million tokens read and 25 for a million written, until `agent.prices` has it.
    fn prices<'a>(&self, own: &'a [Price]) -> PriceList<'a> {
        PriceList { own, published: &[], usual: &USUAL, search: Cost::ZERO }
    }
}
