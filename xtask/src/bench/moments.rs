//! A person's moments: will it end (23:00), must I get up (03:00), what happened (07:00). Taps are counted, and a stopwatch runs; reading
//! and finding one's glasses come to it.

use std::process::{Command, Stdio};

use serde_json::Value;

use super::bed::{Bed, measured};
use super::numbers::ms;
use super::table::Row;
use crate::program::Failure;
use crate::screens::browser::Served;
use crate::screens::stage::Stage;

/// The script that drives the browser.
const DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bench/moments.mjs");

/// A moment: what it is called here and by the script, the taps that it may take, and the seconds.
const MOMENTS: [(&str, &str, u64, f64); 5] = [
    ("03:00, stuck? the tool, and since when it is silent", "stuck", 1, 5.0),
    ("03:00, you are waited for: to know why", "know", 1, 20.0),
    ("03:00, you are waited for: to raise a limit", "act", 3, 20.0),
    ("07:00, what happened, is it right", "report", 0, 5.0),
    ("07:00, what changed", "diff", 1, 10.0),
];

/// All of them.
pub fn moments(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let stage = Stage::set(bed.windlass())?;
    let report =
        measured(stage.windlass("parser").args(["report", "--last-night"]).stdout(Stdio::null()), &[0])?;
    let mut rows = vec![Row::new(
        "07:00, the report at a terminal",
        format!("0 taps, {:.0} ms", ms(report.wall)),
        "0 taps, 5 s",
        report.wall.as_secs() < 5,
    )];
    if !bed.browser().join("playwright-core").exists() {
        rows.push(Row::told("moments in a browser", "skipped: there is no chromium"));
        return Ok(rows);
    }
    let served = Served::start(&stage)?;
    let mut node = Command::new("node");
    node.arg(DRIVER).args([&served.link, &stage.waits, &stage.goes_on, &stage.tasks]);
    node.env("BENCH_BROWSER_MODULES", bed.browser()).stderr(Stdio::inherit());
    let told = node.output().map_err(|error| Failure(format!("node: {error}")))?;
    let told: Value = serde_json::from_slice(&told.stdout)
        .map_err(|error| Failure(format!("the stopwatch's script: {error}")))?;
    rows.extend(MOMENTS.map(|(what, name, most, seconds)| {
        let taps = told[name]["taps"].as_u64().unwrap_or(u64::MAX);
        let ms = told[name]["ms"].as_f64().unwrap_or(f64::INFINITY);
        Row::new(
            what,
            format!("{taps} taps, {ms:.0} ms"),
            format!("{most} taps, {seconds:.0} s"),
            taps <= most && ms <= seconds * 1e3,
        )
    }));
    Ok(rows)
}
