//! One stop reason per ending, the right one, and no going on where there is one.

use windlass_core::fact::Fact;
use windlass_core::values::StopReason;

use super::Breach;
use super::tally::Tally;
use crate::record::{Record, SessionEnd, What};

pub(super) fn check(record: &Record) -> Result<(), Breach> {
    let mut tally = Tally::default();
    let mut asked = false;
    let mut decided = None;
    let mut endings = 0;
    for (at, moment) in record.moments.iter().enumerate() {
        let wrong = |said: String| Err(Breach::at(at, said));
        match &moment.what {
            What::SessionBegan { .. } => (asked, decided, endings) = (false, None, 0),
            What::Stopped { .. } => asked = true,
            What::SessionEnded(SessionEnd::Finished) if endings != 1 => {
                return wrong(format!("the session ended with {endings} stop reasons"));
            }
            What::Illegal(said) => return wrong(said.clone()),
            What::Fact(entry) => {
                if let Err(said) = tally.fold(entry) {
                    return wrong(said);
                }
                match &entry.fact {
                    Fact::HookDue { .. } | Fact::IterationStarted { .. } | Fact::CallReserved { .. } => {
                        if asked {
                            return wrong("the run goes on although it was asked to stop".to_owned());
                        }
                        // The iteration that has begun is none that its own limit forbids.
                        let reason = before(&tally, &entry.fact).reason(entry.at);
                        if let Some(reason) = reason {
                            return wrong(format!("the run goes on where it has to end: {}", reason.name()));
                        }
                    }
                    // What comes after the decision, such as a Ctrl-C while others are told of it, comes too late.
                    Fact::RunEnding { stop_reason, .. } => {
                        ending(&tally, asked, *stop_reason, entry.at).or_else(wrong)?;
                        decided = Some(*stop_reason);
                    }
                    Fact::RunFinished { stop_reason, .. } => {
                        endings += 1;
                        if decided != Some(*stop_reason) {
                            return wrong(format!("it ends with {stop_reason:?}, decided was {decided:?}"));
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn before(tally: &Tally, fact: &Fact) -> Tally {
    let mut before = tally.clone();
    if matches!(fact, Fact::IterationStarted { .. }) {
        before.not_started();
    }
    before
}

fn ending(
    tally: &Tally,
    asked: bool,
    given: StopReason,
    now: windlass_core::values::Now,
) -> Result<(), String> {
    let manual =
        [StopReason::Complete, StopReason::Interrupted, StopReason::Terminated, StopReason::StopRequested];
    if asked && !manual.contains(&given) && tally.done_reason() != Some(given) {
        return Err(format!("somebody asked the run to stop, and it ends with {}", given.name()));
    }
    match tally.reason(now) {
        Some(right) if right == given => Ok(()),
        Some(right) => Err(format!("it ends with {given:?} where {right:?} holds")),
        None => Err(format!("it ends with {given:?}, and nothing asks for that")),
    }
}
