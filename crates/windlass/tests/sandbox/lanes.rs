//! Lanes of parallel tasks, each locked in with its own clone.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use windlass_testkit::{Outcome, TestEnv};

use super::place::{CLEARED, PATIENCE, Place, is_root, kinds, said};

/// Each writes a file of its own and looks around, and so does the gate.
const WORKING: &str = r#"
[[call]]
steps = [
  { write = { path = "work/{{task}}", text = "done\n" } },
  { bash = "bash ./probe.sh agent" },
  "tick_task",
  { result = { text = "{{task}} is done.", cost = 0.01 } },
]
"#;

/// What agents and gates of lanes find. What they expect and do not find is written down in their clones: it lands.
fn probe(place: &Place) -> String {
    let root = place.env.root().display();
    let closed = if place.kind == "bwrap" { "may_not" } else { "may" };
    format!(
        r#"
test "${{WINDLASS_LANE:-0}}" = 0 && exit 0 # Before the first iteration, where the project is.
root='{root}'; failed=0; who="$1-$WINDLASS_LANE"
say() {{ mkdir -p work; echo "$who: $1" >> work/failures; failed=1; }}
may() {{ what=$1; shift; "$@" >/dev/null 2>&1 || say "may $what"; }}
may_not() {{ what=$1; shift; if "$@" >/dev/null 2>&1; then say "may not $what"; fi; }}
may 'write here' sh -c 'echo x > made && rm made'
may 'read what is committed' git show HEAD:README.md
may 'read the history' git log --oneline
may 'write objects' sh -c 'echo "$0" | git hash-object -w --stdin' "$who"
may 'have a home' sh -c 'echo x > "$HOME/x"'
may 'have temporary files' sh -c 'f=$(mktemp) && echo x > "$f" && rm "$f"'
may_not 'write into the project' sh -c 'echo x > "$root/project/evil"' "$root"
for place in project/evil project/.git/evil project/.git/objects/evil project/.git/refs/heads/evil state/evil; do
    may_not "write $place" sh -c 'echo x > "$0"' "$root/$place"
done
may_not 'move the branch' git -C "$root/project" update-ref refs/heads/evil HEAD
may_not 'write beside the clone' sh -c 'echo x > ../evil'
may_not 'write what the runner has of the clone' sh -c 'echo x > ../../lane.git/evil'
may_not 'see what the runner has of the clone' cat ../../lane.git/config
may_not 'read the journal' sh -c 'cat "$0"/state/projects/*/runs/*/journal.jsonl' "$root"
for other in 1 2; do
    test "$other" = "$WINDLASS_LANE" && continue
    may_not "see lane $other" ls "../../../$other/tree/project"
    may_not "write into lane $other" sh -c 'mkdir -p "$0" && echo x > "$0/evil"' "../../../$other/tree/project"
done
{closed} 'make a configuration' sh -c 'mkdir -p .windlass && echo > .windlass/evil'
rm -f .windlass/evil
exit $failed
"#
    )
}

fn furnished(place: Place) -> Place {
    let mut tasks = "# Tasks\n".to_owned();
    for (task, after) in [("TASK-001", "none"), ("TASK-002", "none"), ("TASK-003", "TASK-001, TASK-002")] {
        let _ = write!(tasks, "\n### {task}: A thing\n- **Status**: pending\n- **Dependencies**: {after}\n");
    }
    place.env.write("requirements.md", tasks);
    place.env.write("probe.sh", probe(&place));
    place.env.git(&["add", "--all"]);
    place.env.git(&["commit", "--quiet", "--message", "Tasks"]);
    place
}

fn run(place: &Place, flags: &[&str]) -> Outcome {
    let script = place.env.write(place.env.root().join("script.toml"), WORKING);
    let mock = format!("--mock={}", script.display());
    let fixed = ["run", "--mode", "tasks", "-j", "2", &mock, "--no-delay", "--sandbox", place.kind];
    place.env.run(&mut place.windlass(&[&fixed, flags].concat()), PATIENCE)
}

