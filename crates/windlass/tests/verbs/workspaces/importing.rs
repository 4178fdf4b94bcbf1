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

/// What an import says: each item with where it goes and what there is to say of it, and the notices.
fn said(env: &TestEnv, flags: &[&str]) -> (serde_json::Value, String) {
    let outcome = ask(env, &[&["import", "--json"], flags].concat());
    outcome.expect_code(0, "the import");
    let read: serde_json::Value = serde_json::from_slice(&outcome.stdout).unwrap();
    (read["items"].clone(), outcome.stderr_text())
}

// rows: 129
#[test]
fn what_a_workspace_says_itself_holds_over_its_project_and_its_user() {
    let numbers = r#"{"name":"w","mode":"iterative","maxIterations":20,"delay":2,"stagnationThreshold":2}"#;
    let theirs = r#"{"defaultMaxIterations":500,"defaultStagnationThreshold":0,"defaultDelay":0}"#;
    let ours = "[limits]\nmax_iterations = 500\nstagnation_threshold = 0\n\n[clocks]\ndelay = 0\n";
    for (place, text) in [("theirs", theirs), ("ours", ours), ("user", ours), ("in the way", theirs)] {
        let env = TestEnv::with_git();
        env.write("claude-iterate/workspaces/w/.metadata.json", numbers);
        env.write("claude-iterate/workspaces/w/INSTRUCTIONS.md", "Port it.\n");
        match place {
            "ours" => drop(env.write(".windlass/config.toml", text)),
            "user" => drop(env.write(env.config().join("config.toml"), text)),
            _ => drop(env.write(".claude-iterate.json", text)),
        }
        if place == "in the way" {
            // What it should say is printed, and a person may set it yet.
            env.write(".windlass/config.toml", "# mine\n");
        }
        told(&env, &["import"]);
        let own = env.read(".windlass/workspaces/w/config.toml");
        for line in ["max_iterations = 20\n", "stagnation_threshold = 2\n", "delay = \"2s\"\n"] {
            assert!(own.contains(line), "{place}: {line}: {own}");
        }
        let run = document(&env, &["run", "w", "--mock", "--dry-run", "--json"]);
        let rows = run["configuration"].as_array().unwrap();
        for (key, value) in [("limits.max_iterations", 20), ("limits.stagnation_threshold", 2)] {
            let row = rows.iter().find(|row| row["key"] == key).unwrap();
            assert_eq!(
                (&row["value"], &row["origin"]["layer"]),
                (&value.into(), &"workspace".into()),
                "{place}"
            );
        }
    }
    let env = TestEnv::with_git();
    env.write("claude-iterate/workspaces/w/.metadata.json", numbers);
    env.write("claude-iterate/workspaces/w/INSTRUCTIONS.md", "Port it.\n");
    told(&env, &["import"]);
    let own = env.read(".windlass/workspaces/w/config.toml");
    assert!(!own.contains(" = "), "what holds anyway is no option of its own: {own}");
}

