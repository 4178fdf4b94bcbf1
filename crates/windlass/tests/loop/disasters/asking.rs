//! `safety.undo = "ask"`, the default: named, and undone by what is printed.

use windlass_core::damage::{DamageCourse, DamageKind};
use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_testkit::TestEnv;

use super::place::{Layout, Place};
use super::{DISASTERS, Night, damaged, kinds, printed, run, script, typed};

#[test]
fn each_disaster_is_named_and_undone_by_the_printed_command() {
    for (command, expected) in DISASTERS {
        let env = TestEnv::new();
        let place = Place::plain(&env);
        let before = place.promised(&env);
        let night = Night::within(env, &script(command));
        let outcome = run(&night, &place, "1", &[]);
        assert_eq!(kinds(&night), *expected, "{command}: {:#?}", damaged(&night));
        let stops = damaged(&night).iter().any(|(_, course)| *course == DamageCourse::Stop);
        outcome.expect_code(if stops { 29 } else { 10 }, command);
        typed(&night, &place, &printed(&night));
        before.assert_is_back(place.promised(&night.env), command);
    }
}

#[test]
fn in_a_repository_with_a_commit_checked_out_and_no_branch() {
    each_in(Layout::Detached);
}

#[test]
fn in_a_linked_working_tree() {
    each_in(Layout::Linked);
}

#[test]
fn in_a_shallow_clone() {
    each_in(Layout::Shallow);
}

#[test]
fn in_a_repository_with_a_submodule() {
    each_in(Layout::WithSubmodule);
}

fn each_in(layout: Layout) {
    let some = [
        "git reset -q --hard; git clean -qfd; git checkout -qf other",
        "git stash clear; git tag -d v2; git reset -q --hard HEAD~1; git reflog expire --expire=now --all; git gc -q --prune=now",
        "git reset -q --hard; git rebase -q other",
        "rm -rf .git",
    ];
    // Of what lies in `.git` of a submodule nothing is promised, and it would be gone with it.
    for command in
        some.into_iter().filter(|command| layout != Layout::WithSubmodule || !command.starts_with("rm"))
    {
        let env = TestEnv::new();
        let place = Place::new(&env, layout);
        let before = place.promised(&env);
        let night = Night::within(env, &script(command));
        run(&night, &place, "1", &[]);
        assert_ne!(kinds(&night), [], "{layout:?}: {command}");
        typed(&night, &place, &printed(&night));
        before.assert_is_back(place.promised(&night.env), &format!("{layout:?}: {command}"));
    }
}

#[test]
fn what_is_not_promised_was_said_before_the_first_iteration() {
    for (layout, said) in [
        (Layout::Plain, "snapshots do not hold what git ignores: .env;"),
        (Layout::WithSubmodule, "snapshots do not protect module (submodule)"),
    ] {
        let env = TestEnv::new();
        let place = Place::new(&env, layout);
        let night = Night::within(env, &script("git clean -qfdx"));
        run(&night, &place, "2", &[]);
        let facts = night.facts();
        let first = facts.iter().position(|fact| matches!(fact, Fact::IterationStarted { .. })).unwrap();
        let told =
            |fact: &Fact| matches!(fact, Fact::Noticed(report::Noticed { text }) if text.contains(said));
        assert!(facts[..first].iter().any(told), "{said}: {:?}", night.notices());
        assert_eq!(facts.iter().filter(|fact| told(fact)).count(), 1, "{said}");
        typed(&night, &place, &printed(&night));
        assert!(!place.top.join(".env").exists());
    }
}

#[test]
fn ordinary_work_is_no_disaster() {
    let ordinary = [
        "echo more >> deep/b.txt; rm deep/b.txt; mv a.txt c.txt; echo x > made",
        "git add -A; git commit -qm all; git tag mine; git branch mine2; git commit -q --allow-empty -m more",
        "git stash -q -u; git stash pop -q; git fetch -q 2>/dev/null; git gc -q",
        "git rm -q deep/b.txt; git mv link link2; mkdir scratch; touch scratch/x; rm -r scratch",
        "git config branch.main.remote origin; git status -s; git diff; git log -1",
    ];
    for command in ordinary {
        for policy in ["none", "agent"] {
            let env = TestEnv::new();
            let place = Place::plain(&env);
            let night = Night::within(env, &script(command));
            run(&night, &place, "1", &["--commit", policy]).expect_code(10, command);
            assert_eq!(damaged(&night), [], "{command}");
        }
    }
}

#[test]
fn an_agent_that_is_to_commit_may_begin_a_branch_and_the_runners_commits_stay_where_they_belong() {
    for (policy, code, expected) in [("agent", 10, vec![]), ("none", 10, vec![DamageKind::BranchBegun])] {
        let env = TestEnv::new();
        let place = Place::plain(&env);
        let night = Night::within(env, &script("git switch -q -c feature"));
        run(&night, &place, "1", &["--commit", policy]).expect_code(code, policy);
        assert_eq!(kinds(&night), expected, "{policy}");
    }
    let night = Night::with_git(&script("git switch -q -c feature; echo x > x"));
    let place = Place { top: night.env.project().to_path_buf() };
    run(&night, &place, "1", &["--commit", "runner"]).expect_code(29, "runner");
    assert_eq!(
        night.env.git(&["rev-list", "--count", "--all"]),
        "1",
        "nothing is committed in a wrong place"
    );
    typed(&night, &place, &printed(&night));
    assert_ne!(night.env.git(&["branch", "--show-current"]), "feature");
}

#[test]
fn what_was_told_is_not_told_again_when_a_person_goes_on() {
    let env = TestEnv::new();
    let place = Place::plain(&env);
    let night = Night::within(env, &script("git checkout -q --detach"));
    run(&night, &place, "1", &[]).expect_code(29, "first");
    night.resume(&["--max-iterations", "3"]).expect_code(10, "resumed");
    assert_eq!(kinds(&night), [DamageKind::HeadDetached]);
}

#[test]
fn the_next_agent_is_told_of_what_is_still_under_way() {
    let env = TestEnv::new();
    let place = Place::plain(&env);
    let night = Night::within(env, &script("git reset -q --hard; git merge -q other"));
    run(&night, &place, "2", &[]).expect_code(10, "merge");
    assert!(!night.prompt(1).contains("did to the repository"));
    assert!(night.prompt(2).contains("a merge was begun and not finished; this is still so"));
}
