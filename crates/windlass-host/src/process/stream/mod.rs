//! Reading what an agent prints: all of it, whatever it is, in bounded memory.
//!
//! The raw bytes are on their way to the log before anything is made of them. Nothing that happens to the log or to a
//! line stops the reading: an agent whose pipe is full would hang.

mod bounded;
mod lines;
mod log;
mod tail;

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::OwnedFd;
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::{ProcessError, start_thread};
pub use bounded::BoundedFile;
pub use lines::Lines;

pub use lines::LONGEST_LINE;
pub use log::StreamLog;
pub use tail::{TAIL_LENGTH, Tail};

/// What the agent's pipe is asked to hold: more room means fewer turns.
const PIPE: usize = 256 * 1024;

/// Read at once: few enough to be still near the processor when they are looked at.
const CHUNK: usize = 64 * 1024;

/// Standard error is a trickle.
const ERROR_CHUNK: usize = 16 * 1024;

/// Bytes that are still read when a reader is stopped: what the pipe may hold, not what may yet come.
const LAST_BYTES: usize = 1024 * 1024;

/// What a reader has to tell, in the order of the bytes.
#[derive(Debug)]
pub enum StreamEvent<'a> {
    /// So many bytes came; they are in the log. Comes before their lines.
    Bytes(usize),
    /// A line, without its `\n`; the last one may have had none. Beyond [`LONGEST_LINE`] its rest is missing.
    Line(&'a [u8]),
    /// The log could not be written. Said once; nothing more is logged, but reading goes on.
    LogFailed(io::Error),
    /// Nothing follows.
    Closed(StreamEnd),
}

/// Why a reader has ended.
#[derive(Debug)]
pub enum StreamEnd {
    /// Nobody holds the pipe's other end any more.
    EndOfFile,
    /// [`StreamReader::stop`] was called.
    Stopped,
    /// The pipe could not be read.
    Failed(io::Error),
}

/// A thread that reads one pipe to its end.
#[derive(Debug)]
pub struct StreamReader {
    stop: PipeWriter,
    thread: JoinHandle<()>,
}

impl StreamReader {
    /// Reads lines: an agent's standard output.
    ///
    /// `on_event` is called in the reader's thread; while it works, nothing is read.
    pub fn lines(
        pipe: OwnedFd,
        log: StreamLog,
        on_event: impl FnMut(StreamEvent<'_>) + Send + 'static,
    ) -> Result<StreamReader, ProcessError> {
        StreamReader::start("stdout", move |stop| {
            // Whoever has used up the pipes he may have gets less.
            let _ = rustix::pipe::fcntl_setpipe_size(&pipe, PIPE);
            pump_lines(pipe, stop, CHUNK, log, on_event, |_| {});
        })
    }

    /// Reads bytes, cuts them into lines as well, and remembers the last of them: an agent's standard error.
    pub fn tail(
        pipe: OwnedFd,
        log: StreamLog,
        on_event: impl FnMut(StreamEvent<'_>) + Send + 'static,
    ) -> Result<(StreamReader, Tail), ProcessError> {
        let tail = Tail::default();
        let kept = tail.clone();
        let reader = StreamReader::start("stderr", move |stop| {
            pump_lines(pipe, stop, ERROR_CHUNK, log, on_event, |bytes| kept.push(bytes));
        })?;
        Ok((reader, tail))
    }

    /// Hands on bytes as they come, and keeps none: the output of a hook or a check.
    pub fn bytes(
        pipe: OwnedFd,
        on_bytes: impl FnMut(&[u8]) + Send + 'static,
    ) -> Result<StreamReader, ProcessError> {
        StreamReader::start("output", move |stop| drop(pump(pipe, stop, CHUNK, on_bytes)))
    }

    fn start(
        name: &str,
        work: impl FnOnce(&PipeReader) + Send + 'static,
    ) -> Result<StreamReader, ProcessError> {
        let (stopped, stop) = io::pipe().map_err(ProcessError::system("make a pipe"))?;
        let doing = "start a thread to read an agent's output";
        let thread = start_thread(name, doing, move || work(&stopped))?;
        Ok(StreamReader { stop, thread })
    }

    /// Reads what is there now, and no more: for a pipe that somebody out of reach holds open.
    pub fn stop(&self) {
        // It can only fail when the reader has ended already.
        let _ = (&self.stop).write(&[0]);
    }

    /// Waits for [`StreamEvent::Closed`] to have been told.
    pub fn join(self) {
        let _ = self.thread.join();
    }

    /// Reads what is there now, and waits for that.
    pub fn finish(self) {
        self.stop();
        self.join();
    }
}

/// Reads, logs and cuts into lines; `on_bytes` has them first.
fn pump_lines(
    pipe: OwnedFd,
    stop: &PipeReader,
    chunk: usize,
    mut log: StreamLog,
    mut on_event: impl FnMut(StreamEvent<'_>),
    mut on_bytes: impl FnMut(&[u8]),
) {
    let mut lines = Lines::default();
    let end = pump(pipe, stop, chunk, |bytes| {
        on_bytes(bytes);
        if let Err(error) = log.append(bytes) {
            on_event(StreamEvent::LogFailed(error));
        }
        on_event(StreamEvent::Bytes(bytes.len()));
        lines.feed(bytes, &mut |line: &[u8]| on_event(StreamEvent::Line(line)));
    });
    if let Err(error) = log.finish() {
        on_event(StreamEvent::LogFailed(error));
    }
    lines.finish(&mut |line: &[u8]| on_event(StreamEvent::Line(line)));
    on_event(StreamEvent::Closed(end));
}

/// Reads until the end of the pipe, or until asked to stop.
fn pump(pipe: OwnedFd, stop: &PipeReader, chunk: usize, mut on_bytes: impl FnMut(&[u8])) -> StreamEnd {
    let mut pipe = File::from(pipe);
    let mut buffer = vec![0; chunk];
    let mut still_allowed = LAST_BYTES;
    loop {
        let mut ready = [PollFd::new(&pipe, PollFlags::IN), PollFd::new(stop, PollFlags::IN)];
        match poll(&mut ready, None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return StreamEnd::Failed(error.into()),
        }
        let [readable, stopped] = ready.map(|entry| !entry.revents().is_empty());
        if stopped && (!readable || still_allowed == 0) {
            return StreamEnd::Stopped;
        }
        match pipe.read(&mut buffer) {
            Ok(0) => return StreamEnd::EndOfFile,
            Ok(count) => {
                on_bytes(buffer.get(..count).unwrap_or_default());
                if stopped {
                    still_allowed = still_allowed.saturating_sub(count);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return StreamEnd::Failed(error),
        }
    }
}

#[cfg(test)]
mod tests;
