//! Charts: pure functions from the model to SVG, each with its table behind it.
//!
//! Plots stretch to the width there is; their heights are those of their style. So there is no text in them: scales stand beside them as
//! text, which has the reader's size on a phone, too. Colours are classes of [`STYLE`](crate::STYLE), chosen so that those
//! who cannot tell red from green can tell them apart; and nothing is said by colour alone: what was spent in vain is hatched, and verdicts
//! have heights of their own.

mod bars;
mod costs;
mod lanes;
mod squeeze;
mod tokens;
mod verdicts;

use jiff::tz::TimeZone;
use maud::{Markup, PreEscaped, html};
use windlass_core::redact::Redactor;
use windlass_ui::model::{IterationSeen, RunSeen};
use windlass_ui::report::Table;

use crate::pieces::{Redacted, table};

pub use costs::{budget_line, cost_per_iteration};
pub use lanes::lanes_over_time;
pub use tokens::tokens_by_class;
pub use verdicts::verdict_strip;

/// How wide a plot is in its own units; it is stretched to the width there is.
const WIDTH: f64 = 1000.0;

/// So many iterations a chart shows: the last ones. Its table, and JSON, have more.
const MOST: usize = 1000;

/// Up to so many shapes have a word of their own for whoever points at one.
const NAMED: usize = 300;

/// Rows that a table may have and still be folded behind its chart on a page that is looked at while it grows: a browser reads all of
/// them before it shows the first, and the rest of such a page is quick.
const FOLDED: usize = 100;

/// Where a chart's numbers stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers<'a> {
    /// Folded behind it, all of them.
    Folded,
    /// Folded behind it where they are few, else on the page of this address.
    At(&'a str),
}

/// One chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// A word for addresses.
    pub id: &'static str,
    /// What it is.
    pub title: &'static str,
    /// What it says, in a sentence.
    pub says: String,
    /// How high it is, in pixels.
    pub height: u32,
    /// What is drawn: shapes in [`WIDTH`] by its height.
    drawing: Markup,
    /// Words below the plot, from its left to its right.
    pub axis: Vec<String>,
    /// What the colours mean.
    pub keys: Vec<Key>,
    /// The same in numbers.
    pub table: Table,
}

/// What a colour means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The class of its shapes.
    pub class: &'static str,
    /// It is hatched.
    pub hatched: bool,
    /// Its word.
    pub says: String,
}

/// All charts of a run that have something to show.
pub fn charts(run: &RunSeen, zone: &TimeZone) -> Vec<Chart> {
    let all = [
        verdict_strip(run),
        cost_per_iteration(run),
        budget_line(run),
        lanes_over_time(run, zone),
        tokens_by_class(run),
    ];
    all.into_iter().flatten().collect()
}

impl Chart {
    /// The chart with its words, and its table behind it. `of` tells it from the same chart of another run on the page.
    pub fn figure(&self, of: &str, numbers: Numbers<'_>) -> Markup {
        let hatch = format!("hatch-{}-{}", of.replace(|c: char| !c.is_ascii_alphanumeric(), "-"), self.id);
        // Shapes name their hatching by this word; the name of the run is not known where they are drawn.
        let drawing = self.drawing.0.replace(HATCH, &hatch);
        html! {
            figure {
                figcaption { (self.title) ": " span { (self.says) } }
                svg.plot viewBox={ "0 0 " (WIDTH) " " (self.height) } height=(self.height) preserveAspectRatio="none" role="img"
                    aria-label={ (self.title) ": " (self.says) } {
                    (hatching(&hatch))
                    (PreEscaped(drawing))
                }
                @if !self.axis.is_empty() { div.axis { @for word in &self.axis { span { (word) } } } }
                @if !self.keys.is_empty() {
                    ul.keys { @for (index, key) in self.keys.iter().enumerate() { li { (key.html(&format!("{hatch}-{index}"))) } } }
                }
                @match numbers {
                    Numbers::At(address) if self.table.rows.len() > FOLDED => {
                        p { a href={ (address) "#" (self.id) } { (self.title) " in numbers" } }
                    }
                    _ => details { summary { (self.title) " in numbers" } (self.numbers()) }
                }
            }
        }
    }

    /// Its table.
    pub fn numbers(&self) -> Markup {
        table(&Redacted(&Redactor::new()), &self.table)
    }
}

impl Key {
    fn of(class: &'static str, says: impl Into<String>) -> Key {
        Key { class, hatched: false, says: says.into() }
    }

    fn hatched(class: &'static str, says: impl Into<String>) -> Key {
        Key { hatched: true, ..Key::of(class, says) }
    }

    fn html(&self, id: &str) -> Markup {
        html! {
            svg viewBox="0 0 12 12" aria-hidden="true" {
                rect class=(self.class) width="12" height="12" {}
                @if self.hatched { (hatching(id)) rect width="12" height="12" fill={ "url(#" (id) ")" } {} }
            }
            (self.says)
        }
    }
}

/// What shapes say instead of the name of their hatching.
const HATCH: &str = "@hatch";

/// Stripes that a plot's stretching does not change.
fn hatching(id: &str) -> Markup {
    html! {
        defs {
            pattern id=(id) width="5" height="5" patternUnits="userSpaceOnUse" { rect.vain width="5" height="2" {} }
        }
    }
}

/// A length, as short as it is exact enough.
fn units(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// The iterations that a chart shows.
fn shown(run: &RunSeen) -> &[IterationSeen] {
    let rounds = run.rounds.as_slice();
    rounds.get(rounds.len().saturating_sub(MOST)..).unwrap_or(rounds)
}

/// The numbers of the first, a middle and the last iteration.
fn numbers(rounds: &[IterationSeen]) -> Vec<String> {
    let (Some(first), Some(last)) = (rounds.first(), rounds.last()) else { return Vec::new() };
    if first.iteration == last.iteration {
        return vec![format!("iteration {}", first.iteration)];
    }
    vec![format!("iteration {}", first.iteration), last.iteration.to_string()]
}
