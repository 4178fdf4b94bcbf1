//! Who reads and writes the trees that guests can write: the host's room for them, and nobody else.
//!
//! `std::fs` follows whatever link a guest left and waits for whatever pipe. So it is used where nobody but Windlass writes:
//! in its state folder, in `/proc`, for what a person names on the command line. Where a whole file does, it stands below with the
//! reason; where one line does, `// outside: why` stands above it. What is not moved yet has its number here, which only goes down.
//!
//! A use is found by its words. So the room's own types have no method of a name that `std`'s paths have.

use std::path::Path;

use super::Complaint;
use super::sources::is_test;

/// Crates that never come near a guest's tree: those without files, and those of tests and chores. All others are looked at.
const WITHOUT_TREES: [&str; 7] = [
    "crates/windlass-core",
    "crates/windlass-html",
    "crates/windlass-ui",
    "crates/windlass-testkit",
    "crates/windlass-nights",
    "crates/windlass-fuzz",
    "xtask",
];

/// Folders and files that have nothing to do with a guest's tree, and why.
const OUTSIDE: &[(&str, &str)] = &[
    ("crates/windlass-host/src/tree", "the room itself"),
    ("crates/windlass-host/src/file.rs", "files of the state folder; whoever uses it is looked at"),
    (
        "crates/windlass-engine/src/config_file/own.rs",
        "a person's own configuration; whoever calls it has looked whether it lies in a tree",
    ),
    ("crates/windlass-engine/src/store", "the state folder"),
    ("crates/windlass-host/src/note.rs", "the state folder"),
    ("crates/windlass-host/src/process", "/proc, pipes and programs"),
    ("crates/windlass-import", "another tool's files, which a person names; no guest is at work"),
    ("crates/windlass-engine/src/notify", "the state folder, and a person's programs"),
    ("crates/windlass-engine/src/replay", "the state folder"),
    ("crates/windlass-engine/src/update", "this program's own file, where a person installed it"),
    ("crates/windlass-git/src/snapshot/loose.rs", "the store of snapshots"),
    ("crates/windlass-git/src/snapshot/durable.rs", "the store of snapshots"),
    ("crates/windlass-git/src/snapshot/store.rs", "the store of snapshots"),
    ("crates/windlass-git/src/snapshot/objects.rs", "the store's side of copies"),
    ("crates/windlass-engine/src/recovery/record.rs", "the state folder"),
    ("crates/windlass-engine/src/recovery/put_back.rs", "the state folder"),
    ("crates/windlass-engine/src/testing.rs", "tests"),
    (
        "crates/windlass-fleet/src/settings.rs",
        "a person's own files of credentials, which no guest ever sees",
    ),
    ("crates/windlass-fleet/src/fleet/connect.rs", "a person's own file of certificates"),
    ("crates/windlass-fleet/src/store.rs", "the state folder: bundles and streams on their way"),
    ("crates/windlass-remote", "the state folder: repositories, packs and files of runs on their way"),
    ("crates/windlass-git/src/parcel", "the state folder, and git directories that no guest can write"),
    ("crates/windlass-git/src/lane/replica.rs", "the state folder: a repository that no guest is given"),
    ("crates/windlass-app/src/fleet/dev", "a private folder of its own, which no guest is given"),
    ("crates/windlass-app/src/fleet/policy.rs", "a person's own file of a policy"),
    ("crates/windlass-engine/src/trust/store.rs", "the state folder"),
    (
        "crates/windlass-app/src/run/gates.rs",
        "whether programs are there, before any guest; nothing is opened",
    ),
    (
        "crates/windlass-web",
        "the page's own files in the state folder; trees are the application's to look at",
    ),
    ("crates/windlass/src/scripted_agent", "plays a guest"),
    ("crates/windlass-app/src/demo", "a scratch project of its own"),
    ("crates/windlass-app/src/doctor", "the system"),
];

/// What is not moved into the room yet: so many uses in a file, and no more.
const REMAINING: &[(&str, usize)] = &[
    ("crates/windlass-git/src/git/filters.rs", 3),
    ("crates/windlass-git/src/git/folders.rs", 4),
    ("crates/windlass-git/src/loan/intake.rs", 7),
    ("crates/windlass-git/src/loan/large.rs", 3),
    ("crates/windlass-git/src/loan/mod.rs", 16),
    ("crates/windlass-git/src/loan/places.rs", 6),
];

