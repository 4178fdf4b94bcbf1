//! The log of a run in its workspace, and the watched status file, with the scripted agent.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use rustix::process::Signal;
use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::JobStatus;
use windlass_engine::replay::{Replay, Replayed};
use windlass_engine::store::{Project, RunFolder};
use windlass_testkit::{Outcome, Running, TestEnv};
use windlass_ui::{Event, LogParts, LogSink, LogState, LogView, View as _};

use super::night::{Night, PATIENCE, expect_end};

const FOLDER: &str = ".windlass/workspaces/api";

/// Until somebody makes the file `go`.
const WAIT: &str = "{ bash = { command = 'while [ ! -e go ]; do sleep 0.05; done', silent = true } }";

fn night(script: &str) -> Night {
    let env = TestEnv::with_git();
    env.write(".windlass/workspaces/api/INSTRUCTIONS.md", "# Port it\n\nAll of it.\n");
    Night::within(env, script)
}

fn call(steps: &[&str]) -> String {
    format!("[[call]]\nsteps = [ {} ]\n", steps.join(", "))
}

fn status(json: &str) -> String {
    format!("{{ write = {{ path = '{FOLDER}/.status.json', text = '{json}' }} }}")
}

fn command(night: &Night, flags: &[&str]) -> std::process::Command {
    let mut command = night.windlass(&["run", "api", "--no-delay", "--fresh"]);
    command.arg(format!("--mock={}", night.env.root().join("script.toml").display())).args(flags);
    command
}

fn run(night: &Night, flags: &[&str]) -> Outcome {
    night.env.run(&mut command(night, flags), PATIENCE)
}

/// The logs in the workspace, by name.
fn logs(night: &Night) -> Vec<PathBuf> {
    let folder = night.env.project().join(FOLDER);
    let all = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut logs: Vec<PathBuf> =
        all.filter(|path| path.extension().is_some_and(|extension| extension == "log")).collect();
    logs.sort();
    logs
}

fn only_log(night: &Night) -> String {
    let logs = logs(night);
    assert_eq!(logs.len(), 1, "{logs:?}");
    fs::read_to_string(&logs[0]).unwrap()
}

/// What was told of the status file: in which line of the journal, and what.
fn told(night: &Night) -> Vec<(u64, JobStatus)> {
    let told = |entry: windlass_core::fact::Entry| match entry.fact {
        Fact::StatusChanged(report::StatusChanged { standing, .. }) => Some((entry.seq, standing)),
        _ => None,
    };
    night.entries().into_iter().filter_map(told).collect()
}

fn when(night: &Night, wanted: fn(&Fact) -> bool) -> u64 {
    night.entries().iter().find(|entry| wanted(&entry.fact)).unwrap().seq
}

