//! Uncommitted work when a run begins: an interrupted run's is committed under its own name, a person's stays theirs.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rustix::process::Signal;
use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_host::process::sees_all_processes;
use windlass_testkit::{Outcome, TestEnv};

use super::night::{CLEARED, Night, PATIENCE, calls, expect_end};

const RUNNER: [&str; 2] = ["--commit", "runner"];

/// A repository with files that people and agents change.
fn night(script: &str) -> Night {
    let env = TestEnv::new();
    for file in ["a.txt", "b.txt", "c.txt"] {
        env.write(file, "as committed\n");
    }
    Night::within(env.git_initialised(), script)
}

/// A run whose runner is killed while its agent works, in this iteration.
fn killed(iteration: u32) -> Night {
    killed_after("echo cut >> b.txt", iteration)
}

/// The same, after this in that iteration.
fn killed_after(last: &str, iteration: u32) -> Night {
    let work = "{ bash = 'echo one >> a.txt; echo new > made' }";
    let cut = format!("{{ bash = '{last}; touch ../cut' }}, 'hang'");
    let script = if iteration == 1 { calls(&[&cut, work]) } else { calls(&[work, &cut, work]) };
    let night = night(&script);
    let running = night.start(&[&RUNNER[..], &["-m", "3"]].concat());
    night.wait_for_file("../cut");
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    night.env.assert_no_processes(CLEARED);
    night
}

/// What was said beside the facts of the newest session.
fn said(outcome: &Outcome) -> String {
    outcome.stderr_text() + &outcome.stdout_text()
}

fn subjects(night: &Night) -> Vec<String> {
    night.env.git(&["log", "--format=%s"]).lines().map(str::to_owned).collect()
}

fn files_of(night: &Night, commit: &str) -> String {
    night.env.git(&["show", "--format=", "--name-only", commit]).replace('\n', " ")
}

fn another(night: &Night, arguments: &[&str]) -> Outcome {
    let script =
        night.env.write(night.env.root().join("other.toml"), calls(&["{ bash = 'echo x >> c.txt' }"]));
    let mut command = night.windlass(&["run", "--no-delay", "--prompt", "Something else", "-m", "1"]);
    command.arg(format!("--mock={}", script.display())).args(arguments);
    night.env.run(&mut command, PATIENCE)
}

// rows: 74
// Seed defect D3, core/git.ts:458-497 & loop.ts:297-304: the label is the interrupted iteration's, and the run goes on.
// Seed defect D3, core/loop.ts:119: a run that was killed is known as such, and what it left is kept.
#[test]
fn a_new_run_commits_what_a_killed_one_left_under_that_ones_name() {
    for iteration in [1, 2] {
        let night = killed(iteration);
        let outcome = another(&night, &RUNNER);
        expect_end(&outcome, 10, "max_iterations");
        let interrupted = format!("Interrupted work on iteration {iteration} - Make it work");
        assert_eq!(subjects(&night)[..2], ["Windlass iteration 1: Something else".to_owned(), interrupted]);
        assert_eq!(files_of(&night, "HEAD~1"), "b.txt");
        assert_eq!(files_of(&night, "HEAD"), "c.txt");
        assert_eq!(night.env.git(&["status", "--porcelain"]), "");
        assert!(said(&outcome).contains("in 1 file is committed as"), "{}", said(&outcome));
        let body = night.env.git(&["log", "-1", "--format=%b", "HEAD~1"]);
        assert!(body.contains(&format!("Windlass-Interrupted: {iteration}")), "{body}");
    }
}

