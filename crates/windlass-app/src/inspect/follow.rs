//! A run that may go on, followed: facts as they land, what its agents are at, and what they said.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use windlass_agents::of;
use windlass_core::fact::Entry;
use windlass_core::observation::{Observation, ToolInput};
use windlass_core::values::{CallId, LaneId, Now, Purpose, RunId};
use windlass_core::words::quoted;
use windlass_engine::replay::pages::{Content, Page, Transcript};
use windlass_engine::store::journal::Follower;
use windlass_engine::store::{CallFolder, StoreError};
use windlass_host::file::read_beginning;
use windlass_ui::model::{CallSeen, Course, IterationSeen, PlacesSeen, RunSeen};

use super::known::KnownRun;
use super::{places, status, which};
use crate::app::App;
use crate::error::AppError;
use crate::fleet::{self, FollowedBeside};
use crate::here::Here;

/// So much of a prompt is shown.
const PROMPT: usize = 1024 * 1024;

/// A run, folded as far as its journal has come. [`advance`](FollowedRun::advance) takes in what has landed since, and nothing twice.
pub struct FollowedRun {
    app: App,
    known: KnownRun,
    follower: Follower,
    course: Course,
    /// The number and the time of the last fact.
    last: Option<(u64, Now)>,
    places: Looked,
    calls: BTreeMap<CallId, Listening>,
    typed: TypedFrom,
    /// What brings what happens to it on another machine; `None` for one of this machine, or that is read as it is.
    _elsewhere: Option<FollowedBeside>,
}

/// What git said of the work when it was asked.
#[derive(Debug, Default)]
struct Looked {
    places: Option<PlacesSeen>,
    commits: Option<u64>,
}

/// Where whoever reads about a run types the commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TypedFrom {
    /// In the directory of this process.
    Here,
    /// Nobody knows.
    Anywhere,
}

/// What the agent of a call is at, as far as its recording has been read.
struct Listening {
    transcript: Transcript,
    /// Where the next line begins; `None` before anything was read.
    next: Option<u64>,
    /// Tools that have not answered, the newest last.
    tools: Vec<ToolAtHand>,
}

/// A tool that was called and has not answered.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolAtHand {
    /// The call's name.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it is to do.
    pub input: ToolInput,
    /// When it was called.
    pub since: Timestamp,
}

/// An agent that is at work.
#[derive(Clone, Debug, PartialEq)]
pub struct AtWork {
    /// In which lane.
    pub lane: LaneId,
    /// For which iteration.
    pub iteration: u32,
    /// In which call.
    pub call: CallId,
    /// What for.
    pub purpose: Purpose,
    /// When it began.
    pub since: Timestamp,
    /// When anything was last heard of it; `None` before its first byte.
    pub heard: Option<Timestamp>,
    /// The tool that it waits for, called last of those that have not answered.
    pub tool: Option<ToolAtHand>,
}

impl App {
    /// Follows a run from its first fact. What is there already is folded at once; no git is asked.
    ///
    /// # Errors
    /// Its journal cannot be read, or holds nothing yet.
    pub fn follow(&self, known: &KnownRun) -> Result<FollowedRun, AppError> {
        let path = known.folder().journal();
        let mut followed = FollowedRun {
            app: self.clone(),
            known: known.clone(),
            follower: Follower::new(&path),
            course: Course::default(),
            last: None,
            places: Looked::default(),
            calls: BTreeMap::new(),
            typed: TypedFrom::Here,
            _elsewhere: None,
        };
        followed.advance(|_| {})?;
        if followed.course.directory().is_none() {
            return Err(StoreError::NothingJournalled { path }.into());
        }
        Ok(followed)
    }
}

impl FollowedRun {
    /// Which.
    pub const fn known(&self) -> &KnownRun {
        &self.known
    }

    /// The same, kept up to date for as long as it is shown where it is driven on another machine.
    #[must_use]
    pub fn kept_up(self) -> FollowedRun {
        let here = Here::of_project(&self.app, self.known.project());
        FollowedRun { _elsewhere: FollowedBeside::begin(here, &self.known.folder()), ..self }
    }

    /// The same for readers of whom nobody knows where they type commands: each says its directory.
    #[must_use]
    pub fn read_anywhere(self) -> FollowedRun {
        FollowedRun { typed: TypedFrom::Anywhere, ..self }
    }

    /// Takes in the facts that have landed since, and shows each.
    pub fn advance(&mut self, mut show: impl FnMut(&Entry)) -> Result<(), AppError> {
        loop {
            let entries = self.follower.poll()?;
            if entries.is_empty() {
                // A runner that is killed in the midst of a call leaves no further fact.
                let folder = self.known.folder();
                let unseen = self.last.map_or(Duration::ZERO, |last| folder.worked_unseen(last));
                self.course.works_unseen(unseen);
                return Ok(());
            }
            for entry in &entries {
                self.last = Some((entry.seq, entry.at));
                self.course.take(entry);
                show(entry);
            }
        }
    }

    /// What its facts came to.
    pub const fn course(&self) -> &Course {
        &self.course
    }

    /// Does a process work on it, here or elsewhere?
    pub fn is_live(&self) -> Result<bool, AppError> {
        Ok(which::seen_live(self.known.project())?.contains(self.known.run()))
    }

