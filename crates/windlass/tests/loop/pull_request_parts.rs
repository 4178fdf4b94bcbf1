//! A pull request for each task, or for each iteration: the real binary, `gh` and git against the stand-in forge.

use windlass_testkit::forge::{Checks, Conclusion, Event, PullShown, Story};
use windlass_testkit::{Outcome, TestEnv};

use super::night::{PATIENCE, expect_end};
use super::pull_requests::{Evening, said};

/// The second waits for the first.
const TASKS: &str = "\
# Tasks

### T001: First
- **Status**: pending
- **Description**: Do it

### T002: Second
- **Status**: pending
- **Dependencies**: T001
- **Description**: Do it

### T003: Third
- **Status**: pending
- **Description**: Do it
";

/// Each call does its task.
const WORKS: &str = r#"
[[call]]
steps = [ { write = { path = "{{task}}.txt", text = "{{call}}\n" } }, "tick_task", { result = { text = "Done." } } ]
"#;

const PER_TASK: [&str; 3] = ["--merge", "--pr-per", "task"];

/// The first two of them.
pub const TWO_TASKS: &str = "\
### T001: First
- **Status**: pending

### T002: Second
- **Status**: pending
- **Dependencies**: T001
";

/// In a repository with these tasks.
pub fn evening(tasks: &str, story: Story) -> Evening {
    let env = TestEnv::with_git();
    env.write("requirements.md", tasks);
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Tasks"]);
    Evening::within(env, WORKS, story)
}

pub fn command(evening: &Evening, flags: &[&str]) -> std::process::Command {
    let mut command = evening.night.windlass(&["run", "--mode", "tasks", "--no-delay"]);
    command.arg(format!("--mock={}", evening.night.script.display())).args(flags);
    command
}

fn run(evening: &Evening, flags: &[&str]) -> Outcome {
    evening.night.env.run(&mut command(evening, flags), PATIENCE)
}

fn green() -> Story {
    Story::with_checks([Checks::ending(Conclusion::Passes)])
}

/// Titles and states, in the order in which they were opened.
fn told(pulls: &[PullShown]) -> Vec<(&str, &str)> {
    pulls.iter().map(|pull| (pull.title.as_str(), pull.state)).collect()
}

// rows: 85
#[test]
fn each_task_is_merged_before_the_next_begins() {
    let evening = evening(TASKS, green());
    let outcome = run(&evening, &[&PER_TASK[..], &["--gate", "true"]].concat());
    expect_end(&outcome, 0, "complete");
    let pulls = evening.forge.pulls();
    let merged = [("T001: First", "MERGED"), ("T002: Second", "MERGED"), ("T003: Third", "MERGED")];
    assert_eq!(told(&pulls), merged, "{}", said(&outcome));
    assert!(
        pulls.iter().all(|pull| pull.merges == 1 && pull.branch.starts_with("windlass/r-")),
        "{pulls:#?}"
    );
    assert!(pulls[1].body.contains("It is shown that task T002 is done."), "{}", pulls[1].body);
    assert_eq!(evening.files("main"), ["T001.txt", "T002.txt", "T003.txt"]);
    assert!(said(&outcome).contains("3 pull requests, 3 merged"), "{}", said(&outcome));
    evening.assert_no_token();
    evening.night.assert_clean();
}

// rows: 85
#[test]
fn drafts_stand_side_by_side_and_what_needs_one_waits_for_its_merge() {
    let evening = evening(TASKS, Story::default());
    let outcome = run(&evening, &["--pr", "--pr-per", "task"]);
    expect_end(&outcome, 17, "blocked");
    let pulls = evening.forge.pulls();
    assert_eq!(told(&pulls), [("T001: First", "OPEN"), ("T003: Third", "OPEN")]);
    assert_eq!(evening.files(&pulls[1].branch), ["T003.txt"], "it begins with the base");
    let waits = "T002 waits until the pull request of T001 is merged (https://github.com/acme/anvil/pull/1)";
    assert!(said(&outcome).contains(waits), "{}", said(&outcome));

    expect_end(&evening.night.resume(&[]), 17, "blocked");
    assert_eq!(evening.forge.pulls().len(), 2, "nothing was merged meanwhile");
    evening.forge.merge(1);
    expect_end(&evening.night.resume(&[]), 0, "complete");
    let pulls = evening.forge.pulls();
    assert_eq!(pulls[2].title, "T002: Second");
    assert_eq!(evening.files(&pulls[2].branch), ["T001.txt", "T002.txt"]);
    evening.night.assert_clean();
}

// rows: 86
#[test]
fn red_goes_back_to_the_agent_of_the_task() {
    let evening =
        evening(TASKS, Story::with_checks([Checks::red("no anvil"), Checks::ending(Conclusion::Passes)]));
    let outcome = run(&evening, &PER_TASK);
    expect_end(&outcome, 0, "complete");
    assert!(evening.night.prompt(2).contains("no anvil"), "{}", evening.night.prompt(2));
    let pulls = evening.forge.pulls();
    assert_eq!(pulls.len(), 3, "{pulls:#?}");
    assert!(pulls.iter().all(|pull| pull.merges == 1));
    assert_eq!(evening.night.verdicts().len(), 4);
}

