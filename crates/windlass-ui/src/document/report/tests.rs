use jiff::Timestamp;
use jiff::tz::TimeZone;
use windlass_core::fact::{Entry, Fact};
use windlass_core::values::{CheckResult, CheckStage, Class, StopReason, Verdict};

use super::*;
use crate::document::RunState;
use crate::event::Event;
use crate::harmless::is_harmless;
use crate::model::{AsideSeen, Course, PlacesSeen, RunSeen, Unreadable};
use crate::terminal::Terminal;
use crate::testing::{Night as MadeUp, columns};

fn now() -> Timestamp {
    "2026-03-02T07:00:00Z".parse().unwrap()
}

fn seen(night: &MadeUp) -> RunSeen {
    let entry = |event: &Event| match event {
        Event::Fact(entry) | Event::Past(entry) => Some((**entry).clone()),
        _ => None,
    };
    let entries: Vec<Entry> = night.events.iter().filter_map(entry).collect();
    Course::of(&entries).seen((RunState::Interrupted, None), Some(&PlacesSeen::default()), now())
}

fn night(runs: Vec<RunSeen>) -> Night {
    Night { made: now(), since: None, runs, unreadable: Vec::new() }
}

fn whole() -> Night {
    night(vec![seen(&MadeUp::new().whole())])
}

#[test]
fn the_first_rows_answer_what_is_asked_in_the_morning() {
    let text = report_text(&whole(), &columns(120));
    let answers: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
    assert!(answers.len() <= 24, "{text}");
    let shown = answers.join("\n");
    for (label, says) in [
        (
            "happened",
            "complete: The job is done; 5 iterations (1 worked, 1 accepted, 1 refused, 1 idle, 1 failed)",
        ),
        ("right", "shown: The agent says so, and every gate passed."),
        ("merge", "nothing: no commit, and no file that differs"),
        ("cost", "$2.13 (≈$0.50 estimated) of $5.00; 1.2M (in 12.0k, out 34.1k, cache 1.2M) tokens"),
        ("put aside", "nothing"),
        ("waits for", "nobody"),
    ] {
        let row = answers.iter().find(|row| row.trim_start().starts_with(label)).unwrap_or(&"");
        assert!(row.contains(says), "{label}: {shown}");
    }
    assert!(shown.contains("cargo test -q: passed"), "{shown}");
    assert!(shown.contains("; red before the run"), "{shown}");
    assert!(shown.contains("of it wasted"), "{shown}");
}

#[test]
fn no_row_is_longer_than_the_terminal_but_for_commands() {
    for width in [20, 60, 80, 120] {
        let text = report_text(&whole(), &columns(width));
        for row in text.lines() {
            assert!(crate::line::width(row) <= width || row.contains("windlass "), "{width}: {row}");
        }
    }
}

#[test]
fn several_runs_are_one_night_and_those_that_need_somebody_are_named() {
    let mut stuck = MadeUp::new();
    stuck.start().iteration(1).called(|_| {}).finished(1, Verdict::Failed, Class::TaskFailure, 0.42, 252);
    stuck.end(StopReason::NeedsHuman, "branch moved, merge by hand");
    let mut all = night(vec![seen(&stuck), seen(&MadeUp::new().whole())]);
    all.since = Some("2026-03-01T18:00:00Z".parse().unwrap());
    all.unreadable.push(Unreadable {
        run: "r-x".to_owned(),
        project: None,
        why: "line 3 is broken".to_owned(),
    });
    let text = report_text(&all, &columns(120));
    assert!(text.starts_with("2 runs since 18:00, 1 of which waits for you\n"), "{text}");
    assert!(text.contains("  waits for   ! r-k3v9x2aa you: branch moved, merge by hand\n"), "{text}");
    assert!(text.contains("run r-x is left out: line 3 is broken"), "{text}");
    assert!(text.contains("$4.26 (≈$1.00 estimated); "), "{text}");
    assert!(text.lines().take_while(|line| !line.is_empty()).count() <= 24, "{text}");
    let none = night(Vec::new());
    assert!(report_text(&none, &columns(80)).starts_with("0 runs\n"));
}

