//! The model as HTML: charts, tables and the report. Pure: what is shown is given, and nothing is read or asked.
//!
//! The report is one file; a page that is served can use the same pieces and the same [`STYLE`]. Nothing here has a script, an
//! attribute `style`, or an address of anything outside, so each piece stands under a strict content security policy.
//!
//! Everything goes through `maud`, which escapes by type. What others wrote comes as [`Part::Foreign`](windlass_ui::report::Part): on
//! one line and without what drives a terminal or reorders text.

mod chart;
mod patch;
mod pieces;
mod report;

#[cfg(test)]
mod tests;

pub use chart::{Chart, Key, Numbers, charts};
pub use patch::{Patch, PatchLine, patch_lines};
pub use pieces::{Redacted, table};
pub use report::{LARGEST_REPORT, RunPatches, report_html};

/// The colours and shapes of charts, tables and patches, as CSS: variables, light and dark as the reader's system has it.
pub const STYLE: &str = include_str!("style.css");
