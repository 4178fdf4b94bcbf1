//! A socket that carries messages and open files.
//!
//! A message is its length (four bytes, little endian) and JSON. Open files travel with its first byte at the latest,
//! so that they are there when the message is complete; the message itself says how many are its own.

use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};
use serde::{Serialize, de::DeserializeOwned};

/// Open files that one message can carry (the kernel's own limit is 253).
pub(crate) const FILES_PER_MESSAGE: usize = 32;

/// A message beyond this is nonsense: the longest command line that Linux takes is a tenth of it.
const LONGEST_MESSAGE: usize = 64 * 1024 * 1024;

/// Bytes read at once.
const CHUNK: usize = 16 * 1024;

/// What one read brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// Something.
    Bytes,
    /// The other side is gone, or talks nonsense.
    End,
}

/// Sends one message with its open files.
///
/// Never raises SIGPIPE; a peer that is gone is an error.
pub(crate) fn send<M: Serialize>(
    socket: &UnixStream,
    message: &M,
    files: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let frame = encode(message)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES_PER_MESSAGE))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !files.is_empty() && !control.push(SendAncillaryMessage::ScmRights(files)) {
        return Err(io::Error::from(Errno::TOOMANYREFS));
    }
    let mut rest: &[u8] = &frame;
    while !rest.is_empty() {
        match rustix::net::sendmsg(socket, &[IoSlice::new(rest)], &mut control, SendFlags::NOSIGNAL) {
            Ok(sent) => {
                rest = rest.get(sent..).unwrap_or_default();
                control.clear();
            }
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn encode<M: Serialize>(message: &M) -> io::Result<Vec<u8>> {
    let mut frame = vec![0; 4];
    serde_json::to_writer(&mut frame, message)?;
    let length = u32::try_from(frame.len() - 4).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    if let Some(head) = frame.first_chunk_mut::<4>() {
        *head = length.to_le_bytes();
    }
    Ok(frame)
}

/// The receiving end: bytes and open files that no complete message has claimed yet.
#[derive(Debug, Default)]
pub struct Inbox {
    bytes: Vec<u8>,
    files: VecDeque<OwnedFd>,
}

impl Inbox {
    /// Reads once; blocks until there is something.
    pub(crate) fn receive(&mut self, socket: &UnixStream) -> io::Result<Received> {
        let mut chunk = [0; CHUNK];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES_PER_MESSAGE))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let received = loop {
            let parts = &mut [IoSliceMut::new(&mut chunk)];
            // Close-on-exec from the first moment: no child may inherit what is passed here.
            match rustix::net::recvmsg(socket.as_fd(), parts, &mut control, RecvFlags::CMSG_CLOEXEC) {
                Ok(received) => break received,
                Err(Errno::INTR) => {}
                Err(Errno::CONNRESET) => return Ok(Received::End),
                Err(error) => return Err(error.into()),
            }
        };
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(files) = message {
                self.files.extend(files);
            }
        }
        if received.bytes == 0 || received.flags.contains(ReturnFlags::CTRUNC) {
            return Ok(Received::End);
        }
        self.push(chunk.get(..received.bytes).unwrap_or_default());
        Ok(Received::Bytes)
    }

    /// Takes bytes as if they had been read.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next complete message, if there is one. An error is final: the peer talks nonsense.
    pub fn message<M: DeserializeOwned>(&mut self) -> io::Result<Option<M>> {
        let Some(head) = self.bytes.first_chunk::<4>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*head) as usize;
        if length > LONGEST_MESSAGE {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        let Some(body) = self.bytes.get(4..4 + length) else {
            return Ok(None);
        };
        let message = serde_json::from_slice(body)?;
        self.bytes.drain(..4 + length);
        Ok(Some(message))
    }

    /// Takes the open files that belong to a message. Fewer than asked for means that the peer talks nonsense.
    pub(crate) fn files(&mut self, count: usize) -> io::Result<Vec<OwnedFd>> {
        if self.files.len() < count {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        Ok(self.files.drain(..count).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::Shutdown;

    use proptest::prelude::*;

    use super::*;

    fn read_all(inbox: &mut Inbox) -> Vec<String> {
        std::iter::from_fn(|| inbox.message().unwrap()).collect()
    }

    proptest! {
        #[test]
        fn any_division_of_the_bytes_gives_the_same_messages(
            messages in prop::collection::vec(".{0,40}", 0..8),
            sizes in prop::collection::vec(1_usize..50, 1..20),
        ) {
            let bytes: Vec<u8> = messages.iter().flat_map(|message| encode(message).unwrap()).collect();
            let mut inbox = Inbox::default();
            let mut seen = Vec::new();
            let mut rest: &[u8] = &bytes;
            for size in sizes.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (now, later) = rest.split_at((*size).min(rest.len()));
                inbox.push(now);
                seen.extend(read_all(&mut inbox));
                rest = later;
            }
            prop_assert_eq!(seen, messages);
        }

        #[test]
        fn nonsense_is_refused_and_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut inbox = Inbox::default();
            inbox.push(&bytes);
            while let Ok(Some(_)) = inbox.message::<String>() {}
        }
    }

    #[test]
    fn files_arrive_with_their_message_and_close_on_exec() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (mut reader, writer) = io::pipe().unwrap();
        send(&ours, &"first", &[]).unwrap();
        send(&ours, &"second", &[writer.as_fd()]).unwrap();
        drop((ours, writer));

        let mut inbox = Inbox::default();
        while inbox.receive(&theirs).unwrap() == Received::Bytes {}
        assert_eq!(inbox.message::<String>().unwrap().unwrap(), "first");
        assert_eq!(inbox.message::<String>().unwrap().unwrap(), "second");
        let file = inbox.files(1).unwrap().pop().unwrap();
        assert!(rustix::io::fcntl_getfd(&file).unwrap().contains(rustix::io::FdFlags::CLOEXEC));
        std::fs::File::from(file).write_all(b"through").unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "through");
        assert!(inbox.files(1).is_err(), "a file that was never sent");
    }

    #[test]
    fn a_message_larger_than_the_socket_goes_through() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let long = "x".repeat(3_000_000);
        let copy = long.clone();
        let sender = std::thread::spawn(move || send(&ours, &copy, &[]).unwrap());
        let mut inbox = Inbox::default();
        while inbox.receive(&theirs).unwrap() == Received::Bytes {}
        sender.join().unwrap();
        assert_eq!(inbox.message::<String>().unwrap().unwrap(), long);
    }

    #[test]
    fn a_peer_that_is_gone_is_an_error_and_no_signal() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        theirs.shutdown(Shutdown::Both).unwrap();
        drop(theirs);
        assert_eq!(send(&ours, &"x", &[]).unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
