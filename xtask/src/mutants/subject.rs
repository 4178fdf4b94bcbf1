//! Which crate is changed, and which tests could notice it.

use super::listing::Mutant;

/// A crate whose code is changed.
#[derive(Debug)]
pub struct Subject {
    /// Its package.
    pub package: &'static str,
    /// What of it, unless files are named.
    pub files: &'static [&'static str],
    /// The tests that could notice a mutant, the likeliest first.
    pub trials: fn(&Mutant) -> Vec<Trial>,
}

impl Subject {
    /// By its package without what all packages begin with.
    pub fn is_called(&self, name: &str) -> bool {
        self.package.strip_prefix("windlass-") == Some(name)
    }
}

/// Some tests, and how long they may take.
#[derive(Debug, PartialEq, Eq)]
pub enum Trial {
    /// Of the crate's own, one after another in one process: those that only compute.
    Computing {
        /// Those whose names contain one of these; none: all.
        filters: Vec<String>,
        /// But for those whose names contain one of these.
        without: Vec<&'static str>,
        /// How long: seconds of a processor.
        seconds: u32,
    },
    /// Each in a process of its own, by nextest: some end every process below them that they did not start.
    Apart {
        /// The package that has them.
        package: String,
        /// Which, by nextest's filter.
        filter: String,
    },
}

/// All of them.
pub const SUBJECTS: [Subject; 4] = [
    Subject {
        package: "windlass-core",
        files: &[
            "crates/windlass-core/src/run/**/*.rs",
            "crates/windlass-core/src/claim/**/*.rs",
            "crates/windlass-core/src/tasks/**/*.rs",
            "crates/windlass-agents/src/claude/judge.rs",
            "crates/windlass-agents/src/claude/prose.rs",
            "crates/windlass-agents/src/reset_time.rs",
        ],
        trials: of_core,
    },
    Subject {
        package: "windlass-host",
        files: &["crates/windlass-host/src/process/**/*.rs"],
        trials: of_engine,
    },
    Subject {
        package: "windlass-git",
        files: &[
            "crates/windlass-git/src/snapshot/**/*.rs",
            "crates/windlass-git/src/{git,commit,lane,loan}/**/*.rs",
        ],
        trials: of_engine,
    },
    Subject {
        package: "windlass-engine",
        files: &[
            "crates/windlass-engine/src/store/**/*.rs",
            "crates/windlass-engine/src/sandbox/**/*.rs",
            "crates/windlass-engine/src/notify/**/*.rs",
        ],
        trials: of_engine,
    },
];

/// Tests that take longer than all others together: they say nothing about these rules that the others do not.
const SLOW: [&str; 3] = ["every_prefix_of_a_journal", "enormous_line", "an_edit_is_never_cut"];

/// The simulated nights of the core's own tests: the rest is tried first.
const NIGHTS: [&str; 2] = ["tests::nights", "whatever_the_order"];

/// The tests of its own part first, without their simulated nights: nearly every mutant is noticed by them. Then all that
/// could notice it.
fn of_core(mutant: &Mutant) -> Vec<Trial> {
    let (own, all): (&[&str], &[&str]) = match mutant.room() {
        "run" | "claim" => (&["run::", "claim::"], &["run::", "claim::", "notification::", "recovery::"]),
        "tasks" => (&["tasks::tests", "tasks::natural"], &["tasks::", "run::"]),
        "agent" => (&["agent::"], &["agent::"]),
        _ => (&[], &[]),
    };
    let trial = |filters: &[&str], without: Vec<&'static str>, seconds| Trial::Computing {
        filters: filters.iter().map(|filter| (*filter).to_owned()).collect(),
        without,
        seconds,
    };
    let quick = SLOW.into_iter().chain(NIGHTS).collect();
    vec![trial(own, quick, 3), trial(all, SLOW.into(), 30)]
}

/// The tests of its own room, all of its crate, those with real processes, and those of the real binary that the room is most likely seen in.
fn of_engine(mutant: &Mutant) -> Vec<Trial> {
    let room = mutant.room().to_owned();
    let filter = match room.as_str() {
        "process" => "binary(loop) and test(/signals|kills|clocks|hooks|bad_agents/)",
        "store" => {
            "(binary(loop) and test(/kills|dead_ends|full_disk|durability/)) or (binary(verbs) and test(/looking|logs|stopping/))"
        }
        "snapshot" => {
            "(binary(loop) and test(/disasters|straying|interrupted|durability/)) or (binary(verbs) and test(/restoring/))"
        }
        "git" => "binary(loop) and test(/committing|lanes|parking|repositories|tasks|interrupted/)",
        "sandbox" => "binary(sandbox)",
        "notify" => "(binary(loop) and test(/notifications/)) or (binary(cli) and test(/notify/))",
        _ => "binary(loop) or binary(verbs)",
    };
    let package = mutant.package();
    let apart =
        |package: &str, filter: &str| Trial::Apart { package: package.to_owned(), filter: filter.to_owned() };
    let own = apart(package, &format!("kind(lib) and test(/^{room}::/)"));
    let mut trials = vec![own, apart(package, "kind(lib)")];
    if room == "process" {
        trials.push(apart("windlass-host", "binary(process)"));
    }
    trials.push(apart("windlass", filter));
    trials
}
