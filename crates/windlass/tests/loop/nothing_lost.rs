//! Work that could slip away: in repositories of its own, behind a lock, beside another branch, before the first commit.

use std::fs;
use std::os::unix::fs::symlink;

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{StopReason, TaskEnd, Verdict};
use windlass_testkit::{Outcome, TestEnv};

use super::night::{Night, PATIENCE, calls, expect_end};
use super::plans::{self, PLAN, planned};
use super::tasks::{assert_whole, ends, honest_but, night, requirements, run};

/// The first task's agent makes a repository of its own for its work, and repents once it is told.
fn in_a_repository_of_its_own(repents: bool) -> String {
    let repents = if repents { "if test -d app; then rm -rf app/.git; else " } else { "if true; then " };
    honest_but(&format!(
        "[[call]]\ntask = \"TASK-001\"\nsteps = [ {{ bash = \"{repents}git init --quiet app; mkdir -p app/src; echo main > \
         app/src/main.rs; fi\" }}, \"tick_task\", {{ result = {{ text = \"Done.\" }} }} ]\n"
    ))
}

fn notices(night: &Night) -> Vec<String> {
    let text = |fact: Fact| match fact {
        Fact::Noticed(report::Noticed { text }) => Some(text),
        _ => None,
    };
    night.facts().into_iter().filter_map(text).collect()
}

fn said(outcome: &Outcome) -> String {
    outcome.stdout_text() + &outcome.stderr_text()
}

#[test]
fn work_in_a_repository_of_its_own_does_not_land_and_its_agent_is_told() {
    let night = night(&[(1, &[]), (2, &[])], &in_a_repository_of_its_own(true));
    let outcome = run(&night, &["-j", "2", "--gate", "test -z \"$WINDLASS_LANE\" || ls"]);
    outcome.expect_code(0, "it repents");
    assert!(said(&outcome).contains("app: a repository of its own"), "{}", said(&outcome));
    assert_eq!(night.env.git(&["show", "HEAD:app/src/main.rs"]), "main");
    let refused = night.verdicts().into_iter().filter(|verdict| *verdict == Verdict::ClaimRefused);
    assert_eq!(refused.count(), 1);
    let prompts: Vec<String> =
        prompts(&night).into_iter().filter(|text| text.contains("remove the `.git` within")).collect();
    assert_eq!(prompts.len(), 1, "what it has to do is in the next prompt");
    assert_whole(&night);
}

fn prompts(night: &Night) -> Vec<String> {
    let iterations = fs::read_dir(night.folder().join("iterations")).unwrap().flatten();
    let prompt = |folder: fs::DirEntry| fs::read_to_string(folder.path().join("1-work/prompt.md")).ok();
    iterations.filter_map(prompt).collect()
}

#[test]
fn what_cannot_be_in_a_branch_is_put_aside_before_its_lane_is_gone() {
    let night = night(&[(1, &[]), (2, &[])], &in_a_repository_of_its_own(false));
    run(&night, &["-j", "2", "--gate", "true"]);
    let parked: Vec<_> =
        ends(&night).into_iter().filter(|(_, end)| matches!(end, TaskEnd::Parked { .. })).collect();
    let [(_, TaskEnd::Parked { reason })] = &parked[..] else { panic!("{parked:?}") };
    assert!(reason.starts_with("failed 2 times: app: a repository of its own"), "{reason}");
    let aside = night.folder().join("put-aside");
    let lane = fs::read_dir(&aside).unwrap().flatten().next().unwrap().path();
    assert_eq!(fs::read_to_string(lane.join("app/src/main.rs")).unwrap(), "main\n");
    assert!(notices(&night).iter().any(|text| text.contains(&lane.join("app").display().to_string())));
}

// A submodule's folder is empty in a lane: what is written there is in no commit.
#[test]
fn what_is_written_into_a_submodule_of_a_lane_does_not_get_lost() {
    let script = honest_but(
        "[[call]]\ntask = \"TASK-001\"\nsteps = [ { bash = \"echo more > lib/more\" }, \"tick_task\", { result = { text = \"Done.\" } } ]\n",
    );
    let night = night(&[(1, &[]), (2, &[])], &script);
    fs::create_dir(night.env.project().join("lib")).unwrap();
    let commit = night.env.git(&["rev-parse", "HEAD"]);
    night.env.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},lib", commit.trim())]);
    night.env.git(&["commit", "--quiet", "--message", "A submodule"]);
    let outcome = run(&night, &["-j", "2", "--gate", "true"]);
    assert!(said(&outcome).contains("lib: a submodule"), "{}", said(&outcome));
    let aside = fs::read_dir(night.folder().join("put-aside")).unwrap().flatten().next().unwrap().path();
    assert_eq!(fs::read_to_string(aside.join("lib/more")).unwrap(), "more\n");
}

