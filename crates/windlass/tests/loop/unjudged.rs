//! What an attempt left that nobody has judged: a new run in the directory believes none of it.

use rustix::process::Signal;
use windlass_testkit::{Outcome, Running};

use super::night::{CLEARED, Night, PATIENCE, calls, expect_end};
use super::plans::{self, PLAN};
use super::tasks::{HONEST, command, night, requirements, run};

const TWO: &[(u32, &[u32])] = &[(1, &[]), (2, &[1])];

/// One call, which does this in a shell and then this.
pub(super) fn call(shell: &str, then: &str) -> String {
    format!("[[call]]\nsteps = [ {{ bash = {shell:?} }}, {then} ]\n")
}

pub(super) fn kill(night: &Night, running: Running) {
    night.wait_for_file("../cut");
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    night.env.assert_no_processes(CLEARED);
    std::fs::remove_file(night.env.root().join("cut")).unwrap();
}

/// From now on its agents play this.
pub(super) fn play(night: &Night, script: &str) {
    night.env.write(&night.script, script);
}

pub(super) fn said(outcome: &Outcome) -> String {
    let text = outcome.stdout_text() + &outcome.stderr_text();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const ALL_DONE: &str = "sed -i 's/in-progress/done/; s/pending/done/' requirements.md; echo x > w";

// attack(claims): an agent calls all tasks done, and its call ends without a verdict, or with its runner
// holds: no later run takes that for their being done
#[test]
fn what_an_agent_called_done_is_not_done_for_a_new_run() {
    let limit = night(TWO, &call(ALL_DONE, "{ usage_limit = { resets_in = \"7h\" } }"));
    run(&limit, &["--gate", "true", "--max-wait", "1s"]);
    let now = limit.env.read("requirements.md");
    assert_eq!(now, requirements(TWO).replacen("pending", "in-progress", 1), "as the run knows them");

    let killed = night(TWO, &call(&format!("{ALL_DONE}; touch ../cut"), "\"hang\""));
    kill(&killed, Running::start(&mut command(&killed, &["--gate", "true"])));
    assert!(!killed.env.read("requirements.md").contains("pending"));

    for night in [limit, killed] {
        play(&night, HONEST);
        expect_end(&run(&night, &["--gate", "true", "--fresh"]), 0, "complete");
        assert_eq!(night.env.read("work/TASK-002"), "done\n");
        assert_eq!(night.env.read("requirements.md"), requirements(TWO).replace("pending", "done"));
        assert_eq!(night.env.git(&["status", "--porcelain"]), "");
    }
}

// attack(files): an agent removes a task, or an open box of the plan, and its runner is killed
// holds: the next run of the job works on the task, and is held where the box is missing
#[test]
fn what_an_agent_removed_is_still_to_be_done_for_a_new_run() {
    let robbed = night(TWO, &call("sed -i '/TASK-002/,$ d' requirements.md; touch ../cut", "\"hang\""));
    kill(&robbed, Running::start(&mut command(&robbed, &["--gate", "true"])));
    play(&robbed, HONEST);
    let outcome = run(&robbed, &["--gate", "true", "--fresh"]);
    expect_end(&outcome, 0, "complete");
    assert!(said(&outcome).contains("it is put back as it was before"), "{}", said(&outcome));
    assert_eq!(robbed.env.read("work/TASK-002"), "done\n");

    let script = call(&format!("sed -i '$ d; s/\\[ \\]/[x]/' {PLAN}; touch ../cut"), "\"hang\"");
    let night = plans::planned("- [ ] One (refs: specs/a.md)\n- [ ] Two (refs: specs/a.md)\n", &script);
    kill(&night, Running::start(&mut plans::command(&night, "build", &[])));
    let outcome = plans::run(&night, "build", &["--fresh"]);
    assert_ne!(outcome.code, Some(0), "{}", said(&outcome));
    assert!(said(&outcome).contains("Two") && said(&outcome).contains("is gone"), "{}", said(&outcome));
}

// attack(money): an agent raises the limits of its project, and its runner is killed
// holds: the next run, of whatever job, is begun with those of the person; what that one has set since stays
#[test]
fn what_an_agent_wrote_into_the_configuration_is_not_for_a_new_run() {
    let raises = "printf '[limits]\\nmax_cost = 100\\n' > .windlass/config.toml; touch ../cut";
    let night = Night::with_git(&call(raises, "\"hang\""));
    let set = |value: &str| {
        let mut command = night.windlass(&["config", "set", "limits.max_cost", value]);
        night.env.run(&mut command, PATIENCE).expect_code(0, "config set");
    };
    set("1");
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "Limits"]);
    let config = night.env.read(".windlass/config.toml");
    kill(&night, night.start(&[]));
    let costly = "{ bash = 'echo x >> w' }, { result = { text = 'Done.', cost = 0.6 } }";
    play(&night, &calls(&[costly, costly, costly]));
    let outcome = night.env.run(&mut night.command_for("Something else", &[]), PATIENCE);
    expect_end(&outcome, 11, "max_cost");
    assert_eq!(night.env.read(".windlass/config.toml"), config);
    assert!(said(&outcome).contains("kept: `windlass restore"), "{}", said(&outcome));
}

// A person's word counts, and what they wrote themselves stays.
#[test]
fn what_a_person_says_of_a_task_after_a_kill_counts() {
    let three: &[(u32, &[u32])] = &[(1, &[]), (2, &[]), (3, &[])];
    for next in ["resume", "--fresh"] {
        let night = night(three, &call("echo x > w; touch ../cut", "\"tick_task\", \"hang\""));
        kill(&night, Running::start(&mut command(&night, &["--gate", "true"])));
        play(&night, HONEST);
        let mut done = night.windlass(&["tasks", "done", "TASK-003"]);
        night.env.run(&mut done, PATIENCE).expect_code(0, "tasks done");
        let outcome =
            if next == "resume" { night.resume(&[]) } else { run(&night, &["--gate", "true", next]) };
        expect_end(&outcome, 0, "complete");
        let is_there = |task: &str| night.env.project().join("work").join(task).exists();
        let made: Vec<bool> = ["TASK-001", "TASK-002", "TASK-003"].map(is_there).to_vec();
        assert_eq!(made, [true, true, false], "{next}: {}", said(&outcome));
        assert_eq!(night.env.read("requirements.md"), requirements(three).replace("pending", "done"));
    }
}
