use std::fs::{self, OpenOptions};
use std::io::Write as _;

use proptest::prelude::*;
use windlass_agents::usual;
use windlass_core::observation::ToolInput;
use windlass_core::values::Purpose;

use super::*;
use crate::store::{Project, RunFolder};

struct Recorded {
    _root: tempfile::TempDir,
    folder: CallFolder,
}

fn reserved() -> Timestamp {
    "2026-03-01T20:00:00Z".parse().unwrap()
}

fn after(row: &Row) -> i128 {
    row.at.duration_since(reserved()).as_millis()
}

impl Recorded {
    fn new(stream: &[u8]) -> Recorded {
        let root = tempfile::tempdir().unwrap();
        let work = root.path().join("work");
        fs::create_dir(&work).unwrap();
        let project = Project::locate(&root.path().join("state"), &work, None).unwrap();
        let folder = RunFolder::create(&project).unwrap().call(1, 1, Purpose::Work);
        folder.create().unwrap();
        fs::write(folder.stream(), stream).unwrap();
        Recorded { _root: root, folder }
    }

    fn transcript(&self, over: bool) -> Transcript {
        Transcript::new(&self.folder, usual(), reserved(), over)
    }

    fn append(&self, bytes: &[u8]) {
        OpenOptions::new().append(true).open(self.folder.stream()).unwrap().write_all(bytes).unwrap();
    }
}

fn says(text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    format!(r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":{text}}}]}}}}"#) + "\n"
}

fn calls(id: &str) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"make"}}}}]}}}}"#
    ) + "\n"
}

fn answers(id: &str, output: &str) -> String {
    format!(
        r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","content":"{output}"}}]}}}}"#
    ) + "\n"
}

fn texts(page: &Page) -> Vec<String> {
    let text = |row: &Row| match &row.content {
        Content::Observation(Observation::AgentText { text, .. }) => text.clone(),
        Content::Observation(Observation::ToolResult { name, .. }) => format!("answer of {name}"),
        other => format!("{other:?}"),
    };
    page.rows.iter().map(text).collect()
}

fn forward(transcript: &mut Transcript) -> Vec<Row> {
    let (mut rows, mut at) = (Vec::new(), 0);
    loop {
        let page = transcript.from(at).unwrap();
        assert_eq!(page.start, at);
        rows.extend(page.rows.clone());
        if page.is_last() {
            return rows;
        }
        assert!(page.end > at, "{page:?}");
        at = page.end;
    }
}

fn backward(transcript: &mut Transcript) -> Vec<Row> {
    let (mut rows, mut page) = (Vec::new(), transcript.last().unwrap());
    loop {
        rows.splice(0..0, page.rows.clone());
        if page.is_first() {
            return rows;
        }
        let before = page.start;
        page = transcript.before(before).unwrap();
        assert!(page.end == before && page.start < before, "{page:?}");
    }
}

#[test]
fn pages_are_bounded_and_miss_nothing_in_either_direction() {
    let stream: String = (0..1000).map(|number| says(&format!("number {number}"))).collect();
    let recorded = Recorded::new(stream.as_bytes());
    let mut transcript = recorded.transcript(true);
    let last = transcript.last().unwrap();
    assert_eq!((last.rows.len(), last.is_last(), last.is_first()), (ROWS, true, false));
    assert_eq!(texts(&last)[ROWS - 1], "number 999");
    assert_eq!(texts(&transcript.from(0).unwrap())[0], "number 0");
    let rows = forward(&mut transcript);
    assert_eq!(rows.len(), 1000);
    assert_eq!(rows, backward(&mut transcript));
    // A byte within a line means this line: whoever follows a link has no other.
    let some = &rows[500];
    assert_eq!(transcript.from(some.offset + 3).unwrap().rows[0], *some);
    assert_eq!(transcript.from(u64::MAX).unwrap().rows, []);
}

