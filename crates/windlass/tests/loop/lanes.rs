//! Lanes that somebody removes while their tasks are worked on, with the scripted agent.

use std::fs;
use std::path::PathBuf;

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::StopReason;

use super::night::{Night, PATIENCE};
use super::tasks::{HONEST, SIX, assert_whole, command, night, run, subjects};

/// What is removed, as a shell finds it from the directory of a lane.
const REMOVED: [(&str, &str); 3] = [("all lanes", "../../.."), ("one lane", "../.."), ("its files", ".")];

/// Removes what a lane is in, the first time that it is called in one. Said in a shell.
fn removes_once(night: &Night, what: &str) -> String {
    let once = night.env.root().join("removed-once").display().to_string();
    format!(
        "test -n \"$WINDLASS_LANE\" && mkdir '{once}' 2>/dev/null && rm -rf \"$(cd {what} && pwd -P)\"; true"
    )
}

fn scripted(night: &Night, script: &str) {
    fs::write(&night.script, script).unwrap();
}

/// Each task landed, once; somebody was told that a lane was gone, and nobody was blamed.
fn assert_done_again(night: &Night, tasks: usize, when: &str) {
    assert_eq!(night.ended(), StopReason::Complete, "{when}: {:#?}", night.facts());
    let mut said = subjects(night);
    assert_eq!(said.len(), tasks, "{when}: {said:?}");
    said.sort_by_key(|line| line.split_once("Complete").map(|(_, task)| task.to_owned()));
    said.dedup_by_key(|line| line.split_once("Complete").map(|(_, task)| task.to_owned()));
    assert_eq!(said.len(), tasks, "{when}: {said:?}");
    let failed = night.facts().into_iter().filter(|fact| {
        matches!(
            fact,
            Fact::TaskClosed(report::TaskClosed { end: windlass_core::values::TaskEnd::Parked { .. }, .. })
        )
    });
    assert_eq!(failed.count(), 0, "{when}");
    assert_whole(night);
}

fn was_told(night: &Night) -> bool {
    night.facts().iter().any(
        |fact| matches!(fact, Fact::Noticed(report::Noticed { text }) if text.contains("was removed while")),
    )
}

#[test]
fn a_lane_that_is_removed_while_its_agent_works_is_made_again() {
    for (what, path) in REMOVED {
        let night = night(SIX, HONEST);
        let removes = removes_once(&night, path).replace('\\', "\\\\").replace('"', "\\\"");
        scripted(
            &night,
            &HONEST.replace("steps = [\n", &format!("steps = [\n  {{ bash = \"{removes}\" }},\n")),
        );
        run(&night, &["-j", "2", "--gate", "true"]).expect_code(0, what);
        assert_done_again(&night, 6, what);
        assert!(was_told(&night), "{what}");
        assert_eq!(night.env.git(&["ls-tree", "--name-only", "HEAD", "work/"]).lines().count(), 6, "{what}");
    }
}

#[test]
fn a_lane_that_is_removed_while_it_is_judged_is_made_again() {
    for (what, path) in REMOVED {
        let night = night(SIX, HONEST);
        let gate = removes_once(&night, path);
        run(&night, &["-j", "2", "--gate", &gate]).expect_code(0, what);
        assert_done_again(&night, 6, what);
        assert!(was_told(&night), "{what}");
    }
}

const SAME_FILE: &str = r#"
[[call]]
steps = [
  { append = { path = "common", text = "{{task}}\n" } }, "tick_task",
  { result = { text = "{{task}} is done.", cost = 0.01 } },
]
"#;

/// A program that git calls, which removes all lanes the first time and then does this.
fn program(night: &Night, then: &str) -> PathBuf {
    let root = night.env.root().display().to_string();
    let text = format!(
        "#!/bin/sh\nif mkdir '{root}/removed-once' 2>/dev/null; then rm -rf '{root}'/state/projects/*/runs/*/lanes; fi\n{then}\n"
    );
    let path = night.env.write(night.env.root().join("program"), text);
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_lane_that_is_removed_in_the_middle_of_a_merge_is_made_again() {
    let night = night(&[(1, &[]), (2, &[])], SAME_FILE);
    let driver = program(&night, "cat \"$2\" >> \"$1\"");
    night.env.write("common", "both\n");
    night.env.write(".gitattributes", "common merge=both\n");
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "A driver"]);
    night.env.git(&["config", "merge.both.driver", &format!("{} %A %B", driver.display())]);
    run(&night, &["-j", "2"]).expect_code(0, "merging");
    assert_done_again(&night, 2, "merging");
    assert!(was_told(&night) && night.env.root().join("removed-once").exists());
    let common = night.env.read("common");
    assert!(common.contains("TASK-001") && common.contains("TASK-002"), "{common}");
}

#[test]
fn lanes_that_are_removed_in_the_middle_of_a_landing_land_once() {
    let night = night(SIX, HONEST);
    let signature = "-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n";
    let signs = format!("cat > /dev/null; echo '[GNUPG:] SIG_CREATED ' >&2; printf -- '{signature}'");
    let signer = program(&night, &signs);
    night.env.git(&["config", "gpg.program", &signer.display().to_string()]);
    night.env.git(&["config", "commit.gpgSign", "true"]);
    run(&night, &["-j", "2", "--gate", "true"]).expect_code(0, "landing");
    assert!(night.env.root().join("removed-once").exists());
    assert_done_again(&night, 6, "landing");
}

