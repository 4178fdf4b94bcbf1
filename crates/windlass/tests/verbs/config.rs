//! `config`: what holds and who said it, and one value of a file changed while the rest of it stays.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::Value;
use windlass_testkit::environment::{Outcome, Running, TestEnv};

use super::{PATIENCE, ask, document, told, windlass};

const FILE: &str = ".windlass/config.toml";

/// A file as a person wrote it.
const MINE: &str = "# How we work here.\r\n[limits]\r\n  max_cost = 5   # dollars, as agreed\r\n\r\n[gates]\r\ncommands = [\r\n\t'make test', # fast\r\n]\r\n# the end\r\n";

fn project() -> TestEnv {
    let env = TestEnv::new();
    env.write(FILE, MINE);
    env
}

fn file(env: &TestEnv) -> String {
    fs::read_to_string(env.project().join(FILE)).unwrap()
}

fn refused(outcome: &Outcome, sentence: &str) {
    assert_eq!(outcome.code, Some(2), "{}{}", outcome.stdout_text(), outcome.stderr_text());
    assert!(outcome.stderr_text().contains(sentence), "{sentence}: {}", outcome.stderr_text());
}

// rows: 125
#[test]
fn one_value_changes_and_every_other_byte_stays() {
    let env = project();
    told(&env, &["config", "set", "limits.max_cost", "7.5"]);
    assert_eq!(file(&env), MINE.replace("max_cost = 5 ", "max_cost = \"7.5\" "));
    told(&env, &["config", "set", "limits.max_cost", "5"]);
    assert_eq!(file(&env), MINE);
    told(&env, &["config", "set", "gates.commands", "--add", "make lint", "--add", "make test"]);
    assert_eq!(file(&env), MINE.replace("# fast\r\n", "# fast\r\n\t\"make lint\",\r\n"));
    told(&env, &["config", "set", "gates.commands", "--remove", "make lint"]);
    assert_eq!(file(&env), MINE);
    told(&env, &["config", "unset", "limits.max_cost"]);
    assert_eq!(file(&env), MINE.replace("  max_cost = 5   # dollars, as agreed\r\n", ""));
}

// rows: 125
#[test]
fn a_list_that_has_to_hold_something_begins_with_what_is_added() {
    let env = TestEnv::new();
    told(&env, &["config", "set", "agent.use", "--add", "claude"]);
    assert_eq!(file(&env), "[agent]\nuse = [\"claude\"]\n");
    refused(
        &ask(&env, &["config", "set", "agent.use", "--remove", "claude"]),
        "`agent.use`: it names no agent",
    );
    // As a person may write it.
    env.write(FILE, "[agent]\nuse = \"claude, codex\"\n");
    told(&env, &["config", "set", "agent.use", "--add", "codex-exec:o3"]);
    assert_eq!(file(&env), "[agent]\nuse = [\"claude\", \"codex\", \"codex-exec:o3\"]\n");
}

#[test]
fn what_several_add_at_once_is_all_there() {
    let env = TestEnv::new();
    env.write(FILE, "# mine\n");
    let value = |number: u32| format!("make part-{number}");
    let begin = |number| {
        Running::start(&mut windlass(&env, &["config", "set", "gates.commands", "--add", &value(number)]))
    };
    let all: Vec<Running> = (0..12).map(begin).collect();
    for one in all {
        one.wait(PATIENCE).expect_success("config set");
    }
    let said = file(&env);
    assert!((0..12).all(|number| said.contains(&format!("\"{}\"", value(number)))), "{said}");
}