#[test]
fn a_page_of_long_lines_ends_by_its_bytes() {
    let stream: String = (0..40).map(|_| says(&"x".repeat(20_000))).collect();
    let recorded = Recorded::new(stream.as_bytes());
    let mut transcript = recorded.transcript(true);
    for page in [transcript.from(0).unwrap(), transcript.last().unwrap()] {
        assert!(page.end - page.start <= BYTES, "{}", page.end - page.start);
        assert!((12..=13).contains(&page.rows.len()), "{}", page.rows.len());
    }
}

#[test]
fn lines_in_which_nothing_is_said_do_not_hide_what_is() {
    let piece = r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"text":"abc"}}}"#;
    let quiet = format!("{piece}\n").repeat(8000);
    let recorded = Recorded::new((says("first") + &quiet + &says("last") + &quiet).as_bytes());
    let mut transcript = recorded.transcript(true);
    assert_eq!(texts(&transcript.last().unwrap()), ["last"]);
    let at = transcript.last().unwrap().start;
    assert_eq!(texts(&transcript.before(at).unwrap()), ["first"]);
    let second = transcript.from(says("first").len() as u64).unwrap();
    assert_eq!(texts(&second), ["last"]);
}

#[test]
fn what_grows_is_followed_and_half_a_line_waits() {
    let recorded = Recorded::new(says("one").as_bytes());
    let mut transcript = recorded.transcript(false);
    let first = transcript.last().unwrap();
    assert_eq!((texts(&first), first.recording), (vec!["one".to_owned()], Recording::Growing));
    let two = says("two");
    let (half, rest) = two.as_bytes().split_at(30);
    recorded.append(half);
    let page = transcript.from(first.end).unwrap();
    assert_eq!((page.rows.len(), page.unfinished, page.is_last()), (0, 30, true));
    assert_eq!(texts(&transcript.last().unwrap()), ["one"]);
    recorded.append(rest);
    recorded.append(b"not the end");
    let page = transcript.from(page.end).unwrap();
    assert_eq!(texts(&page), ["two"]);
    transcript.close();
    let page = transcript.from(page.end).unwrap();
    assert!(matches!(page.rows[0].content, Content::Observation(Observation::Garbage { bytes: 11, .. })));
    assert_eq!((page.recording, page.unfinished), (Recording::Whole, 0));
}

#[test]
fn a_recording_that_is_gone_is_said_to_be() {
    let recorded = Recorded::new(b"");
    fs::remove_file(recorded.folder.stream()).unwrap();
    for (over, expected) in [(false, Recording::Awaited), (true, Recording::Gone)] {
        let mut transcript = recorded.transcript(over);
        let page = transcript.last().unwrap();
        assert_eq!(
            (page.recording, page.rows.len(), page.is_first(), page.is_last()),
            (expected, 0, true, true)
        );
        assert_eq!(transcript.from(1000).unwrap().recording, expected);
        assert_eq!(transcript.search("x", None, Direction::Forward).unwrap(), Hit::Nothing);
        assert_eq!(transcript.heard(), None);
    }
    fs::write(recorded.folder.stream(), "").unwrap();
    assert_eq!(recorded.transcript(true).last().unwrap().recording, Recording::Whole);
}

#[test]
fn a_tool_that_was_called_before_the_page_is_named() {
    let between: String = (0..300).map(|number| says(&number.to_string())).collect();
    let recorded =
        Recorded::new((calls("t-1") + &between + &answers("t-1", "fine") + &answers("t-9", "?")).as_bytes());
    let last = recorded.transcript(true).last().unwrap();
    assert!(last.start > calls("t-1").len() as u64);
    assert_eq!(texts(&last)[ROWS - 2..], ["answer of Bash", "answer of "]);
}

