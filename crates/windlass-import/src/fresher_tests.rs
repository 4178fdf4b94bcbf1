//! Every format of Fresher, malformed variants included.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use super::fresher::{FresherImport, is_there};
use super::{Item, ItemKind};
use crate::testing::{files, import};
use windlass_core::values::Extent;

struct Place {
    _root: tempfile::TempDir,
    project: PathBuf,
}

impl Place {
    fn new() -> Place {
        let root = tempfile::tempdir().unwrap();
        let project = root.path().canonicalize().unwrap().join("project");
        fs::create_dir(&project).unwrap();
        Place { _root: root, project }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.project.join(path)
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn script(&self, path: &str, content: &str) {
        self.write(path, content);
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(0o750)).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    fn import(&self, extent: Extent) -> Vec<Item> {
        let (source, target) = (self.project.clone(), self.project.clone());
        import(FresherImport { source, target }.plan(), &self.project, extent)
    }
}

const CONFIG: &str = "[fresher]\nmax_iterations = 12\nmodel = \"opus\"\n\n[commands]\ntest = \"make test\"\n\n\
                      [hooks]\ntimeout = 9\n\n[docker]\nuse_docker = true\nmemory = \"2g\"\n";

fn whole() -> Place {
    let place = Place::new();
    place.write(".fresher/config.toml", CONFIG);
    place.write(".fresher/AGENTS.md", "# Commands\r\nmake test\r\n");
    place.write(".fresher/PROMPT.planning.md", "Plan it.\r\n");
    place.write(".fresher/PROMPT.building.md", "Build it.\n");
    place.script(".fresher/hooks/started", "#!/bin/sh\necho begun >> .fresher/logs/hooks\n");
    place.script(".fresher/hooks/next_iteration", "#!/bin/sh\nexit 0\n");
    place.write(".fresher/hooks/finished", "#!/bin/sh\n");
    place.script(".fresher/hooks/custom/say", "#!/bin/sh\necho said\n");
    place.write(".fresher/.state", "iteration = 5\ntotal_commits = 3\nfinish_type = \"complete\"\n");
    place.write(".fresher/logs/iteration-1.log", "{}\n");
    place.write(".fresher/run.sh", "#!/bin/sh\n");
    place.write("impl/README.md", "# Plan\n");
    place
}

fn item<'a>(items: &'a [Item], name: &str) -> &'a Item {
    items.iter().find(|item| item.name == name).unwrap_or_else(|| panic!("{name}: {items:#?}"))
}

fn says(items: &[Item], name: &str, words: &str) -> bool {
    item(items, name).notes.iter().any(|note| note.contains(words))
}

// rows: 13, 18, 129
#[test]
fn everything_is_taken_and_the_source_stays_as_it_was() {
    let place = whole();
    let before = files(&place.path(".fresher"));
    let items = place.import(Extent::Act);
    assert_eq!(files(&place.path(".fresher")), before);

    let config = place.read(".windlass/config.toml");
    for line in [
        "# Options imported from Fresher.",
        "max_iterations = 12",
        "model = \"opus\"",
        "folder = \"impl\"",
        "timeout = \"9s\"",
        "kind = \"docker\"",
        "memory = \"2g\"",
        "level = \"verbose\"",
        "agents_file = \".fresher/AGENTS.md\"",
    ] {
        assert!(config.contains(line), "{line}: {config}");
    }
    assert!(!config.contains("permissions"), "{config}");
    assert!(says(&items, "config.toml", "skipped all permissions"), "{items:#?}");
    assert!(says(&items, "config.toml", "windlass config set gates.commands --add 'make test'"));

    assert_eq!(place.read(".windlass/prompts/plan.md"), "Plan it.\r\n");
    assert_eq!(place.read(".windlass/prompts/build.md"), "Build it.\n");
    assert_eq!(item(&items, "AGENTS.md").to, Some(place.path(".fresher/AGENTS.md")));
    assert!(!place.path("AGENTS.md").exists());
    let mode = |hook: &str| place.path(hook).metadata().unwrap().permissions().mode() & 0o777;
    for hook in ["started", "next_iteration", "custom/say"] {
        let ours = format!(".windlass/hooks/{hook}");
        assert_eq!(place.read(&ours), place.read(&format!(".fresher/hooks/{hook}")));
        assert_eq!(mode(&ours), 0o750, "{hook}");
    }
    assert!(says(&items, "started", "names .fresher/"));
    assert!(says(&items, "finished", "chmod +x .windlass/hooks/finished"));
    assert!(says(&items, "impl/README.md", "read where it is (plan.folder)"));
    assert!(says(&items, ".state", "5 iterations with 3 commits and ended: complete"));
    for (name, words) in [("logs", "windlass logs"), ("run.sh", "windlass does what it did")] {
        assert!(item(&items, name).to.is_none() && says(&items, name, words), "{items:#?}");
    }
    let again = place.import(Extent::Act);
    assert_eq!(item(&again, "AGENTS.md").to, None, "nothing is written twice");
}

