use super::*;
use crate::spec::SandboxKind;

fn toml(text: &str) -> FresherSettings {
    FresherSettings::parse_toml(text).unwrap()
}

fn options(settings: &FresherSettings) -> Vec<String> {
    settings.options.iter().map(|(key, value)| format!("{key} = {value}")).collect()
}

fn says(settings: &FresherSettings, words: &str) -> bool {
    settings.notes.iter().any(|note| note.contains(words))
}

/// What `fresher init` writes.
const WHOLE: &str = r#"
[fresher]
mode = "planning"
max_iterations = 0
smart_termination = true
dangerous_permissions = true
max_turns = 50
model = "sonnet"
archive_completed = true
single_file_threshold = 8

[commands]
test = "cargo test"
build = "cargo build"
lint = ""

[paths]
log_dir = ".fresher/logs"
spec_dir = "specs"
src_dir = "src"
impl_dir = "impl"

[hooks]
enabled = true
timeout = 30

[docker]
use_docker = false
memory = "4g"
cpus = "2"
presets = []
"#;

// rows: 54, 129
#[test]
fn what_fresher_writes_everywhere_is_left_out_and_its_missing_limit_is_told() {
    let settings = toml(WHOLE);
    assert_eq!(options(&settings), ["plan.folder = \"impl\"", "plan.archive_finished = true"]);
    assert_eq!(settings.gates, ["cargo test", "cargo build"]);
    assert!(
        says(&settings, "no limit on iterations") && says(&settings, "limits.max_iterations 0"),
        "{settings:?}"
    );
    assert!(says(&settings, "skipped all permissions"), "{settings:?}");
    assert!(says(&settings, "`use_docker` was off"), "{settings:?}");
    assert_eq!(options(&FresherSettings::defaults()), ["plan.folder = \"impl\""]);
    assert!(says(&FresherSettings::defaults(), "no limit on iterations"));
}

// rows: 129
#[test]
fn what_somebody_chose_becomes_keys_of_ours() {
    let settings = toml(
        "\u{feff}[fresher]\r\nmax_iterations = 12\r\nsmart_termination = false\r\ndangerous_permissions = false\r\n\
         max_turns = 9\r\nmodel = 'opus'\r\nsingle_file_threshold = 3\r\n[paths]\r\nspec_dir = './docs/specs/'\r\n\
         impl_dir = 'plan'\r\nlog_dir = 'logs'\r\n[hooks]\r\nenabled = false\r\ntimeout = 90\r\n\
         [docker]\r\nuse_docker = true\r\nmemory = '2g'\r\ncpus = '1.5'\r\npresets = ['rust']\r\nsetup_script = 's.sh'\r\n",
    );
    assert_eq!(
        options(&settings),
        [
            "limits.max_iterations = 12",
            "agent.model = \"opus\"",
            "agent.max_turns = 9",
            "plan.folder = \"plan\"",
            "plan.specs = \"docs/specs\"",
            "plan.migrate_at = 3",
            "build.smart_termination = false",
            "hooks.enabled = false",
            "hooks.timeout = \"90s\"",
            "sandbox.kind = \"docker\"",
            "sandbox.memory = \"2g\"",
            "sandbox.processors = \"1.5\"",
            "sandbox.presets = [\"rust\"]",
            "sandbox.setup_script = \"s.sh\"",
        ]
    );
    assert!(!says(&settings, "permissions") && !says(&settings, "no limit"), "{settings:?}");
    assert!(says(&settings, "`paths.log_dir` is left out"), "{settings:?}");
}

