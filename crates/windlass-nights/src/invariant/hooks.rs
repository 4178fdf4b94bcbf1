//! What hooks say is heeded, and each is called when it is its turn.

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::run::MOST_SKIPS;
use windlass_core::spec::RunSpec;
use windlass_core::values::{HookDecision, HookName, StopReason};

use super::Breach;
use crate::record::{Record, What};

#[derive(Default)]
struct Heard {
    /// The hook of the beginning has ended in this session.
    greeted: bool,
    /// Nothing new is begun in this session any more.
    stopping: bool,
    /// What the newest call of a hook said.
    said: Option<HookDecision>,
    /// That of the hook before iterations, if no iteration has begun since.
    cleared: Option<HookDecision>,
    skips: u32,
    aborted: bool,
    /// The end is decided; so often was its hook called since.
    ending: Option<u32>,
}

pub(super) fn check(record: &Record) -> Result<(), Breach> {
    let mut heard = Heard::default();
    let mut plan = &record.plan;
    for (at, moment) in record.moments.iter().enumerate() {
        if let What::Fact(entry) = &moment.what
            && let Fact::RunStarted { plan: new } | Fact::RunResumed { plan: new } = &entry.fact
        {
            plan = new;
        }
        heard.follow(&moment.what, plan).map_err(|said| Breach::at(at, said))?;
    }
    Ok(())
}

impl Heard {
    fn follow(&mut self, what: &What, plan: &RunSpec) -> Result<(), String> {
        match what {
            What::SessionBegan { .. } => {
                *self = Heard { skips: self.skips, ..Heard::default() };
                Ok(())
            }
            What::HookBegan { hook: HookName::Finished } => match &mut self.ending {
                None => Err("the last hook is called before the end is decided".to_owned()),
                Some(calls) => {
                    *calls += 1;
                    if *calls == 1 { Ok(()) } else { Err("the last hook is called twice".to_owned()) }
                }
            },
            What::HookBegan { .. } if self.ending.is_some() => {
                Err("a hook is called although the end is decided".to_owned())
            }
            What::HookSaid { decision } => {
                self.said = Some(*decision);
                Ok(())
            }
            What::Stopped { .. } => {
                self.stopping = true;
                Ok(())
            }
            What::Fact(entry) => self.fact(&entry.fact, plan),
            _ => Ok(()),
        }
    }

    fn heard(&mut self, hook: HookName, decision: HookDecision) -> Result<(), String> {
        if self.said.take() != Some(decision) {
            return Err(format!("a hook is taken to have said {decision:?}, and it did not"));
        }
        self.aborted |= decision == HookDecision::Abort;
        match hook {
            HookName::Started => self.greeted = true,
            HookName::NextIteration => {
                self.cleared = Some(decision);
                self.skips = if decision == HookDecision::Skip { self.skips + 1 } else { 0 };
            }
            HookName::Finished => {}
        }
        Ok(())
    }

    fn fact(&mut self, fact: &Fact, plan: &RunSpec) -> Result<(), String> {
        let has = |name: HookName| plan.hooks.iter().any(|hook| hook.name == name);
        match fact {
            Fact::RunResumed { .. } if self.skips >= MOST_SKIPS => self.skips = 0,
            Fact::HookFinished(report::HookFinished { hook, outcome, .. }) => {
                return self.heard(*hook, outcome.decision);
            }
            Fact::Failing { .. } => self.stopping = true,
            Fact::BaselineCaptured(_)
            | Fact::HookDue { .. }
            | Fact::IterationStarted { .. }
            | Fact::CallReserved { .. }
                if has(HookName::Started) && !self.greeted && !self.stopping =>
            {
                return Err("something is done before the first hook has ended".to_owned());
            }
            Fact::HookDue { .. } | Fact::IterationStarted { .. } | Fact::CallReserved { .. }
                if self.aborted =>
            {
                return Err("the run goes on although a hook said abort".to_owned());
            }
            Fact::HookDue { .. } if self.skips >= MOST_SKIPS => {
                return Err(format!("a hook is asked again after {} skips in a row", self.skips));
            }
            Fact::IterationStarted { .. } if has(HookName::NextIteration) => match self.cleared.take() {
                Some(HookDecision::Continue | HookDecision::Warn) => {}
                Some(said) => return Err(format!("an iteration begins although its hook said {said:?}")),
                None => return Err("an iteration begins, and its hook was not asked".to_owned()),
            },
            Fact::RunEnding { stop_reason, .. } => {
                if self.aborted && !matches!(stop_reason, StopReason::Complete) && !self.stopping {
                    return Err("a hook said abort, and that is not why the run ends".to_owned());
                }
                self.ending = Some(0);
            }
            Fact::RunFinished { .. } => {
                if has(HookName::Finished) && self.ending != Some(1) {
                    return Err("the run ends, and its last hook was not called".to_owned());
                }
                self.ending = None;
            }
            _ => {}
        }
        Ok(())
    }
}
