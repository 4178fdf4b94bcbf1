//! A world as values: an agent, a tree, checks and two clocks, around the pure core.

use std::collections::BTreeSet;
use std::time::Duration;

pub use super::act::{Act, report};
use super::outcomes;
pub use super::usual::{check, plan, planned};
use crate::damage::{Damage, DamageCourse, DamageKind};
use crate::fact::{Entry, Fact};
use crate::report;
use crate::run::{Effect, EndCall, Input, Phase, Run, TurnKey};
use crate::spec::RunSpec;
use crate::values::{
    CallReport, CheckResult, Class, CommitNotes, Conflict, Cost, Ended, Evidence, HookDecision, HookName,
    HookOutcome, JobStatus, LaneId, Named, Now, Purpose, ReviewVerdict, SnapshotId, StopReason, Suspicion,
    TaskEnd, TaskId, TaskRow,
};

pub const DOLLAR: Cost = Cost::from_micros(1_000_000);

type Agent = Box<dyn FnMut(u32, Now) -> Act>;
type Reviewer = Box<dyn FnMut(u32, &str) -> Act>;
type Council = Box<dyn FnMut(u32, &Conflict) -> Act>;
type Checker = Box<dyn FnMut(u16, &str) -> bool>;
/// What a hook says, and what it makes of the tree.
pub type Hooked = (HookDecision, &'static str, Option<&'static str>);
type Hooker = Box<dyn FnMut(HookName, u32) -> Hooked>;

/// Who does not let the runner commit.
#[derive(Clone, Copy)]
pub enum Refusal {
    /// A hook of the repository.
    Hook,
    /// Git itself.
    Git,
}

pub struct World {
    pub run: Run,
    pub journal: Vec<Entry>,
    pub now: Now,
    pub tree: String,
    pub commits: u32,
    /// The status file; `None` in modes that read none.
    pub status: Option<JobStatus>,
    /// The task file; `None` in other modes.
    pub tasks: Option<Vec<TaskRow>>,
    /// What a commit's hook makes of the tree.
    pub hook: Option<String>,
    /// Who does not let the runner commit.
    pub refusal: Option<Refusal>,
    agent: Agent,
    checker: Checker,
    hooker: Hooker,
    reviewer: Reviewer,
    /// So few lines have changed that no reviewer is asked.
    pub few_lines: Option<u32>,
    reviews: u32,
    /// In these trees the agent changed what its mode does not let it change; they are made what stands beside them.
    pub strays: Vec<(String, String)>,
    /// Trees whose agents damaged the repository as well: what follows, and the tree before.
    pub damaged: Vec<(String, DamageCourse, String)>,
    /// What the guard finds in these trees.
    pub suspects: Vec<(String, Suspicion)>,
    /// Which decisions were written into the log.
    pub log: Vec<TurnKey>,
    council: Council,
    begun: BTreeSet<Effect>,
    calls: u32,
}

impl World {
    pub fn new(plan: RunSpec, agent: impl FnMut(u32, Now) -> Act + 'static) -> World {
        let now = Now { wall: "2026-11-21T22:00:00Z".parse().unwrap(), monotonic: Duration::ZERO };
        let mut world = World {
            run: Run::new(),
            journal: Vec::new(),
            now,
            tree: "start".to_owned(),
            commits: 0,
            status: None,
            tasks: None,
            hook: None,
            refusal: None,
            agent: Box::new(agent),
            checker: Box::new(|_, _| true),
            hooker: Box::new(|_, _| (HookDecision::Continue, "", None)),
            reviewer: Box::new(|_, _| Act::reviews(ReviewVerdict::Pass, &[])),
            few_lines: None,
            reviews: 0,
            strays: Vec::new(),
            damaged: Vec::new(),
            suspects: Vec::new(),
            log: Vec::new(),
            council: Box::new(|_, _| Act::decides(Some(1))),
            begun: BTreeSet::new(),
            calls: 0,
        };
        world.input(Input::Start(Box::new(plan)));
        world
    }

