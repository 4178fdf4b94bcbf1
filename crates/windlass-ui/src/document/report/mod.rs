//! The morning report: what happened, whether it is right, what to merge, what it cost, what was put aside, who is waited for.
//!
//! Its first 24 lines answer that; what they have no room for follows for each run, whole, then tables. Text and Markdown are made from the same [`sheet`] and the same [`tables`], so that
//! no number can be another one in one of them; JSON is the model itself. HTML is made of the same by `windlass-html`.

mod excerpt;
mod markdown;
mod sheet;
mod tables;
#[cfg(test)]
mod tests;
mod text;

pub use markdown::report_markdown;
pub use sheet::{Part, ReportAnswer, Row, Sheet, foreign, look, name, own};
pub use tables::{Column, Table, tables};
pub use text::report_text;

use super::document;
use crate::model::Night;

/// The runs as one line of JSON.
pub fn report_json(night: &Night) -> Vec<u8> {
    document("report", night)
}
