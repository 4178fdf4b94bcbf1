//! Every word and every tool call of the agent, between the lines of the progress view.

use std::collections::BTreeMap;

use jiff::Timestamp;
use windlass_core::fact::Fact;
use windlass_core::observation::Observation;
use windlass_core::spec::Mode;
use windlass_core::values::LaneId;

use super::progress::tell;
use crate::board::Board;
use crate::event::{Event, View};
use crate::format;
use crate::harmless::one_line;
use crate::line::Line;
use crate::markdown::Prose;
use crate::printer::Printer;
use crate::tool::{Narrator, Places};

/// The view with everything in it.
pub struct VerboseView {
    board: Board,
    places: Places,
    /// What is open differs from lane to lane.
    narrators: BTreeMap<LaneId, Narrator>,
    /// The iteration and the task of each lane, where there are several.
    at_work: BTreeMap<LaneId, (u32, String)>,
    /// Whose words the last lines were; `None` where they were not an agent's.
    speaking: Option<LaneId>,
    printer: Printer,
}

impl VerboseView {
    /// A view that prints there.
    pub fn new(printer: Printer) -> VerboseView {
        VerboseView {
            board: Board::default(),
            places: Places::default(),
            narrators: BTreeMap::new(),
            at_work: BTreeMap::new(),
            speaking: None,
            printer,
        }
    }

    /// What only this view says of a fact.
    fn fact(&mut self, fact: &Fact) {
        match fact {
            Fact::RunStarted { plan } | Fact::RunResumed { plan } => {
                self.places = Places::of(plan);
            }
            Fact::IterationStarted { lane, iteration, task, .. } => {
                if let Some(task) = task {
                    self.at_work.insert(*lane, (*iteration, one_line(&task.0)));
                }
                self.printer.note(&Line::new());
                let mode = self.board.plan.as_ref().map(|plan| plan.job.mode);
                // In a workspace the lines that follow say it.
                if !mode.is_some_and(Mode::reads_file) {
                    self.printer.note(&Line::new().strong(format!("  iteration {iteration}")));
                }
            }
            Fact::CallFinished { lane, .. } => drop(self.narrators.remove(lane)),
            _ => {}
        }
    }

    /// An agent's words. With several lanes it is said whose they are, wherever somebody else's came before.
    fn observed(&mut self, lane: LaneId, at: Timestamp, observation: &Observation) {
        let zone = self.printer.notes_terminal().zone.clone();
        let colour = self.printer.notes_terminal().colour;
        let narrator = self.narrators.entry(lane).or_insert_with(|| {
            let mut narrator = Narrator::default();
            narrator.set_places(self.places.clone());
            // Tones stand for Markdown's marks; without colours there are none.
            narrator.set_prose(if colour { Prose::Rendered } else { Prose::AsWritten });
            narrator
        });
        if self.speaking != Some(lane) {
            narrator.interrupted();
        }
        let lines = narrator.lines(observation, at, &zone);
        let several = self.board.plan.as_ref().is_some_and(|plan| plan.lanes.is_some());
        if !lines.is_empty()
            && self.speaking.replace(lane) != Some(lane)
            && several
            && let Some((iteration, task)) = self.at_work.get(&lane)
        {
            self.printer.note(&Line::new().dim(format!("  iteration {iteration} · {task}")));
        }
        for line in lines {
            self.printer.note(&line);
        }
    }
}

impl View for VerboseView {
    fn event(&mut self, event: &Event) {
        self.board.apply(event);
        match event {
            Event::Fact(entry) => {
                self.fact(&entry.fact);
                if tell(&self.board, event, &mut self.printer) {
                    self.speaking = None;
                }
            }
            Event::Observation { lane, at, observation, .. } => self.observed(*lane, *at, observation),
            Event::Dropped { count } => {
                let steps = format::count(*count, "step");
                let text =
                    format!("    … {steps} not shown, the terminal was too slow; `windlass logs` has them");
                self.printer.note(&Line::new().dim(text));
                self.speaking = None;
            }
            Event::Past(_) | Event::Tick { .. } => {}
        }
    }

    fn flush(&mut self) {
        self.printer.flush();
    }

    fn finish(&mut self) {
        self.printer.finish();
    }

    fn is_closed(&self) -> bool {
        self.printer.is_closed()
    }
}

#[cfg(test)]
#[path = "verbose_tests.rs"]
mod tests;
