//! The process that holds the conversation of a call, where the agent is one that is talked with: it is started in the agent's
//! place, starts the agent (outside of a sandbox what shuts its door, which starts the agent), and talks with it.
//!
//! Its standard input is the prompt. Its standard output is what the agent says, byte for byte, and the notes of our side: so
//! a call's stream is kept and decoded as that of any other agent is.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use windlass_agents::{Conversation, Opening, Step};
use windlass_host::process::{SpawnRequest, Talk, TalkEvent};

/// The hidden subcommand of `windlass` that must call [`relay_main`]: `windlass relay OPENING PROGRAM [ARGUMENT]…`.
pub const RELAY_COMMAND: &str = "relay";

/// So long an agent may take to end once its standard input is closed, and once its turn was cancelled.
const LEAVE: Duration = Duration::from_secs(2);

/// The same once it was asked to end.
const LAST: Duration = Duration::from_secs(2);

/// So long what still holds the pipe of an agent that has ended is listened to.
const DRAIN: Duration = Duration::from_millis(500);

/// How often it is looked at whether a patience is over.
const LOOK: Duration = Duration::from_secs(1);

/// What it ends with where there is no conversation to hold.
const REFUSED: u8 = 125;

/// What a process ends with that was asked to.
const TERMINATED: u8 = 143;

/// The same request, with this process before it.
pub fn stand_before(program: &Path, opening: &Opening, request: SpawnRequest) -> SpawnRequest {
    let opening = serde_json::to_string(opening).unwrap_or_default();
    let mut arguments = vec![RELAY_COMMAND.into(), opening.into(), request.program.into_os_string()];
    arguments.extend(request.arguments);
    SpawnRequest { program: program.to_owned(), arguments, ..request }
}

/// What the process does, from its start to its end. `arguments` are those after its own name and the subcommand.
pub fn relay_main(arguments: &[OsString]) -> ExitCode {
    match hold(arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let said = format!("windlass {RELAY_COMMAND}: {error}\n");
            let _ = rustix::io::write(rustix::stdio::stderr(), said.as_bytes());
            ExitCode::from(REFUSED)
        }
    }
}

fn hold(arguments: &[OsString]) -> io::Result<u8> {
    let [opening, program, arguments @ ..] = arguments else {
        return Err(io::Error::other("an opening and a program are needed"));
    };
    let opening: Opening = serde_json::from_str(&opening.to_string_lossy())?;
    let mut prompt = Vec::new();
    io::stdin().lock().read_to_end(&mut prompt)?;
    let prompt = String::from_utf8_lossy(&prompt).into_owned();
    let conversation = opening.conversation(prompt);
    let talk = Talk::start(program, arguments).map_err(|error| {
        io::Error::new(error.kind(), format!("{} cannot be started: {error}", Path::new(program).display()))
    })?;
    Relay { conversation, talk, stage: Stage::Talking, is_closed: false, ended: None }.run()
}

/// How far the end has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Talking,
    /// All is said, or somebody wants an end: it has until then to leave by itself.
    Leaving(Instant),
    /// It was asked to end, and has until then.
    Ending(Instant),
    /// It has ended: what holds its pipe is listened to until then.
    Ended(Instant),
}

struct Relay {
    conversation: Box<dyn Conversation>,
    talk: Talk,
    stage: Stage,
    /// It prints no more.
    is_closed: bool,
    ended: Option<u8>,
}

/// Who wanted the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Nobody,
    Runner,
}

impl Relay {
    /// Says with what this process ends: well, where the agent had its say; else as the agent did.
    fn run(mut self) -> io::Result<u8> {
        let mut wanted = Wanted::Nobody;
        let first = self.conversation.begin();
        self.take(first)?;
        while !self.is_done() {
            match self.talk.next(LOOK.min(self.left())) {
                Some(TalkEvent::Printed(line)) => self.printed(&line)?,
                Some(TalkEvent::Closed) => self.is_closed = true,
                Some(TalkEvent::Ended(code)) => {
                    self.ended = Some(code);
                    self.stage = Stage::Ended(Instant::now() + DRAIN);
                }
                Some(TalkEvent::AskedToEnd) => {
                    wanted = Wanted::Runner;
                    let steps = self.conversation.cancel();
                    self.take(steps)?;
                    self.leave();
                }
                None => {}
            }
            self.lose_patience();
        }
        Ok(match (wanted, self.ended) {
            (Wanted::Runner, _) => TERMINATED,
            (Wanted::Nobody, _) if self.conversation.is_over() => 0,
            (Wanted::Nobody, code) => code.unwrap_or(TERMINATED),
        })
    }

    fn is_done(&self) -> bool {
        match self.stage {
            Stage::Ended(until) => self.is_closed || Instant::now() >= until,
            // What it leaves alive is its keeper's.
            Stage::Ending(until) => Instant::now() >= until,
            Stage::Talking | Stage::Leaving(_) => false,
        }
    }

    /// How long it may take until something has to be done.
    fn left(&self) -> Duration {
        match self.stage {
            Stage::Talking => LOOK,
            Stage::Leaving(until) | Stage::Ending(until) | Stage::Ended(until) => {
                until.saturating_duration_since(Instant::now())
            }
        }
    }

    fn lose_patience(&mut self) {
        if matches!(self.stage, Stage::Leaving(until) if Instant::now() >= until) {
            self.talk.terminate();
            self.stage = Stage::Ending(Instant::now() + LAST);
        }
    }

    fn leave(&mut self) {
        if self.stage == Stage::Talking {
            self.stage = Stage::Leaving(Instant::now() + LEAVE);
        }
    }

    fn printed(&mut self, line: &[u8]) -> io::Result<()> {
        print(line)?;
        // A piece of a line that is too long, or that never ended, is no message.
        let Some(message) = line.strip_suffix(b"\n") else { return Ok(()) };
        let steps = self.conversation.heard(message);
        self.take(steps)
    }

    fn take(&mut self, steps: Vec<Step>) -> io::Result<()> {
        for step in steps {
            match step {
                Step::Tell(line) => self.talk.tell(line),
                Step::Note(line) => print(format!("{line}\n").as_bytes())?,
                Step::End => {
                    self.talk.hang_up();
                    self.leave();
                }
            }
        }
        Ok(())
    }
}

/// Where nobody reads it any more, there is nobody to work for.
#[expect(clippy::disallowed_methods, reason = "it is a call's stream, and nothing that a person reads")]
fn print(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}
