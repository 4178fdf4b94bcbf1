//! What a task says is protected while it is worked on, and what it may change, in one lane and in several.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rustix::process::Signal;
use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{SuspicionKind, TaskEnd};
use windlass_testkit::{Outcome, TestEnv};

use super::night::{Night, PATIENCE};

const TESTS: &str = "#[test]\nfn one() {\n    assert_eq!(f(1), 2);\n}\n";

/// A task for each: its number and what its field says.
fn requirements(tasks: &[(u32, &str)]) -> String {
    let task = |(number, protected): &(u32, &str)| {
        format!(
            "### TASK-{number:03}: Thing {number}\n- **Status**: pending\n{protected}- **Description**: Do it\n\n"
        )
    };
    tasks.iter().map(task).collect()
}

fn night(tasks: &[(u32, &str)], script: &str) -> Night {
    let env = TestEnv::with_git();
    env.write("requirements.md", requirements(tasks));
    env.write("golden/a", "golden\n");
    env.write("tests/one.rs", TESTS);
    env.write("tests/two.rs", TESTS);
    let check = env.write("check.sh", "#!/bin/sh\nexit 0\n");
    fs::set_permissions(check, fs::Permissions::from_mode(0o755)).unwrap();
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Tasks"]);
    Night::within(env, script)
}

fn run_command(night: &Night, flags: &[&str]) -> std::process::Command {
    let mut command = night.windlass(&["run", "--mode", "tasks", "--no-delay", "--gate", "./check.sh"]);
    command.arg(format!("--mock={}", night.script.display())).args(flags);
    command
}

fn run(night: &Night, flags: &[&str]) -> Outcome {
    night.env.run(&mut run_command(night, flags), PATIENCE)
}

/// A call for a task: its shell command, and the claim.
fn call(task: u32, command: &str) -> String {
    format!(
        "[[call]]\ntask = 'TASK-{task:03}'\nsteps = [ {{ bash = '''mkdir -p work; echo done > work/{task}; {command}''' }}, 'tick_task', \
         {{ result = {{ text = 'Done.' }} }} ]\n"
    )
}

fn ends(night: &Night) -> Vec<(String, bool)> {
    let end = |fact: Fact| match fact {
        Fact::TaskClosed(report::TaskClosed { end: TaskEnd::Again { .. }, .. }) => None,
        Fact::TaskClosed(report::TaskClosed { task, end, .. }) => Some((task.0, end == TaskEnd::Done)),
        _ => None,
    };
    let mut ends: Vec<_> = night.facts().into_iter().filter_map(end).collect();
    ends.sort();
    ends
}

fn refused(night: &Night) -> Vec<Vec<String>> {
    let refused = |fact: Fact| match fact {
        Fact::ForbiddenChangesReverted(report::ForbiddenChangesReverted { files, undone: true, .. }) => {
            Some(files)
        }
        _ => None,
    };
    night.facts().into_iter().filter_map(refused).collect()
}

#[test]
fn a_task_protects_more_and_may_change_more_than_the_others() {
    let tasks = [
        (1, "- **Protected**: golden/**\n"),
        (2, "- **Protected**: !check.sh\n"),
        (3, "- **Protected**: none\n"),
        (4, ""),
        (5, "- **Protected**: `!tests/one.rs`\n"),
    ];
    let script = [
        call(1, "echo changed > golden/a"),
        call(1, "true"),
        call(2, "echo true >> check.sh"),
        call(3, "echo true > check.sh; echo changed > golden/b"),
        call(3, "echo changed > golden/b"),
        call(4, "rm tests/two.rs"),
        call(5, "rm tests/one.rs"),
    ];
    for lanes in ["1", "3"] {
        let night = night(&tasks, &script.concat());
        run(&night, &["-j", lanes, "--exit-codes", "detailed"]).expect_code(17, "one is parked");
        let done = |number: u32| (format!("TASK-{number:03}"), number != 4);
        assert_eq!(ends(&night), [1, 2, 3, 4, 5].map(done), "-j {lanes}");
        let subjects = night.env.git(&["log", "--format=%s"]);
        assert_eq!(subjects.matches("TASK-001").count(), 1, "a refused claim is not a commit: {subjects}");
        let mut undone = refused(&night);
        undone.sort();
        assert_eq!(undone, [["check.sh"], ["golden/a"]], "-j {lanes}");
        let show = |path: &str| night.env.git(&["show", &format!("HEAD:{path}")]);
        assert_eq!((show("golden/a").as_str(), show("golden/b").as_str()), ("golden", "changed"));
        assert_eq!(show("check.sh"), "#!/bin/sh\nexit 0\ntrue", "what task 2 made of it, and task 3 did not");
        assert_eq!(night.env.git(&["ls-tree", "--name-only", "HEAD", "tests/"]), "tests/two.rs");
        night.assert_clean();
    }
}

/// Both its own field and another task's, as an agent would like them.
const REWRITES: &str = "sed -i 's/golden/nothing/' requirements.md; echo changed > golden/a";

