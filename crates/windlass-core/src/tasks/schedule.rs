//! Which task is next.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::graph::Graph;
use crate::values::{TaskId, TaskRow, TaskState};

/// The tasks of a run and where each stands. A clone shares the rows.
///
/// Making one takes time in proportion to `n log n` of rows and dependencies; a transition, to the number of the task's
/// dependants times `log n`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Schedule {
    pub(super) graph: Arc<Graph>,
    pub(super) places: Vec<Place>,
    /// What can be begun, in the order in which it should be.
    ready: BTreeSet<Turn>,
    done: usize,
    active: usize,
    parked: usize,
}

/// Where a task stands in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskProgress {
    /// To be done, and nobody works on it.
    #[default]
    Open,
    /// Somebody works on it.
    Active,
    /// Done, and what waited for it may go on.
    Done,
    /// It failed too often; what waits for it waits on.
    Parked,
}

/// How many tasks stand where. `total` is the sum of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Done.
    pub done: usize,
    /// Somebody works on them.
    pub active: usize,
    /// They failed too often.
    pub parked: usize,
    /// Open, with all dependencies done.
    pub ready: usize,
    /// Open, with a dependency that is not done.
    pub waiting: usize,
    /// All.
    pub total: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Place {
    pub standing: TaskProgress,
    /// Something of it has been done already: it goes before all that has not been begun.
    begun: bool,
    /// How many of its dependencies are not done, those that are not there included; one more where a person has to mend
    /// its file.
    unmet: usize,
}

/// A place in the order of what is ready: the least is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    fresh: bool,
    priority: u8,
    rank: usize,
    index: usize,
}

/// A schedule as it is written: its rows, and of each where it stands and whether something of it was done.
#[derive(Serialize, Deserialize)]
struct Written {
    rows: Vec<TaskRow>,
    places: Vec<(TaskProgress, bool)>,
}

impl From<Schedule> for Written {
    fn from(schedule: Schedule) -> Written {
        let places = schedule.places.iter().map(|place| (place.standing, place.begun)).collect();
        Written { rows: schedule.graph.rows.clone(), places }
    }
}

impl From<Written> for Schedule {
    fn from(written: Written) -> Schedule {
        let mut schedule = Schedule::new(written.rows);
        let ids: Vec<TaskId> = schedule.rows().iter().map(|row| row.id.clone()).collect();
        for (index, (id, (standing, begun))) in ids.iter().zip(written.places).enumerate() {
            schedule.change(id, standing, |_| true);
            if let Some(place) = schedule.places.get_mut(index) {
                place.begun = begun;
            }
            schedule.settle_readiness(index);
        }
        schedule
    }
}

impl Schedule {
    /// From rows: [`TaskState::Done`] is done, all else is open; what is in progress goes first. Of several rows with one
    /// id the first counts and the others are left out.
    pub fn new(rows: Vec<TaskRow>) -> Schedule {
        Schedule::of(Graph::by_id(rows))
    }

    /// The same of a plan, which is worked off from its top: ids say nothing of the order.
    pub fn of_plan(rows: Vec<TaskRow>) -> Schedule {
        Schedule::of(Graph::by_place(rows))
    }

    fn of(graph: Graph) -> Schedule {
        let graph = Arc::new(graph);
        let mut places: Vec<Place> = graph.rows.iter().map(Place::of).collect();
        let is_done: Vec<bool> = places.iter().map(|place| place.standing == TaskProgress::Done).collect();
        let done = is_done.iter().filter(|done| **done).count();
        let dependencies = graph.dependencies.iter().zip(&graph.unknown);
        let rows = graph.rows.iter();
        for ((place, row), (known, unknown)) in places.iter_mut().zip(rows).zip(dependencies) {
            let open = |index: &&usize| is_done.get(**index) != Some(&true);
            // What a person has to mend first waits for that.
            let mending = usize::from(row.unclear.is_some());
            place.unmet = unknown + mending + known.iter().filter(open).count();
        }
        let mut schedule = Schedule { graph, places, done, ..Schedule::default() };
        for index in 0..schedule.places.len() {
            schedule.settle_readiness(index);
        }
        schedule
    }

    /// The task to begin next: the first that is open and has all its dependencies done. In progress goes first, then by
    /// priority, id (`TASK-9` before `TASK-10`) and place in the file.
    pub fn next(&self) -> Option<&TaskRow> {
        self.ready.first().and_then(|turn| self.graph.rows.get(turn.index))
    }

    /// All that could be begun now, in the order in which [`next`](Schedule::next) would give it.
    pub fn ready(&self) -> impl Iterator<Item = &TaskRow> {
        self.ready.iter().filter_map(|turn| self.graph.rows.get(turn.index))
    }

