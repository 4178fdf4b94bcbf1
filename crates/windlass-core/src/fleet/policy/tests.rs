//! Policies as tables: what is read, what is refused and how, and which runs are taken.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::run::testing::{check, plan};
use crate::spec::{BootstrapSpec, LanesSpec, PortSpec};
use crate::values::{CheckKind, CriterionOf, Lookup, TaskId};

#[test]
fn what_is_not_said_is_strict() {
    let policy = Policy::parse("").unwrap();
    assert_eq!((policy.lanes, policy.sandbox, policy.network), (1, SandboxDemand::Required, true));
    assert!(policy.gates.is_empty() && policy.projects.is_empty());
    assert_eq!((policy.name, policy.account, policy.most_cost_per_hour), (None, None, None));
}

#[test]
fn all_of_it_is_read() {
    let policy = Policy::parse(
        "name = 'builder-1'\nlanes = 4\nlabels = ['os=linux', 'gpu']\naccount = 'team'\nsandbox = 'as-ordered'\n\
         network = false\nprojects = ['shop-*']\ngates = ['make test']\nmost_cost_per_hour = '$2.50'\n",
    )
    .unwrap();
    assert_eq!((policy.name.as_deref(), policy.lanes), (Some("builder-1"), 4));
    assert_eq!(
        (policy.labels.as_slice(), policy.account.as_deref()),
        (&["os=linux".to_owned(), "gpu".to_owned()][..], Some("team"))
    );
    assert_eq!((policy.sandbox, policy.network), (SandboxDemand::AsOrdered, false));
    assert_eq!(policy.projects.iter().map(ProjectPattern::as_str).collect::<Vec<_>>(), ["shop-*"]);
    assert_eq!(
        (policy.gates, policy.most_cost_per_hour),
        (vec!["make test".to_owned()], Some(Cost::from_dollars(2.5)))
    );
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (text, said) in [
        ("lanes = 0", "line 1: `lanes`: `0` is out of range; it must be from 1 to 256"),
        ("\nlanes = 300", "line 2: `lanes`: `300` is out of range; it must be from 1 to 256"),
        ("lanes = 2\nlane = 3", "line 2: unknown key `lane`; did you mean `lanes`?"),
        (
            "[policy]\nlanes = 3",
            "line 1: unknown key `policy`; there are name, lanes, labels, account, sandbox, network, projects, gates, most_cost_per_hour, programs",
        ),
        ("labels = \"gpu\"", "line 1: `labels`: expected a list of texts, found the text `gpu`"),
        (
            "sandbox = \"none\"",
            "line 1: `sandbox`: expected `required` or `as-ordered`, found the text `none`",
        ),
        ("network = 1", "line 1: `network`: expected true or false, found the number 1"),
        ("name = \" \"", "line 1: `name`: it is empty"),
        (
            "projects = ['a[']",
            "line 1: `projects`: `a[` is not a pattern: unclosed character class; missing ']'",
        ),
        (
            "most_cost_per_hour = -1",
            "line 1: `most_cost_per_hour`: `-1` is not an amount in dollars; write one such as `5`, `5.50` or `$5`",
        ),
        (
            "\"a\\nb\" = 1",
            "line 1: unknown key `ab`; there are name, lanes, labels, account, sandbox, network, projects, gates, most_cost_per_hour, programs",
        ),
    ] {
        assert_eq!(Policy::parse(text).unwrap_err(), said, "{text}");
    }
    assert!(Policy::parse("name = 'a'\nlanes = ").unwrap_err().starts_with("line 2: "));
    assert!(Policy::parse(&"#".repeat(2_000_000)).unwrap_err().contains("are the most"));
}

fn locked(network: Network) -> RunSpec {
    let mut spec = plan();
    spec.sandbox.kind = SandboxKind::Bwrap;
    spec.sandbox.network = network;
    spec
}

fn checked(mut spec: RunSpec, command: &str) -> RunSpec {
    spec.checks.push(check(CheckKind::Gate, command));
    spec
}

fn looked_up() -> RunSpec {
    let mut spec = checked(plan(), "the file README.md exists");
    let lookup = Lookup::Exists { path: "README.md".into() };
    spec.checks[0].criterion =
        Some(CriterionOf { task: TaskId("T1".to_owned()), lookup: Some(lookup), to_the_end: true });
    spec
}

