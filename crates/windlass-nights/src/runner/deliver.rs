//! A model of how work leaves the machine: what `windlass-engine/src/local/deliver.rs` does, at a forge of values.

use std::time::Duration;

use windlass_core::forge::PullRequestState;
use windlass_core::report::{DeliveryBasis, DeliveryReport, DeliveryTask, ForgeFinding, PullRequestSeen};
use windlass_core::run::{Effect, Input};
use windlass_core::spec::Readiness;
use windlass_core::values::{CheckKind, LaneId, StopReason};

use super::worker::{Trouble, Worked};
use super::{Halt, Runner};
use crate::plant::Plant;
use crate::record::{Out, What};
use crate::script::{ForgeEvent, Leaves};
use crate::world::{NAMES, PLAN};

/// What a task is about.
struct Subject<'a> {
    task: DeliveryTask,
    head: &'a str,
    number: u64,
    basis: DeliveryBasis,
}

/// What comes of a call, or why it came to nothing.
type Came<T> = Result<T, Failed>;

enum Failed {
    Said(Box<DeliveryReport>),
    Halted(Halt),
}

impl From<Halt> for Failed {
    fn from(halt: Halt) -> Failed {
        Failed::Halted(halt)
    }
}

impl Runner<'_> {
    pub(super) fn send_out(&mut self, effect: &Effect) -> Worked {
        let Effect::Deliver { task, head, number, basis, .. } = effect else { return Ok(Vec::new()) };
        self.enter(LaneId::default());
        let subject = Subject { task: *task, head, number: number.unwrap_or_default(), basis: *basis };
        let came = match subject.task {
            DeliveryTask::Push if !self.world.git.exists() || self.world.no_directory => {
                let said = "there is no repository to push from";
                return Err(Trouble::Failed(StopReason::DestructiveChange, said));
            }
            DeliveryTask::Push => self.push(&subject),
            DeliveryTask::Open => self.open_pull_request(&subject),
            _ => self.ask_forge(&subject),
        };
        let report = match came {
            Ok(report) => report,
            Err(Failed::Said(report)) => *report,
            Err(Failed::Halted(halt)) => return Err(Trouble::Halted(halt)),
        };
        if let DeliveryReport::Viewed(seen) = &report {
            self.note(What::Out(Out::Looked(Box::new(seen.clone()))));
        }
        Ok(vec![Input::from(report)])
    }

    /// A call begins; whatever is to happen at it happens. Gives what comes after it.
    fn call_forge(&mut self) -> Came<Option<ForgeEvent>> {
        self.step()?;
        self.world.forge.calls += 1;
        let now = self.world.clock.machine();
        let call = self.world.forge.calls;
        let events = self.script.forge.as_ref().map(|nature| nature.events.as_slice()).unwrap_or_default();
        let events: Vec<ForgeEvent> =
            events.iter().filter(|(at, _)| *at == call).map(|(_, event)| *event).collect();
        let mut after = None;
        for event in events {
            match event {
                ForgeEvent::Kill => return Err(Halt::Killed { torn: 0, agent_lives_ms: 0 }.into()),
                ForgeEvent::PowerCut => return Err(Halt::PowerCut { survives: 0, zeros: false }.into()),
                ForgeEvent::Silent { calls, passes } => self.world.forge.silent = Some((calls, passes)),
                ForgeEvent::Limited(seconds) => {
                    self.world.forge.patience = Some(now + Duration::from_secs(seconds.into()));
                }
                ForgeEvent::KillAfter
                | ForgeEvent::PowerCutAfter
                | ForgeEvent::LosesAnswer
                | ForgeEvent::Refuses => after = Some(event),
                _ => self.people_at_the_forge(event, now),
            }
        }
        self.world.forge.patience = self.world.forge.patience.filter(|until| *until > now);
        if let Some(until) = self.world.forge.patience {
            let again = self.world.clock.now().wall.checked_add(until.saturating_sub(now)).ok();
            return Err(unreachable("it asks for patience", true, again));
        }
        match self.world.forge.silent.take() {
            Some((0, _)) | None => Ok(after),
            Some((more, passes)) => {
                self.world.forge.silent = Some((more - 1, passes));
                Err(unreachable("it does not answer", passes, None))
            }
        }
    }

    fn people_at_the_forge(&mut self, event: ForgeEvent, now: Duration) {
        let forge = &mut self.world.forge;
        let did = match event {
            ForgeEvent::PersonMerges if forge.close(PullRequestState::Merged) => Some(Out::PersonMerged),
            ForgeEvent::PersonCloses if forge.close(PullRequestState::Closed) => Some(Out::PersonClosed),
            ForgeEvent::PersonPushes if forge.head.is_some() => {
                forge.person_pushes(now);
                Some(Out::PersonPushed)
            }
            ForgeEvent::PersonDrafts => {
                if let Some(pull) = forge.open_pull() {
                    pull.draft = true;
                }
                None
            }
            ForgeEvent::BaseMoves => {
                forge.base_moves();
                None
            }
            ForgeEvent::Conflicts => {
                forge.conflicts();
                None
            }
            ForgeEvent::Comments => {
                forge.comments();
                None
            }
            ForgeEvent::ChangesRequested => {
                forge.wants_changes();
                None
            }
            _ => None,
        };
        match did {
            Some(did) => self.note(What::Out(did)),
            None => self.note(What::PersonDid(format!("{event:?} at the forge"))),
        }
    }

    /// What was asked for is done, or refused; and its answer may be lost, or nobody be there to hear it.
    fn done(&mut self, after: Option<ForgeEvent>) -> Came<()> {
        self.step()?;
        match after {
            Some(ForgeEvent::KillAfter) => Err(Halt::Killed { torn: 0, agent_lives_ms: 0 }.into()),
            Some(ForgeEvent::PowerCutAfter) => Err(Halt::PowerCut { survives: 0, zeros: false }.into()),
            Some(ForgeEvent::LosesAnswer) => Err(unreachable("the answer was lost", true, None)),
            _ => Ok(()),
        }
    }

    fn push(&mut self, subject: &Subject<'_>) -> Came<DeliveryReport> {
        let after = self.call_forge()?;
        let head = if self.plant == Some(Plant::UngatedPush) {
            self.world.git.head_name().unwrap_or_default()
        } else {
            subject.head.to_owned()
        };
        let there = self.world.forge.head.as_ref().map(|head| head.name.clone());
        let grows = there.as_ref().is_none_or(|there| self.world.git.grew_from(&head, there));
        let forced = self.plant == Some(Plant::ForcedPush);
        if after == Some(ForgeEvent::Refuses) || !grows && !forced {
            return Ok(DeliveryReport::Refused { why: "it is not on top of what is there".to_owned() });
        }
        if there.as_ref() != Some(&head) {
            let parents = self.world.git.parents(&head);
            let now = self.world.clock.machine();
            self.world.forge.push(&head, parents, true, now);
            let ungated = self.ungated_commit(&head);
            self.note(What::Out(Out::Pushed { head: head.clone(), ungated, overwrites: !grows }));
        }
        self.done(after)?;
        Ok(DeliveryReport::Pushed { head: subject.head.to_owned() })
    }

    /// Files that the gates judge the work with and that are in no commit: neither there when the run began, nor written by
    /// checks. Where lanes have checkouts of their own, all of a lane is committed.
    pub(super) fn beside(&self) -> Vec<String> {
        if self.plan.delivery.is_none() || self.has_lanes() {
            return Vec::new();
        }
        let (head, there) = (self.world.git.head_tree(), self.world.tree);
        let counts = |file: &u8| {
            let content = there.get(*file);
            let by_checks = self.memory.by_checks.get(file) == Some(&content);
            let own = self.is_of_tasks() && *file == PLAN;
            !own && !by_checks && !self.world.forge.dirty.contains(&(*file, content))
        };
        head.changes(&there).filter(counts).map(|file| NAMES[usize::from(file)].to_owned()).collect()
    }

    fn ungated_commit(&self, commit: &str) -> Option<u16> {
        let tree = self.world.git.tree_of(self.world.git.find(commit)?);
        let checks = (0_u16..).zip(&self.plan.checks);
        let gates: Vec<u16> =
            checks.filter(|(_, check)| check.kind == CheckKind::Gate).map(|(index, _)| index).collect();
        let made = self.script.checks.iter().map(|check| check.leaves);
        let made: Vec<Leaves> = made.chain(self.script.hooks.iter().map(|hook| hook.leaves)).collect();
        let tasks = self.is_of_tasks();
        self.world.forge.ungated(&gates, &tree, |file, content| {
            let removed = content == 0 && made.contains(&Leaves::Removes(file));
            let dirty = self.world.forge.dirty.contains(&(file, content));
            removed || dirty || tasks && file == PLAN || self.world.derived.contains(&(file, content))
        })
    }

    fn open_pull_request(&mut self, subject: &Subject<'_>) -> Came<DeliveryReport> {
        self.call_forge()?;
        let forge = &self.world.forge;
        let is_open = |pull: &&crate::world::Pull| pull.state == PullRequestState::Open;
        let open = forge.pulls.iter().filter(is_open).count();
        let found = forge.pulls.iter().find(is_open);
        let found = found.or_else(|| forge.pulls.iter().find(|pull| forge.head_of(pull) == subject.head));
        let found = found.map(|pull| pull.number).filter(|_| self.plant != Some(Plant::SecondPullRequest));
        if let Some(number) = found {
            return Ok(opened(number, true));
        }
        let after = self.call_forge()?;
        if after == Some(ForgeEvent::Refuses) {
            return Ok(DeliveryReport::Refused { why: "it does not want a pull request".to_owned() });
        }
        let spec = self.plan.delivery.as_ref();
        let waits = spec.is_some_and(|spec| spec.readiness == Readiness::Draft && spec.merge.is_none());
        let now = self.world.clock.machine();
        let number = self.world.forge.open(waits || subject.basis == DeliveryBasis::AsItStands, now);
        self.note(What::Out(Out::Opened { number, others: open }));
        self.done(after)?;
        Ok(opened(number, false))
    }

    fn look_at_pull_request(&mut self, number: u64) -> Came<PullRequestSeen> {
        self.call_forge()?;
        let now = self.world.clock.machine();
        let seen = self.world.forge.look(number, now);
        seen.ok_or_else(|| {
            Failed::Said(Box::new(DeliveryReport::Refused { why: "there is none".to_owned() }))
        })
    }

    fn ask_forge(&mut self, subject: &Subject<'_>) -> Came<DeliveryReport> {
        let there = self.look_at_pull_request(subject.number)?;
        let as_expected = there.state == PullRequestState::Open && there.head == subject.head;
        let merged = there.state == PullRequestState::Merged && there.head == subject.head;
        match subject.task {
            DeliveryTask::ReadLogs | DeliveryTask::ReadThreads => {
                let finding = ForgeFinding { title: "test".to_owned(), text: "it fails".to_owned() };
                Ok(DeliveryReport::Read { findings: vec![finding] })
            }
            DeliveryTask::Merge if merged && self.plant != Some(Plant::MergedAgain) => {
                Ok(DeliveryReport::Merged { commit: there.merge_commit.unwrap_or_default() })
            }
            DeliveryTask::MarkReady if as_expected && there.draft => {
                let after = self.call_forge()?;
                if let Some(pull) = self.world.forge.pull(subject.number) {
                    pull.draft = false;
                }
                self.note(What::Out(Out::MarkedReady));
                self.done(after)?;
                Ok(DeliveryReport::Done)
            }
            DeliveryTask::Update if as_expected => self.update_branch(subject),
            DeliveryTask::Merge
                if as_expected && !there.draft || merged && self.plant == Some(Plant::MergedAgain) =>
            {
                self.merge_pull_request(subject)
            }
            _ => Ok(DeliveryReport::Viewed(there)),
        }
    }

    fn update_branch(&mut self, subject: &Subject<'_>) -> Came<DeliveryReport> {
        let after = self.call_forge()?;
        let now = self.world.clock.machine();
        let refuses = after == Some(ForgeEvent::Refuses);
        let head = if refuses { None } else { self.world.forge.update(subject.head, now) };
        let Some(head) = head else {
            return Ok(DeliveryReport::Refused { why: "it cannot be brought up to date".to_owned() });
        };
        self.note(What::Out(Out::Updated { from: subject.head.to_owned(), head }));
        self.done(after)?;
        Ok(DeliveryReport::Done)
    }

    fn merge_pull_request(&mut self, subject: &Subject<'_>) -> Came<DeliveryReport> {
        let after = self.call_forge()?;
        let now = self.world.clock.machine();
        let again = self.plant == Some(Plant::MergedAgain);
        let refusal = self.world.forge.refuses_merge(subject.number, subject.head, now).filter(|_| !again);
        if refusal.is_some() || after == Some(ForgeEvent::Refuses) {
            let why = refusal.unwrap_or("it does not merge that").to_owned();
            return Ok(DeliveryReport::Refused { why });
        }
        self.world.forge.close(PullRequestState::Merged);
        self.note(What::Out(Out::Merged { head: subject.head.to_owned() }));
        self.done(after)?;
        Ok(DeliveryReport::Merged { commit: format!("m-{}", subject.head) })
    }
}

fn opened(number: u64, found: bool) -> DeliveryReport {
    DeliveryReport::Opened { number, url: format!("https://forge/{number}"), found }
}

fn unreachable(why: &str, passes: bool, again: Option<jiff::Timestamp>) -> Failed {
    Failed::Said(Box::new(DeliveryReport::Unreachable { why: why.to_owned(), passes, again }))
}