    /// Somebody works on it from now on. `false` unless it is open and all its dependencies are done.
    pub fn begin(&mut self, id: &TaskId) -> bool {
        let ready = |place: &Place| place.standing == TaskProgress::Open && place.unmet == 0;
        self.change(id, TaskProgress::Active, ready)
    }

    /// It is done. `false` unless it is open or somebody works on it.
    pub fn finish(&mut self, id: &TaskId) -> bool {
        self.change(id, TaskProgress::Done, Place::is_underway)
    }

    /// It failed too often. `false` unless it is open or somebody works on it.
    pub fn park(&mut self, id: &TaskId) -> bool {
        self.change(id, TaskProgress::Parked, Place::is_underway)
    }

    /// It is to be done (again). What was begun goes before what was not, unless it had been done. `false` where it is open
    /// already.
    pub fn reopen(&mut self, id: &TaskId) -> bool {
        self.change(id, TaskProgress::Open, |place| place.standing != TaskProgress::Open)
    }

    /// Where a task stands; `None` where there is none of this id.
    pub fn standing(&self, id: &TaskId) -> Option<TaskProgress> {
        let place = self.graph.find(id).and_then(|index| self.places.get(index))?;
        Some(place.standing)
    }

    /// The row of an id, as it was read.
    pub fn row(&self, id: &TaskId) -> Option<&TaskRow> {
        self.graph.find(id).and_then(|index| self.graph.rows.get(index))
    }

    /// All rows as they were read, in the order of the file, without those whose id an earlier one has.
    pub fn rows(&self) -> &[TaskRow] {
        &self.graph.rows
    }

    /// How many stand where.
    pub fn counts(&self) -> Counts {
        let (done, active, parked, ready) = (self.done, self.active, self.parked, self.ready.len());
        let total = self.places.len();
        Counts { done, active, parked, ready, waiting: total - done - active - parked - ready, total }
    }

    fn change(&mut self, id: &TaskId, to: TaskProgress, allowed: impl Fn(&Place) -> bool) -> bool {
        let Some(index) = self.graph.find(id) else { return false };
        let Some(place) = self.places.get_mut(index).filter(|place| allowed(place)) else { return false };
        let from = std::mem::replace(&mut place.standing, to);
        place.begun = match to {
            TaskProgress::Active => true,
            TaskProgress::Open => place.begun && from != TaskProgress::Done,
            TaskProgress::Done | TaskProgress::Parked => place.begun,
        };
        if let Some(count) = self.count_of(from) {
            *count -= 1;
        }
        if let Some(count) = self.count_of(to) {
            *count += 1;
        }
        self.tell_dependants(index, from, to);
        self.settle_readiness(index);
        true
    }

    /// The counter of a standing; none for what is open, which is counted by the set.
    const fn count_of(&mut self, standing: TaskProgress) -> Option<&mut usize> {
        match standing {
            TaskProgress::Open => None,
            TaskProgress::Active => Some(&mut self.active),
            TaskProgress::Done => Some(&mut self.done),
            TaskProgress::Parked => Some(&mut self.parked),
        }
    }

    fn tell_dependants(&mut self, index: usize, from: TaskProgress, to: TaskProgress) {
        let (was_done, is_done) = (from == TaskProgress::Done, to == TaskProgress::Done);
        if was_done == is_done {
            return;
        }
        let graph = Arc::clone(&self.graph);
        for dependant in graph.dependants.get(index).into_iter().flatten().copied() {
            if let Some(place) = self.places.get_mut(dependant) {
                place.unmet = if is_done { place.unmet.saturating_sub(1) } else { place.unmet + 1 };
            }
            self.settle_readiness(dependant);
        }
    }

    /// Puts a task where it belongs: among what is ready, in its turn, or not.
    fn settle_readiness(&mut self, index: usize) {
        let Some(place) = self.places.get(index) else { return };
        let Some(row) = self.graph.rows.get(index) else { return };
        let rank = self.graph.rank.get(index).copied().unwrap_or(index);
        let turn = |fresh| Turn { fresh, priority: row.priority, rank, index };
        self.ready.remove(&turn(place.begun));
        if place.standing == TaskProgress::Open && place.unmet == 0 {
            self.ready.insert(turn(!place.begun));
        } else {
            self.ready.remove(&turn(!place.begun));
        }
    }
}

impl Place {
    fn of(row: &TaskRow) -> Place {
        let standing = if row.state == TaskState::Done { TaskProgress::Done } else { TaskProgress::Open };
        Place { standing, begun: row.state == TaskState::InProgress, unmet: 0 }
    }

    const fn is_underway(&self) -> bool {
        matches!(self.standing, TaskProgress::Open | TaskProgress::Active)
    }
}
