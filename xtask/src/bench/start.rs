//! What is small, or should be: starting, listing, the prompt, the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::bed::{Bed, GOAL, LIMIT_REACHED, measured};
use super::numbers::{mb, median, ms};
use super::table::Row;
use crate::program::Failure;

/// `--help`.
pub fn start_up(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let ground = bed.ground()?;
    let help = median_wall(|| measured_ms(ground.bare(bed.windlass()).arg("--help"), 40))?;
    let floor = median_wall(|| measured_ms(ground.bare(bed.agent()).arg("--version"), 40))?;
    Ok(vec![
        Row::new("--help", format!("{help:.1} ms"), "5 ms", help <= 5.0)
            .beside(format!("the least program {floor:.1} ms")),
    ])
}

/// `runs` where there are 10,000.
pub fn listing(bed: &Bed) -> Result<Vec<Row>, Failure> {
    const RUNS: usize = 10_000;
    let ground = bed.ground()?;
    measured(ground.run("", 1).arg("-q"), LIMIT_REACHED)?;
    let what = "runs over 10,000";
    if measured(ground.windlass("").arg("runs"), &[0]).is_err() {
        return Ok(vec![Row::told(what, "skipped, because this build does not list runs yet")]);
    }
    let runs =
        folder_named(&ground.state(), "runs").ok_or_else(|| Failure::at(&ground.state(), "holds no runs"))?;
    pretend_runs(&runs, RUNS)?;
    let wall = median_wall(|| measured_ms(ground.windlass("").arg("runs"), 10))?;
    Ok(vec![Row::new(what, format!("{wall:.0} ms"), "100 ms", wall <= 100.0)])
}

/// What Windlass says to the agent beside the goal.
pub fn prompt(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let ground = bed.ground()?;
    measured(ground.run("", 1).arg("-q"), LIMIT_REACHED)?;
    let length = |name: &str| {
        let folder = folder_named(&ground.state(), "1-work").unwrap_or_default();
        fs::metadata(folder.join(name)).map_or(0, |metadata| metadata.len())
    };
    let added = length("prompt.md").saturating_sub(GOAL.len() as u64);
    let principles = principles(bed)?;
    Ok(vec![
        Row::new("added to the user's prompt", format!("{added} B"), "2,000 B", (1..=2000).contains(&added)),
        Row::new(
            "the same by principles",
            format!("{principles} B"),
            "2,000 B",
            (1..=2000).contains(&principles),
        ),
        Row::told("appended to the system prompt", format!("{} B", length("system.md"))),
    ])
}

/// What principles add to that, in bytes: what stands before the rest.
fn principles(bed: &Bed) -> Result<u64, Failure> {
    let ground = bed.ground()?;
    measured(ground.windlass("").args(["principles", "init", "--preset", "startup"]), &[0])?;
    measured(ground.run("", 1).args(["-q", "--allow-dirty"]), LIMIT_REACHED)?;
    let path = folder_named(&ground.state(), "1-work").unwrap_or_default().join("prompt.md");
    let prompt = fs::read_to_string(&path).map_err(|error| Failure::at(&path, error))?;
    Ok(prompt.find("## How this works").map_or(0, |length| length as u64))
}

/// The released program's size.
pub fn size(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let metadata = bed.windlass().metadata().map_err(|error| Failure::at(bed.windlass(), error))?;
    let size = mb(metadata.len());
    Ok(vec![Row::new("the released binary", format!("{size:.1} MB"), "25 MB", size <= 25.0)])
}

fn median_wall(measure: impl Fn() -> Result<Vec<f64>, Failure>) -> Result<f64, Failure> {
    measure().map(median)
}

fn measured_ms(command: &mut Command, rounds: usize) -> Result<Vec<f64>, Failure> {
    (0..rounds).map(|_| measured(command, &[0]).map(|spent| ms(spent.wall))).collect()
}

/// The first folder of this name, however deep.
pub fn folder_named(folder: &Path, name: &str) -> Option<PathBuf> {
    let folders: Vec<PathBuf> =
        fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    let here = folders.iter().find(|path| path.ends_with(name)).cloned();
    here.or_else(|| folders.iter().find_map(|path| folder_named(path, name)))
}

/// Copies the only run there is: a line in the index and a folder with a journal for each.
pub fn pretend_runs(runs: &Path, count: usize) -> Result<(), Failure> {
    let index = runs.join("index.jsonl");
    let text = fs::read_to_string(&index).map_err(|error| Failure::at(&index, error))?;
    let line: Value = serde_json::from_str(&text).map_err(|error| Failure::at(&index, error))?;
    let mut lines = text;
    for number in 1..count {
        let run = format!("r-{number:08}");
        let mut line = line.clone();
        line["run"] = Value::from(run.clone());
        lines.push_str(&line.to_string());
        lines.push('\n');
        let folder = runs.join(run);
        fs::create_dir(&folder)
            .and_then(|()| fs::write(folder.join("journal.jsonl"), ""))
            .map_err(|error| Failure::at(&folder, error))?;
    }
    fs::write(&index, lines).map_err(|error| Failure::at(&index, error))
}
