//! Logins, limits, permissions, and what is refused.

use super::place::{PATIENCE, Place, kinds, said};

const LOOKING: &str = r#"
[[call]]
steps = [
  { bash = "cat ~/.claude/.credentials.json > seen; echo x >> ~/.claude/.credentials.json; echo ${CLAUDE_CODE_OAUTH_TOKEN:-none} > token" },
  { result = { text = "Done.", cost = 0.01 } },
]
"#;

#[test]
fn credentials_are_the_agents_alone_and_cannot_be_changed() {
    for kind in kinds() {
        let place = Place::new(kind).set("WINDLASS_SANDBOX__LOGIN", "mount");
        let refused = place.run(&[], "");
        refused.expect_code(2, "no credentials");
        assert!(refused.stderr_text().contains("there is no"), "{}", refused.stderr_text());
        let credentials = place.env.home().join(".claude/.credentials.json");
        place.env.write(&credentials, "the token");
        let look = "cat ~/.claude/.credentials.json >> by-a-gate; true";
        let mut command = place.command_of(LOOKING, &["-m", "1", "--gate", look]);
        let outcome = place.env.run(&mut command, PATIENCE);
        assert_eq!(place.env.read("seen"), "the token", "{kind}: {}", outcome.stdout_text());
        assert_eq!(place.env.read("by-a-gate"), "", "{kind}");
        assert_eq!(std::fs::read_to_string(&credentials).unwrap(), "the token", "{kind}");
    }
}

#[test]
fn a_token_in_the_environment_is_the_agents_alone() {
    for kind in kinds() {
        let place = Place::new(kind).set("CLAUDE_CODE_OAUTH_TOKEN", "the token");
        let look = "echo ${CLAUDE_CODE_OAUTH_TOKEN:-none} >> by-a-gate";
        let mut command = place.command_of(LOOKING, &["-m", "1", "--gate", look]);
        let outcome = place.env.run(&mut command, PATIENCE);
        assert_eq!(place.env.read("token"), "the token\n", "{kind}: {}", outcome.stdout_text());
        assert!(place.env.read("by-a-gate").lines().all(|line| line == "none"), "{kind}");
    }
}

// attack(sandbox): root inside mounts, traces, loads modules, or makes itself the owner of more than files
// holds: of what root may do only that is left that files, users and signals need
#[test]
fn root_inside_may_do_what_its_files_need_and_no_more() {
    // CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID and SETUID, by their numbers.
    let look = "may=$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status); \
                if [ $((0x$may & ~0xfb)) != 0 ]; then echo \"it may do $may\"; failed=1; fi";
    for kind in kinds() {
        Place::new(kind).expect(&[], look);
    }
}

// Whatever this machine cannot hold it must say.
#[test]
fn the_number_of_processes_is_limited_or_it_is_said() {
    let many = "i=0; while [ $i -lt 60 ]; do sleep 5 & i=$((i+1)); done 2>/dev/null; wait";
    for kind in kinds() {
        let place = Place::new(kind).set("WINDLASS_SANDBOX__PROCESSES", "40");
        let outcome = place.run(&[], &format!("if sh -c '{many}'; then echo no limit; failed=1; fi"));
        let mut doctor = place.env.command(env!("CARGO_BIN_EXE_windlass"));
        let doctor = place.env.run(doctor.arg("doctor"), PATIENCE).stdout_text();
        let told = doctor.split_whitespace().collect::<Vec<_>>().join(" ");
        let unlimited = told.contains("sandbox.processes") && told.contains("cannot be held here");
        assert!(unlimited || said(&outcome).contains("nothing_to_do"), "{kind}: {}\n{doctor}", place.logs());
    }
}

#[test]
fn memory_is_limited_or_it_is_said() {
    let much = "x=$(head -c 300000000 /dev/zero | tr '\\0' a); test ${#x} = 300000000";
    for kind in kinds() {
        let place = Place::new(kind).set("WINDLASS_SANDBOX__MEMORY", "64m");
        let outcome =
            place.run(&[], &format!("may_not 'have so much' sh -c '{}'", much.replace('\'', "'\"'\"'")));
        let said = said(&outcome);
        assert!(
            said.contains("nothing_to_do") || said.contains("sandbox.memory does not hold"),
            "{kind}: {said}"
        );
    }
}

