//! The process inside: it shuts what has to be shut from within, then starts what was meant and stands before it.
//!
//! Its order matters. Whatever it leaves open for itself, a guest could take from it; so the door is shut before it has
//! a second thread. Only the thread that keeps the way to the proxy open may make sockets that guests may not: so nobody
//! can look into this process, or lead it.

mod calls;
mod capabilities;
mod door;
mod forward;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rustix::process::{DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit};
use serde::{Deserialize, Serialize};

use super::SandboxError;
use windlass_host::file::AtPath;
use windlass_host::process::protocol::Text;
use windlass_host::process::stand_before;

pub(super) use calls::{Calls, Socket};
pub(super) use door::{Strength, strength};

use door::shut;

/// The hidden subcommand of `windlass` that must call [`inside_main`] and do nothing before it.
pub const INSIDE_COMMAND: &str = "sandbox-inside";

/// What it ends with when the door cannot be shut, or there is nobody to let in.
const REFUSED: u8 = 125;

/// What the process inside is to do, as the runner writes it down for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Orders {
    /// What the kernel is told; `None` = somebody else has shut the door already.
    pub door: Option<Door>,
    /// What guests may ask of the kernel.
    #[serde(default)]
    pub calls: Calls,
    /// Processes that this user may have; `None` = no limit.
    pub processes: Option<u32>,
    /// The proxy's socket; `None` = there is none.
    pub proxy: Option<Text>,
    /// Names of hosts that are reached without the proxy.
    pub direct: Vec<String>,
}

impl Orders {
    /// Writes them down where the process inside finds them.
    pub fn write(&self, file: &Path) -> Result<(), SandboxError> {
        let json = serde_json::to_vec(self).unwrap_or_default();
        // outside: the run's folder, above what guests can write.
        Ok(fs::write(file, json).at("write", file)?)
    }
}

/// What the kernel is told to let through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Door {
    /// Files and folders, with all below, that may be read.
    pub readable: Vec<Text>,
    /// The same for whatever may be done.
    pub writable: Vec<Text>,
    /// Ports that may be connected to.
    pub ports: Ports,
}

/// Ports that may be connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ports {
    /// All.
    All,
    /// That of the way to the proxy, where there is a proxy; otherwise none.
    Proxy,
}

/// What the process inside does, from its start to its end. `arguments`: the file of its orders, then a program and
/// its arguments.
pub fn inside_main(arguments: &[OsString]) -> ExitCode {
    match carry_out(arguments) {
        Ok(code) => ExitCode::from(code),
        Err(said) => {
            let _ = rustix::io::write(rustix::stdio::stderr(), format!("sandbox: {said}\n").as_bytes());
            ExitCode::from(REFUSED)
        }
    }
}

fn carry_out(arguments: &[OsString]) -> Result<u8, String> {
    let [file, program, arguments @ ..] = arguments else {
        return Err("there is nothing to start".to_owned());
    };
    let orders = read(Path::new(file))?;
    limit(orders.processes)?;
    let way =
        orders.proxy.map(|socket| forward::Way::open(PathBuf::from(OsString::from(socket)))).transpose();
    let way = way.map_err(|error| format!("the way to the proxy cannot be opened: {error}"))?;
    if let Some(door) = &orders.door {
        capabilities::drop_most().map_err(|error| format!("capabilities cannot be dropped: {error}"))?;
        shut(door, way.as_ref().map(forward::Way::port))?;
    }
    let environment = way.as_ref().map(|way| way.environment(&orders.direct)).unwrap_or_default();
    if let Some(way) = way {
        way.serve().map_err(|error| format!("the way to the proxy cannot be kept open: {error}"))?;
    }
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(|error| format!("this process cannot be closed: {error}"))?;
    calls::restrict(&orders.calls)?;
    stand_before(program, arguments, &environment)
        .map_err(|error| format!("cannot start {}: {error}", program.display()))
}

fn read(file: &Path) -> Result<Orders, String> {
    let said = |error: &dyn std::fmt::Display| format!("cannot read {}: {error}", file.display());
    // outside: orders of the run's folder.
    let bytes = fs::read(file).map_err(|error| said(&error))?;
    serde_json::from_slice(&bytes).map_err(|error| said(&error))
}

fn limit(processes: Option<u32>) -> Result<(), String> {
    let Some(processes) = processes.map(u64::from) else {
        return Ok(());
    };
    let now = getrlimit(Resource::Nproc);
    // A lower limit that holds already stays.
    let lower = |limit: Option<u64>| Some(limit.map_or(processes, |limit| limit.min(processes)));
    setrlimit(Resource::Nproc, Rlimit { current: lower(now.current), maximum: lower(now.maximum) })
        .map_err(|error| format!("the number of processes cannot be limited: {error}"))
}
