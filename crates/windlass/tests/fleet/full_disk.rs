//! A worker whose disk fills.

use windlass_testkit::Running;

use super::yard::{PATIENCE, Yard, drain};

/// An agent that needs all that there is, where that is little.
const GREEDY: &str = r#"
[[call]]
steps = [
  { bash = "if [ $(stat -f -c %b .) -lt 20000 ]; then cat /dev/zero >fill; fi; true" },
  { write = { path = "work/{{task}}", text = "done\n" } }, "tick_task",
  { result = { text = "{{task}} is done.", cost = 0.01 } },
]
"#;

#[test]
fn a_worker_whose_disk_fills_leaves_its_task_to_another_and_says_why() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped, because only root can mount a small disk");
        return;
    }
    let yard = Yard::new(1, GREEDY);
    let worker = yard.worker_command("small", 1);
    let state = yard.env.root().join("state-small");
    let mut unshared = yard.env.command("unshare");
    let script = r#"mkdir -p "$SMALL" && mount -t tmpfs -o size=24m small "$SMALL" && exec "$@""#;
    unshared.args(["--mount", "sh", "-c", script, "sh"]).arg(worker.get_program()).args(worker.get_args());
    unshared.envs(worker.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("SMALL", &state);
    let small = Yard::begin(&mut unshared);
    let mut run = Running::start(&mut yard.tasks(2, &[]));
    assert!(run.wait_for_stderr("gives it up", PATIENCE), "{}", run.stderr_so_far());
    // What is the matter with it is said again where it is asked to go on, and that it will be tried.
    let left = "leaves its order to others: the disk is full";
    assert!(run.wait_for_stderr(left, PATIENCE), "{}", run.stderr_so_far());
    assert!(run.wait_for_stderr("it is tried here again in a minute", PATIENCE), "{}", run.stderr_so_far());
    let large = yard.worker("large");
    let ended = run.wait(PATIENCE);
    ended.expect_success(&ended.stderr_text());
    assert_eq!(yard.landed(), ["T1"]);
    let notices = yard.notices();
    assert!(notices.contains("worker small gives it up: the disk is full"), "{notices}");
    let ends: Vec<String> =
        yard.of_kind("call_finished").iter().map(|call| call["detail"].to_string()).collect();
    assert!(ends.iter().all(|detail| !detail.contains("Its worker was lost while")), "{ends:?}");
    yard.assert_whole();
    drain(small);
    drain(large);
    yard.env.assert_no_processes(PATIENCE);
}
