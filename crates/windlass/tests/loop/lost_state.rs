//! Files of Windlass and of git that are gone, shut, or newer than this Windlass: one sentence, and the way out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use windlass_host::process::sees_all_processes;
use windlass_testkit::environment::wait_until;
use windlass_testkit::{Outcome, Running};

use super::night::{CLEARED, Night, PATIENCE, calls, every_call, expect_end};

const WORK: &str = "{ bash = 'echo x >> work' }";

fn id(night: &Night) -> String {
    night.folder().file_name().unwrap().to_str().unwrap().to_owned()
}

fn ask(night: &Night, words: &[&str]) -> Outcome {
    night.env.run(&mut night.windlass(words), PATIENCE)
}

/// The words of all that was said, on one line.
fn said(outcome: &Outcome) -> String {
    let all = outcome.stdout_text() + &outcome.stderr_text();
    all.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The same command of an ordinary user, to whom all of it belongs. Only root can do this.
fn of_an_ordinary_user(night: &Night, command: &Command) -> Command {
    let program = night.env.root().join("windlass");
    if !program.exists() {
        fs::copy(command.get_program(), &program).unwrap();
    }
    let root = night.env.root().to_str().unwrap();
    let own = format!("find '{root}' -exec chown -h 65534:65534 {{}} +");
    night.env.run(night.env.command("sh").args(["-c", &own]), PATIENCE).expect_success(&own);
    let mut theirs = night.env.command("setpriv");
    theirs.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    theirs.arg(program).args(command.get_args());
    theirs
}

fn run_as_an_ordinary_user(night: &Night, mut command: Command) -> Outcome {
    if rustix::process::geteuid().is_root() {
        command = of_an_ordinary_user(night, &command);
    }
    night.env.run(&mut command, PATIENCE)
}

// attack(endings): an agent takes all permissions from `.git/refs`, from `.git/objects`, or from `.git` itself
// holds: the run ends with one sentence and a command; that command gives the permissions back, and files and history are
//   as before the attempt
#[test]
fn a_repository_that_was_shut_is_opened_by_the_printed_command() {
    for shut in [".git/refs", ".git/objects", ".git/HEAD", ".git"] {
        let shuts = format!("{{ bash = 'echo x >> work; chmod 000 {shut}' }}");
        let night = Night::with_git(&calls(&[WORK, &shuts, WORK]));
        let history = night.env.git(&["log", "--format=%H"]);
        let outcome = run_as_an_ordinary_user(&night, night.run_command(&["-m", "3"]));
        outcome.expect_code(29, shut);
        let command = format!("windlass restore {} 2 --before --repository", id(&night));
        assert!(said(&outcome).contains(&command), "{shut}: {outcome:?}");
        assert!(!said(&outcome).contains("there is no"), "{shut} is shut, not gone: {outcome:?}");
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        run_as_an_ordinary_user(&night, night.windlass(&words)).expect_success(shut);
        assert_eq!(night.env.read("work"), "x\n", "{shut}");
        let safe = format!("safe.directory={}", night.env.project().display());
        assert_eq!(night.env.git(&["-c", &safe, "log", "--format=%H"]), history, "{shut}");
        run_as_an_ordinary_user(&night, night.windlass(&["resume"])).expect_code(10, shut);
    }
}

// attack(git): an agent throws a person's changes away, and takes from everybody the right to write in their folder
// holds: they are put back, by itself (`safety.undo = "auto"`) or by the printed command
#[test]
fn what_was_thrown_away_in_a_folder_that_was_shut_is_put_back() {
    for undo in ["auto", "ask"] {
        let night = Night::with_git(&calls(&[
            "{ bash = 'git checkout -q .; rm -rf shut/new shut/below; chmod 555 shut' }",
        ]));
        night.env.write("shut/old", "committed\n");
        night.env.write(".windlass/config.toml", format!("[safety]\nundo = '{undo}'\n"));
        night.env.git(&["add", "--all"]);
        night.env.git(&["commit", "--quiet", "--message", "files"]);
        let files = ["shut/old", "shut/new", "shut/below/new"];
        for file in files {
            night.env.write(file, "mine\n");
        }
        let outcome = run_as_an_ordinary_user(&night, night.run_command(&["-m", "1"]));
        outcome.expect_code(10, undo);
        if undo == "ask" {
            let words = ["restore", &id(&night), "1", "--before", "--repository"];
            run_as_an_ordinary_user(&night, night.windlass(&words)).expect_success(undo);
        }
        for file in files {
            assert_eq!(night.env.read(file), "mine\n", "{undo}: {}", said(&outcome));
        }
    }
}

/// A run that is killed while its agent works, after this.
fn killed_after(last: &str) -> (Night, String) {
    let cut = format!("{{ bash = 'echo cut >> work; {last}; touch ../cut' }}, 'hang'");
    let night = Night::with_git(&calls(&[WORK, &cut, WORK]));
    let running: Running = night.start(&["--commit", "runner", "-m", "3"]);
    night.wait_for_file("../cut");
    running.signal(rustix::process::Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    night.env.assert_no_processes(CLEARED);
    let id = id(&night);
    (night, id)
}

// attack(endings): the runner is killed while a git changes references, which leaves their locks behind
// holds: they are cleared when the run goes on, and it commits
#[test]
fn locks_of_references_are_cleared_once_their_git_is_gone() {
    let locks = [
        ".git/refs/heads/main.lock",
        ".git/packed-refs.lock",
        ".git/HEAD.lock",
        ".git/config.lock",
        ".git/shallow.lock",
    ];
    let (night, run) = killed_after(&format!("touch {}", locks.join(" ")));
    let outcome = night.resume(&[&run, "-m", "3"]);
    let is_there = |lock: &&str| night.env.project().join(lock).exists();
    // From within a container nobody sees who else is at work.
    if !sees_all_processes() {
        assert!(locks.iter().all(is_there), "{outcome:?}");
        return;
    }
    expect_end(&outcome, 10, "max_iterations");
    assert!(!locks.iter().any(is_there), "{outcome:?}");
    for lock in locks {
        let removed = format!("{lock} was left by a git that is gone, and is removed");
        assert!(said(&outcome).contains(&removed), "{lock}: {outcome:?}");
    }
    assert_eq!(night.env.git(&["status", "--porcelain"]), "");
}

// attack(endings): a reference has a lock, and a git is at work in the repository
// holds: the lock stays as it is: it may be that git's
#[test]
fn a_lock_that_a_living_git_may_hold_stays() {
    let lock = ".git/refs/heads/other.lock";
    let (night, run) = killed_after(&format!("touch {lock}"));
    let reads = format!("touch ../reads; exec git -C '{}' cat-file --batch", night.env.project().display());
    let mut git = night.env.command("sh");
    // It ends when its standard input does, with the process that holds the other end.
    git.args(["-c", &format!("(sleep 60) | ({reads})")]);
    let git = Running::start(&mut git);
    night.wait_for_file("../reads");
    assert!(wait_until(PATIENCE, || is_git_there(night.env.project())));
    let _ended = night.resume(&[&run, "-m", "3"]);
    assert!(night.env.project().join(lock).exists());
    git.signal(rustix::process::Signal::KILL);
    let _ended = git.wait(PATIENCE);
}

/// Has the shell become git?
pub(super) fn is_git_there(project: &Path) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut folders = processes
        .filter(|entry| fs::read(entry.path().join("comm")).is_ok_and(|name| name.starts_with(b"git")));
    folders.any(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|place| place == project))
}

