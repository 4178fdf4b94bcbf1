//! Directories and files whose names a terminal would not show as they are: what is printed names them, and nothing else.

use std::fs;

use windlass_testkit::environment::TestEnv;

use super::{PATIENCE, ask, told};

/// Each is also the beginning of another name, once it is cleaned: a line's end, a tab, an escape sequence, two blanks.
const DIRECTORY: &str = "proj\nb\tc \x1b[31md  e";

/// The same as it would be shown.
const SHOWN: &str = "proj b c d e";

/// As a shell of a person's takes it.
const TYPED: &str = r"$'proj\nb\tc \033[31md \040e'";

const SCRIPT: &str = r#"
[[call]]
steps = [
  { write = { path = "ok.txt", text = "fine" } },
  { write = { path = "new\nline/.env", text = "KEY=secret" } },
  { write = { path = "es\u001b[1mc/.env", text = "KEY=secret" } },
]
"#;

/// A run there, of one iteration; its name.
fn run(env: &TestEnv) -> String {
    let script = env.write(env.root().join("script.toml"), SCRIPT);
    let mock = format!("--mock={}", script.display());
    let said = told(env, &["run", "-p", "Work", &mock, "-m", "1", "--no-delay"]);
    said.split_whitespace().find(|word| word.starts_with("r-")).unwrap().to_owned()
}

/// Has the shell of a person type it, far from the project.
fn type_it(env: &TestEnv, command: &str) {
    let windlass = format!("'{}' ", env!("CARGO_BIN_EXE_windlass"));
    let command = command.replacen("windlass ", &windlass, 1);
    env.run(env.command("bash").current_dir("/").args(["-c", &command]), PATIENCE).expect_success(&command);
}

#[test]
fn the_commands_of_a_report_are_about_the_run_and_its_files() {
    let env = TestEnv::with_project_named(DIRECTORY).git_initialised();
    let stranger = env.root().join(SHOWN);
    fs::create_dir(&stranger).unwrap();
    run(&env);
    let text = told(&env, &["report"]);
    let commits: Vec<&str> = text.lines().map(str::trim).filter(|line| line.starts_with("git -C")).collect();
    let [commit] = commits.as_slice() else { panic!("one command, on one line: {text}") };
    assert!(commit.contains(TYPED.trim_start_matches('$').trim_matches('\'')), "{commit}");
    let commit = commit.split("  ").next().unwrap();
    assert!(told(&env, &["report", "--markdown"]).lines().any(|line| line.trim() == commit), "{commit}");
    type_it(&env, commit);
    assert_eq!(env.git(&["show", "--name-only", "--format=%s"]), "Work\n\nok.txt");
    assert_eq!(env.git(&["status", "--porcelain", "-uall"]).lines().count(), 2, "what is held back stays");
    assert_eq!(fs::read_dir(&stranger).unwrap().count(), 0);
}

#[test]
fn hints_name_the_directory_that_they_are_about() {
    let env = TestEnv::with_project_named(DIRECTORY).git_initialised();
    let run = run(&env);
    let elsewhere = env.project().join("new\nline");
    let elsewhere = elsewhere.to_str().unwrap();
    for verb in ["restore", "resume"] {
        let more = if verb == "restore" { &["1"][..] } else { &[] };
        let asked = [&["-C", elsewhere, verb, &run][..], more].concat();
        let refused = ask(&env, &asked);
        refused.expect_code(2, verb);
        let said = refused.stderr_text();
        let hint =
            said.lines().find_map(|line| line.strip_prefix("hint:  ")).unwrap_or_else(|| panic!("{said}"));
        assert_eq!(said.lines().count(), 2, "{said}");
        assert!(hint.starts_with("windlass -C $'/") && hint.contains(&format!("' {verb} {run}")), "{said}");
        type_it(&env, &format!("{hint} --help"));
        if verb == "restore" {
            type_it(&env, hint);
        }
    }
    let project = env.project().to_str().unwrap();
    let said = ask(&env, &["-C", project, "resume"]).stderr_text();
    assert!(said.contains(r"/proj\nb\tc \033[31md \040e' status"), "{said}");
}
