//! Much output: how fast it is taken in, and in how much memory.

use std::path::Path;
use std::time::Duration;

use super::bed::{Bed, LIMIT_REACHED, Spent, measured, watched};
use super::numbers::{mb, median};
use super::table::Row;
use crate::program::{Failure, succeeds};

const BYTES: u64 = 200_000_000;
const JQ_BYTES: u64 = 20_000_000;
const LONG_LINE: u64 = 20_000_000;

/// One iteration whose agent prints 200 MB in events of 1 kB; nobody's terminal is slow.
pub fn throughput(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let quiet = median_rate(bed, &["-q"])?;
    let progress = median_rate(bed, &[])?;
    let verbose = median_rate(bed, &["-v"])?;
    let floors = format!("`cat >file` {:.0}{}", cat(bed)?, jq(bed)?);
    Ok(vec![
        Row::new(
            "stream parsed, shown and raw-logged: progress",
            format!("{progress:.0} MB/CPU s"),
            "250 MB/CPU s",
            progress >= 250.0,
        )
        .beside(floors),
        Row::new("the same: quiet", format!("{quiet:.0} MB/CPU s"), "250 MB/CPU s", quiet >= 250.0),
        Row::told("the same: verbose, much of it left out and counted", format!("{verbose:.0} MB/CPU s")),
    ])
}

/// The most memory the runner ever held.
pub fn memory(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let peak = |action: String| -> Result<[f64; 2], Failure> {
        let ground = bed.ground()?;
        let spent = watched(&mut ground.run(&action, 1), LIMIT_REACHED)?;
        Ok([spent.peak_kb, spent.own_peak_kb].map(|kilobytes| mb(kilobytes * 1024)))
    };
    let [least, own_least] = peak(String::new())?;
    let [stream, own] = peak(format!("stream {BYTES}"))?;
    let line = peak(format!("line {LONG_LINE}"))?[0] - least;
    Ok(vec![
        Row::new(
            "memory while 200 MB are printed",
            format!("{stream:.1} MB, {own:.1} of them its own"),
            "16 MB",
            stream <= 16.0,
        )
        .beside(format!("with hardly any output {least:.1} MB, {own_least:.1} of them its own")),
        Row::new("on top for one line of 20 MB", format!("{line:.1} MB"), "30 MB", line <= 30.0)
            .beside("the line itself 20 MB"),
    ])
}

/// The median of three rounds: one alone has been seen a third too high and a third too low.
fn median_rate(bed: &Bed, arguments: &[&str]) -> Result<f64, Failure> {
    let rounds: Vec<f64> = (0..3).map(|_| rate(bed, arguments)).collect::<Result<_, _>>()?;
    Ok(median(rounds))
}

/// Megabytes per second of processor time, the agent's own and that of a run without a stream taken off.
fn rate(bed: &Bed, arguments: &[&str]) -> Result<f64, Failure> {
    let mut cpu = Vec::new();
    for action in [String::new(), format!("stream {BYTES}")] {
        let ground = bed.ground()?;
        let spent = measured(ground.run(&action, 1).args(arguments), LIMIT_REACHED)?;
        let agents: Duration = ground.calls()?.iter().map(|call| call.cpu).sum();
        cpu.push(spent.cpu.saturating_sub(agents).as_secs_f64());
    }
    let more = cpu.last().zip(cpu.first()).map_or(0.0, |(stream, least)| stream - least);
    Ok(mb(BYTES) / more.max(0.001))
}

/// The same bytes through `cat` into a file.
fn cat(bed: &Bed) -> Result<f64, Failure> {
    let (spent, agent) = piped(bed, BYTES, "cat >\"$COPY\"")?;
    Ok(mb(BYTES) / spent.cpu.saturating_sub(agent).as_secs_f64().max(0.001))
}

fn jq(bed: &Bed) -> Result<String, Failure> {
    if !succeeds(std::process::Command::new("jq").arg("--version")) {
        return Ok(", jq is not installed".to_owned());
    }
    let (spent, agent) = piped(bed, JQ_BYTES, "jq -c .type >\"$COPY\"")?;
    let rate = mb(JQ_BYTES) / spent.cpu.saturating_sub(agent).as_secs_f64().max(0.001);
    Ok(format!(", `jq .type` {rate:.0}"))
}

/// The agent's output through a shell's command; what both took, and what the agent took.
fn piped(bed: &Bed, bytes: u64, command: &str) -> Result<(Spent, Duration), Failure> {
    let ground = bed.ground()?;
    let mut shell = ground.bare(Path::new("sh"));
    shell
        .args(["-c", &format!("\"$AGENT\" | {command}")])
        .env("AGENT", bed.agent())
        .env("COPY", ground.file("copy"))
        .env("BENCH_ACTION", format!("stream {bytes}"));
    let spent = measured(&mut shell, &[0])?;
    Ok((spent, ground.calls()?.iter().map(|call| call.cpu).sum()))
}