// rows: 123, 124, 125
#[test]
fn each_scope_has_its_file_and_get_says_whose_value_holds() {
    let env = TestEnv::new();
    fs::create_dir_all(env.project().join(".windlass/workspaces/api")).unwrap();
    for (scope, value) in [(&["--global"][..], "1"), (&["--project"], "2"), (&["-w", "api"], "3")] {
        told(&env, &[&["config", "set", "limits.max_failures", value], scope].concat());
    }
    assert_eq!(told(&env, &["config", "get", "limits.max_failures"]), "2\n");
    assert_eq!(told(&env, &["config", "get", "limits.max_failures", "-w", "api"]), "3\n");
    let value = document(&env, &["config", "get", "limits.max_failures", "-w", "api", "--json"]);
    assert_eq!(value["origin"]["layer"], "workspace");
    assert!(value["origin"]["file"].as_str().unwrap().ends_with(".windlass/workspaces/api/config.toml"));
    let mut command = windlass(&env, &["config", "get", "limits.max_failures", "--origin"]);
    let outcome = env.run(command.env("WINDLASS_LIMITS__MAX_FAILURES", "4"), PATIENCE);
    assert_eq!(outcome.stdout_text(), "4\nfrom WINDLASS_LIMITS__MAX_FAILURES\n");
    told(&env, &["config", "unset", "limits.max_failures"]);
    assert_eq!(told(&env, &["config", "get", "limits.max_failures"]), "1\n");
    let nothing = ask(&env, &["config", "get", "limits.max_tokens"]);
    assert_eq!((nothing.code, nothing.stdout_text().as_str()), (Some(1), ""));
    let files = document(&env, &["config", "path", "--json", "-w", "api"]);
    let states: Vec<_> = files["files"].as_array().unwrap().iter().map(|file| &file["layer"]).collect();
    assert_eq!(states, ["workspace", "project", "user"]);
}

// A workspace that says nothing follows the project and the user when they change.
#[test]
fn a_workspace_holds_overrides_only() {
    let env = TestEnv::new();
    fs::create_dir_all(env.project().join(".windlass/workspaces/api")).unwrap();
    told(&env, &["config", "set", "-w", "api", "clocks.delay", "9s"]);
    let own = fs::read_to_string(env.project().join(".windlass/workspaces/api/config.toml")).unwrap();
    assert_eq!(own, "[clocks]\ndelay = \"9s\"\n");
    for value in ["7", "8"] {
        told(&env, &["config", "set", "limits.max_iterations", value]);
        assert_eq!(
            told(&env, &["config", "get", "limits.max_iterations", "-w", "api"]),
            format!("{value}\n")
        );
    }
}

// rows: 62, 125
#[test]
fn wrong_keys_and_values_are_refused_and_change_nothing() {
    let env = project();
    for (arguments, sentence) in [
        (&["limits.max_cots", "1"][..], "unknown key `limits.max_cots`; did you mean `limits.max_cost`?"),
        (&["limits.max_cost", "much"], "`much` is not an amount in dollars"),
        (&["limits.max_duration", "90"], "`90` has no unit; write `90s`, `90m` or `90h`"),
        (&["limits.max_cost", "1", "2"], "`limits.max_cost` holds one value, not 2"),
        (
            &["limits.max_cost", "--add", "1"],
            "`limits.max_cost` takes a single value: --add and --remove are for lists",
        ),
        (&["gates.commands", "--remove", "make"], "`make` is not in `gates.commands`"),
        (&["notify.events", "eror"], "there is no event `eror`; did you mean `error`?"),
        (&["agent.use", "claude", "nonsense"], "`nonsense` is not an agent that windlass knows"),
        (&["agent.use", "--add", "nonsense:opus"], "`nonsense` is not an agent that windlass knows"),
        (&["agent.use", "claude,codex-exec"], "`claude,codex-exec` is not an agent that windlass knows"),
        (&["review.agent", "nonsense"], "`nonsense` is not an agent that windlass knows"),
        (&["agent.skip_permissions", "true"], "skipping permissions is never saved"),
        (&["limits.max_cost", "1", "-w", "none"], "there is no workspace `none`"),
        (&["limits.max_cost", "1", "-w", "../x"], "../x"),
    ] {
        refused(&ask(&env, &[&["config", "set"], arguments].concat()), sentence);
    }
    refused(&ask(&env, &["config", "unset", "no.key"]), "unknown key `no.key`");
    refused(&ask(&env, &["config", "get", "no.key"]), "unknown key `no.key`");
    assert_eq!(file(&env), MINE);
}

#[test]
fn a_broken_file_is_named_with_its_line_and_left_alone() {
    let env = TestEnv::new();
    for (content, sentence) in [
        (&b"[limits\nmax_cost = 1"[..], "config.toml:1: "),
        (b"[limits]\nmax_cost = 1\n[limits]\n", "config.toml:3: "),
        (b"[limits]\nmax_cost = ", "config.toml:2: "),
        (b"# \xe4\n", "config.toml:1: the file is not UTF-8 text"),
        (b"\xff\xfe[\0l\0", "config.toml:1: the file is not UTF-8 text"),
        (&vec![b'#'; 1 << 21], "longer than 1 MiB"),
    ] {
        let path = env.write(FILE, content);
        for arguments in [&["set", "limits.max_cost", "2"][..], &["unset", "limits.max_cost"], &["list"]] {
            refused(&ask(&env, &[&["config"], arguments].concat()), sentence);
        }
        assert_eq!(fs::read(path).unwrap(), content);
    }
    fs::remove_file(env.project().join(FILE)).unwrap();
    symlink("nowhere.toml", env.project().join(FILE)).unwrap();
    refused(
        &ask(&env, &["config", "set", "limits.max_cost", "2"]),
        "a link to nowhere.toml, which is not there",
    );
    fs::remove_file(env.project().join(FILE)).unwrap();
    fs::create_dir(env.project().join(FILE)).unwrap();
    refused(&ask(&env, &["config", "set", "limits.max_cost", "2"]), "config.toml is not a file");
}

