//! The agents of a run that has several, in its status.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::board::Board;
use crate::format;
use crate::line::{Line, Tone};
use crate::narrate::labelled;

/// One agent of the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StatusAgent {
    /// Its name.
    pub name: String,
    /// The model that it is asked for; `None` = its own choice.
    pub model: Option<String>,
    /// `works`, `ready` (it would take over, or go on with a run that has ended) or `away`.
    pub state: AgentState,
    /// When one that is away is back; `None` = before a person goes on with the run it is not.
    #[serde(serialize_with = "windlass_core::values::some_wall_time::serialize")]
    pub back: Option<Timestamp>,
}

/// What an agent of the chain is there for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// The next call is its own. None has it where the run has ended.
    Works,
    /// It would take over.
    Ready,
    /// It cannot work.
    Away,
}

impl StatusAgent {
    pub(super) fn all(board: &Board) -> Vec<StatusAgent> {
        let works = board.who_works().filter(|_| board.ending.is_none());
        let agents = board.plan.iter().filter(|_| board.has_chain()).flat_map(|plan| plan.agents());
        let seen = agents.map(|(index, spec)| StatusAgent {
            name: board.agent_name(index),
            model: spec.model.clone(),
            state: match board.away.contains_key(&index) {
                true => AgentState::Away,
                false if works == Some(index) => AgentState::Works,
                false => AgentState::Ready,
            },
            back: board.away.get(&index).copied().flatten(),
        });
        seen.collect()
    }

    /// Who works, and who is away; none where there is one agent, or nothing to say of several, as after the run's end.
    pub(super) fn line(agents: &[StatusAgent], (now, zone): (Timestamp, &TimeZone)) -> Option<Line> {
        let (first, rest) = agents.split_first()?;
        if agents.iter().all(|agent| agent.state == AgentState::Ready) {
            return None;
        }
        let told = |agent: &StatusAgent| match (agent.state, agent.back) {
            (AgentState::Works, _) => format!("{} works", agent.name),
            (AgentState::Ready, _) => format!("{} is ready", agent.name),
            (AgentState::Away, Some(back)) => {
                format!("{} is away until {}", agent.name, format::clock(back, now, zone))
            }
            (AgentState::Away, None) => format!("{} cannot work", agent.name),
        };
        let text = rest.iter().fold(told(first), |text, agent| format!("{text}, {}", told(agent)));
        let is_one_away = agents.iter().any(|agent| agent.state == AgentState::Away);
        let tone = if is_one_away { Tone::Warn } else { Tone::Plain };
        Some(labelled("agents").tone(tone, text))
    }
}
