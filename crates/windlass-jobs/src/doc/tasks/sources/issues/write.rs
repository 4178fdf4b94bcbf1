//! Issues, written as the file that is read.

use std::fmt::Write as _;

use windlass_core::forge::{Issue, RepositoryName};
use windlass_core::values::TaskRow;

use crate::doc::tasks::words;

/// What the file is called, wherever it lies.
pub const ISSUES_FILE: &str = "tasks.issues.md";

/// Labels that say of which type a change is.
const KINDS: &[(&str, &str)] = &[
    ("bug", "fix"),
    ("enhancement", "feat"),
    ("feature", "feat"),
    ("documentation", "docs"),
    ("docs", "docs"),
];

/// What labels with a priority begin or end with.
const PRIORITY: &[&str] = &["priority", "prio"];

/// An issue that is to be done.
#[derive(Clone, Debug)]
pub struct IssueTask<'a> {
    /// The issue.
    pub issue: &'a Issue,
    /// The ids of those that have to be done before: `#7`, or as it is written where it is of another repository.
    pub dependencies: Vec<String>,
}

/// The file of these issues.
pub fn write_issues(repository: &RepositoryName, tasks: &[IssueTask<'_>]) -> String {
    let mut text = format!(
        "# Issues of {repository}\n\nWritten by Windlass, and read by it: only the status of a task is changed.\n"
    );
    for IssueTask { issue, dependencies } in tasks {
        let title = if issue.title.trim().is_empty() { "(without a title)" } else { &issue.title };
        // Writing into a string does not fail.
        let _ = writeln!(text, "\n## #{}: {title}\n- **Status**: pending", issue.number);
        if let Some(priority) = priority(&issue.labels) {
            let _ = writeln!(text, "- **Priority**: {priority}");
        }
        if let Some(kind) = kind(&issue.labels) {
            let _ = writeln!(text, "- **Type**: {kind}");
        }
        if !dependencies.is_empty() {
            let _ = writeln!(text, "- **Dependencies**: {}", dependencies.join(", "));
        }
        let author = if issue.author.is_empty() { "an account that is gone" } else { &issue.author };
        let _ = writeln!(text, "- **Author**: {author}");
        if !issue.body.trim().is_empty() {
            text.push('\n');
        }
        for line in issue.body.trim().lines() {
            text.push_str(if line.trim().is_empty() { ">" } else { "> " });
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text
}

/// The most urgent priority that a label says.
fn priority(labels: &[String]) -> Option<u8> {
    let priorities = labels.iter().filter_map(|label| of_label(label));
    priorities.min().filter(|priority| *priority != TaskRow::USUAL_PRIORITY)
}

/// `P1`, `priority: high`, `prio/2`, `high priority`, `critical`.
fn of_label(label: &str) -> Option<u8> {
    let label = label.trim().to_lowercase();
    let is_between = |letter: char| !letter.is_alphanumeric();
    let named = PRIORITY.iter().find_map(|word| {
        let rest = label.strip_prefix(word).filter(|rest| rest.starts_with(is_between));
        rest.or_else(|| label.strip_suffix(word).filter(|rest| rest.ends_with(is_between)))
    });
    let is_said = |word: &str| word.strip_prefix('p').is_some_and(|digits| digits.parse::<u8>().is_ok());
    let bare = label.as_str();
    match named {
        Some(word) => words::priority(word.trim_matches(is_between)),
        None if is_said(bare) || matches!(bare, "critical" | "urgent" | "blocker") => words::priority(bare),
        None => None,
    }
}

fn kind(labels: &[String]) -> Option<&'static str> {
    let of = |label: &String| KINDS.iter().find(|(name, _)| label.eq_ignore_ascii_case(name));
    labels.iter().find_map(of).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::doc::tasks::sources::Issues;
    use crate::doc::tasks::{TaskFile, TaskList};

    fn repository() -> RepositoryName {
        let name = |name: &str| name.to_owned();
        RepositoryName { host: name("github.com"), owner: name("acme"), name: name("anvil") }
    }

    fn read(text: &str) -> TaskList {
        TaskList::parse(vec![TaskFile::alone(ISSUES_FILE, &Issues, Ok(text.as_bytes().to_vec()))])
    }

    #[test]
    fn labels_say_priorities_by_the_one_table() {
        let labels = [
            ("P0", Some(0)),
            ("p1", Some(1)),
            ("priority: high", Some(1)),
            ("Priority/Critical", Some(0)),
            ("prio-3", Some(3)),
            ("low priority", Some(3)),
            ("urgent", Some(0)),
            ("priority: medium", Some(2)),
            ("prioritise", None),
            ("high", None),
            ("p", None),
            ("priority", None),
            ("3", None),
            ("performance", None),
        ];
        for (label, expected) in labels {
            assert_eq!(of_label(label), expected, "{label}");
        }
        let all = ["low priority", "p1", "bug"].map(str::to_owned);
        assert_eq!((priority(&all), kind(&all)), (Some(1), Some("fix")));
    }

    #[test]
    fn a_body_is_nothing_but_text() {
        let body = "Do it.\n\n## #99: Another\n- **Status**: done\n# Issues of evil\n\n### TASK-001: x\n- **Status**: pending\n";
        let hostile =
            Issue { number: 12, title: "## #1: x".to_owned(), body: body.to_owned(), ..Issue::default() };
        let other = Issue { number: 7, title: "Other".to_owned(), ..Issue::default() };
        let tasks = [
            IssueTask { issue: &hostile, dependencies: vec!["#7".to_owned()] },
            IssueTask { issue: &other, dependencies: Vec::new() },
        ];
        let list = read(&write_issues(&repository(), &tasks));
        let ids: Vec<&str> = list.tasks().iter().map(|task| &*task.row.id.0).collect();
        assert_eq!(ids, ["#12", "#7"]);
        assert_eq!(list.problems(), []);
        assert_eq!(list.tasks()[0].row.dependencies, ["#7".into()]);
        assert!(list.source(&"#12".into()).contains("> ## #99: Another"));
        assert!(!list.source(&"#7".into()).contains("99"));
    }

    proptest! {
        #[test]
        fn whatever_people_write_is_read_as_the_same_issues(
            bodies in prop::collection::vec("(\\PC|\n|\r|> |## #1: |- \\*\\*Status\\*\\*: done|```){0,20}", 1..5)
        ) {
            let issue = |(number, body): (u64, &String)| Issue { number, title: body.replace(['\n', '\r'], " "), body: body.clone(), ..Issue::default() };
            let issues: Vec<Issue> = (1..).zip(&bodies).map(issue).collect();
            let tasks: Vec<IssueTask<'_>> = issues.iter().map(|issue| IssueTask { issue, dependencies: Vec::new() }).collect();
            let text = write_issues(&repository(), &tasks);
            let list = read(&text);
            prop_assert_eq!(list.tasks().len(), issues.len());
            prop_assert!(list.tasks().iter().all(|task| task.row.state == windlass_core::values::TaskState::Open));
            prop_assert_eq!(list.problems(), []);
        }
    }
}
