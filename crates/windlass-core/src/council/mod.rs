//! Conflicts of principles that an agent could not settle: found in its own last words, and nowhere else. Pure.
//!
//! First a JSON object is looked for, then the words that claude-loop's agents used (seed 004, E4). A council of one decides;
//! what it decides is a [`Decision`](crate::values::Decision).

mod object;
mod phrases;

#[cfg(test)]
mod tests;

use crate::escapes::without_escapes;
use crate::values::Conflict;

/// The log of what councils have decided, from the working directory: JSON lines.
pub const DECISION_LOG: &str = ".windlass/decisions.jsonl";

/// The log of the tool that came before, from the working directory: YAML documents, or lines of text.
pub const FORMER_LOG: &str = ".claude/principles-decisions.log";

/// The conflict that an agent reports in its last words; `None` where it reports none. The last object counts; words count
/// only where there is no object. What is quoted of its prompt is no report.
pub fn conflict_in(words: &str) -> Option<Conflict> {
    let own = without_quotes(words);
    object::last(&own).or_else(|| phrases::found(&own))
}

/// Without what stands in quoted lines (`> …`) and between lines of tildes, which is how prompts quote. Fences of backticks
/// stay: agents write their JSON in them.
fn without_quotes(words: &str) -> String {
    let mut own = String::with_capacity(words.len());
    let mut fence: Option<usize> = None;
    for line in words.lines() {
        let tildes = line.trim_start().bytes().take_while(|byte| *byte == b'~').count();
        match fence {
            Some(open) if tildes >= open => fence = None,
            Some(_) => {}
            None if tildes >= 3 => fence = Some(tildes),
            None if line.trim_start().starts_with('>') => {}
            None => own.extend([line, "\n"]),
        }
    }
    own
}

/// One line of at most so many characters.
fn short(text: &str, longest: usize) -> String {
    let words = without_escapes(text).split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().filter(|character| !character.is_control()).take(longest).collect()
}
