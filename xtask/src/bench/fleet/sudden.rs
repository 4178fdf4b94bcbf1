//! What happens suddenly, many times: a worker is killed, a person types Ctrl-C.

use std::thread::{scope, sleep};
use std::time::{Duration, Instant};
use std::{fs, iter};

use rustix::process::{Pid, Signal, kill_process};

use super::super::bed::{Bed, spawn};
use super::super::lanes::{Plan, Repository, TaskOrder};
use super::super::numbers::median;
use super::super::table::Row;
use super::yard::{Part, Yard, journal, wait_for};
use crate::program::Failure;

/// So often each.
const TRIES: u32 = 50;

/// A takeover is mostly waiting: so many fleets, each with a server, two workers and a run of its own, are struck in turns.
const FLEETS: u32 = 5;

/// Between the beginnings of two of them: a lane that is opened is not measured while others are.
const APART: Duration = Duration::from_secs(2);

/// So many lanes are ended by Ctrl-C, on two workers.
const ENDED: u32 = 8;

const fn asleep(tasks: u32) -> Plan {
    // Longer than any of it is waited for.
    let asleep = Duration::from_hours(1);
    Plan { tasks, asleep, order: TaskOrder::Any, repository: Repository::Usual }
}

/// From `kill -9` of a worker to the agent that another one has started for its task.
pub fn takeover(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let yards = (0..FLEETS).map(|_| Yard::new(bed, &asleep(1))).collect::<Result<Vec<_>, _>>()?;
    let took = scope(|threads| {
        let strike = |(number, yard)| {
            threads.spawn(move || {
                sleep(APART * number);
                struck(yard)
            })
        };
        let striking: Vec<_> = (0..).zip(&yards).map(strike).collect();
        let joined = striking.into_iter().map(|thread| {
            thread.join().unwrap_or_else(|_| Err(Failure("a fleet's thread has died".to_owned())))
        });
        joined.collect::<Result<Vec<_>, _>>()
    })?;
    let took = took.concat();
    let worst = worst(&took);
    Ok(vec![Row::new(
        format!("fleet: a worker is killed, {TRIES} times: until another one's agent works, the worst"),
        format!("{worst:.2} s (half within {:.2} s)", median(took)),
        "10 s",
        worst < 10.0,
    )])
}

/// Seconds of each takeover of one fleet.
fn struck(yard: &Yard<'_>) -> Result<Vec<f64>, Failure> {
    // Whoever is killed leaves a lease of its name, so whoever comes for it has another one.
    let mut names = (1..).map(|number| format!("w{number}"));
    let mut come = || -> Result<(String, Part), Failure> {
        let name = names.next().unwrap_or_default();
        let part = yard.worker(&name, 1)?;
        Ok((name, part))
    };
    let mut workers = vec![come()?, come()?];
    let _run = Part(spawn(&mut yard.run(2))?);
    let mut took = Vec::new();
    for number in 0..TRIES / FLEETS {
        let calls = spawned_after(yard, number as usize)?;
        // Where in the time between two renewals it is killed is different each time.
        sleep(Duration::from_millis(u64::from(number) * 300));
        let Some(busy) = workers.iter().position(|(name, _)| has_agent(yard, name)) else {
            return Err(Failure("an agent is at work on no worker".to_owned()));
        };
        let killed = Instant::now();
        drop(workers.remove(busy));
        wait_for("a takeover", || spawned(yard) > calls)?;
        took.push(killed.elapsed().as_secs_f64());
        workers.push(come()?);
    }
    Ok(took)
}

/// Waits until an agent is at work that was started after so many others, and says how many there were with it.
fn spawned_after(yard: &Yard<'_>, calls: usize) -> Result<usize, Failure> {
    wait_for("a call", || spawned(yard) > calls && yard.agents().len() == 1)?;
    Ok(spawned(yard))
}

/// How many agents were started, as the journal says.
fn spawned(yard: &Yard<'_>) -> usize {
    journal(&yard.ground).matches("\"fact\":\"call_spawned\"").count()
}

fn has_agent(yard: &Yard<'_>, worker: &str) -> bool {
    let state = yard.state_of(worker);
    let mut places = yard.agents().into_iter().map(|agent| fs::read_link(format!("/proc/{agent}/cwd")));
    places.any(|place| place.is_ok_and(|place| place.starts_with(&state)))
}

/// From Ctrl-C to the end of the last agent, on two workers.
pub fn cancel(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let yard = Yard::new(bed, &asleep(ENDED))?;
    let _workers = [yard.worker("one", ENDED / 2)?, yard.worker("other", ENDED / 2)?];
    let took = iter::repeat_with(|| cancelled(&yard)).take(TRIES as usize).collect::<Result<Vec<_>, _>>()?;
    let worst = worst(&took);
    Ok(vec![Row::new(
        format!(
            "fleet: Ctrl-C, {TRIES} times: until the last of {ENDED} agents on two workers has ended, the worst"
        ),
        format!("{worst:.0} ms (half within {:.0} ms)", median(took)),
        "1,000 ms",
        worst < 1000.0,
    )])
}

/// Milliseconds from Ctrl-C at a run to the end of its agents.
fn cancelled(yard: &Yard<'_>) -> Result<f64, Failure> {
    // The one before it could be gone on with.
    let mut run = Part(spawn(yard.run(ENDED).arg("--fresh"))?);
    yard.wait_for_agents(ENDED as usize)?;
    // Begun alike: all agents are asleep.
    sleep(Duration::from_millis(200));
    // It may have ended by itself; then there are no agents.
    let _ = kill_process(Pid::from_child(&run.0), Signal::INT);
    let took = yard.wait_for_agents(0)?;
    wait_for("a run's end", || !matches!(run.0.try_wait(), Ok(None)))?;
    Ok(took.as_secs_f64() * 1e3)
}

fn worst(took: &[f64]) -> f64 {
    took.iter().copied().fold(0.0, f64::max)
}