// rows: 29, 30
#[test]
fn inside_permissions_are_skipped_unless_configuration_says_otherwise() {
    for kind in kinds() {
        let place = Place::new(kind);
        let said = |place: &Place| said(&place.run(&[], ""));
        assert!(said(&place).contains("may do      anything, inside its sandbox"));
        let place = place.set("WINDLASS_SANDBOX__SKIPS_PERMISSIONS", "false");
        assert!(said(&place).contains("may do      edit files here"));
    }
}

#[test]
fn a_sandbox_that_cannot_be_is_refused_and_no_run_begins() {
    let place = Place::new("bwrap").set("PATH", "/nonexistent");
    // Its check's program is not there either.
    let refused = place.run(&["--gate-later"], "");
    refused.expect_code(2, "no bubblewrap");
    let said = refused.stderr_text();
    assert!(said.contains("the sandbox `bwrap` cannot be used here: bubblewrap is not installed"), "{said}");
    assert!(said.contains("windlass doctor") || said.contains("--sandbox landlock"), "{said}");
    assert!(!place.env.state().join("projects").exists() || place.logs().is_empty());
    for (flag, value) in [("--sandbox", "jail"), ("--network", "some")] {
        Place::new("none").run(&[flag, value], "").expect_code(2, value);
    }
}

#[test]
fn a_rehearsal_shows_the_whole_command_line_and_touches_nothing() {
    for kind in kinds() {
        let place = Place::new(kind);
        let outcome = place.run(&["--dry-run"], "");
        let said = outcome.stdout_text();
        outcome.expect_code(0, &said);
        let line = said.lines().find(|line| line.contains("sandbox-inside")).unwrap();
        assert!(line.contains("--append-system-prompt-file"), "{line}");
        assert_eq!(line.contains("--unshare-pid"), kind == "bwrap", "{line}");
        assert!(!place.env.state().exists());
    }
}

const TELLS: &str = r#"
[[call]]
steps = [ { bash = "env > agent.txt" } ]
"#;

// attack(prompt): an agent and a check inside a sandbox read the environment for secrets that are none of theirs
// holds: the agent has its own login and what `sandbox.environment` names, a check what `environment.allow` names besides
#[test]
fn secrets_go_into_a_sandbox_by_name_alone() {
    for kind in kinds() {
        let place = Place::new(kind)
            .set("CLAUDE_CODE_USE_BEDROCK", "1")
            .set("AWS_SECRET_ACCESS_KEY", "of-the-cloud")
            .set("GITHUB_TOKEN", "of-the-forge")
            .set("A_NAMED_TOKEN", "named-for-all")
            .set("B_NAMED_TOKEN", "named-for-checks")
            .set("WINDLASS_SANDBOX__ENVIRONMENT", "A_NAMED_TOKEN")
            .set("WINDLASS_ENVIRONMENT__ALLOW", "B_NAMED_TOKEN");
        let mut command = place.command_of(TELLS, &["-m", "1", "--gate", "env > check.txt"]);
        let outcome = place.env.run(&mut command, PATIENCE);
        let has = |file: &str| {
            let text = place.env.read(file);
            let names = ["A_NAMED_TOKEN", "AWS_SECRET_ACCESS_KEY", "B_NAMED_TOKEN", "GITHUB_TOKEN"];
            let there = |name: &&str| text.lines().any(|line| line.starts_with(&format!("{name}=")));
            names.into_iter().filter(there).collect::<Vec<_>>()
        };
        assert_eq!(
            has("agent.txt"),
            ["A_NAMED_TOKEN", "AWS_SECRET_ACCESS_KEY"],
            "{kind}: {}",
            said(&outcome)
        );
        assert_eq!(has("check.txt"), ["A_NAMED_TOKEN", "B_NAMED_TOKEN"], "{kind}: {}", said(&outcome));
    }
}
