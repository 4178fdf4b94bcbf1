//! A run's folder: what lies where, and how it comes to be.
//!
//! ```text
//! runs/<run>/journal.jsonl  reserve  goal.md  settings.json  stop  park
//! runs/<run>/iterations/0001/<attempt>-<purpose>/   prompt.md  system.md  stream.ndjson  times  stderr.log  gates/
//! runs/<run>/iterations/0001/<attempt>-<purpose>/   live.ndjson  live-times, of a call that a fleet's worker makes
//! runs/<run>/snapshots/     <moment>-<commit>.pack, of a fleet's workers
//! ```

use std::fs::{self, DirEntry, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, openat, statat};
use serde::{Deserialize, Serialize};
use windlass_core::run::TurnKey;
use windlass_core::spec::RunSpec;
use windlass_core::values::{LaneId, Named as _, Purpose, RunId, StopSource, TaskId};
use windlass_host::note::Note;
use windlass_host::tree::at;
use windlass_jobs::prompt::Templates;

use super::StoreError;
use super::call_folder::CallFolder;
use super::error::Attempted as _;
use super::files::{create_new_folder, entries, entries_as, open_private, sync_folder, write_atomically};
use super::paths::Project;

/// The issues that are worked off, in a run's folder.
const ISSUES: &str = "issues.md";

/// The project's own prompt, as it was when the run began.
const USER_TEMPLATE: &str = "template.md";

/// Its addition to the system prompt.
const SYSTEM_TEMPLATE: &str = "template.system.md";

/// Somebody wants a run to leave a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParkRequest {
    /// Who.
    pub by: StopSource,
    /// Which.
    pub task: TaskId,
}

/// What every run's id begins with.
pub(super) const PREFIX: &str = "r-";
/// The random part of a new run's id, in characters.
const RANDOM_LENGTH: usize = 8;
/// The characters of a run's id.
const ALPHABET: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// What was put back or taken out of a run's way, in its folder.
pub(crate) const PUT_ASIDE: &str = "put-aside";

/// The note of what steers git, in a run's folder.
pub(crate) const STEERING: &str = "git-steering.json";

/// A run's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    run: RunId,
    path: PathBuf,
}

impl RunFolder {
    /// The folder of a known run; nothing is looked at.
    pub fn of(project: &Project, run: &RunId) -> RunFolder {
        RunFolder { run: run.clone(), path: project.runs().join(&run.0) }
    }

