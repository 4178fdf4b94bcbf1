//! A program that nobody knows as the agent: its prompt on standard input or as a file, text, an exit code.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use windlass_core::values::Class;
use windlass_testkit::environment::wait_until;
use windlass_testkit::{Outcome, Running, TestEnv};

use super::night::{CLEARED, Night, PATIENCE, expect_end};

/// A place with a program as the agent, and a run of it.
pub struct Bench {
    pub night: Night,
}

impl Bench {
    fn new(script: &str) -> Bench {
        Bench::of("command", script)
    }

    /// With a program that is taken for this agent.
    pub fn of(agent: &str, script: &str) -> Bench {
        let env = TestEnv::with_git();
        let program = env.write(env.root().join("bin/own-agent"), format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        let night = Night::within(env, "")
            .set("WINDLASS_AGENT__USE", agent)
            .set("WINDLASS_AGENT__COMMAND", program.to_str().unwrap())
            // Lets root skip permissions; harmless for everybody else.
            .set("IS_SANDBOX", "1");
        Bench { night }
    }

    pub fn command(&self, flags: &[&str]) -> Command {
        self.night.windlass(&[&["run", "-p", "Write a greeting.", "--no-delay"], flags].concat())
    }

    pub fn run(&self, flags: &[&str]) -> Outcome {
        let flags = [&["--dangerously-skip-permissions"], flags].concat();
        self.night.env.run(&mut self.command(&flags), PATIENCE)
    }

    pub fn classes(&self) -> Vec<Class> {
        self.night.calls().iter().map(|call| call.class).collect()
    }
}

#[test]
fn it_gets_both_texts_as_one_and_what_it_says_is_its_result() {
    let bench = Bench::new(
        "cat > prompt; cmp \"$2\" prompt && echo Ahoy > greeting; echo \"I wrote it.\"; echo WINDLASS_JOB_COMPLETE",
    );
    let bench = Bench { night: bench.night.set("WINDLASS_AGENT__ARGUMENTS", "--message-file\n{prompt}") };
    let outcome = bench.run(&["--gate", "test -f greeting", "--completion-threshold", "1"]);
    expect_end(&outcome, 0, "complete");
    assert_eq!(bench.classes(), [Class::Success]);
    let prompt = bench.night.env.read("prompt");
    assert!(prompt.starts_with("You work unattended") && prompt.contains("Write a greeting."), "{prompt}");
    // What it costs nobody knows: what was set aside for it counts as spent.
    let call = &bench.night.calls()[0];
    assert!(call.estimated && call.cost.micros() == 500_000, "{call:?}");
    bench.night.assert_clean();
}

#[test]
fn its_exit_code_counts_and_so_does_silence() {
    for (script, said) in [
        ("echo WINDLASS_JOB_COMPLETE; echo 'no key' >&2; exit 3", "exited with code 3: no key"),
        ("exit 0", "ended without a word"),
        ("kill -KILL $$", "ended from outside (9"),
    ] {
        let bench = Bench::new(script);
        let outcome = bench.run(&[]);
        expect_end(&outcome, 20, "consecutive_failures");
        assert_eq!(bench.classes(), [Class::TaskFailure; 3], "{script}");
        let all = outcome.stderr_text() + &outcome.stdout_text();
        assert!(all.contains(said), "{said:?} is not in:\n{all}");
    }
}

#[test]
fn without_bounds_it_needs_a_persons_word() {
    let bench = Bench::new("touch was-here");
    let outcome = bench.night.env.run(&mut bench.command(&[]), PATIENCE);
    assert_eq!(outcome.code, Some(2));
    let said = outcome.stderr_text();
    assert!(said.contains("cannot be told what it may do"), "{said}");
    assert!(said.contains("--sandbox") && said.contains("--dangerously-skip-permissions"), "{said}");
    assert!(!bench.night.env.project().join("was-here").exists());
}

#[test]
fn an_agent_that_nobody_knows_and_a_command_without_a_program_are_refused() {
    let bench = Bench { night: Bench::new("true").night.set("WINDLASS_AGENT__USE", "cluade") };
    let outcome = bench.run(&[]);
    assert_eq!(outcome.code, Some(2));
    let said = outcome.stderr_text();
    assert!(
        said.contains("`cluade` is not an agent that windlass knows") && said.contains("claude, codex"),
        "{said}"
    );

    let env = TestEnv::with_git();
    let night = Night::within(env, "").set("WINDLASS_AGENT__USE", "command");
    let outcome = night.env.run(&mut night.windlass(&["run", "-p", "x"]), PATIENCE);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr_text().contains("agent.command names no program"), "{}", outcome.stderr_text());
}

#[test]
fn it_and_all_that_it_started_end_with_the_run() {
    let bench =
        Bench::new("setsid sh -c 'trap \"\" TERM; touch detached; sleep 300' & touch started; sleep 301");
    let running = Running::start(&mut bench.command(&["--dangerously-skip-permissions"]));
    let there = |name: &str| Path::new(&bench.night.env.project()).join(name).exists();
    assert!(wait_until(PATIENCE, || there("started") && there("detached")), "{}", running.stderr_so_far());
    running.signal(rustix::process::Signal::INT);
    running.signal(rustix::process::Signal::INT);
    running.wait(PATIENCE);
    bench.night.env.assert_no_processes(CLEARED);
}
