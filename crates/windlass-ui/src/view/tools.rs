//! The audit trail of a run, for people as a list, for machines as a line per tool call.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::Serialize;
use windlass_agents::{Agent, of, usual};
use windlass_core::fact::{Entry, Fact};
use windlass_core::observation::{Place, ToolInput, ToolTrace};
use windlass_core::values::{AgentIndex, CallId, Named, RunId};

use crate::harmless::one_line;
use crate::json_line::{FORMAT_VERSION, bytes};
use crate::line::{Line, Tone, width};
use crate::printer::Printer;
use crate::tool::Narrator;
use crate::trail::{ToolCall, ToolOutcome, Trail};

/// Columns of the time, and of the day above it.
const TIME: usize = 10;
/// Columns of the iteration.
const ITERATION: usize = 3;
/// Columns of what became of it.
const OUTCOME: usize = 6;
/// Columns of most tools' names.
const TOOL: usize = 10;

/// How the list is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolsForm {
    /// A row for each, cut to the terminal's width where there is one.
    Rows,
    /// A JSON object for each, with its whole input.
    Json,
}

/// Lists tool calls.
pub struct ToolsView {
    form: ToolsForm,
    /// Names in lower case; empty = all.
    wanted: Vec<String>,
    printer: Printer,
    trail: Trail,
    /// The run's agents, in their order, and whose each call is.
    agents: Vec<&'static dyn Agent>,
    callers: BTreeMap<CallId, AgentIndex>,
    narrator: Narrator,
    /// The day of the last row.
    day: Option<Date>,
    listed: u64,
}

impl ToolsView {
    /// A list of the calls of these tools, of all where none is named; names count whatever their case.
    pub fn new(printer: Printer, form: ToolsForm, tools: &[String]) -> ToolsView {
        ToolsView {
            form,
            wanted: tools.iter().map(|tool| tool.to_lowercase()).collect(),
            printer,
            trail: Trail::default(),
            agents: Vec::new(),
            callers: BTreeMap::new(),
            narrator: Narrator::default(),
            day: None,
            listed: 0,
        }
    }

    /// Takes a fact in.
    pub fn fact(&mut self, entry: &Entry) {
        let settled = self.trail.fact(entry);
        if let Fact::RunStarted { plan } | Fact::RunResumed { plan } = &entry.fact {
            self.agents = plan.agents().map(|(_, agent)| of(agent)).collect();
            self.narrator.set_places(self.trail.roots.clone());
        }
        if let Fact::CallReserved { call, agent, .. } = &entry.fact {
            self.callers.insert(*call, *agent);
        }
        self.list(settled);
    }

    /// Takes in what a stream says of tool calls.
    pub fn trace(&mut self, place: Place, trace: ToolTrace) {
        let wanted = |name: &str| self.wanted.is_empty() || self.wanted.contains(&name.to_lowercase());
        let settled = self.trail.trace(place, trace, wanted);
        self.list(settled);
    }

    /// Writes out what is held back.
    pub fn flush(&mut self) {
        self.printer.flush();
    }

    /// Lists what is still open, and says so where there was nothing at all.
    pub fn finish(&mut self) {
        let open = self.trail.rest();
        self.list(open);
        if self.listed == 0 && self.form == ToolsForm::Rows {
            self.printer.result(&Line::new().plain("no tool calls"));
        }
        self.printer.finish();
    }

    /// Is there nobody left to read it?
    pub fn is_closed(&self) -> bool {
        self.printer.results_closed()
    }

    fn list(&mut self, calls: Vec<ToolCall>) {
        for call in calls {
            self.listed += 1;
            match self.form {
                ToolsForm::Json => {
                    let run = self.trail.run.as_ref();
                    let row = Row { v: FORMAT_VERSION, r#type: "tool_call", run, call: &call };
                    self.printer.result_bytes(&bytes(&row).unwrap_or_default());
                }
                ToolsForm::Rows => self.row(&call),
            }
        }
    }

    fn row(&mut self, call: &ToolCall) {
        let at = call.at.to_zoned(self.printer.results_terminal().zone.clone());
        if self.day != Some(at.date()) {
            self.day = Some(at.date());
            let heading = format!(
                "{:<TIME$}  it.  {:<OUTCOME$}  {:<TOOL$}  what",
                at.date().to_string(),
                "result",
                "tool"
            );
            self.cut(&Line::new().dim(heading));
        }
        let tool = format!("{}{}", if call.nested { "  " } else { "" }, one_line(&call.name));
        let gap = " ".repeat(TOOL.saturating_sub(width(&tool)));
        let line = Line::new()
            .dim(format!("{:<TIME$}  ", at.strftime("%H:%M:%S").to_string()))
            .plain(format!("{:>ITERATION$}  ", call.place.iteration))
            .tone(tone(call.outcome), format!("{:<OUTCOME$}", call.outcome.name()))
            .plain("  ")
            .strong(tool)
            .plain(format!("{gap}  {}", self.detail(call)));
        self.cut(&line);
    }

    fn cut(&mut self, line: &Line) {
        let terminal = self.printer.results_terminal().clone();
        let row = line.render_cut(&terminal, terminal.width.unwrap_or(usize::MAX));
        self.printer.result_bytes(format!("{}\n", row.trim_end()).as_bytes());
    }

    /// What it is about, on one line, whole.
    fn detail(&self, call: &ToolCall) -> String {
        let caller = self.callers.get(&call.call).copied().unwrap_or_default();
        let agent = self.agents.get(usize::from(caller.0)).copied().unwrap_or_else(usual);
        match agent.tool_input(&call.name, &call.input) {
            ToolInput::Bash { command, .. } => one_line(&command),
            ToolInput::Other { .. } => one_line(&call.input),
            known => self.narrator.subject(&known),
        }
    }
}

const fn tone(outcome: ToolOutcome) -> Tone {
    match outcome {
        ToolOutcome::Ok => Tone::Good,
        ToolOutcome::Error => Tone::Bad,
        ToolOutcome::Denied => Tone::Warn,
        ToolOutcome::Open => Tone::Dim,
    }
}

#[derive(Serialize)]
struct Row<'a> {
    v: u32,
    r#type: &'static str,
    run: Option<&'a RunId>,
    #[serde(flatten)]
    call: &'a ToolCall,
}

#[cfg(test)]
#[path = "tools_tests.rs"]
mod tests;
