//! Layers as tables: what is accepted, what is refused and how, and who wins.

mod fleet;
mod workspace;

use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::spec::{CommitPolicy, Mode};
use crate::values::{Cost, ExitCodes};

fn project(text: &str) -> Result<Layer, ConfigError> {
    Layer::parse(FileKind::Project, Path::new("config.toml"), text)
}

fn user(text: &str) -> Layer {
    Layer::parse(FileKind::User, Path::new("user.toml"), text).unwrap()
}

fn environment(variables: &[(&str, &str)]) -> Result<Layer, ConfigError> {
    Layer::from_environment(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
}

fn merge(layers: &[Layer]) -> Resolved {
    Resolved::merge(layers, Mode::Goal, Unlimited::Refused).unwrap()
}

#[test]
fn the_defaults_are_those_of_the_design() {
    let resolved = merge(&[]);
    let minutes = |number: u64| Duration::from_secs(number * 60);
    assert_eq!(resolved.limits.iterations, Some(50));
    assert_eq!(resolved.limits.duration, Some(minutes(720)));
    assert_eq!((resolved.limits.cost, resolved.limits.tokens), (None, None));
    assert_eq!((resolved.limits.failures, resolved.limits.stagnation), (3, Some(3)));
    assert_eq!(resolved.limits.wait, minutes(360));
    assert_eq!((resolved.limits.outage_retries, resolved.limits.outage_time), (20, minutes(120)));
    assert!(!resolved.limits.overage && !resolved.agent.api_keys && !resolved.agent.background);
    assert_eq!(resolved.clocks.delay, Duration::from_secs(2));
    assert_eq!((resolved.clocks.silence, resolved.clocks.call), (minutes(15), minutes(150)));
    assert_eq!(resolved.clocks.grace, Duration::from_secs(5));
    assert_eq!(
        (resolved.clocks.linger, resolved.clocks.linger_background),
        (Duration::from_secs(10), minutes(10))
    );
    assert_eq!(
        (resolved.completion_signal.as_str(), resolved.completion_threshold),
        ("WINDLASS_JOB_COMPLETE", 3)
    );
    assert_eq!(resolved.notes_file, Some(PathBuf::from("SHARED_TASK_NOTES.md")));
    assert_eq!((resolved.commit, resolved.exit_codes), (CommitPolicy::None, ExitCodes::Detailed));
    assert_eq!(resolved.level, OutputLevel::Progress);
    assert!(resolved.checks.is_empty() && resolved.agent.allow.is_empty());
    assert!(resolved.origins().iter().all(|value| value.origin.is_default()));
}

// rows: 123, 124
// Seed defect D1, core/config-manager.ts:170: a project's file hid the user's.
#[test]
fn each_layer_goes_before_the_ones_below_it_key_by_key() {
    let user =
        user("[limits]\nmax_iterations = 1\nmax_failures = 1\nmax_cost = 1\n[git]\ncommit = 'agent'\n");
    let project = project("[limits]\nmax_iterations = 2\nmax_failures = 2\nmax_cost = 2\n").unwrap();
    let environment =
        environment(&[("WINDLASS_LIMITS__MAX_ITERATIONS", "3"), ("WINDLASS_LIMITS__MAX_FAILURES", "3")])
            .unwrap();
    let mut flags = Layer::default();
    flags.flag(&keys::MAX_ITERATIONS, "--max-iterations", "4").unwrap();
    let resolved = merge(&[user, project, environment, flags]);
    assert_eq!(resolved.limits.iterations, Some(4));
    assert_eq!(resolved.limits.failures, 3);
    assert_eq!(resolved.limits.cost, Some(Cost::from_dollars(2.0)));
    assert_eq!(resolved.commit, CommitPolicy::Agent);
    let origin =
        |key: &str| resolved.origins().iter().find(|value| value.name == key).unwrap().origin.to_string();
    assert_eq!(origin("limits.max_iterations"), "--max-iterations");
    assert_eq!(origin("limits.max_failures"), "WINDLASS_LIMITS__MAX_FAILURES");
    assert_eq!(origin("limits.max_cost"), "config.toml:4");
    assert_eq!(origin("git.commit"), "user.toml:6");
    assert_eq!(origin("clocks.delay"), "default");
}

#[test]
fn what_is_wrong_in_a_file_is_said_with_its_line() {
    for (text, message) in [
        (
            "[limits]\nmax_iteratons = 1",
            "config.toml:2: unknown key `limits.max_iteratons`; did you mean `limits.max_iterations`?",
        ),
        ("max_cost = 1", "config.toml:1: unknown key `max_cost`; did you mean `limits.max_cost`?"),
        (
            "[limit]\nmax_cost = 1",
            "config.toml:2: unknown key `limit.max_cost`; did you mean `limits.max_cost`?",
        ),
        ("[nonsense]", "config.toml:1: unknown table `nonsense`"),
        ("\n[nonsense]\nxyzzy = 1", "config.toml:3: unknown key `nonsense.xyzzy`"),
        (
            "[limits]\nmax_failures = 'x'",
            "config.toml:2: `limits.max_failures`: expected a whole number, found the text `x`",
        ),
        (
            "[limits]\nmax_failures = 0",
            "config.toml:2: `limits.max_failures`: `0` is out of range; it must be at least 1",
        ),
        (
            "[limits]\nmax_tokens = '18446744073709551615'",
            "config.toml:2: `limits.max_tokens`: `18446744073709551615` is out of range; it must be at most 9223372036854775807",
        ),
        (
            "[limits]\nmax_cost = -1",
            "config.toml:2: `limits.max_cost`: `-1` is not an amount in dollars; write one such as `5`, `5.50` or `$5`",
        ),
        (
            "[limits]\nmax_cost = nan",
            "config.toml:2: `limits.max_cost`: `NaN` is not an amount in dollars; write one such as `5`, `5.50` or `$5`",
        ),
        (
            "[limits]\nmax_duration = 90",
            "config.toml:2: `limits.max_duration`: `90` has no unit; write `90s`, `90m` or `90h`",
        ),
        ("[clocks]\nsilence = '0s'", "config.toml:2: `clocks.silence`: it must be longer than nothing"),
        (
            "[git]\ncommit = 'everyone'",
            "config.toml:2: `git.commit`: expected `none`, `agent` or `runner`, found the text `everyone`",
        ),
        (
            "[commit]\nmessage = '{acton}'",
            "config.toml:2: `commit.message`: `{acton}` names `{acton}`; did you mean `{action}`?",
        ),
        (
            "[output]\nemoji = 'true'",
            "config.toml:2: `output.emoji`: expected true or false, found the text `true`",
        ),
        (
            "[gates]\ncommands = 'make'",
            "config.toml:2: `gates.commands`: expected a list of commands, each a text or { command = \"…\", timeout = \"…\" }, found the text `make`",
        ),
        (
            "[gates]\ncommands = [{ comand = 'x' }]",
            "config.toml:2: `gates.commands`: a command has no key `comand`; it takes `command` and `timeout`",
        ),
        (
            "[goal]\nnotes_file = '../x'",
            "config.toml:2: `goal.notes_file`: `../x` is not a file inside the working directory; write a relative path",
        ),
        (
            "[goal]\ncompletion_signal = \"a\\nb\"",
            "config.toml:2: `goal.completion_signal`: it must fit on one line, without control characters",
        ),
        (
            "[goal]\ncompletion_signal = \"@DONE\"",
            "config.toml:2: `goal.completion_signal`: it must hold nothing that agents expand, such as `@name` or `ultrathink`",
        ),
        (
            "[agent]\nskip_permissions = true",
            "config.toml:2: `agent.skip_permissions`: skipping permissions is never saved; give `--dangerously-skip-permissions` on the command line each time",
        ),
    ] {
        assert_eq!(project(text).unwrap_err().to_string(), message, "{text}");
    }
    let broken = project("[limits\nmax_cost = 1").unwrap_err().to_string();
    assert!(broken.starts_with("config.toml:1: "), "{broken}");
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let error = project("[limits]\nmax_cots = 1\n[git]\ncommit = 1\n").unwrap_err();
    assert_eq!(error.problems.len(), 2, "{error}");
}

#[test]
fn a_complaint_is_one_line_that_says_something() {
    for (text, message) in [
        ("\"limits.max_cost\" = 1", "config.toml:1: write `limits.max_cost` without quotes"),
        ("[\"a\\nb\"]", "config.toml:1: unknown table `ab`"),
        (
            "[limits]\n\"max\\u001b\\ncost\" = 1",
            "config.toml:2: unknown key `limits.maxcost`; did you mean `limits.max_cost`?",
        ),
        (
            "[gates]\ncommands = [{ command = 'x', \"a\\nb\" = 1 }]",
            "config.toml:2: `gates.commands`: a command has no key `ab`; it takes `command` and `timeout`",
        ),
        (
            "[goal]\nnotes_file = \"/a\\nb\"",
            "config.toml:2: `goal.notes_file`: `/ab` is not a file inside the working directory; write a relative path",
        ),
        (
            "[limits]\nmax_cost = 0.0000001",
            "config.toml:2: `limits.max_cost`: `0.0000001` is less than a millionth of a dollar, the smallest step; write an amount such as `0.01`",
        ),
    ] {
        assert_eq!(project(text).unwrap_err().problems, [message], "{text}");
    }
    let variable = environment(&[("WINDLASS_A\n__B", "1")]).unwrap_err();
    assert_eq!(variable.problems, ["WINDLASS_A__B: unknown key `a.b`"]);
}

#[test]
fn files_of_windows_editors_are_read() {
    let layer = project("\u{feff}[limits]\r\nmax_iterations = 7\r\n[clocks]\r\ndelay = \"3s\"\r\n").unwrap();
    let resolved = merge(&[layer]);
    assert_eq!(resolved.limits.iterations, Some(7));
    assert_eq!(
        resolved.origin(&keys::DELAY),
        &Origin::File(FileKind::Project, PathBuf::from("config.toml"), 4)
    );
}

#[test]
fn the_environment_is_read_by_kind() {
    let layer = environment(&[
        ("WINDLASS_LIMITS__MAX_COST", "$2.50"),
        ("WINDLASS_CLOCKS__DELAY", "5"),
        ("WINDLASS_OUTPUT__EMOJI", "no"),
        ("WINDLASS_AGENT__MODEL", "5"),
        ("WINDLASS_GATES__COMMANDS", "make test\n\nmake lint\n"),
        ("WINDLASS_GOAL__NOTES_FILE", ""),
        ("WINDLASS_RUN", "r-12345678"),
        ("WINDLASS_STATE_DIR", "x"),
        ("PATH", "/bin"),
    ])
    .unwrap();
    let resolved = merge(&[layer]);
    assert_eq!(resolved.limits.cost, Some(Cost::from_dollars(2.5)));
    assert_eq!(resolved.clocks.delay, Duration::from_secs(5));
    assert!(!resolved.emoji);
    assert_eq!(resolved.agent.model.as_deref(), Some("5"));
    assert_eq!(
        resolved.checks.iter().map(|check| check.command.as_str()).collect::<Vec<_>>(),
        ["make test", "make lint"]
    );
    assert!(resolved.notes_file.is_some());

    let wrong =
        environment(&[("WINDLASS_LIMITS__MAX_COTS", "1"), ("WINDLASS_OUTPUT__EMOJI", "maybe")]).unwrap_err();
    assert_eq!(
        wrong.problems,
        [
            "WINDLASS_LIMITS__MAX_COTS: unknown key `limits.max_cots`; did you mean `limits.max_cost`?",
            "WINDLASS_OUTPUT__EMOJI: expected true or false, found the text `maybe`",
        ]
    );
}

#[test]
fn nothing_is_unlimited_by_accident() {
    let limits = |text: &str| project(&format!("[limits]\n{text}")).unwrap();
    let both = "max_iterations = 0\nmax_duration = 0\n";
    for (layer, unlimited, accepted) in [
        (limits("max_iterations = 0"), Unlimited::Refused, true),
        (limits("max_duration = '0s'"), Unlimited::Refused, true),
        (limits(both), Unlimited::Refused, false),
        (limits(&format!("{both}max_cost = 5")), Unlimited::Refused, true),
        (limits(&format!("{both}max_tokens = 5")), Unlimited::Refused, true),
        (limits(&format!("{both}max_cost = 0")), Unlimited::Refused, false),
        (limits(both), Unlimited::Allowed, true),
    ] {
        assert_eq!(
            Resolved::merge(std::slice::from_ref(&layer), Mode::Goal, unlimited).is_ok(),
            accepted,
            "{layer:?}"
        );
    }
}

#[test]
fn unlimited_lifts_the_defaults_and_nothing_that_somebody_chose() {
    let bare = Resolved::merge(&[], Mode::Goal, Unlimited::Allowed).unwrap();
    assert_eq!((bare.limits.iterations, bare.limits.duration), (None, None));
    let chosen = project("[limits]\nmax_iterations = 9").unwrap();
    assert_eq!(
        Resolved::merge(&[chosen], Mode::Goal, Unlimited::Allowed).unwrap().limits.iterations,
        Some(9)
    );
}

#[test]
fn checks_come_until_first_each_with_its_own_timeout() {
    let text = "[gates]\ntimeout = '1m'\nuntil = ['done.sh']\ncommands = ['make', { command = 'slow', timeout = '1h' }]";
    let resolved = merge(&[project(text).unwrap()]);
    let checks: Vec<_> =
        resolved.checks.iter().map(|check| (check.command.as_str(), check.timeout.as_secs())).collect();
    assert_eq!(checks, [("done.sh", 60), ("make", 60), ("slow", 3600)]);
}

#[test]
fn every_key_is_named_once_and_every_default_is_a_key() {
    let mut names: Vec<_> = KEYS.iter().map(|key| key.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), KEYS.len());
    assert!(KEYS.iter().all(|key| key.name.split('.').count() == 2 && key.help.ends_with('.')));
}

proptest! {
    #[test]
    fn no_text_panics(text in ".{0,200}") {
        let _ = project(&text);
    }

    #[test]
    fn no_value_panics(key in 0..KEYS.len(), text in ".{0,30}") {
        let name = KEYS[key].name.to_ascii_uppercase().replace('.', "__");
        let _ = environment(&[(&format!("WINDLASS_{name}"), &text)]);
    }
}

#[test]
fn the_documentation_holds_the_table_of_all_keys() {
    let documentation = include_str!("../../../../../docs/configuration.md");
    let table = key_table().unwrap();
    assert!(documentation.contains(&format!("\n{table}")), "docs/configuration.md is to hold\n{table}");
    assert_eq!(documentation.matches("| key | default |").count(), 1);
}

#[test]
fn the_schema_is_the_one_that_is_checked_in() {
    let checked_in = include_str!("../../../../../docs/config-schema.json");
    assert!(
        checked_in == config_schema().unwrap(),
        "run: cargo run -p windlass-ui --example config_schema > docs/config-schema.json"
    );
}
