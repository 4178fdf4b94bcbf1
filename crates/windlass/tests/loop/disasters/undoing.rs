//! `safety.undo = "auto"`: the runner undoes it at once.

use windlass_core::damage::DamageCourse;
use windlass_testkit::TestEnv;

use super::place::Place;
use super::{DISASTERS, Night, damaged, run, script};

const AUTO: (&str, &str) = ("WINDLASS_SAFETY__UNDO", "auto");

#[test]
fn each_disaster_is_undone_and_the_night_goes_on() {
    for (command, _) in DISASTERS {
        let env = TestEnv::new();
        let place = Place::plain(&env);
        let before = place.promised(&env);
        let night = Night::within(env, &script(command)).set(AUTO.0, AUTO.1);
        run(&night, &place, "2", &[]).expect_code(10, command);
        assert!(
            damaged(&night).iter().all(|(_, course)| course.undoes()),
            "{command}: {:?}",
            damaged(&night)
        );
        before.assert_is_back(place.promised(&night.env), command);
        assert!(night.prompt(2).contains("this was undone"), "{command}");
    }
}

#[test]
fn work_beside_a_small_disaster_stays() {
    let env = TestEnv::new();
    let place = Place::plain(&env);
    let stash = place.git(&env, &["stash", "list"]);
    let command = "git stash clear; rm untracked; echo work > work; git config core.pager x";
    let night = Night::within(env, &script(command)).set(AUTO.0, AUTO.1);
    run(&night, &place, "1", &[]).expect_code(10, command);
    assert_eq!(damaged(&night)[0].1, DamageCourse::UndoParts);
    assert_eq!(place.git(&night.env, &["stash", "list"]), stash);
    assert_eq!(std::fs::read(place.top.join("work")).unwrap(), b"work\n");
    assert_eq!(
        std::fs::read(place.top.join("untracked")).unwrap(),
        [0, 255, b'\n'],
        "a person's file is back"
    );
    assert!(!place.git(&night.env, &["config", "--list"]).contains("core.pager"));
}

// attack(git): while an agent takes commits off its branch in a working tree of its own, a person commits in theirs
// holds: what the agent did is undone, and the person's branch stays where it is
#[test]
fn what_a_person_commits_in_another_working_tree_meanwhile_stays() {
    let env = TestEnv::with_git();
    env.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    env.git(&["branch", "beside"]);
    let person = env.project().to_str().unwrap().to_owned();
    let linked = Place { top: env.root().join("linked") };
    env.git(&["worktree", "add", "-q", "-b", "port", linked.top.to_str().unwrap()]);
    let before = env.git(&["rev-parse", "port"]);
    let command = format!(
        "git reset -q --hard HEAD~1; cd {person}; git commit -q --allow-empty -m mine; git branch -qf beside main"
    );
    let night = Night::within(env, &script(&command)).set(AUTO.0, AUTO.1);
    run(&night, &linked, "1", &["--commit", "runner"]).expect_code(10, &command);
    assert_eq!(damaged(&night)[0].1, DamageCourse::UndoAll);
    let git = |arguments: &[&str]| night.env.git(arguments);
    assert_eq!(git(&["rev-parse", "port"]), before);
    assert_eq!(git(&["log", "-1", "--format=%s", "main"]), "mine");
    assert_eq!(git(&["rev-parse", "beside"]), git(&["rev-parse", "main"]));
    assert_eq!(git(&["status", "--porcelain"]), "");
    let notices = night.notices();
    for said in ["main stays at", "gone on since, and not moved: beside"] {
        assert!(notices.iter().any(|notice| notice.starts_with(said)), "{said}: {notices:#?}");
    }
}