// rows: 85, 86
#[test]
fn a_task_that_stays_red_or_is_closed_is_parked_and_the_rest_goes_on() {
    let red = Checks::ending(Conclusion::Fails);
    let closes = Story {
        events: vec![(2, Event::Close)],
        ..Story::with_checks([Checks::ending(Conclusion::NeverEnds), Checks::ending(Conclusion::Passes)])
    };
    let fails = Story::with_checks([red, Checks::ending(Conclusion::Passes)]);
    for (story, why, state) in
        [(fails, "checks fail: build", "OPEN"), (closes, "a person closed it", "CLOSED")]
    {
        let evening = evening(TASKS, story);
        let outcome = run(&evening, &[&PER_TASK[..], &["--disable-ci-retry"]].concat());
        expect_end(&outcome, 17, "blocked");
        let pulls = evening.forge.pulls();
        assert_eq!(told(&pulls), [("T001: First", state), ("T003: Third", "MERGED")]);
        let parked = "T001 (pull request https://github.com/acme/anvil/pull/1";
        assert!(said(&outcome).contains(parked) && said(&outcome).contains(why), "{}", said(&outcome));
        assert!(evening.forge.tip(&pulls[0].branch).is_some());
        let night = &evening.night;
        let status = night.env.run(&mut night.windlass(&["status", "--json"]), PATIENCE);
        let tasks = serde_json::from_slice::<serde_json::Value>(&status.stdout).unwrap()["tasks"].clone();
        assert_eq!((&tasks["done"], &tasks["parked"][0]["id"]), (&1.into(), &"T001".into()), "{tasks}");
        expect_end(&evening.night.resume(&[]), 17, "blocked");
        assert_eq!(evening.forge.pulls().len(), 2);
    }
}

// rows: 83, 85
#[test]
fn each_iteration_is_merged_before_the_next_begins() {
    let script = r#"
[[call]]
steps = [ { write = { path = "one.txt", text = "1" } }, { result = { text = "More to do." } } ]
[[call]]
steps = [
  { bash = 'test -f one.txt && echo 2 > two.txt' },
  { result = { text = "Done.\n\nWINDLASS_JOB_COMPLETE" } },
]
"#;
    let evening = Evening::within(TestEnv::with_git(), script, green());
    let outcome = evening.run(&["--merge", "--pr-per", "iteration", "--gate", "true"]);
    expect_end(&outcome, 0, "complete");
    let pulls = evening.forge.pulls();
    assert_eq!(told(&pulls), [("Make it work (part 1)", "MERGED"), ("Make it work (part 2)", "MERGED")]);
    assert!(pulls[0].body.contains("Work of one iteration, and the job goes on."), "{}", pulls[0].body);
    assert_eq!(evening.forge.log("main").len(), 3);
    evening.night.assert_clean();
}

// rows: 85
#[test]
fn an_iteration_that_is_not_merged_ends_the_run_until_it_is() {
    let evening = Evening::within(TestEnv::with_git(), WORKS_ON, Story::default()).set("CHECKS_APPEAR", "1s");
    let outcome = evening.run(&["--merge", "--pr-per", "iteration", "-m", "2"]);
    expect_end(&outcome, 24, "needs_human");
    assert!(said(&outcome).contains("https://github.com/acme/anvil/pull/1"), "{}", said(&outcome));
    evening.forge.merge(1);
    expect_end(&evening.night.resume(&[]), 24, "needs_human");
    assert_eq!(
        told(&evening.forge.pulls()),
        [("Make it work (part 1)", "MERGED"), ("Make it work (part 2)", "OPEN")]
    );
}

/// Each call changes something and claims nothing.
const WORKS_ON: &str =
    "[[call]]\nsteps = [ { bash = 'echo {{call}} >> work.txt' }, { result = { text = \"On.\" } } ]\n";

// rows: 85
#[test]
fn what_cannot_be_done_per_task_or_iteration_is_said_before_anything_is() {
    let refused = |outcome: &Outcome, sentence: &str| {
        outcome.expect_code(2, sentence);
        assert!(said(outcome).contains(sentence), "{}", said(outcome));
    };
    let tasks = evening(TASKS, green());
    refused(&run(&tasks, &["--merge", "--pr-per", "iteration"]), "tasks have pull requests per task");
    refused(&run(&tasks, &[&PER_TASK[..], &["-j", "2"]].concat()), "does not go with several lanes");
    refused(&run(&tasks, &["--pr", "--pr-per", "week"]), "`run`, `iteration` or `task`");
    tasks.night.env.write("requirements.md", TASKS.replace("Third", "3rd"));
    refused(&run(&tasks, &PER_TASK), "requirements.md has changes that are in no commit");
    tasks.night.env.git(&["commit", "--quiet", "--all", "--message", "3rd"]);
    refused(&run(&tasks, &PER_TASK), "has commits that main of origin does not have");

    let goal = Evening::within(TestEnv::with_git(), WORKS_ON, green());
    refused(&goal.run(&["--pr", "--pr-per", "task"]), "a pull request per task needs tasks");
    refused(&goal.run(&["--pr", "--pr-per", "iteration"]), "a pull request per iteration needs --merge");
    assert!(goal.night.folders().is_empty() && tasks.night.folders().is_empty());
    assert_eq!(tasks.night.env.git(&["branch", "--show-current"]), "main");
}
