//! A whole night: sessions, and what a person does between them.

use std::time::Duration;

use windlass_core::run::Phase;
use windlass_core::spec::Limits;
use windlass_core::values::{Cost, LaneId, StopReason};

use crate::dice::Dice;
use crate::plant::Plant;
use crate::record::{Record, SessionEnd, What};
use crate::runner::Runner;
use crate::script::{Edit, Pause, Script, StatusWord};
use crate::world::{Actor, Author, NAMES, Tree};

/// More sessions than the events of any script can cause.
const MOST_SESSIONS: usize = 40;

const SOON: Pause = Pause { length: 60, edit: None, resumes_ended: false };

/// Plays a night.
pub fn play(script: &Script, plant: Option<Plant>) -> Record {
    let mut runner = Runner::new(script, plant);
    let mut pauses = script.pauses.iter();
    for session in 0.. {
        let end = runner.session();
        let pause = pauses.next();
        let goes_on = match runner.phase_on_disk() {
            Phase::Ended(reason) => {
                pause.is_some_and(|pause| pause.resumes_ended) && runner.raise_for(reason)
            }
            _ => !runner.is_stuck() && end != SessionEnd::Finished,
        };
        if !goes_on {
            break;
        }
        if session >= MOST_SESSIONS {
            runner.note(What::Stuck("one session after another, without end".to_owned()));
            break;
        }
        runner.pause(pause.unwrap_or(&SOON));
    }
    runner.enter(LaneId::default());
    let tree = runner.world.tree;
    if let Some(said) = other_than_one_lane(script, &tree) {
        runner.note(What::OtherThanOneLane(said));
    }
    Record {
        plan: script.plan.clone(),
        journal: runner.world.disk.bytes().to_vec(),
        moments: runner.moments,
        steps: runner.steps,
        is_told: script.receiver.is_some(),
        tree,
    }
}

/// Where no task has to do with another, one lane must give the same files.
fn other_than_one_lane(script: &Script, tree: &Tree) -> Option<String> {
    if !script.commutes {
        return None;
    }
    let mut alone = script.clone();
    alone.commutes = false;
    alone.plan.lanes = None;
    let other = play(&alone, None).tree;
    let file = other.changes(tree).next()?;
    Some(format!("{} is not what one lane makes of it", NAMES[usize::from(file)]))
}

impl Runner<'_> {
    fn is_stuck(&self) -> bool {
        self.moments.iter().any(|moment| matches!(moment.what, What::Stuck(_) | What::Illegal(_)))
    }

    /// The limit that ended the run is raised; some endings are for good.
    fn raise_for(&mut self, reason: StopReason) -> bool {
        // Some accept what was found, and some do not look.
        if reason == StopReason::NeedsHuman && Dice::new(self.script.seed ^ u64::from(self.steps)).chance(50)
        {
            let held = self.found_on_disk();
            self.plan_mut().guard.accepted.extend(held);
        }
        let Limits { iterations, cost, tokens, duration, stagnation, .. } = &mut self.plan_mut().limits;
        match reason {
            StopReason::Complete | StopReason::NothingToDo => return false,
            StopReason::MaxIterations => *iterations = iterations.map(|most| most + 2),
            StopReason::MaxCost => *cost = cost.map(|most| most + Cost::from_micros(2_000_000)),
            StopReason::MaxTokens => *tokens = tokens.map(|most| most + 2_000),
            StopReason::MaxDuration => *duration = duration.map(|most| most + Duration::from_hours(1)),
            StopReason::Stagnated => *stagnation = stagnation.map(|most| most + 1),
            _ => {}
        }
        true
    }

    /// What a person does between two sessions.
    fn pause(&mut self, pause: &Pause) {
        self.enter(LaneId::default());
        let world = &mut self.world;
        world.clock.pass(Duration::from_secs(pause.length.into()));
        world.disk.free();
        if world.no_directory || (self.script.plan.git && !world.git.exists()) {
            world.no_directory = false;
            if self.script.plan.git {
                world.git.repair();
            }
            self.note(What::PersonDid("puts back what was destroyed".to_owned()));
        }
        let Some(edit) = pause.edit else { return };
        let content = self.world.new_content();
        let world = &mut self.world;
        let said = match edit {
            Edit::Unclaims => {
                if world.status.is_some() {
                    world.report(StatusWord::MoreToDo, u32::MAX);
                }
                "says in the status file that there is more to do".to_owned()
            }
            Edit::Writes(file) => {
                world.change(Actor::Person, |tree| tree.put(file, content));
                format!("writes {}", NAMES[usize::from(file)])
            }
            Edit::Deletes(file) => {
                world.change(Actor::Person, |tree| tree.put(file, 0));
                format!("deletes {}", NAMES[usize::from(file)])
            }
            Edit::Commits(file) => {
                world.change(Actor::Person, |tree| tree.put(file, content));
                if world.git.exists() {
                    world.git.commit(world.tree, Author::Person);
                }
                format!("writes {} and commits everything", NAMES[usize::from(file)])
            }
        };
        self.note(What::PersonDid(said));
    }
}
