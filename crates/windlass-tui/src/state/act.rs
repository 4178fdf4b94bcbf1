//! What an action changes, and what has to be done outside for it.

use super::{Direction, Effect, Ending, Filter, Overlay, Pane, RunView, Screen, State, Tab, Topic};
use crate::keys::{Action, Keyboard};

impl State {
    /// What keys are for at the moment.
    pub const fn keyboard(&self) -> Keyboard {
        match self.overlay {
            Some(Overlay::Search(_)) => Keyboard::Typing,
            _ => Keyboard::Acting,
        }
    }

    /// Does what somebody wants.
    pub fn act(&mut self, action: Action) -> Vec<Effect> {
        self.note = None;
        let effects = match action {
            Action::Interrupt => vec![Effect::Leave],
            Action::Leave if self.overlay.is_none() => vec![Effect::Leave],
            Action::Leave => {
                self.overlay = None;
                Vec::new()
            }
            Action::Suspend => vec![Effect::Suspend],
            Action::Redraw => vec![Effect::Redraw],
            Action::Mouse => {
                self.mouse = !self.mouse;
                vec![Effect::Mouse(self.mouse)]
            }
            other => match self.overlay.take() {
                Some(overlay) => self.act_on_overlay(overlay, other),
                None => self.act_on_screen(other),
            },
        };
        self.settle();
        effects
    }

    fn act_on_overlay(&mut self, overlay: Overlay, action: Action) -> Vec<Effect> {
        match (overlay, action) {
            (Overlay::Help, _) | (_, Action::Back) => Vec::new(),
            (Overlay::Stop(chosen), Action::Open) => self.stop(chosen),
            (Overlay::Stop(chosen), action) => {
                self.overlay = Some(Overlay::Stop(moved(chosen, action)));
                Vec::new()
            }
            (Overlay::Search(typed), Action::Open) => self.search(typed),
            (Overlay::Search(mut typed), action) => {
                match action {
                    Action::Type(letter) => typed.push(letter),
                    Action::Erase => drop(typed.pop()),
                    _ => {}
                }
                self.overlay = Some(Overlay::Search(typed));
                Vec::new()
            }
        }
    }

    fn stop(&mut self, chosen: Ending) -> Vec<Effect> {
        match (chosen, &self.run) {
            (Ending::AfterIteration | Ending::Now, Some(run)) => {
                vec![Effect::Stop(run.place.clone(), chosen)]
            }
            _ => Vec::new(),
        }
    }

    fn search(&mut self, typed: String) -> Vec<Effect> {
        if self.screen == Screen::Night {
            self.night.needle = typed;
            return self.seek(Direction::Forward);
        }
        if let Some(run) = self.run.as_mut().filter(|_| !typed.is_empty()) {
            run.pager.needle = typed;
            return self.seek(Direction::Forward);
        }
        Vec::new()
    }

    fn seek(&mut self, direction: Direction) -> Vec<Effect> {
        if self.screen == Screen::Night {
            if !self.night.needle.is_empty() && !self.night.seek(direction) {
                self.note = Some(format!("no run with {}", self.night.needle));
            }
            return Vec::new();
        }
        let Some(run) = self.run.as_mut().filter(|run| !run.pager.needle.is_empty()) else {
            return Vec::new();
        };
        if run.pager.seek(direction) {
            return Vec::new();
        }
        if matches!(run.topic, Some(Topic::Iteration { tab: Tab::Transcript, .. })) {
            let byte = match direction {
                // The line that was read last is looked through already.
                Direction::Forward => run.pager.end().saturating_sub(1),
                Direction::Backward => run.pager.rows().first().map_or(0, |row| row.offset),
            };
            self.note = Some(format!("looking for {} …", run.pager.needle));
            return vec![Effect::Find { needle: run.pager.needle.clone(), byte, direction }];
        }
        self.note = Some(format!("no further {}", run.pager.needle));
        Vec::new()
    }