    /// Asks git where its work is today, for [`seen`](Self::seen). That starts processes: for when somebody opens the run, and when
    /// its work has moved, not for each fact.
    pub fn look_at_places(&mut self) {
        let Some(directory) = self.course.directory() else { return };
        let is_copy = fleet::is_copy(&self.known.folder());
        let there = if is_copy {
            // The directory is another machine's: one of the same name here is no place of the run.
            Here::find_broken(&self.app).ok().filter(|here| here.project == *self.known.project())
        } else {
            // It may be gone, and what was done there is told all the same.
            self.app.in_directory(directory).and_then(|there| Here::find_broken(&there)).ok()
        };
        let look = if is_copy { places::look_for_copy } else { places::look };
        self.places = Looked {
            commits: there.as_ref().and_then(|there| status::commits_made(there, self.course.board())),
            places: there.as_ref().and_then(|there| look(there, &self.course)),
        };
    }

    /// The run as it stands now; where its work is as git said when it was last asked.
    pub fn seen(&self, now: Timestamp) -> Result<RunSeen, AppError> {
        Ok(self.seen_among(&which::seen_live(self.known.project())?, now))
    }

    pub(super) fn seen_among(&self, live: &[RunId], now: Timestamp) -> RunSeen {
        let unfinished = which::unfinished(self.known.run(), live);
        let mut seen = self.course.seen((unfinished, self.places.commits), self.places.places.as_ref(), now);
        // Of a copy it is on another machine.
        if !fleet::is_copy(&self.known.folder()) && status::has_lost_its_workspace(self.course.board()) {
            seen.without_workspace();
        }
        if let Some(place) = self.place() {
            seen.type_elsewhere(&place);
        }
        seen
    }

    /// The directory that its commands say, as a shell takes it. One that is gone is none that anybody could go to.
    fn place(&self) -> Option<String> {
        let directory = self.course.directory()?;
        let is_said = self.typed == TypedFrom::Anywhere || directory != self.app.directory();
        if !is_said || fleet::is_copy(&self.known.folder()) {
            return None;
        }
        // outside: where a run works, and a person types.
        directory.is_dir().then(|| quoted(directory.as_os_str()))
    }

    /// What was said and done in a call; `None` where the run has no such call.
    pub fn transcript(&self, call: CallId) -> Option<Transcript> {
        let folder = self.call_folder(call)?;
        let (_, call) = self.call(call)?;
        let agent = of(self.course.board().plan()?.agent_at(call.agent)?);
        // One whose runner is gone says nothing more.
        let over = call.ended.is_some() || !self.is_live().unwrap_or(false);
        Some(Transcript::new(&folder, agent, call.started, over))
    }

    /// What the agent of a call was told, its first mebibyte; `None` where that is not kept any more.
    pub fn prompt(&self, call: CallId) -> Result<Option<String>, AppError> {
        let Some(folder) = self.call_folder(call) else { return Ok(None) };
        // outside: the state folder.
        let read = read_beginning(&folder.prompt(), PROMPT).map_err(AppError::system)?;
        Ok(read.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn call(&self, call: CallId) -> Option<(&IterationSeen, &CallSeen)> {
        self.course.calls().find(|(_, known)| known.call == call)
    }

    pub(super) fn call_folder(&self, call: CallId) -> Option<CallFolder> {
        let (round, call) = self.call(call)?;
        Some(self.known.folder().call(round.iteration, call.attempt, call.purpose))
    }

    /// What its agents are at now: reads what their recordings have grown by.
    pub fn at_work(&mut self) -> Result<Vec<AtWork>, AppError> {
        if !self.is_live()? {
            self.calls.clear();
            return Ok(Vec::new());
        }
        let open = |(_, call): &(&IterationSeen, &CallSeen)| call.ended.is_none() && !call.repeated;
        let open: Vec<AtWork> =
            self.course.calls().filter(open).map(|(round, call)| at_work(round, call)).collect();
        self.calls.retain(|call, _| open.iter().any(|open| open.call == *call));
        let mut found = Vec::new();
        for mut work in open {
            if !self.calls.contains_key(&work.call)
                && let Some(transcript) = self.transcript(work.call)
            {
                self.calls.insert(work.call, Listening { transcript, next: None, tools: Vec::new() });
            }
            if let Some(listening) = self.calls.get_mut(&work.call) {
                listening.listen()?;
                work.heard = listening.transcript.heard();
                work.tool = listening.tools.last().cloned();
            }
            found.push(work);
        }
        Ok(found)
    }
}

fn at_work(round: &IterationSeen, call: &CallSeen) -> AtWork {
    AtWork {
        lane: round.lane,
        iteration: round.iteration,
        call: call.call,
        purpose: call.purpose,
        since: call.started,
        heard: None,
        tool: None,
    }
}

impl Listening {
    fn listen(&mut self) -> Result<(), StoreError> {
        loop {
            let page = match self.next {
                None => self.transcript.last()?,
                Some(next) => self.transcript.from(next)?,
            };
            let is_last = page.is_last() || self.next == Some(page.end);
            self.next = Some(page.end);
            self.take(page);
            if is_last {
                return Ok(());
            }
        }
    }

    fn take(&mut self, page: Page) {
        for row in page.rows {
            match row.content {
                Content::Observation(Observation::ToolUse { id, name, input, .. }) => {
                    self.tools.push(ToolAtHand { id, name, input, since: row.at });
                }
                Content::Observation(Observation::ToolResult { id, .. } | Observation::Denied { id, .. }) => {
                    self.tools.retain(|tool| tool.id != id);
                }
                // A turn is over: nothing is waited for.
                Content::Observation(Observation::Result { .. }) => self.tools.clear(),
                _ => {}
            }
        }
    }
}

impl fmt::Debug for FollowedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FollowedRun").field("known", &self.known).finish_non_exhaustive()
    }
}
