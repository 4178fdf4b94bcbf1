use std::fs::create_dir_all;

use windlass_core::values::RunId;

use super::*;
use crate::sandbox::SandboxAgent;
use crate::sandbox::view::{Sight, View};

/// A project, the runner's state with a lane's clone in it, and what the clone borrows.
fn project_and_lane(root: &Path) -> (SandboxRoom, Site) {
    let tree = root.join("home/project");
    let state = root.join("home/.state");
    let clone = state.join("runs/r/lanes/1/tree/project");
    for below in [&tree.join(".git/objects"), &clone.join(".git"), &state.join("runs/r/lanes/2/tree/project")]
    {
        create_dir_all(below).unwrap();
    }
    let objects = state.join("runs/r/lanes/1/lane.git/objects");
    create_dir_all(&objects).unwrap();
    let around = SandboxRoom {
        run: RunId("r".to_owned()),
        directory: tree.clone(),
        git_directories: vec![tree.join(".git")],
        loan: None,
        git_settings: Vec::new(),
        state: state.clone(),
        files: Vec::new(),
        closed: Vec::new(),
        scratch: state.join("runs/r/sandbox"),
        windlass: PathBuf::from("/bin/sh"),
        home: root.join("home"),
        agent: SandboxAgent { program: PathBuf::from("/bin/sh"), name: "claude" },
        other_agents: Vec::new(),
        tree: tree.clone(),
    };
    let site = Site {
        lane: LaneId(1),
        tree: clone.clone(),
        directory: clone,
        borrowed: vec![objects, tree.join(".git/objects")],
    };
    (around, site)
}

fn plan(writable: &[PathBuf], hidden: &[PathBuf]) -> SandboxSpec {
    SandboxSpec { writable: writable.to_vec(), hidden: hidden.to_vec(), ..SandboxSpec::default() }
}

#[test]
fn a_lanes_guests_write_in_their_clone_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (around, site) = project_and_lane(&root);
    let tree = around.tree.clone();
    for file in [tree.join("secret"), site.tree.join("secret"), site.tree.join("x")] {
        std::fs::write(file, "").unwrap();
    }
    create_dir_all(tree.join("target")).unwrap();
    // Neither what is opened in the project nor what it lies in opens the project to a lane.
    let plan = plan(&[tree.join("target"), root.join("home")], &[tree.join("secret")]);
    let lane = site.room(&around);
    let view = View::new(&site.plan(&plan, &around), &lane, Vec::new(), &lane.files);
    let state = &around.state;
    for (path, expected) in [
        (site.tree.join("x"), Sight::Writable),
        (site.tree.join(".git/config"), Sight::Writable),
        (site.tree.join("secret"), Sight::Hidden),
        (tree.join("x"), Sight::ReadOnly),
        (tree.join("target/x"), Sight::ReadOnly),
        (tree.join(".git/objects/aa"), Sight::ReadOnly),
        (tree.join("secret"), Sight::Hidden),
        (state.join("runs/r/journal.jsonl"), Sight::Hidden),
        (state.join("runs/r/lanes/1/lane.git/HEAD"), Sight::Hidden),
        (state.join("runs/r/lanes/2/tree/project/x"), Sight::Hidden),
        (root.join("home/other"), Sight::Writable),
    ] {
        assert_eq!(*view.sight(&path), expected, "{}", path.display());
    }
    let objects = state.join("runs/r/lanes/1/lane.git/objects");
    assert_eq!(*view.sight(&objects), Sight::Shown(objects.clone()), "they can be read");
}

#[test]
fn what_an_agent_makes_a_link_opens_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (around, site) = project_and_lane(&root);
    create_dir_all(around.tree.join("target")).unwrap();
    std::os::unix::fs::symlink(&around.tree, site.tree.join("target")).unwrap();
    let lane = site.room(&around);
    let plan = site.plan(&plan(&[around.tree.join("target")], &[]), &around);
    let view = View::new(&plan, &lane, Vec::new(), &lane.files);
    assert_eq!(*view.sight(&around.tree.join("x")), Sight::ReadOnly);
}

#[test]
fn what_can_only_add_is_refused_where_the_project_would_be_open() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (around, _) = project_and_lane(&root);
    let error = refuse_open_project(&plan(&[root.join("home")], &[]), &around).unwrap_err();
    assert!(error.to_string().contains("cannot keep the agents of lanes out"), "{error}");
    for writable in [vec![], vec![around.tree.join("target")], vec![root.join("elsewhere")]] {
        refuse_open_project(&plan(&writable, &[]), &around).unwrap();
    }
}
