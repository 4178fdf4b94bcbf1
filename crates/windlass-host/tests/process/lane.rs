//! A lane with a keeper, and ways to wait for what happens.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, PipeReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use windlass_core::values::Ended;
use windlass_host::process::{Keeper, KeeperEvent, SpawnId, SpawnRequest};

/// Nothing here takes this long; a loaded machine may.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// This program, which is a keeper as well.
pub fn this_program() -> PathBuf {
    std::env::current_exe().unwrap()
}

/// A duration for `sleep` by which processes of this test can be told from all others.
pub fn marker() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("1000.{:08}{:03}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// A keeper, and what it says.
pub struct Lane {
    pub keeper: Keeper,
    pub events: Receiver<KeeperEvent>,
}

impl Lane {
    pub fn start() -> Lane {
        let (tell, events) = channel();
        let keeper = Keeper::start(&this_program(), move |event| drop(tell.send(event))).unwrap();
        Lane { keeper, events }
    }

    /// The next event.
    pub fn event(&self) -> KeeperEvent {
        self.events.recv_timeout(PATIENCE).expect("the keeper says something")
    }

    /// Runs a shell script; returns its process and its output.
    pub fn run(&self, id: SpawnId, script: &str) -> (Pid, Printed) {
        let (printed, request) = shell(id, script);
        self.keeper.spawn(request).unwrap();
        match self.event() {
            KeeperEvent::Spawned { id: spawned, pid } if spawned == id => {
                (Pid::from_raw(pid).unwrap(), printed)
            }
            other => panic!("{other:?}"),
        }
    }

    /// Runs a shell script to its end; returns its output.
    pub fn output(&self, id: SpawnId, script: &str) -> String {
        let (_, printed) = self.run(id, script);
        assert_eq!(self.event(), KeeperEvent::Exited { id, ended: Ended::Exited(0) });
        printed.rest()
    }

    /// Kills everything and waits for it; returns what came before, without the last event.
    pub fn kill_tree(&self) -> Vec<KeeperEvent> {
        self.keeper.kill_tree().unwrap();
        let mut before = Vec::new();
        loop {
            match self.event() {
                KeeperEvent::TreeGone { left } => {
                    assert_eq!(left, [] as [i32; 0]);
                    return before;
                }
                other => before.push(other),
            }
        }
    }
}

/// What a script prints.
pub struct Printed(BufReader<PipeReader>);

impl Printed {
    /// The next line, without its end.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Everything up to the end of the pipe: waits until nobody holds it.
    pub fn rest(self) -> String {
        String::from_utf8(self.rest_as_bytes()).unwrap()
    }

    /// The same, whatever it is.
    pub fn rest_as_bytes(mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.0.read_to_end(&mut bytes).unwrap();
        bytes
    }

    /// The pipe itself, before anything was read.
    pub fn into_pipe(self) -> PipeReader {
        assert!(self.0.buffer().is_empty());
        self.0.into_inner()
    }

    /// Is the pipe at its end?
    pub fn is_closed(&mut self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let mut entry = [PollFd::new(self.0.get_ref(), PollFlags::IN)];
        poll(&mut entry, Some(&Timespec::default())).unwrap();
        entry[0].revents().contains(PollFlags::HUP)
    }
}

/// This program in another role. It is killed when this is dropped.
pub struct Role {
    child: Child,
    pub printed: Printed,
}

impl Role {
    #[expect(
        clippy::disallowed_methods,
        reason = "the runners that are killed here are no children of a keeper"
    )]
    pub fn play(words: &[&str], environment: &[(&str, &str)]) -> Role {
        let (reader, stdout) = io::pipe().unwrap();
        let mut command = Command::new(this_program());
        command.args(words).envs(environment.iter().copied()).stdin(Stdio::null()).stdout(stdout);
        Role { child: command.spawn().unwrap(), printed: Printed(BufReader::new(reader)) }
    }

    pub fn id(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap()
    }

    /// Kills it without a warning and reaps it; returns what it and its children print.
    pub fn kill(mut self) -> Printed {
        let (nothing, _) = io::pipe().unwrap();
        std::mem::replace(&mut self.printed, Printed(BufReader::new(nothing)))
    }
}

impl Drop for Role {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request for a shell script whose output can be read.
pub fn shell(id: SpawnId, script: &str) -> (Printed, SpawnRequest) {
    let (reader, stdout) = io::pipe().unwrap();
    let null = || File::options().read(true).write(true).open("/dev/null").unwrap().into();
    let request = SpawnRequest {
        id,
        program: "/bin/sh".into(),
        arguments: ["-c", script].map(OsString::from).to_vec(),
        environment: vec![("PATH".into(), std::env::var_os("PATH").unwrap())],
        directory: "/".into(),
        stdin: null(),
        stdout: stdout.into(),
        stderr: null(),
    };
    (Printed(BufReader::new(reader)), request)
}

/// Looks again and again until there is an answer.
pub fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = look() {
            return answer;
        }
        assert!(Instant::now() < deadline, "never: {what}");
        // sleep: a pause between two looks
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The living processes with this marker in their command line.
pub fn marked(marker: &str) -> Vec<Pid> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let ids = entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?));
    let is_marked = |id: &Pid| {
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(marker) && !matches!(state(*id), None | Some('Z' | 'X'))
    };
    ids.filter(|id| *id != rustix::process::getpid()).filter(is_marked).collect()
}

/// `sleep` itself, not a shell that will start it: with this marker.
pub fn sleepers(marker: &str) -> Vec<Pid> {
    let mut found = marked(marker);
    found.retain(|id| fs::read_to_string(format!("/proc/{id}/comm")).is_ok_and(|name| name == "sleep\n"));
    found
}

/// What a process is doing: the letter in `/proc`.
pub fn state(id: Pid) -> Option<char> {
    stat(id)?.first()?.chars().next()
}

/// The fields of `/proc/<pid>/stat` from the state on.
pub fn stat(id: Pid) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    Some(fields.split_ascii_whitespace().map(str::to_owned).collect())
}

/// One line of `/proc/<pid>/status`, its value.
pub fn status(id: Pid, name: &str) -> String {
    let text = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.unwrap_or_default().trim().to_owned()
}

/// The same in kilobytes.
pub fn kilobytes(id: Pid, name: &str) -> u64 {
    status(id, name).trim_end_matches(" kB").parse().unwrap()
}

/// Sends a signal.
pub fn signal(id: Pid, signal: Signal) {
    rustix::process::kill_process(id, signal).unwrap();
}
