//! A budget for all runs of a job: what counts, and that nobody else spends of it meanwhile.

use std::path::Path;

use rustix::process::Signal;
use windlass_core::fact::{Fact, plan_of};
use windlass_core::spec::{BudgetScope, Limits};
use windlass_core::values::{Cost, StopReason};
use windlass_engine::store::journal;

use super::money::SPENDS;
use super::night::{Night, PATIENCE, calls, every_call, expect_end};

/// Does something new in each call, for 40 cents.
const DEAR: &str = "{ bash = 'echo x >> work' }, { result = { text = 'Going on.', cost = 0.4 } }";

const OF_JOB: [&str; 2] = ["--budget-scope", "job"];

fn dollars(dollars: f64) -> Cost {
    Cost::from_dollars(dollars)
}

/// A run's name, as its folder has it.
fn named(folder: &Path) -> String {
    folder.file_name().unwrap().to_string_lossy().into_owned()
}

/// The limits that a run began with, those that it went on with last, and how many calls it made.
fn of_run(folder: &Path) -> (Limits, Limits, usize) {
    let entries = journal::read(&folder.join("journal.jsonl")).unwrap();
    let calls = entries.iter().filter(|entry| matches!(entry.fact, Fact::CallReserved { .. })).count();
    let resumed = entries.iter().rev().find_map(|entry| match &entry.fact {
        Fact::RunResumed { plan } => Some(plan.limits.clone()),
        _ => None,
    });
    let began = plan_of(entries).unwrap().limits;
    (began.clone(), resumed.unwrap_or(began), calls)
}

/// The run that is in none of these folders.
fn new_run(night: &Night, known: &[&Path]) -> std::path::PathBuf {
    night.folders().into_iter().find(|folder| !known.contains(&folder.as_path())).expect("a new run")
}

// attack(money): the index of runs is edited, so that a run of the job cost nothing; then its journal is removed
// holds: what the journal says counts; where it cannot be read, nothing of the job's budget is spent
#[test]
fn the_budget_of_a_job_goes_by_the_journals_of_its_runs() {
    let night = Night::with_git(&every_call(DEAR));
    let begin = |cost: &str| {
        night.run(&[&["-m", "2", "--fresh", "--allow-dirty", "--max-cost", cost], &OF_JOB[..]].concat())
    };
    expect_end(&begin("1"), 10, "max_iterations");
    let first = night.folder();
    let index = first.ancestors().nth(1).unwrap().join("index.jsonl");
    let said = std::fs::read_to_string(&index).unwrap();
    let changed = said.replace("\"cost_usd\":0.8", "\"cost_usd\":0.0");
    assert_ne!(said, changed);
    std::fs::write(&index, changed).unwrap();
    expect_end(&begin("0.9"), 11, "max_cost");
    let (limits, ..) = of_run(&new_run(&night, &[&first]));
    assert_eq!(limits.spent_before, dollars(0.8));
    std::fs::remove_file(first.join("journal.jsonl")).unwrap();
    let refused = begin("5");
    refused.expect_code(2, &refused.stderr_text());
    assert!(refused.stderr_text().contains("has cost cannot be read"), "{}", refused.stderr_text());
}

// attack(money): the runner is killed after its agent has used five dollars' worth of tokens; another run of the job begins
// holds: what the recorded stream shows counts against the job's budget, and not what was set aside for the call
#[test]
fn what_a_killed_run_used_counts_against_the_budget_of_its_job() {
    let night = Night::with_git(&calls(&[&format!("{SPENDS} {{ bash = 'touch ../spent' }}, 'hang'"), DEAR]));
    let running = night.start(&["-m", "2"]);
    night.wait_until_recorded("../spent");
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    let killed = night.folder();
    let before = std::fs::read(killed.join("journal.jsonl")).unwrap();
    let outcome = night.run(&[&["--fresh", "--max-cost", "5"], &OF_JOB[..]].concat());
    expect_end(&outcome, 11, "max_cost");
    let (limits, _, calls) = of_run(&new_run(&night, &[&killed]));
    assert!(limits.spent_before >= dollars(5.0) && limits.spent_before < dollars(5.1), "{limits:?}");
    assert_eq!(calls, 0, "nothing was left for it");
    assert_eq!(std::fs::read(killed.join("journal.jsonl")).unwrap(), before, "looking changes nothing");
}