    pub fn checking(mut self, checker: impl FnMut(u16, &str) -> bool + 'static) -> World {
        self.checker = Box::new(checker);
        self
    }

    pub fn hooked(mut self, hooker: impl FnMut(HookName, u32) -> Hooked + 'static) -> World {
        self.hooker = Box::new(hooker);
        self
    }

    /// What a reviewer makes of the tree in its n-th call, from 1.
    pub fn reviewed(mut self, reviewer: impl FnMut(u32, &str) -> Act + 'static) -> World {
        self.reviewer = Box::new(reviewer);
        self
    }

    /// What a council makes of the n-th conflict, from 1.
    pub fn counselled(mut self, council: impl FnMut(u32, &Conflict) -> Act + 'static) -> World {
        self.council = Box::new(council);
        self
    }

    pub fn evidence(&self) -> Evidence {
        Evidence { head: Some(format!("c{}", self.commits)), tree: self.tree.clone(), work: self.work() }
    }

    fn work(&self) -> Option<String> {
        self.status.clone().map(|status| format!("{:?}", JobStatus { mark: String::new(), ..status }))
    }

    /// A status file as it is before the run.
    pub fn with_status(mut self, status: JobStatus) -> World {
        self.status = Some(status);
        self
    }

    pub fn pass(&mut self, time: Duration) {
        self.now.monotonic += time;
        self.now.wall = self.now.wall.checked_add(time).unwrap();
    }

    pub fn input(&mut self, input: Input) {
        settle(&mut self.run, &mut self.journal, self.now, input);
    }

    /// Carries out one effect, or lets time pass until something is due. `false` when the run has ended.
    pub fn step(&mut self) -> bool {
        let outstanding = self.run.outstanding();
        self.begun.retain(|effect| outstanding.contains(effect));
        if let Some(effect) = outstanding.into_iter().find(|effect| !self.begun.contains(effect)) {
            self.begun.insert(effect.clone());
            self.carry_out(&effect);
            return true;
        }
        if matches!(self.run.phase(), Phase::Ended(_)) {
            return false;
        }
        let due = self.run.next_due(self.now).expect("a run that has not ended waits for something");
        self.pass(due.max(Duration::from_millis(1)));
        self.input(Input::Tick);
        true
    }

    pub fn finish(&mut self) -> StopReason {
        for _ in 0..20_000 {
            if !self.step() {
                break;
            }
        }
        match self.run.phase() {
            Phase::Ended(reason) => reason,
            phase => panic!("the run does not end: {phase:?}"),
        }
    }

    pub fn until(&mut self, mut found: impl FnMut(&Effect) -> bool) {
        for _ in 0..20_000 {
            if self.run.outstanding().iter().any(&mut found) {
                return;
            }
            assert!(self.step(), "the run ended first: {:?}", self.run.phase());
        }
        panic!("it never came");
    }

