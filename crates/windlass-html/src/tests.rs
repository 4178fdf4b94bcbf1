use jiff::Timestamp;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use windlass_core::fact::{Entry, Fact};
use windlass_core::redact::Redactor;
use windlass_core::values::Denial;
use windlass_nights::{Script, play};
use windlass_ui::model::{Course, LinesChanged, Night, PlacesSeen, RunSeen, Unreadable};
use windlass_ui::{RunState, Terminal, report_json, report_markdown, report_text};

use super::*;

fn now() -> Timestamp {
    "2033-05-18T07:00:00Z".parse().unwrap()
}

/// The facts of a simulated night.
fn facts(seed: u64) -> Vec<Entry> {
    let record = play(&Script::draw(seed, None), None);
    let lines = record.journal().split(|byte| *byte == b'\n').skip(1).filter(|line| !line.is_empty());
    lines.map_while(|line| serde_json::from_slice(line).ok()).collect()
}

fn seen(entries: &[Entry]) -> RunSeen {
    Course::of(entries).seen((RunState::Interrupted, None), Some(&PlacesSeen::default()), now())
}

fn night(runs: Vec<RunSeen>) -> Night {
    Night { made: now(), since: None, runs, unreadable: Vec::new() }
}

fn html(night: &Night) -> String {
    report_html(night, &[], &Redactor::new(), &TimeZone::UTC)
}

#[test]
fn many_numbers_of_a_chart_stand_on_a_page_of_their_own_where_there_is_one() {
    let run = (0..100).map(|seed| seen(&facts(seed))).find(|run| !run.rounds.is_empty()).unwrap();
    let mut chart = charts(&run, &TimeZone::UTC).into_iter().find(|chart| chart.id == "costs").unwrap();
    let row = chart.table.rows[0].clone();
    let of = |chart: &Chart, numbers| chart.figure("r-1", numbers).into_string();
    for (rows, address, folded) in
        [(100, Numbers::At("/n"), true), (101, Numbers::At("/n"), false), (101, Numbers::Folded, true)]
    {
        chart.table.rows = vec![row.clone(); rows];
        let figure = of(&chart, address);
        assert_eq!(figure.contains("<table>"), folded, "{rows} {address:?}");
        assert_eq!(figure.contains("<a href=\"/n#costs\">"), !folded, "{rows} {address:?}");
    }
    assert!(chart.numbers().into_string().matches("<tr>").count() > 101);
}

