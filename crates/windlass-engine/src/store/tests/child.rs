//! Second processes: the test program calls itself again for one of its tests, which then plays a part.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{ChildStdout, Command, ExitStatus, Stdio};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// Where the part's scratch folder is; unset in an ordinary test.
const ROOT: &str = "WINDLASS_TEST_CHILD_ROOT";

/// A second process that plays a part. Killed when dropped.
pub(in crate::store) struct Child {
    process: std::process::Child,
    output: BufReader<ChildStdout>,
}

impl Child {
    /// The scratch folder, if this process is to play a part.
    pub fn root() -> Option<PathBuf> {
        std::env::var_os(ROOT).map(PathBuf::from)
    }

    /// Starts the ignored test of this full name (from the crate's root) as a second process.
    pub fn start(part: &str, root: &std::path::Path, environment: &[(&str, &str)]) -> Child {
        let mut command = this_program(part);
        command.env(ROOT, root).envs(environment.iter().copied());
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Child { process, output }
    }

    /// Waits until the part says this line.
    pub fn wait_for(&mut self, line: &str) {
        let mut said = String::new();
        while !said.ends_with(&format!("{line}\n")) {
            assert_ne!(self.output.read_line(&mut said).unwrap(), 0, "ended after {said:?}");
        }
    }

    /// SIGKILL; afterwards the process is a zombie until its end is asked for.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        let pid = Pid::from_raw(self.process.id().try_into().unwrap()).unwrap();
        waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
    }

    pub fn end(mut self) -> ExitStatus {
        drop(self.process.stdin.take());
        self.process.wait().unwrap()
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Plays a part to its end.
pub(in crate::store) fn run_child(
    part: &str,
    root: &std::path::Path,
    environment: &[(&str, &str)],
) -> ExitStatus {
    Child::start(part, root, environment).end()
}

#[expect(clippy::disallowed_methods, reason = "a test needs a second process")]
fn this_program(part: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "--ignored", "--nocapture", part]);
    command
}
