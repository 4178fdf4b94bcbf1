//! Bad input: one clear sentence and the right exit code each.

use std::io::Write;
use std::process::Stdio;

use super::{Place, answer};

// Seed defect D4, cli/root.go:196-198, 522-525: a flag without a goal printed the help and ended with 0.
// Seed defect D3, commands/shared.ts:41-42; commands/continue.ts:161-171: such a limit silently meant none.
#[test]
fn bad_command_lines_are_refused_in_one_sentence() {
    let place = Place::new();
    place.file("work/latin1.md", b"caf\xe9");
    place.file("work/huge.md", "x".repeat(10_000_000));
    place.file("work/empty.md", "");
    for (arguments, sentence) in [
        (&["run"][..], "there is no goal and no workspace: say what is to be done"),
        (&["run", "mine"], "there is no workspace `mine`"),
        (&["run", "-p", ""], "the goal given with `-p` is empty"),
        (&["run", "-"], "the goal on standard input is empty"),
        (&["run", "-f", "nothing.md"], "there is no file nothing.md"),
        (&["run", "-f", "."], ". is a directory; `-f` takes the file that holds the goal"),
        (&["run", "-f", "latin1.md"], "the goal in latin1.md is not UTF-8 text (byte 4)"),
        (&["run", "-f", "huge.md"], "the goal in huge.md is longer than 1 MiB"),
        (&["run", "-f", "empty.md"], "the goal in empty.md is empty"),
        (
            &["run", "-p", "x", "--max-duration", "90"],
            "--max-duration: `90` has no unit; write `90s`, `90m` or `90h`",
        ),
        (&["run", "-p", "x", "--max-cost", "-1"], "--max-cost: `-1` is not an amount in dollars"),
        (&["run", "-p", "x", "--max-cost", "NaN"], "--max-cost: `NaN` is not an amount in dollars"),
        (&["run", "-p", "x", "--max-cost", "inf"], "--max-cost: `inf` is not an amount in dollars"),
        (&["run", "-p", "x", "--delay", "500ms"], "--delay: `500ms` is less than a second"),
        (&["run", "-p", "x", "-m", "0", "--max-duration", "0"], "nothing would ever end this run"),
        (
            &["run", "-p", "x", "--commit", "all"],
            "--commit: expected `none`, `agent` or `runner`, found the text `all`",
        ),
        (
            &["run", "-p", "x", "--", "--model=opus"],
            "`--model` cannot be given to the agent: agent.model says it",
        ),
        (&["run", "-p", "x", "--mock=nothing.toml"], "cannot read the script nothing.toml"),
        (&["run", "-p", "x", "--mock=builtin:x"], "there is no built-in script `x`"),
        (&["-C", "nowhere", "runs"], "cannot work in nowhere"),
        (&["resume", "--max-cost", "five"], "--max-cost: `five` is not an amount in dollars"),
        (&["run", "-p", "x", "--outptu", "quiet"], "windlass does not know --outptu"),
        (&["run", "-p", "x", "-m", "-1"], "-m cannot be `-1`"),
        (&["run", "--mode", "tasks", "x"], "mode tasks works on a file of tasks and takes no workspace"),
        (&["frobnicate"], "there is no verb `frobnicate`"),
        (&["runn"], "there is no verb `runn`"),
        (&["sandbox", "status"], "there is no verb `sandbox status`"),
        (&["help", "nosuch"], "there is no verb `nosuch`"),
        (&["show"], "`windlass show` needs <NAME>"),
        (&["restore"], "`windlass restore` needs <RUN> <ITERATION>"),
        (&["runs", "extra"], "`windlass runs` takes no `extra`"),
        (&["completions", "tcsh"], "SHELL cannot be `tcsh`: bash, zsh, fish"),
        (&["tasks", "list", "--feature"], "--feature needs a value"),
        (&["tasks", "done"], "`windlass tasks done` needs <ID>"),
        (&["logs", "--iteration", "x"], "--iteration cannot be `x`: it is no whole number"),
        (&["logs", "-v", "--tools"], "--verbose and --tools exclude each other"),
        (
            &["verify", "--plan", "PLAN.md"],
            "`verify` takes a workspace or --plan, not both\nhint:  A plan at another place: windlass verify --plan=PATH",
        ),
    ] {
        let answer = place.ask(arguments);
        assert_eq!(answer.code, Some(2), "{arguments:?}: {}", answer.stderr);
        assert!(answer.stderr.starts_with(&format!("error: {sentence}")), "{arguments:?}: {}", answer.stderr);
        assert_eq!(answer.stdout, "", "{arguments:?}");
    }
}

