//! The runner is killed at every write of its journal, and at every call of git that changes something once work is on its way
//! to the branch: instead of the call, and while git is at it. `resume` then brings the run to the same end.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{StopReason, TaskEnd};
use windlass_testkit::TestEnv;

use super::night::{CLEARED, Night, PATIENCE, files_below};
use super::tasks::{honest_but, requirements};

/// The points are dealt out to so many tests.
const SHARDS: usize = 4;

/// Nights at a time in each of them: a part of a night is waiting.
const SIDE_BY_SIDE: usize = 3;

/// How often a killed run may have to be resumed: once, and more often should the machine be slow to clear up.
const RESUMPTIONS: usize = 3;

/// What is worked off, how, and how it ends.
struct Story {
    /// Of those whose agents are not simply honest.
    calls: &'static str,
    flags: &'static [&'static str],
    code: i32,
    ends: StopReason,
    /// Tasks that are done, each with one commit.
    done: &'static [&'static str],
    /// The branches that there are then.
    branches: &'static [&'static str],
}

/// Both land; whoever is second is merged with the first, and judged again.
const LANDS: Story = Story {
    calls: "",
    flags: &["-j", "2", "--gate", "true"],
    code: 0,
    ends: StopReason::Complete,
    done: &["TASK-001", "TASK-002"],
    branches: &["main"],
};

/// One of them fails, and is parked.
const PARKS: Story = Story {
    calls: r#"
[[call]]
task = "TASK-002"
steps = [
  { write = { path = "work/half", text = "half\n" } },
  { result = { text = "It cannot be done.", cost = 0.01, is_error = true } },
]
"#,
    flags: &["-j", "2", "--gate", "true", "--exit-codes", "detailed"],
    code: 17,
    ends: StopReason::Blocked,
    done: &["TASK-001"],
    branches: &["main", "windlass/RUN/TASK-002"],
};

/// The same in the user's own directory, where its agent has staged some of it.
const PARKS_HERE: Story = Story {
    calls: r#"
[[call]]
task = "TASK-001"
steps = [
  { append = { path = "work/half", text = "half\n" } },
  { append = { path = "work/loose", text = "loose\n" } },
  { bash = "WINDLASS_TEST_AGENT=1 git add work/loose" },
  { result = { text = "It cannot be done.", cost = 0.01, is_error = true } },
]
"#,
    flags: &["--gate", "true", "--exit-codes", "detailed"],
    code: 17,
    ends: StopReason::Blocked,
    done: &["TASK-002"],
    branches: &["main", "windlass/RUN/TASK-001"],
};

/// Where the runner is killed.
#[derive(Clone, Copy, Debug)]
enum Fault {
    BeforeWrite(usize),
    AfterWrite(usize),
    /// Instead of a changing call of git.
    InsteadOfGit(usize),
    /// Before git has done anything; it goes on, and nobody hears of it.
    DuringGit(usize),
}

/// Kills whoever called it, at its so many-th call that changes something after the first commit of a lane's work, or after
/// the first branch that is kept.
const GIT: &str = r#"#!/bin/sh
[ -n "$WINDLASS_TEST_AGENT" ] && exec "$WINDLASS_TEST_GIT" "$@"
verb= skip=
for word in "$@"; do
  if [ -n "$skip" ]; then skip=; continue; fi
  case "$word" in -c|-C) skip=yes ;; -*) ;; *) verb=$word; break ;; esac
done
case "$verb" in
commit|commit-tree|update-ref) echo >> "$WINDLASS_TEST_CALLS" ;;
reset|fetch|read-tree|merge-tree|checkout-index|clean|update-index|write-tree|hash-object)
  if [ -e "$WINDLASS_TEST_CALLS" ]; then echo >> "$WINDLASS_TEST_CALLS"; else verb=; fi ;;
*) verb= ;;
esac
if [ -n "$verb" ] && [ "$(wc -l < "$WINDLASS_TEST_CALLS")" -eq "$WINDLASS_TEST_CALL" ]; then
  kill -KILL $PPID
  [ "$WINDLASS_TEST_HOW" = instead ] && exit 1
fi
exec "$WINDLASS_TEST_GIT" "$@"
"#;

/// A repository that every night begins with a copy of.
struct Place {
    env: TestEnv,
    story: &'static Story,
    /// What the branch has in the end, and what is beside it.
    end: End,
    writes: usize,
    calls: usize,
}

/// What a night ends with, however often it was killed.
#[derive(Debug, Default, PartialEq)]
struct End {
    reason: Option<StopReason>,
    /// The files of the branch but for the runner's own: what of those is not yet committed goes with the next commit.
    tree: String,
    /// The task file as it is in the user's directory.
    file: String,
    /// How often each task was committed.
    commits: BTreeMap<String, usize>,
    /// What differs between the branch, the index and the files.
    status: String,
    /// Branches, but for the run's name in them.
    branches: Vec<String>,
    /// How each task ended.
    tasks: BTreeMap<String, bool>,
}

// rows: 75
#[test]
fn killed_anywhere_in_the_merge_queue_nothing_is_lost_or_doubled_1() {
    Place::new(&LANDS).kill_everywhere(0);
}

