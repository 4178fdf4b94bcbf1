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
