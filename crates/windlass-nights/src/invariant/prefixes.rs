//! Recovery from any prefix of the journal: cut at any byte, it is read, folded, resumed and brought to an end.

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use windlass_core::fact::Entry;
use windlass_core::report;
use windlass_core::run::{Effect, Input, Phase, Run};
use windlass_core::values::{
    Bill, CallReport, CheckOutcome, CheckResult, Class, CommitNotes, Cost, Ended, Evidence, HookDecision,
    HookOutcome, LandOutcome, MergeOutcome, Now, SnapshotId, Tokens,
};
use windlass_engine::store::journal;

use super::Breach;
use crate::dice::Dice;
use crate::record::{Record, What};

/// How many prefixes of each night are tried.
const SAMPLES: u32 = 2;

/// More inputs than a calm end of a run takes.
const MOST_INPUTS: u32 = 3_000;

pub(super) fn check(record: &Record) -> Result<(), Breach> {
    let end = record.moments.len();
    let mut dice = Dice::new(record.journal.len() as u64 ^ (u64::from(record.steps) << 20));
    for _ in 0..SAMPLES {
        let cut = usize::try_from(dice.below(record.journal.len() as u64 + 1)).unwrap_or(0);
        recover(record, cut).map_err(|said| Breach::at(end, format!("cut at byte {cut}: {said}")))?;
    }
    super::find(record, |what| match what {
        What::Illegal(said) => Some(said.clone()),
        _ => None,
    })
}

fn recover(record: &Record, cut: usize) -> Result<(), String> {
    let bytes = record.journal.get(..cut).unwrap_or(&record.journal);
    let scanned = journal::scan(Path::new("journal.jsonl"), bytes).map_err(|error| error.to_string())?;
    let run = Run::folded(&scanned.entries).map_err(|illegal| illegal.to_string())?;
    let wall = scanned.entries.last().map_or(Timestamp::UNIX_EPOCH, |last| last.at.wall);
    let mut calm = Calm { run, now: Now { wall, monotonic: Duration::ZERO }, inputs: 0 };
    let plan = Box::new(record.plan.clone());
    calm.take(if scanned.entries.is_empty() { Input::Start(plan) } else { Input::Resume(plan) })?;
    calm.finish()
}

/// A world in which nothing goes wrong and nothing comes of anything.
struct Calm {
    run: Run,
    now: Now,
    inputs: u32,
}

