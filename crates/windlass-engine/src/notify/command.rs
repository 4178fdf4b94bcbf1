//! A shell command as a sink, below a keeper of its own: nothing that it starts outlives it, or the run.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{MemfdFlags, memfd_create};
use windlass_core::notification::{Notification, Priority};
use windlass_core::values::{Ended, Named};

use super::{SinkAnswer, SinkOutcome};
use crate::guard;
use windlass_core::spec::GuardedFile;
use windlass_git::inventory::Place;
use windlass_host::process::{Keeper, KeeperEvent, ProcessError, SpawnId, SpawnRequest, first_of};

/// The command that is none: a notification of the desktop.
const DESKTOP: &str = "desktop";

/// How long the keeper may take to end what a command left.
const SWEEP: Duration = Duration::from_secs(3);

/// How much of its output is read for the reason of a failure, in bytes.
const OUTPUT_READ: u64 = 1024;

/// Where commands run.
#[derive(Clone, Debug)]
pub struct CommandRoom {
    /// The windlass program, absolute: the keeper is started from it.
    pub program: PathBuf,
    /// The environment that commands inherit.
    pub environment: Vec<(OsString, OsString)>,
    /// Where they run, absolute.
    pub directory: PathBuf,
    /// The project, where guests may change the scripts in it that commands start; `None` where there are none.
    pub project: Option<Place>,
}

/// A command, and the keeper that it runs below once it was needed.
pub(super) struct CommandSink {
    command: String,
    room: CommandRoom,
    /// What it starts of the project, as it was when the session began.
    files: Vec<GuardedFile>,
    keeper: Arc<Mutex<Option<Keeper>>>,
    said: Option<Receiver<KeeperEvent>>,
    started: SpawnId,
}

/// Ends a command from another thread.
#[derive(Clone)]
pub(super) struct CommandEnd(Arc<Mutex<Option<Keeper>>>);

impl CommandEnd {
    /// Ends the command that is at work, and everything it started.
    pub fn end(&self) {
        if let Some(keeper) = lock(&self.0).take() {
            keeper.close();
        }
    }
}

impl CommandSink {
    pub fn new(command: String, room: CommandRoom) -> CommandSink {
        let files = room.project.as_ref().map(|place| guard::files_of(place, &command)).unwrap_or_default();
        CommandSink { command, room, files, keeper: Arc::default(), said: None, started: 0 }
    }

    pub fn command(&self) -> &str {
        &self.command
    }

    pub fn end(&self) -> CommandEnd {
        CommandEnd(Arc::clone(&self.keeper))
    }

    /// Runs the command with the notification on its standard input and waits for its end.
    pub fn run(&mut self, notification: &Notification, body: &str, timeout: Duration) -> SinkAnswer {
        self.try_run(notification, body, timeout).unwrap_or_else(|detail| {
            self.said = None;
            failed(super::one_line(&detail))
        })
    }

    fn try_run(
        &mut self,
        notification: &Notification,
        body: &str,
        timeout: Duration,
    ) -> Result<SinkAnswer, String> {
        // It runs outside the sandbox, with all that the person has: nothing that an agent wrote may be in it.
        if let Some(changed) =
            self.room.project.as_ref().and_then(|place| guard::first_changed(place, &self.files))
        {
            return Ok(failed(format!(
                "{changed} was changed since the session began: it is not run before the next one"
            )));
        }
        let deadline = Instant::now() + timeout;
        let input =
            in_memory(body.as_bytes()).map_err(|error| format!("its input cannot be made: {error}"))?;
        let output = in_memory(b"").map_err(|error| format!("its output cannot be kept: {error}"))?;
        self.ready().map_err(|error| error.to_string())?;
        self.started += 1;
        let id = self.started;
        let request = self.request(id, notification, input, &output).map_err(|error| error.to_string())?;
        if let Some(keeper) = lock(&self.keeper).as_ref() {
            keeper.spawn(request).map_err(|error| error.to_string())?;
        }
        let ended = self.wait(deadline, |event| match event {
            KeeperEvent::Exited { id: which, ended } if which == id => Some(Ok(ended)),
            KeeperEvent::SpawnFailed { id: which, fault } if which == id => Some(Err(fault.to_string())),
            KeeperEvent::Died => Some(Err("its keeper died".to_owned())),
            _ => None,
        });
        self.sweep();
        let ended = ended.transpose()?;
        let said = read(output).unwrap_or_default();
        Ok(match ended {
            Some(Ended::Exited(0)) => {
                SinkAnswer { outcome: SinkOutcome::Accepted, status: Some(0), detail: String::new() }
            }
            Some(Ended::Exited(code)) => SinkAnswer { status: Some(code), ..failed(super::one_line(&said)) },
            Some(Ended::Signalled(signal)) => failed(format!("it was ended by signal {signal}")),
            Some(Ended::Lost) => failed("it was lost".to_owned()),
            None => failed(format!("it was ended after {} s", timeout.as_secs_f32())),
        })
    }