// rows: 129
// Seed defect D2, src/commands/init.rs:15, 49-82: `--force` replaced edited prompts, hooks and AGENTS.md.
#[test]
fn a_second_import_replaces_nothing() {
    let place = whole();
    place.import(Extent::Act);
    place.write(".windlass/prompts/build.md", "Mine now.\n");
    let before = files(&place.project);
    let items = place.import(Extent::Act);
    assert_eq!(files(&place.project), before);
    assert!(says(&items, "config.toml", "says all of it already"), "{items:#?}");
    assert!(says(&items, "PROMPT.planning.md", "it is here already"), "{items:#?}");
    assert!(says(&items, "PROMPT.building.md", "something else of this name"), "{items:#?}");
    for name in ["PROMPT.planning.md", "PROMPT.building.md", "started", "finished", "custom", "config.toml"] {
        assert!(item(&items, name).to.is_none(), "{name}: {items:#?}");
    }
}

#[test]
fn looking_writes_nothing_and_announces_what_is_done() {
    let place = whole();
    let before = files(&place.project);
    let looked = place.import(Extent::Look);
    assert_eq!(files(&place.project), before);
    assert!(!place.path(".windlass").exists());
    assert_eq!(looked, place.import(Extent::Act));
}

// rows: 54, 129
#[test]
fn a_missing_limit_is_told_whatever_the_configuration_is() {
    for (file, content) in [
        ("README.md", ""),
        ("config.toml", "[fresher]\nmax_iterations = 0\n"),
        ("config.toml", "[hooks]\nenabled = false\n"),
        ("config.sh", "export FRESHER_MAX_ITERATIONS=\"${FRESHER_MAX_ITERATIONS:-0}\"\n"),
        ("config.sh", "source ./more\n"),
    ] {
        let place = Place::new();
        place.write(&format!(".fresher/{file}"), content);
        let items = place.import(Extent::Act);
        let configuration = items.iter().find(|item| item.kind == ItemKind::Configuration).unwrap();
        assert!(
            configuration
                .notes
                .iter()
                .any(|note| note.contains("windlass config set limits.max_iterations 0")),
            "{file}: {items:#?}"
        );
        assert!(!place.read(".windlass/config.toml").contains("max_iterations"), "{file}");
    }
}

// rows: 129
#[test]
fn the_script_counts_where_there_is_no_other_configuration() {
    let place = Place::new();
    place.write(".fresher/config.sh", "#!/bin/bash\nexport FRESHER_MAX_TURNS=7\ntouch \"$PWD/executed\"\n");
    let items = place.import(Extent::Act);
    assert!(place.read(".windlass/config.toml").contains("max_turns = 7"));
    assert!(says(&items, "config.sh", "line 3 is not imported"), "{items:#?}");
    assert!(!place.path("executed").exists());

    let both = whole();
    both.write(".fresher/config.sh", "export FRESHER_MAX_TURNS=7\n");
    let items = both.import(Extent::Act);
    assert!(says(&items, "config.sh", "config.toml is there"), "{items:#?}");
    assert!(!both.read(".windlass/config.toml").contains("max_turns"));
}