// rows: 74
#[test]
fn a_resumed_run_commits_it_and_the_iterations_commit_has_the_rest() {
    let night = killed(2);
    expect_end(&night.resume(&[]), 10, "max_iterations");
    let expected = [
        "Windlass iteration 3: Make it work",
        "Windlass iteration 2: Make it work",
        "Interrupted work on iteration 2 - Make it work",
        "Windlass iteration 1: Make it work",
    ];
    assert_eq!(subjects(&night)[..4], expected);
    assert_eq!((files_of(&night, "HEAD~2"), files_of(&night, "HEAD~1")), ("b.txt".into(), "a.txt".into()));
    // Its end counts those of iterations, and says that there are more.
    let logs = night.env.run(&mut night.windlass(&["logs"]), PATIENCE).stdout_text();
    assert!(logs.contains("3 of iterations, and others beside them"), "{logs}");
    let told = |fact: &Fact| matches!(fact, Fact::Noticed(report::Noticed { text }) if text.contains("is committed as"));
    assert_eq!(night.facts().iter().filter(|fact| told(fact)).count(), 1, "it is in the journal");
    night.assert_clean();
}

// rows: 53
#[test]
fn nobody_is_called_in_an_iteration_beyond_the_limit_that_a_resumption_lowers() {
    let night = killed(2);
    let begun = || night.facts().iter().filter(|fact| matches!(fact, Fact::CallReserved { .. })).count();
    let outcome = night.resume(&["-m", "1"]);
    expect_end(&outcome, 10, "max_iterations");
    assert_eq!(begun(), 2, "{}", said(&outcome));
    let status = night.env.run(&mut night.windlass(&["status"]), PATIENCE).stdout_text();
    assert!(status.contains("2, beyond the limit of 1"), "{status}");
    assert!(status.contains("--max-iterations 2"), "{status}");
    assert_eq!(subjects(&night)[0], "Interrupted work on iteration 2 - Make it work");
    expect_end(&night.resume(&["-m", "2"]), 10, "max_iterations");
    assert_eq!((begun(), night.verdicts().len()), (3, 2));
    night.assert_clean();
}

#[test]
fn neither_a_lock_nor_a_half_written_file_is_in_the_way_of_it() {
    let last = "echo cut >> b.txt; touch .git/index.lock; echo half > .windlass-aB3dEf.tmp";
    for resumes in [false, true] {
        let night = killed_after(last, 1);
        let outcome = if resumes { night.resume(&[]) } else { another(&night, &RUNNER) };
        let text = said(&outcome).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!text.contains("aB3dEf"), "{text}");
        if !sees_all_processes() {
            // From within a container nobody sees who else is at work.
            outcome.expect_code(24, "nothing is paid for before the work is committed");
            assert!(text.contains(".git/index.lock is there"), "{text}");
            continue;
        }
        expect_end(&outcome, 10, "max_iterations");
        let removed = ".git/index.lock was left by a git that is gone, and is removed";
        assert!(text.contains(removed), "{text}");
        let interrupted = "Interrupted work on iteration 1 - Make it work";
        let place = subjects(&night).iter().position(|subject| subject == interrupted);
        let files = place.map(|place| files_of(&night, &format!("HEAD~{place}")));
        assert_eq!(files.as_deref(), Some("b.txt"), "{resumes}");
    }
}

/// What an agent left when it was cut off: a secret, a key in a file that had another one, a large file, and work.
fn cut_with_secrets(work: &str) -> Night {
    let leaves = format!(
        "{{ bash = 'echo A=1 > .env; echo k=AKIAJ7XV3PQ2MNBTR5WA >> c.txt; {work} touch ../cut' }}, 'hang'"
    );
    let night = night(&calls(&[&leaves, "{ say = 'nothing' }"])).set("WINDLASS_COMMIT__LARGE_FILE", "2m");
    night.env.write("c.txt", "k=AKIAIOSFODNN7EXAMPLE\n");
    night.env.git(&["commit", "--quiet", "--all", "-m", "a key that is not a secret"]);
    let running = night.start(&[&RUNNER[..], &["-m", "1"]].concat());
    night.wait_for_file("../cut");
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    night.env.assert_no_processes(CLEARED);
    night
}

