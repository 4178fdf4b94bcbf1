//! Task files that lose tasks, or are lost, while the tasks are worked off.

use windlass_core::values::{StopReason, TaskEnd};

use super::night::{PATIENCE, expect_end};
use super::tasks::{HONEST, assert_whole, ends, honest_but, night, requirements, run};

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
        assert!(said.contains(&format!("`windlass restore {run_id} 3` has what was left of it")), "{said}");
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
    let says =
        |text: &&String| text.contains("TASK-002") && text.contains(&format!("windlass restore {run_id} 1`"));
    assert!(said.iter().any(|text| says(&text)), "{said:?}");
    night.env.run(&mut night.windlass(&["restore", &run_id, "1"]), PATIENCE).expect_code(0, "restore");
    assert!(night.env.read("requirements.md").contains("Write ok to foo"));
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