/// What says, in the line of a use or in the one before, that it is none of a guest's tree, and why.
const MARK: &str = "// outside:";

/// What goes to the file system. A method is one whatever it is called on; one of `Path` may be named without a call.
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
    "UnixListener::bind",
    "NamedTempFile::new_in",
    "File::open",
    "File::create",
    "File::options",
    "tempfile_in(",
    "tempdir_in(",
    "make_in(",
    "OpenOptions::new",
    "fs::exists",
    "fs::try_exists",
    ".canonicalize()",
    ".metadata()",
    ".symlink_metadata()",
    ".read_link()",
    ".read_dir()",
    ".exists()",
    ".try_exists()",
    ".is_file()",
    ".is_dir()",
    ".is_symlink()",
    "Path::canonicalize",
    "Path::metadata",
    "Path::symlink_metadata",
    "Path::read_link",
    "Path::read_dir",
    "Path::exists",
    "Path::try_exists",
    "Path::is_file",
    "Path::is_dir",
    "Path::is_symlink",
];

/// Imports that may make functions of the file system known under their bare names, or the module under another one.
const IMPORTS: &[&str] = &["use std::fs", "use rustix::fs", "use std::os::unix::fs", "pub use std::fs"];

/// Functions for the state folder, as they are called; methods of the room have the same names.
const OF_THE_STATE_FOLDER: &[&str] = &[
    "read_if_there",
    "read_beginning",
    "create_new",
    "create_private_folder",
    "make_folder",
    "remove_folder",
    "clear_half_written",
    "replace",
    "sync_folder",
];

/// Checks a Rust file.
pub fn check(file: &Path, text: &str) -> Vec<Complaint> {
    let looked_at = !WITHOUT_TREES.iter().any(|folder| file.starts_with(folder));
    let outside = OUTSIDE.iter().any(|(folder, _)| file.starts_with(folder));
    if !looked_at || outside || is_test(file) {
        return Vec::new();
    }
    let uses = uses_of(text);
    let allowed =
        REMAINING.iter().find(|(name, _)| file == Path::new(name)).map_or(0, |(_, allowed)| *allowed);
    if uses.len() < allowed {
        let problem = format!("{} uses of the file system are left: say so in xtask's tidy", uses.len());
        return vec![Complaint::of(file, problem)];
    }
    let problem = "a guest may have left a link or a pipe there: go through the host's `tree`";
    uses.into_iter().skip(allowed).map(|line| Complaint::at(file, line, problem)).collect()
}

/// The lines that go to the file system, once for each use, without those of the tests at the end.
fn uses_of(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let mut uses = Vec::new();
    let mut before = "";
    for (index, line) in lines.iter().enumerate() {
        // A module of tests in a file of its own leaves more code behind it.
        let is_test_module = |next: &&str| next.trim_end().ends_with('{');
        if line.starts_with("#[cfg(test)]") && lines.get(index + 1).is_some_and(is_test_module) {
            break;
        }
        if !line.contains(MARK) && !before.contains(MARK) {
            let imported = imported_ways(&lines[index..]);
            uses.extend(vec![index + 1; uses_in(line) + imported]);
        }
        before = line;
    }
    uses
}

/// Functions of the file system that an import makes known under their bare names, where these lines begin with one.
fn imported_ways(lines: &[&str]) -> usize {
    let is_import = |line: &&&str| IMPORTS.iter().any(|import| line.trim_start().starts_with(import));
    if !lines.first().is_some_and(|line| is_import(&line)) {
        return 0;
    }
    let until_end = lines.iter().take_while(|line| !line.contains(';')).count() + 1;
    let text = lines.iter().take(until_end).copied().collect::<Vec<_>>().join(" ");
    let after = text.trim_start().split_once("fs").map_or("", |(_, after)| after);
    let names = after.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    // Types begin with a capital letter.
    let is_function = |name: &&str| name.starts_with(char::is_lowercase) && !["self", "as"].contains(name);
    names.filter(is_function).count()
}

