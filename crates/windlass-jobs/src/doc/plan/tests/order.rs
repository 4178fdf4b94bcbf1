//! Which task is next.

use super::*;

fn next(text: &str) -> String {
    single(text).next().map_or_else(String::new, |task| task.row.title.clone())
}

// Seed defect D2, seed 002 §4.2, grep: where nothing was open the count was not a number, and completion was never seen.
// Seed defect D2, src/verify.rs:196, 243: a task in progress was not an open work, and all was complete.
// rows: 48, 94
#[test]
fn in_progress_then_priority_then_the_order_of_the_file() {
    assert_eq!(next("- [ ] a\n- [ ] b\n"), "a");
    assert_eq!(next("- [ ] a\n## Priority 2\n- [ ] b\n### Priority 1: x\n- [ ] c\n"), "c");
    assert_eq!(next("- [ ] a\n## Priority 2\n- [ ] b\n### Sub\n- [ ] c\n## Rest\n- [ ] d\n"), "b");
    assert_eq!(next("## Priority 1\n- [ ] a\n## Low priority\n- [~] b\n"), "b");
    assert_eq!(next("## Priority 1\n- [x] a\n## Notes\n- [~] b\n- [~] c\n"), "b");
    assert_eq!(next("- [ ] P2: a\n- [ ] P0: b\n"), "P0: b");
    assert_eq!(next("- [x] a\n"), "");
    let begun = single("- [x] a\n- [~] b\n");
    assert!(!standing_for_build(&begun, "m").complete);
    assert!(standing_for_build(&single("- [x] a\n- [X] b\n"), "m").complete);
}

#[test]
fn what_waits_for_an_open_task_comes_later() {
    let plan =
        "- [ ] 1.1 A\n  Dependencies: 1.2\n- [ ] 1.2 B\n  Dependencies: Third thing\n- [ ] third thing\n";
    assert_eq!(next(plan), "third thing");
    assert_eq!(next(&plan.replace("[ ] third", "[x] third")), "B");
    assert_eq!(next(&plan.replace("[ ] 1.1", "[~] 1.1")), "A", "what was begun is gone on with");
    assert_eq!(next("- [ ] 1.1 A\n  Dependencies: 1.2\n- [ ] 1.2 B\n  Dependencies: 1.1\n"), "A");
}

// rows: 94
#[test]
fn what_a_prompt_says_of_it() {
    let plan = single(
        "## Priority 1: Core\n\n- [ ] 1.1 Store (refs: specs/s.md)\n  - Complexity: high\n  - how so\n- [ ] b\n",
    );
    let next = plan.next_task().expect("a task");
    let words = "1.1 Store (PLAN.md:3; section: Priority 1: Core; refs: specs/s.md; complexity: high)";
    assert_eq!(next.words, words);
    assert_eq!(next.source, "- [ ] 1.1 Store (refs: specs/s.md)\n  - Complexity: high\n  - how so");
    let standing = standing_for_build(&plan, "m");
    assert_eq!((&*standing.phase, &*standing.summary, &*standing.mark), ("Priority 1: Core", "Store", "m"));
    assert_eq!(standing.items.map(|items| (items.done, items.total)), Some((0, 2)));
    let long = single(&format!("# {0}\n- [ ] {0}\n", "ß".repeat(500)));
    let standing = standing_for_build(&long, "m");
    assert_eq!((standing.summary.chars().count(), standing.phase.chars().count()), (200, 80));
}