#[test]
fn secrets_and_large_files_of_interrupted_work_wait_for_a_person() {
    let work = "echo AKIAIOSFODNN7EXAMPLE >> a.txt; echo cut >> b.txt; head -c 3000000 /dev/zero > big.bin;";
    for resumes in [false, true] {
        let night = cut_with_secrets(work);
        let outcome = if resumes { night.resume(&[]) } else { another(&night, &RUNNER) };
        expect_end(&outcome, 10, "max_iterations");
        let interrupted = "Interrupted work on iteration 1 - Make it work";
        let place = subjects(&night).iter().position(|subject| subject == interrupted).unwrap();
        assert_eq!(files_of(&night, &format!("HEAD~{place}")), "b.txt", "{resumes}");
        let text = said(&outcome).split_whitespace().collect::<Vec<_>>().join(" ");
        let held = "held back from the commit: .env (its name is that of a secret), a.txt (it holds what looks like a key), \
                    big.bin (3 MB), c.txt (it holds what looks like a key)";
        assert!(text.contains(held) && text.contains("in 1 file is committed as"), "{text}");
        assert!(!night.env.git(&["log", "--patch", "--all"]).contains("J7XV3PQ2MNBTR5WA"));
        assert_eq!(night.env.read(".env"), "A=1\n", "it stays where it is");
        let id = text.split("of run ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
        for file in [".env", "big.bin"] {
            fs::remove_file(night.env.project().join(file)).unwrap();
        }
        let restored = night.windlass(&["restore", &id, "before-restore-1"]).output().unwrap();
        assert!(restored.status.success(), "{restored:?}");
        assert_eq!(night.env.read(".env"), "A=1\n", "the snapshot has it");
        assert_eq!(night.env.project().join("big.bin").metadata().unwrap().len(), 3_000_000);
    }
}

#[test]
fn interrupted_work_that_is_nothing_but_secrets_is_kept_and_not_committed() {
    let night = cut_with_secrets("");
    let outcome = another(&night, &RUNNER);
    expect_end(&outcome, 10, "max_iterations");
    assert!(!subjects(&night).iter().any(|subject| subject.starts_with("Interrupted")));
    let text = said(&outcome).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("in 2 files is kept and not committed: .env, c.txt"), "{text}");
    assert!(text.contains("held back from the commit: .env"), "{text}");
}

#[test]
fn an_iteration_that_a_person_ended_is_interrupted_work_too() {
    let night = night(&calls(&["{ bash = 'echo cut >> b.txt; touch ../cut' }, 'hang'", "{ say = 'x' }"]));
    let running = night.start(&RUNNER);
    night.wait_for_file("../cut");
    running.signal(Signal::TERM);
    running.wait(PATIENCE).expect_code(143, "terminated");
    another(&night, &RUNNER).expect_code(10, "another");
    assert_eq!(subjects(&night)[1], "Interrupted work on iteration 1 - Make it work");
}

#[test]
fn a_persons_work_beside_it_stays_theirs() {
    let night = night(&calls(&["{ bash = 'echo cut >> b.txt; echo cut >> a.txt; touch ../cut' }, 'hang'"]));
    let running = night.start(&RUNNER);
    night.wait_for_file("../cut");
    running.signal(Signal::TERM);
    running.wait(PATIENCE).expect_code(143, "terminated");
    // What the run had left is not there any more.
    night.env.write("a.txt", "mine\n");
    night.env.write("note to myself", "mine\n");
    let refused = another(&night, &RUNNER);
    refused.expect_code(2, "a person's work");
    assert!(said(&refused).contains("these are not: a.txt, note to myself"), "{}", said(&refused));
    assert_eq!(subjects(&night).len(), 1, "nothing is done by a run that does not begin");
    another(&night, &["--commit", "runner", "--allow-dirty"]).expect_code(10, "allowed");
    assert_eq!(files_of(&night, "HEAD~1"), "b.txt");
    assert_eq!(night.env.git(&["status", "--porcelain"]), " M a.txt\n?? \"note to myself\"");
    assert_eq!(night.env.read("a.txt"), "mine\n");
}

