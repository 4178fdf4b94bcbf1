//! Who reads and writes the trees that guests can write: the engine's room for them, and nobody else.
//!
//! `std::fs` follows whatever link a guest left and waits for whatever pipe. So it is used where nobody but Windlass writes:
//! in its state folder, in `/proc`, for what a person names on the command line. What is not moved yet has its number here, which
//! only goes down.

use std::path::Path;

use super::Complaint;
use super::sources::is_test;

/// The crates whose files are looked at.
const LOOKED_AT: [&str; 2] = ["crates/windlass-engine/src", "crates/windlass/src"];

/// Folders and files that have nothing to do with a guest's tree, and why.
const OUTSIDE: &[(&str, &str)] = &[
    ("crates/windlass-engine/src/tree", "the room itself"),
    ("crates/windlass-engine/src/file.rs", "files of the state folder; whoever uses it is looked at"),
    ("crates/windlass-engine/src/store", "the state folder"),
    ("crates/windlass-engine/src/process", "/proc, pipes and programs"),
    ("crates/windlass-engine/src/notify", "the state folder, and a person's programs"),
    ("crates/windlass-engine/src/replay", "the state folder"),
    ("crates/windlass-engine/src/snapshot/loose.rs", "the store of snapshots"),
    ("crates/windlass-engine/src/snapshot/durable.rs", "the store of snapshots"),
    ("crates/windlass-engine/src/snapshot/store.rs", "the store of snapshots"),
    ("crates/windlass-engine/src/snapshot/objects.rs", "the store's side of copies"),
    ("crates/windlass-engine/src/recovery/record.rs", "the state folder"),
    ("crates/windlass-engine/src/fuzzing.rs", "tests"),
    ("crates/windlass-engine/src/import", "what a person names, and before any guest"),
    ("crates/windlass-engine/src/trust/store.rs", "the state folder"),
    (
        "crates/windlass/src/commands/gates.rs",
        "whether programs are there, before any guest; nothing is opened",
    ),
    ("crates/windlass/src/scripted_agent", "plays a guest"),
    ("crates/windlass/src/commands/demo", "a scratch project of its own"),
    ("crates/windlass/src/commands/doctor", "the system"),
    ("crates/windlass/src/commands/doctor.rs", "the system"),
];

