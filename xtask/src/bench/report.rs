//! What a report costs: its time, and the size of the file.

use std::fs;

use super::bed::{Bed, LIMIT_REACHED, measured};
use super::numbers::{median, ms};
use super::table::Row;
use crate::program::Failure;

/// Of one run of a hundred iterations.
const ITERATIONS: u32 = 100;

/// So often it is made.
const ROUNDS: usize = 5;

/// The report of a hundred iterations, as text and as HTML.
pub fn report(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let ground = bed.ground()?;
    measured(ground.run("", ITERATIONS).arg("-q"), LIMIT_REACHED)?;
    let file = ground.file("report.html");
    let time = |arguments: &[&str]| -> Result<f64, Failure> {
        let spent = || measured(ground.windlass("").arg("report").args(arguments), &[0]);
        let walls: Result<Vec<f64>, Failure> =
            (0..ROUNDS).map(|_| spent().map(|spent| ms(spent.wall))).collect();
        Ok(median(walls?))
    };
    let text = time(&[])?;
    let html = time(&["--html", &file.to_string_lossy()])?;
    let size = fs::metadata(&file).map_err(|error| Failure::at(&file, error))?.len();
    Ok(vec![
        Row::new("HTML report of 100 iterations", format!("{} kB", size / 1000), "300 kB", size <= 300_000),
        Row::told("the same: wall", format!("{html:.0} ms")),
        Row::told("report of 100 iterations at a terminal: wall", format!("{text:.0} ms")),
    ])
}
