//! Every recording of the real program, from its bytes to its report.

mod table;

use std::time::Duration;

use windlass_core::observation::Observation;
use windlass_core::spec::AgentSpec;
use windlass_core::values::{CallReport, Class, Cut, Ended, Now, UsageLimit};

use self::table::{ERROR, OK, RECORDINGS};
use super::{Decoded, decode, decode_as};
use crate::testing::clocks;
use crate::{CallWatch, Detail, Due};

fn recording(file: &str) -> &'static [u8] {
    RECORDINGS.iter().find(|row| row.0 == file).unwrap().1
}

/// Printed in another output format: no stream, judged as standard error is.
fn is_plain(file: &str) -> bool {
    file.rsplit_once('.').is_some_and(|(_, ending)| ending == "txt")
}

fn watch() -> CallWatch {
    CallWatch::new(&AgentSpec::new("claude", "claude".into()), Duration::ZERO, clocks())
}

/// When the recordings were made.
fn now() -> Now {
    Now { wall: "2026-11-21T20:30:00Z".parse().unwrap(), monotonic: Duration::from_secs(7) }
}

pub(super) fn report(found: &Decoded, ended: Ended, cut: Option<Cut>, stderr: &str) -> CallReport {
    let mut watch = watch();
    for digest in &found.digests {
        watch.observe(Duration::from_secs(1), digest);
    }
    if let Some(cut) = cut {
        watch.cut(cut);
    }
    watch.exited(Duration::from_secs(5), ended);
    watch.pipes_closed(Duration::from_secs(5));
    assert_eq!(watch.due(Duration::from_secs(5)), Some(Due::Finished));
    watch.report(now(), stderr)
}

// rows: 65
#[test]
fn every_recording_is_judged() {
    for (file, content, ended, cut, class, results, tools, detail) in RECORDINGS {
        let found = decode(content);
        let plain = if is_plain(file) { std::str::from_utf8(content).unwrap() } else { "" };
        let report = report(&found, *ended, *cut, plain);
        assert_eq!(report.class, *class, "{file}: {}", report.detail);
        assert_eq!((report.results.len(), report.tool_uses), (*results, *tools), "{file}");
        assert!(report.detail.starts_with(detail), "{file}: {}", report.detail);
        assert_eq!(report.detail.is_empty(), *class == Class::Success, "{file}: {}", report.detail);
        assert!(report.detail.chars().count() <= 300, "{file}");
        assert_eq!(report.garbage_lines > 0, is_plain(file) || *file == "json-verbose.json", "{file}");
        assert_eq!(report.limit.is_some(), *class == Class::UsageLimit, "{file}");
        assert_eq!(report.duration, Duration::from_secs(5));
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test looks for recordings that it does not know")]
fn no_recording_is_left_out() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/claude");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "README.md" || RECORDINGS.iter().any(|row| row.0 == name), "{name} has no row");
    }
}

#[test]
fn who_watches_changes_no_digest() {
    for (file, content, ..) in RECORDINGS {
        let quiet = decode_as(Detail::Digests, content);
        assert!(quiet.observations.is_empty(), "{file}");
        assert_eq!(quiet.digests, decode(content).digests, "{file}");
    }
}

#[test]
fn a_recording_cut_anywhere_does_no_harm() {
    for (file, content, ..) in RECORDINGS {
        for end in (0..content.len()).step_by(499) {
            let found = decode(&content[..end]);
            let report = report(&found, Ended::Signalled(9), None, "");
            assert_ne!(report.class, Class::Unknown, "{file} up to {end}");
        }
    }
}

// rows: 55, 56, 122
#[test]
fn totals_are_those_of_the_whole_process() {
    let rows = [
        ("bg-natural-sleep20.ndjson", 2_400, 300, 60),
        ("f-input-stream-json.ndjson", 1_600, 200, 40),
        ("subagent.ndjson", 7_400, 1_300, 110),
        ("max-budget.ndjson", 120_000, 20_000, 2_000),
        ("v2.1.197-tools.ndjson", 2_000, 200, 40),
    ];
    for (file, micros, input, output) in rows {
        let report = report(&decode(recording(file)), OK, None, "");
        assert_eq!(report.cost.unwrap().micros(), micros, "{file}");
        assert_eq!((report.tokens.input, report.tokens.output), (input, output), "{file}");
    }
    let cached = report(&decode(recording("tools-write-edit-bash.ndjson")), OK, None, "");
    assert_eq!((cached.tokens.cache_creation, cached.tokens.cache_read), (2_000, 40_000));
    let died = report(&decode(recording("sig-kill.ndjson")), Ended::Signalled(9), None, "");
    assert_eq!(died.cost, None);
}

