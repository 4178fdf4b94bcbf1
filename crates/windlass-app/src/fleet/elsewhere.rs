//! Runs that are driven on other machines, looked at from this one: what the fleet has of them is copied into a folder like that of
//! any run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use windlass_core::config::FleetSettings;
use windlass_engine::store::run_folder::find_among;
use windlass_engine::store::{RunFolder, StoreError, index};
use windlass_fleet::journal::{Journal, Sequence};
use windlass_fleet::leases::{LeaseKey, Leases};
use windlass_fleet::settings::Role;
use windlass_fleet::{Deadline, Fleet};
use windlass_remote::copy::{self, CopyEar, Depth, register};
use windlass_remote::journal::{Brought, FleetJournal, JournalError};
use windlass_ui::Hearing;

use super::connect::{connect_as_any, explained, settings};
use super::looks::{Looked, Looks, look_at};
use super::remote::not_brought;
use super::wanted::fleet_of;
use crate::error::AppError;
use crate::here::Here;
use crate::inspect::which;

/// How long one question to the servers may take.
const ASKING: Duration = Duration::from_secs(10);

/// How often a run that is followed is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// How long several runs are looked at: whoever drives one renews its lease within it.
const GLIMPSE: Duration = Duration::from_millis(3500);

/// How often what was said is taken in beside that.
const STEP: Duration = Duration::from_millis(100);

/// How long until a fleet that failed, or a run that nobody drives, is looked at again.
const AGAIN: Duration = Duration::from_secs(10);

/// The run of the configured fleet with this name, or this beginning of one, that this machine does not know; what the fleet has of
/// it is here then. `None` where no fleet is configured, or it has no such run.
///
/// # Errors
/// The fleet cannot be asked, or several runs begin so.
pub(crate) fn find(here: &Here, named: &str, depth: Depth) -> Result<Option<RunFolder>, AppError> {
    let settings = settings(&here.directory)?;
    if settings.urls.is_empty() {
        return Ok(None);
    }
    let fleet = connected(here, &settings)?;
    let runs = Journal::runs(&fleet, Deadline::after(ASKING)).map_err(explained)?;
    let run = match find_among(runs, named) {
        Err(StoreError::NoSuchRun { .. }) => return Ok(None),
        found => found?,
    };
    here.project.create()?;
    let folder = RunFolder::of(&here.project, &run);
    bring(here, &fleet, &folder, depth)?;
    Ok(Some(folder))
}

/// Brings what has happened since in a run that is driven elsewhere, or may be. Where the fleet cannot be asked, what is here is what
/// there is to see, and that is said. Of a run that is driven here, or has ended here, nothing is asked.
pub(crate) fn refresh(here: &Here, folder: &RunFolder, depth: Depth) {
    let Some(name) = copy::copied_from(folder).or_else(|| left_open(here, folder)) else { return };
    let refreshed = of_name(here, name).and_then(|(fleet, _)| bring(here, &fleet, folder, depth));
    if let Err(error) = refreshed {
        let run = folder.run();
        here.app
            .notice(&format!("{run} is shown as it was when its fleet was last asked: {}", error.message));
    }
}

/// Brings what was decided since in all runs of this project that are driven elsewhere and have not ended, and looks which of them are
/// alive: that takes a few seconds, where there are any.
pub(crate) fn refresh_all(here: &Here) {
    let mut by_fleet: BTreeMap<String, Vec<RunFolder>> = BTreeMap::new();
    for run in register::all(&here.project) {
        let folder = RunFolder::of(&here.project, &run);
        match copy::copied_from(&folder).filter(|_| is_open(&folder)) {
            Some(name) => by_fleet.entry(name).or_default().push(folder),
            None => register::leave(&here.project, &run),
        }
    }
    for (name, folders) in by_fleet {
        if let Err(error) = refresh_of(here, name, &folders) {
            // Once: the others would wait as long for the same answer.
            here.app.notice(&format!(
                "runs of other machines are shown as they were when their fleet was last asked: {}",
                error.message
            ));
            return;
        }
    }
}

