//! What it costs to wait.

use std::fs;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::bed::{Bed, Ground, spawn};
use super::table::Row;
use crate::program::Failure;

/// How long runs are watched while their agents sleep.
const WATCHED: Duration = Duration::from_secs(6);

/// How long all of them may take to come up.
const PATIENCE: Duration = Duration::from_mins(1);

/// Runs whose agents sleep. A run has one lane so far, so 64 lanes are 64 runs: each with a process, a keeper and a
/// view of its own, which lanes of one run share.
pub fn sleeping(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let one = share_of_a_core(bed, 1)?;
    let many = share_of_a_core(bed, 64)?;
    Ok(vec![
        Row::new(
            "64 sleeping agents (64 runs of one lane)",
            format!("{many:.1} % of a core"),
            "5 %",
            many <= 5.0,
        ),
        Row::told("one sleeping agent", format!("{one:.2} % of a core")),
    ])
}

fn share_of_a_core(bed: &Bed, count: usize) -> Result<f64, Failure> {
    let grounds: Vec<Ground<'_>> = (0..count).map(|_| bed.ground()).collect::<Result<_, _>>()?;
    let mut runs = Runs(Vec::new());
    for ground in &grounds {
        runs.0.push(spawn(ground.run("sleep 600", 1).stdin(std::process::Stdio::null()))?);
    }
    let began = Instant::now();
    while agents(&runs) < count {
        if began.elapsed() > PATIENCE {
            return Err(Failure(format!(
                "{count} runs did not all start their agents within {} s",
                PATIENCE.as_secs()
            )));
        }
        sleep(Duration::from_millis(50));
    }
    sleep(Duration::from_secs(1));
    let (before, watched) = (cpu(&runs), Instant::now());
    sleep(WATCHED);
    let used = cpu(&runs).saturating_sub(before);
    Ok(used.as_secs_f64() / watched.elapsed().as_secs_f64() * 100.0)
}

/// Runs that are going on. Their keepers end what they started.
struct Runs(Vec<Child>);

impl Drop for Runs {
    fn drop(&mut self) {
        for run in &mut self.0 {
            // One that has ended by itself is none the worse for it.
            let _ = run.kill();
            let _ = run.wait();
        }
        // The keepers, which are nobody's children now, clear up within two seconds; their folders go after that.
        sleep(Duration::from_secs(3));
    }
}

fn agents(runs: &Runs) -> usize {
    let keepers = runs.0.iter().flat_map(|run| children(run.id()));
    keepers.filter(|keeper| !children(*keeper).is_empty()).count()
}

/// The processor time of all runners and keepers so far.
fn cpu(runs: &Runs) -> Duration {
    let of_run = |run: &Child| -> Duration {
        let keepers: Duration = children(run.id()).into_iter().map(cpu_of).sum();
        cpu_of(run.id()) + keepers
    };
    runs.0.iter().map(of_run).sum()
}

/// The processor time of all threads of a process, to the nanosecond.
fn cpu_of(process: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let times = threads.filter_map(|thread| {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    });
    times.sum()
}

fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>())
        .collect()
}
