//! A real terminal, with the keys a person presses.

use std::time::{Duration, Instant};

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{Class, StopReason};
use windlass_testkit::environment::{PersonsTerminal as Terminal, wait_until};

use super::night::{Night, PATIENCE, calls, every_call};
use super::signals::BROOD;

const CTRL_C: &str = "\x03";
const CTRL_Z: &str = "\x1a";

fn stages(night: &Night) -> Vec<u8> {
    let stage = |fact: Fact| match fact {
        Fact::StopRequested { stage, .. } => Some(stage),
        _ => None,
    };
    night.facts().into_iter().filter_map(stage).collect()
}

fn wait_for_stage(night: &Night, wanted: u8) {
    night.wait_for_fact(
        "the stage",
        |fact| matches!(fact, Fact::StopRequested { stage, .. } if *stage == wanted),
    );
}

// rows: 71
// Seed defect D3, core/loop.ts:91-117: the first Ctrl-C killed the agent.
// Seed defect D3, core/loop.ts:525, 539, 550: the last words were those of another ending.
#[test]
fn the_first_ctrl_c_lets_the_iteration_end() {
    let night = Night::with_git(&calls(&[
        "{ write = { path = 'begun', text = 'x' } }, { bash = 'while ! test -e go; do sleep 0.01; done' }, { write = { path = 'ended', text = 'x' } }",
    ]));
    let mut terminal = Terminal::start(&mut night.run_command(&[]));
    night.wait_for_file("begun");
    terminal.press(CTRL_C);
    wait_for_stage(&night, 1);
    terminal.wait_for("Ctrl-C again");
    night.env.write("go", "");
    assert_eq!(terminal.wait(), 130);
    assert_eq!(night.ended(), StopReason::Interrupted);
    assert_eq!(night.calls().iter().map(|call| call.class).collect::<Vec<_>>(), [Class::Success]);
    assert!(night.env.project().join("ended").exists());
    terminal.wait_for("windlass resume");
    night.assert_clean();
}

// rows: 70, 71
#[test]
fn the_second_asks_the_agent_and_the_third_kills_everything() {
    let hang = format!(
        "{{ ignore = ['TERM', 'INT', 'HUP'] }}, {BROOD} {{ write = {{ path = 'begun', text = 'x' }} }}, 'hang'"
    );
    let night = Night::with_git(&every_call(&hang)).set("WINDLASS_CLOCKS__GRACE", "10m");
    let mut terminal = Terminal::start(&mut night.run_command(&[]));
    night.wait_for_file("begun");
    for stage in 1..=3 {
        terminal.press(CTRL_C);
        wait_for_stage(&night, stage);
    }
    assert_eq!(terminal.wait(), 130);
    assert_eq!(stages(&night), [1, 2, 3]);
    assert_eq!(night.calls()[0].class, Class::Interrupted);
    night.assert_clean();
}

// rows: 71
#[test]
fn ctrl_z_stops_the_agent_and_the_clocks_and_fg_continues_them() {
    let counting = "{ bash = 'i=0; while test $i -lt 100; do i=$((i+1)); echo $i > count; sleep 0.01; test $i -gt 10 && while ! test -e go; do sleep 0.01; done; done' }";
    let night = Night::new(&every_call(counting)).set("WINDLASS_CLOCKS__SILENCE", "4s");
    // A shell with job control, as a person has it.
    let mut shell = night.env.command("bash");
    shell.args(["--norc", "--noprofile", "-i"]).env("PS1", "> ");
    let mut terminal = Terminal::start(&mut shell);
    let command = night.run_command(&["-m", "1", "--output", "quiet"]);
    let words: Vec<String> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| format!("'{}'", word.display()))
        .collect();
    terminal.press(&format!("export WINDLASS_CLOCKS__SILENCE=4s; {}; echo code=$?\n", words.join(" ")));
    night.wait_for_file("count");
    terminal.press(CTRL_Z);
    terminal.wait_for("Stopped");
    let stopped = || night.env.processes().into_iter().filter(|process| state(*process) == 'T').count();
    // windlass, its agent, the agent's shell (and its sleep): all but the keeper and the person's shell.
    assert!(wait_until(PATIENCE, || stopped() >= 3), "only {} processes are stopped", stopped());
    // Longer than the agent may be silent: its clock must not see it.
    let until = Instant::now() + Duration::from_secs(5);
    assert!(!wait_until(Duration::from_secs(5), || stopped() < 3), "it went on by itself");
    assert!(Instant::now() >= until);
    night.env.write("go", "");
    terminal.press("fg; echo end=$?\n");
    terminal.wait_for("end=10");
    terminal.press("exit\n");
    terminal.wait();
    assert_eq!(night.ended(), StopReason::MaxIterations);
    let calls = night.calls();
    assert_eq!((calls[0].class, calls[0].cut), (Class::Success, None));
    assert!(calls[0].duration < Duration::from_secs(5), "the clock ran on: {:?}", calls[0].duration);
    night.assert_clean();
}