#[test]
fn lanes_that_are_gone_after_a_crash_at_any_write_cost_nothing_that_had_landed() {
    let tasks: &[(u32, &[u32])] = &[(1, &[]), (2, &[]), (3, &[1])];
    let whole = night(tasks, HONEST);
    run(&whole, &["-j", "2", "--gate", "true"]).expect_code(0, "not killed");
    let expected = whole.env.git(&["ls-tree", "-r", "HEAD", "--", "work", "requirements.md"]);
    for write in (8..whole.entries().len()).step_by(2) {
        let fault = format!("kill-{}-write={write}", if write % 4 == 0 { "before" } else { "after" });
        let night = night(tasks, HONEST);
        let killed = night.env.run(
            command(&night, &["-j", "2", "--gate", "true"]).env("WINDLASS_TEST_FAULT", &fault),
            PATIENCE,
        );
        let lanes = night.folder().join("lanes");
        match write % 3 {
            0 => drop(fs::remove_dir_all(&lanes)),
            1 => drop(fs::remove_dir_all(lanes.join("1"))),
            _ => drop(fs::remove_dir_all(lanes.join("2/tree"))),
        }
        if killed.signal == Some(9) {
            let resumed = (0..3).map(|_| night.resume(&[])).find(|outcome| outcome.code == Some(0));
            assert!(resumed.is_some(), "{fault}: {:#?}", night.facts());
        }
        assert_done_again(&night, 3, &fault);
        let tree = night.env.git(&["ls-tree", "-r", "HEAD", "--", "work", "requirements.md"]);
        assert_eq!(tree, expected, "{fault}");
    }
}

#[test]
fn a_lane_that_is_removed_again_and_again_ends_the_run_and_a_resume_goes_on() {
    let night = night(&[(1, &[])], HONEST);
    let keeps = night.env.root().join("stop-it");
    let gate = format!("test -z \"$WINDLASS_LANE\" || test -e '{}' || rm -rf \"$PWD\"", keeps.display());
    let outcome = run(&night, &["-j", "2", "--gate", &gate, "--exit-codes", "detailed"]);
    outcome.expect_code(29, "destructive_change");
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(said.contains("the checkout of lane 1 was gone 4 times while TASK-001"), "{said}");
    fs::write(keeps, "").unwrap();
    night.resume(&[]).expect_code(0, "once nobody removes it");
    assert_done_again(&night, 1, "resumed");
}

/// A repository whose files go through a filter that fails as long as this says so, with the file that ends it.
fn with_filter(fails: impl Fn(&str) -> String) -> Night {
    let night = night(&[(1, &[])], HONEST);
    let marks = night.env.root().join("marks").display().to_string();
    fs::create_dir(&marks).unwrap();
    let smudge = format!("if {}; then echo no such host >&2; exit 1; fi; cat", fails(&marks));
    for (name, value) in [("clean", "cat"), ("smudge", &smudge), ("required", "true")] {
        night.env.git(&["config", &format!("filter.far.{name}"), value]);
    }
    night.env.write("large.bin", "large\n");
    night.env.write(".gitattributes", "*.bin filter=far\n");
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "A filter"]);
    night.set("WINDLASS_CLOCKS__BACKOFF", "1s")
}

// attack(endings): the filter that a lane's files go through fails for a while: the server that it asks is out of reach
// holds: nobody is said to have removed anything; it is tried again after pauses, and the task is done
#[test]
fn a_lane_that_cannot_be_filled_for_a_while_is_filled_again() {
    // Each try of a lane fills it twice.
    let night = with_filter(|marks| {
        format!("test $(ls '{marks}' | wc -l) -lt 4 && mktemp '{marks}/XXXXXX' >/dev/null")
    });
    run(&night, &["-j", "2", "--gate", "true"]).expect_code(0, "run");
    assert_done_again(&night, 1, "a filter");
    assert!(!was_told(&night), "{:#?}", night.facts());
    let waits = night.facts().into_iter().filter(|fact| matches!(fact, Fact::BackoffStarted { .. }));
    assert_eq!(waits.count(), 2, "{:#?}", night.facts());
}

// attack(endings): the filter that a lane's files go through fails for good
// holds: nobody is paid; the run ends as one whose checkout could not be set up, in git's own words, and goes on once it can
#[test]
fn a_lane_that_can_never_be_filled_ends_the_run_with_what_git_said() {
    let night = with_filter(|marks| format!("test ! -e '{marks}/mended'"));
    let night = night.set("WINDLASS_LIMITS__OUTAGE_RETRIES", "1");
    let outcome = run(&night, &["-j", "2", "--gate", "true"]);
    outcome.expect_code(34, "run");
    let said =
        (outcome.stdout_text() + &outcome.stderr_text()).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("could not be filled: `git read-tree` failed") && said.contains("no such host"),
        "{said}"
    );
    assert!(!said.contains("removed"), "{said}");
    fs::write(night.env.root().join("marks/mended"), "").unwrap();
    night.resume(&[]).expect_code(0, "resume");
    assert_done_again(&night, 1, "mended");
}
