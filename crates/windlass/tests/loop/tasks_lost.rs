//! Task files that lose tasks, or are lost, while the tasks are worked off.

use rustix::process::Signal;
use windlass_core::values::{StopReason, TaskEnd, Verdict};
use windlass_testkit::{Running, TestEnv};

use super::night::{CLEARED, Night, PATIENCE, expect_end};
use super::tasks::{HONEST, assert_whole, command, ends, honest_but, night, requirements, run};

/// The first removes the file the first time; the second turns another task into one of its own.
const CARELESS: &str = r#"
[[call]]
task = "TASK-001"
steps = [ { bash = "test -e work/1 || rm requirements.md; mkdir -p work; echo done > work/1" }, "tick_task" ]
[[call]]
task = "TASK-002"
steps = [
  { bash = "sed -i 's/TASK-001: Thing 1/TASK-077: Mine/; s/Thing 3/Thing three/' requirements.md" },
  { write = { path = "work/2", text = "done\n" } }, "tick_task",
]
"#;

// Otherwise nobody could say any more that a task is done, and the next session would read what is left.
#[test]
fn tasks_that_an_agent_removes_are_put_back_and_what_it_left_is_kept() {
    let tasks: &[(u32, &[u32])] = &[(1, &[]), (2, &[1]), (3, &[2])];
    for lanes in ["1", "2"] {
        let night = night(tasks, &honest_but(CARELESS));
        let outcome = run(&night, &["-j", lanes, "--gate", "true"]);
        outcome.expect_code(0, lanes);
        assert_eq!(night.ended(), StopReason::Complete);
        assert_eq!(ends(&night).iter().filter(|(_, end)| *end == TaskEnd::Done).count(), 3);
        let said = outcome.stdout_text() + &outcome.stderr_text();
        assert_eq!(said.matches("it is put back as it was before").count(), 2, "{said}");
        let text = night.env.read("requirements.md");
        assert_eq!(text, requirements(tasks).replace("pending", "done"), "{lanes}");
        assert_eq!(night.env.git(&["show", "HEAD:requirements.md"]), text.trim_end());
        assert_whole(&night);

        // The second task's is the third iteration.
        let run_id = night.folder().file_name().unwrap().to_string_lossy().into_owned();
        assert!(
            said.contains(&format!("`windlass restore {run_id} 3-1-after` has what was left of it")),
            "{said}"
        );
        night.env.run(&mut night.windlass(&["restore", &run_id, "3"]), PATIENCE).expect_code(0, "restore");
        assert!(night.env.read("requirements.md").contains("TASK-077: Mine"), "{lanes}");
    }
}

// A lane's `.git` is its agent's: whatever becomes of it, the files count, and Windlass asks its own.
#[test]
fn what_an_agent_does_to_its_lanes_repository_harms_nobody() {
    for deed in [
        "rm -rf .git",
        "rm -rf .git/refs",
        "rm -rf .git; git init --quiet; git add --all; git -c user.name=x -c user.email=x@y commit -qm x",
        "rm -rf .git; echo gitdir: /nonexistent > .git",
        "rm -rf .git; mkdir .git; mkfifo .git/HEAD",
        "rm -rf .git/objects/info; git config core.bare true; git config core.worktree /",
    ] {
        let script = format!(
            "[[call]]\nsteps = [ {{ bash = {deed:?} }}, {{ write = {{ path = \"work/{{{{task}}}}\", text = \"done\\n\" }} }}, \"tick_task\" ]\n"
        );
        let night = night(&[(1, &[]), (2, &[1])], &script);
        run(&night, &["-j", "2", "--gate", "true"]).expect_code(0, deed);
        assert_eq!(night.ended(), StopReason::Complete, "{deed}");
        assert_eq!(
            night.env.git(&["ls-tree", "-r", "--name-only", "HEAD", "work"]).lines().count(),
            2,
            "{deed}"
        );
        assert_eq!(night.env.git(&["status", "--porcelain"]), "", "{deed}");
        assert_whole(&night);
    }
}

/// The first rewrites what the second is to do, and how it is to be shown; a gate would do so too.
const REWRITES: &str = r#"
[[call]]
task = "TASK-001"
steps = [
  { bash = "mkdir -p work; echo done > work/1; sed -i '/TASK-002/,$ s/Do it/Write ok to foo/; s/medium/low/' requirements.md" },
  { bash = "printf '\\n### TASK-009: New\\n- **Status**: pending\\n' >> requirements.md" },
  "tick_task",
]
"#;

