//! Thousands of nights of a fleet, every fault planted there, and what a seed promises.

use windlass_nights::{
    FLEET_INVARIANTS, FleetPlant, FleetScript, Hashes, broken_fleet, hunt_fleet, play_fleet, tell_fleet,
};

/// A planted fault is found within so many seeds: half a minute of nights.
const FOUND_WITHIN: u64 = 50_000;

#[test]
fn nights_of_a_fleet_break_no_invariant() {
    let found = hunt_fleet(0..1_500, None, 2, 1);
    let stories: Vec<&str> = found.catches.iter().map(|one| one.story.as_str()).collect();
    assert!(stories.is_empty(), "{}", stories.join("\n"));
    assert_eq!(found.nights, 1_500);
    for ending in ["Complete", "Blocked", "Interrupted"] {
        assert!(found.endings.contains_key(ending), "{ending} in {:?}", found.endings);
    }
}

/// The first seed that finds it and the invariant that it breaks stand in the documentation.
#[test]
fn every_fault_planted_in_a_fleet_is_found() {
    let recorded = include_str!("../../../docs/nights.md");
    for (plant, name, sentence) in FleetPlant::ALL {
        let row = recorded.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("docs/nights.md has no row for {name}"));
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, _, said, seed, invariant, ..] = cells.as_slice() else { panic!("{row}") };
        assert_eq!(said, sentence);
        let seed: u64 = seed.parse().unwrap();
        assert!(seed <= FOUND_WITHIN, "{name} takes {seed} nights");
        let script = FleetScript::draw(seed);
        let caught = broken_fleet(&play_fleet(&script, Some(*plant))).map(|(invariant, _)| invariant.name);
        assert_eq!(caught.map(|name| format!("`{name}`")).as_deref(), Some(*invariant), "{name}");
        assert!(
            broken_fleet(&play_fleet(&script, None)).is_none(),
            "{name}: without the fault nothing breaks"
        );
    }
}

#[test]
fn the_invariants_of_a_fleet_stand_in_the_documentation() {
    let recorded = include_str!("../../../docs/nights.md");
    for invariant in FLEET_INVARIANTS {
        let row = format!("| `{}` | {} |", invariant.name, invariant.sentence);
        assert!(recorded.contains(&row), "docs/nights.md lacks: {row}");
    }
}

#[test]
fn a_seed_gives_the_same_night_of_a_fleet_again_and_its_story_fits_a_terminal() {
    for seed in [1, 77, 4_242] {
        let script = FleetScript::draw(seed);
        let (one, two) = (play_fleet(&script, None), play_fleet(&FleetScript::draw(seed), None));
        let story = tell_fleet(&one, None);
        assert_eq!(story, tell_fleet(&two, None));
        assert_eq!(one.journal(), two.journal());
        assert!(story.lines().all(|line| line.chars().count() <= 110), "{story}");
        assert!(story.lines().count() > 20, "{story}");
    }
}

/// More of them, and the way to renew them: `cargo xtask nights --fleet --hash`, `--renew`.
#[test]
fn the_journals_of_a_fleets_nights_hold_what_they_held() {
    let kept = Hashes::parse(include_str!("../fleet-hashes.txt")).unwrap();
    let now = Hashes::play_fleet(1_000, 2);
    assert_eq!(
        now.first_difference(&kept),
        None,
        "a fact or its encoding is another one; see docs/evidence.md"
    );
}

#[test]
fn a_failing_night_of_a_fleet_is_made_smaller_and_fails_in_the_same_way() {
    let plant = FleetPlant::named("repeated-order");
    let found = hunt_fleet(0..200, plant, 2, 1);
    let caught = &found.catches[0];
    let script = FleetScript::draw(caught.seed);
    let told = tell_fleet(&play_fleet(&script, plant), None);
    assert!(caught.story.lines().count() <= told.lines().count() + 1);
    assert!(caught.story.contains(&format!("✗ {}", caught.invariant)), "{}", caught.story);
}
