//! The demo's story holds together: its edits apply, the false claim is false, the last state passes the gate.

use std::fs;

use windlass_testkit::printed::commands;

use super::{Command, Place, answer};

const PROJECT: &[(&str, &str)] = &[
    ("greet.sh", include_str!("../../../windlass-app/src/demo/project/greet.sh")),
    ("test.sh", include_str!("../../../windlass-app/src/demo/project/test.sh")),
];

#[test]
fn the_demos_agent_claims_too_early_and_finishes_in_the_end() {
    let place = Place::new();
    for (name, content) in PROJECT {
        fs::write(place.work().join(name), content).unwrap();
    }
    let gate_passes =
        || Command::new("sh").arg("test.sh").current_dir(place.work()).output().unwrap().status.success();
    assert!(!gate_passes(), "there is nothing to repair");
    for (call, code, claims, passes) in [
        (1, 0, false, false),
        (2, 0, true, false),
        (3, 1, false, false),
        (4, 0, true, true),
        (5, 0, true, true),
        (6, 0, true, true),
    ] {
        let before = place.read("greet.sh");
        let mut agent = place.windlass(&["__agent", "builtin:demo", "-p"]);
        let answer = answer(agent.env("WINDLASS_CALL", call.to_string()));
        assert_eq!(answer.code, Some(code), "call {call}");
        assert_eq!(answer.stdout.contains("WINDLASS_JOB_COMPLETE"), claims, "call {call}");
        assert_eq!(gate_passes(), passes, "call {call}");
        assert_eq!(place.read("greet.sh") != before, [1, 2, 4].contains(&call), "call {call}");
        assert!(!answer.stdout.contains("not found in file"), "call {call}");
    }
    assert_eq!(place.read("SHARED_TASK_NOTES.md").lines().count(), 2);
}

#[test]
fn the_demo_ends_with_its_job_done_and_shows_a_refused_claim_and_a_wait_before() {
    let place = Place::new();
    let folder = place.root.path().join("a folder");
    fs::create_dir(&folder).unwrap();
    let told = answer(place.windlass(&["demo"]).env("TMPDIR", &folder));
    let said = format!("{}{}", told.stdout, told.stderr);
    assert_eq!(told.code, Some(0), "{said}");
    for told in
        ["stopped: complete", "gate failed: sh test.sh", "waiting for the usage limit", "undo its work"]
    {
        assert!(said.contains(told), "{told}: {said}");
    }
    assert!(!said.contains("undone"), "{said}");
    // What is printed is typed where it was printed, as it stands there.
    let commands: Vec<_> = commands(&said).into_iter().filter(|command| command.words[0] == "-C").collect();
    assert!(commands.len() >= 5, "{said}");
    for command in commands {
        let typed = command.words.iter().map(String::as_str).collect::<Vec<_>>();
        let typed = place.ask(&typed);
        assert_eq!(typed.code, Some(0), "{}: {}", command.text, typed.stderr);
    }
}