#[test]
fn what_an_agent_writes_there_protects_nothing_less() {
    let tasks = [(1, "- **Protected**: golden/**\n"), (2, "- **Protected**: golden/**\n")];
    for lanes in ["1", "2"] {
        let night = night(&tasks, &[call(1, REWRITES), call(2, REWRITES)].concat());
        run(&night, &["-j", lanes, "--exit-codes", "detailed"]).expect_code(17, "both are parked");
        assert_eq!(night.env.git(&["show", "HEAD:golden/a"]), "golden", "-j {lanes}");
        assert_eq!(refused(&night).len(), 4, "-j {lanes}");
        let said = "TASK-001 protects other files, TASK-002 protects other files";
        assert!(
            lanes != "1" || night.notices().iter().any(|text| text.contains(said)),
            "{:?}",
            night.notices()
        );
        night.assert_clean();
    }
}

#[test]
fn nor_when_the_run_goes_on_in_another_session() {
    // It is cut off when it has made room for itself, for task 2, and for one of its own.
    let rewrites = REWRITES.replace("; echo changed > golden/a", "");
    let adds = r"printf '\n### TASK-009: x\n- **Protected**: !check.sh\n' >> requirements.md";
    let first = format!(
        "if [ -e ../cut ]; then echo changed > golden/a; else {rewrites}; {adds}; touch ../cut; sleep 100; fi"
    );
    let script = [call(1, &first), call(2, REWRITES), call(9, "echo true >> check.sh")];
    let night =
        night(&[(1, "- **Protected**: golden/**\n"), (2, "- **Protected**: golden/**\n")], &script.concat());
    let running = windlass_testkit::Running::start(&mut run_command(&night, &["-m", "20"]));
    night.wait_for_file("../cut");
    running.signal(Signal::TERM);
    running.wait(PATIENCE).expect_code(143, "terminated");
    night.resume(&["--exit-codes", "detailed"]).expect_code(17, "all are parked");
    assert_eq!(night.env.git(&["show", "HEAD:golden/a"]), "golden");
    assert_eq!(night.env.git(&["show", "HEAD:check.sh"]), "#!/bin/sh\nexit 0");
    let files: Vec<String> = refused(&night).concat();
    assert!(files.contains(&"golden/a".to_owned()) && files.contains(&"check.sh".to_owned()), "{files:?}");
    let kinds = |fact: Fact| match fact {
        Fact::Suspected(report::Suspected { suspicions, .. }) => {
            suspicions.into_iter().map(|found| found.kind).collect()
        }
        _ => Vec::new(),
    };
    let kinds: Vec<SuspicionKind> = night.facts().into_iter().flat_map(kinds).collect();
    assert_eq!(kinds, [], "all was undone");
}

/// A gate's script that an agent insists on changing, or changes once before it fails: neither parking its task brings that
/// back, nor is it lost.
#[test]
fn what_was_undone_does_not_come_back_when_its_task_is_parked() {
    let works =
        "[[call]]\ntask = 'TASK-001'\nsteps = [ { bash = 'echo half > half; echo true >> check.sh' } ]\n";
    let fails = "[[call]]\ntask = 'TASK-001'\nsteps = [ { result = { text = 'No.', is_error = true } } ]\n";
    for (then, times) in [(call(1, "echo true >> check.sh"), 3), (fails.to_owned(), 2)] {
        let night = night(&[(1, ""), (2, "")], &[works, &then, &call(2, "cp check.sh seen")].concat());
        run(&night, &["--exit-codes", "detailed"]).expect_code(17, "one is parked");
        assert_eq!(ends(&night), [("TASK-001".to_owned(), false), ("TASK-002".to_owned(), true)]);
        assert_eq!(refused(&night), vec![["check.sh"]; times]);
        let original = "#!/bin/sh\nexit 0\n";
        assert_eq!(night.env.read("seen"), original, "the next task began with the original: {then}");
        assert_eq!(night.env.read("check.sh"), original);
        let id = night.folder().file_name().unwrap().to_string_lossy().into_owned();
        let restored = night.windlass(&["restore", &id, "1"]).output().unwrap();
        assert!(restored.status.success(), "{restored:?}");
        assert_eq!(night.env.read("check.sh"), format!("{original}true\n"), "its snapshot has it: {then}");
    }
}

/// An ignored file that was there is nobody's new one.
#[test]
fn what_git_ignores_is_not_held_for_a_task() {
    let night = night(&[(1, "- **Protected**: *.log, golden/\n")], &call(1, "true"));
    night.env.write(".gitignore", "*.log\n");
    night.env.write("old.log", "old\n");
    night.env.git(&["add", ".gitignore"]);
    night.env.git(&["commit", "--quiet", "--message", "Ignored"]);
    run(&night, &[]).expect_code(0, "done");
    assert_eq!(ends(&night), [("TASK-001".to_owned(), true)]);
}