// rows: 129
#[test]
fn what_two_tools_say_goes_into_one_configuration_and_the_dry_run_says_the_same() {
    let env = TestEnv::with_git();
    env.write(".devloop/session.json", r#"{"phase":"run"}"#);
    env.write(".devloop/config.json", r#"{"devloopCommitFormat":"{taskId}: {title}"}"#);
    env.write(".claude-iterate.json", r#"{"defaultMaxIterations":7,"notifyUrl":"https://ntfy.sh/p"}"#);
    env.write(".fresher/config.toml", "[fresher]\nmax_iterations = 12\nmodel = \"opus\"\n");
    let looked = said(&env, &["--dry-run"]);
    assert!(!env.project().join(".windlass").exists());
    let done = said(&env, &[]);
    assert_eq!(looked.0, done.0);
    let ours = env.read(".windlass/config.toml");
    assert!(ours.starts_with("# Options imported from DevLoop, claude-iterate, Fresher.\n"), "{ours}");
    for line in ["message = ", "max_iterations = 7\n", "url = \"https://ntfy.sh/p\"\n", "model = \"opus\"\n"]
    {
        assert!(ours.contains(line), "{line}: {ours}");
    }
    assert_eq!(ours.matches("exit_codes").count(), 1, "{ours}");
    told(&env, &["config", "list"]);
    let notes = done.0.to_string();
    assert_eq!(notes.matches("scripts keep the exit codes").count(), 1, "{notes}");
    assert!(!notes.contains("is not changed"), "{notes}");
    let against = "claude-iterate says something else of `limits.max_iterations`, which is taken; what Fresher said: \
                   `windlass config set limits.max_iterations 12`";
    assert!(notes.contains(against), "{notes}");
}

// attack(trust): a workspace of another tool starts a program of the repository; a person looks first at what an import would take
// holds: what would be left out, and what is not trusted, is said before anything is taken, and the same when it is
#[test]
fn what_is_to_be_known_before_an_import_is_said_by_its_dry_run() {
    let env = of_fresher();
    env.write(
        "claude-iterate/workspaces/w/.metadata.json",
        r#"{"name":"w","mode":"loop","config":{"claude":{"command":"./agent.sh","args":["--dangerously-skip-permissions"]}}}"#,
    );
    env.write("claude-iterate/workspaces/w/INSTRUCTIONS.md", "Port it.\n");
    env.write("claude-iterate/workspaces/torn/.metadata.json", "{");
    env.write("agent.sh", "#!/bin/sh\n");
    let hook = env.write(".fresher/hooks/started", "#!/bin/sh\nsh ./agent.sh\n");
    std::fs::set_permissions(hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let (looked, warned) = said(&env, &["--dry-run"]);
    assert!(!env.project().join(".windlass").exists());
    assert!(
        looked.to_string().contains("beware: `--dangerously-skip-permissions` of claude.args"),
        "{looked}"
    );
    let (done, warned_then) = said(&env, &[]);
    assert_eq!(looked, done);
    let things = |said: &str| {
        let (_, rest) = said.split_once("would have Windlass start ").unwrap_or_else(|| panic!("{said}"));
        rest.split_once(" that you have not trusted").unwrap().0.to_owned()
    };
    assert_eq!(things(&warned), things(&warned_then));
    assert_ne!(things(&warned), "1 thing", "the hook, the agent, and what they start");
}

// rows: 129
#[test]
fn of_two_plans_the_one_that_is_read_is_said() {
    let env = of_fresher();
    env.write("impl/README.md", "# Plan\n");
    let note = |items: &serde_json::Value, name: &str| {
        let item = items.as_array().unwrap().iter().find(|item| item["name"] == name).unwrap();
        (item["to"].is_null(), item["notes"][0].as_str().unwrap().to_owned())
    };
    let (items, _) = said(&env, &["--dry-run"]);
    let instead = "it is not read: impl/README.md is there, which is read instead (plan.folder)";
    assert_eq!(note(&items, "IMPLEMENTATION_PLAN.md"), (true, instead.to_owned()));
    assert_eq!(note(&items, "impl/README.md"), (false, "it is read where it is (plan.folder)".to_owned()));
    env.write(".windlass/config.toml", "# mine\n");
    let (items, _) = said(&env, &["--dry-run"]);
    let file = note(&items, "IMPLEMENTATION_PLAN.md");
    assert_eq!(file, (false, "it is read where it is (plan.file)".to_owned()));
    let folder = "it is not read until `windlass config set plan.folder impl`; IMPLEMENTATION_PLAN.md is read (plan.file)";
    assert_eq!(note(&items, "impl/README.md"), (true, folder.to_owned()));
}

// rows: 129
#[test]
fn what_a_ralph_loop_left_in_the_root_is_named() {
    let env = TestEnv::with_git();
    env.write(".ralphrc", "MAX=3\n");
    env.write("fix_plan.md", "- [ ] one\n");
    env.write("PROMPT.md", "Do it.\n");
    let told = told(&env, &["import"]).split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in ["windlass build -f fix_plan.md", "windlass run -f PROMPT.md"] {
        assert!(told.contains(sentence), "{told}");
    }
}
