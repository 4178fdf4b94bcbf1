//! The same rules, computed anew from nothing at each step, in the plainest way.

use std::collections::HashMap;

use proptest::prelude::*;

use crate::tasks::{Blocking, Counts, Schedule, TaskProgress, natural};
use crate::values::{TaskId, TaskRow, TaskState};

/// What is remembered: rows, where each stands, whether it was begun.
struct Oracle {
    rows: Vec<TaskRow>,
    standing: HashMap<TaskId, (TaskProgress, bool)>,
}

impl Oracle {
    fn new(rows: &[TaskRow]) -> Oracle {
        let mut oracle = Oracle { rows: Vec::new(), standing: HashMap::new() };
        for row in rows {
            if oracle.standing.contains_key(&row.id) {
                continue;
            }
            let standing = if row.state == TaskState::Done { TaskProgress::Done } else { TaskProgress::Open };
            oracle.standing.insert(row.id.clone(), (standing, row.state == TaskState::InProgress));
            oracle.rows.push(row.clone());
        }
        oracle
    }

    fn is(&self, id: &TaskId, standing: TaskProgress) -> bool {
        self.standing.get(id).is_some_and(|(now, _)| *now == standing)
    }

    fn is_ready(&self, row: &TaskRow) -> bool {
        self.is(&row.id, TaskProgress::Open)
            && row.dependencies.iter().all(|on| self.is(on, TaskProgress::Done))
    }

    fn next(&self) -> Option<&TaskRow> {
        self.rows.iter().filter(|row| self.is_ready(row)).min_by(|one, other| {
            let begun = |row: &TaskRow| self.standing.get(&row.id).is_some_and(|(_, begun)| *begun);
            begun(other)
                .cmp(&begun(one))
                .then(one.priority.cmp(&other.priority))
                .then_with(|| natural::compare(&one.id.0, &other.id.0))
        })
    }

    fn counts(&self) -> Counts {
        let count = |standing| self.rows.iter().filter(|row| self.is(&row.id, standing)).count();
        let ready = self.rows.iter().filter(|row| self.is_ready(row)).count();
        Counts {
            done: count(TaskProgress::Done),
            active: count(TaskProgress::Active),
            parked: count(TaskProgress::Parked),
            ready,
            waiting: count(TaskProgress::Open) - ready,
            total: self.rows.len(),
        }
    }

    fn change(&mut self, id: &TaskId, transition: Transition) -> bool {
        let ready = self.rows.iter().any(|row| row.id == *id && self.is_ready(row));
        let Some((standing, begun)) = self.standing.get_mut(id) else { return false };
        let underway = matches!(standing, TaskProgress::Open | TaskProgress::Active);
        match transition {
            Transition::Begin if ready => (*standing, *begun) = (TaskProgress::Active, true),
            Transition::Finish if underway => *standing = TaskProgress::Done,
            Transition::Park if underway => *standing = TaskProgress::Parked,
            Transition::Reopen if *standing != TaskProgress::Open => {
                *begun = *begun && *standing != TaskProgress::Done;
                *standing = TaskProgress::Open;
            }
            _ => return false,
        }
        true
    }
}

#[derive(Clone, Copy, Debug)]
enum Transition {
    Begin,
    Finish,
    Park,
    Reopen,
}

fn transition() -> impl Strategy<Value = Transition> {
    prop_oneof![
        Just(Transition::Begin),
        Just(Transition::Finish),
        Just(Transition::Park),
        Just(Transition::Reopen)
    ]
}

fn task_id() -> impl Strategy<Value = TaskId> {
    prop_oneof![(0_u8..13).prop_map(|number| TaskId(format!("T-{number}"))), Just(TaskId("T-01".to_owned()))]
}

fn task() -> impl Strategy<Value = TaskRow> {
    let state =
        prop_oneof![4 => Just(TaskState::Open), 1 => Just(TaskState::InProgress), 1 => Just(TaskState::Done)];
    (task_id(), state, 1_u8..4, prop::collection::vec(task_id(), 0..3)).prop_map(
        |(id, state, priority, dependencies)| TaskRow {
            title: id.0.clone(),
            id,
            state,
            priority,
            dependencies,
            ..TaskRow::default()
        },
    )
}

proptest! {
    #[test]
    fn it_says_what_the_oracle_says(
        rows in prop::collection::vec(task(), 0..16),
        transitions in prop::collection::vec((task_id(), transition(), any::<bool>()), 0..40),
    ) {
        let (mut schedule, mut oracle) = (Schedule::new(rows.clone()), Oracle::new(&rows));
        prop_assert_eq!(schedule.rows(), &oracle.rows[..]);
        for (id, transition, of_next) in transitions {
            // Half of the transitions are about the next task, or hardly anything would ever be begun.
            let next = schedule.next().map(|row| row.id.clone());
            prop_assert_eq!(next.as_ref(), oracle.next().map(|row| &row.id));
            prop_assert_eq!(schedule.counts(), oracle.counts());
            let id = next.filter(|_| of_next).unwrap_or(id);
            let changed = match transition {
                Transition::Begin => schedule.begin(&id),
                Transition::Finish => schedule.finish(&id),
                Transition::Park => schedule.park(&id),
                Transition::Reopen => schedule.reopen(&id),
            };
            prop_assert_eq!(changed, oracle.change(&id, transition));
            prop_assert_eq!(schedule.standing(&id), oracle.standing.get(&id).map(|(standing, _)| *standing));
        }
        prop_assert_eq!(schedule.next(), oracle.next());
        prop_assert_eq!(schedule.counts(), oracle.counts());
        // As a worker gets it.
        let written = serde_json::to_string(&schedule).unwrap();
        prop_assert_eq!(serde_json::from_str::<Schedule>(&written).unwrap(), schedule);
    }

    /// Worked off to the end, what is left waits for something that [`Schedule::blocking`] names.
    #[test]
    fn what_is_left_is_explained(rows in prop::collection::vec(task(), 0..16), parked in 0_usize..4) {
        let mut schedule = Schedule::new(rows);
        let mut left = parked;
        while let Some(next) = schedule.next().map(|row| row.id.clone()) {
            prop_assert!(schedule.begin(&next));
            if left > 0 {
                left -= 1;
                prop_assert!(schedule.park(&next));
            } else {
                prop_assert!(schedule.finish(&next));
            }
        }
        prop_assert_eq!(schedule.counts().waiting > 0, schedule.blocking() != Blocking::default());
    }
}