    /// A new run: draws an id that no run of this project has, and creates its folder.
    pub fn create(project: &Project) -> Result<RunFolder, StoreError> {
        project.create()?;
        loop {
            let folder = RunFolder::of(project, &random_id(PREFIX)?);
            match create_new_folder(&folder.path) {
                Ok(()) => {
                    sync_folder(&project.runs())?;
                    return Ok(folder);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(StoreError::io("create", &folder.path, error)),
            }
        }
    }

    /// The run.
    pub const fn run(&self) -> &RunId {
        &self.run
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The project's folder.
    pub fn project(&self) -> &Path {
        // …/projects/PROJECT/runs/RUN
        self.path.ancestors().nth(2).unwrap_or(&self.path)
    }

    /// Where all projects are kept: what Windlass writes for this run and for any other is below it.
    pub fn state(&self) -> &Path {
        // …/projects/PROJECT/runs/RUN
        self.path.ancestors().nth(3).unwrap_or(&self.path)
    }

    /// The facts.
    pub fn journal(&self) -> PathBuf {
        self.path.join("journal.jsonl")
    }

    /// Bytes that are freed when the disk is full.
    pub fn reserve(&self) -> PathBuf {
        self.path.join("reserve")
    }

    /// The job's prompt, as the user gave it.
    pub fn goal(&self) -> PathBuf {
        self.path.join("goal.md")
    }

    /// The boxes of the job as they were when an attempt began; empty where nobody has written them down.
    pub fn read_boxes(&self) -> Vec<u8> {
        windlass_host::file::read_if_there(&self.boxes()).ok().flatten().unwrap_or_default()
    }

    /// When they were written down; `None` where nobody has.
    pub fn boxes_written(&self) -> Option<SystemTime> {
        fs::metadata(self.boxes()).and_then(|found| found.modified()).ok()
    }

    /// The folders of the other runs of this project.
    pub fn beside(&self) -> Vec<RunFolder> {
        let Some(runs) = self.path.parent() else { return Vec::new() };
        let entries = fs::read_dir(runs).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let others = names.filter(|name| *name != self.run.0);
        others.map(|name| RunFolder { path: runs.join(&name), run: RunId(name) }).collect()
    }

    /// Writes them down, in one step.
    pub fn write_boxes(&self, bytes: &[u8]) -> Result<(), windlass_host::file::FileError> {
        windlass_host::file::replace(&self.boxes(), bytes, 0o600)
    }

    fn boxes(&self) -> PathBuf {
        self.path.join("boxes.json")
    }

    /// Keeps the job's prompt.
    pub fn write_goal(&self, goal: &str) -> Result<(), StoreError> {
        write_atomically(&self.goal(), goal.as_bytes())
    }

    /// Keeps the issues that the run works off, as they were read.
    pub fn write_issues(&self, issues: &str) -> Result<(), StoreError> {
        write_atomically(&self.path.join(ISSUES), issues.as_bytes())
    }

    /// The issues that the run works off.
    pub fn read_issues(&self) -> Result<String, StoreError> {
        let path = self.path.join(ISSUES);
        fs::read_to_string(&path).attempted("read", &path)
    }

    /// The job's prompt.
    pub fn read_goal(&self) -> Result<String, StoreError> {
        let path = self.goal();
        fs::read_to_string(&path).attempted("read", &path)
    }

    /// Keeps the project's own texts for this mode, so that the run is prompted alike from its first iteration to its
    /// last, whatever becomes of the files they came from.
    pub fn write_templates(&self, templates: Templates<'_>) -> Result<(), StoreError> {
        for (name, text) in [(USER_TEMPLATE, templates.user), (SYSTEM_TEMPLATE, templates.system)] {
            if let Some(text) = text {
                write_atomically(&self.path.join(name), text.as_bytes())?;
            }
        }
        Ok(())
    }

    /// The project's own prompt for this mode, where it has one.
    pub fn prompt_template(&self) -> Option<String> {
        fs::read_to_string(self.path.join(USER_TEMPLATE)).ok()
    }

    /// The project's own addition to the system prompt of this mode, where it has one.
    pub fn system_template(&self) -> Option<String> {
        fs::read_to_string(self.path.join(SYSTEM_TEMPLATE)).ok()
    }

    /// What the agent may do, in its own words: the same for every call.
    pub fn settings(&self) -> PathBuf {
        self.path.join("settings.json")
    }

    /// The same for a lane: one with a checkout of its own has paths of its own in it.
    pub fn settings_of(&self, lane: LaneId) -> PathBuf {
        match lane {
            LaneId(0) => self.settings(),
            LaneId(lane) => self.path.join(format!("settings-{lane}.json")),
        }
    }

    /// The sandbox's own files: its home, its temporary files.
    pub fn sandbox(&self) -> PathBuf {
        self.path.join("sandbox")
    }

    /// The git directory that guests of its sandbox are lent, and what belongs to it.
    pub fn loan(&self) -> PathBuf {
        self.path.join("loan")
    }

    /// Where what was put back or taken out of a run's way is kept.
    pub fn put_aside(&self) -> PathBuf {
        self.path.join(PUT_ASIDE)
    }

    /// When anything of the run was last heard of: its journal, a sign of life, or the stream of one of its calls.
    pub fn last_heard(&self) -> SystemTime {
        // outside: the run's folder.
        let modified = |path: &Path| path.metadata().and_then(|found| found.modified()).ok();
        let within = |folder: PathBuf| {
            fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path())
        };
        let calls = within(self.iterations()).flat_map(within);
        let streams = calls.map(|path| CallFolder::at(path).stream());
        let heard = streams.chain([self.journal(), self.alive()]).filter_map(|path| modified(&path)).max();
        heard.unwrap_or(UNIX_EPOCH)
    }

    /// What steers git in the repository, as it was when the session began; gone when the session has ended.
    pub(crate) fn steering(&self) -> Note {
        Note::at(self.path.join(STEERING))
    }

    /// From now on a change of what steers git is a person's.
    pub fn forget_steering(&self) {
        self.steering().remove();
    }

    /// Removes what a session that was killed had half written, in the run's folder and in those of its iterations.
    pub(crate) fn remove_half_written(&self) {
        let iterations = entries(&self.iterations()).unwrap_or_default();
        for folder in iterations.iter().map(DirEntry::path).chain([self.path.clone()]) {
            at(&folder).remove_half_written();
        }
    }

    /// Asks the run to stop after its iteration, for this one's sake; the first request stands.
    pub fn request_stop(&self, by: StopSource) -> Result<(), StoreError> {
        let path = self.stop();
        let is_said = by != StopSource::Command
            && !self.stop_requested()
            && write_atomically(&path, format!("{}\n", by.name()).as_bytes()).is_ok();
        if is_said {
            return Ok(());
        }
        // An empty file can be created even on a full disk.
        open_private(OpenOptions::new().create(true).append(true), &path).map(drop).attempted("create", &path)
    }

    /// Was the run asked to stop? Cheap enough to be polled.
    pub fn stop_requested(&self) -> bool {
        self.stop().exists()
    }

    /// Who asked the run to stop. A file that names nobody who asks so is that of `windlass stop`.
    pub fn stop_request(&self) -> Option<StopSource> {
        let said = windlass_host::file::read_if_there(&self.stop()).ok().flatten();
        let said = if self.stop_requested() { said.unwrap_or_default() } else { return None };
        let by = str::from_utf8(&said).ok().and_then(|said| said.trim().parse().ok());
        Some(by.filter(|by: &StopSource| by.is_request()).unwrap_or(StopSource::Command))
    }

    /// Asks the run to leave a task.
    pub fn request_park(&self, by: StopSource, task: &TaskId) -> Result<(), StoreError> {
        let path = self.park();
        let mut line = serde_json::to_vec(&ParkRequest { by, task: task.clone() }).unwrap_or_default();
        line.push(b'\n');
        let mut file =
            open_private(OpenOptions::new().create(true).append(true), &path).attempted("create", &path)?;
        file.write_all(&line).attempted("write", &path)
    }

    /// The tasks that the run was asked to leave, and by whom; what cannot be read asks for nothing. Cheap enough to be polled
    /// where nobody has asked.
    pub fn park_requests(&self) -> Vec<ParkRequest> {
        let said = windlass_host::file::read_if_there(&self.park()).ok().flatten().unwrap_or_default();
        said.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }

    /// Withdraws the request: it was meant for the process that is gone. Says whether there was one.
    pub fn take_stop_request(&self) -> Result<bool, StoreError> {
        let path = self.stop();
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(StoreError::io("remove", &path, error)),
        }
    }