// rows: 74, 82
// attack(money): a hook of the repository refuses to commit what an interrupted attempt left
// holds: the run does not begin, nothing is paid for, the work is kept and one printed command brings it back
#[test]
fn where_a_hook_refuses_it_is_kept_and_nothing_is_paid_for() {
    let night = killed(1);
    let hook = night.env.write(".git/hooks/pre-commit", "#!/bin/sh\necho no good >&2\nexit 1\n");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let called = night.calls().len();
    let outcome = another(&night, &RUNNER);
    outcome.expect_code(24, "a person has to look");
    assert_eq!(night.calls().len(), called, "nobody was called");
    let text = said(&outcome).replace(['\n', '`'], " ");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("could not be committed (no good)"), "{text}");
    assert!(text.contains("nothing more was paid for"), "{text}");
    let command = &text[text.find("windlass restore r-").unwrap()..];
    let words: Vec<&str> = command.split(' ').skip(1).take(3).collect();
    night.env.git(&["checkout", "-q", "b.txt"]);
    night.env.run(&mut night.windlass(&words), PATIENCE).expect_code(0, "restore");
    assert_eq!(night.env.read("b.txt"), "as committed\ncut\n");
}

// attack(git): a hook runs `git add -A` where the work of an interrupted attempt is committed, and a secret lies beside it
// holds: that commit is taken back, nothing is paid for, and hook and file are named
#[test]
fn what_a_hook_adds_to_interrupted_work_is_in_no_commit() {
    let night = killed_after("echo cut >> b.txt; echo K=1 > .env", 1);
    let hook = night.env.write(".git/hooks/pre-commit", "#!/bin/sh\ngit add -A\n");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let head = night.env.git(&["rev-parse", "HEAD"]);
    let called = night.calls().len();
    let outcome = night.resume(&[]);
    outcome.expect_code(24, &said(&outcome));
    assert_eq!(night.calls().len(), called, "nobody was called");
    assert_eq!(night.env.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(night.env.git(&["status", "--porcelain"]), " M b.txt\n?? .env");
    let text = said(&outcome).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(".env (its name is that of a secret)") && text.contains("pre-commit"), "{text}");
}

/// A run that came to its end, and committed all it did: one file has another name, and another one has more in it.
fn ended(work: &str) -> Night {
    let night = night(&calls(&[work]));
    expect_end(&night.run(&[&RUNNER[..], &["-m", "1"]].concat()), 10, "max_iterations");
    assert_eq!(night.env.git(&["status", "--porcelain"]), "");
    night
}

const RENAMES: &str = "{ bash = 'git mv b.txt bb.txt; echo one >> a.txt' }";

#[test]
fn what_a_person_does_after_a_run_that_committed_all_is_theirs() {
    let undone: [&[&[&str]]; 4] = [
        &[&["revert", "--no-edit", "HEAD"], &["rm", "--quiet", "b.txt"], &["reset", "--quiet"]],
        &[&["reset", "--quiet", "--hard", "HEAD~1"], &["rm", "--quiet", "b.txt"]],
        &[&["reset", "--quiet", "--hard", "HEAD~1"], &["mv", "b.txt", "zz.txt"]],
        &[&["reset", "--quiet", "HEAD~1"], &["add", "a.txt"]],
    ];
    for commands in undone {
        let night = ended(RENAMES);
        for command in commands {
            night.env.git(command);
        }
        let (before, status) = (subjects(&night), night.env.git(&["status", "--porcelain"]));
        let refused = another(&night, &RUNNER);
        refused.expect_code(2, "a person's work");
        assert!(said(&refused).contains("They are: "), "{commands:?}: {}", said(&refused));
        assert_eq!(subjects(&night), before, "nothing is done by a run that does not begin");
        let allowed = another(&night, &["--commit", "runner", "--allow-dirty"]);
        expect_end(&allowed, 10, "max_iterations");
        assert!(!said(&allowed).contains("nterrupted work"), "{commands:?}: {}", said(&allowed));
        let expected = [&["Windlass iteration 1: Something else".to_owned()], &before[..]].concat();
        assert_eq!((subjects(&night), files_of(&night, "HEAD").as_str()), (expected, "c.txt"));
        assert_eq!(night.env.git(&["status", "--porcelain"]), status, "{commands:?}");
    }
}

