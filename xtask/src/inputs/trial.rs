//! One file or folder through the real program: listed, judged, marked and marked back, and worked on for an iteration.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::case::Case;
use super::count::{self, Count, Place};
use crate::program::Failure;

/// What came of it.
pub struct Trial {
    name: String,
    counted: Count,
    /// Tasks, and of them done, as Windlass reads them.
    read: Option<(u64, u64)>,
    /// The command that works on it.
    works: Option<&'static str>,
    /// It holds no task, and the command that its refusal names works on its text.
    pub is_goal: bool,
    /// Why it was refused, by each command that was tried.
    refusals: Vec<String>,
    /// What does not fit together.
    pub suspicions: Vec<String>,
    /// Marks that were refused, and why: nothing was changed.
    pub unmarked: Vec<String>,
    /// What marking a task changed that it should not.
    pub astray: Vec<String>,
}

impl Trial {
    pub const fn is_workable(&self) -> bool {
        self.works.is_some()
    }
}

/// What works on a file, the likeliest first.
const COMMANDS: [(&str, &[&str]); 2] =
    [("build -f", &["build", "-f"]), ("run --mode tasks -f", &["run", "--mode", "tasks", "-f"])];

/// The exit codes of a run that began.
const BEGAN: [i32; 7] = [0, 10, 14, 15, 17, 20, 23];

/// Tries it in folders of its own.
pub fn of(program: &Path, case: &Case) -> Result<Trial, Failure> {
    let scratch = Scratch::new(program, case)?;
    let mut trial = Trial {
        name: format!("{}/{}/{}", case.kind, case.repository, case.place.display()),
        counted: scratch.count(),
        read: None,
        works: None,
        is_goal: false,
        refusals: Vec::new(),
        suspicions: Vec::new(),
        unmarked: Vec::new(),
        astray: Vec::new(),
    };
    let listed = scratch.json(&["tasks", "list", "--json", "--file"])?;
    let checked = scratch.json_of(&[&format!("--plan={}", case.place.display())])?;
    trial.read = read(listed.as_ref(), checked.as_ref());
    if let Some(listed) = &listed {
        mark(&scratch, listed, &mut trial)?;
    }
    trial.suspicions.extend(suspect(&trial.counted, trial.read));
    for (name, words) in COMMANDS {
        let scratch = Scratch::new(program, case)?;
        let output = scratch.run(&[words, &[&scratch.place(), "--mock", "-m", "1", "--quiet"]].concat())?;
        if BEGAN.contains(&output.status.code().unwrap_or(-1)) {
            trial.works = Some(name);
            break;
        }
        trial.refusals.push(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    // A text without a task is worked on where its refusal says how.
    if trial.works.is_none() && trial.refusals.iter().any(|refusal| refusal.contains("windlass run -f ")) {
        let scratch = Scratch::new(program, case)?;
        let output = scratch.run(&["run", "-f", &scratch.place(), "--mock", "-m", "1", "--quiet"])?;
        trial.is_goal = BEGAN.contains(&output.status.code().unwrap_or(-1));
    }
    Ok(trial)
}

/// A repository of its own, and a home.
struct Scratch<'a> {
    program: &'a Path,
    case: &'a Case,
    folder: TempDir,
}

impl<'a> Scratch<'a> {
    fn new(program: &'a Path, case: &'a Case) -> Result<Scratch<'a>, Failure> {
        let folder = TempDir::new().map_err(|error| Failure(format!("a scratch folder: {error}")))?;
        let scratch = Scratch { program, case, folder };
        case.lay_out(&scratch.top())?;
        Ok(scratch)
    }

    fn top(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    fn place(&self) -> String {
        self.case.place.display().to_string()
    }

    fn run(&self, arguments: &[&str]) -> Result<Output, Failure> {
        let mut command = Command::new(self.program);
        command.args(arguments).current_dir(self.top()).stdin(Stdio::null());
        command.env("HOME", self.folder.path()).env_remove("WINDLASS_RUN");
        for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
            command.env_remove(name);
        }
        command.output().map_err(|error| Failure::at(self.program, error))
    }

    /// What a verb says of the place.
    fn json(&self, words: &[&str]) -> Result<Option<Value>, Failure> {
        Ok(serde_json::from_slice(&self.run(&[words, &[&self.place()]].concat())?.stdout).ok())
    }

    fn json_of(&self, words: &[&str]) -> Result<Option<Value>, Failure> {
        Ok(serde_json::from_slice(&self.run(&[&["verify", "--json"], words].concat())?.stdout).ok())
    }

    fn bytes(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let tried = self.case.tried(&self.top());
        tried.into_iter().map(|path| (path.clone(), fs::read(path).unwrap_or_default())).collect()
    }

    fn count(&self) -> Count {
        let of = |(path, bytes): &(PathBuf, Vec<u8>)| {
            let place = if path.ends_with(&self.case.place) { Place::Alone } else { Place::InFolder };
            count::of(&path.display().to_string(), &String::from_utf8_lossy(bytes), place)
        };
        count::sum(self.bytes().iter().map(of))
    }
}

