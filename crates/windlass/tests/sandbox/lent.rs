//! What guests with a git directory of their own leave in it that is not to be the repository's as it is, with the real binary.

use std::path::Path;

use rustix::process::Signal;
use windlass_testkit::Outcome;
use windlass_testkit::environment::wait_until;

use super::git::{told, work};
use super::git_after_kills::carry_out;
use super::place::{CLEARED, PATIENCE, Place, kinds, said};

fn mounting() -> impl Iterator<Item = &'static str> {
    kinds().into_iter().filter(|kind| *kind == "bwrap")
}

/// A branch `feat` that changes the same line as `main`.
fn conflicting(kind: &'static str) -> Place {
    let place = Place::new(kind);
    place.env.write("f", "base\n");
    place.env.git(&["add", "f"]);
    place.env.git(&["commit", "--quiet", "--message", "base"]);
    place.env.git(&["checkout", "--quiet", "-b", "feat"]);
    place.env.write("f", "theirs\n");
    place.env.git(&["commit", "--quiet", "--all", "--message", "theirs"]);
    place.env.git(&["checkout", "--quiet", "main"]);
    place.env.write("f", "ours\n");
    place.env.git(&["commit", "--quiet", "--all", "--message", "ours"]);
    place
}

/// The agent does this and says that the job is done, and says so in every later call.
fn claim(place: &Place, commands: &str, flags: &[&str]) -> Outcome {
    let done = "{ result = { text = 'WINDLASS_JOB_COMPLETE', cost = 0.01 } }";
    let script = format!(
        "[[call]]\nsteps = [ {{ bash = '''\n{commands}; true\n''' }}, {done} ]\n[[call]]\nsteps = [ {done} ]\n"
    );
    let fixed = ["-m", "4", "--allow-dirty", "--completion-threshold", "1"];
    place.env.run(&mut place.command_of(&script, &[&fixed, flags].concat()), PATIENCE)
}

fn head(place: &Place) -> String {
    place.env.git(&["symbolic-ref", "HEAD"])
}

fn holders(place: &Place, subject: &str) -> String {
    let all = place.env.git(&["for-each-ref", "--format=%(subject) %(refname:short)"]);
    all.lines().filter(|line| line.starts_with(subject)).collect::<Vec<_>>().join("\n")
}

// attack(git): an agent in a sandbox, or what a gate runs there, renames the branch to one below itself, or begins one below another one or
//   with a name that no command takes, and commits
// holds: what is checked out stays, the run says so and ends, and the commits are a branch of their own
#[test]
fn what_is_checked_out_stays_where_a_guests_branch_cannot_be_made() {
    let commit = "echo y > y; git add y; git commit -qm guests";
    for kind in mounting() {
        for attack in [
            "git branch -m main main/sub",
            "git branch -D other; git checkout -qb other/x",
            "git update-ref refs/heads/-x HEAD; git symbolic-ref HEAD refs/heads/-x",
        ] {
            let place = Place::new(kind);
            place.env.git(&["branch", "other"]);
            let outcome = work(&place, &[&format!("{attack}; {commit}")], &["--commit", "agent"]);
            assert_eq!(head(&place), "refs/heads/main", "{attack}: {}", said(&outcome));
            assert_eq!(outcome.code, Some(29), "{attack}: {}", said(&outcome));
            assert!(told(&outcome).contains("cannot be made here"), "{attack}: {}", said(&outcome));
            assert!(!holders(&place, "guests").is_empty(), "{attack}: {}", said(&outcome));
        }
        let place = Place::new(kind);
        let gate = format!("test ! -e w || test -e y || {{ git branch -m main main/sub; {commit}; }}");
        let outcome = claim(&place, "echo w > w", &["--commit", "none", "--gate", &gate]);
        assert_eq!(head(&place), "refs/heads/main", "{}", said(&outcome));
        assert!(told(&outcome).contains("cannot be made here"), "{}", said(&outcome));
        assert!(!holders(&place, "guests").is_empty(), "{}", said(&outcome));
    }
}