#[test]
fn what_a_checkout_makes_of_committed_work_is_no_interrupted_work_either() {
    let night = night(&calls(&[r#"{ bash = 'printf "one\r\n" >> a.txt' }"#]));
    night.env.write(".gitattributes", "*.txt text eol=crlf\n");
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "-m", "line ends"]);
    fs::remove_file(night.env.project().join("a.txt")).unwrap();
    night.env.git(&["checkout", "--quiet", "a.txt"]);
    expect_end(&night.run(&[&RUNNER[..], &["-m", "1"]].concat()), 10, "max_iterations");
    assert_eq!(night.env.read("a.txt"), "as committed\r\none\r\n");
    night.env.git(&["reset", "--quiet", "HEAD~1"]);
    let refused = another(&night, &RUNNER);
    refused.expect_code(2, "a person's work");
    assert!(said(&refused).contains("They are: a.txt"), "{}", said(&refused));
}

#[test]
fn what_was_cut_off_is_told_from_commits_that_a_person_undid() {
    let night = killed(2);
    night.env.git(&["reset", "--quiet", "HEAD~1"]);
    let refused = another(&night, &RUNNER);
    refused.expect_code(2, "a person's work");
    assert!(said(&refused).contains("these are not: a.txt, made"), "{}", said(&refused));
    another(&night, &["--commit", "runner", "--allow-dirty"]).expect_code(10, "allowed");
    assert_eq!(subjects(&night)[1], "Interrupted work on iteration 2 - Make it work");
    assert_eq!(files_of(&night, "HEAD~1"), "b.txt");
    assert_eq!(night.env.git(&["status", "--porcelain"]), " M a.txt\n?? made");
}

#[test]
fn where_nobody_commits_it_is_kept_under_a_name() {
    let night = killed(1);
    let outcome = another(&night, &[]);
    expect_end(&outcome, 10, "max_iterations");
    assert!(said(&outcome).contains("is kept and not committed"), "{}", said(&outcome));
    assert_eq!(subjects(&night).len(), 1);
}

#[test]
fn what_a_person_had_not_committed_is_in_no_commit_of_the_runner() {
    let night = night(&calls(&[
        "{ bash = 'echo agent >> a.txt; echo agent >> b.txt; echo agent > made' }",
        "{ bash = 'echo again >> a.txt; rm c.txt' }",
    ]));
    night.env.write("a.txt", "as committed\nmine\n");
    night.env.write("mine", "mine\n");
    night.env.write("staged", "mine\n");
    night.env.git(&["add", "staged"]);
    let outcome = night.run(&["-m", "2", "--commit", "runner", "--allow-dirty"]);
    expect_end(&outcome, 10, "max_iterations");
    assert_eq!((files_of(&night, "HEAD~1"), files_of(&night, "HEAD")), ("b.txt made".into(), "c.txt".into()));
    assert_eq!(night.env.git(&["status", "--porcelain"]), " M a.txt\nA  staged\n?? mine");
    assert_eq!(night.env.read("a.txt"), "as committed\nmine\nagent\nagain\n");
    let told = night.notices().into_iter().filter(|text| text.contains("not committed, since")).count();
    assert_eq!(told, 1, "{:?}", night.notices());
    assert!(
        night
            .notices()
            .iter()
            .any(|text| text.contains("leave out what was uncommitted before: a.txt, mine, staged"))
    );
}

#[test]
fn what_a_person_writes_between_two_sessions_is_in_no_commit_either() {
    let night = night(&calls(&[
        "{ bash = 'echo cut >> b.txt; touch ../cut' }, 'hang'",
        "{ bash = 'echo more >> b.txt' }",
    ]));
    let running = night.start(&[&RUNNER[..], &["-m", "1"]].concat());
    night.wait_for_file("../cut");
    running.signal(Signal::TERM);
    running.wait(PATIENCE).expect_code(143, "terminated");
    night.env.write("c.txt", "mine\n");
    night.resume(&[]).expect_code(10, "resumed");
    assert_eq!(subjects(&night)[1], "Interrupted work on iteration 1 - Make it work");
    assert_eq!((files_of(&night, "HEAD~1"), files_of(&night, "HEAD")), ("b.txt".into(), "b.txt".into()));
    assert_eq!(night.env.git(&["status", "--porcelain"]), " M c.txt");
}
