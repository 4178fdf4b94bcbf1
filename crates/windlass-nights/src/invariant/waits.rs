//! Waits for usage limits and outages.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use windlass_core::fact::{Entry, Fact};
use windlass_core::run::RESET_MARGIN;
use windlass_core::values::{Class, LaneId, UsageLimit, Verdict};

use super::tally::Tally;
use super::{Breach, lane_of};
use crate::record::{Record, What};

/// A runner looks at the clock twice a second.
const LATE: i64 = 1_000;

#[derive(Default)]
struct Waiting {
    /// Until when, and since when.
    held: Option<(Timestamp, Timestamp)>,
    /// A session began or the clock was moved meanwhile: being late says nothing.
    disturbed: bool,
    /// The limit of each lane's newest call.
    limits: BTreeMap<LaneId, Option<UsageLimit>>,
    /// The lane of the newest fact: what is held is held for its call.
    lane: LaneId,
    /// Refusals in a row before this one.
    refusals: u32,
    failing: bool,
    /// Another agent can take over: another invariant says when somebody waits.
    has_chain: bool,
}

pub(super) fn check(record: &Record) -> Result<(), Breach> {
    let mut tally = Tally::default();
    let has_chain = record.plan.agents().count() > 1;
    let mut waiting = Waiting { has_chain, ..Waiting::default() };
    for (at, moment) in record.moments.iter().enumerate() {
        match &moment.what {
            What::SessionBegan { .. } => (waiting.disturbed, waiting.failing) = (true, false),
            What::ClockMoved(_) => waiting.disturbed = true,
            What::Fact(entry) => {
                // A wrong verdict is for another invariant to say.
                let _ = tally.fold(entry);
                waiting.fold(entry).map_err(|said| Breach::at(at, said))?;
                // The clock was moved between the decision and its being written.
                waiting.disturbed |= moment.wall != entry.at.wall;
                if let Fact::RunFinished { duration, .. } = &entry.fact {
                    let right = tally.active(entry.at);
                    if *duration != right {
                        let said = format!("the run says that {duration:?} count, and {right:?} do");
                        return Err(Breach::at(at, said));
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

impl Waiting {
    fn fold(&mut self, entry: &Entry) -> Result<(), String> {
        let now = entry.at.wall;
        self.lane = lane_of(&entry.fact).unwrap_or(self.lane);
        match &entry.fact {
            Fact::CallFinished { summary, .. } => {
                self.limits.insert(self.lane, summary.limit.clone());
                Ok(())
            }
            // A session that goes on with a wait tells of it again.
            Fact::BackoffStarted { until, .. } if self.held.is_some_and(|(held, _)| held == *until) => Ok(()),
            Fact::BackoffStarted { until, class, .. } => {
                self.held = Some((*until, now));
                self.disturbed = false;
                if *class == Class::UsageLimit && !self.has_chain {
                    self.right_time(*until, now)
                } else {
                    Ok(())
                }
            }
            Fact::BackoffEnded => self.released(now),
            Fact::Failing { .. } => {
                self.failing = true;
                Ok(())
            }
            Fact::AttemptRepeats { class: class @ (Class::UsageLimit | Class::Outage), .. } => {
                if *class == Class::UsageLimit {
                    self.refusals += 1;
                }
                if self.held.is_none() && !self.failing && !self.has_chain {
                    return Err(format!("after {class:?} the attempt is repeated without a wait"));
                }
                Ok(())
            }
            Fact::IterationFinished { class: Class::UsageLimit, verdict: Verdict::Failed, .. } => {
                Err("a wait for a usage limit is counted as an iteration".to_owned())
            }
            // Its job's own file said that it is done: that was looked at first, and the wait stands.
            Fact::IterationFinished { class: Class::UsageLimit, .. } => {
                self.refusals += 1;
                Ok(())
            }
            Fact::IterationFinished { class, .. } | Fact::AttemptRepeats { class, .. } => {
                if !matches!(class, Class::Outage | Class::UsageLimit | Class::Interrupted) {
                    self.refusals = 0;
                }
                Ok(())
            }
            Fact::IterationStarted { .. } | Fact::CallReserved { .. } if self.held.is_some() => {
                Err("a call is made while the run waits".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// A limit that names its end is waited for until then, and a little more.
    fn right_time(&self, until: Timestamp, now: Timestamp) -> Result<(), String> {
        let reset = self.limits.get(&self.lane).and_then(Option::as_ref).and_then(|limit| limit.resets_at);
        match reset {
            Some(reset) if self.refusals == 0 => {
                let right = reset.checked_add(RESET_MARGIN).unwrap_or(Timestamp::MAX).max(now);
                if until == right {
                    Ok(())
                } else {
                    Err(format!("it waits until {until}, and {right} is right"))
                }
            }
            Some(reset) if reset > until => {
                Err(format!("it waits until {until}, before the reset at {reset}"))
            }
            None if until.duration_since(now).as_secs() < 120 => {
                Err("a limit without a time is asked again within two minutes".to_owned())
            }
            Some(_) | None => Ok(()),
        }
    }

    fn released(&mut self, now: Timestamp) -> Result<(), String> {
        let Some((until, since)) = self.held.take() else {
            return Err("a wait ends that did not begin".to_owned());
        };
        if now < until {
            return Err(format!("the wait until {until} ends at {now}"));
        }
        let late = now.duration_since(until.max(since)).as_millis();
        if late > i128::from(LATE) && !self.disturbed {
            let late = Duration::try_from(now.duration_since(until)).unwrap_or_default();
            return Err(format!("the wait until {until} ends {late:?} late"));
        }
        Ok(())
    }
}
