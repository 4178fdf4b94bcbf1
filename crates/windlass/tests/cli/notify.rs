//! `notify test`: what is sent, what is answered, what the exit code says.

use std::os::unix::fs::PermissionsExt;
use std::{env, fs};

use windlass_testkit::{Receiver, Response};

use super::{Place, answer};

// rows: 109
#[test]
fn a_test_shows_what_was_sent_and_answered() {
    let (ntfy, webhook) = (Receiver::start([]), Receiver::start([Response::status(204)]));
    let place = Place::new();
    let config = format!(
        "[notify]\nurl = '{}/t?auth=t0psecret'\nwebhook = '{}'\ncommand = 'cat >> told'\nsecret = 'hunter2hunter2'\nevents = ['error']\n",
        ntfy.url().replace("://", "://me:pa55word@"),
        webhook.url()
    );
    place.file("work/.windlass/config.toml", config);
    let answer = place.ask(&["notify", "test", "--event", "error"]);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    let said = answer.stdout;
    for part in [
        "ntfy",
        "webhook",
        "command",
        "Title: windlass: a test",
        "Priority: urgent",
        "accepted (204, ",
        "accepted (exit 0, ",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    for secret in ["t0psecret", "pa55word", "hunter2"] {
        assert!(!said.contains(secret) && !answer.stderr.contains(secret), "{said}");
    }
    let letters = ntfy.letters();
    assert_eq!((letters.len(), webhook.letters().len()), (1, 1));
    assert_eq!(letters[0].header("authorization"), Some("Basic bWU6cGE1NXdvcmQ="));
    assert_eq!(letters[0].header("tags"), Some("windlass,error"));
    assert_eq!(place.read("told"), webhook.letters()[0].body);
    assert!(!said.contains("is not sent"), "{said}");
}

#[test]
fn a_command_that_ends_its_keeper_is_a_failure_at_once() {
    let place = Place::new();
    let config = "[notify]\ncommand = 'kill -9 $PPID; sleep 100'\n";
    place.file("work/.windlass/config.toml", config);
    let answer = place.ask(&["notify", "test"]);
    assert_ne!(answer.code, Some(0), "{}", answer.stdout);
    let said = answer.stdout + &answer.stderr;
    assert!(said.contains("its keeper died"), "{said}");
}

#[test]
fn a_refusal_is_shown_and_fails() {
    let refusal = Response::Answer(403, Vec::new(), "{\"error\":\"forbidden\"}".to_owned());
    let receiver = Receiver::start([refusal]);
    let place = Place::new();
    place.file(
        "work/.windlass/config.toml",
        format!("notify.url = '{}'\nnotify.events = []\n", receiver.url()),
    );
    let answer = place.ask(&["notify", "test"]);
    assert_eq!(answer.code, Some(1));
    assert!(answer.stdout.contains("refused (403, {\"error\":\"forbidden\"}, "), "{}", answer.stdout);
    assert!(answer.stdout.contains("completion is not sent"), "{}", answer.stdout);
    assert_eq!(receiver.letters().len(), 1, "it is tried once");
}

#[test]
fn nothing_configured_is_said_with_what_to_do() {
    let place = Place::new();
    let answer = place.ask(&["notify", "test"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("no notifications are configured"), "{}", answer.stderr);
    assert!(answer.stderr.contains("notify.url = "), "{}", answer.stderr);
    let answer = place.ask(&["notify", "test", "--event", "completoin"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("completion?"), "{}", answer.stderr);
    let answer = place.ask(&["notify", "test", "-w", "nowhere"]);
    assert_eq!(answer.code, Some(2), "{}", answer.stderr);
}

#[test]
fn nobody_inside_a_run_may_send_anything() {
    let place = Place::new();
    let answer = answer(place.windlass(&["notify", "test"]).env("WINDLASS_RUN", "r-1"));
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("started by windlass itself"), "{}", answer.stderr);
}

#[test]
fn the_desktop_is_told_without_a_shell() {
    let place = Place::new();
    place.file("work/.windlass/config.toml", "[notify]\ncommand = 'desktop'\nevents = ['error']\n");
    let program = place.root.path().join("programs/notify-send");
    place.file("programs/notify-send", "#!/bin/sh\nprintf '%s\\n' \"$@\" >told\n");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut path = program.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(env::var_os("PATH").unwrap_or_default());
    let mut command = place.windlass(&["notify", "test", "--event", "error"]);
    let told = answer(command.env("PATH", path));
    assert_eq!(told.code, Some(0), "{}{}", told.stdout, told.stderr);
    let arguments = place.read("told");
    let first = "--app-name=windlass\n--urgency=critical\n--\nwindlass: a test\n";
    assert!(arguments.starts_with(first), "{arguments}");
    // Where it is not installed, that is said.
    let told = answer(place.windlass(&["notify", "test", "--event", "error"]).env("PATH", place.home()));
    assert_eq!(told.code, Some(1), "{}", told.stdout);
    assert!(told.stdout.contains("notify-send"), "{}", told.stdout);
}
