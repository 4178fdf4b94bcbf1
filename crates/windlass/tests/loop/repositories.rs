//! Repositories that are not as usual: in each, work is committed, comes back, is done in lanes, and in a worktree.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use windlass_testkit::{Outcome, TestEnv};

use super::night::{Night, PATIENCE, every_call, expect_end};

/// Writes two files, one of them new.
const WORK: &str = "{ bash = 'echo more >> README.md; echo $WINDLASS_CALL > new-$WINDLASS_CALL' }";

/// Writes a file of its own, and says that its task is done.
const TASK: &str = "{ write = { path = 'work/{{task}}', text = 'done' } }, 'tick_task'";

const TASKS: &str = "### TASK-001: One\n- **Status**: pending\n\n### TASK-002: Two\n- **Status**: pending\n\n\
                     ### TASK-003: Three\n- **Status**: pending\n";

fn said(outcome: &Outcome) -> String {
    outcome.stdout_text() + &outcome.stderr_text()
}

/// A project whose repository is made so, with its first commit.
fn made(arguments: &[&str]) -> TestEnv {
    let env = TestEnv::new();
    env.git(&[&["init", "--quiet", "--initial-branch=main"], arguments].concat());
    begin(&env);
    env
}

/// A first commit of all that is there, and of tasks.
fn begin(env: &TestEnv) {
    env.write("README.md", "A project.\n");
    env.write("tasks.md", TASKS);
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Begin"]);
}

/// The night, after all of it has been tried.
fn all_of_it(env: TestEnv, work: &str) -> Night {
    let night = Night::within(env, &every_call(work));
    commits_and_restores(&night);
    lanes(&night);
    worktree(&night);
    night
}

fn status(night: &Night) -> String {
    night.env.git(&["status", "--porcelain"])
}

fn count(night: &Night) -> usize {
    night.env.git(&["rev-list", "--count", "HEAD"]).parse().unwrap()
}

fn commits_and_restores(night: &Night) {
    let before = count(night);
    expect_end(&night.run(&["-m", "2", "--commit", "runner"]), 10, "max_iterations");
    assert_eq!((count(night), status(night).as_str()), (before + 2, ""));
    let run = night.folder().file_name().unwrap().to_string_lossy().into_owned();
    let restored = night.env.run(&mut night.windlass(&["restore", &run, "1"]), PATIENCE);
    restored.expect_code(0, "restore");
    assert_eq!(
        night.env.git(&["diff", "HEAD~1", "--stat"]),
        "",
        "the files are as after the first iteration"
    );
    night.env.git(&["reset", "--quiet", "--hard"]);
    night.env.git(&["clean", "-fdq"]);
    assert_eq!(status(night), "");
}

fn lanes(night: &Night) {
    let before = count(night);
    let outcome = tasks(night, &[]);
    expect_end(&outcome, 0, "complete");
    assert_eq!((count(night), status(night).as_str()), (before + 3, ""));
    for id in ["TASK-001", "TASK-002", "TASK-003"] {
        assert_eq!(night.env.read(format!("work/{id}")), "done");
    }
    night.env.git(&["fsck", "--no-progress", "--no-dangling"]);
}

fn tasks(night: &Night, flags: &[&str]) -> Outcome {
    let script = night.env.write(night.env.root().join("tasks.toml"), every_call(TASK));
    let mut command =
        night.windlass(&["run", "--mode", "tasks", "-j", "2", "--no-delay", "--gate", "test -f tasks.md"]);
    command.arg(format!("--mock={}", script.display())).args(flags);
    night.env.run(&mut command, PATIENCE)
}

fn worktree(night: &Night) {
    let (before, head) = (count(night), night.env.git(&["rev-parse", "HEAD"]));
    let outcome = night.run(&["-m", "1", "--commit", "runner", "--worktree", "apart"]);
    expect_end(&outcome, 10, "max_iterations");
    assert_eq!(night.env.git(&["rev-list", "--count", "windlass/apart"]), (before + 1).to_string());
    assert_eq!(
        (night.env.git(&["rev-parse", "HEAD"]), status(night).as_str()),
        (head, ""),
        "nothing changed here"
    );
    let clean = || night.env.run(&mut night.windlass(&["worktree", "clean", "apart"]), PATIENCE);
    let refused = clean();
    assert!(said(&refused).contains("has 1 commit that main has not"), "{}", said(&refused));
    night.env.git(&["merge", "--quiet", "windlass/apart"]);
    clean().expect_code(0, "worktree clean");
    assert_eq!(night.env.git(&["branch", "--list", "windlass/apart"]), "");
}

