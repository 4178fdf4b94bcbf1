//! What lies behind an iteration: what its agents were told, what its gates printed, what was denied.

use std::path::{Path, PathBuf};

use windlass_core::fact::Fact;
use windlass_core::values::{CallId, Denial};
use windlass_engine::store::{CallFolder, journal};
use windlass_host::file::read_beginning;

use super::follow::FollowedRun;
use crate::error::AppError;

/// What an agent was told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToldAgent {
    /// The prompt.
    pub prompt: String,
    /// What was added to its system prompt.
    pub system: String,
}

impl FollowedRun {
    /// What the agent of a call was told, so many bytes of each at most; `None` where that is not kept.
    pub fn told(&self, call: CallId, most: usize) -> Option<ToldAgent> {
        let folder = self.call_folder(call)?;
        let prompt = beginning(&folder.prompt(), most)?;
        Some(ToldAgent { prompt, system: beginning(&folder.system(), most).unwrap_or_default() })
    }

    /// What the gates printed that judged what a call left, each with its name (`candidate-0`), so many bytes at most.
    pub fn gate_outputs(&self, call: CallId, most: usize) -> Vec<(String, String)> {
        let Some(folder) = self.call_folder(call) else { return Vec::new() };
        let mut outputs: Vec<(String, String)> = logs(&folder)
            .into_iter()
            .filter_map(|path| {
                let name = path.file_stem()?.to_string_lossy().into_owned();
                Some((name, beginning(&path, most)?))
            })
            .collect();
        outputs.sort();
        outputs
    }

    /// What was denied to the agents of an iteration.
    pub fn denials(&self, iteration: u32) -> Result<Vec<Denial>, AppError> {
        let of_iteration = |wanted: CallId| {
            self.course().calls().any(|(round, call)| call.call == wanted && round.iteration == iteration)
        };
        let mut denials: Vec<Denial> = Vec::new();
        for entry in journal::read(&self.known().folder().journal())? {
            if let Fact::CallFinished { call, summary, .. } = &entry.fact
                && of_iteration(*call)
            {
                denials.extend(summary.denials.iter().cloned());
            }
        }
        Ok(denials)
    }
}

fn logs(folder: &CallFolder) -> Vec<PathBuf> {
    // outside: the run's folder.
    let entries = std::fs::read_dir(folder.gates()).into_iter().flatten();
    entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect()
}

fn beginning(path: &Path, most: usize) -> Option<String> {
    // outside: the run's folder.
    let bytes = read_beginning(path, most).ok()??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
