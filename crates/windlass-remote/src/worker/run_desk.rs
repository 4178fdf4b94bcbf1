//! The handle of a run on a worker: begins its thread, and tells it what to do.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use windlass_core::values::RunId;
use windlass_fleet::leases::LeaseEpoch;
use windlass_fleet::orders::Errand;
use windlass_fleet::signals::{Signal, Signals};
use windlass_fleet::{Deadline, Fleet};
use windlass_host::tree::at;

use super::WorkerSetting;
use super::desk::Event;
use super::run::{INCOMING, Job, RunRoom, Running};
use super::spending::Books;
use crate::brief::Brief;
use crate::code::{self, WorkerParts};
use crate::threads;

/// How long it may take until a run's end would be heard.
const LISTEN: Duration = Duration::from_secs(10);

/// The longest that nothing is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// The handle of a run's thread.
pub(super) struct RunDesk {
    jobs: Sender<Job>,
    /// Gives the folders of what was sent to the runner.
    thread: JoinHandle<Vec<PathBuf>>,
    /// The lease of the run's runner.
    runner: Arc<AtomicU64>,
    /// Nobody listens for its end any longer.
    closed: Arc<AtomicBool>,
    /// Where all of it is.
    home: PathBuf,
}

impl RunDesk {
    /// Reads what is known of a run, and begins its thread.
    ///
    /// # Errors
    /// A sentence: why this worker does not take it.
    pub fn open(
        setting: &WorkerSetting,
        errand: &Errand,
        runner: LeaseEpoch,
        books: &Arc<Books>,
        events: &Sender<Event>,
    ) -> Result<RunDesk, String> {
        let home = setting.home.join(&errand.order.run.0);
        let brief = read_brief(&setting.fleet, errand, &home)?;
        if let Some(why) = setting.workshop.refuses(&brief) {
            return Err(why);
        }
        let closed = Arc::new(AtomicBool::new(false));
        let parts = WorkerParts {
            fleet: &setting.fleet,
            remote: setting.remote.as_ref(),
            scratch: home.join(INCOMING),
            closed: &closed,
            told: &setting.told,
        };
        let code = code::of_worker(&brief.spec, parts).map_err(|error| error.to_string())?;
        let (jobs, inbox) = channel();
        let runner = Arc::new(AtomicU64::new(runner.0));
        let room = RunRoom {
            fleet: setting.fleet.clone(),
            name: setting.name.clone(),
            workshop: Arc::clone(&setting.workshop),
            told: Arc::clone(&setting.told),
            home: home.clone(),
            brief,
            code,
            runner: Arc::clone(&runner),
            books: Arc::clone(books),
            events: events.clone(),
            jobs: jobs.clone(),
        };
        let name = format!("run-{}", errand.order.run);
        let thread = threads::start(name, move || Running::new(room).work(&inbox))
            .map_err(|error| error.to_string())?;
        listen(&setting.fleet, &errand.order.run, events, &closed)?;
        Ok(RunDesk { jobs, thread, runner, closed, home })
    }

    pub fn tell(&self, job: Job) {
        // It ends with this handle.
        let _ = self.jobs.send(job);
    }

    pub fn runner(&self) -> LeaseEpoch {
        LeaseEpoch(self.runner.load(Ordering::Relaxed))
    }

    /// A later runner of the same run is obeyed from now on; an earlier one is not.
    pub fn follow(&self, runner: LeaseEpoch) -> Result<(), String> {
        if self.runner.fetch_max(runner.0, Ordering::Relaxed) > runner.0 {
            return Err("the run has another runner by now".to_owned());
        }
        Ok(())
    }

    /// The same, and what is here of its code goes: nobody needs it any more. So does what was sent.
    pub fn close_and_remove(self) {
        let home = self.home.clone();
        let sent = self.close();
        let folders = ["code", "lanes", INCOMING].map(|folder| home.join(folder));
        for folder in folders.into_iter().chain(sent) {
            // What cannot be removed takes room and does no harm.
            let _ = at(&folder).remove_folder();
        }
    }

    /// Ends everything of the run here, and waits for that. Gives the folders of what was sent to the runner.
    pub fn close(self) -> Vec<PathBuf> {
        self.closed.store(true, Ordering::Relaxed);
        self.tell(Job::Close);
        self.thread.join().unwrap_or_default()
    }
}

/// Listens for the end of a run.
fn listen(
    fleet: &Fleet,
    run: &RunId,
    events: &Sender<Event>,
    closed: &Arc<AtomicBool>,
) -> Result<(), String> {
    let ear = Signals::of(fleet).hear_cancel(run, Deadline::after(LISTEN));
    let mut ear = ear.map_err(|error| error.to_string())?;
    let (run, events, closed) = (run.clone(), events.clone(), Arc::clone(closed));
    let listening = move || {
        while !closed.load(Ordering::Relaxed) {
            if let Ok(Some(Signal::Cancel(fences))) = ear.next(Deadline::after(LOOK)) {
                let _ = events.send(Event::Cancelled(run.clone(), fences.runner));
            }
        }
    };
    threads::start("fleet-cancel", listening).map(drop).map_err(|error| error.to_string())
}

fn read_brief(fleet: &Fleet, errand: &Errand, home: &std::path::Path) -> Result<Brief, String> {
    let brief = Brief::bring(fleet, &errand.run, &home.join(INCOMING)).map_err(|error| error.to_string())?;
    if brief.spec.run == errand.order.run {
        Ok(brief)
    } else {
        Err(format!("what is known of {} is of {}", errand.order.run, brief.spec.run))
    }
}
