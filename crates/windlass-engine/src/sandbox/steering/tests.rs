use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::sandbox::SandboxAgent;
use crate::sandbox::SandboxRoom;
use windlass_core::values::RunId;

struct Scene {
    root: PathBuf,
    tree: PathBuf,
    _folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let tree = root.join("tree");
        fs::create_dir_all(tree.join("a/b")).unwrap();
        fs::create_dir_all(root.join("runs/r-1/sandbox")).unwrap();
        Scene { root, tree, _folder: folder }
    }

    fn steering(&self) -> Steering {
        let room = SandboxRoom {
            run: RunId("r-1".to_owned()),
            directory: self.tree.join("a"),
            tree: self.tree.clone(),
            git_directories: Vec::new(),
            git_settings: Vec::new(),
            loan: None,
            state: self.root.join("runs"),
            files: Vec::new(),
            closed: Vec::new(),
            scratch: self.root.join("runs/r-1/sandbox"),
            windlass: "/windlass".into(),
            home: self.root.join("home"),
            agent: SandboxAgent { program: "/agent".into(), name: "claude" },
            other_agents: Vec::new(),
        };
        Steering::of(&room, &SandboxSpec::default())
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.tree.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn says(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.tree.join(path)).ok()
    }
}

/// What was there, in all places.
fn furnished() -> Scene {
    let scene = Scene::new();
    for path in [
        "a/.windlass/config.toml",
        "a/.windlass/hooks/started",
        "a/.windlass/workspaces/api/config.toml",
        "a/.windlass/workspaces/api/TODO.md",
        "a/.claude/settings.json",
        "a/.claude/commands/x.md",
        "a/.claude/notes.md",
        ".mcp.json",
        "other/.windlass/config.toml",
    ] {
        scene.write(path, "a person's");
    }
    scene
}

const PLACES: [&str; 11] = [
    "a/.windlass/config.toml",
    "a/.windlass/hooks/started",
    "a/.windlass/hooks/new",
    "a/.windlass/workspaces/api/config.toml",
    "a/.windlass/workspaces/new/config.toml",
    "a/.claude/settings.json",
    "a/.claude/commands/x.md",
    "a/.claude/skills/s/SKILL.md",
    ".mcp.json",
    ".claude/settings.local.json",
    "other/.windlass/config.toml",
];

/// What a guest makes of a path, by a name.
type Change = (&'static str, &'static dyn Fn(&Path));

#[test]
fn whatever_a_guest_did_to_what_steers_is_what_it_was() {
    for place in PLACES {
        let scene = furnished();
        let was = scene.says(place);
        let changes: [Change; 5] = [
            ("written", &|path| fs::write(path, "a guest's").unwrap()),
            ("a link", &|path| symlink("/etc/passwd", path).unwrap()),
            ("a folder", &|path| fs::create_dir_all(path.join("deep")).unwrap()),
            ("a pipe", &|path| {
                rustix::fs::mknodat(
                    rustix::fs::CWD,
                    path,
                    rustix::fs::FileType::Fifo,
                    rustix::fs::Mode::from(0o600),
                    0,
                )
                .unwrap();
            }),
            ("removed", &|_| ()),
        ];
        for (name, change) in changes {
            let steering = scene.steering();
            steering.begin(None);
            let path = scene.tree.join(place);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&path);
            change(&path);
            let said = steering.end();
            assert_eq!(scene.says(place), was, "{place}: {name}: {said:?}");
            let differed = !(was.is_none() && matches!(name, "removed" | "a folder"));
            assert_eq!(said.len(), usize::from(differed), "{place}: {name}: {said:?}");
            assert!(said.iter().all(|said| !said.contains("cannot")), "{said:?}");
            let _ = fs::remove_dir_all(&path).and_then(|()| fs::remove_dir(path.parent().unwrap()));
        }
        assert_eq!(scene.says("a/.windlass/workspaces/api/TODO.md").as_deref(), Some("a person's"));
        assert_eq!(scene.says("a/.claude/notes.md").as_deref(), Some("a person's"));
    }
}

