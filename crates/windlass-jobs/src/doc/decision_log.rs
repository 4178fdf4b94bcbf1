//! Logs of decisions: one JSON object per line, as councils are logged; and as claude-loop wrote them: documents of YAML (whose
//! quotes the older script did not escape, so that no YAML reader takes them all), and before that lines of text.

use serde::{Deserialize, Serialize};

/// The longest log that is read and written, in bytes.
pub const LONGEST: usize = 4 * 1024 * 1024;

/// What a log says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    /// Each as it was made.
    pub all: Vec<Decision>,
}

/// A decision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// When, as it was written: RFC 3339, UTC, where it is our own.
    pub time: String,
    /// The run; empty = another tool's.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// The iteration whose agent reported the conflict; 0 = nobody said.
    #[serde(default)]
    pub iteration: u32,
    /// The council's attempt within that iteration; 0 = there was none.
    #[serde(default)]
    pub attempt: u32,
    /// The principles that were in conflict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub principles: Vec<String>,
    /// What had to be decided; empty = nobody said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub question: String,
    /// The option that was chosen among those offered; empty = none were offered.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub chosen: String,
    /// What was decided: one line.
    pub decision: String,
    /// Why; empty = nobody said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rationale: String,
    /// What the principles come from; empty = nobody said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub preset: String,
}

impl Decision {
    /// Is it the same, whenever it was noted?
    fn is_of(&self, other: &Decision) -> bool {
        (&self.run, self.iteration, self.attempt) == (&other.run, other.iteration, other.attempt)
    }
}

impl Decisions {
    /// How many there are, and of which time.
    pub fn sentence(&self) -> String {
        let times = |decision: Option<&Decision>| {
            decision.map(|decision| {
                decision.time.chars().filter(|letter| !letter.is_control()).take(40).collect()
            })
        };
        let (first, last): (Option<String>, Option<String>) =
            (times(self.all.first()), times(self.all.last()));
        match (self.all.len(), first, last) {
            (1, Some(time), _) => format!("1 decision, of {time}"),
            (count, Some(first), Some(last)) => format!("{count} decisions, from {first} to {last}"),
            _ => "no decision is in it".to_owned(),
        }
    }
}

/// A log with a decision at its end; `None` where it stands there already. Every byte that is there stays.
pub fn with(log: &[u8], decision: &Decision) -> Option<Vec<u8>> {
    if decisions(&String::from_utf8_lossy(log)).all.iter().any(|there| there.is_of(decision)) {
        return None;
    }
    let mut bytes = log.to_vec();
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    // A structure of texts and numbers is always JSON.
    bytes.extend(serde_json::to_vec(decision).unwrap_or_default());
    bytes.push(b'\n');
    Some(bytes)
}

/// Reads all three forms; what is none of them is passed over.
pub fn decisions(text: &str) -> Decisions {
    let mut all: Vec<Decision> = Vec::new();
    let mut open = Decision::default();
    for line in text.lines() {
        let begins = json(line).or_else(|| bracketed(line));
        if begins.is_some() || line.trim_end() == "---" {
            close(&mut open, &mut all);
        }
        if let Some(decision) = begins {
            open = decision;
        } else if let Some((name, value)) = line.split_once(':') {
            let value = unquoted(value);
            match name.trim() {
                "timestamp" => open.time = value,
                "iteration" => open.iteration = value.parse().unwrap_or_default(),
                "decision" => open.decision = value,
                "rationale" | "Rationale" => open.rationale = value,
                "preset" => open.preset = value,
                _ => {}
            }
        }
    }
    close(&mut open, &mut all);
    Decisions { all }
}

fn close(open: &mut Decision, all: &mut Vec<Decision>) {
    let done = std::mem::take(open);
    if !done.time.is_empty() && !done.decision.is_empty() {
        all.push(done);
    }
}

/// A line of our own.
fn json(line: &str) -> Option<Decision> {
    let mut read: Decision = serde_json::from_str(line.trim()).ok()?;
    let texts = [
        &mut read.time,
        &mut read.run,
        &mut read.question,
        &mut read.chosen,
        &mut read.decision,
        &mut read.rationale,
        &mut read.preset,
    ];
    for text in texts.into_iter().chain(&mut read.principles) {
        text.retain(|letter| !letter.is_control());
    }
    Some(read)
}

