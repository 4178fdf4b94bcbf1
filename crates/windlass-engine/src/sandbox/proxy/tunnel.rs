//! Bytes in both directions between two connections.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

/// How long both may be silent. An agent waits for its model for minutes.
const SILENCE: Duration = Duration::from_mins(30);

/// Carries bytes until one end is gone in both directions, or nothing was said for a long time.
pub fn tunnel<A: Connection, B: Connection>(one: &A, other: &B) {
    for set in [one.limit_silence(SILENCE), other.limit_silence(SILENCE)] {
        if set.is_err() {
            return;
        }
    }
    thread::scope(|scope| {
        let there = thread::Builder::new().spawn_scoped(scope, || carry(one, other));
        if there.is_ok() {
            carry(other, one);
        } else {
            one.hang_up(Shutdown::Both);
            other.hang_up(Shutdown::Both);
        }
    });
}

fn carry<A: Connection, B: Connection>(from: &A, to: &B) {
    let mut chunk = vec![0; 16 * 1024];
    let ended = loop {
        match from.get(&mut chunk) {
            Ok(0) => break Ok(()),
            Ok(read) => {
                if let Err(error) = to.put(chunk.get(..read).unwrap_or_default()) {
                    break Err(error);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break Err(error),
        }
    };
    if ended.is_ok() {
        // The other direction may go on: a request is over before its answer.
        to.hang_up(Shutdown::Write);
    } else {
        from.hang_up(Shutdown::Both);
        to.hang_up(Shutdown::Both);
    }
}

/// A connection that two threads can use.
pub trait Connection: Sync {
    fn get(&self, chunk: &mut [u8]) -> io::Result<usize>;
    fn put(&self, bytes: &[u8]) -> io::Result<()>;
    fn hang_up(&self, how: Shutdown);
    fn limit_silence(&self, silence: Duration) -> io::Result<()>;
}

macro_rules! connection {
    ($kind:ty) => {
        impl Connection for $kind {
            fn get(&self, chunk: &mut [u8]) -> io::Result<usize> {
                (&mut &*self).read(chunk)
            }

            fn put(&self, bytes: &[u8]) -> io::Result<()> {
                (&mut &*self).write_all(bytes)
            }

            fn hang_up(&self, how: Shutdown) {
                let _ = self.shutdown(how);
            }

            fn limit_silence(&self, silence: Duration) -> io::Result<()> {
                self.set_read_timeout(Some(silence))?;
                self.set_write_timeout(Some(silence))
            }
        }
    };
}

connection!(TcpStream);
connection!(UnixStream);
