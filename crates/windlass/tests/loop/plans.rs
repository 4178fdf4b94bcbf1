//! Modes plan and build, with the scripted agent.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::Verdict;
use windlass_testkit::{Outcome, TestEnv};

use super::night::{Night, PATIENCE, calls, every_call, expect_end};

pub(super) const PLAN: &str = "IMPLEMENTATION_PLAN.md";

pub(super) const THREE: &str = "# Plan\n\n- [ ] 1.1 One (refs: specs/a.md)\n- [ ] 1.2 Two (refs: specs/a.md)\n\
    - [ ] 1.3 Three (refs: specs/a.md)\n";

/// Does the task that it is given, and commits it.
const TICK: &str =
    r#"{ append = { path = "windlass-mock.md", text = "{{call}}\n" } }, "tick_task", "commit_task""#;

/// A repository with a spec and this plan, committed.
pub(super) fn planned(plan: &str, script: &str) -> Night {
    let env = TestEnv::with_git();
    env.write("specs/a.md", "# A\n");
    env.write("src/main.rs", "fn main() {}\n");
    if !plan.is_empty() {
        env.write(PLAN, plan);
    }
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "A plan"]);
    Night::within(env, script)
}

pub(super) fn command(night: &Night, verb: &str, flags: &[&str]) -> std::process::Command {
    let mut command = night.windlass(&[verb, "--no-delay"]);
    command.arg(format!("--mock={}", night.script.display())).args(flags);
    command
}

pub(super) fn run(night: &Night, verb: &str, flags: &[&str]) -> Outcome {
    night.env.run(&mut command(night, verb, flags), PATIENCE)
}

pub(super) fn said(outcome: &Outcome) -> String {
    outcome.stdout_text() + &outcome.stderr_text()
}

/// The tasks that the iterations were given, in order.
fn tasks(night: &Night) -> Vec<String> {
    let folder = night.folder();
    let prompt = |iteration: usize| {
        fs::read_to_string(folder.join(format!("iterations/{iteration:04}/1-work/prompt.md"))).ok()
    };
    let task = |prompt: String| {
        let (_, rest) = prompt.split_once("Do exactly this one task:\n\n~~~\n")?;
        Some(rest.split(" (").next().unwrap_or_default().to_owned())
    };
    (1..).map_while(prompt).filter_map(task).collect()
}

pub(super) fn refused(night: &Night) -> Vec<(u32, Vec<String>, bool)> {
    let refused = |fact: Fact| match fact {
        Fact::ForbiddenChangesReverted(report::ForbiddenChangesReverted { count, files, undone, .. }) => {
            Some((count, files, undone))
        }
        _ => None,
    };
    night.facts().into_iter().filter_map(refused).collect()
}

// rows: 5, 48, 81
#[test]
fn a_plan_of_three_tasks_is_built_one_by_one_and_committed_by_the_agent() {
    let night = planned(THREE, &every_call(TICK));
    let outcome = run(&night, "build", &[]);
    expect_end(&outcome, 0, "complete");
    assert_eq!(tasks(&night), ["1.1 One", "1.2 Two", "1.3 Three"]);
    assert_eq!(night.verdicts().len(), 3);
    assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "5");
    assert_eq!(night.env.read(PLAN), THREE.replace("[ ]", "[x]"));
    let said = said(&outcome);
    assert!(
        said.contains("Running iteration 2: Two") && said.contains("2/3 tasks (+1) - next: Three"),
        "{said}"
    );
    assert!(said.contains("No box of the plan is open; no gate checked the work"), "{said}");
    night.assert_clean();
    // Nothing is open any more.
    let again = run(&night, "build", &[]);
    expect_end(&again, 0, "nothing_to_do");
}

// rows: 48
#[test]
fn what_is_in_progress_comes_first_then_priorities() {
    let plan = "## Priority 2\n\n- [ ] 2.1 Later\n\n## Priority 1\n\n- [ ] 1.1 Sooner\n\n## Anything\n\n1. [ ] Last\n* [~] First\n\n\
        ```\n- [ ] code\n```\n\n<!--\n- [ ] hidden\n-->\n";
    let night = planned(plan, &every_call(TICK));
    expect_end(&run(&night, "build", &[]), 0, "complete");
    assert_eq!(tasks(&night), ["First", "1.1 Sooner", "2.1 Later", "Last"]);
    let left = plan.replace("- [ ] 2", "- [x] 2").replace("- [ ] 1", "- [x] 1").replace("1. [ ]", "1. [x]");
    assert_eq!(night.env.read(PLAN), left.replace("[~]", "[x]"), "everything else stays as it was");
}