// attack(git): an agent in a sandbox begins a merge that conflicts and leaves it, where the runner commits, and where nobody does
// holds: it is said; the runner commits nothing over it and the run ends for a person, also when it is resumed, until the file is put
//   right
#[test]
fn a_guests_merge_that_is_not_finished_is_not_committed() {
    for kind in mounting() {
        for commits in ["runner", "none"] {
            let place = conflicting(kind);
            let before = place.env.git(&["rev-parse", "main"]);
            let outcome = claim(&place, "git merge -q feat", &["--commit", commits]);
            let text = told(&outcome);
            assert!(text.contains("a merge was begun and not finished"), "{commits}: {}", said(&outcome));
            assert_eq!(place.env.git(&["rev-parse", "main"]), before, "{}", said(&outcome));
            if commits == "none" {
                continue;
            }
            assert!(text.contains("stopped: needs_human"), "{}", said(&outcome));
            assert!(text.contains("put right what is in f"), "{}", said(&outcome));
            let again = carry_out(&place, &["resume"]);
            assert_eq!(place.env.git(&["rev-parse", "main"]), before, "{}", said(&again));
            place.env.write("f", "both\n");
            place.env.git(&["commit", "--quiet", "--all", "--message", "a person's"]);
            let resumed = carry_out(&place, &["resume", "--max-iterations", "12"]);
            assert!(told(&resumed).contains("stopped: complete"), "{}", said(&resumed));
        }
    }
}

// attack(git): the same, where damage is undone by itself
// holds: files and git directory are as before the attempt, and what the next agent does is committed
#[test]
fn a_guests_merge_that_is_undone_is_in_nobodys_way() {
    for kind in mounting() {
        let place = conflicting(kind).set("WINDLASS_SAFETY__UNDO", "auto");
        let next = "git status --porcelain > seen; test ! -e .git/MERGE_HEAD && echo w > w";
        let outcome = work(&place, &["git merge -q feat; true", next], &["--commit", "runner"]);
        assert!(
            told(&outcome).contains("files and repository are as before the attempt"),
            "{}",
            said(&outcome)
        );
        assert_eq!(place.env.git(&["show", "main:w"]), "w", "{}", said(&outcome));
        assert_eq!(place.env.git(&["show", "main:f"]), "ours");
        assert_eq!(place.env.git(&["show", "main:seen"]), "?? seen");
    }
}

// attack(git): a person has a merge with conflicts under way, and an agent in a sandbox commits all that is there
// holds: the branch, the conflicts and the merge are as they were; the commit is a branch of its own, and the run ends for a person
#[test]
fn a_persons_merge_stays_under_way_whatever_a_guest_commits() {
    for kind in mounting() {
        let place = conflicting(kind);
        let before = place.env.git(&["rev-parse", "main"]);
        let merge = ["-c", "user.name=x", "-c", "user.email=x@x", "merge", "--quiet", "feat"];
        let mut command = place.env.command("git");
        place.env.run(command.args(merge).current_dir(place.env.project()), PATIENCE);
        let outcome = work(&place, &["git commit -qam guests"], &["--commit", "none"]);
        assert_eq!(place.env.git(&["rev-parse", "main"]), before, "{}", said(&outcome));
        assert_eq!(place.env.git(&["status", "--porcelain"]), "UU f", "{}", said(&outcome));
        assert!(place.env.project().join(".git/MERGE_HEAD").exists(), "{}", said(&outcome));
        assert!(told(&outcome).contains("what is under way in your repository"), "{}", said(&outcome));
        assert_eq!(outcome.code, Some(24), "{}", said(&outcome));
        assert!(holders(&place, "guests").contains("windlass/"), "{}", said(&outcome));
    }
}

/// A place where a runner that commits was killed beside a guest that did this.
fn killed(place: &Place, attack: &str) {
    let script = format!(
        "[[call]]\nsteps = [ {{ bash = '''\n{attack}; touch ready; sleep 60\n''' }} ]\n\n\
         [[call]]\nsteps = [ {{ bash = 'echo y > more' }}, {{ result = {{ text = 'Done.', cost = 0.01 }} }} ]\n"
    );
    let running = place.start(&script, &["-m", "2", "--allow-dirty", "--commit", "runner"]);
    let is_ready = wait_until(PATIENCE, || place.env.project().join("ready").exists());
    assert!(is_ready, "nobody is at work: {}", running.stderr_so_far());
    running.signal(Signal::KILL);
    drop(running.wait(PATIENCE));
    place.env.assert_no_processes(CLEARED);
}