fn set_up(command: &str) -> RunSpec {
    let bootstrap = BootstrapSpec {
        include_file: None,
        include_bytes: None,
        setup: Some(command.to_owned()),
        setup_timeout: Duration::from_mins(1),
        ports: PortSpec { base: 20000, size: 0 },
    };
    let lanes = LanesSpec { bootstrap: Some(bootstrap), ..LanesSpec::of(2, "/lanes".into()) };
    RunSpec { lanes: Some(lanes), ..plan() }
}

#[test]
fn a_run_is_taken_only_as_the_policy_has_it() {
    let hosts = || Network::Hosts(vec!["api.example.org".to_owned()]);
    let as_ordered = "sandbox = 'as-ordered'";
    let naming = |gates: &str| format!("{as_ordered}\ngates = [{gates}]");
    for (text, spec, said) in [
        ("", Box::new(plan()), Some("without a sandbox")),
        ("", Box::new(locked(Network::On)), None),
        ("", Box::new(checked(locked(Network::On), "make")), None),
        (as_ordered, Box::new(plan()), None),
        (&format!("{as_ordered}\nnetwork = false"), Box::new(plan()), Some("the whole network")),
        ("network = false", Box::new(locked(Network::On)), Some("the whole network")),
        ("network = false", Box::new(locked(Network::Off)), None),
        ("network = false", Box::new(locked(hosts())), None),
        ("projects = ['other']", Box::new(locked(Network::On)), Some("the project `app`")),
        ("projects = ['other', 'app']", Box::new(locked(Network::On)), None),
        ("projects = ['a*']", Box::new(locked(Network::On)), None),
        ("projects = ['ap']", Box::new(locked(Network::On)), Some("the project `app`")),
        (as_ordered, Box::new(checked(plan(), "make")), Some("`make` outside of a sandbox")),
        (&naming("'make'"), Box::new(checked(plan(), "make")), None),
        (
            &naming("'make'"),
            Box::new(checked(checked(plan(), "make"), "make x")),
            Some("`make x` outside of a sandbox"),
        ),
        (&naming("'*'"), Box::new(checked(plan(), "rm -r build")), None),
        (as_ordered, Box::new(looked_up()), None),
        (as_ordered, Box::new(set_up("npm ci")), Some("`npm ci` outside of a sandbox")),
        (&naming("'npm ci'"), Box::new(set_up("npm ci")), None),
    ] {
        let refused = Policy::parse(text).unwrap().refuses("app", &spec);
        let fits = match said {
            Some(said) => refused.as_deref().is_some_and(|refused| refused.contains(said)),
            None => refused.is_none(),
        };
        assert!(fits, "{text}: {refused:?}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_reading_panic_and_every_refusal_is_one_line(text in "\\PC{0,200}|([a-z_]{1,9} = [\\[\\]{}'\\\\a-z0-9.~/ ,=]{0,40}\\n){0,4}") {
        if let Err(problem) = Policy::parse(&text) {
            prop_assert!(problem.starts_with("line ") && !problem.contains('\n'), "{}", problem);
        }
    }

    #[test]
    fn a_name_of_a_project_is_said_on_one_line(project in "\\PC{0,80}|.{0,20}\\n.{0,20}") {
        let policy = Policy::parse("projects = ['none-of-these']").unwrap();
        let refused = policy.refuses(&project, &locked(Network::On)).unwrap();
        prop_assert!(!refused.contains('\n') && refused.len() < 400);
    }
}

#[test]
fn an_agents_program_is_known_by_its_name() {
    let policy = Policy::parse("programs = ['/opt/claude/bin/claude', '/home/x/.local/bin/codex']").unwrap();
    let program = |name: &str| policy.program(Path::new(name)).map(|path| path.display().to_string());
    assert_eq!(program("claude").as_deref(), Some("/opt/claude/bin/claude"));
    assert_eq!(program("codex").as_deref(), Some("/home/x/.local/bin/codex"));
    assert_eq!(program("opencode"), None);
    for wrong in ["claude", "bin/claude", "/"] {
        let said = Policy::parse(&format!("programs = ['{wrong}']")).unwrap_err();
        assert_eq!(said, format!("line 1: `programs`: `{wrong}` is not the whole path of a program"));
    }
}
