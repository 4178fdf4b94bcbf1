//! A file of tasks, one commit for each.

use std::sync::Mutex;

use rustix::process::Signal;
use serde_json::json;
use windlass_testkit::api::{Reply, Request, Scenario};
use windlass_testkit::environment::{Credentials, Running, TestEnv, wait_until};

use crate::night::{Night, PATIENCE};

const DEPENDENCIES: [(u32, &str); 6] =
    [(1, "none"), (2, "TASK-001"), (3, "TASK-001"), (4, "TASK-003"), (5, "none"), (6, "TASK-005")];

/// The directory that the prompt names: a lane's.
fn project_of(prompt: &str) -> Option<std::path::PathBuf> {
    prompt.split("Project: `").nth(1)?.split('`').next().map(std::path::PathBuf::from)
}

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

// The paths, permissions and boundaries of a lane are those of its checkout.
#[test]
fn three_agents_at_once_each_in_its_lane() {
    let env = TestEnv::with_git();
    env.write("requirements.md", requirements());
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Six tasks"]);
    let project = env.project().to_owned();
    let scenario = Scenario::computed(move |request| {
        let prompt = request.user_texts().join("\n");
        let lane = project_of(&prompt).unwrap_or_else(|| project.clone());
        let id = prompt.split("The task: **").nth(1).and_then(|rest| rest.split(':').next());
        // To write where the person is is refused.
        match (id, request.tool_results().len()) {
            (Some("TASK-005"), 0) => Reply::write(project.join("work/stray"), "stray\n"),
            (Some("TASK-005"), done) => in_lane(&lane, request, done - 1),
            (_, done) => in_lane(&lane, request, done),
        }
    });
    let night = Night::at(env, scenario, Credentials::ApiKey).variable("WINDLASS_COMMIT__MESSAGE", "devloop");
    let flags = ["run", "--mode", "tasks", "--no-delay", "--gate", "true", "-j", "3"];
    let ended = night.ended(Running::start(&mut night.windlass(&flags)));
    ended.expect("complete", 0);
    let log = night.env.git(&["log", "--format=%s"]);
    assert_eq!(log.lines().filter(|line| line.contains(": Complete TASK-00")).count(), 6, "{log}");
    let text = night.env.read("requirements.md");
    assert_eq!(text.matches("- **Status**: done").count(), 6, "{text}");
    assert!(!night.env.project().join("work/stray").exists());
    assert_eq!(night.env.git(&["status", "--porcelain"]), "");
}

/// Writes a file, reads the tasks, sets its own to done.
fn in_lane(lane: &std::path::Path, request: &Request, done: usize) -> Reply {
    let prompt = request.user_texts().join("\n");
    let Some(id) = prompt.split("The task: **").nth(1).and_then(|rest| rest.split(':').next()) else {
        return Reply::text("Nothing is asked.");
    };
    let file = lane.join("requirements.md");
    let heading = format!("### {id}: Thing {}\n- **Status**: ", id.trim_start_matches("TASK-00"));
    match done {
        0 => Reply::write(lane.join("work").join(id), "done\n"),
        1 => Reply::tool("Read", json!({"file_path": file})),
        2 => Reply::tool(
            "Edit",
            json!({
                "file_path": file, "old_string": format!("{heading}pending"), "new_string": format!("{heading}done"),
            }),
        ),
        _ => Reply::text("The task is done."),
    }
}
