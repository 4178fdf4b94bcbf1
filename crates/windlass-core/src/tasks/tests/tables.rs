use std::cmp::Ordering;

use super::{row, rows};
use crate::tasks::cycles::cycles;
use crate::tasks::{Blocking, Counts, Missing, Schedule, TaskProgress, natural};
use crate::values::TaskId;

fn id(text: &str) -> TaskId {
    text.into()
}

/// The order in which one worker would do them.
fn order(texts: &[&str]) -> String {
    order_of(Schedule::new(rows(texts)))
}

fn order_of(mut schedule: Schedule) -> String {
    let mut done = Vec::new();
    while let Some(next) = schedule.next().map(|row| row.id.clone()) {
        assert!(schedule.begin(&next) && schedule.finish(&next), "{next}");
        done.push(next.0);
    }
    done.join(" ")
}

// rows: 91
#[test]
fn the_order_is_that_of_dependencies_progress_priority_id_and_file() {
    let table: &[(&[&str], &str)] = &[
        (&["TASK-10", "TASK-9", "TASK-1"], "TASK-1 TASK-9 TASK-10"),
        (&["T-3b", "T-3", "T-3a", "T-4"], "T-3 T-3a T-3b T-4"),
        (&["B", "A"], "A B"),
        (&["A-01", "A-1", "A-001"], "A-01 A-1 A-001"),
        (&["A ! 3", "B", "C ! 1"], "C B A"),
        (&["A ! 1", "~ B ! 3"], "B A"),
        (&["A < B ! 1", "B < C ! 1", "C ! 3", "D"], "D C B A"),
        (&["x A", "B < A"], "B"),
        (&["~ A < B", "B ! 3"], "B A"),
        // Cycles, themselves and what is not there: never ready, nor what waits for them.
        (&["A < B", "B < A", "C < A", "D"], "D"),
        (&["A < A", "B"], "B"),
        (&["A < GONE", "B < A", "C"], "C"),
        (&["A < B, B", "B"], "B A"),
        // What a person has to mend in the file: the same.
        (&["? A", "B < A", "C"], "C"),
        (&["? A < GONE", "? B < C", "C"], "C"),
        // The first of an id counts.
        (&["A < B", "A", "B"], "B A"),
        (&["x A", "A", "B < A"], "B"),
        (&[], ""),
    ];
    for (texts, expected) in table {
        assert_eq!(order(texts), *expected, "{texts:?}");
    }
}

#[test]
fn a_plan_is_worked_off_from_its_top() {
    let plan = rows(&["T-2", "T-1 < L9", "L10", "L9", "~ Z"]);
    assert_eq!(order_of(Schedule::of_plan(plan)), "Z T-2 L10 L9 T-1");
}

#[test]
fn transitions_are_refused_where_they_make_no_sense() {
    let mut schedule = Schedule::new(rows(&["A", "B < A", "x C"]));
    assert!(!schedule.begin(&id("NONE")) && !schedule.finish(&id("NONE")));
    assert!(!schedule.begin(&id("B")), "its dependency is open");
    assert!(!schedule.begin(&id("C")) && !schedule.finish(&id("C")) && !schedule.park(&id("C")), "done");
    assert!(schedule.begin(&id("A")));
    assert!(!schedule.begin(&id("A")), "somebody works on it");
    assert_eq!(schedule.next(), None);
    assert!(schedule.park(&id("A")));
    assert!(!schedule.park(&id("A")) && !schedule.finish(&id("A")) && !schedule.begin(&id("A")), "parked");
    assert_eq!(schedule.standing(&id("A")), Some(TaskProgress::Parked));
    assert!(schedule.reopen(&id("A")) && !schedule.reopen(&id("A")));
    assert!(schedule.finish(&id("A")), "also what nobody works on may turn out to be done");
    assert_eq!(schedule.next().map(|row| row.id.0.as_str()), Some("B"));
    assert!(schedule.reopen(&id("A")), "done, and yet not");
    assert_eq!(schedule.next().map(|row| row.id.0.as_str()), Some("A"));
    assert_eq!(schedule.standing(&id("NONE")), None);
}

// Seed defect D3, core/loop.ts:274, 277: what was in progress was never taken up.
#[test]
fn what_was_begun_and_left_goes_first() {
    let mut schedule = Schedule::new(rows(&["A ! 1", "B ! 3"]));
    assert!(schedule.begin(&id("A")) && schedule.begin(&id("B")) && schedule.reopen(&id("B")));
    assert!(schedule.reopen(&id("A")) && schedule.finish(&id("A")) && schedule.reopen(&id("A")));
    let ready: Vec<_> = schedule.ready().map(|row| row.id.0.as_str()).collect();
    assert_eq!(ready, ["B", "A"], "what had been done begins anew");
}

