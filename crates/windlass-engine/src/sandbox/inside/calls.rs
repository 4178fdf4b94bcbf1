//! What guests may not ask of the kernel, whatever files and networks they see: seccomp.
//!
//! Mounts hold only in the namespace that they were made in. Whoever may make a user namespace has mounts of his own in
//! it, can leave ours behind, and then rename what they lie on; with that they are gone for everybody. A socket of a
//! service is reached by its path from any network. And a file that is made to run as root does so outside, where no mount
//! of ours says otherwise. None of this can be said in mounts.

use std::collections::{BTreeMap, BTreeSet};
use std::env::consts::ARCH;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};
use serde::{Deserialize, Serialize};

/// What may be asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::sandbox) struct Calls {
    /// Sockets that may be made; `None` = all.
    pub sockets: Option<BTreeSet<Socket>>,
}

/// A kind of sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::sandbox) enum Socket {
    /// Those of this machine, by paths and names: whoever listens there may do anything. Connected pairs are always let be.
    Unix,
    /// Connections over IP.
    Stream,
    /// All else over IP.
    Datagram,
}

/// Refuses the rest to this thread and to all that it starts from now on.
pub fn restrict(calls: &Calls) -> Result<(), String> {
    for program in programs(calls).map_err(|error| format!("seccomp: {error}"))? {
        apply_filter(&program).map_err(|error| format!("seccomp: {error}"))?;
    }
    Ok(())
}

/// What is refused, and with which number.
fn programs(calls: &Calls) -> Result<[BpfProgram; 2], seccompiler::BackendError> {
    let arch = TargetArch::try_from(ARCH)?;
    let program = |refused: Refused, number: i32| -> Result<BpfProgram, seccompiler::BackendError> {
        let number = SeccompAction::Errno(number.unsigned_abs());
        SeccompFilter::new(refused.0, SeccompAction::Allow, number, arch)?.try_into()
    };
    Ok([program(forbidden(calls)?, libc::EPERM)?, program(unknown(), libc::ENOSYS)?])
}

/// What programs are told they may not do.
fn forbidden(calls: &Calls) -> Result<Refused, seccompiler::BackendError> {
    let mut refused = Refused::default();
    let user_namespace = bits(libc::CLONE_NEWUSER.unsigned_abs());
    refused.add(libc::SYS_unshare, vec![has(0, user_namespace)?])?;
    refused.add(libc::SYS_clone, vec![has(0, user_namespace)?])?;
    // Another way to ask for whatever is refused here.
    refused.always(libc::SYS_io_uring_setup);
    refused.marks()?;
    if let Some(sockets) = &calls.sockets {
        refused.sockets(sockets)?;
    }
    Ok(refused)
}

/// What programs are told this kernel does not have, so that they ask in an older way, which can be looked at.
fn unknown() -> Refused {
    let mut refused = Refused::default();
    refused.always(libc::SYS_clone3);
    refused.always(libc::SYS_openat2);
    refused
}

/// Calls, and the cases in which they are refused; without cases always.
#[derive(Debug, Default)]
struct Refused(BTreeMap<i64, Vec<SeccompRule>>);

impl Refused {
    fn always(&mut self, call: i64) {
        for call in spellings(call) {
            self.0.insert(call, Vec::new());
        }
    }

    /// Refused where all of these hold.
    fn add(&mut self, call: i64, conditions: Vec<SeccompCondition>) -> Result<(), seccompiler::BackendError> {
        let rule = SeccompRule::new(conditions)?;
        for call in spellings(call) {
            self.0.entry(call).or_default().push(rule.clone());
        }
        Ok(())
    }

    /// Files that run as whoever they belong to, which outside may be root.
    fn marks(&mut self) -> Result<(), seccompiler::BackendError> {
        let mark = bits(libc::S_ISUID);
        for (call, mode) in MODES {
            self.add(*call, vec![has(*mode, mark)?])?;
        }
        for (call, flags) in OPENINGS {
            // Otherwise nobody looks at the mode, and it is whatever was there.
            for makes in [libc::O_CREAT.unsigned_abs(), libc::O_TMPFILE.unsigned_abs()] {
                let made = has(*flags, bits(makes))?;
                self.add(*call, vec![made, has(*flags + 1, mark)?])?;
            }
        }
        Ok(())
    }

