//! What a fleet costs beside lanes of one machine: the same tasks, on one worker with as many lanes.

use std::fs;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use windlass_testkit::Nats;

use super::bed::{Bed, Ground, Spent, measured};
use super::lanes::{LANES, TASKS, landed, planned, run_of, worked_off};
use super::table::Row;
use crate::program::{Failure, run};

/// So long is waited for a worker to be there.
const PATIENCE: Duration = Duration::from_mins(1);

/// A worker may do what it is told here: what is measured is the fleet.
const POLICY: &str = "sandbox = \"as-ordered\"\ngates = [\"*\"]\n";

/// Ends with whoever measures.
struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Forty tasks whose agents sleep: on this machine, and on one worker of a fleet on this machine.
pub fn beside_one_machine(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let local = worked_off(bed, LANES)?;
    let fleet = on_a_worker(bed)?;
    let factor = fleet.wall.as_secs_f64() / local.wall.as_secs_f64();
    let text = |spent: Spent| {
        let cpu = spent.cpu.as_secs_f64() / f64::from(TASKS) * 1000.0;
        format!("{:.1} s, {cpu:.0} ms of CPU a task", spent.wall.as_secs_f64())
    };
    Ok(vec![
        Row::new(
            format!("{TASKS} tasks on one worker of {LANES} lanes, one server"),
            format!("{factor:.2} times as long as {LANES} lanes of one machine"),
            "1.3 times",
            factor <= 1.3,
        ),
        Row::told("the same: the runner alone, its worker aside", text(fleet)),
        Row::told("the same: one machine, with all that its lanes do", text(local)),
    ])
}

fn on_a_worker(bed: &Bed) -> Result<Spent, Failure> {
    let ground = planned(bed)?;
    let servers = Nats::one();
    let in_fleet = |command: &mut Command| {
        command.env("WINDLASS_FLEET__URL", servers.urls().join("\n"));
    };
    let mut init = ground.bare(bed.windlass());
    in_fleet(init.args(["fleet", "init"]));
    run(&mut init)?;
    let policy = ground.file("worker.toml");
    fs::write(&policy, POLICY).map_err(|error| Failure::at(&policy, error))?;
    let mut worker = ground.bare(bed.windlass());
    in_fleet(worker.args(["worker", "--name", "one", "-j", &LANES.to_string(), "--policy"]).arg(&policy));
    worker.env("WINDLASS_STATE_DIR", ground.file("worker"));
    let worker = worker.spawn().map_err(|error| Failure::at(bed.windlass(), error))?;
    let _worker = Worker(worker);
    wait_for_worker(bed, &ground, &in_fleet)?;
    let mut command = run_of(bed, &ground, LANES);
    in_fleet(command.arg("--fleet"));
    let spent = measured(&mut command, &[0])?;
    landed(&ground, LANES)?;
    Ok(spent)
}

fn wait_for_worker(bed: &Bed, ground: &Ground<'_>, in_fleet: &impl Fn(&mut Command)) -> Result<(), Failure> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        let mut status = ground.bare(bed.windlass());
        in_fleet(status.args(["fleet", "status", "--json"]));
        let said = status.stdout(std::process::Stdio::piped()).output();
        let said = said.map_err(|error| Failure::at(bed.windlass(), error))?;
        if String::from_utf8_lossy(&said.stdout).contains("\"one\"") {
            return Ok(());
        }
        sleep(Duration::from_millis(100));
    }
    Err(Failure("the worker did not come".to_owned()))
}