    fn act_on_screen(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Help => self.overlay = Some(Overlay::Help),
            Action::Stop => self.ask_whether_to_stop(),
            Action::Search if self.run.is_some() || self.screen == Screen::Night => {
                self.overlay = Some(Overlay::Search(String::new()));
            }
            Action::NextHit => return self.seek(Direction::Forward),
            Action::PreviousHit => return self.seek(Direction::Backward),
            Action::Copy => return self.copied().map(Effect::Copy).into_iter().collect(),
            Action::Export => {
                let topic = self.run.as_ref().filter(|_| self.screen != Screen::Night);
                return topic.and_then(|run| run.topic.clone()).map(Effect::Export).into_iter().collect();
            }
            _ => {}
        }
        match self.screen {
            Screen::Night => self.act_on_night(action),
            Screen::Run => return self.act_on_run(action),
            Screen::Iteration | Screen::Report => return self.act_on_pager(action),
        }
        Vec::new()
    }

    fn ask_whether_to_stop(&mut self) {
        let is_live = self.run.as_ref().and_then(|run| run.now.as_ref()).is_some_and(super::RunNow::is_live);
        if self.screen != Screen::Night && is_live {
            self.overlay = Some(Overlay::Stop(Ending::GoOn));
        } else {
            self.note = Some("no run is running here: there is nothing to stop".to_owned());
        }
    }

    fn act_on_night(&mut self, action: Action) {
        let page = isize::try_from(usize::from(self.size.1).saturating_sub(3).max(1)).unwrap_or(1);
        let length = self.night.count_all();
        match action {
            Action::Open | Action::Right => {
                if let Some(place) = self.night.selected().map(|run| run.place.clone()) {
                    self.run = Some(RunView::new(place));
                    self.screen = Screen::Run;
                }
            }
            other => {
                if let Some(rows) = steps(other, page) {
                    self.night.picker.step(rows, length);
                }
            }
        }
    }

    fn act_on_run(&mut self, action: Action) -> Vec<Effect> {
        let Some(run) = &mut self.run else { return Vec::new() };
        match action {
            Action::Back | Action::Left if run.pane == Pane::List => {
                self.screen = Screen::Night;
                return Vec::new();
            }
            Action::Back | Action::Left => run.pane = Pane::List,
            Action::OtherPane => {
                run.pane = if run.pane == Pane::List { Pane::Detail } else { Pane::List };
            }
            Action::Open | Action::Right if run.selected().is_some() => self.screen = Screen::Iteration,
            Action::Report => self.screen = Screen::Report,
            Action::Show(tab) => run.tab = Some(tab),
            Action::Filter => {
                run.filter = if run.filter == Filter::All { Filter::Wrong } else { Filter::All };
                run.newest = true;
            }
            Action::Tasks if !run.tasks && run.now.as_ref().is_some_and(|now| now.seen.begun.is_empty()) => {
                self.note = Some("it has begun no task".to_owned());
            }
            Action::Tasks => {
                run.tasks = !run.tasks;
                run.newest = true;
            }
            Action::NextFailure | Action::PreviousFailure => self.step_to_wrong(action),
            _ if run.pane == Pane::Detail => return self.scroll(action),
            Action::Follow => {
                run.newest = true;
                run.pager.last();
            }
            _ => self.step(action),
        }
        Vec::new()
    }

    fn step(&mut self, action: Action) {
        let page = isize::try_from(usize::from(self.size.1 / 2).max(1)).unwrap_or(1);
        let Some(run) = &mut self.run else { return };
        let Some(rows) = steps(action, page) else { return };
        let length = run.rows().len();
        run.picker.step(rows, length);
        // Whoever goes down to the last row goes on with what comes.
        run.newest = length == 0 || (rows > 0 && run.picker.selected() + 1 == length);
        run.call = 0;
    }

    fn step_to_wrong(&mut self, action: Action) {
        let Some(run) = &mut self.run else { return };
        match run.wrong(action == Action::NextFailure) {
            Some(iteration) => {
                run.tasks = false;
                run.newest = false;
                run.call = 0;
                run.select(iteration);
            }
            None => self.note = Some("no further iteration went wrong".to_owned()),
        }
    }

    fn act_on_pager(&mut self, action: Action) -> Vec<Effect> {
        let screen = self.screen;
        let Some(run) = &mut self.run else { return Vec::new() };
        match action {
            Action::Back | Action::Left => self.screen = Screen::Run,
            Action::Report => self.screen = Screen::Report,
            Action::Show(tab) => {
                run.tab = Some(tab);
                self.screen = Screen::Iteration;
            }
            Action::OtherPane | Action::Right if screen == Screen::Iteration => {
                let here = Tab::ALL.iter().position(|tab| *tab == run.shown_tab()).unwrap_or_default();
                run.tab = Tab::ALL.get((here + 1) % Tab::ALL.len()).copied();
            }
            Action::NextFailure | Action::PreviousFailure => self.step_to_wrong(action),
            Action::NextCall if screen == Screen::Iteration => {
                let calls = run.round().map_or(0, |round| round.calls.len()).max(1);
                run.call = (run.call + 1) % calls;
            }
            _ => return self.scroll(action),
        }
        Vec::new()
    }

    fn scroll(&mut self, action: Action) -> Vec<Effect> {
        let Some(run) = &mut self.run else { return Vec::new() };
        let ask = match action {
            Action::Up => run.pager.scroll(-1),
            Action::Down => run.pager.scroll(1),
            Action::PageUp => run.pager.scroll_pages(-1),
            Action::PageDown => run.pager.scroll_pages(1),
            Action::First => run.pager.first(),
            Action::Last | Action::Follow => run.pager.last(),
            _ => None,
        };
        ask.map(Effect::Read).into_iter().collect()
    }

    /// The wheel: three lines of what lies below.
    pub fn wheel(&mut self, lines: isize) -> Vec<Effect> {
        let effects = match (self.screen, &mut self.run) {
            (Screen::Night, _) => {
                let length = self.night.count_all();
                self.night.picker.step(lines, length);
                Vec::new()
            }
            (_, Some(run)) => run.pager.scroll(lines).map(Effect::Read).into_iter().collect(),
            _ => Vec::new(),
        };
        self.settle();
        effects
    }

    /// What is copied: the line at the top of the details, or the command that goes on with what is selected.
    fn copied(&self) -> Option<String> {
        match (self.screen, &self.run) {
            (Screen::Night, _) => self.night.selected().map(|run| run.place.run.to_string()),
            (Screen::Run, Some(run)) if run.pane == Pane::List => {
                let next = run.now.as_ref().and_then(|now| now.seen.status.next.first().cloned());
                next.or_else(|| Some(run.place.run.to_string()))
            }
            (_, Some(run)) => run.pager.at_top().map(|row| row.text.clone()),
            _ => None,
        }
    }
}

/// By how many rows an action moves a selection.
fn steps(action: Action, page: isize) -> Option<isize> {
    match action {
        Action::Up => Some(-1),
        Action::Down => Some(1),
        Action::PageUp => Some(-page),
        Action::PageDown => Some(page),
        Action::First => Some(isize::MIN),
        Action::Last => Some(isize::MAX),
        _ => None,
    }
}

fn moved(chosen: Ending, action: Action) -> Ending {
    let here = Ending::ALL.iter().position(|ending| *ending == chosen).unwrap_or_default();
    let there = match action {
        Action::Down | Action::OtherPane => here + 1,
        Action::Up => here.saturating_sub(1),
        _ => here,
    };
    Ending::ALL.get(there).copied().unwrap_or(chosen)
}