// rows: 5
#[test]
fn red_gates_keep_a_build_going_and_it_is_told_what_they_say() {
    let night = planned("- [ ] Make ok\n", &calls(&[TICK, "{ write = { path = 'ok', text = 'x' } }"]));
    let outcome = run(&night, "build", &["--gate", "echo ok is missing; test -f ok"]);
    expect_end(&outcome, 0, "complete");
    assert_eq!(night.verdicts(), [Verdict::ClaimRefused, Verdict::ClaimAccepted]);
    let prompt = night.prompt(2);
    assert!(prompt.contains("No box of the plan is open") && prompt.contains("ok is missing"), "{prompt}");
}

// rows: 63
// Seed defect D2, src/commands/plan.rs:154: outside git every state was the same, and the run ended after one iteration.
#[test]
fn a_build_that_changes_nothing_ends_also_without_git_and_one_that_changes_anything_does_not() {
    let script =
        calls(&["'tick_task'", "{ write = { path = 'other', text = 'x' } }", "{ say = 'No idea.' }"]);
    let env = TestEnv::new();
    env.write(PLAN, THREE);
    for night in [Night::within(env, &script), planned(THREE, &script)] {
        let outcome = run(&night, "build", &["--exit-codes", "detailed"]);
        expect_end(&outcome, 15, "no_changes");
        assert_eq!(night.verdicts(), [Verdict::Worked, Verdict::Worked, Verdict::Idle]);
        assert!(said(&outcome).contains("windlass build"), "{}", said(&outcome));
    }
}

// rows: 63
#[test]
fn boxes_that_flip_are_no_progress() {
    let flip =
        |from: &str, to: &str| format!("{{ edit = {{ path = '{PLAN}', old = '{from}', new = '{to}' }} }}");
    let (there, back) = (flip("- [ ] 1.1", "- [x] 1.1"), flip("- [x] 1.1", "- [ ] 1.1"));
    let night = planned(THREE, &calls(&[&there, &back, &there, &back]));
    expect_end(&run(&night, "build", &[]), 15, "no_changes");
    assert_eq!(night.verdicts(), [Verdict::Worked, Verdict::Idle]);
}

// rows: 48, 63
#[test]
fn smart_termination_can_be_switched_off() {
    let night = planned("- [x] Done\n", &every_call("{ say = 'Nothing.' }"));
    night.env.write(".windlass/config.toml", "[build]\nsmart_termination = false\n");
    expect_end(&run(&night, "build", &["-m", "3"]), 10, "max_iterations");
    assert_eq!(night.verdicts().len(), 3);
}

// rows: 17, 48
// Seed defect D2, seed 002 §4.2, missing plan: a missing plan counted as none open, hence complete.
// Seed defect D2, src/verify.rs:236-238, 255, 199, 215: a plan that is gone or unreadable counted as complete.
#[test]
fn a_plan_that_is_no_more_ends_the_run_and_completes_nothing() {
    for (deed, why) in [
        (format!("{{ delete = '{PLAN}' }}"), "is missing"),
        (format!("{{ write = {{ path = '{PLAN}', text = '' }} }}"), "is empty"),
        (format!("{{ write = {{ path = '{PLAN}', text = '# All done' }} }}"), "has no task"),
        (format!("{{ bash = 'printf \"* [x] \\\\377\" > {PLAN}' }}"), "is not UTF-8"),
        (format!("{{ bash = 'rm {PLAN}; mkdir {PLAN}' }}"), "is a folder"),
        (format!("{{ bash = 'rm {PLAN}; ln -s nowhere {PLAN}' }}"), "is a link that leads nowhere"),
        (format!("{{ bash = 'rm {PLAN}; mkfifo {PLAN}' }}"), "is not a file"),
    ] {
        let night = planned(THREE, &every_call(&deed));
        let outcome = run(&night, "build", &["--exit-codes", "detailed"]);
        expect_end(&outcome, 2, "missing");
        let said = said(&outcome);
        let run = night.folder().file_name().unwrap().to_string_lossy().into_owned();
        assert!(
            said.contains(why) && said.contains(&format!("windlass restore {run} 1 --before")),
            "{why}: {said}"
        );
        assert_eq!(night.verdicts().len(), 1, "{why}");
        if why == "is not a file" {
            // A pipe cannot be kept, and what cannot be kept is not replaced.
            continue;
        }
        night.env.run(&mut night.windlass(&["restore", &run, "1", "--before"]), PATIENCE).expect_success(why);
        assert_eq!(night.env.read(PLAN), THREE, "{why}");
    }
}