#[test]
fn a_file_with_a_wrong_value_is_mended_value_by_value() {
    let env = TestEnv::new();
    env.write(FILE, "[limits]\nmax_cost = 'x'\nmax_cots = 1\n");
    let outcome = ask(&env, &["config", "set", "limits.max_cost", "2"]);
    outcome.expect_success("the value can be fixed");
    assert!(outcome.stderr_text().contains("config.toml:3: unknown key"), "{}", outcome.stderr_text());
    told(&env, &["config", "unset", "limits.max_cots"]);
    assert_eq!(file(&env), "[limits]\nmax_cost = 2\n");
    told(&env, &["config", "list"]);
}

#[test]
fn permissions_and_links_stay() {
    let env = project();
    let path = env.project().join(FILE);
    let real = env.project().join("shared.toml");
    fs::rename(&path, &real).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("../shared.toml", &path).unwrap();
    told(&env, &["config", "set", "limits.max_cost", "6"]);
    assert!(path.symlink_metadata().unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::read_to_string(&real).unwrap().contains("max_cost = 6 "));
}

#[test]
fn a_secret_is_kept_from_eyes_and_from_the_repository() {
    let env = TestEnv::new();
    let outcome = ask(&env, &["config", "set", "notify.secret", "hunter2"]);
    assert!(outcome.stderr_text().contains("may be committed"), "{}", outcome.stderr_text());
    assert!(outcome.stderr_text().contains("WINDLASS_NOTIFY__SECRET"));
    let path = env.project().join(FILE);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(file(&env).contains("hunter2"));
    for arguments in [
        &["config", "list"][..],
        &["config", "list", "--json"],
        &["config", "get", "notify.secret", "--json"],
        &["config", "set", "notify.secret", "hunter2"],
        &["config", "unset", "notify.secret", "--user"],
        &["run", "-p", "x", "--mock", "--dry-run"],
        &["doctor"],
    ] {
        let outcome = ask(&env, arguments);
        let said = outcome.stdout_text() + &outcome.stderr_text();
        assert!(!said.contains("hunter2"), "{arguments:?}: {said}");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let outcome = ask(&env, &["config", "set", "notify.secret", "other"]);
    assert!(outcome.stderr_text().contains("chmod 600"), "{}", outcome.stderr_text());
}

#[test]
fn agents_and_gates_do_not_get_the_secret() {
    let env = TestEnv::new();
    let gate = "test -z \"$WINDLASS_NOTIFY__SECRET\" || { echo leaked; exit 1; }";
    let arguments = ["run", "-p", "x", "--mock", "--no-delay", "-m", "1", "--json", "--gate", gate];
    let mut command = windlass(&env, &arguments);
    let outcome = env.run(command.env("WINDLASS_NOTIFY__SECRET", "hunter2"), PATIENCE);
    let gates: Vec<Value> =
        outcome.json_lines().into_iter().filter(|line| line["type"] == "gate_finished").collect();
    assert!(!gates.is_empty(), "{}", outcome.stderr_text());
    assert!(gates.iter().all(|gate| gate["result"] == "passed"), "{gates:?}");
}

#[test]
fn inside_a_run_the_configuration_is_read_only() {
    let env = project();
    for (arguments, code) in [
        (&["set", "limits.max_cost", "9"][..], Some(2)),
        (&["unset", "limits.max_cost"], Some(2)),
        (&["get", "limits.max_cost"], Some(0)),
        (&["list"], Some(0)),
    ] {
        let mut command = windlass(&env, &[&["config"], arguments].concat());
        let outcome = env.run(command.env("WINDLASS_RUN", "r-12345678"), PATIENCE);
        assert_eq!(outcome.code, code, "{arguments:?}: {}", outcome.stderr_text());
    }
    assert_eq!(file(&env), MINE);
}

#[test]
fn what_goes_before_a_new_value_is_said() {
    let env = project();
    let outcome = ask(&env, &["config", "set", "--user", "limits.max_cost", "1"]);
    assert!(outcome.stderr_text().contains("the project's file overrides yours here"));
    let mut command = windlass(&env, &["config", "set", "limits.max_cost", "1"]);
    let outcome = env.run(command.env("WINDLASS_LIMITS__MAX_COST", "2"), PATIENCE);
    assert!(outcome.stderr_text().contains("WINDLASS_LIMITS__MAX_COST is set in your environment"));
    let outcome = ask(&env, &["config", "set", "notify.events", "--remove", "error"]);
    assert!(outcome.stderr_text().contains("begins with what held until now (default)"));
}

// rows: 62
#[test]
fn every_key_is_listed_with_its_default() {
    let env = TestEnv::new();
    let keys = document(&env, &["config", "keys", "--json"]);
    let listed = document(&env, &["config", "list", "--json"]);
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|one| one["key"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&keys["keys"]), names(&listed["values"]));
    assert!(told(&env, &["config", "list", "--set"]).starts_with("nothing is set"));
    let text = told(&env, &["config", "keys"]);
    assert!(text.contains("limits.max_iterations  50; iterative 20"), "{text}");
}

