//! What is made where there is nothing: a repository, lines of a `.gitignore`; and folders beyond the project. Only where
//! somebody asked for it.

use std::fs;

use windlass_testkit::environment::TestEnv;

use super::{ask, told};

const MOCK: [&str; 6] = ["run", "-p", "Work", "--mock", "--no-delay", "-m"];

fn run<'a>(further: &[&'a str]) -> Vec<&'a str> {
    [&MOCK[..], &["1"], further].concat()
}

fn filled() -> TestEnv {
    let env = TestEnv::new();
    env.write("main.rs", "fn main() {}\n");
    env.write("Cargo.toml", "[package]\n");
    env.write(".env", "A=1\n");
    env.write("target/debug/x", "binary\n");
    env
}

// rows: 78
#[test]
fn a_repository_is_made_only_where_it_is_asked_for_and_once() {
    let env = filled();
    told(&env, &run(&[]));
    told(&env, &run(&["--dry-run", "--git-init"]));
    assert!(!env.project().join(".git").exists() && !env.project().join(".gitignore").exists());
    // What was left out is in no later commit either, and stands in no run's way.
    let outcome = ask(&env, &run(&["--git-init", "--commit", "runner", "--fresh"]));
    outcome.expect_code(10, "--git-init");
    let said = outcome.stderr_text();
    assert!(said.contains("leave out what was uncommitted before: .env, target/"), "{said}");
    assert_eq!(env.git(&["ls-files", ".env", "target"]), "");
    assert!(said.contains("this is a git repository now") && said.contains("left out: .env"), "{said}");
    assert!(said.contains("windlass init --gitignore"), "{said}");
    assert_eq!(env.git(&["log", "--format=%s"]), "Initial commit");
    let first = env.git(&["rev-list", "--max-parents=0", "HEAD"]);
    // The scripted agent of the first run wrote one of them.
    assert_eq!(env.git(&["ls-tree", "-r", "--name-only", &first]), "Cargo.toml\nmain.rs\nwindlass-mock.md");
    told(&env, &["init", "--gitignore"]);
    env.git(&["add", "-A"]);
    env.git(&["commit", "--quiet", "-m", "mine"]);
    told(&env, &run(&["--git-init", "--commit", "runner", "--fresh"]));
    assert_eq!(env.git(&["rev-list", "--max-parents=0", "HEAD"]), first, "once");
}

#[test]
fn without_an_identity_no_repository_is_made() {
    let env = filled();
    env.write(env.home().join(".gitconfig"), "[user]\n\tuseConfigOnly = true\n");
    for arguments in [&run(&["--git-init"])[..], &["init", "--git"]] {
        let outcome = ask(&env, arguments);
        outcome.expect_code(2, "no identity");
        assert!(outcome.stderr_text().contains("git config --global user.name"), "{}", outcome.stderr_text());
        assert!(!env.project().join(".git").exists() && !env.project().join(".windlass").exists());
    }
}

// rows: 78, 79
#[test]
fn init_makes_a_repository_and_adds_to_gitignore_by_consent() {
    let env = filled();
    env.write(".gitignore", "# mine\r\nlogs/\r\n");
    env.write(".windlass/config.toml", "[commit]\nmessage = 'devloop'\n");
    let said = told(&env, &["init", "--git", "--gitignore", "--pre-commit-guard"]);
    assert!(said.contains("target/, .env") && said.contains("git repository now"), "{said}");
    assert_eq!(env.read(".gitignore"), "# mine\r\nlogs/\r\ntarget/\r\n.env\r\n");
    assert_eq!(env.git(&["log", "--format=%s"]), "DevLoop: Initial commit");
    assert_eq!(env.git(&["status", "--porcelain"]), "", "what init makes is in it");
    // Again: nothing twice.
    told(&env, &["init", "--git", "--gitignore"]);
    assert_eq!(env.read(".gitignore"), "# mine\r\nlogs/\r\ntarget/\r\n.env\r\n");
    assert_eq!(env.git(&["rev-list", "--count", "HEAD"]), "1");
    // Without consent it is only said.
    let other = TestEnv::with_git();
    other.write("Cargo.toml", "[package]\n");
    let said = told(&other, &["init"]);
    assert!(said.contains("windlass init --gitignore"), "{said}");
    assert!(!other.project().join(".gitignore").exists());
}

// rows: 31
// Seed defect D3, core/claude.ts:226-228: the workspace's path went through a shell unquoted.
#[test]
fn a_folder_beyond_the_project_is_checked_and_passed_on_whole() {
    let env = TestEnv::with_git();
    let docs = env.root().join("my docs; $(touch x)");
    fs::create_dir(&docs).unwrap();
    env.write("a-file", "x");
    let text = told(
        &env,
        &["run", "-p", "Work", "--dry-run", "--add-dir", "../my docs; $(touch x)", "--add-dir", "."],
    );
    let command = text.lines().find(|line| line.starts_with("claude ")).unwrap();
    assert!(command.contains(&format!(" --add-dir '{}' ", docs.display())), "{command}");
    assert_eq!(command.matches("--add-dir").count(), 1, "the project is not beyond itself");
    assert!(text.contains("only in it and in `"), "{text}");
    for (folder, why) in [
        ("../nowhere", "No such file"),
        ("a-file", "it is not a folder"),
        ("../state", "journals of all runs"),
        ("/", "journals of all runs"),
    ] {
        fs::create_dir_all(env.state()).unwrap();
        let outcome = ask(&env, &["run", "-p", "Work", "--mock", "--add-dir", folder]);
        outcome.expect_code(2, folder);
        let said = outcome.stderr_text();
        assert!(said.contains(why) && said.contains("--add-dir"), "{folder}: {said}");
    }
    env.write(".windlass/config.toml", "[agent]\nadd_dirs = ['../my docs; $(touch x)']\n");
    told(&env, &run(&[]));
}
