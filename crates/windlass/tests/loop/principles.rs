//! Principles in a run: in each prompt, derived by an agent, changed by a person and by a guest.

use std::fs;
use std::path::Path;

use windlass_core::fact::Fact;
use windlass_core::principles::{PROPOSAL, Preset, Principles};
use windlass_jobs::doc::principles::{read, written};

use super::night::{Night, calls, every_call, expect_end};

const OURS: &str = ".windlass/principles.yaml";

/// Writes the golden prompts anew where it is set.
const RENEWS: &str = "WINDLASS_TEST_RENEW";

fn yaml(preset: Preset) -> String {
    written(&Principles::of(preset), "2026-01-31")
}

/// A step that writes a file.
fn write(path: &str, text: &str) -> String {
    format!("{{ write = {{ path = '{path}', text = '''{text}''' }} }}")
}

fn collected(night: &Night) -> Vec<(Option<Principles>, String, u32)> {
    let fact = |fact: Fact| match fact {
        Fact::PrinciplesCollected { principles, refused, left, .. } => Some((principles, refused, left)),
        _ => None,
    };
    night.facts().into_iter().filter_map(fact).collect()
}

// rows: 12, 15, 100, 101
#[test]
fn the_prompts_of_three_iterations_are_these_in_the_order_of_the_seed() {
    let notes = |of: &str| write("SHARED_TASK_NOTES.md", &format!("Done: {of}.\nNext: more.\n"));
    let proposal = write(PROPOSAL, &yaml(Preset::Opensource));
    let night = Night::with_git(&calls(&[
        &format!("{}, {proposal}", notes("the parser")),
        &notes("the lexer"),
        &notes("the printer"),
    ]));
    let outcome = night.run(&["-m", "3", "--collect-principles", "--exit-codes", "simple"]);
    expect_end(&outcome, 0, "max_iterations");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/prompts");
    for iteration in 1..=3 {
        let (path, prompt) = (folder.join(format!("goal-{iteration}.md")), night.prompt(iteration));
        if std::env::var_os(RENEWS).is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, &prompt).unwrap();
        }
        let golden = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(prompt, golden, "{RENEWS}=1 writes {} anew", path.display());
    }
    // Seed 004 §6.1: collection, principles, workflow with the phrase, goal, notes, what to write into them, its rules.
    for (iteration, parts) in [
        (
            1,
            &[
                "## First: principles",
                "## How this works",
                "WINDLASS_JOB_COMPLETE",
                "## Goal",
                "Create `SHARED",
                "Keep it under a page",
            ][..],
        ),
        (
            2,
            &[
                "## Decision principles",
                "## How this works",
                "WINDLASS_JOB_COMPLETE",
                "## Goal",
                "Done: the parser.",
                "Update `SHARED",
                "Keep it under a page",
            ],
        ),
        (
            3,
            &[
                "## Decision principles",
                "## How this works",
                "WINDLASS_JOB_COMPLETE",
                "## Goal",
                "Done: the lexer.",
                "Update `SHARED",
                "Keep it under a page",
            ],
        ),
    ] {
        let prompt = night.prompt(iteration);
        let at: Vec<usize> = parts
            .iter()
            .map(|part| prompt.find(part).unwrap_or_else(|| panic!("{part}\n{prompt}")))
            .collect();
        assert!(at.is_sorted(), "{at:?}\n{prompt}");
    }
    let decided = |iteration| night.prompt(iteration).split_once("## How").unwrap().0.to_owned();
    assert_eq!(decided(2), decided(3), "byte for byte the same");
}

