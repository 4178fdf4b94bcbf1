//! What a program and all that it starts ask the kernel for, in order: which files they write, sync and rename, and which
//! programs they start.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use windlass_testkit::TestEnv;

/// What is watched.
const WATCHED: &str = "write,writev,pwrite64,copy_file_range,ftruncate,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,flock,execve";

/// Something that was asked for and granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A file's content changed; of a journal, the names of the facts that were appended.
    Wrote { path: String, facts: Vec<String> },
    /// All that had been written into a file when this was asked for at `since` is on the disk now.
    Synced { path: String, since: usize },
    /// A file has another name, or one more.
    Named { from: String, to: String },
    /// A name is gone.
    Removed { path: String },
    /// A file is locked.
    Locked { path: String },
    /// A program begins, with these arguments as the system call shows them.
    Started { arguments: String },
}

/// The same program with the same arguments and environment, watched; what it does is written into `log`.
pub fn watched(env: &TestEnv, command: &Command, log: &Path) -> Command {
    let mut watching = env.command("strace");
    watching.args(["-f", "-y", "-s", "200000", "-e", "signal=none", "-e"]);
    watching.arg(format!("trace={WATCHED}")).arg("-o").arg(log).arg(command.get_program());
    watching.args(command.get_args());
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            watching.env(name, value);
        }
    }
    watching
}

/// What the log tells, in order. What failed is left out.
pub fn events(log: &str) -> Vec<Event> {
    let mut found: BTreeMap<usize, Event> = BTreeMap::new();
    let mut unfinished: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (line, text) in log.lines().enumerate() {
        let Some((process, call)) = text.split_once(' ') else { continue };
        let call = call.trim_start();
        if let Some(begun) = call.strip_suffix(" <unfinished ...>") {
            unfinished.insert(process, (line, begun));
        } else if let Some(resumed) = call.strip_prefix("<... ") {
            let Some((begin, asked)) = unfinished.remove(process) else { continue };
            let rest = resumed.split_once("resumed>").map_or("", |(_, rest)| rest);
            note(&mut found, begin, line, &format!("{asked}{rest}"));
        } else {
            note(&mut found, line, line, call);
        }
    }
    found.into_values().collect()
}

/// A change counts from when it is asked for, a sync when it is through.
fn note(found: &mut BTreeMap<usize, Event>, begin: usize, end: usize, call: &str) {
    let Some((asked, answer)) = call.rsplit_once(") ") else { return };
    if answer.trim_start().starts_with("= -1") || answer.trim_start().starts_with("= ?") {
        return;
    }
    let Some((name, arguments)) = asked.split_once('(') else { return };
    let event = match name {
        "write" | "writev" | "pwrite64" | "ftruncate" => {
            opened(arguments).map(|path| Event::Wrote { path, facts: facts(arguments) })
        }
        "copy_file_range" => {
            let target = arguments.split(", ").nth(2);
            target.and_then(opened).map(|path| Event::Wrote { path, facts: Vec::new() })
        }
        "fsync" | "fdatasync" => opened(arguments).map(|path| Event::Synced { path, since: begin }),
        "rename" | "renameat" | "renameat2" | "link" | "linkat" => match &paths(arguments)[..] {
            [from, to, ..] => Some(Event::Named { from: from.clone(), to: to.clone() }),
            _ => None,
        },
        "unlink" | "unlinkat" | "rmdir" => {
            paths(arguments).into_iter().next().map(|path| Event::Removed { path })
        }
        "flock" => opened(arguments).map(|path| Event::Locked { path }),
        "execve" => Some(Event::Started { arguments: arguments.to_owned() }),
        _ => None,
    };
    if let Some(event) = event {
        let place = if matches!(event, Event::Synced { .. }) { end } else { begin };
        found.insert(place, event);
    }
}

/// The path of the first descriptor: `5</a/file>`.
fn opened(arguments: &str) -> Option<String> {
    let (_, path) = arguments.split_once('<')?;
    let (path, _) = path.split_once('>')?;
    path.starts_with('/').then(|| path.to_owned())
}

/// The paths between quotes; one that follows a folder's descriptor (`5</a>, "b"`) is below that.
fn paths(arguments: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut parts = arguments.split('"');
    while let (Some(before), Some(named)) = (parts.next(), parts.next()) {
        let folder = before.trim_end().strip_suffix(">,").and_then(|before| before.rsplit_once('<'));
        paths.push(match folder {
            Some((_, folder)) if !named.starts_with('/') => format!("{folder}/{named}"),
            _ => named.to_owned(),
        });
    }
    paths
}

/// The names of the facts in what was written.
fn facts(arguments: &str) -> Vec<String> {
    let named = arguments.split(r#"\"fact\":\""#).skip(1);
    named.filter_map(|rest| rest.split_once('\\')).map(|(name, _)| name.to_owned()).collect()
}