// attack(money): a run of a job goes on after later runs have used what was left of the job's budget
// holds: it counts them, spends nothing, and what is said of the budget on `resume` is obeyed
#[test]
fn a_run_that_goes_on_counts_what_later_runs_have_spent() {
    let night = Night::with_git(&every_call(DEAR));
    let limited = |iterations: &'static str| [&["--max-cost", "1", "-m", iterations], &OF_JOB[..]].concat();
    expect_end(&night.run(&limited("1")), 10, "max_iterations");
    let first = night.folder();
    expect_end(&night.run(&limited("9")), 11, "max_cost");
    let second = new_run(&night, &[&first]);
    assert_eq!(of_run(&second).0.spent_before, dollars(0.4));
    expect_end(&night.resume(&[&named(&first), "-m", "9"]), 11, "max_cost");
    let (_, limits, calls) = of_run(&first);
    assert_eq!((limits.spent_before, limits.budget_scope, calls), (dollars(0.8), BudgetScope::Job, 1));
    // What others have used is said where a higher limit is asked for.
    let refused = night.resume(&[&named(&first), "--max-cost", "1"]);
    refused.expect_code(2, "not raised");
    assert!(refused.stderr_text().contains("Other runs have spent $0.80"), "{}", refused.stderr_text());
    expect_end(&night.resume(&[&named(&first), "--max-cost", "1.4", "-m", "9"]), 11, "max_cost");
    assert_eq!(of_run(&first).2, 2, "twenty cents were left for one call");
    expect_end(&night.resume(&[&named(&first), "--budget-scope", "run", "-m", "3"]), 10, "max_iterations");
    let (_, limits, calls) = of_run(&first);
    assert_eq!((limits.spent_before, limits.budget_scope, calls), (Cost::ZERO, BudgetScope::Run, 3));
}

// attack(money): a run with a budget of its own goes on with that of its whole job
// holds: what the other runs of the job have spent counts from then on
#[test]
fn a_budget_can_become_one_for_the_job() {
    let night = Night::with_git(&every_call(DEAR));
    expect_end(&night.run(&["-m", "1"]), 10, "max_iterations");
    let first = night.folder();
    expect_end(&night.run(&["-m", "2"]), 10, "max_iterations");
    let name = named(&first);
    let go_on = [&[name.as_str(), "--max-cost", "1.7", "-m", "9"], &OF_JOB[..]].concat();
    expect_end(&night.resume(&go_on), 11, "max_cost");
    let (_, limits, calls) = of_run(&first);
    assert_eq!((limits.spent_before, calls), (dollars(0.8), 3));
}

// attack(money): two runs of one job are started at once, in two worktrees, with one budget
// holds: the second is told who spends of it, and pays for nothing; once the first has ended it may
#[test]
fn two_runs_at_once_do_not_share_a_budget() {
    let waits = format!(
        "{{ write = {{ path = '../begun', text = 'x' }} }}, {{ bash = 'while ! test -e ../go; do sleep 0.01; done' }}, {DEAR}"
    );
    let night = Night::with_git(&every_call(&waits));
    let other = night.env.root().join("other");
    night.env.git(&["worktree", "add", other.to_str().unwrap()]);
    let flags = [&["--max-cost", "2", "-m", "1"], &OF_JOB[..]].concat();
    let running = night.start(&flags);
    night.wait_for_file("../begun");
    let first = named(&night.folder());
    let again = || night.env.run(night.run_command(&flags).current_dir(&other), PATIENCE);
    let refused = again();
    refused.expect_code(25, "locked");
    let said = refused.stderr_text();
    assert!(
        said.contains(&format!("run {first} is at work on the same job")) && said.contains("stop"),
        "{said}"
    );
    assert_eq!(night.folders().len(), 1, "nothing has begun");
    night.env.write(night.env.root().join("go"), "");
    running.wait(PATIENCE).expect_code(10, "the first");
    again().expect_code(10, "the second, afterwards");
    assert_eq!(night.folders().len(), 2);
    let ended = |folder: &Path| journal::read(&folder.join("journal.jsonl")).unwrap().pop().unwrap().fact;
    for folder in night.folders() {
        assert!(matches!(ended(&folder), Fact::RunFinished { stop_reason: StopReason::MaxIterations, .. }));
    }
}

