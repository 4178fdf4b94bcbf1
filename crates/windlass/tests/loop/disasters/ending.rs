//! What a person had begun in several steps, and an agent ends.

use windlass_core::damage::DamageKind;
use windlass_testkit::TestEnv;

use super::super::night::calls;
use super::place::Place;
use super::{Night, PATIENCE, kinds, printed, run, script, typed};

/// Two branches that do not go together.
const BRANCHES: &str = "echo one > c; git add c; git commit -qm one; git checkout -qb other; echo other > c; \
    git commit -qam other; git checkout -q -; echo main > c; git commit -qam main";

/// What a person begins, and with what an agent ends it.
const ENDS: &[(&str, &str)] = &[
    ("git merge other", "git merge --quit"),
    ("git merge other", "git add c; git commit -qm merged"),
    ("git rebase other", "git rebase --quit"),
    ("git cherry-pick other", "git cherry-pick --quit"),
    ("git revert HEAD~1", "git revert --quit"),
    ("git format-patch -1 --stdout other > ../patch; git am ../patch", "git am --quit"),
    ("git bisect start -q; git bisect bad", "git bisect reset"),
];

fn typed_by_a_person(env: &TestEnv, commands: &str) {
    env.run(env.command("sh").args(["-c", commands]), PATIENCE);
}

fn with_branches() -> (TestEnv, Place) {
    let env = TestEnv::with_git();
    typed_by_a_person(&env, BRANCHES);
    let place = Place { top: env.project().to_path_buf() };
    (env, place)
}

// attack(endings): an agent finishes, forgets or takes back a merge, a rebase, a cherry-pick, a revert, `git am` or a bisection that was under
//   way before the run
// holds: it is named as damage, and one command, or `safety.undo = "auto"`, brings it back
#[test]
fn what_a_person_had_begun_is_not_ended_unsaid() {
    for ((begins, ends), undo) in ENDS.iter().flat_map(|end| [(end, "ask"), (end, "auto")]) {
        let (env, place) = with_branches();
        typed_by_a_person(&env, begins);
        let before = place.promised(&env);
        let night = Night::within(env, &script(ends)).set("WINDLASS_SAFETY__UNDO", undo);
        run(&night, &place, "1", &[]).expect_code(10, ends);
        assert_eq!(kinds(&night), [DamageKind::OperationEnded], "{ends}, {undo}");
        if undo == "ask" {
            typed(&night, &place, &printed(&night));
        }
        before.assert_is_back(place.promised(&night.env), &format!("{ends}, {undo}"));
    }
}

#[test]
fn an_agent_that_is_to_commit_may_finish_it_and_that_is_said() {
    let (env, place) = with_branches();
    typed_by_a_person(&env, "git merge other");
    let night = Night::within(env, &script("git add c; git commit -qm merged"));
    run(&night, &place, "1", &["--commit", "agent"]).expect_code(10, "run");
    assert_eq!(kinds(&night), []);
    let notices = night.notices();
    let said = "a merge was under way and was ended by the agent; `windlass restore";
    assert!(notices.iter().any(|notice| notice.starts_with(said)), "{notices:#?}");
}

#[test]
fn what_an_agent_had_begun_an_agent_may_end() {
    let (env, place) = with_branches();
    let acts =
        ["{ bash = 'git merge other; true' }", "{ bash = 'echo x > x' }", "{ bash = 'git merge --abort' }"];
    let night = Night::within(env, &calls(&acts));
    run(&night, &place, "3", &[]).expect_code(10, "run");
    assert_eq!(kinds(&night), [DamageKind::UnderWay]);
}

#[test]
fn what_a_person_begins_between_two_sessions_is_the_persons() {
    let (env, place) = with_branches();
    let acts = ["{ bash = 'echo x > x' }", "{ bash = 'echo y > y' }", "{ bash = 'git merge --quit' }"];
    let night = Night::within(env, &calls(&acts));
    run(&night, &place, "1", &[]).expect_code(10, "run");
    typed_by_a_person(&night.env, "git merge other");
    night.resume(&["--max-iterations", "3"]).expect_code(10, "resume");
    assert_eq!(kinds(&night), [DamageKind::OperationEnded]);
}
