//! Runs that nobody waits for: made of one that was.

use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::bed::{Bed, Ground, LIMIT_REACHED, measured};
use super::start::folder_named;
use crate::program::Failure;

/// A ground with one run.
pub struct Recorded<'bed> {
    /// Where it ran.
    pub ground: Ground<'bed>,
    /// Its name.
    pub run: String,
    /// Its folder.
    pub folder: PathBuf,
}

/// A run of so many iterations that has ended at its limit.
pub fn recorded<'bed>(bed: &'bed Bed, action: &str, iterations: u32) -> Result<Recorded<'bed>, Failure> {
    let ground = bed.ground()?;
    measured(ground.run(action, iterations).arg("-q"), LIMIT_REACHED)?;
    let (run, folder) = the_run(&ground)?;
    Ok(Recorded { ground, run, folder })
}

/// The name and the folder of the only run.
pub fn the_run(ground: &Ground<'_>) -> Result<(String, PathBuf), Failure> {
    let none = || Failure::at(&ground.state(), "holds no run");
    let runs = folder_named(&ground.state(), "runs").ok_or_else(none)?;
    let entries = fs::read_dir(&runs).map_err(|error| Failure::at(&runs, error))?;
    let mut names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let run = names.find(|name| name.starts_with("r-")).ok_or_else(none)?;
    let folder = runs.join(&run);
    Ok((run, folder))
}

/// Makes the journal so long by telling the last iteration again and again, each time by another number; says how many
/// iterations it has then.
pub fn lengthen(folder: &Path, bytes: u64) -> Result<u64, Failure> {
    let path = folder.join("journal.jsonl");
    let trouble = |error: &dyn std::fmt::Display| Failure::at(&path, error);
    let text = fs::read_to_string(&path).map_err(|error| trouble(&error))?;
    let lines: Vec<&str> = text.lines().collect();
    let fact = |name: &str| lines.iter().rposition(|line| line.contains(&format!("\"fact\":\"{name}\"")));
    let (Some(first), Some(last)) = (fact("iteration_started"), fact("iteration_finished")) else {
        return Err(trouble(&"holds no iteration"));
    };
    let (Some(head), Some(told), Some(tail)) =
        (lines.get(..first), lines.get(first..=last), lines.get(last + 1..))
    else {
        return Err(trouble(&"ends before it begins"));
    };
    let read = |line: &&str| serde_json::from_str::<Value>(line).map_err(|error| trouble(&error));
    let told: Vec<Value> = told.iter().map(read).collect::<Result<_, _>>()?;
    let number = |entry: Option<&Value>, key: &str| entry.and_then(|entry| entry[key].as_u64()).unwrap_or(0);
    let (mut seq, mut iteration) = (number(told.first(), "seq"), number(told.first(), "iteration"));
    let mut call = told.iter().map(|entry| number(Some(entry), "call")).max().unwrap_or_default();
    let mut file = BufWriter::new(fs::File::create(&path).map_err(|error| trouble(&error))?);
    let mut length = 0;
    let mut write = |line: &str| {
        length += line.len() as u64 + 1;
        writeln!(file, "{line}").map(|()| length).map_err(|error| trouble(&error))
    };
    for line in head {
        write(line)?;
    }
    loop {
        let mut so_far = 0;
        for entry in &told {
            let mut entry = entry.clone();
            for (key, value) in [("seq", seq), ("iteration", iteration), ("call", call)] {
                if entry.get(key).is_some() {
                    entry[key] = value.into();
                }
            }
            so_far = write(&entry.to_string())?;
            seq += 1;
        }
        if so_far >= bytes {
            break;
        }
        iteration += 1;
        call += 1;
    }
    for line in tail {
        let mut entry = read(line)?;
        entry["seq"] = seq.into();
        seq += 1;
        write(&entry.to_string())?;
    }
    file.flush().map_err(|error| Failure::at(&path, error))?;
    Ok(iteration)
}
