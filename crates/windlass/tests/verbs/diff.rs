//! `diff`.

use rustix::process::Signal;
use serde_json::json;
use windlass_testkit::environment::TestEnv;

use super::{PATIENCE, Running, ask, document, finished, told, windlass};

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
fn what_a_killed_iteration_changed_is_said_not_to_be_shown() {
    let cut = "{ bash = 'echo cut >> work.txt' }, { say = 'Now I wait.' }, 'hang'";
    for (iteration, code) in [(1, Some(2)), (2, Some(0))] {
        let env = TestEnv::with_git();
        let whole =
            if iteration == 1 { "" } else { "[[call]]\nsteps = [{ bash = 'echo one > work.txt' }]\n" };
        let script = env.write(env.root().join("script.toml"), format!("{whole}[[call]]\nsteps = [{cut}]\n"));
        let mock = format!("--mock={}", script.display());
        let mut running =
            Running::start(&mut windlass(&env, &["run", "-p", "Work", &mock, "--no-delay", "--json"]));
        assert!(running.wait_for_stdout("Now I wait.", PATIENCE));
        let says = |why: &str| {
            let answer = ask(&env, &["diff", "--stat"]);
            let said = format!("iteration {iteration} {why}, and what it has changed so far is not shown");
            assert!(answer.stderr_text().contains(&said), "{}", answer.stderr_text());
            assert_eq!(answer.code, code);
        };
        says("goes on");
        running.signal(Signal::KILL);
        let _ = running.wait(PATIENCE);
        says("was cut off");
    }
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