    fn request(
        &self,
        id: SpawnId,
        notification: &Notification,
        input: File,
        output: &File,
    ) -> io::Result<SpawnRequest> {
        let told = [
            ("WINDLASS_HOOK_EVENT", notification.key.event.name()),
            ("WINDLASS_HOOK_TITLE", &notification.title),
            ("WINDLASS_HOOK_MESSAGE", &notification.body),
            ("WINDLASS_HOOK_PRIORITY", notification.priority.name()),
        ];
        let mut environment = self.room.environment.clone();
        let clean = |text: &str| text.replace('\0', "");
        environment.extend(told.iter().map(|(name, value)| (name.into(), clean(value).into())));
        let (program, arguments) = if self.command.trim() == DESKTOP {
            ("/usr/bin/env", on_the_desktop(notification.priority, &notification.title, &notification.body))
        } else {
            ("/bin/sh", vec!["-c".to_owned(), self.command.clone()])
        };
        Ok(SpawnRequest {
            id,
            program: program.into(),
            arguments: arguments.iter().map(|argument| clean(argument).into()).collect(),
            environment,
            directory: self.room.directory.clone(),
            stdin: OwnedFd::from(input),
            stdout: output.try_clone()?.into(),
            stderr: output.try_clone()?.into(),
        })
    }

    /// Sees to it that there is a keeper.
    fn ready(&mut self) -> Result<(), ProcessError> {
        if self.said.is_some() && lock(&self.keeper).is_some() {
            return Ok(());
        }
        let (say, said) = channel();
        let keeper = Keeper::start(&self.room.program, move |event| {
            let _ = say.send(event);
        })?;
        *lock(&self.keeper) = Some(keeper);
        self.said = Some(said);
        Ok(())
    }

    /// What the keeper says that matters; `None` when the time is up, or when somebody ended it.
    fn wait<T>(&self, deadline: Instant, matters: impl Fn(KeeperEvent) -> Option<T>) -> Option<T> {
        first_of(self.said.as_ref()?, deadline, matters)
    }

    /// Ends what is left of it, background processes included.
    fn sweep(&mut self) {
        let asked = lock(&self.keeper).as_ref().is_some_and(|keeper| keeper.kill_tree().is_ok());
        let gone = |event| matches!(event, KeeperEvent::TreeGone { .. } | KeeperEvent::Died).then_some(());
        if !asked || self.wait(Instant::now() + SWEEP, gone).is_none() {
            // The next one gets a new keeper; dropping this one ends all below it.
            lock(&self.keeper).take();
            self.said = None;
        }
    }
}

/// What shows it on the desktop. No shell reads it: a title is a title, whatever is in it.
fn on_the_desktop(priority: Priority, title: &str, body: &str) -> Vec<String> {
    let urgency = match priority {
        Priority::Low => "low",
        Priority::Default | Priority::High => "normal",
        Priority::Urgent => "critical",
    };
    ["notify-send", "--app-name=windlass", &format!("--urgency={urgency}"), "--", title, body]
        .map(str::to_owned)
        .to_vec()
}

fn failed(detail: String) -> SinkAnswer {
    SinkAnswer { outcome: SinkOutcome::TryAgain(None), status: None, detail }
}

fn lock(keeper: &Mutex<Option<Keeper>>) -> std::sync::MutexGuard<'_, Option<Keeper>> {
    keeper.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is on no disk: a full one keeps nobody from being told.
fn in_memory(bytes: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create("notification", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

/// The end of what was printed.
fn read(mut output: File) -> io::Result<String> {
    let length = output.seek(SeekFrom::End(0))?;
    output.seek(SeekFrom::Start(length.saturating_sub(OUTPUT_READ)))?;
    let mut bytes = Vec::new();
    output.take(OUTPUT_READ).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One whose keeper is gone, and has said this before.
    fn without_keeper(said: Option<KeeperEvent>) -> CommandSink {
        let room = CommandRoom {
            program: "/nowhere/windlass".into(),
            environment: Vec::new(),
            directory: "/".into(),
            project: None,
        };
        let mut sink = CommandSink::new("true".to_owned(), room);
        let (say, heard) = channel();
        said.map_or(Ok(()), |event| say.send(event)).unwrap();
        sink.said = Some(heard);
        sink
    }

    #[test]
    fn where_a_keeper_was_ended_another_one_is_started() {
        assert!(without_keeper(None).ready().is_err(), "there is no program that could be one");
    }

    #[test]
    fn a_keeper_that_cannot_be_asked_is_no_more_listened_to() {
        let mut sink = without_keeper(Some(KeeperEvent::Died));
        sink.sweep();
        assert!(sink.said.is_none());
    }
}
