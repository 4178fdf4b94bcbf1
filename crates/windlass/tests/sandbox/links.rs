//! A guest that leaves links and pipes where the runner reads and writes.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::Duration;

use windlass_testkit::Outcome;

use super::place::{PATIENCE, Place, kinds, said};

const SECRET: &str = "PRIVATE-KEY-OF-A-PERSON";

/// What is put in the place of a file, `$1`: `$SECRET` is a file of a person's outside the project.
const TRAPS: [&str; 3] = ["ln -sfn \"$SECRET\" \"$1\"", "ln -sfn /proc/self/environ \"$1\"", "mkfifo \"$1\""];

/// A place with a plan, tasks and a workspace, beside which a person's secret lies.
fn furnished(kind: &'static str) -> Place {
    let place = Place::new(kind).set("PRIVATE_OF_THE_RUNNER", SECRET);
    place.env.write(place.env.root().join("secret"), SECRET);
    place.env.write(
        "tasks.md",
        "### TASK-001: One\n- **Status**: pending\n\n### TASK-002: Two\n- **Status**: pending\n",
    );
    place.env.write("requirements.md", "What is wanted.\n");
    place.env.write("progress.md", "# Progress\n");
    place.env.write("IMPLEMENTATION_PLAN.md", "# Plan\n\n- [ ] One\n- [ ] Two\n");
    place.env.write(".windlass/workspaces/api/INSTRUCTIONS.md", "Make it work.\n");
    place.env.git(&["add", "--all"]);
    place.env.git(&["commit", "--quiet", "--message", "Furnished"]);
    place
}

/// Runs a command whose agent first puts a trap in the place of files, and expects that nothing of the secret was told, kept in
/// a commit or changed, and that nothing waited.
fn holds(place: &Place, command: &[&str], places: &[&str], trap: &str) -> Outcome {
    let secret = place.env.root().join("secret");
    let traps = format!(
        "SECRET='{}'; for place in {}; do set -- $place; mkdir -p $(dirname $1); rm -rf $1; {trap}; done; echo x > more; true",
        secret.display(),
        places.join(" ")
    );
    let traps = traps.replace('\\', "\\\\").replace('"', "\\\"");
    let script = format!(
        "[[call]]\nsteps = [ {{ bash = {{ command = \"{traps}\", silent = true }} }} ]\n\n[[call]]\nsteps = [ {{ say = \"seen\" }} ]\n"
    );
    let script = place.env.write(place.env.root().join("script.toml"), &script);
    let mock = format!("--mock={}", script.display());
    let fixed = [&mock, "--no-delay", "--sandbox", place.kind];
    let outcome = place.env.run(&mut place.windlass(&[command, &fixed].concat()), PATIENCE);
    let (kind, told) = (place.kind, told(place, &outcome));
    assert!(!told.contains(SECRET), "{kind}: {trap}: {told}");
    assert_eq!(fs::read_to_string(secret).unwrap(), SECRET, "{kind}: {trap}");
    assert!(!outcome.timed_out && !outcome.output_held, "{kind}: {trap}: {told}");
    assert!(outcome.duration < Duration::from_secs(90), "{kind}: {trap}: {:?}", outcome.duration);
    assert!(!place.env.git(&["log", "-p", "--all"]).contains(SECRET), "{kind}: {trap}");
    outcome
}

/// Everything that was ever handed to an agent, and everything that was said to the person.
fn told(place: &Place, outcome: &Outcome) -> String {
    let (mut told, mut prompts) = (said(outcome), 0);
    let mut waiting: Vec<PathBuf> = vec![place.env.state()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(path);
            } else if path.file_name().is_some_and(|name| name == "prompt.md" || name == "system.md") {
                told += &String::from_utf8_lossy(&fs::read(path).unwrap());
                prompts += 1;
            }
        }
    }
    assert!(prompts > 0, "no agent was called: {told}");
    told
}

