//! What `DevLoop` generated for its agents, and what its parallel work left: named, and left alone.

use std::path::Path;

use windlass_core::config::devloop::{is_devloop_guidance, is_devloop_settings};

use super::found::{names, repository};
use super::{FOLDER, Item, ItemKind};
use windlass_git::git::PackedRefs;
use windlass_host::file::read_beginning;

/// So much of a file is looked at.
const LOOKED_AT: usize = 256 * 1024;
/// So many worktrees and branches are named.
const NAMED: usize = 20;

/// All of it.
pub(super) fn items(source: &Path) -> Vec<Item> {
    let settings = settings(source).into_iter();
    settings
        .chain(guidance(source))
        .chain(worktrees(source))
        .chain(branches(source))
        .chain(others(source))
        .collect()
}

fn beginning(path: &Path) -> Option<Vec<u8>> {
    read_beginning(path, LOOKED_AT).ok().flatten().filter(|bytes| bytes.len() <= LOOKED_AT)
}

fn settings(source: &Path) -> Option<Item> {
    const NAME: &str = ".claude/settings.json";
    let from = source.join(NAME);
    let is_its = beginning(&from).is_some_and(|bytes| is_devloop_settings(&bytes));
    let why = "DevLoop made it; runs here pass settings of their own. Look at it, and without it: rm .claude/settings.json";
    is_its.then(|| Item::left(ItemKind::File, NAME, from, why))
}

fn guidance(source: &Path) -> Option<Item> {
    const NAME: &str = "CLAUDE.md";
    let from = source.join(NAME);
    let is_its = beginning(&from).is_some_and(|bytes| is_devloop_guidance(&String::from_utf8_lossy(&bytes)));
    let why = "beware: DevLoop wrote it for sessions that plan, and every agent here reads it: it may tell them that their only job is \
               requirements.md, and names the workspace of then. Take out what does not hold any more, or without it: rm CLAUDE.md";
    is_its.then(|| Item::left(ItemKind::File, NAME, from, why))
}

/// `.worktrees/T001`
fn worktrees(source: &Path) -> Option<Item> {
    let folder = source.join(".worktrees");
    let is_its = |name: &str| {
        name.strip_prefix('T').is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
    };
    let its: Vec<String> = names(&folder).into_iter().filter(|name| is_its(name)).collect();
    let why = || {
        format!(
            "left alone, since work can be in there that is nowhere else (git worktree list): {}",
            listed(&its)
        )
    };
    (!its.is_empty()).then(|| Item::left(ItemKind::File, ".worktrees", folder, why()))
}

/// `devloop/TASK-001`
fn branches(source: &Path) -> Option<Item> {
    let common = repository(source)?.common_dir;
    let loose = names(&common.join("refs/heads/devloop")).into_iter();
    let packed =
        beginning(&common.join("packed-refs")).map(|bytes| PackedRefs::parse(&bytes)).unwrap_or_default();
    let packed = packed.0.into_keys().filter_map(|name| {
        let name = String::from_utf8_lossy(&name).into_owned();
        name.strip_prefix("refs/heads/devloop/").map(str::to_owned)
    });
    let mut its: Vec<String> = loose.chain(packed).map(|name| format!("devloop/{name}")).collect();
    its.sort();
    its.dedup();
    let why = || {
        format!("left alone, since they can hold work that is merged nowhere (git branch): {}", listed(&its))
    };
    (!its.is_empty()).then(|| Item::left(ItemKind::File, "branches", common, why()))
}

fn listed(names: &[String]) -> String {
    let mut shown: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    let more = format!("{} more", names.len().saturating_sub(NAMED));
    if names.len() > NAMED {
        shown.push(&more);
    }
    shown.join(", ")
}

/// Everything else in its folder.
fn others(source: &Path) -> Vec<Item> {
    const KNOWN: [&str; 6] =
        ["config.json", "session.json", "features", "requirements.md", "tasks.md", "progress.md"];
    let folder = source.join(FOLDER);
    let others = names(&folder).into_iter().filter(|name| !KNOWN.contains(&name.as_str()));
    let item = |name: String| {
        let why = match name.as_str() {
            "logs" | "debug.log" => "they stay where they are; those of runs here: windlass logs",
            "archive" => "former phases stay where they are",
            "review.md" => "it stays where it is; runs here verify instead (verify.on_completion)",
            _ => "there is nothing like it here",
        };
        Item::left(ItemKind::File, &name, folder.join(&name), why)
    };
    others.map(item).collect()
}
