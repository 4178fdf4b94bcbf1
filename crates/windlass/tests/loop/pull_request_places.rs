//! Pull requests of runs with several lanes, and of runs in linked working trees.

use windlass_testkit::Outcome;
use windlass_testkit::forge::{Checks, Conclusion, Story};

use super::night::{PATIENCE, expect_end};
use super::pull_request_parts::{TWO_TASKS, command, evening};
use super::pull_requests::{Evening, said};

/// Two that wait for nobody.
fn side_by_side() -> String {
    TWO_TASKS.replace("- **Dependencies**: T001\n", "")
}

fn place(story: Story) -> Evening {
    let evening = evening(&side_by_side(), story);
    // Beside the project, and below the test's own folder.
    let base = evening.night.env.root().join("trees").display().to_string();
    let night = evening.night.set("WINDLASS_WORKTREE__BASE", &base);
    Evening { night, ..evening }
}

fn run(evening: &Evening, flags: &[&str]) -> Outcome {
    evening.night.env.run(&mut command(evening, flags), PATIENCE)
}

fn green() -> Story {
    Story::with_checks([Checks::ending(Conclusion::Passes)])
}

// rows: 85
#[test]
fn lanes_bring_their_work_to_one_branch_and_one_pull_request() {
    for (flags, state, draft) in
        [(["--pr", "-j", "2"], "OPEN", true), (["--merge", "-j", "2"], "MERGED", false)]
    {
        let evening = place(green());
        let outcome = run(&evening, &[&flags[..], &["--gate", "true"]].concat());
        expect_end(&outcome, 0, "complete");
        let pulls = evening.forge.pulls();
        assert_eq!(pulls.len(), 1, "{pulls:#?}");
        let pull = &pulls[0];
        assert_eq!((pull.state, pull.draft), (state, draft), "{}", said(&outcome));
        assert_eq!(
            pull.head,
            evening.night.env.git(&["rev-parse", "HEAD"]),
            "what landed is what was pushed"
        );
        assert_eq!(evening.files(&pull.branch), ["T001.txt", "T002.txt"]);
        assert!(pull.body.contains("| tasks done in this run | 2 |"), "{}", pull.body);
        evening.assert_no_token();
        evening.night.assert_clean();
    }
}

// rows: 85
#[test]
fn what_lanes_have_landed_at_a_limit_is_a_draft() {
    let evening = place(green());
    let outcome = run(&evening, &["--merge", "-j", "2", "-m", "1"]);
    expect_end(&outcome, 10, "max_iterations");
    let pulls = evening.forge.pulls();
    assert_eq!(pulls.len(), 1, "{pulls:#?}");
    assert!(pulls[0].draft && pulls[0].merges == 0 && pulls[0].body.contains("Not finished"), "{pulls:#?}");
    let run = evening.night.folder().file_name().unwrap().to_string_lossy().into_owned();
    expect_end(&evening.night.resume(&[&run, "-m", "5"]), 0, "complete");
    let pulls = evening.forge.pulls();
    assert_eq!((pulls.len(), pulls[0].state, pulls[0].merges), (1, "MERGED", 1), "{pulls:#?}");
}

// rows: 85
#[test]
fn a_run_in_a_worktree_pushes_its_branch_and_leaves_the_checkout_alone() {
    for lanes in [&[][..], &["-j", "2"]] {
        let evening = place(green());
        let outcome = run(&evening, &[&["--merge", "--worktree", "port"], lanes].concat());
        expect_end(&outcome, 0, "complete");
        let pulls = evening.forge.pulls();
        assert_eq!(pulls.len(), 1, "{pulls:#?}");
        assert_eq!((pulls[0].branch.as_str(), pulls[0].state), ("windlass/port", "MERGED"));
        // Nobody is told to merge what is merged.
        let told = said(&outcome);
        assert!(told.contains("its pull request is merged") && !told.contains("git merge"), "{told}");
        let run = evening.night.folder().file_name().unwrap().to_string_lossy().into_owned();
        let report = evening.night.env.run(&mut evening.night.windlass(&["report", &run]), PATIENCE);
        let told = said(&report);
        assert!(told.contains("its pull request is merged: https://github.com/"), "{told}");
        assert!(!told.contains("merge it there") && !told.contains("gh pr view"), "{told}");
        assert_eq!(evening.night.env.git(&["branch", "--show-current"]), "main");
        assert_eq!(evening.night.env.git(&["status", "--porcelain"]), "");
        assert_eq!(evening.files("main"), ["T001.txt", "T002.txt"]);
    }
}

// rows: 85
#[test]
fn parts_in_a_worktree_leave_the_checkout_alone() {
    let evening = place(green());
    let outcome = run(&evening, &["--merge", "--pr-per", "task", "--worktree", "port"]);
    expect_end(&outcome, 0, "complete");
    let pulls = evening.forge.pulls();
    assert!(pulls.len() == 2 && pulls.iter().all(|pull| pull.merges == 1), "{pulls:#?}");
    assert_eq!(evening.night.env.git(&["branch", "--show-current"]), "main");
    assert_eq!(evening.night.env.git(&["status", "--porcelain"]), "");
    assert_eq!(evening.files("main"), ["T001.txt", "T002.txt"]);
}
