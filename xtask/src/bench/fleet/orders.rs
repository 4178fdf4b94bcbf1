//! What an order costs.

use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::super::bed::{Bed, Ground, Spent, measured};
use super::super::lanes::{Plan, Repository, TaskOrder, landed, planned, run_of};
use super::super::numbers::ms;
use super::super::table::Row;
use super::yard::{Yard, journal};
use crate::program::Failure;

/// One after another, so that no order waits for another one.
const CHAIN: Plan =
    Plan { tasks: 10, asleep: Duration::ZERO, order: TaskOrder::Chain, repository: Repository::Small };

/// So many checks has a task, and so many where it has many orders.
const FEW: u32 = 1;
const MANY: u32 = 11;

/// So often each is measured; the quickest counts.
const ROUNDS: u32 = 3;

/// The facts that end an order to a worker.
const ENDS: [&str; 10] = [
    "lane_opened",
    "call_reserved",
    "call_finished",
    "kept",
    "refused",
    "undone",
    "committed",
    "check_finished",
    "merged",
    "settled",
];

/// A run, and how many orders to lanes were in it.
#[derive(Clone, Copy)]
struct Worked {
    spent: Spent,
    orders: usize,
}

/// The same tasks with few checks and with many, on one worker and on this machine. What both have in common (the beginning, the
/// landings, the end) is in neither difference, and what a check itself takes is in both.
pub fn orders(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let (few_here, many_here) = (least(|| here(bed, FEW))?, least(|| here(bed, MANY))?);
    let (few, many) = (least(|| on_a_worker(bed, FEW))?, least(|| on_a_worker(bed, MANY))?);
    let further = (many.orders - few.orders) as f64;
    let longer = |many: Worked, few: Worked| ms(many.spent.wall) - ms(few.spent.wall);
    let wall = (longer(many, few) - longer(many_here, few_here)) / further;
    let cpu = (ms(many.spent.cpu) - ms(few.spent.cpu)) / further;
    let all = few.orders as f64;
    let (all_wall, all_cpu) = ((ms(few.spent.wall) - ms(few_here.spent.wall)) / all, ms(few.spent.cpu) / all);
    Ok(vec![
        Row::new(
            format!("fleet: an order to a lane, of {further} further ones: longer than on one machine"),
            format!("{wall:.1} ms"),
            "20 ms",
            wall <= 20.0,
        )
        .beside(format!("on one machine {:.1} ms", longer(many_here, few_here) / further)),
        Row::new("the same: CPU of the runner", format!("{cpu:.1} ms"), "5 ms", cpu <= 5.0),
        Row::told(
            format!(
                "fleet: {all} orders of {} tasks, beginning, landings and end with them: each longer",
                CHAIN.tasks
            ),
            format!("{all_wall:.1} ms, {all_cpu:.1} ms of CPU of the runner"),
        ),
    ])
}

/// The quickest of some rounds.
fn least(mut measure: impl FnMut() -> Result<Worked, Failure>) -> Result<Worked, Failure> {
    let mut least = measure()?;
    for _ in 1..ROUNDS {
        let next = measure()?;
        let (wall, cpu) = (least.spent.wall.min(next.spent.wall), least.spent.cpu.min(next.spent.cpu));
        least.spent = Spent { wall, cpu, ..least.spent };
    }
    Ok(least)
}

fn here(bed: &Bed, checks: u32) -> Result<Worked, Failure> {
    let ground = planned(bed, &CHAIN)?;
    worked(&ground, checked(&mut run_of(bed.windlass(), &ground, 2), checks))
}

fn on_a_worker(bed: &Bed, checks: u32) -> Result<Worked, Failure> {
    let yard = Yard::new(bed, &CHAIN)?;
    let _worker = yard.worker("one", 2)?;
    worked(&yard.ground, checked(&mut yard.run(2), checks))
}

fn checked(command: &mut Command, checks: u32) -> &mut Command {
    for check in FEW..checks {
        command.args(["--gate", &format!("test -f tasks.md || exit {check}")]);
    }
    command
}

fn worked(ground: &Ground<'_>, command: &mut Command) -> Result<Worked, Failure> {
    let spent = measured(command, &[0])?;
    landed(ground, &CHAIN)?;
    Ok(Worked { spent, orders: orders_in(&journal(ground)) })
}

/// How many orders to lanes were answered.
fn orders_in(journal: &str) -> usize {
    let lines = journal.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let is_end = |line: &Value| {
        let fact = line["fact"].as_str().unwrap_or_default();
        ENDS.contains(&fact) && line["lane"].as_u64().unwrap_or_default() > 0
    };
    lines.filter(is_end).count()
}
