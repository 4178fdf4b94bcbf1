//! What must hold of every night: a name, a sentence and a check each.
//!
//! A check reads the record of a night and nothing else. Where the core counts something, the check counts it again by
//! itself, from the facts and from what the world knows.

mod at;
mod chain;
mod charges;
mod complete;
mod councils;
mod deliveries;
mod effects;
mod endings;
mod hooks;
mod patience;
mod plans;
mod prefixes;
mod principles;
mod reviews;
mod tally;
mod tasks;
mod told;
mod waits;

use std::collections::BTreeMap;

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::LaneId;

use crate::record::{Record, What};

/// Something that must always hold.
#[derive(Clone, Copy, Debug)]
pub struct Invariant {
    /// Its name.
    pub name: &'static str,
    /// What must hold, in one sentence.
    pub sentence: &'static str,
    check: fn(&Record) -> Result<(), Breach>,
}

/// Where it did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// After how many moments of the record.
    pub(crate) moment: usize,
    /// What is wrong, in one sentence.
    pub said: String,
}

impl Breach {
    pub(crate) fn at(moment: usize, said: impl Into<String>) -> Breach {
        Breach { moment, said: said.into() }
    }
}

/// All of them.
pub const INVARIANTS: &[Invariant] = &[
    Invariant {
        name: "one_stop_reason",
        sentence: "every ending has exactly one stop reason, the first that holds: complete with green gates, then \
                   manual, then fatal, then limits, then stagnation; and a run ends when one holds",
        check: endings::check,
    },
    Invariant {
        name: "boxes_closed",
        sentence: "a build is never complete with an open box or without its plan, unless a check decides",
        check: plans::boxes_closed,
    },
    Invariant {
        name: "boxes_kept",
        sentence: "a build is never complete while a box is gone that was open when an agent began, unless a person accepted \
                   that",
        check: plans::boxes_kept,
    },
    Invariant {
        name: "shown_complete",
        sentence: "a run is never complete without its source of completion and its gates green on the final tree",
        check: complete::check,
    },
    Invariant {
        name: "done_is_committed",
        sentence: "where the runner commits, no job is called done but with all in a commit that was judged",
        check: complete::committed,
    },
    Invariant {
        name: "let_stand",
        sentence: "nothing is committed, landed, done or complete whose newest reviewer did not let it stand, and a task \
                   is put aside for its reviewer once that has rejected it three times for the same",
        check: reviews::check,
    },
    Invariant {
        name: "decided_once",
        sentence: "at most one council is called in an iteration, and no more in a run than it may; what was decided stands \
                   in every later prompt, and in the log, once",
        check: councils::check,
    },
    Invariant {
        name: "first_who_can",
        sentence: "of several agents each call is the first's that can work; who cannot is away until its time, and nobody \
                   waits while another one could go on",
        check: chain::check,
    },
    Invariant {
        name: "within_budget",
        sentence: "a run never costs more than its budget and one response",
        check: charges::within_budget,
    },
    Invariant {
        name: "true_charges",
        sentence: "what is charged is what the agents reported, or, marked as an estimate, what their streams show and at \
                   least the reservation; tokens of calls that died count",
        check: charges::true_charges,
    },
    Invariant {
        name: "iterations_counted_once",
        sentence: "over any crash no iteration, attempt or journalled fact is counted twice or lost",
        check: effects::iterations,
    },
    Invariant {
        name: "effects_once",
        sentence: "nothing is done twice that must not be: a commit, a paid call beyond the repeated attempt",
        check: effects::once,
    },
    Invariant {
        name: "told_once",
        sentence: "nobody is told of what the journal may still lose, nor twice unless it is not known that he heard it and \
                   said that it is repeated; and no run is over before its end was told, or given up",
        check: told::check,
    },
    Invariant {
        name: "hooks_heeded",
        sentence: "a hook that skips consumes no iteration, ten skips in a row or an abort end the run, and each hook \
                   is called at its turn: the last one once per ending, unless a crash repeats it",
        check: hooks::check,
    },
    Invariant {
        name: "only_the_plan",
        sentence: "where a plan is made, no change of the agent's stays in the tree but that of the plan",
        check: plans::only_the_plan,
    },
    Invariant {
        name: "tasks_in_turn",
        sentence: "a task begins only when it is open, what it depends on is done, and no other lane is at it",
        check: tasks::in_turn,
    },
    Invariant {
        name: "twins_open",
        sentence: "a run is never complete while a task is open that has the id of another one",
        check: tasks::twins_open,
    },
    Invariant {
        name: "one_end_per_task",
        sentence: "every task ends as exactly one of done, put aside, open or waiting, its file says which are done, and \
                   a run is complete once all are",
        check: tasks::one_end,
    },
    Invariant {
        name: "shown_to_the_end",
        sentence: "a run that is complete has seen with its last task that the criteria of all that it finished hold still",
        check: tasks::shown_to_the_end,
    },
    Invariant {
        name: "done_is_landed",
        sentence: "no task is done unless it is committed, or has landed from its lane, and its gates were green on what landed",
        check: tasks::done_is_landed,
    },
    Invariant {
        name: "landed_once",
        sentence: "no lane's work lands twice, and none that has landed is lost",
        check: tasks::landed_once,
    },
    Invariant {
        name: "one_at_the_branch",
        sentence: "at most one lane is between its merge and the end of its landing",
        check: tasks::one_at_the_branch,
    },
    Invariant {
        name: "blocked_rightly",
        sentence: "a run is blocked only when no task is ready and none is at work",
        check: tasks::blocked_rightly,
    },
    Invariant {
        name: "tasks_spared",
        sentence: "no task is put aside for what the API failed at",
        check: tasks::spared,
    },
    Invariant {
        name: "lanes_commute",
        sentence: "where no task has to do with another, several lanes give what one lane gives",
        check: tasks::lanes_commute,
    },
    Invariant {
        name: "waits_honoured",
        sentence: "waits end when they say, to the second, are never charged, never lost and no failures",
        check: waits::check,
    },
    Invariant {
        name: "out_once",
        sentence: "no branch has two pull requests open, nothing is merged twice, and nothing that somebody else pushed is \
                   overwritten",
        check: deliveries::once,
    },
    Invariant {
        name: "out_rightly",
        sentence: "nothing is pushed but what its gates passed on and its reviewer let stand, nothing merged but that and the \
                   base in it, once it is shown to be done and its checks and reviews were seen to allow that; nothing is \
                   begun outside after a stop; and a run ends by the forge's word only where the forge says so",
        check: deliveries::rightly,
    },
    Invariant {
        name: "out_in_time",
        sentence: "each wait on the way out ends when it says and by its deadline, no agent is called meanwhile, and no more \
                   goes back to the agent than may",
        check: patience::check,
    },
    Invariant {
        name: "asked_thrice",
        sentence: "an agent is asked for principles at most three times, each attempt counts once, and what was taken is sound \
                   and stays",
        check: principles::check,
    },
    Invariant {
        name: "nothing_lost",
        sentence: "nothing is deleted that was not snapshotted, and every snapshot that has a name is whole",
        check: nothing_lost,
    },
    Invariant {
        name: "progress_or_stop",
        sentence: "a run gets on or ends: it never waits for nothing and never spins",
        check: progress_or_stop,
    },
    Invariant {
        name: "live_is_replayed",
        sentence: "the state that the runner has is the one that its journal folds to",
        check: live_is_replayed,
    },
    Invariant {
        name: "every_prefix_recovers",
        sentence: "from the journal cut at any byte a run can be continued to an end",
        check: prefixes::check,
    },
];

