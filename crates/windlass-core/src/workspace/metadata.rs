//! `.metadata.json`: a workspace's identity and history (format in part E1 of the seeds' inventory).
//!
//! Read field by field: whatever can be read counts, what cannot is named, and fields of others are kept.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use strum::{IntoStaticStr, VariantNames};
use thiserror::Error;

use crate::spec::Mode;
use crate::typed::whole;
use crate::values::RunId;

/// The longest metadata that are read, in bytes.
pub const LONGEST_METADATA: usize = 4 * 1024 * 1024;

/// Ended runs that are remembered as counted; resuming an older one counts its iterations again.
pub(super) const REMEMBERED: usize = 200;

/// How a workspace stands, by its history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum WorkspaceStatus {
    /// There is something left to do.
    #[default]
    InProgress,
    /// Its last run showed the job to be done.
    Completed,
    /// Its last run ended with an error.
    Error,
}

/// What a verification came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum VerificationStatus {
    /// The work is what was asked for.
    Pass,
    /// It is not.
    Fail,
    /// A person has to look.
    NeedsReview,
    /// There was none.
    #[default]
    NotRun,
}

/// What is remembered of verifications.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VerificationHistory {
    /// How many there were.
    #[serde(rename = "verificationAttempts")]
    pub attempts: u64,
    /// What the last one came to.
    #[serde(rename = "lastVerificationStatus")]
    pub last_status: VerificationStatus,
    /// When it ended.
    #[serde(rename = "lastVerificationTime", skip_serializing_if = "Option::is_none")]
    pub last_time: Option<Timestamp>,
    /// How often the work went on because of one.
    #[serde(rename = "verifyResumeCycles")]
    pub resume_cycles: u64,
    /// Fields of others.
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}

/// An ended run whose iterations are in the counters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedRun {
    /// The run.
    pub run: RunId,
    /// How many of its iterations are counted.
    pub iterations: u32,
}

/// Which runs are in the counters of a workspace, since when: what the seed did not know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CountedRuns {
    /// The runs, oldest first.
    pub counted: Vec<CountedRun>,
    /// When the counters were set to zero: what runs did before that is not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reset: Option<Timestamp>,
}

/// A workspace's identity and history.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// Its name; the folder's name wins.
    pub name: String,
    /// When it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// When its last run ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<Timestamp>,
    /// How it stands.
    pub status: WorkspaceStatus,
    /// [`Mode::Loop`] or [`Mode::Iterative`].
    pub mode: Mode,
    /// Sessions that set it up, and iterations of its runs.
    pub total_iterations: u64,
    /// Sessions that set it up.
    pub setup_iterations: u64,
    /// Iterations of its ended runs.
    pub execution_iterations: u64,
    /// Verifications.
    #[serde(skip_serializing_if = "is_default")]
    pub verification: VerificationHistory,
    /// Its runs.
    #[serde(rename = "windlass", skip_serializing_if = "is_default")]
    pub runs: CountedRuns,
    /// Fields of others, such as the options of claude-iterate.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Why bytes are not metadata.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Corrupt {
    /// Nothing is there.
    #[error("it is empty")]
    Empty,
    /// Too much is there.
    #[error("it is longer than 4 MB")]
    TooLong,
    /// No JSON.
    #[error("it is not JSON ({0})")]
    NoJson(String),
    /// Another kind of JSON.
    #[error("it is not a JSON object")]
    NoObject,
}

impl Metadata {
    /// Those of a new workspace.
    pub fn new(name: &str, mode: Mode, created: Option<Timestamp>) -> Metadata {
        Metadata {
            name: name.to_owned(),
            created,
            last_run: None,
            status: WorkspaceStatus::InProgress,
            mode,
            total_iterations: 0,
            setup_iterations: 0,
            execution_iterations: 0,
            verification: VerificationHistory::default(),
            runs: CountedRuns::default(),
            other: Map::new(),
        }
    }

