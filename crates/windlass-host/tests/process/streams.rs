//! Streams of any size, in bounded memory. Each test is a process of its own, so that its memory can be measured.

use std::fs::{self, File};
use std::sync::mpsc::channel;

use rustix::process::getpid;
use windlass_host::process::KeeperEvent;
use windlass_host::process::stream::{LONGEST_LINE, StreamEvent, StreamLog, StreamReader};

use crate::lane::{Lane, kilobytes, shell};

pub const TESTS: &[(&str, fn())] = &[
    ("streams::memory_does_not_grow_with_the_stream", memory_does_not_grow_with_the_stream),
    ("streams::a_long_line_costs_itself_and_gives_it_back", a_long_line_costs_itself_and_gives_it_back),
    (
        "streams::a_line_over_the_cap_is_cut_and_whole_in_the_log",
        a_line_over_the_cap_is_cut_and_whole_in_the_log,
    ),
];

/// What came of a stream.
#[derive(Default)]
struct Summary {
    bytes: usize,
    lines: usize,
    longest: usize,
    /// Memory in kB when the last line had been told.
    memory_after: u64,
}

/// Runs a script and reads its output as a call's output is read.
fn read(lane: &Lane, script: &str, log: File) -> Summary {
    let (printed, request) = shell(1, script);
    lane.keeper.spawn(request).unwrap();
    let (tell, told) = channel();
    let mut summary = Summary::default();
    let reader =
        StreamReader::lines(printed.into_pipe().into(), StreamLog::new(log), move |event| match event {
            StreamEvent::Bytes(count) => summary.bytes += count,
            StreamEvent::Line(bytes) => {
                summary.lines += 1;
                summary.longest = summary.longest.max(bytes.len());
            }
            StreamEvent::LogFailed(error) => panic!("{error}"),
            StreamEvent::Closed(_) => {
                summary.memory_after = resident();
                tell.send(std::mem::take(&mut summary)).unwrap();
            }
        });
    reader.unwrap().join();
    while !matches!(lane.event(), KeeperEvent::Exited { .. }) {}
    told.recv().unwrap()
}

fn resident() -> u64 {
    kilobytes(getpid(), "VmRSS")
}

fn peak() -> u64 {
    kilobytes(getpid(), "VmHWM")
}

fn nowhere() -> File {
    File::options().write(true).open("/dev/null").unwrap()
}

fn memory_does_not_grow_with_the_stream() {
    let lane = Lane::start();
    read(&lane, "echo warm", nowhere());
    let before = peak();
    let script = "yes '{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"on and on\"}]}}' | head -c 200000000";
    let summary = read(&lane, script, nowhere());
    assert_eq!(summary.bytes, 200_000_000);
    assert!(summary.lines > 2_000_000, "{}", summary.lines);
    let grown = peak() - before;
    assert!(grown < 2_000, "{grown} kB");
}

fn a_long_line_costs_itself_and_gives_it_back() {
    let lane = Lane::start();
    read(&lane, "echo warm", nowhere());
    let before = peak();
    let script = "head -c 20000000 /dev/zero | tr '\\0' x; echo; echo short";
    // Twice: an allocator may keep what it was given back once.
    for _ in 0..2 {
        let summary = read(&lane, script, nowhere());
        assert_eq!((summary.lines, summary.longest), (2, 20_000_000));
        let kept = summary.memory_after.saturating_sub(before);
        assert!(kept < 2_000, "{kept} kB kept");
    }
    let grown = peak() - before;
    assert!(grown < 30_000, "{grown} kB");
}

fn a_line_over_the_cap_is_cut_and_whole_in_the_log() {
    let lane = Lane::start();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stream.ndjson");
    let length = LONGEST_LINE + 1_000_000;
    let script = format!("head -c {length} /dev/zero | tr '\\0' x; printf '\\nshort'");
    let summary = read(&lane, &script, File::create(&path).unwrap());
    assert_eq!((summary.lines, summary.longest), (2, LONGEST_LINE));
    assert_eq!(summary.bytes, length + 6);
    assert_eq!(fs::metadata(&path).unwrap().len(), length as u64 + 6);
    let before = kilobytes(getpid(), "VmRSS");
    assert!(before < 60_000, "{before} kB still held");
}
