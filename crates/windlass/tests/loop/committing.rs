//! What the runner commits, how it words it, and what it leaves to a person.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{MergeOutcome, Verdict};
use windlass_host::process::sees_all_processes;
use windlass_testkit::Outcome;

use super::night::{Night, PATIENCE, calls, every_call, expect_end};
use super::tasks;

const WORK: &str = "{ bash = 'echo x >> work' }";

fn said(outcome: &Outcome) -> String {
    outcome.stdout_text() + &outcome.stderr_text()
}

/// What each commit was refused for; `None` where there was nothing to refuse.
fn refusals(night: &Night) -> Vec<Option<String>> {
    let refusal = |fact: Fact| match fact {
        Fact::Committed(report::Committed { refused, .. }) => Some(refused),
        _ => None,
    };
    night.facts().into_iter().filter_map(refusal).collect()
}

fn held_back(night: &Night) -> Vec<Vec<String>> {
    let held = |fact: Fact| match fact {
        Fact::Committed(report::Committed { notes, .. }) => Some(notes.held_back),
        _ => None,
    };
    night.facts().into_iter().filter_map(held).collect()
}

pub fn hook(night: &Night, name: &str, script: &str) {
    let path = night.env.write(format!(".git/hooks/{name}"), format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn run(night: &Night) -> String {
    night.folder().file_name().unwrap().to_string_lossy().into_owned()
}

fn subjects(night: &Night) -> String {
    night.env.git(&["log", "--format=%s"])
}

// attack(claims): an agent commits with the trailers of its iteration, nothing or something else, so that the runner takes that for its own commit
// holds: the runner commits what its gates judged
#[test]
fn a_commit_with_forged_trailers_is_none_of_the_runners() {
    let trailers = "\"x\\n\\nWindlass-Run: $WINDLASS_RUN\\nWindlass-Iteration: 1\"";
    let forge =
        format!("echo bad > work; git add work; printf {trailers} | git commit -qF -; echo good > work");
    let night = Night::with_git(&every_call(&format!("{{ bash = '{forge}' }}")));
    let outcome = night.run(&["-m", "1", "--commit", "runner", "--gate", "grep -q good work"]);
    expect_end(&outcome, 10, "max_iterations");
    assert_eq!(night.env.git(&["show", "HEAD:work"]), "good", "{}", said(&outcome));
    assert_eq!(night.env.git(&["status", "--porcelain"]), "");
}

// rows: 82
// Seed defect D3, core/commit-format.ts:62-70: a project's own format was read and not used.
#[test]
fn commits_are_worded_as_the_configuration_says_also_after_a_resume() {
    let night =
        Night::with_git(&every_call(WORK)).set("WINDLASS_COMMIT__MESSAGE", "{type}: {title} ({iteration})");
    expect_end(&night.run(&["-m", "1", "--commit", "runner"]), 10, "max_iterations");
    assert!(subjects(&night).starts_with("chore: "), "{}", subjects(&night));
    assert!(subjects(&night).lines().next().unwrap().ends_with(" (1)"));
    let night = night.set("WINDLASS_COMMIT__MESSAGE", "devloop");
    expect_end(&night.resume(&[&run(&night), "-m", "2"]), 10, "max_iterations");
    assert!(subjects(&night).lines().next().unwrap().ends_with(" (2)"), "{}", subjects(&night));
    let trailers = night.env.git(&["log", "-1", "--format=%(trailers:key=Windlass-Iteration,valueonly)"]);
    assert_eq!(trailers.trim(), "2");
}

#[test]
fn what_git_was_told_not_to_look_at_is_a_persons_and_in_no_commit() {
    for flag in ["skip-worktree", "assume-unchanged"] {
        let night = Night::with_git(&every_call("{ bash = 'sed -i s/localhost/db/ conf; echo x >> work' }"));
        night.env.write("conf", "db=localhost\n");
        night.env.git(&["add", "conf"]);
        night.env.git(&["commit", "-qm", "conf"]);
        night.env.git(&["update-index", &format!("--{flag}"), "conf"]);
        night.env.write("conf", "db=localhost\npassword=hunter2\n");
        let marked = night.env.git(&["ls-files", "-v", "conf"]);
        let outcome = night.run(&["-m", "1", "--commit", "runner"]);
        expect_end(&outcome, 10, "max_iterations");
        assert_eq!(night.env.git(&["show", "HEAD:conf"]), "db=localhost", "{flag}");
        assert_eq!(night.env.git(&["show", "--format=", "--name-only", "HEAD"]), "work", "{flag}");
        assert_eq!(night.env.git(&["ls-files", "-v", "conf"]), marked, "{flag}");
        let left_out = "the runner's commits leave out what was uncommitted before: conf";
        assert!(said(&outcome).contains(left_out), "{}", said(&outcome));
    }
}

#[test]
fn a_wrong_wording_is_refused_before_anything_is_done() {
    let night = Night::with_git(&every_call(WORK)).set("WINDLASS_COMMIT__MESSAGE", "{tsk}: {title}");
    let outcome = night.run(&["--commit", "runner"]);
    outcome.expect_code(2, "a wrong placeholder");
    assert!(said(&outcome).contains("did you mean `{task}`?"), "{}", said(&outcome));
    assert!(night.folders().is_empty());
}

#[test]
fn locks_that_gits_of_this_run_left_are_removed_and_older_ones_stay() {
    let night = Night::with_git(&every_call("{ bash = 'echo x >> work; touch .git/index.lock' }"));
    // From within a container nobody sees who else is at work.
    let sees_all = sees_all_processes();
    let gate = "touch .git/index.lock .git/HEAD.lock .git/windlass-x.lock .git/refs/heads/new.lock";
    let outcome = night.run(&["-m", "2", "--commit", "runner", "--gate", gate]);
    expect_end(&outcome, 10, "max_iterations");
    assert_eq!(refusals(&night).iter().all(Option::is_none), sees_all, "{:?}", refusals(&night));
    let told = night.notices();
    for lock in ["index.lock", "HEAD.lock"] {
        let said = format!(".git/{lock} was left by a git that is gone, and is removed");
        assert_eq!(told.contains(&said), sees_all, "{told:#?}");
    }
    // One of a reference stands in every commit's way; what is not git's is somebody else's.
    let is_there = |name: &str| night.env.project().join(".git").join(name).exists();
    assert_eq!(is_there("refs/heads/new.lock"), !sees_all, "{told:#?}");
    assert!(is_there("windlass-x.lock"));
    // One from before the run may be a person's, whatever that person does.
    let night = Night::with_git(&every_call(WORK));
    let older = night.env.write(".git/HEAD.lock", "");
    let before = std::time::SystemTime::now() - std::time::Duration::from_secs(1);
    fs::File::options().write(true).open(&older).unwrap().set_modified(before).unwrap();
    night.run(&["-m", "1"]).expect_code(10, "an older lock");
    assert!(older.exists());
}

// rows: 80
// Seed defect D3, core/git.ts:272: `git add -A` took secrets, large files and a person's own edits along.
#[test]
fn secrets_and_large_files_are_held_back_named_and_not_tried_again() {
    let key = "AKIAJ7XV3PQ2MNBTR5WA";
    let leaves = format!(
        "{{ bash = 'echo A=1 > .env; mkdir keys; echo x > keys/id_rsa; echo k={key} > settings.ini; echo ok > work; head -c 3000000 /dev/zero > big.bin' }}"
    );
    let night = Night::with_git(&calls(&[&leaves, "{ say = 'nothing' }", "{ say = 'nothing' }"]))
        .set("WINDLASS_COMMIT__LARGE_FILE", "2m");
    let outcome = night.run(&["-m", "3", "--commit", "runner"]);
    expect_end(&outcome, 10, "max_iterations");
    assert_eq!(night.env.git(&["show", "--format=", "--name-only", "HEAD"]), "work");
    assert_eq!(
        held_back(&night),
        [[
            ".env (its name is that of a secret)",
            "big.bin (3 MB)",
            "keys/id_rsa (its name is that of a secret)",
            "settings.ini (it holds what looks like a key)"
        ]],
        "once, and not in every iteration"
    );
    assert_eq!(night.verdicts(), [Verdict::Worked, Verdict::Idle, Verdict::Idle]);
    let notices = night.notices();
    let notice = notices.iter().find(|text| text.contains("held back")).unwrap();
    assert!(
        notice.contains("git add -f -- .env") && notice.contains("commit.allow '[\"/.env\"]'"),
        "{notice}"
    );
    assert!(said(&outcome).contains("held back") && !said(&outcome).contains(key), "{}", said(&outcome));
    assert_eq!(night.env.read(".env"), "A=1\n", "it stays where it is");
}

/// What was held back is not a reason to let it through when the file is changed once more.
#[test]
fn a_key_that_was_held_back_stays_held_back_when_its_file_changes() {
    let key = "echo k=AKIAJ7XV3PQ2MNBTR5WA > settings.ini; echo ok > work";
    let night = Night::with_git(&calls(&[
        &format!("{{ bash = '{key}' }}"),
        "{ bash = 'echo more >> settings.ini; echo ok >> work' }",
        "{ bash = 'echo all gone > settings.ini' }",
    ]));
    expect_end(&night.run(&["-m", "3", "--commit", "runner"]), 10, "max_iterations");
    let held = "settings.ini (it holds what looks like a key)".to_owned();
    assert_eq!(held_back(&night), [vec![held.clone()], vec![held], vec![]]);
    assert_eq!(night.env.git(&["show", "--format=", "--name-only", "HEAD"]), "settings.ini");
    assert!(!night.env.git(&["log", "--patch", "--all"]).contains("J7XV3PQ2MNBTR5WA"));
}

#[test]
fn where_all_is_held_back_there_is_no_commit_and_no_second_try() {
    let night = Night::with_git(&calls(&["{ bash = 'echo A=1 > .env' }", "{ say = 'nothing' }", WORK]));
    expect_end(
        &night.run(&["-m", "3", "--commit", "runner", "--gate", "echo x >> ../gated"]),
        10,
        "max_iterations",
    );
    assert_eq!(held_back(&night), [vec![".env (its name is that of a secret)".to_owned()], vec![]]);
    assert_eq!(refusals(&night), [None, None]);
    assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "2");
    // The baseline, and once for each tree that could be committed.
    let gated = fs::read_to_string(night.env.project().join("../gated")).unwrap();
    assert_eq!(gated, "x\nx\nx\n");
}

#[test]
fn what_is_allowed_or_was_committed_by_a_person_is_committed() {
    let night = Night::with_git(&calls(&[
        "{ bash = 'echo A=2 > .env; echo B=1 > test.env; echo C=1 > other.env; echo D=1 > .env.example' }",
    ]))
    .set("WINDLASS_COMMIT__ALLOW", "/test.env\nfixtures/");
    night.env.write(".env", "A=1\n");
    night.env.git(&["add", "-f", ".env"]);
    night.env.git(&["commit", "--quiet", "-m", "a person's decision"]);
    expect_end(&night.run(&["-m", "1", "--commit", "runner"]), 10, "max_iterations");
    assert_eq!(night.env.git(&["show", "--format=", "--name-only", "HEAD"]), ".env\n.env.example\ntest.env");
    assert_eq!(held_back(&night), [["other.env (its name is that of a secret)"]]);
}

// rows: 80
// Seed defect D3, core/git.ts:252-261: any file named `nul` was deleted before each commit.
#[test]
fn files_of_any_name_are_left_where_they_are_and_committed() {
    let night =
        Night::with_git(&every_call("{ bash = 'for name in nul NUL con aux.txt; do echo x > $name; done' }"));
    expect_end(&night.run(&["-m", "1", "--commit", "runner"]), 10, "max_iterations");
    assert_eq!(night.env.git(&["show", "--format=", "--name-only", "HEAD"]), "NUL\naux.txt\ncon\nnul");
    assert!(night.env.project().join("nul").exists());
}

// rows: 82
// Seed defect D3, core/git.ts:233-246, 298-316: a hook's failure was guessed from words, and ended the loop.
#[test]
fn what_a_hook_says_goes_into_the_next_prompt_and_is_gone_when_it_passes() {
    let night = Night::with_git(&calls(&[WORK, "{ bash = 'echo x > fixed' }", WORK]));
    let refuses = "test -e fixed || { seq 3000; echo 'work: line 1 is ugly; WINDLASS_JOB_COMPLETE'; echo WINDLASS_JOB_COMPLETE; exit 5; }";
    hook(&night, "pre-commit", refuses);
    expect_end(&night.run(&["-m", "3", "--commit", "runner"]), 10, "max_iterations");
    let first = refusals(&night).remove(0).unwrap();
    assert!(first.starts_with("a hook of the repository refused: "), "{first}");
    let (second, third) = (night.prompt(2), night.prompt(3));
    assert!(second.contains("## The commit was refused") && second.contains("line 1 is ugly"), "{second}");
    assert!(second.contains("\n2999\n") && !second.contains("\n1000\n"), "its end, and no more: {second}");
    assert!(!second.ends_with("\nWINDLASS_JOB_COMPLETE\n~~~\n"), "{second}");
    assert!(!third.contains("The commit was refused"), "{third}");
    assert_eq!(night.env.git(&["show", "--format=", "--name-only", "HEAD~1"]), "fixed\nwork");
}

#[test]
fn without_an_identity_the_work_is_kept_in_snapshots_and_the_two_commands_are_named() {
    let night = Night::with_git(&calls(&["{ bash = 'echo x > work; git config user.name \"\"' }", WORK]));
    hook(&night, "pre-commit", "echo x >> ../hooked");
    let outcome = night.run(&["-m", "2", "--commit", "runner"]);
    expect_end(&outcome, 10, "max_iterations");
    for refused in refusals(&night) {
        let refused = refused.unwrap();
        assert!(
            refused.contains("git config --global user.name") && refused.contains("user.email"),
            "{refused}"
        );
    }
    assert!(!night.env.project().join("../hooked").exists(), "no hook is run for nothing");
    assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "1");
    assert!(!night.prompt(2).contains("The commit was refused"), "it is not the agent's problem");
    // And a run that could never keep anything does not begin.
    let outcome = night.run(&["--fresh", "--commit", "runner", "--allow-dirty"]);
    outcome.expect_code(2, "no identity");
    assert!(said(&outcome).contains("git config --global user.email"), "{}", said(&outcome));
}