fn read(listed: Option<&Value>, checked: Option<&Value>) -> Option<(u64, u64)> {
    let number = |value: &Value, key: &str| value[key].as_u64();
    let of_list = listed.and_then(|value| Some((number(value, "total")?, number(value, "done")?)));
    let of_plan =
        checked.and_then(|value| Some((number(value, "total_tasks")?, number(value, "completed_tasks")?)));
    of_list.into_iter().chain(of_plan).max()
}

/// What no way of counting confirms. Where nothing is read and nothing counted there is nothing to misread.
fn suspect(counted: &Count, read: Option<(u64, u64)>) -> Vec<String> {
    let (total, done) = read.unwrap_or_default();
    let mut found = Vec::new();
    if total != counted.total && counted.others.contains(&total) {
        return found;
    }
    if total != counted.total {
        found.push(format!("{total} read, {} counted", counted.total));
    }
    let open = |total: u64, done: u64| total.saturating_sub(done);
    if open(total, done) == 0 && open(counted.total, counted.done) > 0 {
        found.push(format!("none is open, {} counted", open(counted.total, counted.done)));
    }
    found
}

/// Open tasks, some of very many, done and open again, each alone. What nobody can say how far it is is not open.
fn mark(scratch: &Scratch<'_>, listed: &Value, trial: &mut Trial) -> Result<(), Failure> {
    let tasks = listed["tasks"].as_array().cloned().unwrap_or_default();
    let is_open = |task: &&Value| task["status"] == "open" && task["unclear"].is_null();
    for task in tasks.iter().filter(is_open).take(3) {
        let Some(id) = task["id"].as_str() else { continue };
        let before = scratch.bytes();
        let done = scratch.run(&["tasks", "done", id, "--file", &scratch.place()])?;
        let between = scratch.bytes();
        if !done.status.success() {
            let why = format!("{id}: {}", String::from_utf8_lossy(&done.stderr).trim());
            if between == before { &mut trial.unmarked } else { &mut trial.astray }.push(why);
            continue;
        }
        let reopened = scratch.run(&["tasks", "reopen", id, "--file", &scratch.place()])?;
        if !reopened.status.success() || scratch.bytes() != before {
            trial.astray.push(format!("{id}: done and reopened is not what it was"));
            scratch.case.lay_out(&scratch.top())?;
        }
        let changed = before.iter().zip(&between).filter(|(one, other)| one != other).count();
        if changed != 1 {
            trial.astray.push(format!("{id}: {changed} files changed"));
        }
    }
    Ok(())
}

impl fmt::Display for Trial {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (total, done) = self.read.unwrap_or_default();
        let works = self.works.unwrap_or(if self.is_goal { "as a goal: run -f" } else { "REFUSED" });
        write!(
            formatter,
            "{works:<20} {done:>4}/{total:<4} counted {}/{}  {}",
            self.counted.done, self.counted.total, self.name
        )?;
        let refusals = self.refusals.iter().filter(|_| self.works.is_none());
        for text in refusals.chain(&self.suspicions).chain(&self.unmarked).chain(&self.astray) {
            write!(formatter, "\n    {}", text.replace('\n', "\n    "))?;
        }
        Ok(())
    }
}