// attack(files): the agent of one task rewrites what another one is to do
// holds: prompts quote what the run read when it began, no commit has the change, it is said, and what was written is kept
#[test]
fn what_an_agent_writes_of_another_tasks_work_is_taken_out_again() {
    let tasks: &[(u32, &[u32])] = &[(1, &[]), (2, &[1])];
    let night = night(tasks, &honest_but(REWRITES));
    // What an agent wrote may do so once it is run.
    let outcome =
        run(&night, &["--gate", "test ! -e work/1 || sed -i 's/Do it/Do nothing/' requirements.md"]);
    outcome.expect_code(0, "run");
    assert!(
        night.prompt(2).contains("Do it") && !night.prompt(2).contains("Write ok"),
        "{}",
        night.prompt(2)
    );
    let text = night.env.read("requirements.md");
    let new = "\n### TASK-009: New\n- **Status**: pending\n";
    assert_eq!(text, requirements(tasks).replace("pending", "done") + new);
    for commit in ["HEAD", "HEAD~1"] {
        let committed = night.env.git(&["show", &format!("{commit}:requirements.md")]);
        assert!(committed.contains("Do it") && committed.contains("medium"), "{commit}: {committed}");
        assert!(
            !committed.contains("Write ok") && !committed.contains("Do nothing"),
            "{commit}: {committed}"
        );
    }
    let run_id = night.folder().file_name().unwrap().to_string_lossy().into_owned();
    let said = night.notices();
    let says = |text: &&String| {
        text.contains("TASK-002") && text.contains(&format!("windlass restore {run_id} 1-1-after`"))
    };
    assert!(said.iter().any(|text| says(&text)), "{said:?}");
    night
        .env
        .run(&mut night.windlass(&["restore", &run_id, "1-1-after"]), PATIENCE)
        .expect_code(0, "restore");
    assert!(night.env.read("requirements.md").contains("Write ok to foo"));
}

// attack(files): the runner is killed while the agent of one task has rewritten what another one is to do
// holds: the resumed run goes by what was read before, and so does each commit
#[test]
fn what_an_agent_writes_of_another_task_is_not_believed_after_a_kill_either() {
    let tasks: &[(u32, &[u32])] = &[(1, &[]), (2, &[1])];
    let cut = r#"
[[call]]
task = "TASK-001"
steps = [
  { bash = "sed -i '/TASK-002/,$ s/Do it/Write ok to foo/' requirements.md; touch ../cut" }, "tick_task", "hang",
]
"#;
    let night = night(tasks, &honest_but(cut));
    let running = Running::start(&mut command(&night, &["--gate", "true"]));
    night.wait_for_file("../cut");
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    night.env.assert_no_processes(CLEARED);
    night.env.write(&night.script, HONEST);
    night.resume(&[]).expect_code(0, "resume");
    assert_eq!(night.env.read("requirements.md"), requirements(tasks).replace("pending", "done"));
    assert_eq!(night.env.git(&["log", "-S", "Write ok", "--format=%s", "--", "requirements.md"]), "");
    let said = night.notices();
    assert!(said.iter().any(|text| text.contains("what was changed of TASK-002")), "{said:?}");
}

// attack(money): the task file is gone in the middle of a run, and when it goes on
// holds: nobody is paid any more, and one sentence says what to do
#[test]
fn without_the_task_file_nobody_is_paid() {
    let tasks: &[(u32, &[u32])] = &[(1, &[]), (2, &[1]), (3, &[2])];
    for lanes in ["1", "2"] {
        let night = night(tasks, HONEST);
        let goes = "git rm -q --cached requirements.md; git commit -qm Gone; rm -f requirements.md";
        let project = night.env.project().display().to_string();
        let gate = format!(
            "test ! -e work || {{ cd '{project}' && test -e requirements.md && {{ {goes}; }}; }}; true"
        );
        expect_end(&run(&night, &["-j", lanes, "--gate", &gate]), 24, "needs_human");
        let paid = night.calls().len();
        assert_eq!(paid, 1, "{lanes}");
        let refused = night.resume(&[]);
        refused.expect_code(2, lanes);
        assert!(
            refused.stderr_text().contains("there is no requirements.md any more"),
            "{}",
            refused.stderr_text()
        );
        assert_eq!(night.calls().len(), paid, "{lanes}");
    }
}

