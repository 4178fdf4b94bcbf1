//! Which process is meant by a process id: ids are used again, an id with a start time is not.

use std::fs;

/// A process, as `/proc` knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessState {
    /// When it started, in clock ticks since the machine did.
    pub start_time: u64,
    /// It has ended, but nobody has asked for its exit code yet.
    pub ended: bool,
}

/// Looks a process up; `None` when there is none (or no `/proc`).
pub(super) fn look_up(pid: u32) -> Option<ProcessState> {
    parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Reads `/proc/<pid>/stat`: `pid (name) state … start_time …`, where the name may hold anything, `)` included.
pub(crate) fn parse(stat: &[u8]) -> Option<ProcessState> {
    let after_name = stat.get(memchr::memrchr(b')', stat)? + 1..)?;
    let mut fields = std::str::from_utf8(after_name).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    // The state is field 3 of proc(5), the start time field 22.
    let start_time = fields.nth(18)?.parse().ok()?;
    Some(ProcessState { start_time, ended: matches!(state, "Z" | "X" | "x") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let stat = b"42 (a ) Z (b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 98765 20 21";
        let expected = ProcessState { start_time: 98765, ended: false };
        assert_eq!(parse(stat), Some(expected));
    }

    #[test]
    fn a_zombie_has_ended() {
        let stat = b"42 (x) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 7 20";
        assert!(parse(stat).is_some_and(|state| state.ended));
    }

    #[test]
    fn this_process_is_found_and_nonsense_is_not() {
        assert!(look_up(std::process::id()).is_some_and(|state| !state.ended));
        for nonsense in [b"".as_slice(), b"1 (", b"1 (x)", b"1 (x) S 1 2", b"1 (\xff) S a"] {
            assert_eq!(parse(nonsense), None);
        }
    }
}
