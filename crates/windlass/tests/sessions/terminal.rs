//! Who has the terminal, and that it comes back.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use windlass_testkit::environment::{PersonsTerminal, descendants, wait_until};

use super::desk::{CLEARED, Desk, PATIENCE, strip};

const CTRL_C: &str = "\x03";
const CTRL_Z: &str = "\x1a";

/// What an agent can leave behind: deaf, in a session of its own, without a parent.
const BROOD: &str = "{ spawn = { setsid = true, ignore = ['TERM', 'INT', 'HUP'], orphan = true, for = '60s', pid_file = '../child' } }";

fn kill(process: u32, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(process).unwrap()).unwrap(), signal).unwrap();
}

/// The scripted agent below windlass.
fn agent(terminal: &PersonsTerminal) -> u32 {
    let is_agent = |process: &u32| {
        let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).split('\0').any(|word| word == "__agent")
    };
    descendants(terminal.program()).into_iter().find(is_agent).expect("the agent")
}

// rows: 7, 70
#[test]
fn a_killed_agent_gives_the_terminal_back_and_leaves_nothing() {
    let desk = Desk::with_instructions(&[&format!(
        "'raw_terminal', {BROOD}, {{ write = {{ path = 'begun', text = 'x' }} }}, 'hang'"
    )]);
    let mut terminal = desk.sit(&["edit", "api"]);
    desk.wait_for_file("begun");
    assert!(!terminal.is_ordinary(), "the agent did not take the terminal: this shows nothing");
    kill(agent(&terminal), Signal::KILL);
    assert_eq!(terminal.wait(), 0, "{}", terminal.text());
    assert!(terminal.is_ordinary());
    let shown = terminal.text();
    assert!(shown.contains("the agent was ended by signal 9"), "{shown}");
    // The cursor is shown and the ordinary screen is back, whatever was on.
    assert!(shown.contains("\x1b[?1049l\x1b[?25h"), "{shown:?}");
    desk.env.assert_no_processes(CLEARED);
}

// rows: 7, 71
#[test]
fn ctrl_c_is_the_agents() {
    let desk = Desk::with_instructions(&[
        "{ trap = { signal = 'INT', exit = 7 } }, { write = { path = 'begun', text = 'x' } }, 'hang'",
    ]);
    let mut terminal = desk.sit(&["edit", "api"]);
    desk.wait_for_file("begun");
    terminal.press(CTRL_C);
    assert_eq!(terminal.wait(), 0, "{}", terminal.text());
    let said = strip(&terminal.text());
    assert!(said.contains("the agent ended with exit code 7"), "{said}");
    assert!(said.contains("windlass restore s-"), "{said}");
}

// rows: 70
#[test]
fn sigterm_ends_an_agent_that_does_not_listen() {
    let desk = Desk::with_instructions(&[&format!(
        "{{ ignore = ['TERM', 'INT', 'HUP'] }}, {BROOD}, {{ write = {{ path = 'begun', text = 'x' }} }}, 'hang'"
    )]);
    let mut terminal = desk.sit(&["edit", "api"]);
    desk.wait_for_file("begun");
    kill(terminal.program(), Signal::TERM);
    assert_eq!(terminal.wait(), 143, "{}", terminal.text());
    desk.env.assert_no_processes(CLEARED);
}

// rows: 70
#[test]
fn a_closed_window_ends_the_session() {
    let desk = Desk::with_instructions(&[&format!(
        "{BROOD}, {{ write = {{ path = 'begun', text = 'x' }} }}, 'hang'"
    )]);
    let terminal = desk.sit(&["edit", "api"]);
    desk.wait_for_file("begun");
    terminal.close();
    // The agent is asked first.
    let gone = wait_until(Duration::from_secs(5) + CLEARED, || desk.env.processes().is_empty());
    assert!(gone, "{:?}", desk.env.processes());
}

// rows: 70
#[test]
fn after_kill_9_the_next_start_ends_what_is_left() {
    let desk = Desk::with_instructions(&[&format!(
        "{{ ignore = ['HUP'] }}, {BROOD}, {{ write = {{ path = 'begun', text = 'x' }} }}, 'hang'"
    )]);
    let terminal = desk.sit(&["edit", "api"]);
    desk.wait_for_file("begun");
    let agent = agent(&terminal);
    kill(terminal.program(), Signal::KILL);
    assert!(windlass_testkit::environment::is_alive(agent), "the agent is gone already: this shows nothing");
    let validated = desk.env.run(&mut desk.windlass(&["validate", "api", "--mock", "-v"]), PATIENCE);
    validated.expect_success("validate");
    let said = validated.stdout_text() + &validated.stderr_text();
    assert!(said.contains("session s-") && said.contains("still alive"), "{said}");
    drop(terminal);
    desk.env.assert_no_processes(CLEARED);
}

