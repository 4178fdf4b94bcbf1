//! `import`: a project of claude-iterate, taken over and worked on.

use windlass_testkit::environment::TestEnv;

use crate::{ask, document, told};

fn project() -> TestEnv {
    let env = TestEnv::with_git();
    env.write(".claude-iterate.json", r#"{"defaultDelay": 0, "claude": {"command": "claude"}}"#);
    env.write(
        "claude-iterate/workspaces/api/.metadata.json",
        r#"{"name":"api","created":"2025-10-15T14:23:45.000Z","status":"in_progress","mode":"loop",
            "totalIterations":4,"setupIterations":1,"executionIterations":3,"maxIterations":9,"delay":2,
            "stagnationThreshold":2,"notifyEvents":["all"]}"#,
    );
    env.write("claude-iterate/workspaces/api/INSTRUCTIONS.md", "Port the endpoints.\n");
    env.write("claude-iterate/workspaces/api/.status.json", r#"{"complete":true}"#);
    env.write("claude-iterate/workspaces/broken/.metadata.json", "{");
    env
}

// rows: 9, 129
// Seed defect D1, commands/run.ts:159: the mock was looked for in the current directory.
#[test]
fn what_is_imported_can_be_worked_on() {
    let env = project();
    let looked = told(&env, &["import", "--dry-run"]);
    assert!(looked.contains("3 items would be taken over, 0 left"), "{looked}");
    assert!(!env.project().join(".windlass").exists());

    let said = told(&env, &["import"]);
    assert!(said.contains(".windlass/workspaces/api"), "{said}");
    assert!(said.contains("broken") && said.contains("made again"), "{said}");
    let listed = document(&env, &["list", "--json"]);
    assert_eq!(listed["workspaces"][0]["name"], "api");
    assert_eq!(listed["workspaces"][0]["execution_iterations"], 3);

    // What claude-iterate left as complete does not end the new run at once.
    let run = ask(&env, &["run", "api", "--mock", "--no-delay"]);
    run.expect_code(0, "the imported workspace");
    assert!(run.stdout_text().contains("stopped: complete"), "{}", run.stdout_text());
    let shown = document(&env, &["show", "api", "--json"]);
    assert_eq!(shown["execution_iterations"], 6, "{shown}");
    assert!(env.read(".windlass/workspaces/api/config.toml").contains("max_iterations = 9"));
    let project = env.read(".windlass/config.toml");
    assert!(project.contains("delay = 0") && !project.contains("workspace"), "{project}");
}

#[test]
fn where_there_is_nothing_to_take_it_says_so() {
    let env = TestEnv::with_git();
    let outcome = ask(&env, &["import"]);
    outcome.expect_code(2, "nothing there");
    assert!(
        outcome.stderr_text().contains("there is nothing of claude-iterate in"),
        "{}",
        outcome.stderr_text()
    );
    assert!(!env.project().join(".windlass").exists());
    ask(&env, &["import", "--from", "/nonexistent"]).expect_code(2, "no such folder");
}

#[test]
fn the_users_own_configuration_comes_along_when_asked() {
    let env = project();
    env.write(
        env.home().join(".config/claude-iterate/config.json"),
        r#"{"outputLevel":"quiet","defaultMaxIterations":77,"notifyUrl":"https://ntfy.sh/topic"}"#,
    );
    let document = document(&env, &["import", "--user", "--json"]);
    let names: Vec<_> =
        document["items"].as_array().unwrap().iter().map(|item| item["name"].clone()).collect();
    assert_eq!(names, [".claude-iterate.json", "config.json", "api", "broken"]);
    let ours = env.read(env.config().join("config.toml"));
    assert!(ours.contains("max_iterations = 77") && ours.contains("https://ntfy.sh/topic"), "{ours}");
}

#[test]
fn what_a_configuration_in_the_way_should_say_can_be_typed_as_it_is_printed() {
    let env = TestEnv::with_git();
    env.write(
        ".claude-iterate.json",
        r#"{"defaultDelay": 3, "notifyUrl": "https://ntfy.sh/it's", "notifyEvents": ["completion", "error"],
            "claude": {"command": "my claude", "args": ["--verbose"]}}"#,
    );
    env.write(".windlass/config.toml", "# mine\n");
    let said = told(&env, &["import"]);
    let commands: Vec<&str> =
        said.lines().map(str::trim).filter(|line| line.starts_with("windlass config set ")).collect();
    assert!(commands.len() > 1, "{said}");
    for command in commands {
        let program = env!("CARGO_BIN_EXE_windlass");
        let typed = command.replacen("windlass", program, 1);
        let mut shell = env.command("sh");
        shell.args(["-c", &typed]);
        env.run(&mut shell, crate::PATIENCE).expect_success(command);
    }
    let file = env.read(".windlass/config.toml");
    assert!(file.contains("delay = ") && file.contains("my claude"), "{file}");
}