    fn carry_out(&mut self, effect: &Effect) {
        let evidence = self.evidence();
        let snapshot = Some(SnapshotId(format!("s{}", self.journal.len())));
        let input = match effect.clone() {
            Effect::Survey(_) => {
                let tasks = self.tasks.clone();
                Input::from(report::Surveyed {
                    baseline: report::BaselineCaptured {
                        evidence,
                        snapshot,
                        left_out: 0,
                        standing: self.status.clone(),
                    },
                    tasks,
                })
            }
            Effect::RunCheck { lane, stage, check, .. } => {
                let passed = (self.checker)(check, &self.tree);
                self.pass(Duration::from_secs(1));
                let result = if passed { CheckResult::Passed } else { CheckResult::Failed(1) };
                Input::from(report::CheckFinished { lane, stage, outcome: outcomes::check(check, result) })
            }
            Effect::Prepare { lane, turn, purpose: Purpose::Review, .. } if self.few_lines.is_some() => {
                let (iteration, attempt) = (turn.iteration, turn.attempt);
                let lines = self.few_lines.unwrap_or_default();
                Input::from(report::ReviewSkipped { lane, iteration, attempt, lines })
            }
            Effect::Prepare { lane, .. } => Input::from(report::Prepared { lane }),
            Effect::Call { lane, call, purpose, .. } => {
                self.input(Input::from(report::CallSpawned { lane, call, pid: 1 }));
                return self.answer(lane, call, purpose);
            }
            Effect::Recover { lane, call, .. } => {
                let report = CallReport { ended: Ended::Lost, cost: None, ..report(Class::Interrupted) };
                Input::from(report::CallEnded { lane, call, report: Box::new(report) })
            }
            Effect::EndCall { how: EndCall::Ask | EndCall::Kill, .. } => return,
            Effect::Keep { lane, turn } => self.keep(lane, turn, evidence, snapshot),
            Effect::Commit { lane, .. } if self.refusal.is_some() => {
                let by_hook = matches!(self.refusal, Some(Refusal::Hook));
                let hook_output = by_hook.then(|| "line 1 is ugly".to_owned());
                let notes = CommitNotes { hook_output, ..CommitNotes::default() };
                let refused = Some("nobody is named".to_owned());
                Input::from(report::Committed {
                    lane,
                    commit: None,
                    evidence,
                    altered: false,
                    refused,
                    notes,
                })
            }
            Effect::Commit { lane, .. } => {
                self.commits += 1;
                let altered = self.hook.is_some();
                self.tree = self.hook.take().unwrap_or_else(|| self.tree.clone());
                let commit = Some(format!("c{}", self.commits));
                let (evidence, notes) = (self.evidence(), CommitNotes::default());
                Input::from(report::Committed { lane, commit, evidence, altered, refused: None, notes })
            }
            Effect::Refuse { lane, .. } => {
                let of = |(tree, _): &&(String, String)| *tree == self.tree;
                self.tree = self.strays.iter().find(of).map_or(self.tree.clone(), |(_, was)| was.clone());
                let files = vec!["src/main.rs".to_owned()];
                Input::from(report::ForbiddenChangesReverted {
                    lane,
                    count: 1,
                    files,
                    undone: true,
                    evidence: self.evidence(),
                })
            }
            Effect::Undo { lane, .. } => {
                let of = |(tree, ..): &&(String, DamageCourse, String)| *tree == self.tree;
                self.tree = self.damaged.iter().find(of).map_or(self.tree.clone(), |(.., was)| was.clone());
                Input::from(report::Undone { lane, evidence: self.evidence(), standing: self.status.clone() })
            }
            Effect::RunHook { lane, hook, iteration, .. } => {
                let outcome = self.call_hook(hook, iteration);
                Input::from(report::HookFinished { lane, hook, outcome })
            }
            Effect::Settle { lane, .. } => Input::from(report::TreeRechecked { lane, evidence }),
            Effect::CloseTask { lane, turn, task, end, .. } => closed(lane, turn, &task, &end, evidence),
            Effect::Open { .. } | Effect::Merge { .. } | Effect::Land { .. } => {
                unreachable!("lanes have a world of their own")
            }
            Effect::LogDecision { lane, turn } => {
                self.log.push(turn);
                logged(lane, turn)
            }
            Effect::Announce => Input::Announced,
            Effect::Issue { .. } => unreachable!("the tasks here are no issues"),
            // There is no forge here.
            Effect::Deliver { .. } => {
                report::DeliveryReport::Refused { why: "there is no forge".to_owned() }.into()
            }
        };
        self.input(input);
    }

    fn keep(
        &mut self,
        lane: LaneId,
        turn: TurnKey,
        evidence: Evidence,
        snapshot: Option<SnapshotId>,
    ) -> Input {
        let found = self.suspects.iter().filter(|(tree, _)| *tree == self.tree);
        let suspicions = found.map(|(_, found)| found.clone()).collect();
        self.input(Input::from(report::Suspected { lane, suspicions }));
        let forbidden_changes = u32::from(self.strays.iter().any(|(tree, _)| *tree == self.tree));
        let standing = self.status.clone();
        let damage = self.damaged.iter().find(|(tree, ..)| *tree == self.tree);
        if let Some((_, course, _)) = damage.cloned() {
            let sentence = "the branch is gone".to_owned();
            let lost = Damage { kind: DamageKind::CommitsLost, sentence, names: Vec::new() };
            self.input(Input::from(report::Damaged {
                lane,
                iteration: turn.iteration,
                attempt: turn.attempt,
                found: vec![lost],
                course,
            }));
        }
        Input::from(report::SnapshotTaken {
            lane,
            evidence,
            snapshot,
            changed: 1,
            forbidden_changes,
            standing,
        })
    }