// rows: 75
#[test]
fn killed_anywhere_in_the_merge_queue_nothing_is_lost_or_doubled_2() {
    Place::new(&LANDS).kill_everywhere(1);
}

// rows: 75
#[test]
fn killed_anywhere_in_the_merge_queue_nothing_is_lost_or_doubled_3() {
    Place::new(&LANDS).kill_everywhere(2);
}

// rows: 75
#[test]
fn killed_anywhere_in_the_merge_queue_nothing_is_lost_or_doubled_4() {
    Place::new(&LANDS).kill_everywhere(3);
}

// rows: 75
#[test]
fn killed_while_a_lanes_task_is_parked_its_work_is_kept_once() {
    Place::new(&PARKS).kill_everywhere(0);
}

// rows: 75
#[test]
fn killed_while_a_task_is_parked_here_its_work_is_kept_once_and_nothing_of_it_stays() {
    Place::new(&PARKS_HERE).kill_everywhere(1);
}

// rows: 75
#[test]
fn killed_while_a_task_is_parked_here_its_work_is_kept_once_and_nothing_of_it_stays_2() {
    Place::new(&PARKS_HERE).kill_everywhere(3);
}

impl Place {
    fn new(story: &'static Story) -> Place {
        let env = TestEnv::new();
        env.write("requirements.md", requirements(&[(1, &[]), (2, &[])]));
        let env = env.git_initialised();
        let mut place = Place { env, story, end: End::default(), writes: 0, calls: 0 };
        let night = place.night();
        let outcome = night.env.run(&mut place.command(&night, Some(Fault::InsteadOfGit(0))), PATIENCE);
        outcome.expect_code(story.code, "not killed");
        place.end = end(&night);
        place.calls = lines(&night.env.root().join("calls"));
        // A batch of facts is one write, and bears one time; the first line is the journal's head.
        let times: BTreeSet<_> = night.entries().iter().map(|entry| entry.at.monotonic).collect();
        place.writes = times.len() + 1;
        place.is_as_told();
        place
    }

    /// The run without kills is what the story says.
    fn is_as_told(&self) {
        let End { reason, tree, file, commits, status, branches, tasks } = &self.end;
        assert_eq!(*reason, Some(self.story.ends));
        let done: Vec<&str> = commits.keys().map(String::as_str).collect();
        assert_eq!(done, self.story.done);
        assert!(commits.values().all(|times| *times == 1), "{commits:?}");
        assert!(self.story.done.iter().all(|task| tree.contains(*task)), "{tree}");
        assert_eq!(status, "");
        assert_eq!(file.matches(": done").count(), self.story.done.len(), "{file}");
        assert_eq!(branches, self.story.branches);
        assert!(
            tasks.iter().all(|(task, done)| *done == self.story.done.contains(&task.as_str())),
            "{tasks:?}"
        );
        assert!(self.calls >= 9 && self.writes > 20, "{} calls, {} writes", self.calls, self.writes);
    }

    fn night(&self) -> Night {
        let env = TestEnv::new();
        copy(self.env.project(), env.project());
        Night::within(env, &honest_but(self.story.calls))
    }

    fn command(&self, night: &Night, fault: Option<Fault>) -> Command {
        let mut command = night.windlass(&["run", "--mode", "tasks", "--no-delay"]);
        command.arg(format!("--mock={}", night.script.display())).args(self.story.flags);
        match fault {
            None => {}
            Some(Fault::BeforeWrite(write)) => {
                command.env("WINDLASS_TEST_FAULT", format!("kill-before-write={write}"));
            }
            Some(Fault::AfterWrite(write)) => {
                command.env("WINDLASS_TEST_FAULT", format!("kill-after-write={write}"));
            }
            Some(Fault::InsteadOfGit(call)) => deadly_git(night, &mut command, call, "instead"),
            Some(Fault::DuringGit(call)) => deadly_git(night, &mut command, call, "during"),
        }
        command
    }

