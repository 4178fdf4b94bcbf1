//! What is served: the runs of this machine as they are now, read when somebody asks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use tokio::sync::Semaphore;
use windlass_app::inspect::{FollowedRun, KnownRun, ListedRun, Machine};
use windlass_app::{App, AppError, Kind};
use windlass_core::values::RunId;

use crate::asked::Asked;
use crate::door::Door;
use crate::metrics::Counted;
use crate::seen::Seen;

/// Runs that are kept folded, so that whoever looks at one again waits for nothing but what is new.
const KEPT: usize = 8;

/// The list of runs is looked at no more often.
const LOOK: Duration = Duration::from_millis(250);

/// What git says of the places of a run's work holds for so long while its journal does not grow.
const PLACES: Duration = Duration::from_secs(30);

/// Pages that can be live at the same time.
pub const STREAMS: usize = 8;

/// How far whoever looks may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rights {
    /// Look.
    Read,
    /// The same, and what costs nothing and changes no file: stop after this iteration, mark as seen.
    Stop,
    /// The same, and all that the page can do.
    Act,
}

/// What is served.
pub struct Site {
    /// Through which runs are looked at and changed.
    pub app: App,
    /// Who comes in.
    pub door: Door,
    /// How far they may go.
    pub rights: Rights,
    /// The clock on the wall.
    pub zone: TimeZone,
    /// One each for pages that are live.
    pub streams: Arc<Semaphore>,
    /// What was asked through the page.
    pub asked: Asked,
    /// What a person has seen.
    pub seen: Seen,
    /// What happened since it is served.
    pub counted: Counted,
    machine: Mutex<Looked>,
    followed: Mutex<Vec<Arc<Mutex<Followed>>>>,
}

struct Looked {
    machine: Machine,
    when: Option<Instant>,
}

/// A run that somebody looks at.
pub struct Followed {
    known: KnownRun,
    /// As far as it has come.
    pub run: FollowedRun,
    /// The number of its last fact.
    pub seq: u64,
    /// When git was asked about its work, and how far it had come then.
    asked_git: Option<(Instant, u64)>,
}

impl Site {
    /// Nothing is read yet.
    pub fn new(app: App, door: Door, rights: Rights, (asked, seen): (Asked, Seen)) -> Result<Site, AppError> {
        Ok(Site {
            app,
            door,
            rights,
            zone: TimeZone::system(),
            streams: Arc::new(Semaphore::new(STREAMS)),
            asked,
            seen,
            counted: Counted::since(Timestamp::now()),
            machine: Mutex::new(Looked { machine: Machine::new()?, when: None }),
            followed: Mutex::new(Vec::new()),
        })
    }

    /// The runs of this machine, as they stand now.
    pub fn runs<T>(&self, use_them: impl FnOnce(&Machine) -> T) -> Result<T, AppError> {
        let mut looked = locked(&self.machine);
        if looked.when.is_none_or(|when| when.elapsed() >= LOOK) {
            looked.machine.look(Timestamp::now(), &self.zone)?;
            looked.when = Some(Instant::now());
        }
        Ok(use_them(&looked.machine))
    }

    /// The run of this id; `None` where there is none.
    pub fn known(&self, run: &RunId) -> Result<Option<KnownRun>, AppError> {
        self.runs(|machine| {
            let listed = machine.runs().iter().find(|listed| listed.summary.run == *run);
            let broken = machine.unreadable().iter().find(|(known, _)| known.run() == run);
            listed.map(ListedRun::known).or_else(|| broken.map(|(known, _)| known.clone()))
        })
    }

    /// The run of this id with all that has happened in it; `None` where there is none.
    pub fn follow(&self, run: &RunId) -> Result<Option<Arc<Mutex<Followed>>>, AppError> {
        let Some(known) = self.known(run)? else { return Ok(None) };
        let kept = {
            let followed = locked(&self.followed);
            followed.iter().find(|followed| locked(followed).known == known).cloned()
        };
        let followed = match kept {
            Some(kept) => kept,
            None => self.keep(Followed::new(&self.app, known)?),
        };
        locked(&followed).advance()?;
        Ok(Some(followed))
    }

    fn keep(&self, followed: Followed) -> Arc<Mutex<Followed>> {
        let followed = Arc::new(Mutex::new(followed));
        let mut kept = locked(&self.followed);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push(Arc::clone(&followed));
        followed
    }
}

impl Followed {
    fn new(app: &App, known: KnownRun) -> Result<Followed, AppError> {
        let run =
            app.follow(&known).map_err(|error| not_to_be_read(&known, &error))?.kept_up().read_anywhere();
        let seq = run.course().seq();
        Ok(Followed { known, run, seq, asked_git: None })
    }

    /// Takes in what is new. Is anything?
    pub fn advance(&mut self) -> Result<bool, AppError> {
        self.run.advance(|_| {})?;
        let before = std::mem::replace(&mut self.seq, self.run.course().seq());
        Ok(before != self.seq)
    }

    /// Asks git where the work is, unless it has just been asked.
    pub fn look_at_places(&mut self) {
        let holds = |(when, seq): (Instant, u64)| seq == self.seq && when.elapsed() < PLACES;
        if !self.asked_git.is_some_and(holds) {
            self.run.look_at_places();
            self.asked_git = Some((Instant::now(), self.seq));
        }
    }
}

/// It is on the list, and its journal is gone or is none: that is nothing that this server could mend.
fn not_to_be_read(known: &KnownRun, error: &AppError) -> AppError {
    AppError::new(Kind::Usage, format!("run {known} cannot be read: {}", error.message))
        .hint("What is known of it stands in the list of runs")
}

/// What a panic left behind is still what it was: values are changed in one step.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
