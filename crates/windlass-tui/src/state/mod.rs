//! What is shown and selected: a value that actions change. It knows no terminal, no file and no clock.

mod act;
mod night;
mod pager;
mod picker;
mod run;

#[cfg(test)]
mod tests;

pub use night::{Listed, NightRow, NightView};
pub use pager::{Ask, Direction, Line, Meaning, Pager, Part, Placing, ResultMark, Row};
pub use picker::Picker;
pub use run::{AtHand, Filter, ListRow, Pane, RunNow, RunView, TaskLine};

use std::collections::BTreeMap;

use jiff::Timestamp;
use windlass_core::values::RunId;

/// A run of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPlace {
    /// The folder of its project: two projects never have the same.
    pub project: String,
    /// The run.
    pub run: RunId,
}

/// What is shown of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// Its verdict and why, its calls, what was wasted.
    Summary,
    /// What its agents said and did.
    Transcript,
    /// What it changed.
    Changes,
    /// The checks of its work, each with the tree that it judged.
    Gates,
    /// Tool calls that were refused.
    Denials,
    /// What its agent was told.
    Prompt,
}

impl Tab {
    /// In their order.
    pub const ALL: [Tab; 6] =
        [Tab::Summary, Tab::Transcript, Tab::Changes, Tab::Gates, Tab::Denials, Tab::Prompt];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Tab::Summary => "Summary",
            Tab::Transcript => "Transcript",
            Tab::Changes => "Changes",
            Tab::Gates => "Gates",
            Tab::Denials => "Denials",
            Tab::Prompt => "Prompt",
        }
    }
}

/// What fills the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    /// The list of runs.
    Night,
    /// One run.
    Run,
    /// One of its iterations.
    Iteration,
    /// What it came to.
    Report,
}

/// What lies over the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Overlay {
    /// The keys.
    Help,
    /// Whether the run is to stop.
    Stop(Ending),
    /// What is looked for, as far as it is typed.
    Search(String),
}

/// How a run is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It goes on: what is selected at first.
    GoOn,
    /// After the iteration under way.
    AfterIteration,
    /// Now; the agent is ended as well.
    Now,
}

impl Ending {
    /// As they are offered.
    pub const ALL: [Ending; 3] = [Ending::GoOn, Ending::AfterIteration, Ending::Now];
}

/// What the details show: each is read anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topic {
    /// A tab of an iteration; of its calls the one with this place, from the last.
    Iteration {
        /// Which.
        iteration: u32,
        /// What of it.
        tab: Tab,
        /// Which of its calls, counted back from the last one: 0, 1, ….
        call: usize,
    },
    /// The run's report.
    Report,
}

/// What has to be done outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Leave the view.
    Leave,
    /// Stop this process until somebody continues it.
    Suspend,
    /// Draw everything anew.
    Redraw,
    /// Put this where it can be pasted from.
    Copy(String),
    /// Write all of what is shown to a file.
    Export(Topic),
    /// The mouse is the view's, or not.
    Mouse(bool),
    /// Ask the run to end so.
    Stop(RunPlace, Ending),
    /// Read another part of the transcript.
    Read(Ask),
    /// Look for a text in the transcript, from this byte on.
    Find {
        /// What.
        needle: String,
        /// From where.
        byte: u64,
        /// Which way.
        direction: Direction,
    },
}

/// What is to be looked at from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The list, where it is shown.
    pub night: bool,
    /// The run that is shown.
    pub run: Option<RunPlace>,
    /// What of it in detail.
    pub topic: Option<Topic>,
    /// What comes of that is shown as it comes.
    pub follows: bool,
}

/// What came from outside.
#[derive(Clone, Debug)]
pub enum News {
    /// The runs of this machine.
    Night(Vec<Listed>),
    /// How a run stands.
    Run(Box<RunNow>),
    /// What its agents are at, and when one was heard last.
    Hand(RunPlace, Option<Timestamp>, BTreeMap<u32, AtHand>),
    /// A run that cannot be read: why.
    Unreadable(RunPlace, String),
    /// All rows of a topic.
    Rows(RunPlace, Topic, Vec<Row>),
    /// A part of a transcript.
    Part(RunPlace, Topic, Part, Placing),
    /// A transcript has so many bytes by now.
    Grew(RunPlace, Topic, u64),
    /// What was looked for was found in the part that came last, at this byte; `None` where it is nowhere.
    Found(Option<u64>),
    /// Something to be said for a moment.
    Note(String),
}

