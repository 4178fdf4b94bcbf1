//! A file of tasks, one commit for each.

use std::sync::Mutex;

use rustix::process::Signal;
use serde_json::json;
use windlass_testkit::api::{Reply, Request, Scenario};
use windlass_testkit::environment::{Credentials, Running, TestEnv, wait_until};

use crate::night::{Night, PATIENCE};

const DEPENDENCIES: [(u32, &str); 6] =
    [(1, "none"), (2, "TASK-001"), (3, "TASK-001"), (4, "TASK-003"), (5, "none"), (6, "TASK-005")];

fn requirements() -> String {
    let task = |(id, on): &(u32, &str)| {
        format!(
            "\n### TASK-{id:03}: Thing {id}\n- **Status**: pending\n- **Dependencies**: {on}\n- **Description**: Do it\n"
        )
    };
    format!("# Six things\n{}", DEPENDENCIES.iter().map(task).collect::<String>())
}

/// What the agent of this prompt does next, by what it has been answered already.
fn answer(env_project: &std::path::Path, stuck: &Mutex<bool>, request: &Request) -> Reply {
    let prompt = request.user_texts().join("\n");
    let Some(id) =
        prompt.split("The task: **").nth(1).and_then(|rest| rest.split(':').next()).map(str::to_owned)
    else {
        return Reply::text("Nothing is asked.");
    };
    let done = request.tool_results().len();
    let file = env_project.join("requirements.md");
    match (id.as_str(), done) {
        ("TASK-002", _) => Reply::text("I could not do it."),
        ("TASK-003", 0) if !*stuck.lock().unwrap() => {
            *stuck.lock().unwrap() = true;
            Reply::write(env_project.join("work/half"), "half\n")
        }
        ("TASK-003", 1) if *stuck.lock().unwrap() && !env_project.join("went-on").exists() => {
            Reply::bash("touch started; sleep 300")
        }
        (_, 0) => Reply::write(env_project.join("work").join(&id), "done\n"),
        (_, 1) => Reply::tool("Read", json!({"file_path": file})),
        (_, 2) => {
            let heading = format!("### {id}: Thing {}\n- **Status**: ", id.trim_start_matches("TASK-00"));
            let edit = json!({
                "file_path": file, "old_string": format!("{heading}in-progress"), "new_string": format!("{heading}done"),
            });
            Reply::tool("Edit", edit)
        }
        _ => Reply::text("The task is done."),
    }
}

// rows: 6, 75
#[test]
fn six_tasks_one_fails_twice_and_an_interrupt_in_the_third() {
    let env = TestEnv::with_git();
    env.write("requirements.md", requirements());
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Six tasks"]);
    let (project, stuck) = (env.project().to_owned(), Mutex::new(false));
    let scenario = Scenario::computed(move |request| answer(&project, &stuck, request));
    let night = Night::at(env, scenario, Credentials::ApiKey)
        .variable("WINDLASS_COMMIT__MESSAGE", "devloop")
        .variable("WINDLASS_PERMISSIONS__ALLOW", "Bash");
    let flags = ["run", "--mode", "tasks", "--no-delay", "--gate", "true"];
    let running = Running::start(&mut night.windlass(&flags));
    let there = || night.env.project().join("started").exists();
    assert!(wait_until(PATIENCE, there), "{}", running.stderr_so_far());
    running.signal(Signal::INT);
    let interrupted = night.ended(running);
    interrupted.expect("interrupted", 130);
    std::fs::remove_file(night.env.project().join("started")).unwrap();
    night.env.write("went-on", "");
    night.env.write(".git/info/exclude", "went-on\n");

    let resumed = night.resume(&["--exit-codes", "detailed"]);
    resumed.expect("blocked", 17).says("parked: TASK-002 (failed 2 times");
    let log = night.env.git(&["log", "--reverse", "--format=%s"]);
    let said: Vec<&str> = log.lines().filter(|line| line.starts_with("DevLoop")).collect();
    assert_eq!(
        said,
        [
            "DevLoop iteration 1: Complete TASK-001 - Thing 1",
            "DevLoop: Interrupted work on TASK-003 - Thing 3",
            "DevLoop iteration 4: Complete TASK-003 - Thing 3",
            "DevLoop iteration 5: Complete TASK-004 - Thing 4",
            "DevLoop iteration 6: Complete TASK-005 - Thing 5",
            "DevLoop iteration 7: Complete TASK-006 - Thing 6",
        ],
        "{}",
        resumed.said
    );
    let text = night.env.read("requirements.md");
    assert_eq!(text.matches("- **Status**: done").count(), 5, "{text}");
    assert_eq!(text.matches("- **Status**: pending").count(), 1, "{text}");
}