    /// Reads the file's bytes: the metadata, and one sentence for each field that could not be read and has its default.
    pub fn parse(bytes: &[u8]) -> Result<(Metadata, Vec<String>), Corrupt> {
        if bytes.len() > LONGEST_METADATA {
            return Err(Corrupt::TooLong);
        }
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        if bytes.trim_ascii().is_empty() {
            return Err(Corrupt::Empty);
        }
        let fields = match serde_json::from_slice(bytes) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => return Err(Corrupt::NoObject),
            Err(error) => return Err(Corrupt::NoJson(error.to_string())),
        };
        let mut reader = Reader { fields, place: "", problems: Vec::new() };
        let metadata = reader.metadata();
        Ok((metadata, reader.problems))
    }

    /// The file's bytes: the seed's fields in its order, then those of others.
    pub fn to_json(&self) -> Vec<u8> {
        // Numbers, texts and maps with texts as keys can always be written.
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Takes fields out of an object; what is left belongs to others.
struct Reader {
    fields: Map<String, Value>,
    /// What the object is called, with a dot; empty at the top.
    place: &'static str,
    problems: Vec<String>,
}

impl Reader {
    fn metadata(&mut self) -> Metadata {
        let mut metadata = Metadata::new("", Mode::Loop, None);
        match self.fields.remove("name") {
            Some(Value::String(name)) => metadata.name = name,
            Some(_) => self.wrong("name", "a text"),
            None => self.missing("name"),
        }
        metadata.created = self.time("created");
        metadata.last_run = self.time("lastRun");
        metadata.status = self.one_of("status", "`in_progress`, `completed` or `error`");
        match self.fields.remove("mode") {
            Some(Value::String(mode)) if mode == "loop" => {}
            Some(Value::String(mode)) if mode == "iterative" => metadata.mode = Mode::Iterative,
            Some(_) => self.wrong("mode", "`loop` or `iterative`"),
            None => {}
        }
        metadata.total_iterations = self.count("totalIterations");
        metadata.setup_iterations = self.count("setupIterations");
        metadata.execution_iterations = self.count("executionIterations");
        if let Some(mut inner) = self.object("verification", "verification.") {
            metadata.verification = VerificationHistory {
                attempts: inner.count("verificationAttempts"),
                last_status: inner
                    .one_of("lastVerificationStatus", "`pass`, `fail`, `needs_review` or `not_run`"),
                last_time: inner.time("lastVerificationTime"),
                resume_cycles: inner.count("verifyResumeCycles"),
                other: std::mem::take(&mut inner.fields),
            };
            self.problems.append(&mut inner.problems);
        }
        if let Some(mut inner) = self.object("windlass", "windlass.") {
            metadata.runs.reset = inner.time("reset");
            metadata.runs.counted = inner.counted();
            self.problems.append(&mut inner.problems);
        }
        metadata.other = std::mem::take(&mut self.fields);
        metadata
    }

    fn wrong(&mut self, name: &str, expected: &str) {
        self.problems.push(format!("`{}{name}` is not {expected}", self.place));
    }

    fn missing(&mut self, name: &str) {
        self.problems.push(format!("`{}{name}` is missing", self.place));
    }

    fn time(&mut self, name: &str) -> Option<Timestamp> {
        let time = match self.fields.remove(name)? {
            Value::Null => return None,
            Value::String(text) => read_time(&text),
            _ => None,
        };
        if time.is_none() {
            self.wrong(name, "a time such as 2026-03-01T20:30:00Z");
        }
        time
    }

    fn count(&mut self, name: &str) -> u64 {
        let count = match self.fields.remove(name) {
            None | Some(Value::Null) => return 0,
            Some(value) => whole(&value),
        };
        if count.is_none() {
            self.wrong(name, "a whole number from 0");
        }
        count.unwrap_or(0)
    }

    fn one_of<T: Default + for<'a> Deserialize<'a>>(&mut self, name: &str, expected: &str) -> T {
        let Some(value) = self.fields.remove(name).filter(|value| !value.is_null()) else {
            return T::default();
        };
        serde_json::from_value(value).unwrap_or_else(|_| {
            self.wrong(name, expected);
            T::default()
        })
    }

    fn object(&mut self, name: &'static str, place: &'static str) -> Option<Reader> {
        match self.fields.remove(name)? {
            Value::Null => None,
            Value::Object(fields) => Some(Reader { fields, place, problems: Vec::new() }),
            _ => {
                self.wrong(name, "an object");
                None
            }
        }
    }

    fn counted(&mut self) -> Vec<CountedRun> {
        let Some(Value::Array(runs)) = self.fields.remove("counted") else { return Vec::new() };
        let all = runs.len();
        let readable: Vec<CountedRun> =
            runs.into_iter().filter_map(|run| serde_json::from_value(run).ok()).collect();
        if readable.len() < all {
            self.wrong("counted", "a list of runs and their iterations");
        }
        readable
    }
}

/// A time with `Z`, with an offset, or with neither, which stands for `Z`.
fn read_time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let plain = || text.parse::<jiff::civil::DateTime>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
    text.parse().ok().or_else(|| plain().map(|zoned| zoned.timestamp()))
}

#[cfg(test)]
#[path = "metadata_tests.rs"]
mod tests;
