//! The log of decisions as claude-loop wrote it: documents of YAML (whose quotes the older script did not escape, so that no YAML reader takes them
//! all), and before that lines of text.

/// What a log says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    /// Each as it was made.
    pub all: Vec<Decision>,
}

/// A decision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// When, as it was written.
    pub time: String,
    /// What was decided: one line.
    pub decision: String,
    /// Why; empty = nobody said.
    pub rationale: String,
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

/// Reads both forms; what is neither is passed over.
pub fn decisions(text: &str) -> Decisions {
    let mut all: Vec<Decision> = Vec::new();
    let mut open = Decision::default();
    let mut close = |open: &mut Decision| {
        let done = std::mem::take(open);
        if !done.time.is_empty() && !done.decision.is_empty() {
            all.push(done);
        }
    };
    for line in text.lines() {
        if line.trim_end() == "---" {
            close(&mut open);
        } else if let Some((time, decision)) = bracketed(line) {
            close(&mut open);
            open = Decision { time, decision, ..Decision::default() };
        } else if let Some((name, value)) = line.split_once(':') {
            let value = unquoted(value);
            match name.trim() {
                "timestamp" => open.time = value,
                "decision" => open.decision = value,
                "rationale" | "Rationale" => open.rationale = value,
                _ => {}
            }
        }
    }
    close(&mut open);
    Decisions { all }
}

/// `[time] DECISION: what`
fn bracketed(line: &str) -> Option<(String, String)> {
    let (time, rest) = line.strip_prefix('[')?.split_once(']')?;
    let decision = rest.trim_start().strip_prefix("DECISION:")?;
    Some((time.trim().to_owned(), decision.trim().to_owned()))
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

    // Seed defect D4, bash principles-decisions.log: quotes are not escaped, and the documents describe another form.
    #[test]
    fn both_forms_of_the_log_are_read_and_quotes_that_are_not_escaped_as_well() {
        let log = "\
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
        let found = decisions(log);
        let of = |at: usize| (found.all[at].decision.as_str(), found.all[at].rationale.as_str());
        assert_eq!(found.all.len(), 2, "{found:?}");
        assert_eq!(of(0), ("keep it small", "it is enough"));
        assert_eq!(of(1), ("use the \"old\" parser", "it \"works\""));
        assert_eq!(found.sentence(), "2 decisions, from 2026-01-01 10:00 to 2026-01-02T03:04:05Z");
        assert_eq!(decisions("").sentence(), "no decision is in it");
    }
}
