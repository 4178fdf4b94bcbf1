//! Uncommitted work in files that git writes otherwise than it keeps them.

use windlass_core::damage::DamageKind;
use windlass_testkit::TestEnv;

use super::place::Place;
use super::{Night, kinds, printed, run, script, typed};

/// How git makes another file of what is committed.
const CONVERSIONS: &[(&str, &str)] = &[
    ("true", ""),
    ("false", "w.txt text eol=crlf\n"),
    ("false", "w.txt ident\n"),
    ("false", "w.txt filter=a\n"),
];

fn converting((autocrlf, attributes): &(&str, &str)) -> (TestEnv, Place) {
    let env = TestEnv::with_git();
    for (name, value) in
        [("core.autocrlf", *autocrlf), ("filter.a.clean", "tr a-z A-Z"), ("filter.a.smudge", "tr A-Z a-z")]
    {
        env.git(&["config", name, value]);
    }
    env.write(".gitattributes", attributes);
    env.write("w.txt", "$Id$\n");
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "files"]);
    std::fs::remove_file(env.project().join("w.txt")).unwrap();
    env.git(&["checkout", "--quiet", "w.txt"]);
    let place = Place { top: env.project().to_path_buf() };
    (env, place)
}

// attack(git): an agent throws uncommitted work away in files whose line ends, ids or filters make of what is committed another file
// holds: it is said and brought back as elsewhere, and what was clean and is removed is no such loss
#[test]
fn lost_work_is_seen_where_git_converts_contents() {
    for (conversion, undo) in CONVERSIONS.iter().flat_map(|one| [(one, "ask"), (one, "auto")]) {
        let (env, place) = converting(conversion);
        let mine = env.read("w.txt") + "my work\r\n";
        env.write("w.txt", &mine);
        let night = Night::within(env, &script("git reset -q --hard")).set("WINDLASS_SAFETY__UNDO", undo);
        run(&night, &place, "1", &[]).expect_code(10, conversion.1);
        assert_eq!(kinds(&night), [DamageKind::ChangesDiscarded], "{conversion:?}, {undo}");
        if undo == "ask" {
            typed(&night, &place, &printed(&night));
        }
        assert_eq!(night.env.read("w.txt"), mine, "{conversion:?}, {undo}");
        let (env, place) = converting(conversion);
        let night = Night::within(env, &script("rm w.txt"));
        run(&night, &place, "1", &[]).expect_code(10, conversion.1);
        assert_eq!(kinds(&night), [], "{conversion:?}: it was as committed");
    }
}