// rows: 129
// Seed defect D2, src/config.rs:8-13: a missing section made the whole file invalid.
#[test]
fn missing_sections_are_tolerated_and_what_is_wrong_is_named_by_itself() {
    assert_eq!(
        options(&toml("[hooks]\ntimeout = 5\n")),
        ["plan.folder = \"impl\"", "hooks.timeout = \"5s\""]
    );
    let settings = toml(
        "hooks = 3\n[fresher]\nmax_turns = 'many'\nmodel = 7\nmax_iterations = -1\nsmart_termination = 'yes'\nnew = 1\n\
         [paths]\nspec_dir = '../elsewhere'\nimpl_dir = ['a']\n[extra]\nkey = 1\n[docker]\nuse_docker = 'x'\n",
    );
    assert_eq!(options(&settings), ["plan.folder = \"impl\""]);
    for name in [
        "hooks",
        "fresher.max_turns",
        "fresher.model",
        "fresher.max_iterations",
        "fresher.smart_termination",
        "fresher.new",
        "paths.spec_dir",
        "paths.impl_dir",
        "extra.key",
        "docker.use_docker",
    ] {
        assert!(says(&settings, &format!("`{name}` is left out: ")), "{name}: {settings:#?}");
    }
    for (broken, place) in
        [("[fresher]\nmodel = \"op", "line 2"), ("[fresher", "line 1"), ("a = 1\na = 2\n", "line 2")]
    {
        let problem = FresherSettings::parse_toml(broken).unwrap_err();
        assert!(problem.starts_with(&format!("{place} is not TOML")), "{problem}");
    }
}

/// Seed 002, §5.1.
const SCRIPT: &str = r#"#!/bin/bash
# Fresher configuration

# Mode: "planning" or "building"
export FRESHER_MODE="${FRESHER_MODE:-planning}"

# Termination settings
export FRESHER_MAX_ITERATIONS="${FRESHER_MAX_ITERATIONS:-0}"  # 0 = unlimited
export FRESHER_SMART_TERMINATION="${FRESHER_SMART_TERMINATION:-true}"

# Claude Code settings
export FRESHER_DANGEROUS_PERMISSIONS="${FRESHER_DANGEROUS_PERMISSIONS:-true}"
export FRESHER_MAX_TURNS="${FRESHER_MAX_TURNS:-50}"
export FRESHER_MODEL="${FRESHER_MODEL:-sonnet}"

# Logging
export FRESHER_LOG_DIR="${FRESHER_LOG_DIR:-.fresher/logs}"

# Docker (see docker-isolation spec)
export FRESHER_USE_DOCKER="${FRESHER_USE_DOCKER:-false}"
"#;

// rows: 129
#[test]
fn the_script_is_read_and_never_executed() {
    let settings = FresherSettings::parse_script(SCRIPT);
    assert_eq!(options(&settings), ["plan.folder = \"impl\""], "{settings:?}");
    assert!(says(&settings, "no limit on iterations"), "{settings:?}");

    let settings = FresherSettings::parse_script(
        "export FRESHER_MAX_ITERATIONS=\"${FRESHER_MAX_ITERATIONS:-7}\"\r\n\
         export FRESHER_MODEL=opus\r\nexport FRESHER_MODEL=\"${FRESHER_MODEL:-haiku}\"\r\n\
         export FRESHER_TEST_CMD=\"${FRESHER_TEST_CMD:-make check && make test}\"\r\n\
         export FRESHER_LINT_CMD='cargo clippy'\r\nexport FRESHER_HOOK_TIMEOUT=${FRESHER_HOOK_TIMEOUT:-45}\r\n",
    );
    assert_eq!(
        options(&settings),
        [
            "limits.max_iterations = 7",
            "agent.model = \"opus\"",
            "plan.folder = \"impl\"",
            "hooks.timeout = \"45s\""
        ]
    );
    assert_eq!(settings.gates, ["make check && make test", "cargo clippy"]);
}