    fn call_hook(&mut self, hook: HookName, iteration: u32) -> HookOutcome {
        let (decision, prompt, tree) = (self.hooker)(hook, iteration);
        self.tree = tree.map_or_else(|| self.tree.clone(), str::to_owned);
        self.pass(Duration::from_secs(1));
        outcomes::hook(decision, prompt)
    }

    /// The agent works, and ends by itself.
    fn answer(&mut self, lane: LaneId, call: crate::values::CallId, purpose: Purpose) {
        let act = match purpose {
            Purpose::Review => {
                self.reviews += 1;
                (self.reviewer)(self.reviews, &self.tree)
            }
            Purpose::Council => {
                let conflict = self.run.conflict(lane).cloned().expect("it is asked about something");
                (self.council)(self.run.councils.called, &conflict)
            }
            _ => {
                self.calls += 1;
                (self.agent)(self.calls, self.now)
            }
        };
        self.pass(act.report.duration);
        self.tree = act.tree.unwrap_or_else(|| self.tree.clone());
        self.status = act.status.or(self.status.take());
        self.input(Input::from(report::CallEnded { lane, call, report: Box::new(act.report) }));
    }

    pub fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.journal.iter().map(|entry| &entry.fact)
    }

    pub fn count(&self, name: &str) -> usize {
        self.facts().filter(|fact| fact.name() == name).count()
    }

    /// The runner died and another one takes over, from a journal that ends after `kept` facts.
    pub fn restart(&mut self, kept: usize) {
        self.restart_with(kept, |_| {});
    }

    /// The same, with another plan.
    pub fn restart_with(&mut self, kept: usize, change: impl FnOnce(&mut RunSpec)) {
        self.journal.truncate(kept);
        self.run = fold(&self.journal);
        self.begun.clear();
        self.now.monotonic = Duration::ZERO;
        self.now.wall = self.now.wall.checked_add(Duration::from_mins(7)).unwrap();
        if let Some(plan) = self.run.spec().cloned() {
            let mut plan = (*plan).clone();
            change(&mut plan);
            self.input(Input::Resume(Box::new(plan)));
        } else {
            self.input(Input::Start(Box::new(plan())));
        }
    }
}

/// What was decided stands in the log.
fn logged(lane: LaneId, turn: TurnKey) -> Input {
    let (iteration, attempt) = (turn.iteration, turn.attempt);
    let digest = Some("d".repeat(64));
    Input::from(report::DecisionLogged { lane, iteration, attempt, digest, refused: String::new() })
}

/// A task is closed, and nothing of it is put aside.
pub fn closed(lane: LaneId, turn: TurnKey, task: &TaskId, end: &TaskEnd, evidence: Evidence) -> Input {
    Input::from(report::TaskClosed {
        lane,
        iteration: turn.iteration,
        task: task.clone(),
        end: end.clone(),
        branch: None,
        evidence,
        snapshot: None,
    })
}

pub fn fold(journal: &[Entry]) -> Run {
    let mut run = Run::new();
    for entry in journal {
        run.apply(entry).unwrap_or_else(|illegal| panic!("{illegal}"));
    }
    run
}

/// Tells a run something, and writes down what it decides, until there is nothing more to decide.
pub fn settle(run: &mut Run, journal: &mut Vec<Entry>, now: Now, input: Input) {
    let mut facts = run.decide(now, input);
    while !facts.is_empty() {
        for fact in facts {
            let entry = Entry { seq: run.next_seq(), at: now, fact };
            run.apply(&entry).unwrap_or_else(|illegal| panic!("{illegal}"));
            journal.push(entry);
        }
        facts = run.decide(now, Input::Tick);
    }
}