/// All numbers of a text, in their order.
fn numbers(text: &str) -> Vec<String> {
    let is_of_number = |c: char| c.is_ascii_digit() || c == '.';
    let words = text.split(|c: char| !is_of_number(c)).map(|word| word.trim_matches('.').to_owned());
    words.filter(|word| !word.is_empty()).collect()
}

#[test]
fn every_number_is_the_same_in_text_and_markdown() {
    for night in [whole(), night(vec![seen(&MadeUp::new().whole()), seen(&MadeUp::new().whole())])] {
        let terminal = Terminal { zone: TimeZone::UTC, ..Terminal::plain() };
        let (text, markdown) = (report_text(&night, &terminal), report_markdown(&night, &TimeZone::UTC));
        assert_eq!(numbers(&text), numbers(&markdown), "{text}\n{markdown}");
        let document: serde_json::Value = serde_json::from_slice(&report_json(&night)).unwrap();
        let run = &document["runs"][0];
        assert_eq!(run["cost_usd"], 2.13);
        assert_eq!(run["rounds"].as_array().map(Vec::len), Some(5));
        crate::view::check_document("report", &report_json(&night));
    }
}

/// What somebody could write to drive a terminal, a browser or a Markdown reader.
const PAYLOADS: [&str; 14] = [
    "\x1b[2J\x1b]0;owned\x07\x1b[31mred",
    "\u{9b}31m eight bit",
    "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "</code></pre><a href=\"javascript:alert(3)\">here</a>",
    "[link](https://evil.example/) ![image](https://evil.example/x.png)",
    "https://evil.example/ www.evil.example @everyone #1",
    "```\n# heading\n~~~\n| a | b |\n|---|---|",
    "``` ~~~ `` ` code",
    "`",
    "rm \u{202e}safe\u{202c} \u{2066}x\u{2069}",
    "a\rb\nc\td\0e\x08f",
    "| cell | cell |",
    "&lt;b&gt; &#x3c;b&#x3e; \\<b>",
    "$x^2$ *bold* _it_ ~~gone~~ <!-- x -->",
];

fn hostile(payload: &str) -> Night {
    let mut made = MadeUp::new();
    made.start().iteration(1).pass(9);
    made.called(|call| {
        call.detail = payload.to_owned();
        call.class = Class::TaskFailure;
        call.denials = vec![windlass_core::values::Denial {
            tool: payload.to_owned(),
            input: payload.to_owned(),
            rule: payload.to_owned(),
            ..windlass_core::values::Denial::default()
        }];
    });
    made.kept(1).gate(CheckStage::Candidate, CheckResult::Failed(1), payload);
    made.finished(1, Verdict::Failed, Class::TaskFailure, 0.42, 252).end(StopReason::NeedsHuman, payload);
    for event in &mut made.events {
        if let Event::Fact(entry) = event
            && let Fact::RunStarted { plan } = &mut entry.fact
        {
            plan.job.title = payload.to_owned();
            plan.checks[0].command = payload.to_owned();
            plan.directory = payload.into();
        }
    }
    let mut all = night(vec![seen(&made)]);
    all.unreadable.push(Unreadable { run: payload.to_owned(), project: None, why: payload.to_owned() });
    all
}

#[test]
fn what_others_wrote_drives_no_terminal() {
    for payload in PAYLOADS {
        let text = report_text(&hostile(payload), &columns(80));
        assert!(text.chars().all(is_harmless), "{payload:?}: {text}");
    }
}

