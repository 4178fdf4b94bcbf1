//! A real terminal, with the keys a person presses.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::wait_until;

/// Longer than anything at a terminal takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A terminal of 80 columns with a program in its foreground.
#[derive(Debug)]
pub struct PersonsTerminal {
    /// Our end; `None` once the window is closed.
    ours: Arc<Mutex<Option<File>>>,
    shown: Arc<Mutex<Vec<u8>>>,
    child: Child,
    reader: JoinHandle<()>,
}

impl PersonsTerminal {
    /// Starts a program as the leader of a session whose terminal this is.
    ///
    /// # Panics
    /// Where there is no terminal to be had.
    pub fn start(command: &mut Command) -> PersonsTerminal {
        let ours =
            openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
        grantpt(&ours).expect("a terminal");
        unlockpt(&ours).expect("a terminal");
        let name = ptsname(&ours, Vec::new()).expect("a terminal");
        let theirs =
            rustix::fs::open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())
                .expect("a terminal");
        tcsetwinsize(&theirs, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 })
            .expect("a terminal");
        let copy = || theirs.try_clone().expect("a terminal");
        // A session's leader, so that the terminal becomes its own: what login does.
        let mut leading = Command::new("setsid");
        leading.arg("--ctty").arg("--wait").arg(command.get_program()).args(command.get_args());
        leading.current_dir(command.get_current_dir().expect("a terminal")).env_clear();
        leading
            .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .env("TERM", "xterm-256color");
        let child = leading.stdin(copy()).stdout(copy()).stderr(copy()).spawn().expect("a terminal");
        drop((leading, theirs));
        rustix::fs::fcntl_setfl(&ours, OFlags::RDWR | OFlags::NONBLOCK).expect("a terminal");
        let ours = Arc::new(Mutex::new(Some(File::from(ours))));
        let shown = Arc::new(Mutex::new(Vec::new()));
        let reader = show(Arc::clone(&ours), Arc::clone(&shown));
        PersonsTerminal { ours, shown, child, reader }
    }

    /// Presses keys.
    ///
    /// # Panics
    /// Where the window is closed.
    pub fn press(&self, keys: &str) {
        lock(&self.ours).as_mut().expect("a terminal").write_all(keys.as_bytes()).expect("a terminal");
    }

    /// Makes the window this large; the program is told.
    ///
    /// # Panics
    /// Where the window is closed.
    pub fn resize(&self, columns: u16, rows: u16) {
        let terminal = lock(&self.ours);
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(terminal.as_ref().expect("a terminal"), size).expect("a terminal");
    }

    /// Closes the window.
    pub fn close(&self) {
        lock(&self.ours).take();
    }

    /// All that was shown so far.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&lock(&self.shown)).into_owned()
    }

    /// Waits until a text was shown.
    ///
    /// # Panics
    /// Where that takes too long.
    pub fn wait_for(&self, text: &str) {
        assert!(wait_until(PATIENCE, || self.text().contains(text)), "{text:?} never came: {}", self.text());
    }

    /// The program's process id: `setsid` becomes it.
    pub fn program(&self) -> u32 {
        self.child.id()
    }

    /// Are keys echoed and handed on line by line, as a shell wants it?
    pub fn is_ordinary(&self) -> bool {
        let modes = lock(&self.ours).as_ref().and_then(|terminal| tcgetattr(terminal).ok());
        modes.is_some_and(|modes| {
            modes.local_modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
        })
    }

    /// Waits until it ends; its exit code.
    ///
    /// # Panics
    /// Where that takes too long, or a signal ended it.
    pub fn wait(&mut self) -> i32 {
        let ended = wait_until(PATIENCE, || self.child.try_wait().expect("a terminal").is_some());
        assert!(ended, "it does not end: {}", self.text());
        // Its last words. Whoever still has the terminal then has more time than it needs for them.
        let _ = wait_until(Duration::from_secs(2), || self.reader.is_finished());
        self.child.wait().expect("a terminal").code().expect("a terminal")
    }
}

impl Drop for PersonsTerminal {
    fn drop(&mut self) {
        // Where a test failed; the rest goes with the test's place.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Takes what is shown, until nobody has the terminal any more or the window is closed.
fn show(ours: Arc<Mutex<Option<File>>>, shown: Arc<Mutex<Vec<u8>>>) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        loop {
            let Some(read) = lock(&ours).as_mut().map(|terminal| terminal.read(&mut buffer)) else { return };
            match read {
                Ok(count @ 1..) => lock(&shown).extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    // sleep: a pause between two looks
                    thread::sleep(Duration::from_millis(5));
                }
                _ => return,
            }
        }
    })
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
