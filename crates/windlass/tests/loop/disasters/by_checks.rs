//! What the checks run is the agent's code as well: what it does to the repository is named and undone like the agent's own deeds.

use windlass_core::damage::DamageKind;
use windlass_testkit::TestEnv;

use super::place::Place;
use super::{DISASTERS, Night, damaged, kinds, printed, run, typed};
use crate::night::{calls, expect_end};

const CLAIM: &str = "{ result = { text = \"Done.\\n\\nWINDLASS_JOB_COMPLETE\" } }";

const COMPLETES: [&str; 4] = ["--completion-threshold", "1", "--gate", "sh ../gate.sh"];

/// A gate that does this once, while it judges an attempt, and passes.
fn gate(env: &TestEnv, does: &str) {
    let script = format!(
        "test \"$WINDLASS_HOOK_STAGE\" = candidate || exit 0\ntest -e ../once && exit 0\ntouch ../once\n{does}\nexit 0\n"
    );
    std::fs::write(env.root().join("gate.sh"), script).unwrap();
}

// attack(git): code of the agent that a gate runs deletes .git, a person's commits, branches, stashes, uncommitted files
// holds: the run ends with 29 and says what is gone; the printed command brings it back, and the job goes on
#[test]
fn each_disaster_of_a_check_is_named_and_undone_by_the_printed_command() {
    for (command, expected) in DISASTERS {
        let env = TestEnv::new();
        let place = Place::plain(&env);
        gate(&env, command);
        let before = place.promised(&env);
        let night = Night::within(env, &calls(&[CLAIM, CLAIM]));
        let outcome = run(&night, &place, "4", &COMPLETES);
        let is_of_settings = expected.iter().all(|kind| *kind == DamageKind::SettingsChanged);
        outcome.expect_code(if is_of_settings { 0 } else { 29 }, command);
        // What would steer git is put back before any git is called.
        if !night.notices().iter().any(|text| text.contains("were put back")) {
            assert_eq!(kinds(&night), *expected, "{command}: {:#?}", damaged(&night));
            typed(&night, &place, &printed(&night));
        }
        before.assert_is_back(place.promised(&night.env), command);
    }
}

// attack(git): a check that runs before the first iteration deletes .git, a person's commits, branches, stashes, uncommitted files
// holds: the run ends with 29 before anybody is paid, and says what is gone; the printed command brings it back
#[test]
fn each_disaster_of_a_check_before_the_first_iteration_is_undone_by_the_printed_command() {
    for (command, expected) in DISASTERS {
        let env = TestEnv::new();
        let place = Place::plain(&env);
        std::fs::write(
            env.root().join("gate.sh"),
            format!("test -e ../once && exit 0\ntouch ../once\n{command}\nexit 0\n"),
        )
        .unwrap();
        let before = place.promised(&env);
        let night = Night::within(env, &calls(&[CLAIM, CLAIM]));
        let outcome = run(&night, &place, "4", &COMPLETES);
        let is_of_settings = expected.iter().all(|kind| *kind == DamageKind::SettingsChanged);
        outcome.expect_code(if is_of_settings { 0 } else { 29 }, command);
        let told = outcome.stdout_text() + &outcome.stderr_text();
        if !told.contains("were put back") {
            let restore = told.split('`').find(|part| part.starts_with("windlass restore"));
            typed(&night, &place, restore.unwrap_or_else(|| panic!("{command}: {told}")));
        }
        before.assert_is_back(place.promised(&night.env), command);
    }
}

#[test]
fn so_it_is_before_a_commit_of_the_runner_and_the_job_goes_on_once_it_is_undone() {
    for (command, expected) in [
        ("git reset -q --soft HEAD~1; git branch -qD other; git tag -d v2", DamageKind::CommitsLost),
        ("rm -f untracked; git checkout -q -- a.txt", DamageKind::ChangesDiscarded),
        ("rm -rf .git", DamageKind::RepositoryUnusable),
        ("git stash drop -q", DamageKind::StashDropped),
        ("git checkout -q -B elsewhere", DamageKind::BranchBegun),
    ] {
        let env = TestEnv::new();
        let place = Place::plain(&env);
        gate(&env, command);
        let work = format!("{{ bash = 'echo work > work.txt' }}, {CLAIM}");
        let night = Night::within(env, &calls(&[&work, CLAIM]));
        let runner = ["--commit", "runner", "--allow-dirty"];
        let outcome = run(&night, &place, "4", &[&COMPLETES[..], &runner].concat());
        expect_end(&outcome, 29, "destructive_change");
        assert_eq!(kinds(&night).first(), Some(&expected), "{command}: {:#?}", damaged(&night));
        typed(&night, &place, &printed(&night));
        let mut resume = night.windlass(&["resume", "--no-delay"]);
        let resumed = night.env.run(resume.current_dir(&place.top), super::PATIENCE);
        expect_end(&resumed, 0, "complete");
        assert_eq!(
            place.git(&night.env, &["show", "--format=", "--name-only", "HEAD"]),
            "work.txt\n",
            "{command}"
        );
        assert_eq!(place.git(&night.env, &["symbolic-ref", "HEAD"]), "refs/heads/main\n", "{command}");
    }
}

#[test]
fn what_checks_do_with_their_own_files_and_a_person_meanwhile_is_no_damage() {
    for command in [
        "git gc -q; git fetch -q 2>/dev/null; git status -s; git tag mine; git branch mine2",
        "git add -A; git commit -qm all; git commit -q --allow-empty -m more",
        "git stash -q -u; git stash pop -q",
        "echo x > made; mkdir -p build; echo y > build/z; rm -r build",
    ] {
        let env = TestEnv::new();
        let place = Place::plain(&env);
        gate(&env, command);
        let night = Night::within(env, &calls(&[CLAIM, CLAIM]));
        expect_end(&run(&night, &place, "4", &COMPLETES), 0, "complete");
        assert_eq!(damaged(&night), [], "{command}");
    }
}
