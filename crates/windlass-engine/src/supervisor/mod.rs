//! The supervisor: the only select loop. It asks the core what follows, writes the facts down, and orders what they intend.

mod event;
mod session;
mod signals;
mod tell;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use windlass_core::fact::{Entry, Fact};
use windlass_core::report::{Broken, Failed, Report};
use windlass_core::run::{Due, Input, Order, Orders, Phase, Reported, Run};
use windlass_core::values::{StopReason, StopSource};
use windlass_host::process::{CommandSignal, adopt_and_kill, signal_commands};
use windlass_host::tree;

use crate::executor::{Clock, Executor};
use crate::store::run_folder::ParkRequest;
use crate::store::{Journal, Lock, Project, RunFolder, index};

pub use crate::executor::{Audience, EngineError, Place};
pub use crate::local::{
    Preview, Wanted, agents_file_notice, notes_file_notice, preview, put_back_after_kill,
    put_back_after_kills, put_back_before_a_run, take_repository_as_it_is,
};
pub use session::{BeginRemote, Begun, Finished, OpenWait, RemoteSession, Session, drive};
pub use tell::Telling;

use event::Event;
use tell::NotificationQueue;

/// How often a request to stop is looked for, and wall-clock times are compared again (a clock can jump).
const LOOK_AROUND: Duration = Duration::from_millis(500);

/// So long what is being done may take to end once somebody wants that: a snapshot, a commit, a landing. Its agents are ended
/// by then.
const HANGING: Duration = Duration::from_secs(20);

/// The same once somebody wants it at once.
const HANGING_AT_LAST: Duration = Duration::from_secs(5);

struct Supervisor {
    project: Project,
    folder: RunFolder,
    journal: Journal,
    lock: Option<Lock>,
    terminal: bool,
    audience: Arc<dyn Audience>,
    run: Run,
    clock: Arc<Clock>,
    orders: Orders,
    executor: Box<dyn Executor>,
    inbox: Receiver<Event>,
    /// What was reported and is still to be heard.
    reports: VecDeque<Reported>,
    notifications: NotificationQueue,
    /// When somebody last wanted that what runs is ended.
    told_to_end: Option<Instant>,
    /// Who asked by a signal that it ends, also where it was ending by then.
    asked: Option<StopSource>,
    /// The reserve was released: the last facts are being written.
    disk_is_full: bool,
}

impl Supervisor {
    /// To the end, and everything that the run has started with it.
    fn drive(
        &mut self,
        first: Input,
        then: impl IntoIterator<Item = Input>,
    ) -> Result<Finished, EngineError> {
        let result = self.run(first, then);
        let result = result.map_err(|error| self.explained(error));
        if let Err(EngineError::Remote(why)) = &result
            && self.run.stop().is_none()
        {
            self.tell_of_leaving(&why.to_string());
        }
        self.close();
        result
    }

    fn run(&mut self, first: Input, then: impl IntoIterator<Item = Input>) -> Result<Finished, EngineError> {
        if !matches!(first, Input::Start(_)) {
            index::record_resumption(&self.project, self.folder.run(), self.clock.now().wall)?;
        }
        self.take(first)?;
        for input in then {
            self.take(input)?;
        }
        let mut looked = Instant::now();
        loop {
            if let Phase::Ended(stop_reason) = self.run.phase() {
                self.journal.sync()?;
                if stop_reason == StopReason::Complete && !self.journal.is_in_place() {
                    return Err(self.lost_record());
                }
                let codes = self.run.spec().map(|plan| plan.exit_codes).unwrap_or_default();
                let exit_code = stop_reason.exit_code(codes);
                return Ok(Finished { stop_reason, exit_code, asked: self.asked_to_stop() });
            }
            self.order_what_is_due()?;
            if let Phase::Ended(_) = self.run.phase() {
                // Nobody had to be told.
                continue;
            }
            if self.run.backoff().is_some() {
                // A wait can take hours: it is on the disk before it is waited for.
                self.sync()?;
            }
            self.wait()?;
            self.reports.extend(self.executor.poll()?);
            if let Some(reported) = self.reports.pop_front() {
                self.hear(reported)?;
            }
            self.look_at_notifications()?;
            if looked.elapsed() >= LOOK_AROUND {
                looked = Instant::now();
                self.look_around()?;
            }
            self.take(Input::Tick)?;
        }
    }

