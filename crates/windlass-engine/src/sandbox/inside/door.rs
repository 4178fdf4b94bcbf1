//! Rules of the kernel for files, ports and signals: Landlock.

use std::ffi::OsString;
use std::os::fd::BorrowedFd;
use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};
// outside: of what is open.
use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat};

use super::{Door, Ports};
use windlass_host::process::protocol::Text;

/// The newest rules that we know; an older kernel holds what it can.
const NEWEST: ABI = ABI::V9;

/// The kernel's rules that hold at least; without them files could be cut off that may not be written.
const NEEDED: ABI = ABI::V3;

/// Shuts the door for this process and all that it starts. There must be no other thread.
pub fn shut(door: &Door, proxy: Option<u16>) -> Result<(), String> {
    let status = ruleset(door, proxy)
        .and_then(|ruleset| ruleset.restrict_self().map_err(|error| error.to_string()))
        .map_err(|error| format!("Landlock: {error}"))?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err("Landlock: the kernel did not enforce anything".to_owned());
    }
    Ok(())
}

fn ruleset(door: &Door, proxy: Option<u16>) -> Result<RulesetCreated, String> {
    let said = |error: landlock::RulesetError| error.to_string();
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))
        .map_err(said)?;
    if door.ports == Ports::Proxy {
        ruleset = ruleset.handle_access(AccessNet::ConnectTcp).map_err(said)?;
    }
    let mut created = ruleset
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))
        .and_then(|ruleset| ruleset.scope(Scope::AbstractUnixSocket | Scope::Signal))
        .and_then(Ruleset::create)
        .map_err(said)?;
    for path in &door.readable {
        created = allow(created, path, AccessFs::from_read(NEWEST)).map_err(said)?;
    }
    // A device that root makes is the disk that it names.
    let writing = AccessFs::from_all(NEWEST) & !(AccessFs::MakeBlock | AccessFs::MakeChar);
    for path in &door.writable {
        created = allow(created, path, writing).map_err(said)?;
    }
    created = allow_own_files(created).map_err(said)?;
    match (door.ports, proxy) {
        (Ports::Proxy, Some(port)) => {
            created.add_rule(NetPort::new(port, AccessNet::ConnectTcp)).map_err(said)
        }
        _ => Ok(created),
    }
}

/// What is not there needs no rule.
fn allow(
    ruleset: RulesetCreated,
    path: &Text,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, landlock::RulesetError> {
    let path = PathBuf::from(OsString::from(path.clone()));
    let Ok(opened) = PathFd::new(&path) else {
        return Ok(ruleset);
    };
    // outside: inside the sandbox itself.
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(NEWEST) };
    ruleset.add_rule(PathBeneath::new(opened, access))
}

/// What is open already may be opened again (`> /dev/stderr`), for what it was opened for.
fn allow_own_files(mut ruleset: RulesetCreated) -> Result<RulesetCreated, landlock::RulesetError> {
    for file in [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()] {
        if let Some(access) = access_of(file) {
            ruleset = ruleset.add_rule(PathBeneath::new(file, access))?;
        }
    }
    Ok(ruleset)
}

fn access_of(file: BorrowedFd<'_>) -> Option<BitFlags<AccessFs>> {
    let kind = FileType::from_raw_mode(fstat(file).ok()?.st_mode);
    if kind != FileType::RegularFile {
        return None;
    }
    let writes = fcntl_getfl(file).ok()?.intersects(OFlags::WRONLY | OFlags::RDWR);
    Some(if writes { AccessFs::WriteFile | AccessFs::Truncate } else { AccessFs::ReadFile.into() })
}

/// What the rules of this kernel can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    /// Connections can be refused by their port.
    pub ports: bool,
    /// Signals to, and abstract sockets of, whoever is outside can be refused.
    pub scopes: bool,
}

/// What this kernel can hold; or why it is of no use.
pub fn strength() -> Result<Strength, String> {
    // Asked with rules that are thrown away.
    let hard = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let files = |abi| hard().handle_access(AccessFs::from_all(abi)).and_then(Ruleset::create).is_ok();
    if !files(ABI::V1) {
        return Err("this kernel has no Landlock, or it is not switched on (lsm=landlock,…)".to_owned());
    }
    if !files(NEEDED) {
        return Err("the Landlock of this kernel is too old: Linux 6.2 is needed".to_owned());
    }
    Ok(Strength {
        ports: hard().handle_access(AccessNet::ConnectTcp).and_then(Ruleset::create).is_ok(),
        scopes: hard().scope(Scope::AbstractUnixSocket | Scope::Signal).and_then(Ruleset::create).is_ok(),
    })
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn a_file_that_is_open_may_be_opened_again_for_what_it_was_opened_for() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(access_of(file.as_file().as_fd()), Some(AccessFs::WriteFile | AccessFs::Truncate));
        let reader = std::fs::File::open(file.path()).unwrap();
        assert_eq!(access_of(reader.as_fd()), Some(AccessFs::ReadFile.into()));
        let (reader, writer) = std::io::pipe().unwrap();
        assert_eq!([access_of(reader.as_fd()), access_of(writer.as_fd())], [None, None]);
    }
}