/// What a reader reads, without what charts and the foot add.
fn words(page: &str) -> String {
    let body = page.split_once("<main>").map_or(page, |(_, body)| body);
    let body = body.split_once("<footer>").map_or(body, |(body, _)| body);
    let mut text = String::new();
    let mut rest = body;
    while let Some((before, figure)) = rest.split_once("<figure>") {
        text += before;
        rest = figure.split_once("</figure>").map_or("", |(_, after)| after);
    }
    text += rest;
    let mut words = String::new();
    let mut inside = false;
    for character in text.chars() {
        match character {
            '<' => inside = true,
            '>' => {
                inside = false;
                words.push(' ');
            }
            character if !inside => words.push(character),
            _ => {}
        }
    }
    words.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// All numbers of a text. What a command is for stands before it in some forms and behind it in others.
fn numbers(text: &str) -> Vec<String> {
    let is_of_number = |c: char| c.is_ascii_digit() || c == '.';
    let words = text.split(|c: char| !is_of_number(c)).map(|word| word.trim_matches('.').to_owned());
    let mut numbers: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    numbers.sort();
    numbers
}

/// Numbers of our own keys in what a document says of a run.
fn sum(rounds: &serde_json::Value, key: &str) -> f64 {
    rounds.as_array().unwrap().iter().map(|round| round[key].as_f64().unwrap()).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_number_is_the_same_in_every_form(seeds in prop::collection::vec(any::<u64>(), 1..3), part in any::<prop::sample::Index>()) {
        let runs = seeds.iter().map(|seed| {
            let all = facts(*seed);
            let cut = part.index(all.len()).max(1);
            // Any journal may have been cut off anywhere.
            seen(all.get(..cut.min(all.len())).unwrap())
        });
        let night = night(runs.collect());
        let terminal = Terminal { zone: TimeZone::UTC, ..Terminal::plain() };
        let told = numbers(&report_text(&night, &terminal));
        prop_assert_eq!(&told, &numbers(&report_markdown(&night, &TimeZone::UTC)));
        let page = html(&night);
        prop_assert_eq!(&told, &numbers(&words(&page)), "{}", words(&page));
        let document: serde_json::Value = serde_json::from_slice(&report_json(&night)).unwrap();
        for (run, json) in night.runs.iter().zip(document["runs"].as_array().unwrap()) {
            prop_assert!((json["cost_usd"].as_f64().unwrap() - run.status.cost.dollars()).abs() < 1e-9);
            let classes = ["input", "output", "cache_creation", "cache_read"];
            let tokens: u64 = classes.iter().map(|class| json["tokens"][*class].as_u64().unwrap()).sum();
            prop_assert_eq!(tokens, run.status.tokens.total());
            prop_assert_eq!(json["rounds"].as_array().unwrap().len(), run.rounds.len());
            let wasted = run.wasted.total().dollars();
            let parts = ["failed_usd", "refused_usd", "idle_usd", "repeated_usd"].map(|part| json["wasted"][part].as_f64().unwrap());
            prop_assert!((parts.iter().sum::<f64>() - wasted).abs() < 1e-9);
            prop_assert!((sum(&json["rounds"], "cost_usd") - run.rounds.iter().map(|round| round.cost.dollars()).sum::<f64>()).abs() < 1e-6);
        }
    }

    #[test]
    fn charts_agree_with_the_model(seed in any::<u64>(), part in any::<prop::sample::Index>()) {
        let all = facts(seed);
        let cut = part.index(all.len()).max(1);
        let run = seen(all.get(..cut.min(all.len())).unwrap());
        for chart in charts(&run, &TimeZone::UTC) {
            let figure = chart.figure("r-1", Numbers::Folded).into_string();
            prop_assert!(!figure.contains("NaN") && !figure.contains("inf"), "{figure}");
            prop_assert!(!figure.contains("=\"-"), "{figure}");
            let cell = |row: &[windlass_ui::report::Part], at: usize| row[at].text().to_owned();
            match chart.id {
                "verdicts" => {
                    let counted: u32 = chart.table.rows.iter().map(|row| cell(row, 1).parse::<u32>().unwrap()).sum();
                    prop_assert_eq!(counted as usize, run.rounds.len());
                    prop_assert_eq!(chart.says, run.verdicts.in_words());
                }
                "budget" => {
                    let total: windlass_core::values::Cost = run.rounds.iter().map(|round| round.cost).sum();
                    prop_assert_eq!(cell(chart.table.rows.last().unwrap(), 1), windlass_ui::format::money(total));
                }
                "costs" | "lanes" => prop_assert_eq!(chart.table.rows.len(), run.rounds.len().min(500)),
                "tokens" => {
                    let counted: u64 = chart.table.rows.iter().map(|row| cell(row, 1).parse::<u64>().unwrap()).sum();
                    prop_assert_eq!(counted, run.status.tokens.total());
                }
                other => prop_assert!(false, "{other}"),
            }
        }
    }
}

/// What somebody could write to drive a browser, a terminal or whoever reads.
const PAYLOADS: [&str; 14] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "\"><svg onload=alert(3)>",
    "'><iframe srcdoc='<script>alert(4)</script>'>",
    "</title></style></code></pre><script>alert(5)</script>",
    "javascript:alert(6)",
    "<a href=\"javascript:alert(7)\">here</a>",
    "<!-- --!><script>alert(8)</script>",
    "]]><script>alert(9)</script>",
    "\x1b[2J\x1b]0;owned\x07\x1b[31mred",
    "rm \u{202e}safe\u{202c} \u{2066}x\u{2069}",
    "a\rb\nc\td\0e\x08f",
    "&lt;script&gt; &#x3c;script&#x3e;",
    "url(https://evil.example/) @import 'https://evil.example/'; } body { display: none",
];

/// The payload in every text of a night's facts.
fn hostile(payload: &str) -> (Night, Vec<RunPatches>) {
    let mut entries = Vec::new();
    for seed in 0..20 {
        let mut all = facts(seed);
        if all.len() > entries.len() {
            for entry in &mut all {
                poison(&mut entry.fact, payload);
            }
            entries = all;
        }
    }
    let mut run = seen(&entries);
    run.rounds.iter_mut().for_each(|round| {
        round.why = payload.to_owned();
        round.lines = Some(LinesChanged { added: 1, removed: 2 });
        round.calls.iter_mut().for_each(|call| call.detail = payload.to_owned());
    });
    run.status.title = payload.to_owned();
    run.status.detail = payload.to_owned();
    run.damage.push(payload.to_owned());
    run.gates.iter_mut().for_each(|gate| gate.command = payload.to_owned());
    run.landing.sentence = payload.to_owned();
    run.status.denials.push(Denial {
        tool: payload.to_owned(),
        input: payload.to_owned(),
        rule: payload.to_owned(),
        ..Denial::default()
    });
    run.proof = payload.to_owned();
    run.waited_for.why = payload.to_owned();
    run.begun.iter_mut().for_each(|task| task.title = payload.to_owned());
    let name = windlass_ui::report::name(&run);
    let mut all = night(vec![run]);
    all.unreadable.push(Unreadable { run: payload.to_owned(), project: None, why: payload.to_owned() });
    let text = format!("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-{payload}\n+{payload}\n");
    let patch = Patch { name: payload.to_owned(), text, more: 3, command: payload.to_owned() };
    (all, vec![RunPatches { run: name, patches: vec![patch] }])
}

