//! The other end of a connection on this machine, as the kernel knows it.
//!
//! The kernel is asked for this one socket (`sock_diag(7)`). Its tables in `/proc/net` are read where it does not answer: it goes through
//! all of its hash table for them, which takes milliseconds.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};

/// `SOCK_DIAG_BY_FAMILY`, of a question and of its answer.
const BY_FAMILY: u16 = 20;

/// `NLM_F_REQUEST`: a question about one.
const REQUEST: u16 = 1;

/// `IPPROTO_TCP`.
const TCP: u8 = 6;

/// The length of a message's head, and of a whole question.
const LENGTHS: (usize, u32) = (16, 72);

/// `socket:[12345]`, as it stands in `/proc/<pid>/fd`: the socket that is bound to `bound` and connected to `connected`.
pub(super) fn socket_of(bound: SocketAddr, connected: SocketAddr) -> Option<String> {
    let (bound, connected) = (plain(bound), plain(connected));
    let inode = asked(bound, connected).or_else(|| in_tables(bound, connected))?;
    Some(format!("socket:[{inode}]"))
}

/// By the kernel's answer; `None` where it has none, or knows no such socket.
fn asked(bound: SocketAddr, connected: SocketAddr) -> Option<u64> {
    let flags = SocketFlags::CLOEXEC;
    let kernel =
        socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, Some(netlink::SOCK_DIAG)).ok()?;
    send(&kernel, &question(bound, connected), SendFlags::empty()).ok()?;
    let mut answer = [0; 512];
    // It has answered before the call that asked it has come back.
    let (length, _) = recv(&kernel, &mut answer, RecvFlags::DONTWAIT).ok()?;
    inode_of(answer.get(..length)?, bound, connected)
}

/// `struct nlmsghdr` and `struct inet_diag_req_v2`.
fn question(bound: SocketAddr, connected: SocketAddr) -> Vec<u8> {
    let family = if bound.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let mut question = Vec::new();
    question.extend(LENGTHS.1.to_ne_bytes());
    question.extend([BY_FAMILY.to_ne_bytes(), REQUEST.to_ne_bytes()].concat());
    // Its number, and who asks, which the kernel knows.
    question.extend([1_u32.to_ne_bytes(), [0; 4]].concat());
    question.extend([family.as_raw().to_ne_bytes()[0], TCP, 0, 0]);
    // In whatever state it is.
    question.extend(u32::MAX.to_ne_bytes());
    question.extend(bound.port().to_be_bytes());
    question.extend(connected.port().to_be_bytes());
    question.extend(words(bound.ip()));
    question.extend(words(connected.ip()));
    // Through whatever interface, and whenever it was made.
    question.extend([[0; 4], [0xff; 4], [0xff; 4]].concat());
    question
}

/// Four words in the order of the network; of an address of the older family three are nothing.
fn words(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(address) => {
            let [a, b, c, d] = address.octets();
            [a, b, c, d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        }
        IpAddr::V6(address) => address.octets(),
    }
}

/// The inode in an answer, `struct inet_diag_msg`, where it is about this socket. One that only listens is connected to nobody.
fn inode_of(answer: &[u8], bound: SocketAddr, connected: SocketAddr) -> Option<u64> {
    let (head, about) = answer.split_at_checked(LENGTHS.0)?;
    if head.get(4..6)? != BY_FAMILY.to_ne_bytes() {
        return None;
    }
    let is_ipv4 = u16::from(*about.first()?) == AddressFamily::INET.as_raw();
    let port = |at: usize| Some(u16::from_be_bytes(about.get(at..at + 2)?.try_into().ok()?));
    let address = |at: usize| -> Option<IpAddr> {
        let words: [u8; 16] = about.get(at..at + 16)?.try_into().ok()?;
        let [a, b, c, d, ..] = words;
        Some(if is_ipv4 { Ipv4Addr::new(a, b, c, d).into() } else { Ipv6Addr::from(words).into() })
    };
    let here = SocketAddr::new(address(8)?, port(4)?);
    let there = SocketAddr::new(address(24)?, port(6)?);
    let inode = u32::from_ne_bytes(about.get(68..72)?.try_into().ok()?);
    (plain(here) == bound && plain(there) == connected && inode != 0).then_some(inode.into())
}

