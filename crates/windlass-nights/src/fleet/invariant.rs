//! What must hold of every night of a fleet: a name, a sentence and a check each.

mod calls;
mod journal;
mod tasks;

use std::collections::BTreeSet;

use super::record::{Began, FleetRecord, Free, What};
use crate::invariant::Breach;

/// Something that must always hold.
#[derive(Clone, Copy, Debug)]
pub struct FleetInvariant {
    /// Its name.
    pub name: &'static str,
    /// What must hold, in one sentence.
    pub sentence: &'static str,
    check: fn(&FleetRecord) -> Result<(), Breach>,
}

/// All of them.
pub const FLEET_INVARIANTS: &[FleetInvariant] = &[
    FleetInvariant {
        name: "one_story",
        sentence: "the journal of the fleet is one story: each number once, without a gap, every fact legal after those before it",
        check: journal::one_story,
    },
    FleetInvariant {
        name: "one_writer",
        sentence: "once a runner has the run, an earlier one writes nothing",
        check: journal::one_writer,
    },
    FleetInvariant {
        name: "facts_first",
        sentence: "no effect that leaves a trace begins before the fleet has the facts that intend it",
        check: facts_first,
    },
    FleetInvariant {
        name: "own_run_only",
        sentence: "no runner begins an effect that leaves a trace when the run is somebody else's",
        check: own_run_only,
    },
    FleetInvariant {
        name: "live_leases",
        sentence: "no lane is taken over whose worker has renewed its lease within its time, and none is taken that somebody has",
        check: live_leases,
    },
    FleetInvariant {
        name: "old_epochs",
        sentence: "nothing that a worker reports of a lane counts once the runner has given it up there",
        check: old_epochs,
    },
    FleetInvariant {
        name: "results_once",
        sentence: "what a worker reports counts once",
        check: results_once,
    },
    FleetInvariant {
        name: "one_agent_per_call",
        sentence: "no call has two agents",
        check: calls::one_agent,
    },
    FleetInvariant {
        name: "charged_once",
        sentence: "each reservation ends as one charge: what the agent said, or an estimate of at least what was reserved, which is replaced \
                   at most once by what its agent said",
        check: calls::charged_once,
    },
    FleetInvariant {
        name: "work_kept",
        sentence: "an agent that came to its end on a worker that never lost the lane is charged what it said, and its work counts",
        check: calls::work_kept,
    },
    FleetInvariant {
        name: "landed_once",
        sentence: "no task's work lands twice, and what is in the branch is what the facts say, in their order",
        check: tasks::landed_once,
    },
    FleetInvariant {
        name: "every_task_done",
        sentence: "once nothing goes wrong any more every task is done, and nothing is put aside but what nobody can do",
        check: tasks::every_task_done,
    },
    FleetInvariant {
        name: "comes_to_an_end",
        sentence: "once nothing goes wrong any more the run ends",
        check: comes_to_an_end,
    },
    FleetInvariant {
        name: "nothing_left",
        sentence: "a minute after the run's end no worker holds a lane of it, and no agent is at work; unless the servers were away for ten seconds when the run's lease was given back",
        check: nothing_left,
    },
    FleetInvariant {
        name: "live_is_replayed",
        sentence: "the state that a runner has is the one that its journal folds to",
        check: live_is_replayed,
    },
];

/// The first invariant that a night breaks.
pub fn broken_fleet(record: &FleetRecord) -> Option<(FleetInvariant, Breach)> {
    FLEET_INVARIANTS.iter().find_map(|invariant| Some((*invariant, (invariant.check)(record).err()?)))
}

/// The first moment of which something wrong is to be said.
fn find(record: &FleetRecord, mut wrong: impl FnMut(&What) -> Option<String>) -> Result<(), Breach> {
    let mut moments = record.moments.iter().enumerate();
    let found = moments.find_map(|(at, moment)| Some((at, wrong(&moment.what)?)));
    found.map_or(Ok(()), |(at, said)| Err(Breach::at(at, said)))
}

fn began(record: &FleetRecord, wrong: impl Fn(&Began) -> Option<String>) -> Result<(), Breach> {
    find(record, |what| match what {
        What::Began(began) if began.traces => wrong(began),
        _ => None,
    })
}

fn facts_first(record: &FleetRecord) -> Result<(), Breach> {
    began(record, |began| {
        let Began { effect, order, published, runner, .. } = began;
        // An order has the number that the next fact had.
        (*published + 1 < *order).then(|| {
            format!(
                "runner {runner} begins {effect} (order {order}), and the fleet has facts up to {published}"
            )
        })
    })
}

fn own_run_only(record: &FleetRecord) -> Result<(), Breach> {
    began(record, |began| {
        let Began { effect, runner, epoch, run_epoch, .. } = began;
        (*run_epoch != Some(*epoch)).then(|| {
            format!("runner {runner} (epoch {epoch}) begins {effect}, and the run is of epoch {run_epoch:?}")
        })
    })
}

fn live_leases(record: &FleetRecord) -> Result<(), Breach> {
    find(record, |what| match what {
        What::TakenOver { lane, silent } if *silent < super::night::LEASE => {
            Some(format!("lane {lane} is taken over {silent} ms after its lease was renewed"))
        }
        What::Took { worker, lane, was_free: Free::No, .. } => {
            Some(format!("worker w{worker} takes lane {lane}, which somebody has"))
        }
        _ => None,
    })
}

fn old_epochs(record: &FleetRecord) -> Result<(), Breach> {
    let mut lost = BTreeSet::new();
    find(record, |what| match what {
        What::Lost { runner, lane, lease } => {
            lost.insert((*runner, *lane, *lease));
            None
        }
        What::Counted { runner, lane, lease, worker, .. } if lost.contains(&(*runner, *lane, *lease)) => {
            Some(format!("worker w{worker} has lost lane {lane} (epoch {lease}), and what it reports counts"))
        }
        _ => None,
    })
}

fn results_once(record: &FleetRecord) -> Result<(), Breach> {
    let mut counted = BTreeSet::new();
    find(record, |what| match what {
        What::Counted { runner, lane, lease, number, worker }
            if !counted.insert((*runner, *lane, *lease, *number)) =>
        {
            Some(format!("outcome {number} of lane {lane} (epoch {lease}) on worker w{worker} counts twice"))
        }
        _ => None,
    })
}

fn comes_to_an_end(record: &FleetRecord) -> Result<(), Breach> {
    find(record, |what| match what {
        What::Stuck(said) => Some(said.clone()),
        _ => None,
    })
}

fn nothing_left(record: &FleetRecord) -> Result<(), Breach> {
    if record.moments.iter().any(|moment| matches!(moment.what, What::NotGivenBack)) {
        return Ok(());
    }
    find(record, |what| match what {
        What::Left60(said) => Some(said.clone()),
        _ => None,
    })
}

fn live_is_replayed(record: &FleetRecord) -> Result<(), Breach> {
    find(record, |what| match what {
        What::Differs => Some("the journal folds to another state than the runner's".to_owned()),
        _ => None,
    })
}
