//! A real terminal, with the keys a person presses.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use windlass_core::fact::{Class, Fact, StopReason};
use windlass_testkit::environment::wait_until;

use super::night::{Night, PATIENCE, calls, every_call};
use super::signals::BROOD;

const CTRL_C: &str = "\x03";
const CTRL_Z: &str = "\x1a";

/// A terminal of 80 columns with a program in its foreground.
struct Terminal {
    /// Our end; `None` once the window is closed.
    ours: Arc<Mutex<Option<File>>>,
    shown: Arc<Mutex<Vec<u8>>>,
    child: Child,
}

impl Terminal {
    /// Starts a program as the leader of a session whose terminal this is.
    fn start(command: &mut Command) -> Terminal {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let theirs =
            rustix::fs::open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())
                .unwrap();
        tcsetwinsize(&theirs, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let copy = || theirs.try_clone().unwrap();
        // A session's leader, so that the terminal becomes its own: what login does.
        let mut leading = Command::new("setsid");
        leading.arg("--ctty").arg("--wait").arg(command.get_program()).args(command.get_args());
        leading.current_dir(command.get_current_dir().unwrap()).env_clear();
        leading
            .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .env("TERM", "xterm-256color");
        let child = leading.stdin(copy()).stdout(copy()).stderr(copy()).spawn().unwrap();
        drop((leading, theirs));
        rustix::fs::fcntl_setfl(&ours, OFlags::RDWR | OFlags::NONBLOCK).unwrap();
        let ours = Arc::new(Mutex::new(Some(File::from(ours))));
        let shown = Arc::new(Mutex::new(Vec::new()));
        show(Arc::clone(&ours), Arc::clone(&shown));
        Terminal { ours, shown, child }
    }

    fn press(&self, keys: &str) {
        lock(&self.ours).as_mut().unwrap().write_all(keys.as_bytes()).unwrap();
    }

    /// Closes the window.
    fn close(&self) {
        lock(&self.ours).take();
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&lock(&self.shown)).into_owned()
    }

    fn wait_for(&self, text: &str) {
        assert!(wait_until(PATIENCE, || self.text().contains(text)), "{text:?} never came: {}", self.text());
    }

    /// Waits until it ends; its exit code.
    fn wait(&mut self) -> i32 {
        let ended = wait_until(PATIENCE, || self.child.try_wait().unwrap().is_some());
        assert!(ended, "it does not end: {}", self.text());
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Where a test failed; the rest goes with the test's place.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Takes what is shown, until nobody has the terminal any more or the window is closed.
fn show(ours: Arc<Mutex<Option<File>>>, shown: Arc<Mutex<Vec<u8>>>) {
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
    });
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stages(night: &Night) -> Vec<u8> {
    let stage = |fact: Fact| match fact {
        Fact::StopRequested { stage, .. } => Some(stage),
        _ => None,
    };
    night.facts().into_iter().filter_map(stage).collect()
}

fn wait_for_stage(night: &Night, wanted: u8) {
    night.wait_for_fact(
        "the stage",
        |fact| matches!(fact, Fact::StopRequested { stage, .. } if *stage == wanted),
    );
}

// rows: 71
#[test]
fn the_first_ctrl_c_lets_the_iteration_end() {
    let night = Night::with_git(&calls(&[
        "{ write = { path = 'begun', text = 'x' } }, { bash = 'while ! test -e go; do sleep 0.01; done' }, { write = { path = 'ended', text = 'x' } }",
    ]));
    let mut terminal = Terminal::start(&mut night.run_command(&[]));
    night.wait_for_file("begun");
    terminal.press(CTRL_C);
    wait_for_stage(&night, 1);
    terminal.wait_for("Ctrl-C again");
    night.env.write("go", "");
    assert_eq!(terminal.wait(), 130);
    assert_eq!(night.ended(), StopReason::Interrupted);
    assert_eq!(night.calls().iter().map(|call| call.class).collect::<Vec<_>>(), [Class::Success]);
    assert!(night.env.project().join("ended").exists());
    terminal.wait_for("windlass resume");
    night.assert_clean();
}