// attack(git): a runner is killed while an agent in a sandbox has committed some of its work; then somebody types `resume`, or begins
//   another run
// holds: the agent's commits become the branch first, then the rest of its interrupted work; nobody is said to have moved a branch
#[test]
fn what_a_guest_had_committed_when_its_runner_was_killed_goes_first() {
    for kind in mounting() {
        for fresh in [false, true] {
            let place = Place::new(kind);
            killed(&place, "echo y > y; git add y; git commit -qm guests; echo z > z");
            let outcome: Outcome = if fresh {
                work(&place, &["echo y > more"], &["--commit", "runner"])
            } else {
                carry_out(&place, &["resume"])
            };
            let subjects = place.env.git(&["log", "--reverse", "--format=%s", "main"]);
            let subjects: Vec<&str> = subjects.lines().collect();
            assert_eq!(subjects[..2], ["Begin", "guests"], "{}", said(&outcome));
            assert!(subjects[2].starts_with("Interrupted work"), "{subjects:?}: {}", said(&outcome));
            assert!(subjects[3].starts_with("Windlass iteration"), "{subjects:?}: {}", said(&outcome));
            assert!(!told(&outcome).contains("a branch was moved"), "{}", said(&outcome));
            assert_eq!(holders(&place, "guests"), "", "no branch keeps what is on main");
        }
    }
}

// attack(git): the same in the middle of a merge with conflicts
// holds: what it left is kept and not committed, and the agent that is called anew may finish the merge
#[test]
fn a_merge_of_a_guest_whose_runner_was_killed_is_not_committed() {
    for kind in mounting() {
        let place = conflicting(kind);
        let before = place.env.git(&["rev-parse", "main"]);
        killed(&place, "git merge -q feat");
        let outcome = carry_out(&place, &["resume"]);
        assert!(told(&outcome).contains("a merge of the agent's is under way"), "{}", said(&outcome));
        assert_eq!(place.env.git(&["rev-parse", "main"]), before, "{}", said(&outcome));
    }
}

/// A list with one task, and a script that does something in its lane.
fn in_a_lane(place: &Place, attack: &str) -> Outcome {
    let task = "# Tasks\n\n### TASK-001: A thing\n- **Status**: pending\n\n### TASK-002: Another\n- **Status**: pending\n";
    place.env.write("requirements.md", task);
    place.env.git(&["add", "--all"]);
    place.env.git(&["commit", "--quiet", "--message", "Tasks"]);
    let script = format!(
        "[[call]]\nsteps = [ {{ write = {{ path = \"work/{{{{task}}}}\", text = \"done\\n\" }} }}, {{ bash = '''\n\
         test \"$(ls work)\" = TASK-001 || exit 0\n{attack}\n''' }}, \"tick_task\", {{ result = {{ text = \"{{{{task}}}} is done.\", cost = 0.01 }} }} ]\n"
    );
    let script = place.env.write(place.env.root().join("script.toml"), script);
    let mock = format!("--mock={}", script.display());
    let mut fixed = vec!["run", "--mode", "tasks", "-j", "2", &mock, "--no-delay", "--commit", "runner"];
    if place.kind != "none" {
        fixed.extend(["--sandbox", place.kind]);
    }
    place.env.run(&mut place.windlass(&fixed), PATIENCE)
}

// attack(git): the agent of a lane commits on a branch of its own and under a tag beside its work, and puts work away in a stash; and then
//   breaks its git directory
// holds: each of them is a branch of the person's, and said; a git directory that is broken is kept in the run's folder, which is said
#[test]
fn what_a_lanes_agent_commits_beside_its_work_is_kept() {
    let beside = "git checkout -qb side; git commit -q --allow-empty -m on-a-branch; git checkout -q --detach HEAD~1; \
                  git commit -q --allow-empty -m under-a-tag; git tag v1; git checkout -q --detach HEAD~1";
    for kind in kinds().into_iter().filter(|kind| *kind == "bwrap").chain(["none"]) {
        let place = Place::new(kind);
        let outcome = in_a_lane(&place, beside);
        outcome.expect_code(0, &said(&outcome));
        for (subject, name) in [("on-a-branch", "heads-side"), ("under-a-tag", "tags-v1")] {
            assert!(holders(&place, subject).ends_with(name), "{kind}: {}", said(&outcome));
        }
        for spoil in ["rm .git/HEAD", "rm .git/HEAD; mkfifo .git/HEAD"] {
            let place = Place::new(kind);
            let outcome = in_a_lane(&place, &format!("{beside}; {spoil}"));
            outcome.expect_code(0, &said(&outcome));
            let text = told(&outcome);
            let (_, kept) = text.split_once("was broken: it is kept as ").unwrap_or_else(|| panic!("{text}"));
            let kept = Path::new(kept.split_whitespace().next().unwrap());
            assert!(kept.join("refs/heads/side").exists(), "{kind}: {text}");
        }
        let place = Place::new(kind);
        let outcome = in_a_lane(&place, &format!("{beside}; echo garbage > .git/packed-refs"));
        assert!(holders(&place, "on-a-branch").ends_with("heads-side"), "{kind}: {}", said(&outcome));
    }
}
