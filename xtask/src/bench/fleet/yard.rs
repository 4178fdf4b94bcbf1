//! A fleet that is measured: one server on loopback, workers as processes, a repository with tasks.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use windlass_testkit::Nats;
use windlass_testkit::environment::processes_with;

use super::super::bed::{Bed, Ground, measured, spawn};
use super::super::lanes::{Plan, planned, run_of};
use crate::program::Failure;

/// How long anything may take to come up.
const PATIENCE: Duration = Duration::from_mins(5);

/// Between two looks.
const LOOK: Duration = Duration::from_millis(5);

/// Locked in nowhere, as the run beside it: what is measured is the fleet.
const POLICY: &str = "sandbox = \"as-ordered\"\ngates = [\"*\"]\n";

/// The fleet. Its server goes with it.
pub struct Yard<'bed> {
    /// The repository with tasks.
    pub ground: Ground<'bed>,
    windlass: PathBuf,
    nats: Nats,
}

impl<'bed> Yard<'bed> {
    /// With tasks.
    pub fn new(bed: &'bed Bed, plan: &Plan) -> Result<Self, Failure> {
        let ground = planned(bed, plan)?;
        let policy = ground.file("worker.toml");
        fs::write(&policy, POLICY).map_err(|error| Failure::at(&policy, error))?;
        let yard = Yard { ground, windlass: bed.windlass().to_path_buf(), nats: Nats::one() };
        measured(yard.windlass().args(["fleet", "init"]), &[0])?;
        Ok(yard)
    }

    fn windlass(&self) -> Command {
        let mut command = self.ground.bare(&self.windlass);
        command.env("WINDLASS_FLEET__URL", self.nats.urls().join(","));
        command
    }

    /// Starts a worker, and waits until it takes orders.
    pub fn worker(&self, name: &str, lanes: u32) -> Result<Part, Failure> {
        let health = self.ground.file(&format!("health-{name}"));
        // That of an earlier worker of this name says nothing of this one.
        let _ = fs::remove_file(&health);
        let mut command = self.windlass();
        command.args(["worker", "--name", name, "-j", &lanes.to_string()]);
        command.arg("--policy").arg(self.ground.file("worker.toml"));
        command.arg("--health").arg(&health);
        let worker = Part(spawn(command.env("WINDLASS_STATE_DIR", self.state_of(name)))?);
        wait_for("a worker", || health.exists())?;
        Ok(worker)
    }

    /// A run of all tasks on the fleet, not started yet.
    pub fn run(&self, lanes: u32) -> Command {
        let mut command = run_of(&self.windlass, &self.ground, lanes);
        command.arg("--fleet").env("WINDLASS_FLEET__URL", self.nats.urls().join(","));
        command
    }

    /// Where a worker keeps what it has.
    pub fn state_of(&self, name: &str) -> PathBuf {
        self.ground.file(&format!("state-{name}"))
    }

    /// The agents that are at work.
    pub fn agents(&self) -> Vec<u32> {
        agents(&self.ground)
    }

    /// Waits until there are so many.
    pub fn wait_for_agents(&self, count: usize) -> Result<Duration, Failure> {
        wait_for(&format!("{count} agents"), || self.agents().len() == count)
    }
}

/// The agents that are at work for a ground's runs: whoever was started as one, with that ground's home.
pub fn agents(ground: &Ground<'_>) -> Vec<u32> {
    let home = ground.file("home");
    let all = processes_with("HOME", home.as_os_str().as_bytes());
    let is_agent = |process: &u32| {
        let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|argument| argument == b"__agent")
    };
    all.into_iter().filter(is_agent).collect()
}

/// The journal of a ground's newest run; empty where there is none.
pub fn journal(ground: &Ground<'_>) -> String {
    let below = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten();
    let runs = below(ground.state().join("projects")).flat_map(|project| below(project.path().join("runs")));
    let journals = runs.map(|run| run.path().join("journal.jsonl")).filter(|path| path.is_file());
    let newest = journals.max_by_key(|path| path.metadata().and_then(|known| known.modified()).ok());
    newest.map_or_else(String::new, |path| fs::read_to_string(path).unwrap_or_default())
}

/// Waits until something is so, and says how long that took.
pub fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) -> Result<Duration, Failure> {
    let began = Instant::now();
    while !is_so() {
        if began.elapsed() > PATIENCE {
            return Err(Failure(format!("{what}: not within {} s", PATIENCE.as_secs())));
        }
        sleep(LOOK);
    }
    Ok(began.elapsed())
}

/// A process that takes part; it is killed when it is dropped, and its keepers end what it had started.
pub struct Part(pub Child);

impl Drop for Part {
    fn drop(&mut self) {
        // One that has ended by itself is none the worse for it.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
