use std::os::unix::fs::PermissionsExt;

use windlass_core::values::RunId;

use super::*;
use crate::sandbox::SandboxAgent;

/// A run's containers with an engine that does what this script says.
fn with_engine(folder: &Path, script: &str) -> Container {
    let program = folder.join("podman");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let client = Client { engine: Engine::Podman, program };
    let plan = SandboxSpec { kind: SandboxKind::Podman(Some("i:1".to_owned())), ..SandboxSpec::default() };
    let room = SandboxRoom {
        run: RunId("r-1".to_owned()),
        directory: folder.to_owned(),
        tree: folder.to_owned(),
        git_directories: Vec::new(),
        loan: None,
        git_settings: Vec::new(),
        state: folder.join("state"),
        files: Vec::new(),
        closed: Vec::new(),
        scratch: folder.join("scratch"),
        windlass: PathBuf::from("/bin/sh"),
        home: folder.to_owned(),
        agent: SandboxAgent { program: PathBuf::from("/bin/sh"), name: "claude" },
        other_agents: Vec::new(),
    };
    let cell = Cell::rehearsed(&plan, room);
    Container::new(client, &facts::guess(Engine::Podman), "i:1".to_owned(), cell)
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

#[test]
fn a_lanes_container_holds_its_clone_and_what_that_borrows_and_is_ended_alone() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (clone, objects) = (root.join("state/lanes/1/tree"), root.join("state/lanes/1/lane.git/objects"));
    for path in [&clone, &objects, &root.join("tree/.git/objects")] {
        fs::create_dir_all(path).unwrap();
    }
    let asked = root.join("asked");
    let script = format!("echo \"$@\" >> '{}'", asked.display());
    let mut run = with_engine(&root, &script);
    run.cell.room.tree = root.join("tree");
    run.cell.room.directory = run.cell.room.tree.clone();
    run.cell.room.home = root.join("home");
    run.label_as_lane(LaneId::default());
    let site = lane::Site {
        lane: LaneId(1),
        tree: clone.clone(),
        directory: clone.clone(),
        borrowed: vec![objects, root.join("tree/.git/objects")],
    };
    let lane = run.for_lane(&site).unwrap();
    let orders = lane.cell.folders.orders(3);
    let errand =
        lane.errand(3, Guest::Command { variables: &[] }, &clone, Path::new("/bin/sh"), &[], &orders, &[]);
    let words = lane.outfit.arguments(&errand, Streams::Apart);
    let words: Vec<String> = words.into_iter().map(|word| word.into_string().unwrap()).collect();
    let mounts: Vec<String> = words.iter().filter(|word| word.starts_with("--mount=")).cloned().collect();
    let at = |path: &str| root.join(path).display().to_string();
    for (path, ending) in [
        ("state/lanes/1/tree", ""),
        ("state/lanes/1/lane.git/objects", ",readonly"),
        ("tree/.git/objects", ",readonly"),
    ] {
        let mount = format!("--mount=type=bind,source={0},target={0}{ending}", at(path));
        assert!(mounts.contains(&mount), "{mount}: {mounts:?}");
    }
    let project = format!("target={},", at("tree"));
    assert!(!mounts.iter().any(|mount| format!("{mount},").contains(&project)), "{mounts:?}");
    for label in ["--label=windlass.run=r-1", "--label=windlass.lane=r-1.1"] {
        assert!(words.iter().any(|word| word == label), "{label}: {words:?}");
    }
    lane.end();
    run.end();
    let asked = fs::read_to_string(asked).unwrap();
    let labels: Vec<&str> = asked.lines().filter_map(|line| line.split("label=").nth(1)).collect();
    assert_eq!(labels, ["windlass.lane=r-1.1", "windlass.lane=r-1.0"], "{asked}");
    assert!(lane.last_rites().unwrap().arguments.contains(&"windlass.run=r-1".into()));
}

#[test]
fn an_image_is_taken_by_what_is_found_inside() {
    let folder = tempfile::tempdir().unwrap();
    for (found, expected) in [
        ("git=yes\nclaude=yes", Ok(())),
        ("git=yes\nclaude=no", Err("the image i:1 holds no claude".to_owned())),
        ("nonsense", Err("the image i:1 holds no git and no claude".to_owned())),
    ] {
        let mut container = with_engine(folder.path(), &format!("echo '{found}'"));
        let needed = ["git", "claude"].map(str::to_owned);
        let orders = container.write_orders(0).unwrap();
        let guest = Guest::Command { variables: &[] };
        let errand = container.errand(0, guest, folder.path(), Path::new("/bin/sh"), &[], &orders, &[]);
        let Container { client, outfit, label, .. } = &mut container;
        assert_eq!(trial::try_out(client, outfit, &errand, label, &needed), expected);
    }
}

#[test]
fn only_where_some_hosts_can_be_reached_is_there_anything_to_do_inside() {
    let folder = tempfile::tempdir().unwrap();
    let mut container = with_engine(folder.path(), "exit 0");
    let path = container.cell.folders.orders(1);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    for network in [Network::On, Network::Off] {
        container.cell.plan.network = network;
        assert_eq!(container.write_orders(1).unwrap(), path);
        assert!(!path.exists());
    }
    container.cell.plan.network = Network::Hosts(vec!["127.0.0.1".to_owned(), "example.com".to_owned()]);
    assert_eq!(container.write_orders(1).unwrap(), path);
    let orders: Orders = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let direct = ["localhost", "::1"].map(str::to_owned).to_vec();
    assert_eq!(orders, Orders { direct, ..Orders::default() });
}