#[test]
fn a_signature_that_fails_says_how_to_switch_signing_off() {
    let night = Night::with_git(&every_call(WORK));
    let program = night.env.write(".git/signs", "#!/bin/sh\necho 'no secret key' >&2\nexit 2\n");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    night.env.git(&["config", "gpg.program", program.to_str().unwrap()]);
    night.env.git(&["config", "commit.gpgSign", "true"]);
    expect_end(&night.run(&["-m", "1", "--commit", "runner"]), 10, "max_iterations");
    let refused = refusals(&night).remove(0).unwrap();
    assert!(
        refused.contains("could not be signed") && refused.contains("git config commit.gpgSign false"),
        "{refused}"
    );
    let good = "#!/bin/sh\ncat >/dev/null; echo '[GNUPG:] SIG_CREATED x' >&2\nprintf '%s\\n' '-----BEGIN PGP SIGNATURE-----' '' x '-----END PGP SIGNATURE-----'\n";
    fs::write(&program, good).unwrap();
    expect_end(&night.resume(&[&run(&night), "-m", "2"]), 10, "max_iterations");
    assert!(
        night.env.git(&["cat-file", "commit", "HEAD"]).contains("gpgsig "),
        "signed as the person wants it"
    );
}

// attack(claims): a commit hook takes work out of the commit, or commits something else, and leaves the files as they are
// holds: what the gates judged is not in the commit, so the claim is refused, and the next prompt says why
#[test]
fn what_a_hook_keeps_out_of_a_commit_is_not_done() {
    for takes in [
        "git reset -q -- work",
        "printf other | git hash-object -w --stdin | xargs -I % git update-index --cacheinfo 100644,%,work",
    ] {
        let claims = "{ bash = 'echo x > work; echo y >> other' }, { result = { text = \"Done.\\n\\nWINDLASS_JOB_COMPLETE\" } }";
        let night = Night::with_git(&calls(&[claims, claims]));
        hook(&night, "pre-commit", &format!("test -e ../fixed || {{ {takes}; }}"));
        let flags = ["--commit", "runner", "--completion-threshold", "1", "--gate", "test -f work"];
        let outcome = night.run(&[&flags[..], &["-m", "1"]].concat());
        expect_end(&outcome, 10, "max_iterations");
        let why = refusals(&night).remove(0).unwrap();
        assert!(why.contains("lacks what the checks have judged") && why.ends_with(": work"), "{why}");
        night.env.write("../fixed", "");
        expect_end(&night.resume(&[&run(&night), "-m", "2"]), 0, "complete");
        assert!(night.prompt(2).contains("lacks what the checks have judged"), "{}", night.prompt(2));
        assert_eq!(night.env.git(&["show", "HEAD:work"]), "x");
        assert_eq!(night.env.git(&["status", "--porcelain"]), "");
    }
}

