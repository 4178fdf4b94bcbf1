//! Signals where there is no terminal: cron, systemd, a script.

use std::time::Duration;

use rustix::process::Signal;
use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{Class, Cut, Ended, StopSource};

use super::night::{Night, PATIENCE, calls, every_call, expect_end};

/// Everything an agent can leave behind: in sessions of their own, deaf to SIGTERM, without a parent, without the
/// environment that marks the run.
pub const BROOD: &str = r#"
  { spawn = { setsid = true, ignore = ["TERM", "INT", "HUP"], orphan = true, for = "60s", pid_file = "../child" } },
  { bash = "env -i setsid sh -c 'trap \"\" TERM INT HUP; (sleep 60; :) & sleep 60; :' >/dev/null 2>&1 & echo started" },
"#;

/// An agent with a brood that begins, says so by a file, and never ends.
fn endless(first: &str) -> Night {
    let hang = format!("{first} {BROOD} {{ write = {{ path = 'begun', text = 'x' }} }}, 'hang'");
    Night::with_git(&every_call(&hang))
}

fn stops(night: &Night) -> Vec<(StopSource, u8)> {
    let stop = |fact: Fact| match fact {
        Fact::StopRequested { by, stage } => Some((by, stage)),
        _ => None,
    };
    night.facts().into_iter().filter_map(stop).collect()
}

// rows: 70, 71, 72
#[test]
fn sigterm_ends_the_agent_and_the_run() {
    let night = endless("");
    let running = night.start(&[]);
    night.wait_for_file("begun");
    running.signal(Signal::TERM);
    let outcome = running.wait(PATIENCE);
    expect_end(&outcome, 143, "manual");
    assert_eq!(stops(&night), [(StopSource::Terminate, 2)]);
    let calls = night.calls();
    assert_eq!(
        (calls[0].class, calls[0].cut, calls[0].estimated),
        (Class::Interrupted, Some(Cut::Stop), true)
    );
    // What was cut off is kept: the file the agent had made is in a snapshot.
    let kept = night.facts().iter().any(|fact| {
        matches!(fact, Fact::SnapshotTaken(report::SnapshotTaken { snapshot: Some(_), changed: 1.., .. }))
    });
    assert!(kept, "{:#?}", night.facts());
    night.assert_clean();
}

// rows: 70, 71
#[test]
fn ctrl_c_without_a_terminal_is_as_urgent() {
    let night = endless("");
    let running = night.start(&[]);
    night.wait_for_file("begun");
    running.signal_group(Signal::INT);
    expect_end(&running.wait(PATIENCE), 130, "manual");
    assert_eq!(stops(&night), [(StopSource::Interrupt, 2)]);
    night.assert_clean();
}

// rows: 70
// Seed defect D1, services/claude-client.ts:406-414: who ignored SIGTERM was never killed.
#[test]
fn an_agent_that_ignores_sigterm_is_killed_after_the_grace() {
    let night = endless("{ ignore = ['TERM', 'INT', 'HUP'] },").set("WINDLASS_CLOCKS__GRACE", "1s");
    let running = night.start(&[]);
    night.wait_for_file("begun");
    running.signal(Signal::TERM);
    expect_end(&running.wait(PATIENCE), 143, "manual");
    assert_eq!(night.calls()[0].ended, Ended::Signalled(9));
    let cuts: Vec<bool> = night
        .facts()
        .iter()
        .filter_map(|fact| match fact {
            Fact::CallCut { now, .. } => Some(*now),
            _ => None,
        })
        .collect();
    assert_eq!(cuts, [false, true], "asked first, then killed");
    night.assert_clean();
}

// rows: 71
#[test]
fn a_further_signal_kills_at_once() {
    // With this grace the test would not end in time by waiting.
    let night = endless("{ ignore = ['TERM', 'INT', 'HUP'] },").set("WINDLASS_CLOCKS__GRACE", "10m");
    let running = night.start(&[]);
    night.wait_for_file("begun");
    running.signal(Signal::TERM);
    night.wait_for_fact("the agent is asked to end", |fact| matches!(fact, Fact::CallCut { .. }));
    running.signal(Signal::TERM);
    expect_end(&running.wait(PATIENCE), 143, "manual");
    assert_eq!(stops(&night), [(StopSource::Terminate, 2), (StopSource::Terminate, 3)]);
    night.assert_clean();
}

