//! Files of very many tasks: how long one is read, and one of them marked.

use std::fmt::Write as _;
use std::fs;

use super::bed::{Bed, Ground, measured};
use super::numbers::{median, ms};
use super::table::Row;
use crate::program::Failure;

/// So many tasks, each with dependencies.
const TASKS: usize = 50_000;

const FILE: &str = "tasks.md";

/// `tasks list` and `tasks done` of a file with 50,000 tasks: processor time.
pub fn fifty_thousand(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let ground = bed.ground()?;
    let path = ground.project().join(FILE);
    fs::write(&path, text()).map_err(|error| Failure::at(&path, error))?;
    let list = median_cpu(&ground, &[&["tasks", "list", "-f", FILE]])?;
    let id = format!("TASK-{TASKS}");
    let done: &[&str] = &["tasks", "done", &id, "-f", FILE];
    // Every second one takes back what the one before it did.
    let marked = median_cpu(&ground, &[done, &["tasks", "reopen", &id, "-f", FILE]])?;
    Ok(vec![
        Row::new("tasks list of 50,000 tasks: CPU", format!("{list:.0} ms"), "700 ms", list <= 700.0),
        Row::new("one of them done: CPU", format!("{marked:.0} ms"), "1,500 ms", marked <= 1500.0),
    ])
}

/// Of ten goes, by turns each of these.
fn median_cpu(ground: &Ground<'_>, verbs: &[&[&str]]) -> Result<f64, Failure> {
    let goes = verbs.iter().cycle().take(10);
    let spent = goes.map(|verb| measured(ground.windlass("").args(*verb), &[0]).map(|spent| ms(spent.cpu)));
    spent.collect::<Result<Vec<f64>, Failure>>().map(median)
}

fn text() -> String {
    (1..=TASKS).fold(String::new(), |mut text, number| {
        let before = number.saturating_sub(1).max(1);
        let on = if number == 1 { "none".to_owned() } else { format!("TASK-{before}") };
        let _ = write!(
            text,
            "### TASK-{number}: Title of {number}\n- **Status**: pending\n- **Dependencies**: {on}\n\n"
        );
        text
    })
}
