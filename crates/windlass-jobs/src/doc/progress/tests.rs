use proptest::prelude::*;

use super::*;

const SEED: &str = "# DevLoop Progress Log\n\n## Summary\n- **Total Tasks**: 3\n- **Completed**: 9\n\
                    - **Remaining**: 1\n- **Last Updated**: 2025-01-02T03:04:05.678Z\n\n## Iteration Log\n\n\
                    ### Iteration 1 - 2025-01-02T03:04:05.678Z\n- **Task Completed**: TASK-001\n\
                    - **Summary**: Did it\n- **Duration**: 45s\n- **Exit Status**: success\n\
                    - **Tokens**: 12,345 total (10,000 in, 345 out, 1,000 cache-create, 1,000 cache-read)\n\
                    - **Cost**: $0.1234\n\n### Iteration 2 - 2025-01-02T04:00:00.000Z\n\
                    - **Task Attempted**: TASK-002\n- **Task Completed**: none\n- **Summary**: Failed\n\
                    - **Duration**: 2m 5s\n- **Exit Status**: error\n- **Error Type**: task_failure\n\
                    - **Error Detail**:\n```\nboom\n### Iteration 99 - 2025-01-02T05:00:00Z\n\
                    - **Task Completed**: TASK-099\n```\n";

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn an_entry(run: &str, iteration: u32) -> ProgressEntry {
    ProgressEntry {
        run: run.to_owned(),
        iteration,
        time: at(0),
        attempted: Some("TASK-002".to_owned()),
        completed: None,
        summary: "Two of three tests pass".to_owned(),
        seconds: 125,
        exit: ProgressExit::Partial,
        tokens: Tokens { input: 1000, output: 200, cache_creation: 30, cache_read: 4 },
        cost: Spent::of(Cost::from_micros(123_450), false),
        error: None,
    }
}

fn failed(detail: &str) -> ProgressEntry {
    let error = ProgressError { kind: "task_failure".to_owned(), detail: detail.to_owned() };
    ProgressEntry { exit: ProgressExit::Error, error: Some(error), ..an_entry("r-1", 1) }
}