/// What is not moved into the room yet: so many uses in a file, and no more.
const REMAINING: &[(&str, usize)] = &[
    ("crates/windlass-engine/src/config_file.rs", 12),
    ("crates/windlass-engine/src/git/begin.rs", 1),
    ("crates/windlass-engine/src/git/commit.rs", 1),
    ("crates/windlass-engine/src/git/lane/checkout.rs", 2),
    ("crates/windlass-engine/src/git/lane/clone.rs", 22),
    ("crates/windlass-engine/src/git/lane/follow/check.rs", 4),
    ("crates/windlass-engine/src/git/lane/follow/lock.rs", 5),
    ("crates/windlass-engine/src/git/lane/follow/mod.rs", 19),
    ("crates/windlass-engine/src/git/lane/land.rs", 1),
    ("crates/windlass-engine/src/git/lane/merge.rs", 1),
    ("crates/windlass-engine/src/git/lane/park.rs", 2),
    ("crates/windlass-engine/src/git/loan/intake.rs", 3),
    ("crates/windlass-engine/src/git/loan/mod.rs", 14),
    ("crates/windlass-engine/src/git/folders.rs", 2),
    ("crates/windlass-engine/src/git/lane/turn.rs", 1),
    ("crates/windlass-engine/src/git/patience.rs", 1),
    ("crates/windlass-engine/src/git/worktree.rs", 1),
    ("crates/windlass-engine/src/guard/tools.rs", 3),
    ("crates/windlass-engine/src/hook/attempt.rs", 1),
    ("crates/windlass-engine/src/hook/find.rs", 2),
    ("crates/windlass-engine/src/hook/kept.rs", 1),
    ("crates/windlass-engine/src/hook/output.rs", 1),
    ("crates/windlass-engine/src/plan/migrate.rs", 15),
    ("crates/windlass-engine/src/recovery/apart.rs", 1),
    ("crates/windlass-engine/src/sandbox/container/facts.rs", 1),
    ("crates/windlass-engine/src/sandbox/container/image/files.rs", 6),
    ("crates/windlass-engine/src/sandbox/container/image/mod.rs", 7),
    ("crates/windlass-engine/src/sandbox/container/inner.rs", 2),
    ("crates/windlass-engine/src/sandbox/container/leftovers.rs", 2),
    ("crates/windlass-engine/src/sandbox/container/mod.rs", 2),
    ("crates/windlass-engine/src/sandbox/folders.rs", 6),
    ("crates/windlass-engine/src/sandbox/group.rs", 8),
    ("crates/windlass-engine/src/sandbox/inside/mod.rs", 1),
    ("crates/windlass-engine/src/sandbox/landlock.rs", 1),
    ("crates/windlass-engine/src/sandbox/lane.rs", 2),
    ("crates/windlass-engine/src/sandbox/local.rs", 3),
    ("crates/windlass-engine/src/sandbox/proxy/mod.rs", 4),
    ("crates/windlass-engine/src/sandbox/room.rs", 7),
    ("crates/windlass-engine/src/sandbox/view.rs", 6),
    ("crates/windlass-engine/src/snapshot/repair.rs", 1),
    ("crates/windlass-engine/src/snapshot/repair/steps.rs", 1),
    ("crates/windlass-engine/src/snapshot/repository.rs", 1),
    ("crates/windlass-engine/src/supervisor/call.rs", 2),
    ("crates/windlass-engine/src/supervisor/check.rs", 2),
    ("crates/windlass-engine/src/supervisor/lane.rs", 1),
    ("crates/windlass-engine/src/supervisor/lanes/checkouts.rs", 2),
    ("crates/windlass-engine/src/supervisor/mod.rs", 1),
    ("crates/windlass-engine/src/supervisor/prepare.rs", 2),
    ("crates/windlass-engine/src/supervisor/recover.rs", 1),
    ("crates/windlass-engine/src/supervisor/setup.rs", 2),
    ("crates/windlass-engine/src/supervisor/inputs.rs", 1),
    ("crates/windlass-engine/src/tasks/committed.rs", 1),
    ("crates/windlass-engine/src/workspace/all.rs", 2),
    ("crates/windlass-engine/src/workspace/archive/contents.rs", 4),
    ("crates/windlass-engine/src/workspace/archive/found.rs", 2),
    ("crates/windlass-engine/src/workspace/archive/removal.rs", 16),
    ("crates/windlass-engine/src/workspace/archive/restore.rs", 8),
    ("crates/windlass-engine/src/workspace/archive/save.rs", 8),
    ("crates/windlass-engine/src/workspace/archive/unpack.rs", 4),
    ("crates/windlass-engine/src/workspace/guard.rs", 2),
    ("crates/windlass-engine/src/workspace/metadata.rs", 1),
    ("crates/windlass-engine/src/workspace/template/apply.rs", 3),
    ("crates/windlass-engine/src/workspace/template/save.rs", 4),
    ("crates/windlass-engine/src/worktree/bootstrap/choose.rs", 7),
    ("crates/windlass-engine/src/worktree/bootstrap/copy.rs", 11),
    ("crates/windlass-engine/src/worktree/bootstrap/setup.rs", 1),
    ("crates/windlass-engine/src/worktree/copied.rs", 3),
    ("crates/windlass-engine/src/worktree/locks.rs", 1),
    ("crates/windlass-engine/src/worktree/make.rs", 9),
    ("crates/windlass-engine/src/worktree/marker.rs", 2),
    ("crates/windlass-engine/src/worktree/remove.rs", 3),
    ("crates/windlass/src/commands/add_dirs.rs", 2),
    ("crates/windlass/src/commands/agent.rs", 1),
    ("crates/windlass/src/commands/assignment.rs", 2),
    ("crates/windlass/src/commands/beginning.rs", 1),
    ("crates/windlass/src/commands/conversation.rs", 1),
    ("crates/windlass/src/commands/default_project.rs", 1),
    ("crates/windlass/src/commands/goal.rs", 1),
    ("crates/windlass/src/commands/here.rs", 3),
    ("crates/windlass/src/commands/import.rs", 1),
    ("crates/windlass/src/commands/init_project.rs", 2),
    ("crates/windlass/src/commands/init_tasks.rs", 2),
    ("crates/windlass/src/commands/judging.rs", 1),
    ("crates/windlass/src/commands/launch.rs", 1),
    ("crates/windlass/src/commands/logs/mod.rs", 1),
    ("crates/windlass/src/commands/run.rs", 1),
    ("crates/windlass/src/commands/run_log.rs", 1),
    ("crates/windlass/src/commands/sandbox/shell.rs", 3),
    ("crates/windlass/src/commands/search_path.rs", 1),
    ("crates/windlass/src/commands/verify_plan.rs", 1),
];

/// What goes to the file system. A method is one whatever it is called on.
const WAYS: &[&str] = &[
    "fs::read",
    "fs::write",
    "fs::copy",
    "fs::rename",
    "fs::remove",
    "fs::create",
    "fs::canonicalize",
    "fs::metadata",
    "fs::symlink",
    "fs::hard_link",
    "fs::set_permissions",
    "fs::access",
    "fs::open",
    "fs::stat",
    "fs::mkdir",
    "fs::unlink",
    "DirBuilder::new",
    "File::open",
    "File::create",
    "File::options",
    "OpenOptions::new",
    "tempfile_in(",
    "tempdir_in(",
    "make_in(",
    ".canonicalize(",
    ".symlink_metadata(",
    ".read_link(",
    ".read_dir(",
    ".exists(",
    ".try_exists(",
];

