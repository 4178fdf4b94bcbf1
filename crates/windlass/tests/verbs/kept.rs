//! Runs of an earlier release load, fold, and are shown as they were then. Their journals, `tests/fixtures/runs/*.jsonl`, were written
//! by that release and are never written anew; `docs/evidence.md` says how more are added, and how what is shown is renewed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use windlass_core::fact::Fact;
use windlass_core::run::{Phase, Run};
use windlass_core::spec::Mode;
use windlass_core::values::StopReason;
use windlass_engine::store::journal;
use windlass_testkit::TestEnv;

use super::{PATIENCE, windlass};

/// Writes what is shown anew where it is set.
const RENEWS: &str = "WINDLASS_TEST_RENEW";

/// A directory that is held by another run gets no journal.
const NEVER_JOURNALLED: [&str; 1] = ["locked"];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/runs")
}

/// The journals, by name.
pub(super) fn journals() -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().path());
    let journals = entries.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let mut journals: Vec<_> =
        journals.map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path)).collect();
    journals.sort();
    assert!(journals.len() > 80, "{journals:?}");
    journals
}

/// The lines of a journal, the first and one that is cut off aside.
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let whole = text.rsplit_once('\n').unwrap().0;
    whole.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What of `kept` is not in `now`. What is there besides is a later release's.
fn lost(kept: &Value, now: &Value, at: &str, found: &mut Vec<String>) {
    match (kept, now) {
        (Value::Object(kept), Value::Object(_)) => {
            for (key, value) in kept {
                lost(value, &now[key], &format!("{at}.{key}"), found);
            }
        }
        (Value::Array(kept), Value::Array(items)) if kept.len() == items.len() => {
            for (value, now) in kept.iter().zip(items) {
                lost(value, now, &format!("{at}[]"), found);
            }
        }
        _ if kept == now || is_same_time(kept, now) => {}
        _ => found.push(format!("{at}: {kept} is {now} now")),
    }
}

/// Times were written without the zeros at their end.
fn is_same_time(kept: &Value, now: &Value) -> bool {
    let time = |value: &Value| value.as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok());
    time(kept).is_some_and(|kept| time(now) == Some(kept))
}

#[test]
fn what_was_journalled_is_read_folded_and_would_be_written_as_it_was() {
    let mut found = Vec::new();
    for (name, path) in journals() {
        let entries = journal::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let kept = lines(&path);
        assert_eq!(entries.len(), kept.len(), "{name}");
        let mut run = Run::new();
        for (entry, kept) in entries.iter().zip(&kept) {
            run.apply(entry).unwrap_or_else(|error| panic!("{name}: {}: {error}", entry.seq));
            lost(
                kept,
                &serde_json::to_value(entry).unwrap(),
                &format!("{name}: {}", kept["fact"]),
                &mut found,
            );
        }
        let last = kept.last().unwrap();
        match run.phase() {
            Phase::Ended(reason) => assert_eq!(json!(reason), last["stop_reason"], "{name}"),
            other => assert_ne!(last["fact"], "run_finished", "{name}: {other:?}"),
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The names that a type is read from.
fn names_of<T: DeserializeOwned>(nobody: &Value) -> BTreeSet<String> {
    let Err(error) = serde_json::from_value::<T>(nobody.clone()) else { panic!("{nobody} is read") };
    // `unknown variant `nobody`, expected one of `one`, `two``
    let names: BTreeSet<String> =
        error.to_string().split('`').skip(3).step_by(2).map(str::to_owned).collect();
    assert!(names.len() > 5, "{error}");
    names
}

#[test]
fn every_kind_of_fact_mode_and_end_stands_in_a_kept_journal() {
    let mut facts = names_of::<Fact>(&json!({"fact": "nobody"}));
    let mut modes = names_of::<Mode>(&json!("nobody"));
    let mut ends = names_of::<StopReason>(&json!("nobody"));
    for line in journals().iter().flat_map(|(_, path)| lines(path)) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        facts.remove(&text(&line["fact"]));
        modes.remove(&text(&line["plan"]["job"]["mode"]));
        if line["fact"] == "run_finished" {
            ends.remove(&text(&line["stop_reason"]));
        }
    }
    ends.retain(|end| !NEVER_JOURNALLED.contains(&end.as_str()));
    let missing: Vec<String> = facts.into_iter().chain(modes).chain(ends).collect();
    assert!(missing.is_empty(), "no kept journal holds {missing:?}: docs/evidence.md says how one is added");
}

/// What verbs print, with their exit codes; how long ago something was is left out.
fn shown(env: &TestEnv, verbs: &[&[&str]]) -> String {
    let mut shown = String::new();
    for words in verbs {
        let outcome = env.run(windlass(env, words).env("TZ", "UTC"), PATIENCE);
        let code = outcome.code.unwrap_or_default();
        write!(shown, "$ windlass {}\n{}{}", words.join(" "), outcome.stdout_text(), outcome.stderr_text())
            .unwrap();
        write!(shown, "= {code}\n\n").unwrap();
    }
    let ageless = |line: &str| match line.rsplit_once(" (") {
        Some((line, age)) if age.ends_with(" ago)") => format!("{line}\n"),
        _ => format!("{line}\n"),
    };
    shown.lines().map(ageless).collect::<String>().replace(env.root().to_str().unwrap(), "/here")
}

/// A project in which nothing but these runs was ever made.
fn place(journals: &[(String, PathBuf)]) -> (TestEnv, Vec<String>) {
    let env = TestEnv::with_git();
    let made = env.run(&mut windlass(&env, &["run", "-p", "Begin", "--mock", "-m", "1", "-q"]), PATIENCE);
    assert!(!made.timed_out, "{}", made.stderr_text());
    let projects = fs::read_dir(env.state().join("projects")).unwrap();
    let runs = projects.map(|project| project.unwrap().path()).next().unwrap().join("runs");
    fs::remove_dir_all(&runs).unwrap();
    let names = journals.iter().map(|(_, path)| {
        let text = fs::read_to_string(path).unwrap();
        let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        let run = header["run"].as_str().unwrap().to_owned();
        fs::create_dir_all(runs.join(&run)).unwrap();
        fs::write(runs.join(&run).join("journal.jsonl"), &text).unwrap();
        run
    });
    let names = names.collect();
    (env, names)
}

#[test]
fn runs_of_an_earlier_release_are_shown_as_they_were() {
    let journals = journals();
    let (env, runs) = place(&journals);
    let mut differ = Vec::new();
    let mut compare = |name: &str, now: &str| {
        let kept = fixtures().join(name).with_extension("txt");
        if std::env::var_os(RENEWS).is_some() {
            fs::write(&kept, now).unwrap();
        }
        let was = fs::read_to_string(&kept).unwrap_or_default();
        if let Some((was, now)) = was.lines().zip(now.lines()).find(|(was, now)| was != now) {
            differ.push(format!("{name}\n- {was}\n+ {now}"));
        } else if was.len() != now.len() {
            differ.push(format!("{name}: one is longer"));
        }
    };
    for ((name, _), run) in journals.iter().zip(&runs) {
        let verbs =
            [&["status", run][..], &["status", run, "--json"], &["logs", run], &["logs", run, "--json"]];
        compare(name, &shown(&env, &verbs));
    }
    compare("all", &shown(&env, &[&["runs", "--json"]]));
    assert!(differ.is_empty(), "where this is meant, set {RENEWS}=1 once:\n{}", differ.join("\n"));
}
