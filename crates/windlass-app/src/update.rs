//! Updates: of this program when a person asks for it, and looking whether there is one.
//!
//! Where releases are is a person's own configuration; a repository's files have no say in it. What signs them is built in.

use std::env;
use std::path::{Path, PathBuf};
use std::thread;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use windlass_core::release::{Version, manager_of};
use windlass_engine::update::{Source, UpdateError, install};
use windlass_host::file;
use windlass_host::process::{RUN_VARIABLE, others_running};

use crate::app::App;
use crate::configuration::of_person;
use crate::error::{AppError, Kind};
use crate::here;

/// Where releases are.
const URL: &str = "update.url";

/// Whether they are looked for unasked.
const CHECK: &str = "update.check";

/// How long a look is good for.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// What has become of an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// There is nothing newer than this program.
    Newest {
        /// This program's version.
        version: Version,
    },
    /// There is a newer version, which was only looked for.
    Available {
        /// This program's version.
        version: Version,
        /// What there is.
        newer: Version,
    },
    /// The program was replaced.
    Installed {
        /// What it was.
        version: Version,
        /// What it is.
        newer: Version,
        /// Where the former program is.
        previous: PathBuf,
    },
}

/// How far an update goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateWanted {
    /// Look, and say what there is.
    Look,
    /// Install it.
    Install,
}

impl App {
    /// Looks for a newer release, and puts it in this program's place where that is wanted.
    ///
    /// # Errors
    /// No place of releases is configured, or no key built in; the release cannot be had, or is not signed by that key; the
    /// program is somebody else's to update, is at work, or cannot be replaced.
    pub fn update(&self, wanted: UpdateWanted) -> Result<Update, AppError> {
        let url = self.place_of_releases()?.ok_or_else(no_place)?;
        let key = release_key().ok_or_else(no_key)?;
        let source = Source { url, key };
        let listed = source.look()?;
        let (version, newer) = (own_version()?, listed.version);
        if newer <= version {
            return Ok(Update::Newest { version });
        }
        if wanted == UpdateWanted::Look {
            return Ok(Update::Available { version, newer });
        }
        self.refuse_foreign_program()?;
        let program = source.fetch(&listed)?;
        // Looked at last, so that nothing has begun meanwhile that would go on with another program.
        self.refuse_program_at_work()?;
        let installed = install(self.program(), &program, newer)?;
        Ok(Update::Installed { version, newer, previous: installed.previous })
    }

    /// The newer version that was seen when it was last looked for. Looks again, meanwhile and once a day, for the next time;
    /// nothing waits for that. Says nothing in CI, within a run, and where configuration says so.
    pub fn newer_release(&self) -> Option<Version> {
        let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
        if is_set("CI") || is_set(RUN_VARIABLE) {
            return None;
        }
        let url = self.place_of_releases().ok()??;
        let source = Source { url, key: release_key()? };
        if of_person(self, CHECK).ok()?.and_then(|value| value.as_bool()) == Some(false) {
            return None;
        }
        let path = here::state_root().ok()?.join("release.json");
        let seen = Seen::read(&path);
        if seen.is_old(Timestamp::now()) {
            look_meanwhile(source, path, seen.clone());
        }
        let newer = seen.newest?.parse().ok()?;
        (newer > own_version().ok()?).then_some(newer)
    }

    fn place_of_releases(&self) -> Result<Option<String>, AppError> {
        let value = of_person(self, URL)?;
        let url = value.as_ref().and_then(|value| value.as_str()).map(str::trim).unwrap_or_default();
        Ok((!url.is_empty()).then(|| url.to_owned()))
    }

    fn refuse_foreign_program(&self) -> Result<(), AppError> {
        let Some(manager) = manager_of(self.program()) else { return Ok(()) };
        let message =
            format!("{} was installed by {}, which updates it", self.program().display(), manager.name);
        Err(AppError::usage(message).hint(manager.command))
    }

    fn refuse_program_at_work(&self) -> Result<(), AppError> {
        let Some(process) = others_running(self.program()).first().copied() else { return Ok(()) };
        let message = format!(
            "{} is at work (process {process}) and would go on with a new program",
            self.program().display()
        );
        Err(AppError::new(Kind::System, message)
            .hint("Try again when it has ended. To end a run: windlass stop"))
    }
}

impl From<UpdateError> for AppError {
    fn from(error: UpdateError) -> AppError {
        let hint = match &error {
            UpdateError::Fetch { .. } => {
                Some("Try again later. Where it was looked for: windlass config get update.url")
            }
            UpdateError::Program { .. } => {
                Some("Make the folder writable, or install again: docs/install.md")
            }
            _ => None,
        };
        AppError::of(Kind::System, error).with_hints(hint)
    }
}

fn own_version() -> Result<Version, AppError> {
    let text = env!("CARGO_PKG_VERSION");
    let wrong = |()| AppError::new(Kind::Internal, format!("{text} is not a version that can be compared"));
    text.parse().map_err(wrong)
}

fn no_place() -> AppError {
    AppError::new(Kind::Configuration, "there is no place to update from: update.url is empty")
        .hint("Name the place of the releases: windlass config set --user update.url https://…")
}

fn no_key() -> AppError {
    AppError::usage(
        "this program was built without the key that releases are signed with, so it cannot update itself",
    )
    .hint("Install a release: docs/install.md")
}

/// The key that releases are signed with: built in, or none. In a program for tests, a key of the test.
fn release_key() -> Option<String> {
    #[cfg(debug_assertions)]
    if let Ok(key) = env::var("WINDLASS_TEST_RELEASE_KEY") {
        return Some(key);
    }
    option_env!("WINDLASS_RELEASE_KEY").filter(|key| !key.is_empty()).map(str::to_owned)
}

/// What is known of releases without asking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Seen {
    /// When it was last looked for, whatever came of that.
    looked: Option<Timestamp>,
    /// The newest version that was seen.
    newest: Option<String>,
}

impl Seen {
    /// What cannot be read was never seen.
    fn read(path: &Path) -> Seen {
        // outside: the state folder.
        let bytes = file::read_if_there(path).ok().flatten().unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    fn write(&self, path: &Path) -> Option<()> {
        // outside: the state folder.
        file::create_private_folder(path.parent()?).ok()?;
        // outside: the same.
        file::replace(path, &serde_json::to_vec(self).ok()?, 0o600).ok()
    }

    /// A clock that went back makes it old, too.
    fn is_old(&self, now: Timestamp) -> bool {
        self.looked.is_none_or(|looked| now.duration_since(looked).abs() >= DAY)
    }
}

/// In a thread that ends with the process. That it was looked for is noted first: a place that does not answer is left alone
/// for a day as well.
fn look_meanwhile(source: Source, path: PathBuf, seen: Seen) {
    let look = move || {
        let seen = Seen { looked: Some(Timestamp::now()), ..seen };
        seen.write(&path)?;
        let newest = source.look().ok()?.version.to_string();
        Seen { newest: Some(newest), ..seen }.write(&path)
    };
    // Without a thread it is looked for another time.
    let _ = thread::Builder::new().name("release".to_owned()).spawn(look);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_good_for_a_day_in_both_directions() {
        let now: Timestamp = "2026-11-23T20:00:00Z".parse().unwrap();
        let looked =
            |hours: i64| Seen { looked: Some(now + SignedDuration::from_hours(hours)), newest: None };
        assert!(Seen::default().is_old(now));
        assert!(!looked(-23).is_old(now));
        assert!(looked(-24).is_old(now));
        assert!(looked(25).is_old(now));
    }
}