impl Calm {
    fn take(&mut self, input: Input) -> Result<(), String> {
        let mut facts = self.run.decide(self.now, input);
        while !facts.is_empty() {
            for fact in facts {
                let entry = Entry { seq: self.run.next_seq(), at: self.now, fact };
                self.run.apply(&entry).map_err(|illegal| illegal.to_string())?;
            }
            facts = self.run.decide(self.now, Input::Tick);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), String> {
        while !matches!(self.run.phase(), Phase::Ended(_)) {
            self.inputs += 1;
            if self.inputs > MOST_INPUTS {
                return Err("the run does not come to an end".to_owned());
            }
            let input = if let Some(effect) = self.run.outstanding().first() {
                self.answer(effect)
            } else {
                let due = self.run.next_due(self.now).ok_or("the run waits for nothing")?;
                self.pass(due.max(Duration::from_millis(1)));
                Input::Tick
            };
            self.take(input)?;
            // Time goes by while something is done.
            self.take(Input::Tick)?;
        }
        Ok(())
    }

    fn pass(&mut self, time: Duration) {
        self.now.monotonic += time;
        self.now.wall = self.now.wall.checked_add(time).unwrap_or(self.now.wall);
    }

    fn answer(&mut self, effect: &Effect) -> Input {
        let evidence = Evidence { head: None, tree: "calm".to_owned(), work: None };
        let snapshot = Some(SnapshotId("calm".to_owned()));
        self.pass(Duration::from_millis(10));
        match *effect {
            Effect::Survey(_) => Input::from(report::Surveyed {
                baseline: report::BaselineCaptured { evidence, snapshot, left_out: 0, standing: None },
                tasks: None,
            }),
            Effect::RunCheck { lane, stage, check, .. } => {
                let outcome = CheckOutcome {
                    check,
                    result: CheckResult::Failed(1),
                    duration: Duration::ZERO,
                    log: String::new(),
                    last_line: String::new(),
                    telling_line: String::new(),
                };
                Input::from(report::CheckFinished { lane, stage, outcome })
            }
            Effect::Prepare { lane, .. } => Input::from(report::Prepared { lane }),
            Effect::Call { lane, call, .. } | Effect::EndCall { lane, call, .. } => {
                Input::from(report::CallEnded { lane, call, report: Box::new(report(Class::Success)) })
            }
            Effect::Recover { lane, call, .. } => {
                Input::from(report::CallEnded { lane, call, report: Box::new(report(Class::Interrupted)) })
            }
            Effect::Keep { lane, .. } => Input::from(report::SnapshotTaken {
                lane,
                evidence,
                snapshot,
                changed: 0,
                forbidden_changes: 0,
                standing: None,
            }),
            Effect::Undo { lane, .. } => Input::from(report::Undone { lane, evidence, standing: None }),
            Effect::Refuse { lane, .. } => Input::from(report::ForbiddenChangesReverted {
                lane,
                count: 1,
                files: vec!["a file".to_owned()],
                undone: true,
                evidence,
            }),
            Effect::RunHook { lane, hook, .. } => {
                Input::from(report::HookFinished { lane, hook, outcome: hook_outcome() })
            }
            Effect::Commit { lane, .. } => {
                let notes = CommitNotes::default();
                Input::from(report::Committed {
                    lane,
                    commit: None,
                    evidence,
                    altered: false,
                    refused: None,
                    notes,
                })
            }
            Effect::Settle { lane, .. } => Input::from(report::TreeRechecked { lane, evidence }),
            Effect::Open { lane, .. } => {
                Input::from(report::LaneOpened { lane, base: "calm".to_owned(), evidence, snapshot })
            }
            Effect::Merge { lane, ref commit, .. } => Input::from(report::Merged {
                lane,
                tip: "calm".to_owned(),
                outcome: MergeOutcome::Clean { commit: commit.clone(), retest: false },
                evidence,
            }),
            Effect::Land { lane, .. } => Input::from(report::Landed {
                lane,
                outcome: LandOutcome::Landed { commit: "calm".to_owned() },
            }),
            Effect::CloseTask { lane, turn, ref task, ref end, .. } => Input::from(report::TaskClosed {
                lane,
                iteration: turn.iteration,
                task: task.clone(),
                end: end.clone(),
                branch: None,
                evidence,
                snapshot: None,
            }),
            Effect::LogDecision { lane, turn } => Input::from(report::DecisionLogged {
                lane,
                iteration: turn.iteration,
                attempt: turn.attempt,
                digest: None,
                refused: String::new(),
            }),
            Effect::Announce => Input::Announced,
            Effect::Issue { ref task, what } => {
                let (task, why) = (task.clone(), "calm".to_owned());
                Input::from(report::IssueReport::Refused { task, what, why })
            }
            // A person is needed, and the run ends.
            Effect::Deliver { .. } => Input::from(report::DeliveryReport::Refused { why: "calm".to_owned() }),
        }
    }
}

fn hook_outcome() -> HookOutcome {
    HookOutcome {
        result: CheckResult::Passed,
        decision: HookDecision::Continue,
        reason: String::new(),
        prompt: String::new(),
        duration: Duration::ZERO,
        log: String::new(),
    }
}

fn report(class: Class) -> CallReport {
    CallReport {
        class,
        detail: String::new(),
        ended: Ended::Exited(0),
        cut: None,
        cost: Some(Cost::from_micros(10_000)),
        tokens: Tokens::default(),
        bill: Bill::default(),
        results: Vec::new(),
        tool_uses: 1,
        denials: Vec::new(),
        limit: None,
        elsewhere: false,
        assessment: None,
        review: None,
        decision: None,
        overage: false,
        model: String::new(),
        windows: Vec::new(),
        garbage_lines: 0,
        duration: Duration::from_secs(1),
    }
}
