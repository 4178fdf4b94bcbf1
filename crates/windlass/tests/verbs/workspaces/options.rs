//! What can be given to `init`, and what is made of it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use windlass_testkit::environment::TestEnv;

use super::super::{ask, document, told};
use super::{folder, metadata, refused};

// rows: 126
// Seed defect D1, core/workspace.ts:65: `--delay 0` was ignored.
// Seed defect D1, core/config-manager.ts:242: every default was stored.
#[test]
fn exactly_what_was_given_is_written_a_delay_of_nothing_too() {
    let env = TestEnv::with_git();
    told(&env, &["init", "bare"]);
    assert!(!env.read(folder(&env, "bare").join("config.toml")).contains('='));
    let text = told(
        &env,
        &[
            "init",
            "full",
            "--mode",
            "iterative",
            "-m",
            "7",
            "-d",
            "0",
            "--stagnation-threshold",
            "0",
            "--notify-url",
            "https://ntfy.example/topic",
            "--notify-events",
            "completion, error",
        ],
    );
    assert!(
        text.contains("workspace full is made · iterative") && text.contains("windlass setup full"),
        "{text}"
    );
    let config = env.read(folder(&env, "full").join("config.toml"));
    let lines: Vec<&str> = config.lines().filter(|line| line.contains('=')).collect();
    assert_eq!(
        lines,
        [
            "delay = 0",
            "max_iterations = 7",
            "stagnation_threshold = 0",
            "events = [\"completion\", \"error\"]",
            "url = \"https://ntfy.example/topic\"",
        ]
    );
    assert_eq!(metadata(&env, "full")["mode"], "iterative");
    assert!(!metadata(&env, "full").as_object().unwrap().contains_key("maxIterations"));
    let shown = document(&env, &["show", "full", "--json"]);
    let keys: Vec<_> = shown["options"].as_array().unwrap().iter().map(|option| &option["key"]).collect();
    assert_eq!(keys, ["limits.max_iterations", "limits.stagnation_threshold", "clocks.delay"]);
    // Whoever knows a topic can read along.
    assert!(!shown.to_string().contains("topic"), "{shown}");
}

// rows: 126
// Seed defect D1, commands/run.ts:28: options were read by bare parseInt, repeated ones with a wrong base.
// Seed defect D1, commands/init.ts:48: a mode typo became loop.
#[test]
fn what_is_no_value_is_refused_and_nothing_is_made() {
    let env = TestEnv::with_git();
    for (arguments, said) in [
        (&["--mode", "lop"][..], "--mode cannot be `lop`: loop, iterative"),
        (&["--mode", "goal"], "--mode cannot be `goal`: loop, iterative"),
        (&["-m", "abc"], "--max-iterations: expected a whole number"),
        (&["-m", "1e3"], "--max-iterations: expected a whole number"),
        (&["-m", "3", "-m", "4"], "--max-iterations was typed twice"),
        (&["-d", "-1"], "--delay"),
        (&["-d", "soon"], "--delay"),
        (&["--stagnation-threshold", "two"], "--stagnation-threshold: expected a whole number"),
        (&["--notify-url", "ntfy.example/topic"], "--notify-url"),
        (&["--notify-events", "completion,errr"], "did you mean `error`?"),
    ] {
        let all: Vec<&str> = ["init", "x"].iter().chain(arguments).copied().collect();
        let sentence = refused(&env, &all);
        assert!(sentence.contains(said), "{arguments:?}: {sentence}");
        assert!(!env.project().join(".windlass").exists(), "{arguments:?}");
    }
    refused(&env, &["init", "--mode", "loop"]);
}

// rows: 129, 126
#[test]
fn what_is_there_is_adopted_and_never_replaced() {
    let env = TestEnv::with_git();
    env.write(".windlass/workspaces/old/INSTRUCTIONS.md", "Do it.\r\n");
    env.write(".windlass/workspaces/old/TODO.md", "- [x] one\r\n- [ ] two\r\n");
    env.write(
        ".windlass/workspaces/old/.metadata.json",
        "\u{feff}{\"name\":\"old\",\"mode\":\"iterative\",\"status\":\"in_progress\",\"executionIterations\":4,\
         \"totalIterations\":4,\"maxIterations\":9,\"delay\":2,\"stagnationThreshold\":2,\"mine\":[1]}\r\n",
    );
    let text = told(&env, &["init", "old"]);
    assert!(text.contains("adopted") && text.contains("limits.max_iterations"), "{text}");
    assert_eq!(env.read(folder(&env, "old").join("INSTRUCTIONS.md")), "Do it.\r\n");
    assert!(env.read(folder(&env, "old").join("config.toml")).ends_with("[limits]\nmax_iterations = 9\n"));
    assert_eq!(metadata(&env, "old")["mine"][0], 1);
    let shown = document(&env, &["show", "old", "--json"]);
    assert_eq!((&shown["mode"], &shown["execution_iterations"]), (&"iterative".into(), &4.into()));
    assert_eq!((&shown["remaining"], &shown["has_instructions"]), (&1.into(), &true.into()));

    let again = told(&env, &["init", "old"]);
    assert!(again.contains("complete; nothing was missing"), "{again}");
    let sentence = refused(&env, &["init", "old", "-m", "10"]);
    assert!(
        sentence.contains("has options already") && sentence.contains("windlass config set"),
        "{sentence}"
    );
    assert!(
        told(&env, &["init", "old", "--mode", "loop"]).contains("the mode was iterative; it is loop now")
    );
}