#[test]
fn objects_named_with_sha_256() {
    all_of_it(made(&["--object-format=sha256"]), WORK);
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn references_in_tables() {
    let env = TestEnv::new();
    let made = env.run(
        env.command("git").args(["init", "--quiet", "--initial-branch=main", "--ref-format=reftable"]),
        PATIENCE,
    );
    if made.code != Some(0) {
        eprintln!("skipped, because this git has no reftable: {}", made.stderr_text());
        return;
    }
    begin(&env);
    all_of_it(env, WORK);
}

#[test]
fn names_that_differ_in_case_alone() {
    let env = TestEnv::new();
    for name in ["Name", "name", "Folder/x", "folder/x"] {
        env.write(name, name);
    }
    env.git(&["init", "--quiet", "--initial-branch=main"]);
    begin(&env);
    let night = all_of_it(
        env,
        "{ bash = 'echo more >> Name; echo n > NEW-$WINDLASS_CALL; echo o > new-$WINDLASS_CALL' }",
    );
    let files = night.env.git(&["ls-files"]);
    for name in ["Name", "name", "Folder/x", "folder/x", "NEW-1", "new-1"] {
        assert!(files.lines().any(|file| file == name), "{name}: {files}");
    }
}

// A repository that was copied from a system where case does not count: git would neither list nor commit the second one.
#[test]
fn a_repository_that_says_case_does_not_count_where_it_does() {
    let env = made(&[]);
    env.git(&["config", "core.ignoreCase", "true"]);
    let rename = "{ bash = 'mv README.md Readme.md; echo more >> Readme.md; echo x > x; echo X > X' }";
    let night = Night::within(env, &every_call(rename));
    expect_end(&night.run(&["-m", "1", "--commit", "runner"]), 10, "max_iterations");
    assert_eq!(night.env.git(&["ls-tree", "--name-only", "HEAD"]), "Readme.md\nX\ntasks.md\nx");
    lanes(&night);
}

#[test]
fn names_that_are_no_text() {
    let env = TestEnv::new();
    let odd: [&[u8]; 6] = [b"caf\xe9", b"line\nbreak", b"quo\"te\\", b" blank ", b"-n", b":(top)magic*?["];
    for name in odd {
        fs::write(env.project().join(OsStr::from_bytes(name)), "x").unwrap();
    }
    env.git(&["init", "--quiet", "--initial-branch=main"]);
    begin(&env);
    let work = r#"{ bash = 'for file in *; do test -d "./$file" || echo more >> "./$file"; done; git checkout --quiet tasks.md; echo n > "new$(printf "\351\nx")"' }"#;
    let night = all_of_it(env, work);
    for name in odd {
        let path = night.env.project().join(OsStr::from_bytes(name));
        assert_eq!(fs::read_to_string(&path).unwrap(), "xmore\nmore\nmore\n", "{}", path.display());
    }
    assert!(night.env.git(&["ls-files"]).contains("\"new\\351\\nx\""));
}

#[test]
fn a_repository_with_a_repository_inside() {
    let env = TestEnv::new();
    let inner = env.root().join("inner");
    let inner = inner.to_str().unwrap();
    env.git(&["init", "--quiet", "--initial-branch=main", inner]);
    env.git(&["-C", inner, "commit", "--quiet", "--allow-empty", "--message", "Inside"]);
    env.git(&["init", "--quiet", "--initial-branch=main"]);
    env.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "lib/inner"]);
    begin(&env);
    let commit = env.git(&["rev-parse", "HEAD:lib/inner"]);
    // A worktree with a submodule in it is removed by nobody but its owner: git itself refuses.
    let night = Night::within(env, &every_call(WORK));
    commits_and_restores(&night);
    lanes(&night);
    assert_eq!(night.env.git(&["rev-parse", "HEAD:lib/inner"]), commit);
    assert!(night.env.project().join("lib/inner/.git").exists(), "the submodule is checked out as before");
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn what_is_committed_is_signed_where_the_person_signs() {
    let env = made(&[]);
    let key = env.root().join("key");
    let keygen = ["/usr/bin/ssh-keygen", "/bin/ssh-keygen"].into_iter().find(|path| Path::new(path).exists());
    let Some(keygen) = keygen else {
        eprintln!("skipped, because there is no ssh-keygen here");
        return;
    };
    let mut make = env.command(keygen);
    make.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key);
    env.run(&mut make, PATIENCE).expect_code(0, "ssh-keygen");
    for (name, value) in [
        ("gpg.format", "ssh"),
        ("user.signingKey", key.with_extension("pub").to_str().unwrap()),
        ("commit.gpgSign", "true"),
    ] {
        env.git(&["config", name, value]);
    }
    let first = env.git(&["rev-parse", "HEAD"]);
    let night = all_of_it(env, WORK);
    let commits = night.env.git(&["rev-list", &format!("{first}..HEAD")]);
    assert_eq!(commits.lines().count(), 6);
    for commit in commits.lines() {
        let text = night.env.git(&["cat-file", "commit", commit]);
        assert!(text.contains("\ngpgsig -----BEGIN SSH SIGNATURE-----"), "{text}");
    }
    // Without the key nothing lands, and what is to be done is said.
    fs::remove_file(key).unwrap();
    fs::remove_file(night.env.root().join("key.pub")).unwrap();
    night.env.write("tasks.md", TASKS);
    night.env.git(&["-c", "commit.gpgSign=false", "commit", "--quiet", "--all", "--message", "Again"]);
    let (tip, outcome) = (night.env.git(&["rev-parse", "HEAD"]), tasks(&night, &["--fresh"]));
    assert!(said(&outcome).contains("could not be signed"), "{}", said(&outcome));
    assert!(said(&outcome).contains("git config commit.gpgSign false"), "{}", said(&outcome));
    assert_eq!(night.env.git(&["rev-parse", "HEAD"]), tip);
}

