//! The terminal view at a terminal: what is shown, what leaves it, and that the run never notices.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use windlass_testkit::Running;
use windlass_testkit::environment::{PersonsTerminal, TestEnv, is_alive, wait_until};

use super::desk::{CLEARED, Desk, PATIENCE, strip};
use super::glass::Glass;

/// Waits until the test says so, and then claims.
const WAITING: &str = "{ say = 'I look at it.' }, { write = { path = 'begun', text = 'x' } }, { bash = 'while ! test -e go; do sleep 0.02; done' }, { say = 'All of it is seen.' }";

/// What the view writes when it gives the terminal back.
const ORDINARY: &str = "\x1b[?1049l";

fn kill(process: u32, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(process).unwrap()).unwrap(), signal).unwrap();
}

/// A run of one iteration that waits for the file `go`.
fn running(desk: &Desk) -> Running {
    let running = Running::start(&mut desk.scripted(&["run", "-p", "Port the parser", "-m", "1"]));
    desk.wait_for_file("begun");
    running
}

/// The view, at a terminal. The scripted agent is none of its business.
fn view(desk: &Desk, arguments: &[&str]) -> PersonsTerminal {
    PersonsTerminal::start(&mut desk.windlass(arguments))
}

/// Waits until this stands on the screen.
fn sees(terminal: &PersonsTerminal, text: &str) {
    let seen = wait_until(PATIENCE, || Glass::showing(&terminal.text()).contains(text));
    assert!(seen, "{text:?} never stood there:\n{}", Glass::showing(&terminal.text()));
}

/// Waits until this stands there no more.
fn hides(terminal: &PersonsTerminal, text: &str) {
    assert!(wait_until(PATIENCE, || !Glass::showing(&terminal.text()).contains(text)), "{text:?} stays");
}

fn journal(env: &TestEnv) -> PathBuf {
    let mut found = Vec::new();
    let mut folders = vec![env.state()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path if path.ends_with("journal.jsonl") => found.push(path),
                _ => {}
            }
        }
    }
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

/// The facts of the only run.
fn facts(env: &TestEnv) -> Vec<Value> {
    let text = fs::read_to_string(journal(env)).unwrap();
    text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn has_fact(env: &TestEnv, name: &str) -> bool {
    facts(env).iter().any(|entry| entry["fact"] == name)
}

#[test]
fn what_is_at_work_is_shown_as_it_comes_and_leaving_leaves_the_run() {
    let desk = Desk::new(&[WAITING]);
    let running = running(&desk);
    let mut terminal = view(&desk, &["watch"]);
    sees(&terminal, "RUNNING");
    sees(&terminal, "I look at it.");
    assert!(!terminal.is_ordinary(), "the view has not taken the terminal: this shows nothing");
    terminal.press("q");
    assert_eq!(terminal.wait(), 0, "{}", terminal.text());
    assert!(terminal.is_ordinary());
    let said = terminal.text();
    let (_, said) = said.rsplit_once(ORDINARY).unwrap();
    let said = strip(said);
    assert!(said.contains("is still running.") && said.contains("windlass watch r-"), "{said}");
    assert!(said.contains("windlass stop r-"), "{said}");
    // Another one shows what was said before, and what comes.
    let mut terminal = view(&desk, &["watch"]);
    sees(&terminal, "I look at it.");
    // Without that the summary takes the transcript's place once the iteration is over.
    terminal.press("2\r");
    sees(&terminal, "[2 Transcript]");
    desk.env.write("go", "");
    sees(&terminal, "All of it is seen.");
    running.wait(PATIENCE);
    sees(&terminal, "MAX_ITERATIONS");
    terminal.press("\x03");
    assert_eq!(terminal.wait(), 0, "{}", terminal.text());
    desk.env.assert_no_processes(CLEARED);
}

#[test]
fn whatever_ends_the_view_gives_the_terminal_back_and_leaves_the_run() {
    let desk = Desk::new(&[WAITING]);
    let running = running(&desk);
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        let mut terminal = view(&desk, &["watch"]);
        sees(&terminal, "RUNNING");
        kill(terminal.program(), signal);
        assert_eq!(terminal.wait(), code, "{}", terminal.text());
        assert!(terminal.is_ordinary(), "{signal:?}");
        assert!(terminal.text().contains(ORDINARY), "{signal:?}");
    }
    let terminal = view(&desk, &["watch"]);
    sees(&terminal, "RUNNING");
    let gone = terminal.program();
    terminal.close();
    assert!(wait_until(PATIENCE, || !is_alive(gone)), "a view without a terminal goes on");
    let killed = view(&desk, &["watch"]);
    sees(&killed, "RUNNING");
    kill(killed.program(), Signal::KILL);
    assert!(!has_fact(&desk.env, "stop_requested"));
    desk.env.write("go", "");
    running.wait(PATIENCE).expect_code(10, "run");
}