// rows: 129
#[test]
fn the_project_gets_a_folder_of_its_own_once() {
    let env = TestEnv::with_git();
    env.write(".windlass/prompts/loop.md", "mine");
    let text = told(&env, &["init"]);
    assert!(text.contains(".windlass is ready"), "{text}");
    let config = env.read(".windlass/config.toml");
    assert!(config.contains("\n# max_iterations = 50\n"), "{config}");
    env.write(".windlass/config.toml", "[limits]\nmax_iterations = 3\n");
    assert!(told(&env, &["init"]).contains("nothing was missing"));
    assert_eq!(env.read(".windlass/config.toml"), "[limits]\nmax_iterations = 3\n");
    assert_eq!(env.read(".windlass/prompts/loop.md"), "mine");
    // From a folder further down it is the same project.
    env.write("src/deep/file", "");
    told(&env, &["-C", "src/deep", "init", "there"]);
    assert!(folder(&env, "there").is_dir());
}

// rows: 18, 129, 138
// Seed defect D2, src/commands/init.rs:15, 49-82: `--force` replaced edited prompts, hooks and AGENTS.md.
#[test]
fn what_plans_begin_with_is_made_once_and_never_replaced() {
    let env = TestEnv::with_git();
    env.write("package.json", r#"{"scripts": {"test": "node --test"}}"#);
    env.write("App.csproj", "<Project/>");
    let said = told(&env, &["init", "--plan"]);
    for part in
        ["specs/README.md", "AGENTS.md", ".windlass/hooks/finished.sample", "node, dotnet", "windlass plan"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let agents = env.read("AGENTS.md");
    assert!(agents.contains("npm test\ndotnet test\n") && !agents.contains("npm run"), "{agents}");
    let config = env.read(".windlass/config.toml");
    assert!(config.contains("\n# commands = [\"npm test\", \"dotnet test\", "), "{config}");
    let sample = env.project().join(".windlass/hooks/started.sample");
    assert_eq!(fs::metadata(&sample).unwrap().permissions().mode() & 0o111, 0, "a sample is never called");
    assert!(
        !env.project().join("IMPLEMENTATION_PLAN.md").exists(),
        "an empty plan could not be worked through"
    );
    assert!(!env.project().join(".gitignore").exists());

    for file in ["AGENTS.md", "specs/README.md", ".windlass/hooks/started.sample"] {
        env.write(file, "mine");
    }
    env.write("IMPLEMENTATION_PLAN.md", "- [ ] One\n");
    let again = told(&env, &["init", "--plan"]);
    assert!(again.contains("nothing was missing") && again.contains("windlass build"), "{again}");
    for file in ["AGENTS.md", "specs/README.md", ".windlass/hooks/started.sample"] {
        assert_eq!(env.read(file), "mine", "{file}");
    }
    refused(&env, &["init", "--plan", "job"]);
}

// rows: 129
#[test]
fn the_scaffold_goes_where_configuration_says_and_refuses_what_is_in_its_way() {
    let env = TestEnv::with_git();
    env.write(".windlass/config.toml", "[agent]\nagents_file = \"\"\n[plan]\nspecs = \"docs/specs\"\n");
    told(&env, &["init", "--plan"]);
    assert!(!env.project().join("AGENTS.md").exists());
    assert!(env.read("docs/specs/README.md").contains("IMPLEMENTATION_PLAN.md"));

    env.write(".windlass/config.toml", "[plan]\nspecs = \"README.md\"\n");
    let outcome = ask(&env, &["init", "--plan"]);
    outcome.expect_code(1, "a file where a folder has to be");
    assert!(outcome.stderr_text().contains("README.md"), "{}", outcome.stderr_text());
    env.write(".windlass/config.toml", "[plan\n");
    refused(&env, &["init", "--plan"]);
}
