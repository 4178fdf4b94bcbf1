//! All runs of a project, quickly: `runs/index.jsonl` has one line per ending, so that 10,000 runs need one file and
//! one look into a folder.
//!
//! The journals are the truth and the index is a copy of their last facts. It may be lost, cut or edited: lines that
//! cannot be read are passed over, runs that are missing are read from their journals, and the index is written anew.
//! A resumed run adds a line that says so, since its former ending holds no longer; the last line of a run counts.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use windlass_core::spec::{Mode, PipelinePart};
use windlass_core::values::{Cost, Grounds, Items, RunId, Spent, StopReason, Tokens, path_text};

use super::error::Attempted as _;
use super::files::{open_file, open_private, size, write_atomically};
use super::paths::Project;
use super::run_folder::{RunFolder, all_runs};
use super::summary::{RunEnding, RunSummary, RunWorkspace};
use super::{StoreError, journal};
use windlass_host::file::lock_within;

/// The format of the index's lines.
const FORMAT: u32 = 1;
/// How long to wait for another process that is writing the index. It takes milliseconds; nobody waits for one that
/// was stopped in the middle of it.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long between two tries.
const POLL: Duration = Duration::from_millis(5);

/// A line of the index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct EndingLine {
    v: u32,
    run: RunId,
    title: String,
    #[serde(with = "path_text")]
    directory: PathBuf,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    items: Option<Items>,
    mode: Mode,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    workspace: Option<Box<RunWorkspace>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pipeline: Option<Box<PipelinePart>>,
    /// Missing in lines of old, and in those of runs that are about no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    about: Option<Box<str>>,
    stop_reason: StopReason,
    #[serde(default, skip_serializing_if = "Grounds::is_shown")]
    grounds: Grounds,
    iterations: u32,
    /// Missing in lines of old: then only what came of a call says that there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    called: Option<bool>,
    #[serde(rename = "cost_usd")]
    cost: Cost,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    estimated: bool,
    /// Missing in lines of old: then all of it may be.
    #[serde(rename = "estimated_usd", default, skip_serializing_if = "Option::is_none")]
    estimated_cost: Option<Cost>,
    tokens: Tokens,
    duration_ms: u64,
    started: Timestamp,
    ended: Timestamp,
    exit_code: u8,
    /// Bytes of its recording when it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recorded: Option<u64>,
}

/// The other kind of line: the run's former ending holds no longer.
#[derive(Debug, Serialize, Deserialize)]
struct ResumedLine {
    v: u32,
    run: RunId,
    resumed: Timestamp,
}

impl EndingLine {
    /// `None` for a run that has not ended.
    fn of(summary: &RunSummary, recorded: Option<u64>) -> Option<EndingLine> {
        let ending = summary.ending?;
        Some(EndingLine {
            v: FORMAT,
            run: summary.run.clone(),
            title: summary.title.clone(),
            directory: summary.directory.clone(),
            items: summary.items,
            mode: summary.mode,
            workspace: summary.workspace.clone(),
            pipeline: summary.pipeline.clone(),
            about: summary.about.clone(),
            stop_reason: ending.stop_reason,
            grounds: ending.grounds,
            iterations: summary.iterations,
            called: Some(summary.called),
            cost: summary.cost,
            estimated: summary.estimated,
            estimated_cost: summary.estimated.then_some(summary.estimated_cost),
            tokens: summary.tokens,
            duration_ms: u64::try_from(ending.duration.as_millis()).unwrap_or(u64::MAX),
            started: summary.started,
            ended: summary.last,
            exit_code: ending.exit_code,
            recorded,
        })
    }

    fn into_summary(self) -> RunSummary {
        RunSummary {
            run: self.run,
            title: self.title,
            directory: self.directory,
            items: self.items,
            mode: self.mode,
            workspace: self.workspace,
            pipeline: self.pipeline,
            about: self.about,
            started: self.started,
            last: self.ended,
            called: self.called.unwrap_or(self.iterations > 0 || self.cost > Cost::ZERO),
            iterations: self.iterations,
            cost: self.cost,
            reserved: Cost::ZERO,
            estimated: self.estimated,
            estimated_cost: self.estimated_cost.unwrap_or(Spent::of(self.cost, self.estimated).estimated),
            tokens: self.tokens,
            ending: Some(RunEnding {
                stop_reason: self.stop_reason,
                grounds: self.grounds,
                duration: Duration::from_millis(self.duration_ms),
                exit_code: self.exit_code,
            }),
        }
    }
}

