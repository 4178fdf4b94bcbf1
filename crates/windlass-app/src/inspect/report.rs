//! What there is to report of runs.

use std::cmp::Reverse;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::ToSpan as _;
use jiff::tz::TimeZone;
use windlass_core::redact::Redactor;
use windlass_core::values::RunId;
use windlass_engine::store::{Project, RunFolder, index};
use windlass_ui::model::{Night, RunSeen, Unreadable, Who};

use super::changes::PartChanges;
use super::known::KnownRun;
use super::machine::ClosedProject;
use super::which;
use crate::app::App;
use crate::error::AppError;
use crate::here::{Here, state_root};
use crate::telling;

/// When last night began, by the clock on the wall.
const EVENING: i8 = 18;

/// Which runs are reported.
#[derive(Clone, Debug, Default)]
pub struct ReportRequest {
    /// Runs of this project, or the beginnings of their names; none named = the live or newest one here.
    pub runs: Vec<String>,
    /// Instead, every run on this machine that was live after this moment.
    pub since: Option<Timestamp>,
}

/// Yesterday at 18:00, local time.
pub fn last_evening(now: Timestamp, zone: &TimeZone) -> Timestamp {
    let today = now.to_zoned(zone.clone()).date();
    let evening = today.checked_sub(1.day()).and_then(|day| day.at(EVENING, 0, 0, 0).to_zoned(zone.clone()));
    evening.map_or(now - Duration::from_hours(24), |evening| evening.timestamp())
}

impl App {
    /// What there is to report of runs. Asks git where their work is today; changes nothing.
    ///
    /// # Errors
    /// A run that is named is not there, or its journal cannot be read. Of those of last night that is said in the report.
    pub fn report(&self, request: &ReportRequest, now: Timestamp) -> Result<Night, AppError> {
        let mut night = Night { made: now, since: request.since, runs: Vec::new(), unreadable: Vec::new() };
        match request.since {
            Some(since) => self.add_last_night(&mut night, since)?,
            None => self.add_named(&mut night, &request.runs)?,
        }
        let order = |run: &RunSeen| (run.waited_for.who != Who::Person, Reverse(run.status.started));
        night.runs.sort_by_key(order);
        Ok(night)
    }

    /// What the runs of a report changed, by the names of the runs; of those of which that is known.
    pub fn changes_of(&self, night: &Night) -> Vec<(String, Vec<PartChanges>)> {
        let changes = night.runs.iter().filter_map(|run| {
            let name = run.status.run.as_ref()?;
            let known = self.known_run(Some(&name.0)).ok()?;
            Some((name.to_string(), self.follow(&known).ok()?.patches(run)))
        });
        changes.filter(|(_, parts)| !parts.is_empty()).collect()
    }

    /// Knows what must not be handed on: the secrets of this process's environment, and what looks like one.
    pub fn redactor(&self) -> Redactor {
        telling::redactor()
    }

    fn add_named(&self, night: &mut Night, names: &[String]) -> Result<(), AppError> {
        let here = Here::find_broken(self)?;
        let mut folders = Vec::new();
        for name in names {
            let folder = which::shown(&here, Some(name))?;
            // Two beginnings may name the same run.
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        if names.is_empty() {
            folders.push(which::shown(&here, None)?);
        }
        for folder in &folders {
            let known = KnownRun::of(&here.project, folder.run());
            night.runs.push(self.run_seen(&known, &which::live_with(&here, folder)?, night.made)?);
        }
        Ok(())
    }

    fn add_last_night(&self, night: &mut Night, since: Timestamp) -> Result<(), AppError> {
        for project in Project::all(&state_root()?)? {
            if let Err(error) = self.add_of_project(night, &project, since) {
                // It hides no other.
                let ClosedProject { name, why } = ClosedProject::of(&project, &error);
                night.unreadable.push(Unreadable { run: String::new(), project: Some(name), why });
            }
        }
        Ok(())
    }

    fn add_of_project(&self, night: &mut Night, project: &Project, since: Timestamp) -> Result<(), AppError> {
        let listing = index::look(project)?;
        let live = which::seen_live(project)?;
        for run in listing.runs.iter().filter(|run| run.last >= since || live.contains(&run.run)) {
            match self.run_seen(&KnownRun::of(project, &run.run), &live, night.made) {
                Ok(seen) => night.runs.push(seen),
                Err(error) => night.unreadable.push(lost(&run.run, &error.message)),
            }
        }
        // One that began just now, or never, has nothing to report.
        let broken = listing.unreadable.iter().filter(|(_, error)| !error.is_nothing_yet());
        let fresh = broken.filter(|(run, _)| is_written_since(&RunFolder::of(project, run), since));
        night.unreadable.extend(fresh.map(|(run, error)| lost(run, &error.to_string())));
        Ok(())
    }

    fn run_seen(&self, known: &KnownRun, live: &[RunId], now: Timestamp) -> Result<RunSeen, AppError> {
        let mut followed = self.follow(known)?;
        followed.look_at_places();
        let mut seen = followed.seen_among(live, now);
        followed.look_at_changes(&mut seen);
        Ok(seen)
    }
}

fn lost(run: &RunId, why: &str) -> Unreadable {
    Unreadable { run: run.to_string(), project: None, why: why.to_owned() }
}

fn is_written_since(folder: &RunFolder, since: Timestamp) -> bool {
    // outside: the run's folder.
    let written = folder.journal().metadata().and_then(|about| about.modified()).ok();
    written.is_some_and(|written| written >= SystemTime::from(since))
}