// rows: 111
// Seed defect D1, services/status-file-watcher.ts:67: the last change was dropped.
#[test]
fn the_status_is_told_while_the_agent_works_and_its_last_word_is_never_lost() {
    let script = call(&[
        // Nothing is said of half a file.
        // sleep: longer than the debounce, so that it would be said.
        &status(r#"{"complete":false,"prog"#),
        "{ sleep = '900ms' }",
        &status(r#"{"complete":false,"progress":{"completed":1,"total":3},"summary":"one"}"#),
        WAIT,
        // Within the debounce of what is watched, and so only seen when the call is over.
        &status(r#"{"complete":true,"progress":{"completed":3,"total":3},"summary":"all"}"#),
    ]);
    let night = night(&script).set("WINDLASS_STATUS__DEBOUNCE", "500ms");
    let mut running = Running::start(&mut command(&night, &[]));
    assert!(running.wait_for_stderr("1/3 items - one", PATIENCE), "{}", running.stderr_so_far());
    night.env.write("go", "");
    let outcome = running.wait(PATIENCE);
    expect_end(&outcome, 0, "complete");
    let told = told(&night);
    let lines: Vec<String> = told.iter().map(|(_, standing)| standing.line(None)).collect();
    assert_eq!(lines, ["1/3 items - one", "3/3 items - all"]);
    let ended = when(&night, |fact| matches!(fact, Fact::CallFinished { .. }));
    assert!(told[0].0 < ended && ended < told[1].0, "{told:?} around {ended}");
    assert!(outcome.stderr_text().contains("3/3 items (+2) - all"), "{}", outcome.stderr_text());
}

// Seed defect D1, services/status-file-watcher.ts:154: `worked`, phase and blockers were not meaningful.
#[test]
fn a_time_alone_is_no_news_unless_every_write_is() {
    let at = |time: u8| format!(r#"{{"complete":false,"worked":true,"lastUpdated":"{time}"}}"#);
    let script = [1, 2].map(|time| call(&[&status(&at(time)), "{ bash = 'echo x >> work' }"])).concat();
    for (meaningful, changes) in [("true", 1), ("false", 2)] {
        let night = night(&script).set("WINDLASS_STATUS__ONLY_MEANINGFUL", meaningful);
        expect_end(&run(&night, &["-m", "2"]), 10, "max_iterations");
        assert_eq!(told(&night).len(), changes, "{meaningful}");
    }
    let changed = |json: &str| call(&[&status(json), "{ bash = 'echo x >> work' }"]);
    let script = [
        changed(r#"{"complete":false,"worked":true}"#),
        changed(r#"{"complete":false,"worked":false}"#),
        changed(r#"{"complete":false,"worked":false,"phase":"tests"}"#),
        changed(r#"{"complete":false,"worked":false,"phase":"tests","blockers":["no network"]}"#),
    ];
    let night = night(&script.concat()).set("WINDLASS_STATUS__WATCH", "false");
    run(&night, &["-m", "4"]);
    assert_eq!(told(&night).len(), 4, "without a watch, after each call");
}

// rows: 22, 112
// Seed defect D1, commands/run.ts:379: the log had the formatted and the raw stream.
#[test]
fn a_run_is_logged_in_its_workspace_whatever_the_terminal_shows() {
    let script = call(&[
        "{ say = 'I look first.' }",
        "{ bash = 'echo out; exit 3' }",
        "{ bash = 'echo x >> work' }",
        &status(r#"{"complete":false,"progress":{"completed":1,"total":3}}"#),
    ]);
    let night = night(&format!("{script}{}", call(&["{ api_error = { status = 400 } }"])));
    night.env.write(".windlass/workspaces/api/.status-instructions.md", "Say it in numbers.\n");
    run(&night, &["-m", "2", "--quiet"]);
    let text = only_log(&night);
    assert!(
        text.contains("\nSTATUS INSTRUCTIONS\n") && text.matches("Say it in numbers.").count() == 1,
        "{text}"
    );
    for title in
        ["RUN METADATA", "INSTRUCTIONS", "SYSTEM PROMPT", "ITERATION 1", "ITERATION 2", "RUN FINISHED"]
    {
        let section = format!("{}\n{title}\n", "=".repeat(80));
        assert_eq!(text.matches(&section).count(), 1, "{title}:\n{text}");
    }
    for part in [
        "Workspace: api\nMode: loop\nMax Iterations: 2\n",
        "# Port it\n\nAll of it.\n",
        "CLAUDE OUTPUT:\n",
        "    ✎ I look first.\n",
        "    ▸ Bash echo out; exit 3\n      ✗ failed\n      Exit code 3\n      out\n",
        "STATUS: success\nCompleted: ",
        "Remaining: 2\n",
        "ERROR (Iteration 2):\n",
        "STATUS: error\n",
        "stopped: max_iterations\n",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    assert_eq!(text.matches("All of it.").count(), 1, "static parts once");
    assert_eq!(text.matches("I look first.").count(), 1, "what an agent says once");
    assert!(!text.contains("\"type\":"), "the raw stream has a file of its own:\n{text}");
    let kept = night.entries();
    let changed = kept.iter().find_map(|entry| match &entry.fact {
        Fact::SnapshotTaken(report::SnapshotTaken { changed, .. }) => Some(*changed),
        _ => None,
    });
    assert_eq!(changed, Some(1), "the log and the status file are not work");
}

/// A log in memory.
#[derive(Clone, Default)]
struct LogInMemory(Arc<Mutex<Vec<u8>>>);

impl LogSink for LogInMemory {
    fn write(&mut self, text: &[u8]) -> Result<(), String> {
        self.0.lock().unwrap().extend_from_slice(text);
        Ok(())
    }

    fn renew(&mut self) -> Result<LogState, String> {
        Ok(LogState::Same)
    }
}

// rows: 112
#[test]
fn the_log_of_a_replay_is_the_log() {
    let script = call(&[
        "{ say = 'I look first.' }",
        "{ bash = 'echo out; exit 3' }",
        "{ noise = 1000 }",
        &status(r#"{"complete":false,"progress":{"completed":1,"total":3}}"#),
        "{ sleep = '300ms' }",
    ]);
    let done = call(&["{ say = 'Done.' }", &status(r#"{"complete":true}"#)]);
    let night = night(&format!("{script}{done}")).set("WINDLASS_STATUS__WATCH", "false");
    expect_end(&run(&night, &[]), 0, "complete");
    let written = only_log(&night);

    let log = LogInMemory::default();
    let part = |title: &str| {
        let (_, text) = written.split_once(&format!("\n{title}\n{}\n", "=".repeat(80))).unwrap();
        text.split("\n\n=====").next().unwrap().to_owned()
    };
    let (instructions, system_prompt) = (part("INSTRUCTIONS"), part("SYSTEM PROMPT"));
    let parts = LogParts { instructions, system_prompt, status_instructions: None };
    let mut view = LogView::new(parts, Box::new(log.clone()), channel().0);
    let folder = night.folder();
    let project =
        Project::locate(&night.env.state(), night.env.project(), Some(&night.env.project().join(".git")))
            .unwrap();
    let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
    let mut replay = Replay::new(&RunFolder::of(&project, &windlass_core::values::RunId(name)));
    let mut listen = |told| {
        view.event(&match told {
            Replayed::Fact(entry) => Event::Fact(entry),
            Replayed::Observation(place, observation) => Event::Observation {
                lane: place.lane,
                call: place.call,
                line: place.line,
                at: place.at,
                observation,
            },
        });
        ControlFlow::Continue(())
    };
    assert!(replay.advance(&mut listen).unwrap().is_continue() && replay.has_ended());
    view.finish();
    assert_eq!(String::from_utf8(log.0.lock().unwrap().clone()).unwrap(), written);
}

// rows: 116
#[test]
fn old_logs_go_by_the_rule_and_that_is_said() {
    let night = night(&call(&["{ bash = 'echo x >> work' }"])).set("WINDLASS_LOG__KEEP", "2");
    let old = ["iterate-2025-10-15T14-23-45.log", "iterate-20251015-142345.log", "iterate-notes.log"];
    for name in old {
        night.env.write(format!("{FOLDER}/{name}"), "old");
    }
    let said = run(&night, &["-m", "1"]).stderr_text();
    assert!(said.contains("1 old run log removed from the workspace (log.keep, log.keep_size)"), "{said}");
    let names: Vec<String> =
        logs(&night).iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(names.contains(&old[1].to_owned()) || names.contains(&old[0].to_owned()), "{names:?}");
    assert!(names.contains(&old[2].to_owned()), "no log of ours: {names:?}");

    let silent = self::night(&call(&["{ bash = 'echo x >> work' }"])).set("WINDLASS_LOG__ENABLED", "false");
    run(&silent, &["-m", "1"]);
    assert!(logs(&silent).is_empty());
}

// Seed defect D3, core/loop.ts:182-189; commands/run.ts:83: what was before was forgotten.
#[test]
fn a_resumed_run_begins_a_log_of_its_own() {
    let working = call(&["{ bash = 'echo x >> work' }"]);
    let night = night(&working.repeat(2));
    expect_end(&run(&night, &["-m", "1"]), 10, "max_iterations");
    let run = night.folder().file_name().unwrap().to_str().unwrap().to_owned();
    let resumed = night.resume(&[&run, "-m", "2"]);
    expect_end(&resumed, 10, "max_iterations");
    let said = resumed.stderr_text();
    assert!(said.contains("resumed after 1 iteration, $0.01"), "{said}");
    let logs = logs(&night);
    assert_eq!(logs.len(), 2, "{logs:?}");
    let texts: Vec<String> = logs.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let second = texts.iter().find(|text| text.contains("Session: resumed")).expect("a second log");
    assert!(second.contains("ITERATION 2") && !second.contains("ITERATION 1\n"), "{second}");
    assert_eq!(texts.iter().filter(|text| text.contains("ITERATION 1\n")).count(), 1);
}

#[test]
fn a_log_that_the_agent_deletes_goes_on_in_a_new_file() {
    let script = call(&[&format!("{{ bash = 'rm {FOLDER}/iterate-*.log; echo x >> work' }}")]);
    let night = night(&format!("{script}{}", call(&["{ say = 'Again.' }"])));
    run(&night, &["-m", "2"]);
    let text = only_log(&night);
    assert!(text.contains("All of it.") && text.contains("a part of this log is missing"), "{text}");
    assert!(text.contains("    ✎ Again.\n") && text.ends_with("stopped: max_iterations\n"), "{text}");
}

// Seed defect D1, commands/run.ts:166: Ctrl-C never wrote out what was held back.
#[test]
fn what_was_said_before_ctrl_c_is_in_the_log_and_a_killed_run_leaves_its_head() {
    let night = night(&call(&["{ say = 'I look first.' }", WAIT]));
    let mut running = Running::start(&mut command(&night, &["--verbose"]));
    assert!(running.wait_for_stderr("I look first.", PATIENCE));
    running.signal(Signal::TERM);
    let _ = running.wait(PATIENCE);
    let text = only_log(&night);
    assert!(text.contains("I look first.") && text.ends_with("stopped: manual\n"), "{text}");

    let killed = self::night(&call(&["{ say = 'I look first.' }", WAIT]));
    let mut running = Running::start(&mut command(&killed, &["--verbose"]));
    assert!(running.wait_for_stderr("I look first.", PATIENCE));
    running.signal(Signal::KILL);
    let _ = running.wait(PATIENCE);
    let text = only_log(&killed);
    assert!(text.contains("All of it.") && text.contains("\nITERATION 1\n"), "{text}");
}
