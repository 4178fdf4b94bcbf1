//! A fleet: its servers, who is there, who holds what, and which orders wait.

use std::time::Duration;

use serde::Serialize;
use windlass_core::values::{LaneId, RunId};

use super::table::{Align, Column, Narrow, Row, table};
use crate::document::document;
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone, rendered};
use crate::terminal::Terminal;

/// A fleet as it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FleetStatus {
    /// What it is called.
    pub name: String,
    /// Its servers' addresses, as they are configured.
    pub servers: Vec<String>,
    /// The version of the server that was asked.
    pub version: String,
    /// What its servers lack, or have otherwise than needed: a sentence each, without a stop.
    pub problems: Vec<String>,
    /// Its workers.
    pub workers: Vec<FleetWorkerRow>,
    /// Its runs.
    pub runs: Vec<FleetRunRow>,
    /// Its lanes.
    pub lanes: Vec<FleetLaneRow>,
    /// Orders that wait, or are taken, for each class of labels.
    pub queue: Vec<FleetQueueRow>,
}

/// When somebody who holds something was heard of, by looks at it. No clocks are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Heard {
    /// Whether it was heard of at all.
    pub state: Hearing,
    /// Renewed: it was so long ago at most. Silent: it was not, for so long at least.
    #[serde(rename = "for_ms", serialize_with = "in_millis")]
    pub span: Duration,
}

/// Whether somebody was heard of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Hearing {
    /// It renewed what it holds while it was looked at.
    Renewed,
    /// It did not.
    Silent,
}

fn in_millis<S: serde::Serializer>(span: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(format::millis(*span))
}

/// A worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FleetWorkerRow {
    /// Its name.
    pub worker: String,
    /// Whose usage limits count for it; `None` = its own.
    pub account: Option<String>,
    /// So many lanes it holds.
    pub lanes: usize,
    /// When it was heard of.
    pub heard: Heard,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FleetRunRow {
    /// Its name.
    pub run: RunId,
    /// Who runs it: a machine, and the number of a process there.
    pub runner: String,
    /// When its runner was heard of.
    pub heard: Heard,
}

/// A lane that a worker holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FleetLaneRow {
    /// Of which run.
    pub run: RunId,
    /// Which of its lanes.
    pub lane: LaneId,
    /// Who holds it.
    pub worker: String,
    /// When it was renewed.
    pub heard: Heard,
}

/// A class of labels, and its orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FleetQueueRow {
    /// What a worker has to have; none = any worker will do.
    pub labels: Vec<String>,
    /// So many workers wait for an order.
    pub waiting: usize,
    /// So many orders nobody took yet.
    pub pending: u64,
    /// So many are taken, and not acknowledged yet.
    pub taken: usize,
}

impl FleetQueueRow {
    /// Are there orders that nobody asks for?
    pub const fn is_unserved(&self) -> bool {
        self.pending > 0 && self.waiting == 0
    }

    fn class(&self) -> String {
        if self.labels.is_empty() { "any worker".to_owned() } else { one_line(&self.labels.join(" ")) }
    }
}

/// A fleet, for people; every line ends with a newline.
pub fn fleet_text(fleet: &FleetStatus, terminal: &Terminal) -> String {
    let mut lines = vec![
        Line::hanging(2)
            .strong(format!("fleet {}", one_line(&fleet.name)))
            .plain(format!("  {}", one_line(&fleet.servers.join(" "))))
            .dim(format!("  version {}", one_line(&fleet.version))),
    ];
    let problem = |problem: &String| {
        Line::hanging(4).plain("  ").mark(Tone::Bad, Mark::Failed).plain(format!(" {}", one_line(problem)))
    };
    lines.extend(fleet.problems.iter().map(problem));
    let mut text = rendered(&lines, terminal);
    let mut add = |part: String| {
        text.push('\n');
        text.push_str(&part);
    };
    if fleet.workers.is_empty() {
        let none = Line::hanging(2).plain("no worker: on each machine  ").command("windlass worker");
        add(rendered(&[none], terminal));
    } else {
        add(workers(&fleet.workers, terminal));
    }
    if !fleet.runs.is_empty() {
        add(runs(&fleet.runs, terminal));
    }
    if !fleet.lanes.is_empty() {
        add(lanes(&fleet.lanes, terminal));
    }
    if !fleet.queue.is_empty() {
        add(queue(&fleet.queue, terminal));
    }
    text
}

