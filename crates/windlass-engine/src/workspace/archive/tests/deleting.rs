use std::fs;
use std::os::unix::fs::symlink;

use super::*;

#[test]
fn an_archive_is_deleted_and_no_other() {
    let project = Project::new();
    project.worked("demo");
    let one = project.save("demo", Afterwards::Keep);
    let other = project.save("demo", Afterwards::Keep);
    project.write("archive/old-2025-01-02T03-04-05/.archived.json", "{}");
    project.archives().delete(&one.archive).unwrap();
    project.archives().delete(&project.archives().find("old-2025-01-02T03-04-05").unwrap()).unwrap();
    assert_eq!(project.archived(), [format!("{}.tar.gz", other.archive.name)]);
}

// Seed defect D1, core/archive-manager.ts:17: names were not looked at, so anything could be deleted.
#[test]
fn nothing_outside_is_ever_found() {
    let project = Project::new();
    let folder = project.worked("demo");
    project.save("demo", Afterwards::Keep);
    project.write("workspaces/demo/.archived.json", "{}");
    project.write("elsewhere.tar.gz", "x");
    for wrong in [
        "..",
        ".",
        "",
        "../workspaces/demo",
        "/etc",
        "a/b",
        "../elsewhere",
        "-rf",
        ".x",
        "a\\b",
        "a\nb",
        "ä",
        &"n".repeat(300),
    ] {
        let error = project.archives().find(wrong).unwrap_err();
        assert!(matches!(error, ArchiveError::BadName(_)), "{wrong:?}: {error}");
    }
    let archive = project.windlass.join("archive");
    symlink(&folder, archive.join("linked")).unwrap();
    symlink(project.windlass.join("elsewhere.tar.gz"), archive.join("file.tar.gz")).unwrap();
    fs::create_dir(archive.join("plain")).unwrap();
    fs::create_dir(archive.join("folder.tar.gz")).unwrap();
    for wrong in ["linked", "file", "plain", "folder"] {
        let error = project.archives().find(wrong).unwrap_err();
        assert!(matches!(error, ArchiveError::NoArchive { .. }), "{wrong}: {error}");
    }
    assert!(folder.exists() && project.windlass.join("elsewhere.tar.gz").exists());
}

#[test]
fn an_unknown_name_brings_those_that_are_like_it() {
    let project = Project::new();
    project.worked("demo");
    project.save("demo", Afterwards::Keep);
    let Err(ArchiveError::NoSuch { near, .. }) = project.archives().find("demo") else { panic!() };
    assert_eq!(near, ["demo-2026-03-01T12-00-05"]);
    let Err(ArchiveError::NoSuch { near, .. }) = project.archives().find("other") else { panic!() };
    assert!(near.is_empty());
}