// rows: 129
#[test]
fn a_line_of_another_shape_is_named_by_its_number() {
    for line in [
        "source ./secrets.sh",
        "export FRESHER_MODEL=$(cat model)",
        "export FRESHER_MODEL=\"`cat model`\"",
        "export FRESHER_MODEL=\"${OTHER:-opus}\"",
        "export FRESHER_MODEL=\"${FRESHER_MODEL:-$(cat model)}\"",
        "export FRESHER_MODEL=\"${FRESHER_MODEL:-opus}\"; rm -rf /",
        "export FRESHER_MODEL=opus && rm -rf /",
        "export FRESHER_MODEL=opus;rm",
        "export FRESHER_MODEL=\"opus",
        "export FRESHER_MODEL=op\\",
        "FRESHER_MODEL=opus",
        "  export FRESHER_MODEL=opus",
        "export FRESHER_MODEL",
        "export fresher_model=opus",
    ] {
        let settings = FresherSettings::parse_script(&format!("# first\n{line}\n"));
        assert_eq!(options(&settings), ["plan.folder = \"impl\""], "{line}");
        assert!(says(&settings, "line 2 is not imported"), "{line}: {settings:?}");
    }
    let conditional = "if true; then\nexport FRESHER_MODEL=opus\nfi\nexport FRESHER_MAX_TURNS=5\n";
    assert_eq!(
        options(&FresherSettings::parse_script(conditional)),
        ["agent.max_turns = 5", "plan.folder = \"impl\""]
    );
    let here = "cat <<EOF\nexport FRESHER_MODEL=opus\nEOF\n";
    assert!(says(&FresherSettings::parse_script(here), "what follows line 1 is not read"));
    assert_eq!(options(&FresherSettings::parse_script(here)).len(), 1);
    let noise = FresherSettings::parse_script(&"what is this\n".repeat(10_000));
    assert!(noise.notes.len() < 30 && says(&noise, "9980 more lines"), "{}", noise.notes.len());
    let wrong = FresherSettings::parse_script(
        "export FRESHER_MAX_TURNS=many\nexport FRESHER_NEW=1\nexport OTHER=1\n",
    );
    for name in ["FRESHER_MAX_TURNS", "FRESHER_NEW", "OTHER"] {
        assert!(says(&wrong, &format!("`{name}` is left out")), "{wrong:?}");
    }
}

// rows: 129
#[test]
fn the_state_is_read_in_all_its_formats() {
    let seed = "ITERATION=5\nLAST_EXIT_CODE=0\nLAST_COMMIT_SHA=abc123\nSTARTED_AT=2025-01-17T10:00:00Z\nTOTAL_COMMITS=3\n";
    let first = format!("# Fresher state\n{seed}DURATION=61\nFINISH_TYPE=max_iterations\n");
    let toml = "iteration = 5\nlast_exit_code = 1\nlast_commit_sha = \"abc\"\nstarted_at = \"2025-01-17T10:00:00Z\"\n\
                total_commits = 1\nduration = 61\nfinish_type = \"error\"\niteration_sha = \"x\"\n";
    assert_eq!(
        fresher_state(seed).sentence(),
        "its last run began 2025-01-17T10:00:00Z, did 5 iterations with 3 commits"
    );
    assert!(
        fresher_state(&first)
            .sentence()
            .ends_with("did 5 iterations with 3 commits and ended: max_iterations")
    );
    let read = fresher_state(toml);
    assert_eq!((read.seconds, read.exit_code), (Some(61), Some(1)));
    assert!(
        read.sentence().ends_with("1 commit and ended: error (the agent's exit code was 1)"),
        "{}",
        read.sentence()
    );

    let half = fresher_state("ITERATION=5\r\nTOTAL_COM");
    assert_eq!((half.iterations, half.commits), (Some(5), None));
    let wrong = fresher_state("iteration = many\nduration = -1\nnonsense\n= 3\n");
    assert_eq!(wrong.unreadable, ["iteration", "duration"]);
    assert_eq!(fresher_state("").sentence(), "its last run did an unknown number of iterations");
}

fn environment(variables: &[(&str, &str)]) -> Result<FresherEnvironment, super::super::ConfigError> {
    let owned: Vec<_> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    fresher_environment(&owned)
}