// rows: 70, 71
#[test]
fn the_second_asks_the_agent_and_the_third_kills_everything() {
    let hang = format!(
        "{{ ignore = ['TERM', 'INT', 'HUP'] }}, {BROOD} {{ write = {{ path = 'begun', text = 'x' }} }}, 'hang'"
    );
    let night = Night::with_git(&every_call(&hang)).set("WINDLASS_CLOCKS__GRACE", "10m");
    let mut terminal = Terminal::start(&mut night.run_command(&[]));
    night.wait_for_file("begun");
    for stage in 1..=3 {
        terminal.press(CTRL_C);
        wait_for_stage(&night, stage);
    }
    assert_eq!(terminal.wait(), 130);
    assert_eq!(stages(&night), [1, 2, 3]);
    assert_eq!(night.calls()[0].class, Class::Interrupted);
    night.assert_clean();
}

// rows: 71
#[test]
fn ctrl_z_stops_the_agent_and_the_clocks_and_fg_continues_them() {
    let counting = "{ bash = 'i=0; while test $i -lt 100; do i=$((i+1)); echo $i > count; sleep 0.01; test $i -gt 10 && while ! test -e go; do sleep 0.01; done; done' }";
    let night = Night::new(&every_call(counting)).set("WINDLASS_CLOCKS__SILENCE", "4s");
    // A shell with job control, as a person has it.
    let mut shell = night.env.command("bash");
    shell.args(["--norc", "--noprofile", "-i"]).env("PS1", "> ");
    let mut terminal = Terminal::start(&mut shell);
    let command = night.run_command(&["-m", "1", "--output", "quiet"]);
    let words: Vec<String> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| format!("'{}'", word.display()))
        .collect();
    terminal.press(&format!("export WINDLASS_CLOCKS__SILENCE=4s; {}; echo code=$?\n", words.join(" ")));
    night.wait_for_file("count");
    terminal.press(CTRL_Z);
    terminal.wait_for("Stopped");
    let stopped = || night.env.processes().into_iter().filter(|process| state(*process) == 'T').count();
    // windlass, its agent, the agent's shell (and its sleep): all but the keeper and the person's shell.
    assert!(wait_until(PATIENCE, || stopped() >= 3), "only {} processes are stopped", stopped());
    // Longer than the agent may be silent: its clock must not see it.
    let until = Instant::now() + Duration::from_secs(5);
    assert!(!wait_until(Duration::from_secs(5), || stopped() < 3), "it went on by itself");
    assert!(Instant::now() >= until);
    night.env.write("go", "");
    terminal.press("fg; echo end=$?\n");
    terminal.wait_for("end=0");
    terminal.press("exit\n");
    terminal.wait();
    assert_eq!(night.ended(), StopReason::MaxIterations);
    let calls = night.calls();
    assert_eq!((calls[0].class, calls[0].cut), (Class::Success, None));
    assert!(calls[0].duration < Duration::from_secs(5), "the clock ran on: {:?}", calls[0].duration);
    night.assert_clean();
}

// rows: 71
#[test]
fn a_terminal_that_is_closed_ends_nothing() {
    let night = Night::with_git(&calls(&[
        "{ write = { path = 'begun', text = 'x' } }, { bash = 'while ! test -e go; do sleep 0.01; done' }",
        "{ write = { path = 'second', text = 'x' } }",
    ]));
    let mut terminal = Terminal::start(&mut night.run_command(&["-m", "2"]));
    night.wait_for_file("begun");
    terminal.close();
    night.wait_for_fact(
        "the hang-up",
        |fact| matches!(fact, Fact::Noticed { text } if text.contains("terminal")),
    );
    night.env.write("go", "");
    assert_eq!(terminal.wait(), 0);
    assert_eq!(night.ended(), StopReason::MaxIterations);
    assert_eq!(
        night.calls().iter().map(|call| call.class).collect::<Vec<_>>(),
        [Class::Success, Class::Success]
    );
    night.assert_clean();
}

fn state(process: u32) -> char {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()).unwrap_or('?')
}