/// What a Markdown text does beside saying something, and how many headings and strong words it has.
fn driven(markdown: &str) -> (Vec<String>, usize) {
    use pulldown_cmark::{Event as Found, Options, Parser, Tag, TagEnd};
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH;
    let (mut all, mut marked, mut is_code) = (Vec::new(), 0, false);
    for found in Parser::new_ext(markdown, options) {
        let drives = match &found {
            Found::Html(_)
            | Found::InlineHtml(_)
            | Found::InlineMath(_)
            | Found::DisplayMath(_)
            | Found::Start(
                Tag::Link { .. } | Tag::Image { .. } | Tag::HtmlBlock | Tag::Strikethrough | Tag::Emphasis,
            ) => true,
            // Readers make links of addresses and names that stand in a sentence.
            Found::Text(text) => {
                !is_code && ["evil.example", "www.", "@everyone"].iter().any(|sign| text.contains(sign))
            }
            _ => false,
        };
        match &found {
            Found::Start(Tag::Heading { .. } | Tag::Strong) => marked += 1,
            Found::Start(Tag::CodeBlock(_)) => is_code = true,
            Found::End(TagEnd::CodeBlock) => is_code = false,
            _ => {}
        }
        all.extend(drives.then(|| format!("{found:?}")));
    }
    (all, marked)
}

#[test]
fn what_others_wrote_is_data_in_markdown() {
    let (_, usual) = driven(&report_markdown(&hostile("words"), &TimeZone::UTC));
    assert!(usual > 0);
    for payload in PAYLOADS {
        let markdown = report_markdown(&hostile(payload), &TimeZone::UTC);
        assert!(markdown.chars().all(is_harmless), "{payload:?}: {markdown}");
        assert_eq!(driven(&markdown), (Vec::new(), usual), "{payload:?} in\n{markdown}");
        let tables = markdown.lines().filter(|line| line.starts_with("| 1 |")).count();
        assert_eq!(tables, 1, "{payload:?}: {markdown}");
    }
}

/// A run that put six tasks aside, whose guard found things, and which was denied a command.
fn troubled() -> RunSeen {
    let mut run = seen(&MadeUp::new().whole());
    let put = |number: u32| AsideSeen {
        what: format!("T{number} title {number}"),
        why: "failed 2 times".to_owned(),
        branch: Some(format!("windlass/r/T{number}")),
        command: Some(format!("git -C /there merge windlass/r/T{number}")),
        note: "merges without a conflict".to_owned(),
    };
    run.aside = (1..=6).map(put).collect();
    run.damage = (1..=5).map(|number| format!("damage {number}")).collect();
    run.status.denials = vec![windlass_core::values::Denial {
        tool: "Bash".to_owned(),
        input: "make  deploy".to_owned(),
        rule: "Bash(make  deploy)".to_owned(),
        ..windlass_core::values::Denial::default()
    }];
    run
}

#[test]
fn nothing_is_left_out_without_saying_where_it_stands() {
    let elsewhere = |mut run: RunSeen| {
        run.type_elsewhere("'/other place'");
        run
    };
    let allow = r"config set permissions.allow --add $'Bash(make \040deploy)'";
    for (runs, allow) in [
        (vec![troubled()], format!("windlass {allow}")),
        (vec![troubled(), troubled()], format!("windlass {allow}")),
        (vec![elsewhere(troubled())], format!("windlass -C '/other place' {allow}")),
    ] {
        let all = night(runs);
        let text = report_text(&all, &columns(120));
        let answers: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
        assert!(answers.len() <= 24, "{text}");
        assert_eq!(answers.iter().filter(|row| row.ends_with(" more, below")).count(), 2, "{text}");
        let markdown = report_markdown(&all, &TimeZone::UTC);
        for text in [&text, &markdown] {
            for number in 1..=6 {
                assert!(text.contains(&format!("merge windlass/r/T{number}")), "{number}: {text}");
            }
            assert!((1..=5).all(|number| text.contains(&format!("damage {number}"))), "{text}");
            assert!(text.contains(&allow), "{text}");
        }
        let terminal = Terminal { zone: TimeZone::UTC, ..Terminal::plain() };
        // Markdown has what a command is for in front of it.
        let sorted = |text: &str| {
            let mut numbers = numbers(text);
            numbers.sort();
            numbers
        };
        assert_eq!(sorted(&report_text(&all, &terminal)), sorted(&markdown), "{markdown}");
    }
}

#[test]
fn megabytes_in_one_line_are_cut() {
    let long = "x".repeat(20_000_000);
    let all = hostile(&long);
    let most = 20_000;
    assert!(report_markdown(&all, &TimeZone::UTC).lines().all(|line| line.len() < most));
}
