use std::os::unix::fs::PermissionsExt;

use windlass_core::fact::RunId;

use super::*;

/// A run's containers with an engine that does what this script says.
fn with_engine(folder: &Path, script: &str) -> Container {
    let program = folder.join("podman");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let client = Client { engine: Engine::Podman, program };
    let plan = SandboxPlan { kind: SandboxKind::Podman(Some("i:1".to_owned())), ..SandboxPlan::default() };
    let room = SandboxRoom {
        run: RunId("r-1".to_owned()),
        directory: folder.to_owned(),
        tree: folder.to_owned(),
        git_directories: Vec::new(),
        git_settings: Vec::new(),
        state: folder.join("state"),
        files: Vec::new(),
        closed: Vec::new(),
        scratch: folder.join("scratch"),
        windlass: PathBuf::from("/bin/sh"),
        home: folder.to_owned(),
        agent: PathBuf::from("/bin/sh"),
    };
    let folders = Folders::rehearsed(&room.scratch);
    Container::new(client, &facts::guess(Engine::Podman), "i:1".to_owned(), &plan, room, folders)
}

#[test]
fn what_could_not_be_ended_is_told_once_with_what_to_type() {
    let folder = tempfile::tempdir().unwrap();
    let container = with_engine(folder.path(), "echo 'Error: database is locked' >&2; exit 125");
    container.end();
    container.end();
    let told = container.news().unwrap();
    assert!(told.contains("database is locked"), "{told}");
    assert!(told.contains("podman rm -f $(podman ps -aq --filter label=windlass.run=r-1)"), "{told}");
    assert_eq!(container.news(), None);
    container.end();
    assert_eq!(container.news(), None, "it is known");
}

#[test]
fn nothing_is_told_of_what_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let container = with_engine(folder.path(), "exit 0");
    container.end();
    assert_eq!(container.news(), None);
}