/// The same of one fleet's.
fn refresh_of(here: &Here, name: String, folders: &[RunFolder]) -> Result<(), AppError> {
    let (fleet, _) = of_name(here, name)?;
    for folder in folders {
        bring(here, &fleet, folder, Depth::Facts)?;
    }
    let open = folders.iter().filter(|folder| is_open(folder));
    let keys = open.map(|folder| LeaseKey::Run(folder.run().clone())).collect();
    // Who cannot be looked at is not heard of.
    let Ok(Looked { looks, now }) = look_at(&Leases::of(&fleet), keys, GLIMPSE, ASKING) else {
        return Ok(());
    };
    for (key, _, heard) in looks.all(now) {
        if let LeaseKey::Run(run) = key
            && heard.state == Hearing::Renewed
        {
            register::heard(&here.project, run);
        }
    }
    Ok(())
}

/// Has it not ended, as far as is known here?
fn is_open(folder: &RunFolder) -> bool {
    index::summarize(folder).is_ok_and(|summary| summary.is_unfinished())
}

/// The fleet of a run that nobody drives here, and that has not ended as far as is known here.
fn left_open(here: &Here, folder: &RunFolder) -> Option<String> {
    if !is_open(folder) || which::all_live(here).ok()?.contains(folder.run()) {
        return None;
    }
    fleet_of(folder).ok().flatten()
}

/// Is a run's folder a copy of what a fleet has, since it is driven on another machine?
pub(crate) fn is_copy(folder: &RunFolder) -> bool {
    copy::copied_from(folder).is_some()
}

/// Is it a run that somebody drives on another machine at the moment? That takes seconds where it is not.
pub(crate) fn is_live(here: &Here, folder: &RunFolder) -> bool {
    let Some(name) = copy::copied_from(folder) else { return false };
    let Ok((fleet, settings)) = of_name(here, name) else { return false };
    let key = LeaseKey::Run(folder.run().clone());
    let looked = look_at(&Leases::of(&fleet), vec![key.clone()], settings.lease, ASKING);
    looked.is_ok_and(|looked| {
        looked.looks.of(&key, looked.now).is_some_and(|(_, heard)| heard.state == Hearing::Renewed)
    })
}

/// A run that is driven on another machine, followed.
pub(crate) struct FollowedCopy {
    here: Here,
    folder: RunFolder,
    fleet: Fleet,
    /// Hears what its agents print; `None` where somebody else on this machine does.
    ear: Option<CopyEar>,
    lease: Duration,
    looks: Looks,
    began: Instant,
    looked: Option<Instant>,
    /// Where the fleet's journal ended when it was brought last.
    brought: Option<Sequence>,
}

impl FollowedCopy {
    /// `None` for a run of this machine.
    ///
    /// # Errors
    /// Its fleet cannot be asked.
    pub fn begin(here: &Here, folder: &RunFolder) -> Result<Option<FollowedCopy>, AppError> {
        let Some(name) = copy::copied_from(folder) else { return Ok(None) };
        let (fleet, settings) = of_name(here, name)?;
        Ok(Some(FollowedCopy {
            here: here.clone(),
            folder: folder.clone(),
            fleet,
            ear: None,
            lease: settings.lease,
            looks: Looks::respecting(settings.lease),
            began: Instant::now(),
            looked: None,
            brought: None,
        }))
    }

