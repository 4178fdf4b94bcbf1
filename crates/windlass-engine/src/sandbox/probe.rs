//! Which sandboxes this machine lets be.

use rustix::process::Uid;
use windlass_core::spec::{SandboxKind, SandboxSpec};

use super::bwrap::Bwrap;
use super::container;
use super::group::{Group, Limit};
use super::inside::{Strength, strength};

/// How one kind of sandbox fares here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Which.
    pub kind: SandboxKind,
    /// What does not hold in it here, a sentence each; or why it cannot be used.
    pub works: Result<Vec<String>, String>,
}

/// Tries one kind of sandbox; takes a second at most for those that are not containers.
pub fn probe(kind: &SandboxKind) -> Probe {
    let works = match kind {
        SandboxKind::None => Ok(vec!["nothing is locked in".to_owned()]),
        SandboxKind::Bwrap => Bwrap::find().map(|_| limits()),
        SandboxKind::Landlock => strength().map(|strength| weaknesses(strength).chain(limits()).collect()),
        SandboxKind::Docker(_) | SandboxKind::Podman(_) => container::probe(kind),
    };
    Probe { kind: kind.clone(), works }
}

/// What rules of the kernel do not hold.
fn weaknesses(strength: Strength) -> impl Iterator<Item = String> {
    let ports = (!strength.ports).then_some(
        "the network cannot be refused: the Landlock of this kernel is too old (Linux 6.7 is needed)",
    );
    let scopes = (!strength.scopes)
        .then_some("guests can signal this user's other processes (Linux 6.12 is needed to refuse it)");
    // A rule names a port and no address.
    let elsewhere = strength.ports.then_some(
        "with the network `hosts`, a server anywhere that listens on the same port as the proxy can be reached",
    );
    let always = "with the network, sockets of services (docker, D-Bus) stay reachable; .windlass/ and .git stay writable: \
         what steers git is put back after each attempt, and commits are not checked anew";
    [ports, elsewhere, scopes, Some(always)].into_iter().flatten().map(str::to_owned)
}

/// What cannot be limited here, whatever the kind.
fn limits() -> Vec<String> {
    let plan = SandboxSpec {
        memory: Some(1 << 40),
        processes: Some(1 << 20),
        millicpus: Some(1_000_000),
        ..SandboxSpec::default()
    };
    let group = Group::make(&plan, &format!("windlass-probe-{}", std::process::id()));
    not_held(&group.held, rustix::process::geteuid())
}

/// The same for a user, where groups hold these limits.
fn not_held(held: &[Limit], user: Uid) -> Vec<String> {
    let missing: Vec<&str> = Limit::ALL
        .iter()
        .filter(|limit| !held.contains(limit))
        // Without a group each user has a limit of its own; only root has none.
        .filter(|limit| **limit != Limit::Processes || user.is_root())
        .map(|limit| limit.key())
        .collect();
    if missing.is_empty() {
        return Vec::new();
    }
    vec![format!("{} cannot be held here: no control groups can be made", missing.join(" and "))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_group_holds_is_said_and_only_root_has_no_other_limit_of_processes() {
        let (root, somebody) = (Uid::ROOT, Uid::from_raw(1000));
        for (held, user, said) in [
            (&[][..], root, "sandbox.memory and sandbox.processes and sandbox.processors"),
            (&[], somebody, "sandbox.memory and sandbox.processors"),
            (&[Limit::Memory, Limit::Processors], root, "sandbox.processes"),
            (&[Limit::Memory, Limit::Processes], somebody, "sandbox.processors"),
        ] {
            let expected = format!("{said} cannot be held here: no control groups can be made");
            assert_eq!(not_held(held, user), [expected]);
        }
        assert!(not_held(&Limit::ALL, root).is_empty());
        assert!(not_held(&[Limit::Memory, Limit::Processors], somebody).is_empty());
    }
}
