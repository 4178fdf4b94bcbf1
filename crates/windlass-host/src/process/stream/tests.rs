use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::*;

/// What a reader told, with lines owned.
#[derive(Debug, PartialEq, Eq)]
enum OwnedEvent {
    Bytes(usize),
    Line(Vec<u8>),
    LogFailed(io::ErrorKind),
    EndOfFile,
    Stopped,
    Failed,
}

fn own(event: StreamEvent<'_>) -> OwnedEvent {
    match event {
        StreamEvent::Bytes(count) => OwnedEvent::Bytes(count),
        StreamEvent::Line(line) => OwnedEvent::Line(line.to_vec()),
        StreamEvent::LogFailed(error) => OwnedEvent::LogFailed(error.kind()),
        StreamEvent::Closed(StreamEnd::EndOfFile) => OwnedEvent::EndOfFile,
        StreamEvent::Closed(StreamEnd::Stopped) => OwnedEvent::Stopped,
        StreamEvent::Closed(StreamEnd::Failed(_)) => OwnedEvent::Failed,
    }
}

fn log_in(folder: &Path) -> StreamLog {
    let create = |name| File::create(folder.join(name)).unwrap();
    StreamLog::new(create("stream.ndjson")).with_times(create("times"), Instant::now())
}

fn read_lines(pipe: PipeReader, log: StreamLog) -> (StreamReader, Receiver<OwnedEvent>) {
    let (tell, told) = channel();
    let reader = StreamReader::lines(pipe.into(), log, move |event| {
        let _ = tell.send(own(event));
    });
    (reader.unwrap(), told)
}

fn read_everything(content: &[u8]) -> (Vec<OwnedEvent>, Vec<u8>, String) {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, mut writer) = io::pipe().unwrap();
    let (reader, told) = read_lines(pipe, log_in(folder.path()));
    writer.write_all(content).unwrap();
    drop(writer);
    reader.join();
    let raw = std::fs::read(folder.path().join("stream.ndjson")).unwrap();
    let times = std::fs::read_to_string(folder.path().join("times")).unwrap();
    (told.iter().collect(), raw, times)
}

fn lines(told: &[OwnedEvent]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    for event in told {
        if let OwnedEvent::Line(line) = event {
            lines.push(line.as_slice());
        }
    }
    lines
}

// Seed defect D2, src/streaming.rs:335: a line that was not UTF-8 ended the reading.
#[test]
fn the_log_has_every_byte_and_the_lines_come_whole() {
    let noise: Vec<u8> = (0..100_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let cases: [&[u8]; 5] = [b"", b"one\ntwo\n", b"one\n\n\ntwo", b"\xff\x00\n{\"cut\":", &noise];
    for content in cases {
        let (told, raw, times) = read_everything(content);
        assert_eq!(raw, content);
        let mut expected: Vec<_> = content.split(|byte| *byte == b'\n').collect();
        expected.pop_if(|last| last.is_empty());
        assert_eq!(lines(&told), expected);
        let counted: usize =
            told.iter().map(|told| if let OwnedEvent::Bytes(count) = told { *count } else { 0 }).sum();
        assert_eq!(counted, content.len());
        assert_eq!(told.last(), Some(&OwnedEvent::EndOfFile));
        let last_time = times.lines().last().unwrap_or("0 0");
        assert!(last_time.ends_with(&format!(" {}", content.len())), "{times}");
    }
}

#[test]
fn bytes_are_logged_before_their_lines_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, mut writer) = io::pipe().unwrap();
    let path = folder.path().join("stream.ndjson");
    let (tell, told) = channel();
    let reader = StreamReader::lines(pipe.into(), log_in(folder.path()), move |event| {
        if let StreamEvent::Line(_) = event {
            tell.send(std::fs::read(&path).unwrap()).unwrap();
        }
    });
    writer.write_all(b"one\ntwo\n").unwrap();
    assert_eq!(told.recv().unwrap(), b"one\ntwo\n");
    drop(writer);
    reader.unwrap().join();
}

