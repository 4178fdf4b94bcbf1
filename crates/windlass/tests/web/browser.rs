//! The page in a real browser: nothing of what was recorded runs, a person can come in, act and read, and `axe` finds nothing.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use windlass_testkit::environment::{Running, TestEnv};

use super::looking::{PAYLOADS, hostile, pages};
use super::{Page, finished, patient};

/// Two widths and two schemes of a dozen pages, on a busy machine.
const PATIENCE: Duration = Duration::from_mins(5);

/// Where the script is that drives the browser, and what it needs.
fn driver() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/web/browser.mjs")
}

fn target() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_windlass"));
    program.parent().and_then(Path::parent).unwrap().to_owned()
}

/// What is missing on this machine; CI has all of it.
fn missing() -> Option<&'static str> {
    if !Path::new("/usr/bin/chromium").exists() {
        return Some("chromium is not installed");
    }
    let modules = target().join("tools/browser/node_modules");
    let has = |name: &str| modules.join(name).join("package.json").exists();
    (!has("playwright-core") || !has("axe-core"))
        .then_some("playwright-core and axe-core are not below target/: cargo xtask test installs them")
}

#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn drive(env: &TestEnv, page: &Page, what: &str, arguments: &[String]) {
    if let Some(why) = missing() {
        assert!(std::env::var_os("WINDLASS_TEST_BROWSER").is_none(), "CI has a browser: {why}");
        eprintln!("skipped, because {why}");
        return;
    }
    let mut command: Command = env.command("node");
    command.arg(driver()).arg(what).arg(page.origin()).arg(&page.code).args(arguments);
    command.env("WINDLASS_BROWSER_MODULES", target().join("tools/browser/node_modules"));
    command.env("WINDLASS_BROWSER_PICTURES", target().join("browser-pictures"));
    let outcome = Running::start(&mut command).wait(PATIENCE);
    assert_eq!(outcome.code, Some(0), "{}\n{}", outcome.stdout_text(), outcome.stderr_text());
}

// attack(page): the same in a real browser, on a phone's screen and a desk's, light and dark
// holds: nothing of it runs, and everybody can read the page
#[test]
fn nothing_that_was_recorded_runs_and_axe_finds_nothing() {
    let env = TestEnv::with_git();
    let run = hostile(&env);
    let page = Page::serve(&env, &["--actions"]);
    assert!(PAYLOADS.len() > 5);
    drive(&env, &page, "look", &pages(&run));
}

#[test]
fn a_person_raises_a_limit_in_three_taps() {
    let env = TestEnv::with_git();
    let run = finished(&env, 1);
    let page = Page::serve(&env, &["--actions"]);
    drive(&env, &page, "raise", &[format!("/r/{run}")]);
}

#[test]
fn a_notification_opens_the_question_and_does_nothing() {
    let env = TestEnv::with_git();
    let ended = finished(&env, 1);
    let (running, run) = patient(&env);
    let page = Page::serve(&env, &["--actions"]);
    drive(&env, &page, "notified", &[format!("/r/{ended}#do=resume"), format!("/r/{run}#do=stop")]);
    assert!(super::facts(&env, "run_resumed").is_empty(), "nobody said so");
    assert!(super::facts(&env, "stop_requested").is_empty(), "nobody said so");
    env.write("go", "");
    drop(running);
}

#[test]
fn a_run_is_followed_and_stopped() {
    let env = TestEnv::with_git();
    let (running, run) = patient(&env);
    let page = Page::serve(&env, &[]);
    drive(&env, &page, "stop", &[format!("/r/{run}")]);
    env.write("go", "");
    drop(running);
}
