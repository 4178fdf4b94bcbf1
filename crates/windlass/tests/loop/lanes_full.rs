//! Lanes on a disk without room: nothing is half landed, and the run goes on once there is room.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use windlass_testkit::Outcome;

use super::night::{CLEARED, Night, PATIENCE};
use super::tasks::{HONEST, SIX, command, night};

/// Where the small disk is.
#[derive(Clone, Copy)]
enum Small {
    /// Where lanes are.
    State,
    /// Where landings go.
    Project,
}

/// Runs and resumes on a small disk, which goes with its namespace: what is left of the project is copied from it. `None`
/// where nobody may mount.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn on_a_small_disk(night: &Night, small: Small) -> Option<Outcome> {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped, because only root can mount a small disk");
        return None;
    }
    let run = command(night, &["-j", "2", "--gate", "true", "--exit-codes", "detailed"]);
    let script = r#"
        project=$PWD; cd "$ROOT"
        if [ "$SMALL" = state ]; then
            mkdir -p "$WINDLASS_STATE_DIR" && mount -t tmpfs -o size=24m small "$WINDLASS_STATE_DIR" || exit 99
        else
            cp -a "$project" copy && mount -t tmpfs -o size=24m small "$project" && cp -a copy/. "$project" || exit 99
        fi
        cd "$project"
        "$@"; echo "first=$?"
        git status --porcelain; git fsck --no-progress --no-dangling || echo broken
        test -e .git/index.lock && echo locked
        git log --format='half: %s' | grep -c DevLoop
        rm -f "$WINDLASS_STATE_DIR/fill" .git/fill
        "$1" resume --exit-codes detailed; echo "second=$?"
        cp -a "$project" "$ROOT/after"
    "#;
    let mut unshared = night.env.command("unshare");
    unshared.args(["--mount", "sh", "-c", script, "sh"]).arg(run.get_program()).args(run.get_args());
    unshared.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
    unshared.env("ROOT", night.env.root());
    unshared.env("SMALL", if matches!(small, Small::State) { "state" } else { "project" });
    let outcome = night.env.run(&mut unshared, PATIENCE);
    night.env.assert_no_processes(CLEARED);
    Some(outcome)
}

/// A program that fills a disk the first time that it is called where this holds, and then does something else.
fn fills(night: &Night, when: &str, fill: &str, then: &str) -> String {
    let root = night.env.root().display().to_string();
    let text = format!(
        "#!/bin/sh\nif {when} && mkdir '{root}/filled-once' 2>/dev/null; then cat /dev/zero > '{fill}' 2>/dev/null; fi\n\
         {then}\n"
    );
    let path = night.env.write(night.env.root().join("program"), text);
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path.display().to_string()
}

fn assert_went_on(night: &Night, outcome: &Outcome, tasks: usize) {
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert_ne!(outcome.code, Some(99), "no small disk: {said}");
    for expected in ["first=28", "stopped: disk_full", "second=0", "stopped: complete"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    for unexpected in ["broken", "locked", "report it"] {
        assert!(!said.contains(unexpected), "{unexpected}: {said}");
    }
    let after = night.env.root().join("after").display().to_string();
    let log = night.env.git(&["-C", &after, "log", "--format=%s"]);
    let mut landed: Vec<&str> =
        log.lines().filter_map(|line| Some(line.split_once("Complete ")?.1)).collect();
    assert_eq!(landed.len(), tasks, "{log}");
    landed.sort_unstable();
    landed.dedup();
    assert_eq!(landed.len(), tasks, "each once: {log}");
    assert_eq!(night.env.git(&["-C", &after, "status", "--porcelain"]), "");
}

#[test]
fn a_disk_that_is_full_in_a_merge_ends_the_run_and_nothing_is_half_landed() {
    let script = HONEST.replace("work/{{task}}", "common").replace("write =", "append =");
    let night = night(&[(1, &[]), (2, &[])], &script.replace("done\\n", "{{task}}\\n"));
    let fill = night.env.state().join("fill").display().to_string();
    let driver = fills(&night, "true", &fill, "cat \"$2\" >> \"$1\"");
    night.env.write("common", "both\n");
    night.env.write(".gitattributes", "common merge=both\n");
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "A driver"]);
    night.env.git(&["config", "merge.both.driver", &format!("{driver} %A %B")]);
    let Some(outcome) = on_a_small_disk(&night, Small::State) else { return };
    assert_went_on(&night, &outcome, 2);
    let common = fs::read_to_string(night.env.root().join("after/common")).unwrap();
    assert!(common.contains("TASK-001") && common.contains("TASK-002"), "{common}");
}

#[test]
fn a_disk_that_is_full_when_the_landing_is_committed_leaves_the_branch_as_it_was() {
    let night = night(SIX, HONEST);
    let fill = night.env.project().join(".git/fill").display().to_string();
    let signature = "-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n";
    let signs = format!("cat > /dev/null; echo '[GNUPG:] SIG_CREATED ' >&2; printf -- '{signature}'");
    let signer = fills(&night, "true", &fill, &signs);
    night.env.git(&["config", "gpg.program", &signer]);
    night.env.git(&["config", "commit.gpgSign", "true"]);
    let Some(outcome) = on_a_small_disk(&night, Small::Project) else { return };
    assert_went_on(&night, &outcome, 6);
    assert!(outcome.stdout_text().contains("\n0\n"), "nothing had landed: {}", outcome.stdout_text());
}

#[test]
fn a_disk_that_is_full_when_files_are_put_in_place_leaves_them_as_they_were() {
    let night = night(SIX, HONEST);
    let fill = night.env.project().join(".git/fill").display().to_string();
    // A filter of the project's own, which is asked only in the person's checkout.
    let here = format!("[ \"$(pwd -P)\" = '{}' ]", night.env.project().display());
    let filter = fills(&night, &here, &fill, "cat");
    night.env.write(".gitattributes", "work/* filter=fills\n");
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "A filter"]);
    night.env.git(&["config", "filter.fills.smudge", &filter]);
    night.env.git(&["config", "filter.fills.clean", "cat"]);
    let Some(outcome) = on_a_small_disk(&night, Small::Project) else { return };
    assert_went_on(&night, &outcome, 6);
}
