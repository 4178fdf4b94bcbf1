//! Whether a machine is ready, point by point.

use serde::Serialize;

use crate::document::document;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone, rendered};
use crate::terminal::Terminal;

/// How one point stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Health {
    /// As it should be.
    Good,
    /// A run can start, but a person should know.
    Doubtful,
    /// No run can start.
    Bad,
}

/// One point that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at, in a word or two.
    pub about: String,
    /// How it stands.
    pub health: Health,
    /// What was found.
    pub found: String,
    /// What to do about it.
    pub advice: Vec<String>,
}

impl Finding {
    /// What was found about something.
    pub fn new(about: &str, health: Health, found: impl Into<String>) -> Finding {
        Finding { about: about.to_owned(), health, found: found.into(), advice: Vec::new() }
    }

    /// It is as it should be.
    pub fn good(about: &str, found: impl Into<String>) -> Finding {
        Finding::new(about, Health::Good, found)
    }

    /// A run can start, but a person should know.
    pub fn doubtful(about: &str, found: impl Into<String>) -> Finding {
        Finding::new(about, Health::Doubtful, found)
    }

    /// No run can start.
    pub fn bad(about: &str, found: impl Into<String>) -> Finding {
        Finding::new(about, Health::Bad, found)
    }

    /// What to do about it, one line each.
    pub fn advise(mut self, lines: impl IntoIterator<Item = impl Into<String>>) -> Finding {
        self.advice.extend(lines.into_iter().map(Into::into));
        self
    }
}

/// The findings as a table with a last line that sums them up; every line ends with a newline.
pub fn doctor_text(findings: &[Finding], terminal: &Terminal) -> String {
    let width = findings.iter().map(|finding| finding.about.chars().count()).max().unwrap_or(0);
    let mut lines: Vec<Line> = findings.iter().flat_map(|finding| rows(finding, width)).collect();
    lines.push(Line::new());
    lines.push(verdict(findings));
    rendered(&lines, terminal)
}

fn rows(finding: &Finding, width: usize) -> Vec<Line> {
    // Two columns for the mark, two between the columns.
    let column = width + 4;
    let (tone, mark) = match finding.health {
        Health::Good => (Tone::Good, Mark::Passed),
        Health::Doubtful => (Tone::Warn, Mark::Notice),
        Health::Bad => (Tone::Bad, Mark::Failed),
    };
    let head = Line::hanging(column).mark(tone, mark).plain(format!(
        " {:<width$}  {}",
        one_line(&finding.about),
        one_line(&finding.found)
    ));
    let advice = finding
        .advice
        .iter()
        .map(|advice| Line::hanging(column).plain(format!("{}{}", " ".repeat(column), one_line(advice))));
    std::iter::once(head).chain(advice).collect()
}

fn verdict(findings: &[Finding]) -> Line {
    match findings.iter().map(|finding| finding.health).max() {
        Some(Health::Bad) => Line::new().tone(Tone::Bad, "No run can start here yet."),
        Some(Health::Doubtful) => {
            Line::new().tone(Tone::Good, "A run can start here.").plain(" Look at the points marked above.")
        }
        Some(Health::Good) | None => Line::new().tone(Tone::Good, "A run can start here."),
    }
}

/// The findings as one line of JSON.
pub fn doctor_json(findings: &[Finding]) -> Vec<u8> {
    #[derive(Serialize)]
    struct Fields<'a> {
        ready: bool,
        findings: &'a [Finding],
    }
    let ready = findings.iter().all(|finding| finding.health != Health::Bad);
    document("doctor", &Fields { ready, findings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::columns;

    fn findings() -> Vec<Finding> {
        let finding = |about: &str, health, found: &str, advice: &[&str]| Finding {
            about: about.to_owned(),
            health,
            found: found.to_owned(),
            advice: advice.iter().map(|line| (*line).to_owned()).collect(),
        };
        vec![
            finding("git", Health::Good, "2.47", &[]),
            finding(
                "API keys",
                Health::Doubtful,
                "ANTHROPIC_API_KEY is set, and kept from\nthe agent unless it is allowed",
                &[],
            ),
            finding("agent", Health::Bad, "not installed", &["npm install -g @anthropic-ai/claude-code"]),
        ]
    }

    #[test]
    fn points_stand_in_columns_with_what_to_do_below() {
        assert_eq!(
            doctor_text(&findings(), &columns(60)),
            "\
✓ git       2.47
! API keys  ANTHROPIC_API_KEY is set, and kept from the
            agent unless it is allowed
✗ agent     not installed
            npm install -g @anthropic-ai/claude-code

No run can start here yet.
"
        );
        let good = doctor_text(&findings()[..1], &columns(60));
        assert!(good.ends_with("\nA run can start here.\n"), "{good}");
    }

    #[test]
    fn machines_get_a_document() {
        crate::view::check_document("doctor", &doctor_json(&findings()));
        let document: serde_json::Value = serde_json::from_slice(&doctor_json(&findings())).unwrap();
        assert_eq!((&document["v"], &document["type"]), (&1.into(), &"doctor".into()));
        assert_eq!(document["ready"], false);
        assert_eq!(document["findings"][1]["health"], "doubtful");
        let document: serde_json::Value = serde_json::from_slice(&doctor_json(&findings()[..2])).unwrap();
        assert_eq!(document["ready"], true);
    }
}
