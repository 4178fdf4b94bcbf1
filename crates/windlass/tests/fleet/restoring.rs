//! Files of an attempt on a worker, brought back where the run is.

use std::fs;

use super::yard::{Elsewhere, Yard, drain, the_journal};

/// Two iterations of a task, the second of which writes over what the first one made; neither is a file that anybody commits.
const TWO_STEPS: &str = r#"
[[call]]
steps = [
  { write = { path = "work/{{task}}", text = "first\n" } },
  { bash = "ln -s /etc/hostname work/link && printf '#!/bin/sh\n' > work/tool && chmod +x work/tool" },
  { result = { text = "A half of {{task}} is done.", cost = 0.01 } },
]
[[call]]
steps = [
  { bash = "rm work/link work/tool" },
  { write = { path = "work/{{task}}", text = "second\n" } }, "tick_task",
  { result = { text = "{{task}} is done.", cost = 0.01 } },
]
"#;

#[test]
fn files_of_a_workers_attempt_come_back_and_what_it_changed_is_shown() {
    let yard = Yard::new(1, TWO_STEPS);
    let worker = yard.worker("one");
    let landed = yard.land(2, &["--gate", "true"]);
    landed.expect_success(&landed.stderr_text());
    drain(worker);
    assert_eq!(yard.env.git(&["show", "HEAD:work/T1"]), "second");
    let name = yard.run_name();
    // The worker is gone, and what it had as well.
    fs::remove_dir_all(yard.env.root().join("state-one")).unwrap();
    let changed = yard.run(&["diff", &name, "2"]);
    changed.expect_success(&changed.stderr_text());
    let shown = changed.stdout_text();
    assert!(shown.contains("-first") && shown.contains("+second"), "{shown}");
    let restored = yard.run(&["restore", &name, "1"]);
    restored.expect_success(&restored.stderr_text());
    assert_eq!(yard.env.read("work/T1"), "first\n");
    assert_eq!(yard.env.git(&["ls-files", "--others", "--exclude-standard"]), "work/link\nwork/tool");
    let link = fs::read_link(yard.env.project().join("work/link")).unwrap();
    assert_eq!(link.to_str(), Some("/etc/hostname"));
    // A restore is undone as any other.
    let back = yard.run(&["restore", &name, "before-restore-1"]);
    back.expect_success(&back.stderr_text());
    yard.assert_whole();
    // Of the worker's repository nothing came.
    let refused = yard.run(&["restore", &name, "1", "--repository"]);
    refused.expect_code(2, &refused.stderr_text());
    // On another machine as well.
    let elsewhere = Elsewhere::of(&yard);
    let changed = elsewhere.run(&["diff", &name, "2"]);
    changed.expect_success(&changed.stderr_text());
    assert_eq!(changed.stdout_text(), shown);
    let restored = elsewhere.run(&["restore", &name, "1"]);
    restored.expect_success(&restored.stderr_text());
    assert_eq!(fs::read_to_string(elsewhere.project().join("work/T1")).unwrap(), "first\n");
}

#[test]
fn a_snapshot_that_came_damaged_is_named_and_the_others_come_back() {
    let yard = Yard::new(1, TWO_STEPS);
    let worker = yard.worker("one");
    yard.land(2, &["--gate", "true"]).expect_success("the task");
    drain(worker);
    let sent = the_journal(&yard.env.state()).with_file_name("snapshots");
    let packs: Vec<_> = fs::read_dir(sent).unwrap().map(|entry| entry.unwrap().path()).collect();
    let of_first =
        |path: &&std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("1-1-after-");
    let first = packs.iter().find(of_first).unwrap();
    let bytes = fs::read(first).unwrap();
    fs::write(first, &bytes[..bytes.len() / 2]).unwrap();
    let name = yard.run_name();
    let refused = yard.run(&["restore", &name, "1"]);
    refused.expect_code(2, &refused.stderr_text());
    assert!(
        refused.stderr_text().contains("a worker sent 1-1-after, which is not taken in"),
        "{}",
        refused.stderr_text()
    );
    let restored = yard.run(&["restore", &name, "2", "--before"]);
    restored.expect_success(&restored.stderr_text());
    assert_eq!(yard.env.read("work/T1"), "first\n");
}
