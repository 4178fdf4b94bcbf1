//! Every format of claude-iterate, malformed variants included.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use windlass_core::spec::Mode;
use windlass_core::workspace::WorkspaceStatus;

use super::claude_iterate::{Import, is_there};
use super::{Item, ItemKind};
use crate::testing::{files, import};
use windlass_core::values::Extent;
use windlass_engine::workspace::{FoundMetadata, Workspaces};

struct Place {
    _root: tempfile::TempDir,
    project: PathBuf,
}

impl Place {
    fn new() -> Place {
        let root = tempfile::tempdir().unwrap();
        let project = root.path().canonicalize().unwrap().join("project");
        fs::create_dir_all(project.join(".git")).unwrap();
        Place { _root: root, project }
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.project.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.project.join(path)).unwrap()
    }

    fn import(&self, extent: Extent) -> Vec<Item> {
        let (source, target) = (self.project.clone(), self.project.clone());
        import(Import { source, user: None, target }.plan(), &self.project, extent)
    }

    fn workspaces(&self) -> Workspaces {
        Workspaces::open(&self.project)
    }
}

const METADATA: &str = r#"{
  "name": "api", "created": "2025-10-15T14:23:45.000Z", "lastRun": "2025-10-16T01:00:00.000Z",
  "status": "in_progress", "mode": "iterative", "totalIterations": 7, "setupIterations": 1,
  "executionIterations": 6, "maxIterations": 12, "delay": 5, "stagnationThreshold": 0,
  "notifyUrl": "https://ntfy.sh/mine", "notifyEvents": ["completion", "error"],
  "config": {"claude": {"args": ["--dangerously-skip-permissions"]}, "verification": {"depth": "deep"}}
}
"#;

fn whole() -> Place {
    let place = Place::new();
    place.write(
        ".claude-iterate.json",
        r#"{"defaultMaxIterations": 30, "outputLevel": "verbose", "colors": true}"#,
    );
    place.write("claude-iterate/workspaces/api/.metadata.json", METADATA);
    place.write("claude-iterate/workspaces/api/.status.json", r#"{"complete": false, "worked": true}"#);
    place.write("claude-iterate/workspaces/api/INSTRUCTIONS.md", "Port it.\r\n");
    place.write("claude-iterate/workspaces/api/TODO.md", "- [x] a\n- [ ] b\n");
    place.write("claude-iterate/workspaces/api/working/notes.txt", "mine");
    place.write("claude-iterate/workspaces/api/iterate-20251015-142345.log", "CLAUDE OUTPUT:\n");
    place.write("claude-iterate/workspaces/api/iterate-2025-10-15T14-23-45.log", "CLAUDE OUTPUT:\n");
    place.write("claude-iterate/templates/port/INSTRUCTIONS.md", "Port {{it}}.\n");
    place.write(
        "claude-iterate/templates/port/.template.json",
        r#"{"name": "port", "mode": "loop", "maxIterations": 8, "completionMarkers": ["DONE"], "tags": []}"#,
    );
    place.write("claude-iterate/archive/api-2025-10-01T10-00-00/.archived.json", "{}");
    place.write("claude-iterate/archive/api-2025-10-01T10-00-00/INSTRUCTIONS.md", "Old.\n");
    place.write("claude-iterate/archive/web-2025-10-02T10-00-00.tar.gz", b"\x1f\x8b whatever");
    place
}

fn item<'a>(items: &'a [Item], name: &str) -> &'a Item {
    items.iter().find(|item| item.name == name).unwrap_or_else(|| panic!("{name}: {items:#?}"))
}