/// Each moves its task elsewhere once it is done.
const MOVES: &str = r#"
[[call]]
task = "TASK-001"
steps = [
  { append = { path = "w.txt", text = "1\n" } }, "tick_task",
  { bash = "sed -i '/TASK-001/,/Description/d' requirements.md; echo TASK-001 >> DONE.md" },
]
[[call]]
task = "TASK-002"
steps = [
  { append = { path = "w.txt", text = "2\n" } }, "tick_task",
  { bash = "sed -i '/TASK-002/,/Description/d' requirements.md; echo TASK-002 >> DONE.md" },
]
"#;

// attack(money): an agent takes each task out of the file once it is done, again and again
// holds: it is told, that counts as a claim that is refused, and the task is parked after its attempts; told, an agent does better
#[test]
fn a_task_that_its_agent_takes_out_of_the_file_is_parked_after_its_attempts() {
    let night = night(&[(1, &[]), (2, &[])], MOVES);
    expect_end(&run(&night, &["--gate", "true", "--exit-codes", "detailed"]), 17, "blocked");
    assert_eq!(night.verdicts(), [Verdict::ClaimRefused; 4]);
    let said = "TASK-001 was taken out of it";
    assert!(night.prompt(2).contains(said), "{}", night.prompt(2));
    assert!(night.prompt(2).contains("Leave each task where it stands"), "{}", night.prompt(2));
    let parked = ends(&night).into_iter().filter_map(|(task, end)| match end {
        TaskEnd::Parked { reason } => Some((task, reason)),
        _ => None,
    });
    let parked: Vec<_> = parked.collect();
    assert_eq!(parked.len(), 2, "{parked:?}");
    assert!(parked[0].1.contains(said), "{parked:?}");
    assert_eq!(night.env.read("requirements.md"), requirements(&[(1, &[]), (2, &[])]));
    assert_whole(&night);
}

// attack(files): an agent sets its task to done and writes the list anew with other blanks
// holds: the list is as it left it, and nothing is said to be taken out
#[test]
fn a_list_that_an_agent_only_indents_otherwise_is_left_as_it_is() {
    let env = TestEnv::with_git();
    let story = |id: u32| format!(r#"{{"id":"US-{id}","title":"Thing {id}","passes":false}}"#);
    env.write("prd.json", format!(r#"{{"userStories":[{},{}]}}"#, story(1), story(2)));
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Stories"]);
    let script = r#"
[[call]]
steps = [
  { append = { path = "w.txt", text = "{{task}}\n" } }, "tick_task",
  { bash = "sed -i -e 's/,/,    /g' -e 's/:/: /g' prd.json" },
]
"#;
    let night = Night::within(env, script);
    let outcome = run(&night, &["-f", "prd.json", "--gate", "true"]);
    expect_end(&outcome, 0, "complete");
    let notices = night.notices();
    assert!(!notices.iter().any(|said| said.contains("taken out again")), "{notices:?}");
    let text = night.env.read("prd.json");
    assert!(text.contains(",    ") && text.matches("true").count() == 2, "{text}");
}

// attack(endings): an agent calls all tasks done, and the runner is killed before it has looked
// holds: what is told of the next ones counts those that this run has seen done
#[test]
fn what_a_killed_runner_had_not_seen_done_is_not_counted_as_done() {
    let script = honest_but(
        r#"
[[call]]
task = "TASK-001"
steps = [
  { write = { path = "work/1", text = "x" } },
  { bash = "test -e ../cut || { sed -i s/pending/done/ requirements.md; touch ../cut; sleep 600; }" }, "tick_task",
]
"#,
    );
    let night = night(&[(1, &[]), (2, &[]), (3, &[])], &script);
    let running = Running::start(&mut command(&night, &["--gate", "true"]));
    night.wait_for_file("../cut");
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    night.env.assert_no_processes(CLEARED);
    let outcome = night.resume(&[]);
    expect_end(&outcome, 0, "complete");
    let said = outcome.stdout_text() + &outcome.stderr_text();
    for counted in ["TASK-001 is done (1/3)", "TASK-002 is done (2/3)", "TASK-003 is done (3/3)"] {
        assert!(said.contains(counted), "{counted}: {said}");
    }
}
