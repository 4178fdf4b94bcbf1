//! Words in commands that a person can type, and the beginning of texts.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
pub use windlass_core::words::quoted;

/// What a file is called from now on whose place another one takes: `tasks.md.before-init-2026-03-01T20-00-00`.
pub fn kept_name(file: &Path, verb: &str) -> PathBuf {
    let stamp = Timestamp::now().strftime("%Y-%m-%dT%H-%M-%S").to_string();
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".before-{verb}-{stamp}"));
    PathBuf::from(name)
}

/// The first ten lines of a text, and how many more there are.
pub fn first_lines(text: &[u8]) -> (Vec<String>, u64) {
    let text = String::from_utf8_lossy(text);
    let mut lines = text.lines();
    let first = lines.by_ref().take(10).map(str::to_owned).collect();
    (first, lines.count() as u64)
}
