//! What makes a plan valid.

use super::*;

#[test]
fn a_document_beside_the_specs_may_be_named() {
    let specs = specs(&["auth.md"]).with_others(["CLAUDE.md".to_owned()]);
    let problems =
        |text: &str| single(text).problems(&specs).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(problems("- [ ] one (refs: specs/auth.md, CLAUDE.md)\n"), [""; 0]);
    assert_eq!(problems("- [ ] one (refs: specs/auth.md, OTHER.md)\n").len(), 1);
}

#[test]
fn a_build_is_not_done_while_a_criterion_of_what_is_done_is_open_and_blocked_where_nobody_knows_what_is_left()
{
    let plan = single("- [x] Login\n  Acceptance criteria:\n  - [ ] tested\n");
    let standing = standing_for_build(&plan, "m");
    assert!(!standing.complete && standing.blockers.is_empty(), "{standing:?}");
    assert_eq!(plan.next().map(|task| task.row.title.as_str()), Some("tested"));
    let plan = single("- [x] a\n- [?] b\n");
    let standing = standing_for_build(&plan, "m");
    assert!(!standing.complete && plan.next().is_none());
    assert_eq!(standing.blockers, ["PLAN.md:2: has the box `[?]`: write `[ ]`, `[~]` or `[x]`"]);
    let open = standing_for_build(&single("- [ ] a\n- [?] b\n"), "m");
    assert_eq!(open.blockers, [""; 0], "what can be worked on comes first");
    assert!(standing_for_build(&single("- [x] a\n"), "m").complete);
}

fn problems(text: &str, names: &[&str]) -> Vec<String> {
    single(text).problems(&specs(names)).iter().map(ToString::to_string).collect()
}

// rows: 98
#[test]
fn specs_that_are_not_there_and_tasks_without_one() {
    assert_eq!(problems("- [ ] a\n- [x] b\n", &[]), [""; 0], "without specs none is missed");
    assert_eq!(
        problems("- [ ] a\n- [x] b\n", &["auth.md"]),
        ["PLAN.md:1: names no spec: end the task with `(refs: specs/auth.md)`"]
    );
    assert_eq!(
        problems("- [ ] a (refs: specs/auht.md)\n  - [ ] nested\n", &["auth.md"]),
        ["PLAN.md:1: names the spec `specs/auht.md`, which is not there; did you mean `specs/auth.md`?"]
    );
    for named in [
        "auth.md",
        "specs/Auth.md",
        "./specs/auth.md#login",
        "`specs/auth.md` section 2",
        "specs/auth",
        "../specs/auth.md",
    ] {
        assert_eq!(problems(&format!("- [ ] a (refs: {named})\n"), &["auth.md"]), [""; 0], "{named}");
    }
    assert_eq!(problems("- [ ] a (refs: specs/auth.md, src/main.rs)\n", &["auth.md"]), [""; 0]);
}

// rows: 92
#[test]
fn dependencies_that_are_not_there_numbers_given_twice_and_cycles() {
    assert_eq!(
        problems("- [ ] 1.1 a\n  Dependencies: 9.9, the weather\n", &[]),
        ["PLAN.md:1: depends on `9.9`, which is not a task of this plan"]
    );
    assert_eq!(
        problems("- [ ] 1.1 A\n- [ ] P1.1 B\n- [ ] 1.1: C\n", &[]),
        ["PLAN.md:3: has the number 1.1 of line 1"]
    );
    assert_eq!(
        problems(
            "- [ ] 1.1 A\n  Dependencies: 1.2\n- [ ] 1.2 B\n  Dependencies: Task 1.3\n- [ ] 1.3 C\n  Dependencies: 1.2\n",
            &[]
        ),
        ["PLAN.md:3: waits for itself: 1.2 → 1.3 → 1.2"]
    );
    assert_eq!(
        problems("- [ ] 1.1 A\n  Dependencies: 1.1\n", &[]),
        ["PLAN.md:1: waits for itself: 1.1 → 1.1"]
    );
    let lower = "- [ ] 1.1 add the reader\n- [ ] 1.2 add the writer\n  Dependencies: 1.1\n";
    assert_eq!(problems(lower, &[]), Vec::<String>::new());
}

#[test]
fn a_long_list_of_problems_is_shortened_and_a_standing_holds_one_line() {
    let plan = single(&"- [ ] a\n".repeat(100));
    let specs = specs(&["auth.md"]);
    let found = plan.problems(&specs);
    assert_eq!(found.len(), 20);
    assert!(found[19].sentence.ends_with("(and 80 more of this kind)"), "{found:?}");
    let standing = standing_for_planning(&plan, &specs, "m");
    let said = standing.problem.expect("a problem");
    assert!(said.starts_with("PLAN.md:1: names no spec") && said.ends_with("(and 19 more)"), "{said}");
    assert!(!standing.complete && !said.contains(char::is_control));
    assert!(standing_for_planning(&single("- [ ] a (refs: auth.md)\n"), &specs, "m").complete);
    assert_eq!(standing_for_build(&plan, "m").problem, None, "it can be worked through all the same");
}