    /// Brings what its agents have printed since, and once in a while what else has happened. Says whether somebody drives it.
    ///
    /// # Errors
    /// The fleet's servers do more than stay away for a moment.
    pub fn look(&mut self) -> Result<bool, AppError> {
        if let Some(ear) = &mut self.ear {
            ear.hear();
        }
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK) {
            return Ok(true);
        }
        self.looked = Some(Instant::now());
        let key = LeaseKey::Run(self.folder.run().clone());
        match Leases::of(&self.fleet).look(&key, Deadline::after(ASKING)) {
            Ok(lease) => self.looks.saw(&key, lease.as_ref(), self.began.elapsed()),
            Err(error) if error.may_pass() => return Ok(true),
            Err(error) => return Err(explained(error)),
        }
        // After the lease: what was said before it was given back is there by then.
        match self.bring() {
            Err(JournalError::Fleet(error)) if error.may_pass() => return Ok(true),
            brought => brought.map_err(not_brought)?,
        }
        let now = self.began.elapsed();
        let heard = self.looks.of(&key, now).map(|(_, heard)| heard);
        if heard.is_some_and(|heard| heard.state == Hearing::Renewed && heard.span < self.lease) {
            register::heard(&self.here.project, self.folder.run());
        }
        // Whoever renewed it once may be gone since.
        Ok(heard.is_some_and(|heard| heard.span < self.lease))
    }

    /// What is new, where anything is.
    fn bring(&mut self) -> Result<(), JournalError> {
        let newest = Journal::of(&self.fleet, self.folder.run())?.newest(Deadline::after(ASKING))?;
        if self.brought != Some(newest) {
            brought(&self.here, &self.fleet, &self.folder, Depth::Files)?;
            self.brought = Some(newest);
        }
        match &mut self.ear {
            Some(ear) => ear.look(),
            // From now on: what is being printed already comes when its call has ended.
            none => *none = CopyEar::begin(&self.fleet, &self.folder)?,
        }
        Ok(())
    }
}

impl Drop for FollowedCopy {
    fn drop(&mut self) {
        register::unheard(&self.here.project, self.folder.run());
    }
}

/// A run that is driven on another machine, followed for as long as this is kept, beside whoever looks at its folder.
pub(crate) struct FollowedBeside {
    is_over: Arc<AtomicBool>,
}

impl FollowedBeside {
    /// `None` for a run of this machine, and for one that has ended. Where its fleet cannot be asked that is tried again.
    pub fn begin(here: Here, folder: &RunFolder) -> Option<FollowedBeside> {
        if !is_copy(folder) || !is_open(folder) {
            return None;
        }
        let is_over = Arc::new(AtomicBool::new(false));
        let (over, folder) = (Arc::clone(&is_over), folder.clone());
        let follow = move || {
            while !over.load(Ordering::Relaxed) && is_open(&folder) {
                follow(&here, &folder, &over);
                wait(AGAIN, &over);
            }
        };
        // Without a thread the run is shown as it was.
        let started = thread::Builder::new().name("fleet-follow".to_owned()).spawn(follow);
        started.is_ok().then_some(FollowedBeside { is_over })
    }
}

impl Drop for FollowedBeside {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Until nobody drives it, its fleet fails, or it is over.
fn follow(here: &Here, folder: &RunFolder, over: &AtomicBool) {
    let Ok(Some(mut copy)) = FollowedCopy::begin(here, folder) else { return };
    while !over.load(Ordering::Relaxed) && copy.look().unwrap_or(false) {
        thread::sleep(STEP);
    }
}

fn wait(span: Duration, over: &AtomicBool) {
    let began = Instant::now();
    while began.elapsed() < span && !over.load(Ordering::Relaxed) {
        thread::sleep(STEP);
    }
}

/// The fleet of this name, on the servers that are configured.
fn of_name(here: &Here, name: String) -> Result<(Fleet, FleetSettings), AppError> {
    let settings = FleetSettings { name, ..settings(&here.directory)? };
    Ok((connected(here, &settings)?, settings))
}

fn connected(here: &Here, settings: &FleetSettings) -> Result<Fleet, AppError> {
    connect_as_any(&here.directory, settings, &[Role::Watcher, Role::Runner])
}

fn bring(here: &Here, fleet: &Fleet, folder: &RunFolder, depth: Depth) -> Result<(), AppError> {
    let brought = brought(here, fleet, folder, depth).map_err(not_brought)?;
    here.app.notices(&brought.sentence());
    if is_copy(folder) && is_open(folder) {
        register::enter(&here.project, folder.run());
    } else {
        register::leave(&here.project, folder.run());
    }
    Ok(())
}

fn brought(here: &Here, fleet: &Fleet, folder: &RunFolder, depth: Depth) -> Result<Brought, JournalError> {
    // What cannot be said is no reason to write into what may be somebody's.
    let goes_on_here = || which::all_live(here).map_or(true, |live| live.contains(folder.run()));
    let there = FleetJournal::read(fleet, folder.run())?;
    copy::bring(fleet, folder, &there, depth, goes_on_here)
}
