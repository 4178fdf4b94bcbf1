//! `hooks list`, `hooks test`, and what `--dry-run` says of hooks.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use windlass_testkit::environment::TestEnv;

use super::{PATIENCE, ask, document, told, windlass};

fn hook(env: &TestEnv, name: &str, script: &str, mode: u32) {
    let path = env.write(format!(".windlass/hooks/{name}"), script);
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Of the project nothing is kept but what is trusted of it.
fn nothing_is_recorded(env: &TestEnv) -> bool {
    let names = |folder: std::path::PathBuf| {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let is_for_runs = |path: &std::path::Path| path.ends_with("runs") || path.ends_with("noted");
    let projects = names(env.state().join("projects"));
    projects
        .into_iter()
        .flat_map(names)
        .all(|path| path.ends_with("trust.json") || is_for_runs(&path) && names(path).is_empty())
}

// rows: 106, 108
#[test]
fn a_list_says_what_a_run_would_call_and_why_not_the_rest() {
    let env = TestEnv::with_git();
    hook(&env, "started", "#!/bin/sh\n", 0o755);
    hook(&env, "finished", "#!/bin/sh\n", 0o644);
    hook(&env, "finnished", "#!/bin/sh\n", 0o644);
    env.write(".windlass/config.toml", "[hooks]\nnext_iteration = 'true # before each'\ntimeout = '5s'\n");
    let outcome = ask(&env, &["hooks", "list"]);
    outcome.expect_success("hooks list");
    assert_eq!(
        outcome.stdout_text(),
        "\
hook            timeout  from     what is called
started              5s  file     .windlass/hooks/started
next_iteration       5s  command  true # before each
finished             5s  file     .windlass/hooks/finished
  ! not called: .windlass/hooks/finished is not executable; chmod +x .windlass/hooks/finished
"
    );
    assert!(outcome.stderr_text().contains("finnished is not a hook: was `finished` meant?"));
    let listed = document(&env, &["hooks", "ls", "--json"]);
    let called: Vec<bool> =
        listed["hooks"].as_array().unwrap().iter().map(|hook| hook["called"].as_bool().unwrap()).collect();
    assert_eq!(called, [true, true, false]);
    assert_eq!(listed["hooks"][1]["timeout_ms"], 5000);
    // Nothing is called, and both are named before a run begins.
    let rehearsal = told(&env, &["run", "-p", "x", "--mock", "--dry-run"]);
    assert!(rehearsal.contains("hooks      started: .windlass/hooks/started\n"), "{rehearsal}");
    assert!(rehearsal.contains("next_iteration: true # before each\n") && rehearsal.contains("chmod +x"));
    assert!(nothing_is_recorded(&env));
}

// rows: 107, 108
#[test]
fn a_trial_calls_a_hook_as_a_run_would_and_leaves_nothing() {
    let env = TestEnv::with_git();
    let script = "#!/bin/sh\necho \"$FRESHER_ITERATION $WINDLASS_HOOK_FINISH_TYPE $WINDLASS_HOOK_PROJECT_DIR\"\n\
                  setsid sleep 60 &\necho 'not today' >&2\nexit $WANTED\n";
    hook(&env, "next_iteration", script, 0o755);
    hook(&env, "finished", script, 0o755);
    hook(&env, "started", "#!/bin/sh\necho '{\"prompt\": \"Mind the gap.\"}'\n", 0o755);
    for (wanted, code, said) in [
        ("0", 0, "go on (exit 0)"),
        ("1", 1, "skip (exit 1): not today"),
        ("2", 1, "abort (exit 2): not today"),
        ("9", 1, "went wrong, and is passed over (exit 9): not today"),
    ] {
        let mut command = windlass(&env, &["hooks", "test", "next_iteration", "--iteration", "7"]);
        let outcome = env.run(command.env("WANTED", wanted), PATIENCE);
        outcome.expect_code(code, said);
        let text = outcome.stdout_text();
        let project = env.project().display().to_string();
        assert!(text.contains(said) && text.contains(&format!("7 {project}")), "{text}");
    }
    let mut command = windlass(&env, &["hooks", "test", "finished", "--finish-type", "no_changes"]);
    let outcome = env.run(command.env("WANTED", "0"), PATIENCE);
    assert!(outcome.stdout_text().contains("1 no_changes "), "{}", outcome.stdout_text());
    assert!(told(&env, &["hooks", "test", "started"]).contains("would be told:\n    Mind the gap.\n"));
    env.assert_no_processes(std::time::Duration::from_secs(2));
    assert!(nothing_is_recorded(&env));
}

// rows: 108
#[test]
fn a_trial_ends_what_hangs_and_refuses_what_a_run_would_not_call() {
    let env = TestEnv::with_git();
    hook(&env, "started", "#!/bin/sh\ntrap '' TERM\nsetsid sleep 60 &\nsleep 60\n", 0o755);
    hook(&env, "finished", "#!/bin/sh\n", 0o644);
    let mut command = windlass(&env, &["hooks", "test", "started"]);
    let outcome = env.run(command.env("WINDLASS_HOOKS__TIMEOUT", "1s"), PATIENCE);
    outcome.expect_code(1, "a hook that hangs");
    assert!(outcome.stdout_text().contains("timed out"), "{}", outcome.stdout_text());
    env.assert_no_processes(std::time::Duration::from_secs(2));
    for (name, said) in [("finished", "chmod +x"), ("next_iteration", "there is none")] {
        let outcome = ask(&env, &["hooks", "test", name]);
        outcome.expect_code(2, name);
        assert!(outcome.stderr_text().contains(said), "{}", outcome.stderr_text());
    }
}