// rows: 129
#[test]
fn everything_is_taken_and_the_source_stays_as_it_was() {
    let place = whole();
    let source = || {
        let mut source = files(&place.project.join("claude-iterate"));
        source.extend([(place.project.join("c"), place.read(".claude-iterate.json").into_bytes())]);
        source
    };
    let before = source();
    let items = place.import(Extent::Act);
    assert!(items.iter().all(|item| item.to.is_some()), "{items:#?}");
    assert_eq!(source(), before);

    let workspace = place.workspaces().find("api").unwrap();
    let FoundMetadata::Read { metadata, problems } = workspace.read_metadata().unwrap() else { panic!() };
    assert_eq!(
        (metadata.mode, metadata.status, problems.len()),
        (Mode::Iterative, WorkspaceStatus::InProgress, 0)
    );
    assert_eq!(
        (metadata.total_iterations, metadata.setup_iterations, metadata.execution_iterations),
        (7, 1, 6)
    );
    let options = place.read(".windlass/workspaces/api/config.toml");
    for line in [
        "max_iterations = 12",
        "delay = \"5s\"",
        "stagnation_threshold = 0",
        "url = \"https://ntfy.sh/mine\"",
        "depth = \"deep\"",
    ] {
        assert!(options.contains(line), "{line}: {options}");
    }
    assert!(!options.contains("dangerously"));
    assert!(item(&items, "api").notes.iter().any(|note| note.contains("never saved")));
    for file in
        ["INSTRUCTIONS.md", "TODO.md", ".status.json", "working/notes.txt", "iterate-20251015-142345.log"]
    {
        let theirs = place.read(&format!("claude-iterate/workspaces/api/{file}"));
        assert_eq!(place.read(&format!(".windlass/workspaces/api/{file}")), theirs, "{file}");
    }
    assert!(place.read(".windlass/config.toml").contains("max_iterations = 30"));
    assert!(place.read(".windlass/templates/port/config.toml").contains("max_iterations = 8"));
    assert!(place.project.join(".windlass/archive/web-2025-10-02T10-00-00.tar.gz").is_file());
    assert!(place.project.join(".windlass/archive/api-2025-10-01T10-00-00/INSTRUCTIONS.md").is_file());
}

#[test]
fn a_second_import_replaces_nothing() {
    let place = whole();
    place.import(Extent::Act);
    place.write(".windlass/workspaces/api/INSTRUCTIONS.md", "Mine now.\n");
    let before = files(&place.project.join(".windlass"));
    let items = place.import(Extent::Act);
    assert!(items.iter().all(|item| item.to.is_none()), "{items:#?}");
    assert_eq!(files(&place.project.join(".windlass")), before);
    let configuration = item(&items, ".claude-iterate.json");
    assert!(
        configuration.notes.iter().any(|note| note.ends_with("says all of it already")),
        "{configuration:#?}"
    );

    place.write(".windlass/config.toml", "[output]\nlevel = \"verbose\"\n");
    let items = place.import(Extent::Act);
    let commands =
        item(&items, ".claude-iterate.json").notes.iter().filter(|note| note.starts_with("windlass "));
    let expected =
        ["windlass config set limits.max_iterations 30", "windlass config set output.exit_codes simple"];
    assert_eq!(commands.collect::<Vec<_>>(), expected);
}

#[test]
fn looking_writes_nothing() {
    let place = whole();
    let before = files(&place.project);
    let looked = place.import(Extent::Look);
    assert_eq!(files(&place.project), before);
    assert!(!place.project.join(".windlass").exists());
    assert_eq!(looked, place.import(Extent::Act), "what was announced is what is done");
}

