use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::time::Duration;

use windlass_core::report;
use windlass_core::values::{AgentIndex, CallSummary, Cost, LaneId, Named, Now, Purpose, StopSource};

use super::live::LiveRecording;
use super::*;
use crate::store::{CallFolder, Journal, Project};

/// A run whose journal is written fact by fact.
struct Recorded {
    _root: tempfile::TempDir,
    folder: RunFolder,
    journal: Journal,
    last: u64,
}

const LANE: LaneId = LaneId(0);

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(1_800_000_000_000 + millis).unwrap()
}

impl Recorded {
    fn new() -> Recorded {
        let root = tempfile::tempdir().unwrap();
        let work = root.path().join("work");
        fs::create_dir(&work).unwrap();
        let project = Project::locate(&root.path().join("state"), &work, None).unwrap();
        let folder = RunFolder::create(&project).unwrap();
        let journal = Journal::create(&folder).unwrap();
        Recorded { _root: root, folder, journal, last: 0 }
    }

    fn fact(&mut self, millis: i64, fact: Fact) {
        self.last += 1;
        let now = Now { wall: at(millis), monotonic: Duration::ZERO };
        self.journal.append(&[Entry { seq: self.last, at: now, fact }]).unwrap();
    }

    fn reserve(&mut self, millis: i64, call: u32) -> CallFolder {
        let (iteration, attempt, purpose) = (call, 1, Purpose::Work);
        let reserved = Cost::ZERO;
        let call = CallId(call);
        self.fact(
            millis,
            Fact::CallReserved {
                lane: LANE,
                call,
                iteration,
                attempt,
                purpose,
                agent: AgentIndex(0),
                reserved,
                budget: None,
            },
        );
        let folder = self.folder.call(iteration, attempt, purpose);
        folder.create().unwrap();
        folder
    }

    fn spawn(&mut self, millis: i64, call: u32) {
        self.fact(millis, Fact::CallSpawned(report::CallSpawned { lane: LANE, call: CallId(call), pid: 1 }));
    }

    fn stop(&mut self, millis: i64) {
        self.fact(millis, Fact::StopRequested { by: StopSource::Command, stage: 1 });
    }

    fn finish(&mut self, millis: i64, call: u32) {
        let summary = CallSummary::uneventful();
        self.fact(millis, Fact::CallFinished { lane: LANE, call: CallId(call), claimed: false, summary });
    }
}