// rows: 71
#[test]
fn a_terminal_that_is_closed_ends_nothing() {
    let night = Night::with_git(&calls(&[
        "{ write = { path = 'begun', text = 'x' } }, { bash = 'while ! test -e go; do sleep 0.01; done' }",
        "{ write = { path = 'second', text = 'x' } }",
    ]));
    let mut terminal = Terminal::start(&mut night.run_command(&["-m", "2"]));
    night.wait_for_file("begun");
    terminal.close();
    night.wait_for_fact(
        "the hang-up",
        |fact| matches!(fact, Fact::Noticed(report::Noticed { text }) if text.contains("terminal")),
    );
    night.env.write("go", "");
    assert_eq!(terminal.wait(), 10);
    assert_eq!(night.ended(), StopReason::MaxIterations);
    assert_eq!(
        night.calls().iter().map(|call| call.class).collect::<Vec<_>>(),
        [Class::Success, Class::Success]
    );
    night.assert_clean();
}

#[test]
fn keys_are_not_shown_while_a_run_is_drawn_and_are_again_however_it_ends() {
    for keys in [1, 3, 0] {
        let hang = "{ ignore = ['TERM', 'INT'] }, { write = { path = 'begun', text = 'x' } }, { bash = 'while ! test -e go; do sleep 0.01; done' }";
        let night = Night::with_git(&calls(&[hang])).set("WINDLASS_CLOCKS__GRACE", "1s");
        let mut terminal = Terminal::start(&mut night.run_command(&["-m", "1"]));
        assert!(terminal.is_ordinary());
        night.wait_for_file("begun");
        assert!(wait_until(PATIENCE, || !terminal.is_ordinary()), "keys are shown: {}", terminal.text());
        for stage in 1..=keys {
            terminal.press(CTRL_C);
            wait_for_stage(&night, stage);
        }
        if keys == 0 {
            let program = rustix::process::Pid::from_raw(i32::try_from(terminal.program()).unwrap()).unwrap();
            rustix::process::kill_process(program, rustix::process::Signal::TERM).unwrap();
        }
        night.env.write("go", "");
        terminal.wait();
        assert!(terminal.is_ordinary(), "after {keys} keys: {}", terminal.text());
    }
}

#[test]
fn a_run_that_is_watched_is_drawn_in_its_place_and_leaves_the_terminal_as_it_was() {
    let night = Night::with_git(&calls(&[
        "{ write = { path = 'begun', text = 'x' } }, { bash = 'while ! test -e go; do sleep 0.01; done' }",
    ]));
    let running = night.start(&["-m", "1"]);
    night.wait_for_file("begun");
    let leave = "\x1b[?1049l";
    let watching = || {
        let terminal = Terminal::start(&mut night.windlass(&["status", "--watch"]));
        terminal.wait_for("Ctrl-C ends the watching");
        assert!(!terminal.is_ordinary());
        terminal
    };
    let mut terminal = watching();
    terminal.press(CTRL_C);
    assert_eq!(terminal.wait(), 130);
    assert!(terminal.is_ordinary() && terminal.text().ends_with(leave), "{:?}", terminal.text());

    let mut terminal = watching();
    night.env.write("go", "");
    assert_eq!(terminal.wait(), 0);
    let text = terminal.text();
    let (_, after) = text.rsplit_once(leave).unwrap();
    assert!(terminal.is_ordinary() && after.contains("max_iterations"), "{text:?}");
    drop(running);

    // Where it is over nothing is drawn; where there is no terminal nothing drives one.
    let told = windlass_testkit::environment::Running::start(&mut night.windlass(&["status", "--watch"]));
    let told = told.wait(PATIENCE);
    assert_eq!(told.code, Some(0));
    assert!(!told.stdout_text().contains('\x1b') && told.stdout_text().contains("max_iterations"));
}

fn state(process: u32) -> char {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()).unwrap_or('?')
}
