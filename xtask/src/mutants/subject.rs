//! Which crates are changed, and which tests could notice it.

use super::listing::Mutant;

/// Crates whose code is changed.
#[derive(Debug)]
pub struct Subject {
    /// What it is called.
    pub name: &'static str,
    /// Its packages.
    pub packages: &'static [&'static str],
    /// What of them, unless files are named.
    pub files: &'static [&'static str],
    /// The tests that could notice a mutant.
    pub tests: Tests,
}

/// Tests, by how they are run.
#[derive(Debug)]
pub enum Tests {
    /// The package's own, those that only compute; for a mutant, the likeliest first.
    Computing(fn(&Mutant) -> Vec<Trial>),
    /// Each in a process of its own, by nextest: some end every process below them that they did not start.
    Apart {
        /// The packages that have them.
        packages: &'static [&'static str],
        /// Which, by nextest's filter.
        filter: &'static str,
    },
}

/// Some tests of a package, one after another in one process, and how long they may take.
#[derive(Debug, PartialEq, Eq)]
pub struct Trial {
    /// Those whose names contain one of these; none: all.
    pub filters: Vec<String>,
    /// But for those whose names contain one of these.
    pub without: Vec<&'static str>,
    /// How long: seconds of a processor.
    pub seconds: u32,
}

/// All of them.
pub const SUBJECTS: [Subject; 3] = [
    Subject {
        name: "core",
        packages: &["windlass-core"],
        files: &[
            "crates/windlass-core/src/run/**/*.rs",
            "crates/windlass-core/src/claim/**/*.rs",
            "crates/windlass-core/src/tasks/**/*.rs",
        ],
        tests: Tests::Computing(of_core),
    },
    Subject {
        name: "agents",
        packages: &["windlass-agents"],
        files: &[
            "crates/windlass-agents/src/claude/judge.rs",
            "crates/windlass-agents/src/claude/prose.rs",
            "crates/windlass-agents/src/reset_time.rs",
        ],
        tests: Tests::Computing(of_agents),
    },
    Subject {
        name: "engine",
        packages: &["windlass-host", "windlass-git", "windlass-engine"],
        files: &[
            "crates/windlass-host/src/process/**/*.rs",
            "crates/windlass-git/src/{snapshot,git,commit,lane,loan}/**/*.rs",
            "crates/windlass-engine/src/{store,sandbox,notify}/**/*.rs",
        ],
        tests: Tests::Apart {
            packages: &["windlass-host", "windlass-git", "windlass-engine", "windlass"],
            // All but those with real agents, containers, browsers and fleets.
            filter: "not package(windlass) or kind(lib) or kind(bin) or binary(/^(loop|verbs|cli|sandbox|sessions)$/)",
        },
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
        _ => (&[], &[]),
    };
    let quick = SLOW.into_iter().chain(NIGHTS).collect();
    vec![computing(own, quick, 3), computing(all, SLOW.into(), 30)]
}

/// The tests of its own room first, then all of its crate.
fn of_agents(mutant: &Mutant) -> Vec<Trial> {
    let own = format!("{}::", mutant.room());
    vec![computing(&[&own], SLOW.into(), 3), computing(&[], SLOW.into(), 30)]
}

fn computing(filters: &[&str], without: Vec<&'static str>, seconds: u32) -> Trial {
    let filters = filters.iter().map(|filter| (*filter).to_owned()).collect();
    Trial { filters, without, seconds }
}