// rows: 123
// Seed defect D2, src/config.rs:153-157, 167-171, 213-217: wrong numbers and switches were ignored.
#[test]
fn variables_of_fresher_are_a_layer_below_ours() {
    let env = TestEnv::with_git();
    let asked = |variables: &[(&str, &str)]| {
        let mut command = windlass(&env, &["config", "list"]);
        command.envs(variables.iter().copied());
        env.run(&mut command, PATIENCE)
    };
    env.write(".windlass/config.toml", "[agent]\nmodel = \"haiku\"\nmax_turns = 3\n");
    let said = asked(&[
        ("FRESHER_MODEL", "opus"),
        ("FRESHER_MAX_TURNS", "7"),
        ("WINDLASS_AGENT__MAX_TURNS", "9"),
        ("FRESHER_MAX_ITERATIONS", "0"),
    ]);
    said.expect_success("variables");
    let values: Vec<String> = said
        .stdout_text()
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let holds = |line: &str| assert!(values.iter().any(|value| value == line), "{line}: {values:#?}");
    holds("model \"opus\" environment");
    holds("max_turns 9 environment");
    holds("max_iterations 50 default");
    let notices = said.stderr_text();
    assert!(notices.contains("taken from the environment: FRESHER_MAX_TURNS"), "{notices}");
    assert!(notices.contains("WINDLASS_LIMITS__MAX_ITERATIONS=0"), "{notices}");

    let wrong = asked(&[("FRESHER_MAX_TURNS", "many"), ("FRESHER_SMART_TERMINATION", "maybe")]);
    wrong.expect_code(2, "wrong values");
    for name in ["FRESHER_MAX_TURNS: ", "FRESHER_SMART_TERMINATION: "] {
        assert!(wrong.stderr_text().contains(name), "{}", wrong.stderr_text());
    }
    // Those that a run's hooks are given are none of its configuration.
    let inside = asked(&[("FRESHER_MAX_TURNS", "many"), ("FRESHER_MODEL", "opus"), ("WINDLASS_RUN", "r-1")]);
    inside.expect_success("within a run");
    assert!(inside.stderr_text().is_empty(), "{}", inside.stderr_text());
}

// A network that is off without a sandbox is refused where something would run, and nowhere else.
#[test]
fn verbs_that_only_look_do_not_ask_for_a_sandbox() {
    let env = TestEnv::with_git();
    env.write(".windlass/config.toml", "[sandbox]\nnetwork = 'off'\n");
    env.write("requirements.md", "### T001: First\n- **Status**: pending\n");
    for looks in [&["hooks"][..], &["tasks", "list"], &["config", "list"], &["runs"], &["status"]] {
        let outcome = ask(&env, looks);
        assert!(!outcome.stderr_text().contains("without a sandbox"), "{looks:?}: {}", outcome.stderr_text());
    }
    let refused = ask(&env, &["run", "-p", "Work", "--dry-run", "--mock"]);
    refused.expect_code(2, "a run");
    assert!(refused.stderr_text().contains("without a sandbox"), "{}", refused.stderr_text());
}
