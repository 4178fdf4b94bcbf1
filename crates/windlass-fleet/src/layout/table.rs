//! The one table of what a fleet keeps.

use std::time::Duration;

use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};

use crate::journal::LONGEST_LINE;
use crate::names::FleetName;
use windlass_core::config::Replicas;

use crate::orders::LARGEST_ORDER;
use crate::store::CHUNK;
use crate::subjects::Subjects;

/// How many servers keep each message. With one, what it holds is gone with the server's disk; of three, one may be gone.
pub const fn server_count(replicas: Replicas) -> u16 {
    match replicas {
        Replicas::One => 1,
        Replicas::Three => 3,
    }
}

/// A part of what a fleet keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// First orders, each for one worker: a stream.
    Orders,
    /// Who holds what: a bucket of keys and values.
    Leases,
    /// Journals, a subject for each run: a stream.
    Journal,
    /// Files.
    Files(Store),
}

/// A store of files: an object store of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Store {
    /// What runners hand out: packs of commits.
    Code,
    /// What workers bring back: packs of commits.
    Results,
    /// What agents printed, as it was received.
    Streams,
    /// What checks printed.
    Logs,
}

/// All of it, in the order in which it is made.
pub const LAYOUT: [Part; 7] = [
    Part::Leases,
    Part::Journal,
    Part::Orders,
    Part::Files(Store::Code),
    Part::Files(Store::Results),
    Part::Files(Store::Streams),
    Part::Files(Store::Logs),
];

/// So long a repeated order is known by its key, and a repeated line of a journal by its own.
pub const DUPLICATE_WINDOW: Duration = Duration::from_mins(2);

/// What headers of ours need beside a message, in bytes, generously.
const HEADERS: usize = 4096;

const DAY: Duration = Duration::from_hours(24);

impl Part {
    /// What it is called in the fleet's names: `windlass_night_orders`.
    pub const fn name(self) -> &'static str {
        match self {
            Part::Orders => "orders",
            Part::Leases => "leases",
            Part::Journal => "journal",
            Part::Files(store) => store.name(),
        }
    }

    /// How long it is kept; `None` for ever. Keys of leases never expire: their revisions are the epochs, and must not begin anew.
    pub const fn kept_for(self) -> Option<Duration> {
        match self {
            Part::Leases => None,
            Part::Orders => Some(DAY.saturating_mul(7)),
            Part::Journal => Some(DAY.saturating_mul(180)),
            Part::Files(Store::Code | Store::Results | Store::Streams) => Some(DAY.saturating_mul(30)),
            Part::Files(Store::Logs) => Some(DAY.saturating_mul(14)),
        }
    }

    /// What it is for, in one line.
    pub const fn about(self) -> &'static str {
        match self {
            Part::Orders => "first orders of lanes, each taken by one worker",
            Part::Leases => "who holds a run, a lane, a worker's name; a revision is an epoch",
            Part::Journal => "journals of runs, a subject for each, and where what belongs to a run is found",
            Part::Files(Store::Code) => "packs of commits for workers",
            Part::Files(Store::Results) => "packs of commits from workers",
            Part::Files(Store::Streams) => "what agents printed",
            Part::Files(Store::Logs) => "what checks printed",
        }
    }

    /// The name of its stream in a fleet.
    pub fn stream_of(self, fleet: &FleetName) -> String {
        self.stream(&Subjects::of(fleet))
    }

    /// The name of its stream. Buckets are streams as well, whose names begin in a way of their own.
    pub(crate) fn stream(self, subjects: &Subjects) -> String {
        let bucket = subjects.stored(self.name());
        match self {
            Part::Orders | Part::Journal => bucket,
            Part::Leases => format!("KV_{bucket}"),
            Part::Files(_) => format!("OBJ_{bucket}"),
        }
    }

    /// Its subjects.
    pub(crate) fn subjects(self, subjects: &Subjects) -> Vec<String> {
        let bucket = subjects.stored(self.name());
        match self {
            Part::Orders => vec![subjects.below("orders.*.*.*")],
            Part::Journal => vec![subjects.below("journal.*")],
            Part::Leases => vec![format!("$KV.{bucket}.>")],
            Part::Files(_) => vec![format!("$O.{bucket}.C.>"), format!("$O.{bucket}.M.>")],
        }
    }

    /// What the server is asked for. Buckets are named and filled as the server's tools do it, so that those can read them. But they
    /// are stricter: nothing is read past the leader, since another server may not know yet what was just written.
    pub(crate) fn config(self, subjects: &Subjects, copies: Replicas) -> Config {
        Config {
            name: self.stream(subjects),
            description: Some(self.about().to_owned()),
            subjects: self.subjects(subjects),
            retention: match self {
                Part::Orders => RetentionPolicy::WorkQueue,
                Part::Leases | Part::Journal | Part::Files(_) => RetentionPolicy::Limits,
            },
            // A full stream refuses what is new: nothing that was acknowledged is ever dropped for something else.
            discard: DiscardPolicy::New,
            storage: StorageType::File,
            // The buckets' own default is one, whatever the cluster is.
            num_replicas: server_count(copies).into(),
            max_age: self.kept_for().unwrap_or_default(),
            max_messages: -1,
            max_messages_per_subject: if self == Part::Leases { 1 } else { -1 },
            max_bytes: -1,
            max_consumers: -1,
            max_message_size: self.largest_message(),
            duplicate_window: DUPLICATE_WINDOW,
            // A message could drop all others of its stream: whoever may write one lease could end all of them.
            allow_rollup: false,
            deny_delete: self == Part::Leases,
            allow_direct: false,
            ..Config::default()
        }
    }

    /// In bytes, headers included.
    fn largest_message(self) -> i32 {
        let payload = match self {
            Part::Orders => LARGEST_ORDER,
            Part::Journal => LONGEST_LINE,
            Part::Leases => crate::leases::LARGEST_LEASE,
            Part::Files(_) => CHUNK,
        };
        i32::try_from(payload + HEADERS).unwrap_or(i32::MAX)
    }
}

impl Store {
    /// All of them.
    pub const ALL: [Store; 4] = [Store::Code, Store::Results, Store::Streams, Store::Logs];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Store::Code => "code",
            Store::Results => "results",
            Store::Streams => "streams",
            Store::Logs => "logs",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leases_never_expire_and_everything_has_as_many_copies_as_was_asked_for() {
        let subjects = Subjects::of(&"night".parse().unwrap());
        for part in LAYOUT {
            let config = part.config(&subjects, Replicas::Three);
            assert_eq!(config.num_replicas, 3, "{}", config.name);
            assert_eq!(config.max_age.is_zero(), part == Part::Leases, "{}", config.name);
            assert!(config.subjects.iter().all(|subject| subject.contains("night")), "{}", config.name);
            assert!(!config.allow_rollup && !config.allow_direct, "{}", config.name);
            // What is larger than a server takes by default could never be sent.
            assert!(config.max_message_size <= 1024 * 1024, "{}", config.name);
        }
    }
}