#[test]
fn a_hang_up_ends_nothing() {
    let night = Night::new(&calls(&[
        "{ write = { path = 'begun', text = 'x' } }, { bash = 'while ! test -e go; do sleep 0.01; done' }",
        "{ write = { path = 'second', text = 'x' } }",
    ]));
    let running = night.start(&["-m", "2"]);
    night.wait_for_file("begun");
    running.signal_group(Signal::HUP);
    night.wait_for_fact(
        "the hang-up",
        |fact| matches!(fact, Fact::Noticed(report::Noticed { text }) if text.contains("terminal")),
    );
    night.env.write("go", "");
    expect_end(&running.wait(PATIENCE), 10, "max_iterations");
    assert_eq!(
        night.calls().iter().map(|call| call.class).collect::<Vec<_>>(),
        [Class::Success, Class::Success]
    );
    night.assert_clean();
}

// rows: 70
// Seed defect D1, services/claude-client.ts:406: what an agent had started lived on.
#[test]
fn what_an_iteration_leaves_behind_is_gone_before_the_next_one() {
    let night = Night::new(&calls(&[
        &format!("{BROOD} {{ write = {{ path = 'one', text = 'x' }} }}"),
        // Whoever is still there was started by the first call; this one counts them by their name.
        "{ bash = 'cat /proc/[0-9]*/cmdline 2>/dev/null | tr \"\\0\" \" \" | grep -c \"__agent-child .*/child\" > count; kill -0 $(cat ../child) 2>/dev/null && echo alive > alive; true' }",
    ]));
    expect_end(&night.run(&["-m", "2"]), 10, "max_iterations");
    assert!(!night.env.project().join("alive").exists(), "the first call's child lived on");
    night.assert_clean();
}

#[test]
fn killed_with_its_keeper_a_run_clears_up_when_it_is_resumed() {
    let night = Night::new(&calls(&[
        &format!("{BROOD} {{ write = {{ path = 'begun', text = 'x' }} }}, 'hang'"),
        "{ write = { path = 'second', text = 'x' } }",
    ]));
    let running = night.start(&["-m", "1"]);
    night.wait_for_file("begun");
    // The keeper is windlass's only child; it dies first, or it would clear up at once.
    running.signal(Signal::STOP);
    let keepers = windlass_testkit::environment::descendants(running.id());
    let keeper = i32::try_from(keepers[0]).unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_raw(keeper).unwrap(), Signal::KILL).unwrap();
    running.signal(Signal::KILL);
    let killed = running.wait(Duration::from_secs(10));
    assert_eq!(killed.signal, Some(9));
    assert!(!night.env.processes().is_empty(), "the agent did not outlive its keeper: this shows nothing");
    let resumed = night.resume(&[]);
    expect_end(&resumed, 10, "max_iterations");
    assert!(night.notices().iter().any(|text| text.contains("still alive")), "{:?}", night.notices());
}

#[test]
fn what_runs_is_named_truly_where_no_agent_does() {
    let claim = "{ bash = 'echo x >> work' }, { result = { text = 'WINDLASS_JOB_COMPLETE' } }";
    let hangs = |when: &str| format!("if {when}; then touch begun; sleep 60; fi");
    for (gate, expected) in [
        (hangs("true"), "no iteration has begun: stopping"),
        (hangs("test -e work"), "no agent is at work: ending what else runs; all work is kept"),
    ] {
        let night = Night::new(&every_call(claim));
        let running = night.start(&["--gate", &gate]);
        night.wait_for_file("begun");
        running.signal(Signal::TERM);
        let outcome = running.wait(PATIENCE);
        expect_end(&outcome, 143, "manual");
        let said = (outcome.stdout_text() + &outcome.stderr_text()).replace("\n        ", " ");
        assert!(said.contains(expected) && !said.contains("ending the agent"), "{said}");
        night.assert_clean();
    }
}
