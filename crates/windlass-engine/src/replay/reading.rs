//! What is made of the lines of a stream.

use windlass_agents::{Agent, Decoder, Detail, Digest, Sink};
use windlass_core::observation::{Observation, ToolTrace};

/// Reads the lines of one call's stream, in their order.
pub trait Reading {
    /// What it finds.
    type Item;

    /// For the stream of this agent.
    fn of(agent: &'static dyn Agent) -> Self;

    /// Tells what is in a line (without its `\n`). Never fails: a line that cannot be read has little in it.
    fn line(&mut self, line: &[u8], tell: &mut dyn FnMut(Self::Item));
}

/// All that an agent said and did, as whoever watched it was told.
pub struct Everything(Box<dyn Decoder>);

impl Reading for Everything {
    type Item = Observation;

    fn of(agent: &'static dyn Agent) -> Everything {
        Everything(agent.decoder())
    }

    fn line(&mut self, line: &[u8], tell: &mut dyn FnMut(Observation)) {
        self.0.line(line, Detail::Everything, &mut ObservationSink(tell));
    }
}

struct ObservationSink<'a>(&'a mut dyn FnMut(Observation));

impl Sink for ObservationSink<'_> {
    fn digest(&mut self, _: Digest) {}

    fn observation(&mut self, observation: Observation) {
        (self.0)(observation);
    }
}

/// Tool calls alone, each with its whole input.
#[derive(Clone, Copy, Debug)]
pub struct ToolCalls(&'static dyn Agent);

impl Reading for ToolCalls {
    type Item = ToolTrace;

    fn of(agent: &'static dyn Agent) -> ToolCalls {
        ToolCalls(agent)
    }

    fn line(&mut self, line: &[u8], tell: &mut dyn FnMut(ToolTrace)) {
        self.0.tool_traces(line, tell);
    }
}