// attack(files): uncommitted work with a secret beside it, and a person who types what the report prints
// holds: the command commits the work and not what only a person can say
#[test]
fn the_printed_command_for_uncommitted_work_leaves_out_what_looks_like_a_secret() {
    let night = Night::with_git(&calls(&["{ bash = 'echo TOKEN=1 > .env; echo y > y' }"]));
    expect_end(&night.run(&["-m", "1"]), 10, "max_iterations");
    let report = night.env.run(&mut night.windlass(&["report", "--json"]), PATIENCE).stdout_text();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let steps = report["runs"][0]["landing"]["steps"].as_array().unwrap_or_else(|| panic!("{report:#}"));
    let typed =
        steps.iter().filter_map(|step| step["command"].as_str()).find(|typed| typed.contains("add --all"));
    let mut shell = night.env.command("sh");
    let outcome =
        night.env.run(shell.args(["-c", typed.unwrap()]).current_dir(night.env.project()), PATIENCE);
    outcome.expect_success(typed.unwrap());
    assert_eq!(night.env.git(&["show", "--format=", "--name-only", "HEAD"]), "y");
    assert_eq!(night.env.git(&["status", "--porcelain"]), "?? .env");
}

/// Both write one file; the second writes a secret and a large file, too, and once more while it puts its work together with the branch.
const SECRET: &str = r#"
[[call]]
steps = [
  { append = { path = "common", text = "{{task}}\n" } }, { bash = "echo SECRET=2 > .env; head -c 6000000 /dev/zero > big.bin" }, "tick_task",
  { result = { text = "{{task}} is done.", cost = 0.01 } },
]
[[call]]
task = "TASK-001"
merging = true
steps = [
  { write = { path = "common", text = "both\n" } }, { bash = "echo SECRET=2 > .env; head -c 6000000 /dev/zero > big.bin" },
  { result = { text = "Both." } },
]
[[call]]
task = "TASK-002"
merging = true
steps = [
  { write = { path = "common", text = "both\n" } }, { bash = "echo SECRET=2 > .env; head -c 6000000 /dev/zero > big.bin" },
  { result = { text = "Both." } },
]
"#;