#[test]
fn folders_may_be_elsewhere() {
    let place = Place::new();
    place.write(".claude-iterate.json", r#"{"workspacesDir": "./jobs"}"#);
    place.write("jobs/api/INSTRUCTIONS.md", "Port it.\n");
    let items = place.import(Extent::Act);
    assert!(item(&items, "api").to.is_some());
    assert!(place.workspaces().find("api").unwrap().has_instructions());
}

#[test]
fn what_is_broken_is_named_and_hides_nothing_else() {
    let place = whole();
    place.write(".claude-iterate.json", "{\"defaultMaxIterations\": ");
    place.write("claude-iterate/workspaces/torn/.metadata.json", "{\"name\": \"to");
    place.write("claude-iterate/workspaces/torn/INSTRUCTIONS.md", "Go on.\n");
    place.write("claude-iterate/workspaces/bare/INSTRUCTIONS.md", "Begin.\n");
    place.write("claude-iterate/workspaces/zul\u{fc}/INSTRUCTIONS.md", "x");
    place.write("claude-iterate/workspaces/stray.txt", "x");
    place.write("claude-iterate/templates/empty/.template.json", "{}");
    place.write("claude-iterate/archive/notes.txt", "x");
    symlink("/etc", place.project.join("claude-iterate/workspaces/linked")).unwrap();
    symlink("/etc/passwd", place.project.join("claude-iterate/workspaces/bare/secret")).unwrap();
    let items = place.import(Extent::Act);
    let left = |name: &str| (item(&items, name).to.is_none(), item(&items, name).notes.join("; "));
    for (name, why) in [
        (".claude-iterate.json", "it is not JSON"),
        ("zul\u{fc}", "zul"),
        ("stray.txt", "it is not a folder"),
        ("linked", "links are not followed"),
        ("empty", "no INSTRUCTIONS.md"),
        ("notes.txt", "neither a folder nor a .tar.gz"),
    ] {
        let (is_left, notes) = left(name);
        assert!(is_left && notes.contains(why), "{name}: {notes}");
    }
    let torn = item(&items, "torn");
    assert!(torn.to.is_some() && torn.notes.iter().any(|note| note.contains("broken")), "{torn:#?}");
    let bare = item(&items, "bare");
    assert!(bare.notes.iter().any(|note| note == "secret is not copied: it is a link"), "{bare:#?}");
    assert!(!place.project.join(".windlass/workspaces/bare/secret").exists());
    assert!(item(&items, "api").to.is_some());
}

// rows: 47, 129
#[test]
fn instructions_that_name_the_old_place_and_boxes_alone_are_told() {
    let place = whole();
    place.write(
        "claude-iterate/workspaces/old/INSTRUCTIONS.md",
        "Write claude-iterate/workspaces/old/reports.\n",
    );
    place.write("claude-iterate/workspaces/old/TODO.md", "- [ ] one\n");
    place.write("claude-iterate/workspaces/told/INSTRUCTIONS.md", "Port it.\n");
    place.write("claude-iterate/workspaces/told/TODO.md", "- [ ] one\n");
    place.write("claude-iterate/workspaces/told/.status.json", "{}");
    let items = place.import(Extent::Act);
    let notes = &item(&items, "old").notes;
    let warned = notes.iter().find(|note| note.starts_with("beware: ")).unwrap();
    assert!(warned.contains(".windlass/workspaces/old/INSTRUCTIONS.md"), "{warned}");
    assert!(notes.iter().any(|note| note.contains("workspace.todo_fallback true")), "{notes:?}");
    let told = &item(&items, "told").notes;
    assert!(told.iter().all(|note| !note.contains("beware") && !note.contains("todo_fallback")), "{told:?}");
    let configured = &item(&items, ".claude-iterate.json").notes;
    assert!(configured.iter().any(|note| note.contains("skips all that for one run")), "{configured:?}");
}

#[test]
fn permissions_come_along_and_no_trace_of_the_copying_is_left() {
    let place = whole();
    place.write("claude-iterate/workspaces/api/working/run.sh", "#!/bin/sh\n");
    let script = place.project.join("claude-iterate/workspaces/api/working/run.sh");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(place.project.join("claude-iterate/workspaces/api/reports")).unwrap();
    place.import(Extent::Act);
    let ours = place.project.join(".windlass/workspaces/api/working/run.sh");
    assert_eq!(ours.metadata().unwrap().permissions().mode() & 0o777, 0o755);
    let names: Vec<_> = fs::read_dir(place.project.join(".windlass/workspaces"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["api"]);
}

#[test]
fn it_is_known_by_its_files() {
    let place = Place::new();
    assert!(!is_there(&place.project));
    place.write("claude-iterate/workspaces/.gitkeep", "");
    assert!(is_there(&place.project));
    assert_eq!(place.import(Extent::Look).iter().filter(|item| item.kind == ItemKind::Workspace).count(), 0);
}