#[test]
fn reset_times_come_from_the_event_before_the_sentence() {
    let limit =
        |file: &str, stderr: &str| report(&decode(recording(file)), ERROR, None, stderr).limit.unwrap();
    let five_hours =
        UsageLimit { resets_at: Some("2026-11-21T21:12:21Z".parse().unwrap()), window: "five_hour".into() };
    assert_eq!(limit("err-429-unified-oauth.ndjson", ""), five_hours);
    let week =
        UsageLimit { resets_at: Some("2026-11-25T08:06:32Z".parse().unwrap()), window: "seven_day".into() };
    assert_eq!(limit("limit-seven-day.ndjson", ""), week);
    let sentence = limit("text-text.txt", "You've hit your 5-hour limit · resets 9:46pm (UTC)\n");
    assert_eq!(
        sentence,
        UsageLimit { resets_at: Some("2026-11-21T21:46:00Z".parse().unwrap()), window: String::new() }
    );
}

// rows: 29
#[test]
fn denials_are_reported_with_their_rule() {
    let denial = |file: &str| {
        let mut report = report(&decode(recording(file)), OK, None, "");
        assert_eq!(report.denials.len(), 1);
        report.denials.remove(0).rule
    };
    assert_eq!(denial("f-perm-default-bash.ndjson"), "Bash(touch z)");
    assert_eq!(denial("f-noadddir.ndjson"), "Edit(//home/dev/extra/new2.txt)");
}

// rows: 36, 37, 38, 39
#[test]
fn a_session_is_shown() {
    let shown = decode(recording("tools-write-edit-bash.ndjson")).observations;
    let words: Vec<String> = shown
        .iter()
        .map(|observation| match observation {
            Observation::Started { model, version } => format!("{model} {version}"),
            Observation::AgentText { text, .. } => text.clone(),
            Observation::ToolUse { name, .. } => format!("> {name}"),
            Observation::ToolResult { name, is_error, output, .. } => {
                format!("< {name} {is_error} {}", output.lines)
            }
            Observation::Result { cost_usd, turns, .. } => format!("= {cost_usd:?} {turns:?}"),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(
        words,
        [
            "claude-opus-5-5 2.1.330",
            "Reading.",
            "> Read",
            "< Read false 4",
            "Writing.",
            "> Write",
            "< Write false 1",
            "> Edit",
            "> Bash",
            "< Edit false 1",
            "< Bash false 6",
            "> Bash",
            "< Bash false 1",
            "<promise>DONE</promise>",
            "= Some(0.055200000000000006) Some(6)",
        ]
    );
}

// rows: 65
#[test]
fn who_ended_it_comes_first() {
    let of = |file: &str, ended, cut| report(&decode(recording(file)), ended, cut, "").class;
    let good = "text-stream-json.ndjson";
    let term = Ended::Exited(143);
    assert_eq!(of(good, term, Some(Cut::Lingering)), Class::Success);
    assert_eq!(of(good, term, Some(Cut::Duration)), Class::Success);
    assert_eq!(of(good, Ended::Signalled(9), Some(Cut::Lingering)), Class::Success);
    assert_eq!(of(good, term, Some(Cut::Stop)), Class::Interrupted);
    assert_eq!(of(good, Ended::Lost, None), Class::Interrupted);
    assert_eq!(of(good, Ended::Exited(3), None), Class::TaskFailure);
    assert_eq!(of(good, Ended::Signalled(11), None), Class::TaskFailure);
    assert_eq!(of("err-403.ndjson", Ended::Signalled(15), None), Class::Permission);
    for cut in [Cut::Silence, Cut::WallClock, Cut::Duration] {
        assert_eq!(of("sig-term.ndjson", term, Some(cut)), Class::TaskFailure);
    }
}
