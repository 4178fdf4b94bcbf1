//! What a spec requires, and what a plan covers of it.

use super::super::tests::{single, specs};
use super::RequirementKind::{Box, Heading, Sentence};
use super::*;

const AUTH: &str = "# Auth\n\nThe key words MUST and SHOULD are to be\nread as in RFC 2119. They MAY shout.\n\n## Login\n\n### Form SHOULD be short\n\n\
    - [ ] AUTH-1: it MUST work, and SHOULD be quick\n- [x] remembers\n\nThe server MUST hash. It may salt.\nIt SHALL NOT log.\n\n\
    ```\nMUST not count\n- [ ] code\n```\n\n> MUST be quoted\n\n<!-- MUST hide -->\n\n### 4.2 Logout\n\n## Non-Goals\n\n### Single sign-on\n- [ ] SAML\n\n\
    ## Open questions\n\n- [ ] MUST we?\n";

fn covered(plan: &str) -> SpecCoverage {
    let all = coverage(
        &single(plan),
        &specs(&["README.md", "auth.md"]),
        &[Spec::parse("README.md", AUTH), Spec::parse("auth.md", AUTH)],
    );
    assert_eq!(all.len(), 1, "the folder's README is not a spec");
    all.into_iter().next().expect("one")
}

// Seed defect D2, src/verify.rs:268-316, 357-361: a line counted up to three times, and references were divided by lines.
// rows: 134
#[test]
fn headings_boxes_and_sentences_each_once() {
    let spec = Spec::parse("auth.md", AUTH);
    let told: Vec<_> = spec.requirements.iter().map(|one| (one.line, &*one.id, one.kind)).collect();
    assert_eq!(
        told,
        [
            (8, "form-should-be-short", Heading),
            (10, "AUTH-1", Box),
            (11, "L11", Box),
            (13, "L13", Sentence),
            (14, "L14", Sentence),
            (25, "4.2", Heading)
        ]
    );
    assert_eq!(spec.requirements[1].text, "AUTH-1: it MUST work, and SHOULD be quick");
}

// rows: 134
#[test]
fn a_requirement_is_covered_by_its_id_its_section_or_a_task_for_the_spec() {
    for (plan, tasks, named, covered_in_all) in [
        ("- [ ] a\n", 0, 0, 0),
        ("- [ ] a (refs: specs/auth.md)\n", 1, 0, 1),
        ("- [ ] a (refs: specs/auth.md, specs/auth.md)\n", 1, 0, 1),
        ("- [ ] a (refs: specs/auth.md#AUTH-1)\n", 1, 1, 1),
        ("- [ ] do AUTH-1 (refs: specs/auth.md)\n", 1, 1, 1),
        ("- [ ] a (refs: specs/auth.md#L13)\n- [ ] b (refs: auth.md#l13)\n", 2, 1, 1),
        ("- [ ] a (refs: specs/auth.md §4.2)\n", 1, 1, 1),
        ("- [ ] a (refs: specs/auth.md#login)\n", 1, 6, 6),
        ("- [ ] a (refs: specs/auth.md#form-should-be-short)\n", 1, 5, 5),
        ("- [ ] a (refs: specs/auth.md#nothing)\n", 1, 0, 1),
        (&"- [ ] a (refs: specs/auth.md)\n".repeat(100), 100, 0, 6),
    ] {
        let found = covered(plan);
        assert_eq!((found.tasks, found.named(), found.covered), (tasks, named, covered_in_all), "{plan}");
    }
    assert_eq!(covered("- [ ] a (refs: specs/auth.md)\n").percent(), 16);
}

#[test]
fn numbers_are_capitals_and_digits() {
    for number in ["AUTH-1", "R7", "FR-1.2", "4.2", "NFR_3"] {
        assert!(requirement::is_number(number), "{number}");
    }
    for word in ["", "4", "Auth-1", "AUTH", "-1", "1.a", "."] {
        assert!(!requirement::is_number(word), "{word}");
    }
}