/// The same as one line of JSON.
pub fn fleet_json(fleet: &FleetStatus) -> Vec<u8> {
    document("fleet", fleet)
}

const fn left(heading: &'static str, tone: Tone) -> Column {
    Column { heading, align: Align::Left, tone }
}

const fn right(heading: &'static str) -> Column {
    Column { heading, align: Align::Right, tone: Tone::Plain }
}

/// The cell, and the tone of how things stand.
fn heard(heard: Heard) -> (String, Tone) {
    match heard.state {
        Hearing::Renewed => (format!("{} ago", format::whole_seconds(heard.span)), Tone::Good),
        Hearing::Silent => (format!("not for {}", format::whole_seconds(heard.span)), Tone::Warn),
    }
}

fn workers(rows: &[FleetWorkerRow], terminal: &Terminal) -> String {
    let columns = [
        left("worker", Tone::Strong),
        left("account", Tone::Plain),
        right("lanes"),
        left("heard of", Tone::Plain),
    ];
    let rows = rows.iter().map(|row| {
        let (heard, tone) = heard(row.heard);
        let account = row.account.as_deref().map_or_else(|| "-".to_owned(), one_line);
        let cells = [one_line(&row.worker), account, row.lanes.to_string(), heard];
        Row { cells, state: Some((3, tone)), problem: None }
    });
    table(columns, Narrow::Nothing, &rows.collect::<Vec<_>>(), terminal)
}

fn runs(rows: &[FleetRunRow], terminal: &Terminal) -> String {
    let columns = [left("run", Tone::Strong), left("runner", Tone::Plain), left("heard of", Tone::Plain)];
    let rows = rows.iter().map(|row| {
        let (heard, tone) = heard(row.heard);
        let cells = [one_line(&row.run.0), one_line(&row.runner), heard];
        Row { cells, state: Some((2, tone)), problem: None }
    });
    table(columns, Narrow::Nothing, &rows.collect::<Vec<_>>(), terminal)
}

fn lanes(rows: &[FleetLaneRow], terminal: &Terminal) -> String {
    let columns = [
        left("run", Tone::Strong),
        right("lane"),
        left("worker", Tone::Plain),
        left("heard of", Tone::Plain),
    ];
    let rows = rows.iter().map(|row| {
        let (heard, tone) = heard(row.heard);
        let cells = [one_line(&row.run.0), row.lane.0.to_string(), one_line(&row.worker), heard];
        Row { cells, state: Some((3, tone)), problem: None }
    });
    table(columns, Narrow::Nothing, &rows.collect::<Vec<_>>(), terminal)
}

fn queue(rows: &[FleetQueueRow], terminal: &Terminal) -> String {
    let columns =
        [left("orders for", Tone::Strong), right("pending"), right("taken"), right("workers that wait")];
    let problems: Vec<Option<String>> = rows.iter().map(unserved).collect();
    let rows = rows.iter().zip(&problems).map(|(row, problem)| {
        let cells = [row.class(), row.pending.to_string(), row.taken.to_string(), row.waiting.to_string()];
        Row { cells, state: None, problem: problem.as_deref() }
    });
    table(columns, Narrow::Nothing, &rows.collect::<Vec<_>>(), terminal)
}