fn in_tables(bound: SocketAddr, connected: SocketAddr) -> Option<u64> {
    ["/proc/net/tcp", "/proc/net/tcp6"].into_iter().find_map(|table| {
        let table = fs::read_to_string(table).ok()?;
        inode_in(&table, bound, connected)
    })
}

/// An address as it is, where it is written as one of the other family.
fn plain(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

/// The inode of such a socket, by one of the kernel's tables.
fn inode_in(table: &str, bound: SocketAddr, connected: SocketAddr) -> Option<u64> {
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_ascii_whitespace();
        let here = address(fields.nth(1)?)?;
        let there = address(fields.next()?)?;
        if plain(here) != bound || plain(there) != connected {
            return None;
        }
        // The tenth field; the third was read last.
        fields.nth(6)?.parse().ok().filter(|inode| *inode != 0)
    })
}

/// `0100007F:1F90`: words of four bytes in the machine's own order, and a port.
fn address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |from: usize| -> Option<[u8; 4]> {
        let digits = address.get(from..from + 8)?;
        u32::from_str_radix(digits, 16).ok().map(u32::to_ne_bytes)
    };
    let ip = match address.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?)),
        32 => {
            let words = [word(0)?, word(8)?, word(16)?, word(24)?].concat();
            IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(words).ok()?))
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, port))
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use proptest::prelude::*;

    use super::*;

    const TABLE: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
        \x20  0: 0100007F:20E1 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0 100 0 0 10 0\n\
        \x20  1: 0100007F:C350 0100007F:20E1 01 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 20 4 30 10 -1\n\
        \x20  2: 0100007F:20E1 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 12 1 0 20 4 30 10 -1\n";

    #[test]
    #[cfg(target_endian = "little")]
    fn the_other_end_is_found_in_the_kernels_table() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        assert_eq!(inode_in(TABLE, at("127.0.0.1:50000"), at("127.0.0.1:8417")), Some(4711));
        assert_eq!(inode_in(TABLE, at("127.0.0.1:8417"), at("127.0.0.1:50000")), Some(12));
        assert_eq!(inode_in(TABLE, at("127.0.0.1:50001"), at("127.0.0.1:8417")), None);
        let mapped = "head\n 0: 0000000000000000FFFF00000100007F:C350 0000000000000000FFFF00000100007F:20E1 \
            01 0:0 0:0 0 0 0 9 1\n";
        assert_eq!(inode_in(mapped, at("127.0.0.1:50000"), at("127.0.0.1:8417")), Some(9));
    }

    #[test]
    fn the_kernel_answers_what_its_tables_say() {
        for (at, to) in [("127.0.0.1:0", "127.0.0.1"), ("[::1]:0", "::1"), ("[::]:0", "127.0.0.1")] {
            let Ok(listener) = TcpListener::bind(at) else { continue };
            let port = listener.local_addr().unwrap().port();
            let stream = TcpStream::connect((to, port)).unwrap();
            let (accepted, remote) = listener.accept().unwrap();
            let local = plain(accepted.local_addr().unwrap());
            let remote = plain(remote);
            let ends = [(remote, local), (local, remote)].map(|(one, other)| {
                let by_table = in_tables(one, other);
                assert!(by_table.is_some(), "{at}");
                if let Some(asked) = asked(one, other) {
                    assert_eq!(Some(asked), by_table, "{at}");
                }
                by_table
            });
            assert_ne!(ends[0], ends[1]);
            let nobody = SocketAddr::new(remote.ip(), 1);
            // Not the one that listens.
            assert_eq!((asked(local, nobody), in_tables(local, nobody)), (None, None), "{at}");
            drop(stream);
        }
    }

    proptest! {
        #[test]
        fn whatever_the_table_says_reading_it_ends(table in any::<String>(), rows in "( [0-9A-F:]{0,40}){0,12}\n") {
            let any = SocketAddr::from(([127, 0, 0, 1], 1));
            let _ = inode_in(&table, any, any);
            let _ = inode_in(&format!("head\n{rows}"), any, any);
        }

        #[test]
        fn whatever_is_answered_reading_it_ends(
            mut answer in prop::collection::vec(any::<u8>(), 0..120),
            is_answer in any::<bool>(),
        ) {
            if is_answer && answer.len() > 6 {
                answer[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
            }
            let any = SocketAddr::from(([127, 0, 0, 1], 1));
            let _ = inode_of(&answer, any, any);
        }
    }
}