    /// Who asked it to stop, however it ended: who asked first, as far as that is noted.
    fn asked_to_stop(&self) -> Option<StopSource> {
        let noted = self.run.stop().map(|stop| stop.by);
        noted.or(self.asked).or_else(|| self.folder.stop_request())
    }

    /// Where the run's folder is gone, that is the reason, whatever failed first.
    fn explained(&self, error: EngineError) -> EngineError {
        if self.journal.is_in_place() { error } else { self.lost_record() }
    }

    fn lost_record(&self) -> EngineError {
        EngineError::RecordLost(self.folder.path().to_path_buf())
    }

    /// Facts first, then orders: what leaves a trace waits until the journal is on the disk.
    fn order_what_is_due(&mut self) -> Result<(), EngineError> {
        let Due { withdrawn, orders } = self.orders.due(&self.run, self.clock.now());
        for effect in &withdrawn {
            self.executor.withdraw(effect);
        }
        for order in orders {
            if order.effect.needs_journal() {
                self.sync()?;
            }
            self.executor.carry_out(self.as_the_disk_allows(order))?;
        }
        Ok(())
    }

    /// On a full disk what is left is for the run's own words: hooks get no log.
    fn as_the_disk_allows(&self, mut order: Order) -> Order {
        if let Some(hook) = order.context.hook.as_mut().filter(|_| self.disk_is_full) {
            hook.log = None;
        }
        order
    }