fn unserved(row: &FleetQueueRow) -> Option<String> {
    row.is_unserved().then(|| {
        let who = if row.labels.is_empty() {
            "no worker asks for these".to_owned()
        } else {
            format!("no worker with {} asks for these", row.class())
        };
        format!("{who}: none is there, or all of its lanes are at work")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::columns;

    fn renewed(seconds: u64) -> Heard {
        Heard { state: Hearing::Renewed, span: Duration::from_secs(seconds) }
    }

    fn silent(seconds: u64) -> Heard {
        Heard { state: Hearing::Silent, span: Duration::from_secs(seconds) }
    }

    fn night() -> FleetStatus {
        let run = || RunId("r-00000001".to_owned());
        let class = |labels: &[&str], waiting, pending, taken| FleetQueueRow {
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            waiting,
            pending,
            taken,
        };
        FleetStatus {
            name: "night".to_owned(),
            servers: vec!["nats://a:4222".to_owned(), "nats://b:4222".to_owned()],
            version: "2.15.1".to_owned(),
            problems: vec!["the fleet has no OBJ_windlass_night_logs".to_owned()],
            workers: vec![
                FleetWorkerRow {
                    worker: "dev-1".to_owned(),
                    account: Some("team".to_owned()),
                    lanes: 2,
                    heard: renewed(1),
                },
                FleetWorkerRow { worker: "dev-2".to_owned(), account: None, lanes: 0, heard: silent(9) },
            ],
            runs: vec![FleetRunRow { run: run(), runner: "desk-4711".to_owned(), heard: renewed(2) }],
            lanes: vec![FleetLaneRow {
                run: run(),
                lane: LaneId(12),
                worker: "dev-1".to_owned(),
                heard: renewed(0),
            }],
            queue: vec![class(&[], 1, 0, 1), class(&["gpu", "os=linux"], 0, 3, 0), class(&["arm"], 0, 0, 2)],
        }
    }

    #[test]
    fn a_fleet_is_shown_on_eighty_columns_and_what_nobody_serves_is_named() {
        let text = fleet_text(&night(), &columns(80));
        assert_eq!(
            text,
            "\
fleet night  nats://a:4222 nats://b:4222  version 2.15.1
  ✗ the fleet has no OBJ_windlass_night_logs

worker  account  lanes  heard of
dev-1   team         2  1s ago
dev-2   -            0  not for 9s

run         runner     heard of
r-00000001  desk-4711  2s ago

run         lane  worker  heard of
r-00000001    12  dev-1   0s ago

orders for    pending  taken  workers that wait
any worker          0      1                  1
gpu os=linux        3      0                  0
  ! no worker with gpu os=linux asks for these: none is there, or all of its
    lanes are at work
arm                 0      2                  0
"
        );
    }

    #[test]
    fn a_fleet_without_a_worker_says_how_to_have_one() {
        let bare = FleetStatus {
            problems: vec![],
            workers: vec![],
            runs: vec![],
            lanes: vec![],
            queue: vec![],
            ..night()
        };
        let text = fleet_text(&bare, &columns(80));
        assert!(text.ends_with("\nno worker: on each machine  windlass worker\n"), "{text}");
    }

    #[test]
    fn what_came_from_the_network_moves_no_cursor() {
        let mut night = night();
        night.version = "2\u{1b}[2J".to_owned();
        night.workers[0].account = Some("a\nb".to_owned());
        night.queue[1].labels = vec!["\u{1b}x".to_owned()];
        assert!(!fleet_text(&night, &columns(80)).contains('\u{1b}'));
    }

    #[test]
    fn the_document_has_what_a_program_asks_for() {
        crate::view::check_document("fleet", &fleet_json(&night()));
        let document: serde_json::Value = serde_json::from_slice(&fleet_json(&night())).unwrap();
        assert_eq!((&document["type"], &document["name"]), (&"fleet".into(), &"night".into()));
        assert_eq!(document["workers"][1]["heard"], serde_json::json!({ "state": "silent", "for_ms": 9000 }));
        assert_eq!(document["queue"][1]["labels"], serde_json::json!(["gpu", "os=linux"]));
        assert_eq!(document["lanes"][0]["lane"], 12);
    }
}
