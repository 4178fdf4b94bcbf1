//! `diff`.

use serde_json::json;
use windlass_testkit::environment::TestEnv;

use super::{PATIENCE, ask, document, finished, told};

#[test]
fn a_run_and_its_iterations_show_what_they_changed() {
    let env = TestEnv::with_git();
    env.write("work.txt", "mine\n");
    let run = finished(&env, "Work", 3);
    env.write("work.txt", "changed since\n");

    let whole = told(&env, &["diff"]);
    assert!(whole.contains("-mine\n+call 3\n") && whole.contains("+++ b/new-1.txt"), "{whole}");
    assert!(!whole.contains("changed since"), "{whole}");
    let second = told(&env, &["diff", &run[..6], "2"]);
    assert!(second.contains("-call 1\n+call 2\n") && !second.contains("new-1.txt"), "{second}");

    let stat = told(&env, &["diff", &run, "2", "--stat"]);
    assert!(stat.ends_with("2 files changed from 2-1-before to 2-1-after\n"), "{stat}");
    let json = document(&env, &["diff", &run, "2", "--json"]);
    assert_eq!(json["files"][1], json!({"path": "work.txt", "added": 1, "removed": 1}), "{json}");
}

#[test]
fn what_it_prints_into_a_pipe_is_a_patch_that_git_applies() {
    let env = TestEnv::with_git();
    env.write("work.txt", "mine\n");
    let run = finished(&env, "Work", 2);
    let patch = told(&env, &["diff", &run]);
    told(&env, &["restore", &run, "1", "--before"]);
    env.write("run.patch", &patch);
    let mut apply = env.command("git");
    apply.args(["apply", "run.patch"]);
    env.run(&mut apply, PATIENCE).expect_success("git apply");
    assert_eq!(env.read("work.txt"), "call 2\n");
}

#[test]
fn what_is_not_there_is_said() {
    let env = TestEnv::with_git();
    for (arguments, says) in [
        (&["diff"][..], "there has been no run here yet"),
        (&["diff", "r-zzz"], "no run here begins with \"r-zzz\""),
        (&["diff", "r-zzz", "0"], "0 is not in 1.."),
    ] {
        let answer = ask(&env, arguments);
        answer.expect_code(2, &format!("{arguments:?}"));
        assert!(answer.stderr_text().contains(says), "{}", answer.stderr_text());
    }
    let run = finished(&env, "Work", 1);
    let answer = ask(&env, &["diff", &run, "7"]);
    answer.expect_code(2, "an iteration that there is not");
    assert!(
        answer.stderr_text().contains("there is no snapshot before iteration 7"),
        "{}",
        answer.stderr_text()
    );
}
