//! `principles show|decisions|init|set|reset`, and files of principles that no run begins with.

use std::fs;
use std::os::unix::fs::symlink;

use windlass_testkit::environment::TestEnv;

use super::{PATIENCE, ask, document, told, windlass};

const OURS: &str = ".windlass/principles.yaml";

// rows: 100
#[test]
fn a_file_is_begun_shown_changed_and_begun_anew() {
    let env = TestEnv::with_git();
    let nothing = ask(&env, &["principles"]);
    nothing.expect_code(2, "there is nothing to show");
    assert!(
        nothing.stderr_text().contains("windlass principles init --preset startup"),
        "{}",
        nothing.stderr_text()
    );

    assert!(told(&env, &["principles", "init", "--preset", "startup"]).contains(OURS));
    let shown = told(&env, &["principles"]);
    assert!(
        shown.contains("scope_philosophy            3  the least that works  rich in features\n"),
        "{shown}"
    );
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let json = document(&env, &["principles", "show", "--json"]);
    assert_eq!((&json["preset"], json["principles"].as_array().unwrap().len()), (&"startup".into(), 18));
    assert_eq!(json["file"], OURS);

    let before = format!("# mine, é\n{}\n# the end", env.read(OURS));
    env.write(OURS, &before);
    let said = told(&env, &["principles", "set", "speed_correctness=9", "scope_philosophy=3"]);
    assert!(
        said.contains("speed_correctness is 9 (was 4)") && said.contains("scope_philosophy is 3 already"),
        "{said}"
    );
    assert_eq!(env.read(OURS), before.replace("speed_correctness: 4", "speed_correctness: 9"));
    told(&env, &["principles", "reset", "speed_correctness"]);
    assert_eq!(env.read(OURS), before);

    let refused = ask(&env, &["principles", "init", "--preset", "custom"]);
    refused.expect_code(2, "there are some already");
    assert_eq!(env.read(OURS), before);
    let said = told(&env, &["principles", "init", "--preset", "custom", "--force"]);
    let kept = said.split_whitespace().find(|word| word.contains("before-init")).unwrap();
    assert_eq!(env.read(kept), before);
    let custom = ask(&env, &["principles", "reset", "auditability"]);
    custom.expect_code(2, "custom has no values");
    assert!(custom.stderr_text().contains("no values to go back to"), "{}", custom.stderr_text());
}

// rows: 103
#[test]
fn what_was_decided_is_shown_whoever_logged_it() {
    let env = TestEnv::with_git();
    let none = told(&env, &["principles", "decisions"]);
    assert!(none.contains("no decision is noted here"), "{none}");
    assert_eq!(document(&env, &["principles", "decisions", "--json"])["decisions"], serde_json::json!([]));
    let old = "[2025-01-02 10:00] DECISION: keep it small\n  Rationale: it is enough\n---\ntimestamp: \"2025-02-03T04:05:06Z\"\n\
               iteration: 7\ndecision: \"use the \"old\" *parser*\"\nrationale: \"it works\"\npreset: startup\n";
    env.write(".claude/principles-decisions.log", old);
    let own = r#"{"time":"2026-11-23T10:00:00Z","run":"r-1","iteration":3,"attempt":2,"question":"Ship?","chosen":"wait","decision":"Wait."}"#;
    env.write(".windlass/decisions.jsonl", format!("{own}\nnot a line of its\n"));
    let said = told(&env, &["principles", "decisions"]);
    for piece in [
        "keep it small",
        "use the \"old\" *parser*",
        "Wait.",
        "r-1 iteration 3",
        "asked: Ship?",
        "chosen: wait",
    ] {
        assert!(said.contains(piece), "{piece}: {said}");
    }
    let json = document(&env, &["principles", "decisions", "--json"]);
    let rows = json["decisions"].as_array().unwrap();
    let of = |at: usize, name: &str| rows[at][name].clone();
    assert_eq!((rows.len(), of(1, "iteration"), of(2, "run")), (3, 7.into(), "r-1".into()));
    assert_eq!(of(0, "file"), ".claude/principles-decisions.log");
    fs::remove_file(env.project().join(".windlass/decisions.jsonl")).unwrap();
    fs::create_dir(env.project().join(".windlass/decisions.jsonl")).unwrap();
    let refused = ask(&env, &["principles", "decisions"]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.stderr_text().contains("decisions.jsonl"), "{}", refused.stderr_text());
}

// rows: 100
#[test]
fn what_is_not_a_principle_or_a_value_changes_nothing() {
    let env = TestEnv::with_git();
    told(&env, &["principles", "init", "--preset", "opensource"]);
    let before = env.read(OURS);
    for (change, said) in [
        (
            "speed_correctness=0",
            "`speed_correctness` goes from 1 to 10 in whole numbers, and `0` is not one of them",
        ),
        ("speed_correctness=11", "`11` is not one of them"),
        ("speed_correctness=fast", "`fast` is not one of them"),
        ("speed_correctnes=5", "`speed_correctnes` is not a principle"),
        ("speed_correctness", "`speed_correctness` does not name a value"),
    ] {
        let answer = ask(&env, &["principles", "set", "auditability=1", change]);
        answer.expect_code(2, change);
        let text = answer.stderr_text();
        assert!(text.contains(said), "{change}: {text}");
        assert_eq!(env.read(OURS), before, "{change}");
    }
    assert!(
        ask(&env, &["principles", "set", "speed_correctnes=5"])
            .stderr_text()
            .contains("Did you mean speed_correctness?")
    );
    let inside = env
        .run(windlass(&env, &["principles", "set", "auditability=1"]).env("WINDLASS_RUN", "r-1"), PATIENCE);
    inside.expect_code(2, "inside a run");
    assert_eq!(env.read(OURS), before);
}