// No commit takes it, and no snapshot: in a lane it would be gone with the lane.
#[test]
fn a_file_that_is_too_large_for_a_snapshot_is_put_aside_before_its_lane_is_gone() {
    let script = honest_but(
        "[[call]]\ntask = \"TASK-001\"\nsteps = [ { bash = \"mkdir -p work; echo done > work/TASK-001; truncate -s 60M big.bin\" }, \
         \"tick_task\", { result = { text = \"Done.\" } } ]\n",
    );
    let night = night(&[(1, &[]), (2, &[])], &script);
    let outcome = run(&night, &["-j", "2", "--gate", "true"]);
    outcome.expect_code(0, &said(&outcome));
    let aside = fs::read_dir(night.folder().join("put-aside")).unwrap().flatten().next().unwrap().path();
    assert_eq!(fs::metadata(aside.join("big.bin")).unwrap().len(), 60 << 20);
    let told = notices(&night).join("\n");
    assert!(told.contains("over 50 MB, which no snapshot holds either"), "{told}");
    assert!(told.contains(&aside.join("big.bin").display().to_string()), "{told}");
    assert!(!night.env.git(&["log", "--all", "--format=", "--name-only"]).contains("big.bin"));
}

#[test]
fn a_stash_of_a_lane_is_a_branch_before_its_lane_is_gone() {
    let script = honest_but(
        "[[call]]\ntask = \"TASK-001\"\nsteps = [ { bash = \"echo important > a; git add a; git stash -q; mkdir -p work; echo done > \
         work/TASK-001\" }, \"tick_task\", { result = { text = \"Done.\" } } ]\n",
    );
    let night = night(&[(1, &[]), (2, &[])], &script);
    let outcome = run(&night, &["-j", "2", "--gate", "true"]);
    outcome.expect_code(0, &said(&outcome));
    let branch = night.env.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/windlass"]);
    assert_eq!(
        night.env.git(&["show", &format!("{}:a", branch.trim())]).trim(),
        "important",
        "{}",
        said(&outcome)
    );
    let told = notices(&night).join("\n");
    assert!(told.contains(&format!("`git stash apply {}` brings it back", branch.trim())), "{told}");
}

#[test]
fn what_no_snapshot_holds_is_not_said_to_be_in_one() {
    let night = Night::with_git(&calls(&["{ bash = 'truncate -s 60M big.bin; echo x > x' }"]));
    let outcome = night.run(&["-m", "1", "--commit", "runner"]);
    let told = notices(&night).join("\n");
    assert!(told.contains("stays in the working tree alone: no snapshot holds a file over 50 MB"), "{told}");
    fs::remove_file(night.env.project().join("big.bin")).unwrap();
    let run = night.folder().file_name().unwrap().to_string_lossy().into_owned();
    let restored = night.env.run(&mut night.windlass(&["restore", &run, "1"]), PATIENCE);
    let words = said(&restored);
    restored.expect_code(1, "not all of it is done");
    assert!(words.contains("not all files are as they were"), "{words} {}", said(&outcome));
    assert!(words.contains("big.bin: it is gone, and the snapshot does not hold it (too-large)"), "{words}");
}

#[test]
fn without_lanes_it_is_said_of_each_attempt_that_leaves_work_in_such_a_repository() {
    let script = honest_but(
        "[[call]]\ntask = \"TASK-001\"\nsteps = [ { bash = \"git init --quiet app; echo main > app/main.rs\" }, \"tick_task\", { result = { text = \"Done.\" } } ]\n\
         [[call]]\ntask = \"TASK-002\"\nsteps = [ { bash = \"echo more >> app/main.rs; mkdir work; echo 2 > work/2\" }, \"tick_task\", { result = { text = \"Done.\" } } ]\n",
    );
    let night = night(&[(1, &[]), (2, &[1]), (3, &[2])], &script);
    run(&night, &["--gate", "true"]).expect_code(0, "it is all here");
    let told = notices(&night).into_iter().filter(|text| text.contains("app is a repository of its own"));
    assert_eq!(told.count(), 2, "{:?}", notices(&night));
    assert_eq!(night.env.read("app/main.rs"), "main\nmore\n");
}

#[test]
fn a_lock_that_somebody_holds_parks_no_task() {
    let night = night(&[(1, &[]), (2, &[])], &honest_but(""));
    let lock = night.env.project().join(".git/index.lock");
    fs::write(&lock, "").unwrap();
    let outcome = run(&night, &["--gate", "true"]);
    assert_eq!(night.ended(), StopReason::NeedsHuman, "{}", said(&outcome));
    assert!(said(&outcome).contains("index.lock is there"), "{}", said(&outcome));
    assert!(ends(&night).iter().all(|(_, end)| matches!(end, TaskEnd::Again { .. })), "{:?}", ends(&night));
    assert_eq!(night.env.read("work/TASK-001"), "done\n");
    fs::remove_file(&lock).unwrap();
    night.resume(&[]).expect_code(0, "it is free");
    assert_eq!(night.ended(), StopReason::Complete);
    assert_eq!(night.env.git(&["log", "--format=%s", "--", "work/TASK-001"]).lines().count(), 1);
    assert_whole(&night);
}

