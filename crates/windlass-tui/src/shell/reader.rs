//! The thread that reads: what is shown is looked at again and again, and what changed is told.
//!
//! It reads the files of runs and nothing else, through windlass-app. A view that is slow is told less often; no run ever is.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use windlass_app::diff::DiffRun;
use windlass_app::inspect::{KnownRun, ListedRun, Machine, ReportRequest};
use windlass_app::stop::Stopping;
use windlass_app::transcript::{self, Hit, Recording, Transcript};
use windlass_app::{App, AppError};
use windlass_core::values::{CallId, StopSource};
use windlass_ui::{Terminal, Tone, one_line, report_text};

use super::open::{Landed, Open, listed, place};
use super::{First, Happening, export, fault};
use crate::state::{Ask, Direction, Ending, News, Part, Placing, Row, RunPlace, Tab, Topic, Wanted};
use crate::transcript::{lines, part, patch};

/// How often a run at work is looked at.
const LIVE: Duration = Duration::from_millis(100);

/// How often anything else is.
const PAST: Duration = Duration::from_secs(1);

/// Pages of what came meanwhile that are read one after another; beyond that the view goes on with the last one.
const PAGES: usize = 4;

/// Lines of a patch that are shown.
const PATCH: usize = 20_000;

/// Columns that a report is made for at most.
const REPORT: usize = 100;

/// What the reader is to do.
pub enum Command {
    /// This is shown from now on.
    Look(Wanted),
    /// Another part of the transcript.
    Read(Ask),
    /// Look for a text in the transcript.
    Find {
        /// What.
        needle: String,
        /// From which byte on.
        byte: u64,
        /// Which way.
        direction: Direction,
    },
    /// End a run.
    Stop(RunPlace, Ending),
    /// Write all of it to a file.
    Export(Topic),
}

/// The transcript that is shown.
struct Shown {
    call: CallId,
    transcript: Transcript,
    /// Where the next part begins.
    next: u64,
    /// Its size, as it was told.
    size: u64,
    /// The call has ended, and all of it was read since.
    over: bool,
}

/// It.
pub struct Reader {
    app: App,
    zone: TimeZone,
    report: Terminal,
    commands: Receiver<Command>,
    sender: Sender<Happening>,
    machine: Machine,
    /// When the list was looked at last.
    listed: Option<Instant>,
    /// The run with which the view began, before any list was read.
    first: Option<KnownRun>,
    wanted: Option<Wanted>,
    open: Option<Open>,
    shown: Option<Shown>,
    /// What was told of the topic that is shown.
    topic: Option<Topic>,
    /// A run that is to be ended now, once it has written down that it is to stop.
    pressing: Option<Stopping>,
}

/// Nobody wants to know any more.
struct Gone;

impl Reader {
    /// Reads for a view; what it is to do is sent to the second value.
    pub fn new(
        app: &App,
        terminal: &Terminal,
        first: &First,
        sender: Sender<Happening>,
    ) -> Result<(Reader, Sender<Command>), AppError> {
        let (send, commands) = channel();
        let first = match first {
            First::Night => None,
            First::Run(known) => Some(known.clone()),
        };
        let width = terminal.width.unwrap_or(REPORT).min(REPORT);
        let reader = Reader {
            app: app.clone(),
            zone: terminal.zone.clone(),
            report: Terminal { colour: false, width: Some(width.saturating_sub(1)), ..terminal.clone() },
            commands,
            sender,
            machine: Machine::new()?,
            listed: None,
            first,
            wanted: None,
            open: None,
            shown: None,
            topic: None,
            pressing: None,
        };
        Ok((reader, send))
    }

    /// Reads until nobody wants to know any more.
    pub fn read(mut self) {
        fault::panic_in("reader");
        while let Ok(()) = self.turn() {}
    }

    fn turn(&mut self) -> Result<(), Gone> {
        self.look()?;
        let is_live = self.open.as_ref().is_some_and(|open| open.live) || self.pressing.is_some();
        let wait = if is_live { LIVE } else { PAST };
        match self.commands.recv_timeout(wait) {
            Ok(command) => self.obey(command),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => Err(Gone),
        }
    }

    fn tell(&self, news: News) -> Result<(), Gone> {
        self.sender.send(Happening::News(news)).map_err(|_| Gone)
    }

    fn note(&self, said: impl Into<String>) -> Result<(), Gone> {
        self.tell(News::Note(said.into()))
    }

