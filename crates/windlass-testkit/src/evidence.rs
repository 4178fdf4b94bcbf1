//! What a test's programs were told, what they said and what they left, kept for a comparison with another version of
//! Windlass (`docs/evidence.md`). Nothing is kept unless [`FOLDER`] names a folder. Kept as it is: what differs from one run to
//! the next is made equal by whoever compares.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The variable that names the folder.
pub const FOLDER: &str = "WINDLASS_TEST_EVIDENCE";

/// Of a longer file only the length is kept.
const LONGEST: u64 = 512 << 10;

/// Of a test that starts more programs, or makes more places, only the first are kept.
const MOST: usize = 60;

/// Files of a place beyond so many are not kept.
const MOST_FILES: usize = 400;

/// This test's folder; `None` where nothing is kept.
fn folder() -> Option<&'static Path> {
    static TEST: OnceLock<Option<PathBuf>> = OnceLock::new();
    let of_test = || {
        let folder = PathBuf::from(std::env::var_os(FOLDER)?);
        let program = std::env::current_exe().ok()?;
        // `loop-0123456789abcdef`
        let suite = program.file_stem()?.to_str()?.rsplit_once('-')?.0.to_owned();
        // nextest gives each test a process of its own.
        let arguments: Vec<String> = std::env::args().collect();
        let test = arguments.iter().skip(1).find(|argument| !argument.starts_with('-'))?;
        Some(folder.join(suite).join(test.replace("::", ".")))
    };
    TEST.get_or_init(of_test).as_deref()
}

/// A number of its own, from 1.
fn next(counter: &AtomicUsize) -> Option<usize> {
    let number = counter.fetch_add(1, Ordering::Relaxed) + 1;
    (number <= MOST).then_some(number)
}

fn keep(path: &Path, content: &[u8]) {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).expect("the folder of evidence");
    }
    fs::write(path, content).expect("the folder of evidence");
}

/// A program that is being watched.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Its files, without their ends.
    path: PathBuf,
    command: String,
}

/// Windlass, or what starts it.
pub(crate) fn watched(command: &Command) -> Option<Watched> {
    static STARTED: AtomicUsize = AtomicUsize::new(0);
    let is_windlass = |word: &OsStr| Path::new(word).file_name() == Some(OsStr::new("windlass"));
    let folder = folder()?;
    if !is_windlass(command.get_program()) && !command.get_args().any(is_windlass) {
        return None;
    }
    let path = folder.join(format!("said/{:03}", next(&STARTED)?));
    let mut text = String::new();
    for word in std::iter::once(command.get_program()).chain(command.get_args()) {
        let _ = writeln!(text, "{}", word.to_string_lossy());
    }
    Some(Watched { path, command: text })
}

impl Watched {
    pub(crate) fn ended(&self, code: Option<i32>, signal: Option<i32>, stdout: &[u8], stderr: &[u8]) {
        let command = format!("{}code {code:?}, signal {signal:?}\n", self.command);
        for (end, content) in [("command", command.as_bytes()), ("stdout", stdout), ("stderr", stderr)] {
            if content.len() as u64 <= LONGEST {
                keep(&self.path.with_extension(end), content);
            } else {
                keep(&self.path.with_extension(end), format!("{} bytes\n", content.len()).as_bytes());
            }
        }
    }
}

/// Keeps the runs of a place and its project, before both go.
pub(crate) fn keep_place(state: &Path, project: &Path) {
    static LEFT: AtomicUsize = AtomicUsize::new(0);
    let Some(folder) = folder() else { return };
    let runs: Vec<PathBuf> = children(&state.join("projects"))
        .iter()
        .flat_map(|project| children(&project.join("runs")))
        .collect();
    if runs.is_empty() {
        return;
    }
    let Some(number) = next(&LEFT) else { return };
    let left = folder.join(format!("left/{number:03}"));
    let mut most = MOST_FILES;
    copy(project, &left.join("project"), &mut most);
    let (mut runs, beside): (Vec<PathBuf>, Vec<PathBuf>) = runs.into_iter().partition(|path| path.is_dir());
    runs.sort_by_cached_key(|run| began(run));
    for (number, run) in runs.iter().enumerate() {
        copy(run, &left.join(format!("run-{}", number + 1)), &mut most);
    }
    for file in beside {
        copy(&file, &left.join(file.file_name().unwrap_or_default()), &mut most);
    }
}

/// The first fact's line, up to its time.
fn began(run: &Path) -> Option<String> {
    let journal = fs::read(run.join("journal.jsonl")).ok()?;
    let first = journal.split(|byte| *byte == b'\n').nth(1)?;
    Some(String::from_utf8_lossy(first.get(..60)?).into_owned())
}

/// What is the same in every run, or nobody's affair.
const UNKEPT: [&str; 7] = [".git", "lane.git", "reserve", "times", "node_modules", "target", "snapshots.git"];

fn copy(from: &Path, to: &Path, most: &mut usize) {
    let Ok(kind) = fs::symlink_metadata(from) else { return };
    if from.file_name().is_some_and(|name| UNKEPT.iter().any(|unkept| name == *unkept)) || *most == 0 {
        return;
    }
    if kind.is_dir() {
        for child in children(from) {
            copy(&child, &to.join(child.file_name().unwrap_or_default()), most);
        }
    } else if kind.is_symlink() {
        *most -= 1;
        let target = fs::read_link(from).unwrap_or_default();
        keep(to, &[b"link to ", target.as_os_str().as_bytes(), b"\n"].concat());
    } else if kind.is_file() {
        *most -= 1;
        match fs::read(from) {
            Ok(content) if kind.len() <= LONGEST => keep(to, &content),
            _ => keep(to, format!("{} bytes\n", kind.len()).as_bytes()),
        }
    }
}

fn children(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// A shell command that keeps what the process above it was called with, and the names of its variables; `None` where
/// nothing is kept. Where it may not write, nothing is kept, and nobody hears of it.
pub fn caller() -> Option<String> {
    let calls = folder()?.join("calls");
    fs::create_dir_all(&calls).expect("the folder of evidence");
    let calls = calls.display();
    Some(format!(
        "{{ f={calls}/$(date +%s%N)-$PPID; tr '\\000' '\\n' < /proc/$PPID/cmdline > $f.arguments; \
         tr '\\000' '\\n' < /proc/$PPID/environ | sed -n 's/^\\([A-Za-z_0-9]*\\)=.*/\\1/p' | sort > $f.environment; \
         }} 2> /dev/null || :"
    ))
}
