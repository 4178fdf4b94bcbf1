//! Verbs beside `run` that start what a repository names, and what is trusted since a person had windlass write it.

use std::fs;

use serde_json::Value;
use windlass_testkit::environment::PersonsTerminal;
use windlass_testkit::{Outcome, TestEnv};

use crate::night::{Night, PATIENCE, every_call};

const IDLE: &str = "{ result = { text = \"Nothing to do.\" } }";

fn night(configuration: &str) -> Night {
    let env = TestEnv::with_git();
    env.write(".windlass/config.toml", configuration);
    Night::within(env, &every_call(IDLE))
}

/// windlass where nothing is trusted on the way.
fn ask(night: &Night, words: &[&str]) -> Outcome {
    night.env.run(night.env.command(env!("CARGO_BIN_EXE_windlass")).args(words), PATIENCE)
}

fn run(night: &Night, more: &[&str]) -> Outcome {
    let mock = format!("--mock={}", night.script.display());
    ask(
        night,
        &[&["run", "-p", "Work", "--no-delay", "-m", "1", "--fresh", "--allow-dirty", &mock], more].concat(),
    )
}

fn hash(night: &Night) -> String {
    let listed: Value = serde_json::from_slice(&ask(night, &["trust", "--json"]).stdout).unwrap();
    listed["hash"].as_str().unwrap().to_owned()
}

fn was_started(night: &Night) -> bool {
    night.env.project().join("started").exists()
}

/// Engines that leave a trace and make everything that they are asked for.
fn engines(night: &Night) {
    for engine in ["docker", "podman"] {
        let text = "#!/bin/sh\ncase \"$*\" in *ServerVersion*|*Version.Version*) echo '4.3.1|true|false|[]'; exit 0;; *build*) touch \"$TRACE\"; exit 0;; *inspect*) exit 1;; esac\n";
        let path = night.env.write(night.env.root().join("engines").join(engine), text);
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
}

const VERBS: [(&str, &[&str]); 5] = [
    ("[hooks]\nstarted = \"touch started\"\n", &["hooks", "test", "started"]),
    ("[notify]\ncommand = \"touch started\"\n", &["notify", "test"]),
    ("[sandbox]\nkind = \"bwrap\"\nwritable = [\"/opt\"]\n", &["sandbox", "shell", "--", "touch", "started"]),
    (
        "[sandbox]\nkind = \"landlock\"\nwritable = [\"/opt\"]\n",
        &["sandbox", "shell", "--", "touch", "started"],
    ),
    ("[gates]\ncommands = [\"touch started\"]\n", &["run", "-p", "Work", "--mock", "-m", "1", "--no-delay"]),
];

// attack(trust): what a repository names is tried by hand before anybody has looked at it: a hook, a command that tells
//   somebody, a shell in the sandbox that its configuration opens.
// holds: `hooks test`, `notify test` and `sandbox shell` start nothing without a yes; without a terminal they end with exit
//   code 2 and print the same command with the hash that trusts it, which then goes on.
#[test]
fn every_verb_that_starts_something_takes_the_hash() {
    for (configuration, words) in VERBS {
        let night = night(configuration);
        let refused = ask(&night, words);
        let said = refused.stderr_text();
        assert_eq!(refused.code, Some(2), "{words:?}: {said}");
        assert!(said.contains("that you have not trusted") && !was_started(&night), "{words:?}: {said}");
        let flag = format!("--trust={}", hash(&night));
        let typed = said.split("Without a terminal: windlass ").nth(1).and_then(|rest| rest.lines().next());
        assert!(typed.is_some_and(|typed| typed.contains(&flag)), "{words:?}: {said}");
        let other = ask(&night, &with_flag(words, &format!("--trust={}", "0".repeat(32))));
        assert!(other.code == Some(2) && !was_started(&night), "{words:?}: {}", other.stderr_text());
        let trusted = ask(&night, &with_flag(words, &flag));
        assert!(was_started(&night), "{words:?}: {}", trusted.stderr_text());
        // Once per content.
        let again = ask(&night, words);
        assert!(!again.stderr_text().contains("not trusted"), "{words:?}: {}", again.stderr_text());
    }
}

/// The flag stands before what goes to another program.
fn with_flag<'a>(words: &[&'a str], flag: &'a str) -> Vec<&'a str> {
    let at = words.iter().position(|word| *word == "--").unwrap_or(words.len());
    let (before, after) = words.split_at(at);
    [before, &[flag], after].concat()
}

