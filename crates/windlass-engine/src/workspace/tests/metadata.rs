use std::fs;
use std::thread;
use std::time::Duration;

use windlass_core::spec::Mode;
use windlass_core::values::StopReason;
use windlass_core::workspace::WorkspaceStatus;

use super::super::FoundMetadata;
use super::{Scratch, at, names, run_id};
use crate::store::index;

fn read(workspace: &super::Workspace) -> windlass_core::workspace::Metadata {
    match workspace.read_metadata().unwrap() {
        FoundMetadata::Read { metadata, problems } if problems.is_empty() => metadata,
        other => panic!("{other:?}"),
    }
}

// rows: 126
#[test]
fn a_run_is_noted_once_and_no_run_of_another_workspace() {
    let scratch = Scratch::new();
    let (one, other) = (scratch.workspace("one"), scratch.workspace("other"));
    let run = scratch.run(&one, 4, at(1), StopReason::Complete);
    for workspace in [&one, &one, &other] {
        workspace.record_run(&scratch.project, &run).unwrap();
    }
    let noted = read(&one);
    assert_eq!((noted.execution_iterations, noted.total_iterations), (4, 4));
    assert_eq!((noted.status, noted.last_run), (WorkspaceStatus::Completed, Some(at(1))));
    assert_eq!(noted.runs.counted[0].run, run_id(&run));
    assert_eq!(read(&other).execution_iterations, 0);
    let mut unfinished = run.clone();
    unfinished.ending = None;
    unfinished.iterations = 9;
    one.record_run(&scratch.project, &unfinished).unwrap();
    assert_eq!(read(&one), noted);
}

#[test]
fn a_run_that_nobody_could_note_is_seen_all_the_same() {
    let scratch = Scratch::new();
    let workspace = scratch.workspace("one");
    scratch.run(&workspace, 4, at(1), StopReason::ConsecutiveFailures);
    let all = index::look(&scratch.project).unwrap().runs;
    let caught_up = workspace.caught_up(read(&workspace), &all);
    assert_eq!((caught_up.execution_iterations, caught_up.status), (4, WorkspaceStatus::Error));
    assert_eq!(read(&workspace).execution_iterations, 0);
}

// Seed defect D1, core/metadata.ts:76: reading, changing and writing without a lock lost what others wrote.
#[test]
fn many_writers_lose_nothing() {
    const WRITERS: u64 = 8;
    const TIMES: u64 = 5;
    let scratch = Scratch::new();
    let workspace = scratch.workspace("one");
    thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| {
                for _ in 0..TIMES {
                    workspace
                        .update_metadata(&scratch.project, windlass_core::workspace::Metadata::after_setup)
                        .unwrap();
                    // A reader never sees half a file.
                    read(&workspace);
                }
            });
        }
    });
    assert_eq!(read(&workspace).setup_iterations, WRITERS * TIMES);
}

// rows: 126
#[test]
fn broken_metadata_are_kept_and_made_again_from_the_runs() {
    let scratch = Scratch::new();
    let workspace = scratch.workspace("one");
    for (minute, reason) in [(1, StopReason::MaxIterations), (2, StopReason::Complete)] {
        scratch.run(&workspace, 3, at(minute), reason);
    }
    for (number, broken) in ["", "{\"name\": \"one\", \"tot", "[]"].into_iter().enumerate() {
        fs::write(workspace.metadata_file(), broken).unwrap();
        assert!(matches!(workspace.read_metadata().unwrap(), FoundMetadata::Corrupt(_)));
        let updated = workspace.update_metadata(&scratch.project, |_| ()).unwrap();
        let mended = updated.mended.unwrap();
        assert_eq!(mended.runs, Some(2));
        assert_eq!(fs::read_to_string(mended.kept_as.unwrap()).unwrap(), broken);
        let metadata = read(&workspace);
        assert_eq!((metadata.execution_iterations, metadata.mode), (6, Mode::Iterative));
        assert_eq!((metadata.status, metadata.last_run), (WorkspaceStatus::Completed, Some(at(2))));
        let copies = names(workspace.folder());
        assert_eq!(copies.iter().filter(|name| name.contains(".corrupt-")).count(), number + 1);
    }
}