// rows: 17
#[test]
fn a_plan_that_may_not_be_read_is_none() {
    if rustix::process::geteuid().is_root() {
        // Nothing is closed to root.
        return;
    }
    let night = planned(THREE, &every_call(TICK));
    fs::set_permissions(night.env.project().join(PLAN), fs::Permissions::from_mode(0o000)).unwrap();
    let outcome = run(&night, "build", &[]);
    outcome.expect_code(2, "missing");
    assert!(said(&outcome).contains("cannot be read"), "{}", said(&outcome));
}

// rows: 17
#[test]
fn without_a_plan_nothing_is_built_and_without_specs_nothing_planned() {
    let night = planned("", &every_call(TICK));
    let outcome = run(&night, "build", &[]);
    outcome.expect_code(2, "no plan");
    assert!(said(&outcome).contains("windlass plan"), "{}", said(&outcome));
    assert!(!said(&outcome).contains("Fresher"), "{}", said(&outcome));
    for (there, hint) in [("impl/README.md", "plan.folder impl"), (".fresher/AGENTS.md", "windlass import")] {
        night.env.write(there, "# Theirs\n");
        let outcome = run(&night, "build", &[]);
        assert!(said(&outcome).contains(hint), "{}", said(&outcome));
    }
    fs::remove_dir_all(night.env.project().join("specs")).unwrap();
    let outcome = run(&night, "plan", &[]);
    outcome.expect_code(2, "nothing to plan from");
    assert!(said(&outcome).contains("windlass init --plan"), "{}", said(&outcome));
    assert!(night.folders().is_empty(), "no run was begun");
}

// rows: 123
#[test]
fn a_run_without_a_job_goes_by_the_mode_that_fresher_was_told() {
    let night = planned(THREE, &every_call(TICK)).set("FRESHER_MODE", "building");
    let mut command = night.windlass(&["run", "--no-delay"]);
    command.arg(format!("--mock={}", night.env.root().join("script.toml").display()));
    expect_end(&night.env.run(&mut command, PATIENCE), 0, "complete");
    let night = planned(THREE, &every_call(TICK)).set("FRESHER_MODE", "sleeping");
    let outcome = night.env.run(&mut night.windlass(&["build", "--mock"]), PATIENCE);
    outcome.expect_code(2, "no such mode");
    assert!(said(&outcome).contains("FRESHER_MODE: expected planning or building"), "{}", said(&outcome));
}

#[test]
fn fifty_thousand_tasks_are_read_and_one_is_done() {
    let many = |mark: &str| format!("- [{mark}] The same again\n").repeat(50_000);
    let night = planned(&many(" "), &every_call(TICK));
    expect_end(&run(&night, "build", &["-m", "1"]), 10, "max_iterations");
    assert_eq!(night.env.read(PLAN).matches("[x]").count(), 1);
    let journal = fs::metadata(night.folder().join("journal.jsonl")).unwrap().len();
    assert!(journal < 20_000, "{journal} bytes");
}

// rows: 4, 98
// Seed defect D2, src/commands/plan.rs:152-158: planning ended after one iteration, since it committed nothing.
#[test]
fn planning_goes_on_until_the_plan_is_valid_and_a_pass_changes_nothing() {
    let write = |text: &str| format!("{{ write = {{ path = '{PLAN}', text = '{text}' }} }}");
    let invalid = write("- [ ] 1.1 One (refs: specs/b.md)");
    let valid = write("- [ ] 1.1 One (refs: specs/a.md)");
    let night = planned("", &calls(&[&invalid, &valid, "{ bash = 'ls' }"]));
    let outcome = run(&night, "plan", &[]);
    expect_end(&outcome, 0, "complete");
    assert_eq!(night.verdicts(), [Verdict::Worked, Verdict::Worked, Verdict::ClaimAccepted]);
    let second = fs::read_to_string(night.folder().join("iterations/0002/1-plan/prompt.md")).unwrap();
    assert!(second.contains("names the spec `specs/b.md`, which is not there"), "{second}");
    assert!(said(&outcome).contains("windlass build"), "{}", said(&outcome));
    assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "2", "nothing is committed");
}

