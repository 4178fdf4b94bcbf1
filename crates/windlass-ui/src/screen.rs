//! A thread that shows. Whoever sends to it never waits: facts always find room, observations are left out (and
//! counted) when the terminal does not keep up.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use windlass_core::observation::{Observation, ToolInput};

use crate::event::{Event, View};

/// How often views that count time are told of it: about eight times per second.
const TICK: Duration = Duration::from_millis(125);

/// After events were shown, further ones gather for this long: whoever sends many pays for few wake-ups, and nobody
/// sees so short a pause.
const GATHER: Duration = Duration::from_millis(10);

/// How long a terminal may take for what is left at the end.
const PATIENCE: Duration = Duration::from_secs(2);

/// Text that may wait for the terminal, in bytes, whatever the number of observations it is in.
const WAITING_TEXT: usize = 2 * 1024 * 1024;

/// Starts the thread.
#[derive(Debug)]
pub struct Screen;

impl Screen {
    /// Shows events in all these views, on a thread of its own; at most `capacity` observations wait for it.
    pub fn start(views: Vec<Box<dyn View>>, capacity: usize) -> io::Result<ScreenHandle> {
        let queue =
            Arc::new(Queue { state: Mutex::new(QueueState::default()), changed: Condvar::new(), capacity });
        let shown = Arc::clone(&queue);
        std::thread::Builder::new().name("screen".to_owned()).spawn(move || {
            let _end = EndGuard(Arc::clone(&shown));
            show(&shown, views);
        })?;
        Ok(ScreenHandle { queue })
    }
}

/// Sends to a [`Screen`]; can be cloned freely.
#[derive(Clone, Debug)]
pub struct ScreenHandle {
    queue: Arc<Queue>,
}

impl ScreenHandle {
    /// Has an event shown. Never waits for the terminal.
    pub fn send(&self, event: Event) {
        let mut state = self.queue.lock();
        if state.ended {
            return;
        }
        let was_crowded = state.is_crowded(self.queue.capacity);
        state.push(event, self.queue.capacity);
        let wake = state.idle || (!was_crowded && state.is_crowded(self.queue.capacity));
        drop(state);
        if wake {
            self.queue.changed.notify_all();
        }
    }

    /// Waits until everything sent so far has been shown and the terminal is as it was found, but no longer than two
    /// seconds. Says whether it came to that; a stuck terminal is left behind.
    pub fn finish(&self) -> bool {
        self.finish_within(PATIENCE)
    }

    /// [`finish`](ScreenHandle::finish) with a patience of one's own.
    pub fn finish_within(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut state = self.queue.lock();
        state.closing = true;
        self.queue.changed.notify_all();
        while !state.ended {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.queue.wait(state, Some(left));
        }
        true
    }
}

#[derive(Debug)]
struct Queue {
    state: Mutex<QueueState>,
    changed: Condvar,
    capacity: usize,
}

#[derive(Debug, Default)]
struct QueueState {
    events: VecDeque<Event>,
    observations: usize,
    text: usize,
    /// The screen waits for the next event.
    idle: bool,
    closing: bool,
    ended: bool,
}

impl QueueState {
    fn push(&mut self, event: Event, capacity: usize) {
        let Event::Observation { observation, .. } = &event else {
            self.events.push_back(event);
            return;
        };
        let text = text_bytes(observation);
        let full = self.observations >= capacity || self.text + text > WAITING_TEXT;
        if full && self.observations > 0 {
            match self.events.back_mut() {
                Some(Event::Dropped { count }) => *count += 1,
                _ => self.events.push_back(Event::Dropped { count: 1 }),
            }
            return;
        }
        self.observations += 1;
        self.text += text;
        self.events.push_back(event);
    }

    /// Enough waits that the screen should see to it: what it shows meanwhile is as much again, and all of it is held.
    const fn is_crowded(&self, capacity: usize) -> bool {
        self.observations >= capacity / 8 || self.text >= WAITING_TEXT / 8
    }

    fn take(&mut self) -> VecDeque<Event> {
        self.observations = 0;
        self.text = 0;
        std::mem::take(&mut self.events)
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(
        &self,
        state: MutexGuard<'a, QueueState>,
        patience: Option<Duration>,
    ) -> MutexGuard<'a, QueueState> {
        match patience {
            Some(patience) => {
                let waited = self.changed.wait_timeout(state, patience);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
            None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// The events at hand, and whether more can come; waits until there are any, until `patience` runs out or until
    /// the end.
    fn next(&self, patience: Option<Duration>) -> (VecDeque<Event>, bool) {
        let deadline = patience.map(|patience| Instant::now() + patience);
        let mut state = self.lock();
        while state.events.is_empty() && !state.closing {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                break;
            }
            state.idle = true;
            state = self.wait(state, left);
            state.idle = false;
        }
        let more = !state.closing;
        (state.take(), more)
    }

    /// Lets events gather, but not so many that some would be left out.
    fn gather(&self) {
        let until = Instant::now() + GATHER;
        let mut state = self.lock();
        while !state.closing && !state.is_crowded(self.capacity) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.wait(state, Some(left));
        }
    }
}

/// Says that the thread is over, even when a view panicked.
struct EndGuard(Arc<Queue>);

impl Drop for EndGuard {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.ended = true;
        state.events.clear();
        drop(state);
        self.0.changed.notify_all();
    }
}

fn show(queue: &Queue, mut views: Vec<Box<dyn View>>) {
    let mut next_tick = Instant::now() + TICK;
    loop {
        let counting = views.iter().any(|view| view.counts_time());
        let patience = counting.then(|| next_tick.saturating_duration_since(Instant::now()));
        let (events, more) = queue.next(patience);
        for event in &events {
            for view in &mut views {
                view.event(event);
            }
        }
        if counting && Instant::now() >= next_tick {
            let tick = Event::Tick { now: Timestamp::now() };
            for view in &mut views {
                view.event(&tick);
            }
            next_tick = Instant::now() + TICK;
        }
        for view in &mut views {
            view.flush();
        }
        if !more {
            break;
        }
        if !events.is_empty() {
            queue.gather();
        }
    }
    for view in &mut views {
        view.finish();
    }
}

/// The bytes of what may be long in an observation.
fn text_bytes(observation: &Observation) -> usize {
    match observation {
        Observation::AgentText { text, .. } | Observation::Result { text, .. } => text.len(),
        Observation::ToolResult { output, .. } => output.text.len(),
        Observation::ToolUse { input, .. } => match input {
            ToolInput::Edit { old, new, .. } => old.len() + new.len(),
            ToolInput::Bash { command, .. } => command.len(),
            ToolInput::Other { json } => json.len(),
            _ => 0,
        },
        _ => 0,
    }
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
