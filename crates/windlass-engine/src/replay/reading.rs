//! What is made of the lines of a stream.

use windlass_agents::{ClaudeDecoder, Decoder as _, Detail, Digest, Sink, tool_traces};
use windlass_core::observation::{Observation, ToolTrace};

/// Reads the lines of one call's stream, in their order.
pub trait Reading: Default {
    /// What it finds.
    type Found;

    /// Tells what is in a line (without its `\n`). Never fails: a line that cannot be read has little in it.
    fn line(&mut self, line: &[u8], tell: &mut dyn FnMut(Self::Found));
}

/// All that an agent said and did, as whoever watched it was told.
#[derive(Debug, Default)]
pub struct Everything(ClaudeDecoder);

impl Reading for Everything {
    type Found = Observation;

    fn line(&mut self, line: &[u8], tell: &mut dyn FnMut(Observation)) {
        self.0.line(line, Detail::Everything, &mut Told(tell));
    }
}

struct Told<'a>(&'a mut dyn FnMut(Observation));

impl Sink for Told<'_> {
    fn digest(&mut self, _: Digest) {}

    fn observation(&mut self, observation: Observation) {
        (self.0)(observation);
    }
}

/// Tool calls alone, each with its whole input.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToolCalls;

impl Reading for ToolCalls {
    type Found = ToolTrace;

    fn line(&mut self, line: &[u8], tell: &mut dyn FnMut(ToolTrace)) {
        tool_traces(line, tell);
    }
}