// Seed defect D4, README / contract: they were said to go to the agent.
// Seed defect D4, whole repo: flags were accepted and ignored.
// Seed defect D4, cli/root.go:240-274, 541: each start looked for updates, which `--disable-updates` was for.
#[test]
fn a_flag_that_nobody_knows_is_refused_with_where_it_could_go() {
    let place = Place::new();
    for (arguments, flag, hint) in [
        (
            &["run", "-p", "x", "--foo"][..],
            "--foo",
            "All that it knows: windlass run --help\nhint:  What is for the agent comes last, after `--`.",
        ),
        (&["build", "--foo=1"], "--foo", "All that it knows: windlass build --help"),
        (&["run", "-p", "x", "--iterations", "5"], "--iterations", "Did you mean --max-iterations?"),
        (&["run", "-p", "x", "--cost=5"], "--cost", "Did you mean --max-cost?"),
        (&["run", "-p", "x", "--max-cots", "5"], "--max-cots", "Did you mean --max-cost?"),
        (
            &["run", "-p", "x", "--list-worktrees"],
            "--list-worktrees",
            "Worktrees are listed by: windlass worktree list",
        ),
        (&["run", "--resume", "plan-1"], "--resume", "A run is continued by: windlass resume"),
        (
            &["run", "-p", "x", "--auto-update"],
            "--auto-update",
            "Windlass never updates itself: leave it out.",
        ),
        (&["runs", "--foo"], "--foo", "All that it knows: windlass runs --help"),
    ] {
        let answer = place.ask(arguments);
        assert_eq!(answer.code, Some(2), "{arguments:?}");
        let (first, rest) = answer.stderr.split_once('\n').unwrap();
        assert_eq!(first, format!("error: windlass does not know {flag}"));
        assert!(rest.contains(hint), "{arguments:?}: {rest}");
        assert!(!rest.contains(&format!("-- {flag}")), "{arguments:?}: {rest}");
    }
    for accepted in [
        &["run", "-p", "x", "--dry-run", "--stream"][..],
        &[
            "run",
            "-p",
            "x",
            "--dry-run",
            "--disable-updates",
            "--max-runs",
            "5",
            "--worktree-base-dir",
            "../trees",
        ],
    ] {
        assert_eq!(place.ask(accepted).code, Some(0), "{accepted:?}");
    }
    let listed = place.ask(&["run", "-p", "x", "--dry-run", "--worktree-base-dir", "../trees"]).stdout;
    assert!(listed.contains("../trees"), "{listed}");
}

#[test]
fn what_is_mistyped_or_missing_comes_with_what_can_be_typed() {
    let place = Place::new();
    for (arguments, hint) in [
        (&["runn"][..], "hint:  Did you mean: windlass run"),
        (&["config", "gett"], ", or windlass config get?"),
        (&["frobnicate"], "hint:  All that there are: windlass --help"),
        (&["reset"], "hint:  All there are: windlass list\nhint:  All that it takes: windlass reset --help"),
        (&["-C", ".", "config", "get"], "hint:  All there are: windlass config keys"),
        (&["runs", "extra"], "hint:  All that it takes: windlass runs --help"),
    ] {
        let answer = place.ask(arguments);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(answer.stderr.contains(hint), "{arguments:?}: {}", answer.stderr);
    }
}

