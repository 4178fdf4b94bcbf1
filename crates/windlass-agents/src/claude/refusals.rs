//! Why calls of tools were refused: what the lines before a result say of them. Only where a permission was missing does a
//! rule in `permissions.allow` help.

use std::collections::BTreeMap;

use windlass_core::values::Denial;

use super::event::{Block, Decision, DeniedCall, Envelope, Message, System, ToolMeta};
use super::rule;
use crate::json::{self, Field};

/// More denials than this are not told apart.
const DENIALS: usize = 100;

/// So many refused calls are remembered until the result that lists them.
const CALLS: usize = 1024;

/// So much of an answer is looked at, in bytes …
const ANSWER: usize = 4096;

/// … and so many characters of a hook's words are kept.
const WORDS: usize = 200;

const DENY_RULE: &str = "a rule of its settings that denies it, which no permission lifts";
const ASK_RULE: &str = "a rule of its settings that has it asked for each time, which no permission lifts";
const OFF: &str = "its settings, in which this tool is off";

/// What refused which call.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    by_call: BTreeMap<String, String>,
    /// Tools that were asked for and are off: no result lists them.
    off: Vec<String>,
}

impl Refusals {
    /// A `permission_denied` line.
    pub fn decided(&mut self, system: &System<'_>) {
        let message = json::word(system.message);
        let by = if is_denied(&message) {
            DENY_RULE
        } else if json::word(system.decision_reason_type) == "rule" {
            ASK_RULE
        } else {
            return;
        };
        self.note(&json::word(system.tool_use_id), by.to_owned());
    }

    /// A line of tools' answers.
    pub fn answered(&mut self, envelope: &Envelope<'_>) {
        let message = json::object::<Message<'_>>(envelope.message).unwrap_or_default();
        json::each(message.content, |block| {
            let block = json::object::<Block<'_>>(block);
            if let Some(block) = block.filter(|block| json::flag(block.is_error) == Some(true)) {
                self.failed(&block, source(envelope.tool_result_meta, &json::word(block.tool_use_id)));
            }
        });
    }

    fn failed(&mut self, block: &Block<'_>, source: Source) {
        let Some(answer) = json::piece(block.content, ANSWER) else { return };
        let answer = answer.text.trim_start_matches("<tool_use_error>").trim_end_matches("</tool_use_error>");
        if let Some(tool) = tool_that_is_off(answer) {
            if self.off.len() < DENIALS && !self.off.iter().any(|known| known == tool) {
                self.off.push(tool.to_owned());
            }
            return;
        }
        let by = match (hook_words(answer), source) {
            (Some(words), _) => by_hook(words),
            (None, Source::Hook) => by_hook(answer),
            (None, Source::Rule) => DENY_RULE.to_owned(),
            (None, Source::Other) if is_denied(answer) => DENY_RULE.to_owned(),
            (None, Source::Other) => return,
        };
        self.note(&json::word(block.tool_use_id), by);
    }

    fn note(&mut self, call: &str, by: String) {
        if self.by_call.len() < CALLS {
            self.by_call.entry(call.to_owned()).or_insert(by);
        }
    }

    /// The denials that a result lists, each with what refused it.
    pub fn denials(&self, calls: Field<'_>) -> Vec<Denial> {
        let mut denials = Vec::new();
        json::each(calls, |call| {
            let call = json::object::<DeniedCall<'_>>(call);
            if let Some(call) = call.filter(|_| denials.len() < DENIALS) {
                let mut denial = rule::denial(&json::word(call.tool), call.input);
                if let Some(by) = self.by_call.get(&*json::word(call.id)) {
                    denial.rule.clear();
                    denial.refused_by.clone_from(by);
                }
                if !denials.contains(&denial) {
                    denials.push(denial);
                }
            }
        });
        let off = self.off.iter().map(|tool| Denial {
            tool: tool.clone(),
            refused_by: OFF.to_owned(),
            ..Denial::default()
        });
        denials.extend(off);
        denials.truncate(DENIALS);
        denials
    }
}

/// Who refused a call, as its answer's own field says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Rule,
    Hook,
    Other,
}

fn source(meta: Field<'_>, call: &str) -> Source {
    let mut source = Source::Other;
    json::each(meta, |meta| {
        let Some(meta) = json::object::<ToolMeta<'_>>(meta).filter(|meta| json::word(meta.id) == call) else {
            return;
        };
        let decision = json::object::<Decision<'_>>(meta.permission_decision).unwrap_or_default();
        if json::word(decision.source) == "hook" {
            source = Source::Hook;
        } else if json::word(decision.reason_type) == "rule" {
            source = Source::Rule;
        }
    });
    source
}

/// The program's own words about a rule that denies.
fn is_denied(message: &str) -> bool {
    let whole = message.starts_with("Permission to use ") && message.ends_with(" has been denied.");
    whole || message.ends_with("denied by your permission settings.")
}

/// `No such tool available: Monitor. Monitor is disabled for this session, …`
fn tool_that_is_off(answer: &str) -> Option<&str> {
    let rest = answer.trim_start_matches("Error: ").strip_prefix("No such tool available: ")?;
    let (tool, said) = rest.split_once(". ")?;
    said.contains("is disabled for this session").then_some(tool).filter(|tool| tool.len() <= WORDS)
}

/// `PreToolUse:Write hook error: [the command]: what it said`
fn hook_words(answer: &str) -> Option<&str> {
    let (_, said) = answer.strip_prefix("PreToolUse:")?.split_once(" hook error: ")?;
    Some(said.strip_prefix('[').and_then(|rest| Some(rest.rsplit_once("]: ")?.1)).unwrap_or(said))
}

fn by_hook(words: &str) -> String {
    let words: String = words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(WORDS).collect();
    format!("a hook of its settings: {words}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_no_refusal_says_nothing_of_one() {
        for answer in
            ["Exit code 1", "No such tool available: Nope", "no hook error: none", "is disabled", ""]
        {
            assert_eq!((hook_words(answer), tool_that_is_off(answer)), (None, None), "{answer}");
            assert!(!is_denied(answer), "{answer}");
        }
        assert_eq!(hook_words("PreToolUse:Bash hook error: [a ]: b]: not here"), Some("not here"));
        assert_eq!(hook_words("PreToolUse:Bash hook error: not here"), Some("not here"));
    }
}
