//! Processes that the scripted agent leaves behind: they are this program again (`windlass __agent-child ORDER`).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::setsid;
use serde::{Deserialize, Serialize};

use super::signals;
use super::steps::{Signal, Spawn};

/// The hidden verb.
pub const VERB: &str = "__agent-child";

/// What such a process is to do, handed over as JSON.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Order {
    /// Lead a session of its own.
    setsid: bool,
    /// Signals it ignores.
    ignore: Vec<Signal>,
    /// Start another process with this order and end at once.
    orphan: bool,
    /// How long it lives.
    lives_ms: u64,
    /// Where it writes its process id.
    pid_file: Option<PathBuf>,
    /// Become this shell command instead of living for a while.
    command: Option<String>,
}

/// Starts a process that outlives its step; returns when it is ready for whatever comes.
pub fn spawn(spawn: &Spawn) -> io::Result<()> {
    for number in 1..=spawn.count {
        let order = Order {
            setsid: spawn.setsid,
            ignore: spawn.ignore.clone(),
            orphan: spawn.orphan,
            lives_ms: u64::try_from(spawn.lives.as_millis()).unwrap_or(u64::MAX),
            pid_file: spawn.pid_file.as_ref().map(|path| numbered(path, number)),
            command: None,
        };
        // Its standard input is the write end of a pipe: it closes that end when it is ready.
        let (mut ready, promise) = io::pipe()?;
        let mut command = this_program(&order)?;
        command.stdin(promise);
        if !spawn.hold_stdout {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        let mut child = command.spawn()?;
        drop(command);
        ready.read_to_end(&mut Vec::new())?;
        if spawn.orphan {
            child.wait()?;
        }
    }
    Ok(())
}

/// A shell command in a session of its own.
pub fn in_own_session(command: &str) -> io::Result<Command> {
    this_program(&Order { setsid: true, command: Some(command.to_owned()), ..Order::default() })
}

/// The other side: does what the order says. Returns an exit code.
pub fn obey(order: &str) -> u8 {
    serde_json::from_str(order).map_err(io::Error::from).and_then(|order| live(&order)).map_or(70, |()| 0)
}

fn live(order: &Order) -> io::Result<()> {
    if order.orphan {
        return this_program(&Order { orphan: false, ..order.clone() })?.spawn().map(drop);
    }
    if order.setsid {
        setsid()?;
    }
    signals::ignore(&order.ignore)?;
    if let Some(command) = &order.command {
        return Err(shell(command).exec());
    }
    if let Some(path) = &order.pid_file {
        // Renamed into place, so that whoever waits for the file never reads half a number.
        let unfinished = path.with_extension("unfinished");
        fs::write(&unfinished, std::process::id().to_string())?;
        fs::rename(&unfinished, path)?;
    }
    let nothing: File = OpenOptions::new().read(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    thread::sleep(Duration::from_millis(order.lives_ms));
    Ok(())
}

fn numbered(path: &std::path::Path, number: u32) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

#[expect(clippy::disallowed_methods, reason = "the scripted agent plays an agent, which starts processes")]
fn this_program(order: &Order) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(VERB).arg(serde_json::to_string(order)?);
    Ok(command)
}

/// `sh -c command`.
#[expect(clippy::disallowed_methods, reason = "the scripted agent plays an agent, which starts processes")]
pub fn shell(command: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command);
    shell
}