// Seed defect D2, src/verify.rs:236-238, 255, 199, 215: a plan that was deleted counted as complete.
#[test]
fn no_check_completes_a_build_that_has_lost_its_plan() {
    let lost = "{ bash = 'rm IMPLEMENTATION_PLAN.md; touch finished' }";
    let night = planned(THREE, &every_call(lost));
    expect_end(&run(&night, "build", &["--until", "test -f finished"]), 2, "missing");
    let empty = planned("# Nothing yet\n", &every_call(TICK));
    expect_end(&run(&empty, "build", &["--until", "true"]), 2, "missing");
    empty.env.write(PLAN, THREE);
    expect_end(&run(&empty, "build", &[]), 0, "complete");
}

// rows: 98
#[test]
fn a_plan_that_is_a_link_is_written_where_it_lies_and_a_new_link_opens_no_way() {
    let write = "{ bash = 'echo \"- [ ] One (refs: specs/a.md)\" > IMPLEMENTATION_PLAN.md' }";
    let night = planned("", &calls(&[write, "{ bash = 'ls' }"]));
    night.env.write("docs/plan.md", "");
    symlink("docs/plan.md", night.env.project().join(PLAN)).unwrap();
    expect_end(&run(&night, "plan", &[]), 0, "complete");
    assert_eq!(night.env.read("docs/plan.md"), "- [ ] One (refs: specs/a.md)\n");
    assert_eq!(refused(&night), []);

    let through = format!("{{ bash = 'ln -s src/main.rs {PLAN}' }}, {write}");
    let night = planned("", &calls(&[&through, "{ bash = 'ls' }"]));
    run(&night, "plan", &["-m", "1"]);
    assert_eq!(night.env.read("src/main.rs"), "fn main() {}\n");
}

fn builds_there(night: &Night) {
    expect_end(&run(night, "build", &[]), 0, "complete");
    assert_eq!(night.env.read(PLAN), THREE.replace("[ ]", "[x]"));
    night.assert_clean();
}

#[test]
fn a_detached_head_moves_on_and_no_branch_with_it() {
    let night = planned(THREE, &every_call(TICK));
    night.env.git(&["checkout", "--quiet", "--detach"]);
    builds_there(&night);
    assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "5");
    assert_eq!(night.env.git(&["rev-list", "--count", "main"]), "2");
}

#[test]
fn a_rebase_in_progress_stays_in_progress() {
    let night = planned(THREE, &every_call("'tick_task'"));
    let env = &night.env;
    for (branch, text) in [("other", "one\n"), ("main", "two\n")] {
        env.git(&["checkout", "--quiet", "-B", branch]);
        env.write("both", text);
        env.git(&["add", "both"]);
        env.git(&["commit", "--quiet", "--message", branch]);
        env.git(&["checkout", "--quiet", "--detach", "HEAD~1"]);
    }
    env.git(&["checkout", "--quiet", "main"]);
    let mut rebase = env.command("git");
    assert_ne!(env.run(rebase.args(["rebase", "--quiet", "other"]), PATIENCE).code, Some(0));
    let conflicted = env.read("both");
    builds_there(&night);
    assert_eq!(env.read("both"), conflicted);
    assert!(env.project().join(".git/rebase-merge").is_dir());
    // A pass of planning puts back what it strayed into, and leaves the rebase alone.
    env.write(PLAN, "");
    env.write(&night.script, calls(&["{ write = { path = 'both', text = 'mine' } }", "{ bash = 'ls' }"]));
    run(&night, "plan", &["-m", "1"]);
    assert_eq!(env.read("both"), conflicted);
    assert!(env.project().join(".git/rebase-merge").is_dir());
}

#[test]
fn a_shallow_clone_is_as_good_as_another() {
    let whole = planned(THREE, "");
    let night = Night::new(&every_call(TICK));
    let from = format!("file://{}", whole.env.project().display());
    night.env.git(&["clone", "--quiet", "--depth", "1", &from, "."]);
    assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "1");
    builds_there(&night);
    assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "4");
}

