//! `.fresher/.state`: what Fresher noted of its last run, in any of its three formats. All of them are lines of a name
//! and a value, so that a file that is half written says what is there of it.

use std::fmt::Write as _;

use super::shown;

/// What the file says; `None` where it does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FresherState {
    /// Iterations of the last run.
    pub iterations: Option<u64>,
    /// Commits of the last run.
    pub commits: Option<u64>,
    /// How it ended: `manual`, `error`, `max_iterations`, `complete`, `no_changes`, `hook_abort`.
    pub finish_type: Option<String>,
    /// When it began, as written.
    pub started: Option<String>,
    /// How long it took, in seconds.
    pub seconds: Option<u64>,
    /// The exit code of the agent's last call.
    pub exit_code: Option<i64>,
    /// Names whose values are none.
    pub unreadable: Vec<String>,
}

/// Reads it.
pub fn fresher_state(text: &str) -> FresherState {
    let mut state = FresherState::default();
    for line in text.trim_start_matches('\u{feff}').lines() {
        let line = line.trim();
        if line.starts_with(['#', '[']) {
            continue;
        }
        let Some((name, value)) = line.split_once('=') else { continue };
        let name = name.trim().to_ascii_lowercase();
        let value = unquoted(value.trim());
        if !value.is_empty() {
            state.note(&name, value);
        }
    }
    state
}

fn unquoted(value: &str) -> &str {
    let within = |quote| value.strip_prefix(quote).and_then(|rest: &str| rest.strip_suffix(quote));
    within('"').or_else(|| within('\'')).unwrap_or(value)
}

impl FresherState {
    fn note(&mut self, name: &str, value: &str) {
        let count = value.parse::<u64>().ok();
        match name {
            "iteration" => self.iterations = count,
            "total_commits" => self.commits = count,
            "duration" => self.seconds = count,
            "last_exit_code" => self.exit_code = value.parse().ok(),
            "started_at" => self.started = Some(shown(value)),
            "finish_type" => self.finish_type = Some(shown(value)),
            _ => {}
        }
        let is_count = matches!(name, "iteration" | "total_commits" | "duration");
        if (is_count && count.is_none()) || (name == "last_exit_code" && self.exit_code.is_none()) {
            self.unreadable.push(name.to_owned());
        }
    }

    /// In one sentence.
    pub fn sentence(&self) -> String {
        let mut text = "its last run".to_owned();
        // Writing to a string cannot fail.
        if let Some(started) = &self.started {
            let _ = write!(text, " began {started},");
        }
        let _ = match self.iterations {
            Some(1) => write!(text, " did 1 iteration"),
            Some(number) => write!(text, " did {number} iterations"),
            None => write!(text, " did an unknown number of iterations"),
        };
        let _ = match self.commits {
            Some(1) => write!(text, " with 1 commit"),
            Some(number) => write!(text, " with {number} commits"),
            None => Ok(()),
        };
        let _ = match &self.finish_type {
            Some(kind) => write!(text, " and ended: {kind}"),
            None => Ok(()),
        };
        if let Some(code) = self.exit_code.filter(|code| *code != 0) {
            let _ = write!(text, " (the agent's exit code was {code})");
        }
        if !self.unreadable.is_empty() {
            let _ = write!(text, "; not readable: {}", self.unreadable.join(", "));
        }
        text
    }
}