#[test]
fn who_says_nothing_is_told_of_what_lies_here() {
    let place = Place::new();
    place.file("work/goal.md", "Make it work.\n");
    place.file("work/IMPLEMENTATION_PLAN.md", "- [ ] One\n");
    place.file("work/requirements.md", "### TASK-001: Say hello\n- **Status**: pending\n");
    let said = place.ask(&["run"]).stderr;
    for hint in [
        "A plan is here (IMPLEMENTATION_PLAN.md): windlass build\n",
        "requirements.md holds 1 task: windlass run --mode tasks\n",
        "goal.md may be a goal: windlass run -f goal.md\n",
    ] {
        assert!(said.contains(hint), "{said}");
    }
}

#[test]
fn all_wrong_flags_are_named_at_once() {
    let answer = Place::new().ask(&["run", "-p", "x", "-m", "many", "--max-cost", "lots"]);
    assert_eq!(
        answer.stderr.lines().filter(|line| line.starts_with("error: --max-")).count(),
        2,
        "{}",
        answer.stderr
    );
}

#[test]
fn goals_that_look_like_something_else_are_goals() {
    let place = Place::new();
    for goal in ["-x", "--help me", "/compact", "@file", "!", "# heading", "🎉"] {
        let answer = place.ask(&["run", "-p", goal, "--dry-run"]);
        assert_eq!(answer.code, Some(0), "{goal}: {}", answer.stderr);
        assert!(answer.stdout.contains(&format!(" {goal}\n")), "{goal}: {}", answer.stdout);
    }
}

#[test]
fn a_goal_comes_from_standard_input_or_from_a_file() {
    let place = Place::new();
    place.file("work/a goal.md", "From a file\r\nsecond line\r\n");
    let from_file = place.ask(&["run", "-f", "a goal.md", "--dry-run"]);
    assert!(from_file.stdout.contains(" From a file\n"), "{}", from_file.stdout);

    let mut child = place.windlass(&["run", "-", "--dry-run"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"From a pipe").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains(" From a pipe\n"));
}

#[test]
fn a_dry_run_touches_nothing() {
    let place = Place::new();
    place.ask(&["run", "-p", "x", "--dry-run"]);
    for directory in [place.work(), place.home()] {
        assert_eq!(std::fs::read_dir(directory).unwrap().count(), 0);
    }
}

#[test]
fn inside_a_run_every_verb_that_changes_anything_is_refused() {
    let place = Place::new();
    let inside = |arguments: &[&str]| answer(place.windlass(arguments).env("WINDLASS_RUN", "r-12345678"));
    for arguments in [
        &["run", "-p", "x"][..],
        &["run", "-p", "x", "--mock"],
        &["resume"],
        &["stop"],
        &["restore", "r", "1"],
        &["demo"],
    ] {
        let answer = inside(arguments);
        assert_eq!(answer.code, Some(2), "{arguments:?}");
        assert!(answer.stderr.contains("started by windlass itself (run r-12345678)"), "{}", answer.stderr);
    }
    for arguments in
        [&["completions", "bash"][..], &["run", "-p", "x", "--dry-run"], &["--help"], &["--version"]]
    {
        assert_eq!(inside(arguments).code, Some(0), "{arguments:?}");
    }
    for arguments in [&["runs"][..], &["status"], &["logs"], &["doctor"]] {
        assert!(!inside(arguments).stderr.contains("refused"), "{arguments:?}");
    }
}

#[test]
fn what_a_name_may_hold_does_not_reach_the_terminal() {
    let answer = Place::new().ask(&["run", "-f", "a\u{1b}[31mb\u{7}"]);
    assert!(!answer.stderr.contains(['\u{1b}', '\u{7}']), "{:?}", answer.stderr);
}

#[test]
fn without_a_verb_there_is_help() {
    let answer = Place::new().ask(&[]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("Work:\n  run "), "{}", answer.stderr);
}