// rows: 123
#[test]
fn variables_are_a_layer_and_told() {
    let read = environment(&[
        ("FRESHER_MODEL", "opus"),
        ("FRESHER_MAX_TURNS", "7"),
        ("FRESHER_SMART_TERMINATION", "0"),
        ("FRESHER_USE_DOCKER", "true"),
        ("FRESHER_DOCKER_CPUS", "2"),
        ("FRESHER_DOCKER_PRESETS", "rust,node"),
        ("FRESHER_DOCKER_SETUP_SCRIPT", "docker/setup.sh"),
        ("FRESHER_HOOK_TIMEOUT", "5"),
        ("FRESHER_MAX_ITERATIONS", " "),
        ("FRESHER_ITERATION", "nothing to us"),
        ("OTHER", "x"),
    ])
    .unwrap();
    let said: Vec<String> = read.layer.values().map(|(key, value)| format!("{key} = {value}")).collect();
    assert_eq!(
        said,
        [
            "agent.max_turns = 7",
            "agent.model = \"opus\"",
            "build.smart_termination = false",
            "hooks.timeout = \"5s\"",
            "sandbox.kind = \"docker\"",
            "sandbox.presets = [\"rust\", \"node\"]",
            "sandbox.processors = \"2\"",
            "sandbox.setup_script = \"docker/setup.sh\"",
        ]
    );
    assert_eq!(read.notices.len(), 1);
    assert!(
        read.notices[0].starts_with("taken from the environment: FRESHER_MODEL (agent.model), "),
        "{read:?}"
    );
    assert_eq!(environment(&[]), Ok(FresherEnvironment::default()));

    let left = environment(&[
        ("FRESHER_MAX_ITERATIONS", "0"),
        ("FRESHER_DANGEROUS_PERMISSIONS", "true"),
        ("FRESHER_TEST_CMD", "make 'it'"),
        ("FRESHER_LOG_DIR", "logs"),
        ("FRESHER_NEW\u{1b}", "1"),
    ])
    .unwrap();
    let hidden = environment(&[("FRESHER_TEST_CMD", "make \u{1b}[8m; ./other")]).unwrap();
    assert!(hidden.notices[0].contains("`gates.commands` makes it a check"), "{hidden:?}");
    assert!(left.layer.is_empty() && left.notices.len() == 5, "{left:?}");
    assert!(left.notices[0].contains("WINDLASS_LIMITS__MAX_ITERATIONS=0"), "{left:?}");
    assert!(left.notices[2].contains(r"`--gate 'make '\''it'\'''`"), "{left:?}");
    assert!(!left.notices[4].contains('\u{1b}'));
}

// rows: 123
// Seed defect D2, src/config.rs:153-157, 167-171, 213-217: wrong numbers and switches were ignored.
#[test]
fn wrong_values_of_variables_are_errors() {
    let error = environment(&[
        ("FRESHER_MAX_ITERATIONS", "many"),
        ("FRESHER_MAX_TURNS", "0"),
        ("FRESHER_SMART_TERMINATION", "maybe"),
        ("FRESHER_USE_DOCKER", "docker"),
        ("FRESHER_IN_DOCKER", "maybe"),
        ("FRESHER_HOOK_TIMEOUT", "-3"),
        ("FRESHER_SPEC_DIR", "/etc"),
        ("FRESHER_MODE", "sleeping"),
    ])
    .unwrap_err();
    assert_eq!(error.problems.len(), 8, "{error}");
    for name in
        ["MAX_ITERATIONS", "MAX_TURNS", "SMART_TERMINATION", "USE_DOCKER", "IN_DOCKER", "HOOK_TIMEOUT"]
    {
        assert!(
            error.problems.iter().any(|line| line.starts_with(&format!("FRESHER_{name}: "))),
            "{name}: {error}"
        );
    }
}

// rows: 136
#[test]
fn inside_a_container_no_further_one_is_asked_for() {
    for (variables, said) in [
        (&[("FRESHER_IN_DOCKER", "true"), ("FRESHER_USE_DOCKER", "true")][..], "FRESHER_IN_DOCKER"),
        (&[("DEVCONTAINER", "true"), ("FRESHER_USE_DOCKER", "true")], "DEVCONTAINER"),
    ] {
        let read = environment(variables).unwrap();
        assert!(read.layer.is_empty(), "{read:?}");
        assert!(read.notices[0].contains(&format!("{said} says that this is a container")), "{read:?}");
    }
    for kind in [SandboxKind::Docker(None), SandboxKind::Podman(Some("x".to_owned()))] {
        assert!(container_in_container(&kind, "DEVCONTAINER").unwrap().starts_with("DEVCONTAINER says"));
    }
    assert_eq!(container_in_container(&SandboxKind::Bwrap, "DEVCONTAINER"), None);
    for (name, value) in
        [("DEVCONTAINER", "false"), ("DEVCONTAINER", ""), ("FRESHER_IN_DOCKER", "0"), ("OTHER", "1")]
    {
        assert_eq!(container_variable([(name, value)]), None, "{name}={value}");
    }
}
