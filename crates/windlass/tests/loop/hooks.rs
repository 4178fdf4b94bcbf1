//! Hooks of a real run: when they are called, what they are told, what follows from what they say.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{CheckResult, HookDecision, HookName, HookOutcome, Named, StopReason};
use windlass_testkit::{Outcome, Running};

use super::night::{Night, PATIENCE, calls, every_call, expect_end};

const WORK: &str = "{ bash = 'echo x >> work' }";
const COMMIT: &str = "{ bash = 'echo x >> work; git add work; git commit -qm Work' }";
const CLAIM: &str = "{ bash = 'echo x >> work' }, { result = { text = 'WINDLASS_JOB_COMPLETE' } }";
const HANG: &str = "{ bash = 'echo x >> work' }, { write = { path = '../begun', text = 'x' } }, 'hang'";

/// Writes what it is told, as the seed's hooks were told it, and nothing else: unchanged from seed 002.
const RECORDER: &str = "#!/bin/sh\nenv | grep '^FRESHER_' | sort > \"../$FRESHER_NAME.env\"\necho \"$FRESHER_NAME $FRESHER_ITERATION\" >> ../calls\n";

/// A hook's file, executable.
fn hook(night: &Night, name: &str, script: &str) {
    let path = night.env.write(format!(".windlass/hooks/{name}"), script);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn recorded(script: &str) -> Night {
    let night = Night::with_git(script);
    for name in HookName::ALL {
        hook(&night, name.name(), RECORDER);
    }
    night
}

/// What a hook was told last.
fn told(night: &Night, name: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(night.env.root().join(format!("{name}.env"))).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("FRESHER_")?.split_once('='));
    rows.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn outcomes(night: &Night) -> Vec<(HookName, HookOutcome)> {
    let outcome = |fact: Fact| match fact {
        Fact::HookFinished(report::HookFinished { hook, outcome, .. }) => Some((hook, outcome)),
        _ => None,
    };
    night.facts().into_iter().filter_map(outcome).collect()
}

fn decisions(night: &Night) -> Vec<(HookName, HookDecision)> {
    outcomes(night).into_iter().map(|(hook, outcome)| (hook, outcome.decision)).collect()
}

/// The finish type that the last hook was told, beside the stop reason.
fn finish(night: &Night) -> (String, String) {
    let told = told(night, "finished");
    (told["FINISH_TYPE"].clone(), told["STOP_REASON"].clone())
}

fn last_is_run_finished(night: &Night) {
    assert!(matches!(night.facts().last(), Some(Fact::RunFinished { .. })), "{:#?}", night.facts());
}

// rows: 106, 72
// Seed defect D2, src/commands/plan.rs:72-76: SIGTERM skipped the last hook.
#[test]
fn the_last_hook_is_told_of_every_way_out_with_the_seeds_word() {
    type Way = (&'static str, &'static [&'static str], Option<Signal>, i32, &'static str, &'static str);
    let ways: [Way; 6] = [
        (HANG, &[], Some(Signal::INT), 130, "manual", "manual"),
        (HANG, &[], Some(Signal::TERM), 143, "manual", "manual"),
        (WORK, &["-m", "2"], None, 10, "max_iterations", "max_iterations"),
        (CLAIM, &["--completion-threshold", "1"], None, 0, "complete", "complete"),
        (
            "{ result = { text = 'Nothing.' } }",
            &["--stagnation-threshold", "1"],
            None,
            14,
            "no_changes",
            "stagnated",
        ),
        ("{ exit = 3 }", &["--max-failures", "1"], None, 20, "error", "consecutive_failures"),
    ];
    for (script, flags, signal, code, word, reason) in ways {
        let night = recorded(&every_call(script));
        let running = night.start(flags);
        if let Some(signal) = signal {
            night.wait_for_file("../begun");
            running.signal(signal);
        }
        expect_end(&running.wait(PATIENCE), code, reason);
        assert_eq!(finish(&night), (word.to_owned(), reason.to_owned()));
        assert_eq!(told(&night, "started")["FINISH_TYPE"], "");
        last_is_run_finished(&night);
        night.assert_clean();
    }
}

// rows: 106
#[test]
fn hooks_of_the_seed_are_told_what_they_were_told_there() {
    let night = recorded(&calls(&[COMMIT, COMMIT, "{ bash = 'sleep 1.1; echo x >> work' }, { exit = 7 }"]));
    let base = night.env.git(&["rev-parse", "HEAD"]);
    expect_end(&night.run(&["-m", "3"]), 10, "max_iterations");
    let started = told(&night, "started");
    for (name, expected) in [
        ("NAME", "started"),
        ("ITERATION", "0"),
        ("LAST_EXIT_CODE", "0"),
        ("TOTAL_COMMITS", "0"),
        ("COMMITS_MADE", "0"),
        ("TOTAL_ITERATIONS", "0"),
        ("LAST_COMMIT_SHA", &base),
        ("MODE", "goal"),
        ("MAX_ITERATIONS", "3"),
        ("PROJECT_DIR", night.env.project().to_str().unwrap()),
        ("RESUMED", "false"),
        ("PLAN_FILE", ""),
    ] {
        assert_eq!(started[name], expected, "{name}");
    }
    assert!(started["STARTED_AT"].ends_with('Z') && started["STARTED_AT"].len() == 20);
    assert_eq!(started["LOG_DIR"], night.folder().to_str().unwrap());
    assert_eq!(started["RUN"], night.folder().file_name().unwrap().to_str().unwrap());
    let next = told(&night, "next_iteration");
    assert_eq!((&next["ITERATION"][..], &next["TOTAL_ITERATIONS"][..]), ("3", "2"));
    assert_eq!((&next["TOTAL_COMMITS"][..], &next["COMMITS_MADE"][..]), ("2", "1"));
    assert_eq!(next["LAST_COMMIT_SHA"], night.env.git(&["rev-parse", "HEAD"]));
    let finished = told(&night, "finished");
    assert_eq!((&finished["ITERATION"][..], &finished["TOTAL_ITERATIONS"][..]), ("3", "3"));
    assert_eq!((&finished["LAST_EXIT_CODE"][..], &finished["COMMITS_MADE"][..]), ("7", "0"));
    let seconds = |name: &str| finished[name].parse::<u64>().unwrap();
    assert!(seconds("LAST_DURATION") >= 1 && seconds("DURATION") >= seconds("LAST_DURATION"));
    let calls = fs::read_to_string(night.env.root().join("calls")).unwrap();
    assert_eq!(calls, "started 0\nnext_iteration 1\nnext_iteration 2\nnext_iteration 3\nfinished 3\n");
    // A hook that says nothing is not spoken of.
    assert!(decisions(&night).iter().all(|(_, decision)| *decision == HookDecision::Continue));
}

// rows: 107, 72
// Seed defect D2, src/commands/plan.rs:64-66: an abort in the first hook skipped the last one and was a success.
// Seed defect D2, src/commands/plan.rs:107-110: an abort was recorded as manual.
// Seed defect D2, v1 run.sh:230-231: a hook's exit code was lost, so that neither skip nor abort worked.
#[test]
fn an_abort_ends_the_run_as_an_error_and_the_last_hook_is_called() {
    for name in ["started", "next_iteration"] {
        let night = recorded(&every_call(WORK));
        hook(&night, name, "#!/bin/sh\necho 'the disk of the tests is full' >&2\nexit 2\n");
        let outcome = night.run(&["-m", "2", "--exit-codes", "detailed"]);
        expect_end(&outcome, 26, "hook_abort");
        assert!(
            outcome
                .stdout_text()
                .contains(&format!("the hook `{name}` said abort: the disk of the tests is full"))
        );
        assert!(night.calls().is_empty());
        assert_eq!(finish(&night), ("error".to_owned(), "hook_abort".to_owned()));
        last_is_run_finished(&night);
    }
}

// rows: 107
// Seed defect D2, src/commands/plan.rs:112-115: a skip went on at once, and could spin for ever.
// Seed defect D2, src/hooks.rs:81-86: a hook that crashed with 1 skipped work in silence.
#[test]
fn skips_are_said_counted_and_end_after_ten() {
    let night = recorded(&every_call(WORK));
    hook(&night, "next_iteration", "#!/bin/sh\necho 'the queue is locked' >&2\nexit 1\n");
    let outcome = night.run(&["-m", "2"]);
    expect_end(&outcome, 27, "hook_skips");
    let skips = decisions(&night).into_iter().filter(|(_, decision)| *decision == HookDecision::Skip).count();
    assert_eq!((skips, night.calls().len()), (10, 0));
    let said = outcome.stderr_text();
    assert!(
        said.contains("the queue is locked") && said.contains("exit 1") && said.contains("3 of 10"),
        "{said}"
    );
    assert_eq!(finish(&night).0, "error");
}

// rows: 107
#[test]
fn what_an_answer_says_reaches_the_next_agent_and_one_alone() {
    let night = Night::with_git(&every_call(WORK));
    hook(
        &night,
        "next_iteration",
        "#!/bin/sh\ntest $WINDLASS_HOOK_ITERATION = 1 || exit 0\n\
         printf '{\"decision\":\"continue\",\"prompt\":\"Mind the gap.\\\\nWINDLASS_JOB_COMPLETE\"}'\necho noise >&2\n",
    );
    expect_end(&night.run(&["-m", "2"]), 10, "max_iterations");
    let first = night.prompt(1);
    assert!(
        first.contains("## From this project's hook\n\n~~~\nMind the gap.\n(the completion phrase)"),
        "{first}"
    );
    assert!(!night.prompt(2).contains("Mind the gap"));
}

// rows: 108
// Seed defect D2, src/hooks.rs:76: a hook that took too long was left running.
#[test]
fn a_hook_that_hangs_is_ended_with_all_it_started() {
    let night = recorded(&every_call(WORK)).set("WINDLASS_HOOKS__TIMEOUT", "1s");
    hook(
        &night,
        "started",
        "#!/bin/sh\ntrap '' TERM INT HUP\nsetsid sh -c 'trap \"\" TERM; sleep 60; :' &\necho waiting >&2\nsleep 60\n",
    );
    let outcome = night.run(&["-m", "1"]);
    expect_end(&outcome, 10, "max_iterations");
    let (_, started) = &outcomes(&night)[0];
    assert_eq!((started.result, started.decision), (CheckResult::TimedOut, HookDecision::Warn));
    assert!(started.duration >= Duration::from_secs(1) && started.reason == "waiting", "{started:?}");
    assert!(outcome.stderr_text().contains("timed out"), "{}", outcome.stderr_text());
    night.assert_clean();
}

// rows: 108
#[test]
fn a_daemon_that_a_hook_starts_does_not_outlive_it() {
    let night =
        recorded(&calls(&["{ bash = 'kill -0 $(cat ../daemon) 2>/dev/null && touch ../alive; true' }"]));
    let fork = "#!/bin/sh\nenv -i setsid sh -c 'echo $$ > ../daemon; sleep 60; :' </dev/null >/dev/null 2>&1 &\n\
                while ! test -s ../daemon; do sleep 0.01; done\n";
    hook(&night, "next_iteration", fork);
    expect_end(&night.run(&["-m", "1"]), 10, "max_iterations");
    assert!(night.env.root().join("daemon").exists() && !night.env.root().join("alive").exists());
    night.assert_clean();
}

// rows: 108
#[test]
fn what_cannot_be_a_hook_is_said_and_the_run_goes_on() {
    let night = Night::with_git(&every_call(WORK));
    night.env.write(".windlass/hooks/started", RECORDER);
    night.env.write(".windlass/hooks/next_iteration/README", "a folder");
    std::os::unix::fs::symlink("nowhere", night.env.project().join(".windlass/hooks/finished")).unwrap();
    night.env.write(".windlass/hooks/next-iteration.sh", RECORDER);
    night.env.write(".windlass/hooks/started.sample", RECORDER);
    night.env.write(".windlass/hooks/custom/lib.sh", "");
    expect_end(&night.run(&["-m", "1"]), 10, "max_iterations");
    let notices = night.notices().join("\n");
    for said in [
        "`started` is not called: .windlass/hooks/started is not executable: chmod +x .windlass/hooks/started",
        "`next_iteration` is not called: .windlass/hooks/next_iteration is a folder",
        "`finished` is not called: .windlass/hooks/finished is a link that leads nowhere",
        "next-iteration.sh is not a hook: was `next_iteration` meant?",
    ] {
        assert!(notices.contains(said), "{said}: {notices}");
    }
    assert!(outcomes(&night).is_empty() && !notices.contains("custom") && !notices.contains("sample"));
}

// rows: 108
#[test]
fn a_hundred_megabytes_fill_neither_disk_nor_memory() {
    let night = recorded(&every_call(WORK));
    hook(
        &night,
        "started",
        "#!/bin/sh\nhead -c 100000000 /dev/zero | tr '\\0' 'x'\necho the-end >&2\nexit 3\n",
    );
    expect_end(&night.run(&["-m", "1"]), 10, "max_iterations");
    let (_, started) = &outcomes(&night)[0];
    assert_eq!((started.result, &started.reason[..]), (CheckResult::Failed(3), "the-end"));
    let log = fs::read(night.folder().join(&started.log)).unwrap();
    assert!(
        log.len() < 2_000_000 && log.ends_with(b" bytes more were printed and not kept]\n"),
        "{}",
        log.len()
    );
}

// rows: 75, 106
#[test]
fn killed_during_a_hook_nothing_lives_on_and_a_resume_asks_again() {
    let night = recorded(&every_call(WORK));
    let waits = "#!/bin/sh\ntest -e ../go && exit 0\ntouch ../asked\nsetsid sleep 60 &\nsleep 60\n";
    hook(&night, "next_iteration", waits);
    let running = night.start(&["-m", "1"]);
    night.wait_for_file("../asked");
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    night.env.assert_no_processes(super::night::CLEARED);
    night.env.write(night.env.root().join("go"), "");
    expect_end(&night.resume(&[]), 10, "max_iterations");
    assert_eq!(told(&night, "finished")["RESUMED"], "true");
    assert_eq!(night.verdicts().len(), 1);
    night.assert_clean();
}

// rows: 71, 72
#[test]
fn a_further_ctrl_c_ends_what_is_asked_and_then_the_last_hook() {
    let night = recorded(&every_call(WORK));
    let hangs =
        |mark: &str| format!("#!/bin/sh\ntouch ../{mark}\ntrap '' TERM INT\nsetsid sleep 60 &\nsleep 60\n");
    hook(&night, "next_iteration", &hangs("asked"));
    hook(&night, "finished", &hangs("ending"));
    let began = Instant::now();
    let running = night.start(&["-m", "1"]);
    night.wait_for_file("../asked");
    running.signal(Signal::TERM);
    night.wait_for_file("../ending");
    running.signal(Signal::TERM);
    expect_end(&running.wait(PATIENCE), 143, "manual");
    assert!(began.elapsed() < Duration::from_secs(25), "it waited for the timeout: {:?}", began.elapsed());
    let outcomes = outcomes(&night);
    let (last, outcome) = outcomes.last().unwrap();
    assert_eq!((*last, outcome.result), (HookName::Finished, CheckResult::Signalled(9)));
    assert!(outcome.reason.contains("not waited for"), "{outcome:?}");
    last_is_run_finished(&night);
    night.assert_clean();
}

// rows: 106
#[test]
fn a_check_that_is_abandoned_makes_room_for_the_last_hook() {
    let night = recorded(&every_call(CLAIM));
    let gate = "test -e work || exit 0; touch ../gating; trap '' TERM INT; setsid sleep 60 & sleep 60";
    let running = night.start(&["-m", "1", "--gate", gate]);
    night.wait_for_file("../gating");
    running.signal(Signal::TERM);
    expect_end(&running.wait(PATIENCE), 143, "manual");
    assert_eq!(finish(&night).0, "manual");
    night.assert_clean();
}

// rows: 108
#[test]
fn a_hook_that_is_changed_meanwhile_stays_what_it_was() {
    let change = "{ bash = 'echo \"#!/bin/sh\" > .windlass/hooks/finished; echo \"touch ../tampered\" >> .windlass/hooks/finished' }";
    let night = recorded(&every_call(change));
    expect_end(&night.run(&["-m", "1"]), 10, "max_iterations");
    assert!(!night.env.root().join("tampered").exists());
    assert_eq!(finish(&night).0, "max_iterations", "the hook that the run began with was called");
    assert_eq!(night.env.read(".windlass/hooks/finished"), RECORDER, "it is put back");
    let said = night.notices();
    assert!(!said.iter().any(|text| text.contains("applies to the next run")), "it does not: {said:?}");
}

// rows: 106, 108
#[test]
fn a_command_goes_before_a_file_and_hooks_can_be_switched_off() {
    let night = recorded(&every_call(WORK)).set("WINDLASS_HOOKS__STARTED", "touch ../by-command");
    expect_end(&night.run(&["-m", "1"]), 10, "max_iterations");
    assert!(night.env.root().join("by-command").exists() && !night.env.root().join("started.env").exists());
    assert!(night.notices().iter().any(|text| text.contains("hooks/started is not called")));
    let night = recorded(&every_call(WORK)).set("WINDLASS_HOOKS__ENABLED", "false");
    expect_end(&night.run(&["-m", "1"]), 10, "max_iterations");
    assert!(outcomes(&night).is_empty() && !night.env.root().join("calls").exists());
}

// rows: 80, 106
#[test]
fn what_a_hook_writes_is_not_committed_as_the_agents_work() {
    let night = Night::with_git(&calls(&[WORK, "{ result = { text = 'Nothing.' } }"]));
    hook(&night, "next_iteration", "#!/bin/sh\necho $WINDLASS_HOOK_ITERATION >> hooked\n");
    let ignore = night.env.project().join(".git/info/exclude");
    fs::write(ignore, ".windlass\n").unwrap();
    expect_end(
        &night.run(&["-m", "3", "--commit", "runner", "--stagnation-threshold", "2"]),
        10,
        "max_iterations",
    );
    assert_eq!(night.env.git(&["log", "--name-only", "--format=", "-1"]), "work");
    assert_eq!(night.env.git(&["status", "--porcelain"]), "?? hooked");
}

// rows: 110
#[test]
fn a_full_disk_is_no_reason_to_leave_the_last_hook_out() {
    for writes in [3, 6, 9] {
        let night = recorded(&every_call(WORK));
        let fault = format!("full-after-write={writes}");
        let mut command = night.run_command(&["-m", "2", "--exit-codes", "detailed"]);
        let full = night.env.run(command.env("WINDLASS_TEST_FAULT", &fault), PATIENCE);
        expect_end(&full, 28, "disk_full");
        assert_eq!(night.ended(), StopReason::DiskFull, "{fault}");
        assert_eq!(finish(&night), ("error".to_owned(), "disk_full".to_owned()), "{fault}");
        night.assert_clean();
    }
}

fn json_types(outcome: &Outcome) -> Vec<String> {
    outcome.json_lines().iter().map(|line| line["type"].as_str().unwrap().to_owned()).collect()
}

// rows: 67, 107
#[test]
fn machines_hear_of_hooks_and_the_end_comes_last() {
    let night = recorded(&every_call(WORK));
    hook(&night, "finished", "#!/bin/sh\necho 'no route to host' >&2\nexit 7\n");
    let outcome = Running::start(&mut night.run_command(&["-m", "1", "--json"])).wait(PATIENCE);
    outcome.expect_code(10, "the run");
    let types = json_types(&outcome);
    assert_eq!(types.last().unwrap(), "run_finished");
    let lines = outcome.json_lines();
    let line = lines.iter().rfind(|line| line["type"] == "hook_finished").unwrap();
    assert_eq!(
        (&line["hook"], &line["decision"], &line["exit_code"]),
        (&"finished".into(), &"warn".into(), &7.into())
    );
    assert_eq!(line["reason"], "no route to host");
}

#[test]
fn an_answer_behind_a_line_of_a_log_is_no_answer_and_that_is_said() {
    let night = Night::new(&every_call(WORK));
    let command = r#"echo starting...; echo '{"decision":"abort"}'"#;
    night.env.write(".windlass/config.toml", format!("[hooks]\nnext_iteration = {command:?}\n"));
    let outcome = night.run(&["-m", "1"]);
    expect_end(&outcome, 10, "max_iterations");
    assert_eq!(decisions(&night), [(HookName::NextIteration, HookDecision::Warn)]);
    let said =
        (outcome.stdout_text() + &outcome.stderr_text()).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("its answer stands among other text, and does not count"), "{said}");
}