#[test]
fn only_the_answered_question_stops_the_run_and_the_journal_says_who_asked() {
    let desk = Desk::new(&[WAITING, WAITING]);
    let running = Running::start(&mut desk.scripted(&["run", "-p", "Port the parser", "-m", "9"]));
    desk.wait_for_file("begun");
    let mut terminal = view(&desk, &["watch"]);
    sees(&terminal, "RUNNING");
    terminal.press("S");
    sees(&terminal, "stop after this iteration");
    terminal.press("q");
    hides(&terminal, "nothing is changed");
    terminal.press("sxS");
    sees(&terminal, "nothing is changed");
    assert!(!has_fact(&desk.env, "stop_requested"), "nothing was answered yet");
    terminal.press("j\r");
    sees(&terminal, "STOPPING");
    desk.env.write("go", "");
    let ended = running.wait(PATIENCE);
    assert!(ended.code.is_some());
    let facts = facts(&desk.env);
    let asked = facts.iter().find(|entry| entry["fact"] == "stop_requested").unwrap();
    assert_eq!(asked["by"], "watch", "{asked}");
    terminal.press("q");
    assert_eq!(terminal.wait(), 0);
}

#[test]
fn to_stop_now_ends_the_agent_as_well() {
    let desk = Desk::new(&["{ write = { path = 'begun', text = 'x' } }, 'hang'"]);
    let running = running(&desk);
    let mut terminal = view(&desk, &["watch"]);
    sees(&terminal, "RUNNING");
    terminal.press("S");
    sees(&terminal, "stop now");
    terminal.press("jj\r");
    let ended = running.wait(PATIENCE);
    assert!(ended.code.is_some(), "{ended:?}");
    let facts = facts(&desk.env);
    let asked: Vec<&Value> =
        facts.iter().filter(|entry| entry["fact"] == "stop_requested").map(|entry| &entry["by"]).collect();
    assert_eq!(asked, ["watch", "terminate"]);
    sees(&terminal, "MANUAL");
    terminal.press("q");
    assert_eq!(terminal.wait(), 0);
    desk.env.assert_no_processes(CLEARED);
}

#[test]
fn run_and_watch_leaves_a_run_that_goes_on() {
    let desk = Desk::new(&[WAITING]);
    let mut terminal = desk.sit(&["run", "-p", "Port the parser", "-m", "1", "--watch"]);
    sees(&terminal, "RUNNING");
    terminal.press("\x03");
    assert_eq!(terminal.wait(), 3, "{}", terminal.text());
    assert!(strip(&terminal.text()).contains("is still running."), "{}", terminal.text());
    drop(terminal);
    desk.env.write("go", "");
    let ended = wait_until(PATIENCE, || has_fact(&desk.env, "run_finished"));
    assert!(ended, "{:?}", facts(&desk.env));
    desk.env.assert_no_processes(CLEARED);
}

#[test]
fn a_closed_window_leaves_a_watched_run() {
    let desk = Desk::new(&[WAITING]);
    let terminal = desk.sit(&["run", "-p", "Port the parser", "-m", "1", "--watch"]);
    sees(&terminal, "RUNNING");
    let view = terminal.program();
    terminal.close();
    assert!(wait_until(PATIENCE, || !is_alive(view)));
    desk.env.write("go", "");
    assert!(wait_until(PATIENCE, || has_fact(&desk.env, "run_finished")));
    desk.env.assert_no_processes(CLEARED);
}

#[test]
fn a_watched_run_that_has_ended_has_its_own_exit_code() {
    let desk = Desk::new(&["{ say = 'Nothing yet.' }"]);
    let mut terminal = desk.sit(&["run", "-p", "Port the parser", "-m", "1", "--watch"]);
    sees(&terminal, "MAX_ITERATIONS");
    terminal.press("q");
    assert_eq!(terminal.wait(), 10, "{}", terminal.text());
    // One that cannot begin says why, as it does without a view.
    let mut refused = desk.sit(&["run", "no-such-workspace", "--watch"]);
    assert_eq!(refused.wait(), 2, "{}", refused.text());
    assert!(refused.text().contains("no-such-workspace"), "{}", refused.text());
    assert!(!refused.text().contains(ORDINARY), "nothing was drawn");
}