    /// Waits until something has happened, or is due.
    fn wait(&mut self) -> Result<(), EngineError> {
        let patience = if self.reports.is_empty() { self.patience() } else { Duration::ZERO };
        let first = match self.inbox.recv_timeout(patience) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout) => return Ok(()),
            Err(RecvTimeoutError::Disconnected) => return Err(EngineError::Broken),
        };
        let more: Vec<Event> = self.inbox.try_iter().collect();
        for event in std::iter::once(first).chain(more) {
            if let Event::Signal(signal) = event {
                self.signal(signal)?;
            }
        }
        Ok(())
    }

    /// How long to wait for an event.
    fn patience(&self) -> Duration {
        let run = self.run.next_due(self.clock.now());
        // Rounded up to a whole millisecond: the clock's resolution.
        let due = self.executor.next_due().into_iter().chain(run).min().unwrap_or(LOOK_AROUND);
        due.min(LOOK_AROUND) + Duration::from_millis(1)
    }

    /// Something came of an order, or happened to whoever carries them out.
    fn hear(&mut self, reported: Reported) -> Result<(), EngineError> {
        if self.orders.is_late(&reported) {
            return Ok(());
        }
        self.orders.answered(&reported.report);
        match &reported.report {
            // Whatever failed, this is why.
            Report::Failed(_) | Report::Broken(_) if !self.journal.is_in_place() => {
                return self.record_lost();
            }
            Report::Failed(Failed { stop_reason: StopReason::DiskFull, detail })
            | Report::Broken(Broken { stop_reason: StopReason::DiskFull, detail }) => {
                self.release_reserve(detail)?;
            }
            Report::LanesClosed(_) => return self.announce(),
            _ => {}
        }
        self.take(reported.report.into())
    }

    fn look_around(&mut self) -> Result<(), EngineError> {
        // Of a wait no time counts.
        if self.run.backoff().is_none() {
            self.folder.note_alive(self.run.next_seq(), self.clock.now());
        }
        if self.run.stop().is_none()
            && let Some(by) = self.folder.stop_request()
        {
            self.take(Input::Stop { by, least: 1 })?;
        }
        for ParkRequest { by, task } in self.folder.park_requests() {
            self.take(Input::Park { by, task })?;
        }
        while let Some(trouble) = self.audience.trouble() {
            self.take(Input::notice(trouble))?;
        }
        if !self.journal.is_in_place() {
            self.record_lost()?;
        }
        self.give_up_what_hangs()
    }

    /// Asks the core what an input means, and writes that down, until nothing more follows.
    fn take(&mut self, input: Input) -> Result<(), EngineError> {
        let mut facts = self.run.decide(self.clock.now(), input);
        while !facts.is_empty() {
            self.record(facts)?;
            facts = self.run.decide(self.clock.now(), Input::Tick);
        }
        Ok(())
    }

    fn record(&mut self, facts: Vec<Fact>) -> Result<(), EngineError> {
        let at = self.clock.now();
        let numbered = (self.run.next_seq()..).zip(facts);
        let entries: Vec<Entry> = numbered.map(|(seq, fact)| Entry { seq, at, fact }).collect();
        match self.journal.append(&entries) {
            Err(error) if error.is_disk_full() => {
                self.release_reserve(error.want_of_room())?;
                self.journal.append(&entries)?;
            }
            appended => appended?,
        }
        self.executor.recorded(&entries)?;
        for entry in &entries {
            self.run.apply(entry)?;
            self.audience.fact(entry);
        }
        self.tell(&entries)
    }

    /// Whoever wants the run to end gets that: what does not come to its end is taken up by a resumed run.
    fn give_up_what_hangs(&mut self) -> Result<(), EngineError> {
        let patience = match self.run.stop().map(|stop| stop.stage) {
            Some(2) => HANGING,
            Some(3..) => HANGING_AT_LAST,
            _ => return Ok(()),
        };
        if self.told_to_end.is_none_or(|told| told.elapsed() < patience) {
            return Ok(());
        }
        let detail = "what was being done did not come to its end in time".to_owned();
        self.take(Input::from(Broken { stop_reason: StopReason::NeedsHuman, detail }))
    }

    fn record_lost(&mut self) -> Result<(), EngineError> {
        let detail = self.lost_record().to_string();
        self.take(Input::RecordLost { detail })
    }

    fn release_reserve(&mut self, why: &str) -> Result<(), EngineError> {
        if !self.disk_is_full {
            self.disk_is_full = true;
            self.journal.release_reserve()?;
            let detail = why.to_owned();
            self.reports.push_back(Reported::unasked(Broken { stop_reason: StopReason::DiskFull, detail }));
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), EngineError> {
        match self.journal.sync() {
            Err(error) if error.is_disk_full() => {
                self.release_reserve(error.want_of_room())?;
                Ok(self.journal.sync()?)
            }
            synced => Ok(synced?),
        }
    }

    /// Once all is done nobody goes on in the lanes' checkouts: what they made has landed. Those of another ending stay for
    /// whoever resumes the run.
    fn remove_checkouts(&self) {
        let is_complete = self.run.phase() == Phase::Ended(StopReason::Complete);
        if let Some(lanes) = self.run.spec().and_then(|plan| plan.lanes.as_ref()).filter(|_| is_complete) {
            // What cannot be removed takes room and does no harm.
            let _ = tree::at(&lanes.folder).remove_folder();
        }
    }

    /// Ends every process of the run, gives the directory back and notes the ending.
    fn close(&mut self) {
        self.notifications.close();
        self.executor.close();
        signal_commands(CommandSignal::KILL);
        let _ = adopt_and_kill();
        self.remove_checkouts();
        // The index is rebuilt from journals when a line is missing.
        if let Ok(summary) = index::summarize(&self.folder) {
            let _ = index::record_ending(&self.project, &summary);
        }
        if let Some(lock) = self.lock.take() {
            let _ = lock.release();
        }
    }
}
