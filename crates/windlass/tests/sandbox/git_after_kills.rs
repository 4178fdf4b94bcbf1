//! git, where a runner was killed while a guest had the person's git directory before it.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;
use windlass_testkit::Outcome;
use windlass_testkit::environment::wait_until;

use super::place::{CLEARED, PATIENCE, Place, kinds, said};

/// A command that waits for a pipe without a bound takes longer.
const BOUND: Duration = Duration::from_secs(40);

/// What a guest writes: programs, another tree, settings in a pipe.
const SETTINGS: &str = "git config core.fsmonitor \"$PWN\"; git config core.hooksPath \"$PWD/hooks\"; \
     git config filter.up.clean \"$PWN\"; git config core.worktree \"$PWD/elsewhere\"; mkdir -p hooks elsewhere; \
     for h in post-index-change reference-transaction pre-commit; do printf '#!/bin/sh\\n%s\\n' \"$PWN\" > hooks/$h; done; \
     chmod -R +x hooks; echo '* filter=up' > .git/info/attributes; echo '../other' > .git/commondir; \
     mkfifo pipe; printf '[include]\\n\\tpath = %s\\n' \"$PWD/pipe\" >> .git/config";

/// What must be files.
const PIPES: &str = "for f in config info/attributes commondir; do rm -f .git/$f; mkfifo .git/$f; done";

fn guests() -> Vec<&'static str> {
    kinds().into_iter().filter(|kind| *kind == "landlock").chain(["none"]).collect()
}

/// A place where a runner was killed beside a guest that did this.
fn killed(kind: &'static str, attack: &str) -> Place {
    let place = Place::new(kind);
    place.env.write(".git/info/attributes", "*.x -text\n");
    let out = place.env.root().display();
    let script = format!(
        "[[call]]\nsteps = [ {{ bash = '''\nPWN=\"touch {out}/pwned\"\n{attack}\nrm -f {out}/pwned; echo x > work; \
         touch ready; sleep 60\n''' }} ]\n\n[[call]]\nsteps = [ {{ bash = 'echo y > more' }}, {{ result = {{ text = 'Done.', cost = 0.01 }} }} ]\n"
    );
    let running = place.start(&script, &["-m", "2", "--allow-dirty", "--commit", "runner"]);
    let is_ready = wait_until(PATIENCE, || place.env.project().join("ready").exists());
    assert!(is_ready, "{kind}: nobody is at work: {}", running.stderr_so_far());
    running.signal(Signal::KILL);
    drop(running.wait(PATIENCE));
    place.env.assert_no_processes(CLEARED);
    // Of an agent without walls: what it started once it was told to.
    let _ = fs::remove_file(place.env.root().join("pwned"));
    place
}

/// With the run's own name where `RUN` stands.
fn named(place: &Place, verb: &[&str]) -> Vec<String> {
    let projects = fs::read_dir(place.env.state().join("projects")).unwrap().flatten();
    let runs = projects.flat_map(|project| fs::read_dir(project.path().join("runs")).unwrap().flatten());
    let run = runs
        .filter(|run| run.path().is_dir())
        .map(|run| run.file_name().into_string().unwrap())
        .next()
        .unwrap();
    verb.iter().map(|word| if *word == "RUN" { run.clone() } else { (*word).to_owned() }).collect()
}

pub fn carry_out(place: &Place, verb: &[&str]) -> Outcome {
    let words = named(place, verb);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    place.env.run(&mut place.windlass(&words), PATIENCE)
}

fn steering(folder: &Path) -> Vec<Option<Vec<u8>>> {
    let read = |name: &str| {
        let path = folder.join(name);
        path.is_file().then(|| fs::read(path).unwrap())
    };
    ["config", "info/attributes", "commondir"].map(read).to_vec()
}

// attack(git): a runner is killed while an agent under landlock, or without a sandbox, has written settings, attributes, another
//   working tree and a pipe into the person's git directory; then a person types each of the commands
// holds: the first command puts back what steers git before it calls git, and says so; nothing is run, nothing waits, and the run
//   goes on
#[test]
fn the_first_command_after_a_kill_obeys_nothing() {
    let verbs: [&[&str]; 6] = [
        &["status"],
        &["doctor"],
        &["runs"],
        &["restore", "RUN", "1"],
        &["resume"],
        &[
            "run",
            "-p",
            "Other",
            "--mock",
            "-m",
            "1",
            "--fresh",
            "--allow-dirty",
            "--no-delay",
            "--commit",
            "runner",
        ],
    ];
    for kind in guests() {
        for (verb, attack) in verbs.iter().map(|verb| (verb, SETTINGS)).chain([(&verbs[4], PIPES)]) {
            let clean = Place::new(kind);
            clean.env.write(".git/info/attributes", "*.x -text\n");
            let before = steering(&clean.env.project().join(".git"));
            let place = killed(kind, attack);
            let outcome = carry_out(&place, verb);
            let told = format!("{kind} {verb:?}: {}", said(&outcome));
            assert!(!outcome.timed_out && outcome.duration < BOUND, "{:?}: {told}", outcome.duration);
            assert!(!place.env.root().join("pwned").exists(), "{told}");
            assert_eq!(steering(&place.env.project().join(".git")), before, "{told}");
            let words = told.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words.contains("put back before git was called"), "{told}");
            // What is another one's from now on stays.
            place.env.git(&["config", "core.abbrev", "9"]);
            let outcome = place.env.run(&mut place.windlass(&["status"]), PATIENCE);
            assert_eq!(place.env.git(&["config", "core.abbrev"]), "9", "{}", said(&outcome));
            if verb[0] == "resume" {
                let subject = place.env.git(&["log", "-1", "--format=%s"]);
                assert!(subject.starts_with("Windlass iteration"), "{subject}: {told}");
            }
        }
    }
}

// attack(git): the same, and the agent has made pipes of the index and of HEAD
// holds: every command ends within seconds with a sentence that names the pipe, and nothing waits
#[test]
fn pipes_that_a_killed_runners_guest_left_keep_nobody_waiting() {
    for kind in guests() {
        for name in ["index", "HEAD", "packed-refs"] {
            let place = killed(kind, &format!("rm -f .git/{name}; mkfifo .git/{name}"));
            for verb in [&["status"][..], &["doctor"], &["runs"], &["restore", "RUN", "1"], &["resume"]] {
                let outcome = carry_out(&place, verb);
                let told = format!("{kind} {name} {verb:?}: {}", said(&outcome));
                assert!(!outcome.timed_out && outcome.duration < BOUND, "{:?}: {told}", outcome.duration);
                if verb[0] == "resume" {
                    assert!(told.contains(&format!(".git/{name}")), "{told}");
                }
            }
        }
    }
}