#[test]
fn agents_cannot_drive_the_terminal_through_the_view() {
    let hostile = r"{ say = '\u001b]0;owned\u0007\u001b[2Jkept\u202eevil' }, { write = { path = 'begun', text = 'x' } }, { bash = 'while ! test -e go; do sleep 0.02; done' }";
    let desk = Desk::new(&[&hostile.replace('\'', "\"")]);
    let running = running(&desk);
    let mut terminal = view(&desk, &["watch"]);
    sees(&terminal, "keptevil");
    terminal.press("q");
    assert_eq!(terminal.wait(), 0);
    let said = terminal.text();
    assert!(!said.contains("owned") && !said.contains('\u{202e}'), "{said:?}");
    desk.env.write("go", "");
    running.wait(PATIENCE);
}

#[test]
fn a_window_of_any_size_resized_without_an_end_is_survived() {
    let desk = Desk::new(&[WAITING]);
    let running = running(&desk);
    let mut terminal = view(&desk, &["watch"]);
    sees(&terminal, "RUNNING");
    for turn in 0_u16..120 {
        terminal.resize(1 + (turn * 37) % 140, 1 + (turn * 11) % 45);
        if turn % 10 == 0 {
            terminal.press("1234567890jkfthg[]F");
        }
    }
    terminal.resize(20, 5);
    terminal.resize(80, 24);
    // Nothing is selected elsewhere: it answers still.
    terminal.press("?");
    sees(&terminal, "leave this view; the run goes on");
    terminal.press("qq");
    assert_eq!(terminal.wait(), 0, "{}", terminal.text());
    assert!(terminal.is_ordinary());
    desk.env.write("go", "");
    running.wait(PATIENCE);
}

#[test]
fn ctrl_z_gives_the_terminal_to_the_shell_and_fg_takes_it_again() {
    let desk = Desk::new(&[WAITING]);
    let running = running(&desk);
    let mut shell = desk.env.command("bash");
    shell.args(["--norc", "--noprofile", "-i"]).env("PS1", "> ");
    let mut terminal = PersonsTerminal::start(&mut shell);
    terminal.press(&format!("'{}' watch; echo code=$?\n", env!("CARGO_BIN_EXE_windlass")));
    sees(&terminal, "RUNNING");
    terminal.press("\x1a");
    terminal.wait_for("Stopped");
    hides(&terminal, "RUNNING");
    terminal.press("fg; echo end=$?\n");
    sees(&terminal, "RUNNING");
    terminal.press("q");
    terminal.wait_for("end=0");
    terminal.press("exit\n");
    terminal.wait();
    desk.env.write("go", "");
    running.wait(PATIENCE);
}

#[test]
fn without_a_screen_it_is_told_line_by_line() {
    let desk = Desk::new(&["{ say = 'Nothing yet.' }"]);
    desk.ask(&["run", "-p", "Port the parser", "-m", "1"]).expect_code(10, "run");
    let told = desk.env.run(&mut desk.windlass(&["watch"]), PATIENCE);
    told.expect_success("watch");
    assert!(told.stdout_text().contains("Nothing yet."), "{}", told.stdout_text());
    let accessible = |command: &mut Command| {
        command.env("ACCESSIBLE", "1");
    };
    let mut command = desk.windlass(&["watch"]);
    accessible(&mut command);
    let mut terminal = PersonsTerminal::start(&mut command);
    assert_eq!(terminal.wait(), 0);
    assert!(!terminal.text().contains("\x1b[?1049h"), "{}", terminal.text());
    assert!(terminal.text().contains("Nothing yet."));
}

#[test]
fn a_view_that_fails_by_itself_gives_the_terminal_back_and_says_so() {
    let desk = Desk::new(&["{ say = 'Nothing yet.' }"]);
    desk.ask(&["run", "-p", "Port the parser", "-m", "1"]).expect_code(10, "run");
    for thread in ["view", "reader"] {
        let mut command = desk.windlass(&["watch"]);
        command.env("WINDLASS_TEST_PANIC", thread);
        let mut terminal = PersonsTerminal::start(&mut command);
        assert_ne!(terminal.wait(), 0, "{}", terminal.text());
        assert!(terminal.is_ordinary(), "{thread}");
        let said = terminal.text();
        let (_, after) = said.rsplit_once(ORDINARY).unwrap();
        assert!(after.contains("panicked"), "{thread}: it is said where it can be read: {said:?}");
    }
}