    fn obey(&mut self, command: Command) -> Result<(), Gone> {
        match command {
            Command::Look(wanted) => {
                let is_other = self.open.as_ref().map(|open| &open.place) != wanted.run.as_ref();
                if is_other {
                    (self.open, self.shown, self.topic) = (None, None, None);
                }
                self.wanted = Some(wanted);
                Ok(())
            }
            Command::Read(ask) => self.read_part(ask),
            Command::Find { needle, byte, direction } => self.find(&needle, byte, direction),
            Command::Stop(place, ending) => self.stop(&place, ending),
            Command::Export(topic) => self.export(&topic),
        }
    }

    fn look(&mut self) -> Result<(), Gone> {
        let Some(wanted) = self.wanted.clone() else { return Ok(()) };
        if wanted.night {
            self.look_at_night()?;
        }
        if let Some(place) = &wanted.run {
            self.look_at_run(place)?;
            self.look_at_topic(&wanted)?;
        }
        self.press()
    }

    fn look_at_night(&mut self) -> Result<(), Gone> {
        if self.listed.is_some_and(|listed| listed.elapsed() < PAST) {
            return Ok(());
        }
        let first = self.listed.replace(Instant::now()).is_none();
        match self.machine.look(Timestamp::now(), &self.zone) {
            Ok(changed) if changed || first => {
                self.tell(News::Night(self.machine.runs().iter().map(listed).collect()))
            }
            Ok(_) => Ok(()),
            Err(error) => self.note(error.message),
        }
    }