fn summary() -> ProgressSummary {
    ProgressSummary { total: 6, completed: 2, updated: at(60) }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

// rows: 66, 114
#[test]
fn a_fresh_journal_says_all_of_it() {
    let written = text(with_entry(b"\n", &failed("boom"), &summary()));
    let expected = "# Progress Log\n\n## Summary\n- **Total Tasks**: 6\n- **Completed**: 2\n- **Remaining**: 4\n\
                    - **Last Updated**: 2027-01-15T08:01:00.000Z\n\n## Iteration Log\n\n\
                    ### Iteration 1 - 2027-01-15T08:00:00.000Z\n- **Task Attempted**: TASK-002\n\
                    - **Task Completed**: none\n- **Summary**: Two of three tests pass\n- **Duration**: 125s\n\
                    - **Exit Status**: error\n\
                    - **Tokens**: 1234 total (1000 in, 200 out, 30 cache-create, 4 cache-read)\n\
                    - **Cost**: $0.1235\n- **Run**: r-1 iteration 1\n- **Error Type**: task_failure\n\
                    - **Error Detail**:\n```\nboom\n```\n";
    assert_eq!(written, expected);
}

#[test]
fn an_old_journal_is_read_and_added_to() {
    let progress = Progress::parse(SEED.as_bytes());
    let numbers: Vec<_> = progress.entries.iter().map(|entry| entry.number).collect();
    assert_eq!(numbers, [1, 2], "what stands in a fence is not an entry");
    let first = &progress.entries[0];
    assert_eq!(
        (first.completed.as_deref(), first.seconds, first.tokens_total),
        (Some("TASK-001"), Some(45), Some(12_345))
    );
    assert_eq!(first.tokens.map(|tokens| tokens.cache_read), Some(1000));
    assert_eq!(first.cost, Some(Cost::from_micros(123_400)));
    let second = &progress.entries[1];
    assert_eq!(
        (second.attempted.as_deref(), &second.completed, second.seconds),
        (Some("TASK-002"), &None, Some(125))
    );
    assert_eq!(second.exit, Some(ProgressExit::Error));
    assert!(second.error_detail.as_ref().is_some_and(|detail| detail.starts_with("boom\n### Iteration 99")));
    let written = text(with_entry(SEED.as_bytes(), &an_entry("r-1", 1), &summary()));
    let expected = SEED
        .replace("Tasks**: 3", "Tasks**: 6")
        .replace("Completed**: 9", "Completed**: 2")
        .replace("Remaining**: 1", "Remaining**: 4")
        .replace("2025-01-02T03:04:05.678Z\n\n## I", "2027-01-15T08:01:00.000Z\n\n## I");
    assert!(written.starts_with(&expected), "{written}");
    assert!(
        written[expected.len()..].starts_with("\n### Iteration 3 - 2027-01-15T08:00:00.000Z\n"),
        "{written}"
    );
}

// Seed defect D3, parser/progress.ts:33, 104: token totals vanished outside en-US.
#[test]
fn numbers_of_any_language_are_read() {
    for written in [
        "12,345",
        "12.345",
        "12 345",
        "12\u{a0}345",
        "12\u{202f}345",
        "12’345",
        "12'345",
        "12345",
        "١٢٬٣٤٥",
        "۱۲٬۳۴۵",
        "१२,३४५",
    ] {
        let value = format!("{written} total ({written} in, 1 out)");
        let tokens = Tokens { input: 12_345, output: 1, ..Tokens::default() };
        assert_eq!(number::tokens(&value), (Some(12_345), Some(tokens)), "{value}");
    }
    assert_eq!(number::tokens("n/a"), (None, None));
    assert_eq!(number::tokens("99999999999999999999999 total").0, Some(u64::MAX));
    for (written, micros) in [
        ("$0.1234", Some(123_400)),
        ("0,1234 $", Some(123_400)),
        ("$1,234.5000", Some(1_234_500_000)),
        ("$1.234,50", Some(1_234_500_000)),
        ("$12", Some(12_000_000)),
        ("US$ ٠٫٥٠", Some(500_000)),
        ("$", None),
        ("free", None),
        ("-$1.00", None),
        ("≈$0.5000", Some(500_000)),
        ("$4.6000 (≈$3.4000 estimated)", Some(4_600_000)),
        ("$99999999999999999999.0", None),
    ] {
        assert_eq!(number::cost(written), micros.map(Cost::from_micros), "{written}");
    }
    for (written, seconds) in [
        ("45s", Some(45)),
        ("125 s", Some(125)),
        ("2m 5s", Some(125)),
        ("2m5s", Some(125)),
        ("2.5 minutes", Some(150)),
        ("2,5 min", Some(150)),
        ("1 minute and 5 seconds", Some(65)),
        ("1h 2m", Some(3720)),
        ("1,234s", Some(1234)),
        ("1500ms", Some(1)),
        ("", None),
        ("soon", None),
        ("5 parsecs", None),
        ("9999999999999999999h", None),
    ] {
        assert_eq!(number::seconds(written), seconds, "{written}");
    }
}

#[test]
fn repeated_completions_count_once() {
    let again = SEED.replace("Task Completed**: none", "Task Completed**: TASK-001");
    let totals = Progress::parse(again.as_bytes()).totals();
    assert_eq!(
        (totals.iterations, totals.completed.len(), totals.tokens, totals.seconds),
        (2, 1, 12_345, 170)
    );
    assert_eq!(totals.cost, Cost::from_micros(123_400));
}

// Seed defect D3, parser/progress.ts:23, 32: an error message with a fence or a heading corrupted the history.
#[test]
fn no_message_can_corrupt_the_journal() {
    let hostile = "```\n### Iteration 7 - 2025-01-01T00:00:00Z\n- **Task Completed**: TASK-007\n````rust\n\u{1b}[31mred\
                   \r\n- **Run**: r-1 iteration 9\r## Summary\n- **Total Tasks**: 99\n`````";
    let mut entry = failed(hostile);
    entry.summary = "line\n### Iteration 8 - x\n- **Run**: r-2 iteration 2\u{2028}```".to_owned();
    entry.attempted = Some("T-1\n```".to_owned());
    let once = with_entry(SEED.as_bytes(), &entry, &summary());
    let twice = with_entry(&once, &ProgressEntry { iteration: 2, ..entry.clone() }, &summary());
    let progress = Progress::parse(&twice);
    assert_eq!(progress.entries.iter().map(|entry| entry.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
    for (index, iteration) in [(2, 1), (3, 2)] {
        let read = &progress.entries[index];
        assert_eq!(read.run, Some(("r-1".to_owned(), iteration)));
        assert_eq!(read.attempted.as_deref(), Some("T-1 ```"));
        assert!(
            read.error_detail
                .as_ref()
                .is_some_and(|detail| detail.ends_with("`````") && !detail.contains('\u{1b}'))
        );
    }
    assert_eq!(with_entry(&twice, &entry, &summary()), twice, "an entry that is there is replaced by itself");
}

#[test]
fn an_entry_is_replaced_where_it_stands_and_what_others_wrote_into_it_stays() {
    let first = with_entry(SEED.as_bytes(), &failed("boom"), &summary());
    let annotated =
        text(first).replace("- **Cost**", "my own line\n- **Cost**") + "\nA thought.\n\n```\nmine\n```\n";
    let both = with_entry(annotated.as_bytes(), &an_entry("r-1", 2), &summary());
    let done = ProgressEntry {
        completed: Some("TASK-002".into()),
        exit: ProgressExit::Success,
        ..an_entry("r-1", 1)
    };
    let replaced = text(with_entry(&both, &done, &summary()));
    for kept in ["my own line\n", "\nA thought.\n\n```\nmine\n```\n", "### Iteration 4 -"] {
        assert!(replaced.contains(kept), "{kept} is not in\n{replaced}");
    }
    let progress = Progress::parse(replaced.as_bytes());
    assert_eq!(progress.entries.len(), 4);
    assert_eq!((progress.entries[2].number, progress.entries[2].exit), (3, Some(ProgressExit::Success)));
    assert_eq!(progress.entries[2].error_kind, None);
    assert_eq!(text(with_entry(replaced.as_bytes(), &done, &summary())), replaced);
}

#[test]
fn a_fence_that_nobody_closed_swallows_nothing_that_is_written_later() {
    let open = SEED.strip_suffix("```\n").unwrap();
    assert_eq!(Progress::parse(open.as_bytes()).open_fence, Some(27));
    let written = with_entry(open.as_bytes(), &an_entry("r-1", 1), &summary());
    assert_eq!(Progress::parse(&written).entries.len(), 3);
    assert_eq!(Progress::parse(&written).open_fence, None);
    let torn = text(with_entry(SEED.as_bytes(), &failed("boom"), &summary()));
    let torn =
        torn.strip_suffix("```\n").unwrap().to_owned() + "### Iteration 5 - x\n- **Summary**: of others\n";
    let replaced = text(with_entry(torn.as_bytes(), &failed("boom"), &summary()));
    assert!(replaced.contains("### Iteration 5 - x\n- **Summary**: of others\n"), "{replaced}");
}

#[test]
fn sections_of_a_person_stay_below_the_log() {
    let file = SEED.to_owned() + "\n## Notes\n\nRemember the milk.\n";
    let written = text(with_entry(file.as_bytes(), &an_entry("r-1", 1), &summary()));
    assert!(written.ends_with("- **Run**: r-1 iteration 1\n\n## Notes\n\nRemember the milk.\n"), "{written}");
    let without_log = text(with_entry(b"My diary", &an_entry("r-1", 1), &summary()));
    assert!(without_log.starts_with("My diary\n\n## Iteration Log\n\n### Iteration 1 - "), "{without_log}");
}

#[test]
fn windows_line_endings_stay() {
    let file = format!("\u{feff}{}", SEED.replace('\n', "\r\n"));
    let written = text(with_entry(file.as_bytes(), &failed("one\ntwo"), &summary()));
    assert_eq!(written.matches('\n').count(), written.matches("\r\n").count());
    assert!(written.contains("- **Remaining**: 4\r\n"));
    let progress = Progress::parse(written.as_bytes());
    assert_eq!(progress.entries.last().and_then(|entry| entry.error_detail.as_deref()), Some("one\ntwo"));
}

#[test]
fn secrets_do_not_get_into_a_file_that_is_committed() {
    let key = "sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-AAAAAAAA";
    let written = text(with_entry(b"", &failed(&format!("Authorization: {key}")), &summary()));
    assert!(!written.contains(key), "{written}");
}

/// Lines that mean something, and some that do not.
fn journal() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        Just("### Iteration 3 - 2025-01-02T03:04:05Z".to_owned()),
        Just("## Summary".to_owned()),
        Just("## Iteration Log".to_owned()),
        Just("- **Completed**: 4".to_owned()),
        Just("- **Total Tasks**:".to_owned()),
        Just("- **Error Detail**:".to_owned()),
        Just("- **Run**: r-1 iteration 1".to_owned()),
        "[ ]{0,3}[`~]{2,5}[a-z]{0,2}".prop_map(|line| line),
        Just(String::new()),
        "\\PC{0,12}",
    ];
    let lines = proptest::collection::vec((line, prop_oneof![Just("\n"), Just("\r\n"), Just("\r")]), 0..24);
    (lines, any::<bool>()).prop_map(|(lines, cut)| {
        let mut text: String = lines.into_iter().flat_map(|(line, end)| [line, end.to_owned()]).collect();
        if cut {
            text.pop();
        }
        text.into_bytes()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn whatever_is_there_the_entry_is_there_once_and_the_others_stay(existing in journal(), detail in "[`~#\\- a\n\r]{0,40}") {
        let entry = failed(&detail);
        let entry = ProgressEntry { run: "r-other".to_owned(), ..entry };
        let before = Progress::parse(&existing);
        let written = with_entry(&existing, &entry, &summary());
        let after = Progress::parse(&written);
        prop_assert_eq!(after.open_fence.is_some() && before.open_fence.is_none(), false);
        prop_assert_eq!(after.entries.len(), before.entries.len() + 1);
        let is_it = |read: &&ReadEntry| read.run.as_ref().is_some_and(|(run, _)| run == "r-other");
        prop_assert_eq!(after.entries.iter().filter(is_it).count(), 1);
        let others: Vec<_> = after.entries.iter().filter(|read| !is_it(read)).map(|read| ReadEntry { line: 0, ..read.clone() }).collect();
        let former: Vec<_> = before.entries.iter().map(|read| ReadEntry { line: 0, ..read.clone() }).collect();
        prop_assert_eq!(others, former);
        prop_assert_eq!(text(with_entry(&written, &entry, &summary())), text(written));
    }

    #[test]
    fn without_a_summary_every_byte_stays(existing in journal()) {
        let existing = String::from_utf8(existing).unwrap().replace("Summary", "Notes").into_bytes();
        prop_assume!(!existing.trim_ascii().is_empty());
        let written = with_entry(&existing, &an_entry("r-other", 1), &summary());
        let before = existing.iter().zip(&written).take_while(|(one, other)| one == other).count();
        let after = existing.iter().rev().zip(written.iter().rev()).take_while(|(one, other)| one == other).count();
        prop_assert!(before + after >= existing.len(), "{}", String::from_utf8_lossy(&written));
    }
}