// rows: 100
#[test]
fn what_an_agent_derives_is_taken_when_it_is_sound() {
    let wrong = write(PROPOSAL, &yaml(Preset::Startup).replace("scope_philosophy: 3", "scope_philosophy: 0"));
    let sound = write(PROPOSAL, &format!("# @.env\n{}", yaml(Preset::Startup)));
    let work = "{ bash = 'echo x >> work' }";
    let night = Night::with_git(&calls(&[&format!("{work}, {wrong}"), &format!("{work}, {sound}"), work]));
    let outcome = night.run(&["-m", "3", "--collect-principles", "--exit-codes", "simple"]);
    expect_end(&outcome, 0, "max_iterations");
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(said.contains("derived by the agent in the first iteration"), "{said}");
    assert!(
        said.contains("line 10: `scope_philosophy` is `0`")
            && said.contains("asked for them again, at most 2 times"),
        "{said}"
    );
    assert!(said.contains("the agent's principles are in .windlass/principles.yaml"), "{said}");

    let [first, second] = &collected(&night)[..] else { panic!("{:?}", collected(&night)) };
    assert_eq!((&first.0, first.2), (&None, 2));
    assert_eq!(second.0, Some(Principles::of(Preset::Startup)));
    assert!(
        night.prompt(2).contains("What was there before is not taken: principles.proposed.yaml: line 10")
    );
    assert!(night.prompt(3).starts_with("## Decision principles"), "{}", night.prompt(3));
    let file = night.env.read(OURS);
    assert_eq!(read(file.as_bytes()).unwrap().principles, Principles::of(Preset::Startup));
    assert!(!file.contains("@.env") && !night.env.project().join(PROPOSAL).exists());

    // The next run finds them, and asks nobody.
    let outcome = night.run(&["-m", "1", "--collect-principles", "--allow-dirty", "--fresh", "--json"]);
    let begun = outcome.json_lines().into_iter().find(|line| line["type"] == "run_started").unwrap();
    assert_eq!(begun["principles"]["preset"], "startup", "{begun}");
}

// rows: 100
#[test]
fn an_agent_that_proposes_nothing_sound_is_asked_three_times() {
    let night = Night::new(&every_call("{ bash = 'echo x >> work' }"));
    let outcome = night.run(&["-m", "5", "--collect-principles", "--exit-codes", "simple"]);
    expect_end(&outcome, 0, "max_iterations");
    let left: Vec<u32> = collected(&night).into_iter().map(|(.., left)| left).collect();
    assert_eq!(left, [2, 1, 0]);
    assert!(
        night.prompt(3).starts_with("## First: principles")
            && night.prompt(4).starts_with("## How this works")
    );
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(
        said.contains("principles.proposed.yaml was not written; the run goes on without principles"),
        "{said}"
    );
}

// rows: 100
#[test]
fn a_person_who_changes_them_meanwhile_changes_the_next_run() {
    let change = format!(
        "{{ bash = {{ command = 'sed -i s/:.3/:.4/ {OURS}', silent = true }} }}, {{ bash = 'echo x >> work' }}"
    );
    let night = Night::new(&every_call(&change)).set("WINDLASS_GUARD__ACTION", "off");
    night.env.write(OURS, yaml(Preset::Startup));
    expect_end(&night.run(&["-m", "2", "--exit-codes", "simple"]), 0, "max_iterations");
    let notices = night.notices();
    assert!(
        notices.iter().any(|text| text.contains("principles.yaml has changed; this applies to the next run")),
        "{notices:?}"
    );
    let decided = |iteration| night.prompt(iteration).split_once("## How").unwrap().0.to_owned();
    assert_eq!(decided(1), decided(2));
    assert!(decided(2).contains("scope_philosophy 3:"), "{}", decided(2));
}

// rows: 100
#[test]
fn an_agent_that_changes_them_has_its_change_undone() {
    for file in [OURS, ".claude/principles.yaml"] {
        let change = format!("{{ bash = 'sed -i s/philosophy:.3/philosophy:.9/ {file}; echo x >> work' }}");
        let night = Night::with_git(&every_call(&change));
        night.env.write(file, yaml(Preset::Startup));
        let outcome = night.run(&["-m", "1", "--allow-dirty", "--exit-codes", "simple"]);
        expect_end(&outcome, 0, "max_iterations");
        assert_eq!(night.env.read(file), yaml(Preset::Startup), "{file}");
        let undone = night
            .facts()
            .into_iter()
            .any(|fact| matches!(fact, Fact::ForbiddenChangesReverted(found) if found.undone));
        assert!(undone, "{file}");
    }
}

// rows: 100
#[test]
fn principles_that_are_put_aside_are_kept_and_derived_anew() {
    let proposal = write(PROPOSAL, &yaml(Preset::Enterprise));
    let night = Night::new(&every_call(&format!("{proposal}, {{ bash = 'echo x >> work' }}")));
    night.env.write(OURS, yaml(Preset::Startup));
    expect_end(&night.run(&["-m", "1", "--reset-principles", "--exit-codes", "simple"]), 0, "max_iterations");
    let found = read(night.env.read(OURS).as_bytes()).unwrap().principles;
    assert_eq!(found, Principles::of(Preset::Enterprise));
    let folder = fs::read_dir(night.env.project().join(".windlass")).unwrap();
    let kept = folder
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().contains("before-reset"));
    assert_eq!(fs::read_to_string(kept.unwrap()).unwrap(), yaml(Preset::Startup));
}
