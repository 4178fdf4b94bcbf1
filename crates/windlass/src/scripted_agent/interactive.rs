//! The scripted agent at a terminal: a call that is played without `-p`, for a person to talk to.

use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::thread;

use rustix::process::{Signal, getpid, kill_process};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use super::Setting;
use super::actions::{self, ToolOutput};
use super::player::{HANG, complain, misbehave};
use super::script::Call;
use super::steps::Step;

/// A call played as a conversation: plain text instead of events.
pub struct Conversation {
    setting: Setting,
}

impl Conversation {
    /// Gets ready.
    pub fn new(setting: Setting) -> Conversation {
        Conversation { setting }
    }

    /// Plays the call to its end; the exit code.
    pub fn play(mut self, call: &Call) -> u8 {
        for step in &call.steps {
            if let ControlFlow::Break(code) = self.step(step) {
                return code;
            }
        }
        0
    }

    fn step(&mut self, step: &Step) -> ControlFlow<u8> {
        match step {
            Step::Say(text) => say(&self.setting.fill_in(text)),
            Step::Result(outcome) => say(&self.setting.fill_in(&outcome.text)),
            Step::Stderr(text) => complain(&self.setting.fill_in(text)),
            Step::Ask(question) => return self.ask(question),
            Step::Sleep(pause) => thread::sleep(pause.0),
            Step::Exit(code) => return ControlFlow::Break(*code),
            Step::Hang => {
                thread::sleep(HANG);
                return ControlFlow::Break(70);
            }
            Step::Ignore(_)
            | Step::Trap(_)
            | Step::Die(_)
            | Step::Spawn(_)
            | Step::RawTerminal
            | Step::Suspend => {
                return misbehave(step, || match step {
                    Step::RawTerminal => raw_terminal(),
                    _ => kill_process(getpid(), Signal::STOP).map_err(io::Error::from),
                });
            }
            _ => return self.act(step),
        }
        ControlFlow::Continue(())
    }

    /// A person who closes the terminal ends the session.
    fn ask(&mut self, question: &str) -> ControlFlow<u8> {
        say(&self.setting.fill_in(question));
        let mut line = String::new();
        match io::stdin().lock().read_line(&mut line) {
            Ok(0) | Err(_) => ControlFlow::Break(0),
            Ok(_) => {
                line.trim_end_matches(['\r', '\n']).clone_into(&mut self.setting.answer);
                ControlFlow::Continue(())
            }
        }
    }

    fn act(&self, step: &Step) -> ControlFlow<u8> {
        let filled = |text: &str| self.setting.fill_in(text);
        let answer = match step {
            Step::Write(file) => actions::write(&filled(&file.path), &filled(&file.text)),
            Step::Append(file) => actions::append(&filled(&file.path), &filled(&file.text)),
            Step::Edit(edit) => actions::edit(edit),
            Step::Delete(step) => actions::delete(&step.path),
            Step::Move(step) => actions::rename(&step.from, &step.to),
            Step::Bash(bash) => actions::bash(bash),
            Step::Think(_) | Step::Tool(_) | Step::Read(_) => ToolOutput::Ok(String::new()),
            _ => {
                complain("this step is for calls, not for interactive sessions");
                return ControlFlow::Break(70);
            }
        };
        if let Err(error) = answer {
            say(&error);
        }
        ControlFlow::Continue(())
    }
}

fn raw_terminal() -> io::Result<()> {
    let mut modes = tcgetattr(io::stdin())?;
    modes.make_raw();
    Ok(tcsetattr(io::stdin(), OptionalActions::Now, &modes)?)
}

fn say(text: &str) {
    // A terminal that is gone hears nothing. The line end is one for raw terminals, too.
    let _ = write!(super::StandardOutput, "{}\r\n", text.replace('\n', "\r\n"));
}