#[test]
fn tasks_land_with_their_status_while_another_branch_is_checked_out() {
    let env = TestEnv::with_git();
    let project = env.project().display().to_string();
    let script = honest_but(&format!(
        "[[call]]\ntask = \"TASK-001\"\nsteps = [ {{ bash = \"git -C '{project}' checkout --quiet -b other\" }}, {{ write = {{ path = \
         \"work/TASK-001\", text = \"done\\n\" }} }}, \"tick_task\", {{ result = {{ text = \"Done.\" }} }} ]\n"
    ));
    let tasks: &[(u32, &[u32])] = &[(1, &[]), (2, &[1]), (3, &[2])];
    env.write("requirements.md", requirements(tasks));
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Tasks"]);
    let branch = env.git(&["symbolic-ref", "--short", "HEAD"]);
    let night = Night::within(env, &script);
    run(&night, &["-j", "2", "--gate", "true"]).expect_code(0, "landed elsewhere");
    let landed = night.env.git(&["show", &format!("{}:requirements.md", branch.trim())]);
    assert_eq!(landed, requirements(tasks).replace("pending", "done").trim_end());
    assert_eq!(night.env.read("requirements.md"), requirements(tasks), "the other branch stays as it is");
}

#[test]
fn tasks_that_vanish_behind_a_link_are_put_back() {
    let robs = "sed -i '/TASK-003/,$d; s/in-progress/done/' doc/tasks.md";
    let turns = "mkdir doc; mv requirements.md doc/tasks.md; ln -s doc/tasks.md requirements.md; sed -i '/TASK-003/,$d' doc/tasks.md";
    for (deed, linked) in [(robs, true), (turns, false)] {
        let script = format!(
            "[[call]]\nsteps = [ {{ write = {{ path = \"work/{{{{task}}}}\", text = \"done\\n\" }} }}, \"tick_task\" ]\n\
             [[call]]\ntask = \"TASK-001\"\nsteps = [ {{ write = {{ path = \"work/1\", text = \"1\\n\" }} }}, \"tick_task\", {{ bash = \"{deed}\" }} ]\n"
        );
        let env = TestEnv::with_git();
        let tasks = requirements(&[(1, &[]), (2, &[1]), (3, &[2])]);
        env.write(if linked { "doc/tasks.md" } else { "requirements.md" }, &tasks);
        if linked {
            symlink("doc/tasks.md", env.project().join("requirements.md")).unwrap();
        }
        env.git(&["add", "--all"]);
        env.git(&["commit", "--quiet", "--message", "Tasks"]);
        let night = Night::within(env, &script);
        run(&night, &["--gate", "true", "-m", "1"]);
        assert!(
            notices(&night).iter().any(|text| text.contains("it is put back as it was before")),
            "{deed}"
        );
        assert!(night.env.read("requirements.md").contains("### TASK-003"), "{deed}");
        let there = fs::symlink_metadata(night.env.project().join("requirements.md")).unwrap();
        assert_eq!(there.is_symlink(), linked, "{deed}");
    }
}

#[test]
fn what_a_parked_task_left_before_the_first_commit_is_put_aside() {
    let script = honest_but(
        "[[call]]\ntask = \"TASK-001\"\nsteps = [ { write = { path = \"half\", text = \"half\\n\" } }, { result = { text = \"No.\", is_error = true } } ]\n",
    );
    let env = TestEnv::new();
    env.git(&["init", "--quiet"]);
    env.write("requirements.md", requirements(&[(1, &[]), (2, &[])]));
    let night = Night::within(env, &script);
    run(&night, &["--gate", "true"]);
    assert!(!night.env.project().join("half").exists());
    let branch = night.env.git(&["for-each-ref", "--format=%(refname)", "refs/heads/windlass"]);
    assert_eq!(night.env.git(&["show", &format!("{}:half", branch.trim())]), "half");
    assert_eq!(night.env.git(&["ls-tree", "--name-only", "-r", branch.trim()]), "half");
}

const THREE: &str = "# Plan\n\n## Now\n\n- [ ] Write the parser\n- [ ] Write the manual\n- [ ] Tell people\n";

#[test]
fn a_box_that_a_run_was_held_for_is_missing_in_the_next_one() {
    let left = "# Plan\n\n## Now\n\n- [x] Write the parser\n- [x] Tell people\n";
    let takes = format!("{{ write = {{ path = '{PLAN}', text = '''{left}''' }} }}");
    let night = planned(THREE, &calls(&[&takes, "{ say = 'Nothing to do.' }"]));
    let flags = ["--gate", "true", "--exit-codes", "detailed"];
    expect_end(&plans::run(&night, "build", &flags), 24, "needs_human");
    let again = plans::run(&night, "build", &["--gate", "true", "--exit-codes", "detailed", "--fresh"]);
    again.expect_code(17, "nobody has said that it may go");
    assert!(said(&again).contains("the open box `Write the manual` is gone"), "{}", said(&again));
    night.env.run(&mut night.windlass(&["resume", "--accept-findings"]), PATIENCE).expect_code(0, "accepted");
    plans::run(&night, "build", &flags).expect_code(0, "it may go");
}
