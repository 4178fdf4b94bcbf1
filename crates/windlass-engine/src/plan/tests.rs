//! Finding plans and specs, whatever lies in their place.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use windlass_jobs::doc::tasks::Task;

use super::*;
use windlass_git::testing::Scratch;

fn places() -> JobPlan {
    JobPlan {
        file: PathBuf::from("IMPLEMENTATION_PLAN.md"),
        folder: Some(PathBuf::from("plan")),
        specs: Some(PathBuf::from("specs")),
        smart_termination: true,
        archives_finished: false,
    }
}

fn faults(scratch: &Scratch) -> Vec<String> {
    let found = find_plan(&scratch.top, &places());
    assert!(!standing(&scratch.top, &places(), Mode::Build).unwrap().complete);
    assert!(!standing(&scratch.top, &places(), Mode::Plan).unwrap().complete);
    found.plan.faults().iter().map(ToString::to_string).collect()
}

// Seed defect D2, src/commands/build.rs:27: the folder's name was fixed, whatever was configured.
// rows: 94, 95
#[test]
fn the_folder_goes_before_the_file_where_it_has_a_readme() {
    let scratch = Scratch::plain();
    let found = find_plan(&scratch.top, &places());
    assert!(found.plan.is_missing() && found.mark.is_empty());
    scratch.write("IMPLEMENTATION_PLAN.md", "- [ ] single\n");
    scratch.write("plan/auth.md", "- [ ] feature\n");
    let first = find_plan(&scratch.top, &places());
    assert_eq!(first.plan.tasks()[0].place(), "IMPLEMENTATION_PLAN.md:1");
    scratch.write("plan/README.md", "# Plan\n");
    scratch.write("plan/.archive/old.md", "- [ ] old\n");
    scratch.write("plan/picture.png", "\0");
    let folder = find_plan(&scratch.top, &places());
    assert_eq!(folder.plan.tasks().iter().map(Task::place).collect::<Vec<_>>(), ["plan/auth.md:1"]);
    assert_ne!(first.mark, folder.mark);
    scratch.write("plan/auth.md", "- [x] feature\n");
    assert_ne!(find_plan(&scratch.top, &places()).mark, folder.mark);
    let elsewhere = JobPlan { folder: Some(PathBuf::from("impl")), ..places() };
    assert_eq!(find_plan(&scratch.top, &elsewhere), first);
}

// Seed defect D2, seed 002 §4.2, missing plan: a plan that was gone had no open task, and so was complete.
// Seed defect D2, src/verify.rs:236-238, 255, 199, 215: a plan that could not be read, or was gone, counted as complete.
// rows: 48
#[test]
fn what_is_no_readable_plan_is_an_error_and_never_complete() {
    let scratch = Scratch::plain();
    let plan = scratch.top.join("IMPLEMENTATION_PLAN.md");
    assert_eq!(faults(&scratch), [""; 0]);
    fs::create_dir(&plan).unwrap();
    assert_eq!(faults(&scratch), ["IMPLEMENTATION_PLAN.md is a folder"]);
    fs::remove_dir(&plan).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, &plan, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert_eq!(faults(&scratch), ["IMPLEMENTATION_PLAN.md is not a file, but a pipe or a device"]);
    fs::remove_file(&plan).unwrap();
    symlink("nowhere", &plan).unwrap();
    assert!(faults(&scratch)[0].starts_with("IMPLEMENTATION_PLAN.md is a link that leads nowhere"));
    fs::remove_file(&plan).unwrap();
    fs::write(&plan, b"- [x] \xff").unwrap();
    assert_eq!(faults(&scratch), ["IMPLEMENTATION_PLAN.md:1: is not UTF-8"]);
    fs::write(&plan, b"").unwrap();
    let written = "write each task as `- [ ] what is to be done` or `### TASK-001: What is to be done`";
    assert_eq!(faults(&scratch), [format!("IMPLEMENTATION_PLAN.md is empty: {written}")]);
    fs::create_dir(scratch.top.join("plan")).unwrap();
    symlink("gone", scratch.top.join("plan/README.md")).unwrap();
    assert!(faults(&scratch)[0].starts_with("plan/README.md is a link that leads nowhere"));
}

