use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;
use windlass_git::testing::Scratch;

/// What is found from `below`, as `file: key: what`.
fn found(scratch: &Scratch, below: &str) -> Vec<String> {
    let place = Place::new(&scratch.top.join(below), scratch.place().repository);
    let found = find(&Search { place: &place, loaded: &[], coming: &[], own_settings: &[] });
    found.items.iter().map(|item| format!("{}: {}: {}", item.file, item.key, item.shown())).collect()
}

fn executable(scratch: &Scratch, path: &str, text: &str) {
    scratch.write(path, text);
    fs::set_permissions(scratch.top.join(path), fs::Permissions::from_mode(0o755)).unwrap();
}

const HOOK: &str =
    r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sh tools/stop.sh"}]}]}}"#;

#[test]
fn what_commands_name_is_found_with_what_that_starts() {
    let scratch = Scratch::repository();
    scratch.write(".windlass/config.toml", "[gates]\ncommands = [\"sh check.sh\", \"npm test\"]\n");
    scratch.write("check.sh", "sh ci/inner.sh\n");
    scratch.write("ci/inner.sh", "true\n");
    scratch.write("package.json", r#"{"scripts": {"test": "sh tests.sh"}}"#);
    scratch.write("tests.sh", "true\n");
    scratch.write("other.sh", "true\n");
    let gates = ".windlass/config.toml: gates.commands";
    let mut expected: Vec<String> =
        ["sh check.sh", "npm test", "the file check.sh", "the file ci/inner.sh", "the file tests.sh"]
            .map(|what| format!("{gates}: {what}"))
            .to_vec();
    expected.push(format!("{gates} (test): sh tests.sh"));
    let mut seen = found(&scratch, "");
    expected.sort();
    seen.sort();
    assert_eq!(seen, expected);
}

#[test]
fn only_what_would_be_called_is_a_hook() {
    let scratch = Scratch::repository();
    executable(&scratch, ".windlass/hooks/started", "#!/bin/sh\nsh inner.sh\n");
    scratch.write(".windlass/hooks/finished", "#!/bin/sh\n");
    executable(&scratch, ".windlass/hooks/next_iteration.sample", "#!/bin/sh\n");
    scratch.write("inner.sh", "true\n");
    let hook = ".windlass/hooks/started: hooks.started";
    assert_eq!(
        found(&scratch, ""),
        [format!("{hook}: the file .windlass/hooks/started"), format!("{hook}: the file inner.sh")]
    );
}

#[test]
fn settings_of_the_agent_count_from_here_up_to_the_top_and_its_skills_below_as_well() {
    let scratch = Scratch::repository();
    for folder in ["", "app/", "app/deeper/", "beside/"] {
        scratch.write(&format!("{folder}.claude/settings.json"), HOOK);
    }
    scratch.write("tools/stop.sh", "true\n");
    scratch.write("app/.mcp.json", r#"{"mcpServers": {"one": {"command": "sh"}}}"#);
    scratch.write("app/.claude/skills/x/SKILL.md", "---\nhooks:\n---\nText.\n");
    scratch.write("app/.claude/skills/plain/SKILL.md", "---\nname: plain\n---\nText.\n");
    fs::create_dir_all(scratch.top.join("app/src")).unwrap();
    let files = |below: &str| -> BTreeSet<String> {
        found(&scratch, below).iter().filter_map(|line| Some(line.split_once(": ")?.0.to_owned())).collect()
    };
    assert_eq!(
        files(""),
        [".claude/settings.json", "app/.claude/skills/x/SKILL.md"].map(str::to_owned).into()
    );
    assert_eq!(
        files("app/src"),
        [
            ".claude/settings.json",
            "app/.claude/settings.json",
            "app/.claude/skills/x/SKILL.md",
            "app/.mcp.json"
        ]
        .map(str::to_owned)
        .into()
    );
}

#[test]
fn a_worktree_has_the_settings_of_its_main_checkout() {
    let scratch = Scratch::committed();
    let beside = scratch.top.parent().unwrap().join("beside");
    scratch.git(&["worktree", "add", "--quiet", beside.to_str().unwrap()]);
    scratch.write(".claude/settings.local.json", HOOK);
    let Ok(windlass_git::git::FoundRepository::Worktree(repository)) =
        windlass_git::git::Repository::find(&beside)
    else {
        panic!("a worktree")
    };
    let place = Place::new(&beside, Some(repository));
    let found = find(&Search { place: &place, loaded: &[], coming: &[], own_settings: &[] });
    assert!(found.items.iter().any(|item| item.file == ".claude/settings.local.json"), "{found:?}");
}

#[test]
fn what_cannot_be_told_is_named_and_what_is_no_json_counts_as_a_whole() {
    let scratch = Scratch::repository();
    fs::create_dir(scratch.top.join(".claude")).unwrap();
    symlink("/dev/zero", scratch.top.join(".claude/settings.json")).unwrap();
    scratch.write(".mcp.json", "no JSON");
    let place = Place::new(&scratch.top, None);
    let found = find(&Search { place: &place, loaded: &[], coming: &[], own_settings: &[] });
    let troubles: Vec<&str> = found.troubles.iter().map(|trouble| trouble.file.as_str()).collect();
    assert_eq!(troubles, [".claude/settings.json"]);
    let items: Vec<&str> = found.items.iter().map(|item| item.key.as_str()).collect();
    assert_eq!(items, ["the whole file"]);
}

#[test]
fn a_text_names_its_own_commands_and_nothing_of_the_file() {
    let scratch = Scratch::repository();
    scratch.write(".windlass/config.toml", "[gates]\ncommands = [\"evil\"]\n[hooks]\nstarted = \"evil\"\n");
    scratch.write("check.sh", "true\n");
    let path = scratch.top.join(".windlass/config.toml");
    let text = "[gates]\ncommands = [\"sh check.sh\"]\n";
    let items = started_by_text(&Place::new(&scratch.top, None), FileKind::Project, &path, text);
    let shown: Vec<String> = items.iter().map(Startable::shown).collect();
    assert_eq!(shown, ["sh check.sh", "the file check.sh"]);
}

#[test]
fn the_image_is_named_from_the_top_of_the_repository() {
    let scratch = Scratch::repository();
    scratch.write("app/.windlass/sandbox/Dockerfile", "FROM scratch\n");
    assert_eq!(
        found(&scratch, "app"),
        ["app/.windlass/sandbox/Dockerfile: sandbox.dockerfile: the file app/.windlass/sandbox/Dockerfile"]
    );
}
