//! Where a replay is shown.

use std::ops::ControlFlow;

use windlass_app::logs::{Listener, Replayed};
use windlass_core::fact::{Entry, Fact};
use windlass_core::observation::{Observation, ToolTrace};
use windlass_core::values::LaneId;
use windlass_ui::{Event, Stream, ToolsView, View, is_abandoned};

/// After so many things it is asked whether anybody still reads.
const ASK_AFTER: usize = 64;

/// The part of a run that is wanted.
#[derive(Debug, Default)]
pub struct Window {
    /// `None` = all of it.
    iteration: Option<u32>,
    stage: Stage,
    /// The lane of that iteration: what others did meanwhile is none of it.
    lane: Option<LaneId>,
    /// There was such an iteration.
    pub seen: bool,
    /// The run's last iteration so far.
    pub last: u32,
    /// Agents that were at work in it.
    pub calls: u32,
    /// Things that were shown.
    shown: usize,
}

/// Where in a run a fact lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Before,
    Within,
    Behind,
}

impl Window {
    /// That iteration alone; `None` = the whole run.
    pub fn of(iteration: Option<u32>) -> Window {
        Window { iteration, ..Window::default() }
    }

    fn holds(&self, fact: &Fact) -> bool {
        let is_elsewhere = fact.lane().is_some_and(|lane| self.lane.is_some_and(|wanted| wanted != lane));
        self.iteration.is_none() || (self.stage == Stage::Within && !is_elsewhere)
    }

    /// Is this fact, the next one, wanted? Facts of the whole run are where they happened in the iteration's time.
    fn takes(&mut self, fact: &Fact) -> bool {
        match fact {
            Fact::IterationStarted { lane, iteration, .. } => {
                self.last = self.last.max(*iteration);
                if self.iteration == Some(*iteration) {
                    (self.stage, self.seen, self.lane) = (Stage::Within, true, Some(*lane));
                }
            }
            Fact::IterationFinished { iteration, .. } if self.iteration == Some(*iteration) => {
                let taken = self.holds(fact);
                self.stage = Stage::Behind;
                return taken;
            }
            Fact::CallSpawned(_) if self.holds(fact) => self.calls = self.calls.saturating_add(1),
            _ => {}
        }
        self.holds(fact)
    }

    /// Is all of it told?
    fn is_over(&self) -> bool {
        self.iteration.is_some() && self.stage == Stage::Behind
    }

    /// One thing more was shown: is another one wanted, and does anybody still read?
    fn goes_on(&mut self, is_closed: impl Fn() -> bool) -> ControlFlow<()> {
        self.shown += 1;
        let unread = self.shown.is_multiple_of(ASK_AFTER) && (is_closed() || is_abandoned(Stream::Stdout));
        if unread || self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// A run's story, as whoever watched it was told.
pub struct Story {
    view: Box<dyn View>,
    /// Tool calls as well.
    tools: bool,
    /// What of it is wanted.
    window: Window,
}

impl Story {
    /// Told in this view, with tool calls or without.
    pub fn new(view: Box<dyn View>, tools: bool, window: Window) -> Story {
        Story { view, tools, window }
    }

    /// Nothing more comes; what was there of what is wanted.
    pub fn finish(mut self) -> Window {
        self.view.flush();
        self.view.finish();
        self.window
    }

    fn fact(&mut self, entry: Box<Entry>) {
        let event = if self.window.takes(&entry.fact) { Event::Fact(entry) } else { Event::Past(entry) };
        self.view.event(&event);
    }
}

impl Listener<Observation> for Story {
    fn told(&mut self, told: Replayed) -> ControlFlow<()> {
        match told {
            Replayed::Fact(entry) => self.fact(entry),
            Replayed::Observation(_, observation) if !self.tools && is_about_tools(&observation) => {}
            Replayed::Observation(place, observation) => self.view.event(&(place, observation).into()),
        }
        self.window.goes_on(|| self.view.is_closed())
    }

    fn caught_up(&mut self) -> ControlFlow<()> {
        self.view.flush();
        unless_abandoned()
    }
}

/// Does anybody still read?
fn unless_abandoned() -> ControlFlow<()> {
    if is_abandoned(Stream::Stdout) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

const fn is_about_tools(observation: &Observation) -> bool {
    matches!(observation, Observation::ToolUse { .. } | Observation::ToolResult { .. })
}

/// The list of a run's tool calls.
pub struct ToolList {
    view: ToolsView,
    /// What of it is wanted.
    window: Window,
}

impl ToolList {
    /// Listed in this view.
    pub fn new(view: ToolsView, window: Window) -> ToolList {
        ToolList { view, window }
    }

    /// Nothing more comes; what was there of what is wanted.
    pub fn finish(mut self) -> Window {
        self.view.finish();
        self.window
    }
}

impl Listener<ToolTrace> for ToolList {
    fn told(&mut self, told: Replayed<ToolTrace>) -> ControlFlow<()> {
        match told {
            Replayed::Fact(entry) => {
                self.window.takes(&entry.fact);
                self.view.fact(&entry);
            }
            Replayed::Observation(place, trace) => self.view.trace(place, trace),
        }
        self.window.goes_on(|| self.view.is_closed())
    }

    fn caught_up(&mut self) -> ControlFlow<()> {
        self.view.flush();
        unless_abandoned()
    }
}
