use super::*;
use crate::testing::columns;

fn narrator() -> Narrator {
    let mut narrator = Narrator::default();
    narrator.set_places(Places { directory: "/home/ada/ledger".into(), ..Places::default() });
    narrator
}

fn told(narrator: &mut Narrator, observation: &Observation) -> String {
    let at: Timestamp = "2026-03-01T20:00:00Z".parse().unwrap();
    let lines = narrator.lines(observation, at, &TimeZone::UTC);
    let rendered: Vec<String> = lines.iter().map(|line| line.render(&columns(80))).collect();
    rendered.join("\n")
}

fn used(name: &str, input: ToolInput) -> Observation {
    Observation::ToolUse { id: "1".to_owned(), name: name.to_owned(), input, nested: false }
}

fn answered(name: &str, is_error: bool, text: &str) -> Observation {
    Observation::ToolResult {
        id: "1".to_owned(),
        name: name.to_owned(),
        is_error,
        output: Excerpt {
            text: text.to_owned(),
            bytes: text.len() as u64,
            lines: text.lines().count() as u64,
            cut: false,
        },
        nested: false,
    }
}

fn path() -> String {
    "/home/ada/ledger/src/parse.rs".to_owned()
}

fn numbered(count: usize) -> String {
    (1..=count).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n")
}

// rows: 37, 39, 41
#[test]
fn every_tool_says_what_it_is_about() {
    let read = |offset, limit| ToolInput::Read { path: path(), offset, limit };
    let edit = |all| ToolInput::Edit { path: path(), old: "a\n\tb".to_owned(), new: String::new(), all };
    let bash = |command: &str, description: &str| ToolInput::Bash {
        command: command.to_owned(),
        description: description.to_owned(),
    };
    for (name, input, expected) in [
        ("Read", read(None, None), "    ▸ Read src/parse.rs"),
        ("Read", read(Some(10), Some(50)), "    ▸ Read src/parse.rs (lines 10-59)"),
        ("Read", read(Some(10), None), "    ▸ Read src/parse.rs (from line 10)"),
        ("Read", read(None, Some(1)), "    ▸ Read src/parse.rs (first 1 line)"),
        ("Edit", edit(false), "    ▸ Edit src/parse.rs\n      - a\n      -     b"),
        ("Edit", edit(true), "    ▸ Edit src/parse.rs (every occurrence)\n      - a\n      -     b"),
        (
            "Write",
            ToolInput::Write { path: "/etc/other".to_owned(), bytes: 1_234, lines: 40 },
            "    ▸ Write /etc/other (1.2 kB, 40 lines)",
        ),
        ("Bash", bash("cargo test", "run\ntests"), "    ▸ Bash cargo test\n      run tests"),
        ("Bash", bash("cat <<E\n\tx\nE", ""), "    ▸ Bash cat <<E\n            x\n        E"),
        (
            "Grep",
            ToolInput::Grep { pattern: "fn .*".to_owned(), path: "/home/ada/ledger/src".to_owned() },
            "    ▸ Grep fn .* in src",
        ),
        ("Glob", ToolInput::Glob { pattern: "*.rs".to_owned(), path: String::new() }, "    ▸ Glob *.rs"),
        (
            "WebSearch",
            ToolInput::Other { json: "{\"query\":\"x\x1b[2J\"}".to_owned() },
            "    ▸ WebSearch {\"query\":\"x\"}",
        ),
    ] {
        assert_eq!(told(&mut narrator(), &used(name, input)), expected);
    }
}

// rows: 38
#[test]
fn answers_are_cut_by_the_tool() {
    let read = || ToolInput::Read { path: "a".to_owned(), offset: None, limit: None };
    let bash = ToolInput::Bash { command: "make".to_owned(), description: String::new() };
    let search = ToolInput::Other { json: "{}".to_owned() };
    let answer_to = |name: &str, input: ToolInput, lines| {
        let mut narrator = narrator();
        told(&mut narrator, &used(name, input));
        narrator.interrupted();
        told(&mut narrator, &answered(name, false, &numbered(lines)))
    };
    for (name, about, input, shown) in
        [("Read", " a", read(), 15), ("Bash", " make", bash, 20), ("WebSearch", " {}", search, 20)]
    {
        let text = answer_to(name, input, 23);
        let hidden = 23 - shown;
        let more = format!("      … {hidden} more lines not shown");
        // Of a command the last ones: they say what it came to.
        let expected = match name {
            "Bash" => format!("    ✓ Bash{about} (23 lines)\n{more}\n      line {}\n", hidden + 1),
            _ => format!("    ✓ {name}{about} (23 lines)\n      line 1\n"),
        };
        assert!(text.starts_with(&expected), "{text}");
        let end = if name == "Bash" { "line 23".to_owned() } else { format!("line {shown}\n{more}") };
        assert!(text.ends_with(&end), "{text}");
    }
    let exact = answer_to("Read", read(), 15);
    assert!(exact.ends_with("line 15"), "{exact}");
}

// rows: 38
#[test]
fn errors_are_never_cut() {
    let text = told(&mut narrator(), &answered("Bash", true, &numbered(500)));
    assert!(text.starts_with("    ✗ Bash failed\n      line 1\n"), "{text}");
    assert_eq!(text.lines().count(), 501);
}

// Seed defect D1, utils/stream-json-formatter.ts:225: an answer with the word error in it was a failure.
#[test]
fn only_what_is_marked_as_an_error_is_one() {
    let text = told(&mut narrator(), &answered("Bash", false, "error: not found\n0 failed"));
    assert!(text.starts_with("    ✓ Bash (2 lines)\n"), "{text}");
    let text = told(&mut narrator(), &answered("Bash", true, "all is well"));
    assert!(text.starts_with("    ✗ Bash failed\n"), "{text}");
}