// Seed defect D2, src/commands/plan.rs:119, 235: an error of the stream left the loop and the agent to themselves.
#[test]
fn a_full_disk_is_said_once_and_the_reading_goes_on() {
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let (pipe, mut writer) = io::pipe().unwrap();
    let (reader, told) = read_lines(pipe, StreamLog::new(full()).with_times(full(), Instant::now()));
    for _ in 0..20 {
        writer.write_all(&vec![b'x'; 100_000]).unwrap();
        writer.write_all(b"\n").unwrap();
    }
    drop(writer);
    reader.join();
    let told: Vec<_> = told.iter().collect();
    assert_eq!(lines(&told).len(), 20);
    let failures = told.iter().filter(|told| matches!(told, OwnedEvent::LogFailed(_)));
    assert_eq!(failures.collect::<Vec<_>>(), [&OwnedEvent::LogFailed(io::ErrorKind::StorageFull)]);
}

#[test]
fn a_pipe_that_somebody_holds_open_can_be_left() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, mut writer) = io::pipe().unwrap();
    writer.write_all(b"there already\nand").unwrap();
    let (reader, told) = read_lines(pipe, log_in(folder.path()));
    reader.stop();
    reader.join();
    let told: Vec<_> = told.iter().collect();
    assert_eq!(lines(&told), [&b"there already"[..], b"and"]);
    assert_eq!(told.last(), Some(&OwnedEvent::Stopped));
    drop(writer);
}

#[test]
fn a_reader_can_be_stopped_while_bytes_pour_in() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, mut writer) = io::pipe().unwrap();
    let (reader, told) = read_lines(pipe, log_in(folder.path()));
    let pouring = std::thread::spawn(move || while writer.write_all(&[b'x'; 4096]).is_ok() {});
    told.recv().unwrap();
    reader.stop();
    reader.join();
    pouring.join().unwrap();
    assert_eq!(told.iter().last(), Some(OwnedEvent::Stopped));
}

#[test]
fn standard_error_is_logged_and_its_end_is_at_hand() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, mut writer) = io::pipe().unwrap();
    let path = folder.path().join("stderr.log");
    let (tell, told) = channel();
    let log = StreamLog::new(File::create(&path).unwrap());
    let (reader, tail) =
        StreamReader::tail(pipe.into(), log, move |event| tell.send(own(event)).unwrap()).unwrap();
    writer.write_all(b"not logged in\n").unwrap();
    assert_eq!(told.recv_timeout(Duration::from_secs(30)).unwrap(), OwnedEvent::Bytes(14));
    assert_eq!(tail.text(), "not logged in\n", "before the end of the pipe");
    writer.write_all(&vec![b'x'; 20_000]).unwrap();
    drop(writer);
    reader.join();
    assert_eq!(tail.text(), "x".repeat(TAIL_LENGTH));
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 20_014);
    assert_eq!(told.iter().last(), Some(OwnedEvent::EndOfFile));
}

#[test]
fn a_log_that_is_awaited_is_made_by_its_first_byte() {
    let folder = tempfile::tempdir().unwrap();
    for (content, expected) in [(&b""[..], None), (b"warning: \xff", Some(b"warning: \xff".to_vec()))] {
        let path = folder.path().join("stderr.log");
        let (pipe, mut writer) = io::pipe().unwrap();
        let (reader, _) = StreamReader::tail(pipe.into(), StreamLog::awaited(path.clone()), |_| {}).unwrap();
        writer.write_all(content).unwrap();
        drop(writer);
        reader.join();
        assert_eq!(std::fs::read(&path).ok(), expected);
    }
}

#[test]
fn a_log_that_cannot_be_made_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let log = StreamLog::awaited(folder.path().join("missing/stderr.log"));
    let (pipe, mut writer) = io::pipe().unwrap();
    let (reader, told) = read_lines(pipe, log);
    writer.write_all(b"one\ntwo\n").unwrap();
    drop(writer);
    reader.join();
    let failures = told.iter().filter(|event| *event == OwnedEvent::LogFailed(io::ErrorKind::NotFound));
    assert_eq!(failures.count(), 1);
}
