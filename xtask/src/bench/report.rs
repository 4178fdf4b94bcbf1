//! What a report costs: its time, and the size of the file.

use std::fs;

use super::bed::{Bed, Ground, measured, watched};
use super::going;
use super::numbers::{mb, median, ms};
use super::pretended::{self, Recorded};
use super::table::Row;
use crate::program::Failure;

/// Of one run of a hundred iterations.
const ITERATIONS: u32 = 100;

/// So often it is made.
const ROUNDS: usize = 5;

/// The report of a hundred iterations, as text and as HTML; of a journal of 100 MB.
pub fn report(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let Recorded { ground, .. } = pretended::recorded(bed, "", ITERATIONS)?;
    let time = |arguments: &[&str]| -> Result<f64, Failure> {
        let spent = || measured(ground.windlass("").arg("report").args(arguments), &[0]);
        let walls: Result<Vec<f64>, Failure> =
            (0..ROUNDS).map(|_| spent().map(|spent| ms(spent.wall))).collect();
        Ok(median(walls?))
    };
    let text = time(&[])?;
    let file = ground.file("report.html");
    let html = time(&["--html", &file.to_string_lossy()])?;
    let size = size(&ground)?;
    let mut rows = vec![
        Row::new("HTML report of 100 iterations", format!("{} kB", size / 1000), "300 kB", size <= 300_000),
        Row::told("the same: wall", format!("{html:.0} ms")),
        Row::told("report of 100 iterations at a terminal: wall", format!("{text:.0} ms")),
    ];
    let (ground, _, iterations) = going::long_journal(bed)?;
    let file = ground.file("report.html");
    let spent = watched(ground.windlass("").args(["report", "--html"]).arg(&file), &[0])?;
    let size = self::size(&ground)?;
    rows.push(
        Row::new(
            format!("HTML report of a journal of 100 MB ({iterations} iterations)"),
            format!("{} kB", size / 1000),
            "1,000 kB",
            size <= 1_000_000,
        )
        .beside(format!("{:.0} ms, {:.0} MB", ms(spent.wall), mb(spent.peak_kb * 1024))),
    );
    Ok(rows)
}

fn size(ground: &Ground<'_>) -> Result<u64, Failure> {
    let file = ground.file("report.html");
    Ok(fs::metadata(&file).map_err(|error| Failure::at(&file, error))?.len())
}
