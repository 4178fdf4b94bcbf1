//! Claude Code, and the scripted agent, which speaks as it does.

mod background;
mod decode;
pub(crate) mod description;
mod event;
mod excerpt;
mod flags;
mod instructions;
mod invocation;
mod judge;
mod login;
mod prices;
mod prose;
mod refusals;
mod result;
mod rule;
mod settings;
mod tools;
mod trail;
mod trust;
mod usage;

#[cfg(test)]
mod tests;

use std::path::Path;

use windlass_core::observation::{ToolInput, ToolTrace};
use windlass_core::price::{Price, PriceList};
use windlass_core::spec::{AgentSpec, RunSpec};
use windlass_core::trust::{ApiHost, Startable};
use windlass_core::values::Denial;

use self::decode::ClaudeDecoder;
use self::description::{API_KEYS, FOLDER, NAME, USUAL_HOST};
use crate::ending::Ending;
use crate::{
    About, Agent, CallFiles, Decoder, Instructions, Invocation, Judgement, Login, Permissions, Place,
    Question, Right, SessionFiles, Signs, SourceKind, Unfit, version,
};

/// The oldest version that the decoder was checked against.
const OLDEST: version::Version = (2, 1, 197);

/// The real one.
pub(crate) static REAL: ClaudeCode = ClaudeCode { about: &description::REAL };

/// The scripted one.
pub(crate) static SCRIPTED: ClaudeCode = ClaudeCode { about: &description::SCRIPTED };

/// Claude Code, or what speaks as it does.
#[derive(Debug)]
pub(crate) struct ClaudeCode {
    about: &'static About,
}

impl Agent for ClaudeCode {
    fn about(&self) -> &'static About {
        self.about
    }

    fn question(&self, agent: &AgentSpec, question: Question) -> Option<Invocation> {
        // Of the scripted one nothing is asked.
        self.about.program.map(|_| invocation::of_question(agent, question))
    }

    fn version(&self, said: &str) -> Result<String, Unfit> {
        version::at_least(OLDEST, said)
    }

    fn login(&self, said: &str) -> Option<Login> {
        login::parse_auth_status(said)
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

    fn rules(&self, right: &Right) -> Vec<String> {
        rule::rules(right)
    }

    fn run_settings(&self, plan: &RunSpec, state: &Path) -> String {
        settings::of_run(plan, state)
    }

    fn session_settings(&self, permissions: &Permissions) -> String {
        settings::of_session(permissions)
    }

    fn file_to_change<'a>(&self, denial: &'a Denial) -> Option<&'a str> {
        rule::file_to_change(denial)
    }

    fn steers(&self, file: &Path) -> bool {
        settings::steers(file)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(ClaudeDecoder::default())
    }

    fn judge(&self, signs: &Signs<'_>) -> Judgement {
        judge::judge(Ending { about: self.about, signs })
    }

    fn tool_traces(&self, line: &[u8], found: &mut dyn FnMut(ToolTrace)) {
        trail::tool_traces(line, found);
    }

    fn tool_input(&self, tool: &str, written: &str) -> ToolInput {
        tools::tool_input(tool, written)
    }

    fn prices<'a>(&self, own: &'a [Price]) -> PriceList<'a> {
        prices::prices(own)
    }

    fn reads_by_itself(
        &self,
        agent: &AgentSpec,
        place: Place<'_>,
        text: &str,
        found: &[Instructions],
    ) -> bool {
        instructions::reads_by_itself(agent, place, text, found)
    }

    fn starts(&self, kind: SourceKind, name: &str, bytes: &[u8]) -> Option<Vec<Startable>> {
        match kind {
            SourceKind::Settings => trust::settings(name, bytes),
            SourceKind::Servers => trust::servers(name, bytes),
            SourceKind::Texts => (!trust::starts_something(bytes)).then(Vec::new),
        }
    }

    fn denied(&self, settings: &[u8]) -> Vec<String> {
        trust::denied(settings)
    }

    fn hosts_in(&self, settings: &[u8]) -> Vec<ApiHost> {
        trust::hosts_in(settings)
    }

    fn hosts_among(&self, variables: &[(String, String)]) -> Vec<ApiHost> {
        trust::hosts_among(variables.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }

    fn words_of_command(&self, text: &str) -> Vec<String> {
        trust::words_of_command(text)
    }
}
