//! Files that Git LFS keeps beside the commits, with the real one.

use std::fs;

use rustix::process::Signal;
use windlass_testkit::Running;
use windlass_testkit::environment::wait_until;

use super::yard::{Elsewhere, PATIENCE, Yard, drain};

/// An agent that reads a large file as it is, and makes one.
const LARGE: &str = r#"
[[call]]
steps = [
  { bash = "grep -q content large.bin" },
  { write = { path = "work-{{task}}.bin", text = "{{task}} is large\n" } },
  { write = { path = "work/{{task}}", text = "{{task}}\n" } },
  "tick_task",
  { result = { text = "{{task}} is done.", cost = 0.01 } },
]
"#;

/// Git LFS is there, and set up for everybody in this yard; `None` where it is not installed.
fn yard(tasks: u32) -> Option<Yard> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&path).any(|folder| folder.join("git-lfs").is_file());
    if !is_there {
        assert!(std::env::var_os("WINDLASS_TEST_LFS").is_none(), "git-lfs is not installed");
        return None;
    }
    let yard = Yard::new(tasks, LARGE);
    yard.env.git(&["lfs", "install", "--skip-repo"]);
    yard.env.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    yard.env.write("large.bin", "content ".repeat(10_000));
    yard.env.git(&["add", "--all"]);
    yard.env.git(&["commit", "--quiet", "--message", "A large file"]);
    Some(yard)
}

#[test]
fn large_files_are_there_on_workers_and_come_back_from_them() {
    if let Some(yard) = yard(3) {
        assert_they_travel(&yard);
    }
}

#[test]
fn they_travel_through_the_servers_where_commits_go_through_a_git_remote() {
    let Some(mut yard) = yard(2) else { return };
    let bare = yard.env.root().join("remote.git").display().to_string();
    yard.env.git(&["init", "--quiet", "--bare", &bare]);
    yard.remote = Some(format!("file://{bare}"));
    assert_they_travel(&yard);
}

fn assert_they_travel(yard: &Yard) {
    let worker = yard.worker("one");
    let landed = yard.land(2, &["--gate", "grep -q content large.bin"]);
    landed.expect_success(&landed.stderr_text());
    for task in yard.landed() {
        let name = format!("work-{task}.bin");
        let pointer = yard.env.git(&["show", &format!("HEAD:{name}")]);
        assert!(pointer.starts_with("version https://git-lfs"), "{pointer}");
        assert_eq!(yard.env.read(&name), format!("{task} is large\n"));
    }
    assert!(yard.landed().len() > 1);
    yard.assert_whole();
    yard.env.git(&["lfs", "fsck"]);
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn whoever_goes_on_with_a_run_elsewhere_has_the_large_files_that_landed() {
    let Some(yard) = yard(2) else { return };
    yard.script(&Yard::waiting(LARGE, &yard.env.root().display().to_string()));
    let elsewhere = Elsewhere::of(&yard);
    // Nobody but the fleet has them.
    elsewhere.git(&["remote", "remove", "origin"]);
    let worker = yard.worker("one");
    let run = Running::start(&mut yard.tasks(2, &[]));
    yard.wait_for_agents(2);
    yard.let_an_agent_go_on();
    assert!(wait_until(PATIENCE, || !yard.of_kind("landed").is_empty()));
    // No further task begins, so nothing else shows that the fleet has heard of it.
    assert!(wait_until(PATIENCE, || elsewhere.knows_the_whole_journal()));
    run.signal(Signal::KILL);
    run.wait(PATIENCE);
    let name = yard.run_name();
    yard.let_agents_go_on();
    elsewhere.merge(&elsewhere.run(&["resume", &name]).stderr_text());
    let resumed = elsewhere.run(&["resume", &name]);
    resumed.expect_success(&resumed.stderr_text());
    for task in ["T1", "T2"] {
        let file = elsewhere.project().join(format!("work-{task}.bin"));
        assert_eq!(fs::read_to_string(file).unwrap(), format!("{task} is large\n"));
    }
    assert_eq!(elsewhere.git(&["status", "--porcelain"]), "");
    drain(worker);
}

#[test]
fn a_worker_without_lfs_leaves_such_a_run_to_others() {
    let Some(yard) = yard(1) else { return };
    let mut bare = yard.worker_command("bare", 1);
    let bare = Yard::begin(bare.env("GIT_CONFIG_GLOBAL", "/dev/null"));
    let run = Running::start(&mut yard.tasks(2, &[]));
    assert!(wait_until(PATIENCE, || bare
        .stderr_so_far()
        .contains("keeps files in Git LFS, which is not set up here")));
    let able = yard.worker("able");
    let landed = run.wait(PATIENCE);
    landed.expect_success(&landed.stderr_text());
    assert_eq!(yard.landed(), ["T1"]);
    drain(bare);
    drain(able);
}

#[test]
fn a_run_whose_large_files_are_not_here_is_refused_with_what_brings_them() {
    let Some(yard) = yard(1) else { return };
    fs::remove_dir_all(yard.env.project().join(".git/lfs/objects")).unwrap();
    let refused = yard.land(2, &[]);
    refused.expect_code(2, &refused.stderr_text());
    let said = refused.stderr_text();
    assert!(said.contains("1 file of Git LFS cannot be had here"), "{said}");
    assert!(said.contains("git lfs pull"), "{said}");
}
