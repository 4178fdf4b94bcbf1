//! What `/proc` has of one process.

use std::fs;
use std::io;
use std::path::PathBuf;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::process::Pid;

/// Bytes of a file that are read at first, and at most: the kernel takes no more than 6 MiB of arguments and environment together.
const SIZES: (usize, usize) = (16 << 10, 8 << 20);

/// The path of one of its files.
pub(super) fn path(id: Pid, name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{}/{name}", id.as_raw_nonzero()))
}

/// One of its files, read by one call: between two, the process may become another program, and the file then ends in the middle. There
/// are hundreds of them to be read, too.
pub(super) fn read(id: Pid, name: &str) -> io::Result<Vec<u8>> {
    let path = path(id, name);
    let (mut room, most) = SIZES;
    loop {
        let mut bytes = Vec::with_capacity(room);
        let file = openat(CWD, &path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        let read = rustix::io::read(&file, rustix::buffer::spare_capacity(&mut bytes))?;
        if read < room || room >= most {
            return Ok(bytes);
        }
        room *= 2;
    }
}

/// The program that it is.
pub(super) fn program(id: Pid) -> io::Result<PathBuf> {
    fs::read_link(path(id, "exe"))
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::process::Stdio;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "its environment is this test's")]
    fn a_file_is_read_whole_whatever_its_length() {
        let mut child = std::process::Command::new("cat")
            .env_clear()
            .envs([("SHORT", "1".to_owned()), ("LONG", "x".repeat(40_000))])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let id = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        // Once it answers, its environment is laid out.
        child.stdin.as_mut().unwrap().write_all(b"?").unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let read = read(id, "environ");
        drop(child.stdin.take());
        child.wait().unwrap();
        let read = read.unwrap();
        assert!(read.len() > 40_000, "{} bytes", read.len());
        assert!(read.ends_with(b"\0"));
        assert_eq!(super::read(id, "environ").map_err(|error| error.kind()), Err(io::ErrorKind::NotFound));
    }
}