/// Notes a run's ending, synced. To be called after its last fact; does nothing for a run that has not ended.
pub fn record_ending(project: &Project, summary: &RunSummary) -> Result<(), StoreError> {
    if summary.is_unfinished() {
        return Ok(());
    }
    let line = EndingLine::of(summary, recorded(project, &summary.run));
    line.map_or(Ok(()), |line| add_line(project, &line))
}

/// What its recording takes; a size that cannot be told is found out when it is asked for.
fn recorded(project: &Project, run: &RunId) -> Option<u64> {
    size(&RunFolder::of(project, run).iterations()).ok().flatten()
}

/// Notes that a run goes on, so that its former ending is not shown any more. To be called before the fact that says
/// so is journalled.
pub fn record_resumption(project: &Project, run: &RunId, now: Timestamp) -> Result<(), StoreError> {
    let line = ResumedLine { v: FORMAT, run: run.clone(), resumed: now };
    add_line(project, &line)
}

/// All runs of a project.
#[derive(Debug, Default)]
pub struct Listing {
    /// Newest first. Shared, since there may be ten thousand, and whoever shows them keeps them.
    pub runs: Vec<Arc<RunSummary>>,
    /// Runs whose journal cannot be read, or holds nothing, and why.
    pub unreadable: Vec<(RunId, StoreError)>,
    /// Bytes of ended runs' recordings when they ended, as far as the index knows; they may have been removed since.
    pub recorded: HashMap<RunId, u64>,
}

impl Listing {
    /// Newest first.
    pub fn iter(&self) -> impl Iterator<Item = &RunSummary> {
        self.runs.iter().map(Arc::as_ref)
    }

    /// The newest run of a working directory (canonical).
    pub fn newest(&self, directory: &Path) -> Option<&RunSummary> {
        self.iter().find(|run| run.directory == directory)
    }
}

/// Lists all runs of a project. Repairs the index on the way, if that can be done; a state folder that cannot be
/// written is not an error.
pub fn list(project: &Project) -> Result<Listing, StoreError> {
    let survey = Survey::make(project)?;
    if survey.index_is_whole {
        return Ok(survey.listing);
    }
    Ok(repair(project).unwrap_or(survey.listing))
}

/// The same without a repair: nothing is changed.
pub fn look(project: &Project) -> Result<Listing, StoreError> {
    Ok(Survey::make(project)?.listing)
}

/// The summary of one run, from its journal.
pub fn summarize(folder: &RunFolder) -> Result<RunSummary, StoreError> {
    let path = folder.journal();
    let mut summary = RunSummary::of(&journal::read(&path)?).ok_or(StoreError::NothingJournalled { path })?;
    // The folder's name is what people type; a copied folder is a run of its own.
    summary.run = folder.run().clone();
    Ok(summary)
}

/// Looks at everything again while nobody else writes, and writes the index anew.
fn repair(project: &Project) -> Result<Listing, StoreError> {
    let _lock = lock(project)?;
    let survey = Survey::make(project)?;
    let mut lines = Vec::new();
    // Oldest first, as if each had been added at its end.
    let endings = survey.listing.runs.iter().rev().filter(|run| !run.is_unfinished());
    for ending in endings.filter_map(|run| {
        let known = survey.listing.recorded.get(&run.run).copied();
        EndingLine::of(run, known.or_else(|| recorded(project, &run.run)))
    }) {
        add_json(&mut lines, &ending, &project.index())?;
    }
    make_way(&project.index())?;
    write_atomically(&project.index(), &lines)?;
    Ok(survey.listing)
}

/// What lies in the place of the index and is no file is put aside: it is nobody's loss, and might be somebody's.
fn make_way(path: &Path) -> Result<(), StoreError> {
    if !path.is_dir() {
        return Ok(());
    }
    let free = (1..).map(|number| path.with_extension(format!("jsonl.aside-{number}")));
    for aside in free {
        if !aside.exists() {
            return std::fs::rename(path, &aside).attempted("move", path);
        }
    }
    Ok(())
}

/// What index, folders and journals say.
struct Survey {
    listing: Listing,
    /// The index says of every ended run that it has, and nothing that cannot be read.
    index_is_whole: bool,
}

impl Survey {
    fn make(project: &Project) -> Result<Survey, StoreError> {
        let mut index = IndexContent::of(project);
        let mut survey = Survey { listing: Listing::default(), index_is_whole: index.is_whole };
        for run in all_runs(project)? {
            match index.endings.remove(&run) {
                Some(ending) => {
                    let known = ending.recorded.map(|bytes| (run, bytes));
                    survey.listing.recorded.extend(known);
                    survey.listing.runs.push(ending.summary);
                }
                None => survey.read_journal(&RunFolder::of(project, &run)),
            }
        }
        survey
            .listing
            .runs
            .sort_unstable_by(|one, other| (other.started, &other.run).cmp(&(one.started, &one.run)));
        Ok(survey)
    }

