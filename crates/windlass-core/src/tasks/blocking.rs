//! Why tasks wait that nothing under way will set free.

use std::collections::BTreeSet;

use super::cycles::cycles;
use super::schedule::{Schedule, TaskProgress};
use crate::values::TaskId;

/// What tasks wait for that will not come by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocking {
    /// Parked tasks that others wait for, in the order of the file.
    pub parked: Vec<TaskId>,
    /// Dependencies that are not tasks of the file, in the order of those who name them.
    pub unknown: Vec<Missing>,
    /// Tasks that wait for one another, each in the order in which it waits; the first is not repeated. One for each knot.
    pub cycles: Vec<Vec<TaskId>>,
}

/// A dependency that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Who names it.
    pub task: TaskId,
    /// What is named.
    pub dependency: TaskId,
}

impl Schedule {
    /// What open tasks wait for that nothing under way will bring: parked tasks, tasks that are not there, one another.
    /// Linear in tasks and dependencies.
    pub fn blocking(&self) -> Blocking {
        let mut blocking = Blocking::default();
        let mut parked = BTreeSet::new();
        let mut edges = vec![Vec::new(); self.places.len()];
        for (index, (row, known)) in self.graph.rows.iter().zip(&self.graph.dependencies).enumerate() {
            if self.standing_at(index) != TaskProgress::Open {
                continue;
            }
            let unknown = row.dependencies.iter().filter(|id| !self.graph.knows(id));
            blocking.unknown.extend(
                unknown.map(|dependency| Missing { task: row.id.clone(), dependency: dependency.clone() }),
            );
            parked.extend(known.iter().filter(|on| self.standing_at(**on) == TaskProgress::Parked));
            if let Some(edges) = edges.get_mut(index) {
                edges.extend(known.iter().filter(|on| self.standing_at(**on) == TaskProgress::Open));
            }
        }
        blocking.parked = self.ids(parked);
        blocking.cycles = cycles(&edges).into_iter().map(|cycle| self.ids(cycle)).collect();
        blocking
    }

    /// Does all that is open wait for what is parked, directly or through others? Then nothing that is done to the open tasks lets it
    /// go on. `false` where nothing is parked, or somebody is at work. Linear in tasks and dependencies.
    pub fn waits_for_parked(&self) -> bool {
        let mut is_stuck = vec![false; self.places.len()];
        let parked = (0..self.places.len()).filter(|at| self.standing_at(*at) == TaskProgress::Parked);
        let mut found: Vec<usize> = parked.collect();
        let has_parked = !found.is_empty();
        while let Some(at) = found.pop() {
            if is_stuck.get(at) != Some(&false) {
                continue;
            }
            is_stuck[at] = true;
            let on_it = self.graph.dependants.get(at).into_iter().flatten();
            found.extend(on_it.filter(|at| self.standing_at(**at) == TaskProgress::Open));
        }
        let others = self.places.iter().zip(&is_stuck).filter(|(_, is_stuck)| !**is_stuck);
        has_parked && others.into_iter().all(|(place, _)| place.standing == TaskProgress::Done)
    }

    fn standing_at(&self, index: usize) -> TaskProgress {
        self.places.get(index).map_or(TaskProgress::Done, |place| place.standing)
    }

    fn ids(&self, indexes: impl IntoIterator<Item = usize>) -> Vec<TaskId> {
        indexes.into_iter().filter_map(|index| self.graph.rows.get(index)).map(|row| row.id.clone()).collect()
    }
}
