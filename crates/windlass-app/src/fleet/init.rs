//! Making what a fleet needs on its servers.

use std::time::Duration;

use windlass_fleet::layout::{Made, Part, create};
use windlass_fleet::settings::Role;
use windlass_fleet::{Deadline, permissions};

use super::connect::{connect, explained, name_of, settings};
use crate::app::App;
use crate::error::AppError;

/// How long making all of it may take.
const MAKING: Duration = Duration::from_secs(30);

/// What there is of a fleet now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetInit {
    /// What it is called.
    pub name: String,
    /// Its streams and buckets, in the order in which they were made.
    pub parts: Vec<MadePart>,
}

/// A stream or bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadePart {
    /// What the server calls it.
    pub name: String,
    /// What it is for.
    pub about: &'static str,
    /// It was not there before.
    pub is_new: bool,
}

impl App {
    /// Makes what the configured fleet needs on its servers; what is there as it has to be stays.
    ///
    /// # Errors
    /// The fleet cannot be used, or what is there differs from what is needed: it is named, and not altered.
    pub fn init_fleet(&self) -> Result<FleetInit, AppError> {
        let settings = settings(self.directory())?;
        let fleet = connect(self.directory(), &settings, Role::Administrator)?;
        let made = create(&fleet, settings.replicas, Deadline::after(MAKING)).map_err(explained)?;
        let name = &fleet.settings().fleet;
        let part = |(part, made): &(Part, Made)| MadePart {
            name: part.stream_of(name),
            about: part.about(),
            is_new: *made == Made::New,
        };
        Ok(FleetInit { parts: made.iter().map(part).collect(), name: settings.name })
    }

    /// What each role of the configured fleet may do, as configuration of its servers. Nobody is asked.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub fn fleet_permissions(&self) -> Result<String, AppError> {
        Ok(permissions::configuration(&name_of(&settings(self.directory())?)?))
    }
}
