//! `cargo xtask bench`: the table of what Windlass costs, each figure beside a floor that was measured in the same run.
//!
//! The agent is `bin/bench-agent.rs`: it notes when each of its calls began and ended. The *gap* is the next call's
//! beginning minus this call's end: all that lies between two agents, and neither start-up nor shut-down.

mod bed;
mod browser;
mod fleet;
mod gaps;
mod going;
mod idle;
mod lanes;
mod moments;
mod numbers;
mod page;
mod pretended;
mod process;
mod report;
mod served;
mod start;
mod stream;
mod table;
mod tasks;
mod ticks;
mod viewers;
mod watch;

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{Failure, cargo, run};
use crate::release::{self, Training};
use crate::workspace::Workspace;
use bed::Bed;
use table::{Row, Table};

/// One group of rows.
struct Group {
    name: &'static str,
    measure: fn(&Bed) -> Result<Vec<Row>, Failure>,
}

impl Group {
    /// Is it the one that is named, or one of those whose names begin so: `fleet` is all of `fleet-tasks`, `fleet-orders` and so on.
    fn is_named(&self, name: &str) -> bool {
        self.name == name || self.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'))
    }
}

/// All of them, in the order of the table.
const GROUPS: &[Group] = &[
    Group { name: "gap", measure: gaps::outside_git },
    Group { name: "small", measure: gaps::in_a_small_repository },
    Group { name: "snapshot", measure: gaps::in_a_repository },
    Group { name: "flat", measure: gaps::flatness },
    Group { name: "stream", measure: stream::throughput },
    Group { name: "memory", measure: stream::memory },
    Group { name: "start", measure: start::start_up },
    Group { name: "runs", measure: start::listing },
    Group { name: "tasks", measure: tasks::fifty_thousand },
    Group { name: "report", measure: report::report },
    Group { name: "idle", measure: idle::sleeping },
    Group { name: "lanes", measure: lanes::speed_up },
    Group { name: "fleet-tasks", measure: fleet::beside_one_machine },
    Group { name: "fleet-orders", measure: fleet::orders },
    Group { name: "fleet-lanes", measure: fleet::many_lanes },
    Group { name: "fleet-takeover", measure: fleet::takeover },
    Group { name: "fleet-cancel", measure: fleet::cancel },
    Group { name: "page", measure: page::page },
    Group { name: "watch", measure: watch::watch },
    Group { name: "viewers", measure: viewers::viewers },
    Group { name: "moments", measure: moments::moments },
    Group { name: "prompt", measure: start::prompt },
    Group { name: "size", measure: start::size },
];

/// What a program is watched at while it is trained: what people wait for, and what lies between two agents.
const TRAINING: &[&str] = &[
    "gap",
    "small",
    "snapshot",
    "stream",
    "start",
    "runs",
    "tasks",
    "report",
    "fleet-tasks",
    "page",
    "watch",
];

/// Has the program do what is measured, and measures nothing.
pub fn exercise(workspace: &Workspace, program: &Path) -> Result<(), Failure> {
    crate::nats::install(workspace)?;
    let bed = Bed::make(workspace, &build(workspace, Some(program.to_owned()))?)?;
    for group in GROUPS.iter().filter(|group| TRAINING.contains(&group.name)) {
        eprintln!("training: {}", group.name);
        (group.measure)(&bed)?;
    }
    Ok(())
}

/// Builds the release binary, measures all groups, or those that are named, prints the table and writes it.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    let (program, arguments) = match arguments {
        [flag, program, rest @ ..] if flag == "--program" => (Some(PathBuf::from(program)), rest),
        all => (None, all),
    };
    let is_unknown = |name: &&String| !GROUPS.iter().any(|group| group.is_named(name));
    if let Some(unknown) = arguments.iter().find(is_unknown) {
        let names: Vec<&str> = GROUPS.iter().map(|group| group.name).collect();
        return Err(Failure(format!("there is no group `{unknown}`; there are {}", names.join(", "))));
    }
    crate::browser::install(workspace)?;
    crate::nats::install(workspace)?;
    let bed = Bed::make(workspace, &build(workspace, program)?)?;
    let mut table = Table::begin();
    for group in GROUPS {
        if arguments.is_empty() || arguments.iter().any(|name| group.is_named(name)) {
            eprintln!("measuring: {}", group.name);
            table.add((group.measure)(&bed)?);
        }
    }
    print!("{}", table.text());
    write(&workspace.target.join("bench"), &table)?;
    // Its folders go, which takes a while.
    drop(bed);
    Ok(())
}

/// The released program, unless another one is named, and the bench agent beside this one.
fn build(workspace: &Workspace, program: Option<PathBuf>) -> Result<(PathBuf, PathBuf), Failure> {
    let program = if let Some(program) = program {
        fs::canonicalize(&program).map_err(|error| Failure::at(&program, error))?
    } else {
        release::program(workspace, Training::Kept)?
    };
    let agent = ["build", "--locked", "--quiet", "--package", "xtask", "--bin", "bench-agent"];
    run(cargo().args(agent).current_dir(&workspace.root))?;
    Ok((program, workspace.target.join("debug/bench-agent")))
}

fn write(folder: &Path, table: &Table) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::at(folder, error))?;
    for (name, content) in [("figures.txt", table.text()), ("figures.json", table.json())] {
        let path = folder.join(name);
        fs::write(&path, content).map_err(|error| Failure::at(&path, error))?;
        println!("written: {}", path.display());
    }
    Ok(())
}
