//! From an agent's line to the screen: the agent says one letter after another, and notes when.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use windlass_testkit::environment::PersonsTerminal;

use super::bed::Ground;
use crate::program::Failure;

/// What it says, each twelve times; no letter stands where it stood before, so that a terminal is sent each of them whole.
pub const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// All of it takes ten seconds.
const PATIENCE: Duration = Duration::from_mins(1);

/// The file that the agent waits for, of this ground.
pub fn go(ground: &Ground<'_>) -> String {
    ground.file("go").to_string_lossy().into_owned()
}

/// When each letter was said, in milliseconds since 1970.
pub fn said(go: &str) -> Result<Vec<f64>, Failure> {
    let path = format!("{go}.times");
    let text = fs::read_to_string(&path).map_err(|error| Failure::at(Path::new(&path), error))?;
    Ok(text.lines().filter_map(|line| line.parse::<f64>().ok()).map(|nanos| nanos / 1e6).collect())
}

/// When each letter stood on the terminal, in milliseconds since 1970.
pub fn shown(terminal: &PersonsTerminal) -> Result<Vec<f64>, Failure> {
    let mut shown: Vec<Option<f64>> = vec![None; LETTERS.len()];
    let began = Instant::now();
    while shown.iter().any(Option::is_none) {
        if began.elapsed() > PATIENCE {
            return Err(Failure(format!("not all letters were shown: {shown:?}")));
        }
        let text = terminal.text();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64() * 1e3);
        for (letter, seen) in LETTERS.chars().zip(&mut shown) {
            if seen.is_none() && text.contains(&letter.to_string().repeat(12)) {
                *seen = Some(now);
            }
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    Ok(shown.into_iter().flatten().collect())
}

/// How long each took, in milliseconds.
pub fn delays(said: &[f64], shown: &[f64]) -> Vec<f64> {
    said.iter().zip(shown).map(|(said, shown)| shown - said).collect()
}