/// A run of two iterations, and its journal.
fn finished() -> (Night, String, PathBuf) {
    let night = Night::with_git(&every_call(WORK));
    night.run(&["-m", "2"]).expect_code(10, "run");
    let (id, journal) = (id(&night), night.folder().join("journal.jsonl"));
    (night, id, journal)
}

// attack(endings): a run's journal was deleted, or emptied
// holds: `runs` says which run is left out and why, and what is asked of it ends with that sentence, and no code of success
#[test]
fn a_run_whose_journal_is_lost_is_named() {
    for lose in [|journal: &Path| fs::remove_file(journal), |journal: &Path| fs::write(journal, "")] {
        let (night, run, journal) = finished();
        lose(&journal).unwrap();
        // The index still knows how it ended.
        fs::remove_file(journal.with_file_name("../index.jsonl")).unwrap();
        let runs = ask(&night, &["runs"]);
        assert!(said(&runs).contains(&format!("run {run} is left out: ")), "{}", said(&runs));
        for words in [&["logs", &run][..], &["status", &run], &["logs"]] {
            let outcome = ask(&night, words);
            assert!(
                outcome.code != Some(0) && said(&outcome).contains("journal"),
                "{words:?}: {}",
                said(&outcome)
            );
        }
    }
}

// attack(endings): a run's journal was written by a newer Windlass: another format, or a fact that this one does not know
// holds: status, logs and resume end with one sentence that names the file and says to update; nothing is changed, and
//   restore brings the files back all the same
#[test]
fn a_newer_journal_is_named_and_left_as_it_is() {
    type Change = fn(&str) -> String;
    let other_format = |text: &str| text.replacen("\"windlass_journal\":1", "\"windlass_journal\":2", 1);
    let other_fact = |text: &str| text.replace("\"fact\":\"run_finished\"", "\"fact\":\"run_archived\"");
    let newer: [(Change, &str); 2] = [(other_format, "journal format 2"), (other_fact, "`run_archived`")];
    for (make_newer, names) in newer {
        let (night, run, journal) = finished();
        let text = make_newer(&fs::read_to_string(&journal).unwrap());
        fs::write(&journal, &text).unwrap();
        for verb in [&["status"][..], &["status", &run], &["logs", &run], &["resume", &run, "-m", "4"]] {
            let outcome = ask(&night, verb);
            outcome.expect_code(1, names);
            let said = said(&outcome);
            assert!(said.contains(names) && said.contains("update Windlass"), "{verb:?}: {said}");
            assert!(said.contains(journal.to_str().unwrap()) && said.len() < 500, "{verb:?}: {said}");
        }
        ask(&night, &["runs"]).expect_success(names);
        ask(&night, &["restore", &run, "1"]).expect_success(names);
        assert_eq!(night.env.read("work"), "x\n", "{names}");
        assert_eq!(fs::read_to_string(&journal).unwrap(), text, "{names}");
    }
}