/// The first invariant that a night breaks.
pub fn broken(record: &Record) -> Option<(Invariant, Breach)> {
    INVARIANTS.iter().find_map(|invariant| Some((*invariant, (invariant.check)(record).err()?)))
}

fn find(record: &Record, wrong: impl Fn(&What) -> Option<String>) -> Result<(), Breach> {
    let found = record.moments.iter().enumerate().find_map(|(at, moment)| Some((at, wrong(&moment.what)?)));
    found.map_or(Ok(()), |(at, said)| Err(Breach::at(at, said)))
}

fn nothing_lost(record: &Record) -> Result<(), Breach> {
    find(record, |what| match what {
        What::Unprotected { file, before } => Some(format!("nothing keeps {file} when {before}")),
        What::BadSnapshot(said) => Some(format!("snapshot {said} has no contents")),
        _ => None,
    })
}

/// Attempts of one iteration by one agent within a session that no bound of a run explains.
const MOST_ATTEMPTS: u32 = 64;

fn progress_or_stop(record: &Record) -> Result<(), Breach> {
    // Several lanes have an iteration each.
    let mut attempts: BTreeMap<u32, u32> = BTreeMap::new();
    let agents = u32::try_from(record.plan.agents().count()).unwrap_or(u32::MAX);
    for (at, moment) in record.moments.iter().enumerate() {
        match &moment.what {
            What::Stuck(said) => return Err(Breach::at(at, said.clone())),
            What::SessionBegan { .. } => attempts.clear(),
            What::AgentStarted { turn, .. } => {
                let attempts = attempts.entry(turn.iteration).or_default();
                *attempts += 1;
                if *attempts > MOST_ATTEMPTS.saturating_mul(agents) {
                    return Err(Breach::at(at, format!("{attempts} attempts at the same iteration")));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn live_is_replayed(record: &Record) -> Result<(), Breach> {
    find(record, |what| match what {
        What::Differs => Some("the journal folds to another state than the runner's".to_owned()),
        _ => None,
    })
}

/// Where a fact belongs; `None` where that is the run as a whole.
pub(crate) fn lane_of(fact: &Fact) -> Option<LaneId> {
    match fact {
        Fact::IterationStarted { lane, .. }
        | Fact::CallReserved { lane, .. }
        | Fact::CallSpawned(report::CallSpawned { lane, .. })
        | Fact::CallCut { lane, .. }
        | Fact::CallFinished { lane, .. }
        | Fact::StatusChanged(report::StatusChanged { lane, .. })
        | Fact::Suspected(report::Suspected { lane, .. })
        | Fact::SnapshotTaken(report::SnapshotTaken { lane, .. })
        | Fact::ForbiddenChangesReverted(report::ForbiddenChangesReverted { lane, .. })
        | Fact::FollowUpDue { lane, .. }
        | Fact::DecisionLogged(report::DecisionLogged { lane, .. })
        | Fact::ReviewSkipped(report::ReviewSkipped { lane, .. })
        | Fact::CheckFinished(report::CheckFinished { lane, .. })
        | Fact::Committed(report::Committed { lane, .. })
        | Fact::TreeRechecked(report::TreeRechecked { lane, .. })
        | Fact::AttemptRepeats { lane, .. }
        | Fact::IterationFinished { lane, .. }
        | Fact::LaneOpened(report::LaneOpened { lane, .. })
        | Fact::Merged(report::Merged { lane, .. })
        | Fact::Landed(report::Landed { lane, .. })
        | Fact::TaskClosed(report::TaskClosed { lane, .. }) => Some(*lane),
        _ => None,
    }
}
