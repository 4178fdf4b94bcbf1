//! Where principles stand in a prompt, and that they stay as they are.

use strum::IntoEnumIterator as _;
use windlass_core::principles::{PROPOSAL, Preset, Principles};
use windlass_core::run::{Collected, TurnKey};
use windlass_core::spec::{Mode, PrinciplesSpec, RunSpec};
use windlass_core::values::Purpose;

use super::tests::{parts, plan};
use super::*;
use crate::compose;

fn decided(preset: Preset) -> RunSpec {
    let (file, digest) = (".windlass/principles.yaml".into(), "0".repeat(64));
    let principles = Some(PrinciplesSpec::File { file, digest, principles: Principles::of(preset) });
    RunSpec { principles, ..plan() }
}

fn collecting() -> RunSpec {
    let principles = Some(PrinciplesSpec::Collected { file: ".windlass/principles.yaml".into() });
    RunSpec { principles, ..plan() }
}

fn attempt(attempt: u32) -> TurnKey {
    TurnKey { iteration: 1, attempt }
}

// rows: 101
#[test]
fn they_come_before_the_workflow_and_are_the_same_in_every_iteration() {
    let plan = decided(Preset::Startup);
    let of = |iteration| {
        compose(&PromptParts { turn: TurnKey { iteration, attempt: 1 }, ..parts(&plan, "x") }).user
    };
    let section = |user: &str| user.split_once("## How this works").unwrap().0.to_owned();
    let first = section(&of(1));
    assert!(first.starts_with("## Decision principles\n"), "{first}");
    assert_eq!(first, section(&of(40)));
    for said in [
        "- scope_philosophy 3: the least that works\n",
        "- urgency_tiers 3: everything is urgent\n",
        "- trust_architecture 7: strict\n",
        "- monetization_model 5\n",
        "1. Compatibility: ",
        "2. Constraints before objectives: ",
        "3. Priority, in this order: law, security, the user's wish, data integrity, quality, speed,",
        "`principle_conflict`",
    ] {
        assert!(first.contains(said), "{said} is missing in\n{first}");
    }
    assert_eq!(compose(&parts(&plan, "x")).user.matches("## Decision principles").count(), 1);
}

// rows: 101
#[test]
fn with_them_all_that_is_added_is_within_its_bound() {
    for preset in Preset::iter() {
        let plan = decided(preset);
        let goal = "the goal";
        let user = compose(&parts(&plan, goal)).user;
        let added = user.len() - goal.len();
        assert!(added <= 2000, "{preset:?}: {added} bytes\n{user}");
    }
}

// rows: 101
#[test]
fn who_works_decides_by_them_and_nobody_else() {
    for mode in [Mode::Goal, Mode::Loop, Mode::Iterative, Mode::Plan, Mode::Build, Mode::Tasks] {
        let mut plan = decided(Preset::Enterprise);
        plan.job.mode = mode;
        let user = |purpose| compose(&PromptParts { purpose, ..parts(&plan, "x") }).user;
        assert!(user(mode.purpose()).starts_with("## Decision principles"), "{mode:?}");
        for purpose in [Purpose::Verify, Purpose::Merge] {
            assert!(!user(purpose).contains("Decision principles"), "{mode:?} {purpose:?}");
        }
    }
}

// rows: 100, 101
#[test]
fn an_agent_is_asked_to_derive_them_until_some_are_taken() {
    let plan = collecting();
    let user = |collected: &Collected| {
        compose(&PromptParts { collected: Some(collected), ..parts(&plan, "x") }).user
    };
    let asked = user(&Collected::default());
    assert!(asked.starts_with("## First: principles for this project\n"), "{asked}");
    assert!(asked.contains(&format!("`{PROPOSAL}`")) && asked.contains("\n  blast_radius: …"), "{asked}");
    assert!(asked.find("## How this works") > asked.find(PROPOSAL), "{asked}");

    let refused = "principles.proposed.yaml: line 3: `a` is `@b`".to_owned();
    let again = user(&Collected { in_vain: vec![attempt(1)], refused, ..Collected::default() });
    assert!(
        again.contains("is not taken: principles.proposed.yaml: line 3: `a` is `@b`. Fix it."),
        "{again}"
    );

    let taken =
        user(&Collected { principles: Some(Principles::of(Preset::Startup)), ..Collected::default() });
    assert_eq!(taken, compose(&parts(&decided(Preset::Startup), "x")).user);
    let given_up = user(&Collected { in_vain: [1, 2, 3].map(attempt).to_vec(), ..Collected::default() });
    assert!(given_up.starts_with("## How this works"), "{given_up}");
}