    /// This shard's part of all the places at which a run can be killed.
    fn kill_everywhere(&self, shard: usize) {
        let at = |most: usize, fault: fn(usize) -> Fault| (1..=most).map(fault);
        let faults: Vec<Fault> = at(self.writes, Fault::BeforeWrite)
            .chain(at(self.writes, Fault::AfterWrite))
            .chain(at(self.calls, Fault::InsteadOfGit))
            .chain(at(self.calls, Fault::DuringGit))
            .skip(shard)
            .step_by(SHARDS)
            .collect();
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..SIDE_BY_SIDE {
                scope.spawn(|| {
                    while let Some(fault) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
                        self.kill(*fault);
                    }
                });
            }
        });
    }

    fn kill(&self, fault: Fault) {
        let night = self.night();
        let killed = night.env.run(&mut self.command(&night, Some(fault)), PATIENCE);
        // Lanes do not always come in the same order: one that came further than this had less to do.
        if killed.signal == Some(9) {
            self.go_on(&night, fault);
        } else {
            killed.expect_code(self.story.code, &format!("{fault:?}"));
        }
        let ended = end(&night);
        // Killed while its agent was at work here, the resumed run has committed what that had done so far. HEAD has moved
        // then: the work stays where it is, and that is said.
        let was_interrupted =
            night.notices().iter().any(|said| said.contains("interrupted work on TASK-001"));
        if was_interrupted && self.end.branches.iter().any(|branch| branch.ends_with("/TASK-001")) {
            let End { reason, commits, tasks, .. } = &ended;
            assert_eq!(
                (reason, commits, tasks),
                (&self.end.reason, &self.end.commits, &self.end.tasks),
                "{fault:?}: {:#?}",
                night.facts()
            );
            let said = night.notices().join("\n");
            assert!(said.contains("HEAD was moved while it was worked on"), "{fault:?}: {said}");
            assert!(ended.tree.contains("work/half"), "{fault:?}: {}", ended.tree);
            return;
        }
        assert!(
            ended == self.end,
            "{fault:?}: {:#?}\n{ended:#?}\ninstead of\n{:#?}",
            night.facts(),
            self.end
        );
        night.env.git(&["fsck", "--no-progress", "--no-dangling"]);
        let locks = files_below(&night.env.project().join(".git")).into_iter().filter(|path| {
            path.extension().is_some_and(|end| end == "lock") || path.ends_with("windlass-landing")
        });
        assert_eq!(locks.collect::<Vec<_>>(), Vec::<PathBuf>::new(), "{fault:?}");
        night.assert_free();
    }

    fn go_on(&self, night: &Night, fault: Fault) {
        if night.folders().is_empty() || night.entries().is_empty() {
            // Nothing had been done in it; the next run is not in its way.
            night.env.assert_no_processes(CLEARED);
            for folder in night.folders() {
                fs::remove_dir_all(folder).unwrap();
            }
            let outcome = night.env.run(&mut self.command(night, None), PATIENCE);
            return outcome.expect_code(self.story.code, &format!("{fault:?}"));
        }
        let flags = self.story.flags.iter().skip_while(|flag| **flag != "--exit-codes").copied();
        let flags: Vec<&str> = flags.collect();
        let mut resumed = (0..RESUMPTIONS).map(|_| night.resume(&flags));
        let ends =
            night.was_over_when_killed() || resumed.any(|outcome| outcome.code == Some(self.story.code));
        assert!(ends, "{fault:?}: it does not end: {:#?}", night.facts());
    }
}

/// The first git that is found is one that kills.
fn deadly_git(night: &Night, command: &mut Command, call: usize, how: &str) {
    let usual = night.env.command("git");
    let path = usual.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value).unwrap();
    let git = env::split_paths(path).map(|folder| folder.join("git")).find(|file| file.is_file()).unwrap();
    let deadly = night.env.write(night.env.root().join("bin/git"), GIT);
    fs::set_permissions(&deadly, fs::Permissions::from_mode(0o755)).unwrap();
    let folders = [deadly.parent().unwrap().to_owned()].into_iter().chain(env::split_paths(path));
    command
        .env("PATH", env::join_paths(folders).unwrap())
        .env("WINDLASS_TEST_GIT", git)
        .env("WINDLASS_TEST_CALLS", night.env.root().join("calls"))
        .env("WINDLASS_TEST_CALL", call.to_string())
        .env("WINDLASS_TEST_HOW", how);
}

fn end(night: &Night) -> End {
    let env = &night.env;
    let mut commits = BTreeMap::new();
    let trailer = |key: &str| format!("%(trailers:key=Windlass-{key},valueonly,separator=)");
    let format = format!("--format={} {}", trailer("Iteration"), trailer("Task"));
    // What was cut off in the user's own directory is committed as that, and is of no iteration.
    for (iteration, task) in env.git(&["log", &format]).lines().filter_map(|line| line.split_once(' ')) {
        if !iteration.is_empty() {
            *commits.entry(task.to_owned()).or_default() += 1;
        }
    }
    let run = night.folder().file_name().unwrap().to_string_lossy().into_owned();
    let branches = env.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/"]);
    let tree = env.git(&["ls-tree", "-r", "HEAD"]);
    let closed = night.facts().into_iter().filter_map(|fact| match fact {
        Fact::TaskClosed(report::TaskClosed { task, end: TaskEnd::Done, .. }) => Some((task.0, true)),
        Fact::TaskClosed(report::TaskClosed { task, end: TaskEnd::Parked { .. }, .. }) => {
            Some((task.0, false))
        }
        _ => None,
    });
    let is_own = |line: &&str| line.ends_with("progress.md") || line.ends_with("requirements.md");
    let others = |text: String| text.lines().filter(|line| !is_own(line)).collect::<Vec<_>>().join("\n");
    End {
        reason: Some(night.ended()),
        tree: others(tree),
        file: env.read("requirements.md"),
        commits,
        status: others(env.git(&["status", "--porcelain"])),
        branches: branches.lines().map(|line| line.replace(&run, "RUN")).collect(),
        tasks: closed.collect(),
    }
}

fn lines(file: &Path) -> usize {
    fs::read_to_string(file).map_or(0, |text| text.lines().count())
}

/// A folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}