#[test]
fn a_command_is_shown_whole() {
    let command = format!("echo {}", "x".repeat(5_000));
    let input = ToolInput::Bash { command: command.clone(), description: String::new() };
    assert_eq!(told(&mut narrator(), &used("Bash", input)), format!("    ▸ Bash {command}"));
}

// rows: 40
#[test]
fn an_edit_that_found_nothing_comes_with_likely_causes() {
    let text =
        told(&mut narrator(), &answered("Edit", true, "String to replace not found in file.\nString: x"));
    assert_eq!(
        text,
        "    ✗ Edit failed
      String to replace not found in file.
      String: x
      The text to replace is not in the file as given. Likely causes:
        it has been changed already, perhaps by an earlier edit
        white space or special characters differ
        the line endings differ
      Tip: reading the file again shows what is there now."
    );
    let other = told(&mut narrator(), &answered("Edit", true, "File does not exist."));
    assert!(!other.contains("Likely causes"), "{other}");
}

#[test]
fn an_answer_names_its_question() {
    let mut narrator = narrator();
    told(
        &mut narrator,
        &used("Bash", ToolInput::Bash { command: "make\nmore".to_owned(), description: String::new() }),
    );
    narrator.interrupted();
    assert_eq!(told(&mut narrator, &answered("Bash", false, "")), "    ✓ Bash make");
    assert_eq!(told(&mut narrator, &answered("Bash", false, "")), "    ✓ Bash");
}

#[test]
fn an_answer_right_below_its_question_does_not_repeat_it() {
    let make = || used("Bash", ToolInput::Bash { command: "make".to_owned(), description: String::new() });
    for (is_error, text, expected) in
        [(false, "built", "      built"), (false, "", ""), (true, "no rule", "      ✗ failed\n      no rule")]
    {
        let mut narrator = narrator();
        assert_eq!(told(&mut narrator, &make()), "    ▸ Bash make");
        assert_eq!(told(&mut narrator, &answered("Bash", is_error, text)), expected);
    }
    let mut narrator = narrator();
    told(&mut narrator, &make());
    told(&mut narrator, &Observation::AgentText { text: "I wait.".to_owned(), nested: false });
    assert_eq!(
        told(&mut narrator, &answered("Bash", false, "built")),
        "    ✓ Bash make (1 line)\n      built"
    );
}

// rows: 36
#[test]
fn words_are_shown_whole_and_harmless() {
    let text = |text: &str, nested| Observation::AgentText { text: text.to_owned(), nested };
    assert_eq!(told(&mut narrator(), &text("one\x1b[2J\n\n\ttwo\n", false)), "    ✎ one\n\n          two");
    assert_eq!(told(&mut narrator(), &text("nested", true)), "        ✎ nested");
    assert_eq!(told(&mut narrator(), &text(" \n", false)), "");
    let long = told(&mut narrator(), &text(&"word ".repeat(30), false));
    assert!(long.lines().all(|line| line.chars().count() <= 80), "{long}");
    assert_eq!(long.split_whitespace().filter(|word| *word == "word").count(), 30);
}

#[test]
fn what_else_an_agent_reports() {
    for (observation, expected) in [
        (
            Observation::Retrying {
                attempt: 2,
                max_attempts: 10,
                delay_ms: 4_000,
                status: Some(529),
                error: "overloaded".to_owned(),
            },
            "    · the agent retries (2/10) in 4s: 529 overloaded",
        ),
        (
            Observation::LimitNotice {
                status: "allowed_warning".to_owned(),
                window: "five_hour".to_owned(),
                utilization: Some(0.83),
                resets_at: Some(1_772_399_520),
            },
            "    · usage limit five_hour: allowed_warning, 83 % used, resets at 21:12",
        ),
        (
            Observation::LimitNotice {
                status: "allowed".to_owned(),
                window: "five_hour".to_owned(),
                utilization: None,
                resets_at: None,
            },
            "",
        ),
        (
            Observation::Denied { name: "Bash".to_owned(), id: "1".to_owned() },
            "    ✗ Bash refused by permissions",
        ),
        (
            Observation::Result {
                is_error: true,
                text: "API Error: 500".to_owned(),
                cost_usd: Some(0.5),
                turns: Some(3),
            },
            "    · the agent ended its turn after 3 turns, $0.50\n      API Error: 500",
        ),
        (
            Observation::Garbage { bytes: 2_000, start: "Segmentation fault".to_owned() },
            "    · 2.0 kB that are not JSON: Segmentation fault",
        ),
        (Observation::Background { running: 0 }, ""),
        (Observation::Background { running: 1 }, "    · 1 background task running"),
        (Observation::Compacted, "    · the agent compacts its context"),
    ] {
        assert_eq!(told(&mut narrator(), &observation), expected);
    }
}

#[test]
fn paths_in_lanes_are_shown_as_those_in_the_directory() {
    let lanes = Some(("/state/runs/r-1/lanes".into(), "below".into()));
    let places = Places { directory: "/home/ada/ledger/below".into(), lanes };
    for (path, shown) in [
        ("/home/ada/ledger/below/src/a.rs", Some("src/a.rs")),
        ("/state/runs/r-1/lanes/2/tree/ledger/below/src/a.rs", Some("src/a.rs")),
        ("/state/runs/r-1/lanes/2/tree/ledger/other.rs", None),
        ("/state/runs/r-1/lanes/2", None),
        ("/home/ada/notes", None),
    ] {
        assert_eq!(places.below(Path::new(path)), shown.map(Path::new), "{path}");
    }
}