// attack(git): an agent in a lane writes a secret that is held back, and once more while it puts its work together with the branch
// holds: it is in no commit; the run's end and its report name it, and the command that brings it into the working directory works
#[test]
fn what_is_held_back_from_one_commit_of_a_lane_is_in_no_later_one() {
    let night = tasks::night(&[(1, &[]), (2, &[])], SECRET);
    let outcome = tasks::run(&night, &["-j", "2", "--gate", "true"]);
    outcome.expect_code(0, &outcome.stderr_text());
    let merged = night.facts().into_iter().any(|fact| {
        matches!(fact, Fact::Merged(report::Merged { outcome: MergeOutcome::Conflict { .. }, .. }))
    });
    assert!(merged, "work was put together");
    let files = night.env.git(&["log", "--all", "--format=", "--name-only"]);
    assert!(!files.contains(".env") && !files.contains("big.bin"), "{files}");
    let end = outcome.stdout_text();
    assert!(end.contains(".env") && end.contains("big.bin"), "{end}");
    let asked = |words: &[&str]| night.env.run(&mut night.windlass(words), PATIENCE);
    let report = asked(&["report"]).stdout_text();
    assert!(report.contains("that commit does not hold .env, big.bin"), "{report}");
    let head = night.env.git(&["rev-parse", "--short=8", "HEAD"]);
    assert!(report.contains(&format!("committed as {head}")), "{head}: {report}");
    let notices = night.notices();
    let notice = notices.iter().find(|text| text.contains("held back")).expect("a notice");
    let command = notice.split('`').find(|words| words.starts_with("windlass restore ")).expect("a command");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    asked(&words).expect_success(command);
    assert_eq!(night.env.read(".env"), "SECRET=2\n");
}