/// `[time] DECISION: what`
fn bracketed(line: &str) -> Option<Decision> {
    let (time, rest) = line.strip_prefix('[')?.split_once(']')?;
    let decision = rest.trim_start().strip_prefix("DECISION:")?;
    Some(Decision {
        time: time.trim().to_owned(),
        decision: decision.trim().to_owned(),
        ..Decision::default()
    })
}

/// Without the quotes around it; those within stay, escaped or not.
fn unquoted(value: &str) -> String {
    let value = value.trim();
    let inner = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    inner.map_or_else(|| value.to_owned(), |inner| inner.replace("\\\"", "\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "\
[2026-01-01 10:00] DECISION: keep it small
  Principles considered: scope_philosophy
  Outcome: one file
  Rationale: it is enough
not a line of its
---
timestamp: \"2026-01-02T03:04:05Z\"
iteration: 2
decision: \"use the \"old\" parser\"
rationale: \"it \\\"works\\\"\"
preset: startup
council_invoked: true
---
timestamp: \"2026-01-03T00:00:00Z\"
iteration: 3
---
";

    fn own(iteration: u32) -> Decision {
        Decision {
            time: "2026-11-23T10:00:00Z".to_owned(),
            run: "r-1".to_owned(),
            iteration,
            attempt: 2,
            principles: vec!["blast_radius".to_owned()],
            question: "Ship?".to_owned(),
            chosen: "now".to_owned(),
            decision: "Ship: \"now\" *today*".to_owned(),
            rationale: "cheap".to_owned(),
            preset: "startup".to_owned(),
        }
    }

    // Seed defect D4, bash principles-decisions.log: quotes are not escaped, and the documents describe another form.
    #[test]
    fn both_forms_of_the_log_are_read_and_quotes_that_are_not_escaped_as_well() {
        let found = decisions(OLD);
        let of = |at: usize| (found.all[at].decision.as_str(), found.all[at].rationale.as_str());
        assert_eq!(found.all.len(), 2, "{found:?}");
        assert_eq!(of(0), ("keep it small", "it is enough"));
        assert_eq!(of(1), ("use the \"old\" parser", "it \"works\""));
        assert_eq!((found.all[1].iteration, found.all[1].preset.as_str()), (2, "startup"));
        assert_eq!(found.sentence(), "2 decisions, from 2026-01-01 10:00 to 2026-01-02T03:04:05Z");
        assert_eq!(decisions("").sentence(), "no decision is in it");
    }

    // rows: 103
    // Seed defect D4, council/detector.go:17-18: one decision per output, and its text cut at the first asterisk.
    #[test]
    fn each_decision_is_a_line_of_its_own_whole_and_there_once() {
        let first = with(OLD.as_bytes(), &own(1)).unwrap();
        assert!(first.starts_with(OLD.as_bytes()), "what was there stays");
        let both = with(&first, &own(2)).unwrap();
        assert_eq!(with(&both, &own(1)), None, "it stands there");
        let later = Decision { time: "2027-01-01T00:00:00Z".to_owned(), ..own(2) };
        assert_eq!(with(&both, &later), None, "whenever it is noted again");
        let found = decisions(&String::from_utf8(both).unwrap());
        assert_eq!(found.all.len(), 4);
        assert_eq!(found.all[2..], [own(1), own(2)]);
        let other = Decision { run: "r-2".to_owned(), ..own(1) };
        assert!(with(&first, &other).is_some(), "another run's is another one");
    }

    #[test]
    fn a_line_that_was_cut_off_is_ended_first_and_passed_over() {
        let whole = with(b"", &own(1)).unwrap();
        let cut = &whole[..whole.len() / 2];
        let mended = with(cut, &own(1)).unwrap();
        assert_eq!(decisions(&String::from_utf8(mended).unwrap()).all, [own(1)]);
        for hostile in
            ["{}", "{\"decision\":1}", "[x] DECISION", "\u{0}\u{0}:", "{\"time\":\"\",\"decision\":\"x\"}"]
        {
            assert_eq!(decisions(hostile).all, [], "{hostile}");
        }
        let said = decisions("{\"time\":\"t\",\"decision\":\"a\\nb\\u001b[1m\"}").all;
        assert_eq!(said[0].decision, "ab[1m");
    }
}
