//! What the GitHub Action runs, with a scripted agent.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Command, CommandOutput, Place, answer, text};

/// Runs the action's script as a workflow's step does.
fn act(place: &Place, arguments: &str) -> CommandOutput {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dist/action.sh");
    let mut command = Command::new("sh");
    command
        .arg(script)
        .current_dir(place.work())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", place.home())
        .env("CI", "true")
        .env("WINDLASS", env!("CARGO_BIN_EXE_windlass"))
        .env("ARGUMENTS", arguments)
        .env("REPORT", report(place))
        .env("GITHUB_OUTPUT", place.root.path().join("outputs"));
    answer(&mut command)
}

fn report(place: &Place) -> PathBuf {
    place.root.path().join("a report")
}

fn outputs(place: &Place) -> String {
    fs::read_to_string(place.root.path().join("outputs")).unwrap_or_default()
}

/// A repository, and a script for an agent that does what it is asked for and claims so.
fn project() -> Place {
    let place = Place::new();
    place.file("work/answer", "?\n");
    place.file(
        "agent.toml",
        "[[call]]\nsteps = [ { write = { path = \"answer\", text = \"42\\n\" } }, { result = { text = \"WINDLASS_JOB_COMPLETE\" } } ]\n",
    );
    let commit = "git init --quiet && git add --all && \
        git -c user.name=Ada -c user.email=ada@example.org commit --quiet -m Begin";
    let made =
        answer(Command::new("sh").args(["-c", commit]).current_dir(place.work()).env("HOME", place.home()));
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    place
}

#[test]
fn the_action_runs_what_is_typed_and_leaves_a_report() {
    let place = project();
    let mock = format!("--mock={}", text(&place.root.path().join("agent.toml")));
    // A line is an argument, whatever a shell would make of it.
    let typed = format!(
        "run\n-p\nPut $(touch pwned) `touch pwned` there; touch pwned\n{mock}\n--gate\ngrep 42 answer\n\n--no-delay\n"
    );
    let done = act(&place, &typed);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    assert!(done.stdout.contains("stopped: complete"), "{}", done.stdout);
    assert!(!place.work().join("pwned").exists());
    assert_eq!(outputs(&place), format!("report={}\nexit-code=0\n", text(&report(&place))));
    for (file, holds) in [
        ("output.txt", "stopped: complete"),
        ("exit-code", "0"),
        ("runs.json", "complete"),
        ("log.jsonl", "WINDLASS_JOB_COMPLETE"),
        ("changes.patch", "+42"),
    ] {
        let found = fs::read_to_string(report(&place).join(file)).unwrap();
        assert!(found.contains(holds), "{file}: {found}");
    }
}

#[test]
fn the_action_ends_as_windlass_ended() {
    let place = project();
    let mock = format!("--mock={}", text(&place.root.path().join("agent.toml")));
    let bounded = act(&place, &format!("run\n-p\nx\n{mock}\n--gate\nfalse\n--no-delay\n-m\n1\n"));
    assert_eq!(bounded.code, Some(10), "{}{}", bounded.stdout, bounded.stderr);
    assert!(outputs(&place).ends_with("exit-code=10\n"), "{}", outputs(&place));
    let wrong = act(&place, "run\n--no-such-flag\n");
    assert_eq!(wrong.code, Some(2), "{}", wrong.stdout);
    assert!(wrong.stdout.contains("--no-such-flag"), "{}", wrong.stdout);
    let nothing = act(&place, "\n\n");
    assert_eq!(nothing.code, Some(2));
    assert!(nothing.stderr.starts_with("error: There is nothing to do"), "{}", nothing.stderr);
}
