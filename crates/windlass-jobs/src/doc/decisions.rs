//! Logs of what councils decided: one JSON object per line, as Windlass writes them, and both forms of claude-loop's
//! `principles-decisions.log` (seed 004, E4). Whatever cannot be read is passed over, line by line.

use serde::{Deserialize, Serialize};

/// The longest log that is read, in bytes.
pub const LONGEST_LOG: usize = 4 * 1024 * 1024;

/// One decision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedDecision {
    /// When, as it was written; empty where nothing says.
    #[serde(default)]
    pub time: String,
    /// The run; empty where another tool decided.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// In which iteration; 0 where nothing says.
    #[serde(default)]
    pub iteration: u32,
    /// What was to be decided; empty where nothing says.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub question: String,
    /// What was decided.
    pub decision: String,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rationale: String,
}

impl LoggedDecision {
    /// The line that is appended, with its end.
    pub fn line(&self) -> String {
        // A structure of texts and a number is always JSON.
        let json = serde_json::to_string(self).unwrap_or_default();
        format!("{json}\n")
    }
}

/// The decisions of a log, in whichever of the three forms each was written.
pub fn read(bytes: &[u8]) -> Vec<LoggedDecision> {
    let text = String::from_utf8_lossy(bytes.get(..LONGEST_LOG).unwrap_or(bytes));
    let mut found = Vec::new();
    let mut open: Option<LoggedDecision> = None;
    for line in text.lines() {
        let begins = begin(line);
        if begins.is_some() || line.trim() == "---" {
            found.extend(open.take().filter(|one| !one.decision.is_empty()));
        }
        match begins {
            Some(whole) if line.trim_start().starts_with('{') => found.push(whole),
            Some(part) => open = Some(part),
            None if line.trim() == "---" => open = Some(LoggedDecision::default()),
            None => {
                if let Some(one) = &mut open {
                    field(one, line);
                }
            }
        }
    }
    found.extend(open.filter(|one| !one.decision.is_empty()));
    found
}

/// A line with which a decision begins: our own, which is whole, or `[time] DECISION: …`.
fn begin(line: &str) -> Option<LoggedDecision> {
    let line = line.trim();
    if line.starts_with('{') {
        return serde_json::from_str(line).ok().filter(|one: &LoggedDecision| !one.decision.is_empty());
    }
    let (time, rest) = line.strip_prefix('[')?.split_once(']')?;
    let decision = rest.trim().strip_prefix("DECISION:")?;
    Some(LoggedDecision {
        time: time.trim().to_owned(),
        decision: plain(decision),
        ..LoggedDecision::default()
    })
}

/// `key: value`, of a YAML document or of the indented lines below `DECISION:`.
fn field(one: &mut LoggedDecision, line: &str) {
    let Some((key, value)) = line.split_once(':') else { return };
    let value = plain(value);
    match key.trim().to_ascii_lowercase().as_str() {
        "timestamp" => one.time = value,
        "iteration" => one.iteration = value.parse().unwrap_or(0),
        "decision" | "outcome" if one.decision.is_empty() => one.decision = value,
        "outcome" => one.decision = format!("{}: {value}", one.decision),
        "rationale" => one.rationale = value,
        _ => {}
    }
}

/// Without the quotes around it. Quotes in it were never escaped by the shell script, so nothing more is undone than what was
/// done by those that did.
fn plain(value: &str) -> String {
    let value = value.trim();
    let inner = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    inner.replace("\\\"", "\"").chars().filter(|character| !character.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_forms_are_read_also_in_one_file() {
        let own = LoggedDecision {
            time: "2026-11-23T10:00:00Z".to_owned(),
            run: "r-1".to_owned(),
            iteration: 3,
            question: "Ship?".to_owned(),
            decision: "Ship: \"now\"".to_owned(),
            rationale: "cheap\nand good".to_owned(),
        };
        let log = format!(
            "---\ntimestamp: \"2025-01-02T03:04:05Z\"\niteration: 7\ndecision: \"Use \"raw\" quotes\"\nrationale: safe\npreset: \
             startup\ncouncil_invoked: true\n---\niteration: 8\ndecision: \"say \\\"hi\\\"\"\n[2025-01-03 10:00] DECISION: Scope\n  \
             Principles considered: a, b\n  Outcome: keep it small\n  Rationale: clarity: first\n{}",
            own.line()
        );
        let found = read(log.as_bytes());
        let said: Vec<(&str, u32, &str, &str)> =
            found.iter().map(|one| (&*one.time, one.iteration, &*one.decision, &*one.rationale)).collect();
        assert_eq!(
            said,
            [
                ("2025-01-02T03:04:05Z", 7, "Use \"raw\" quotes", "safe"),
                ("", 8, "say \"hi\"", ""),
                ("2025-01-03 10:00", 0, "Scope: keep it small", "clarity: first"),
                ("2026-11-23T10:00:00Z", 3, "Ship: \"now\"", "cheap\nand good"),
            ]
        );
        assert_eq!(found.last(), Some(&own));
        assert_eq!(own.line().matches('\n').count(), 1, "one line each");
    }

    #[test]
    fn what_is_no_decision_is_passed_over() {
        for bytes in [
            &b""[..],
            b"---\n---\n",
            b"{}\n{\"decision\":\n",
            b"\xff\xfe[x] DECISION",
            b"---\niteration: 1\n",
        ] {
            assert_eq!(read(bytes), [], "{bytes:?}");
        }
    }
}