    /// What calls were told and what they said.
    pub fn iterations(&self) -> PathBuf {
        self.path.join("iterations")
    }

    /// Snapshots that workers of a fleet have packed, until somebody needs them.
    pub fn snapshots(&self) -> PathBuf {
        self.path.join("snapshots")
    }

    /// The recordings on their way out: renamed, and about to be removed.
    pub(super) fn removed_iterations(&self) -> PathBuf {
        self.path.join("iterations.removed")
    }

    /// The folder of one call; nothing is created.
    pub fn call(&self, iteration: u32, attempt: u32, purpose: Purpose) -> CallFolder {
        CallFolder::at(self.iteration(iteration).join(format!("{attempt}-{}", purpose.name())))
    }

    /// The folder of one iteration's calls; nothing is created.
    pub fn iteration(&self, iteration: u32) -> PathBuf {
        self.iterations().join(format!("{iteration:04}"))
    }

    /// When the agent of an attempt, whatever it was called for, was last heard of; the beginning of time where it never was.
    pub fn heard(&self, plan: &RunSpec, turn: TurnKey) -> SystemTime {
        let mut streams =
            plan.purposes().map(|purpose| self.call(turn.iteration, turn.attempt, purpose).stream());
        // outside: the run's folder.
        let heard = streams.find_map(|stream| stream.metadata().ok()?.modified().ok());
        heard.unwrap_or(UNIX_EPOCH)
    }

    fn park(&self) -> PathBuf {
        self.path.join("park")
    }

    fn stop(&self) -> PathBuf {
        self.path.join("stop")
    }
}

/// Every run of a project that has a folder, in no order. A project without a folder has none.
pub(crate) fn all_runs(project: &Project) -> Result<Vec<RunId>, StoreError> {
    all_below(&project.runs(), PREFIX)
}

/// A project's runs that have a journal, in no order.
pub fn with_journal(project: &Project) -> Result<Vec<RunId>, StoreError> {
    runs_with(project, &["journal.jsonl"])
}

