//! A program that goes on without whoever started it.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use super::started::Started;

/// A program that was started apart: a process group of its own, so that no Ctrl-C of ours reaches it, nothing to read, and a file
/// for what it prints. Dropping this ends nothing.
#[derive(Debug)]
pub struct Apart(Option<Started>);

impl Apart {
    /// Starts it.
    pub fn start(
        program: &Path,
        arguments: &[OsString],
        directory: &Path,
        output: File,
    ) -> io::Result<Apart> {
        let errors = output.try_clone()?;
        #[expect(clippy::disallowed_methods, reason = "this is the place for what goes on without us")]
        let mut command = Command::new(program);
        command.args(arguments).current_dir(directory).process_group(0);
        command.stdin(Stdio::null()).stdout(output).stderr(errors);
        Started::spawn(&mut command).map(|started| Apart(Some(started)))
    }

    /// How it ended; `None` while it goes on.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.0.as_mut().map_or(Ok(None), |started| started.try_wait())
    }
}

impl Drop for Apart {
    /// It goes on, and is reaped when it ends.
    fn drop(&mut self) {
        if let Some(mut started) = self.0.take() {
            // Without a thread to give it, this process reaps it by its own end.
            let _ = thread::Builder::new().spawn(move || started.wait());
        }
    }
}