fn uses_in(line: &str) -> usize {
    let code = line.trim_start();
    if code.starts_with("//") || code.starts_with("use ") || code.starts_with("pub use ") {
        return 0;
    }
    // What something is was asked of an entry or of what a call said that is found itself.
    let line = &line.replace(".file_type().is_", "");
    let ways: usize = WAYS.iter().map(|way| words(line, way).count()).sum();
    ways + OF_THE_STATE_FOLDER.iter().map(|name| calls_of(line, name)).sum::<usize>()
}

/// How often a function is called: not a method, and not where it is made.
fn calls_of(line: &str, name: &str) -> usize {
    let called = |at: usize| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        // `std::mem::replace` replaces no file.
        after.starts_with('(') && !["fn ", ".", "mem::"].iter().any(|other| before.ends_with(other))
    };
    words(line, name).filter(|at| called(*at)).count()
}

/// Where these words stand, and not as the end of a longer one.
fn words<'a>(line: &'a str, words: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_longer = move |at: usize| {
        let before = line[..at].chars().next_back();
        words.starts_with(char::is_alphabetic)
            && before.is_some_and(|before| before.is_alphanumeric() || before == '_')
    };
    line.match_indices(words).map(|(at, _)| at).filter(move |at| !is_longer(*at))
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
            ("    path.is_file() || path.is_dir() || path.is_symlink()\n", vec![Some(1), Some(1), Some(1)]),
            ("    let size = path.metadata()?.len();\n", vec![Some(1)]),
            ("    let size = path\n        .symlink_metadata()\n        .ok();\n", vec![Some(2)]),
            ("    for entry in folder.read_dir()? {\n", vec![Some(1)]),
            ("    folders.iter().filter(|folder| Path::is_dir(folder));\n", vec![Some(1)]),
            ("    found.parent().is_some_and(Path::exists)\n", vec![Some(1)]),
            ("    std::fs::exists(path)\n", vec![Some(1)]),
            ("use std::fs::{File, read_to_string};\n", vec![Some(1)]),
            ("use std::fs as files;\n", vec![Some(1)]),
            ("use rustix::fs::{\n    Mode, OFlags,\n    openat,\n};\n", vec![Some(1)]),
            ("use std::fs::{self, File};\nuse rustix::fs::{Mode, OFlags};\n", vec![]),
            ("    at(&path).look()?.is_some_and(|found| found.is_regular() || found.is_folder())\n", vec![]),
            ("    at(&path).holds_file() || at(&path).is_taken() || at(&path).is_link()\n", vec![]),
            // One reason is one use's.
            ("    // outside: a device.\n    File::open(null)?;\n    File::open(&path)?;\n", vec![Some(3)]),
            ("    File::open(null)?; // outside: a device.\n", vec![]),
            // A module of tests that lies elsewhere does not end what is looked at.
            ("#[cfg(test)]\nmod tests;\n\nfn f() {\n    std::fs::read(path);\n}\n", vec![Some(5)]),
            ("    let bytes = read_beginning(&path, 10)?;\n", vec![Some(1)]),
            ("    crate::file::replace(&path, bytes, 0o600)?;\n", vec![Some(1)]),
            (
                "    let bytes = at(&path).read_beginning(10)?;\n    at(&path).replace(bytes, 0o600)?;\n",
                vec![],
            ),
            ("    let text = text.replace('a', \"b\");\n    std::mem::replace(&mut a, b);\n", vec![]),
            ("    let file = LogFile::create(&folder)?;\n", vec![]),
            ("    if entry.file_type().is_ok_and(|kind| kind.is_dir()) {\n", vec![Some(1)]),
            ("// std::fs::read(path)\nuse std::fs::File;\n", vec![]),
            ("#[cfg(test)]\nmod tests {\n    std::fs::read(path);\n}\n", vec![]),
        ] {
            assert_eq!(lines(engine, text), found, "{text}");
        }
        let read = "    std::fs::read(path);\n";
        assert_eq!(lines("crates/windlass/src/commands/tasks/mod.rs", read), [Some(1)]);
        for outside in ["crates/windlass-host/src/tree/read.rs", "crates/windlass-engine/src/store/files.rs"]
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