    fn look_at_run(&mut self, wanted: &RunPlace) -> Result<(), Gone> {
        if self.open.is_none() {
            let listed = self.machine.runs().iter().filter(|listed| listed.summary.run == wanted.run);
            let mut known = self.first.iter().cloned().chain(listed.map(ListedRun::known));
            let Some(known) = known.find(|known| place(known) == *wanted) else { return Ok(()) };
            match self.app.follow(&known) {
                Ok(followed) => {
                    let (place, followed) = (wanted.clone(), followed.kept_up());
                    self.open = Some(Open { place, followed, live: false, at_work: Vec::new(), told: false });
                }
                Err(error) => return self.tell(News::Unreadable(wanted.clone(), error.message)),
            }
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        let is_first = !open.told;
        match open.advance() {
            Ok(Landed::Nothing) => Ok(()),
            Ok(Landed::Hand) => {
                let news = News::Hand(open.place.clone(), open.heard(), open.at_hand());
                self.tell(news)
            }
            Ok(Landed::Facts { finished }) => {
                if finished && !matches!(self.topic, Some(Topic::Iteration { tab: Tab::Transcript, .. })) {
                    // What is read once is read again.
                    self.topic = None;
                }
                self.tell_run()?;
                let is_past = self.open.as_ref().is_some_and(|open| !open.live);
                if is_first && is_past { self.look_at_places() } else { Ok(()) }
            }
            Err(error) => self.tell(News::Unreadable(wanted.clone(), error.message)),
        }
    }

    fn tell_run(&self) -> Result<(), Gone> {
        let Some(open) = &self.open else { return Ok(()) };
        match open.now() {
            Ok(now) => self.tell(News::Run(Box::new(now))),
            Err(error) => self.tell(News::Unreadable(open.place.clone(), error.message)),
        }
    }

    /// Where the work of an ended run is: git is asked, once.
    fn look_at_places(&mut self) -> Result<(), Gone> {
        let Some(open) = &mut self.open else { return Ok(()) };
        open.followed.look_at_places();
        self.tell_run()
    }

    fn look_at_topic(&mut self, wanted: &Wanted) -> Result<(), Gone> {
        let is_new = self.topic != wanted.topic;
        self.topic.clone_from(&wanted.topic);
        if self.open.is_none() {
            self.topic = None;
            return Ok(());
        }
        match wanted.topic.clone() {
            Some(Topic::Iteration { iteration, tab: Tab::Transcript, call }) => {
                self.look_at_transcript(wanted, (iteration, call), is_new)
            }
            Some(topic) if is_new => {
                self.shown = None;
                let rows = self.rows(&topic);
                self.tell_rows(topic, rows)
            }
            _ => Ok(()),
        }
    }

    fn tell_rows(&self, topic: Topic, rows: Option<Vec<Row>>) -> Result<(), Gone> {
        match (rows, &self.open) {
            (Some(rows), Some(open)) => self.tell(News::Rows(open.place.clone(), topic, rows)),
            _ => Ok(()),
        }
    }

    /// The rows of what does not grow; `None` where nothing has to be read for it.
    fn rows(&self, topic: &Topic) -> Option<Vec<Row>> {
        let open = self.open.as_ref()?;
        let said = |error: AppError| vec![Row::of(Tone::Warn, one_line(&error.message))];
        match topic {
            Topic::Report => Some(self.report(open).unwrap_or_else(said)),
            Topic::Iteration { iteration, tab: Tab::Changes, .. } => {
                Some(self.patch(open, *iteration).map_or_else(said, |bytes| patch(&bytes, PATCH)))
            }
            Topic::Iteration { iteration, tab: Tab::Prompt, call } => {
                let call = open.call(*iteration, *call)?;
                let nothing = || vec![Row::of(Tone::Dim, "its prompt is not kept any more")];
                Some(match open.followed.prompt(call) {
                    Ok(prompt) => prompt.map_or_else(nothing, |text| lines(&text)),
                    Err(error) => said(error),
                })
            }
            Topic::Iteration { .. } => None,
        }
    }

    fn report(&self, open: &Open) -> Result<Vec<Row>, AppError> {
        let there = self.there(open)?;
        let request = ReportRequest { runs: vec![open.place.run.to_string()], since: None };
        let night = there.report(&request, Timestamp::now())?;
        Ok(lines(&report_text(&night, &self.report)))
    }

    fn patch(&self, open: &Open, iteration: u32) -> Result<Vec<u8>, AppError> {
        let asked = DiffRun { run: Some(open.place.run.to_string()), iteration: Some(iteration) };
        Ok(self.there(open)?.diff(&asked)?.patch)
    }

    /// Where the run works.
    fn there(&self, open: &Open) -> Result<App, AppError> {
        match open.followed.course().directory() {
            Some(directory) => self.app.in_directory(directory),
            None => Ok(self.app.clone()),
        }
    }

    fn look_at_transcript(
        &mut self,
        wanted: &Wanted,
        (iteration, call): (u32, usize),
        is_new: bool,
    ) -> Result<(), Gone> {
        let Some(open) = &self.open else { return Ok(()) };
        let Some(call) = open.call(iteration, call) else {
            return if is_new { self.tell_part(Part::default(), Placing::End) } else { Ok(()) };
        };
        let is_other = is_new || self.shown.as_ref().is_none_or(|shown| shown.call != call);
        if is_other {
            let Some(transcript) = open.followed.transcript(call) else { return Ok(()) };
            self.shown = Some(Shown { call, transcript, next: 0, size: 0, over: false });
            return self.read_part(Ask::End);
        }
        self.follow_transcript(wanted.follows)
    }

    /// What came since the last time: shown where that is wanted, else counted.
    fn follow_transcript(&mut self, follows: bool) -> Result<(), Gone> {
        let (Some(shown), Some(open)) = (&mut self.shown, &self.open) else { return Ok(()) };
        if shown.over {
            return Ok(());
        }
        if !open.goes_on(shown.call) {
            shown.transcript.close();
            shown.over = true;
        }
        let size = match shown.transcript.standing() {
            Ok((_, size)) => size,
            Err(error) => return self.note(error.to_string()),
        };
        if size == shown.size && !shown.over {
            return Ok(());
        }
        shown.size = size;
        if !follows {
            let (Some(open), Some(topic)) = (&self.open, &self.topic) else { return Ok(()) };
            return self.tell(News::Grew(open.place.clone(), topic.clone(), size));
        }
        for _ in 0..PAGES {
            let Some(shown) = &mut self.shown else { return Ok(()) };
            let from = shown.next;
            let page = match shown.transcript.from(from) {
                Ok(page) => page,
                Err(error) => return self.note(error.to_string()),
            };
            shown.next = page.end;
            let (is_last, is_empty) = (page.is_last(), page.end == from);
            if !is_empty {
                let part = part(&page, &self.directory());
                self.tell_part(part, Placing::Behind)?;
            }
            if is_last || is_empty {
                return Ok(());
            }
        }
        // Too much came: whoever follows sees the end.
        self.read_part(Ask::End)
    }

    fn directory(&self) -> String {
        let directory = self.open.as_ref().and_then(|open| open.followed.course().directory());
        directory.map(|directory| directory.to_string_lossy().into_owned()).unwrap_or_default()
    }

    fn tell_part(&self, part: Part, placing: Placing) -> Result<(), Gone> {
        let (Some(open), Some(topic)) = (&self.open, &self.topic) else { return Ok(()) };
        self.tell(News::Part(open.place.clone(), topic.clone(), part, placing))
    }

    fn read_part(&mut self, ask: Ask) -> Result<(), Gone> {
        let Some(shown) = &mut self.shown else { return Ok(()) };
        let (read, placing) = match ask {
            Ask::End => (shown.transcript.last(), Placing::End),
            Ask::Beginning => (shown.transcript.from(0), Placing::Beginning),
            Ask::Before(byte) => (shown.transcript.before(byte), Placing::Before),
            Ask::Behind(byte) => (shown.transcript.from(byte), Placing::Behind),
        };
        let page = match read {
            Ok(page) => page,
            Err(error) => return self.note(error.to_string()),
        };
        if placing != Placing::Before {
            shown.next = page.end;
        }
        shown.size = page.size;
        let mut part = part(&page, &self.directory());
        if page.recording == Recording::Gone {
            part.rows.push(Row::of(Tone::Dim, "its recording is gone, or it never said anything"));
        }
        self.tell_part(part, placing)
    }

    fn find(&mut self, needle: &str, byte: u64, direction: Direction) -> Result<(), Gone> {
        let direction = match direction {
            Direction::Forward => transcript::Direction::Forward,
            Direction::Backward => transcript::Direction::Backward,
        };
        let mut from = byte;
        loop {
            let Some(shown) = &mut self.shown else { return Ok(()) };
            match shown.transcript.search(needle, Some(from), direction) {
                Ok(Hit::Line(found)) => return self.show_found(found),
                Ok(Hit::Further(further)) => from = further,
                Ok(Hit::Nothing) => return self.tell(News::Found(None)),
                Err(error) => return self.note(error.to_string()),
            }
            // Whoever looks at something else does not wait for it.
            match self.commands.try_recv() {
                Ok(command) => return self.obey(command),
                Err(std::sync::mpsc::TryRecvError::Disconnected) => return Err(Gone),
                Err(std::sync::mpsc::TryRecvError::Empty) => {}
            }
        }
    }

    fn show_found(&mut self, found: u64) -> Result<(), Gone> {
        let directory = self.directory();
        let Some(shown) = &mut self.shown else { return Ok(()) };
        match shown.transcript.from(found) {
            Ok(page) => {
                shown.next = page.end;
                self.tell_part(part(&page, &directory), Placing::Beginning)?;
                self.tell(News::Found(Some(found)))
            }
            Err(error) => self.note(error.to_string()),
        }
    }

    fn stop(&mut self, wanted: &RunPlace, ending: Ending) -> Result<(), Gone> {
        let Some(open) = self.open.as_ref().filter(|open| open.place == *wanted) else { return Ok(()) };
        let stopped =
            self.there(open).and_then(|there| there.stop_for(Some(&wanted.run.0), StopSource::Watch));
        match stopped {
            Ok(stopping) => {
                let run = stopping.run.clone();
                if ending == Ending::Now {
                    self.pressing = Some(stopping);
                    return self.note(format!("{run} stops now; what the agent did is kept"));
                }
                self.note(format!("{run} stops after this iteration; its result is kept"))
            }
            Err(error) => self.note(error.message),
        }
    }

    /// The request to stop is in the journal: the agent is ended, too.
    fn press(&mut self) -> Result<(), Gone> {
        let stage = self.open.as_ref().map_or(0, |open| open.followed.course().stop_stage());
        if stage == 0 {
            return Ok(());
        }
        let Some(stopping) = self.pressing.take() else { return Ok(()) };
        match self.open.as_ref().map(|open| self.there(open).and_then(|there| there.terminate(&stopping.run)))
        {
            Some(Err(error)) => self.note(error.message),
            _ => Ok(()),
        }
    }

    fn export(&mut self, topic: &Topic) -> Result<(), Gone> {
        let written = match (topic, &mut self.shown, &self.open) {
            (Topic::Iteration { tab: Tab::Transcript, iteration, .. }, Some(shown), Some(open)) => {
                let name = format!("windlass-{}-{iteration}-transcript-", open.place.run);
                export::transcript(&name, &mut shown.transcript)
            }
            (Topic::Iteration { tab: Tab::Changes, iteration, .. }, _, Some(open)) => {
                let name = format!("windlass-{}-{iteration}-", open.place.run);
                self.patch(open, *iteration).and_then(|bytes| export::bytes(&name, ".patch", &bytes))
            }
            (Topic::Report, _, Some(open)) => self
                .report(open)
                .and_then(|rows| export::rows(&format!("windlass-{}-report-", open.place.run), &rows)),
            (topic, _, Some(open)) => {
                let rows = self.rows(topic).unwrap_or_default();
                export::rows(&format!("windlass-{}-", open.place.run), &rows)
            }
            _ => return Ok(()),
        };
        match written {
            Ok(path) => self.note(format!("written: {}", path.display())),
            Err(error) => self.note(error.message),
        }
    }
}