// rows: 129
// Seed defect D2, src/commands/verify.rs:11, migrate.rs:10: defaults took the place of a broken configuration in silence.
#[test]
fn what_is_broken_is_named_and_hides_nothing_else() {
    let broken: [(&str, Make, &str); 8] = [
        ("half", |path| fs::write(path, "[fresher]\nmodel = \"op").unwrap(), "line 2 is not TOML"),
        ("latin", |path| fs::write(path, b"# caf\xe9\n").unwrap(), "not UTF-8"),
        ("huge", |path| fs::write(path, "#\n".repeat(600_000)).unwrap(), "longer than 1 MiB"),
        ("empty folder", |path| fs::create_dir(path).unwrap(), "it is a folder"),
        ("link", |path| symlink("/etc/hosts", path).unwrap(), "links are not followed"),
        ("dangling", |path| symlink("nowhere", path).unwrap(), "links are not followed"),
        ("pipe", make_pipe, "neither a file nor a folder"),
        (
            "wrong types",
            |path| fs::write(path, "[fresher]\nmax_turns = []\n").unwrap(),
            "`fresher.max_turns` is left out",
        ),
    ];
    for (kind, make, words) in broken {
        let place = whole();
        fs::remove_file(place.path(".fresher/config.toml")).unwrap();
        make(&place.path(".fresher/config.toml"));
        let items = place.import(Extent::Act);
        assert!(says(&items, "config.toml", words), "{kind}: {items:#?}");
        assert!(place.read(".windlass/config.toml").contains("folder = \"impl\""), "{kind}");
        assert_eq!(place.read(".windlass/prompts/plan.md"), "Plan it.\r\n", "{kind}");
    }
}

// rows: 129
#[test]
fn each_file_that_is_none_is_left_by_itself() {
    for (kind, make, hook_too) in [
        ("folder", (|path: &Path| fs::create_dir(path).unwrap()) as Make, true),
        ("link", |path| symlink("/etc/hosts", path).unwrap(), true),
        ("pipe", make_pipe, true),
        ("latin", |path| fs::write(path, b"caf\xe9").unwrap(), false),
        ("empty", |path| fs::write(path, "\u{feff} \r\n").unwrap(), false),
        ("huge", |path| fs::write(path, "x".repeat(2 * 1024 * 1024)).unwrap(), false),
    ] {
        let place = whole();
        for name in ["PROMPT.planning.md", "AGENTS.md", "hooks/started", ".state"] {
            let path = place.path(".fresher").join(name);
            fs::remove_file(&path).unwrap();
            make(&path);
        }
        let items = place.import(Extent::Act);
        assert!(item(&items, "PROMPT.planning.md").to.is_none(), "{kind}: {items:#?}");
        assert_eq!(item(&items, "AGENTS.md").to.is_none(), hook_too, "{kind}: {items:#?}");
        assert_eq!(item(&items, "started").to.is_none(), hook_too, "{kind}: {items:#?}");
        assert_eq!(place.path(".windlass/hooks/started").symlink_metadata().is_err(), hook_too, "{kind}");
        assert!(!place.path(".windlass/prompts/plan.md").exists(), "{kind}");
        assert_eq!(place.read(".windlass/prompts/build.md"), "Build it.\n", "{kind}");
        assert!(item(&items, ".state").to.is_none() && item(&items, "next_iteration").to.is_some(), "{kind}");
    }
}

// rows: 129
#[test]
fn another_projects_agents_file_is_copied_and_its_plan_is_left() {
    let (theirs, ours) = (whole(), Place::new());
    let run = || {
        let (source, target) = (theirs.project.clone(), ours.project.clone());
        import(FresherImport { source, target }.plan(), &ours.project, Extent::Act)
    };
    let items = run();
    assert_eq!(ours.read("AGENTS.md"), "# Commands\r\nmake test\r\n");
    assert!(!ours.read(".windlass/config.toml").contains("agents_file"));
    assert!(item(&items, "impl/README.md").to.is_none());
    ours.write("AGENTS.md", "mine");
    let items = run();
    assert!(says(&items, "AGENTS.md", "there is an AGENTS.md here already"), "{items:#?}");
    assert_eq!(ours.read("AGENTS.md"), "mine");
}

#[test]
fn it_is_known_by_its_folder() {
    let place = Place::new();
    assert!(!is_there(&place.project));
    place.write(".fresher", "a file");
    assert!(!is_there(&place.project));
    assert!(is_there(&whole().project));
}

/// Puts something in a file's place.
type Make = fn(&Path);

fn make_pipe(path: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
}
