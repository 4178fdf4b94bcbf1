//! The run that is open, and what is new of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use windlass_app::AppError;
use windlass_app::inspect::{AtWork, FollowedRun, KnownRun, ListedRun};
use windlass_core::fact::Fact;
use windlass_core::values::CallId;
use windlass_ui::one_line;

use crate::state::{AtHand, Listed, RunNow, RunPlace};
use crate::transcript::subject;

/// A run as the state knows it.
pub fn place(known: &KnownRun) -> RunPlace {
    RunPlace { project: known.project_name(), run: known.run().clone() }
}

/// The run that is open.
pub struct Open {
    pub place: RunPlace,
    pub followed: FollowedRun,
    /// What was told of it: whether it lives, what its agents are at.
    pub live: bool,
    pub at_work: Vec<AtWork>,
    pub told: bool,
}

/// What is new of a run.
pub enum Landed {
    /// Nothing.
    Nothing,
    /// Its agents are at something else, or were heard.
    Hand,
    /// Facts, or its process came or went.
    Facts {
        /// An iteration or the run itself is over.
        finished: bool,
    },
}

impl Open {
    /// The call of an iteration that is so many before its last one.
    pub fn call(&self, iteration: u32, back: usize) -> Option<CallId> {
        let calls = self.followed.course().calls().filter(|(round, _)| round.iteration == iteration);
        let calls: Vec<CallId> = calls.map(|(_, call)| call.call).collect();
        calls.iter().rev().nth(back % calls.len().max(1)).copied()
    }

    /// Has a call not ended, by what is journalled? That its process is not found for a moment says nothing.
    pub fn goes_on(&self, call: CallId) -> bool {
        self.followed.course().calls().any(|(_, known)| known.call == call && known.ended.is_none())
    }

    /// Takes in what has landed.
    pub fn advance(&mut self) -> Result<Landed, AppError> {
        let (mut is_new, mut finished, mut has_ended) = (false, false, false);
        self.followed.advance(|entry| {
            is_new = true;
            finished |= matches!(entry.fact, Fact::IterationFinished { .. });
            has_ended |= matches!(entry.fact, Fact::RunFinished { .. });
        })?;
        let live = self.followed.is_live()?;
        let at_work = if live { self.followed.at_work()? } else { Vec::new() };
        if has_ended && self.told {
            self.followed.look_at_places();
        }
        is_new |= live != self.live || !self.told;
        let is_other = at_work != self.at_work;
        (self.live, self.at_work, self.told) = (live, at_work, true);
        Ok(match (is_new, is_other) {
            (true, _) => Landed::Facts { finished: finished || has_ended },
            (false, true) => Landed::Hand,
            (false, false) => Landed::Nothing,
        })
    }

    /// When an agent of it was heard last.
    pub fn heard(&self) -> Option<Timestamp> {
        self.at_work.iter().filter_map(|at| at.heard).max()
    }

    /// What its agents are at, by iteration.
    pub fn at_hand(&self) -> BTreeMap<u32, AtHand> {
        let directory = self.followed.course().directory();
        let directory =
            directory.map(|directory| directory.to_string_lossy().into_owned()).unwrap_or_default();
        let hand = |at: &AtWork| {
            let tool = at.tool.as_ref();
            let what =
                tool.map(|tool| format!("{} {}", one_line(&tool.name), subject(&tool.input, &directory)));
            (at.iteration, AtHand { what: what.unwrap_or_default(), since: tool.map(|tool| tool.since) })
        };
        self.at_work.iter().map(hand).collect()
    }

    /// How it stands now.
    pub fn now(&self) -> Result<RunNow, AppError> {
        let made = Timestamp::now();
        Ok(RunNow {
            place: self.place.clone(),
            made,
            heard: self.heard(),
            at_hand: self.at_hand(),
            seen: self.followed.seen(made)?,
        })
    }
}

/// A run as the list shows it.
pub fn listed(run: &ListedRun) -> Listed {
    Listed {
        place: place(&run.known()),
        heading: run.heading,
        state: run.state,
        spent: run.spent(),
        summary: Arc::clone(&run.summary),
    }
}
