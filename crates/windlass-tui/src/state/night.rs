//! The list of runs, below headings.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::sync::Arc;

use windlass_app::inspect::{Heading, RunSummary};
use windlass_core::values::Spent;
use windlass_ui::RunState;

use super::{Direction, Picker, RunPlace};

/// A run in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// Which.
    pub place: RunPlace,
    /// Where it stands.
    pub heading: Heading,
    /// How it stands.
    pub state: RunState,
    /// All calls.
    pub spent: Spent,
    /// What it came to. Shared with whoever reads it: there may be ten thousand.
    pub summary: Arc<RunSummary>,
}

impl Listed {
    /// The name of its folder.
    pub fn project(&self) -> Cow<'_, str> {
        self.summary.directory.file_name().map(OsStr::to_string_lossy).unwrap_or_default()
    }
}

/// The list.
#[derive(Clone, Debug, Default)]
pub struct NightView {
    /// The runs, in the order of their headings; `None` before they were read.
    pub runs: Option<Vec<Listed>>,
    /// Which is selected.
    pub picker: Picker,
    /// What was looked for last.
    pub needle: String,
}

/// A row of the list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NightRow<'a> {
    /// A heading.
    Heading(Heading, usize),
    /// A run, and its place among the runs.
    Run(usize, &'a Listed),
}

impl NightView {
    /// Takes the runs in, in the order of their headings; what was selected stays so.
    pub fn take(&mut self, runs: Vec<Listed>) {
        let kept = self.selected().map(|run| run.place.clone());
        let place = kept.and_then(|kept| runs.iter().position(|run| run.place == kept));
        self.runs = Some(runs);
        self.picker.select(place.unwrap_or_else(|| self.picker.selected()));
        self.picker.step(0, self.count_all());
    }

    /// How many.
    pub fn count_all(&self) -> usize {
        self.runs.as_ref().map_or(0, Vec::len)
    }

    /// How many of them stand there.
    pub fn count(&self, heading: Heading) -> usize {
        self.runs.iter().flatten().filter(|run| run.heading == heading).count()
    }

    /// The one that is selected.
    pub fn selected(&self) -> Option<&Listed> {
        self.runs.as_ref()?.get(self.picker.selected())
    }

    /// Selects the next run whose title, folder or name holds what is looked for, around the end. Is there one?
    pub fn seek(&mut self, direction: Direction) -> bool {
        let runs = self.runs.as_deref().unwrap_or_default();
        let needle = self.needle.to_lowercase();
        let has = |place: &usize| {
            runs.get(*place).is_some_and(|run| {
                let told = [&run.summary.title, &*run.project(), &run.place.run.0];
                told.iter().any(|text| text.to_lowercase().contains(&needle))
            })
        };
        let here = self.picker.selected();
        let mut after = (here + 1..runs.len()).chain(0..=here);
        let found = match direction {
            Direction::Forward => after.find(has),
            Direction::Backward => after.rev().skip(1).chain([here]).find(has),
        };
        found.inspect(|place| self.picker.select(*place)).is_some()
    }

    /// Its rows: each group with its heading.
    pub fn rows(&self) -> Vec<NightRow<'_>> {
        let runs = self.runs.as_deref().unwrap_or_default();
        let mut rows = Vec::with_capacity(runs.len() + 4);
        for (place, run) in runs.iter().enumerate() {
            if place == 0 || runs.get(place - 1).is_some_and(|before| before.heading != run.heading) {
                rows.push(NightRow::Heading(run.heading, self.count(run.heading)));
            }
            rows.push(NightRow::Run(place, run));
        }
        rows
    }
}
