//! The table: what was measured, what was wanted, and what is the least that anybody could need.

use std::fmt::Write;
use std::fs;

use serde_json::{Value, json};

/// One figure.
#[derive(Debug)]
pub struct Row {
    /// What it is.
    pub what: String,
    /// As measured, with its unit.
    pub ours: String,
    /// As DESIGN.md wants it; empty where it is only told.
    pub target: String,
    /// The floor, measured in the same run; empty where there is none.
    pub floor: String,
    /// Was the target met? `None` where there is none, or where nothing could be measured.
    pub met: Option<bool>,
}

impl Row {
    /// A figure with a target.
    pub fn new(
        what: impl Into<String>,
        ours: impl Into<String>,
        target: impl Into<String>,
        met: bool,
    ) -> Self {
        Self {
            what: what.into(),
            ours: ours.into(),
            target: target.into(),
            floor: String::new(),
            met: Some(met),
        }
    }

    /// A figure that is only told.
    pub fn told(what: impl Into<String>, ours: impl Into<String>) -> Self {
        Self { what: what.into(), ours: ours.into(), target: String::new(), floor: String::new(), met: None }
    }

    /// The same beside its floor.
    pub fn beside(mut self, floor: impl Into<String>) -> Self {
        self.floor = floor.into();
        self
    }

    const fn mark(&self) -> &'static str {
        match self.met {
            Some(true) => "met",
            Some(false) => "NOT MET",
            None => "",
        }
    }
}

/// All figures of one go.
#[derive(Debug)]
pub struct Table {
    load_before: String,
    rows: Vec<Row>,
}

impl Table {
    /// Nothing has been measured yet.
    pub fn begin() -> Self {
        Self { load_before: load(), rows: Vec::new() }
    }

    /// Adds figures.
    pub fn add(&mut self, rows: Vec<Row>) {
        self.rows.extend(rows);
    }

    /// For people: a Markdown table.
    pub fn text(&self) -> String {
        let cells = |row: &Row| [&row.what, &row.ours, &row.target, &row.floor].map(String::clone);
        let mut lines = vec![["what", "ours", "target", "floor"].map(str::to_owned)];
        lines.extend(self.rows.iter().map(cells));
        let mut widths = [0; 4];
        for line in &lines {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut marks = vec![""];
        marks.extend(self.rows.iter().map(Row::mark));
        let mut text = format!("{}\n\n", self.circumstances());
        for (index, (line, mark)) in lines.iter().zip(marks).enumerate() {
            for (cell, width) in line.iter().zip(widths) {
                let _ = write!(text, "| {cell:<width$} ");
            }
            let _ = writeln!(text, "| {mark:<7} |");
            if index == 0 {
                let rule: Vec<String> = widths.iter().map(|width| "-".repeat(width + 2)).collect();
                let _ = writeln!(text, "|{}|---------|", rule.join("|"));
            }
        }
        text
    }

    /// For programs.
    pub fn json(&self) -> String {
        let row = |row: &Row| json!({ "what": row.what, "ours": row.ours, "target": row.target, "floor": row.floor, "met": row.met });
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        format!("{:#}\n", json!({ "v": 1, "circumstances": self.circumstances(), "rows": rows }))
    }

    fn circumstances(&self) -> String {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        format!(
            "{cores} cores, load average {} before and {} after. Figures vary with the machine and with what else it does: on a\n\
             busy one, processor time grows as well. Compare with the floors of the same run, not with yesterday.",
            self.load_before,
            load()
        )
    }
}

/// The load average of the last minute.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_says_what_was_wanted_and_what_was_not_met() {
        let mut table = Table::begin();
        table.add(vec![
            Row::new("gap", "3.1 ms", "3 ms", false).beside("1 ms"),
            Row::new("size", "7 MB", "15 MB", true),
            Row::told("one agent", "0.1 %"),
        ]);
        let text = table.text();
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("| ")).collect();
        assert_eq!(
            lines,
            [
                "| what      | ours   | target | floor |         |",
                "| gap       | 3.1 ms | 3 ms   | 1 ms  | NOT MET |",
                "| size      | 7 MB   | 15 MB  |       | met     |",
                "| one agent | 0.1 %  |        |       |         |",
            ]
        );
        let json: Value = serde_json::from_str(&table.json()).unwrap();
        let met: Vec<&Value> = json["rows"].as_array().unwrap().iter().map(|row| &row["met"]).collect();
        assert_eq!(met, [&json!(false), &json!(true), &Value::Null]);
    }
}