    fn sockets(&mut self, allowed: &BTreeSet<Socket>) -> Result<(), seccompiler::BackendError> {
        let internet = [libc::AF_INET, libc::AF_INET6];
        let mut families = internet.to_vec();
        // How a machine's own addresses are read.
        families.push(libc::AF_NETLINK);
        if allowed.contains(&Socket::Unix) {
            families.push(libc::AF_UNIX);
        } else {
            // One of a connected pair can be connected anew, unless it is a stream.
            self.add(libc::SYS_socketpair, vec![has(1, DATAGRAMS)?])?;
        }
        self.add(
            libc::SYS_socket,
            families.iter().map(|family| is_not(0, *family)).collect::<Result<_, _>>()?,
        )?;
        if allowed.contains(&Socket::Datagram) {
            return Ok(());
        }
        for family in internet {
            for kind in OTHER_THAN_STREAMS {
                self.add(libc::SYS_socket, vec![is(0, family)?, has(1, kind)?])?;
            }
            self.add(libc::SYS_socket, vec![is(0, family)?, is_not(2, 0)?, is_not(2, libc::IPPROTO_TCP)?])?;
        }
        // A connection that is made by sending.
        let fast_open = bits(libc::MSG_FASTOPEN.unsigned_abs());
        for (call, flags) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
            self.add(call, vec![has(flags, fast_open)?])?;
        }
        Ok(())
    }
}

/// Has the same number on every kind of machine; `libc` does not know it for all of them.
const FCHMODAT2: i64 = 452;

/// Calls that give a file its mode, and which of their arguments the mode is.
const MODES: &[(i64, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
];

/// The same of those that open files: their flags; the mode comes next.
const OPENINGS: &[(i64, u8)] = &[
    (libc::SYS_openat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1),
];

/// `SOCK_DGRAM` and what stands for it; no stream has this bit.
const DATAGRAMS: u64 = 2;

/// Every kind of socket but `SOCK_STREAM` has one of these bits.
const OTHER_THAN_STREAMS: [u64; 3] = [2, 4, 8];

/// How a call can be spelled here: 64-bit Intel has a second way.
fn spellings(call: i64) -> impl Iterator<Item = i64> {
    const SECOND: i64 = 0x4000_0000;
    let second = (ARCH == "x86_64").then_some(call | SECOND);
    std::iter::once(call).chain(second)
}

fn bits(value: u32) -> u64 {
    u64::from(value)
}

fn has(argument: u8, bits: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(bits), bits)
}

fn is(argument: u8, value: i32) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, bits(value.unsigned_abs()))
}

fn is_not(argument: u8, value: i32) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, bits(value.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_can_be_made_for_every_set_of_sockets() {
        let kinds = [Socket::Unix, Socket::Stream, Socket::Datagram];
        for chosen in 0..8_usize {
            let sockets = kinds.iter().enumerate().filter(|(place, _)| chosen >> place & 1 == 1);
            let calls = Calls { sockets: Some(sockets.map(|(_, kind)| *kind).collect()) };
            assert!(programs(&calls).is_ok(), "{calls:?}");
        }
        assert!(programs(&Calls::default()).is_ok());
    }

    #[test]
    fn kinds_of_sockets_are_told_apart_by_their_bits() {
        let others = [libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_SEQPACKET];
        let has = |kind: i32, bit: u64| bits(kind.unsigned_abs()) & bit != 0;
        for kind in others {
            assert!(OTHER_THAN_STREAMS.iter().any(|bit| has(kind, *bit)), "{kind}");
        }
        assert!(!OTHER_THAN_STREAMS.iter().any(|bit| has(libc::SOCK_STREAM, *bit)));
        assert!(has(libc::SOCK_DGRAM, DATAGRAMS) && has(libc::SOCK_RAW, DATAGRAMS));
        assert!(!has(libc::SOCK_SEQPACKET, DATAGRAMS));
    }
}
