//! `import`: projects of claude-iterate and Fresher, taken over and worked on.

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
    assert!(looked.contains("3 items would be imported, 0 left"), "{looked}");
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
        outcome
            .stderr_text()
            .contains("there is nothing of claude-iterate, claude-loop, Fresher, DevLoop or ralph in"),
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
            "claude": {"command": "my claude", "args": ["--verbose", "--debug"]}}"#,
    );
    env.write(".windlass/config.toml", "# mine\n");
    let said = told(&env, &["import"]);
    let commands: Vec<&str> =
        said.lines().map(str::trim).filter(|line| line.starts_with("windlass config set ")).collect();
    assert!(commands.len() > 1, "{said}");
    for command in commands {
        let program = format!("'{}'", env!("CARGO_BIN_EXE_windlass"));
        let typed = command.replacen("windlass", &program, 1);
        let mut shell = env.command("sh");
        shell.args(["-c", &typed]);
        env.run(&mut shell, crate::PATIENCE).expect_success(command);
    }
    let file = env.read(".windlass/config.toml");
    assert!(file.contains("delay = ") && file.contains("my claude"), "{file}");
}

// rows: 33, 129
#[test]
fn arguments_that_a_run_would_refuse_become_keys_or_are_left_out_by_name() {
    let env = TestEnv::with_git();
    env.write(
        ".claude-iterate.json",
        r#"{"claude": {"args": ["--model", "opus", "--verbose", "--max-turns", "5", "--settings={}", "--debug"]}}"#,
    );
    env.write(
        "claude-iterate/workspaces/api/.metadata.json",
        r#"{"name":"api","config":{"claude":{"args":["--model=sonnet","--permission-mode","plan"]}}}"#,
    );
    env.write("claude-iterate/workspaces/api/INSTRUCTIONS.md", "Port the endpoints.\n");
    let said = told(&env, &["import"]).split_whitespace().collect::<Vec<_>>().join(" ");
    for flag in ["--verbose", "--settings"] {
        assert!(said.contains(&format!("beware: `{flag}` of claude.args is left out")), "{said}");
    }
    assert!(said.contains("use permissions.allow in its configuration"), "{said}");
    let ours = env.read(".windlass/config.toml");
    for line in ["model = \"opus\"\n", "max_turns = 5\n", "arguments = [\"--debug\"]\n"] {
        assert!(ours.contains(line), "{ours}");
    }
    let own = env.read(".windlass/workspaces/api/config.toml");
    assert!(own.contains("model = \"sonnet\"\n") && !own.contains("arguments"), "{own}");
    for job in [&["-p", "x"][..], &["api"]] {
        ask(&env, &[&["run", "--mock", "--dry-run"], job].concat())
            .expect_success("a run of what was imported");
    }
}

/// A project of Fresher as its seed describes it, and its hooks.
fn of_fresher() -> TestEnv {
    let env = TestEnv::with_git();
    env.write(
        ".fresher/config.sh",
        "#!/bin/bash\nexport FRESHER_MAX_ITERATIONS=\"${FRESHER_MAX_ITERATIONS:-0}\"  # 0 = unlimited\n\
         export FRESHER_MODEL=\"${FRESHER_MODEL:-opus}\"\n",
    );
    env.write(".fresher/AGENTS.md", "Run `make test`.\n");
    env.write(".fresher/PROMPT.building.md", "Do one task.\n");
    env.write(".fresher/.state", "ITERATION=5\nTOTAL_COMMITS=3\nFINISH_TYPE=manual\n");
    env.write("IMPLEMENTATION_PLAN.md", "- [ ] One (refs: specs/a.md)\n");
    env
}

// rows: 54, 129
#[test]
fn a_project_of_fresher_is_taken_over() {
    let env = of_fresher();
    let looked = told(&env, &["import", "--dry-run"]);
    assert!(looked.contains("4 items would be imported, 1 left"), "{looked}");
    assert!(!env.project().join(".windlass").exists());
    let said = told(&env, &["import"]);
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in [
        "agents file AGENTS.md → .fresher/AGENTS.md",
        "prompt PROMPT.building.md → .windlass/prompts/build.md",
        "its last run did 5 iterations with 3 commits and ended: manual",
        "`windlass config set limits.max_iterations 0` lifts that",
        "next windlass build",
    ] {
        assert!(words.contains(sentence), "{sentence}: {said}");
    }
    let config = env.read(".windlass/config.toml");
    assert!(config.contains("model = \"opus\"") && !config.contains("max_iterations"), "{config}");
    assert_eq!(told(&env, &["config", "get", "limits.max_iterations"]).trim(), "50");
    assert_eq!(document(&env, &["import", "--json"])["items"].as_array().unwrap().len(), 5);
    ask(&env, &["import", "--user"]).expect_code(2, "Fresher has no configuration of the user's");
}

// rows: 5, 13, 18, 129
#[test]
fn a_plan_of_fresher_is_built_as_it_was_imported() {
    let env = of_fresher();
    env.write(
        "impl/README.md",
        "# Plan\n\n| Feature | Status |\n|---|---|\n| [A](./a.md) | \u{23f3} Pending |\n",
    );
    env.write("impl/a.md", "# A\n\n**Spec:** [a](../specs/a.md)\n\n## Tasks\n\n- [ ] One\n- [~] Two\n");
    told(&env, &["import"]);
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Move to windlass"]);
    let tick = r"sed -i '0,/\[[ ~]\]/s//[x]/' impl/a.md && git commit --quiet -am 'One more'";
    let script = format!("[[call]]\nsteps = [{{ bash = {tick:?} }}, {{ result = {{ text = 'Done.' }} }}]\n");
    let script = env.write(env.root().join("build.toml"), script);
    let mock = format!("--mock={}", script.display());
    let shown = told(&env, &["build", &mock, "--dry-run"]);
    for part in ["# .fresher/AGENTS.md of this project, ", "~~~\nRun `make test`.", "Do one task.\n"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let built = ask(&env, &["build", &mock, "--no-delay"]);
    built.expect_code(0, "the imported plan");
    assert!(
        built.stdout_text().contains("stopped: complete"),
        "{}{}",
        built.stdout_text(),
        built.stderr_text()
    );
    assert_eq!(env.read("impl/a.md").matches("[x]").count(), 2);
    assert!(env.read("IMPLEMENTATION_PLAN.md").contains("[ ]"), "the folder goes before the file, as it did");
}

// attack(trust): a repository that somebody else wrote has hooks of Fresher's; a person takes it over, and begins
// holds: what was taken over is asked for like anything else of the repository, and that is said at once
#[test]
fn hooks_that_were_taken_over_are_not_trusted_by_that() {
    let env = of_fresher();
    let hook = env.write(".fresher/hooks/started", "#!/bin/sh\ntouch ../started\n");
    std::fs::set_permissions(hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let imported = ask(&env, &["import"]);
    imported.expect_code(0, "the import");
    assert!(imported.stderr_text().contains("that you have not trusted"), "{}", imported.stderr_text());
    let mut build = env.command(env!("CARGO_BIN_EXE_windlass"));
    let refused = env.run(build.args(["build", "--mock", "--no-delay", "-m", "1"]), crate::PATIENCE);
    refused.expect_code(2, "it is not trusted");
    assert!(refused.stderr_text().contains(".windlass/hooks/started"), "{}", refused.stderr_text());
    assert!(!env.root().join("started").exists(), "nothing was started");
}