/// A project's runs in whose folder a file of one of these names lies, in no order. They are looked for from the open folder above
/// them, since there may be ten thousand.
pub(crate) fn runs_with(project: &Project, names: &[&str]) -> Result<Vec<RunId>, StoreError> {
    let path = project.runs();
    let mut runs = all_runs(project)?;
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let open = openat(CWD, &path, flags, Mode::empty()).map_err(io::Error::from).attempted("read", &path)?;
    let is_file = |found: Stat| FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
    let has =
        |run: &RunId, name: &str| statat(&open, format!("{run}/{name}"), AtFlags::empty()).is_ok_and(is_file);
    runs.retain(|run| names.iter().any(|name| has(run, name)));
    Ok(runs)
}

/// Every folder below this one whose name is an id with this prefix, in no order. A missing folder has none.
pub(super) fn all_below(path: &Path, prefix: &str) -> Result<Vec<RunId>, StoreError> {
    entries_as(path, |entry| id_of(&entry, prefix))
}

/// The id that something in a folder is named by.
pub(super) fn id_of(entry: &DirEntry, prefix: &str) -> Option<RunId> {
    let name = entry.file_name().into_string().ok()?;
    is_id(&name, prefix).then_some(RunId(name))
}

/// The run whose id begins with `text`, which may leave out the `r-`.
pub fn find_run(project: &Project, text: &str) -> Result<RunId, StoreError> {
    find_among(all_runs(project)?, text)
}

/// The same of these runs.
pub fn find_among(runs: Vec<RunId>, text: &str) -> Result<RunId, StoreError> {
    the_one(runs, PREFIX, text)
}

/// The one whose id begins with `text`, which may leave out the prefix.
pub(super) fn the_one(mut all: Vec<RunId>, prefix: &str, text: &str) -> Result<RunId, StoreError> {
    /// How many are named when several fit.
    const NAMED: usize = 5;
    let wanted = text.trim().to_ascii_lowercase();
    let beginning = wanted.strip_prefix(prefix).unwrap_or(&wanted);
    all.retain(|id| id.0.strip_prefix(prefix).is_some_and(|id| id.starts_with(beginning)));
    all.sort_unstable();
    // An id may be the beginning of another one; written in full it means itself.
    if let Some(exact) = all.iter().find(|id| id.0.strip_prefix(prefix) == Some(beginning)) {
        return Ok(exact.clone());
    }
    match all.as_slice() {
        [] => Err(StoreError::NoSuchRun { text: text.to_owned() }),
        [run] => Ok(run.clone()),
        many => Err(StoreError::AmbiguousRun {
            text: text.to_owned(),
            some: many.iter().take(NAMED).cloned().collect(),
            more: many.len().saturating_sub(NAMED),
        }),
    }
}

/// Is this the prefix and characters of an id?
pub(super) fn is_id(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| ALPHABET.contains(&byte)))
}

/// A new id that begins so.
pub(super) fn random_id(prefix: &str) -> Result<RunId, StoreError> {
    Ok(RunId(format!("{prefix}{}", random_letters(RANDOM_LENGTH)?)))
}

/// So many letters and digits that nobody can guess.
pub(crate) fn random_letters(length: usize) -> Result<String, StoreError> {
    let mut letters = String::new();
    let mut bytes = [0; 16];
    while letters.len() < length {
        getrandom::fill(&mut bytes)
            .map_err(|error| StoreError::NoRandomness { source: io::Error::other(error) })?;
        let missing = length - letters.len();
        letters.extend(bytes.iter().filter_map(|byte| letter(*byte)).take(missing));
    }
    Ok(letters)
}

/// A character for a random byte; none for the few bytes that would make some characters likelier than others.
fn letter(byte: u8) -> Option<char> {
    let fair = 256 - 256 % ALPHABET.len();
    let byte = usize::from(byte);
    (byte < fair).then(|| ALPHABET.get(byte % ALPHABET.len()).copied().map(char::from)).flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn no_character_of_an_id_is_likelier_than_another() {
        let mut seen: BTreeMap<char, u32> = BTreeMap::new();
        for letter in (0..=u8::MAX).filter_map(letter) {
            *seen.entry(letter).or_default() += 1;
        }
        assert_eq!(seen.len(), ALPHABET.len());
        assert!(seen.values().all(|times| *times == 7), "{seen:?}");
    }
}
