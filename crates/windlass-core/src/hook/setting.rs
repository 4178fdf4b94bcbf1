//! What a hook is told by its environment.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::spec::Mode;
use crate::values::{Grounds, HookName, Named, RunId, StopReason};

/// All that a hook is told. Each variable comes twice: as `WINDLASS_HOOK_<NAME>`, and as `FRESHER_<NAME>` for hooks that
/// were written for seed 002.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookSetting {
    /// Which hook.
    pub hook: HookName,
    /// Before an iteration: its number. Otherwise how many have begun.
    pub iteration: u32,
    /// What the last call's agent exited with: 128 + the signal that ended it, 1 where nobody saw its end, 0 before the
    /// first one.
    pub last_exit_code: i32,
    /// Commits since the run began.
    pub total_commits: u64,
    /// Commits since the last iteration began.
    pub commits_made: u64,
    /// The run so far, without waits.
    pub duration: Duration,
    /// The last iteration that ended.
    pub last_duration: Duration,
    /// Iterations that ended.
    pub total_iterations: u32,
    /// HEAD; empty where there is none.
    pub last_commit: String,
    /// How the run ends; `None` before its end is decided.
    pub ending: Option<StopReason>,
    /// What it rests on, where that is complete.
    pub grounds: Grounds,
    /// The working directory.
    pub project: PathBuf,
    /// What kind of run it is.
    pub mode: Mode,
    /// The limit on iterations; `None` = there is none.
    pub max_iterations: Option<u32>,
    /// The run's folder, with its logs.
    pub log_folder: PathBuf,
    /// When the run began.
    pub started: Timestamp,
    /// The plan, relative to the working directory; `None` in other modes.
    pub plan_file: Option<PathBuf>,
    /// The specifications, relative to the working directory; `None` where there are none.
    pub spec_folder: Option<PathBuf>,
    /// The run.
    pub run: RunId,
    /// The run is being continued.
    pub resumed: bool,
}

/// A value as both names have it.
enum VariableValue {
    Same(OsString),
    /// Ours, and the seed's.
    Each(OsString, OsString),
}

type Row = (&'static str, &'static str, fn(&HookSetting) -> VariableValue);

fn number(value: &impl ToString) -> VariableValue {
    VariableValue::Same(value.to_string().into())
}

fn path(value: Option<&PathBuf>) -> VariableValue {
    VariableValue::Same(value.map_or_else(OsString::new, |path| path.clone().into_os_string()))
}

/// Each variable without its prefix, what it says, and where that comes from.
const ROWS: &[Row] = &[
    ("NAME", "The hook: `started`, `next_iteration`, `finished`", |told| {
        VariableValue::Same(told.hook.name().into())
    }),
    ("ITERATION", "Before an iteration its number; else how many have begun", |told| number(&told.iteration)),
    (
        "LAST_EXIT_CODE",
        "What the agent exited with last; 128 + its signal; 0 before the first call",
        |told| number(&told.last_exit_code),
    ),
    ("TOTAL_COMMITS", "Commits since the run began", |told| number(&told.total_commits)),
    ("COMMITS_MADE", "Commits since the last iteration began", |told| number(&told.commits_made)),
    ("DURATION", "Seconds that the run has taken, without waits for usage limits", |told| {
        number(&told.duration.as_secs())
    }),
    ("LAST_DURATION", "Seconds that the last iteration took", |told| number(&told.last_duration.as_secs())),
    ("TOTAL_ITERATIONS", "Iterations that ended", |told| number(&told.total_iterations)),
    ("LAST_COMMIT_SHA", "HEAD; empty without a commit", |told| {
        VariableValue::Same(told.last_commit.clone().into())
    }),
    (
        "FINISH_TYPE",
        "How the run ended: `manual`, `max_iterations`, `complete`, `no_changes`, `error`; empty before",
        |told| VariableValue::Same(told.ending.map_or("", StopReason::finish_type).into()),
    ),
    ("STOP_REASON", "The same in Windlass's own words, as `run_finished` has it; empty before", |told| {
        VariableValue::Same(told.ending.map_or("", StopReason::name).into())
    }),
    (
        "CLAIMED",
        "`true` where the run ends as complete and nothing but the agents' claims says so: no gate, no `--until`; else `false`",
        |told| number(&(told.ending == Some(StopReason::Complete) && !told.grounds.is_shown())),
    ),
    ("PROJECT_DIR", "The working directory", |told| VariableValue::Same(told.project.clone().into())),
    ("MODE", "The run's mode; as `FRESHER_MODE`, `plan` is `planning` and `build` is `building`", |told| {
        VariableValue::Each(told.mode.name().into(), told.mode.name_for_fresher().into())
    }),
    ("MAX_ITERATIONS", "The limit on iterations; 0 = none", |told| number(&told.max_iterations.unwrap_or(0))),
    ("LOG_DIR", "The run's folder", |told| path(Some(&told.log_folder))),
    ("STARTED_AT", "When the run began: RFC 3339, UTC", |told| {
        number(&told.started.strftime("%Y-%m-%dT%H:%M:%SZ"))
    }),
    ("PLAN_FILE", "The plan, relative to the working directory; empty in other modes", |told| {
        path(told.plan_file.as_ref())
    }),
    ("SPEC_DIR", "The folder of the specifications; empty in other modes", |told| {
        path(told.spec_folder.as_ref())
    }),
    ("RUN", "The run's id", |told| VariableValue::Same(told.run.0.clone().into())),
    ("RESUMED", "`true` when the run is being continued, else `false`", |told| number(&told.resumed)),
];

impl HookSetting {
    /// The variables, each under both names.
    pub fn variables(&self) -> Vec<(String, OsString)> {
        let rows = ROWS.iter().flat_map(|(name, _, value)| {
            let (ours, seed) = match value(self) {
                VariableValue::Same(value) => (value.clone(), value),
                VariableValue::Each(ours, seed) => (ours, seed),
            };
            [(format!("WINDLASS_HOOK_{name}"), ours), (format!("FRESHER_{name}"), seed)]
        });
        // No variable can hold it, and what holds it could not be started at all.
        let whole = |(_, value): &(String, OsString)| !value.as_encoded_bytes().contains(&0);
        rows.filter(whole).collect()
    }

    /// The table of `docs/hooks.md`.
    pub fn reference() -> String {
        let row = |(name, about, _): &Row| format!("| `WINDLASS_HOOK_{name}` | {about} |\n");
        let rows: String = ROWS.iter().map(row).collect();
        format!("| variable | what it says |\n|---|---|\n{rows}")
    }
}