// rows: 100
// Seed defect D4, principles/collector.go:92, 150: without a terminal the startup preset was written silently.
#[test]
fn without_a_terminal_nothing_is_chosen_for_anybody() {
    let env = TestEnv::with_git();
    let answer = ask(&env, &["principles", "init"]);
    answer.expect_code(2, "nobody can be asked");
    assert!(answer.stderr_text().contains("--preset startup (or enterprise, opensource, custom)"));
    assert!(!env.project().join(OURS).exists());
}

// rows: 100
// Seed defect D4, config/loader.go:31-63: zeros and typing errors went into the prompt.
#[test]
fn no_run_begins_with_principles_that_are_wrong() {
    let env = TestEnv::with_git();
    told(&env, &["principles", "init", "--preset", "startup"]);
    let sound = env.read(OURS);
    let refused = |text: &str, said: &str| {
        env.write(OURS, text);
        for words in
            [&["run", "-p", "x", "--mock"][..], &["run", "-p", "x", "--mock", "--dry-run"], &["principles"]]
        {
            let answer = ask(&env, words);
            answer.expect_code(2, said);
            let text = answer.stderr_text();
            assert!(text.starts_with(&format!("error: {OURS}: {said}")), "{said}: {text}");
        }
        assert_eq!(document(&env, &["runs", "--json"])["runs"], serde_json::json!([]), "{said}");
    };
    for (from, to, said) in [
        (
            "scope_philosophy: 3",
            "scope_philosophy: 0",
            "line 10: `scope_philosophy` is `0`, and goes from 1 to 10",
        ),
        ("scope_philosophy: 3", "scope_philosophy: 11", "line 10: `scope_philosophy` is `11`, and goes"),
        (
            "scope_philosophy: 3",
            "scope_philosophy: small",
            "line 10: `scope_philosophy` is `small`, and goes",
        ),
        ("scope_philosophy: 3", "curation_model: 3", "line 10: `layer0.curation_model` is there twice"),
        ("scope_philosophy: 3", "scope: 3", "line 10: `layer0` does not know `scope`"),
        ("  scope_philosophy: 3 ", "#", "line 7: `layer0` does not name `scope_philosophy`"),
        ("scope_philosophy: 3", "scope_philosophy: *a", "line 10: it is not YAML"),
        ("preset: startup", "preset: mine", "line 3: `preset` is `mine`, and is one of startup"),
    ] {
        refused(&sound.replacen(from, to, 1), said);
    }
    let (before, _) = sound.split_once("\n# Development").unwrap();
    refused(before, "`layer1` is missing");
    refused("", "it is empty");
    refused(&"#".repeat(70_000), "it is longer than 64 KiB");
    refused(&format!("{sound}\u{1b}"), "it holds the control character");
    env.write(OURS, &sound);
    told(&env, &["run", "-p", "x", "--mock", "--dry-run"]);
}

// rows: 100
#[test]
fn what_lies_in_the_files_place_is_said_and_not_waited_for() {
    let env = TestEnv::with_git();
    let place = env.project().join(OURS);
    let said = |expected: &str| {
        let answer = ask(&env, &["run", "-p", "x", "--mock"]);
        answer.expect_code(2, expected);
        assert!(answer.stderr_text().contains(expected), "{expected}: {}", answer.stderr_text());
    };
    fs::create_dir_all(&place).unwrap();
    said("is a folder");
    fs::remove_dir(&place).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, &place, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    said("is not a file, but a pipe or a device");
    fs::remove_file(&place).unwrap();
    symlink("/etc/hostname", &place).unwrap();
    said("leads out of the project");
    fs::remove_file(&place).unwrap();
    env.write(OURS, [0xff, 0xfe]);
    said("it is not UTF-8 text");
    fs::remove_file(&place).unwrap();
    let named = ask(&env, &["run", "-p", "x", "--mock", "--principles-file", "mine.yaml"]);
    named.expect_code(2, "it is not there");
    assert!(named.stderr_text().contains("there is no file mine.yaml"), "{}", named.stderr_text());
    let outside = ask(&env, &["run", "-p", "x", "--mock", "--principles-file", "/etc/passwd"]);
    outside.expect_code(2, "it is not inside");
    for words in [
        &["run", "--mode", "build", "--reset-principles"][..],
        &["run", "--mode", "tasks", "--collect-principles"],
    ] {
        ask(&env, words).expect_code(2, "nobody derives principles there");
    }
}

// rows: 100
#[test]
fn of_two_files_ours_holds_and_that_is_said() {
    let env = TestEnv::with_git();
    told(&env, &["principles", "init", "--preset", "startup"]);
    let text = env.read(OURS);
    env.write(".claude/principles.yaml", text.replace("preset: startup", "preset: enterprise"));
    let answer = ask(&env, &["principles", "--json"]);
    answer.expect_success("principles");
    let sentence = "principles are read from .windlass/principles.yaml, and not from .claude/principles.yaml";
    assert!(answer.stderr_text().contains(sentence), "{}", answer.stderr_text());
    let run = ask(&env, &["run", "-p", "x", "--mock", "-m", "1", "--no-delay", "--allow-dirty"]);
    assert!(
        run.stderr_text().contains(sentence) || run.stdout_text().contains(sentence),
        "{}",
        run.stderr_text()
    );
    fs::remove_file(env.project().join(OURS)).unwrap();
    assert_eq!(document(&env, &["principles", "--json"])["preset"], "enterprise");
}
