use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

use super::*;

// rows: 128
#[test]
fn an_archive_holds_all_of_a_workspace_and_the_workspace_goes() {
    let project = Project::new();
    let folder = project.worked("demo");
    project.write("workspaces/demo/.lock", "");
    let archived = project.save("demo", Afterwards::Remove);
    assert_eq!(archived.archive.name, "demo-2026-03-01T12-00-05");
    assert_eq!((archived.files, archived.not_removed), (6, None));
    assert!(!folder.exists());
    assert_eq!(project.archived(), ["demo-2026-03-01T12-00-05.tar.gz"]);
    assert_eq!(project.workspaces(), Vec::<String>::new());
    let shown = project.archives().show(&archived.archive).unwrap();
    assert_eq!(shown.told.workspace, "demo");
    assert_eq!(shown.told.at, Some(now()));
    assert_eq!(shown.told.from, folder.display().to_string());
    assert_eq!(shown.instructions.as_deref(), Some(b"# Port it\n\nAll of it.\n".as_slice()));
    assert!(shown.status.is_some() && shown.told.metadata.is_some());
    assert_eq!(shown.files, 6);
}

#[test]
fn a_workspace_stays_where_it_is_to_be_kept() {
    let project = Project::new();
    let before = contents(&project.worked("demo"));
    project.save("demo", Afterwards::Keep);
    assert_eq!(contents(&project.workspace("demo")), before);
}

// Seed defect D1, core/archive-manager.ts:29: two archives of one second became one.
#[test]
fn two_archives_of_one_second_are_two() {
    let project = Project::new();
    project.worked("demo");
    let names: Vec<String> = (0..3)
        .map(|number| {
            project.write("workspaces/demo/TODO.md", number.to_string());
            project.save("demo", Afterwards::Keep).archive.name
        })
        .collect();
    assert_eq!(
        names,
        ["demo-2026-03-01T12-00-05", "demo-2026-03-01T12-00-05-2", "demo-2026-03-01T12-00-05-3"]
    );
    for (number, archive) in names.iter().enumerate() {
        let archive = project.archives().find(archive).unwrap();
        let restored = project
            .archives()
            .restore(&archive, &name(&format!("r{number}")), super::super::OutsideLinks::Refuse)
            .unwrap();
        assert_eq!(fs::read_to_string(restored.folder.join("TODO.md")).unwrap(), number.to_string());
    }
}

#[test]
fn a_folder_of_the_same_name_is_no_name_for_a_file() {
    let project = Project::new();
    project.worked("demo");
    project.write("archive/demo-2026-03-01T12-00-05/.archived.json", "{}");
    assert_eq!(project.save("demo", Afterwards::Keep).archive.name, "demo-2026-03-01T12-00-05-2");
}

#[test]
fn the_same_folder_gives_the_same_bytes() {
    let (one, other) = (Project::new(), Project::new());
    let bytes: Vec<Vec<u8>> = [&one, &other]
        .into_iter()
        .map(|project| {
            project.worked("demo");
            let archived = project.save("demo", Afterwards::Keep);
            let read = archived.archive.read(super::super::Extent::Whole, Limits::default()).unwrap();
            format!("{:?}", read.contents.below(Path::new("demo"))).into_bytes()
        })
        .collect();
    assert_eq!(bytes[0], bytes[1]);
    let again = one.save("demo", Afterwards::Keep);
    let entries = |name: &str| {
        let archive = one.archives().find(name).unwrap();
        let mut reader = archive.reader(Limits::default()).unwrap();
        let mut paths = Vec::new();
        while let Some(entry) = reader.next().unwrap() {
            paths.push((entry.path, entry.modified, entry.mode));
        }
        paths
    };
    assert_eq!(entries("demo-2026-03-01T12-00-05"), entries(&again.archive.name));
}

#[test]
fn what_no_archive_can_hold_is_named_and_the_workspace_stays() {
    let project = Project::new();
    let folder = project.worked("demo");
    let _socket = UnixListener::bind(folder.join("working/s")).unwrap();
    let error = project.try_save("demo", Afterwards::Remove).unwrap_err();
    assert!(error.to_string().contains("working/s is a socket"), "{error}");
    assert!(folder.join("INSTRUCTIONS.md").exists());
    assert_eq!(project.archived(), Vec::<String>::new());
}

#[test]
fn what_could_not_be_restored_is_not_archived() {
    let project = Project::new();
    let folder = project.worked("demo");
    for limits in [Limits { bytes: 20, entries: 100 }, Limits { bytes: 1 << 20, entries: 5 }] {
        let error = project
            .archives()
            .with_limits(limits)
            .save(&project.all().find("demo").unwrap(), &project.state, Afterwards::Remove, now())
            .unwrap_err();
        assert!(matches!(error, ArchiveError::TooLarge { .. }), "{error}");
        assert!(folder.exists());
    }
    assert_eq!(project.archived(), Vec::<String>::new());
}

// Seed defect D1, core/archive-manager.ts:17: `archive save ..` copied and deleted the folder above.
#[test]
fn only_a_workspace_is_archived() {
    let project = Project::new();
    let folder = project.worked("demo");
    symlink("demo", project.workspace("linked")).unwrap();
    for wrong in ["..", ".", "", "missing", "demo/..", "../workspaces/demo"] {
        assert!(project.all().find(wrong).is_err(), "{wrong}");
    }
    let error = project.try_save("linked", Afterwards::Remove).unwrap_err();
    assert!(error.to_string().contains("linked is a link"), "{error}");
    assert!(folder.join("INSTRUCTIONS.md").exists());
    assert_eq!(project.archived(), Vec::<String>::new());
}

#[test]
fn a_linked_archive_folder_is_not_used() {
    let project = Project::new();
    project.worked("demo");
    let elsewhere = project.windlass.parent().unwrap().join("src");
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, project.windlass.join("archive")).unwrap();
    let archives = project.archives();
    assert!(matches!(project.try_save("demo", Afterwards::Keep), Err(ArchiveError::NoFolder { .. })));
    assert!(matches!(archives.find("demo"), Err(ArchiveError::NoFolder { .. })));
    assert!(archives.list().is_err());
}

#[test]
fn a_folder_that_may_not_be_written_to_goes_as_well() {
    let project = Project::new();
    let folder = project.worked("demo");
    fs::set_permissions(folder.join("working"), fs::Permissions::from_mode(0o555)).unwrap();
    let archived = project.save("demo", Afterwards::Remove);
    assert_eq!((archived.not_removed, folder.exists()), (None, false));
    let restored = project
        .archives()
        .restore(&archived.archive, &name("demo"), super::super::OutsideLinks::Refuse)
        .unwrap();
    let mode = fs::metadata(restored.folder.join("working")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o555);
    remove_folder(&restored.folder).unwrap();
}

#[test]
fn removing_a_folder_leaves_what_its_links_lead_to() {
    let project = Project::new();
    let folder = project.worked("demo");
    let kept = project.write("kept/file", "x");
    symlink(kept.parent().unwrap(), folder.join("working/outside")).unwrap();
    // Left by a removal that was cut off.
    project.write("workspaces/.deleting-abc/file", "x");
    let archived = project.save("demo", Afterwards::Remove);
    assert_eq!(archived.outside.len(), 1);
    assert!(kept.exists());
    assert_eq!(project.workspaces(), Vec::<String>::new());
}
