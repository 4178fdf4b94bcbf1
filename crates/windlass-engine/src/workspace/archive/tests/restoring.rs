use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;

use super::super::{Form, OutsideLinks};
use super::*;

// rows: 128
#[test]
fn what_was_archived_comes_back_byte_for_byte() {
    let project = Project::new();
    let folder = project.worked("demo");
    project.write(&format!("workspaces/demo/working/{}", "long-".repeat(45)), "long");
    symlink("x/".repeat(200), folder.join("far")).unwrap();
    symlink("./a//b", folder.join("as-it-is")).unwrap();
    let before = contents(&folder);
    let archived = project.save("demo", Afterwards::Remove);
    let restored =
        project.archives().restore(&archived.archive, &name("demo"), OutsideLinks::Refuse).unwrap();
    assert_eq!(restored.folder, folder);
    assert_eq!(contents(&folder).first_difference(&before), None);
    assert_eq!(project.workspaces(), ["demo"]);
    assert!(project.archived().len() == 1, "the archive stays");
}

#[test]
fn an_existing_workspace_is_never_overwritten() {
    let project = Project::new();
    project.worked("demo");
    let archived = project.save("demo", Afterwards::Keep);
    project.worked("demo-2");
    let before = contents(&project.workspace("demo"));
    let error =
        project.archives().restore(&archived.archive, &name("demo"), OutsideLinks::Refuse).unwrap_err();
    assert_eq!(error.to_string(), "there is a workspace `demo` already; `demo-3` is free");
    assert_eq!(contents(&project.workspace("demo")), before);
    assert_eq!(project.workspaces(), ["demo", "demo-2"]);
}

#[test]
fn another_name_is_in_the_metadata_too_and_nothing_else_changes() {
    let project = Project::new();
    project.worked("demo");
    let archived = project.save("demo", Afterwards::Keep);
    let restored =
        project.archives().restore(&archived.archive, &name("again"), OutsideLinks::Refuse).unwrap();
    assert_eq!(
        fs::read_to_string(restored.folder.join(".metadata.json")).unwrap(),
        "{\n  \"name\": \"again\",\n  \"totalIterations\": 7,\n  \"x\": 1.50\n}\n"
    );
    assert!(!restored.folder.join(".archived.json").exists());
}

#[test]
fn links_that_lead_outside_are_made_only_when_asked_for() {
    let project = Project::new();
    for (target, outside) in [
        ("/etc", true),
        ("../../..", true),
        ("../..", true),
        ("..", false),
        ("../INSTRUCTIONS.md", false),
        ("../reports/../INSTRUCTIONS.md", false),
        // Through a link that leads up, further up.
        ("up/..", true),
        ("self", false),
    ] {
        let folder = project.worked("demo");
        symlink("..", folder.join("working/up")).unwrap();
        symlink("self", folder.join("working/self")).unwrap();
        symlink(target, folder.join("working/new")).unwrap();
        let before = contents(&folder);
        let archived = project.save("demo", Afterwards::Remove);
        assert_eq!(archived.outside.len(), usize::from(outside), "{target}");
        let refused = project.archives().restore(&archived.archive, &name("demo"), OutsideLinks::Refuse);
        assert_eq!(refused.is_err(), outside, "{target}");
        if outside {
            assert!(refused.unwrap_err().to_string().contains("its link working/new leads out"));
            assert_eq!(project.workspaces(), Vec::<String>::new());
            project.archives().restore(&archived.archive, &name("demo"), OutsideLinks::Allow).unwrap();
        }
        assert_eq!(contents(&folder), before);
        remove_folder(&folder).unwrap();
        project.archives().delete(&archived.archive).unwrap();
    }
}

