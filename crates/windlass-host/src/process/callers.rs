//! Who is at the other end of a connection on this machine: a person's program, or something that a run started.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::net::SocketAddr;

use rustix::process::Pid;

use super::RUN_VARIABLE;
use super::ancestry::is_windlass;
use super::connection::socket_of;
use super::entry;
use super::tree::{self, Process};

/// Something of a run's at the other end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guest {
    /// This process has the socket.
    Known(i32),
    /// Nobody who shows their sockets has it, and this process of a run of our user hides its own.
    Hidden(i32),
}

/// Does something of a run's hold the other end of a connection to us? Such are whatever lives below a keeper or another
/// windlass, whatever carries `WINDLASS_RUN`, and every windlass but this one: what a sandbox's proxy fetches, it fetches for a
/// guest. What another user's windlass started and we cannot look into is that user's: like any other program of theirs it has nothing
/// of ours. `remote` is the other end, `local` ours. One that comes from another machine has no owner here.
pub fn guest_at(remote: SocketAddr, local: SocketAddr) -> Option<Guest> {
    let socket = socket_of(remote, local)?;
    let everybody = tree::all();
    let guests = guests(&everybody);
    let mut hidden = None;
    for guest in &guests {
        match holds(*guest, &socket) {
            Ok(true) => return Some(Guest::Known(guest.as_raw_nonzero().get())),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => hidden = Some(*guest),
            // One that is gone has nothing.
            Ok(false) | Err(_) => {}
        }
    }
    let hidden = hidden?;
    let others = everybody.iter().map(|process| process.id).filter(|id| !guests.contains(id));
    let is_anothers = others.into_iter().any(|id| holds(id, &socket).unwrap_or_default());
    (!is_anothers).then(|| Guest::Hidden(hidden.as_raw_nonzero().get()))
}

/// What belongs to runs, but for this process.
fn guests(everybody: &[Process]) -> HashSet<Pid> {
    let own = rustix::process::getpid();
    let parents: HashMap<i32, i32> =
        everybody.iter().map(|process| (process.id.as_raw_nonzero().get(), process.parent)).collect();
    let ours = rustix::process::getuid().as_raw();
    let is_root = |id: Pid| id != own && (is_windlass(id) || carries_a_run(id)) && is_of(ours, user_of(id));
    let roots: HashSet<i32> = everybody
        .iter()
        .filter(|process| is_root(process.id))
        .map(|process| process.id.as_raw_nonzero().get())
        .collect();
    let is_below = |process: &&Process| {
        let start = process.id.as_raw_nonzero().get();
        let above = |id: &i32| parents.get(id).copied();
        // No longer than there are processes: what was read while they changed may go in a circle.
        std::iter::successors(Some(start), above).take(everybody.len()).any(|id| roots.contains(&id))
    };
    everybody.iter().filter(is_below).map(|process| process.id).filter(|id| *id != own).collect()
}

/// Whose processes are looked at? Root's page looks into everybody's; where nobody can tell whose one is, it is taken for ours.
fn is_of(ours: u32, user: Option<u32>) -> bool {
    user.is_none_or(|user| ours == 0 || user == ours)
}

/// Who started a process: its real user. The owner of its files in `/proc` is another one where it hides.
fn user_of(id: Pid) -> Option<u32> {
    real_user(&String::from_utf8_lossy(&entry::read(id, "status").ok()?))
}

/// `Uid:` and the real, effective, saved and file system's user.
fn real_user(status: &str) -> Option<u32> {
    status.lines().find_map(|line| line.strip_prefix("Uid:"))?.split_ascii_whitespace().next()?.parse().ok()
}

fn carries_a_run(id: Pid) -> bool {
    let prefix = format!("{RUN_VARIABLE}=");
    let environment = entry::read(id, "environ").unwrap_or_default();
    let mut entries = environment.split(|byte| *byte == 0);
    entries.any(|entry| entry.strip_prefix(prefix.as_bytes()).is_some_and(|run| !run.is_empty()))
}

/// Has this process the socket open?
fn holds(id: Pid, socket: &str) -> io::Result<bool> {
    for entry in fs::read_dir(entry::path(id, "fd"))? {
        let link = fs::read_link(entry?.path());
        if link.is_ok_and(|link| link.as_os_str() == socket) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn another_users_runs_are_that_users() {
        let status = "Name:\tkeeper\nUid:\t1000\t0\t0\t0\nGid:\t1000\t0\t0\t0\n";
        assert_eq!(real_user(status), Some(1000));
        assert_eq!(real_user("Name:\tUid\n"), None);
        assert_eq!(user_of(rustix::process::getpid()), Some(rustix::process::getuid().as_raw()));
        for (ours, user, counts) in [
            (1000, Some(1000), true),
            (1000, Some(1001), false),
            (1000, Some(0), false),
            (0, Some(1000), true),
            (1000, None, true),
        ] {
            assert_eq!(is_of(ours, user), counts, "{ours} {user:?}");
        }
    }

    #[test]
    fn a_connection_of_this_process_belongs_to_no_guest_and_has_a_socket() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let local = listener.local_addr().unwrap();
        let stream = TcpStream::connect(local).unwrap();
        let (_accepted, remote) = listener.accept().unwrap();
        assert!(holds(rustix::process::getpid(), &socket_of(remote, local).unwrap()).unwrap());
        drop(stream);
    }
}
