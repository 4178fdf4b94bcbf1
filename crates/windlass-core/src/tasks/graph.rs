//! What does not change while tasks are worked off: their rows, and who waits for whom.

use std::collections::HashMap;

use super::natural;
use crate::values::{TaskId, TaskRow};

/// Rows and their dependencies.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Graph {
    /// The first of each id, in the order of the file.
    pub rows: Vec<TaskRow>,
    index: HashMap<TaskId, usize>,
    /// For each row the rows it waits for, each once, sorted. Itself may be among them.
    pub dependencies: Vec<Vec<usize>>,
    /// For each row those that wait for it.
    pub dependants: Vec<Vec<usize>>,
    /// For each row how many of its dependencies are not there.
    pub unknown: Vec<usize>,
    /// For each row its place among those of one priority: in the order of ids, or of the file.
    pub rank: Vec<usize>,
}

impl Graph {
    /// Ranked by their ids.
    pub(super) fn by_id(rows: Vec<TaskRow>) -> Graph {
        let mut graph = Graph::new(rows);
        graph.rank_ids();
        graph
    }

    /// Ranked as they stand in their file.
    pub(super) fn by_place(rows: Vec<TaskRow>) -> Graph {
        let mut graph = Graph::new(rows);
        graph.rank = (0..graph.rows.len()).collect();
        graph
    }

    fn new(rows: Vec<TaskRow>) -> Graph {
        let mut graph = Graph { index: HashMap::with_capacity(rows.len()), ..Graph::default() };
        for row in rows {
            if !graph.index.contains_key(&row.id) {
                graph.index.insert(row.id.clone(), graph.rows.len());
                graph.rows.push(row);
            }
        }
        graph.connect();
        graph
    }

    fn connect(&mut self) {
        self.dependants = vec![Vec::new(); self.rows.len()];
        for (index, row) in self.rows.iter().enumerate() {
            let mut known: Vec<usize> =
                row.dependencies.iter().filter_map(|id| self.index.get(id)).copied().collect();
            self.unknown.push(row.dependencies.len() - known.len());
            known.sort_unstable();
            known.dedup();
            for dependency in &known {
                if let Some(dependants) = self.dependants.get_mut(*dependency) {
                    dependants.push(index);
                }
            }
            self.dependencies.push(known);
        }
    }

    fn rank_ids(&mut self) {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        // Equal ids stay in the order of the file: the sort is stable.
        order.sort_by(|one, other| natural::compare(self.id(*one), self.id(*other)));
        self.rank = vec![0; order.len()];
        for (rank, index) in order.into_iter().enumerate() {
            if let Some(slot) = self.rank.get_mut(index) {
                *slot = rank;
            }
        }
    }

    fn id(&self, index: usize) -> &str {
        self.rows.get(index).map_or("", |row| &row.id.0)
    }

    pub(super) fn find(&self, id: &TaskId) -> Option<usize> {
        self.index.get(id).copied()
    }

    pub(super) fn knows(&self, id: &TaskId) -> bool {
        self.index.contains_key(id)
    }
}
