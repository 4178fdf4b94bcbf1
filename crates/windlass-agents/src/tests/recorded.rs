//! Recordings of real agents, each from its bytes to its report. What a recording has to come to is a row of a table, and no
//! recording is without one.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use jiff::tz::TimeZone;
use windlass_core::observation::Observation;
use windlass_core::spec::AgentSpec;
use windlass_core::values::{CallReport, Class, Cut, Ended, Now};

use crate::testing::clocks;
use crate::{CallWatch, Detail, Digest, Sink};

/// A recording, how its process ended, and what has to come of it.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name of its files.
    pub name: &'static str,
    /// How its process ended.
    pub ended: Ended,
    /// Why the runner ended it.
    pub cut: Option<Cut>,
    /// What kind of end it is.
    pub class: Class,
    /// Calls of tools.
    pub tools: u32,
    /// Tokens of all kinds.
    pub tokens: u64,
    /// The beginning of what a person is told; empty for a success.
    pub detail: &'static str,
}

/// It ended by itself, and well.
pub const OK: Ended = Ended::Exited(0);

/// It was ended because it had said nothing for long.
pub const SILENT: (Ended, Option<Cut>) = (Ended::Exited(143), Some(Cut::Silence));

/// The digests of a recording.
#[derive(Default)]
pub struct Heard(pub Vec<Digest>);

impl Sink for Heard {
    fn digest(&mut self, digest: Digest) {
        self.0.push(digest);
    }
    fn observation(&mut self, _: Observation) {}
}

/// When the recordings were made.
fn now() -> Now {
    Now { wall: "2026-11-22T18:33:00Z".parse().unwrap(), monotonic: Duration::from_secs(7) }
}

/// The report of a call of this agent that printed this.
pub fn report(agent: &str, stream: &[u8], stderr: &str, ended: Ended, cut: Option<Cut>) -> CallReport {
    let spec = AgentSpec::new(agent, agent.into());
    let mut watch = CallWatch::new(&spec, Duration::ZERO, clocks()).in_zone(TimeZone::UTC);
    let (mut decoder, mut heard) = (crate::named(agent).decoder(), Heard::default());
    for line in stream.split(|byte| *byte == b'\n') {
        decoder.line(line, Detail::Everything, &mut heard);
    }
    for digest in &heard.0 {
        watch.observe(Duration::from_secs(1), digest);
    }
    for line in stderr.lines() {
        if let Some(digest) = crate::named(agent).error_line(line.as_bytes()) {
            watch.observe(Duration::from_secs(1), &digest);
        }
    }
    if let Some(cut) = cut {
        watch.cut(cut);
    }
    watch.exited(Duration::from_secs(5), ended);
    watch.pipes_closed(Duration::from_secs(5));
    watch.report(now(), stderr)
}

/// Plays all recordings of an agent.
///
/// # Panics
/// One comes to something else than its row says, has no row, or a row has no recording.
#[expect(clippy::disallowed_methods, reason = "the recordings are files of this crate")]
pub fn play(agent: &str, rows: &[Row]) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(agent);
    let read = |name: &str, ending: &str| std::fs::read(folder.join(format!("{name}.{ending}")));
    let mut others = Vec::new();
    for row in rows {
        let stream = read(row.name, "ndjson").unwrap_or_else(|error| panic!("{}: {error}", row.name));
        let stderr = String::from_utf8(read(row.name, "stderr").unwrap_or_default()).unwrap();
        let report = report(agent, &stream, &stderr, row.ended, row.cut);
        let detail: String = report.detail.chars().take(row.detail.chars().count().max(1)).collect();
        let found = (report.class, report.tool_uses, report.tokens.total(), detail.as_str());
        if found != (row.class, row.tools, row.tokens, row.detail) {
            others.push(format!("{}: {found:?} {}", row.name, report.detail));
        }
    }
    assert!(others.is_empty(), "these came to something else:\n{}", others.join("\n"));
    let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let recorded: BTreeSet<String> = names
        .filter(|path| path.extension().is_some_and(|ending| ending == "ndjson"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let tabled: BTreeSet<String> = rows.iter().map(|row| row.name.to_owned()).collect();
    assert_eq!(recorded, tabled);
}

/// The rows of a table.
macro_rules! rows {
    ($($name:literal: $ended:expr, $cut:expr => $class:ident, $tools:literal tools, $tokens:literal tokens, $detail:literal;)*) => {
        &[$($crate::tests::recorded::Row {
            name: $name,
            ended: $ended,
            cut: $cut,
            class: windlass_core::values::Class::$class,
            tools: $tools,
            tokens: $tokens,
            detail: $detail,
        },)*]
    };
}
pub(crate) use rows;
