//! Gemini CLI by `--output-format stream-json`: an event a line. ACP is the better way, by which its tools end when a call does and
//! nothing that it said is lost at its end; this one is for whoever cannot use that.

mod decode;
mod judge;

#[cfg(test)]
mod tests;

use std::ffi::OsString;

use windlass_core::observation::{ToolInput, ToolTrace};
use windlass_core::price::{Price, PriceList};
use windlass_core::spec::AgentSpec;

use self::decode::GeminiDecoder;
use crate::acp::{ABOUT_GEMINI, GEMINI};
use crate::{
    About, Agent, CallFiles, Decoder, Digest, Invocation, Judgement, Question, SessionFiles, Signs, Unfit,
};

static ABOUT: About = About { name: "gemini-stream", ..ABOUT_GEMINI };

/// The real one.
pub(crate) static GEMINI_STREAM: GeminiStream = GeminiStream;

/// Gemini CLI, by its stream of events.
#[derive(Debug)]
pub(crate) struct GeminiStream;

impl Agent for GeminiStream {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn question(&self, agent: &AgentSpec, question: Question) -> Option<Invocation> {
        GEMINI.question(agent, question)
    }

    fn version(&self, said: &str) -> Result<String, Unfit> {
        GEMINI.version(said)
    }

    /// Its prompt is on standard input. Nobody can be asked: where it is not to edit, its tools that do are not there.
    fn call(&self, agent: &AgentSpec, call: CallFiles<'_>) -> Invocation {
        let mode = if call.purpose.edits() { "--yolo" } else { "--approval-mode=default" };
        let mut arguments: Vec<OsString> = vec!["--output-format".into(), "stream-json".into(), mode.into()];
        if let Some(model) = &agent.model {
            arguments.extend(["--model".into(), model.into()]);
        }
        arguments.extend(agent.arguments.iter().map(OsString::from));
        GEMINI.invocation(agent, arguments)
    }

    fn session(&self, agent: &AgentSpec, files: SessionFiles<'_>) -> Invocation {
        GEMINI.session(agent, files)
    }

    fn owned_flag(&self, argument: &str) -> Option<&'static str> {
        GEMINI.owned_flag(argument)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(GeminiDecoder::default())
    }

    fn error_line(&self, line: &[u8]) -> Option<Digest> {
        GEMINI.error_line(line)
    }

    fn judge(&self, signs: &Signs<'_>) -> Judgement {
        judge::judge(signs)
    }

    fn tool_traces(&self, line: &[u8], found: &mut dyn FnMut(ToolTrace)) {
        decode::tool_traces(line, found);
    }

    fn tool_input(&self, tool: &str, written: &str) -> ToolInput {
        GEMINI.tool_input(tool, written)
    }

    fn prices<'a>(&self, own: &'a [Price]) -> PriceList<'a> {
        GEMINI.prices(own)
    }
}
