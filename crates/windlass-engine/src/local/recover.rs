//! What became of a call whose runner died.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::time::Duration;

use windlass_agents::{CallWatch, Decoder, Detail, Digest, Sink, lost_with_worker, of, unseen};
use windlass_core::observation::Observation;
use windlass_core::spec::RunSpec;
use windlass_core::values::RunId;
use windlass_core::values::{CallClocks, CallReport, Ended, Now};

use super::prepare::read_end;
use crate::store::CallFolder;
use windlass_host::process::leftovers;
use windlass_host::process::stream::LONGEST_LINE;

/// What was found.
#[derive(Debug)]
pub(super) struct Recovered {
    pub report: CallReport,
    /// Processes that had survived both the runner and its keeper.
    pub notice: Option<String>,
}

/// Ends what is left of a run's processes, and reads what the call had printed: a result that came before the end is
/// charged as reported, otherwise the reservation stands.
pub(super) fn report(plan: &RunSpec, call: &CallFolder) -> Recovered {
    // In a fleet the other lanes are at work meanwhile, and what carries the mark is theirs.
    let notice = if plan.is_of_fleet() { None } else { end_leftovers(&plan.run) };
    Recovered { report: recorded(plan, call), notice }
}

/// What the recorded stream says of a call. Changes nothing.
pub(super) fn recorded(plan: &RunSpec, call: &CallFolder) -> CallReport {
    let mut watch =
        CallWatch::new(&plan.agent, Duration::ZERO, no_clocks()).in_zone(jiff::tz::TimeZone::system());
    let agent = of(&plan.agent);
    read_stream(call, agent.decoder(), &mut watch);
    watch.exited(Duration::ZERO, Ended::Lost);
    watch.pipes_closed(Duration::ZERO);
    let stderr = read_end(&call.stderr(), 8 * 1024).unwrap_or_default();
    let now = Now { wall: jiff::Timestamp::now(), monotonic: Duration::ZERO };
    let mut report = watch.report(now, &String::from_utf8_lossy(&stderr));
    let why = if plan.is_of_fleet() { lost_with_worker } else { unseen };
    report.lost_with_its_runner(&why(agent.about()));
    report
}

fn end_leftovers(run: &RunId) -> Option<String> {
    let found = leftovers::find(run).len();
    let left = leftovers::end(run);
    match (found, left.len()) {
        (0, _) => None,
        (found, 0) => {
            Some(format!("{found} processes of the interrupted session were still alive; they were ended"))
        }
        (_, left) => Some(format!("{left} processes of the interrupted session could not be ended")),
    }
}

/// A stream that is not there says nothing about its agent: a power cut takes files that were just made.
fn read_stream(call: &CallFolder, mut decoder: Box<dyn Decoder>, watch: &mut CallWatch) {
    // outside: the run's folder.
    let Ok(file) = File::open(call.stream()) else {
        return;
    };
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    let mut sink = IntoWatch(watch);
    loop {
        line.clear();
        match (&mut reader).take(LONGEST_LINE as u64).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => decoder.line(line.strip_suffix(b"\n").unwrap_or(&line), Detail::Digests, &mut sink),
        }
    }
}

struct IntoWatch<'a>(&'a mut CallWatch);

impl Sink for IntoWatch<'_> {
    fn digest(&mut self, digest: Digest) {
        self.0.observe(Duration::ZERO, &digest);
    }
    fn observation(&mut self, _: Observation) {}
}

fn no_clocks() -> CallClocks {
    CallClocks::ENDLESS
}