#[test]
fn a_person_at_a_terminal_is_asked_by_each_of_them() {
    for (configuration, words) in &VERBS[..2] {
        let night = night(configuration);
        let start = || PersonsTerminal::start(night.env.command(env!("CARGO_BIN_EXE_windlass")).args(*words));
        let mut refusing = start();
        refusing.wait_for("Trust it?");
        refusing.press("\r");
        assert_eq!(refusing.wait(), 2, "{}", refusing.text());
        assert!(!was_started(&night), "{words:?}");
        let mut trusting = start();
        trusting.wait_for("Trust it?");
        trusting.press("y\r");
        trusting.wait();
        assert!(was_started(&night), "{words:?}: {}", trusting.text());
    }
}

// attack(trust): a repository brings a Dockerfile of its own for the sandbox, whose commands run when the image is made.
// holds: `sandbox build` makes nothing of it before a person has said yes; one that `sandbox init` wrote at a person's
//   command is not asked for, until somebody changes it.
#[test]
fn an_image_is_made_of_what_a_person_has_seen() {
    let night = night("");
    engines(&night);
    let trace = night.env.root().join("built");
    let build = |more: &[&str]| {
        let mut command = night.env.command(env!("CARGO_BIN_EXE_windlass"));
        let path = format!("{}:/usr/bin:/bin", night.env.root().join("engines").display());
        command.args(["sandbox", "build", "--engine", "podman"]).args(more);
        night.env.run(command.env("PATH", path).env("TRACE", &trace), PATIENCE)
    };
    night.env.write(".windlass/sandbox/Dockerfile", "FROM scratch\nRUN evil\n");
    let refused = build(&[]);
    let said = refused.stderr_text();
    assert!(refused.code == Some(2) && said.contains(".windlass/sandbox/Dockerfile"), "{said}");
    assert!(said.contains(&format!("--trust={}", hash(&night))) && !trace.exists(), "{said}");
    let trusted = build(&[&format!("--trust={}", hash(&night))]);
    assert!(trace.exists(), "trusted, it is made: {}", trusted.stderr_text());
    fs::remove_file(&trace).unwrap();
    ask(&night, &["trust", "--revoke"]).expect_success("revoke");

    // What is left alone is not trusted; what a person had written is.
    assert_eq!(ask(&night, &["sandbox", "init"]).code, Some(1));
    assert!(build(&[]).code == Some(2) && !trace.exists());
    ask(&night, &["sandbox", "init", "--force"]).expect_success("sandbox init --force");
    let own = build(&[]);
    assert!(trace.exists(), "{}", own.stderr_text());
    night.env.write(".windlass/sandbox/Dockerfile", "FROM scratch\nRUN evil\n");
    assert_eq!(build(&[]).code, Some(2));
}

// attack(trust): a person adds a gate of theirs to the list of gates that a repository brought.
// holds: only the one that was typed is trusted; the others are asked for.
#[test]
fn adding_to_a_list_trusts_what_was_typed_and_nothing_else() {
    let night = night("[gates]\ncommands = [\"touch started\"]\n");
    ask(&night, &["config", "set", "gates.commands", "--add", "sh mine.sh"]).expect_success("config set");
    night.env.write("mine.sh", "true\n");
    let said = run(&night, &[]).stderr_text();
    assert!(said.contains("touch started") && !said.contains("sh mine.sh  ("), "{said}");
    assert!(!was_started(&night), "{said}");
    // Typed as a whole, all of it is theirs.
    ask(&night, &["config", "set", "gates.commands", "touch started"]).expect_success("config set");
    run(&night, &[]);
    assert!(was_started(&night));
}