#[test]
fn specs_are_markdown_files_and_all_else_is_said() {
    let scratch = Scratch::plain();
    assert!(find_specs(&scratch.top, &places()).names.is_empty());
    scratch.write("specs/auth.md", "# Auth\n");
    scratch.write("specs/api/users.MD", "# Users\n");
    scratch.write("specs/blob.md", "a\0b");
    scratch.write("specs/picture.png", "\0");
    scratch.write("specs/.hidden.md", "");
    symlink("..", scratch.top.join("specs/up")).unwrap();
    symlink("auth.md", scratch.top.join("specs/linked.md")).unwrap();
    fs::write(scratch.top.join("specs/latin.md"), b"\xe4").unwrap();
    let found = find_specs(&scratch.top, &places());
    assert_eq!(found.names.names(), ["api/users.MD", "auth.md", "blob.md", "latin.md", "linked.md"]);
    let skipped: Vec<_> = found.skipped.iter().map(|file| format!("{} {}", file.path, file.why)).collect();
    assert_eq!(skipped, ["specs/picture.png is not a Markdown file", "specs/up is a link to a folder"]);
    assert_eq!(found.text("auth.md").unwrap(), "# Auth\n");
    let why =
        |name| found.text(name).map_err(|skipped| format!("{} {}", skipped.path, skipped.why)).unwrap_err();
    assert_eq!(why("blob.md"), "specs/blob.md is binary");
    assert_eq!(why("latin.md"), "specs/latin.md is not UTF-8");
    assert_eq!(why("gone.md"), "specs/gone.md is gone");
}

const PLAN: &str = "# Plan\n\nWhy.\n\n- [ ] a (refs: specs/auth.md)\n- [x] b\n";

fn to(scratch: &Scratch, form: PlanForm) -> Result<Migration, MigrationError> {
    let migration = migration(&scratch.top, &places(), form)?;
    migration.carry_out().map(|()| migration)
}

