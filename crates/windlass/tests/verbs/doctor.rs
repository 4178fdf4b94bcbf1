//! `doctor`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::Value;
use windlass_testkit::environment::TestEnv;

use super::{PATIENCE, ask, windlass};

/// A program in the place of Claude Code.
fn agent(env: &TestEnv, version: &str, logged_in: bool) -> String {
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo '{version} (Claude Code)'; else echo '{{\"loggedIn\":{logged_in},\"authMethod\":\"oauth_token\"}}'; fi\n"
    );
    let path = env.write(env.root().join("claude"), script);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

fn examine(env: &TestEnv, variables: &[(&str, &str)]) -> (Option<i32>, Value) {
    let mut command = windlass(env, &["doctor", "--json"]);
    let outcome = env.run(command.envs(variables.iter().copied()), PATIENCE);
    (outcome.code, outcome.json_lines().pop().unwrap())
}

fn health<'a>(document: &'a Value, about: &str) -> (&'a str, &'a str) {
    let findings = document["findings"].as_array().unwrap();
    let finding = findings.iter().find(|finding| finding["about"] == about).unwrap_or(&Value::Null);
    let text = |key: &str| finding[key].as_str().unwrap_or_default();
    (text("health"), text("found"))
}

// rows: 34
#[test]
fn a_machine_is_ready_when_a_run_could_start() {
    let env = TestEnv::with_git();
    let claude = agent(&env, "2.1.330", true);
    let (code, document) = examine(&env, &[("WINDLASS_AGENT__COMMAND", &claude)]);
    assert_eq!((code, &document["ready"]), (Some(0), &Value::Bool(true)), "{document:#}");
    for about in ["windlass", "git", "project", "configuration", "agent", "state", "processes"] {
        assert_eq!(health(&document, about).0, "good", "{about}: {document:#}");
    }
    assert!(
        health(&document, "agent").1.contains("2.1.330")
            && health(&document, "agent").1.contains("logged in")
    );
    assert!(health(&document, "sandbox").1.contains("an agent can reach whatever this user can"));
    assert_eq!(health(&document, "API keys"), ("", ""));
    assert!(!env.state().exists());
}

// What is there would be started outside.
#[test]
fn folders_of_programs_that_can_be_written_inside_are_named() {
    let env = TestEnv::with_git();
    let claude = agent(&env, "2.1.330", true);
    let project = env.project().join("node_modules/.bin").display().to_string();
    let path = format!("{project}:/usr/bin:/bin");
    let ready = [("WINDLASS_AGENT__COMMAND", claude.as_str()), ("PATH", path.as_str())];
    let (_, document) = examine(&env, &ready);
    assert_eq!(health(&document, "PATH"), ("", ""), "nothing is locked in");
    let (_, document) = examine(&env, &[ready[0], ready[1], ("WINDLASS_SANDBOX__KIND", "bwrap")]);
    let (found, said) = health(&document, "PATH");
    assert!(found == "doubtful" && said.contains(&project) && !said.contains("/usr/bin"), "{said}");
}

// rows: 34
// Seed defect D1, services/claude-client.ts:320: nobody read the agent's version.
#[test]
fn each_fault_is_named_with_what_to_do() {
    let env = TestEnv::with_git();
    let claude = agent(&env, "2.1.330", true);
    let ready = ("WINDLASS_AGENT__COMMAND", claude.as_str());
    let (code, document) = examine(&env, &[ready, ("WINDLASS_RUN", "r-12345678")]);
    assert_eq!((code, health(&document, "WINDLASS_RUN").0), (Some(1), "bad"));
    let (code, document) = examine(&env, &[ready, ("ANTHROPIC_API_KEY", "secret-key")]);
    assert_eq!((code, health(&document, "API keys").0), (Some(0), "doubtful"));
    assert!(!document.to_string().contains("secret-key"));
    let (code, document) = examine(&env, &[ready, ("WINDLASS_LIMITS__MAX_COTS", "1")]);
    assert_eq!((code, health(&document, "configuration").0), (Some(1), "bad"));
    let (code, document) = examine(&env, &[("WINDLASS_AGENT__COMMAND", "no-such-agent")]);
    assert_eq!((code, health(&document, "agent").0), (Some(1), "bad"));
    let (_, document) = examine(&env, &[ready, ("LANG", "C")]);
    assert_eq!(health(&document, "terminal").0, "doubtful");

    let old = agent(&env, "2.0.1", true);
    let (code, document) = examine(&env, &[("WINDLASS_AGENT__COMMAND", &old)]);
    assert_eq!((code, health(&document, "agent").0), (Some(1), "bad"));
    assert!(health(&document, "agent").1.contains("too old"), "{document:#}");
    let stranger = agent(&env, "2.1.330", false);
    let (code, document) = examine(&env, &[("WINDLASS_AGENT__COMMAND", &stranger)]);
    assert_eq!((code, health(&document, "agent").1), (Some(1), "Claude Code is not logged in"));
}

#[test]
fn without_git_or_with_an_old_one() {
    let env = TestEnv::new();
    let claude = agent(&env, "2.1.330", true);
    let ready = ("WINDLASS_AGENT__COMMAND", claude.as_str());
    let (code, document) = examine(&env, &[ready]);
    assert_eq!((code, health(&document, "project").0), (Some(0), "doubtful"), "{document:#}");
    let programs = env.root().join("programs");
    fs::create_dir(&programs).unwrap();
    symlink("/bin/sh", programs.join("sh")).unwrap();
    let path = ("PATH", programs.to_str().unwrap());
    let (code, document) = examine(&env, &[ready, path]);
    assert_eq!((code, health(&document, "git").0), (Some(0), "doubtful"), "{document:#}");
    let git = env.write(programs.join("git"), "#!/bin/sh\necho git version 2.38.1\n");
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
    let (code, document) = examine(&env, &[ready, path]);
    assert_eq!((code, health(&document, "git")), (Some(1), ("bad", "2.38 is too old: 2.39 is needed")));
}

#[test]
fn people_get_a_table() {
    let env = TestEnv::with_git();
    let outcome = ask(&env, &["doctor"]);
    let text = outcome.stdout_text();
    assert_eq!(outcome.code, Some(1), "{text}");
    assert!(
        text.contains("✗ agent          the agent `claude` is not installed, or not in PATH\n"),
        "{text}"
    );
    assert!(text.ends_with("\nNo run can start here yet.\n"), "{text}");
}
