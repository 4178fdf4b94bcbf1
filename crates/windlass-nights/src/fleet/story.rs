//! A night of a fleet as a person reads it.

use std::fmt::Write as _;

use super::invariant::FleetInvariant;
use super::record::{AgentEnd, FleetRecord, RunnerEnd, What};
use crate::invariant::Breach;

/// The longest line.
const WIDTH: usize = 110;

/// What happened, line by line. The breach stands where it was seen.
pub fn tell_fleet(record: &FleetRecord, broken: Option<&(FleetInvariant, Breach)>) -> String {
    let mut text = setting(record);
    for (at, moment) in record.moments.iter().enumerate() {
        line(&mut text, &time(moment.at), &sentence(record, &moment.what));
        if let Some((invariant, breach)) = broken.filter(|(_, breach)| breach.moment == at) {
            line(&mut text, "", &format!("✗ {}: {}", invariant.name, breach.said));
        }
    }
    if let Some((invariant, breach)) = broken.filter(|(_, breach)| breach.moment >= record.moments.len()) {
        line(&mut text, "", &format!("✗ {}: {}", invariant.name, breach.said));
    }
    text
}

fn time(at: u64) -> String {
    format!("{:>4}.{:03}", at / 1_000, at % 1_000)
}

fn line(text: &mut String, time: &str, said: &str) {
    let line: String = format!("  {time:>8}  {said}").chars().take(WIDTH).collect();
    let _ = writeln!(text, "{line}");
}

fn setting(record: &FleetRecord) -> String {
    let script = &record.script;
    let mut text = format!("  a night of a fleet, seed {}\n", script.seed);
    let lanes = script.plan.lanes.as_ref().map_or(1, |lanes| lanes.count);
    let _ = writeln!(text, "    {lanes} lanes, workers that take {:?} lanes at once", script.workers);
    for task in &script.tasks {
        let after: Vec<&str> = task.row.dependencies.iter().map(|id| id.0.as_str()).collect();
        let _ = writeln!(text, "    {}: {:?}, {} ms, after {after:?}", task.row.id, task.nature, task.length);
    }
    text
}

fn sentence(record: &FleetRecord, what: &What) -> String {
    match what {
        What::Said(said) => format!("# {said}"),
        What::Runs { runner, epoch, machine } => {
            format!("runner {runner} has the run (epoch {epoch}), on machine {machine}")
        }
        What::RunnerEnded { runner, how } => format!("runner {runner}: {}", ended(*how)),
        What::WorkerEnded { worker } => format!("worker w{worker} is gone"),
        What::Wrote { runner, entry } => {
            let fact: &'static str = (&entry.fact).into();
            let lane = crate::invariant::lane_of(&entry.fact)
                .map_or_else(String::new, |lane| format!(" lane {lane}"));
            format!("  runner {runner} writes {}{lane} {fact}", entry.seq)
        }
        What::Began(began) => format!("  runner {} begins {} ({})", began.runner, began.effect, began.order),
        What::Counted { runner, lane, number, worker, .. } => {
            format!("  runner {runner} counts outcome {number} of lane {lane} from w{worker}")
        }
        What::Lost { runner, lane, lease } => format!("runner {runner} gives lane {lane} up (epoch {lease})"),
        What::TakenOver { lane, silent } => format!("lane {lane} is taken over after {silent} ms of silence"),
        What::Took { worker, lane, lease, .. } => {
            format!("worker w{worker} takes lane {lane} (epoch {lease})")
        }
        What::Left { worker, lane, lease } => format!("worker w{worker} leaves lane {lane} (epoch {lease})"),
        What::Started(agent) => {
            let agent = &record.agents[*agent];
            format!("  the agent of call {} begins on w{}, lane {}", agent.call.0, agent.worker, agent.lane)
        }
        What::Ended(agent) => {
            let agent = &record.agents[*agent];
            let how = if agent.end == AgentEnd::Killed { "is ended" } else { "has finished" };
            format!("  the agent of call {} {how}", agent.call.0)
        }
        What::Landed { machine, commit } => format!("{commit} reaches the branch of machine {machine}"),
        What::Healed => "# nothing goes wrong any more".to_owned(),
        What::Left60(said) => format!("a minute after the end: {said}"),
        What::NotGivenBack => "the run's lease cannot be given back".to_owned(),
        What::Illegal(said) | What::Stuck(said) => said.clone(),
        What::Differs => "the journal says something else than the state".to_owned(),
    }
}

const fn ended(how: RunnerEnd) -> &'static str {
    match how {
        RunnerEnd::Finished => "the run has ended",
        RunnerEnd::Killed => "killed",
        RunnerEnd::Left => "leaves the run",
        RunnerEnd::Refused => "is refused",
    }
}
