//! The lines of agents that cannot work, and of those that take over.

use jiff::tz::TimeZone;
use windlass_core::fact::Fact;
use windlass_core::values::{Class, between};

use super::notice;
use crate::board::Board;
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark};
use crate::words;

pub(super) fn line(board: &Board, fact: &Fact, zone: &TimeZone) -> Option<Line> {
    match fact {
        Fact::AgentAway { agent, class, until, by, detail } => {
            let back = until.map(|until| {
                let left = format::duration(between(board.now, until));
                format!(", and is back at {} (in {left})", format::clock(until, board.now, zone))
            });
            let why = match class {
                Class::UsageLimit => "has reached its usage limit".to_owned(),
                Class::Outage => "is out of reach".to_owned(),
                class if detail.is_empty() => format!("cannot work: {}", words::class(*class)),
                _ => format!("cannot work: {}", one_line(detail).trim_end_matches('.')),
            };
            let then = by.map_or_else(
                || "nobody is left to take over".to_owned(),
                |by| format!("{} takes over", board.agent_name(by)),
            );
            let text = format!("{} {why}{}; {then}", board.agent_name(*agent), back.unwrap_or_default());
            Some(notice(board, Mark::Notice, &text))
        }
        Fact::AgentBack { agent } => {
            let next = board.who_works() == Some(*agent);
            let text = format!("{} can work again", board.agent_name(*agent));
            Some(notice(board, Mark::Notice, &(text + if next { ", and does" } else { "" })))
        }
        _ => None,
    }
}
