//! The hook that keeps workspaces out of commits.

use std::fs;

use windlass_testkit::environment::TestEnv;

use super::super::{PATIENCE, ask, told};
use super::refused;

/// Whether git accepts a commit of everything, and what it says.
fn commit_everything(env: &TestEnv) -> (bool, String) {
    env.git(&["add", "--all"]);
    let mut command = env.command("git");
    let outcome = env.run(command.args(["commit", "--quiet", "--allow-empty", "-m", "All"]), PATIENCE);
    (outcome.code == Some(0), outcome.stderr_text())
}

// rows: 130
#[test]
fn workspaces_stay_out_of_commits_until_the_guard_is_taken_away() {
    let env = TestEnv::with_git();
    let text = told(&env, &["init", "job", "--pre-commit-guard"]);
    assert!(text.contains("the pre-commit guard is made"), "{text}");
    assert!(told(&env, &["init", "--pre-commit-guard"]).contains("there already"));
    let (accepted, said) = commit_everything(&env);
    assert!(!accepted && said.contains(".windlass/workspaces/job/TODO.md"), "{said}");
    env.git(&["restore", "--staged", ".windlass/workspaces"]);
    env.git(&["commit", "--quiet", "-m", "The rest"]);
    assert!(env.git(&["ls-files"]).contains(".windlass/config.toml"));

    assert!(told(&env, &["clean", "--pre-commit-guard"]).contains("is removed"));
    assert!(told(&env, &["clean", "--pre-commit-guard"]).contains("there is no pre-commit guard"));
    assert!(commit_everything(&env).0);
    // What was committed before comes out again.
    told(&env, &["init", "--pre-commit-guard"]);
    env.git(&["rm", "-r", "--quiet", "--cached", ".windlass/workspaces"]);
    env.git(&["commit", "--quiet", "-m", "Out"]);
}

// rows: 130
#[test]
fn a_hook_that_is_there_is_left_alone() {
    let env = TestEnv::with_git();
    let mine = "#!/bin/sh\nexit 0\n";
    env.write(".git/hooks/pre-commit", mine);
    for arguments in [&["init", "job", "--pre-commit-guard"][..], &["clean", "--pre-commit-guard"]] {
        let sentence = refused(&env, arguments);
        assert!(
            sentence.contains("is a hook of yours") && sentence.contains("git diff --cached"),
            "{sentence}"
        );
    }
    assert_eq!(env.read(".git/hooks/pre-commit"), mine);
    assert!(!env.project().join(".windlass").exists());
    // The two lines do the same in a hook of one's own.
    let outcome = ask(&env, &["init", "--pre-commit-guard"]);
    let hint = outcome.stderr_text();
    let lines: Vec<&str> = hint
        .lines()
        .map(|line| line.trim_start_matches("hint:").trim())
        .filter(|line| line.contains("||") || line.starts_with('{'))
        .collect();
    assert_eq!(lines.len(), 2, "{hint}");
    let hook = env.write(".git/hooks/pre-commit", format!("#!/bin/sh\n{}\n", lines.join("\n")));
    let mut mode = fs::metadata(&hook).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    fs::set_permissions(&hook, mode).unwrap();
    assert!(commit_everything(&env).0);
    told(&env, &["init", "job"]);
    let (accepted, said) = commit_everything(&env);
    assert!(!accepted && said.contains("Workspaces stay out"), "{said}");
}

// rows: 130
#[test]
fn the_guard_goes_where_git_looks_and_nowhere_outside() {
    let env = TestEnv::with_git();
    env.git(&["config", "core.hooksPath", ".hooks"]);
    told(&env, &["init", "--pre-commit-guard"]);
    assert!(env.project().join(".hooks/pre-commit").is_file());
    told(&env, &["init", "job"]);
    assert!(!commit_everything(&env).0);

    let shared = env.root().join("shared");
    env.git(&["config", "core.hooksPath", &shared.display().to_string()]);
    let sentence = refused(&env, &["init", "--pre-commit-guard"]);
    assert!(sentence.contains("core.hooksPath") && !shared.exists(), "{sentence}");

    let bare = TestEnv::new();
    assert!(refused(&bare, &["init", "--pre-commit-guard"]).contains("is in no git repository"));
}