#[test]
fn who_follows_knows_every_tool_that_was_called_meanwhile() {
    let recorded = Recorded::new((says("before") + &calls("t-1") + &answers("t-9", "?")).as_bytes());
    let mut transcript = recorded.transcript(false);
    let mut page = transcript.last().unwrap();
    let much = says(&"x".repeat(1000 * 1000));
    for _ in 0..=LOOK_BACK / much.len() as u64 {
        recorded.append(much.as_bytes());
        page = transcript.from(page.end).unwrap();
        assert!(page.is_last(), "{page:?}");
    }
    recorded.append(answers("t-1", "fine").as_bytes());
    assert_eq!(texts(&transcript.from(page.end).unwrap()), ["answer of Bash"]);
    let at = transcript.last().unwrap().end - answers("t-1", "fine").len() as u64;
    assert_eq!(texts(&recorded.transcript(false).from(at).unwrap()), ["answer of "], "it is too far back");
}

#[test]
fn a_line_of_megabytes_is_named_and_can_be_copied() {
    let long = says(&"y".repeat(20 * 1024 * 1024));
    let recorded = Recorded::new((says("before") + &long + &says("after")).as_bytes());
    let mut transcript = recorded.transcript(true);
    let rows = forward(&mut transcript);
    assert_eq!(rows, backward(&mut transcript));
    assert_eq!(rows.len(), 3);
    let Content::Long(beginning) = &rows[1].content else { panic!("{:?}", rows[1]) };
    assert!(beginning.starts_with(r#"{"type":"assistant""#) && beginning.len() <= 512, "{}", beginning.len());
    assert_eq!(rows[1].whole, Some(Whole { bytes: long.len() as u64, lines: 1 }));
    assert_eq!(transcript.whole_row(rows[1].offset).unwrap(), []);
    let mut copy = Vec::new();
    assert_eq!(transcript.copy_line(rows[1].offset, &mut copy).unwrap(), long.len() as u64 - 1);
    assert_eq!(copy, long.trim_end().as_bytes());
    assert_eq!(transcript.search("yyy", None, Direction::Forward).unwrap(), Hit::Line(rows[1].offset));
}

#[test]
fn a_row_shows_a_part_of_a_long_text_and_says_how_much_there_is() {
    let tall = "line\n".repeat(100);
    let wide = "é".repeat(5000);
    let recorded = Recorded::new((says(&tall) + &says(&wide) + &says("short")).as_bytes());
    let mut transcript = recorded.transcript(true);
    let rows = transcript.from(0).unwrap().rows;
    assert_eq!(rows[0].whole, Some(Whole { bytes: 500, lines: 100 }));
    assert_eq!(rows[1].whole, Some(Whole { bytes: 10_000, lines: 1 }));
    assert_eq!(rows[2].whole, None);
    let Content::Observation(Observation::AgentText { text, .. }) = &rows[0].content else { panic!() };
    assert_eq!(text.lines().count(), SHOWN_LINES);
    let Content::Observation(Observation::AgentText { text, .. }) = &rows[1].content else { panic!() };
    assert_eq!(text.len(), SHOWN_BYTES);
    let whole = transcript.whole_row(rows[1].offset).unwrap();
    assert_eq!(whole, [Observation::AgentText { text: wide, nested: false }]);
}

#[test]
fn rows_have_the_times_of_their_lines() {
    let stream: String = (1..=5000).map(|number| says(&format!("{number:05}{}", "z".repeat(150)))).collect();
    let one = says(&format!("00001{}", "z".repeat(150))).len() as u64;
    let recorded = Recorded::new(stream.as_bytes());
    let times = format!("10 {one}\n2000 {}\n3000 {}\n", one * 4000, one * 5000);
    fs::write(recorded.folder.times(), times).unwrap();
    let mut transcript = recorded.transcript(true);
    let rows = forward(&mut transcript);
    assert_eq!([0, 1, 3999, 4000].map(|index: usize| after(&rows[index])), [10, 2000, 2000, 3000]);
}

#[test]
fn what_was_said_is_found_and_names_of_fields_are_not() {
    let stream =
        says("the Type of it") + &calls("t") + &answers("t", "a \\\"quoted\\\" thing") + &says("last");
    let recorded = Recorded::new(stream.as_bytes());
    let mut transcript = recorded.transcript(true);
    let offsets: Vec<u64> = forward(&mut transcript).iter().map(|row| row.offset).collect();
    let mut found = |text: &str, from, direction| transcript.search(text, from, direction).unwrap();
    let (forward, backward) = (Direction::Forward, Direction::Backward);
    assert_eq!(found("type", None, backward), Hit::Line(offsets[0]));
    assert_eq!(found("TYPE", None, backward), Hit::Nothing);
    assert_eq!(found("content", None, forward), Hit::Nothing);
    assert_eq!(found("a \"quoted\"", None, forward), Hit::Line(offsets[2]));
    assert_eq!(found("MAKE", None, forward), Hit::Nothing);
    assert_eq!(found("make", None, forward), Hit::Line(offsets[1]));
    assert_eq!(found("make", Some(offsets[1]), forward), Hit::Nothing, "the next one");
    assert_eq!(found("make", Some(offsets[3]), backward), Hit::Line(offsets[1]));
    assert_eq!(found("", None, forward), Hit::Nothing);
}

#[test]
fn a_long_search_says_how_far_it_came() {
    let quiet = says(&"q".repeat(500_000)).repeat(50);
    let stream = says("needle") + &quiet + &says("needle");
    let recorded = Recorded::new(stream.as_bytes());
    let mut transcript = recorded.transcript(true);
    let last = (stream.len() - says("needle").len()) as u64;
    for (direction, begin) in [(Direction::Forward, 0), (Direction::Backward, last)] {
        let (mut at, mut turns) = (Some(begin), 0);
        let found = loop {
            match transcript.search("needle", at, direction).unwrap() {
                Hit::Further(on) => at = Some(on),
                Hit::Line(found) => break found,
                Hit::Nothing => panic!("{direction:?}"),
            }
            turns += 1;
        };
        assert_eq!(turns, 1, "{direction:?}");
        let text = transcript.from(found).unwrap();
        assert_eq!(texts(&text)[0], "needle");
    }
}

fn lines() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(says("hello").into_bytes()),
        Just(calls("t-1").into_bytes()),
        Just(answers("t-1", "ok").into_bytes()),
        Just(b"\n".to_vec()),
        Just(b"{}\n".to_vec()),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(|mut bytes| {
            bytes.push(b'\n');
            bytes
        }),
    ]
}