// rows: 7
#[test]
fn a_session_and_a_run_exclude_each_other() {
    let wait =
        "{ write = { path = 'begun', text = 'x' } }, { bash = 'while ! test -e go; do sleep 0.02; done' }";
    let desk = Desk::with_instructions(&[wait]);
    let mut terminal = desk.sit(&["edit", "api"]);
    desk.wait_for_file("begun");
    let run = desk.ask(&["run", "api"]);
    assert_eq!(run.code, Some(25));
    let said = run.stderr_text();
    assert!(said.contains("session s-") && said.contains("End it in its terminal first"), "{said}");
    let status = desk.env.run(&mut desk.windlass(&["status"]), PATIENCE);
    assert!(status.stderr_text().contains("there has been no run here yet"), "{status:?}");
    for arguments in [&["clean", "api", "--force"][..], &["reset", "api"]] {
        let refused = desk.env.run(&mut desk.windlass(arguments), PATIENCE);
        assert_eq!(refused.code, Some(25), "{arguments:?}: {refused:?}");
        assert!(refused.stderr_text().contains("session s-"), "{}", refused.stderr_text());
    }
    desk.env.write("go", "");
    assert_eq!(terminal.wait(), 0, "{}", terminal.text());

    std::fs::remove_file(desk.env.project().join("go")).unwrap();
    std::fs::remove_file(desk.env.project().join("begun")).unwrap();
    let running = windlass_testkit::Running::start(&mut desk.scripted(&["run", "api", "-m", "1"]));
    desk.wait_for_file("begun");
    let mut refused = desk.sit(&["edit", "api"]);
    assert_eq!(refused.wait(), 25);
    assert!(strip(&refused.text()).contains("run r-"), "{}", refused.text());
    assert_eq!(desk.metadata()["setupIterations"], 1);
    desk.env.write("go", "");
    running.wait(PATIENCE).expect_code(10, "run");
}

/// At a shell with job control, as a person has it.
fn shell(desk: &Desk, arguments: &[&str]) -> PersonsTerminal {
    let mut shell = desk.env.command("bash");
    shell.args(["--norc", "--noprofile", "-i"]).env("PS1", "> ");
    let terminal = PersonsTerminal::start(&mut shell);
    let command = desk.scripted(arguments);
    let words: Vec<String> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| format!("'{}'", word.display()))
        .collect();
    terminal.press(&format!("{}; echo code=$?\n", words.join(" ")));
    terminal
}

// rows: 71
#[test]
fn ctrl_z_and_fg_go_to_both() {
    let reading =
        "{ write = { path = 'begun', text = 'x' } }, { ask = 'Your name?' }, { say = 'Hello {{answer}}.' }";
    // By the terminal's key; and by an agent that reads the keys itself.
    for (steps, key) in [(reading.to_owned(), CTRL_Z), (format!("'suspend', {reading}"), "")] {
        let desk = Desk::with_instructions(&[&steps]);
        let mut terminal = shell(&desk, &["edit", "api"]);
        if !key.is_empty() {
            terminal.wait_for("Your name?");
            terminal.press(key);
        }
        terminal.wait_for("Stopped");
        terminal.press("fg; echo end=$?\n");
        terminal.wait_for("Your name?");
        terminal.press("Harald\n");
        terminal.wait_for("Hello Harald.");
        terminal.wait_for("end=0");
        terminal.press("exit\n");
        terminal.wait();
        desk.env.assert_no_processes(CLEARED);
    }
}

#[test]
fn the_agent_is_told_who_it_is_and_no_secret() {
    let desk = Desk::with_instructions(&["{ bash = 'env > ../environment' }"]);
    let mut command = desk.scripted(&["edit", "api"]);
    command
        .env("WINDLASS_NOTIFY__SECRET", "tk_5ecret")
        .env("ANTHROPIC_API_KEY", "sk-ant-costs-money")
        .env("CLAUDECODE", "1");
    let mut terminal = PersonsTerminal::start(&mut command);
    assert_eq!(terminal.wait(), 0, "{}", terminal.text());
    let seen = std::fs::read_to_string(desk.env.root().join("environment")).unwrap();
    assert!(seen.contains("WINDLASS_RUN=s-") && seen.contains("WINDLASS_WORKSPACE="), "{seen}");
    for hidden in ["tk_5ecret", "sk-ant-costs-money", "CLAUDECODE="] {
        assert!(!seen.contains(hidden), "{hidden} is in\n{seen}");
    }
}
