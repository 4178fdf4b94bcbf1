//! What a workspace adds: its file, defaults by mode, and the keys about status, verification, logs and notifications.

use crate::values::Named;
use std::path::{Path, PathBuf};
use std::time::Duration;
use strum::IntoEnumIterator;

use super::{environment, merge, project, user};
use crate::config::*;
use crate::spec::{Depth, JobLog, Mode, StatusNews, StatusWatch};
use crate::values::NotifyEvent;

#[test]
fn each_mode_has_its_own_defaults_and_says_so() {
    for (mode, iterations, stagnation, origin) in [
        (Mode::Goal, 50, Some(3), "default"),
        (Mode::Loop, 50, Some(3), "default"),
        (Mode::Iterative, 20, Some(2), "default for iterative"),
        (Mode::Verify, 2, None, "default for verify"),
        (Mode::Validate, 2, None, "default for validate"),
    ] {
        let resolved = Resolved::merge(&[], mode, Unlimited::Refused).unwrap();
        assert_eq!((resolved.limits.iterations, resolved.limits.stagnation), (Some(iterations), stagnation));
        for key in [&keys::MAX_ITERATIONS, &keys::STAGNATION_THRESHOLD] {
            assert!(resolved.origin(key).is_default());
            assert_eq!(resolved.origin(key).to_string(), origin, "{mode:?}");
        }
    }
    let chosen = project("[limits]\nmax_iterations = 9").unwrap();
    let resolved = Resolved::merge(&[chosen], Mode::Iterative, Unlimited::Refused).unwrap();
    assert_eq!((resolved.limits.iterations, resolved.limits.stagnation), (Some(9), Some(2)));
    let lifted = Resolved::merge(&[], Mode::Iterative, Unlimited::Allowed).unwrap();
    assert_eq!((lifted.limits.iterations, lifted.limits.stagnation), (None, Some(2)));
}

#[test]
fn the_workspaces_file_goes_before_the_projects_and_holds_overrides_only() {
    let workspace = Layer::parse(
        FileKind::Workspace,
        Path::new("workspaces/api/config.toml"),
        "[limits]\nmax_failures = 1\n",
    );
    let project = project("[limits]\nmax_iterations = 7\nmax_failures = 2\n[clocks]\ndelay = 9\n").unwrap();
    let resolved =
        Resolved::merge(&[project, workspace.unwrap()], Mode::Iterative, Unlimited::Refused).unwrap();
    // What a workspace does not say is said by the layers below it, and by them when they change.
    assert_eq!((resolved.limits.failures, resolved.limits.iterations), (1, Some(7)));
    assert_eq!(resolved.clocks.delay, Duration::from_secs(9));
    let origin = resolved.origin(&keys::MAX_FAILURES);
    assert_eq!(origin, &Origin::File(FileKind::Workspace, PathBuf::from("workspaces/api/config.toml"), 2));
    assert_eq!(origin.to_string(), "workspaces/api/config.toml:2");
}

#[test]
fn the_defaults_around_a_workspace_are_those_of_the_design() {
    let resolved = merge(&[]);
    let WorkspaceSettings { trust_existing_status, todo_fallback } = resolved.workspace;
    assert!(!trust_existing_status && !todo_fallback);
    let verify = VerifySettings {
        on_completion: false,
        depth: Depth::Standard,
        attempts: 2,
        report: "verification-report.md".to_owned(),
    };
    assert_eq!(resolved.verify, verify);
    let status = StatusWatch { debounce: Duration::from_secs(2), news: StatusNews::Meaningful };
    assert_eq!(resolved.status, Some(status));
    assert_eq!(resolved.log, Some(JobLog { keep: Some(20), keep_bytes: Some(256 << 20), file: None }));
    let notify = NotifySettings {
        url: None,
        webhook: None,
        command: None,
        events: [NotifyEvent::Completion, NotifyEvent::Error, NotifyEvent::NeedsHuman].into(),
        milestone: Some(10),
        timeout: Duration::from_secs(10),
        retries: 3,
        secret: None,
        page: None,
    };
    assert_eq!(resolved.notify, notify);
}