/// The snapshots' objects.
fn objects(night: &Night) -> PathBuf {
    night.folder().ancestors().nth(2).unwrap().join("snapshots.git/objects")
}

fn remove_objects(night: &Night) {
    for folder in fs::read_dir(objects(night)).unwrap().flatten() {
        if folder.file_name().len() == 2 {
            fs::remove_dir_all(folder.path()).unwrap();
        }
    }
}

// attack(endings): the objects of the snapshots are removed from the state folder
// holds: restore ends with one sentence that names the file, before it changes any; status and logs go on as before
#[test]
fn a_snapshot_whose_objects_are_gone_is_named() {
    let (night, run, _) = finished();
    remove_objects(&night);
    for flags in [&[][..], &["--repository"]] {
        let outcome = ask(&night, &[&["restore", &run, "1"], flags].concat());
        outcome.expect_code(1, "restore");
        let said = said(&outcome);
        assert!(said.contains(objects(&night).to_str().unwrap()), "{said}");
        assert!(said.contains("somebody removed") && said.contains("Another one may be whole"), "{said}");
        assert_eq!(night.env.read("work"), "x\nx\n");
    }
    ask(&night, &["status", &run]).expect_success("status");
    ask(&night, &["logs", &run]).expect_success("logs");
}

// attack(endings): between two sessions of a run its repository is broken: HEAD is gone, a pipe or of a branch that is gone,
//   the objects or the index are damaged, `.git` itself is gone or a pipe
// holds: resume says so in one sentence, with the command that puts back what it can, does nothing and ends with code 24
#[test]
fn a_run_is_not_resumed_without_the_repository_that_it_had() {
    for breaks in [
        "rm .git/HEAD",
        "rm .git/HEAD; mkfifo .git/HEAD",
        "rm -r .git/refs/heads; rm -f .git/packed-refs; mkdir .git/refs/heads",
        "rm -rf .git/objects; mkdir .git/objects",
        "rm -rf .git/objects",
        "echo broken > .git/index",
        "rm -rf .git",
        "rm -rf .git; mkfifo .git",
    ] {
        let (night, run) = killed_after("true");
        let before = night.facts().len();
        night.env.run(night.env.command("sh").args(["-c", breaks]), PATIENCE).expect_success(breaks);
        let outcome = night.resume(&[&run]);
        outcome.expect_code(24, breaks);
        let said = said(&outcome);
        let names = format!("run {run} worked in a git repository that cannot be read");
        assert!(said.contains(&names) && said.contains("nothing was done"), "{breaks}: {said}");
        let command = format!("windlass restore {run} 2 --before --repository");
        assert!(said.contains(&command) && !said.contains("no snapshots"), "{breaks}: {said}");
        assert_eq!(night.facts().len(), before, "{breaks}");
        assert_eq!(night.env.read("work"), "x\ncut\n", "{breaks}");
    }
}

