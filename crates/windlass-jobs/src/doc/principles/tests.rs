use proptest::prelude::*;
use strum::IntoEnumIterator;
use windlass_core::principles::{Level, Preset, Principle, Principles};

use super::*;

fn startup() -> String {
    written(&Principles::of(Preset::Startup), "2026-11-23")
}

fn problem(text: &str) -> String {
    read(text.as_bytes()).unwrap_err().to_string()
}

/// As claude-loop writes it: no comments, another order, an implicit version of text.
const OF_CLAUDE_LOOP: &str = "\
version: \"2.3\"
preset: enterprise
created_at: \"2026-01-31\"
layer0: {trust_architecture: 9, curation_model: 8, scope_philosophy: 7, monetization_model: 8, privacy_posture: 9,
  ux_philosophy: 6, authority_stance: 7, auditability: 9, interoperability: 6}
layer1:
    migration_burden: 7
    cost_efficiency: 5
    urgency_tiers: 5
    security_posture: 9
    reversibility_priority: 9
    clarity_of_intent: 8
    blast_radius: 9
    innovation_stability: 8
    speed_correctness: 8
";

// rows: 100
#[test]
fn what_is_written_is_read_and_claude_loops_form_as_well() {
    for preset in Preset::iter() {
        let text = written(&Principles::of(preset), "2026-11-23");
        let file = read(text.as_bytes()).unwrap();
        assert_eq!(file.principles, Principles::of(preset));
        assert_eq!((file.version.as_str(), file.created_at.as_str()), ("2.3", "2026-11-23"));
        assert!(text.lines().all(|line| line.len() <= 120), "{text}");
    }
    let file = read(OF_CLAUDE_LOOP.as_bytes()).unwrap();
    assert_eq!(file.principles, Principles::of(Preset::Enterprise));
    let marked = format!("\u{feff}---\r\n{}", OF_CLAUDE_LOOP.replace('\n', "\r\n"));
    assert_eq!(read(marked.as_bytes()).unwrap(), file);
}

// rows: 100
#[test]
fn what_is_wrong_is_said_with_its_line() {
    let with = |from: &str, to: &str| problem(&startup().replacen(from, to, 1));
    for (from, to, said) in [
        (
            "scope_philosophy: 3",
            "scope_philosophy: 0",
            "line 10: `scope_philosophy` is `0`, and goes from 1 to 10 in whole numbers",
        ),
        (
            "scope_philosophy: 3",
            "scope_philosophy: 11",
            "line 10: `scope_philosophy` is `11`, and goes from 1 to 10 in whole numbers",
        ),
        (
            "scope_philosophy: 3",
            "scope_philosophy: small",
            "line 10: `scope_philosophy` is `small`, and goes from 1 to 10 in whole numbers",
        ),
        (
            "scope_philosophy: 3",
            "scope_philosophy: \"3\"",
            "line 10: `scope_philosophy` is `3`, and goes from 1 to 10 in whole numbers",
        ),
        (
            "scope_philosophy: 3",
            "scope_philosophy:  ",
            "line 10: `scope_philosophy` is empty, and goes from 1 to 10 in whole numbers",
        ),
        ("scope_philosophy: 3", "scope_philosophy: [3]", "line 10: `layer0.scope_philosophy` is a list"),
        (
            "scope_philosophy: 3",
            "scope_philosophy: {a: 3}",
            "line 10: `layer0.scope_philosophy` has names below it, where a number is expected",
        ),
        (
            "scope_philosophy: 3",
            "scope_philosophy: !!int 3",
            "line 10: `layer0.scope_philosophy` has a tag; leave it out",
        ),
        (
            "scope_philosophy: 3",
            "scop_philosophy: 3",
            "line 10: `layer0` does not know `scop_philosophy`: did you mean `scope_philosophy`?",
        ),
        ("scope_philosophy: 3", "blast_radius: 3", "line 10: `layer0` does not know `blast_radius`"),
        ("scope_philosophy: 3", "curation_model: 3", "line 10: `layer0.curation_model` is there twice"),
        ("  scope_philosophy", "#", "line 7: `layer0` does not name `scope_philosophy`"),
        ("\nlayer1:", "\nlayer2:", "line 19: the file does not know `layer2`: did you mean `layer0`?"),
        (
            "preset: startup",
            "preset: start",
            "line 3: `preset` is `start`, and is one of startup, enterprise, opensource, custom",
        ),
        (
            "created_at: \"2026-11-23\"",
            "created_at: yesterday",
            "line 4: `created_at` is `yesterday`, and is a day: 2026-01-31",
        ),
        ("version: \"2.3\"", "version: new", "line 2: `version` is `new`, and has two numbers: \"2.3\""),
        ("version: \"2.3\"", "", "`version` is missing"),
        ("version: \"2.3\"", "version: {a: 1}", "line 2: `version` has names below it; it is one word"),
    ] {
        assert_eq!(with(from, to), said, "{to}");
    }
    let (before, _) = OF_CLAUDE_LOOP.split_once("layer1").unwrap();
    assert_eq!(problem(before), "`layer1` is missing");
    assert_eq!(problem(&format!("{before}layer1: 7\n")), "line 6: `layer1` has no principles below it");
    assert_eq!(problem(&format!("{OF_CLAUDE_LOOP}layer0: {{}}\n")), "line 16: `layer0` is there twice");
}