#[test]
fn what_is_wrong_around_a_workspace_is_said() {
    for (text, message) in [
        ("[verify]\nattempts = 11", "`11` is out of range; it must be from 1 to 10"),
        ("[verify]\nattempts = 0", "`0` is out of range; it must be from 1 to 10"),
        ("[verify]\ndepth = 'thorough'", "expected `quick`, `standard` or `deep`, found the text `thorough`"),
        ("[verify]\nreport = '../x'", "`../x` is not a name of a file"),
        ("[verify]\nreport = 'todo.md'", "`todo.md` is a file of the workspace itself"),
        ("[status]\ndebounce = '100ms'", "`100ms` is out of range; it must be from 500ms to 10000ms"),
        ("[status]\ndebounce = 2", "`2` has no unit"),
        ("[notify]\nevents = ['complete']", "there is no event `complete`; there are all, setup_complete"),
        ("[notify]\nevents = ['completions']", "there is no event `completions`; did you mean `completion`?"),
        ("[notify]\nevents = 'all'", "expected a list of events, such as"),
        ("[notify]\nurl = 'ntfy.sh/x'", "it is not a web address: one begins with https://"),
        ("[notify]\nretries = 11", "`11` is out of range; it must be from 0 to 10"),
        ("[notify]\ntimeout = '0s'", "it must be longer than nothing"),
    ] {
        let error = project(text).unwrap_err().to_string();
        assert!(error.starts_with("config.toml:2: ") && error.contains(message), "{text}: {error}");
    }
}

// Every name that claude-iterate sent may be chosen; its own schema lacked three of them.
// Seed defect D1, types/config.ts:15: three events could not be chosen.
#[test]
fn every_event_can_be_chosen_by_name() {
    for event in NotifyEvent::iter() {
        let layer = project(&format!("[notify]\nevents = ['{}']", event.name())).unwrap();
        assert_eq!(merge(&[layer]).notify.events, [event].into());
    }
    let chosen = |list: &str| merge(&[project(&format!("[notify]\nevents = {list}")).unwrap()]).notify.events;
    assert_eq!(chosen("['error', 'all']").len(), NotifyEvent::iter().count());
    assert!(chosen("[]").is_empty());
    let layer = environment(&[("WINDLASS_NOTIFY__EVENTS", "error\ncompletion\n")]).unwrap();
    assert_eq!(merge(&[layer]).notify.events, [NotifyEvent::Completion, NotifyEvent::Error].into());
}

#[test]
fn what_a_layer_says_of_notifications_can_be_switched_off_above_it() {
    let user =
        user("[notify]\nurl = 'https://ntfy.sh/me'\nwebhook = 'http://h/'\ncommand = 'x'\nsecret = 's'");
    let project =
        project("[notify]\nurl = ''\nwebhook = ''\ncommand = ''\nsecret = ''\nmilestone = 0").unwrap();
    let on = merge(std::slice::from_ref(&user)).notify;
    assert_eq!((on.url.as_deref(), on.command.as_deref()), (Some("https://ntfy.sh/me"), Some("x")));
    let off = merge(&[user, project]).notify;
    assert_eq!((off.url, off.webhook, off.command, off.milestone), (None, None, None, None));
    assert_eq!(off.secret, None);
}

#[test]
fn a_secret_is_shown_nowhere() {
    let resolved = merge(&[project("[notify]\nsecret = 'hunter2'").unwrap()]);
    let value = resolved.origins().iter().find(|value| value.name == "notify.secret").unwrap();
    assert_eq!(value.value.as_deref(), Some(Secret::MASK));
    assert!(!format!("{resolved:?}").contains("hunter2"));
    assert_eq!(resolved.notify.secret.unwrap().reveal(), "hunter2");
    let error = project("[notify]\nsecret = 424242").unwrap_err().to_string();
    assert!(!error.contains("424242"), "{error}");
}

// A project's file that says one thing must not bring its defaults with it and bury what the user chose.
#[test]
fn a_file_says_only_what_stands_in_it() {
    let user = user("[agent]\narguments = ['--verbose']\nmodel = 'opus'\n[limits]\nmax_iterations = 5\n");
    let project = project("[clocks]\ndelay = 1\n").unwrap();
    let resolved = merge(&[user, project]);
    assert_eq!(resolved.agent.arguments, ["--verbose"]);
    assert_eq!((resolved.agent.model.as_deref(), resolved.limits.iterations), (Some("opus"), Some(5)));
}

#[test]
fn of_an_address_only_the_host_is_shown() {
    for (address, shown) in [
        ("https://ntfy.sh/my-topic", "https://ntfy.sh/…"),
        ("http://ada:tk_secret@localhost:8080/x?auth=1", "http://localhost:8080/…"),
        ("https://ntfy.sh", "https://ntfy.sh"),
        ("https://ada:pw@ntfy.sh", "https://ntfy.sh/…"),
        ("", "\"\""),
    ] {
        let resolved = merge(&[project(&format!("[notify]\nurl = '{address}'")).unwrap()]);
        let value = resolved.origins().iter().find(|value| value.name == "notify.url").unwrap();
        assert_eq!(value.value.as_deref(), Some(shown), "{address}");
        assert_eq!(resolved.notify.url.unwrap_or_default(), address);
    }
}