#[test]
fn wrong_fields_are_mended_and_the_file_as_it_was_is_kept() {
    let scratch = Scratch::new();
    let workspace = scratch.workspace("one");
    let text = r#"{"name":"one","mode":"looop","executionIterations":5,"mine":true}"#;
    fs::write(workspace.metadata_file(), text).unwrap();
    let mended = workspace.update_metadata(&scratch.project, |_| ()).unwrap().mended.unwrap();
    assert_eq!((mended.runs, mended.problem.as_deref()), (None, Some("`mode` is not `loop` or `iterative`")));
    assert_eq!(fs::read_to_string(mended.kept_as.unwrap()).unwrap(), text);
    let metadata = read(&workspace);
    assert_eq!((metadata.execution_iterations, &metadata.other["mine"]), (5, &true.into()));
}

#[test]
fn missing_metadata_are_made_again() {
    let scratch = Scratch::new();
    let workspace = scratch.workspace("one");
    scratch.run(&workspace, 3, at(1), StopReason::Stagnated);
    fs::remove_file(workspace.metadata_file()).unwrap();
    let mended = workspace.update_metadata(&scratch.project, |_| ()).unwrap().mended.unwrap();
    assert_eq!((mended.runs, mended.kept_as, mended.problem), (Some(1), None, None));
    assert_eq!(read(&workspace).execution_iterations, 3);
}

// rows: 126
#[test]
fn a_reset_keeps_what_was() {
    let scratch = Scratch::new();
    let workspace = scratch.workspace("one");
    let noted = scratch.run(&workspace, 3, at(1), StopReason::Complete);
    workspace.record_run(&scratch.project, &noted).unwrap();
    let before = fs::read(workspace.metadata_file()).unwrap();
    // Another one ended, and its runner was killed before it could say so here.
    scratch.run(&workspace, 5, at(2), StopReason::Complete);
    fs::write(workspace.status(), "{\"complete\":true}").unwrap();
    fs::write(workspace.instructions(), "do it").unwrap();
    for _ in 0..3 {
        let reset = workspace.reset(&scratch.project, at(3)).unwrap();
        let metadata = reset.updated.metadata;
        assert_eq!((metadata.total_iterations, metadata.status), (0, WorkspaceStatus::InProgress));
        let all = index::look(&scratch.project).unwrap().runs;
        assert_eq!(workspace.caught_up(metadata, &all).execution_iterations, 0);
    }
    let names = names(workspace.folder());
    let kept = |of: &str| names.iter().filter(|name| name.starts_with(of)).collect::<Vec<_>>();
    assert_eq!(kept(".metadata.json.before-reset-").len(), 3, "{names:?}");
    assert_eq!(fs::read(workspace.folder().join(kept(".metadata.json.before-reset-")[0])).unwrap(), before);
    assert_eq!(kept(".status.json").len(), 1, "{names:?}");
    assert!(!workspace.status().exists() && workspace.instructions().exists());
}

// Reading a pipe that nobody writes into never ends.
#[test]
fn a_pipe_in_the_place_of_a_file_is_an_error_and_never_waited_for() {
    let scratch = Scratch::new();
    let workspace = scratch.workspace("one");
    let pipe = |path: &std::path::Path| {
        fs::remove_file(path).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    };
    let (told, done) = std::sync::mpsc::channel();
    pipe(&workspace.metadata_file());
    pipe(&workspace.config());
    let config = workspace.config();
    let project = scratch.project.clone();
    thread::spawn(move || {
        told.send(workspace.reset(&project, at(1)).unwrap_err().to_string()).unwrap();
        told.send(windlass_host::file::read_if_there(&workspace.config()).unwrap_err().to_string()).unwrap();
    });
    let metadata = config.with_file_name(".metadata.json");
    for path in [metadata, config] {
        let error = done.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(error, format!("cannot read {}: it is not a file", path.display()));
    }
}

#[test]
fn a_deleted_workspace_is_gone_and_what_a_cut_off_deletion_left_as_well() {
    let scratch = Scratch::new();
    let (one, other) = (scratch.workspace("one"), scratch.workspace("other"));
    fs::create_dir_all(scratch.workspaces.root().join(".deleting-before/working")).unwrap();
    one.delete(&scratch.project).unwrap();
    assert_eq!(names(&scratch.workspaces.root()), ["other"]);
    let run = scratch.run(&other, 1, at(1), StopReason::Complete);
    other.clone().delete(&scratch.project).unwrap();
    assert!(other.record_run(&scratch.project, &run).is_err());
    assert!(names(&scratch.workspaces.root()).is_empty());
}
