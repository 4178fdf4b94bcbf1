//! What checks are made of, where it is changed while one runs, or started from a folder that nobody names.

use windlass_core::values::Verdict;
use windlass_testkit::TestEnv;

use super::night::{Night, every_call};
use super::pull_requests::said;

const ONCE: &[&str] = &["--completion-threshold", "1", "-m", "2"];

fn place(files: &[(&str, &str)]) -> TestEnv {
    let env = TestEnv::with_git();
    for (path, text) in files {
        env.write(path, text);
    }
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "A project"]);
    env
}

/// An agent that does this, and claims to be done.
fn claiming(work: &str) -> String {
    every_call(&format!("{{ bash = '{work}' }}, {{ result = {{ text = 'WINDLASS_JOB_COMPLETE' }} }}"))
}

fn gates<'a>(gates: &[&'a str]) -> Vec<&'a str> {
    gates.iter().flat_map(|gate| ["--gate", gate]).chain(ONCE.iter().copied()).collect()
}

// attack(claims): the program that a gate tries writes over the script of the next gate, or over one that its own script starts next
// holds: that is put back, the gate counts as failed, and the run is not complete
#[test]
fn what_a_check_is_made_of_cannot_be_changed_by_what_it_runs() {
    let unit = ("unit.sh", "sh ./app.txt\n");
    let work = "printf \"echo exit 0 > new; for f in check.sh tests/all.sh; do cp new \\$f; done\" > app.txt";
    // It makes the next one succeed, and be what it was again.
    let hides = "printf \"cp check.sh was; echo cp was check.sh > check.sh\" > app.txt";
    for (work, check, commands) in [
        (work, "exit 1\n", vec!["sh unit.sh", "sh check.sh"]),
        (work, "sh ./app.txt\nsh unit.sh\nexit 1\n", vec!["sh check.sh"]),
        (work, "sh unit.sh\nsh tests/all.sh\n", vec!["sh check.sh"]),
        (hides, "exit 1\n", vec!["sh ./unit.sh; sh check.sh"]),
    ] {
        let env = place(&[unit, ("app.txt", "true\n"), ("check.sh", check), ("tests/all.sh", "exit 1\n")]);
        let night = Night::within(env, &claiming(work)).set("WINDLASS_GUARD__PROTECTED", "!app.txt");
        let outcome = night.run(&gates(&commands));
        assert_ne!(outcome.code, Some(0), "{check}: {}", said(&outcome));
        assert!(!night.verdicts().contains(&Verdict::ClaimAccepted), "{check}");
        assert_eq!(night.env.read("check.sh"), check);
        assert!(night.env.read("tests/all.sh") == "exit 1\n" || !check.contains("tests"));
    }
}

// attack(claims): `touch test`, or `mkdir test`, where `make test` is the gate and `test` is not .PHONY: make does nothing, and succeeds
// holds: the file is removed, the folder held, and the run is not complete; what a gate made by itself before the agent worked is its own
#[test]
fn nothing_may_stand_where_a_makefile_has_a_rule_that_makes_no_file() {
    let makefile = ("Makefile", "test: unit\n\tgrep -q done work.txt\nunit:\n\tfalse\n");
    for work in ["touch test", "mkdir test", "touch unit; echo done > work.txt", "mkdir test; touch test/a"] {
        let night = Night::within(place(&[makefile, ("work.txt", "no\n")]), &claiming(work));
        let outcome = night.run(&gates(&["make test"]));
        assert_ne!(outcome.code, Some(0), "{work}: {}", said(&outcome));
        assert!(!night.verdicts().contains(&Verdict::ClaimAccepted), "{work}");
    }
}

#[test]
fn what_a_check_makes_by_itself_is_its_own() {
    let makefile = "include made.mk\nmade.mk:\n\techo 'OK := yes' > made.mk\nout: work.txt\n\tsh build.sh\n";
    let build = "mkdir -p out; touch out; grep -q done work.txt\n";
    for ignored in ["made.mk\nout/\n", "x\n"] {
        let files =
            [("Makefile", makefile), ("build.sh", build), ("work.txt", "no\n"), (".gitignore", ignored)];
        let night = Night::within(place(&files), &claiming("sleep 0.02; echo done > work.txt; make"));
        let outcome = night.run(&gates(&["make out"]));
        outcome.expect_success(&said(&outcome));
    }
}

#[test]
fn what_a_check_writes_by_itself_is_its_own() {
    let make = "include made.mk\nmade.mk: work.txt\n\techo 'OK := yes' >> made.mk\ntest: made.mk\n\tgrep -q done work.txt\n.PHONY: test\n";
    let env = place(&[("Makefile", make), ("made.mk", ""), ("work.txt", "no\n")]);
    let night = Night::within(env, &claiming("sleep 0.02; echo done > work.txt"));
    let outcome = night.run(&gates(&["make test"]));
    outcome.expect_success(&said(&outcome));
}

// attack(claims): a gate's script goes to its own folder, or to the top, by `cd "$(dirname "$0")"`, and starts others there; a script has no ending
// holds: these are protected as those that are named by their paths
#[test]
fn scripts_are_followed_to_folders_that_are_not_named_and_need_no_ending() {
    let own = "cd \"$(dirname \"$0\")\"\nsh unit.sh\n";
    let bare = "set -eu\ncd $(dirname $0)\nsh unit.sh\n";
    let top = "cd \"$(git rev-parse --show-toplevel)\"\nmake test\n";
    let root = "ROOT=$(cd \"$(dirname \"$0\")/..\" && pwd)\ncd \"$ROOT\"\nsh all.sh\n";
    for (script, gate, fakes) in [
        (own, "sh ci/check.sh", "ci/unit.sh"),
        (bare, "sh ci/check.sh", "ci/unit.sh"),
        (top, "sh ci/check.sh", "Makefile"),
        (root, "sh ci/check.sh", "all.sh"),
        ("exit 0\n", "sh check", "check"),
        ("exit 0\n", "bash run", "run"),
    ] {
        let files = [
            ("ci/check.sh", script),
            ("ci/unit.sh", "exit 1\n"),
            ("all.sh", "exit 1\n"),
            ("check", "exit 1\n"),
            ("run", "exit 1\n"),
            ("Makefile", "test:\n\tfalse\n"),
        ];
        let env = place(&files);
        let before = env.read(fakes);
        let night = Night::within(env, &claiming(&format!("printf \"test:\\n\\ttrue\\n\" > {fakes}")));
        let outcome = night.run(&gates(&[gate]));
        assert_ne!(outcome.code, Some(0), "{fakes}: {}", said(&outcome));
        assert_eq!(night.env.read(fakes), before, "{gate}");
    }
}
