//! What an agent closes to its owner: nobody can tell what is there, but it is not gone.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use windlass_testkit::TestEnv;

use super::git::work;
use super::place::{PATIENCE, Place, is_root, said};

fn furnished() -> Place {
    let place = Place::at(TestEnv::with_git(), "none");
    place.env.write("closed/one", "one");
    place.env.write("file", "file");
    place.env.write("always/untracked", "kept shut");
    place.env.git(&["add", "closed", "file"]);
    place.env.git(&["commit", "-qm", "more"]);
    let shut = fs::Permissions::from_mode(0o0);
    fs::set_permissions(place.env.project().join("always"), shut).unwrap();
    if is_root() { place.of_an_ordinary_user() } else { place }
}

// attack(endings): an agent takes the permissions from a folder and from a file, without a sandbox, as an ordinary user
// holds: they are given back, so that nothing of it is committed as deleted; what a person had shut before stays shut, and is
//   named
#[test]
fn what_is_closed_is_opened_and_not_deleted() {
    let place = furnished();
    let outcome = work(
        &place,
        &["echo new > closed/two; echo more >> file; chmod 000 closed file"],
        &["--commit", "runner"],
    );
    let told = said(&outcome);
    let git = |words: &[&str]| {
        let mut command = place.env.command("git");
        command.args(["-c", "safe.directory=*"]).args(words).current_dir(place.env.project());
        place.env.run(&mut command, PATIENCE).stdout_text()
    };
    assert_eq!(git(&["show", "--format=", "--name-status", "HEAD"]), "A\tclosed/two\nM\tfile\n", "{told}");
    let mode =
        |path: &str| fs::metadata(place.env.project().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("closed"), mode("always")), (0o700, 0), "{told}");
    assert!(told.contains("always"), "{told}");
}

// attack(sandbox): an agent makes what steers agents by names that differ in case alone, to be obeyed where a file system does not
//   tell them apart
// holds: it is put aside like what is written as it should be, and in no commit
#[test]
fn names_that_differ_in_case_alone_steer_as_well() {
    for kind in super::place::kinds() {
        let place = Place::new(kind);
        let script = "mkdir -p .Claude .claude && echo evil | tee .Claude/settings.json .Mcp.json .claude/Settings.json; echo x > work";
        let told = said(&work(&place, &[script], &["--commit", "runner"]));
        assert_eq!(place.env.git(&["show", "--format=", "--name-only", "HEAD"]), "work", "{kind}: {told}");
        for made in [".Claude", ".Mcp.json", ".claude/Settings.json"] {
            assert!(!place.env.project().join(made).exists(), "{kind}: {made}: {told}");
        }
    }
}

// attack(sandbox): root inside reads a disk, or makes a device of its own that is one
// holds: neither can be opened
#[test]
fn disks_are_shut() {
    for kind in super::place::kinds() {
        let place = Place::new(kind);
        let script = "for disk in $(find /dev -maxdepth 1 -type b); do may_not \"read $disk\" head -c 1 \"$disk\"; done\n\
                      may_not 'make a disk' mknod disk b 7 0; may 'read zeros' head -c 1 /dev/zero; may 'write nothing' sh -c 'echo > /dev/null'\n";
        place.expect(&[], script);
    }
}

// attack(sandbox): an agent narrows its checkout (`git sparse-checkout`), so that files go away
// holds: none of them is committed as deleted, and all are there again
#[test]
fn a_checkout_that_was_narrowed_inside_is_whole_again() {
    for kind in super::place::kinds().into_iter().filter(|kind| *kind == "bwrap") {
        for how in ["--no-cone /work", "--cone --sparse-index some"] {
            let place = Place::new(kind);
            place.env.write("folder/one", "one");
            place.env.git(&["add", "-A"]);
            place.env.git(&["commit", "-qm", "more"]);
            let narrow = format!("git sparse-checkout set {how} && test ! -e folder/one && echo x > work");
            let outcome = work(&place, &[&narrow], &["--commit", "runner"]);
            assert!(
                super::git::told(&outcome).contains("the checkout was narrowed"),
                "{}",
                super::git::told(&outcome)
            );
            assert_eq!(place.env.git(&["show", "--format=", "--name-status", "HEAD"]), "A\twork", "{how}");
            assert_eq!(place.env.read("folder/one"), "one", "{how}");
        }
    }
}

const TASKS: &str =
    "# Tasks\n\n### TASK-001: First\n- **Status**: pending\n\n### TASK-002: Second\n- **Status**: pending\n";

const WRITES: &str = r#"
[[call]]
steps = [
  { write = { path = "closed/{{task}}", text = "new\n" } }, "tick_task",
  { result = { text = "{{task}} is done.", cost = 0.01 } },
]
"#;

// attack(endings): a person closes a folder of the checkout in which lanes land files
// holds: nothing is changed there, a person is asked, with the command that opens it; then the same run lands its work
#[test]
fn a_folder_that_a_person_has_closed_is_asked_for_before_anything_lands() {
    let place = Place::at(TestEnv::with_git(), "none");
    place.env.write("closed/one", "one");
    place.env.write("requirements.md", TASKS);
    place.env.git(&["add", "--all"]);
    place.env.git(&["commit", "-qm", "more"]);
    let closed = place.env.project().join("closed");
    let place = if is_root() { place.of_an_ordinary_user() } else { place };
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    let script = place.env.write(place.env.root().join("script.toml"), WRITES);
    let mock = format!("--mock={}", script.display());
    let command = ["run", "--mode", "tasks", "--no-delay", &mock, "-j", "2", "--gate", "true"];
    let outcome = place.env.run(&mut place.windlass(&command), PATIENCE);
    let told = said(&outcome).split_whitespace().collect::<Vec<_>>().join(" ");
    outcome.expect_code(24, &told);
    let closed = closed.canonicalize().unwrap();
    assert!(told.contains(&format!("chmod u+w {}", closed.display())), "{told}");
    let git = |words: &[&str]| {
        let mut command = place.env.command("git");
        command.args(["-c", "safe.directory=*"]).args(words).current_dir(place.env.project());
        place.env.run(&mut command, PATIENCE).stdout_text()
    };
    assert_eq!(git(&["diff", "--cached", "--name-only"]), "", "{told}");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    let outcome = place.env.run(&mut place.windlass(&["resume"]), PATIENCE);
    outcome.expect_code(0, &said(&outcome));
    assert_eq!(git(&["ls-files", "closed"]), "closed/TASK-001\nclosed/TASK-002\nclosed/one\n");
    assert_eq!(git(&["status", "--porcelain"]), "");
}