// attack(money): a run ends since other runs of its job have spent nearly all of the budget
// holds: whatever shows its money says what they have spent, and the limit that is advised is high enough
#[test]
fn what_other_runs_have_spent_is_said_wherever_money_is_shown() {
    let night = Night::with_git(&calls(&[
        DEAR,
        "{ bash = 'echo y >> work' }, { result = { text = 'Going on.', cost = 2.8 } }",
    ]));
    expect_end(&night.run(&["-m", "1"]), 10, "max_iterations");
    let first = night.folder();
    let ended = night.run(&[&["--max-cost", "1"], &OF_JOB[..]].concat());
    expect_end(&ended, 11, "max_cost");
    let run = named(&new_run(&night, &[&first]));
    let counts = "$3.20 and $0.40 by other runs, of $1.00";
    let asked = |arguments: &[&str]| night.env.run(&mut night.windlass(arguments), PATIENCE).stdout_text();
    let (end, status, report) = (ended.stdout_text(), asked(&["status", &run]), asked(&["report", &run]));
    for said in [&end, &status, &report] {
        assert!(said.contains(counts), "{said}");
    }
    let header = (end.clone() + &ended.stderr_text()).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(header.contains("$1.00 with $0.40 spent by other runs"), "{header}");
    assert!(end.contains(&format!("resume {run} --max-cost 5")), "{end}");
    assert!(asked(&["status", "--json", &run]).contains(r#""spent_before_usd":0.4"#));
    assert!(asked(&["logs", "--json", &run]).contains(r#""spent_before_usd":0.4"#));
    expect_end(&night.resume(&[&run, "--max-cost", "5", "-m", "3"]), 10, "max_iterations");
}

// attack(money): a workspace is verified and validated again and again, beside its runs
// holds: what that costs is of the budget that all its runs share
#[test]
fn whoever_judges_a_workspace_spends_of_its_budget() {
    let night = Night::with_git(&every_call(DEAR));
    let mock = format!("--mock={}", night.script.display());
    let typed = |words: &[&str]| night.env.run(&mut night.windlass(words), PATIENCE);
    typed(&["init", "api"]).expect_success("init");
    night.env.write(".windlass/workspaces/api/INSTRUCTIONS.md", "Do it.\n");
    let begin = |more: &[&str]| {
        let flags = ["run", "api", &mock, "-m", "1", "--no-delay", "--allow-dirty", "--max-cost", "2"];
        typed(&[&flags[..], &OF_JOB[..], more].concat())
    };
    expect_end(&begin(&[]), 10, "max_iterations");
    let worked = night.folder();
    typed(&["verify", "api", &mock]);
    let judged = new_run(&night, &[&worked]);
    expect_end(&begin(&["--fresh"]), 10, "max_iterations");
    let (limits, ..) = of_run(&new_run(&night, &[&worked, &judged]));
    let (.., calls) = of_run(&judged);
    assert_eq!(limits.spent_before, dollars(0.4 + 0.4 * f64::from(u32::try_from(calls).unwrap())));
    assert!(calls > 0);
}

// attack(money): one list of tasks is named in another way each time, or not at all, and from a folder below
// holds: it is one job with one budget; a list of the same name in another folder is another job
#[test]
fn a_job_is_known_by_its_file_however_that_is_named() {
    let night = Night::with_git(&every_call(DEAR));
    let list = "# Tasks\n\n### T1: One\n\n- **Status:** pending\n\nDo it.\n";
    night.env.write("tasks.md", list);
    night.env.write("sub/tasks.md", list);
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "Tasks"]);
    let whole = night.env.project().join("tasks.md").display().to_string();
    let mock = format!("--mock={}", night.script.display());
    let flags =
        ["--mode", "tasks", "-m", "1", "--no-delay", "--allow-dirty", "--fresh", OF_JOB[0], OF_JOB[1]];
    let begin = |folder: &str, named: &[&str], cost: &str| {
        let words = [&["run", &mock, "--max-cost", cost], &flags[..], named].concat();
        let mut command = night.windlass(&words);
        night.env.run(command.current_dir(night.env.project().join(folder)), PATIENCE)
    };
    expect_end(&begin("", &[], "1.5"), 10, "max_iterations");
    expect_end(&begin("", &["-f", "tasks.md"], "1.5"), 10, "max_iterations");
    expect_end(&begin("", &["-f", "./sub/../tasks.md"], "1.5"), 10, "max_iterations");
    expect_end(&begin("", &["-f", &whole], "1.2"), 11, "max_cost");
    expect_end(&begin("sub", &["-f", "../tasks.md"], "1.2"), 11, "max_cost");
    let known = night.folders();
    expect_end(&begin("sub", &[], "1.5"), 10, "max_iterations");
    let other = new_run(&night, &known.iter().map(std::path::PathBuf::as_path).collect::<Vec<_>>());
    assert_eq!(of_run(&other).0.spent_before, Cost::ZERO);
}