#[test]
fn what_a_guest_left_is_put_aside_and_its_own_work_stays() {
    let scene = furnished();
    let steering = scene.steering();
    steering.begin(None);
    for path in ["a/.mcp.json", "a/.claude/notes.md", "a/.windlass/workspaces/api/TODO.md", "a/src/main.rs"] {
        scene.write(path, "a guest's");
    }
    let said = steering.end();
    let [one] = &said[..] else { panic!("{said:?}") };
    assert!(one.contains("made a/.mcp.json") && one.contains("put-aside/0001/a/.mcp.json"), "{one}");
    let aside = scene.root.join("runs/r-1/put-aside/0001/a/.mcp.json");
    assert_eq!(fs::read_to_string(aside).unwrap(), "a guest's");
    for path in ["a/.claude/notes.md", "a/.windlass/workspaces/api/TODO.md", "a/src/main.rs"] {
        assert_eq!(scene.says(path).as_deref(), Some("a guest's"));
    }
    assert!(!scene.root.join("runs/r-1").join(GUEST_AT_WORK).exists());
}

#[test]
fn a_folder_that_a_guest_replaced_is_made_again_and_no_link_is_followed() {
    let scene = furnished();
    fs::create_dir_all(scene.root.join("home/commands")).unwrap();
    let steering = scene.steering();
    steering.begin(None);
    for folder in ["a/.claude", "a/.windlass"] {
        fs::rename(scene.tree.join(folder), scene.tree.join(format!("{folder}-was"))).unwrap();
        symlink(scene.root.join("home"), scene.tree.join(folder)).unwrap();
    }
    let said = steering.end();
    assert_eq!(scene.says("a/.claude/settings.json").as_deref(), Some("a person's"), "{said:?}");
    assert_eq!(scene.says("a/.windlass/config.toml").as_deref(), Some("a person's"), "{said:?}");
    assert!(is_real_folder(&scene.tree.join("a/.claude")) && is_real_folder(&scene.tree.join("a/.windlass")));
    assert_eq!(fs::read_dir(scene.root.join("home")).unwrap().count(), 1);

    // Above what it knows it follows none either, and says so.
    let scene = furnished();
    let steering = scene.steering();
    steering.begin(None);
    fs::rename(scene.tree.join("other"), scene.tree.join("moved")).unwrap();
    symlink(scene.root.join("home"), scene.tree.join("other")).unwrap();
    let said = steering.end();
    assert!(said.iter().any(|said| said.contains("a folder above it is a link now")), "{said:?}");
    assert!(!scene.root.join("home").exists());
}

#[test]
fn after_a_kill_the_next_start_puts_it_back() {
    let scene = furnished();
    let steering = scene.steering();
    steering.begin(None);
    scene.write(".mcp.json", "a guest's");
    drop(steering);
    let (run, directory) = (scene.root.join("runs/r-1"), scene.tree.join("a"));
    assert_eq!(put_back_beside(&run, &scene.root), None, "it is about another tree");
    assert!(note(&run).is_there());
    let said = put_back_beside(&run, &directory).unwrap();
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(scene.says(".mcp.json").as_deref(), Some("a person's"));
    forget_guest(&run);
    assert_eq!((note(&run).is_there(), put_back_beside(&run, &directory)), (false, None));
}

#[test]
fn what_a_person_changes_between_two_guests_stays() {
    let scene = furnished();
    let steering = scene.steering();
    steering.begin(None);
    assert_eq!(steering.end(), Vec::<String>::new());
    scene.write("a/.windlass/config.toml", "a person's, newer");
    steering.begin(None);
    assert_eq!(steering.end(), Vec::<String>::new());
    assert_eq!(scene.says("a/.windlass/config.toml").as_deref(), Some("a person's, newer"));
}

#[test]
fn marks_that_a_guest_gave_are_taken_and_those_that_were_there_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = furnished();
    let mode = |path: &str| scene.tree.join(path).metadata().unwrap().permissions().mode() & 0o7777;
    for (path, mode) in [("node_modules/x/theirs", 0o4755), (".git/theirs", 0o2750)] {
        scene.write(path, "a program");
        fs::set_permissions(scene.tree.join(path), fs::Permissions::from_mode(mode)).unwrap();
    }
    symlink("node_modules/x/theirs", scene.tree.join("link")).unwrap();
    // They were there when this guest came.
    let later = SystemTime::now() + std::time::Duration::from_mins(1);
    assert!(marks::take_away(&scene.tree, later).is_empty());
    let mut steering = scene.steering();
    steering.markable = vec![scene.tree.clone()];
    steering.begin(None);
    let said = steering.end();
    assert_eq!((mode("node_modules/x/theirs"), mode(".git/theirs")), (0o755, 0o750));
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said.iter().any(|said| said.contains("made node_modules/x/theirs run as")), "{said:?}");
}
