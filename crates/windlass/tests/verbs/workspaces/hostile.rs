//! Names that are none, and files that are broken or not what they should be.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};

use windlass_testkit::environment::TestEnv;

use super::super::{ask, document, told};
use super::{folder, metadata, refused};

// rows: 126
#[test]
fn names_that_are_none_are_refused_with_one_that_would_do() {
    let env = TestEnv::with_git();
    for (name, would_do) in [
        ("..", "my-job"),
        ("../../x", "x"),
        ("a/b", "a-b"),
        ("🚀", "my-job"),
        ("CON", "CON-job"),
        ("", "my-job"),
    ] {
        for verb in [&["init"][..], &["show"], &["reset", "-y"], &["clean", "-f", "--no-archive"]] {
            let arguments: Vec<&str> = verb.iter().copied().chain([name]).collect();
            let sentence = refused(&env, &arguments);
            assert!(sentence.contains(&format!("`{would_do}`")), "{arguments:?}: {sentence}");
        }
    }
    assert!(!env.project().join(".windlass").exists());
    assert!(!env.state().exists());
}

#[test]
fn one_that_is_not_there_is_told_with_the_nearest_name() {
    let env = TestEnv::with_git();
    told(&env, &["init", "port-parser"]);
    for verb in ["show", "reset", "clean"] {
        let sentence = refused(&env, &[verb, "port-prser"]);
        assert!(sentence.contains("did you mean `port-parser`?"), "{verb}: {sentence}");
        assert!(sentence.contains("windlass list"), "{verb}: {sentence}");
    }
}

// rows: 126
// Seed defect D1, utils/fs.ts:61: a crash left half a file, and the workspace could not be used any more.
#[test]
fn broken_metadata_hide_nothing_and_are_mended_with_a_copy() {
    let env = TestEnv::with_git();
    told(&env, &["init", "good"]);
    told(&env, &["init", "bad"]);
    let half = "{\n  \"name\": \"bad\",\n  \"stat";
    env.write(folder(&env, "bad").join(".metadata.json"), half);
    let listed = ask(&env, &["list"]);
    listed.expect_success("list");
    assert_eq!(listed.stdout_text().lines().count(), 3);
    assert!(listed.stderr_text().contains(".metadata.json is broken"), "{}", listed.stderr_text());
    assert!(told(&env, &["show", "bad"]).contains(".metadata.json is broken"));
    assert_eq!(env.read(folder(&env, "bad").join(".metadata.json")), half);

    let mended = ask(&env, &["init", "bad"]);
    mended.expect_success("init");
    assert!(mended.stderr_text().contains("was broken"), "{}", mended.stderr_text());
    assert_eq!(metadata(&env, "bad")["name"], "bad");
    let copy = fs::read_dir(folder(&env, "bad")).unwrap().map(|entry| entry.unwrap());
    let copy =
        copy.into_iter().find(|entry| entry.file_name().to_string_lossy().contains(".corrupt-")).unwrap();
    assert_eq!(fs::read_to_string(copy.path()).unwrap(), half);
    assert_eq!(ask(&env, &["list"]).stderr_text(), "");
}

#[test]
fn links_that_lead_out_and_other_things_are_left_alone() {
    let env = TestEnv::with_git();
    told(&env, &["init", "real"]);
    env.write("precious/file", "mine");
    symlink(env.project().join("precious"), folder(&env, "out")).unwrap();
    fs::write(folder(&env, "file"), "mine").unwrap();
    for (name, why) in [("out", "leads out of the project's workspaces"), ("file", "is not a folder")] {
        for arguments in [&["init", name][..], &["show", name], &["clean", name, "-f", "--no-archive"]] {
            let sentence = refused(&env, arguments);
            assert!(sentence.contains(why), "{arguments:?}: {sentence}");
        }
    }
    let listed = ask(&env, &["list"]);
    listed.expect_success("list");
    assert!(listed.stdout_text().contains("real"), "{}", listed.stdout_text());
    assert_eq!(listed.stderr_text().matches("left out").count(), 2, "{}", listed.stderr_text());
    assert_eq!(
        (env.read("precious/file").as_str(), env.read(folder(&env, "file")).as_str()),
        ("mine", "mine")
    );
}

#[test]
fn a_file_where_the_folder_should_be_and_folders_that_cannot_be_read() {
    let env = TestEnv::with_git();
    env.write(".windlass", "a file");
    let outcome = ask(&env, &["init", "x"]);
    outcome.expect_code(1, "init");
    assert!(outcome.stderr_text().contains(".windlass"), "{}", outcome.stderr_text());
    assert_eq!(env.read(".windlass"), "a file");

    let env = TestEnv::with_git();
    told(&env, &["init", "x"]);
    env.write(folder(&env, "x").join("config.toml"), "[limits]\nmax_iteration = 3\n");
    fs::remove_file(folder(&env, "x").join("TODO.md")).unwrap();
    fs::create_dir(folder(&env, "x").join(".status.json")).unwrap();
    let shown = document(&env, &["show", "x", "--json"]);
    let problem = shown["configuration_problem"].as_str().unwrap();
    assert!(problem.contains("did you mean `limits.max_iterations`?"), "{problem}");
    assert!(shown["standing"]["problem"].is_string(), "{shown}");

    // Whoever may do anything can read everything.
    if rustix::process::geteuid().is_root() {
        return;
    }
    fs::set_permissions(folder(&env, "x"), Permissions::from_mode(0o000)).unwrap();
    let listed = ask(&env, &["list"]);
    fs::set_permissions(folder(&env, "x"), Permissions::from_mode(0o755)).unwrap();
    listed.expect_success("list");
    assert!(listed.stderr_text().contains("workspace x is left out"), "{}", listed.stderr_text());
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_full_disk_is_said_and_what_was_begun_is_completed_later() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped, because only root can mount a small disk");
        return;
    }
    let env = TestEnv::new();
    // Room for the folders and for no file; then for all of it. The disk goes with its namespace.
    let script = r#"
        mount -t tmpfs -o size=16k,nr_inodes=6 small . && cd "$PWD" || exit 99
        "$1" init job; echo "first=$?"
        mount -o remount,size=1m,nr_inodes=200 .
        "$1" init job -m 3; echo "second=$?"; cat .windlass/workspaces/job/config.toml
        dd if=/dev/zero of=fill bs=1k count=2000 2>/dev/null
        "$1" reset job -y; echo "third=$?"; cat .windlass/workspaces/job/.metadata.json
    "#;
    let mut unshared = env.command("unshare");
    unshared.args(["--mount", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_windlass")]);
    let outcome = env.run(&mut unshared, super::PATIENCE);
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert_ne!(outcome.code, Some(99), "no small disk: {said}");
    for expected in ["first=28", "second=0", "max_iterations = 3", "third=28", "\"executionIterations\": 0"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert_eq!(said.matches("error: the disk is full").count(), 2, "{said}");
    assert!(said.contains("workspace job is adopted"), "{said}");
}

#[test]
fn inside_a_run_nothing_can_be_made_or_taken_away() {
    let env = TestEnv::with_git();
    told(&env, &["init", "x"]);
    for arguments in [&["init", "y"][..], &["reset", "x", "-y"], &["clean", "x", "-f"], &["init"]] {
        let mut command = super::windlass(&env, arguments);
        let outcome = env.run(command.env("WINDLASS_RUN", "r-12345678"), super::PATIENCE);
        outcome.expect_code(2, &format!("{arguments:?}"));
    }
    assert!(folder(&env, "x").is_dir() && !folder(&env, "y").exists());
}