#[test]
fn without_an_identity_nothing_begins() {
    let env = made(&[]);
    env.git(&["config", "user.useConfigOnly", "true"]);
    fs::remove_file(env.home().join(".gitconfig")).unwrap();
    let night = Night::within(env, &every_call(WORK));
    for flags in [&["--commit", "runner"][..], &["--commit", "runner", "--worktree", "apart"]] {
        let outcome = night.run(flags);
        outcome.expect_code(2, "no identity");
        assert!(said(&outcome).contains("git config --global user.name"), "{}", said(&outcome));
    }
    let outcome = tasks(&night, &[]);
    outcome.expect_code(2, "no identity");
    assert_eq!(night.folders().len(), 0);
    // The worktree that was made is used once git knows who commits.
    night.env.git(&["config", "user.name", "Someone"]);
    night.env.git(&["config", "user.email", "someone@example.com"]);
    worktree(&night);
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn large_files_kept_by_lfs() {
    let env = TestEnv::new();
    env.git(&["init", "--quiet", "--initial-branch=main"]);
    let installed = env.run(env.command("git").args(["lfs", "install", "--local"]), PATIENCE);
    if installed.code != Some(0) {
        eprintln!("skipped, because git-lfs is not installed: {}", installed.stderr_text().trim());
        return;
    }
    env.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    env.write("large.bin", vec![7_u8; 100_000]);
    begin(&env);
    let work = "{ bash = 'echo more >> README.md; echo $WINDLASS_CALL >> large.bin; head -c 50000 /dev/urandom > new-$WINDLASS_CALL.bin' }";
    let night = all_of_it(env, work);
    let pointers = night.env.git(&["grep", "-l", "git-lfs.github.com/spec", "HEAD", "--", "*.bin"]);
    assert_eq!(pointers, "HEAD:large.bin\nHEAD:new-1.bin\nHEAD:new-2.bin", "pointers are committed");
    assert_eq!(night.env.git(&["lfs", "fsck"]), "Git LFS fsck OK", "each has its content");
    let large = fs::read(night.env.project().join("large.bin")).unwrap();
    assert!(large.iter().take(100_000).all(|byte| *byte == 7) && large.ends_with(b"1\n2\n1\n"));
}
