//! Thousands of nights, every planted fault, and what a seed promises.

use strum::IntoEnumIterator;
use windlass_core::spec::Mode;
use windlass_nights::{Hashes, INVARIANTS, Plant, Quarry, Script, broken, hunt, play, tell};

fn quarry(seeds: std::ops::Range<u64>) -> Quarry {
    Quarry { seeds, mode: None, plant: None, threads: 2, enough: 1 }
}

// rows: 75
#[test]
fn nights_break_no_invariant() {
    let found = hunt(&quarry(0..3_000));
    let stories: Vec<&str> = found.catches.iter().map(|one| one.story.as_str()).collect();
    assert!(stories.is_empty(), "{}", stories.join("\n"));
    assert_eq!(found.nights, 3_000);
    assert!(found.endings.len() >= 15, "nights are of many kinds: {:?}", found.endings);
}

#[test]
fn nights_with_reviewers_break_no_invariant() {
    let found = hunt(&quarry(200_000..203_000));
    let stories: Vec<&str> = found.catches.iter().map(|one| one.story.as_str()).collect();
    assert!(stories.is_empty(), "{}", stories.join("\n"));
    assert!(found.endings.contains_key("ReviewStalemate"), "{:?}", found.endings);
}

#[test]
fn nights_with_reviewers_of_tasks_break_no_invariant() {
    let found = hunt(&Quarry { mode: Some(Mode::Tasks), ..quarry(300_000..302_000) });
    let stories: Vec<&str> = found.catches.iter().map(|one| one.story.as_str()).collect();
    assert!(stories.is_empty(), "{}", stories.join("\n"));
}

/// Most of the ways in which work leaves the machine are among them.
#[test]
fn nights_with_pull_requests_break_no_invariant() {
    let found = hunt(&quarry(400_000..403_000));
    let stories: Vec<&str> = found.catches.iter().map(|one| one.story.as_str()).collect();
    assert!(stories.is_empty(), "{}", stories.join("\n"));
    for ending in ["CiFailed", "ClosedByPerson", "NeedsHuman"] {
        assert!(found.endings.contains_key(ending), "{ending} in {:?}", found.endings);
    }
}

#[test]
fn nights_with_councils_break_no_invariant() {
    let found = hunt(&quarry(500_000..503_000));
    let stories: Vec<&str> = found.catches.iter().map(|one| one.story.as_str()).collect();
    assert!(stories.is_empty(), "{}", stories.join("\n"));
}

#[test]
fn nights_with_late_reports_phases_and_principles_break_no_invariant() {
    for seeds in [600_000..601_000, 700_000..702_000] {
        let found = hunt(&quarry(seeds));
        let stories: Vec<&str> = found.catches.iter().map(|one| one.story.as_str()).collect();
        assert!(stories.is_empty(), "{}", stories.join("\n"));
    }
}

#[test]
fn nights_of_every_mode_break_no_invariant() {
    for mode in Mode::iter() {
        let found = hunt(&Quarry { mode: Some(mode), ..quarry(10_000..10_200) });
        assert!(found.catches.is_empty(), "{mode:?}: {}", found.catches[0].story);
    }
}

// rows: 135
#[test]
fn nights_with_success_criteria_break_no_invariant() {
    let found = hunt(&Quarry { mode: Some(Mode::Tasks), ..quarry(200_000..201_000) });
    assert!(found.catches.is_empty(), "{}", found.catches[0].story);
    let with = |seed: &u64| !Script::draw(*seed, Some(Mode::Tasks)).criteria().is_empty();
    let nights = (200_000..201_000).filter(with).count();
    assert!(nights > 150, "{nights} nights have criteria");
}

/// The seed that finds it and the invariant that it breaks stand in the documentation.
#[test]
fn every_planted_fault_is_found() {
    let recorded = include_str!("../../../docs/nights.md");
    for (plant, name, sentence) in Plant::ALL {
        let row = recorded.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("docs/nights.md has no row for {name}"));
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, _, said, seed, invariant, ..] = cells.as_slice() else { panic!("{row}") };
        assert_eq!(said, sentence);
        let script = Script::draw(seed.parse().unwrap(), None);
        let caught = broken(&play(&script, Some(*plant))).map(|(invariant, _)| invariant.name);
        assert_eq!(caught.map(|name| format!("`{name}`")).as_deref(), Some(*invariant), "{name}");
        assert!(broken(&play(&script, None)).is_none(), "{name}: without the fault nothing breaks");
    }
}

#[test]
fn the_invariants_stand_in_the_documentation() {
    let recorded = include_str!("../../../docs/nights.md");
    for invariant in INVARIANTS {
        let row = format!("| `{}` | {} |", invariant.name, invariant.sentence);
        assert!(recorded.contains(&row), "docs/nights.md lacks: {row}");
    }
}

#[test]
fn a_seed_gives_the_same_night_again_and_its_story_fits_a_terminal() {
    for seed in [1, 77, 4_242] {
        let script = Script::draw(seed, None);
        let (one, two) = (play(&script, None), play(&Script::draw(seed, None), None));
        let story = tell(&script, &one, None);
        assert_eq!(story, tell(&script, &two, None));
        assert!(story.lines().all(|line| line.chars().count() <= 110), "{story}");
        assert!(story.lines().count() > 5, "{story}");
    }
}

/// More of them, and the way to renew them: `cargo xtask nights --hash`, `--renew`.
#[test]
fn the_journals_of_nights_hold_what_they_held() {
    let kept = Hashes::parse(include_str!("../hashes.txt")).unwrap();
    let now = Hashes::play(2_000, 2);
    assert_eq!(
        now.first_difference(&kept),
        None,
        "a fact or its encoding is another one; see docs/evidence.md"
    );
    assert_eq!(kept.nights(), 100_000);
}

#[test]
fn a_failing_night_is_made_smaller_and_fails_in_the_same_way() {
    let plant = Plant::named("double-charge");
    let found = hunt(&Quarry { plant, ..quarry(0..200) });
    let caught = &found.catches[0];
    assert_eq!(caught.invariant, "true_charges");
    let whole = Script::draw(caught.seed, None);
    let told = tell(&whole, &play(&whole, plant), None);
    assert!(caught.story.lines().count() <= told.lines().count());
    assert!(caught.story.contains("✗ true_charges"), "{}", caught.story);
}
