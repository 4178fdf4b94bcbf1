//! What an agent has at hand, and what it said last.

use windlass_agents::Activity;
use windlass_core::observation::Observation;
use windlass_core::values::{CallId, Cost, LaneId};

use super::{Board, Doing};
use crate::activity::activity;
use crate::harmless::one_line;
use crate::tool::Places;

/// So much of the end of what an agent says is looked at for its last sentence, in characters.
const LOOKED_AT: usize = 400;

/// The tool that an agent uses, and its last sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AtHand {
    /// The tool and what it is used on: `Edit src/parse.rs`; empty while none is used.
    pub(crate) tool: String,
    /// What it said last, on one line; empty before it said anything.
    pub(crate) said: String,
}

impl AtHand {
    fn take(&mut self, observation: &Observation, places: &Places) {
        match observation {
            Observation::ToolUse { name, input, .. } => {
                self.tool = one_line(&format!("{name} {}", places.subject(input)));
            }
            Observation::ToolResult { .. } | Observation::Denied { .. } | Observation::Started { .. } => {
                self.tool.clear();
            }
            Observation::AgentText { text, nested } => {
                self.tool.clear();
                let said = last_sentence(text);
                // A sub-agent's words are about a part of the work.
                if !nested && !said.is_empty() {
                    self.said = said;
                }
            }
            _ => {}
        }
    }
}

impl Board {
    /// Takes in what an agent is seen doing.
    pub(super) fn observation(&mut self, lane: LaneId, call: CallId, observation: &Observation) {
        if let Observation::Result { cost_usd: Some(dollars), .. } = observation
            && let Some(call) = self.calls.get_mut(&call)
        {
            call.reported = Cost::from_dollars(*dollars);
        }
        let Some(board) = self.lanes.get_mut(&lane) else { return };
        if !matches!(board.doing, Doing::Agent(_)) {
            return;
        }
        board.at_hand.take(observation, &self.places);
        if let Some(activity) = activity(observation) {
            board.doing = Doing::Agent(activity);
        }
    }
}

/// Does an agent that does this use a tool?
pub(crate) const fn uses_tool(activity: Activity) -> bool {
    match activity {
        Activity::Reading
        | Activity::Editing
        | Activity::Running
        | Activity::UsingTool
        | Activity::Delegating => true,
        Activity::Starting
        | Activity::Thinking
        | Activity::Writing
        | Activity::Compacting
        | Activity::Retrying => false,
    }
}

/// The last sentence of a text, without the marks that Markdown begins lines with.
fn last_sentence(text: &str) -> String {
    let begins_at = text.char_indices().rev().nth(LOOKED_AT).map_or(0, |(index, _)| index);
    let end = text.get(begins_at..).unwrap_or_default();
    let line = end.lines().rev().map(one_line).find(|line| line.chars().any(char::is_alphanumeric));
    let line = line.unwrap_or_default();
    let bare = line.trim_start_matches(['-', '*', '#', '>', ' ']).trim_end_matches(['*', ' ']);
    let ends = [". ", "! ", "? "];
    let last = ends.iter().filter_map(|end| bare.rfind(end).map(|at| at + end.len())).max();
    last.and_then(|at| bare.get(at..)).unwrap_or(bare).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_sentence_is_found_whatever_surrounds_it() {
        for (text, expected) in [
            ("", ""),
            ("---\n", ""),
            ("I look first.", "I look first."),
            ("I look first. Then I mend it!", "Then I mend it!"),
            ("## Plan\n\n- read\n- **edit src/a.rs**\n\n", "edit src/a.rs"),
            ("See v1.2 of it", "See v1.2 of it"),
            ("one\x1b[2J two\nünf\u{202e} drei", "ünf drei"),
        ] {
            assert_eq!(last_sentence(text), expected, "{text:?}");
        }
        let long = format!("{}. The end.", "ä".repeat(5_000));
        assert_eq!(last_sentence(&long), "The end.");
    }
}
