//! A plan, in one file and as a part of a folder, and a spec.

use windlass_core::values::TaskState;
use windlass_jobs::doc::plan::migrate::{to_file, to_folder};
use windlass_jobs::doc::plan::{Plan, Spec, SpecNames, coverage, standing_for_build, standing_for_planning};
use windlass_jobs::doc::tasks::sources::Boxes;
use windlass_jobs::doc::tasks::{FileRole, TaskFile};

pub(crate) fn run(data: &[u8]) {
    let specs = SpecNames::new("specs", vec!["auth.md".to_owned(), "README.md".to_owned()]);
    let single = parse(&[("PLAN.md", FileRole::Single, data)]);
    check(&single, &specs);
    if let Ok(text) = std::str::from_utf8(data) {
        check_splices(&single, text);
        let spec = Spec::parse("auth.md", text);
        assert!(spec.requirements.len() <= text.lines().count(), "a line is one requirement");
        for found in coverage(&single, &specs, &[spec]) {
            assert!(found.named() <= found.covered && found.percent() <= 100, "{found:?}");
        }
    }
    check_migration(&single, &specs);
    let folder = parse(&[
        ("plan/README.md", FileRole::Index, data),
        ("plan/auth.md", FileRole::Part, data),
        ("plan/z.md", FileRole::Part, b"- [ ] last (refs: specs/auth.md)\n"),
    ]);
    check(&folder, &specs);
    if let Ok(file) = to_file(&folder, "PLAN.md", &specs) {
        assert_eq!(file.tasks, folder.tasks().len());
    }
}

fn parse(files: &[(&str, FileRole, &[u8])]) -> Plan {
    let file = |(name, role, bytes): &(&str, FileRole, &[u8])| TaskFile {
        role: *role,
        ..TaskFile::alone(name, &Boxes, Ok(bytes.to_vec()))
    };
    Plan::parse(files.iter().map(file).collect())
}

/// The documented bounds; what has a fault is never complete.
fn check(plan: &Plan, specs: &SpecNames) {
    let items = plan.items();
    assert_eq!(items.total, plan.tasks().len() as u64);
    assert_eq!(items.remaining(), plan.open().count() as u64);
    // What is unclear is open, and waits for a person: the plan says so, and nobody works on it.
    let left = || plan.open().chain(plan.criteria().iter().filter(|one| one.row.state != TaskState::Done));
    assert_eq!(plan.next().is_some(), left().any(|task| task.row.unclear.is_none()));
    assert!(plan.next().is_some() || items.remaining() == 0 || !plan.problems(specs).is_empty());
    let build = standing_for_build(plan, "m");
    // What is in doubt is not complete, whatever is ticked.
    let is_clear = plan.faults().is_empty() && plan.doubts().is_empty();
    assert_eq!(build.complete, is_clear && items.total > 0 && left().next().is_none());
    let planning = standing_for_planning(plan, specs, "m");
    assert_eq!(planning.complete, planning.problem.is_none());
    for standing in [&build, &planning] {
        assert!(standing.summary.chars().count() <= 200 && standing.phase.chars().count() <= 80);
        let texts = [&standing.summary, &standing.phase].into_iter().chain(&standing.problem);
        for text in texts {
            assert!(text.chars().count() <= 200 && !text.contains(char::is_control), "{text:?}");
        }
    }
}

/// A change of a task's state changes its marker and no other byte, and is read as what it is.
fn check_splices(plan: &Plan, text: &str) {
    for (index, task) in plan.tasks().iter().enumerate().take(20) {
        assert!(plan.source(task).len() <= text.len());
        for state in [TaskState::Open, TaskState::InProgress, TaskState::Done] {
            let Ok(splice) = plan.mark(task, state) else { continue };
            let Some(changed) = splice.apply(text.as_bytes()) else {
                panic!("{splice:?} is outside of the text")
            };
            assert!(changed.starts_with(&text.as_bytes()[..splice.range.start]));
            assert!(changed.ends_with(&text.as_bytes()[splice.range.end..]));
            // The sign of a box is as long as another; below it a word may say the same.
            let is_sign = task.is_box() && splice.range.len() == 1;
            assert!(!is_sign || changed.len() == text.len(), "{splice:?} in {text:?}");
            let after = parse(&[("PLAN.md", FileRole::Single, &changed)]);
            assert_eq!(after.tasks().len(), plan.tasks().len(), "{splice:?} in {text:?}");
            assert_eq!(
                after.tasks().get(index).map(|task| task.row.state),
                Some(state),
                "{splice:?} in {text:?}"
            );
        }
    }
}

/// What is migrated has the same tasks, and all its words.
fn check_migration(plan: &Plan, specs: &SpecNames) {
    let Ok(files) = to_folder(plan, specs) else { return };
    assert_eq!(files.iter().map(|file| file.tasks).sum::<usize>(), plan.tasks().len());
    assert_eq!(files.last().map(|file| &*file.name), Some("README.md"));
    let mut names: Vec<String> = files.iter().map(|file| file.name.to_lowercase()).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), files.len(), "two files of one name: {names:?}");
}