fn expect_all_landed(place: &Place, outcome: &Outcome) {
    let failures = fs::read_to_string(place.env.project().join("work/failures")).unwrap_or_default();
    outcome.expect_code(0, &format!("{}: {failures}{}", place.kind, said(outcome)));
    assert_eq!(failures, "", "{}", place.kind);
    for task in ["TASK-001", "TASK-002", "TASK-003"] {
        let made = fs::read_to_string(place.env.project().join("work").join(task)).unwrap_or_default();
        assert_eq!(made, "done\n", "{}: {task}: {}", place.kind, said(outcome));
    }
    assert_eq!(place.env.git(&["-c", "safe.directory=*", "status", "--porcelain"]), "", "{}", place.kind);
    let mut evil = Vec::new();
    find(place.env.root(), "evil", &mut evil);
    assert!(evil.is_empty(), "{}: {evil:?}", place.kind);
    place.env.assert_no_processes(CLEARED);
}

fn find(folder: &Path, name: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name() == name {
            found.push(entry.path());
        } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            find(&entry.path(), name, found);
        }
    }
}

#[test]
fn each_lane_is_locked_in_with_its_own_clone() {
    for kind in kinds() {
        let place = furnished(Place::new(kind));
        let outcome = run(&place, &["--gate", "bash ./probe.sh gate"]);
        expect_all_landed(&place, &outcome);
    }
}

#[test]
fn so_it_is_for_an_ordinary_user_and_among_temporary_files() {
    for kind in kinds() {
        let place = Place::at(TestEnv::with_git(), kind);
        let place = if is_root() { furnished(place).of_an_ordinary_user() } else { furnished(place) };
        let outcome = run(&place, &["--gate", "bash ./probe.sh gate", "--network", "off"]);
        expect_all_landed(&place, &outcome);
    }
}

// What a person opens in the project, or hides in it, is the clone's own affair.
#[test]
fn what_is_opened_or_hidden_in_the_project_is_so_in_the_clone() {
    for kind in kinds() {
        let env = TestEnv::below(Path::new(env!("CARGO_TARGET_TMPDIR")), "area/project").git_initialised();
        let place = furnished(Place::at(env, kind));
        place.env.write(".gitignore", "target\nsecret\n");
        place.env.write(".worktreeinclude", "secret\n");
        place.env.write("secret", "x");
        fs::create_dir(place.env.project().join("target")).unwrap();
        place.env.git(&["add", "--all"]);
        place.env.git(&["commit", "--quiet", "--message", "Ignore"]);
        let target = place.env.project().join("target").display().to_string();
        let gate = format!(
            "test -z \"$WINDLASS_LANE\" && exit 0; test -e secret && ! test -s secret && ! sh -c 'echo x > \"{target}/evil\"'"
        );
        let place = place.set("WINDLASS_SANDBOX__WRITABLE", "target");
        if kind == "bwrap" {
            let place = place.set("WINDLASS_SANDBOX__HIDDEN", "secret");
            expect_all_landed(&place, &run(&place, &["--gate", &gate]));
        } else {
            // It can hide nothing in what may be written, with lanes or without.
            let gate = format!("test -z \"$WINDLASS_LANE\" || ! sh -c 'echo x > \"{target}/evil\"'");
            expect_all_landed(&place, &run(&place, &["--gate", &gate]));
            let project = place.env.root().join("area").display().to_string();
            let outcome = run(&place.set("WINDLASS_SANDBOX__WRITABLE", &project), &["--fresh"]);
            outcome.expect_code(2, "the project is open");
            assert!(said(&outcome).contains("cannot keep the agents of lanes out"), "{}", said(&outcome));
        }
    }
}

#[test]
fn the_setup_command_of_a_lane_is_locked_in_with_it() {
    for kind in kinds() {
        let place = furnished(Place::new(kind));
        place.env.write(".gitignore", "ready\n");
        place.env.git(&["add", "--all"]);
        place.env.git(&["commit", "--quiet", "--message", "Ignore"]);
        let place =
            place.set("WINDLASS_WORKTREE__SETUP", "bash ./probe.sh setup && echo \"$WINDLASS_LANE\" > ready");
        let ready = "test -z \"$WINDLASS_LANE\" || test \"$(cat ready)\" = \"$WINDLASS_LANE\"";
        expect_all_landed(&place, &run(&place, &["--gate", ready]));
    }
}