proptest! {
    #[test]
    fn whatever_lies_there_pages_agree_in_both_directions(
        lines in prop::collection::vec(lines(), 0..60),
        tail in prop::collection::vec(any::<u8>(), 0..20),
        at in any::<u64>(),
    ) {
        let stream = [lines.concat(), tail].concat();
        let recorded = Recorded::new(&stream);
        for over in [false, true] {
            let mut transcript = recorded.transcript(over);
            let rows = forward(&mut transcript);
            prop_assert_eq!(&rows, &backward(&mut transcript));
            prop_assert!(rows.is_sorted_by_key(|row| (row.offset, row.part)));
            let at = at % (stream.len() as u64 + 2);
            let (before, from) = (transcript.before(at).unwrap(), transcript.from(at).unwrap());
            prop_assert_eq!(before.end, from.start);
            prop_assert!(from.start <= at);
            transcript.search("o", Some(at), Direction::Forward).unwrap();
            transcript.search("o", Some(at), Direction::Backward).unwrap();
            transcript.whole_row(at).unwrap();
        }
    }
}

#[test]
fn an_edit_shows_both_of_its_texts_cut() {
    let edit = |old: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"e","name":"Edit","input":{{"file_path":"a","old_string":"{old}","new_string":"b"}}}}]}}}}"#
        ) + "\n"
    };
    let recorded = Recorded::new(edit(&"o".repeat(9000)).as_bytes());
    let row = recorded.transcript(true).last().unwrap().rows.remove(0);
    assert_eq!(row.whole, Some(Whole { bytes: 9001, lines: 2 }));
    let Content::Observation(Observation::ToolUse { input: ToolInput::Edit { old, new, .. }, .. }) =
        row.content
    else {
        panic!()
    };
    assert_eq!((old.len(), new.as_str()), (SHOWN_BYTES, "b"));
}