#[test]
fn parked_tasks_hold_up_their_dependants_and_nothing_else() {
    let mut schedule =
        Schedule::new(rows(&["A", "B < A", "C < B", "D", "E < NONE", "F < G", "G < F", "H < H"]));
    assert!(schedule.begin(&id("A")) && schedule.park(&id("A")));
    let counts = schedule.counts();
    assert_eq!(counts, Counts { done: 0, active: 0, parked: 1, ready: 1, waiting: 6, total: 8 });
    assert_eq!(schedule.next().map(|row| row.id.0.as_str()), Some("D"));
    let blocking = schedule.blocking();
    assert_eq!(blocking.parked, [id("A")]);
    assert_eq!(blocking.unknown, [Missing { task: id("E"), dependency: id("NONE") }]);
    assert_eq!(blocking.cycles, [vec![id("F"), id("G")], vec![id("H")]]);
    assert!(Schedule::new(rows(&["A", "B < A"])).blocking() == Blocking::default());
}

#[test]
fn what_a_resumed_run_could_not_go_on_with_waits_for_what_is_parked() {
    let table: &[(&[&str], &str, bool)] = &[
        (&["A", "B < A", "C < B"], "A", true),
        (&["A"], "A", true),
        (&["A", "x B", "C < B, A"], "A", true),
        (&["A", "B < A", "C"], "A", false),
        (&["A", "B < NONE"], "A", false),
        (&["A", "B < C", "C < B"], "A", false),
        (&["A", "B < A"], "", false),
        (&["x A"], "", false),
    ];
    for (texts, parked, expected) in table {
        let mut schedule = Schedule::new(rows(texts));
        assert_eq!(schedule.park(&id(parked)), !parked.is_empty(), "{texts:?}");
        assert_eq!(schedule.waits_for_parked(), *expected, "{texts:?}");
    }
}

type Edges = &'static [&'static [usize]];

#[test]
fn of_a_knot_the_shortest_cycle_is_named() {
    let table: &[(Edges, Edges)] = &[
        (&[&[1], &[2], &[0]], &[&[0, 1, 2]]),
        (&[&[1, 2], &[2], &[0]], &[&[0, 2]]),
        (&[&[1], &[2], &[1]], &[&[1, 2]]),
        (&[&[0]], &[&[0]]),
        (&[&[1], &[]], &[]),
        (&[&[7], &[0]], &[]),
        (&[&[1], &[0], &[3], &[2, 0]], &[&[0, 1], &[2, 3]]),
    ];
    for (edges, expected) in table {
        let edges: Vec<Vec<usize>> = edges.iter().map(|edges| edges.to_vec()).collect();
        assert_eq!(cycles(&edges), *expected, "{edges:?}");
    }
}

#[test]
fn ids_are_compared_as_people_count() {
    let table = [
        ("TASK-9", "TASK-10", Ordering::Less),
        ("TASK-1", "TASK-001", Ordering::Equal),
        ("task-2", "TASK-10", Ordering::Less),
        ("T2", "T2a", Ordering::Less),
        ("1.10", "1.9", Ordering::Greater),
        ("A1B2", "A1B10", Ordering::Less),
        ("99999999999999999999998", "99999999999999999999999", Ordering::Less),
        ("é1", "é2", Ordering::Less),
        ("", "A", Ordering::Less),
        ("0", "00", Ordering::Equal),
    ];
    for (one, other, expected) in table {
        assert_eq!(natural::compare(one, other), expected, "{one} {other}");
        assert_eq!(natural::compare(other, one), expected.reverse(), "{other} {one}");
    }
}

/// Fifty thousand tasks in a chain, in a star, and in one great cycle: recursion would not come back from it, nor would
/// anything quadratic before the test is ended.
#[test]
fn fifty_thousand_tasks_are_no_effort() {
    let most = 50_000_usize;
    let chain = (0..most).rev().map(|index| match index {
        0 => row("T-0"),
        _ => row(&format!("T-{index} < T-{}", index - 1)),
    });
    let mut schedule = Schedule::new(chain.collect());
    for index in 0..most {
        let next = schedule.next().unwrap().id.clone();
        assert_eq!(next.0, format!("T-{index}"));
        assert!(schedule.begin(&next) && schedule.finish(&next));
    }
    assert_eq!(schedule.counts().done, most);
    let star = (0..most).map(|index| if index == 0 { row("T-0") } else { row(&format!("T-{index} < T-0")) });
    let mut schedule = Schedule::new(star.collect());
    assert!(schedule.finish(&id("T-0")));
    assert_eq!(schedule.counts().ready, most - 1);
    let ring = (0..most).map(|index| row(&format!("T-{index} < T-{}", (index + 1) % most)));
    let blocking = Schedule::new(ring.collect()).blocking();
    assert_eq!(blocking.cycles.first().map(Vec::len), Some(most));
}

#[test]
fn digits_come_before_letters_also_where_they_are_nothing_but_zeros() {
    for (first, second) in [("TASK-1", "TASK-a"), ("TASK-0", "TASK-a"), ("1", "a"), ("TASK-10", "TASK-a")] {
        assert_eq!(natural::compare(first, second), Ordering::Less, "{first} {second}");
        assert_eq!(natural::compare(second, first), Ordering::Greater, "{first} {second}");
    }
}