// rows: 128
#[test]
fn the_folders_of_claude_iterate_are_archives_too() {
    let project = Project::new();
    let source = project.worked("demo");
    let archive = project.windlass.join("archive/demo-2025-01-02T03-04-05");
    fs::create_dir_all(archive.parent().unwrap()).unwrap();
    fs::rename(&source, &archive).unwrap();
    project.write(
        "archive/demo-2025-01-02T03-04-05/.archived.json",
        r#"{"originalName":"demo","archiveName":"demo-2025-01-02T03-04-05","archivedAt":"2025-01-02T03:04:05.678Z","archivedFrom":"/old"}"#,
    );
    project.write("archive/notes/readme.txt", "no archive");
    project.write("archive/readme.txt", "no archive");
    let listed = project.archives().list().unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (listed[0].archive.form, listed[0].archive.name.as_str()),
        (Form::Folder, "demo-2025-01-02T03-04-05")
    );
    assert_eq!(listed[0].told.as_ref().unwrap().workspace, "demo");
    let shown = project.archives().show(&listed[0].archive).unwrap();
    assert_eq!((shown.files, shown.told.from.as_str()), (6, "/old"));
    let restored =
        project.archives().restore(&listed[0].archive, &name("demo"), OutsideLinks::Refuse).unwrap();
    assert!(!restored.folder.join(".archived.json").exists());
    let mut expected = contents(&archive);
    expected.items.remove(Path::new(".archived.json"));
    assert_eq!(contents(&restored.folder), expected);
}

/// Archives of others, as tar and as node's tar write them: with and without a folder of their own.
#[test]
fn compressed_archives_of_others_are_read_wherever_the_workspace_is_in_them() {
    let project = Project::new();
    for (number, top, record) in [
        (1, "", ".archived.json"),
        (2, "./", "./.archived.json"),
        (3, "demo-2025-01-02T03-04-05/", "demo-2025-01-02T03-04-05/.archived.json"),
        (4, "demo/", ".archived.json"),
        (5, "demo/", ""),
    ] {
        let mut builder =
            tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
        let mut add = |path: &str, content: &[u8]| {
            let mut header = tar::Header::new_ustar();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, path, content).unwrap();
        };
        if !record.is_empty() {
            add(record, br#"{"originalName":"demo","archivedAt":"2025-01-02T03:04:05Z"}"#);
        }
        add(&format!("{top}INSTRUCTIONS.md"), b"do it");
        add(&format!("{top}.metadata.json"), br#"{"name":"demo"}"#);
        add(&format!("{top}working/deep/file"), b"1");
        let bytes = builder.into_inner().unwrap().finish().unwrap();
        project.write("archive/demo-2025-01-02T03-04-05.tar.gz", bytes);
        let archive = project.archives().find("demo-2025-01-02T03-04-05.tar.gz").unwrap();
        let listed = project.archives().list().unwrap();
        assert_eq!(listed[0].told.as_ref().unwrap().workspace, "demo", "{number}");
        let to = name(&format!("w{number}"));
        let restored = project.archives().restore(&archive, &to, OutsideLinks::Refuse).unwrap();
        assert_eq!(names_in(&restored.folder), [".metadata.json", "INSTRUCTIONS.md", "working"], "{number}");
        assert_eq!(fs::read(restored.folder.join("working/deep/file")).unwrap(), b"1");
    }
}

#[test]
fn a_list_has_the_newest_first_and_names_what_cannot_be_read() {
    let project = Project::new();
    project.worked("demo");
    project.worked("other");
    let later = "2026-03-02T00:00:00Z".parse().unwrap();
    project.save("demo", Afterwards::Keep);
    project
        .archives()
        .save(&project.all().find("other").unwrap(), &project.state, Afterwards::Keep, later)
        .unwrap();
    project.write("archive/broken-2026-03-03T00-00-00.tar.gz", "no archive");
    let mut file = fs::File::create(project.windlass.join("archive/.hidden.tar.gz")).unwrap();
    file.write_all(b"x").unwrap();
    let listed = project.archives().list().unwrap();
    let names: Vec<&str> = listed.iter().map(|row| row.archive.name.as_str()).collect();
    assert_eq!(
        names,
        ["broken-2026-03-03T00-00-00", "other-2026-03-02T00-00-00", "demo-2026-03-01T12-00-05"]
    );
    assert!(matches!(listed[0].told, Err(ArchiveError::Damaged { .. })));
    assert!(listed[1].told.as_ref().unwrap().metadata.is_some());
}