fn names(scratch: &Scratch) -> Vec<String> {
    let names = fs::read_dir(&scratch.top).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

// Seed defect D2, src/impl_plan.rs:427-443: a failure on the way left half a plan.
// rows: 96
#[test]
fn a_plan_becomes_a_folder_and_a_file_again() {
    let scratch = Scratch::plain();
    scratch.write("IMPLEMENTATION_PLAN.md", PLAN);
    scratch.write("specs/auth.md", "# Auth\n");
    let looked = migration(&scratch.top, &places(), PlanForm::Folder).unwrap();
    assert_eq!(names(&scratch), ["IMPLEMENTATION_PLAN.md", "specs"], "looking changes nothing");
    let files: Vec<_> =
        looked.files.iter().map(|(path, tasks)| (path.display().to_string(), *tasks)).collect();
    assert_eq!(files, [("plan/auth.md".to_owned(), 1), ("plan/README.md".to_owned(), 1)]);
    to(&scratch, PlanForm::Folder).unwrap();
    assert_eq!(names(&scratch), ["IMPLEMENTATION_PLAN.md.backup", "plan", "specs"]);
    assert_eq!(fs::read_to_string(scratch.top.join("IMPLEMENTATION_PLAN.md.backup")).unwrap(), PLAN);
    assert!(matches!(to(&scratch, PlanForm::Folder), Err(MigrationError::Already(_))));
    to(&scratch, PlanForm::File).unwrap();
    assert_eq!(
        names(&scratch),
        ["IMPLEMENTATION_PLAN.md", "IMPLEMENTATION_PLAN.md.backup", "plan.backup", "specs"]
    );
    assert_eq!(find_plan(&scratch.top, &places()).plan.tasks().len(), 2);
    let again = to(&scratch, PlanForm::Folder).unwrap_err();
    assert_eq!(
        again.to_string(),
        "IMPLEMENTATION_PLAN.md.backup is there already, and nothing is overwritten"
    );
}

// rows: 96
#[test]
fn a_step_that_fails_leaves_the_former_plan_in_force() {
    let scratch = Scratch::plain();
    scratch.write("IMPLEMENTATION_PLAN.md", PLAN);
    scratch.write("plan/notes.txt", "mine\n");
    let before = find_plan(&scratch.top, &places());
    let migration = migration(&scratch.top, &places(), PlanForm::Folder).unwrap();
    let unchanged = |what: &str| {
        assert_eq!(find_plan(&scratch.top, &places()), before, "{what}");
        let left: Vec<_> =
            fs::read_dir(scratch.top.join("plan")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| name == "notes.txt" || name == "README.md"), "{what}: {left:?}");
        assert!(scratch.top.join("IMPLEMENTATION_PLAN.md.backup").symlink_metadata().is_err(), "{what}");
    };
    // The last file of the plan cannot be made.
    symlink("nowhere/README", scratch.top.join("plan/README.md")).unwrap();
    let changed = migration.carry_out().unwrap_err();
    assert!(matches!(changed, MigrationError::Changed(_)), "{changed}");
    fs::remove_file(scratch.top.join("plan/README.md")).unwrap();
    unchanged("the README");
    // A file of the plan is there meanwhile.
    fs::create_dir(scratch.top.join("plan/auth.md")).unwrap();
    let in_the_way = migration.carry_out().unwrap_err();
    assert!(matches!(in_the_way, MigrationError::InTheWay(_)), "{in_the_way}");
    fs::remove_dir(scratch.top.join("plan/auth.md")).unwrap();
    unchanged("a feature");
    // Somebody ticks a box meanwhile.
    scratch.write("IMPLEMENTATION_PLAN.md", PLAN.replace("[ ]", "[x]"));
    assert!(matches!(migration.carry_out(), Err(MigrationError::Changed(_))));
    scratch.write("IMPLEMENTATION_PLAN.md", PLAN);
    unchanged("a box");
    assert!(migration.carry_out().is_ok());
}

#[test]
fn what_is_somebodys_is_not_taken_for_a_part_of_the_plan() {
    let scratch = Scratch::plain();
    scratch.write("IMPLEMENTATION_PLAN.md", PLAN);
    scratch.write("plan/draft.md", "- [ ] mine\n");
    let said = migration(&scratch.top, &places(), PlanForm::Folder).unwrap_err().to_string();
    assert_eq!(said, "plan/draft.md is there already, and nothing is overwritten");
    fs::remove_file(scratch.top.join("plan/draft.md")).unwrap();
    fs::rename(scratch.top.join("IMPLEMENTATION_PLAN.md"), scratch.top.join("real.md")).unwrap();
    symlink("real.md", scratch.top.join("IMPLEMENTATION_PLAN.md")).unwrap();
    assert!(matches!(migration(&scratch.top, &places(), PlanForm::Folder), Err(MigrationError::Link(_))));
    let none = JobPlan { folder: None, ..places() };
    assert!(matches!(migration(&scratch.top, &none, PlanForm::Folder), Err(MigrationError::NoFolder)));
}

#[test]
fn what_is_read_as_the_plan_may_be_written_while_planning() {
    for (path, belongs) in [
        ("IMPLEMENTATION_PLAN.md", true),
        ("plan/README.md", true),
        ("plan/AUTH.MD", true),
        ("plan/.archive/old.Md", true),
        ("plan/auth.rs", false),
        ("plan/deep/auth.md", false),
        ("README.md", false),
    ] {
        assert_eq!(is_plan(Path::new(path), &places()), belongs, "{path}");
    }
}