fn poison(fact: &mut Fact, payload: &str) {
    match fact {
        Fact::RunStarted { plan } | Fact::RunResumed { plan } => plan.job.title = payload.to_owned(),
        Fact::CallFinished { summary, .. } => {
            summary.detail = payload.to_owned();
            summary.model = payload.to_owned();
        }
        Fact::RunFinished { detail, .. } => *detail = payload.to_owned(),
        _ => {}
    }
}

#[test]
fn what_others_wrote_is_data_in_a_page() {
    let (usual, patches) = hostile("words");
    let tags = |page: &str| page.matches('<').count();
    let expected = tags(&report_html(&usual, &patches, &Redactor::new(), &TimeZone::UTC));
    for payload in PAYLOADS {
        let (night, patches) = hostile(payload);
        let page = report_html(&night, &patches, &Redactor::new(), &TimeZone::UTC);
        for sign in ["<script", "<img", "<svg onload", "<iframe", "<a ", "onerror=a\"", "style=\""] {
            assert!(!page.contains(sign), "{payload:?}: {sign}");
        }
        assert!(page.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')), "{payload:?}");
        assert!(!page.contains(['\u{202e}', '\u{2066}']), "{payload:?}");
        // A payload of several lines is several lines of a patch, and what is dropped leaves nothing.
        if !payload.contains(['\n', '\r', '\x1b']) {
            assert_eq!(tags(&page), expected, "{payload:?}");
        }
    }
}

#[test]
fn nothing_is_fetched_run_or_sent() {
    let (night, patches) = hostile("words");
    let page = report_html(&night, &patches, &Redactor::new(), &TimeZone::UTC);
    assert!(page.contains("default-src 'none'"));
    for sign in ["http://", "https://", "src=", "href=", "<script", "<form", "@import", "javascript:"] {
        assert!(!page.contains(sign), "{sign}");
    }
}

#[test]
fn secrets_are_not_handed_on() {
    let key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789-ABCDEFGH";
    let (night, patches) = hostile(key);
    let page = report_html(&night, &patches, &Redactor::new(), &TimeZone::UTC);
    assert!(page.contains("[redacted]"));
    assert!(!page.contains(key));
}

#[test]
fn megabytes_are_cut_and_patches_beyond_a_megabyte_are_named() {
    let long = "x".repeat(20_000_000);
    let (mut all, mut patches) = hostile("words");
    all.runs[0].status.title = long.clone();
    patches[0].patches[0].text = format!("@@ -0,0 +1 @@\n+{long}\n");
    assert!(report_html(&all, &patches, &Redactor::new(), &TimeZone::UTC).len() < LARGEST_REPORT);
    let line = format!("+{}\n", "y".repeat(390));
    let text = format!("@@ -0,0 +1,200 @@\n{}", line.repeat(200));
    let many = (0..30).map(|number| Patch {
        name: number.to_string(),
        text: text.clone(),
        more: 0,
        command: format!("windlass diff r-1 {number}"),
    });
    patches[0].patches = many.collect();
    let page = report_html(&all, &patches, &Redactor::new(), &TimeZone::UTC);
    assert!(page.len() <= LARGEST_REPORT, "{}", page.len());
    assert!(
        page.contains("Changes that are too large for this file") && page.contains("windlass diff r-1 29")
    );
}

#[test]
fn a_hundred_iterations_take_at_most_300_kilobytes() {
    let longest = (0..200).map(facts).max_by_key(Vec::len).unwrap();
    let mut run = seen(&longest);
    let some = run.rounds.clone();
    run.rounds = (1..=100)
        .map(|number| {
            let mut round = some[number as usize % some.len()].clone();
            round.iteration = number;
            round.why = "the gate `make test` failed with exit 2: two of forty tests failed".to_owned();
            round
        })
        .collect();
    let page = html(&night(vec![run]));
    assert!(page.len() <= 300_000, "{}", page.len());
}

#[test]
fn lines_of_a_patch_are_what_hunks_say_they_are() {
    use PatchLine::{Added, Around, Head, Place, Removed};
    let text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@ fn x\n a\n--- b\n+++ c\n d\n\\ No newline at end of file\ndiff --git a/y b/y\n";
    let kinds: Vec<PatchLine> = patch_lines(text).map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [Head, Head, Head, Place, Around, Removed, Added, Around, Around, Head]);
}