/// A line in which the agent says this.
fn says(text: &str) -> String {
    format!(r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#) + "\n"
}

fn append(path: &std::path::Path, text: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// All that is new, in a word each.
fn told(replay: &mut Replay) -> Vec<String> {
    let mut words = Vec::new();
    let flow = replay.advance(&mut |told| {
        words.push(match told {
            Replayed::Fact(entry) => entry.fact.name().to_owned(),
            Replayed::Observation(place, Observation::AgentText { text, .. }) => {
                format!(
                    "{}:{} {text} at {}",
                    place.call,
                    place.line,
                    (place.at.as_millisecond() - 1_800_000_000_000)
                )
            }
            Replayed::Observation(place, other) => format!("{}:{} {other:?}", place.call, place.line),
        });
        ControlFlow::Continue(())
    });
    assert_eq!(flow.unwrap(), ControlFlow::Continue(()));
    words
}

// rows: 36, 112
#[test]
fn observations_lie_between_the_facts_of_their_time() {
    let mut run = Recorded::new();
    let folder = run.reserve(100, 1);
    let (one, two, three) = (says("one"), says("two"), says("three"));
    append(&folder.stream(), &format!("{one}\n{two}{three}"));
    let end = one.len() + 1 + two.len();
    append(&folder.times(), &format!("10 {}\n400 {end}\n900 {}\n", one.len(), end + three.len()));
    run.spawn(105, 1);
    run.stop(300);
    // By the recorded times the last words came after the call's end: no clock is that exact.
    run.finish(700, 1);
    let mut replay = Replay::new(&run.folder);
    assert_eq!(
        told(&mut replay),
        [
            "call_reserved",
            "call_spawned",
            "1:1 one at 110",
            "stop_requested",
            "1:3 two at 500",
            "1:4 three at 1000",
            "call_finished"
        ]
    );
    assert_eq!(told(&mut replay), [""; 0]);
}

#[test]
fn what_grows_is_followed_line_by_line() {
    let mut run = Recorded::new();
    let mut replay = Replay::new(&run.folder);
    assert_eq!(told(&mut replay), [""; 0]);
    let folder = run.reserve(0, 1);
    append(&folder.stream(), &says("before the process is known"));
    assert_eq!(told(&mut replay), ["call_reserved"]);
    run.spawn(5, 1);
    assert_eq!(told(&mut replay), ["call_spawned", "1:1 before the process is known at 0"]);
    let (begun, rest) = (says("halves"), "not the end");
    let (first, second) = begun.split_at(20);
    append(&folder.stream(), first);
    assert_eq!(told(&mut replay), [""; 0]);
    append(&folder.stream(), second);
    append(&folder.times(), "7 1000\n");
    append(&folder.stream(), rest);
    assert_eq!(told(&mut replay), ["1:2 halves at 7"]);
    run.finish(10, 1);
    let last = told(&mut replay);
    assert!(last[0].starts_with("1:3 Garbage") && last[1] == "call_finished", "{last:?}");
}

#[test]
fn what_was_heard_of_a_stream_is_told_at_once_and_the_rest_when_it_is_there() {
    let mut run = Recorded::new();
    let mut replay = Replay::new(&run.folder);
    let folder = run.reserve(0, 1);
    run.spawn(5, 1);
    let lines = ["one", "two", "three", "four", "five"].map(says);
    let ends: Vec<u64> = lines
        .iter()
        .scan(0, |end, line| {
            *end += line.len() as u64;
            Some(*end)
        })
        .collect();
    let reserved = at(0);
    let mut live = LiveRecording::open(&folder, reserved).unwrap();
    live.add(0, lines[0].trim_end().as_bytes(), at(10)).unwrap();
    assert_eq!(told(&mut replay), ["call_reserved", "call_spawned", "1:1 one at 10"]);
    // Two lines were lost on their way.
    live.add(ends[2], lines[3].trim_end().as_bytes(), at(900)).unwrap();
    assert_eq!(told(&mut replay), ["1:3 four at 900"]);
    append(&folder.stream(), &lines.concat());
    append(&folder.times(), &format!("10 {}\n300 {}\n900 {}\n", ends[0], ends[2], ends[4]));
    run.finish(1000, 1);
    let rest = ["1:2 two at 300", "1:3 three at 300", "1:5 five at 900", "call_finished"];
    assert_eq!(told(&mut replay), rest);
    // Whoever comes later has it as it was.
    let all = ["1:1 one at 10", "1:2 two at 300", "1:3 three at 300", "1:4 four at 900", "1:5 five at 900"];
    let again = told(&mut Replay::new(&run.folder));
    assert!(all.iter().all(|told| again.contains(&(*told).to_owned())), "{again:?}");
    assert_eq!(again.len(), all.len() + 3);
}

#[test]
fn calls_at_the_same_time_are_told_in_the_order_of_their_times() {
    let mut run = Recorded::new();
    let half = says("a").len();
    for (call, text, times) in [
        (1, says("a") + &says("c"), format!("50 {half}\n300 1000\n")),
        (2, says("b"), "100 1000\n".to_owned()),
    ] {
        let folder = run.reserve(0, call);
        append(&folder.stream(), &text);
        append(&folder.times(), &times);
        run.spawn(0, call);
    }
    let words = told(&mut Replay::new(&run.folder));
    assert_eq!(words[4..], ["1:1 a at 50", "2:1 b at 100", "1:2 c at 300"]);
}

#[test]
fn a_call_without_a_stream_and_a_listener_who_leaves() {
    let mut run = Recorded::new();
    run.reserve(0, 1);
    run.finish(5, 1);
    let mut replay = Replay::new(&run.folder);
    let mut seen = 0;
    let flow = replay.advance(&mut |_| {
        seen += 1;
        ControlFlow::Break(())
    });
    assert_eq!((flow.unwrap(), seen), (ControlFlow::Break(()), 1));
    assert_eq!(told(&mut Replay::new(&run.folder)), ["call_reserved", "call_finished"]);
}