// attack(endings): the git directory lies elsewhere, behind a link, a `.git` file or as that of a linked working tree, and is removed,
//   with what said where it was and without
// holds: runs, status, logs and diff have the run of this directory, and resume says what is wrong, with the command that brings back what
//   it can, whether the run is named or not
#[test]
fn the_runs_of_a_directory_are_found_when_its_git_directory_lay_elsewhere_and_is_gone() {
    let linked = "mkdir ../git; mv .git ../git/.git; git -C ../git worktree add -q --no-checkout --detach ../linked; \
        mv ../linked/.git .git; git worktree repair; git reset -q";
    for entrance in ["mv .git ../git; ln -s ../git .git", "git init -q --separate-git-dir ../git", linked] {
        for (index, removes) in ["rm -rf ../git", "rm -rf ../git .git"].into_iter().enumerate() {
            let night = Night::with_git(&every_call(&format!("{{ bash = '{removes}' }}")));
            night.env.run(night.env.command("sh").args(["-ec", entrance]), PATIENCE).expect_success(entrance);
            night.run(&["-m", "1", "--exit-codes", "detailed"]).expect_code(29, entrance);
            let run = id(&night);
            for words in [&["runs"][..], &["status"], &["logs"], &["diff"], &["diff", &run]] {
                let outcome = ask(&night, words);
                outcome.expect_success(&format!("{entrance}, {index}: {words:?}"));
                let names = words.contains(&"diff") || said(&outcome).contains(&run);
                assert!(names, "{entrance}, {index}: {words:?}: {}", said(&outcome));
            }
            for words in [&[][..], &[run.as_str()]] {
                let outcome = night.resume(words);
                outcome.expect_code(24, entrance);
                let command = format!("windlass restore {run} 1 --before --repository");
                assert!(said(&outcome).contains(&command), "{entrance}, {index}: {}", said(&outcome));
            }
        }
    }
}

// attack(endings): a repository is made, and broken, around a run that never had one
// holds: the run goes on without, as it began
#[test]
fn a_run_that_never_had_a_repository_is_resumed_without() {
    let night = Night::new(&calls(&[WORK, "{ bash = 'touch ../cut' }, 'hang'", WORK]));
    let running = night.start(&["-m", "3"]);
    night.wait_for_file("../cut");
    running.signal(rustix::process::Signal::KILL);
    let _killed = running.wait(PATIENCE);
    night.env.assert_no_processes(CLEARED);
    fs::create_dir(night.env.project().join(".git")).unwrap();
    expect_end(&night.resume(&["-m", "3"]), 10, "max_iterations");
}