/// All of it.
#[derive(Clone, Debug)]
pub struct State {
    /// What fills the screen.
    pub screen: Screen,
    /// What lies over it.
    pub overlay: Option<Overlay>,
    /// The runs.
    pub night: NightView,
    /// The run that is open.
    pub run: Option<RunView>,
    /// What is said at the bottom until the next key.
    pub note: Option<String>,
    /// The mouse is the view's.
    pub mouse: bool,
    /// Columns and rows.
    pub size: (u16, u16),
}

impl State {
    /// With the list of runs.
    pub fn night() -> State {
        State {
            screen: Screen::Night,
            overlay: None,
            night: NightView::default(),
            run: None,
            note: None,
            mouse: false,
            size: (80, 24),
        }
    }

    /// With a run.
    pub fn of_run(place: RunPlace) -> State {
        State { screen: Screen::Run, run: Some(RunView::new(place)), ..State::night() }
    }

    /// What is to be looked at.
    pub fn wanted(&self) -> Wanted {
        let run = self.run.as_ref().filter(|_| self.screen != Screen::Night);
        Wanted {
            night: self.screen == Screen::Night,
            run: run.map(|run| run.place.clone()),
            topic: run.and_then(|run| run.topic.clone()),
            follows: run.is_some_and(|run| run.pager.follows()),
        }
    }

    /// Takes news in. What is about something that was left meanwhile changes nothing.
    pub fn take(&mut self, news: News) {
        match news {
            News::Night(runs) => self.night.take(runs),
            News::Note(note) => self.note = Some(note),
            News::Found(found) => self.found(found),
            News::Run(now) => {
                if let Some(run) = self.run.as_mut().filter(|run| run.place == now.place) {
                    run.take(*now);
                }
            }
            News::Hand(place, heard, at_hand) => {
                let now = self.run.as_mut().filter(|run| run.place == place).and_then(|run| run.now.as_mut());
                if let Some(now) = now {
                    (now.heard, now.at_hand) = (heard, at_hand);
                }
            }
            News::Unreadable(place, why) => {
                if let Some(run) = self.run.as_mut().filter(|run| run.place == place) {
                    run.trouble = Some(why);
                }
            }
            News::Rows(place, topic, rows) => {
                if let Some(pager) = self.pager_of(&place, &topic) {
                    pager.replace(rows);
                }
            }
            News::Part(place, topic, part, placing) => {
                if let Some(pager) = self.pager_of(&place, &topic) {
                    pager.take(part, placing);
                }
            }
            News::Grew(place, topic, total) => {
                if let Some(pager) = self.pager_of(&place, &topic) {
                    pager.grew(total);
                }
            }
        }
        self.settle();
    }

    fn pager_of(&mut self, place: &RunPlace, topic: &Topic) -> Option<&mut Pager> {
        let run = self.run.as_mut().filter(|run| run.place == *place)?;
        (run.topic.as_ref() == Some(topic)).then_some(&mut run.pager)
    }

    fn found(&mut self, found: Option<u64>) {
        match (found, self.run.as_mut()) {
            (Some(byte), Some(run)) => {
                self.note = None;
                run.pager.show_offset(byte);
            }
            _ => self.note = Some("not found".to_owned()),
        }
    }

    /// The details are about what is selected.
    fn settle(&mut self) {
        let screen = self.screen;
        if let Some(run) = &mut self.run {
            run.settle(screen == Screen::Report);
        }
    }

    /// When the state was looked at that times are counted from; `None` before that.
    pub fn made(&self) -> Option<Timestamp> {
        self.run.as_ref().and_then(|run| run.now.as_ref()).map(|now| now.made)
    }
}