    fn read_journal(&mut self, folder: &RunFolder) {
        match summarize(folder) {
            Ok(summary) => {
                self.index_is_whole &= summary.is_unfinished();
                self.listing.runs.push(Arc::new(summary));
            }
            Err(error) => self.listing.unreadable.push((folder.run().clone(), error)),
        }
    }
}

/// The index, as far as it can be read.
pub(crate) struct IndexContent {
    endings: HashMap<RunId, KnownEnding>,
    pub is_whole: bool,
}

/// What the last line of a run says.
struct KnownEnding {
    summary: Arc<RunSummary>,
    recorded: Option<u64>,
}

impl IndexContent {
    /// A project's. What cannot be read is as good as lost: the journals say the same.
    fn of(project: &Project) -> IndexContent {
        match open_file(&project.index()) {
            Ok(file) => IndexContent::read(BufReader::new(file)),
            Err(error) => {
                let is_whole = error.kind() == io::ErrorKind::NotFound;
                IndexContent { endings: HashMap::new(), is_whole }
            }
        }
    }

    /// Line by line: ten thousand runs have megabytes of them.
    pub fn read(mut file: impl BufRead) -> IndexContent {
        let mut content = IndexContent { endings: HashMap::new(), is_whole: true };
        let mut line = Vec::new();
        loop {
            line.clear();
            match file.read_until(b'\n', &mut line) {
                Ok(0) => return content,
                Ok(_) => content.take(&line),
                Err(_) => {
                    content.is_whole = false;
                    return content;
                }
            }
        }
    }

    fn take(&mut self, line: &[u8]) {
        // The last line is whole once its end is there.
        self.is_whole &= line.ends_with(b"\n");
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        if line.is_empty() {
            return;
        }
        if let Some(ending) = readable::<EndingLine>(line, |ending| ending.v) {
            let (run, recorded) = (ending.run.clone(), ending.recorded);
            let summary = Arc::new(ending.into_summary());
            self.endings.insert(run, KnownEnding { summary, recorded });
        } else if let Some(resumed) = readable::<ResumedLine>(line, |resumed| resumed.v) {
            self.endings.remove(&resumed.run);
        } else {
            self.is_whole = false;
        }
    }

    /// The lines of its endings as they are written, one per run, in no order.
    #[cfg(feature = "testing")]
    pub fn lines(&self) -> impl Iterator<Item = Vec<u8>> {
        let line = |ending: &KnownEnding| EndingLine::of(&ending.summary, ending.recorded);
        self.endings.values().filter_map(line).filter_map(|line| serde_json::to_vec(&line).ok())
    }
}

fn readable<'a, T: Deserialize<'a>>(line: &'a [u8], version: impl Fn(&T) -> u32) -> Option<T> {
    serde_json::from_slice(line).ok().filter(|value| version(value) == FORMAT)
}

/// Adds a line and syncs it. If the last writer was cut off in the middle of its line, that line is ended first.
fn add_line(project: &Project, line: &impl Serialize) -> Result<(), StoreError> {
    let path = project.index();
    let _lock = lock(project)?;
    make_way(&path)?;
    let mut file = open_private(OpenOptions::new().create(true).read(true).append(true), &path)
        .attempted("open", &path)?;
    let mut bytes = Vec::new();
    if ends_amid_a_line(&mut file).attempted("read", &path)? {
        bytes.push(b'\n');
    }
    add_json(&mut bytes, line, &path)?;
    file.write_all(&bytes).and_then(|()| file.sync_data()).attempted("write", &path)
}

fn ends_amid_a_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

fn add_json(bytes: &mut Vec<u8>, line: &impl Serialize, path: &Path) -> Result<(), StoreError> {
    serde_json::to_writer(&mut *bytes, line)
        .map_err(|source| StoreError::Unwritable { path: path.to_owned(), source })?;
    bytes.push(b'\n');
    Ok(())
}

/// Keeps two processes from writing the index at the same time: one could lose the other's line.
fn lock(project: &Project) -> Result<File, StoreError> {
    let path = project.runs().join("index.lock");
    let file = open_private(OpenOptions::new().create(true).append(true), &path).attempted("open", &path)?;
    // Without the lock a line may be lost at worst, and the journals still have it.
    lock_within(&file, PATIENCE, POLL).attempted("lock", &path)?;
    Ok(file)
}
