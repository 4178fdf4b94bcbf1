//! Pieces that several pages have.

use maud::{Markup, html};
use windlass_core::redact::Redactor;
use windlass_ui::report::{Column, Part, Table};
use windlass_ui::{Mark, Tone};

/// Shows what others wrote without the secrets in it.
#[derive(Debug)]
pub struct Redacted<'a>(pub &'a Redactor);

impl Redacted<'_> {
    /// A piece of a text: what others wrote looks so.
    pub fn part(&self, part: &Part) -> Markup {
        match part {
            Part::Own(text) => html! { (text) },
            Part::Foreign(text) if text.is_empty() => html! {},
            Part::Foreign(text) => html! { code { (self.0.redact(text)) } },
        }
    }

    /// Pieces one after another.
    pub fn parts(&self, parts: &[Part]) -> Markup {
        html! { @for part in parts { (self.part(part)) } }
    }
}

/// A table with its name as caption; wide ones scroll, by the keyboard, too.
pub fn table(redacted: &Redacted<'_>, table: &Table) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(table.name) {
            table {
                caption { (table.name) }
                thead { tr { @for column in &table.columns { th scope="col" class=[class(*column)] { (column.heading()) } } } }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (column, cell) in table.columns.iter().zip(row) {
                                td class=[class(*column)] { (redacted.part(cell)) }
                            }
                        }
                    }
                }
            }
        }
        @if table.more > 0 {
            p.dim { "and " (table.more) " more: " code { "windlass report --json" } " has all" }
        }
    }
}

const fn class(column: Column) -> Option<&'static str> {
    match column {
        Column::Words(_) => None,
        Column::Numbers(_) => Some("number"),
    }
}

/// How something is meant, for the eye and, by its word, for whoever hears the page.
pub(crate) fn sign((tone, mark): (Tone, Mark)) -> Markup {
    let (class, sign, word) = match (tone, mark) {
        (Tone::Good, _) => ("good", "✓", "good: "),
        (Tone::Bad, _) => ("bad", "✗", "bad: "),
        (Tone::Warn, Mark::Doubtful) => ("warn", "?", "doubtful: "),
        (Tone::Warn, _) => ("warn", "!", "look: "),
        _ => ("dim", "·", ""),
    };
    html! {
        span class={ "sign " (class) } role=[(!word.is_empty()).then_some("img")] aria-label=[(!word.is_empty()).then_some(word)]
            aria-hidden=[word.is_empty().then_some("true")] { (sign) }
    }
}
