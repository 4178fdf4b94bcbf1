//! What a fleet costs: beside the same work on one machine, for each order, for many lanes, and how soon it takes over and ends.

mod many;
mod orders;
mod sudden;
mod yard;

use super::bed::{Bed, Spent, watched};
use super::lanes::{LANES, TASKS, USUAL, landed, worked_off};
use super::numbers::mb;
use super::table::Row;
use crate::program::Failure;
pub use many::many_lanes;
pub use orders::orders;
pub use sudden::{cancel, takeover};
use yard::Yard;

/// Forty tasks whose agents sleep: on this machine, and on one worker of a fleet on this machine.
pub fn beside_one_machine(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let local = worked_off(bed, LANES)?;
    let fleet = on_a_worker(bed)?;
    let factor = fleet.wall.as_secs_f64() / local.wall.as_secs_f64();
    let text = |spent: Spent| {
        let cpu = spent.cpu.as_secs_f64() / f64::from(TASKS) * 1000.0;
        format!("{:.1} s, {cpu:.0} ms of CPU a task", spent.wall.as_secs_f64())
    };
    let megabytes = |spent: Spent| mb(spent.peak_kb * 1024);
    let more = megabytes(fleet) - megabytes(local);
    Ok(vec![
        Row::new(
            format!("fleet: {TASKS} tasks on one worker of {LANES} lanes, one server"),
            format!("{factor:.2} times as long as {LANES} lanes of one machine"),
            "1.3 times",
            factor <= 1.3,
        ),
        Row::new(
            "the same: the most memory of the runner",
            format!("{:.1} MB: {more:+.1} MB", megabytes(fleet)),
            "10 MB more",
            more <= 10.0,
        )
        .beside(format!("{LANES} lanes of one machine {:.1} MB", megabytes(local))),
        Row::told("the same: the runner alone, its worker aside", text(fleet)),
        Row::told("the same: one machine, with all that its lanes do", text(local)),
    ])
}

fn on_a_worker(bed: &Bed) -> Result<Spent, Failure> {
    let yard = Yard::new(bed, &USUAL)?;
    let _worker = yard.worker("one", LANES)?;
    let spent = watched(&mut yard.run(LANES), &[0])?;
    landed(&yard.ground, &USUAL)?;
    Ok(spent)
}