// attack(files): inside a sandbox the agent replaces AGENTS.md, the notes and the requirements by links to a person's key or to
//   the runner's environment, or by pipes
// holds: nothing of it reaches a prompt or a commit, nothing waits, and what they lead to is as it was
#[test]
fn what_a_run_reads_leads_out() {
    for kind in kinds() {
        for trap in TRAPS {
            let place = furnished(kind);
            let places = ["AGENTS.md", "SHARED_TASK_NOTES.md", "requirements.md"];
            let goal = ["run", "-p", "Work", "-m", "2", "--stagnation-threshold", "0", "--commit", "runner"];
            holds(&place, &goal, &places, trap);
            let notes = place.env.project().join("SHARED_TASK_NOTES.md").symlink_metadata();
            assert!(!notes.unwrap().is_file(), "{kind}: the agent set its trap");
        }
    }
}

// attack(files): inside a sandbox the agent replaces the task file and the journal of progress, then the plan, then the files of
//   its workspace
// holds: the same
#[test]
fn what_is_worked_off_leads_out() {
    for kind in kinds() {
        for trap in TRAPS {
            let place = furnished(kind);
            let tasks = ["run", "--mode", "tasks", "-m", "2"];
            holds(&place, &tasks, &["tasks.md", "progress.md"], trap);
            let place = furnished(kind);
            holds(&place, &["build", "-m", "2"], &["IMPLEMENTATION_PLAN.md", "specs/one.md"], trap);
            let place = furnished(kind);
            let below = |name: &str| format!(".windlass/workspaces/api/{name}");
            let places = [".status.json", "TODO.md", ".metadata.json", "working"].map(below);
            let places: Vec<&str> = places.iter().map(String::as_str).collect();
            holds(&place, &["run", "api", "-m", "2"], &places, trap);
        }
    }
}

// attack(files): the agent of a locked lane replaces the task file, AGENTS.md and the requirements in its clone
// holds: nothing of what they lead to is told, landed, written or added to
#[test]
fn what_a_locked_lane_holds_leads_out() {
    for kind in kinds() {
        for trap in TRAPS {
            let place = furnished(kind);
            let places = ["tasks.md", "progress.md", "AGENTS.md", "requirements.md"];
            holds(&place, &["run", "--mode", "tasks", "-j", "2", "-m", "3"], &places, trap);
        }
    }
}

// attack(files): the agent of a run in a worktree of its own, locked in, replaces AGENTS.md, the notes and the requirements
// holds: nothing of what they lead to is told, committed, written or added to
#[test]
fn what_a_locked_worktree_holds_leads_out() {
    for kind in kinds() {
        for trap in TRAPS {
            let place = furnished(kind);
            let places = ["AGENTS.md", "SHARED_TASK_NOTES.md", "requirements.md", "progress.md"];
            let goal = ["run", "-p", "Work", "--worktree", "side", "-m", "2", "--commit", "runner"];
            holds(&place, &[&goal[..], &["--stagnation-threshold", "0"]].concat(), &places, trap);
        }
    }
}

// attack(files): a person's own link AGENTS.md out of the project, and a run in a sandbox
// holds: it is refused by name before the first iteration, and nothing that it leads to is told
#[test]
fn a_link_that_a_person_had_there_is_refused_by_name_in_a_sandbox() {
    for kind in kinds() {
        let place = furnished(kind);
        place.env.write(place.env.root().join("shared/AGENTS.md"), SECRET);
        symlink("../shared/AGENTS.md", place.env.project().join("AGENTS.md")).unwrap();
        let outcome = holds(&place, &["run", "-p", "Work", "-m", "1"], &["more"], "true");
        let said = said(&outcome);
        assert!(said.contains("AGENTS.md is a link that leads out of the project"), "{kind}: {said}");
        assert!(said.contains("in a sandbox it is not read"), "{kind}: {said}");
    }
}