#[test]
fn what_init_wrote_at_a_persons_command_is_trusted() {
    let night = night("");
    let words = ["init", "api", "--notify-url", "http://127.0.0.1:9/topic", "-m", "3"];
    ask(&night, &words).expect_success("init");
    let listed = ask(&night, &["trust", "--list"]);
    assert_eq!(listed.code, Some(0), "{}", listed.stdout_text());
    assert!(listed.stdout_text().contains("notify.url"), "{}", listed.stdout_text());
    // Somebody else's workspace is not, though `init` completes it.
    let other = TestEnv::with_git();
    other.write(".windlass/workspaces/api/config.toml", "[notify]\nurl = \"http://127.0.0.1:9/topic\"\n");
    let other = Night::within(other, &every_call(IDLE));
    ask(&other, &["init", "api"]).expect_success("init");
    assert_eq!(ask(&other, &["trust", "--list"]).code, Some(1));
}

// attack(trust): a gate was trusted, a run began with it, and then the trust was taken back; the run is resumed.
// holds: the gate of the repository is not a gate that a person typed: it is asked for again.
#[test]
fn a_run_is_not_resumed_with_what_is_no_longer_trusted() {
    let night = night("[gates]\ncommands = [\"touch started\"]\n");
    run(&night, &[&format!("--trust={}", hash(&night))]);
    fs::remove_file(night.env.project().join("started")).unwrap();
    ask(&night, &["trust", "--revoke"]).expect_success("revoke");
    let folder = night.folder();
    let begun = folder.file_name().unwrap().to_str().unwrap();
    let refused = ask(&night, &["resume", begun, "-m", "3", "--no-delay"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr_text());
    assert!(
        refused.stderr_text().contains("touch started") && !was_started(&night),
        "{}",
        refused.stderr_text()
    );
}

// attack(trust): what is committed holds hooks for the agent that the person's own checkout does not have, so that a lane's
//   fresh checkout brings them in behind the question
// holds: each lane's call goes without the repository's settings, and it is said why
#[test]
fn a_lane_brings_in_nothing_that_was_not_asked_for() {
    let env = TestEnv::with_git();
    let hook =
        r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch hooked"}]}]}}"#;
    env.write(".claude/settings.json", hook);
    env.write("requirements.md", "# Tasks\n\n### TASK-1: One\n- **Status**: pending\n");
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Tasks"]);
    // As in a sparse checkout: git sees no change.
    env.git(&["update-index", "--skip-worktree", ".claude/settings.json"]);
    fs::remove_dir_all(env.project().join(".claude")).unwrap();
    let called = env.root().join("called");
    let agent = format!(
        "#!/bin/sh\ncase \"$*\" in *--version*) echo '2.1.330 (Claude Code)'; exit;; esac\necho \"$* \" >> '{}'\n",
        called.display()
    );
    let program = env.write(env.root().join("claude"), agent);
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let words = ["run", "--mode", "tasks", "-j", "2", "-m", "1", "--no-delay"];
    let mut command = env.command(env!("CARGO_BIN_EXE_windlass"));
    command.args(words).env("WINDLASS_AGENT__COMMAND", &program);
    let outcome = env.run(&mut command, PATIENCE);
    let said = outcome.stdout_text() + &outcome.stderr_text();
    let calls = fs::read_to_string(&called).unwrap_or_default();
    let in_lanes: Vec<&str> = calls.lines().filter(|line| line.contains("stream-json")).collect();
    assert!(!in_lanes.is_empty(), "{said}\n{calls}");
    assert!(in_lanes.iter().all(|line| line.contains("--setting-sources user")), "{calls}");
    assert!(said.contains("left out from now on") && said.contains("hooks.SessionStart"), "{said}");
}

// attack(trust): a configuration that nobody can read, while somebody asks what it starts
// holds: it is an error with its line, and no word that nothing is started
#[test]
fn what_a_broken_configuration_starts_is_not_said_to_be_nothing() {
    let night = Night::with_git(&every_call("{ say = 'x' }"));
    night.env.write(".windlass/config.toml", "[gates]\ncommands = ['sh evil.sh']\n[gates]\n");
    for arguments in [&["trust", "--list"][..], &["trust"], &["trust", "--json"]] {
        let refused = night.env.run(&mut night.windlass(arguments), PATIENCE);
        refused.expect_code(2, &arguments.join(" "));
        let said = refused.stdout_text() + &refused.stderr_text();
        assert!(said.contains("what .windlass/config.toml starts cannot be told"), "{said}");
        assert!(!said.contains("start nothing"), "{said}");
    }
}