#[test]
fn a_submodule_is_neither_lost_nor_undone() {
    let other = planned("", "");
    let night = planned(THREE, &every_call(TICK));
    let from = other.env.project().display().to_string();
    night.env.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &from, "inner"]);
    night.env.git(&["commit", "--quiet", "--message", "Inner"]);
    builds_there(&night);
    let commit = "{ bash = 'cd inner && git -c user.name=a -c user.email=a@b commit --quiet --allow-empty --message x' }, { write = { path = 'src/main.rs', text = 'x' } }";
    night.env.write(&night.script, calls(&[commit, "{ bash = 'ls' }"]));
    let outcome = run(&night, "plan", &["-m", "1"]);
    assert!(said(&outcome).contains("not all of it can be undone: inner, src/main.rs"), "{}", said(&outcome));
    assert_eq!(night.env.read("src/main.rs"), "fn main() {}\n", "what can be undone is");
    assert_eq!(night.env.git(&["-C", "inner", "rev-list", "--count", "HEAD"]), "3");
}

#[test]
fn a_repository_of_another_user_is_refused_with_the_way_out() {
    let night = planned(THREE, &every_call(TICK));
    let given_away = [night.env.project().join(".git"), night.env.project().to_owned()]
        .iter()
        .all(|path| std::os::unix::fs::chown(path, Some(12_345), None).is_ok());
    if !given_away {
        // Only root can give a file away.
        return;
    }
    let outcome = run(&night, "build", &[]);
    assert!(said(&outcome).contains("safe.directory"), "{}", said(&outcome));
    assert_eq!(night.env.read(PLAN), THREE);
}

// Seed defect D2, src/commands/plan.rs:131-135: the exit code was 0 after an error.
// Seed defect D2, src/commands/plan.rs:202-222: the first failure ended the run.
// Seed defect D2, src/streaming.rs:354: an error that came with exit code 0 was a success.
#[test]
fn one_failure_is_no_end_and_three_in_a_row_are_an_error() {
    let fails = "{ result = { text = 'It broke.', is_error = true } }, { exit = 0 }";
    let night = planned(THREE, &calls(&[fails, TICK, fails]));
    expect_end(&run(&night, "build", &[]), 20, "consecutive_failures");
    let failed = [Verdict::Failed; 3];
    assert_eq!(night.verdicts()[..2], [Verdict::Failed, Verdict::Worked]);
    assert_eq!(night.verdicts()[2..], failed);
}

// rows: 5, 98
#[test]
fn mock_alone_plans_and_builds() {
    let night = planned("", "");
    let alone = |verb: &str| night.env.run(&mut night.windlass(&[verb, "--no-delay", "--mock"]), PATIENCE);
    expect_end(&alone("plan"), 0, "complete");
    assert!(night.env.read(PLAN).contains("- [ ] 1.1 Do what a.md says (refs: specs/a.md)"));
    expect_end(&alone("build"), 0, "complete");
    assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "3");
    assert!(night.env.read(PLAN).contains("- [x] 1.1"));
}

// attack(claims): beside a box that is ticked an open one is written in a form that is none
// holds: the build is not complete, and the line is named
#[test]
fn what_looks_like_an_open_box_and_is_none_keeps_a_build_from_completing() {
    for other in [
        "• [ ] x",
        "– [ ] x",
        "- \\[ \\] x",
        "a. [ ] x",
        "- ( ) x",
        "<li><input type=\"checkbox\"> x</li>",
        "- x: not started",
    ] {
        let night = planned(&format!("# Plan\n\n- [ ] 1.1 One\n\n{other}\n"), &every_call(TICK));
        let outcome = run(&night, "build", &["-m", "2", "--exit-codes", "detailed"]);
        expect_end(&outcome, 17, "blocked");
        assert!(said(&outcome).contains(&format!("{PLAN}:5: ")), "{other}: {}", said(&outcome));
    }
    let night = planned("# Plan\n\n-\u{a0}[ ] 1.1 One\n- [ ]\u{a0}1.2 Two\n", &every_call(TICK));
    expect_end(&run(&night, "build", &[]), 0, "complete");
    assert_eq!(night.env.read(PLAN).matches("[x]").count(), 2);
}
