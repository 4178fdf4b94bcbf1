//! Codex. It is talked with by `codex app-server`, which types its failures and says when limits end and what a turn that failed
//! has used. Where it is given arguments that only `codex exec --json` takes, or where a person chooses that, it is called so: one
//! turn, an event a line, failures in prose.

mod conversation;
mod decode;
mod description;
mod event;
mod flags;
mod invocation;
mod item;
mod judge;
mod messages;
mod prices;
mod prose;

#[cfg(test)]
mod tests;

use std::path::Path;

use windlass_core::observation::{ToolInput, ToolTrace};
use windlass_core::price::{Price, PriceList};
use windlass_core::spec::AgentSpec;

pub use conversation::Opening;
pub(crate) use conversation::ServerConversation;

use self::decode::CodexDecoder;
use self::invocation::Way;
use crate::{
    About, Agent, CallFiles, Decoder, Instructions, Invocation, Judgement, Login, Place, Question,
    SessionFiles, Signs, Unfit, version,
};

/// The oldest version whose output was recorded.
const OLDEST: version::Version = (0, 169, 0);

/// Talked with, where its arguments allow it.
pub(crate) static CODEX: Codex = Codex { about: &description::ABOUT, usual: Way::AppServer };

/// Always by `codex exec`.
pub(crate) static CODEX_EXEC: Codex = Codex { about: &description::ABOUT_EXEC, usual: Way::Exec };

/// Codex.
#[derive(Debug)]
pub(crate) struct Codex {
    about: &'static About,
    usual: Way,
}

impl Codex {
    fn way(&self, agent: &AgentSpec) -> Way {
        if invocation::fits_app_server(&agent.arguments) { self.usual } else { Way::Exec }
    }
}

impl Agent for Codex {
    fn about(&self) -> &'static About {
        self.about
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
        invocation::of_call(agent, call, self.way(agent))
    }

    fn opening(&self, agent: &AgentSpec, call: CallFiles<'_>, directory: &Path) -> Option<crate::Opening> {
        (self.way(agent) == Way::AppServer).then(|| {
            let sandbox = invocation::sandbox(agent, call);
            let (directory, model) = (directory.to_owned(), agent.model.clone());
            crate::Opening::CodexAppServer(Opening { directory, model, sandbox })
        })
    }

    fn session(&self, agent: &AgentSpec, files: SessionFiles<'_>) -> Invocation {
        invocation::of_session(agent, files)
    }

    fn owned_flag(&self, argument: &str) -> Option<&'static str> {
        crate::flags::owned(flags::OWNED, argument)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(CodexDecoder::default())
    }

    fn judge(&self, signs: &Signs<'_>) -> Judgement {
        judge::judge(signs)
    }

    fn tool_traces(&self, line: &[u8], found: &mut dyn FnMut(ToolTrace)) {
        item::tool_traces(line, found);
    }

    fn tool_input(&self, tool: &str, written: &str) -> ToolInput {
        item::tool_input(tool, written)
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
