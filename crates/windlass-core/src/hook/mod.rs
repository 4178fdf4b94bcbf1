//! Hooks: what one is told ([`HookSetting`]) and what its end means ([`answer`]). The protocol is seed 002's; the
//! answer as JSON is ours.

mod reply;
mod setting;
#[cfg(test)]
mod tests;

use crate::escapes::without_escapes;
use crate::values::{CheckResult, HookDecision, HookName};

pub use reply::LONGEST_REPLY;
pub use setting::HookSetting;

/// The longest text for the next prompt, in bytes.
pub const LONGEST_PROMPT: usize = 8 * 1024;

/// The longest reason, in characters.
pub const LONGEST_REASON: usize = 300;

/// Lines of a hook's complaints that are told.
const LAST_LINES: usize = 3;

/// What is known of a hook once its command has ended.
#[derive(Clone, Copy, Debug)]
pub struct HookEnd<'a> {
    /// Which.
    pub hook: HookName,
    /// How its command ended.
    pub result: CheckResult,
    /// Its standard output; beyond [`LONGEST_REPLY`] bytes it may be cut.
    pub stdout: &'a [u8],
    /// The end of its standard error.
    pub stderr: &'a str,
}

/// What follows from a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookAnswer {
    /// Go on, skip, abort; or it went wrong.
    pub decision: HookDecision,
    /// Why: one line, at most [`LONGEST_REASON`] characters; empty where nothing was said.
    pub reason: String,
    /// For the next agent: at most [`LONGEST_PROMPT`] bytes and a mark where it was cut; empty = nothing.
    pub prompt: String,
}

impl HookAnswer {
    fn new(decision: HookDecision, reason: &str) -> HookAnswer {
        HookAnswer { decision, reason: one_line(reason), prompt: String::new() }
    }
}

/// What a hook's end means.
///
/// | it ended with | `started` | `next_iteration` | `finished` |
/// |---|---|---|---|
/// | exit 0 | as its JSON says, else go on | the same | the same |
/// | exit 1 | a warning | skip | a warning |
/// | exit 2 | abort | abort | a warning |
/// | anything else | a warning | a warning | a warning |
pub fn answer(end: &HookEnd<'_>) -> HookAnswer {
    let said = || last_words(end);
    match end.result {
        CheckResult::Passed => reply::read(end.hook, end.stdout),
        CheckResult::Failed(1) => allowed(end.hook, HookDecision::Skip, &said()),
        CheckResult::Failed(2) => allowed(end.hook, HookDecision::Abort, &said()),
        CheckResult::Failed(_) | CheckResult::Signalled(_) | CheckResult::TimedOut | CheckResult::Lost => {
            HookAnswer::new(HookDecision::Warn, &said())
        }
    }
}

/// A decision where it means something; elsewhere a warning.
fn allowed(hook: HookName, decision: HookDecision, reason: &str) -> HookAnswer {
    let refused = match (decision, hook) {
        (HookDecision::Skip, HookName::Started | HookName::Finished) => "there is no iteration to skip here",
        (HookDecision::Abort, HookName::Finished) => "the run has ended already: there is nothing to abort",
        _ => return HookAnswer::new(decision, reason),
    };
    let colon = if reason.is_empty() { "" } else { ": " };
    HookAnswer::new(HookDecision::Warn, &format!("{refused}{colon}{reason}"))
}

/// The last lines of its complaints; of its output where it did not complain.
fn last_words(end: &HookEnd<'_>) -> String {
    let errors = last_lines(end.stderr);
    if !errors.is_empty() {
        return errors;
    }
    let from = end.stdout.len().saturating_sub(8 * 1024);
    last_lines(&String::from_utf8_lossy(end.stdout.get(from..).unwrap_or_default()))
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last: Vec<String> =
        lines.iter().skip(lines.len().saturating_sub(LAST_LINES)).map(|line| one_line(line)).collect();
    last.join(" / ")
}

/// One line, without what drives terminals, bounded.
fn one_line(text: &str) -> String {
    let text = without_escapes(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().filter(|char| !char.is_control()).collect();
    if line.chars().count() <= LONGEST_REASON {
        return line;
    }
    let kept: String = line.chars().take(LONGEST_REASON - 1).collect();
    format!("{kept}…")
}
