//! What an agent prints: bytes → lines → digests and observations → the report on the call.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use windlass_agents::{CallWatch, Detail, Digest, usual};
use windlass_core::claim;
use windlass_core::observation::{Observation, ToolInput};
use windlass_core::spec::AgentSpec;
use windlass_core::values::{CallReport, Class, Cut, Ended, Now};

use crate::dice::Dice;
use crate::example;
use crate::heard::{Heard, clocks};
use crate::parsers;

pub(crate) fn run(data: &[u8]) {
    let mut dice = Dice::of(data);
    let heard = hear(&[data], Detail::Everything);
    assert_eq!(hear(&dice.pieces(data), Detail::Everything), heard, "it matters how the bytes are cut");
    let unwatched = hear(&[data], Detail::Digests);
    assert_eq!(unwatched.digests, heard.digests, "it matters who watches");
    assert!(unwatched.observations.is_empty());
    heard.observations.iter().for_each(check_observation);
    check_report(&report(&heard.digests, &mut dice), &heard.digests, data);
}

fn hear(pieces: &[&[u8]], detail: Detail) -> Heard {
    let (mut decoder, mut heard) = (usual().decoder(), Heard::default());
    parsers::lines(pieces, &mut |line: &[u8]| decoder.line(line, detail, &mut heard));
    heard
}

/// The bounds that are documented at the types, and that what is shown can be told again.
fn check_observation(observation: &Observation) {
    let json = serde_json::to_string(observation).map(|json| serde_json::from_str::<Observation>(&json).ok());
    assert_eq!(json.ok().flatten().as_ref(), Some(observation), "written and read");
    match observation {
        Observation::AgentText { text, .. } => assert!(!text.is_empty() && text.len() <= 1024 * 1024),
        Observation::ToolUse { input: ToolInput::Other { json }, .. } => {
            assert!(json.chars().count() <= 2000);
        }
        Observation::ToolResult { is_error, output, .. } => {
            let most = if *is_error { 1024 } else { 64 } * 1024;
            assert!(output.text.len() <= most && (output.cut || output.text.len() as u64 <= output.bytes));
        }
        Observation::Result { text, .. } => assert!(text.len() <= 64 * 1024),
        Observation::Garbage { start, .. } => {
            assert!(start.chars().count() <= 120 && !start.contains(char::is_control));
        }
        _ => {}
    }
}

/// The report on a call that said this and then ended in one of many ways.
fn report(digests: &[Digest], dice: &mut Dice) -> CallReport {
    let mut watch = CallWatch::new(&AgentSpec::new("claude", "claude".into()), Duration::ZERO, clocks());
    let mut at = Duration::ZERO;
    for digest in digests {
        at += Duration::from_millis(7);
        watch.bytes(at);
        watch.observe(at, digest);
    }
    let cuts = [
        Cut::Silence,
        Cut::WallClock,
        Cut::Duration,
        Cut::Tokens,
        Cut::Lingering,
        Cut::HopelessRetries,
        Cut::Stop,
    ];
    let uncut = 2 * cuts.len();
    if let Some(cut) = cuts.get(dice.below(uncut)) {
        watch.cut(*cut);
    }
    let ends =
        [Ended::Exited(0), Ended::Exited(0), Ended::Exited(1), Ended::Exited(143), Ended::Signalled(9)];
    match ends.get(dice.below(ends.len() + 1)) {
        Some(ended) => watch.exited(at, *ended),
        None => watch.pipes_closed(at),
    }
    let stderr = ["", "error: unknown option '--x'\n", "\u{1b}[31mConnection error.\nsomething else\u{7}"];
    let now = Now { wall: Timestamp::UNIX_EPOCH + Duration::from_secs(1_795_000_000), monotonic: at };
    watch.report(now, dice.pick(&stderr).copied().unwrap_or_default())
}

fn check_report(report: &CallReport, digests: &[Digest], data: &[u8]) {
    assert!(report.results.len() <= 50 && report.results.iter().all(|text| text.len() <= 64 * 1024));
    assert!(report.denials.len() <= 20);
    assert!(report.denials.iter().all(|denial| denial.input.chars().count() <= 200));
    assert!(report.detail.chars().count() <= 300 && !report.detail.contains(['\n', '\r']), "{report:?}");
    assert_eq!(report.detail.is_empty(), report.class == Class::Success, "{report:?}");
    assert_eq!(report.limit.is_some(), report.class == Class::UsageLimit, "{report:?}");
    assert!(
        report.ended != Ended::Lost || report.class == Class::Interrupted || report.class.is_of_api(),
        "{report:?}"
    );
    let garbage = digests.iter().filter(|digest| matches!(digest, Digest::Garbage)).count();
    assert_eq!(report.garbage_lines, garbage as u64);
    let last = digests.iter().rev().find_map(|digest| match digest {
        Digest::Result(result) => Some(result.is_error),
        _ => None,
    });
    assert!(report.class != Class::Success || last == Some(false), "a success without its result");
    let job = &example::plan().job;
    if claim::claims(job, report) {
        assert!(may_claim(data, &job.completion_signal), "the phrase counted although no result said it");
    }
}

/// Does a line say it where it counts? Read with another parser; what that cannot read is not judged.
fn may_claim(data: &[u8], signal: &str) -> bool {
    data.split(|byte| *byte == b'\n').any(|line| {
        let Ok(line) = serde_json::from_slice::<Value>(line) else { return true };
        let result = line["result"].as_str().unwrap_or_default();
        line["type"] == "result"
            && line["is_error"] == false
            && result.lines().any(|line| line.trim() == signal)
    })
}