/// Functions for the state folder, as they are called; methods of the room have the same names.
const OF_THE_STATE_FOLDER: &[&str] = &[
    "read_if_there",
    "read_beginning",
    "create_new",
    "make_folder",
    "remove_folder",
    "replace",
    "sync_folder",
];

/// Checks a Rust file.
pub fn check(file: &Path, text: &str) -> Vec<Complaint> {
    let looked_at = LOOKED_AT.iter().any(|folder| file.starts_with(folder));
    let outside = OUTSIDE.iter().any(|(folder, _)| file.starts_with(folder));
    if !looked_at || outside || is_test(file) {
        return Vec::new();
    }
    let lines = text.lines().enumerate().take_while(|(_, line)| !line.starts_with("#[cfg(test)]"));
    let uses: Vec<usize> = lines.flat_map(|(index, line)| vec![index + 1; uses_in(line)]).collect();
    let allowed =
        REMAINING.iter().find(|(name, _)| file == Path::new(name)).map_or(0, |(_, allowed)| *allowed);
    if uses.len() < allowed {
        let problem = format!("{} uses of the file system are left: say so in xtask's tidy", uses.len());
        return vec![Complaint::of(file, problem)];
    }
    let problem = "a guest may have left a link or a pipe there: go through the engine's `tree`";
    uses.into_iter().skip(allowed).map(|line| Complaint::at(file, line, problem)).collect()
}

fn uses_in(line: &str) -> usize {
    let code = line.trim_start();
    if code.starts_with("//") || code.starts_with("use ") || code.starts_with("pub use ") {
        return 0;
    }
    let ways: usize = WAYS.iter().map(|way| line.matches(way).count()).sum();
    ways + OF_THE_STATE_FOLDER.iter().map(|name| calls_of(line, name)).sum::<usize>()
}

/// How often a function is called: not a method, and not where it is made.
fn calls_of(line: &str, name: &str) -> usize {
    let called = |at: usize| {
        let before = line[..at].chars().next_back();
        let after = line[at + name.len()..].starts_with('(');
        let is_itself = !before.is_some_and(|before| before.is_alphanumeric() || "_.".contains(before));
        after && is_itself && !line[..at].ends_with("fn ")
    };
    line.match_indices(name).filter(|(at, _)| called(*at)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(file: &str, text: &str) -> Vec<Option<usize>> {
        check(Path::new(file), text).into_iter().map(|complaint| complaint.line).collect()
    }

    #[test]
    fn nobody_reads_or_writes_a_tree_of_guests_outside_the_room() {
        let engine = "crates/windlass-engine/src/progress.rs";
        for (text, found) in [
            ("fn f() {\n    std::fs::read(path);\n}\n", vec![Some(2)]),
            ("    let file = File::open(&path)?;\n", vec![Some(1)]),
            ("    if path.exists() && path.canonicalize().is_ok() {\n", vec![Some(1), Some(1)]),
            ("    let bytes = read_beginning(&path, 10)?;\n", vec![Some(1)]),
            ("    crate::file::replace(&path, bytes, 0o600)?;\n", vec![Some(1)]),
            (
                "    let bytes = at(&path).read_beginning(10)?;\n    at(&path).replace(bytes, 0o600)?;\n",
                vec![],
            ),
            ("    let text = text.replace('a', \"b\");\n", vec![]),
            ("// std::fs::read(path)\nuse std::fs::File;\n", vec![]),
            ("#[cfg(test)]\nmod tests {\n    std::fs::read(path);\n}\n", vec![]),
        ] {
            assert_eq!(lines(engine, text), found, "{text}");
        }
        let read = "    std::fs::read(path);\n";
        assert_eq!(lines("crates/windlass/src/commands/tasks/mod.rs", read), [Some(1)]);
        for outside in
            ["crates/windlass-engine/src/tree/read.rs", "crates/windlass-engine/src/store/files.rs"]
        {
            assert_eq!(lines(outside, read), [], "{outside}");
        }
    }

    #[test]
    fn what_remains_only_goes_down() {
        let Some((file, allowed)) = REMAINING.first() else { return };
        let uses = |count: usize| "    std::fs::read(path);\n".repeat(count);
        assert_eq!(lines(file, &uses(*allowed)), []);
        assert_eq!(lines(file, &uses(allowed + 1)), [Some(allowed + 1)]);
        assert_eq!(lines(file, &uses(allowed - 1)), [None]);
    }
}
