//! The fields of an entry and of the summary: `- **Name**: value`.

use std::ops::Range;

/// A field's value begins and ends here, in the bytes of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldAt {
    /// In lower case.
    pub name: String,
    pub value: Range<usize>,
}

/// The fields that are written into an entry.
pub(super) const TASK_ATTEMPTED: &str = "Task Attempted";
pub(super) const TASK_COMPLETED: &str = "Task Completed";
pub(super) const SUMMARY: &str = "Summary";
pub(super) const DURATION: &str = "Duration";
pub(super) const EXIT_STATUS: &str = "Exit Status";
pub(super) const TOKENS: &str = "Tokens";
pub(super) const COST: &str = "Cost";
pub(super) const RUN: &str = "Run";
pub(super) const ERROR_TYPE: &str = "Error Type";
pub(super) const ERROR_DETAIL: &str = "Error Detail";

/// All of them, in order.
pub(super) const ALL: [&str; 10] = [
    TASK_ATTEMPTED,
    TASK_COMPLETED,
    SUMMARY,
    DURATION,
    EXIT_STATUS,
    TOKENS,
    COST,
    RUN,
    ERROR_TYPE,
    ERROR_DETAIL,
];

impl FieldAt {
    pub(super) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

/// Reads a line as a field: `- **Name**: value`, `* **Name:** value`.
pub(super) fn field(line: &[u8]) -> Option<FieldAt> {
    let item = line.trim_ascii_start().strip_prefix(b"-").or_else(|| {
        let line = line.trim_ascii_start();
        line.strip_prefix(b"*").or_else(|| line.strip_prefix(b"+"))
    })?;
    let bold = item
        .first()
        .filter(|letter| letter.is_ascii_whitespace())
        .and_then(|_| item.trim_ascii_start().strip_prefix(b"**"))?;
    let end = memchr::memmem::find(bold, b"**")?;
    let (name, after) = (bold.get(..end)?.trim_ascii(), bold.get(end + 2..)?);
    let (name, value) = match name.strip_suffix(b":") {
        Some(name) => (name, after),
        None => (name, after.trim_ascii_start().strip_prefix(b":")?),
    };
    let start = line.len() - value.trim_ascii_start().len();
    let value = start..start + value.trim_ascii().len();
    Some(FieldAt { name: String::from_utf8_lossy(name.trim_ascii()).to_lowercase(), value })
}

/// `r-… iteration 3`.
pub(super) fn run(value: &str) -> Option<(String, u32)> {
    let (run, rest) = value.trim().trim_matches('`').split_once(char::is_whitespace)?;
    let number = rest.trim().strip_prefix("iteration")?.trim();
    Some((run.trim_end_matches('`').to_owned(), number.parse().ok()?))
}