#[test]
fn what_is_no_such_file_is_refused_without_being_worked_on() {
    assert_eq!(problem(""), "it is empty");
    assert_eq!(problem("# nothing\n"), "it is empty");
    assert_eq!(problem("- 1\n"), "line 1: here `version`, `preset` or a layer is expected");
    assert_eq!(problem("a: &a [x]\nb: *a\n"), "line 1: `a` is a list");
    assert_eq!(problem("a: &a x\nb: *a\n"), "line 2: `b` is an alias; write out what it stands for");
    assert_eq!(problem(&"x".repeat(LONGEST + 1)), "it is longer than 64 KiB");
    assert_eq!(problem("a: \u{1b}[31m"), "it holds the control character U+001B");
    assert!(problem("a: 'b\n").starts_with("line "), "{}", problem("a: 'b\n"));
    assert!(problem(&format!("{}---\n{}", startup(), startup())).ends_with("the file has one"));
    assert_eq!(read(b"a: \xff").unwrap_err().to_string(), "it is not UTF-8 text (byte 4)");
    // Nothing of what is deep is looked at.
    assert_eq!(problem(&format!("a: {}", "[".repeat(50_000))), "line 1: `a` is a list");
}

#[test]
fn what_stands_behind_a_value_in_quotes_stays() {
    let seven = Level::new(7).unwrap();
    let plain = startup();
    let line = plain.lines().find(|line| line.trim().starts_with("blast_radius:")).unwrap();
    let (name, _) = line.split_once(':').unwrap();
    for quoted in ["'4'", "\"4\""] {
        let before = plain.replace(line, &format!("{name}: {quoted}   # it's \"ours\""));
        let after = change(before.as_bytes(), &[(Principle::BlastRadius, seven)]).unwrap();
        let expected = plain.replace(line, &format!("{name}: 7   # it's \"ours\""));
        assert_eq!(String::from_utf8(after).unwrap(), expected);
    }
}

// rows: 100
#[test]
fn a_change_touches_the_value_and_nothing_else() {
    let seven = Level::new(7).unwrap();
    let before = format!("\u{feff}# é: mine\r\n{}# the end", startup().replace('\n', "\r\n"));
    let values = [(Principle::MigrationBurden, seven), (Principle::ScopePhilosophy, Level::HIGHEST)];
    let after = String::from_utf8(change(before.as_bytes(), &values).unwrap()).unwrap();
    let expected = before
        .replace("scope_philosophy: 3", "scope_philosophy: 10")
        .replace("migration_burden: 5", "migration_burden: 7");
    assert_eq!(after, expected);

    // One that is wrong is mended by it; one that stays wrong is not written.
    let broken = startup().replace("scope_philosophy: 3", "scope_philosophy: 'x'");
    let mended = change(broken.as_bytes(), &[(Principle::ScopePhilosophy, seven)]).unwrap();
    assert_eq!(read(&mended).unwrap().principles.level(Principle::ScopePhilosophy), seven);
    let refused = change(broken.as_bytes(), &[(Principle::BlastRadius, seven)]).unwrap_err();
    assert!(refused.to_string().contains("scope_philosophy"), "{refused}");

    let flow = change(OF_CLAUDE_LOOP.as_bytes(), &[(Principle::Interoperability, seven)]).unwrap();
    assert_eq!(
        String::from_utf8(flow).unwrap(),
        OF_CLAUDE_LOOP.replace("interoperability: 6", "interoperability: 7")
    );
    let (head, _) = OF_CLAUDE_LOOP.split_once("    speed").unwrap();
    let missing = change(head.as_bytes(), &[(Principle::SpeedCorrectness, seven)]).unwrap_err();
    assert!(missing.to_string().starts_with("`layer1` does not name `speed_correctness`"), "{missing}");
}

proptest! {
    #[test]
    fn any_value_can_be_set_in_any_sound_file(at in 0_usize..18, level in 1_u8..=10, crlf in any::<bool>()) {
        let principle = Principle::iter().nth(at).unwrap();
        let level = Level::new(level).unwrap();
        let text = if crlf { startup().replace('\n', "\r\n") } else { startup() };
        let changed = change(text.as_bytes(), &[(principle, level)]).unwrap();
        let found = read(&changed).unwrap().principles;
        prop_assert_eq!(found, Principles::of(Preset::Startup).with(principle, level));
        prop_assert_eq!(String::from_utf8(changed).unwrap().lines().count(), text.lines().count());
    }
}
