//! Feeding and reading a child at the same time, without a thread.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::ChildStdin;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::{Captured, Keeps};
use crate::process::ProcessError;
use crate::process::started::Started;

const CHUNK: usize = 64 * 1024;

/// The three pipes of a child, from our side.
pub struct Pipes<'a> {
    feed: Feed<'a>,
    stdout: Capture,
    stderr: Capture,
    chunk: Vec<u8>,
}

/// What one wait brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Nothing, until the time was up.
    Quiet,
    /// Bytes, a pipe's end, or a signal to us.
    Moved,
    /// The child has ended; bytes perhaps too.
    Ended,
}

impl<'a> Pipes<'a> {
    /// Takes the child's pipes.
    pub fn new(
        child: &mut Started,
        input: &'a [u8],
        limit: usize,
        keeps: Keeps,
    ) -> Result<Pipes<'a>, ProcessError> {
        Ok(Pipes {
            feed: Feed::new(child.stdin.take(), input)?,
            stdout: Capture::new(child.stdout.take(), limit, keeps),
            stderr: Capture::new(child.stderr.take(), limit, Keeps::Beginning),
            chunk: vec![0; CHUNK],
        })
    }

    /// Have both outputs come to their end?
    pub const fn are_read(&self) -> bool {
        self.stdout.pipe.is_none() && self.stderr.pipe.is_none()
    }

    /// What was read.
    pub fn into_captured(self) -> (Captured, Captured) {
        (self.stdout.into_captured(), self.stderr.into_captured())
    }

    /// Waits for a pipe, or for `end` to become readable, and moves what can be moved without blocking.
    pub fn turn(&mut self, end: Option<&OwnedFd>, until: Instant) -> Result<Turn, ProcessError> {
        let Some([ended, feed, stdout, stderr]) = self.wait(end, until)? else {
            return Ok(Turn::Quiet);
        };
        if feed {
            self.feed.write_some();
        }
        if stdout {
            self.stdout.read_some(&mut self.chunk);
        }
        if stderr {
            self.stderr.read_some(&mut self.chunk);
        }
        Ok(if ended { Turn::Ended } else { Turn::Moved })
    }

    /// Which of end, input, output and error output are ready; `None` when the time was up.
    fn wait(&self, end: Option<&OwnedFd>, until: Instant) -> Result<Option<[bool; 4]>, ProcessError> {
        let timeout = Timespec::try_from(until.saturating_duration_since(Instant::now())).unwrap_or_default();
        let sources: [(Option<BorrowedFd<'_>>, PollFlags); 4] = [
            (end.map(AsFd::as_fd), PollFlags::IN),
            (self.feed.pipe.as_ref().map(AsFd::as_fd), PollFlags::OUT),
            (self.stdout.pipe.as_ref().map(AsFd::as_fd), PollFlags::IN),
            (self.stderr.pipe.as_ref().map(AsFd::as_fd), PollFlags::IN),
        ];
        let open =
            sources.iter().filter_map(|(file, events)| Some(PollFd::from_borrowed_fd((*file)?, *events)));
        let mut entries: Vec<PollFd<'_>> = open.collect();
        match poll(&mut entries, Some(&timeout)) {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(Some([false; 4])),
            Err(error) => return Err(ProcessError::system("wait for a command")(error)),
        }
        // The entries are in the order of the sources, without those that are closed.
        let mut answers = entries.iter().map(|entry| !entry.revents().is_empty());
        Ok(Some(sources.map(|(file, _)| file.is_some() && answers.next().unwrap_or(false))))
    }
}

/// What is written to the child.
struct Feed<'a> {
    /// `None` when everything is written, or the child reads no more.
    pipe: Option<ChildStdin>,
    rest: &'a [u8],
}

impl<'a> Feed<'a> {
    fn new(pipe: Option<ChildStdin>, rest: &'a [u8]) -> Result<Feed<'a>, ProcessError> {
        if let Some(pipe) = &pipe {
            rustix::io::ioctl_fionbio(pipe.as_fd(), true)
                .map_err(ProcessError::system("write to a command"))?;
        }
        Ok(Feed { pipe, rest })
    }

    fn write_some(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        match pipe.write(self.rest) {
            Ok(count) => self.rest = self.rest.get(count..).unwrap_or_default(),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                return;
            }
            // It does not want to know more, which is its own affair.
            Err(_) => self.rest = &[],
        }
        if self.rest.is_empty() {
            self.pipe = None;
        }
    }
}

/// What is read from the child.
struct Capture {
    /// `None` at its end.
    pipe: Option<File>,
    captured: Captured,
    limit: usize,
    keeps: Keeps,
}

impl Capture {
    fn new<P: Into<OwnedFd>>(pipe: Option<P>, limit: usize, keeps: Keeps) -> Capture {
        let pipe = pipe.map(|pipe| File::from(pipe.into()));
        Capture { pipe, captured: Captured::default(), limit, keeps }
    }

    fn read_some(&mut self, chunk: &mut [u8]) {
        let Some(pipe) = &mut self.pipe else { return };
        match pipe.read(chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => self.pipe = None,
            Ok(count) => self.take(chunk.get(..count).unwrap_or_default()),
        }
    }

    fn take(&mut self, new: &[u8]) {
        match self.keeps {
            Keeps::Beginning => {
                let room = self.limit.saturating_sub(self.captured.bytes.len());
                let kept = new.get(..room).unwrap_or(new);
                self.captured.bytes.extend_from_slice(kept);
                self.captured.dropped += (new.len() - kept.len()) as u64;
            }
            Keeps::End => {
                self.captured.bytes.extend_from_slice(new);
                // Not with every chunk, or the whole would be moved each time.
                if self.captured.bytes.len() > self.limit.saturating_mul(2) {
                    self.drop_beginning();
                }
            }
        }
    }

    fn drop_beginning(&mut self) {
        let over = self.captured.bytes.len().saturating_sub(self.limit);
        self.captured.bytes.drain(..over);
        self.captured.dropped += over as u64;
    }

    fn into_captured(mut self) -> Captured {
        if self.keeps == Keeps::End {
            self.drop_beginning();
        }
        self.captured
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_an_output_is_kept_in_bounded_memory() {
        // A few bytes at a time, and more than are ever kept.
        for (length, end) in [(7, [[98; 3].as_slice(), &[99; 7]].concat()), (25, vec![99; 10])] {
            let mut capture = Capture::new(None::<OwnedFd>, 10, Keeps::End);
            for number in 0..100_u8 {
                capture.take(&vec![number; length]);
                assert!(capture.captured.bytes.len() <= 20, "{number}");
            }
            let captured = capture.into_captured();
            let dropped = u64::try_from(length * 100 - end.len()).unwrap();
            assert_eq!((captured.bytes, captured.dropped), (end, dropped));
        }
    }
}
